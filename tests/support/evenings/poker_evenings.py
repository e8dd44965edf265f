"""Evenings of player-banked poker through flow and settlement.

    python -m tests.support.evenings.poker_evenings EVENINGS [--jobs N] [--seed N] [--seconds S] [GAME ...]

An evening is a table of some players of different styles, who buy chips, bet, raise and fold by a seed, for a few hands
under options, readings and a rake drawn from the same seed. Nothing goes wrong in it, so: no incident, nothing held,
every chip somewhere (chips behind, winnings, the rake and the jackpot sum to what was bought), the rake within its
limit, and no player gets more of the pots than each of the others put in up to the winner's own amount.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from functools import cache
from random import Random
from typing import Final

from msgspec.structs import replace

from dealer_flow.procedure.load import Procedure, known_procedures, load_procedure
from dealer_flow.record.result import RoundResult
from dealwire.rehearsal.bettors import STYLES
from dealwire.table.table import TableTerms
from rules.game.load import Game, game_id_of, load_game
from rules.settlement import HouseRake, Settlement
from tests.support.evenings.poker_hands import DealtHand, HandsDealt, Player, rehearsed

BETTING: Final = tuple(
    name
    for name in known_procedures()
    if load_procedure(name).betting is not None and load_procedure(name).device != "hand"
)
"""Every game in which players bet against each other, out of a shoe."""
CHOOSING: Final = tuple(
    name for name in ("eighty-eight.co", "joker.co", "longhorn.co", "trips.co") if name in known_procedures()
)
"""Every game in which players put into a pot by their choices."""
PITCHED: Final = tuple(
    name for name in (f"{each}-hand" for each in (*BETTING, *CHOOSING)) if name in known_procedures()
)
"""Those of them that are dealt out of the hand, too."""
HANDS: Final = 3
"""Most hands of an evening."""
MOST: Final = {"draw": 5, "seven": 6}
"""Most players where the deck is short: of a draw, and of seven cards each."""
VARIED: Final = ("ante", "bet-or-fold", "bring-in", "check-and-raise", "fifth-card", "first-on-board", "form")
HOUSE: Final = ("bring-in-tie", "heads-up-blinds", "short-all-in", "short-blind")
"""Options by which card rooms differ from the letter."""
SHARES: Final = ("5", "50", "95")
"""Percent of a rolling pot that the best hand gets."""
RAKES: Final = (None, HouseRake("10", 400), HouseRake("5", None, 50, 100), HouseRake("2.5", 300, 25, 200))


def evening(name: str, seed: int, settled: list[Settlement] | None = None) -> Counter[str]:
    """Play one evening and return counts of what occurred; an AssertionError names the error and the seed.

    A game out of the hand has the same evening as out of a shoe: the same cards, bets and choices. `settled` takes the
    settlements.
    """
    random = Random(f"{name.removesuffix('-hand')} {seed}")
    options = _options(name, random)
    terms = _terms(name, options, random)
    table = HandsDealt(rehearsed(name, options), random, _players(name, random))
    if random.random() < 0.5:  # players come in between the blinds
        table.house |= {"post": 200, "dead-post": 100}
    found, button = Counter[str](evenings=1), 0
    for _ in range(random.randint(2, HANDS)):
        least = len(table.players) if _rolls(terms) else 2
        some = random.sample(table.players, random.randint(least, len(table.players)))
        seats = sorted(some, key=lambda each: each.seat)
        button = next((each.seat for each in seats if each.seat > button), seats[0].seat) if _has_button(name) else 0
        hand = table.hand(seats, button)
        result = table.end()
        where = f"{name}, seed {seed}, hand {table.round}"
        assert not table.incidents, f"{where}: {[str(each) for each in table.incidents]}"
        assert result.outcome == "complete", f"{where}: {result.outcome}"
        assert result.button == (button or None), where
        found.update(_counted(hand, result))
        if terms is not None:
            settlement = terms.settle(result)
            if settled is not None:
                settled.append(settlement)
            _must_be_right(where, hand, settlement)
            found.update(_paid(settlement))
            if hand.betting:
                _must_be_shared(where, hand, settlement, terms)
                _take(table, hand, settlement)
                _all_there(where, table, found)
        elif hand.betting:
            table.money.give_back()
    return found


# ------------------------------------------------------------------ an evening


def _options(name: str, random: Random) -> tuple[tuple[str, str], ...]:
    chosen = {}
    for option in _procedure(name).option:
        if option.name in (*VARIED, *HOUSE, "raises-per-round") and random.random() < 0.5:
            chosen[option.name] = random.choice(option.allowed)
    return tuple(chosen.items())


def _readings(game: Game, random: Random) -> dict[str, str]:
    """Return readings under which someone always wins: one that restricts the only hands may leave a pot open, and a
    person may decide about beaten or tied hands."""
    pot, may = game.spec.pot, dict[str, tuple[str, ...]]({"high-hand-share": SHARES})
    may |= {"beaten-hands": ("highest",), "tied-shares": ("divided",)}
    if pot is not None and pot.high is not None and pot.low is not None:
        may |= {"low-qualifier": ("none", "eight-or-better"), "hi-lo-ties": ("halves", "three-quarters")}
        may |= {"odd-chip-low": ("high-hand", "by-position")}
    return {name: random.choice(may[name]) for name in may if name in game.spec.readings}


def _terms(name: str, options: tuple[tuple[str, str], ...], random: Random) -> TableTerms | None:
    """Return terms as a house sets them, with amounts on its meters."""
    game = _game(name, options)
    if game is None:
        return None
    meters = {meter: random.randrange(0, 500_000) for meter in game.meters()}
    rake = random.choice(RAKES) if game.spec.pot is not None and game.spec.pot.rake is not None else None
    if rake is not None and game.spec.pool is not None:
        rake = replace(rake, pool_percent="5")
    if rake is not None and game.spec.pot is not None and game.spec.pot.jackpot_rake is None:
        rake = replace(rake, jackpot_cents=0)
    token = random.choice((1, 25))
    return TableTerms(game, readings=_readings(game, random), meters=meters, token_cents=token, rake=rake)


def _rolls(terms: TableTerms | None) -> bool:
    """Return True if the game's pot rolls over; no one may sit out of such a pot."""
    return terms is not None and terms.game.spec.pot is not None and terms.game.spec.pot.rolls is not None


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


# ------------------------------------------------------------------ checks


def _must_be_right(where: str, hand: DealtHand, settlement: Settlement) -> None:
    held = {line.why for line in settlement.lines if line.result == "held"}
    assert not held, f"{where}: held: {held}"
    assert not any(pot.held for pot in settlement.pots), f"{where}: a pot is held"
    sides = settlement.totals
    assert sides.players + sides.house + sides.meters == 0, f"{where}: {sides}"
    staked = {seat.seat: seat.staked for seat in settlement.seats}
    assert staked == {number: cents for number, cents in hand.staked.items() if cents}, f"{where}: {staked}"
    assert sum(seat.net for seat in settlement.seats) == sides.players, f"{where}: {sides}"
    for meter in settlement.meters:
        assert meter.after == meter.before + meter.contributed - meter.paid + (meter.reseeded or 0), f"{where}: {meter}"


def _must_be_shared(where: str, hand: DealtHand, settlement: Settlement, terms: TableTerms) -> None:
    """Check that no one gets more than there is: of a pot, of all pots, and of what others put in up to the winner's
    own amount."""
    beside = [bet.name for bet in terms.game.spec.bets if bet.kind != "to-pot"]
    dead = sum(bets.get("dead-post", 0) for bets in hand.put.values())  # to the main pot, matched by nobody
    put = {
        number: sum(bets[bet] for bet in bets if bet not in (*beside, "dead-post")) for number, bets in hand.put.items()
    }
    won, back = Counter[int](), Counter[int]()
    for pot in settlement.pots:
        of_it = sum(winner.cents for winner in pot.winners)
        assert of_it + pot.rake + pot.jackpot_rake == pot.cents, f"{where}: {pot}"
        for winner in pot.winners:
            assert winner.seat in pot.contenders, f"{where}: {pot}"
            # a folded seat may win only what no remaining hand could match
            assert winner.seat not in hand.folded or len(pot.contenders) == 1, f"{where}: {pot}"
            won[winner.seat] += winner.cents
    for line in settlement.lines:
        back[line.seat] += line.returned if line.result == "returned" and line.bet not in beside else 0
    before = sum(pot.forfeited for pot in settlement.pots) + dead
    for number, cents in won.items():
        reach = before + sum(min(put[other], put[number]) for other in put)
        assert cents + back[number] <= reach, f"{where}: seat {number} has {cents} of {reach}"
    taken, jackpot = sum(pot.rake for pot in settlement.pots), sum(pot.jackpot_rake for pot in settlement.pots)
    assert sum(won.values()) + sum(back.values()) + taken + jackpot == sum(put.values()) + before, where
    cut, pool = {pot.name for pot in settlement.pots} | {"uncalled"}, settlement.pool
    aside = sum(line.net for line in settlement.lines if line.bet not in cut)
    of_pool = pool.rake if pool is not None else 0
    assert settlement.totals.house == taken + of_pool, f"{where}: {settlement.totals}"
    assert settlement.totals.meters == jackpot - aside - of_pool - before + dead, f"{where}: {settlement.totals}"
    most = terms.rake or HouseRake()
    percent = Fraction(most.percent) / 100
    assert percent <= Fraction(1, 10), f"{where}: {most}"
    assert all(pot.rake <= pot.cents * percent for pot in settlement.pots), f"{where}: {most}"
    assert most.cap_cents is None or taken <= most.cap_cents, f"{where}: {taken} is over the cap"
    assert jackpot <= most.jackpot_cents <= 200, f"{where}: {jackpot} for the jackpot"


def _take(table: HandsDealt, hand: DealtHand, settlement: Settlement) -> None:
    """Move the chips to those who won them."""
    nets = {seat.seat: seat.net for seat in settlement.seats}
    for number, cents in hand.staked.items():
        table.chips.win(number, cents + nets.get(number, 0))


def _all_there(where: str, table: HandsDealt, found: Counter[str]) -> None:
    """Check that every chip bought is behind a seat or was taken by the house or for the jackpot, this evening."""
    chips = table.chips
    assert all(cents >= 0 for cents in chips.behind.values()), f"{where}: {chips.behind}"
    assert sum(chips.bought.values()) == sum(chips.behind.values()) + found["taken"], f"{where}: {chips}"


def _counted(hand: DealtHand, result: RoundResult) -> Counter[str]:
    live = [seat for seat in result.seats if seat.status == "live"]
    all_in = sum(seat.stake is not None and sum(seat.wagers.values()) == seat.stake for seat in result.seats)
    return Counter(hands=1, actions=hand.actions, showdowns=len(live) > 1, all_ins=all_in)


def _paid(settlement: Settlement) -> Counter[str]:
    winners, sides = [pot.winners for pot in settlement.pots], settlement.totals
    return Counter(
        settled=1,
        pots=len(winners),
        side_pots=len(winners) > 1,
        split=any(len(each) > 1 for each in winners),
        rake=sum(pot.rake for pot in settlement.pots),
        taken=sides.house + sides.meters,
    )


# ------------------------------------------------------------------ many evenings


def evenings(games: tuple[str, ...], first: int, count: int, seconds: float) -> tuple[Counter[str], list[str]]:
    """Play evenings from this seed on, one game after the other, for so long at most; return counts, and the errors."""
    found, wrong, ends = Counter[str](), list[str](), time.monotonic() + seconds
    for seed in range(first, first + count):
        name = games[seed % len(games)]
        try:
            had = evening(name, seed)
        except Exception as error:
            wrong.append(f"{name} {seed}: {type(error).__name__}: {error}")
            print(f"\nWRONG {wrong[-1]}", file=sys.stderr, flush=True)
            continue
        found.update(had)
        found[name] += 1
        if time.monotonic() > ends:
            break
    return found, wrong


def _parts(count: int, first: int, size: int = 500) -> Iterator[tuple[int, int]]:
    for start in range(first, first + count, size):
        yield start, min(size, first + count - start)


def main() -> int:
    """Play so many evenings; return 1 if one went wrong."""
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
            found.update(more)
            wrong += bad
            print(f"\r{found['evenings']} evenings, {len(wrong)} wrong", end="", file=sys.stderr)
    took = time.monotonic() - began
    print(file=sys.stderr)
    print(f"{found['evenings']} evenings, {found['hands']} hands in {took:.0f} s, {len(wrong)} wrong")
    print(", ".join(f"{each} {count}" for each, count in found.items() if each not in (*given.games, "taken")))
    print(", ".join(f"{each} {found[each]}" for each in given.games))
    return 1 if wrong else 0


def _part(games: tuple[str, ...], first: int, count: int, ends: float) -> tuple[Counter[str], list[str]]:
    left = ends - time.time()
    return evenings(games, first, count, left) if left > 0 else (Counter(), [])


if __name__ == "__main__":
    sys.exit(main())
