"""A game walked through step by step: hand by hand, or every hand at once."""
