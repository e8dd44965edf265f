"""What checks of a procedure file hand on: a key, and what does not fit there."""

from collections.abc import Iterable, Iterator

from protocol.tomlfile import Key

Complaint = tuple[Key, str]
"""A key of the file, and what does not fit there."""


def unknown_bets(key: Key, named: Iterable[str], bets: list[str]) -> Iterator[Complaint]:
    """A complaint for each name that is none of these bets'."""
    for name in named:
        if name not in bets:
            yield key, f"no bet {name!r}; allowed: {', '.join(bets)}"
