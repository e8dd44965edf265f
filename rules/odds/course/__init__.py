"""Walks through a game step by step: hand by hand, or for every hand at once."""
