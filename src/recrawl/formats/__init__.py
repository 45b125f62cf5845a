"""Text formats as inverse pairs: what `render` wrote, `parse` reads back; what `parse` cannot read is an error
with line and column, never a guess."""
