"""Rounds of every game settled by another commit and by this tree: the lines must be the same, byte for byte.

    python -m tests.support.programs.compare_settlements 517dc6e7

Rounds come from the random deals of the oracle, from dealt hands and their trouble, settlements worked on paper, poker
evenings and races, each on the terms of its maker and once more on readings and pay tables drawn by a seed. The exit
code is 1 if a settlement differs, in money or in text.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import msgspec

from benchmarks import settle as benchmark
from dealer_flow.record.result import RoundResult
from rules.facts.terms import Terms, agree
from rules.game.load import Game, game_id_of, game_ids, load_game, load_game_of
from rules.game.readings import READINGS
from rules.settle.rounds import settle, settle_on
from rules.settlement import Meter, Settlement
from tests.oracle import compare
from tests.support.dealing import races
from tests.support.dealing.hand_table import HandTable
from tests.support.evenings import poker_evenings
from tests.support.programs import compare_commits
from tests.support.reading import dealt_hands, paper

SETTLE: Final = Path(__file__).with_name("compare_settle.py")
FACES: Final = tuple(f"{rank}{suit}" for rank in "A23456789TJQK" for suit in "CDHS")
Json = dict[str, Any]


def written(result: RoundResult, terms: Terms) -> Json:
    """Return a round and the terms on which it was settled, as plain data."""
    own = {bet: table for bet, table in terms.paytables.items() if not terms.game.bets[bet].tip_for}
    return {
        "game": terms.game.id,
        "terms": {
            "paytables": own,
            "readings": dict(terms.readings),
            "rounding": terms.rounding,
            "token_cents": terms.unit_cents,
            "envy_base_cents": terms.envy_base_cents,
            "meters": {name: _meter(meter) for name, meter in terms.meters.items()},
            "limit_cents": terms.limit_cents,
            "maximum": msgspec.to_builtins(terms.maximum),
            "commission": terms.commission.text or 0,
            "rake": msgspec.to_builtins(terms.rake),
            "house_way": terms.house_way.id if terms.house_way else None,
            "accept_suspect": True,
            "runners": {str(seat): number for seat, number in terms.runners.items()},
        },
        "round": json.loads(result.to_json()),
    }


def _meter(meter: Meter) -> Json:
    rolled = [meter.rolled.hands, meter.rolled.seats] if meter.rolled is not None else None
    return {"cents": meter.cents, "seed": meter.seed_cents, "reserve": meter.reserve_cents, "rolled": rolled}


class Recorder:
    """Records settlements while its patch is active; only for games that come with the program."""

    def __init__(self) -> None:
        self.found: list[Json] = []
        self._known = frozenset(game_ids())

    def settle_on(self, result: RoundResult, terms: Terms, *waiting: Any) -> Settlement:
        """Settle, and keep the round and its terms."""
        if terms.game.id in self._known and terms.jackpot is None:
            self.found.append(written(result, terms))
        return settle_on(result, terms, *waiting)

    def record(self, count: int, seed: int) -> list[Json]:
        """Record `count` rounds of each source that is endless, and all rounds of the other sources."""
        places = [import_module(name) for name in ("rules.settle.rounds", "rules.settle.waiting")]
        with ExitStack() as patched:
            for place in places:
                patched.enter_context(patch.object(place, "settle_on", self.settle_on))
            for name in compare.GAMES:
                for _ in compare.differences(name, count, seed, Counter()):
                    pass
            for name in poker_evenings.BETTING + poker_evenings.CHOOSING:
                for number in range(max(1, count // 6)):
                    poker_evenings.evening(name, seed + number)
            for name in paper.paper_games():
                for case in paper.paper_cases(name):
                    paper.Paper(name, case).settle()
            _dealt()
            _raced(count, seed)
        self._flushes(count, seed)
        return self.found

    def _flushes(self, count: int, seed: int) -> None:
        games = [name for name in game_ids() if name.startswith("flushes-gone-wild")]
        chance = random.Random(seed)
        for number, line in enumerate(benchmark.rounds(count * 2, seed)):
            game = load_game(games[number % len(games)])
            data = _as_dealt_for(json.loads(line), game, chance)
            terms = agree(game, meters={name: Meter(10**7, 10**6) for name in game.meters()}, accept_suspect=True)
            self.found.append(written(RoundResult.from_json(json.dumps(data)), terms))


def _as_dealt_for(data: Json, game: Game, chance: random.Random) -> Json:
    """Return the round with the bets that the game knows; now and then with one that breaks a rule, a card unread, a
    dead hand."""
    if game.id != benchmark.GAME:
        data["procedure"] = {"id": game.spec.procedures[0], "sha256": "0" * 64}
    for seat in data["seats"]:
        seat["wagers"] = {bet: cents for bet, cents in seat["wagers"].items() if bet in game.bets}
        spoil = chance.random()
        if spoil < 0.03 and seat["wagers"]:
            seat["wagers"][chance.choice([*seat["wagers"]])] += chance.choice((1, 25, 500, 100_000))
        elif spoil < 0.06:
            seat["cards"][chance.randrange(5)] = "??"
        elif spoil < 0.08:
            seat["status"] = "dead"
        elif spoil < 0.1:
            seat["decision"] = "fold"
    if chance.random() < 0.04:
        data["outcome"] = chance.choice(("misdeal", "defective-deck", "progressive-only", "unreliable"))
    return data


def _dealt() -> None:
    for name in dealt_hands.games():
        for case in (dealt_hands.clean(name), *dealt_hands.cases(name)):
            if game_id_of(name):
                table = HandTable(case.game, **case.options)
                table.play(list(case.lines))
                result = table.end()
                game = load_game_of(case.game, result.options)
                meters = {each: Meter(1_000_000, seed_cents=100_000) for each in game.meters()}
                settle(result, game, meters=meters, accept_suspect=True)


def _raced(count: int, seed: int) -> None:
    chance, names = random.Random(seed), [*load_game("race-to-the-flush").bets]
    for _ in range(count):
        cards = " ".join(chance.choices(FACES, k=chance.randint(20, 40)))
        bets = {name.replace("-", "_"): 100 * chance.randint(1, 20) for name in chance.sample(names, 5)}
        with suppress(AssertionError):  # no race, or one that the table refuses
            settle(races.race(cards, **bets), load_game("race-to-the-flush"))


def varied(item: Json, chance: random.Random) -> Json:
    """Return the same round on other readings and tables; those that the terms refuse are compared, too."""
    game = load_game(item["game"])
    readings = {name: chance.choice([*READINGS[name]]) for name in game.spec.readings}
    terms = item["terms"] | {"readings": readings, "paytables": {}, "token_cents": chance.choice((1, 25, 50))}
    for bet in game.default_paytables():
        if chance.random() < 0.5 and len(tables := game.paytables_under(bet, readings)) > 1:
            terms["paytables"][bet] = chance.choice(tables)
    if game.spec.maximum is not None and chance.random() < 0.5:
        least = 10**6 * chance.randint(1, 5)
        terms["maximum"] = {"player_cents": least, "round_cents": least * 2, "least_bet_cents": 1}
    return item | {"terms": terms}


def compared(rounds: Path, was: Path, is_now: Path, show: int) -> Counter[str]:
    """Return counts by game, and print the first differences."""
    found = Counter[str]()
    with rounds.open() as items, was.open() as old, is_now.open() as new:
        for line, one, other in zip_longest(items, old, new):
            game = json.loads(line)["game"]
            found[game] += 1
            found["refused"] += one.startswith('{"error"')
            if one != other:
                found["differ"] += 1
                if found["differ"] <= show:
                    print(f"{line}  old: {one}  new: {other}")
    return found


def main(arguments: Sequence[str]) -> int:
    """Compare, print, and return an exit code that says whether both are the same."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.programs.compare_settlements", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("commit", help="the other commit")
    parser.add_argument("--rounds", type=int, default=60, help="random rounds of each game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep rounds, trees and answers there")
    parser.add_argument("--show", type=int, default=3, help="differences to print")
    args = parser.parse_args(arguments)
    commit = compare_commits.commit_of(args.commit)
    with compare_commits.folder_of(args.keep) as folder:
        rounds = folder / f"rounds-{args.rounds}-{args.seed}.ndjson"
        if not rounds.exists():
            rounds.write_text("".join(f"{json.dumps(item)}\n" for item in _made(args.rounds, args.seed)))
        was, is_now = folder / f"settled-{commit[:12]}-{args.rounds}-{args.seed}.ndjson", folder / "settled-now.ndjson"
        if not was.exists():
            compare_commits.run_in(compare_commits.tree_of(commit, folder), SETTLE, [str(rounds), str(was)], cwd=folder)
        compare_commits.run_in(compare_commits.ROOT, SETTLE, [str(rounds), str(is_now)], cwd=folder)
        found = compared(rounds, was, is_now, args.show)
    differ, refused = found.pop("differ", 0), found.pop("refused", 0)
    print(f"{found.total():,} rounds of {len(found)} games settled, {refused:,} of them refused by both")
    print(f"{differ:,} settlements differ")
    print(", ".join(f"{game} {count}" for game, count in sorted(found.items())))
    return 1 if differ else 0


def _made(count: int, seed: int) -> Iterator[Json]:
    chance = random.Random(seed)
    for item in Recorder().record(count, seed):
        yield item
        yield varied(item, chance)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
