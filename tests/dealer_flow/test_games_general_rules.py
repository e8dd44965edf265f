"""The general rules of 47.1 in every game: fouled hands, misdeals called, cards that are not the deck's."""

import pytest

from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.result import RoundResult
from tests.support.dealt_hands import cases, clean, games
from tests.support.hand_table import HandTable

PACKETS = [game for game in games() if load_procedure(game).device == "packet-shuffler"]
CHOICES = [game for game in games() if any(line.startswith("choose") for line in clean(game).lines)]
WITH_SEATS = [game for game in games() if game != "players-choice.co"]  # there the six hands belong to nobody


def all_bets(result: RoundResult) -> dict[int, dict[str, int]]:
    return {seat.seat: dict(seat.wagers) for seat in result.seats}


def given_back(result: RoundResult) -> dict[int, dict[str, int]]:
    return {seat.seat: dict(seat.returned) for seat in result.seats}


def deal(game: str) -> tuple[HandTable, list[str], list[str]]:
    """The table after its first cards are out, what was played and what is to come."""
    lines = list(clean(game).lines)
    at = next(at for at, line in enumerate(lines) if line.startswith(("packet seat 1", "draw", "deal by hand")))
    return HandTable(game).play(lines[: at + 1]), lines[: at + 1], lines[at + 1 :]


@pytest.mark.parametrize("game", WITH_SEATS)
def test_a_fouled_hand_is_dead_and_recovers_nothing(game: str) -> None:
    """47.1-1031(1)-(2)."""
    table, _, _ = deal(game)
    table.play("mishap seat 1: fouled")
    assert table.incidents[-1].clause == "47.1-1031(1)-(2)"
    for line in deal(game)[2]:
        if not line.startswith(("choose 1:", "show seat 1:")):
            table.play(without_seat_1(line))
    result = table.end()
    assert next(seat.status for seat in result.seats if seat.seat == 1) == "dead"
    assert given_back(result)[1] == {}


def without_seat_1(line: str) -> str:
    """Later cards go to seats that are still in."""
    if not line.startswith("draw "):
        return line
    piles = [pile for pile in line.removeprefix("draw ").split(" | ") if not pile.startswith("seat 1 ")]
    return f"draw {' | '.join(piles)}" if piles else ""


@pytest.mark.parametrize("game", games())
def test_a_misdeal_called_before_the_first_choice_gives_every_bet_back(game: str) -> None:
    """47.1-1022: all of the cards go back to the dealer for a redeal."""
    table, _, _ = deal(game)
    table.play("misdeal")
    result = table.end()
    assert result.outcome == "misdeal"
    assert given_back(result) == all_bets(result)
    assert [incident.clause for incident in result.incidents] == ["47.1-1022"]


@pytest.mark.parametrize("game", CHOICES)
def test_no_misdeal_after_substantial_action(game: str) -> None:
    """47.1-1022: a call after the first choice is recorded and changes nothing."""
    table = HandTable(game)
    lines = list(clean(game).lines)
    at = next(at for at, line in enumerate(lines) if line.startswith("choose"))
    result = table.play([*lines[: at + 1], "misdeal", *lines[at + 1 :]]).end()
    assert (result.outcome, table.codes) == ("complete", ["misdeal-refused"])


@pytest.mark.parametrize("game", PACKETS)
def test_a_card_of_another_back_makes_the_deck_defective(game: str) -> None:
    """47.1-1036: every bet goes back that was not settled before."""
    table = HandTable(game)
    lines = [line for line in clean(game).lines if not line.startswith("show seat 1")]
    shown = next(line for line in clean(game).lines if line.startswith("show seat 1"))
    table.play(lines).say(shown[:-2] + "?#")
    result = table.end()
    assert result.outcome == "defective-deck"
    over = {bet for step in table.procedure.step for bet in step.settles}
    remaining = {
        number: {bet: bets[bet] for bet in bets if bet not in over} for number, bets in all_bets(result).items()
    }
    assert given_back(result) == remaining
    assert any(incident.clause == "47.1-1036" for incident in result.incidents)


@pytest.mark.parametrize("game", PACKETS)
@pytest.mark.parametrize("how", ["joker X2", "boxed"])
def test_a_joker_or_a_faced_card_in_a_packet_calls_a_supervisor(game: str, how: str) -> None:
    """47.1-1037 has the card replaced, which a packet does not allow: a person rules."""
    table, _, rest = deal(game)
    result = table.play([f"mishap seat 1: {how}", "confirm", *rest]).end()
    assert result.outcome == "complete"
    assert [incident.called for incident in result.incidents] == ["supervisor", None]
    assert result.incidents[0].clause == (
        "47.1-1037" if load_procedure(game).face.joker or how == "boxed" else "procedure"
    )


@pytest.mark.parametrize("game", games())
def test_a_seat_more_than_the_table_has_is_refused(game: str) -> None:
    table = HandTable(game)
    spot = next(bet.name for bet in table.procedure.bet if bet.enters)
    table.play([f"bets {table.procedure.seats.most}: {spot} 500"])
    assert table.codes == []
    table.play([f"bets {table.procedure.seats.most + 1}: {spot} 500"])
    assert table.codes == ["unknown-seat"]


def test_a_supervisor_who_came_is_called_no_more() -> None:
    case = next(case for case in cases("emperors-challenge.co") if case.deed == "short seat 2; long seat 4")
    table = HandTable(case.game, **case.options).play(list(case.lines))
    assert table.may("BadgeSwiped") == ["supervisor: come at once: seat 2 has 6 cards, not 7"]
    assert table.badge(77).may("BadgeSwiped") == []
