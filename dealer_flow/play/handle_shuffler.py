"""What each report does to the round. Whether it was in order has been decided before, by `turns`."""

# ruff: noqa: ARG001 - every handler has the signature of the table at the end

from collections.abc import Callable
from typing import Any, Final

import devices.events as e
from dealer_flow.play import cards as card_reports
from dealer_flow.play import handle_controller as table_reports
from dealer_flow.play import handle_shoe as shoe_reports
from dealer_flow.play.verdicts import apply, found, judge_count, judge_fault, judge_sum
from dealer_flow.table.ledger import Dispensed
from dealer_flow.table.round import Round
from devices.events import Seen
from protocol.faults import Fault

Handler = Callable[[Round, Seen, Any], None]


def _loaded(now: Round, seen: Seen, body: e.DeckLoaded) -> None:
    now.decks.loaded(body.deck, body.back)


def _verified(now: Round, seen: Seen, body: e.DeckVerified) -> None:
    now.decks.verified(body.deck, body.expected, body.counted)
    now.decks.count(seen.at_ns)


def _dispensed(now: Round, seen: Seen, body: e.PacketDispensed) -> None:
    ledger = now.ledger
    if not ledger.packets:
        ledger.deck, now.session = body.deck, seen.session
        _take_deck(now, seen)
    ledger.packets[body.ordinal] = Dispensed(body.ordinal, body.counted, body.cards)


def _take_deck(now: Round, seen: Seen) -> None:
    """The first packet shows which deck is dealt: its count before the deal must be a whole deck."""
    deck, plan = now.ledger.deck, now.plan
    card_reports.deal_from(now, deck, seen)
    expected, counted = now.decks.counted.pop(deck, (plan.cards, None))
    now.ledger.loaded = counted
    if counted is None or (counted == plan.cards and expected == plan.cards):
        return
    text = f"deck {deck} is dealt with {counted} cards counted, {expected} set, not {plan.cards}"
    now.note("deck-count-wrong", text, seen=seen, clause=plan.deck_policy.clause)
    apply(now, plan.deck_policy, why=text)


def _lifted(now: Round, seen: Seen, body: e.PacketLifted) -> None:
    packet = now.ledger.packets.get(body.ordinal)
    if packet is None or packet.lifted:
        return
    due = now.next_due
    found(now, now.ledger.lift(packet, due), seen)
    if due is not None:
        now.given += 1
        judge_count(now, due.place, seen)


def _dumped(now: Round, seen: Seen, body: e.RemainderDumped) -> None:
    if now.ledger.remainder is None and (body.deck == now.ledger.deck or not now.ledger.packets):
        now.ledger.remainder = body.counted
        if now.due is not None and now.red_lamp:
            _stop(now, seen, "the remainder is dumped under the red lamp before the deal was complete")
        judge_sum(now, seen)


def _rejected(now: Round, seen: Seen, body: e.CardRejected) -> None:
    if now.ledger.packets and body.deck == now.ledger.deck and now.ledger.remainder is None:
        found(now, now.ledger.reject(body.card), seen)


def _lamp(now: Round, seen: Seen, body: e.RedLamp) -> None:
    now.red_lamp = body.fault if body.lit else 0
    if body.lit:
        _fault(now, seen, body.fault)


def _raised(now: Round, seen: Seen, body: e.FaultRaised) -> None:
    _fault(now, seen, body.fault)


def _misdeal_record(now: Round, seen: Seen, body: e.MisdealReported) -> None:
    if not now.ledger.packets or body.deck == now.ledger.deck:
        _fault(now, seen, body.fault)


def _door(now: Round, seen: Seen, body: e.DoorMoved) -> None:
    if body.open and _deck_inside(now):
        _fault(now, seen, Fault.DOOR_OPENED_MID_ROUND)


def _fault(now: Round, seen: Seen, fault: int) -> None:
    judge_fault(now, fault, seen, counts=_deck_inside(now))


def _deck_inside(now: Round) -> bool:
    """True while cards of this round may still be in the device: later faults concern the next deck."""
    if now.plan.from_shoe:
        return shoe_reports.undecided(now)
    return now.in_play and now.ledger.remainder is None


def _cleared(now: Round, seen: Seen, body: e.MisdealCleared) -> None:
    now.red_lamp = 0
    now.restarted.discard(seen.device)
    now.called = "" if body.badge else now.called
    if not body.resume and _deck_inside(now):
        who = f"badge {body.badge}" if body.badge else "a person at the device"
        _stop(now, seen, f"{who} ended the deal")


def _removed(now: Round, seen: Seen, body: e.DeckRemoved) -> None:
    now.decks.removed(body.deck)
    if _deck_inside(now) and now.ledger.packets and body.deck == now.ledger.deck:
        _stop(now, seen, f"deck {body.deck} was taken out before the remainder was counted")


def _stop(now: Round, seen: Seen, text: str) -> None:
    if now.over:
        return
    misdeal = now.plan.procedure.misdeal
    now.note("deck-removed", text, seen=seen, clause=misdeal.clause)
    now.misdeal = True
    now.returns.add("misdeal", 0, misdeal.returns)


def _end(now: Round, seen: Seen, body: e.GameEnded) -> None:
    if now.due is not None and now.red_lamp:
        _stop(now, seen, f"END GAME under the red lamp before {now.due} had its packet")
    elif now.red_lamp and not now.house_wrong and _dealing(now):
        _stop(now, seen, "END GAME under the red lamp before every card was dealt")
    table_reports.end(now, seen, body)


def _dealing(now: Round) -> bool:
    """True while a deal waits: for the dealer to confirm it, or for the seat that gets the first cards."""
    return now.in_play and now.step is not None and now.step.do in ("deal", "burn-card")


HANDLERS: Final[dict[type[e.Body], Handler]] = {
    e.DeckLoaded: _loaded,
    e.DeckVerified: _verified,
    e.PacketDispensed: _dispensed,
    e.PacketLifted: _lifted,
    e.RemainderDumped: _dumped,
    e.CardRejected: _rejected,
    e.RedLamp: _lamp,
    e.FaultRaised: _raised,
    e.MisdealReported: _misdeal_record,
    e.DoorMoved: _door,
    e.MisdealCleared: _cleared,
    e.DeckRemoved: _removed,
    e.GameEnded: _end,
    **table_reports.HANDLERS,
    **shoe_reports.HANDLERS,
}
