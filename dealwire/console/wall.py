"""The wall of a pit: one tile per table, each at a fixed place, and all problems above them. Pure functions."""

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
    ending,
    nets,
    places,
    result_words,
)
from dealwire.console.words import figure
from dealwire.hub.view import OutcomeView, SeatView, TableView
from dealwire.table.action_words import pots_words
from rules.settlement import amount

_HOUR_NS: Final = 3600 * 1_000_000_000
SEATS_SHOWN: Final = 12
"""Seats in a tile's row; with more seats, empty ones are left out."""


class Alarm(NamedTuple):
    """A problem at a table. `key` is stable while the problem lasts, so that viewers are alerted once."""

    table: str
    banner: Banner
    key: str


def alarms(views: Iterable[TableView]) -> list[Alarm]:
    """Return the problems of all tables, worst first."""
    return [
        Alarm(view.table, banner, f"{view.table} {banner.trouble.kind} {banner.trouble.since_ns or 0}")
        for view in by_trouble(views)
        for banner in banners(view)
    ]


def groupby_table(found: Iterable[Alarm]) -> list[tuple[str, Banner, int]]:
    """Return for each table its worst banner and the number of others, in the order given."""
    tables: dict[str, list[Banner]] = {}
    for alarm in found:
        tables.setdefault(alarm.table, []).append(alarm.banner)
    return [(name, each[0], len(each) - 1) for name, each in tables.items()]


_BREAKS: Final = re.compile(r"\. |; |: |, then ")


def first_words(text: str) -> str:
    """Return the first step of an advice, which fits on a wall."""
    return _BREAKS.split(text, maxsplit=1)[0]


_SUITS: Final = {"clubs": "♣", "diamonds": "♦", "hearts": "♥", "spades": "♠"}


def road(each: OutcomeView, currency: str) -> RoundEnding:
    """Return the mark of a round in the road of last rounds: its problem, else the winning suit, the pot, or house won
    or lost."""
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
        return RoundEnding("push", "=", "players and house break even")
    came = "lost" if each.players > 0 else "won"
    sign, style = ("▼", "lose") if each.players > 0 else ("▲", "win")
    return RoundEnding(style, sign, f"the house {came} {amount(abs(each.players), currency)}")


def last_words(view: TableView) -> str:
    """Return the result of the last round for a tile without cards; empty before the first round."""
    last = view.outcomes[-1] if view.outcomes else None
    if last is None or last.outcome != "complete" or last.repeated:
        return ""
    return result_words(last, view.currency) or f"Round {last.round}: {road(last, view.currency).words}"


def pace(view: TableView) -> int | None:
    """Return rounds per hour over the last rounds; None before there were three."""
    outcomes = view.outcomes
    if len(outcomes) < 3:
        return None
    took_ns = outcomes[-1].at_ns - outcomes[0].at_ns
    return round((len(outcomes) - 1) * _HOUR_NS / took_ns) if took_ns > 0 else None


def penetration(view: TableView) -> int | None:
    """Return the dealt share of the shoe in percent; None without a shoe or if cards may have left it unseen."""
    shoe = view.shoe
    if shoe is None or shoe.left is None or not shoe.loaded:
        return None
    return 100 * (shoe.loaded - shoe.left) // shoe.loaded


def on_tile(view: TableView) -> list[FeltPlace]:
    """Return the places whose cards decide, in the same order throughout a round: community and dealer, or the columns
    of a race."""
    if view.columns or view.room.column:
        room = view.room.column or 1
        return [FeltPlace(hand.name, room, max(room, len(hand.cards)), hand) for hand in view.columns]
    return [place for place in places(view) if place.name != "burned"]


class Spot(NamedTuple):
    """A seat on a tile and its result in the last round."""

    seat: SeatView
    net: Net | None


def spots(view: TableView) -> list[Spot]:
    """Return the seats of a tile."""
    found = nets(view)
    seats = view.seats if len(view.seats) <= SEATS_SHOWN else [seat for seat in view.seats if seat.status != "empty"]
    return [Spot(seat, found.get(seat.seat)) for seat in seats]
