"""Names in a game file that stand for nothing in it."""

from collections.abc import Iterable, Iterator

from protocol.tomlfile import Key


def unknown(key: Key, what: str, named: Iterable[str], known: Iterable[str]) -> Iterator[tuple[Key, str]]:
    """Names that nobody gave to anything, and those that are."""
    for name in named:
        if name not in known:
            yield key, f"unknown {what} {name!r}; allowed: {', '.join(known)}"
