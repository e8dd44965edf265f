"""Game files: schema, pay tables, readings, checks, and the game made of them."""
