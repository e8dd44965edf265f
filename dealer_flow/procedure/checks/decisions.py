"""Checks on choices: the bets that go with them, what they give up, and the step that offers them."""

from collections.abc import Iterator
from fractions import Fraction

from dealer_flow.procedure.complaints import Complaint, unknown_bets
from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.steps.decide import DecideStep
from dealer_flow.procedure.steps.exchange import ExchangeStep
from dealer_flow.procedure.tables import GivesUpPart
from protocol.tomlfile import Key


def decision_faults(procedure: Procedure) -> Iterator[Complaint]:
    """Yield errors of choices that name bets that do not exist, or cannot go with them."""
    names = [bet.name for bet in procedure.bet]
    late = [bet.name for bet in procedure.bet if bet.placed == "by-decision"]
    for index, choice in enumerate(procedure.decision):
        for key, bets in (("bet", choice.stakes[: choice.bet is not None]), ("bets", choice.bets)):
            for bet_name in bets:
                if bet_name not in late:
                    why = f"no bet {bet_name!r} placed by-decision; allowed: {', '.join(late) or 'none'}"
                    yield ("decision", index, key), why
        yield from unknown_bets(("decision", index, "needs"), choice.needs, names)
        yield from unknown_bets(("decision", index, "unless"), choice.unless, names)
        if choice.gives_up is not None:
            yield from _gives_up_faults(procedure, ("decision", index, "gives-up"), choice.gives_up)
        if choice.takes_back is not None and choice.takes_back not in names:
            yield ("decision", index, "takes-back"), f"no bet {choice.takes_back!r}; allowed: {', '.join(names)}"


def _gives_up_faults(procedure: Procedure, key: Key, part: GivesUpPart) -> Iterator[Complaint]:
    placed = [bet.name for bet in procedure.bet if bet.placed == "before-deal"]
    if part.bet not in placed:
        yield (*key, "bet"), f"no bet {part.bet!r} placed before-deal; allowed: {', '.join(placed)}"
    if part.as_ in [bet.name for bet in procedure.bet]:
        yield (*key, "as"), f"{part.as_!r} is a bet already; give the share another name"
    if Fraction(part.share) >= 1:
        yield (*key, "share"), f"{part.share} is not a part of a bet; allowed: less than 1"


def choice_faults(procedure: Procedure) -> Iterator[Complaint]:
    """Yield choices that no step offers, and keys that do not fit the choice."""
    offered = {name for step in procedure.step if isinstance(step, DecideStep) for name in step.choices}
    offered |= {step.unless for step in procedure.step if isinstance(step, ExchangeStep) and step.unless}
    unburned = procedure.care.unburned
    offered |= {unburned.offers} if unburned is not None and unburned.offers else set()
    exchanged = {to for step in procedure.step if isinstance(step, ExchangeStep) for to in step.to}
    for index, choice in enumerate(procedure.decision):
        if choice.name not in offered:
            yield ("decision", index, "name"), f"no step offers {choice.name!r}; add it to a decide step's choices"
        if choice.keeps and not choice.folds:
            yield ("decision", index, "keeps"), "only for a choice by which a seat gives up: folds = true"
        if choice.draws and "seats" not in exchanged:
            yield ("decision", index, "draws"), "no exchange step replaces cards of the seats"
