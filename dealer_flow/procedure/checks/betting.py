"""Faults of the [betting] table: names that are not there, and bets that ask for the table."""

from collections.abc import Iterator

from dealer_flow.procedure.bets import amount_of
from dealer_flow.procedure.complaints import Complaint
from dealer_flow.procedure.schema import Procedure


def betting_faults(procedure: Procedure) -> Iterator[Complaint]:
    """What the table names that is not there, and what asks for the table."""
    part = procedure.betting
    acted = {bet.name for bet in procedure.bet if bet.placed == "by-action"}
    if part is None:
        for index, bet in enumerate(procedure.bet):
            if bet.placed == "by-action":
                yield ("bet", index, "placed"), "no [betting] table says how players act"
        return
    early = [bet.name for bet in procedure.bet if bet.placed == "before-deal"]
    named = {"blinds": part.blinds, "apart": part.apart, "everybody": part.everybody}
    for key, name in ((key, name) for key, names in named.items() for name in names):
        if name not in early:
            yield ("betting", key), f"no bet {name!r} placed before-deal; allowed: {', '.join(early) or 'none'}"
    for key, most in (("most-bet", part.most_bet), ("most-raise", part.most_raise)):
        if most is not None and amount_of(most.amount).bet:
            yield ("betting", key, "amount"), "an amount in dollars"
    steps = [step for step in procedure.step if step.do == "bet"]
    for name in sorted(acted - {step.bet for step in steps}):
        yield ("bet",), f"no step of kind 'bet' puts chips into {name!r}"
