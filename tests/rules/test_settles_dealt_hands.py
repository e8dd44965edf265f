"""Every round that the tests deal settles: each bet has one line with a reason, and no money is created."""

import re
from collections import Counter
from collections.abc import Iterator

import pytest

from dealer_flow.record.result import RoundResult
from rules import Meter, Settlement, settle
from rules.game.load import Game, game_id_of, load_game_of
from tests.support.dealing.hand_table import HandTable
from tests.support.reading.dealt_hands import Case, cases, clean, games
from tests.support.reading.each import of_each


def dealt() -> Iterator[Case]:
    return (case for game in games() if game_id_of(game) for case in (clean(game), *cases(game)))


def settled(case: Case) -> tuple[RoundResult, Game, Settlement]:
    """Deal the round of this case to its end and settle it with the first printed tables."""
    table = HandTable(case.game, **case.options)
    table.play(list(case.lines))
    result = table.end()
    rules = load_game_of(case.game, result.options)
    meters = {name: Meter(1_000_000, seed_cents=100_000) for name in rules.meters()}
    return result, rules, settle(result, rules, meters=meters, accept_suspect=True)


@pytest.mark.every(12)  # each of them is dealt in tests/dealer_flow/test_games_played.py too
@of_each("case", dealt, ids=str, shares=12)
def test_a_dealt_round_settles(case: Case) -> None:
    result, game, settlement = settled(case)
    check_lines(result, game, settlement)
    check_money(settlement)
    check_reasons(settlement)


def check_lines(result: RoundResult, game: Game, settlement: Settlement) -> None:
    """Check that each bet has one line, or one per outcome it was placed on; wagers into a pot or a pool have one per
    pot, with the same total."""
    lines = [(line.seat, line.bet) for line in settlement.lines if line.bet != "envy"]
    together = {name for name, bet in game.bets.items() if bet.kind in ("to-pot", "to-pool")}
    own = {name for name, bet in game.bets.items() if not bet.on} - together
    wagers = [(seat.seat, bet, cents) for seat in result.seats for bet, cents in seat.wagers.items() if cents]
    bets = [(seat, bet) for seat, bet, _ in wagers if bet not in together]
    assert {line for line in lines if line[1] in own} == set(bets)
    each = [(line.seat, line.bet, line.proposition) for line in settlement.lines if line.bet != "envy"]
    assert len(set(each)) == len(each)
    placed, stakes = Counter[tuple[int, str]](), Counter[tuple[int, str]]()
    for line in settlement.lines:
        placed[line.seat, line.bet if line.bet in own else ""] += line.stake
    for seat, bet, cents in wagers:
        stakes[seat, bet if bet in own else ""] += cents
    assert +placed == stakes


def check_money(settlement: Settlement) -> None:
    """Check that money is moved and never created."""
    totals = settlement.totals
    assert totals.players + totals.house + totals.meters == 0
    assert totals.players == sum(line.net for line in settlement.lines)
    for line in settlement.lines:
        assert line.pay >= 0
        assert 0 <= line.returned <= line.stake
        assert line.result == "win" or not line.pay
        assert line.net == (0 if line.result == "held" else line.pay + line.returned - line.stake)
        assert (line.returned == line.stake) or line.result in ("win", "lose", "held")


def check_reasons(settlement: Settlement) -> None:
    """Check that each line has a reason without repeated words."""
    for line in settlement.lines:
        assert line.why
        assert line.clause
        assert not re.search(r"\b([a-z]+) \1\b", line.why), line.why
