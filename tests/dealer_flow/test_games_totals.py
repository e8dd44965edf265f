"""At the most seats the cards fit the deck, and one more seat is refused."""

import re

import pytest

from dealer_flow.procedure.load import ProcedureError, load_procedure, parse_procedure, whole_text
from dealer_flow.procedure.schema import Procedure
from tests.support.reading.each import of_each
from tests.support.reading.refusals import check_refusal

# Game -> most seats, cards of the deck, cards that are out when all of them play to the end and draw all they may.
FULL = {
    "3-5-7.co": (15, 52, 15 * 3 + 2 * 3),
    "bonus-6.co": (9, 52, 4 + 1 + 9 * (2 + 1 + 1 + 1)),
    "boston-5.co": (9, 52, 2 + 10 * (3 + 2)),
    "boston-7.co": (6, 52, 2 + 7 * (3 + 4)),
    "caribbean-draw.co": (6, 52, 7 * 5 + 7 * 2),
    "caribbean-stud.co": (9, 52, 10 * 5),
    "caribbean-stud.co-single": (9, 52, 10 * 5),
    "champion.co": (22, 52, 23 * 2 + 5),
    "colorado-holdem.co": (16, 52, 16 * 3 + 3),
    "colorado-holdem.co-single": (16, 52, 16 * 3 + 3),
    "crazy-4.co": (9, 52, 10 * 5),
    "crazy-4.co-single": (9, 52, 10 * 5),
    "eighty-eight.co": (22, 52, 22 * 2 + 3 + 4),
    "emperors-challenge.co": (6, 53, 7 * 7),
    "flushes-gone-wild.co-single": (9, 52, 10 * 5 + 2),
    "fortune-pai-gow.co": (6, 53, 7 * 7),
    "fortune-pai-gow.co-single": (6, 53, 7 * 7),
    "high-five.co": (6, 53, 7 * 7),
    "high-five.co-single": (6, 53, 7 * 7),
    "let-it-ride.co": (16, 52, 16 * 3 + 3),
    "let-it-ride.co-single": (16, 52, 16 * 3 + 2),
    "longhorn.co": (22, 52, 22 * 2 + 3 + 5),
    "mississippi-stud.co": (24, 52, 24 * 2 + 3),
    "mississippi-stud.co-single": (24, 52, 24 * 2 + 3),
    "pai-gow.co": (6, 53, 7 * 7),
    "pai-gow.co-single": (6, 53, 7 * 7),
    "texas-holdem-bonus.co": (22, 52, 23 * 2 + 5),
    "texas-holdem-bonus.co-single": (21, 52, 22 * 2 + 5 + 3),
    "three-card-split.co": (16, 52, 17 * 3 + 1),
    "three-card.co": (16, 52, 17 * 3),
    "three-card.co-single": (16, 52, 17 * 3),
    "trips.co": (10, 54, 10 * 5),
    "ultimate-texas-holdem.co": (22, 52, 23 * 2 + 3 + 2),
    "ultimate-texas-holdem.co-single": (22, 52, 23 * 2 + 3 + 2),
    "vegas-double-action.co": (9, 52, 9 * 5 + 5),
    "vegas-double-action.co-single": (9, 52, 9 * 5 + 5),
    "western-stud.co": (8, 52, 10 * 4 + 10),
    "wild-six.co": (8, 54, 9 * 5 + 9),
    "wild-six.co-single": (8, 54, 9 * 5 + 9),
}
HAND_DECK = {"208.co": 25}  # the players' cards come from a deck of their own: 1 burned + 25 x 2
BY_THE_HOUSE = {"players-choice.co": 7, "prospector.co": 7, "texas-shootout.co": 7}  # no deck sets a limit


def cards_out(procedure: Procedure) -> int:
    """Every card that leaves the deck at the most seats, under the options that take most."""
    total: dict[str, int] = {}
    for step in procedure.step:
        if step.do == "deal":
            places = sum(procedure.seats.most if to == "seats" else 1 for to in step.to)
            cards = places * step.cards
        elif step.do == "exchange":
            cards = sum(procedure.seats.most if to == "seats" else 1 for to in step.to) * step.most
        elif step.do == "burn-card":
            cards = step.cards
        else:
            continue
        # Of steps that exclude each other, the first word of the name is the same or the option is.
        key = f"{step.when.option}:{step.when.is_}" if step.when else ""
        total[key] = total.get(key, 0) + cards
    always = total.pop("", 0)
    most: dict[str, int] = {}
    for key, cards in total.items():
        option = key.split(":")[0]
        most[option] = max(most.get(option, 0), cards)
    return always + sum(most.values())


@of_each("game", FULL)
def test_the_most_seats_fit_the_deck(game: str) -> None:
    procedure = load_procedure(game)
    most, deck, out = FULL[game]
    assert (procedure.seats.most, procedure.deck.cards, cards_out(procedure)) == (most, deck, out)
    assert out <= deck


@of_each("game", [*FULL, *HAND_DECK])
def test_one_more_seat_is_refused(game: str) -> None:
    text = whole_text(game)
    most = load_procedure(game).seats.most
    line = next(number for number, words in enumerate(text.splitlines(), 1) if words.startswith("most = "))
    with pytest.raises(ProcedureError) as caught:
        parse_procedure(re.sub(r"^most = \d+", f"most = {most + 1}", text, count=1, flags=re.MULTILINE), "mine.toml")
    check_refusal(caught.value)
    assert caught.value.line == line
    assert caught.value.key == "seats.most"
    assert f"at most {most}" in str(caught.value)


def test_where_no_deck_sets_a_limit_the_house_does() -> None:
    for game, most in (HAND_DECK | BY_THE_HOUSE).items():
        assert load_procedure(game).seats.most == most
    for game in BY_THE_HOUSE:
        assert load_procedure(game).seats.clause == "47.1-1041"
