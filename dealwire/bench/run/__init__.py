"""Execution of a plan on a device."""
