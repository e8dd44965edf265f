"""What each report does to the round. Whether it was in order has been decided before, by `turns`."""

# ruff: noqa: ARG001 - every handler has the signature of the table at the end

from collections.abc import Callable
from typing import Any, Final

import devices.events as e
from dealer_flow import shoe_reports
from dealer_flow.ledger import Dispensed
from dealer_flow.round import Round
from devices.events import Seen
from protocol.faults import Fault
from protocol.places import BURN, REMAINDER, SHOE

Handler = Callable[[Round, Seen, Any], None]

# ------------------------------------------------------------------ packet shuffler


def _verified(now: Round, seen: Seen, body: e.DeckVerified) -> None:
    now.decks[body.deck] = (body.expected, body.counted)


def _dispensed(now: Round, seen: Seen, body: e.PacketDispensed) -> None:
    ledger = now.ledger
    if not ledger.packets:
        ledger.deck, now.session = body.deck, seen.session
        _take_deck(now, seen)
    ledger.packets[body.ordinal] = Dispensed(body.ordinal, body.counted, body.cards)


def _take_deck(now: Round, seen: Seen) -> None:
    """The first packet shows which deck is dealt: its count before the deal must be a whole deck."""
    expected, counted = now.decks.pop(now.ledger.deck, (now.plan.cards, None))
    now.ledger.loaded = counted
    if counted is None or (counted == now.plan.cards and expected == now.plan.cards):
        return
    policy = now.plan.deck_policy
    text = f"deck {now.ledger.deck} is dealt with {counted} cards counted, {expected} set, not {now.plan.cards}"
    now.note("deck-count-wrong", text, seen=seen, clause=policy.clause)
    now.apply(policy.then)


def _lifted(now: Round, seen: Seen, body: e.PacketLifted) -> None:
    packet = now.ledger.packets.get(body.ordinal)
    if packet is None or packet.lifted:
        return
    place = now.due
    now.found(now.ledger.lift(packet, place), seen)
    if place is not None:
        now.judge_count(place, seen)


def _dumped(now: Round, seen: Seen, body: e.RemainderDumped) -> None:
    if now.ledger.remainder is None and (body.deck == now.ledger.deck or not now.ledger.packets):
        now.ledger.remainder = body.counted
        if now.due is not None and now.red_lamp:
            _stop(now, seen, "the remainder is dumped under the red lamp before the deal was complete")
        now.judge_sum(seen)


def _rejected(now: Round, seen: Seen, body: e.CardRejected) -> None:
    if now.ledger.packets and body.deck == now.ledger.deck and now.ledger.remainder is None:
        now.found(now.ledger.reject(body.card), seen)


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
    now.judge_fault(fault, seen, counts=_deck_inside(now))


def _deck_inside(now: Round) -> bool:
    """True while cards of this round may still be in the device: later faults concern the next deck."""
    if now.draw is not None:
        return shoe_reports.undecided(now)
    return now.in_play and now.ledger.remainder is None


def _cleared(now: Round, seen: Seen, body: e.MisdealCleared) -> None:
    now.red_lamp = 0
    if not body.resume and _deck_inside(now):
        who = f"badge {body.badge}" if body.badge else "a person at the device"
        _stop(now, seen, f"{who} ended the deal")


def _removed(now: Round, seen: Seen, body: e.DeckRemoved) -> None:
    now.decks.pop(body.deck, None)
    if _deck_inside(now) and now.ledger.packets and body.deck == now.ledger.deck:
        _stop(now, seen, f"deck {body.deck} was taken out before the remainder was counted")


def _stop(now: Round, seen: Seen, text: str) -> None:
    if now.over:
        return
    now.note("deck-removed", text, seen=seen, clause=now.plan.procedure.misdeal.clause)
    now.misdeal = True


# ------------------------------------------------------------------ table controller


def _wager(now: Round, seen: Seen, body: e.WagerPlaced) -> None:
    bet = now.plan.bets.get(body.bet)
    if bet is None or (bet.placed == "before-deal") != (not now.in_play):
        return
    if now.in_play and body.seat not in now.active:
        return
    bets = now.wagers.setdefault(body.seat, {})
    if bet.placed == "before-extra" and not _move(now, bets, bet.name, body.cents):
        return
    if body.cents:
        bets[bet.name] = body.cents
    else:
        bets.pop(bet.name, None)
    _note_bettor(now, seen.device)


def _move(now: Round, bets: dict[str, int], to: str, cents: int) -> bool:
    """What goes to a bet on the extra card leaves the bet it comes from; False when there is not so much."""
    source = now.plan.shoe.moves_from if now.plan.shoe else None
    rest = bets.get(source or "", 0) + bets.get(to, 0) - cents
    if source is None or rest < 0:
        return False
    if rest:
        bets[source] = rest
    else:
        bets.pop(source, None)
    return True


def _sensor(now: Round, seen: Seen, body: e.SensorChanged) -> None:
    if now.in_play:
        return
    if body.on:
        now.sensors.add(body.seat)
    else:
        now.sensors.discard(body.seat)
    _note_bettor(now, seen.device)


def _note_bettor(now: Round, device: str) -> None:
    """A device matters to the coming round while it has reported a bet that still lies there."""
    if now.sensors or any(now.wagers.values()):
        now.bettors.add(device)
    else:
        now.bettors.discard(device)


def _start(now: Round, seen: Seen, body: e.GameStarted) -> None:
    plan = now.plan
    now.in_play, now.number = True, body.round
    betting = sorted(number for number, bets in now.wagers.items() if bets)
    now.active = tuple(number for number in betting if plan.entering & now.wagers[number].keys())
    now.recipients = plan.recipients(now.active)
    entering = next(bet for bet in plan.bets.values() if bet.enters)
    if now.shoes is not None:
        now.shoes.begin_round()
    if not now.active:
        what = "made a bet" if len(plan.entering) > 1 else f"bet {entering.name}"
        now.break_off("no-entering-bet", f"START GAME and no seat has {what}", seen, entering.clause)
    for number in betting:
        if number not in now.active:
            text = f"seat {number} bets {', '.join(now.wagers[number])} without {entering.name}"
            now.break_off("side-bet-alone", text, seen, entering.clause)
    for number in sorted(now.sensors & set(now.active)):
        if plan.progressive not in now.wagers[number]:
            clause = next((bet.clause for bet in plan.bets.values() if bet.progressive), plan.clause)
            text = f"seat {number}: the sensor shows a progressive bet, no amount was reported"
            now.note("bet-amount-unknown", text, seen=seen, clause=clause)


def _end(now: Round, seen: Seen, body: e.GameEnded) -> None:
    if body.round != now.number:
        text = f"END GAME of round {body.round} after START GAME of round {now.number}"
        now.break_off("round-number-differs", text, seen, now.plan.clause)
    if now.due is not None and now.red_lamp:
        _stop(now, seen, f"END GAME under the red lamp before {now.due} had its packet")
    if now.ledger.conserved is False:
        now.judge_sum(seen)
    if now.outcome == "complete":
        _agree(now, seen)


def _agree(now: Round, seen: Seen) -> None:
    """Every choice has the bet that goes with it, and no other."""
    by_decision = {bet.name: bet for bet in now.plan.bets.values() if bet.placed == "by-decision"}
    for number in now.active:
        if number in now.dead:
            continue
        wanted = now.plan.decision_bets.get(now.decisions.get(number, ""))
        for name, bet in by_decision.items():
            if (name == wanted) != (name in now.wagers[number]):
                has = "without" if name == wanted else "with"
                text = f"seat {number} chose {now.decisions.get(number)} {has} a {name} bet"
                now.break_off("decision-bet-differs", text, seen, bet.clause)


def _decide(now: Round, seen: Seen, body: e.DecisionMade) -> None:
    choice = now.plan.decisions.get(body.decision)
    if choice is not None and body.seat in now.active:
        now.decisions.setdefault(body.seat, choice.name)


def _burn(now: Round, seen: Seen, body: e.BurnConfirmed) -> None:
    burn = now.plan.burn
    if burn is None or now.burn is not None or body.place not in now.ledger.hands:
        return
    now.burn = body
    now.found(now.ledger.confirm_burn(burn.from_left(body.positions, body.spread)), seen)


def _reveal(now: Round, seen: Seen, body: e.HandRevealed) -> None:
    if now.draw is not None and body.place == SHOE:
        shoe_reports.name_card(now, seen, body)
        return
    now.found(now.ledger.reveal(body.place, body.cards), seen)
    _mark_shown(now, body)
    burn = now.plan.burn
    if body.place in now.ledger.hands and not (burn and burn.place == body.place):
        now.judge_count(body.place, seen)
        now.judge_sum(seen)


def _mark_shown(now: Round, body: e.HandRevealed) -> None:
    live = now.live
    if body.place.seat is None:
        now.shown.add(body.place.text)
    elif all(hand.revealed is not None for hand in now.ledger.hands.values() if hand.place.seat in live):
        now.shown.add("seats")


def _counted(now: Round, seen: Seen, body: e.CardsCounted) -> None:
    if body.place == SHOE:
        shoe_reports.counted(now, seen, body)
        return
    if body.place == BURN or (body.place not in now.ledger.hands and body.place != REMAINDER):
        return
    now.found(now.ledger.count(body.place, body.counted), seen)
    if body.place in now.ledger.hands:
        now.judge_count(body.place, seen)
    now.judge_sum(seen)


def _misdeal(now: Round, seen: Seen, body: e.MisdealCalled) -> None:
    who = f"badge {body.badge}" if body.badge else "a person without a badge"
    clause = now.plan.procedure.misdeal.clause
    now.note("misdeal-called", f"{who} calls a misdeal", seen=seen, clause=clause, fault=body.fault)
    # After a wrong packet of the house the call says what the clause has said: the progressive may still be played.
    now.misdeal |= not now.house_wrong


HANDLERS: Final[dict[type[e.Body], Handler]] = {
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
    e.WagerPlaced: _wager,
    e.SensorChanged: _sensor,
    e.GameStarted: _start,
    e.GameEnded: _end,
    e.DecisionMade: _decide,
    e.BurnConfirmed: _burn,
    e.HandRevealed: _reveal,
    e.CardsCounted: _counted,
    e.MisdealCalled: _misdeal,
    **shoe_reports.HANDLERS,
}
