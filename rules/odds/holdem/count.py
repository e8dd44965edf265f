"""Hold'em games against the dealer: the best play at every decision, and every deal counted under it.

The count works backwards. With the board complete, a hole knows every hand the dealer can hold, so each board and hole
is decided separately. The values are added up for each hole and flop (or flop and turn), which decides the bets there,
and then for each class of holes, which decides the bet before the flop. A second pass over the boards counts how every
deal ends under these decisions (`holdem.walks`; `holdem.showdowns` counts the showdowns of a board).

If two choices gain the same, a hand is not folded, and no unnecessary bet is made.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import lcm
from typing import Final

import numpy as np

from devices.processes import end_with_parent
from protocol.cards import RANKS_UP
from rules.odds.decide.holdem_terms import HoldemCount, HoldemEnding, HoldemTerms, Line, Net, RaiseOnce
from rules.odds.holdem.deck import Flags, HoldemDeck, Ints, Places, board_cards, folded_sets, summed_over_alike
from rules.odds.holdem.strength import CATEGORIES
from rules.odds.holdem.walks import (
    FLOP,
    SHOWDOWNS,
    TURN,
    Choices,
    Gains,
    HoldemTask,
    PayoffTerms,
    Stays,
    add_gains,
    gains_of,
    lines,
    no_gains,
    parts,
    ways_of,
)
from rules.odds.question import Progress

_PARTS: Final = 48


@dataclass(frozen=True, slots=True)
class HoldemStrategy:
    """A player's strategy, with None for the decisions left to the best play.

    `before`: the units bet before the flop with each hole, 0 for none. `flop`, `turn`: for each folded flop, or flop
    with turn (one row, given by its cards), the holes that bet. `stays`: for each of some boards, the holes that do not
    fold at the end. It must be a function of a module, because it is passed to other processes.
    """

    before: Callable[[HoldemDeck], Ints] | None = None
    flop: Callable[[HoldemDeck, Places], Flags] | None = None
    turn: Callable[[HoldemDeck, Places], Flags] | None = None
    stays: Stays | None = None


BEST_PLAY: Final = HoldemStrategy()
WHOLE_DECK: Final = HoldemDeck()


def no_progress(done: int, of: int) -> None:
    """Ignore progress."""


def count_holdem(
    terms: HoldemTerms,
    *,
    deck: HoldemDeck = WHOLE_DECK,
    strategy: HoldemStrategy = BEST_PLAY,
    workers: int = 1,
    progress: Progress = no_progress,
) -> HoldemCount:
    """Count every deal, under the best play or `strategy`, in `workers` processes."""
    task = HoldemTask(deck, terms.raises, terms.qualifier, _worth(terms), strategy.stays)
    todo = parts(deck, _PARTS)
    steps = 2 * len(todo)
    gains = no_gains(deck, terms.raises)
    ways: Ints = np.zeros((len(lines(terms.raises)), len(SHOWDOWNS), len(CATEGORIES)), dtype=np.int64)
    with _processes(workers) as pool:
        run = pool.map if pool else map
        for done, rows in enumerate(run(partial(gains_of, task), todo), 1):
            add_gains(gains, rows)
            progress(done, steps)
        choices = _decide(task, gains, strategy)
        for done, found in enumerate(run(partial(ways_of, task, choices), todo), len(todo) + 1):
            ways += found
            progress(done, steps)
    before = dict(zip(class_names(deck), choices.before.tolist(), strict=True))
    return HoldemCount(terms, _named(terms, ways), before)


@contextmanager
def _processes(workers: int) -> Iterator[ProcessPoolExecutor | None]:
    if workers < 2:
        yield None
        return
    with ProcessPoolExecutor(workers, initializer=end_with_parent) as pool:
        yield pool


def _worth(terms: HoldemTerms) -> PayoffTerms:
    def first(ending: HoldemEnding) -> Fraction:
        return sum((bet.net(ending) for bet in terms.first), Fraction(0))

    def table(net: Net, showdowns: Sequence[tuple[bool, str]], folded: bool) -> list[list[Fraction]]:
        return [[net(HoldemEnding(folded, category, *showdown)) for category in CATEGORIES] for showdown in showdowns]

    tables = [table(first, SHOWDOWNS, False), table(terms.raised, SHOWDOWNS, False), table(first, SHOWDOWNS[:1], True)]
    scale = lcm(*(value.denominator for rows in tables for row in rows for value in row))
    won, raised, folded = (np.array([[int(value * scale) for value in row] for row in rows]) for rows in tables)
    return PayoffTerms(won, raised, folded[0])


def _named(terms: HoldemTerms, ways: Ints) -> dict[tuple[Line, HoldemEnding], int]:
    found: dict[tuple[Line, HoldemEnding], int] = {}
    for at, line in enumerate(lines(terms.raises)):
        for row, showdown in enumerate(SHOWDOWNS):
            for category, name in enumerate(CATEGORIES):
                if number := int(ways[at, row, category]):
                    key = line, HoldemEnding(line.folded, name, *showdown)
                    found[key] = found.get(key, 0) + number
    return found


# ------------------------------------------------------------------ the decisions


def _decide(task: HoldemTask, gains: Gains, strategy: HoldemStrategy) -> Choices:
    deck = task.deck

    def bets(cards: int, gained: Ints, chosen: Callable[[HoldemDeck, Places], Flags] | None) -> Flags:
        if not len(gained):
            return np.zeros(gained.shape, dtype=np.bool_)
        if chosen is not None:
            return chosen(deck, board_cards(deck, folded_sets(deck, cards).masks))
        return np.asarray(summed_over_alike(deck, cards, gained) > 0)

    flop, turn = bets(FLOP, gains.flop, strategy.flop), bets(TURN, gains.turn, strategy.turn)
    before = strategy.before(deck) if strategy.before else _best_before(task, gains, flop, turn)
    return Choices(before, flop, turn)


def _best_before(task: HoldemTask, gains: Gains, flop: Flags, turn: Flags) -> Ints:
    """Return the units to bet before the flop by hole, decided by the gain of its whole class."""
    classes = np.unique(class_names(task.deck), return_inverse=True)[1]

    def of_class(gained: Ints) -> Ints:
        found = np.zeros(int(classes.max()) + 1, dtype=np.int64)
        np.add.at(found, classes, gained)
        return found[classes]

    first, raised, folded = (of_class(each) for each in (gains.first, gains.raised, gains.folded))
    at_flop, raises = of_class((gains.flop * flop).sum(axis=0)), task.raises
    if isinstance(raises, RaiseOnce):
        best, units = of_class(gains.wait.sum(axis=0)) + at_flop, np.zeros_like(first)
        for size in sorted(raises.before):
            better = first + size * raised > best
            best, units = np.where(better, first + size * raised, best), np.where(better, size, units)
        return units
    # A board is counted ten times by its flops and five times by its turns; scale both to twenty.
    later = 2 * raises.flop * at_flop + 4 * raises.turn * of_class((gains.turn * turn).sum(axis=0))
    return np.where(2 * (first + raises.call * raised) + later >= 2 * folded, raises.call, 0)


def class_names(deck: HoldemDeck) -> list[str]:
    """Return the class of each hole ignoring suits: "AA", "AKs" suited, "AKo" offsuit."""
    letters = [RANKS_UP[rank - 2] for rank in deck.ranks]
    names = []
    for low, high in deck.holes.T.tolist():
        first, second = sorted((low % len(letters), high % len(letters)), reverse=True)
        suited = "s" if deck.suit_of[low] == deck.suit_of[high] else "o"
        names.append(letters[first] + letters[second] + ("" if first == second else suited))
    return names
