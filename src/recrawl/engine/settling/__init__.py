"""From judged visits to one commit: what a visit teaches and leaves behind, and in which order it becomes durable."""
