"""Handlers of reports on bets and choices: the money on the spots, the number, what a seat decides."""

# ruff: noqa: ARG001 - every handler has the signature of the table at the end

from typing import Final

import devices.events as e
from dealer_flow.play.course.steps import choose
from dealer_flow.play.order.bets import bets_stay_open, takes_back
from dealer_flow.play.order.choices import choice_step
from dealer_flow.play.reports.shoe import Handler
from dealer_flow.play.verdicts import dealing
from dealer_flow.play.verdicts.verdicts import judge_button
from dealer_flow.play.verdicts.wagers import bets_changed
from dealer_flow.table.round import Round
from devices.events import Seen


def _wager(round_: Round, seen: Seen, body: e.WagerPlaced) -> None:
    plan = round_.plan
    if body.bet not in plan.on_spots or not 1 <= body.seat <= plan.most_seats:
        return  # checked here because in loose states no rule refuses it
    bet = plan.bets[body.bet]
    name, placed = bet.name, bet.placed
    back = not body.cents and takes_back(round_, body.seat, name)
    stays_open = placed == "before-deal" and plan.assign is not None and bets_stay_open(round_)
    if (placed == "before-deal") != (not round_.in_play) and not back and not stays_open:
        return
    if round_.in_play and body.seat not in round_.active and not stays_open:
        return
    bets = round_.wagers.setdefault(body.seat, {})
    if placed == "before-extra" and not _move(round_, bets, name, body.cents):
        return
    on = round_.propositions.get(body.seat)
    if on and name in on and sum(on[name].values()) != body.cents:
        del on[name]  # it is unknown what the new amount is on
    if body.cents:
        if round_.betting.sitting_out:  # a seat that bets plays
            round_.betting.sitting_out.discard(body.seat)
        bets[name] = body.cents
        if name in plan.blind_now[round_.at]:
            round_.blind.setdefault(body.seat, set()).add(name)
    else:
        bets.pop(name, None)
    if stays_open:
        enter(round_)
        bets_changed(round_, body.seat)
    if not bets or seen.device not in round_.bettors:
        _note_bettor(round_, seen.device)


def _wager_on(round_: Round, seen: Seen, body: e.WagerOn) -> None:
    on = round_.plan.proposition(body.bet, body.proposition, body.on)
    if on is None:
        return
    name = round_.plan.bets[body.bet].name
    known = round_.propositions.get(body.seat, {}).get(name, {})
    lies = {**known, on: body.cents}
    lies = {what: cents for what, cents in lies.items() if cents}
    _wager(round_, seen, e.WagerPlaced(body.seat, body.bet, sum(lies.values())))
    if lies and name in round_.wagers.get(body.seat, {}):
        round_.propositions.setdefault(body.seat, {})[name] = lies


def _move(round_: Round, bets: dict[str, int], to: str, cents: int) -> bool:
    """Move money to a bet on the extra card from the bet it comes from; False if there is not enough."""
    source = round_.plan.shoe.moves_from if round_.plan.shoe else None
    rest = bets.get(source or "", 0) + bets.get(to, 0) - cents
    if source is None or rest < 0:
        return False
    if rest:
        bets[source] = rest
    else:
        bets.pop(source, None)
    return True


def _sensor(round_: Round, seen: Seen, body: e.SensorChanged) -> None:
    if round_.in_play:
        return
    if body.on:
        round_.sensors.add(body.seat)
    else:
        round_.sensors.discard(body.seat)
    _note_bettor(round_, seen.device)


def _note_bettor(round_: Round, device: str) -> None:
    """Record that a device matters to the coming round, which it does while it reports a bet that is still placed."""
    if round_.sensors or any(round_.wagers.values()):
        round_.bettors.add(device)
    else:
        round_.bettors.discard(device)


def enter(round_: Round) -> list[int]:
    """Deal in the seats with a bet that enters them, or with a stake in a game in which players bet against each other,
    unless they sit out.

    Returns the seats that have any bet.
    """
    wagers, entering = round_.wagers, round_.plan.entering
    betting = sorted([number for number, bets in wagers.items() if bets])
    entered = [number for number in betting if not entering.isdisjoint(wagers[number])]
    stakes, away = (round_.betting.stakes, round_.betting.sitting_out) if round_.plan.betting is not None else ({}, ())
    if away:
        entered = [number for number in entered if number not in away]
    staked = {number for number, cents in stakes.items() if cents and number not in away}.difference(entered)
    round_.active = tuple(sorted([*entered, *staked]))
    for number in staked:
        wagers.setdefault(number, {})
    return betting


def _selected(round_: Round, seen: Seen, body: e.SpotSelected) -> None:
    if round_.plan.selects_first:
        round_.first = body.seat
        dealing.name_places(round_)
        if round_.in_play:
            judge_button(round_, seen)


def _drawn(round_: Round, seen: Seen, body: e.NumberDrawn) -> None:
    if round_.plan.counted is not None:
        round_.drawn, round_.first = body.drawn, round_.plan.numbered(body.drawn)
        dealing.name_places(round_)


def _decide(round_: Round, seen: Seen, body: e.DecisionMade) -> None:
    if body.decision not in round_.plan.decisions or body.seat not in round_.active:
        return
    choice, under_way = round_.plan.decisions[body.decision], round_.step
    step = choice_step(round_, body.seat, choice.name)
    if step is not None:
        choose(round_, body.seat, step, choice.name)
        if round_.late:
            round_.late.pop(body.seat, None)
        if under_way is not None and under_way.do == "exchange" and under_way.name == step:  # the hand gets no card
            rest = round_.dues[round_.given :]
            round_.dues[round_.given :] = [due for due in rest if due.place.seat != body.seat]


HANDLERS_OF_BETS: Final[dict[type[e.Body], Handler]] = {
    e.WagerPlaced: _wager,
    e.WagerOn: _wager_on,
    e.SensorChanged: _sensor,
    e.SpotSelected: _selected,
    e.NumberDrawn: _drawn,
    e.DecisionMade: _decide,
}
"""Handlers of reports on bets, the number and choices."""
