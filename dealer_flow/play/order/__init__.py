"""The order of play: which report may come when, and what follows from one out of order."""
