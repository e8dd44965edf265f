"""Fold or bet again as cards come, and a last card that costs a fee where the hand does not win without it.

The player sees his first cards and the community and folds or bets the ante again, and so on for every further
card. A complete hand that wins is paid. One that does not is lost, unless its holder paid an insurance before the
deal: then he may pay a fee for one more card, and the best hand of all of them is paid on every wager (CO
47.1-1017.28(4), (7)-(11)). Neither the insurance nor the fee comes back.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, perm

import numpy as np

from rules.odds.best_play import LOST, PlayedOut, RowPays
from rules.odds.in_words import in_words
from rules.odds.joint import Ending
from rules.odds.placed_sets import (
    Choose,
    Folded,
    Ints,
    RowFinder,
    all_sets,
    choices,
    extend,
    fold,
    shrink,
    with_card,
)


@dataclass(frozen=True, slots=True)
class BonusShape:
    """`own` cards of the player and `community` are seen first; a hand is complete with `size`. Fees in antes."""

    own: int
    community: int
    size: int
    insurance: Fraction
    fee: Fraction

    @property
    def seen(self) -> int:
        """Cards at the first decision."""
        return self.own + self.community

    @property
    def raises(self) -> int:
        """How often the player folds or bets."""
        return self.size - self.seen


def bonus_card(
    finder: RowFinder, pays: RowPays, *, insured: bool, shape: BonusShape, choose: Choose | None = None
) -> PlayedOut:
    """The ante, one bet a decision, insurance and fee, in this order.

    The rows of `finder` are those of `pays`; one wins that does not pay a loss. `choose` gives 0 for a fold and 1 for a
    bet, at the last decision 1 for the card. What gains as much as folding is preferred to it. Deals: own cards as a
    set, then every card in order, one after the complete hand included.
    """
    hands = _complete_hands(finder, pays, insured, shape, choose)
    return _Count(finder, pays, insured, shape, hands).run(_bets(finder, hands, shape, choose))


@dataclass(frozen=True, slots=True)
class _Hands:
    """Every complete hand, alike ones folded: its `row`; by row, how often one more card makes it; whether it `draws`;
    what that or standing gains, in 1/`scale` antes and summed over the cards that may come."""

    all: Folded
    row: Ints
    drawn: Ints
    draws: Ints
    gain: Ints
    scale: int


def _complete_hands(
    finder: RowFinder, pays: RowPays, insured: bool, shape: BonusShape, choose: Choose | None
) -> _Hands:
    pack = finder.pack
    hands = fold(pack, all_sets(pack.size, shape.size))
    row = finder.rows(hands.sets)
    drawn = np.zeros((len(row), len(pays.nets)), np.int64)
    lost = np.array([net == LOST for net in pays.nets])[row] & insured
    for card in range(pack.size if insured else 0):
        may = np.flatnonzero(lost & (hands.sets != card).all(axis=1))
        if len(may):
            drawn[may, finder.rows(with_card(hands.sets[may], card))] += 1
    nets, scale = pays.whole(RowPays((shape.fee,)))
    wagers, ends = 1 + shape.raises, pack.size - shape.size
    stands = wagers * nets[row] * ends
    with_fee = wagers * (drawn @ nets) - int(shape.fee * scale) * ends
    chosen = choices(pack, hands.sets, shape.raises, choose)
    draws = lost & (with_fee >= stands if chosen is None else chosen == 1)
    return _Hands(hands, row, drawn, draws, np.where(draws, with_fee, stands), scale)


def _bets(finder: RowFinder, hands: _Hands, shape: BonusShape, choose: Choose | None) -> list[Ints]:
    """For each decision, in order, whether each set of cards makes another bet (1) or folds (0)."""
    found = []
    pack, gain = finder.pack, hands.gain[hands.all.of]
    ends = pack.size - shape.size
    for decision in range(shape.raises - 1, -1, -1):
        known = shape.seen + decision
        gain = shrink(pack.size, gain, known + 1)
        ends *= pack.size - known
        folded = -(1 + decision) * hands.scale * ends
        chosen = choices(pack, all_sets(pack.size, known), decision, choose)
        bets = gain >= folded if chosen is None else chosen == 1
        found.append(bets.astype(np.int64))
        gain = np.where(bets, gain, folded)
    return found[::-1]


@dataclass
class _Count:
    """Forwards: how many deals come to each set with every bet made, and how all of them end."""

    finder: RowFinder
    pays: RowPays
    insured: bool
    shape: BonusShape
    hands: _Hands

    def run(self, bets: Sequence[Ints]) -> PlayedOut:
        pack, shape = self.finder.pack, self.shape
        ways: Counter[Ending] = Counter()
        decided = {}
        reached = np.full(comb(pack.size, shape.seen), comb(shape.seen, shape.community), np.int64)
        for decision, bet in enumerate(bets):
            known = shape.seen + decision
            folded = int((reached * (1 - bet)).sum())
            decided[f"bet {decision + 2}"] = {"fold": folded, "bet": int(reached.sum()) - folded}
            what = f"fold before bet {decision + 2}"
            ways[self._ended(1 + decision, False, LOST, what)] += folded * perm(
                pack.size - known, shape.size - known + 1
            )
            reached = extend(pack.size, reached * bet, known + 1)
        of_hand = np.zeros(len(self.hands.row), np.int64)
        np.add.at(of_hand, self.hands.all.of, reached)
        decided["card"] = self._complete(ways, of_hand)
        return PlayedOut(+ways, decided, in_words(pack, shape.seen, bets[0], ("fold", "bet")))

    def _complete(self, ways: Counter[Ending], of_hand: Ints) -> dict[str, int]:
        """Add the ends of complete hands, each reached so often; how many win, are lost and take a card."""
        hands, ends = self.hands, self.finder.pack.size - self.shape.size
        wagers, found = 1 + self.shape.raises, Counter[str]()
        standing = np.where(hands.draws, 0, of_hand)
        for row, net in enumerate(self.pays.nets):
            stands = int(standing[hands.row == row].sum())
            drew = int((of_hand * hands.draws) @ hands.drawn[:, row])
            found["lost" if net == LOST else "win"] += stands
            name = self.pays.name(row)
            what = "lost without a card" if net == LOST else "won without a card"
            ways[self._ended(wagers, False, net, what, name)] += stands * ends
            ways[self._ended(wagers, True, net, "with the card", name)] += drew
        return dict(found) | {"draw": int((of_hand * hands.draws).sum())}

    def _ended(self, wagers: int, fee: bool, net: Fraction, what: str, name: str = "") -> Ending:
        bets = 1 + self.shape.raises
        fees = (self.shape.insurance * self.insured, self.shape.fee * fee)
        stakes = tuple(Fraction(bet < wagers) for bet in range(bets))
        rows = tuple(name if stake else "" for stake in stakes)
        return Ending(
            (*stakes, *fees), (*(each * net for each in stakes), *(-each for each in fees)), what, (*rows, "", "")
        )
