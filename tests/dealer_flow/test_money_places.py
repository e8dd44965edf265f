"""In every round each bet is in exactly one place: it goes back, was settled before, is held, plays by its cards, or is
lost by a clause that names what goes back. And the settlement has each bet once."""

from functools import cache
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_flow.procedure.load import load_procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.record.result import RoundResult
from devices.events import BettingAction, Manner
from protocol.cards import DECK
from rules import load_game, settle
from rules.game.load import game_id_of
from tests.support.dealing.hand_table import HandTable
from tests.support.oracles.money_places import check_places
from tests.support.reading.dealt_hands import clean, games

_FACES = [card.text for card in DECK[::5]]


@cache
def _plan(game: str) -> Plan:
    return Plan(load_procedure(game), {})


def troubles(game: str, lines: list[str], random: Random) -> str:
    """One thing that may go wrong, or be reported wrongly, at some place of this game."""
    plan = _plan(game)
    seats = sum(line.startswith("bets ") for line in lines)
    seats = max([seats, *(line.count(":") for line in lines if line.startswith("stakes "))])
    places = [
        f"seat {random.randint(1, seats)}",
        *plan.hands,
        *(kind for kind in ("dealer", "community") if kind in plan.sizes),
    ]
    place = random.choice([places[0], *places])
    bet = random.choice([*plan.bets.values()])
    choice = random.choice([*plan.choices]) if plan.choices else ""
    number, money = random.randint(1, seats + 1), random.choice([0, 25, 100, 500, 1000, 20_000])
    kinds = [
        f"count {place}: {random.randint(0, 8)}",
        f"count remainder: {random.randint(0, 52)}",
        f"mishap {place}: {random.choice(_HOW)} {random.choice([*_FACES, '??'])}",
        f"mishap {place}: {random.choice(_HOW)}",
        f"bets {number}: {bet.name} {money}",
        f"correct {place}: {' '.join(random.sample(_FACES, 3))}",
        "misdeal",
        "confirm",
        "misdeal",
        "confirm",
        "push-back",
        f"fault {random.choice(['card-lost', 'draw-while-locked', 'door-opened-mid-round', 'feed-jam'])}",
        f"show {place}: {' '.join(random.sample(_FACES, random.randint(1, 5)))}",
        f"draw {place} {random.choice([*_FACES, 'X1', '?^', '?#'])}",
    ]
    if plan.betting is not None and random.random() < 0.3:
        return f"acts {number}: {random.choice([*BettingAction])} {money} {random.choice(['', *Manner])}".strip()
    return f"choose {number}: {choice}" if choice and random.random() < 0.15 else random.choice(kinds)


_HOW = (
    "exposed", "exposed-by-player", "off-table", "fouled", "fouled-by-player", "fouled-by-others", "reconstructed",
    "joker", "boxed", "dropped", "early", "returned-to-deck",
)  # fmt: skip


def troubled(game: str, seed: int) -> tuple[HandTable, list[str]]:
    """The clean round of a game with something changed in it, under some of its readings."""
    random = Random(seed)
    lines, procedure = [*clean(game).lines], load_procedure(game)
    options = {option.name: random.choice(option.allowed) for option in procedure.option if random.random() < 0.2}
    for _ in range(random.choice((1, 1, 2, 3, 6))):
        start = next(index for index, line in enumerate(lines) if line.startswith("start"))
        at = random.randint(start + 1, len(lines))
        what = random.random()
        if what < 0.1 and at < len(lines):
            del lines[at]
        elif what < 0.2 and at + 1 < len(lines):
            lines[at], lines[at + 1] = lines[at + 1], lines[at]
        elif what < 0.3 and (placed := [line for line in lines if line.startswith("bets ")]):
            lines.insert(0, troubles(game, placed, random) if random.random() < 0.2 else _odd_bet(game, placed, random))
        else:
            lines.insert(at, troubles(game, lines, random))
    table = HandTable(procedure, **options)
    table.play(lines)
    return table, lines


def _odd_bet(game: str, placed: list[str], random: Random) -> str:
    """Money on a spot that the clean round leaves empty, or of another amount."""
    bet = random.choice([bet for bet in load_procedure(game).bet if bet.placed == "before-deal"])
    return f"bets {random.randint(1, len(placed) + 1)}: {bet.name} {random.choice([25, 100, 500, 1000, 20_000])}"


def check_round(game: str, seed: int) -> None:
    """Every round that comes of it."""
    table, lines = troubled(game, seed)
    table.end()
    try:
        for result in table.results:
            check_places(table.flow.plan, result)
            _check_settled_once(game, result)
        assert len({result.round for result in table.results}) == len(table.results), "a round ends twice"
    except AssertionError as wrong:
        raise AssertionError(f"{game}, seed {seed}: {wrong}\n" + "\n".join(lines)) from None


def _check_settled_once(game: str, result: RoundResult) -> None:
    name = game_id_of(game)
    if name is None:
        return
    rules = load_game(name)
    settled = settle(result, rules, meters=dict.fromkeys(rules.meters(), 1_000_000))
    # others are paid on the stake of one, and what lies in a pot is settled as a whole
    own = {bet.name for bet in rules.bets.values() if not bet.on and bet.kind != "to-pot"}
    pot = {bet.name for bet in rules.bets.values() if bet.kind == "to-pot"}
    lines = [(line.seat, line.bet, line.proposition) for line in settled.lines if line.bet in own]
    assert len(lines) == len(set(lines))
    assert {line[:2] for line in lines} == {
        (seat.seat, bet) for seat in result.seats for bet in seat.wagers if bet not in pot
    }
    back = {(seat.seat, bet) for seat in result.seats for bet in seat.returned}
    assert all(line.result in ("returned", "held") for line in settled.lines if (line.seat, line.bet) in back)


@given(st.sampled_from(games()), st.integers(0, 2**32 - 1))
@settings(max_examples=150, deadline=None)
def test_every_bet_is_in_one_place(game: str, seed: int) -> None:
    check_round(game, seed)


@pytest.mark.slow
@pytest.mark.parametrize("game", games())
def test_every_bet_of_every_game_is_in_one_place(game: str) -> None:
    for seed in range(300):
        check_round(game, seed)
