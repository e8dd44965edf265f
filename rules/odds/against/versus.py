"""One hand against the dealer's, both with the same number of cards from one deck: the possible endings of every
decision.

The player decides once, on some or all of their own cards and perhaps one of the dealer's. A *situation* is what the
player then sees, ignoring suits. Its *cases* are the player's possible final hands and, for each, the number of deals
in which the dealer does not qualify, wins, ties or loses. Stakes and pays are unknown here.

Hands are processed class by class from the weakest up. For every set of cards that a hand can hold, ignoring suits, a
running count says how many of the hands so far hold it. The number of weaker hands that share no card with the next one
follows by inclusion and exclusion: all, less those that hold one of its cards, plus those that hold two, and so on. For
the hands of one strength, the counts are first read (weaker hands), then the hands are added, then the counts are read
again (weaker and equal ones). If one of the dealer's cards is seen, only hands that hold that card are counted.

Only this module, used neither to deal nor to settle, imports NumPy.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import comb, factorial
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from protocol.cards import Card
from rules.odds.cards.placed_sets import Ints, Pack, Sets, chosen_places
from rules.odds.question import Progress

NO_HAND: Final = "no hand"
"""The dealer's hand does not qualify."""
LOSE: Final = "lose"
TIE: Final = "tie"
WIN: Final = "win"
STATES: Final = (NO_HAND, LOSE, TIE, WIN)
"""Results against the dealer's hand; all but the first require that he qualifies."""

Numbers = list[npt.NDArray[np.int32]]
"""Class of a set by [hand, choice of its cards], for each size."""
_ROUNDS: Final = 3
"""Units of progress per hand: one for its strength, two for the showdowns."""
_AT_ONCE: Final = 100_000
"""Number of hands whose sets are numbered together; uses a few hundred megabytes."""


class AgainstHand(Protocol):
    """Result of a ranking: the strength, and the key for pay tables."""

    @property
    def strength(self) -> Any:
        """Comparable strength; the greater wins, equal ones tie."""

    @property
    def key(self) -> Hashable:
        """Key for the rows of pay tables."""


@dataclass(frozen=True)
class Contest:
    """Cards that each side holds and sees.

    `seen` of the player's own `cards` and `up` of the dealer's (0 or 1) are known at the decision. `rank` ranks a hand
    of `uses` cards, independent of the names of suits, and the best such cards count; 0 means all cards. `qualifies`
    says if the dealer's hand plays; every stronger hand must qualify too.

    `name` may rename a hand's kind by all of its cards: for every class whose best cards are of a kind in `fine`, and
    for each other kind once for all its hands.
    """

    rank: Callable[[Sequence[Card]], AgainstHand]
    qualifies: Callable[[AgainstHand], bool] = lambda _: True
    cards: int = 5
    seen: int = 5
    up: int = 0
    deck: Pack = field(default_factory=Pack)
    uses: int = 0
    name: Callable[[Hashable, Sequence[Card]], Hashable] | None = None
    fine: frozenset[Hashable] = frozenset()


@dataclass(frozen=True)
class Cases:
    """Every situation and its possible endings, in equally likely deals.

    Situation i is `own[i]` (and `up[i]` of the dealer's), with `copies[i]` ways. Case j belongs to the situation
    `of[j]`, ascending; the player's final hand is of `kinds[kind[j]]`, and `deals[j]` counts by `STATES`. `strength[i]`
    orders the hands, if they are complete.
    """

    deck: Pack
    own: Sets
    up: Sets
    copies: Ints
    of: Ints
    kind: npt.NDArray[np.int32]
    deals: Ints
    kinds: tuple[Hashable, ...]
    strength: npt.NDArray[np.int32] | None = None

    @property
    def total(self) -> int:
        """Total number of deals."""
        return int(self.deals.sum())


def cases(contest: Contest, progress: Progress | None = None) -> Cases:
    """Count every deal of `contest`.

    Raises ValueError for an impossible number of cards seen, and for a qualifying hand below one that does not qualify.
    """
    if contest.up not in (0, 1) or not contest.up * contest.cards <= contest.seen <= contest.cards or not contest.seen:
        raise ValueError("the player sees some of his own cards, or all of them and perhaps one of the dealer's")
    return _Count(contest, _hands(contest, progress), progress).run()


@dataclass(frozen=True)
class _Hands:
    """Every class of hands, weakest first."""

    sets: Sets
    copies: Ints
    strength: npt.NDArray[np.int32]
    kind: npt.NDArray[np.int32]
    kinds: tuple[Hashable, ...]
    least: int
    """Strength of the weakest hand that qualifies."""


def _hands(contest: Contest, progress: Progress | None) -> _Hands:
    deck, uses = contest.deck, contest.uses or contest.cards
    small = deck.alike(uses)
    standings = [contest.rank(deck.cards(one)) for one in small.sets]
    met = {(each.strength, each.key): each for each in standings}
    ladder = sorted(met, key=lambda each: each[0])
    step = {each: at for at, each in enumerate(ladder)}
    of_small = np.array([step[each.strength, each.key] for each in standings], np.int32)[small.of]
    _, sets, copies = deck.classes(contest.cards)
    found = np.zeros(len(sets), np.int32)
    for start in range(0, len(sets), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        for chosen in chosen_places(contest.cards, uses):
            np.maximum(found[part], of_small[deck.places(sets[part][:, chosen])], out=found[part])
        if progress:
            progress(min(part.stop, len(sets)), _ROUNDS * len(sets))
    strengths = {strength: at for at, strength in enumerate(dict.fromkeys(strength for strength, _ in ladder))}
    level = np.array([strengths[strength] for strength, _ in ladder], np.int32)
    plays = np.array([contest.qualifies(met[each]) for each in ladder])
    least = int(level[plays].min()) if plays.any() else len(strengths)
    if not np.array_equal(plays, level >= least):
        raise ValueError("a hand above a qualifying one does not qualify")
    kinds = {key: at for at, key in enumerate(dict.fromkeys(key for _, key in ladder))}
    kind = np.array([kinds[key] for _, key in ladder], np.int32)[found]
    if contest.name:
        kind, kinds = _named(contest, sets, kind, tuple(kinds))
    order = np.argsort(level[found], kind="stable")
    return _Hands(sets[order], copies[order], level[found[order]], kind[order], tuple(kinds), least)


def _named(
    contest: Contest, sets: Sets, kind: npt.NDArray[np.int32], kinds: Sequence[Hashable]
) -> tuple[npt.NDArray[np.int32], dict[Hashable, int]]:
    """Return the renamed kinds and their numbers."""
    assert contest.name is not None
    found: dict[Hashable, int] = {}
    renamed = np.zeros_like(kind)
    order = np.argsort(kind, kind="stable")
    bounds = np.searchsorted(kind[order], np.arange(len(kinds) + 1))
    for key, hands in zip(kinds, np.split(order, bounds[1:-1]), strict=True):
        for part in hands[:, None] if key in contest.fine else [hands] if len(hands) else []:
            name = contest.name(key, contest.deck.cards(sets[part[0]]))
            renamed[part] = found.setdefault(name, len(found))
    return renamed, found


@dataclass
class RunningCounts:
    """Number of hands so far that hold each class of sets of these `sizes`.

    A hand is added to a set's class in as many parts of `whole` as it represents hands with that very set.
    """

    sets: Pack
    sizes: range

    def __post_init__(self) -> None:
        self.whole = factorial(self.sets.suits) * factorial(self.sets.jokers)
        self.held = [np.zeros(len(self.sets.alike(size).sets), np.int64) for size in self.sizes]
        self.share = [self.whole // self.sets.alike(size).copies for size in self.sizes]

    def add(self, numbers: Numbers, copies: Ints) -> None:
        """Add hands by the numbers of their sets, with the number of hands each represents."""
        for held, share, number in zip(self.held, self.share, numbers, strict=True):
            np.add.at(held, number, copies[:, None] * share[number])

    def clear_of(self, numbers: Numbers) -> Ints:
        """Return the number of hands so far that hold the dealer's seen card and no other card of each row; a complete
        hand is excluded from the sum."""
        found = np.zeros(len(numbers[0]), np.int64)
        for size, (held, number) in enumerate(zip(self.held, numbers, strict=True)):
            found += (-1) ** size * held[number].sum(axis=1)
        return found // self.whole


@dataclass(frozen=True)
class _Count:
    contest: Contest
    hands: _Hands
    progress: Progress | None

    def run(self) -> Cases:
        hands, contest, (of, up, ways) = self.hands, self.contest, self._situations
        unqualified, running = (RunningCounts(contest.deck, self._sizes) for _ in range(2))
        for part in self._parts(int(np.searchsorted(hands.strength, hands.least))):
            unqualified.add(self._numbers(hands.sets[part]), hands.copies[part])
        whole = contest.seen == contest.cards
        first = contest.deck.alike(min(contest.seen, contest.cards - 1))
        deals = np.zeros((len(of) if whole else len(first.sets) * len(hands.kinds), len(STATES)), np.int64)
        for part in self._parts(len(hands.sets)):
            rows = self._rows(part)
            numbers = self._numbers(hands.sets[part])
            met = self._numbers(hands.sets[of[rows]], up[rows]) if contest.up else numbers
            ends = self._ends(part, numbers, met, unqualified, running) * ways[rows, None]
            if whole:
                deals[rows] = ends
            else:
                for begun in numbers[contest.seen].T:
                    np.add.at(deals, begun.astype(np.int64) * len(hands.kinds) + hands.kind[part], ends)
            if self.progress:
                self.progress(len(hands.sets) * (_ROUNDS - 2) + 2 * part.stop, _ROUNDS * len(hands.sets))
        if whole:
            own, kind, strength = hands.sets[of], hands.kind[of], hands.strength[of]
            return Cases(contest.deck, own, up, ways, np.arange(len(of)), kind, deals, hands.kinds, strength)
        seen = np.flatnonzero(deals.any(axis=1))
        of, kind = np.divmod(seen, len(hands.kinds))
        nothing = np.zeros((len(first.sets), 0), np.uint8)
        return Cases(
            contest.deck, first.sets, nothing, first.copies, of, kind.astype(np.int32), deals[seen], hands.kinds
        )

    @cached_property
    def _situations(self) -> tuple[Ints, Sets, Ints]:
        """Hands, the dealer's card seen with each, and the number of ways; suits that a hand holds alike are merged."""
        sets, deck = self.hands.sets, self.contest.deck
        if not self.contest.up:
            return np.arange(len(sets)), np.zeros((len(sets), 0), np.uint8), self.hands.copies
        held = deck.by_suit(sets)
        same = held[:, :, None] == held[:, None, :]
        weight = np.where(same.argmax(axis=2) == np.arange(deck.suits), same.sum(axis=2), 0)
        up = deck.rest(sets)
        ways = np.take_along_axis(weight, (up % deck.suits).astype(np.int64), axis=1)
        of, place = np.nonzero(ways)
        return of, up[of, place][:, None], self.hands.copies[of] * ways[of, place]

    @property
    def _sizes(self) -> range:
        """Sizes of the sets that are counted: the dealer's seen card and some of the player's own."""
        return range(self.contest.up, self.contest.cards + self.contest.up)

    def _rows(self, part: slice) -> slice:
        """Return the situations of some hands."""
        if not self.contest.up:
            return part
        start, stop = np.searchsorted(self._situations[0], (part.start, part.stop))
        return slice(int(start), int(stop))

    def _parts(self, hands: int) -> Iterator[slice]:
        """Yield the first `hands` in parts that keep equal strengths together."""
        start, most = 0, max(_AT_ONCE // (self.contest.deck.size if self.contest.up else 1), 1)
        while start < hands:
            last = self.hands.strength[min(start + most, hands) - 1]
            part = slice(start, int(np.searchsorted(self.hands.strength, last, side="right")))
            yield part
            start = part.stop

    def _numbers(self, hands: Sets, up: Sets | None = None) -> Numbers:
        """Return the sets of the counted sizes that hands hold; with `up`, a card they do not hold, added to each."""
        deck, found = self.contest.deck, []
        for size in self._sizes:
            chosen = chosen_places(self.contest.cards, size if up is None else size - 1)
            held = hands[:, chosen].reshape(len(hands) * len(chosen), chosen.shape[1])
            if up is not None:
                held = np.sort(np.hstack([held, np.repeat(up, len(chosen), axis=0)]), axis=1)
            found.append(deck.alike(size).of[deck.places(held)].reshape(len(hands), len(chosen)))
        return found

    def _ends(
        self, part: slice, numbers: Numbers, met: Numbers, unqualified: RunningCounts, running: RunningCounts
    ) -> Ints:
        """Return the dealer's hands by `STATES` for each situation of some hands, and add the hands to the running
        counts."""
        contest, copies, rows = self.contest, self.hands.copies[part], self._rows(part)
        strength = self.hands.strength[self._situations[0][rows]]
        every = comb(contest.deck.size - contest.cards - contest.up, contest.cards - contest.up)
        itself = 0 if contest.up else (-1) ** contest.cards
        weak = strength < self.hands.least
        none = unqualified.clear_of(met) + itself * weak
        lesser, same = none.copy(), none.copy()
        levels = (
            np.flatnonzero(np.diff(each, prepend=-1, append=-1)) for each in (self.hands.strength[part], strength)
        )
        for (start, stop), (first, last) in zip(*(pairwise(each.tolist()) for each in levels), strict=True):
            level = [number[first:last] for number in met]
            if not weak[first]:
                lesser[first:last] = running.clear_of(level)
            running.add([number[start:stop] for number in numbers], copies[start:stop])
            if not weak[first]:
                same[first:last] = running.clear_of(level) + itself
        return np.stack([none, every - same, same - lesser, lesser - none], axis=1)
