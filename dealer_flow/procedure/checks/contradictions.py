"""Everything that a procedure file may not say, in the order in which it is looked for."""

from collections.abc import Iterator

from dealer_flow.procedure.checks.bets import bet_faults, rule_faults
from dealer_flow.procedure.checks.betting import betting_faults
from dealer_flow.procedure.checks.consequences import consequence_faults, fault_rows, wrong_faults
from dealer_flow.procedure.checks.decisions import choice_faults, decision_faults
from dealer_flow.procedure.checks.decks import (
    burned_faults,
    deck_faults,
    runs_out_faults,
    shuffle_faults,
    unburned_faults,
)
from dealer_flow.procedure.checks.names import name_faults
from dealer_flow.procedure.checks.shoe import shoe_faults
from dealer_flow.procedure.checks.steps import step_faults
from dealer_flow.procedure.complaints import Complaint, condition_faults, option_faults
from dealer_flow.procedure.schema import Procedure


def contradictions(procedure: Procedure) -> Iterator[Complaint]:
    """Key and complaint, for everything that does not fit."""
    yield from name_faults(procedure)
    yield from deck_faults(procedure)
    yield from condition_faults(procedure, procedure.option)
    yield from bet_faults(procedure)
    yield from betting_faults(procedure)
    yield from decision_faults(procedure)
    yield from rule_faults(procedure)
    if (procedure.shoe is None) == (not procedure.step):
        yield ("step",), "give [[step]]s, or a [shoe] that cards are drawn from, one of them"
    elif procedure.shoe is None:
        yield from step_faults(procedure)
        yield from choice_faults(procedure)
        yield from wrong_faults(procedure)
    else:
        yield from shoe_faults(procedure, procedure.shoe)
    yield from consequence_faults(procedure)
    yield from burned_faults(procedure)
    yield from unburned_faults(procedure)
    yield from runs_out_faults(procedure)
    yield from shuffle_faults(procedure)
    yield from fault_rows(procedure)
    yield from option_faults(procedure, procedure.option)
