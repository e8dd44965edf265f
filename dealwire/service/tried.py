"""One check before a start, and its outcome."""

import importlib.util
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, TypeVar

from protocol.errors import DealwireError, LocalError
from protocol.tomlfile import Key

T = TypeVar("T")
Outcome = Literal["ok", "warning", "wrong"]


class Tried(NamedTuple):
    """One check and its outcome. A `wrong` one has an error, and the file cannot be served."""

    outcome: Outcome
    what: str
    """Subject: `journal`, `console`, a table, or a table's device."""
    text: str
    key: Key = ()
    """Key in the file; empty for the whole file."""
    error: DealwireError | None = None


class Unusable(LocalError):
    """A file or address of the configuration cannot be used."""


def ok(what: str, text: str) -> Tried:
    """Return a passed check."""
    return Tried("ok", what, text)


def warning(what: str, text: str, key: Key = ()) -> Tried:
    """Return a check with a warning: the file can be served, but someone should know."""
    return Tried("warning", what, text, key)


def wrong(what: str, key: Key, error: DealwireError) -> Tried:
    """Return a failed check: the file cannot be served."""
    return Tried("wrong", what, str(error), key, error)


def installed(*modules: str) -> bool:
    """True if all of the modules are installed."""
    return all(importlib.util.find_spec(name) is not None for name in modules)


def attempted(what: str, key: Key, attempt: Callable[[], T], words: Callable[[T], str]) -> Iterator[Tried]:
    """Try something, and yield `ok` with `words` about the result, or `wrong` with the error."""
    try:
        found = attempt()
    except DealwireError as error:
        yield wrong(what, key, error)
    else:
        yield ok(what, words(found))
