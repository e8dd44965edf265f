"""What a player may choose, read off the procedure, and what each solver counts of it."""
