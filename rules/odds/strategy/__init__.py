"""A way to play that somebody wrote down, and for which hands each of its rules is meant."""
