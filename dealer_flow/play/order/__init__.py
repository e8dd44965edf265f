"""The order of play: which report may come when, and the consequence of one that is out of order."""
