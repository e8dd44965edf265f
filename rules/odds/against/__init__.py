"""Odds of one hand against the dealer's: the possible endings of every decision, and the best choice."""
