"""Checks across the keys of a procedure file that a schema cannot express, one module per topic.

`contradictions` runs them all.
"""
