"""Evenings of player-banked poker through flow and settlement: `python -m tests.support.poker_evenings EVENINGS
[--jobs N] [--seed N] [--seconds S] [GAME ...]`.

An evening is a table of some players of different styles, who buy chips, bet, raise and fold by a seed, for a few hands
under options, readings and a rake drawn from the same seed. Nothing goes wrong in it, so: no incident, nothing held,
every chip somewhere (chips behind, what was won, the rake and the jackpot come to what was bought), the rake within
its limit, and nobody has more of the pots than each of the others put in as far as the winner did.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from random import Random
from typing import Final

from dealer_flow.procedure.load import Procedure, known_procedures, load_procedure
from dealer_flow.record.result import RoundResult
from dealwire.rehearsal.bettors import STYLES
from rules.game import Game, game_id_of, load_game
from rules.settle import settle_on
from rules.settlement import HouseRake, Settlement
from rules.terms import Terms, agree
from tests.support.poker_hands import DealtHand, HandsDealt, Player, rehearsed

BETTING: Final = tuple(name for name in known_procedures() if load_procedure(name).betting is not None)
"""Every game in which players bet against each other."""
CHOOSING: Final = tuple(
    name for name in ("eighty-eight.co", "joker.co", "longhorn.co", "trips.co") if name in known_procedures()
)
"""Every game in which they put into a pot by what they choose."""
HANDS: Final = 3
"""Of an evening at most."""
MOST: Final = {"draw": 5, "seven": 6}
"""Players, where the deck is short: of a draw, and of seven cards each."""
VARIED: Final = ("ante", "bet-or-fold", "bring-in", "check-and-raise", "fifth-card", "first-on-board", "form")
RAKES: Final = (None, HouseRake("10", 400), HouseRake("5", None, 50, 100), HouseRake("2.5", 300, 25, 200))


def evening(name: str, seed: int) -> Counter[str]:
    """One evening; what it had, by what was counted. AssertionError says what is wrong, with the seed."""
    random = Random(f"{name} {seed}")
    options = _options(name, random)
    rake = random.choice(RAKES) if name in BETTING else None
    terms = _terms(name, options, _readings(name, options, random), rake, random.choice((1, 25)))
    table = HandsDealt(rehearsed(name, options), random, _players(name, random))
    found, button = Counter[str](evenings=1), 0
    for _ in range(random.randint(2, HANDS)):
        seats = sorted(random.sample(table.players, random.randint(2, len(table.players))), key=lambda each: each.seat)
        button = next((each.seat for each in seats if each.seat > button), seats[0].seat) if _has_button(name) else 0
        hand = table.hand(seats, button)
        result = table.end()
        where = f"{name}, seed {seed}, hand {table.round}"
        assert not table.incidents, f"{where}: {[str(each) for each in table.incidents]}"
        assert result.outcome == "complete", f"{where}: {result.outcome}"
        assert result.button == (button or None), where
        found += _counted(hand, result)
        if terms is not None:
            settlement = settle_on(result, terms)
            _must_be_right(where, hand, settlement, rake)
            found += _paid(settlement)
            if name in BETTING:
                _take(table, hand, settlement)
                _all_there(where, table, found)
        elif name in BETTING:
            table.money.give_back()
    return found


# ------------------------------------------------------------------ what an evening is


def _options(name: str, random: Random) -> tuple[tuple[str, str], ...]:
    chosen = {}
    for option in _procedure(name).option:
        if option.name in (*VARIED, "raises-per-round") and random.random() < 0.5:
            chosen[option.name] = random.choice(option.allowed)
    return tuple(chosen.items())


def _readings(name: str, options: tuple[tuple[str, str], ...], random: Random) -> tuple[tuple[str, str], ...]:
    """Readings under which somebody always wins: one that restricts the only hands there are may leave a pot open."""
    game = _game(name, options)
    spec = game.spec if game is not None else None
    if spec is None or spec.pot is None or spec.pot.high is None or spec.pot.low is None:
        return ()
    return tuple(
        (reading, random.choice((*_allowed(name, reading),)))
        for reading in ("low-qualifier", "hi-lo-ties")
        if reading in spec.readings and random.random() < 0.5
    )


def _allowed(name: str, reading: str) -> tuple[str, ...]:
    return ("none", "eight-or-better") if reading == "low-qualifier" else ("halves", "three-quarters")


@cache
def _terms(
    name: str,
    options: tuple[tuple[str, str], ...],
    readings: tuple[tuple[str, str], ...],
    rake: HouseRake | None,
    token: int,
) -> Terms | None:
    game = _game(name, options)
    return agree(game, readings=dict(readings), rake=rake, token_cents=token) if game is not None else None


@cache
def _procedure(name: str) -> Procedure:
    return load_procedure(name)


@cache
def _game(name: str, options: tuple[tuple[str, str], ...]) -> Game | None:
    game = game_id_of(name, dict(options))
    return load_game(game) if game is not None else None


def _players(name: str, random: Random) -> list[Player]:
    most = next((most for part, most in MOST.items() if name.startswith(part)), 9)
    last = min(_procedure(name).seats.most, 10)
    styles = [style for style in STYLES if style] if random.random() < 0.9 else [*STYLES]
    seats = sorted(random.sample(range(1, last + 1), random.randint(2, min(most, last))))
    stakes = (600, 1_500, 4_000, 10_000, 20_000, 40_000)
    return [Player(number, random.choice(styles), random.choice(stakes)) for number in seats]


@cache
def _has_button(name: str) -> bool:
    return any(step.selects_first for step in _procedure(name).step)


# ------------------------------------------------------------------ what it must come to


def _must_be_right(where: str, hand: DealtHand, settlement: Settlement, rake: HouseRake | None) -> None:
    held = [line.why for line in settlement.lines if line.result == "held"]
    assert not held, f"{where}: held: {held}"
    assert not any(pot.held for pot in settlement.pots), f"{where}: a pot is held"
    sides = settlement.totals
    assert sides.players + sides.house + sides.meters == 0, f"{where}: {sides}"
    staked = {seat.seat: seat.staked for seat in settlement.seats}
    assert staked == {number: cents for number, cents in hand.staked.items() if number in staked}, f"{where}: {staked}"
    assert sum(staked.values()) == sum(hand.staked.values()), f"{where}: {staked}"
    nets = {seat.seat: seat.net for seat in settlement.seats}
    assert sum(nets.values()) == sides.players, f"{where}: {nets}"
    if hand.betting:
        _must_be_shared(where, hand, settlement, rake)


def _must_be_shared(where: str, hand: DealtHand, settlement: Settlement, rake: HouseRake | None) -> None:
    """No more than there is: of a pot, of all of them, and of what others put in as far as the winner did."""
    put, won = hand.staked, Counter[int]()
    taken = sum(pot.rake for pot in settlement.pots)
    for pot in settlement.pots:
        of_it = sum(winner.cents for winner in pot.winners)
        assert of_it + pot.rake + pot.jackpot_rake == pot.cents, f"{where}: {pot}"
        for winner in pot.winners:
            assert winner.seat in {*pot.contenders} - hand.folded, f"{where}: {pot}"
            won[winner.seat] += winner.cents
    back = Counter[int]()
    for line in settlement.lines:
        if line.result == "returned":
            back[line.seat] += line.returned
    for number, cents in won.items():
        reach = sum(min(put[other], put[number]) for other in put)
        assert cents + back[number] <= reach, f"{where}: seat {number} has {cents} of {reach}"
    assert sum(won.values()) + sum(back.values()) + taken + settlement.totals.meters == sum(put.values()), where
    most = HouseRake("0") if rake is None else rake
    assert all(100 * pot.rake <= pot.cents * 10 for pot in settlement.pots), f"{where}: more than ten percent"
    assert most.cap_cents is None or taken <= most.cap_cents, f"{where}: {taken} is over the cap"
    assert settlement.totals.meters <= most.jackpot_cents, f"{where}: {settlement.totals}"
    assert settlement.totals.house == taken, where


def _take(table: HandsDealt, hand: DealtHand, settlement: Settlement) -> None:
    """The chips go where they were won."""
    nets = {seat.seat: seat.net for seat in settlement.seats}
    for number, cents in hand.staked.items():
        table.chips.win(number, cents + nets.get(number, 0))


def _all_there(where: str, table: HandsDealt, found: Counter[str]) -> None:
    """What was bought is behind, or was taken by the house or for the jackpot, this evening."""
    chips = table.chips
    assert all(cents >= 0 for cents in chips.behind.values()), f"{where}: {chips.behind}"
    assert sum(chips.bought.values()) == sum(chips.behind.values()) + found["taken"], f"{where}: {chips}"


def _counted(hand: DealtHand, result: RoundResult) -> Counter[str]:
    live = [seat for seat in result.seats if seat.status == "live"]
    all_in = sum(seat.stake is not None and sum(seat.wagers.values()) == seat.stake for seat in result.seats)
    return Counter(hands=1, actions=hand.actions, showdowns=len(live) > 1, all_ins=all_in)


def _paid(settlement: Settlement) -> Counter[str]:
    winners = [pot.winners for pot in settlement.pots]
    taken = settlement.totals.house + settlement.totals.meters if settlement.pots else 0
    split = any(len(each) > 1 for each in winners)
    return Counter(settled=1, pots=len(winners), side_pots=len(winners) > 1, split=split, taken=taken)


# ------------------------------------------------------------------ many of them


def evenings(games: tuple[str, ...], first: int, count: int, seconds: float) -> tuple[Counter[str], list[str]]:
    """Evenings from this seed on, a game after the other, for so long at most; what is wrong, in words."""
    found, wrong, ends = Counter[str](), list[str](), time.monotonic() + seconds
    for seed in range(first, first + count):
        name = games[seed % len(games)]
        try:
            had = evening(name, seed)
        except Exception as error:
            wrong.append(f"{name} {seed}: {type(error).__name__}: {error}")
            continue
        found += had
        found[name] += 1
        if time.monotonic() > ends:
            break
    return found, wrong


def _parts(count: int, first: int, size: int = 500) -> Iterator[tuple[int, int]]:
    for start in range(first, first + count, size):
        yield start, min(size, first + count - start)


def main() -> int:
    """So many evenings; 1 when one went wrong."""
    parser = argparse.ArgumentParser(description="Evenings of player-banked poker through flow and settlement")
    parser.add_argument("evenings", type=int)
    parser.add_argument("games", nargs="*", default=[*BETTING, *CHOOSING])
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9, help="no evening is begun after so many")
    given = parser.parse_args()
    began, found, wrong = time.monotonic(), Counter[str](), list[str]()
    with ProcessPoolExecutor(given.jobs) as pool:
        left = given.seconds
        waiting = [
            pool.submit(_part, tuple(given.games), first, count, time.time() + left)
            for first, count in _parts(given.evenings, given.seed)
        ]
        for part in waiting:
            more, bad = part.result()
            found += more
            wrong += bad
            print(f"\r{found['evenings']} evenings, {len(wrong)} wrong", end="", file=sys.stderr)
    took = time.monotonic() - began
    print(file=sys.stderr)
    for each in wrong[:20]:
        print(f"WRONG {each}")
    print(f"{found['evenings']} evenings, {found['hands']} hands in {took:.0f} s, {len(wrong)} wrong")
    print(", ".join(f"{each} {count}" for each, count in found.items() if each not in given.games))
    print(", ".join(f"{each} {found[each]}" for each in given.games))
    return 1 if wrong else 0


def _part(games: tuple[str, ...], first: int, count: int, ends: float) -> tuple[Counter[str], list[str]]:
    left = ends - time.time()
    return evenings(games, first, count, left) if left > 0 else (Counter(), [])


if __name__ == "__main__":
    sys.exit(main())
