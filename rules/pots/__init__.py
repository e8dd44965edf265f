"""Pots: main and side pots, pools, and their division."""
