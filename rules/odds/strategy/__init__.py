"""Strategies from files, and the hands to which each of their rules applies."""
