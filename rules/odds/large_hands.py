"""One hand against the dealer's when each is the best of more cards: seven against seven.

Hands are taken class by class from the weakest up. For every set of cards that a hand can hold, suits apart, a running
number says how many of the hands so far hold it; from these follows how many weaker hands share no card with the next
one: all, less those that hold one of its cards, plus those that hold two of them, and so on. A round through the hands
of one strength first reads the numbers (weaker hands), then adds the hands to them, then reads again (and equal ones).

NumPy is imported by this module and by nothing that deals or settles.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import comb, factorial
from typing import Final

import numpy as np
import numpy.typing as npt

from protocol.cards import Card
from rules.odds.card_sets import CardSets, places
from rules.odds.placed_sets import Ints, Sets
from rules.odds.question import Progress
from rules.odds.versus import STATES, AgainstHand, Cases, first_cases

_Numbers = list[npt.NDArray[np.int32]]
"""By size: [hand, choice of so many of its cards] -> class of the set."""

_ROUNDS: Final = 3
"""What progress counts each hand as: once for its strength, twice for the showdowns."""
_AT_ONCE: Final = 100_000
"""Hands whose sets are numbered together: some hundred megabytes."""


@dataclass(frozen=True)
class LargeContest:
    """Hands of `cards` cards, of which the best `uses` count, by `rank`; the player decides when he has `seen` so many.

    `qualifies`: a dealer's hand of that standing plays. `name` may give a hand's kind another name, by all of its
    cards: for every class whose best cards are of a kind in `fine`, and once for each other kind, for all hands of it.
    """

    rank: Callable[[Sequence[Card]], AgainstHand]
    qualifies: Callable[[AgainstHand], bool] = lambda _: True
    cards: int = 7
    uses: int = 5
    seen: int = 7
    deck: CardSets = field(default_factory=CardSets)
    name: Callable[[Hashable, Sequence[Card]], Hashable] | None = None
    fine: frozenset[Hashable] = frozenset()


@dataclass(frozen=True)
class _Hands:
    """Every class of hands, weakest first."""

    sets: Sets
    copies: Ints
    strength: npt.NDArray[np.int32]
    kind: npt.NDArray[np.int32]
    kinds: tuple[Hashable, ...]
    least: int
    """The weakest hand that qualifies, as a strength."""


def large_cases(contest: LargeContest, progress: Progress | None = None) -> Cases:
    """Count every deal of `contest`. ValueError for a hand that qualifies below one that does not."""
    hands = _hands(contest, progress)
    return _Count(contest, hands, progress).run()


def _hands(contest: LargeContest, progress: Progress | None) -> _Hands:
    small = contest.deck.alike(contest.uses)
    standings = [contest.rank(contest.deck.cards(one)) for one in small.sets]
    ladder = sorted({each.strength: each for each in standings}.values(), key=lambda each: each.strength)
    step = {each.strength: at for at, each in enumerate(ladder)}
    of_small = np.array([step[each.strength] for each in standings], np.int32)[small.of]
    _, sets, copies = contest.deck.classes(contest.cards)
    strength = np.zeros(len(sets), np.int32)
    for start in range(0, len(sets), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        for chosen in places(contest.cards, contest.uses):
            np.maximum(strength[part], of_small[contest.deck.number(sets[part][:, chosen])], out=strength[part])
        if progress:
            progress(min(part.stop, len(sets)), _ROUNDS * len(sets))
    order = np.argsort(strength, kind="stable")
    plays = [at for at, each in enumerate(ladder) if contest.qualifies(each)]
    if plays and plays != list(range(plays[0], len(ladder))):
        raise ValueError("a hand above one that qualifies does not")
    kinds = {key: at for at, key in enumerate(dict.fromkeys(each.key for each in ladder))}
    kind = np.array([kinds[each.key] for each in ladder], np.int32)[strength]
    least = plays[0] if plays else len(ladder)
    if contest.name:
        kind, kinds = _named(contest, sets, kind, tuple(kinds))
    return _Hands(sets[order], copies[order], strength[order], kind[order], tuple(kinds), least)


def _named(
    contest: LargeContest, sets: Sets, kind: npt.NDArray[np.int32], kinds: Sequence[Hashable]
) -> tuple[npt.NDArray[np.int32], dict[Hashable, int]]:
    """The kinds by other names, and their numbers."""
    assert contest.name is not None
    found: dict[Hashable, int] = {}
    renamed = np.zeros_like(kind)
    for number, key in enumerate(kinds):
        hands = np.flatnonzero(kind == number)
        for part in hands[:, None] if key in contest.fine else [hands] if len(hands) else []:
            name = contest.name(key, contest.deck.cards(sets[part[0]]))
            renamed[part] = found.setdefault(name, len(found))
    return renamed, found


@dataclass
class _Running:
    """How many hands so far hold each class of sets of fewer than `cards` cards.

    A hand goes into a set's class in as many parts of `whole` as it stands for hands with that very set.
    """

    sets: CardSets
    cards: int

    def __post_init__(self) -> None:
        self.whole = factorial(self.sets.suits)
        self.held = [np.zeros(len(self.sets.alike(size).sets), np.int64) for size in range(self.cards)]
        self.share = [self.whole // self.sets.alike(size).copies for size in range(self.cards)]

    def add(self, numbers: _Numbers, copies: Ints) -> None:
        """Hands by the numbers of their sets, and how many each stands for."""
        for held, share, number in zip(self.held, self.share, numbers, strict=True):
            np.add.at(held, number, copies[:, None] * share[number])

    def clear_of(self, numbers: _Numbers) -> Ints:
        """Hands so far that share no card with each of these, themselves left out of the sum."""
        found = np.zeros(len(numbers[0]), np.int64)
        for size, (held, number) in enumerate(zip(self.held, numbers, strict=True)):
            found += (-1) ** size * held[number].sum(axis=1)
        return found // self.whole


@dataclass(frozen=True)
class _Count:
    contest: LargeContest
    hands: _Hands
    progress: Progress | None

    def run(self) -> Cases:
        hands, contest = self.hands, self.contest
        unqualified, running = (_Running(contest.deck, contest.cards) for _ in range(2))
        for part, numbers in self._parts(int(np.searchsorted(hands.strength, hands.least))):
            unqualified.add(numbers, hands.copies[part])
        whole = contest.seen == contest.cards
        first = contest.deck.alike(min(contest.seen, contest.cards - 1))
        deals = np.zeros((len(hands.sets) if whole else len(first.sets) * len(hands.kinds), len(STATES)), np.int64)
        for part, numbers in self._parts(len(hands.sets)):
            ends = self._ends(part, numbers, unqualified, running) * hands.copies[part, None]
            if whole:
                deals[part] = ends
            else:
                for begun in numbers[contest.seen].T:
                    np.add.at(deals, begun.astype(np.int64) * len(hands.kinds) + hands.kind[part], ends)
            if self.progress:
                self.progress(len(hands.sets) * (_ROUNDS - 2) + 2 * part.stop, _ROUNDS * len(hands.sets))
        if whole:
            none, of = np.zeros((len(hands.sets), 0), np.uint8), np.arange(len(hands.sets))
            return Cases(
                contest.deck, hands.sets, none, hands.copies, of, hands.kind, deals, hands.kinds, hands.strength
            )
        return first_cases(contest.deck, first, deals, hands.kinds)

    def _parts(self, hands: int) -> Iterator[tuple[slice, _Numbers]]:
        """The first `hands` in parts that keep a strength together, with the numbers of the sets they hold."""
        start = 0
        while start < hands:
            last = self.hands.strength[min(start + _AT_ONCE, hands) - 1]
            part = slice(start, int(np.searchsorted(self.hands.strength, last, side="right")))
            yield part, self._numbers(self.hands.sets[part])
            start = part.stop

    def _numbers(self, hands: Sets) -> _Numbers:
        deck, found = self.contest.deck, []
        for size in range(self.contest.cards):
            chosen = places(self.contest.cards, size)
            held = deck.number(hands[:, chosen].reshape(len(hands) * len(chosen), size))
            found.append(deck.alike(size).of[held].reshape(len(hands), len(chosen)))
        return found

    def _ends(self, part: slice, numbers: _Numbers, unqualified: _Running, running: _Running) -> Ints:
        """For each hand of a part, the dealer's hands by `STATES`; the hands are added to the running numbers."""
        strength, copies = self.hands.strength[part], self.hands.copies[part]
        deck, cards = self.contest.deck.deck, self.contest.cards
        itself = (-1) ** cards
        weak = strength < self.hands.least
        none = unqualified.clear_of(numbers) + itself * weak
        lesser, same = none.copy(), none.copy()
        bounds = np.flatnonzero(np.diff(strength, prepend=-1, append=-1)).tolist()
        for start, stop in pairwise(bounds):
            level = [number[start:stop] for number in numbers]
            if not weak[start]:
                lesser[start:stop] = running.clear_of(level)
            running.add(level, copies[start:stop])
            if not weak[start]:
                same[start:stop] = running.clear_of(level) + itself
        return np.stack([none, comb(deck - cards, cards) - same, same - lesser, lesser - none], axis=1)
