"""Hands at the bench: a person, a program, or the simulated devices."""
