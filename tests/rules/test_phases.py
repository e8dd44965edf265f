"""Order in which lines are settled, for one round of the dealer around the table and for several."""

from rules.game.order import in_order
from rules.game.schema import OrderPass
from rules.settlement import SettlementLine


def line(seat: int, bet: str, result: str = "lose", clause: str = "(1)") -> SettlementLine:
    net = 100 if result == "win" else -100
    pay, back = (100, 100) if result == "win" else (0, 0)
    return SettlementLine(
        seat=seat, bet=bet, stake=100, result=result, pay=pay, returned=back, net=net, why="", clause=clause
    )  # type: ignore[arg-type]


def named(lines: list[SettlementLine]) -> list[tuple[int, str]]:
    return [(each.seat, each.bet) for each in lines]


LINES = [line(1, "ante"), line(1, "play", "win"), line(2, "ante", "win"), line(2, "play")]


def test_one_lap_of_all_bets_leaves_the_lines_as_they_are() -> None:
    assert in_order(LINES, [OrderPass(seats="ascending", clause="(1)")]) == LINES


def test_one_lap_of_some_bets_takes_those_first() -> None:
    found = in_order(LINES, [OrderPass(seats="descending", clause="(1)", bets=("play",))])
    assert named(found) == [(2, "play"), (1, "play"), (1, "ante"), (2, "ante")]


def test_one_lap_of_what_is_lost_takes_that_first() -> None:
    found = in_order(LINES, [OrderPass(seats="ascending", clause="(1)", only="lost")])
    assert named(found) == [(1, "ante"), (2, "play"), (1, "play"), (2, "ante")]


def test_of_one_seat_what_is_won_comes_last_where_the_lap_says_so() -> None:
    found = in_order(LINES, [OrderPass.model_validate({"seats": "ascending", "clause": "(1)", "losers-first": True})])
    assert named(found) == [(1, "ante"), (1, "play"), (2, "play"), (2, "ante")]


def test_a_bet_that_wins_is_left_for_a_later_lap() -> None:
    laps = [OrderPass(seats="ascending", clause="(1)", leaving=("play",)), OrderPass(seats="ascending", clause="(2)")]
    assert named(in_order(LINES, laps)) == [(1, "ante"), (2, "ante"), (2, "play"), (1, "play")]
