"""Seats that never chose, and that play has continued without.

No regulation has such a hand played or given up automatically: a supervisor decides. So the money of that seat is held,
and the hands of the others are settled, as far as their cards are there. Cards that came while the table waited for the
seat are those that are due next, unless somebody reports otherwise.
"""

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

import devices.events as e
from dealer_flow.play.course import laying
from dealer_flow.play.machine.states import State
from dealer_flow.play.order.order import violation
from dealer_flow.play.verdicts.verdicts import apply
from dealer_flow.play.verdicts.wagers import hold_passed_by
from dealer_flow.procedure.steps.deal import DealStep
from dealer_flow.procedure.steps.decide import DecideStep
from dealer_flow.procedure.steps.exchange import ExchangeStep
from dealer_flow.procedure.steps.kinds import AnyStep
from dealer_flow.procedure.steps.reveal import RevealStep
from dealer_flow.procedure.steps.show import ShowStep
from dealer_flow.record.incidents import Incident
from dealer_flow.table.round import Round
from devices.events import Seen
from protocol.places import seat

PASSES_BY: Final = frozenset({e.CardDrawn, e.CardUnread, e.PacketLifted, e.HandRevealed, e.GameEnded})
"""Reports that show that play continues without a seat that has not chosen."""


def seats_were_skipped(round_: Round, body: e.Body) -> bool:
    """Return True if this report is possible only if the seats that have not chosen were skipped.

    Such reports are the end of the round, cards of the house that are shown, and the next packet taken to its place.
    """
    step = round_.step
    if not isinstance(step, DecideStep) or step.optional or not round_.opened or round_.decided or round_.rulings:
        return False
    found = violation(State.DECIDING, round_, body)
    return found is not None and found.harmful and _may_go_on(round_, body)


def _may_go_on(round_: Round, body: e.Body) -> bool:
    """Return True if the hands of the seats that have acted can be played without the others: their cards are there."""
    waiting, ahead = round_.undecided, round_.plan.steps[round_.at + 1 :]
    playing = [number for number in round_.live if number not in waiting]
    if isinstance(body, e.GameEnded):
        nobody = len(waiting) == len(round_.active)
        return not (playing or nobody) or not _cards_to_come(round_, ahead, early=not nobody)
    acted = any(_concerned(round_, number) for number in playing)
    if isinstance(body, e.PacketLifted):
        return acted
    if isinstance(body, e.HandRevealed) and round_.plan.house(round_.plan.kind(body.place)):
        ahead = tuple(takewhile(lambda step: not isinstance(step, ShowStep | RevealStep), ahead))
        return (acted or _chosen_here(round_)) and not _cards_to_come(round_, ahead, early=True)
    return False


def _concerned(round_: Round, number: int) -> bool:
    """Return True if the choice under way is offered to this seat."""
    only = round_.step.only if isinstance(round_.step, DecideStep) else None
    return only is None or only in round_.wagers[number]


def _chosen_here(round_: Round) -> bool:
    """Return True if any seat has chosen in the step under way."""
    return round_.step is not None and any(round_.step.name in made for made in round_.choices.values())


def _cards_to_come(round_: Round, ahead: Sequence[AnyStep], *, early: bool) -> bool:
    """Return True if these steps deal cards; with `early`, only if no card came ahead of time that may be theirs."""
    came = laying.spares(round_) if round_.plan.from_shoe else round_.ledger.astray_packets
    return not (early and came) and any(step.deals and not isinstance(step, ExchangeStep) for step in ahead)


def pass_by(round_: Round, seen: Seen) -> None:
    """Skip the seats that have not chosen; their bets are held."""
    step, part = round_.step, round_.plan.procedure.not_acted
    if step is None:
        return
    clause = part.clause if part is not None else step.clause
    for number in round_.undecided:
        round_.report(Incident(code="choice-missing", clause=clause, seat=number), seen)
        round_.passed_by[number] = clause
    hold_passed_by(round_, round_.outcome)


def deal_on(round_: Round, body: e.Body) -> bool:
    """Return True if cards come before all seats have chosen, and the step makes a late hand dead.

    The seats still have until the end of the next deal to choose.
    """
    step = round_.step
    drawn = isinstance(body, e.CardDrawn | e.CardUnread)
    if not isinstance(step, DecideStep) or step.late is None or not drawn or not round_.opened or round_.decided:
        return False
    round_.late |= dict.fromkeys(round_.undecided, step.name)
    return True


def judge_late(round_: Round, seen: Seen) -> None:
    """Kill the hands of the seats that did not choose before the end of the deal under way."""
    if not isinstance(round_.step, DealStep) or not round_.late:
        return
    for number, name in round_.late.items():
        step = round_.plan.steps[round_.plan.order[name]]
        if isinstance(step, DecideStep) and step.late is not None and number in round_.live:
            policy = round_.plan.policy(step.late)
            found = Incident(code="choice-late", clause=policy.clause, seat=number)
            apply(round_, policy, seat(number), round_.report(found, seen))
    round_.late.clear()


def take_early(round_: Round) -> None:
    """Take the cards that came early for what is due now."""
    if round_.plan.from_shoe:
        laying.take_spares(round_)
        return
    for packet in round_.ledger.astray_packets:
        due = round_.next_due
        if due is not None and packet.counted == due.cards:
            round_.ledger.place(packet, due)
            round_.given += 1
