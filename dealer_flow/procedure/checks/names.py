"""Names: each once, and none that every game has already."""

from collections.abc import Iterator, Sequence
from typing import Final

from dealer_flow.procedure.complaints import Complaint
from dealer_flow.procedure.schema import Procedure
from protocol.tomlfile import Key

_OWN_NAMES: Final = ("seats", "dealer", "community", "remainder")


def name_faults(procedure: Procedure) -> Iterator[Complaint]:
    """Each name and each number once in its table."""
    named: dict[str, Sequence[str | int]] = {
        "hand.name": [hand.name for hand in procedure.hand],
        "hand.place": [hand.place for hand in procedure.hand],
        "step.name": [step.name for step in procedure.step],
        "bet.number": [bet.number for bet in procedure.bet],
        "bet.name": [bet.name for bet in procedure.bet],
        "decision.number": [choice.number for choice in procedure.decision],
        "decision.name": [choice.name for choice in procedure.decision],
        "option.name": [option.name for option in procedure.option],
    }
    for where, values in named.items():
        table, part = where.split(".")
        yield from _taken((table,), part, values)
    for index, bet in enumerate(procedure.bet):
        for part in ("number", "name"):
            yield from _taken(("bet", index, "propositions"), part, [getattr(row, part) for row in bet.propositions])
    for index, hand in enumerate(procedure.hand):
        if hand.name in _OWN_NAMES:
            yield ("hand", index, "name"), f"{hand.name!r} is a place of every game; give the hand a name of its own"
    for index, option in enumerate(procedure.option):
        if option.default not in option.allowed:
            yield ("option", index, "default"), f"{option.default!r} is not among {', '.join(option.allowed)}"


def _taken(table: Key, part: str, values: Sequence[str | int]) -> Iterator[Complaint]:
    """A complaint for each row of a table whose value an earlier row has."""
    for index, value in enumerate(values):
        if value in values[:index]:
            yield (*table, index, part), f"{value!r} is taken; each {part} once"
