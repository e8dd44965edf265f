"""Game files: schema, readings, checks, and the game loaded from them."""
