"""Rules that look on while a device is judged, and the books they keep."""

from dealwire.bench.rules import books, cards, fields, link, truth
from dealwire.bench.rules.rule import ALL_RULES

__all__ = ["ALL_RULES", "books", "cards", "fields", "link", "truth"]
