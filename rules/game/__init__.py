"""Game files: schema, readings, checks, and the game made of them."""
