"""The effect of each device report on the round."""
