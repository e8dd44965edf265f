"""Short descriptions of the two or three cards with which a strategy takes an option: `AAx KQJs T9o`.

Ranks are from the highest down, with `x` for any rank. `s` means one suit, `o` not one suit and, for three cards, `t`
two of a suit and `r` three suits; without a letter, suits do not matter.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from protocol.cards import RANKS
from rules.odds.cards.placed_sets import Ints, Pack, places

MOST: Final = 60
"""Maximum number of words of a short list."""
_LETTERS: Final[Mapping[frozenset[int], str]] = {
    frozenset({1}): "s",
    frozenset({2}): "t",
    frozenset({3}): "r",
    frozenset({2, 3}): "o",
    frozenset({1, 2}): "st",
    frozenset({1, 3}): "sr",
}


def in_words(pack: Pack, size: int, taken: Ints, options: Sequence[str]) -> dict[str, str]:
    """Return the sets of `size` cards that take each option except the most common one; empty if the list is long.

    `taken` has the number of the option of every set, by place.
    """
    if size not in (2, 3):
        return {}
    found = pack.alike(size)
    by_ranks: dict[tuple[int, ...], dict[int, int]] = defaultdict(dict)
    hands: Counter[int] = Counter()
    for cards, place, weight in zip(
        found.sets.tolist(), places(found.sets).tolist(), found.copies.tolist(), strict=True
    ):
        ranks = tuple(sorted((card // pack.suits for card in cards), reverse=True))
        by_ranks[ranks][len({card % pack.suits for card in cards})] = int(taken[place])
        hands[int(taken[place])] += weight
    words = {options[option]: _words(pack, by_ranks, option) for option, _ in hands.most_common()[1:] if len(hands) > 1}
    return {option: " ".join(each) for option, each in words.items()} if sum(map(len, words.values())) <= MOST else {}


def _words(pack: Pack, by_ranks: Mapping[tuple[int, ...], Mapping[int, int]], option: int) -> list[str]:
    pairs = _pairs_with_any(by_ranks, option, len(pack.ranks))
    found = [f"{_letter(pack, rank) * 2}x" for rank in sorted(pairs, reverse=True)]
    for ranks in sorted(by_ranks, reverse=True):
        suits = by_ranks[ranks]
        here = frozenset(suit for suit, taken in suits.items() if taken == option)
        if here and not (len(set(ranks)) == 2 and _paired(ranks) in pairs):
            letters = "" if len(here) == len(suits) else "o" if len(ranks) == 2 and 1 not in here else _LETTERS[here]
            found.append("".join(_letter(pack, rank) for rank in ranks) + letters)
    return found


def _pairs_with_any(by_ranks: Mapping[tuple[int, ...], Mapping[int, int]], option: int, ranks: int) -> set[int]:
    """Return the ranks whose pair takes the option with every third card."""
    with_third: Counter[int] = Counter()
    for held, suits in by_ranks.items():
        if len(held) == 3 and len(set(held)) == 2 and set(suits.values()) == {option}:
            with_third[_paired(held)] += 1
    return {rank for rank, thirds in with_third.items() if thirds == ranks - 1}


def _paired(ranks: tuple[int, ...]) -> int:
    return max(ranks, key=ranks.count)


def _letter(pack: Pack, rank: int) -> str:
    return RANKS[pack.ranks[rank] - 1]
