"""Games played out deal by deal, with nothing clever: what the engines of `rules.odds` are held against.

A game is a generator. It takes a deal, yields at each decision what the player knows and how many options he has,
is sent the option's number, and returns how the round ended: what was staked on each bet and what each gains.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Hashable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, Final

from rules.odds.placed_sets import Pack

End = tuple[tuple[Fraction, ...], tuple[Fraction, ...]]
Game = Callable[[Any], Generator[tuple[Hashable, int], int, End]]

LOST: Final = Fraction(-1)


def play_out(game: Game, deal: Any, options: Sequence[int]) -> End | tuple[Hashable, int]:
    """How a deal ends after these options, or the decision that is then due."""
    play = game(deal)
    try:
        due = next(play)
        for option in options:
            due = play.send(option)
    except StopIteration as ended:
        end: End = ended.value
        return end
    return due


Chosen = Callable[[int, Any, int], int | None]
"""Number of the decision, what is known, how many options there are -> the option taken; None for the best one."""


def best_gain(
    game: Game, deals: Sequence[Any], options: tuple[int, ...] = (), choose: Chosen = lambda *_: None
) -> Fraction:
    """What all bets gain together, over all `deals`, when each decision is chosen or the best on what is known then."""
    gain = Fraction(0)
    alike = defaultdict(list)
    count: dict[Hashable, int] = {}
    for deal in deals:
        found = play_out(game, deal, options)
        if isinstance(found[1], int):
            alike[found[0]].append(deal)
            count[found[0]] = found[1]
        else:
            gain += sum(found[1])
    for known, those in alike.items():
        chosen = choose(len(options), known, count[known])
        open_to = range(count[known]) if chosen is None else (chosen,)
        gain += max(best_gain(game, those, (*options, option), choose) for option in open_to)
    return gain


def endings(game: Game, deals: Sequence[Any], choose: Callable[[int, Hashable, int], int]) -> Counter[End]:
    """How all `deals` end when `choose` takes the option, by the number of the decision, what is known, and how many
    options there are."""
    ways: Counter[End] = Counter()
    for deal in deals:
        options: list[int] = []
        found = play_out(game, deal, options)
        while isinstance(found[1], int):
            options.append(choose(len(options), found[0], found[1]))
            found = play_out(game, deal, options)
        ways[found[0], found[1]] += 1  # type: ignore[index]
    return ways


def in_parts(pack: Pack, *sizes: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Every way to deal sets of these sizes from a pack, one after the other."""

    def deal(left: tuple[int, ...], sizes: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], ...]]:
        if not sizes:
            yield ()
            return
        for cards in combinations(left, sizes[0]):
            rest = tuple(card for card in left if card not in cards)
            for others in deal(rest, sizes[1:]):
                yield (cards, *others)

    return deal(tuple(range(pack.size)), sizes)


def outcome_of(pack: Pack, cards: Sequence[int], size: int) -> int:
    """The best row of `size` of the cards: 0 all of one suit, 1 all of one rank, 2 an ace-high pair, 3 any pair,
    4 nothing. Jokers are cards of no suit and of a rank of their own."""

    def one(hand: Sequence[int]) -> int:
        ranks = [card // pack.suits for card in hand]
        most = max(ranks, key=lambda rank: (ranks.count(rank), rank))
        if len({card % pack.suits for card in hand}) == 1:
            return 0
        if ranks.count(most) == size:
            return 1
        if ranks.count(most) > 1:
            return 2 if most == len(pack.ranks) - 1 else 3
        return 4

    return min(one(hand) for hand in combinations(sorted(cards), size))
