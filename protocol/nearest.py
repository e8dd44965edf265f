"""Suggestions for a misspelled name."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

LIKE: Final = 0.7
"""Minimum similarity, from 0 to 1, for a name to be suggested."""
LISTED: Final = 12
"""Maximum number of known names that are listed next to a suggestion."""
FIRST_LISTED: Final = 5
"""Number of known names that are listed if there are very many and none is close."""
LONGEST: Final = 80
"""Maximum length, in characters, of a name that is compared. No id of this project comes near it."""


def nearest(given: object, known: Iterable[str]) -> str | None:
    """Return the name in `known` that `given` most likely means, or None. A prefix of exactly one name is a match."""
    if not isinstance(given, str) or not 0 < len(given) <= LONGEST:
        return None
    names = list(known)
    beginning = [name for name in names if name.lower().startswith(given.lower())]
    if len(beginning) == 1:
        return beginning[0]
    # Different digits are intended: FGW-04 is no misspelling of FGW-09, but another pay table.
    folded = {name.lower(): name for name in reversed(names) if _digits(name) == _digits(given)}
    found = get_close_matches(given.lower(), folded, n=1, cutoff=LIKE)
    return folded[found[0]] if found else None


def _digits(name: str) -> str:
    return "".join(each for each in name if each.isdigit())


def did_you_mean(given: object, known: Iterable[str]) -> str:
    """Return ` (did you mean X?)` or an empty string, to append to an error about an unknown name."""
    found = nearest(given, known)
    return f" (did you mean {found}?)" if found else ""


def instead(given: object, known: Iterable[str], lead: str, more: str = "") -> str:
    """Return the alternatives to an unknown name, to append to the error about it.

    The text is ` (did you mean X?)` and then `; known: A, B`, where `known: ` is `lead` and `more` follows the last
    name. If there are many names, a close match is given alone, and without one only the first names are listed.
    """
    names = list(known)
    near = did_you_mean(given, names)
    if near and len(names) > LISTED:
        return near
    if len(names) > FIRST_LISTED + LISTED:
        more = f" and {len(names) - FIRST_LISTED} more{more}"
        names = names[:FIRST_LISTED]
    return f"{near}; {lead}{', '.join(names) or 'none'}{more}"
