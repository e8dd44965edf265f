"""Envy that only the highest hand earns, of Texas Shootout: hands nobody read, and hands that tie."""

from typing import Any

import pytest
from msgspec.structs import replace

from rules import Settlement
from tests.support.paper import Paper

FIVE_EIGHTS = {
    "dealer": "KS KD 9C 4H",
    "community": "8H 8C 8D 5S 3C",
    "seat": [
        {"seat": 1, "cards": "8S 8H", "first": "8S 8H 2C 4H", "aside": "2C 4H"},
        {"seat": 2, "cards": "AS QC", "first": "AS QC 2C 4H", "aside": "2C 4H"},
        {"seat": 3, "cards": "8S 8D", "first": "8S 8D 2C 4D", "aside": "2C 4D"},
    ],
}
BETS = {"bets": {"shootout": 1000, "quick-draw": 1000, "shootout-bonus": 500}, "choices": ["one-hand"]}
PAPER = Paper("texas-shootout.co", FIVE_EIGHTS | {"seat": [seat | BETS for seat in FIVE_EIGHTS["seat"]]})  # type: ignore[operator]


def envy(done: Settlement) -> list[tuple[int, str, int]]:
    return [(line.seat, line.result, line.pay) for line in done.lines if line.bet == "envy"]


@pytest.mark.parametrize(
    ("option", "lines"),
    [
        ("each", [(3, "win", 1000), (2, "win", 1000), (2, "win", 1000), (1, "win", 1000)]),
        ("once", [(3, "win", 1000), (2, "win", 1000), (1, "win", 1000)]),
    ],
)
def test_hands_that_tie_for_the_highest_each_earn_it_or_it_is_paid_once(
    option: str, lines: list[tuple[int, str, int]]
) -> None:
    done = PAPER.settle(readings={"envy-tied": option})
    assert envy(done) == lines
    assert done.readings["envy-tied"] == option


def unread(seat: int, **changes: Any) -> Settlement:
    """The same round, a card of this seat unread."""
    dealt = PAPER.round()
    seats = [
        replace(each, cards=("??", each.cards[1]), **changes) if each.seat == seat else each for each in dealt.seats
    ]
    stages = [
        replace(each, cards=("??", *each.cards[1:])) if each.place == f"seat {seat}" else each for each in dealt.stages
    ]
    return PAPER.settle(result=replace(dealt, seats=tuple(seats), stages=tuple(stages)))


def test_where_a_hand_was_not_read_the_highest_is_not_known() -> None:
    done = unread(2)
    assert {result for _, result, _ in envy(done)} == {"held"}
    (why, *_) = [line.why for line in done.lines if line.bet == "envy"]
    assert why.startswith("envy for the five of a kind, eights of seat 1, but only the highest hand earns it: ")
    assert why.endswith("the faces of seat 2 are not all known (??)")


def test_a_hand_that_is_dead_earns_nobody_any() -> None:
    assert {result for _, result, _ in envy(unread(2, status="dead"))} == {"win"}
