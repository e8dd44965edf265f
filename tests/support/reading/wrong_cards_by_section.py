"""Paragraphs that speak of wrong cards, by section, read from the text by hand: whose cards, in which way, which
paragraph.

Whose: `seats`, `dealer`, `community`, `remainder`; a game's own hands count as those of their owner. A section says
nothing about a case that is not listed here, and the general rules alone apply.
"""

from typing import Final

_COUNT: Final = ("short", "long")
_ANY: Final = ("exposed",)


def _of(whose: str, hows: tuple[str, ...], paragraph: str) -> dict[tuple[str, str], str]:
    return {(each, how): paragraph for each in whose.split() for how in hows}


_EXPOSED_ALL: Final = "seats dealer community"
SPEAKS: Final[dict[str, dict[tuple[str, str], str]]] = {
    "47.1-1012": {},
    "47.1-1013": {},
    "47.1-1014": {},
    "47.1-1015": {},
    "47.1-1017": {},
    "47.1-1017.2": {},
    "47.1-1017.4": {},
    "47.1-1017.6": {},
    "47.1-1017.8": {},
    "47.1-1017.10": _of("seats dealer", _COUNT, "(6)"),
    "47.1-1017.12": _of("seats dealer", _COUNT, "(6)"),
    "47.1-1017.14": _of("seats community", (*_COUNT, *_ANY), "(5)") | _of("seats", ("off-table",), "(5)"),
    "47.1-1017.16": {},
    "47.1-1017.18": {},
    "47.1-1017.20": {},
    "47.1-1017.22": _of("seats dealer", _COUNT, "(10)"),
    "47.1-1017.24": _of("seats dealer", (*_COUNT, *_ANY), "(5)"),
    "47.1-1017.30": {},
    "47.1-1017.28": _of("seats", (*_COUNT, *_ANY, "off-table"), "(6)"),
    "47.1-1017.32": _of("seats", (*_COUNT, *_ANY, "off-table"), "(9)"),
    "47.1-1017.34": _of("seats", (*_COUNT, *_ANY, "off-table"), "(5)") | _of("dealer", ("short", *_ANY), "(6)"),
    "47.1-1017.36": _of("seats", (*_COUNT, *_ANY, "off-table"), "(5)"),
    "47.1-1017.37": _of("seats community", (*_COUNT, *_ANY), "(5)") | _of("seats", ("off-table",), "(5)"),
    "47.1-1017.38": {},
    "47.1-1017.39": _of("seats dealer", _COUNT, "(5)")
    | _of(_EXPOSED_ALL, _ANY, "(5)")
    | _of("seats", ("off-table",), "(16)")
    | _of("community", (*_COUNT, "off-table"), "(19)")
    | _of("dealer", ("off-table",), "(22)")
    | _of("community", ("early",), "(21)"),
    "47.1-1017.40": _of("seats dealer", _COUNT, "(5)")
    | _of("dealer community", _ANY, "(5)")
    | _of("seats", ("off-table",), "(5)"),
    "47.1-1017.41": _of("seats", ("short",), "(30)")
    | _of("seats", _ANY, "(26)")
    | _of("community", ("long",), "(27)")
    | _of("seats community", ("off-table", "dropped"), "(28)")
    | _of("community", ("exposed", "early"), "(29)"),
    "47.1-1017.42": _of("seats dealer", (*_COUNT, *_ANY), "(6)"),
    "47.1-1017.43": _of("seats dealer remainder", _COUNT, "(6)") | _of("seats dealer", ("off-table",), "(6)"),
    "47.1-1017.44": _of("seats dealer", (*_COUNT, *_ANY), "(5)"),
    "47.1-1017.45": _of("seats dealer", (*_COUNT, *_ANY), "(5)"),
    "47.1-1017.46": _of("seats community", (*_COUNT, *_ANY), "(5)"),
    "47.1-1017.47": _of("seats dealer", _COUNT, "(5)") | _of(_EXPOSED_ALL, _ANY, "(5)"),
    "47.1-1017.48": {},
    "47.1-1017.49": _of("seats", _COUNT, "(30)(a)")
    | _of("dealer", _COUNT, "(30)(b)")
    | _of("remainder", _COUNT, "(32)(c)")
    | _of("seats", ("off-table",), "(33)"),
    "47.1-1017.50": _of("dealer remainder", _COUNT, "(6)"),
    "47.1-1017.51": _of("seats dealer", _COUNT, "(7)"),
    "47.1-1017.60": _of("seats dealer", _COUNT, "progressive (7)(I)"),
}
