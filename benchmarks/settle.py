"""Rounds as lines of JSON to settlements as lines of JSON, one core: what `dealwire settle` does, layer by layer.

The rounds are made up from a seed: one to eight seats of Flushes Gone Wild, 4.5 on the average with 17 bets, one hand
in three folded, as the flow writes them. `python -m benchmarks.settle 50000 > rounds` writes some, to time the command.
"""

import json
import platform
import random
import sys
from collections.abc import Iterator
from functools import partial
from typing import Final

from benchmarks.table import Table, interleave
from dealer_flow.procedure.load import load_procedure
from dealwire.cli.round_lines import read_round
from dealwire.table.table import TableTerms
from protocol.cards import DECK
from protocol.printable import printable_json
from rules.game import load_game

GAME: Final = "flushes-gone-wild.co"
ROUNDS: Final = 1000
MOST_SEATS: Final = 8
PLAYS, SIDE_BET, PROGRESSIVE = 2 / 3, 0.7, 0.45
"""How many hands of all play, and how many players bet on Flush Rush and on the progressive."""


def rounds(count: int, seed: int = 15) -> Iterator[bytes]:
    """Lines of rounds that differ in their cards, seats and bets."""
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


def run(seconds: float) -> Table:
    """Rounds a second, each row with all that the rows before it do."""
    lines, terms = list(rounds(ROUNDS)), TableTerms(load_game(GAME), meters={"meter": 10**9})
    settled = [terms.settle(found) for found in map(read_round, lines) if found is not None]
    bets = sum(len(each.lines) for each in settled)

    def read() -> None:
        for line in lines:
            read_round(line)

    def settle(*, write: bool) -> None:
        for line in lines:
            found = read_round(line)
            assert found is not None, "all of them are rounds"
            settlement = terms.settle(found)
            if write:
                printable_json(settlement.to_json())

    stages = {"read": read, "… settled": partial(settle, write=False), "… written": partial(settle, write=True)}
    medians = dict(zip(stages, interleave(list(stages.values()), seconds), strict=True))
    rows = [
        [name, f"{taken / ROUNDS * 1e6:.0f}", f"{ROUNDS / taken:,.0f}", f"{bets / taken:,.0f}"]
        for name, taken in medians.items()
    ]
    return Table(
        "Rounds settled, one core",
        ["", "us a round", "rounds/s", "bets/s"],
        rows,
        [
            f"Python {platform.python_version()}, {platform.machine()}; medians of passes in turn.",
            f"{ROUNDS} rounds of {GAME} with {bets / ROUNDS:.1f} bets each, a line of JSON in, one out.",
        ],
    )


if __name__ == "__main__":
    for line in rounds(int(sys.argv[1])):
        sys.stdout.buffer.write(line + b"\n")
