"""Reports that are possible at a table of any procedure at one moment: the legal ones, wrong variants of them, and the
rest.

Counts are right, one short or one long; a face is unread or new. A departure is any report that is not both legal and
right.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from dealer_flow.play.flow import DealerFlow
from dealer_flow.play.seen.legal import Legal
from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.steps.decide import DecideStep
from dealer_flow.table.round import Round
from devices import events as e
from devices.events import Manner, Mishap
from protocol.cards import DECK, UNREAD
from protocol.faults import Fault
from protocol.places import BURN, NOWHERE, Place, seat
from tests.support.dealing.flow_points import round_of
from tests.support.evenings.legal_play import LAST_COUNT, MAKE

DEVICE, CONTROLLER = "device-1", "controller-1"
SEATS = (1, 2)
JAM, UNSORTED = int(Fault.FEED_JAM), 999


class Report(NamedTuple):
    """One possible report. `legal`: `legal()` lists it. `due`: it has the right count, and is not rare."""

    device: str
    body: e.Body
    legal: bool
    due: bool


def possible_reports(flow: DealerFlow) -> Iterator[Report]:
    """Yield the reports that are due, then every departure from them. No order of reports beyond one round is
    considered."""
    now, listed = round_of(flow), flow.legal()
    made = [(item, _right(now, item)) for item in listed if _likely(now, item)]
    bodies = list(dict.fromkeys(body for _, body in made))
    stakes = list(_stakes(now))
    for item, body in made:
        rare = item.event in ("MisdealCalled", "CardsCounted") or (item.event == "WagerPlaced" and now.draw is None)
        rare &= item.what != LAST_COUNT
        rare |= item.event in ("StakeShown", "PotTaken") or item.what.startswith(("take back", "sit out"))
        if body not in stakes:
            yield Report(_device(body), body, True, not rare)
    for body in stakes:
        yield Report(CONTROLLER, body, False, True)
    for body in dict.fromkeys([*_wrong(now, bodies), *_out_of_turn(flow.plan, now), *_troubles(flow.plan, now)]):
        if body not in bodies:
            yield Report(CONTROLLER if flow.plan.from_hand else _device(body), body, False, False)


def _device(body: e.Body) -> str:
    shuffler = (e.PacketDispensed, e.PacketLifted, e.RemainderDumped, e.CardRejected, e.RedLamp, e.FaultRaised)
    more = (e.MisdealCleared, e.DeckRemoved, e.Booted, e.CardDrawn, e.CardUnread, e.ShoeLoaded, e.ShoeEnded)
    lines = (e.LinkLost, e.EventsLost, e.SessionChanged)
    return DEVICE if isinstance(body, (*shuffler, *more, *lines)) else CONTROLLER


def _likely(now: Round, item: Legal) -> bool:
    """Return True if the report is likely: bets before the deal are made as the table is set up, and a bet that is
    placed is not placed twice."""
    if item.event in ("StakeShown", "SpotSelected") and now.plan.betting is not None and not now.in_play:
        return item.place in ("seat 1", "seat 2")
    if item.event != "WagerPlaced":
        return True
    number = int(item.place.removeprefix("seat "))
    placed = now.wagers.get(number, {})
    return now.in_play and number in now.active and now.plan.bets[item.value].name not in placed


def _right(now: Round, item: Legal) -> e.Body:
    """Return the right report; a drawn card has a face of its own."""
    if item.event == "CardDrawn":
        shoe = now.shoes.current if now.shoes else None
        return e.CardDrawn(None, DECK[7 * (shoe.drawn if shoe else 0) % 52], None)
    return MAKE[item.event](now, item)


def _stakes(now: Round) -> Iterator[e.Body]:
    """Yield bets that go with a choice that was made, or that it returns to the player."""
    numbers = {bet.name: bet.number for bet in now.plan.bets.values()}
    for number in now.live:
        choices = [now.plan.choices[name] for name in now.choices.get(number, {}).values()]
        for back in {choice.takes_back for choice in choices} & now.wagers[number].keys():
            yield e.WagerPlaced(number, numbers[str(back)], 0)
        for bet in {bet for choice in choices for bet in choice.stakes} - now.wagers[number].keys():
            if not now.house_shown and (number, bet) not in now.too_late:
                yield e.WagerPlaced(number, numbers[bet], 500)


def _wrong(now: Round, bodies: list[e.Body]) -> Iterator[e.Body]:
    """Yield the same reports with a wrong count, a wrong position, a number too many."""
    for body in bodies:
        if isinstance(body, e.PacketDispensed):
            for counted in (body.counted - 1, body.counted + 1):
                yield e.PacketDispensed(body.deck, body.ordinal, body.expected, counted, ())
            yield e.PacketDispensed(body.deck, body.ordinal + 1, body.expected, body.counted, ())
        elif isinstance(body, e.RemainderDumped):
            yield e.RemainderDumped(body.deck, body.expected, body.counted - 1)
        elif isinstance(body, e.CardsCounted):
            yield from (e.CardsCounted(body.place, max(body.counted + off, 0)) for off in (-1, 1))
        elif isinstance(body, e.HandRevealed):
            yield e.HandRevealed(body.place, body.cards[1:], True)
            yield e.HandRevealed(body.place, (*body.cards, UNREAD), True)
        elif isinstance(body, e.BurnConfirmed):
            yield e.BurnConfirmed(body.place, body.positions[1:], body.spread)
        elif isinstance(body, e.CardDrawn):
            yield e.CardUnread(None, None)
        elif isinstance(body, e.PlayerActed):
            yield e.PlayerActed(body.seat, body.action, body.cents + 20_000)
            yield e.PlayerActed(3 - body.seat, body.action, body.cents)
            yield from (e.PlayerActed(body.seat, body.action, body.cents, manner) for manner in Manner)
        elif isinstance(body, e.GameEnded):
            yield e.GameEnded(body.round + 1)


def _out_of_turn(plan: Plan, now: Round) -> Iterator[e.Body]:
    """Yield one report of each kind that has a turn."""
    yield e.GameStarted(2)
    yield e.GameEnded(now.number)
    yield e.MisdealCalled(7, 0)
    yield e.Confirmed()
    yield e.SpotSelected(1)
    yield e.DecisionMade(9, next(iter(plan.decisions), 1))
    yield e.WagerPlaced(1, next(iter(plan.bets)), 700)
    yield e.WagerPlaced(1, 250, 500)
    if plan.from_shoe:
        yield e.CardDrawn(None, DECK[51], None)
        yield e.ShoeEnded(1, 0)
    elif not plan.from_hand:
        ordinal = len(now.ledger.lifted) + 1
        yield e.PacketDispensed(1, ordinal, 5, 5, ())
        yield e.PacketLifted(ordinal)
        left = now.ledger.remainder_expected
        yield e.RemainderDumped(now.ledger.deck, left, left)
    for place in _places(plan):
        yield e.HandRevealed(place, (UNREAD,) * max(plan.expected(place), 1), True)
    for place, burn in plan.burns.items():
        yield e.BurnConfirmed(place, tuple(burn.positions), "left-to-right")
    for step in plan.steps:
        if isinstance(step, DecideStep):
            choices = (plan.choices[name] for name in step.choices)
            yield from (e.DecisionMade(1, choice.number) for choice in choices)


def _places(plan: Plan) -> list[Place]:
    """Return the places of cards, with the second seat for all other seats."""
    house = [plan.place(kind) for kind in plan.sizes if kind != "seats"]
    return [*house, seat(2), *([BURN] if plan.burns else [])]


def _troubles(plan: Plan, now: Round) -> Iterator[e.Body]:
    """Yield errors of people and devices."""
    for place in _places(plan):
        yield from (e.CardMishandled(place, how, UNREAD) for how in (Mishap.EXPOSED, Mishap.OFF_TABLE, Mishap.FOULED))
    yield e.CardMishandled(seat(1), Mishap.JOKER, UNREAD)
    yield e.CardMishandled(seat(1), Mishap.BOXED, UNREAD)
    yield e.RedLamp(True, JAM)
    yield e.FaultRaised(UNSORTED, NOWHERE, 0)
    yield e.MisdealCleared(JAM, 7, True)
    yield e.MisdealCleared(JAM, 7, False)
    yield e.Booted(2, True)
    yield e.SessionChanged(1, 2)
    yield e.EventsLost(4, 5)
    yield e.LinkLost("silent")
    if plan.from_shoe:
        yield e.ShoeLoaded(7, plan.decks, plan.loaded)
    elif not plan.from_hand:
        yield e.DeckRemoved(now.ledger.deck)
        yield e.CardRejected(now.ledger.deck, DECK[0], 0)
