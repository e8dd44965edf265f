"""Players' choices, read from the procedure, and the settings of each solver derived from them."""
