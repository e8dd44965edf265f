"""Choices of a player and their effect on the bets: in each situation the option that gains most, or a given
strategy's."""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rules.odds.against.versus import STATES, Cases
from rules.odds.joint import Ending

_MOST: Final = 2**62


@dataclass(frozen=True)
class Option:
    """One option of a decision.

    `settle` returns the result of the bets when a hand of a kind meets one of `STATES`. `open_to` says which kinds may
    take the option, if the player knows his hand.
    """

    name: str
    settle: Callable[[Hashable, str], Ending]
    open_to: Callable[[Hashable], bool] = lambda _: True


Choose = Callable[[Cases, Sequence[Option]], npt.NDArray[np.intp]]
"""Returns the index of the option taken in each situation."""


@dataclass(frozen=True)
class Played:
    """Result of playing all deals.

    - `joint`: counts equally likely deals by the ending of the bets.
    - `chosen`: the index of the option by situation.
    - `hands`: by option and kind of hand held, the number of ways to meet it at the decision; kinds only if the
      player knows his whole hand.
    """

    joint: Mapping[Ending, int]
    chosen: npt.NDArray[np.intp]
    hands: Mapping[str, Mapping[Hashable, int]]


def play(found: Cases, options: Sequence[Option], choose: Choose | None = None) -> Played:
    """Return the outcome of all deals with the best option in each situation, or the option that `choose` returns.

    Among options that gain the same, the first after the fold is taken, so list the fold first, then the others from
    the lowest to the highest stake. Raises ValueError if a chosen option is not open to the hand.
    """
    allowed = np.stack([_allowed(found, option) for option in options])
    chosen = choose(found, options) if choose else best(found, options)
    if not allowed[chosen, np.arange(len(found.own))].all():
        raise ValueError("the option chosen is not open to the hand")
    joint: Counter[Ending] = Counter()
    for place, option in enumerate(options):
        rows = chosen[found.of] == place
        kinds, deals = found.kind[rows], np.zeros((len(found.kinds), len(STATES)), np.int64)
        for state in range(len(STATES)):
            np.add.at(deals[:, state], kinds, found.deals[rows, state])
        for kind, state in np.argwhere(deals):
            joint[option.settle(found.kinds[kind], STATES[state])] += int(deals[kind, state])
    return Played(joint, chosen, _hands(found, options, chosen))


def best(found: Cases, options: Sequence[Option]) -> npt.NDArray[np.intp]:
    """Return the open option that gains most for each situation; among equals, the first other than the first of all
    (the fold)."""
    worth = [_nets(found, option) for option in options]
    scale = lcm(*(net.denominator for nets in worth for row in nets for net in row))
    chosen = np.zeros(len(found.own), np.intp)
    most = np.full(len(found.own), None, object)
    for place, (option, nets) in enumerate(zip(options, worth, strict=True)):
        gain = _gain(found, [[int(net * scale) for net in row] for row in nets])
        if not place:
            most = gain
        better = _allowed(found, option) & ((gain > most) | ((gain == most) & (chosen == 0)))
        chosen[better] = place
        most = np.where(better, gain, most)
    return chosen


def _nets(found: Cases, option: Option) -> list[list[Fraction]]:
    """Return the total gain of the bets by [kind, state]."""
    return [[Fraction(sum(option.settle(kind, state).nets)) for state in STATES] for kind in found.kinds]


def _gain(found: Cases, nets: Sequence[Sequence[int]]) -> npt.NDArray[Any]:
    """Return the gain by situation over all its deals; in Python integers where 64 bits could overflow."""
    # An upper bound of every sum below; above it, fall back to Python integers.
    bound = int(found.deals.sum(axis=1).max()) * max(abs(net) for row in nets for net in row) * len(found.kinds)
    kind = np.int64 if bound < _MOST else object
    gain, worth = np.zeros(len(found.own), kind), np.array(nets, kind)
    for state in range(len(STATES)):
        np.add.at(gain, found.of, found.deals[:, state] * worth[found.kind, state])
    return gain


def _allowed(found: Cases, option: Option) -> npt.NDArray[np.bool_]:
    """Return the situations in which every hand that can result may take the option."""
    kinds = np.array([option.open_to(kind) for kind in found.kinds])
    closed = np.zeros(len(found.own), bool)
    closed[found.of[~kinds[found.kind]]] = True
    return ~closed


def _hands(found: Cases, options: Sequence[Option], chosen: npt.NDArray[np.intp]) -> dict[str, dict[Hashable, int]]:
    if len(found.of) != len(found.own):  # the hand is not complete, so it has no kind
        return {option.name: {None: int(found.copies[chosen == at].sum())} for at, option in enumerate(options)}
    met = np.zeros((len(options), len(found.kinds)), np.int64)
    np.add.at(met, (chosen, found.kind), found.copies)
    return {
        option.name: {kind: int(number) for kind, number in zip(found.kinds, row, strict=True) if number}
        for option, row in zip(options, met, strict=True)
    }
