"""Counts of the cards that make each key of a pay table."""
