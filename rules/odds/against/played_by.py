"""A strategy from a file in the form that the engines take: situation by situation, or hand by hand."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import numpy as np
import numpy.typing as npt

from protocol.cards import Card
from rules.errors import OddsRefused
from rules.odds.against.choices import Choose as ChooseCase
from rules.odds.against.choices import Option
from rules.odds.against.versus import Cases
from rules.odds.cards.placed_sets import Choose
from rules.odds.question import Question
from rules.odds.strategy.file import Strategy
from rules.odds.strategy.seen_hands import RankedHands, codes_of, units_for

_OF_ANY_CARDS: Final = ("at-least", "makes", "holds", "suited", "high", "without", "any")


def by_strategy(question: Question, raises: Sequence[Fraction]) -> ChooseCase | None:
    """Return the choices of the strategy in a game with one decision: a fold, or a raise by units of the first bet.
    None for the best play."""
    strategy = question.strategy
    if strategy is None or not strategy.covers_decision(0):
        return None

    def choose(found: Cases, _: Sequence[Option]) -> npt.NDArray[np.intp]:
        seen = found.deck.places(found.own) * len(found.deck.ranks)
        if found.up.shape[1]:  # rules use only the rank of the dealer's card
            seen += found.up[:, 0] // found.deck.suits
        first, alike = np.unique(seen, return_index=True, return_inverse=True)[1:]
        codes = np.array(found.deck.cards(range(found.deck.size)), np.uint8)
        hands = RankedHands(question.game, codes[found.own[first]], dealer=codes[found.up[first]])
        rules, units = units_for(strategy, 0, hands)
        met = {rule: _place(strategy, 0, units[rule], raises) for rule in np.unique(rules).tolist()}
        return np.array([met.get(rule, 0) for rule in range(len(units))], np.intp)[rules[alike]]

    return choose


def chosen(question: Question, *raises: Sequence[Fraction | int]) -> Choose | None:
    """Return the choice at each decision: 0 for nothing more and n for the n-th of its `raises`, in units of the first
    bet. The last raises given also apply to further decisions. None for the best play.

    Cards come as sets, so once some are the community's no rule can tell which are the player's own; such a rule raises
    OddsRefused.
    """
    strategy = question.strategy
    if strategy is None:
        return None

    def choose(decision: int, cards: Sequence[Card]) -> int | None:
        if not strategy.covers_decision(decision):
            return None
        if decision and (asks := strategy.asks_of_own(decision)):
            raise OddsRefused("condition, where cards are known as a set,", asks, _OF_ANY_CARDS)
        rules, units = units_for(strategy, decision, RankedHands(question.game, codes_of(cards)))
        return _place(strategy, decision, units[rules[0]], raises[min(decision, len(raises) - 1)])

    return choose


def _place(strategy: Strategy, decision: int, units: Fraction, raises: Sequence[Fraction | int]) -> int:
    if not units:
        return 0
    if units not in raises:
        step = strategy.decisions[decision].step
        raise OddsRefused(f"units bet at {step}", str(units), map(str, raises))
    return [*raises].index(units) + 1
