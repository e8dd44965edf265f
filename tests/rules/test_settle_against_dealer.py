"""Games against the dealer: requirements on a bet's amount, and the hand that decides it."""

from typing import Any

import pytest
from msgspec.structs import replace

from dealer_flow.record.details import Stage
from rules import settle
from tests.support.reading.paper import Paper, PaperCase


def settled(game: str, case: PaperCase, **options: Any) -> dict[str, tuple[str, int]]:
    settlement = Paper(game, case).settle(**options)
    return {line.bet: (line.result, line.pay) for line in settlement.lines}


def reasons(game: str, case: PaperCase) -> dict[str, str]:
    return {line.bet: line.why for line in Paper(game, case).settle().lines}


def crazy(cards: str, play: int) -> PaperCase:
    bets = {"ante": 500, "super-bonus": 500, "play": play}
    return {"seat": [{"seat": 1, "cards": cards, "choices": ["play"], "bets": bets}], "dealer": "KC QC 8D 5H 2H"}


class TestRaised:
    """47.1-1017.44(9): up to three times the ante with a pair of aces or better."""

    @pytest.mark.parametrize(
        ("cards", "play"),
        [("AS AH 7D 4C 2S", 1500), ("AS AH 7D 4C 2S", 700), ("3S 3H 7D 7C 2S", 1500), ("KS KH 7D 4C 2S", 500)],
    )
    def test_as_far_as_the_hand_allows(self, cards: str, play: int) -> None:
        assert settled("crazy-4.co", crazy(cards, play))["play"] == ("win", play)

    @pytest.mark.parametrize("cards", ["KS KH 7D 4C 2S", "AS JH 7D 4C 2S"])
    def test_with_less_it_is_held_alone(self, cards: str) -> None:
        found = settled("crazy-4.co", crazy(cards, 1000))
        assert found["play"][0] == "held"
        assert found["ante"][0] == "win"
        assert "requires a pair of aces or better" in reasons("crazy-4.co", crazy(cards, 1000))["play"]

    @pytest.mark.parametrize(("play", "why"), [(400, "less than the ante"), (1600, "more than 3 times the ante")])
    def test_outside_it_the_ante_is_held_too(self, play: int, why: str) -> None:
        found = settled("crazy-4.co", crazy("AS AH 7D 4C 2S", play))
        assert (found["play"][0], found["ante"][0], found["super-bonus"][0]) == ("held", "held", "push")
        assert f"is {why} of $5" in reasons("crazy-4.co", crazy("AS AH 7D 4C 2S", play))["play"]


@pytest.mark.parametrize(
    ("bets", "held"),
    [
        ({"ante": 500, "play-blind": 500}, False),
        ({"ante": 500, "play": 500}, False),
        ({"ante": 500, "play": 500, "play-blind": 500}, True),
        ({"ante": 500, "play-blind": 400}, True),
        ({"trips": 500}, False),
    ],
)
def test_two_spots_make_one_bet_together(bets: dict[str, int], held: bool) -> None:
    """47.1-1017.45(10), (11): as much as the ante, on one of the two spots."""
    seat = {"seat": 1, "cards": "AS AH AD 4C 2S 7D 9C", "choices": ["play"], "bets": bets}
    found = settled("high-five.co", {"seat": [seat], "dealer": "8C 8D 3H 5H 6S TC QD"})
    assert {result == "held" for result, _ in found.values()} == {held}


def holdem(cards: str, community: str, **bets: int) -> PaperCase:
    bets = {"ante": 500, "flop": 1000} | bets
    choices = ["flop-bet", "turn-bet" if "turn" in bets else "turn-check", "river-check"]
    seat = {"seat": 1, "cards": cards, "choices": choices, "bets": bets}
    return {"seat": [seat], "dealer": "3S 4C", "community": community}


@pytest.mark.parametrize(("turn", "held"), [(500, False), (400, True), (600, True)])
def test_a_bet_that_need_not_be_made_is_as_much_as_the_other_where_it_is(turn: int, held: bool) -> None:
    """47.1-1017.39(8)."""
    found = settled("texas-holdem-bonus.co", holdem("KH KC", "KD 2D 2C 5S 7S", turn=turn))
    assert found["turn"][0] == ("held" if held else "win")
    assert settled("texas-holdem-bonus.co", holdem("KH KC", "KD 2D 2C 5S 7S"))["flop"] == ("win", 1000)


class TestHandByTable:
    """47.1-1017.39(23): THBP-8 refers to the turn and the river; the others use the flop by default."""

    @pytest.mark.parametrize(
        ("table", "readings", "result"),
        [
            ("THBP-1", {}, ("lose", 0)),
            ("THBP-1", {"hand-with-board": "best-of-seven"}, ("win", 10_000)),
            ("THBP-8", {}, ("win", 1_000)),
            ("THBP-8", {"hand-with-board": "best-of-seven"}, ("win", 1_000)),
        ],
    )
    def test_a_full_house_made_on_the_river(
        self, table: str, readings: dict[str, str], result: tuple[str, int]
    ) -> None:
        case = holdem("KH KC", "KD 9D 2C 5S 2S", progressive=100) | {"tables": {"progressive": table}}
        assert (
            settled("texas-holdem-bonus.co", case | {"readings": readings, "meters": {"meter": 50_000}})["progressive"]
            == result
        )

    @pytest.mark.parametrize(
        ("flop", "turn", "share"),
        [("KS QS JS", "KS QS JS 2D", 100), ("KS QS 2D", "KS QS JS 2D", 25), ("KS QS 2D", "KS QS 2D 3D", 5)],
    )
    def test_the_last_show_may_have_another_order(self, flop: str, turn: str, share: int) -> None:
        """The stages tell when the royal flush was there; the final reading may list the cards in any order."""
        paper = Paper("texas-holdem-bonus.co", holdem("AS TS", "2D 3D JS QS KS", progressive=100))
        covered = ("??", "??")
        stages = (
            Stage("flop", "community", (*flop.split(), *covered)),
            Stage("turn", "community", (*turn.split(), *covered[:1])),
        )
        round_ = replace(paper.round(), stages=stages)
        terms: dict[str, Any] = {"paytables": {"progressive": "THBP-8"}, "meters": {"meter": 1_000_000}}
        lines = settle(round_, paper.game, **terms).lines
        assert next(line.pay for line in lines if line.bet == "progressive") == share * 10_000


def test_what_is_paid_on_a_held_bet_waits_with_it() -> None:
    """A play bet that does not equal the ante holds the ante, and the ante bonus that the hand earns is held with
    it."""
    bets = {"ante": 500, "play": 400, "pair-plus": 500}
    seat = {"seat": 1, "cards": "4S 5S 6S", "choices": ["play"], "bets": bets}
    found = settled("three-card.co", {"seat": [seat], "dealer": "KC QC 8D"})
    expected = {"play": "held", "ante": "held", "ante-bonus": "held", "pair-plus": "win"}
    assert {bet: result for bet, (result, _) in found.items()} == expected


def test_an_unreliable_round_holds_what_lies_there_and_nothing_else() -> None:
    seat = {"seat": 1, "cards": "4S 5S 6S", "choices": ["play"], "bets": {"ante": 500, "play": 500}}
    paper = Paper("three-card.co", {"seat": [seat], "dealer": "KC QC 8D"})
    lines = settle(replace(paper.round(), outcome="unreliable"), paper.game).lines
    assert [(line.bet, line.result) for line in lines] == [("play", "held"), ("ante", "held")]


@pytest.mark.parametrize(("dealer", "antes_first"), [("JS 3D", True), ("QC 3D", False)])
def test_antes_come_back_before_any_hand_is_shown(dealer: str, antes_first: bool) -> None:
    """47.1-1017.47(11)(a) if the dealer does not qualify; otherwise (6), from the right."""
    seats = [
        {"seat": number, "cards": cards, "choices": ["play-4x"], "bets": {"ante": 500, "blind": 500, "play": 2000}}
        for number, cards in ((1, "AS 8D"), (4, "AC 8C"))
    ]
    settlement = Paper(
        "ultimate-texas-holdem.co", {"seat": seats, "dealer": dealer, "community": "2C 7D TH 4S QS"}
    ).settle()
    order = [(line.seat, line.bet) for line in settlement.lines]
    apart = [(4, "play"), (4, "blind"), (1, "play"), (1, "blind")]
    together = [(seat, bet) for seat in (4, 1) for bet in ("play", "ante", "blind")]
    assert order == ([(4, "ante"), (1, "ante"), *apart] if antes_first else together)


def test_a_super_bonus_that_pushes_does_so_by_another_clause_than_one_that_wins() -> None:
    """Crazy 4 (10)(c): less than a straight pushes if it beats the dealer, (iii); a held bet might still win, (i)."""
    bets = {"ante": 500, "super-bonus": 500, "play": 500}
    for cards, expected in (
        ("AS AH 7D 4C 9S", ("push", "47.1-1017.44(10)(c)(iii)")),
        ("?? AH 7D 4C 9S", ("held", "47.1-1017.44(10)(c)(i)")),
    ):
        paper = Paper("crazy-4.co", {"dealer": "KS QH 9D 6C 2S", "seat": [{"seat": 1, "cards": cards, "bets": bets}]})
        (line,) = (line for line in paper.settle().lines if line.bet == "super-bonus")
        assert (line.result, line.clause) == expected
