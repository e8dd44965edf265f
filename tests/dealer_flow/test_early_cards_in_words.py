"""The dealing cards of `docs/games`: an error names the card that 47.1-1021 is about."""

from typing import Final

import pytest

from dealer_flow.procedure.load import load_procedure
from docs._print.words import wrongs

FLOP: Final = "the cards dealt go back into the deck, which is shuffled; new ones are dealt without a burn"
FOURTH: Final = (
    "the card is out of play; a card is burned, and what would have been the fifth card (`river`) is dealt in its place"
    "; after the betting it is shuffled into the deck, and the last card is dealt without a burn"
)
HOLDEM: Final = {
    "the first three cards (`flop`) or the fifth card (`river`) of the community comes too early": FLOP,
    "the fourth card (`turn`) of the community comes too early": FOURTH,
}
BURIED: Final = "the card goes to the discards, and one for each further player before the next are dealt"
STREETS: Final = "the fourth card (`fourth-card`), the fifth card (`fifth-card`) or the sixth card (`sixth-card`)"
SEVENTH: Final = "the card is the one that is due next; its player may not bet or raise against one who lacks it"
EARLY: Final = {
    "holdem.co": HOLDEM,
    "omaha.co": HOLDEM,
    "pineapple-hi-lo.co": HOLDEM,
    "home-run.co": {  # its flop follows the hands at once
        "the fifth card (`river`) of the community comes too early": FLOP,
        "the fourth card (`turn`) of the community comes too early": FOURTH,
    },
    "seven-card-stud.co": {
        f"{STREETS} of a player comes too early": BURIED,
        "the seventh card (`seventh-card`) of a player comes too early": SEVENTH,
    },
    "eighty-eight.co": {"a card of the community is dealt too early": FLOP},  # nobody acts before it
    "ultimate-texas-holdem.co": {
        "the first three cards (`flop`) or the fourth to fifth cards (`turn-and-river`) of the community come"
        " too early": FLOP
    },
}


@pytest.mark.parametrize("game", EARLY)
def test_an_early_card_is_named_by_its_number(game: str) -> None:
    found = {what: then for what, then, _ in wrongs(load_procedure(game)) if what.endswith("too early")}
    assert found == EARLY[game]


def test_a_row_on_more_than_early_cards_keeps_its_other_words() -> None:
    """Longhorn, (29): exposed and early in one row."""
    found = {what: clause for what, _, clause in wrongs(load_procedure("longhorn.co"))}
    cards = "the first three cards (`flop`), the fourth card (`turn`) or the fifth card (`river`)"
    assert found[f"{cards} of the community comes too early"] == "47.1-1017.41(29)"
    assert found["a card of the community is exposed"] == "47.1-1017.41(29)"


def test_a_flop_of_four_is_dealt_again_without_a_burn() -> None:
    assert ("the community has too many cards (cards of `flop`)", FLOP, "47.1-1021") in [
        *wrongs(load_procedure("holdem.co"))
    ]


def test_burned_cards_in_words() -> None:
    found = [row for row in wrongs(load_procedure("holdem.co")) if "is burned" in row[0]]
    assert [(what, clause) for what, _, clause in found] == [
        ("a card is burned before it is due", "47.1-1025"),
        ("a card too many is burned", "47.1-1025, 47.1-1021"),
    ]
    draw = [what for what, _, _ in wrongs(load_procedure("draw.co")) if "is burned" in what]
    assert draw == ["a card too many is burned"]
