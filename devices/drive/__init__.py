"""Devices driven from Python, live or from a recording."""
