"""recrawl.toml → one small settings value per stage."""
