"""Comparison of the reference device in C with the simulated one in Python: one script must yield the same bytes."""
