"""The dealer's draw that 47.1-1017.12(12) forces, compared with the cards on the table: examples from the text."""

import pytest
from msgspec.structs import replace

from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.details import Stage
from dealer_flow.record.result import Hand
from rules import load_game, settle
from tests.support.reading.paper import Paper

GAME = "caribbean-draw.co"
CASE = {
    "seat": [
        {
            "seat": 1,
            "cards": "3D 4H 6H 7H TH",
            "choices": ["call", "stand"],
            "bets": {"ante": 1000, "bet": 2000, "progressive": 100, "tip-ante": 100},
        }
    ],
    "dealer": "AS AC KD QD JH",
}


def results(first: str, now: str, step: str = "dealer-hand") -> dict[str, tuple[str, str]]:
    """Return the result and reason by bet, for a dealer who held the cards of `first` and has those of `now`."""
    cards = tuple(now.split())
    hand = Hand(cards=cards, counted=len(cards), expected=len(cards))
    stages = (Stage(step, "dealer", tuple(first.split())),)
    round_ = replace(Paper(GAME, CASE).round(), dealer=hand, stages=stages)
    return {line.bet: (line.result, line.why) for line in settle(round_, load_game(GAME)).lines}


def is_held(first: str, now: str, step: str = "dealer-hand") -> bool:
    found = results(first, now, step)
    assert found["progressive"][0] == "lose"  # it was settled before the draw
    states = {found[bet][0] == "held" for bet in ("ante", "bet", "tip-ante")}
    assert len(states) == 1
    return states == {True}


@pytest.mark.parametrize(
    ("first", "now"),
    [
        ("9S TD JC QH KS", "9S TD JC QH KS"),  # (a) a straight stands
        ("2S 5S 8S JS KS", "2S 5S 8S JS KS"),
        ("8S 8D 8C 8H 2C", "8S 8D 8C 8H 2C"),
        ("8S 8D 5C 5H 2C", "8S 8D 5C 5H 9C"),  # (b) two pairs keep the pairs
        ("2S 7S 9S JS QD", "2S 7S 9S JS 3C"),  # four to a flush
        ("5S 6D 7C 8H KS", "5S 6D 7C 8H 8C"),  # four to a straight
        ("5S 6S 7S 8S 9D", "5S 6S 7S 8S 9D"),  # nine high straight: a straight stands
        ("5S 6S 7S 8D TS", "5S 6S 7S TS 3C"),  # both: the flush
        ("5S 6D 7C 8H TS", "5S 6D 7C 8H 2C"),  # several straights: the open end
        ("4S 6D 7C 8H TS", "4S 6D 7C 8H 2C"),  # several, none of them open: either
        ("4S 6D 7C 8H TS", "6D 7C 8H TS 2C"),
        ("8S 8D 8C 5H 2C", "8S 8D 8C KH KC"),  # (c) three of a kind draws two
        ("8S 8D 9C 5H 2C", "8S 8D 9C KH KC"),  # a pair keeps the highest of the other three
        ("8S 8D 9S 5S 2S", "8S 8D 9S KH KC"),  # and comes before four to a flush
        ("2S 7D 9C JH KS", "9C JH KS 3C 4D"),  # no pair: the lowest two go
        ("AS 7D 9C JH 2S", "AS 9C JH 3C 4D"),  # the ace is high
    ],
)
def test_a_draw_as_the_text_has_it(first: str, now: str) -> None:
    assert not is_held(first, now)


@pytest.mark.parametrize(
    ("first", "now", "clause"),
    [
        ("9S TD JC QH KS", "9S TD JC QH 2C", "(12)(a)"),  # drew to a straight
        ("8S 8D 5C 5H 2C", "8S 8D 5C 5H 2C", "(12)(b)"),  # stood with two pairs
        ("8S 8D 5C 5H 2C", "8S 8D KC 3H 9C", "(12)(b)"),
        ("5S 6S 7S 8D TS", "5S 6S 7S 8D 3C", "(12)(b)"),  # the straight and not the flush
        ("5S 6D 7C 8H TS", "6D 7C 8H TS 2C", "(12)(b)"),  # the inside one and not the open end
        ("2S 7S 9S JS QD", "9S JS QD 3C 4C", "(12)(b)"),  # drew two to nothing with four to a flush
        ("8S 8D 9C 5H 2C", "8S 8D 5H KH KC", "(12)(c)"),  # another card than the highest
        ("8S 8D 9S 5S 2S", "8S 9S 5S 2S 3C", "(12)(c)"),  # went for the flush with a pair
        ("2S 7D 9C JH KS", "7D 9C JH KS 4D", "(12)(c)"),  # one card instead of two
    ],
)
def test_another_draw_holds_what_rests_on_that_hand(first: str, now: str, clause: str) -> None:
    assert is_held(first, now)
    for bet in ("ante", "bet", "tip-ante"):
        assert clause in results(first, now)[bet][1]


def test_what_nobody_saw_before_the_draw_is_not_judged() -> None:
    assert not is_held("?? ?? ?? ?? ??", "9S TD JC QH 2C")
    assert not is_held("9S TD JC QH KS", "9S TD JC QH 2C", step="choice")


def test_the_game_and_its_procedure_force_the_same_draw() -> None:
    draw = load_game(GAME).hand("dealer").draw
    procedure = load_procedure(GAME)
    (exchange,) = (step for step in procedure.step if step.name == "dealer-draw")
    assert draw is not None
    assert draw.rows == exchange.must  # type: ignore[union-attr]
