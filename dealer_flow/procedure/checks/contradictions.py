"""All checks of a procedure file, in the order in which they run."""

from collections.abc import Iterator, Sequence
from typing import Final

from dealer_flow.procedure.checks.bets import bet_faults, betting_faults, rule_faults
from dealer_flow.procedure.checks.consequences import consequence_faults, fault_rows, wrong_faults
from dealer_flow.procedure.checks.decisions import choice_faults, decision_faults
from dealer_flow.procedure.checks.decks import (
    burned_faults,
    deck_faults,
    extra_burn_faults,
    runs_out_faults,
    shuffle_faults,
    unburned_faults,
)
from dealer_flow.procedure.checks.shoe import shoe_faults
from dealer_flow.procedure.checks.steps import step_faults
from dealer_flow.procedure.complaints import Complaint, condition_faults, option_faults
from dealer_flow.procedure.schema import Procedure
from protocol.tomlfile import Key

_OWN_NAMES: Final = ("seats", "dealer", "community", "remainder")


def contradictions(procedure: Procedure) -> Iterator[Complaint]:
    """Yield every error as a key and a message."""
    yield from name_faults(procedure)
    yield from deck_faults(procedure)
    yield from condition_faults(procedure, procedure.option)
    yield from bet_faults(procedure)
    yield from betting_faults(procedure)
    yield from decision_faults(procedure)
    yield from rule_faults(procedure)
    if (procedure.shoe is None) == (not procedure.step):
        yield ("step",), "give either [[step]]s or a [shoe] that cards are drawn from"
    elif procedure.shoe is None:
        yield from step_faults(procedure)
        yield from choice_faults(procedure)
        yield from wrong_faults(procedure)
    else:
        yield from shoe_faults(procedure, procedure.shoe)
    yield from consequence_faults(procedure)
    yield from burned_faults(procedure)
    yield from unburned_faults(procedure)
    yield from extra_burn_faults(procedure)
    yield from runs_out_faults(procedure)
    yield from shuffle_faults(procedure)
    yield from fault_rows(procedure)
    yield from option_faults(procedure, procedure.option)


def name_faults(procedure: Procedure) -> Iterator[Complaint]:
    """Yield names and numbers that occur twice in their table."""
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
            yield ("hand", index, "name"), f"{hand.name!r} is a place of every game; give the hand another name"
    for index, option in enumerate(procedure.option):
        if option.default not in option.allowed:
            yield ("option", index, "default"), f"{option.default!r} is not among {', '.join(option.allowed)}"


def _taken(table: Key, part: str, values: Sequence[str | int]) -> Iterator[Complaint]:
    """Yield each row of a table whose value an earlier row has."""
    for index, value in enumerate(values):
        if value in values[:index]:
            yield (*table, index, part), f"{value!r} is taken; a {part} may occur only once"
