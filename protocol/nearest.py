"""What somebody may have meant who wrote a name that there is not."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

LIKE: Final = 0.7
"""How alike two names must be, from 0 to 1, for one to be offered for the other."""
LISTED: Final = 12
"""So many names are listed beside the one that somebody may have meant."""
LONGEST: Final = 80
"""Characters of a name that is compared: no id of this project is nearly as long."""


def nearest(given: object, known: Iterable[str]) -> str | None:
    """The one of `known` that `given` most likely was meant to be; None when none is near. A beginning of just one
    name is near."""
    if not isinstance(given, str) or not 0 < len(given) <= LONGEST:
        return None
    names = list(known)
    beginning = [name for name in names if name.lower().startswith(given.lower())]
    if len(beginning) == 1:
        return beginning[0]
    # Whoever wrote another number meant it: FGW-04 is no slip for FGW-09, but another pay table.
    folded = {name.lower(): name for name in reversed(names) if _digits(name) == _digits(given)}
    found = get_close_matches(given.lower(), folded, n=1, cutoff=LIKE)
    return folded[found[0]] if found else None


def _digits(name: str) -> str:
    return "".join(each for each in name if each.isdigit())


def did_you_mean(given: object, known: Iterable[str]) -> str:
    """` (did you mean X?)`, or nothing: to be put behind what says that `given` is not there."""
    found = nearest(given, known)
    return f" (did you mean {found}?)" if found else ""


def instead(given: object, known: Iterable[str], lead: str, more: str = "") -> str:
    """What can be named instead of `given`, to be put behind what says that it is not there: ` (did you mean X?)`, and
    `; known: A, B`, where `known: ` is the `lead`, with `more` behind the last. Of many, one that is near is enough."""
    names = list(known)
    near = did_you_mean(given, names)
    return near if near and len(names) > LISTED else f"{near}; {lead}{', '.join(names) or 'none'}{more}"
