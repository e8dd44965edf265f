"""One hand against the dealer's, both of so many cards from one deck: how every decision can end.

The player decides once, on some or all of his own cards and perhaps one of the dealer's. A *situation* is what he then
sees, suits apart; its *cases* are the hands he can end with and, for each, in how many deals the dealer has no hand
that plays, a better one, the same, or a lesser one. Nothing here knows what is staked or paid.

NumPy is imported by this module and by nothing that deals or settles.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from math import comb
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from protocol.cards import Card
from rules.odds.card_sets import Alike, CardSets, places
from rules.odds.dealer_hands import DealerHands, dealer_hands
from rules.odds.placed_sets import Ints, Sets
from rules.odds.question import Progress

NO_HAND: Final = "no hand"
"""The dealer's hand does not qualify."""
LOSE: Final = "lose"
TIE: Final = "tie"
WIN: Final = "win"
STATES: Final = (NO_HAND, LOSE, TIE, WIN)
"""Against the player's hand; all but the first with a dealer who qualifies."""

_AT_ONCE: Final = 400_000
"""Cases counted between two calls of a progress callback."""


class AgainstHand(Protocol):
    """What a ranking says of a hand: what it beats, and what pay tables know it by."""

    @property
    def strength(self) -> Any:
        """Orderable; the greater wins, equals tie."""

    @property
    def key(self) -> Hashable:
        """What rows of pay tables are looked up by."""


@dataclass(frozen=True)
class Contest:
    """Who sees what. `seen` of the player's own `cards` and `up` of the dealer's (0 or 1) are known at the decision.

    `rank` says what a hand of all `cards` is, whatever its suits are called. `qualifies`: the dealer's hand plays;
    every hand above one that does must, too.
    """

    rank: Callable[[Sequence[Card]], AgainstHand]
    qualifies: Callable[[AgainstHand], bool] = lambda _: True
    cards: int = 5
    seen: int = 5
    up: int = 0
    deck: CardSets = field(default_factory=CardSets)


@dataclass(frozen=True)
class Cases:
    """Every situation and how it can end, in equally likely deals.

    Situation i is `own[i]` (and `up[i]` of the dealer's), met in `copies[i]` ways. Case j belongs to the situation
    `of[j]`, ascending; the player then ends with a hand of `kinds[kind[j]]`, and `deals[j]` counts by `STATES`.
    `strength[i]` is a number that orders the hands, where they are whole.
    """

    deck: CardSets
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
        """Deals in all."""
        return int(self.deals.sum())


def cases(contest: Contest, progress: Progress | None = None) -> Cases:
    """Count every deal of `contest`.

    ValueError for cards that cannot be seen so, and for a hand that qualifies below one that does not.
    """
    whole_hand = contest.seen == contest.cards
    if contest.up not in (0, 1) or not 0 < contest.seen <= contest.cards or (contest.up and not whole_hand):
        raise ValueError("the player sees some of his own cards, or all of them and perhaps one of the dealer's")
    ranked = _ranked(contest)
    dealer = dealer_hands(contest.deck, contest.cards, ranked.strength[ranked.hands.of])
    whole = _whole_hands(contest, ranked, dealer, progress)
    return whole if whole_hand else _first_cards(contest, whole)


@dataclass(frozen=True)
class _Ranked:
    """Every hand, suits apart: its strength as a number from 0, its kind, and the least strength that qualifies."""

    hands: Alike
    strength: npt.NDArray[np.int32]
    kind: npt.NDArray[np.int32]
    kinds: tuple[Hashable, ...]
    least: int


def _ranked(contest: Contest) -> _Ranked:
    hands = contest.deck.alike(contest.cards)
    standings = [contest.rank(contest.deck.cards(one)) for one in hands.sets]
    ladder = {strength: at for at, strength in enumerate(sorted({each.strength for each in standings}))}
    strength = np.array([ladder[each.strength] for each in standings], np.int32)
    kinds = {key: at for at, key in enumerate(dict.fromkeys(each.key for each in standings))}
    kind = np.array([kinds[each.key] for each in standings], np.int32)
    plays = np.array([contest.qualifies(each) for each in standings])
    least = int(strength[plays].min()) if plays.any() else len(ladder)
    if not np.array_equal(plays, strength >= least):
        raise ValueError("a hand above one that qualifies does not")
    return _Ranked(hands, strength, kind, tuple(kinds), least)


def _whole_hands(contest: Contest, ranked: _Ranked, dealer: DealerHands, progress: Progress | None) -> Cases:
    """The player has seen all of his cards: each situation has one case."""
    of, up, copies = _with_up(contest, ranked.hands)
    own, strength = ranked.hands.sets[of], ranked.strength[of].astype(np.int64)
    deals = np.empty((len(of), len(STATES)), np.int64)
    every = comb(contest.deck.deck - contest.cards - contest.up, contest.cards - contest.up)
    for start in range(0, len(of), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        least = np.full(len(own[part]), ranked.least, np.int64)
        none = dealer.clear_of(own[part], up[part], least)
        lesser = dealer.clear_of(own[part], up[part], np.maximum(strength[part], least))
        same = dealer.clear_of(own[part], up[part], np.maximum(strength[part] + 1, least))
        deals[part] = np.stack([none, every - same, same - lesser, lesser - none], axis=1)
        if progress:
            progress(min(start + _AT_ONCE, len(of)), len(of))
    deals *= copies[:, None]
    return Cases(
        contest.deck, own, up, copies, np.arange(len(of)), ranked.kind[of], deals, ranked.kinds, ranked.strength[of]
    )


def _with_up(contest: Contest, hands: Alike) -> tuple[Ints, Sets, Ints]:
    """Hands, the dealer's card that is seen with each, and in how many ways; suits a hand holds alike are one."""
    if not contest.up:
        return np.arange(len(hands.sets)), np.zeros((len(hands.sets), 0), np.uint8), hands.copies
    held = contest.deck.by_suit(hands.sets)
    same = held[:, :, None] == held[:, None, :]
    weight = np.where(same.argmax(axis=2) == np.arange(contest.deck.suits), same.sum(axis=2), 0)
    up = contest.deck.rest(hands.sets)
    ways = np.take_along_axis(weight, (up % contest.deck.suits).astype(np.int64), axis=1)
    of, place = np.nonzero(ways)
    return of, up[of, place][:, None], hands.copies[of] * ways[of, place]


def _first_cards(contest: Contest, whole: Cases) -> Cases:
    """The player decides on his first cards: each hand is a case of every set of them it can have begun with."""
    first = contest.deck.alike(contest.seen)
    kinds = len(whole.kinds)
    deals = np.zeros((len(first.sets) * kinds, len(STATES)), np.int64)
    for chosen in places(contest.cards, contest.seen):
        begun = first.of[contest.deck.number(whole.own[:, chosen])].astype(np.int64)
        np.add.at(deals, begun * kinds + whole.kind, whole.deals)
    return first_cases(contest.deck, first, deals, whole.kinds)


def first_cases(deck: CardSets, first: Alike, deals: Ints, kinds: tuple[Hashable, ...]) -> Cases:
    """The cases of hands of which the `first` cards are seen; `deals` has a row for each of them and each kind."""
    met = np.flatnonzero(deals.any(axis=1))
    of, kind = np.divmod(met, len(kinds))
    up = np.zeros((len(first.sets), 0), np.uint8)
    return Cases(deck, first.sets, up, first.copies, of, kind.astype(np.int32), deals[met], kinds)
