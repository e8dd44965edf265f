"""Pots settled by the program and by pokerkit, cent by cent.

    python -m tests.support.programs.compare_pots HANDS [--jobs N] [--seconds S] [FAMILY ...]

A family's hands are shared out among its forms (high, low, both).
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from typing import Final

from rules import Game, load_game, settle
from tests.support.dealing.written_rounds import must_add_up, nets
from tests.support.oracles.pokerkit_hands import FORMS, judged

FAMILIES: Final = tuple(dict.fromkeys(form.of for form in FORMS.values()))
PART: Final = 500
"""Hands that a process settles before it reports."""


def compare_hand(name: str, seed: int) -> Counter[str]:
    """Settle one hand of this form both ways; return counts of its features. An AssertionError names the difference."""
    form = FORMS[name]
    theirs = judged(form, seed)
    ours = settle(theirs.round, _game(form.game), readings=form.readings, token_cents=1)
    must_add_up(ours, theirs.round.seats)
    assert ours.status == "settled", f"{name}, seed {seed}: {ours.status}"
    found = dict.fromkeys(theirs.nets, 0) | nets(ours)
    assert found == theirs.nets, f"{name}, seed {seed}: {found}, by pokerkit {theirs.nets}"
    return Counter({"hands": 1, "side pots": theirs.pots > 1, "split": theirs.split, "other rule": theirs.differs > 0})


@cache
def _game(name: str) -> Game:
    return load_game(name)


def _part(name: str, first: int, count: int, ends: float) -> tuple[Counter[str], list[str]]:
    """Settle so many hands of a form, started before the time is over; return counts, and the errors."""
    found, wrong = Counter[str](), list[str]()
    for seed in range(first, first + count):
        if time.time() > ends:
            break
        try:
            found.update(compare_hand(name, seed))
        except Exception as error:
            wrong.append(f"{name} {seed}: {type(error).__name__}: {error}")
            print(f"\nWRONG {wrong[-1]}", file=sys.stderr, flush=True)
    return found, wrong


def _parts(families: Sequence[str], hands: int) -> Iterator[tuple[str, str, int, int]]:
    """Yield family, form, first seed and number of hands, of all families in turn: after an interruption, each has had
    about as many."""
    queues = []
    for family in families:
        forms = [name for name, form in FORMS.items() if form.of == family]
        each = -(-hands // len(forms))
        parts = [(family, name, at, min(PART, each - at)) for at in range(0, each, PART) for name in forms]
        queues.append(parts)
    for turn in range(max(map(len, queues))):
        yield from (parts[turn] for parts in queues if turn < len(parts))


def main() -> int:
    """Settle so many hands of each family; return 1 if one was settled otherwise."""
    parser = argparse.ArgumentParser(description="Pots settled by the program and by pokerkit")
    parser.add_argument("hands", type=int, help="of each family")
    parser.add_argument("families", nargs="*", default=[*FAMILIES], metavar="FAMILY", help=", ".join(FAMILIES))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=1e9, help="no hand is begun after so many")
    given = parser.parse_args()
    if unknown := [name for name in given.families if name not in FAMILIES]:
        parser.error(f"no family {unknown[0]!r}; known: {', '.join(FAMILIES)}")
    began, found, wrong = time.monotonic(), {name: Counter[str]() for name in given.families}, list[str]()
    with ProcessPoolExecutor(given.jobs) as pool:
        ends = time.time() + given.seconds
        waiting = [(part[0], pool.submit(_part, *part[1:], ends)) for part in _parts(given.families, given.hands)]
        for family, part in waiting:
            more, bad = part.result()
            found[family].update(more)
            wrong += bad
            print(
                f"\r{sum(each['hands'] for each in found.values())} hands, {len(wrong)} wrong", end="", file=sys.stderr
            )
    print(file=sys.stderr)
    for family, counted in found.items():
        print(f"{family:<16} {', '.join(f'{name} {count}' for name, count in counted.items())}")
    print(f"{len(wrong)} wrong, in {time.monotonic() - began:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
