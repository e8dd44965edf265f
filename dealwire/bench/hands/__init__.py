"""Operators of a device under test: a person, a program, or a simulation."""
