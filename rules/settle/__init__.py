"""Settlement of a whole round."""
