"""A game's dealing procedure: its file, the schema, and the plan built from it."""
