"""The general rules of 47.1 in every game: fouled hands, misdeals called, cards that are not the deck's."""

import pytest

from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.result import RoundResult
from rules import load_game, settle
from tests.support.dealing.flow_points import round_of
from tests.support.dealing.hand_table import HandTable
from tests.support.reading.dealt_hands import cases, clean, games
from tests.support.reading.each import of_each

PACKETS = [game for game in games() if load_procedure(game).device == "packet-shuffler"]
CHOICES = [game for game in games() if any(line.startswith("choose") for line in clean(game).lines)]
WITH_SEATS = [game for game in games() if game != "players-choice.co"]  # there the six hands belong to nobody
OF_PLAYERS = [game for game in games() if load_procedure(game).misdeal.until == "substantial-action"]  # their own pot


def all_bets(result: RoundResult) -> dict[int, dict[str, int]]:
    return {seat.seat: dict(seat.wagers) for seat in result.seats}


def given_back(result: RoundResult) -> dict[int, dict[str, int]]:
    return {seat.seat: dict(seat.returned) for seat in result.seats}


def deal(game: str, *, whole: bool = True) -> tuple[HandTable, list[str], list[str]]:
    """The table after its first cards are out, what was played and what is to come."""
    lines = list(clean(game).lines)
    at = next(at for at, line in enumerate(lines) if line.startswith(("packet seat 1", "draw", "deal by hand")))
    while whole and lines[at].startswith("draw") and lines[at + 1].startswith("draw"):
        at += 1
    return HandTable(game).play(lines[: at + 1]), lines[: at + 1], lines[at + 1 :]


RULED = {
    "fouled-by-player": ("47.1-1031(2), 47.1-1032(3)", "dead", False),
    "fouled-by-others": ("47.1-1020", "dead", True),
    "reconstructed": ("47.1-1020", "live", False),
}
"""Ruling on a fouled hand -> the clause, the status of the hand, and whether every chip goes back."""


@of_each("game", WITH_SEATS)
@of_each("how", RULED)
def test_whose_fault_a_fouled_hand_is_decides(game: str, how: str) -> None:
    """47.1-1020: a supervisor finds out, and who is not at fault gets every chip back."""
    clause, status, back = RULED[how]
    table, _, rest = deal(game)
    table.play("mishap seat 1: fouled")
    assert (table.incidents[-1].clause, table.incidents[-1].called) == ("47.1-1020", "supervisor")
    table.play(f"mishap seat 1: {how}")
    found = table.incidents[-1]
    assert (clause in found.clause, found.called) == (True, None)
    if status == "dead" and table.flow.plan.betting is not None:
        rest = []  # a hand of other bets
        all_but_one_fold(table)
    for line in rest:
        if status == "live" or not line.startswith(("choose 1:", "show seat 1:")):
            table.play(line if status == "live" else without_seat_1(line))
    result = table.end()
    seat = next(seat for seat in result.seats if seat.seat == 1)
    assert (result.outcome, seat.status in (status, "folded")) == ("complete", True)
    assert seat.returned == (seat.wagers if back else {})


def all_but_one_fold(table: HandTable) -> None:
    """The hand ends before it is played out."""
    now = round_of(table.flow)
    while len(now.live) > 1:
        table.play(f"acts {now.betting.waiting(now.live)[0]}: fold")


def without_seat_1(line: str) -> str:
    """Later cards go to seats that are still in."""
    if not line.startswith("draw "):
        return line
    piles = [pile for pile in line.removeprefix("draw ").split(" | ") if not pile.startswith("seat 1 ")]
    return f"draw {' | '.join(piles)}" if piles else ""


@of_each("game", games())
def test_a_misdeal_called_before_the_first_choice_gives_every_bet_back(game: str) -> None:
    """47.1-1022: all of the cards go back to the dealer for a redeal."""
    table, _, _ = deal(game, whole=False)
    table.play("misdeal")
    result = table.end()
    assert result.outcome == "misdeal"
    assert given_back(result) == all_bets(result)
    assert [incident.clause for incident in result.incidents] == ["47.1-1022"]


@of_each("game", [game for game in CHOICES if game not in OF_PLAYERS])
def test_a_choice_bars_no_misdeal(game: str) -> None:
    """47.1-1002(33): substantial action has no applicability to house-banked games."""
    table = HandTable(game)
    lines = list(clean(game).lines)
    last = max(at for at, line in enumerate(lines) if line.startswith("choose"))
    result = table.play([*lines[: last + 1], "misdeal"]).end()
    assert result.outcome == "misdeal"
    assert [incident.clause for incident in result.incidents] == ["47.1-1022"]


@of_each("game", games())
def test_no_misdeal_once_a_hand_is_settled(game: str) -> None:
    """A house's reading: what was settled is over. By `end` it may be called all the same."""
    if game in OF_PLAYERS:
        return
    lines = list(clean(game).lines)
    result = HandTable(game).play([*lines, "misdeal"]).end()
    assert [(incident.code, incident.clause) for incident in result.incidents] == [("misdeal-refused", "procedure")]
    assert result.outcome == "complete"
    assert HandTable(game, misdeal_until="end").play([*lines, "misdeal"]).end().outcome == "misdeal"


@of_each("game", CHOICES)
def test_a_house_may_end_it_with_the_first_choice(game: str) -> None:
    if game in OF_PLAYERS:
        return
    table = HandTable(game, misdeal_until="first-decision")
    lines = list(clean(game).lines)
    at = next(at for at, line in enumerate(lines) if line.startswith("choose"))
    result = table.play([*lines[: at + 1], "misdeal", *lines[at + 1 :]]).end()
    assert (result.outcome, table.codes) == ("complete", ["misdeal-refused"])


def test_in_longhorn_substantial_action_is_what_the_definition_says() -> None:
    """47.1-1002(33): two players putting money in the pot, or three acting."""
    lines = list(clean("longhorn.co").lines)
    chosen = [at for at, line in enumerate(lines) if line.startswith("choose")]
    paid = [at for at in chosen if "pot-1" in lines[at]]
    assert HandTable("longhorn.co").play([*lines[: paid[0] + 1], "misdeal"]).end().outcome == "misdeal"
    result = HandTable("longhorn.co").play([*lines[: paid[1] + 1], "misdeal", *lines[paid[1] + 1 :]]).end()
    assert [(incident.code, incident.clause) for incident in result.incidents] == [
        ("misdeal-refused", "47.1-1022, 47.1-1002(33)")
    ]


@pytest.mark.parametrize("game", PACKETS)
def test_a_card_of_another_back_makes_the_deck_defective(game: str) -> None:
    """47.1-1036: every bet goes back that was not settled before, by its step or as the hand was shown and compared."""
    table = HandTable(game)
    lines = [line for line in clean(game).lines if not line.startswith("show seat 1")]
    shown = next(line for line in clean(game).lines if line.startswith("show seat 1"))
    table.play(lines).say(shown[:-2] + "?#")
    result = table.end()
    assert result.outcome == "defective-deck"
    over = {row.bet for step in table.procedure.step for row in step.settling}
    compared = {int(line.split()[2][:-1]) for line in lines if line.startswith("show seat")}
    settled = {seat.seat: seat.settled for seat in result.seats}
    assert {bet for number, bets in settled.items() if number not in compared for bet in bets} <= over
    remaining = {
        number: {} if number in compared else {bet: bets[bet] for bet in bets if bet not in settled[number]}
        for number, bets in all_bets(result).items()
    }
    assert given_back(result) == remaining
    assert any(incident.clause == "47.1-1036" for incident in result.incidents)


@of_each("game", PACKETS)
@of_each("how", ["joker X2", "boxed"])
def test_a_joker_or_a_faced_card_in_a_packet_calls_a_supervisor(game: str, how: str) -> None:
    """47.1-1037 has the card replaced, which a packet does not allow: a person rules."""
    table, _, rest = deal(game)
    if how != "boxed" and load_procedure(game).face.joker is None:
        return  # the next test's
    result = table.play([f"mishap seat 1: {how}", "confirm", *rest]).end()
    assert result.outcome == "complete"
    assert [incident.called for incident in result.incidents] == ["supervisor", None]
    assert result.incidents[0].clause == "47.1-1037"


@pytest.mark.parametrize("game", [game for game in PACKETS if load_procedure(game).deck.jokers])
@pytest.mark.parametrize("who", ["person", "device"])
def test_a_joker_too_many_makes_a_deck_defective(game: str, who: str) -> None:
    """47.1-1037 speaks of jokers that are not used in the game; a deck with one too many is defective (1002(13))."""
    lines = list(clean(game).lines)
    at = next(at for at, line in enumerate(lines) if line.startswith("packet"))
    to = lines[at].partition(":")[0]
    table = HandTable(game).play(lines[:at])
    table.play(
        [lines[at], f"mishap {to.removeprefix('packet ')}: joker X4"] if who == "person" else f"{to} reading: X4"
    )
    found = next(incident for incident in table.incidents if incident.code == "stray-joker")
    assert "47.1-1036" in found.clause
    assert table.end().outcome in ("defective-deck", "unreliable")


@of_each("game", games())
def test_a_seat_more_than_the_table_has_is_refused(game: str) -> None:
    table = HandTable(game)
    spot = next((bet.name for bet in table.procedure.bet if bet.enters), None)
    line = "stakes {}: 500" if spot is None else f"bets {{}}: {spot} 500"
    table.play([line.format(table.procedure.seats.most)])
    assert table.codes == []
    table.play([line.format(table.procedure.seats.most + 1)])
    assert table.codes == ["unknown-seat"]


WON_FROM_EACH_OTHER = ("joker.co", "eighty-eight.co", "trips.co", "holdem.co", "seven-card-stud-hi-lo.co", "draw.co")


@pytest.mark.parametrize("game", WON_FROM_EACH_OTHER)
def test_a_pot_is_won_by_no_hand_before_all_are_shown(game: str) -> None:
    """47.1-1036: what was won before the deck is found defective stays so, and one hand alone has won nothing."""
    lines = list(clean(game).lines)
    first = next(at for at, line in enumerate(lines) if line.startswith("show seat"))
    table = HandTable(game).play([*lines[: first + 1], "count shoe: 20"])
    result = table.end()
    assert result.outcome == "defective-deck"
    assert given_back(result) == all_bets(result)
    assert not any(seat.settled for seat in result.seats)


@pytest.mark.parametrize("game", WON_FROM_EACH_OTHER)
def test_a_pot_that_all_have_shown_for_waits_for_a_person_where_nobody_took_it_in(game: str) -> None:
    result = HandTable(game).play([*clean(game).lines, "count shoe: 20"]).end()
    assert (result.outcome, given_back(result)) == ("defective-deck", {seat: {} for seat in all_bets(result)})
    rules = load_game(game)
    settlement = settle(result, rules, meters=dict.fromkeys(rules.meters(), 0))
    assert {(line.seat, line.bet) for line in settlement.lines if line.result == "held"} == {
        (seat, bet) for seat, bets in all_bets(result).items() for bet in bets
    }
    assert settlement.totals.players == 0


def test_a_supervisor_who_came_is_called_no_more() -> None:
    case = next(case for case in cases("emperors-challenge.co") if case.deed == "short seat 2; long seat 4")
    table = HandTable(case.game, **case.options).play(list(case.lines))
    assert table.may("BadgeSwiped") == ["supervisor: come at once: seat 2 has 6 cards, not 7"]
    assert table.badge(77).may("BadgeSwiped") == []
