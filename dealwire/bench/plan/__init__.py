"""Acceptance plans."""
