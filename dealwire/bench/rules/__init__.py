"""Rules that monitor a device during all checks, and their ledgers."""

from dealwire.bench.rules import books, cards, fields, link, truth
from dealwire.bench.rules.rule import ALL_RULES

__all__ = ["ALL_RULES", "books", "cards", "fields", "link", "truth"]
