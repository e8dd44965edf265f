"""A game's dealing procedure: the file, what it may say, and the plan made of it."""
