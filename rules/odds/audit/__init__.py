"""Audit of printed pay tables."""
