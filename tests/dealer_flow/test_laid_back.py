"""Burned cards laid back on top of the deck, one after the other, and jokers among them: 47.1-1025, 1037.

The hands are those of `test_burned_cards`. The deck is the same in each: what is laid back comes out again in its
order, so that nobody has another card, and nobody wins or loses another cent.
"""

from __future__ import annotations

from typing import Final

import msgspec
import pytest

from dealer_flow.record.result import RoundResult
from dealer_flow.table.shoe import Shoes, ShoesState
from devices import events as e
from protocol.cards import DECK, parse_card
from tests.dealer_flow.test_burned_cards import BETTING, HOLDEM, Hand, check, dealt
from tests.support.dealing.settling_table import SettlingTable

BACK: Final = "burned-card-put-back"
TWICE: Final = "push-back / push-back"


def first_card(hand: Hand) -> str:
    """The card on top of the deck once the burn is out."""
    return hand.cards.split()[3 if "seat" in hand.cards else 2]


def ended(table: SettlingTable) -> RoundResult:
    table.end()
    return table.results[-1]


# ------------------------------------------------------------------ two, one after the other


@pytest.mark.parametrize("game", BETTING)
def test_two_cards_burned_too_early_are_laid_back_one_after_the_other(game: str) -> None:
    """The first is burned in its time, and the second dealt: 47.1-1025, and 1021 for the top card."""
    hand = BETTING[game]
    early = [hand.until, f"burn-card 2C / burn-card {first_card(hand)}", TWICE]
    table = dealt(hand, *early, hand.acts, "burn-card 2C", hand.cards, hand.rest)
    check(table, hand.won, ["burned-early", "burn-count-wrong", BACK, BACK], hand.burned)
    assert {each.clause for each in table.incidents if each.code == BACK} == {"47.1-1025"}
    folded = dealt(hand, *early, hand.folds)
    assert (folded.results[-1].outcome, folded.results[-1].burned) == ("complete", ())
    assert {seat.seat: seat.net for seat in folded.settlements[-1].seats} == hand.won_by_folds


@pytest.mark.parametrize("game", BETTING)
def test_the_burn_and_the_one_too_many_after_it_are_laid_back(game: str) -> None:
    hand = BETTING[game]
    burned = f"burn-card 2C / burn-card {first_card(hand)} / {TWICE} / burn-card 2C"
    table = dealt(hand, hand.until, hand.acts, burned, hand.cards, hand.rest)
    check(table, hand.won, ["burn-count-wrong", BACK, BACK], hand.burned)


@pytest.mark.parametrize("game", BETTING)
def test_a_card_is_laid_back_each_time_that_it_comes_too_early(game: str) -> None:
    """Each of it is on record."""
    hand = BETTING[game]
    early = [hand.until, "burn-card 2C / push-back", "burn-card 2C / push-back"]
    table = dealt(hand, *early, hand.acts, "burn-card 2C", hand.cards, hand.rest)
    check(table, hand.won, ["burned-early", BACK, BACK], hand.burned)


def test_two_cards_that_the_shoe_does_not_name_are_laid_back() -> None:
    hand = HOLDEM
    early = [hand.until, "draw 2C / draw 3H", TWICE]
    table = dealt(hand, *early, hand.acts, "burn-card 2C", hand.cards, hand.rest)
    check(table, hand.won, ["out-of-turn", BACK, BACK], hand.burned)


def test_a_shoe_that_knows_both_cards_reports_each_of_them_again() -> None:
    """With the numbers that they had: none of them is a card more, and the shoe's count goes on."""
    hand = HOLDEM
    table = SettlingTable(hand.game)
    for line in f"{hand.until} / burn-card 2C / burn-card 3H / {TWICE} / {hand.acts}".split(" / "):
        table.say(line)
    table.ordinal -= 2
    for card in ("2C", "3H"):
        table.ordinal += 1
        table.device(e.CardReportedAgain(table.ordinal, parse_card(card), "burn"))
    for line in f"draw community 4D 7D / {hand.rest}".split(" / "):
        table.say(line)
    result = ended(table)
    assert (result.outcome, result.burned) == ("complete", hand.burned)
    assert {seat.seat: seat.net for seat in table.settlements[-1].seats} == hand.won
    assert table.codes == ["burned-early", "burn-count-wrong", BACK, BACK]


def test_a_card_that_was_dealt_and_is_pushed_back_holds_the_round() -> None:
    """47.1-1025 is of burned cards. The one before it is burned, but no longer on top: neither is found twice."""
    hand = HOLDEM
    table = dealt(hand, hand.until, hand.acts, "burn-card 2C / draw community 3H", TWICE, "burn-card 2C", hand.cards)
    assert (table.results[-1].outcome, table.codes[0]) == ("unreliable", "device-fault")
    assert table.settlements[-1].status == "held"
    assert {"duplicate-face", BACK}.isdisjoint(table.codes)


# ------------------------------------------------------------------ jokers, which are no cards of this deck

JOKERS: Final = [
    # what is burned too early, what is burned in its time, and what is on record
    ("burn-card X1", "burn-card 2C", ["burned-early", "stray-joker"]),
    ("burn-card X1 / burn-card 2C", "", ["burned-early", "stray-joker"]),
    ("draw X1 / mishap burn: early X1", "burn-card 2C", ["out-of-turn", "stray-joker", "burned-early"]),
    ("burn-card 2C / burn-card X1", "", ["burned-early", "burn-count-wrong", "stray-joker"]),
    ("burn-card X1 / push-back", "burn-card X1 / burn-card 2C", ["burned-early", "stray-joker", BACK]),
    ("draw X1 / push-back", "burn-card X1 / burn-card 2C", ["out-of-turn", "stray-joker", BACK]),
    (f"burn-card X1 / burn-card 2C / {TWICE}", "burn-card X1 / burn-card 2C", None),
    (f"burn-card 2C / burn-card X1 / {TWICE}", "burn-card 2C", None),
    ("burn-card 2C / burn-card X1 / push-back", "", None),
    ("", "burn-card X1 / push-back / burn-card X1 / burn-card 2C", ["stray-joker", BACK]),
]


@pytest.mark.parametrize(("early", "in_time", "codes"), JOKERS)
@pytest.mark.parametrize("game", BETTING)
def test_a_joker_that_is_burned_is_dead_and_another_card_is_burned(
    game: str, early: str, in_time: str, codes: list[str] | None
) -> None:
    """47.1-1037. Laid back on top it may come out once more, and is as dead as before."""
    hand = BETTING[game]
    table = dealt(hand, hand.until, early, hand.acts, in_time, hand.cards, hand.rest)
    result, settlement = table.results[-1], table.settlements[-1]
    assert (result.outcome, settlement.status) == ("complete", "settled")
    assert {seat.seat: seat.net for seat in settlement.seats} == hand.won
    assert result.burned == hand.burned
    assert codes is None or table.codes == codes
    assert {each.clause for each in table.incidents if each.code == "stray-joker"} == {"47.1-1037"}
    assert not any(each.unreliable for each in table.incidents)


@pytest.mark.parametrize("game", BETTING)
def test_a_joker_burned_too_early_in_a_hand_that_ends_by_folds(game: str) -> None:
    hand = BETTING[game]
    for early in ("burn-card X1", "burn-card X1 / push-back"):
        table = dealt(hand, hand.until, early, hand.folds)
        assert (table.results[-1].outcome, table.results[-1].burned) == ("complete", ())
        assert {seat.seat: seat.net for seat in table.settlements[-1].seats} == hand.won_by_folds


def test_a_joker_in_a_hand_that_is_pushed_back_holds_the_round() -> None:
    """It was dealt, not burned: whose card comes out next is a person's to say."""
    table = SettlingTable("holdem.co")
    table.play(
        "stakes 1: 9000, 2: 9000\nbets 1: small-blind 100\nbets 2: big-blind 200\nstart at 2\ndraw X1\npush-back"
    )
    assert (table.codes, table.incidents[-1].unreliable) == (["stray-joker", "device-fault"], True)


# ------------------------------------------------------------------ a state that is saved


def test_a_state_that_was_saved_with_one_card_back_is_read() -> None:
    """It said that a card was back, not how many."""
    shoes = Shoes(1, DECK, 90)
    older = msgspec.structs.asdict(shoes.state()) | {"pushed_back": True}
    shoes.restore(msgspec.convert(older, ShoesState))
    assert shoes.pushed_back == 1
    shoes.push_back()
    again = Shoes(1, DECK, 90)
    again.restore(msgspec.msgpack.decode(msgspec.msgpack.encode(shoes.state()), type=ShoesState))
    assert again.pushed_back == 2
