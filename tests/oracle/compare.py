"""Settle random rounds with `rules` and with the oracle, and report every bet on which they differ.

python -m tests.oracle.compare three-card.co --rounds 100000 --seed 1
"""

import argparse
import importlib
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dealer_flow.record.result import RoundResult
from rules import Game, Meter, load_game, settle
from tests.oracle import deal, fold_doubts, settling

GAMES = (
    "208.co",
    "fortune-pai-gow.co",
    *("pai-gow.co", "western-stud.co", "three-card-split.co"),
    "caribbean-draw.co",
    *("texas-holdem-bonus.co", "champion.co", "champion.co-seven", "high-five.co", "wild-six.co"),
    *("bonus-6.co", "boston-5.co", "boston-7.co", "3-5-7.co"),
    *("emperors-challenge.co", "texas-shootout.co"),
    *("ultimate-texas-holdem.co", "mississippi-stud.co", "crazy-4.co", "vegas-double-action.co"),
    *("colorado-holdem.co", "colorado-holdem.co-2", "players-choice.co", "players-choice.co-five", "prospector.co"),
    *("caribbean-stud.co", "let-it-ride.co", "three-card.co"),
)
"""Games with an oracle. A game's module has its name as a Python identifier: `three_card` for `three-card.co`,
`game_3_5_7` for `3-5-7.co`."""


@dataclass(frozen=True)
class Difference:
    """One bet on which the two differ; None if an engine has no line for it."""

    seat: int
    bet: str
    product: settling.Line | None
    oracle: settling.Line | None
    why: str
    """The product's reason."""
    data: dict[str, Any]
    terms: settling.Terms

    def __str__(self) -> str:
        facts = json.dumps(self.data, separators=(",", ":"))
        both = f"rules {self.product}, oracle {self.oracle}: {self.why}"
        return f"seat {self.seat} {self.bet}: {both}\n  {self.terms}\n  {facts}"


def module_of(game: str) -> Any:
    """Return the oracle's module of a game."""
    name = game.replace(".co", "").replace("-", "_")
    return importlib.import_module(f"tests.oracle.games.{'game_' if name[0].isdigit() else ''}{name}")


def terms_of(game: Any, rng: random.Random) -> settling.Terms:
    """Choose the house's options for one round: pay tables, the meter and its seed, the smallest token."""
    tables = {bet: rng.choice(list(printed)) for bet, printed in game.TABLES.items() if rng.random() < 0.7}
    for one, other in getattr(game, "PRINTED_IN_PAIRS", ()):  # printed side by side, and chosen together
        ones, others = list(game.TABLES[one]), list(game.TABLES[other])
        if one in tables:
            tables[other] = others[ones.index(tables[one])]
        else:
            tables.pop(other, None)
    meter = rng.choice((None, rng.randint(100_000, 50_000_000), rng.randint(100_000, 50_000_000)))
    seed = rng.choice((None, 1_000_000))
    token = rng.choice((25, 25, 1))
    percent = rng.choice(game.COMMISSION[1]) if hasattr(game, "COMMISSION") else "0"
    return settling.Terms(tables, meter, seed if meter is not None else None, token, Fraction(percent))


def by_rules(
    game: Game, data: dict[str, Any], terms: settling.Terms
) -> tuple[settling.Lines, dict[tuple[int, str], str]]:
    """Return the result of `rules`, with a seat's envy lines combined and commission deducted; and its reasons."""
    meters = {"meter": Meter(terms.meter_cents, terms.seed_cents)} if terms.meter_cents is not None else None
    settlement = settle(
        RoundResult.from_json(json.dumps(data)),
        game,
        paytables=terms.tables,
        rounding="down-to-token" if terms.token_cents > 1 else "down-to-cent",
        meters=meters if "progressive" in game.bets else None,
        commission=str(float(terms.commission)) if terms.commission else 0,
        accept_suspect=True,
    )
    lines: settling.Lines = {}
    for line in settlement.lines:
        before = lines.get((line.seat, line.bet), ("", 0, 0))
        result = "held" if "held" in (before[0], line.result) else line.result
        lines[line.seat, line.bet] = (result, before[1] + line.pay - line.commission, before[2] + line.returned)
    return lines, {(line.seat, line.bet): line.why for line in settlement.lines}


def differences(name: str, rounds: int, seed: int, tally: Counter[str]) -> Iterator[Difference]:
    """Yield the differences of random rounds settled both ways; `tally` counts them, their bet lines and the
    results."""
    module = module_of(name)
    game = load_game(name)
    rng = random.Random(f"{name} {seed}")
    for number in range(1, rounds + 1):
        data = deal.deal(module.LAYOUT, rng, number)
        terms = terms_of(module, rng)
        expected = settling.settle(data, terms, module)
        found, reasons = by_rules(game, data, terms)
        tally.update(rounds=1, lines=len(expected))
        tally.update(line[0] for line in expected.values())
        for key in sorted({*expected, *found}):
            if expected.get(key) != found.get(key):
                tally.update(differences=1)
                yield Difference(*key, found.get(key), expected.get(key), reasons.get(key, ""), data, terms)


def differences_in_doubt(name: str, rounds: int, seed: int, tally: Counter[str]) -> Iterator[Difference]:
    """Yield the differences of rounds in which it is uncertain whether a hand folded."""
    module, game = module_of(name), load_game(name)
    rng = random.Random(f"{name} {seed} in doubt")
    dealt = (deal.deal(module.LAYOUT, rng, number) for number in range(1, rounds + 1))
    for said, true, number in fold_doubts.doubtful_rounds(name, dealt, rng):
        terms = terms_of(module, rng)
        expected = fold_doubts.settle(said, true, number, terms, module, name)
        found, reasons = by_rules(game, said, terms)
        tally.update(rounds=1, lines=len(expected))
        tally.update(line[0] for line in expected.values())
        for key in sorted({*expected, *found}):
            if expected.get(key) != found.get(key):
                tally.update(differences=1)
                yield Difference(*key, found.get(key), expected.get(key), reasons.get(key, ""), said, terms)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", help="all of them when none is named")
    parser.add_argument("--rounds", type=int, default=100_000, help="a game, default 100,000")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=10, help="how many differences of a game to print in full")
    options = parser.parse_args(arguments)
    differing = 0
    for name in options.games or GAMES:
        tally: Counter[str] = Counter(rounds=0, lines=0, differences=0)
        for index, each in enumerate(differences(name, options.rounds, options.seed, tally)):
            if index < options.show:
                print(each)
        print(name, ", ".join(f"{count:,} {what}" for what, count in tally.items()), flush=True)
        differing += tally["differences"]
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
