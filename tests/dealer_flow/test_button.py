"""47.1-1017.41(19): after a round the button goes to the next player to the right; 47.1-1002(5): clockwise."""

import pytest

from tests.support.dealing.hand_table import HandTable
from tests.support.reading.dealt_hands import clean


def evening(*buttons: int, moves: str = "clockwise", void: bool = False) -> HandTable:
    table = HandTable("longhorn.co", button_moves=moves)
    for number in buttons:
        lines = [f"start at {number}" if line.startswith("start") else line for line in clean("longhorn.co").lines]
        cards = next(line for line in lines if line.startswith("draw seat"))
        order = [(number + turn) % 3 + 1 for turn in range(3)]
        piles = {int(pile.split()[1]): pile for pile in cards.removeprefix("draw ").split(" | ")}
        lines[lines.index(cards)] = "draw " + " | ".join(piles[seat] for seat in order)
        dealt = lines.index(next(line for line in lines if line.startswith("choose")))
        table.play([*lines[:dealt], "misdeal"] if void else lines)
        table.end()
    return table


@pytest.mark.parametrize(("moves", "buttons"), [("clockwise", (1, 2, 3, 1)), ("counter-clockwise", (1, 3, 2, 1))])
def test_the_button_goes_round(moves: str, buttons: tuple[int, ...]) -> None:
    assert evening(*buttons, moves=moves).codes == []


WRONG = [("clockwise", (1, 3)), ("counter-clockwise", (1, 2)), ("clockwise", (1, 1))]


@pytest.mark.parametrize(("moves", "buttons"), WRONG)
def test_another_place_is_recorded_and_spoils_nothing(moves: str, buttons: tuple[int, ...]) -> None:
    table = evening(*buttons, moves=moves)
    assert [(found.code, found.clause, found.seat) for found in table.incidents] == [
        ("button-misplaced", "47.1-1017.41(19)", buttons[1])
    ]
    assert [result.outcome for result in table.results] == ["complete", "complete"]


def test_after_a_round_that_was_void_the_button_may_stay() -> None:
    assert "button-misplaced" not in evening(1, 1, void=True).codes


def test_where_the_button_stood_outlives_the_moment_between_two_rounds() -> None:
    table = evening(1)
    kept = table.flow.kept()
    assert kept is not None
    assert kept.coming.button_was == 1
    again = HandTable("longhorn.co")
    again.flow.restore(kept)
    again.play(["bets 3: bonus 500", "bets 1: bonus 500", "start at 1"])
    assert again.codes == ["button-misplaced"]
