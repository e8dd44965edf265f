"""A table.toml made from answers: the lines of this machine, the choices of a game, the text of the file."""
