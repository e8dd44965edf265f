"""Rounds as lines of JSON to settlements as lines of JSON on one core: the work of `dealwire settle`, layer by layer.

There is a game of each family. Rounds of Flushes Gone Wild are generated from a seed as the flow writes them: one to
eight seats, 4.5 on average with 17 bets, one hand in three folded. Those of the other games are dealt on simulated
devices. `python -m benchmarks.settle 50000 > rounds` writes rounds of Flushes Gone Wild, to time the command.
"""

import json
import platform
import random
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import permutations
from typing import Final

from benchmarks.table import Table, interleave
from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.result import RoundResult
from dealwire.cli.rounds import read_round
from dealwire.rehearsal.simulate import simulate
from dealwire.table.table import TableTerms
from protocol.cards import DECK, RANKS, SUITS
from protocol.printable import printable_json
from rules.game.load import load_game

GAME: Final = "flushes-gone-wild.co"
ROUNDS: Final = 1000
MOST_SEATS: Final = 8
PLAYS, SIDE_BET, PROGRESSIVE = 2 / 3, 0.7, 0.45
"""Shares of hands that play, of players who bet on Flush Rush, and of players who bet on the progressive."""
FAMILIES: Final = {
    "Ultimate Texas Hold'em": ("ultimate-texas-holdem.co", 5),
    "Pai Gow": ("pai-gow.co", 5),
    "Emperor's Challenge": ("emperors-challenge.co", 5),
    "Hold'em with side pots": ("holdem.co", 6),
    "Home Run": ("home-run.co", 6),
}
"""Procedure and number of players of the other games, by title."""
DEALT: Final = 40
"""Rounds of each of them that are dealt."""
_CARD: Final = re.compile(rf'"([{RANKS}])([{SUITS}])"')


def rounds(count: int, seed: int = 15) -> Iterator[bytes]:
    """Yield lines of rounds that differ in their cards, seats and bets."""
    chance, procedure = random.Random(seed), load_procedure(GAME).ref()
    deck = [card.text for card in DECK]
    for number in range(1, count + 1):
        chance.shuffle(deck)
        places = sorted(chance.sample(range(1, MOST_SEATS + 1), chance.randint(1, MOST_SEATS)))
        hands = [deck[at : at + 5] for at in range(0, 5 * (len(places) + 2), 5)]
        to = ["community", *(f"seat {place}" for place in places), "dealer"]
        left = len(deck) - 5 * len(to)
        yield json.dumps(
            {
                "schema": "dealwire.round/2",
                "type": "round",
                "table": "table-1",
                "session": "00c0ffee",
                "round": number,
                "procedure": {"id": procedure.id, "sha256": procedure.sha256},
                "options": {},
                "outcome": "complete",
                "deck": {"deck": 1 + number % 2, "loaded": len(deck)},
                "packets": [
                    {"ordinal": at, "to": place, "expected": 5, "counted": 5} for at, place in enumerate(to, 1)
                ],
                "community": hands[0][2:4],
                "burned": ["??", "??", "??"],
                "burn": {"of": "community", "positions": [1, 2, 5], "spread": "left-to-right"},
                "seats": [_seat(chance, place, hand) for place, hand in zip(places, hands[1:], strict=False)],
                "dealer": {"cards": hands[-1], "counted": 5, "expected": 5},
                "remainder": {"counted": left, "expected": left},
                "rejected": 0,
                "incidents": [],
            },
            separators=(",", ":"),
        ).encode()


def _seat(chance: random.Random, place: int, cards: list[str]) -> dict[str, object]:
    ante, plays = chance.choice((500, 1000, 2500)), chance.random() < PLAYS
    wagers = {"ante": ante, "blind": ante}
    if chance.random() < SIDE_BET:
        wagers["flush-rush"] = 500
    if chance.random() < PROGRESSIVE:
        wagers["progressive"] = 100
    if plays:
        wagers["play"] = 2 * ante
    status, decision = ("live", "play") if plays else ("folded", "fold")
    seat = {"seat": place, "status": status, "cards": cards, "counted": 5, "expected": 5, "decision": decision}
    return {**seat, "wagers": wagers}


def family(procedure: str, players: int) -> list[bytes]:
    """Return rounds dealt on simulated devices, each with its suits in every order, so that hands repeat late."""
    dealt = [
        each for each in simulate(procedure, rounds=DEALT, seed=15, players=players) if isinstance(each, RoundResult)
    ]
    found = []
    for order in permutations(SUITS):
        suits = dict(zip(SUITS, order, strict=True))
        found += [_CARD.sub(partial(_in_suits, suits), each.to_json()).encode() for each in dealt]
    return found


def _in_suits(suits: Mapping[str, str], card: re.Match[str]) -> str:
    return f'"{card[1]}{suits[card[2]]}"'


def run(seconds: float) -> Table:
    """Measure rounds of each family a second, with one line of JSON in: settled, or settled and written."""
    written = {"Flushes Gone Wild": (GAME, list(rounds(ROUNDS)))}
    written |= {name: (game, family(game, players)) for name, (game, players) in FAMILIES.items()}
    rows = [_row(name, game, lines, seconds / len(written)) for name, (game, lines) in written.items()]
    return Table(
        "Rounds settled, one core: a line of JSON in, one out",
        ["", "bets", "reading, us", "… settled, us", "… written, us", "settled/reading", "rounds/s", "bets/s"],
        rows,
        [
            f"Python {platform.python_version()}, {platform.machine()}; medians of passes in turn.",
            "us and bets are of a round; rounds/s and bets/s are settled, not written.",
            f"{ROUNDS} rounds of {GAME} from a seed; of the others {DEALT} dealt on simulated devices, their suits",
            "in every order: the ranks of their hands were met before, as five cards soon are and seven mostly.",
        ],
    )


def _row(name: str, game: str, lines: Sequence[bytes], seconds: float) -> list[str]:
    found = load_game(game)
    terms = TableTerms(found, meters=dict.fromkeys(found.meters(), 10**9), accept_suspect=True)
    settled = [terms.settle(each) for each in map(read_round, lines) if each is not None]
    bets = sum(len(each.lines) for each in settled) / len(settled)

    def read() -> None:
        for line in lines:
            read_round(line)

    def settle(*, write: bool) -> None:
        for line in lines:
            result = read_round(line)
            assert result is not None, "all of them are rounds"
            settlement = terms.settle(result)
            if write:
                printable_json(settlement.to_json())

    stages = [read, partial(settle, write=False), partial(settle, write=True)]
    reading, both, all_three = (taken / len(lines) * 1e6 for taken in interleave(stages, seconds))
    figures = (f"{reading:.1f}", f"{both:.0f}", f"{all_three:.0f}", f"{both / reading:.1f}")
    return [name, f"{bets:.1f}", *figures, f"{1e6 / both:,.0f}", f"{bets * 1e6 / both:,.0f}"]


if __name__ == "__main__":
    for line in rounds(int(sys.argv[1])):
        sys.stdout.buffer.write(line + b"\n")
