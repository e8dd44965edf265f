"""The reference device in C beside the simulated one in Python: the same script, the same bytes."""
