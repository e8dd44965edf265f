"""Bytes to typed messages and back. Pure: no clock, no thread, no line."""
