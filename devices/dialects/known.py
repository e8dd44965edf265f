"""Registry of dialects: those of the program, and those of installed packages.

A package adds a dialect through an entry point of the group `dealwire.dialects` whose value is a `Dialect` and whose
name is the dialect's. It is loaded when it is first requested.
"""

from importlib.metadata import entry_points
from typing import Final

from devices.dialects import angel_eye, bee_tek, gat, tdp
from devices.dialects.dialect import Dialect
from protocol.errors import LocalError
from protocol.nearest import did_you_mean

GROUP: Final = "dealwire.dialects"

BUILT_IN: Final = {dialect.name: dialect for dialect in (tdp.DIALECT, angel_eye.DIALECT, bee_tek.DIALECT, gat.DIALECT)}


class UnknownDialect(LocalError):
    """A name that is not a dialect."""

    def __init__(self, name: str, allowed: list[str]) -> None:
        self.name, self.allowed = name, allowed
        fault = f"unknown dialect {name!r}" if name else "no dialect is named"
        super().__init__(f"{fault}{did_you_mean(name, allowed)}; allowed: {', '.join(allowed)}")


class BadDialect(LocalError):
    """An installed package announces a dialect that cannot be used."""

    def __init__(self, name: str, value: str, why: str) -> None:
        self.name, self.value, self.why = name, value, why
        super().__init__(f"dialect {name!r} ({value}): {why}")


def dialect_names() -> list[str]:
    """Return the names of all dialects, those of the program first."""
    added = {entry.name for entry in entry_points(group=GROUP)}
    return [*BUILT_IN, *sorted(added - BUILT_IN.keys())]


def dialect_named(name: str) -> Dialect:
    """Return the dialect called `name`. Raise UnknownDialect or BadDialect. A package cannot replace a built-in
    dialect."""
    if name in BUILT_IN:
        return BUILT_IN[name]
    found = [entry for entry in entry_points(group=GROUP) if entry.name == name]
    if not found:
        raise UnknownDialect(name, dialect_names())
    if len({entry.value for entry in found}) > 1:
        raise BadDialect(name, ", ".join(entry.value for entry in found), "more than one package announces it")
    entry = found[0]
    try:
        dialect = entry.load()
    except Exception as error:
        raise BadDialect(name, entry.value, f"it cannot be loaded: {error}") from error
    if not isinstance(dialect, Dialect):
        raise BadDialect(name, entry.value, f"expected a Dialect, got {type(dialect).__name__}")
    if dialect.name != name:
        raise BadDialect(name, entry.value, f"it calls itself {dialect.name!r}")
    return dialect
