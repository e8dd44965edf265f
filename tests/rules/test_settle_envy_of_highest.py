"""Envy that only the highest hand earns, in Texas Shootout: unread hands, and hands that tie."""

from typing import Any

import pytest
from msgspec.structs import replace

from rules import Settlement
from tests.support.reading.paper import Paper

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


SUITED = FIVE_EIGHTS | {"community": "8H 8H 8H 5S 3C"}


def unread(kept: str, **changes: Any) -> Settlement:
    """Settle a round in which seat 1 has five eights of two suits and one or both cards of seat 3 are unread."""
    seats = [seat | BETS for seat in FIVE_EIGHTS["seat"]]  # type: ignore[operator]
    paper = Paper("texas-shootout.co", SUITED | {"seat": seats})
    dealt, cards = paper.round(), tuple(kept.split())
    hidden = [replace(each, cards=cards, **changes) if each.seat == 3 else each for each in dealt.seats]
    stages = [
        replace(each, cards=("??",) * len(each.cards)) if each.place == "seat 3" else each for each in dealt.stages
    ]
    return paper.settle(result=replace(dealt, seats=tuple(hidden), stages=tuple(stages)))


@pytest.mark.parametrize("kept", ["?? 8H", "8H ??", "?? ??"])
def test_where_a_hand_that_was_not_read_may_be_higher_it_is_held(kept: str) -> None:
    """The unread hand may be five eights of hearts."""
    done = unread(kept)
    assert {result for _, result, _ in envy(done)} == {"held"}
    (why, *_) = [line.why for line in done.lines if line.bet == "envy"]
    assert why.startswith("envy for the five of a kind, eights of seat 1, but only the highest hand earns it: ")
    assert why.endswith(f"the faces of seat 3 are not all known ({' '.join(kept.replace('8H', '').split())})")


def test_where_no_face_would_make_it_higher_it_is_paid() -> None:
    assert {result for _, result, _ in envy(unread("AS ??"))} == {"win"}


def test_where_a_face_would_make_it_as_high_what_it_would_earn_is_held() -> None:
    """With a fourth suit it would also be five eights: the envy for seat 1's is paid anyway."""
    lines = [(line.seat, line.result, line.why[:34]) for line in unread("?? 8D").lines if line.bet == "envy"]
    paid, held = "envy for the five of a kind, eights", "envy for the hand of seat 3, but th"
    assert lines == [(3, "win", paid[:34]), (2, "win", paid[:34]), (2, "held", held[:34]), (1, "held", held[:34])]


def test_a_hand_that_is_dead_earns_nobody_any() -> None:
    assert {result for _, result, _ in envy(unread("?? 8H", status="dead"))} == {"win"}
