"""The two passes over the boards of a hold'em game: the value of each decision, and the ending of every deal.

Both process the boards that remain after folding suits, with every hole of each. The flops within a board (and flops
with turn) are distinguished, because bets are made there. The work is divided into parts for several processes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Final

import numpy as np

from rules.odds.decide.holdem_terms import CallAndRaise, Line, RaiseOnce
from rules.odds.holdem.deck import BOARD, BoardSubsets, Flags, HoldemDeck, Ints, Places, folded_sets, inside
from rules.odds.holdem.showdowns import OUTCOMES, Boards, RivalCounts, rivals, some_boards
from rules.odds.holdem.strength import CATEGORIES, NO_HOLE, ladder

FLOP: Final = 3
TURN: Final = 4
FLOPS: Final = 10
"""Number of flops within a board; after each of them, two cards may be the turn."""
SHOWDOWNS: Final = tuple((qualified, outcome) for qualified in (True, False) for outcome in OUTCOMES)
_AT_ONCE: Final = 16
_FLOPS_IN: Final = tuple(
    [at for at, flop in enumerate(combinations(range(BOARD), FLOP)) if set(flop) <= set(turned)]
    for turned in combinations(range(BOARD), TURN)
)

Stays = Callable[[HoldemDeck, Boards], Flags]


@dataclass(frozen=True, slots=True)
class PayoffTerms:
    """The terms as integers in one unit, by category (column): the gain of the first bets and of one unit raised by
    showdown (row), and the gain of the first bets when folded."""

    first: Ints
    raised: Ints
    folded: Ints


@dataclass(frozen=True, slots=True)
class HoldemTask:
    """Data that a worker process needs; `stays` is set unless the best play decides at the end."""

    deck: HoldemDeck
    raises: RaiseOnce | CallAndRaise
    qualifier: str
    worth: PayoffTerms
    stays: Stays | None


@dataclass(slots=True)
class Gains:
    """Sums over boards, in the unit of `PayoffTerms`.

    By hole: `first` and `raised`, one unit of either played to the end, and `folded`. By folded flop and hole: `flop`,
    the gain of betting there over not betting; `wait`, the value of not betting. By folded flop with turn and hole:
    `turn`, the gain of betting there.
    """

    first: Ints
    raised: Ints
    folded: Ints
    flop: Ints
    wait: Ints
    turn: Ints

    @property
    def fields(self) -> tuple[Ints, ...]:
        """The fields, in order."""
        return self.first, self.raised, self.folded, self.flop, self.wait, self.turn


@dataclass(frozen=True, slots=True)
class Choices:
    """Decisions: units before the flop by hole; bet or not by folded flop and hole, and by folded flop with turn."""

    before: Ints
    flop: Flags
    turn: Flags


def no_gains(deck: HoldemDeck, raises: RaiseOnce | CallAndRaise) -> Gains:
    """Return gains of zero."""
    holes = deck.holes.shape[1]
    flops = folded_sets(deck, FLOP).count
    turns = folded_sets(deck, TURN).count if isinstance(raises, CallAndRaise) and raises.turn else 0
    waits = flops if isinstance(raises, RaiseOnce) else 0

    def zeros(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    return Gains(
        zeros(holes), zeros(holes), zeros(holes), zeros(flops, holes), zeros(waits, holes), zeros(turns, holes)
    )


def parts(deck: HoldemDeck, number: int) -> list[slice]:
    """Divide the list of boards into about `number` parts."""
    count = folded_sets(deck, BOARD).count
    step = -(-count // number // _AT_ONCE) * _AT_ONCE or _AT_ONCE
    return [slice(start, min(start + step, count)) for start in range(0, count, step)]


def _batches(deck: HoldemDeck, part: slice) -> Iterator[Boards]:
    boards = folded_sets(deck, BOARD)
    for start in range(part.start, part.stop, _AT_ONCE):
        yield some_boards(deck, boards, slice(start, min(start + _AT_ONCE, part.stop)))


def _gained(table: Ints, boards: Boards, found: RivalCounts) -> Ints:
    """Return the total of a table of gains by showdown and category over all rivals, for each board and hole."""
    sums = np.zeros(boards.strength.shape, dtype=np.int64)
    for row, (_, _, count) in zip(table, found.every(), strict=True):
        if (row == row[0]).all():
            sums += row[0] * count
        else:
            sums += row[ladder().category].take(boards.strength) * count
    return sums


def _if_folded(deck: HoldemDeck, worth: PayoffTerms, boards: Boards) -> Ints:
    by_strength = worth.folded[ladder().category] * deck.rivals
    by_strength[NO_HOLE] = 0
    return np.asarray(by_strength.take(boards.strength))


@dataclass(frozen=True, slots=True)
class _ShowdownGains:
    """Gains over all rivals for each board and hole: of the first bets and of one unit raised at the showdown, and of
    the first bets when folded."""

    first: Ints
    raised: Ints
    folded: Ints

    def stays(self, task: HoldemTask, boards: Boards) -> Flags:
        """Return the holes that do not fold at the end."""
        if task.stays is not None:
            return task.stays(task.deck, boards)
        return np.asarray(self.played(task) >= self.folded)

    def played(self, task: HoldemTask) -> Ints:
        """Return the gain with the bet that remains when the board is complete."""
        units = task.raises.river if isinstance(task.raises, RaiseOnce) else 0
        return self.first + units * self.raised


def _at_end(task: HoldemTask, boards: Boards, found: RivalCounts) -> _ShowdownGains:
    first, raised = (_gained(table, boards, found) for table in (task.worth.first, task.worth.raised))
    return _ShowdownGains(first, raised, _if_folded(task.deck, task.worth, boards))


# ------------------------------------------------------------------ first pass: decisions

Rows = tuple[Places, Ints]


def gains_of(task: HoldemTask, part: slice) -> list[Rows]:
    """Return the sums of a part of the boards, field by field, without empty rows."""
    deck = task.deck
    gains = no_gains(deck, task.raises)
    for boards in _batches(deck, part):
        weights = boards.weights[:, None]
        end = _at_end(task, boards, rivals(deck, boards, task.qualifier))
        gains.first += FLOPS * (weights * end.first).sum(axis=0)
        gains.raised += FLOPS * (weights * end.raised).sum(axis=0)
        gains.folded += FLOPS * (weights * end.folded).sum(axis=0)
        flops = inside(deck, boards.cards, FLOP)
        if isinstance(task.raises, RaiseOnce):
            wait = np.where(end.stays(task, boards), end.played(task), end.folded)
            _scatter(deck, flops, weights * wait, gains.wait)
            _scatter(deck, flops, weights * (end.first + task.raises.flop * end.raised - wait), gains.flop)
        else:
            _scatter(deck, flops, weights * end.raised, gains.flop)
            if task.raises.turn:
                _scatter(deck, inside(deck, boards.cards, TURN), weights * end.raised, gains.turn)
    return [_filled(field) for field in gains.fields]


def add_gains(gains: Gains, found: Sequence[Rows]) -> None:
    """Add the result of `gains_of`."""
    for field, (rows, values) in zip(gains.fields, found, strict=True):
        field[rows] += values


def _scatter(deck: HoldemDeck, subsets: BoardSubsets, values: Ints, into: Ints) -> None:
    """Add each board's row of values, with suits renamed, to the row of every subset."""
    moved = deck.moved
    for row, places, namings in zip(values, subsets.sets.tolist(), subsets.namings.tolist(), strict=True):
        for place, naming in zip(places, namings, strict=True):
            into[place] += row.take(moved[naming])


def _filled(field: Ints) -> Rows:
    rows = np.flatnonzero(field.any(axis=1) if field.ndim > 1 else field)
    return rows, field[rows]


# ------------------------------------------------------------------ second pass: endings


def lines(raises: RaiseOnce | CallAndRaise) -> list[Line]:
    """Return the player's possible lines of play, in the order of `ways_of`."""
    if isinstance(raises, RaiseOnce):
        sizes = (*raises.before, raises.flop, raises.river)
        return [Line(True, (0,)), *(Line(False, (size,)) for size in sizes)]
    later = [(0, raises.flop), *([(0, raises.turn)] if raises.turn else [])]
    return [Line(True, (0,) * (1 + len(later))), *(Line(False, (raises.call, *bets)) for bets in product(*later))]


def ways_of(task: HoldemTask, choices: Choices, part: slice) -> Ints:
    """Count deals by line of play, showdown and category, for a part of the boards."""
    deck = task.deck
    ways: Ints = np.zeros((len(lines(task.raises)), len(SHOWDOWNS), len(CATEGORIES)), dtype=np.int64)
    for boards in _batches(deck, part):
        found = rivals(deck, boards, task.qualifier)
        held = ladder().category.take(boards.strength).ravel()
        for line, times in enumerate(_orders_by_line(task, choices, boards, found)):
            if not times.any():
                continue
            weighed = times * boards.weights[:, None]
            for showdown, (_, _, count) in enumerate(found.every()):
                np.add.at(ways[line, showdown], held, (weighed * count).ravel())
    return ways


def _orders_by_line(task: HoldemTask, choices: Choices, boards: Boards, found: RivalCounts) -> Iterator[Ints]:
    """Yield, for each line of play, the number of orders of each board that lead to it, by board and hole (or by
    hole)."""
    deck, before = task.deck, choices.before
    flops = inside(deck, boards.cards, FLOP)
    at_flop = [_choice_at(deck, choices.flop, *row) for row in zip(flops.sets, flops.namings, strict=True)]
    if isinstance(task.raises, CallAndRaise) and task.raises.turn:
        yield from _times_with_turn(deck, choices, boards, at_flop)
        return
    bet = np.array([bets.sum(axis=0) for bets in at_flop])
    if isinstance(task.raises, CallAndRaise):
        plays = before != 0
        yield FLOPS * ~plays
        yield plays * (FLOPS - bet)
        yield plays * bet
        return
    stays = _at_end(task, boards, found).stays(task, boards)
    waits = before == 0
    yield waits * (FLOPS - bet) * ~stays
    for size in task.raises.before:
        yield FLOPS * (before == size)
    yield waits * bet
    yield waits * (FLOPS - bet) * stays


def _times_with_turn(deck: HoldemDeck, choices: Choices, boards: Boards, at_flop: Sequence[Ints]) -> Iterator[Ints]:
    """Yield the lines with bets at the flop and at the turn: each flop with turn contains four flops, and each flop
    belongs to two of them."""
    plays = choices.before != 0
    turns = inside(deck, boards.cards, TURN)
    both, flop, turn = [], [], []
    for bets, *row in zip(at_flop, turns.sets, turns.namings, strict=True):
        at_turn = _choice_at(deck, choices.turn, *row)
        both.append(sum(at_turn[turned] * bets[_FLOPS_IN[turned]].sum(axis=0) for turned in range(BOARD)))
        flop.append(2 * bets.sum(axis=0))
        turn.append(4 * at_turn.sum(axis=0))
    in_both, at_first, at_second = np.array(both), np.array(flop), np.array(turn)
    # Orders are counted twice here, see the comment on scaling in `count._best_before`.
    yield 2 * FLOPS * ~plays
    yield plays * (2 * FLOPS - at_first - at_second + in_both)
    yield plays * (at_second - in_both)
    yield plays * (at_first - in_both)
    yield plays * in_both


def _choice_at(deck: HoldemDeck, chosen: Flags, sets: Places, namings: Places) -> Ints:
    """Return the choice at each subset of a board (row), 0 or 1, for the holes under the board's naming of suits."""
    moved_back = deck.moved_back
    pairs = zip(sets.tolist(), namings.tolist(), strict=True)
    return np.array([chosen[place].take(moved_back[naming]) for place, naming in pairs], dtype=np.int64)
