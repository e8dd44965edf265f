"""What each report of the table controller does to the round: a part of `reports`."""

# ruff: noqa: ARG001 - every handler has the signature of the table at the end

from collections.abc import Callable
from typing import Any, Final

import devices.events as e
from dealer_flow.play import cards as card_reports
from dealer_flow.play import handle_shoe as shoe_reports
from dealer_flow.play.order_choices import choice_step, takes_back
from dealer_flow.play.order_reveal import may_lie_open, shows_all
from dealer_flow.play.steps import choose
from dealer_flow.play.verdicts import found, judge_count, judge_mishap, judge_open, judge_rest, judge_sum
from dealer_flow.table.round import Round
from devices.events import Seen
from protocol.cards import UNREAD
from protocol.places import BURN, REMAINDER, SHOE, SHUFFLER, Place, seat

# ------------------------------------------------------------------ bets and choices


def _wager(now: Round, seen: Seen, body: e.WagerPlaced) -> None:
    bet = now.plan.bets.get(body.bet)
    if bet is None:
        return
    back = not body.cents and takes_back(now, body.seat, bet.name)
    if (bet.placed == "before-deal") != (not now.in_play) and not back:
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


def _selected(now: Round, seen: Seen, body: e.SpotSelected) -> None:
    if now.plan.selects_first:
        now.first = body.seat


def _decide(now: Round, seen: Seen, body: e.DecisionMade) -> None:
    choice = now.plan.decisions.get(body.decision)
    if choice is None or body.seat not in now.active:
        return
    step = choice_step(now, body.seat, choice.name)
    if step is not None:
        choose(now, body.seat, step, choice.name)


# ------------------------------------------------------------------ the round


def _start(now: Round, seen: Seen, body: e.GameStarted) -> None:
    plan = now.plan
    now.in_play, now.number = True, body.round
    betting = sorted(number for number, bets in now.wagers.items() if bets)
    now.active = tuple(number for number in betting if plan.entering & now.wagers[number].keys())
    entering = next(bet for bet in plan.bets.values() if bet.enters)
    card_reports.begin(now, seen)
    for device in sorted(now.restarted):
        now.break_off("power-lost", f"{device} lost power in the middle of a deal, and nobody cleared it", seen)
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


def end(now: Round, seen: Seen, body: e.GameEnded) -> None:
    """END GAME: what was left open is judged."""
    if body.round != now.number:
        text = f"END GAME of round {body.round} after START GAME of round {now.number}"
        now.break_off("round-number-differs", text, seen, now.plan.clause)
    if now.ledger.conserved is False:
        judge_sum(now, seen)
        now.returns.add(now.outcome, 0, now.plan.deck_policy.returns)
    judge_rest(now, seen, final=True)
    if now.outcome == "complete":
        _agree(now, seen)
    if now.outcome == "defective-deck":
        now.decks.find_defective(now.ledger.deck, "it was found defective")


def _agree(now: Round, seen: Seen) -> None:
    """Every choice has the bet that goes with it, and no other; a bet taken back is gone."""
    by_decision = now.plan.by_decision
    for number in now.active:
        if number in now.dead:
            continue
        made = [now.plan.choices[name] for name in now.choices.get(number, {}).values()]
        back = {choice.takes_back for choice in made}
        wanted = {bet for choice in made for bet in choice.stakes} - back
        if (wanted ^ now.wagers[number].keys()).isdisjoint(by_decision | back):
            continue
        clauses = {bet.name: bet.clause for bet in now.plan.bets.values() if bet.name in by_decision | back}
        for name, clause in clauses.items():
            if (name in wanted) != (name in now.wagers[number]):
                has = "without" if name in wanted else "with"
                text = f"seat {number} chose {', '.join(choice.name for choice in made) or None} {has} a {name} bet"
                now.break_off("decision-bet-differs", text, seen, clause)


def _confirmed(now: Round, seen: Seen, body: e.Confirmed) -> None:
    """What CONFIRM says: that a supervisor lets play go on, else that cards are dealt by hand."""
    if now.rulings:
        ruling = now.rulings.pop(0)
        text = f"a supervisor rules that play goes on: {ruling.why}"
        now.note("ruled-on", text, seen=seen, clause=ruling.clause, place=ruling.place)
        now.called = ""
    elif now.by_hand:
        for due in now.by_hand:
            now.ledger.by_hand(due)
        now.by_hand = []


def _misdeal(now: Round, seen: Seen, body: e.MisdealCalled) -> None:
    who = f"badge {body.badge}" if body.badge else "a person without a badge"
    misdeal = now.plan.procedure.misdeal
    now.called = ""
    if now.rulings:
        ruling = now.rulings[0]
        text = f"{who} rules a misdeal: {ruling.why}"
        now.note("misdeal-called", text, seen=seen, clause=ruling.clause, fault=body.fault)
        clauses = [ruling.returns, misdeal.returns]
        now.returns.add("misdeal", 0, next((bets for bets in clauses if bets is not None), None))
        now.rulings.clear()
        now.misdeal = True
        return
    now.note("misdeal-called", f"{who} calls a misdeal", seen=seen, clause=misdeal.clause, fault=body.fault)
    # After a wrong packet of the house the call says what the clause has said: the progressive may still be played.
    if not now.house_wrong:
        now.misdeal = True
        now.returns.add("misdeal", 0, misdeal.returns)


# ------------------------------------------------------------------ burn, reveal, counts


def _burn(now: Round, seen: Seen, body: e.BurnConfirmed) -> None:
    burn = now.plan.burns.get(body.place)
    if burn is None or burn.place in now.burns or body.place not in now.ledger.hands:
        return
    now.burns[burn.place] = body
    found(now, now.ledger.confirm_burn(burn.place, burn.from_left(body.positions, body.spread)), seen)


def _reveal(now: Round, seen: Seen, body: e.HandRevealed) -> None:
    place, cards = body.place, body.cards
    if now.draw is not None and place == SHOE:
        shoe_reports.name_card(now, seen, body)
        return
    hand = now.ledger.hands.get(place)
    now.open[place] = max(now.open.get(place, 0), len(cards))
    in_order = now.step is not None and now.step.do != "reveal" and may_lie_open(now, place, len(cards))
    if hand is not None and in_order and not shows_all(now, place) and len(cards) < hand.expected - hand.set_aside:
        found(now, now.ledger.open(place, cards), seen)
        judge_open(now, place, cards, seen)
    else:
        found(now, now.ledger.reveal(place, cards), seen)
        if hand is not None and place not in now.plan.burns:
            judge_count(now, place, seen)
            judge_sum(now, seen)
    if not in_order or place.seat:
        _mark_shown(now, place)
    if now.plan.house(now.plan.kind(place)):
        _close_bets(now)


def _mark_shown(now: Round, place: Place) -> None:
    if place.seat is None:
        now.shown.add(now.plan.kind(place))
        return
    hands = (now.ledger.hands.get(seat(number)) for number in now.live)
    if all(hand is None or hand.revealed is not None for hand in hands):
        now.shown.add("seats")


def _close_bets(now: Round) -> None:
    """Cards of the house are seen: a bet that goes with a choice made before comes too late from here on."""
    for number, made in now.choices.items():
        bets = [bet for name in made.values() for bet in now.plan.choices[name].stakes]
        now.too_late |= {(number, bet) for bet in bets if bet not in now.wagers.get(number, {})}


def _counted(now: Round, seen: Seen, body: e.CardsCounted) -> None:
    if body.place in (REMAINDER, SHUFFLER, SHOE):
        now.decks.count(seen.at_ns)
    if body.place == SHOE:
        shoe_reports.counted(now, seen, body)
        return
    if not now.in_play and body.place in (SHUFFLER, REMAINDER):
        if body.place == SHUFFLER:
            card_reports.deck_counted(now, seen, body.counted)
        return
    if body.place == BURN or (body.place not in now.ledger.hands and body.place != REMAINDER):
        return
    found(now, now.ledger.count(body.place, body.counted), seen)
    if body.place in now.ledger.hands:
        judge_count(now, body.place, seen)
    judge_sum(now, seen)


def _mishandled(now: Round, seen: Seen, body: e.CardMishandled) -> None:
    if now.in_play:
        face = "" if body.card in (UNREAD, 0) else f", {body.card}"
        judge_mishap(now, body.place, body.how, face, seen)


HANDLERS: Final[dict[type[e.Body], Callable[[Round, Seen, Any], None]]] = {
    e.WagerPlaced: _wager,
    e.SensorChanged: _sensor,
    e.SpotSelected: _selected,
    e.GameStarted: _start,
    e.DecisionMade: _decide,
    e.Confirmed: _confirmed,
    e.BurnConfirmed: _burn,
    e.HandRevealed: _reveal,
    e.CardsCounted: _counted,
    e.CardMishandled: _mishandled,
    e.MisdealCalled: _misdeal,
}
