"""What checks of a procedure file hand on, and what many of them complain of: a bet or an option that is not there."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from dealer_flow.procedure.tables import OptionPart, WhenPart
from protocol.tomlfile import Key

Complaint = tuple[Key, str]
"""A key of the file, and what does not fit there."""


def unknown_bets(key: Key, named: Iterable[str], bets: list[str]) -> Iterator[Complaint]:
    """A complaint for each name that is none of these bets'."""
    for name in named:
        if name not in bets:
            yield key, f"no bet {name!r}; allowed: {', '.join(bets)}"


def values_of(options: Iterable[OptionPart], name: str | None) -> tuple[str, ...] | None:
    """What the option of this name may be; None where there is none."""
    return next((option.allowed for option in options if option.name == name), None)


def unknown_option(options: Iterable[OptionPart], name: str) -> str:
    """What is wrong with a name that is no option's."""
    known = dict.fromkeys(option.name for option in options)
    return f"no option {name!r}; known: {', '.join(known) or 'none'}"


def option_faults(key: Key, name: str, words: Collection[str], options: Sequence[OptionPart]) -> Iterator[Complaint]:
    """An option that is not there, or one of whose values is none of these words."""
    values = values_of(options, name)
    if values is None:
        yield key, unknown_option(options, name)
    elif not set(values) <= set(words):
        yield key, f"option {name!r} must choose between {', '.join(words)}"


def condition_faults(key: Key, when: WhenPart | None, options: Sequence[OptionPart]) -> Iterator[Complaint]:
    """What a condition may not say: an option that is not there, a value that it does not have."""
    if when is None:
        return
    values = values_of(options, when.option)
    if values is None:
        yield key, unknown_option(options, when.option)
    elif when.is_ not in values:
        yield key, f"{when.is_!r} is no value of that option; allowed: {', '.join(values)}"
