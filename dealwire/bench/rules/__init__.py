"""Rules that look on while a device is judged, and the books they keep."""

from dealwire.bench.rules import cards, fields, link, truth
from dealwire.bench.rules.rule import ALL_RULES

__all__ = ["ALL_RULES", "cards", "fields", "link", "truth"]
