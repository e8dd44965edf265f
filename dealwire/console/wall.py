"""What a pit's wall shows: every table as a tile that keeps its place, and above them what is wrong anywhere. Pure."""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from dealwire.console.scene import (
    Banner,
    FeltPlace,
    Net,
    RoundEnding,
    banners,
    by_trouble,
    came_of,
    ending,
    nets,
    places,
)
from dealwire.console.words import figure
from dealwire.hub.view import OutcomeView, SeatView, TableView
from dealwire.table.action_words import pots_words
from rules.settlement import amount

_HOUR_NS: Final = 3600 * 1_000_000_000
SEATS_SHOWN: Final = 12
"""Seats of a tile's row; of more, those that are empty are left out."""


class Alarm(NamedTuple):
    """What is wrong at a table. `key` stays the same while it is the same thing: who looks is called once for it."""

    table: str
    banner: Banner
    key: str


def alarms(views: Iterable[TableView]) -> list[Alarm]:
    """What is wrong anywhere, the worst first."""
    return [
        Alarm(view.table, banner, f"{view.table} {banner.trouble.kind} {banner.trouble.since_ns or 0}")
        for view in by_trouble(views)
        for banner in banners(view)
    ]


def groupby_table(found: Iterable[Alarm]) -> list[tuple[str, Banner, int]]:
    """Of each table the worst, and how many others there are, in the order given."""
    tables: dict[str, list[Banner]] = {}
    for alarm in found:
        tables.setdefault(alarm.table, []).append(alarm.banner)
    return [(name, each[0], len(each) - 1) for name, each in tables.items()]


_BREAKS: Final = re.compile(r"\. |; |: |, then ")


def first_words(text: str) -> str:
    """What some advice asks for first: what there is room for on a wall."""
    return _BREAKS.split(text, maxsplit=1)[0]


_SUITS: Final = {"clubs": "♣", "diamonds": "♦", "hearts": "♥", "spades": "♠"}


def road(each: OutcomeView, currency: str) -> RoundEnding:
    """A round in the row of the last ones: what was wrong with it, else what came of it: the suit that won, the pot,
    whether the house won or lost."""
    ended = ending(each)
    if ended.style != "complete":
        return ended
    if each.won in _SUITS:
        return RoundEnding(f"suit {each.won}", _SUITS[each.won], f"{each.won} won")
    if each.pots is not None:
        return RoundEnding("pot", figure(each.pots.cents, currency), pots_words(each.pots, currency))
    if each.players is None:
        return ended
    if each.players == 0:
        return RoundEnding("push", "=", "players and house are even")
    came = "lost" if each.players > 0 else "won"
    sign, style = ("▼", "lose") if each.players > 0 else ("▲", "win")
    return RoundEnding(style, sign, f"the house {came} {amount(abs(each.players), currency)}")


def last_words(view: TableView) -> str:
    """What came of the last round, for a tile on which no card lies; empty before one was played."""
    last = view.outcomes[-1] if view.outcomes else None
    if last is None or last.outcome != "complete" or last.repeated:
        return ""
    return came_of(last, view.currency) or f"Round {last.round}: {road(last, view.currency).words}"


def pace(view: TableView) -> int | None:
    """Rounds an hour, over the last rounds; None before there were three."""
    outcomes = view.outcomes
    if len(outcomes) < 3:
        return None
    took_ns = outcomes[-1].at_ns - outcomes[0].at_ns
    return round((len(outcomes) - 1) * _HOUR_NS / took_ns) if took_ns > 0 else None


def penetration(view: TableView) -> int | None:
    """How much of the shoe is dealt, in percent; None where there is no shoe, or cards may have left it unseen."""
    shoe = view.shoe
    if shoe is None or shoe.left is None or not shoe.loaded:
        return None
    return 100 * (shoe.loaded - shoe.left) // shoe.loaded


def on_tile(view: TableView) -> list[FeltPlace]:
    """The places whose cards decide, in the same order all through a round: the middle's and the dealer's, or the
    columns of a race."""
    if view.columns or view.room.column:
        room = view.room.column or 1
        return [FeltPlace(hand.name, room, max(room, len(hand.cards)), hand) for hand in view.columns]
    return [place for place in places(view) if place.name != "burned"]


class Spot(NamedTuple):
    """A seat on a tile, and what it won in the round that is over."""

    seat: SeatView
    net: Net | None


def spots(view: TableView) -> list[Spot]:
    """The seats."""
    found = nets(view)
    seats = view.seats if len(view.seats) <= SEATS_SHOWN else [seat for seat in view.seats if seat.status != "empty"]
    return [Spot(seat, found.get(seat.seat)) for seat in seats]
