"""Flushes against the dealer's, as situations and cases: the counterpart of `versus` for longest-flush hands.

A situation is a player's hand, ignoring deuces and the order of suits; its cases are the numbers of cards by which he
is longer. He decides before the community and the dealer's hand are turned up (CO 47.1-1017.60 (7)-(8), WA FGW 7-8, SD
20:18:16:15.19 (6)-(7)).
"""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import comb, prod
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from devices.processes import end_with_parent
from rules.hands.longest_flush import ACE
from rules.odds.against.endings import PlayerHand
from rules.odds.against.showdown import FLUSH_RANKS, DealShape, Pattern, Showdowns, patterns, showdowns
from rules.odds.against.versus import LOSE, STATES, TIE, WIN, Cases
from rules.odds.cards.placed_sets import Pack
from rules.odds.question import OneDeck, Progress, Question


@dataclass(frozen=True)
class FlushCases(Cases):
    """Cases of hands described by `patterns`, each with its number of situations."""

    patterns: tuple[tuple[Pattern, int], ...] = ()

    def by_suits(self, played: npt.NDArray[np.bool_]) -> dict[str, Any]:
        """Return the number of hands played, in total and by their cards of each suit."""
        found, start = {}, 0
        for pattern, size in self.patterns:
            part = slice(start, start + size)
            found[pattern.text] = [int((self.copies * played)[part].sum()), int(self.copies[part].sum())]
            start = part.stop
        hands_played, hands = map(sum, zip(*found.values(), strict=True))
        return {"hands": hands, "hands_played": hands_played, "played_by_suits": found}


def count_all(
    deal: DealShape, wild_kicker: str, *, workers: int = 1, progress: Progress | None = None
) -> list[Showdowns]:
    """Count the showdowns of every pattern in `workers` processes."""
    count, todo = partial(showdowns, deal, wild_kicker=wild_kicker), patterns(deal)
    if workers < 2:
        return list(_watched(map(count, todo), todo, progress))
    with ProcessPoolExecutor(workers, initializer=end_with_parent) as pool:
        return list(_watched(pool.map(count, todo), todo, progress))


def _watched(counted: Iterable[Showdowns], todo: Sequence[Pattern], progress: Progress | None) -> Iterator[Showdowns]:
    """Yield `counted` and report progress; a pattern's time is proportional to its sets of ranks."""
    sizes = [prod(comb(len(FLUSH_RANKS), cards) for cards in pattern.suits) for pattern in todo]
    for done, found in enumerate(counted, 1):
        if progress is not None:
            progress(sum(sizes[:done]), sum(sizes))
        yield found


def flush_cases(deal: DealShape, counted: Sequence[Showdowns], hands: Sequence[str] = ("player",)) -> FlushCases:
    """Return the cases of these showdowns for each name of the player's hand. The pay table key is the number of cards
    by which it is longer, 0 for a win on higher ranks."""
    longest = max(len(found.by_length) for found in counted)
    copies = np.concatenate([np.full(found.ties.size, found.pattern.copies, np.int64) for found in counted])
    deals = np.zeros((len(copies), longest, len(STATES)), np.int64)
    start = 0
    for found in counted:
        part = slice(start, start + found.ties.size)
        deals[part, : len(found.by_length), STATES.index(WIN)] = found.by_length
        deals[part, 0, STATES.index(WIN)] = found.by_kickers.ravel()
        deals[part, 0, STATES.index(TIE)] = found.ties.ravel()
        start = part.stop
    deals[:, 0, STATES.index(LOSE)] = deal.completions - deals.sum(axis=(1, 2))
    of, margin = np.nonzero(deals.any(axis=2))
    nothing = np.zeros((len(copies), 0), np.uint8)
    return FlushCases(
        Pack(),
        nothing,
        nothing,
        copies,
        of,
        margin.astype(np.int32),
        deals[of, margin] * copies[of, None],
        tuple(_won_by(each, hands) for each in range(int(margin.max()) + 1)),
        patterns=tuple((found.pattern, found.ties.size) for found in counted),
    )


def _won_by(margin: int, hands: Sequence[str]) -> PlayerHand:
    words = {WIN: f"win by {margin}" if margin else "win on the kickers", LOSE: LOSE, TIE: TIE}
    return PlayerHand(tuple((hand, margin) for hand in hands), words=tuple(words.items()))


_KEPT: Final[dict[tuple[DealShape, str], list[Showdowns]]] = {}
_MOST_KEPT: Final = 3


def cases_of(question: Question, hands: Sequence[str], wild_kicker: str) -> FlushCases:
    """Return the cases of a game's hands; games that differ only in their pay tables share cached showdowns."""
    of = question.game.hand().of
    key = deal, _ = DealShape(of["own"], of["community"], _flush_ranks(question.one)), wild_kicker
    if key not in _KEPT:
        if len(_KEPT) >= _MOST_KEPT:
            del _KEPT[next(iter(_KEPT))]
        _KEPT[key] = count_all(deal, wild_kicker, workers=question.workers, progress=question.progress)
    return flush_cases(deal, _KEPT[key], hands)


def _flush_ranks(deck: OneDeck) -> tuple[int, ...]:
    """Return the ranks of a deck that are not wild, 14 for the ace."""
    return tuple(rank for rank in (ACE if each == 1 else each for each in deck.ranks) if rank in FLUSH_RANKS)
