"""Every round that the tests deal settles: each bet has one line that says why, and no money comes from nowhere."""

import re
from collections import Counter
from functools import cache

import pytest

from dealer_flow.record.result import RoundResult
from rules import Meter, Settlement, settle
from rules.game import Game, game_id_of, load_game_of
from tests.support.dealt_hands import Case, cases, clean, games
from tests.support.hand_table import HandTable

CASES = [case for game in games() if game_id_of(game) for case in (clean(game), *cases(game))]


def settled(case: Case) -> tuple[RoundResult, Game, Settlement]:
    """The round of this case, dealt to its end and settled on the tables first printed."""
    return _settled(case.game, case.lines, tuple(case.options.items()))


@cache
def _settled(
    game: str, lines: tuple[str, ...], options: tuple[tuple[str, str], ...]
) -> tuple[RoundResult, Game, Settlement]:
    table = HandTable(game, **dict(options))
    table.play(list(lines))
    result = table.end()
    rules = load_game_of(game, result.options)
    meters = {name: Meter(1_000_000, seed_cents=100_000) for name in rules.meters()}
    return result, rules, settle(result, rules, meters=meters, accept_suspect=True)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_each_bet_has_one_line(case: Case) -> None:
    result, game, settlement = settled(case)
    lines = [(line.seat, line.bet) for line in settlement.lines if line.bet != "envy"]
    own = {name for name, bet in game.bets.items() if not bet.on}
    bets = [(seat.seat, bet) for seat in result.seats for bet, cents in seat.wagers.items() if cents]
    assert {line for line in lines if line[1] in own} == set(bets)
    each = [(line.seat, line.bet, line.proposition) for line in settlement.lines if line.bet != "envy"]
    assert len(set(each)) == len(each)
    stakes = {(seat.seat, bet): cents for seat in result.seats for bet, cents in seat.wagers.items()}
    placed: Counter[tuple[int, str]] = Counter()
    for line in settlement.lines:
        placed[line.seat, line.bet] += line.stake
    assert {bet: cents for bet, cents in placed.items() if cents} == {
        bet: cents for bet, cents in stakes.items() if cents
    }


@pytest.mark.parametrize("case", CASES, ids=str)
def test_money_is_moved_and_never_made(case: Case) -> None:
    _, _, settlement = settled(case)
    totals = settlement.totals
    assert totals.players + totals.house + totals.meters == 0
    assert totals.players == sum(line.net for line in settlement.lines)
    for line in settlement.lines:
        assert line.pay >= 0
        assert 0 <= line.returned <= line.stake
        assert line.result == "win" or not line.pay
        assert line.net == (0 if line.result == "held" else line.pay + line.returned - line.stake)
        assert (line.returned == line.stake) or line.result in ("win", "lose", "held")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_each_line_says_why(case: Case) -> None:
    _, _, settlement = settled(case)
    for line in settlement.lines:
        assert line.why
        assert line.clause
        assert not re.search(r"\b([a-z]+) \1\b", line.why), line.why
