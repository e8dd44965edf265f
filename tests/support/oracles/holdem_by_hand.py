"""Every deal of a hold'em game with a small deck, one after the other and decided backward as the rules are read: an
oracle for exact counts. It shares only the names of the terms with the code that it checks; another library ranks."""

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import lcm

from phevaluator import evaluate_cards

from rules.odds.decide.holdem_terms import CallAndRaise, HoldemEnding, HoldemTerms, Line, RaiseOnce

Cards = frozenset[str]
Ways = Counter[tuple[Line, HoldemEnding]]
Showdowns = Counter[tuple[str, bool, str]]
ORDER = "23456789TJQKA"
# The weakest hand of each category, as phevaluator numbers hands: the royal flush is 1.
LIMITS = (
    (1, "royal flush"),
    (10, "straight flush"),
    (166, "four of a kind"),
    (322, "full house"),
    (1599, "flush"),
    (1609, "straight"),
    (2467, "three of a kind"),
    (3325, "two pair"),
    (6185, "pair"),
    (7462, "high card"),
)
WEAKEST = {name: limit for limit, name in LIMITS}


@cache
def rank(cards: Cards) -> int:
    """Return the rank of a hand; 1 is the best."""
    return int(evaluate_cards(*cards))


def category(number: int) -> str:
    return next(name for limit, name in LIMITS if number <= limit)


def word_of(hole: Cards) -> str:
    first, second = sorted(hole, key=lambda card: ORDER.index(card[0]), reverse=True)
    suited = "s" if first[1] == second[1] else "o"
    return first[0] + second[0] + ("" if first[0] == second[0] else suited)


class ByHand:
    """All deals of `ranks` in `suits`. `before` (of a class of holes), `flop` and `stays` (of hole and cards) decide in
    place of the best play."""

    def __init__(
        self,
        terms: HoldemTerms,
        ranks: str,
        suits: str,
        flop: Callable[[Cards, Cards], bool] | None = None,
        stays: Callable[[Cards, Cards], bool] | None = None,
        before: Callable[[str], int] | None = None,
    ) -> None:
        self.terms, self.deck = terms, frozenset(map("".join, product(ranks, suits)))
        self.holes = [frozenset(hole) for hole in combinations(sorted(self.deck), 2)]
        self.before, self.flop, self.stays = before, flop, stays
        self.ends: dict[tuple[Cards, Cards], Showdowns] = {}
        for board in map(frozenset, combinations(sorted(self.deck), 5)):
            self.showdowns(board)
        nets = [(terms.raised, 0), *((bet.net, folded) for bet in terms.first for folded in (0, 1))]
        found = [Fraction(net(HoldemEnding(bool(folded), *key))) for net, folded in nets for key in self.keys()]
        self.scale = lcm(*(each.denominator for each in found))

        def summed(net: Callable[[HoldemEnding], Fraction], folded: bool) -> dict[tuple[Cards, Cards], int]:
            """Return the sum by hole and board, over all hands of the dealer, in 1/`scale` units."""
            gain = {key: int(self.scale * net(HoldemEnding(folded, *key))) for key in self.keys()}
            return {at: sum(number * gain[key] for key, number in end.items()) for at, end in self.ends.items()}

        def first(ending: HoldemEnding) -> Fraction:
            return sum((bet.net(ending) for bet in terms.first), Fraction(0))

        self.raised, self.first, self.folded = summed(terms.raised, False), summed(first, False), summed(first, True)

    def keys(self) -> set[tuple[str, bool, str]]:
        return {key for end in self.ends.values() for key in end}

    def showdowns(self, board: Cards) -> None:
        """Count the showdowns of every hole on a board."""
        numbers = [(set(pair), rank(board.union(pair))) for pair in combinations(sorted(self.deck - board), 2)]
        least = WEAKEST[self.terms.qualifier]
        for hole, mine in numbers:
            found: Showdowns = Counter()
            name = category(mine)
            for dealer, theirs in numbers:
                if hole.isdisjoint(dealer):
                    found[name, theirs <= least, "tie" if mine == theirs else "win" if mine < theirs else "lose"] += 1
            self.ends[frozenset(hole), board] = found

    def sets(self, hole: Cards, cards: int, within: Cards = frozenset()) -> Iterator[Cards]:
        """Yield the sets of so many more cards than `within`, including it."""
        return (within.union(more) for more in combinations(sorted(self.deck - hole - within), cards))

    def count(self) -> tuple[dict[str, int], Ways]:
        """Return the units before the flop by class of holes, and every deal."""
        play = self.once if isinstance(self.terms.raises, RaiseOnce) else self.called
        ways: Ways = Counter()
        before = {}
        for hole in self.holes:
            lines: Counter[tuple[Line, Cards]] = Counter()
            before[word_of(hole)], deals = play(hole)
            lines.update(deals)
            for (line, board), times in lines.items():
                for key, number in self.ends[hole, board].items():
                    ways[line, HoldemEnding(line.folded, *key)] += times * number
        return before, ways

    def once(self, hole: Cards) -> tuple[int, list[tuple[Line, Cards]]]:
        raises = self.terms.raises
        assert isinstance(raises, RaiseOnce)
        later: list[tuple[Line, Cards]] = []
        best, size = 0, 0
        last = {board: self.last(hole, board, raises.river) for board in self.sets(hole, 5)}
        for flop in self.sets(hole, 3):
            boards = list(self.sets(hole, 2, flop))
            wait = sum(last[board][1] for board in boards)
            bet = sum(self.first[hole, board] + raises.flop * self.raised[hole, board] for board in boards)
            chosen = self.flop(hole, flop) if self.flop else bet > wait
            best += bet if chosen else wait
            later += [(Line(False, (raises.flop,)) if chosen else last[board][0], board) for board in boards]
        for units in sorted(raises.before):
            gain = sum(self.first[hole, board] + units * self.raised[hole, board] for _, board in later)
            if gain > best:
                size, best = units, gain
        size = self.before(word_of(hole)) if self.before else size
        return size, [(Line(False, (size,)), board) for _, board in later] if size else later

    def last(self, hole: Cards, board: Cards, units: int) -> tuple[Line, int]:
        played, folded = self.first[hole, board] + units * self.raised[hole, board], self.folded[hole, board]
        stays = self.stays(hole, board) if self.stays else played >= folded
        return (Line(False, (units,)), played) if stays else (Line(True, (0,)), folded)

    def called(self, hole: Cards) -> tuple[int, list[tuple[Line, Cards]]]:
        raises = self.terms.raises
        assert isinstance(raises, CallAndRaise)
        gain = {board: self.raised[hole, board] for board in self.sets(hole, 5)}
        at_turn = {
            turned: raises.turn if sum(gain[board] for board in self.sets(hole, 1, turned)) > 0 else 0
            for turned in self.sets(hole, 4)
        }
        deals: list[tuple[tuple[int, ...], Cards]] = []
        for flop in self.sets(hole, 3):
            boards = list(self.sets(hole, 2, flop))
            bets = self.flop(hole, flop) if self.flop else sum(gain[board] for board in boards) > 0
            at_flop = raises.flop if bets else 0
            if not raises.turn:
                deals += [((at_flop,), board) for board in boards]
                continue
            for turned in self.sets(hole, 1, flop):
                deals += [((at_flop, at_turn[turned]), board) for board in self.sets(hole, 1, turned)]
        played = sum(self.first[hole, board] + (raises.call + sum(later)) * gain[board] for later, board in deals)
        if played >= sum(self.folded[hole, board] for _, board in deals):
            return raises.call, [(Line(False, (raises.call, *later)), board) for later, board in deals]
        return 0, [(Line(True, (0,) * (1 + len(later))), board) for later, board in deals]
