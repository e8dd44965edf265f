"""Errors that checks of a procedure file return, and helpers for the most common: an unknown bet or option."""

from collections.abc import Iterable, Iterator, Sequence

from dealer_flow.procedure.tables import Chooses, OptionPart, OptionRef, WhenPart
from dealer_flow.tomlfile import TomlTable
from protocol.tomlfile import Key

Complaint = tuple[Key, str]
"""A key of the file, and the error there."""


def unknown_bets(key: Key, named: Iterable[str], bets: list[str]) -> Iterator[Complaint]:
    """Yield an error for each name that is not one of these bets."""
    for name in named:
        if name not in bets:
            yield key, f"no bet {name!r}; allowed: {', '.join(bets)}"


def values_of(options: Iterable[OptionPart], name: str | None) -> tuple[str, ...] | None:
    """Return the values that the option of this name allows; None if there is no such option."""
    return next((option.allowed for option in options if option.name == name), None)


def unknown_option(options: Iterable[OptionPart], name: str) -> str:
    """Return the error for a name that is not an option's."""
    known = dict.fromkeys(option.name for option in options)
    return f"no option {name!r}; known: {', '.join(known) or 'none'}"


def tables_in(table: TomlTable, key: Key = ()) -> Iterator[tuple[Key, TomlTable]]:
    """Yield a table and every table within it, each with its key."""
    yield key, table
    for name, field in type(table).model_fields.items():
        held, at = getattr(table, name), (*key, field.alias or name)
        if isinstance(held, TomlTable):
            yield from tables_in(held, at)
        elif isinstance(held, tuple):
            for number, row in enumerate(held):
                yield from tables_in(row, (*at, number)) if isinstance(row, TomlTable) else ()


def condition_faults(whole: TomlTable, options: Sequence[OptionPart]) -> Iterator[Complaint]:
    """Yield errors of the conditions in a file: an unknown option, or a value that the option does not have."""
    for key, when in tables_in(whole):
        if isinstance(when, WhenPart):
            values = values_of(options, when.option)
            if values is None:
                yield key, unknown_option(options, when.option)
            elif when.is_ not in values:
                yield key, f"{when.is_!r} is not a value of that option; allowed: {', '.join(values)}"


def option_faults(whole: TomlTable, options: Sequence[OptionPart]) -> Iterator[Complaint]:
    """Yield keys that name an unknown option, or an option with a value that the key does not allow."""
    for key, table in tables_in(whole):
        for name, field in type(table).model_fields.items():
            held, at = getattr(table, name), (*key, field.alias or name)
            for chooses in field.metadata if held is not None else ():
                if isinstance(chooses, Chooses):
                    option, at = (held.option, (*at, "option")) if isinstance(held, OptionRef) else (held, at)
                    values = values_of(options, option)
                    if values is None:
                        yield at, unknown_option(options, option)
                    elif not {*values} <= {*chooses.words}:
                        yield at, f"option {option!r} must choose between {', '.join(chooses.words)}"
