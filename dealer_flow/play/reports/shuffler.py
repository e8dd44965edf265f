"""Handlers of reports of a shuffler; `HANDLERS` has those of the controller and the shoe, too.

`order` has decided before whether a report was in order.
"""

from typing import Final

import devices.events as e
from dealer_flow.play.course.cards_by_step import reached_step
from dealer_flow.play.reports import controller as handle_controller
from dealer_flow.play.reports import shoe as handle_shoe
from dealer_flow.play.reports.shoe import Handler
from dealer_flow.play.verdicts import dealing
from dealer_flow.play.verdicts.contradictions import (
    badge_refused,
    judge_clearing,
    judge_order,
    judge_packet,
    judge_record,
    judge_status,
)
from dealer_flow.play.verdicts.verdicts import DECK_WRONG, found, judge, judge_count, judge_fault, judge_sum
from dealer_flow.record.incidents import Incident
from dealer_flow.table.ledger import Dispensed
from dealer_flow.table.round import Round
from devices.events import Seen
from protocol.faults import Fault
from protocol.places import NOWHERE, Place


def _loaded(round_: Round, seen: Seen, body: e.DeckLoaded) -> None:
    found = round_.decks.loaded(body.deck, body.back, round_.plan.youngest_deck)
    dealing.of_decks(round_, found, seen)


def _verified(round_: Round, seen: Seen, body: e.DeckVerified) -> None:
    round_.decks.verified(body.deck, body.expected, body.counted)
    round_.decks.count(seen.at_ns)


def _dispensed(round_: Round, seen: Seen, body: e.PacketDispensed) -> None:
    ledger = round_.ledger
    if round_.plan.from_hand:
        _handed_out(round_, seen, body.deck, body.counted)
        return
    if not ledger.packets:
        ledger.deck, round_.session, round_.dealt_by = body.deck, seen.session, seen.device
        _take_deck(round_, seen)
    elif body.deck != ledger.deck or body.ordinal in ledger.packets:
        judge_packet(round_, body, seen)
    ledger.packets[body.ordinal] = Dispensed(body.ordinal, body.counted, body.cards, setting=body.expected)


def _take_deck(round_: Round, seen: Seen) -> None:
    """Note which deck is dealt, as the first packet shows: its count before the deal must be that of a whole deck."""
    deck, plan = round_.ledger.deck, round_.plan
    dealing.deal_from(round_, deck, seen)
    expected, counted = round_.decks.counted.pop(deck, (plan.cards, None))
    round_.ledger.loaded = counted
    if counted is None or (counted == plan.cards and expected == plan.cards):
        return
    wrong = DECK_WRONG(reason="deck", deck=deck, counted=counted, setting=expected, expected=plan.cards)
    judge(round_, plan.deck_policy, NOWHERE, wrong, seen)


def _handed_out(round_: Round, seen: Seen, deck: int, counted: int) -> None:
    """Note the deck that comes out whole for the dealer's hand: by each count of the device it must be a whole one."""
    plan, ledger = round_.plan, round_.ledger
    if not counted or (ledger.deck and round_.in_play):
        return  # nothing was left in the device, or this deck is for the next round
    ledger.deck = deck
    if round_.in_play:
        dealing.deal_from(round_, deck, seen)
    expected, before = round_.decks.counted.pop(deck, (plan.cards, counted))
    ledger.loaded = counted if before == plan.cards else before
    if (ledger.loaded, expected) != (plan.cards, plan.cards):
        wrong = DECK_WRONG(reason="deck", deck=deck, counted=ledger.loaded, setting=expected, expected=plan.cards)
        judge(round_, plan.deck_policy, NOWHERE, wrong, seen)


def _lifted(round_: Round, seen: Seen, body: e.PacketLifted) -> None:
    packet = round_.ledger.packets.get(body.ordinal)
    if packet is None or packet.lifted:
        return
    due = round_.next_due
    findings = round_.ledger.lift(packet, due)
    if findings:
        found(round_, findings, seen)
    if due is not None:
        round_.given += 1
        reached_step(round_, due.step)
        judge_count(round_, due.place, seen)


def _dumped(round_: Round, seen: Seen, body: e.RemainderDumped) -> None:
    if round_.plan.from_hand:
        _handed_out(round_, seen, body.deck, body.counted)
    elif round_.ledger.remainder is None and (body.deck == round_.ledger.deck or not round_.ledger.packets):
        round_.ledger.dump(body.expected, body.counted)
        if round_.due is not None and round_.red_lamp:
            _stop(round_, seen, "dumped")
        judge_sum(round_, seen)
        lifted = round_.ledger.lifted
        if lifted and lifted[0].cards:
            judge_order(round_, seen)


def _counted(round_: Round, seen: Seen, body: e.RoundCounted) -> None:
    if round_.in_play and seen.device == round_.dealt_by:
        judge_status(round_, body, seen)


def _green(round_: Round, seen: Seen, body: e.GreenButton) -> None:  # noqa: ARG001 - as every handler
    if round_.red_lamp:
        round_.pressed = seen


def _rejected(round_: Round, seen: Seen, body: e.CardRejected) -> None:
    if round_.ledger.packets and body.deck == round_.ledger.deck and round_.ledger.remainder is None:
        found(round_, round_.ledger.reject(body.card), seen)


def _lamp(round_: Round, seen: Seen, body: e.RedLamp) -> None:
    round_.red_lamp = body.fault if body.lit else 0
    if body.lit:
        round_.lit_in_play = round_.in_play
        _fault(round_, seen, body.fault)


def _raised(round_: Round, seen: Seen, body: e.FaultRaised) -> None:
    _fault(round_, seen, body.fault)


def _misdeal_record(round_: Round, seen: Seen, body: e.MisdealReported) -> None:
    judge_record(round_, body, seen)
    if not round_.ledger.packets or body.deck == round_.ledger.deck:
        _fault(round_, seen, body.fault)


def _door(round_: Round, seen: Seen, body: e.DoorMoved) -> None:
    if body.open and _deck_inside(round_):
        _fault(round_, seen, Fault.DOOR_OPENED_MID_ROUND)


def _fault(round_: Round, seen: Seen, fault: int) -> None:
    judge_fault(round_, fault, seen, counts=_deck_inside(round_))


def _deck_inside(round_: Round) -> bool:
    """Return True while cards of this round may still be in the device: later faults concern the next deck."""
    if round_.plan.from_shoe:
        return handle_shoe.undecided(round_)
    if round_.plan.from_hand:
        return False
    return round_.in_play and round_.ledger.remainder is None


def _cleared(round_: Round, seen: Seen, body: e.MisdealCleared) -> None:
    judge_clearing(round_, body, seen)
    round_.red_lamp = 0
    round_.restarted.discard(seen.device)
    if body.refused:
        badge_refused(round_, seen, body.badge, body.refused, harmful=round_.in_play)
    elif body.badge:
        round_.called = None
    of_this_round = round_.lit_in_play or round_.ledger.packets
    if not body.resume and _deck_inside(round_) and of_this_round:
        _stop(round_, seen, "ended", badge=body.badge or None)


def _removed(round_: Round, seen: Seen, body: e.DeckRemoved) -> None:
    round_.decks.removed(body.deck)
    if _deck_inside(round_) and round_.ledger.packets and body.deck == round_.ledger.deck:
        _stop(round_, seen, "taken-out", deck=body.deck)


def _stop(
    round_: Round,
    seen: Seen,
    reason: str,
    *,
    badge: int | None = None,
    deck: int | None = None,
    due: Place | None = None,
) -> None:
    if round_.over:
        return
    misdeal, waits = round_.plan.procedure.misdeal, due.text if due is not None else None
    stopped = Incident(code="deck-removed", clause=misdeal.clause, reason=reason, badge=badge, deck=deck, due=waits)
    round_.report(stopped, seen)
    round_.misdeal = True
    round_.returns.add("misdeal", 0, misdeal.returns)


def _end(round_: Round, seen: Seen, body: e.GameEnded) -> None:
    if round_.red_lamp and round_.due is not None:
        _stop(round_, seen, "packets-due", due=round_.due)
    elif round_.red_lamp and not round_.house_wrong and _dealing(round_):
        _stop(round_, seen, "deal-unfinished")
    lifted = round_.ledger.lifted
    if lifted and lifted[0].cards:
        judge_order(round_, seen)
    handle_controller.end(round_, seen, body)


def _dealing(round_: Round) -> bool:
    """Return True while a deal waits for the dealer to confirm it, or for the seat that gets the first cards."""
    return round_.in_play and round_.step is not None and round_.step.foreseen


HANDLERS: Final[dict[type[e.Body], Handler]] = {
    e.GreenButton: _green,
    e.DeckLoaded: _loaded,
    e.DeckVerified: _verified,
    e.PacketDispensed: _dispensed,
    e.PacketLifted: _lifted,
    e.RemainderDumped: _dumped,
    e.RoundCounted: _counted,
    e.CardRejected: _rejected,
    e.RedLamp: _lamp,
    e.FaultRaised: _raised,
    e.MisdealReported: _misdeal_record,
    e.DoorMoved: _door,
    e.MisdealCleared: _cleared,
    e.DeckRemoved: _removed,
    e.GameEnded: _end,
    **handle_controller.HANDLERS,
    **handle_shoe.HANDLERS,
}
