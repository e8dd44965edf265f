"""Parameters of a hold'em game against the dealer: its pays, and the raises of a player. They do not depend on a
particular game.

There are two ways to raise. In one, a single bet is made once, smaller the later it is, or the hand is folded at the
end. In the other, a bet keeps the hand alive before the flop, and further separate bets may follow.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple


class HoldemEnding(NamedTuple):
    """Ending of a hand for its player: folded or not, the category of his best hand, the dealer's qualification, and
    "win", "tie" or "lose" against him. For a folded hand, the showdown that would have been."""

    folded: bool
    category: str
    qualified: bool
    outcome: str


Net = Callable[[HoldemEnding], Fraction]
"""Gain of one unit of a bet; -1 if it is lost."""


@dataclass(frozen=True, slots=True)
class FirstBet:
    """A bet that is made before the cards are dealt. For a folded hand its net may depend only on the category. Without
    `staked`, it is not a bet of its own but a pay on another's stake."""

    name: str
    net: Net
    staked: bool = True


@dataclass(frozen=True, slots=True)
class RaiseOnce:
    """One bet, made once or never: one of the sizes `before` the flop, or `flop` units after it, or `river` units with
    the board complete, where the hand is folded otherwise."""

    before: tuple[int, ...]
    flop: int
    river: int


@dataclass(frozen=True, slots=True)
class CallAndRaise:
    """A bet of `call` units before the flop, or a fold; then optionally `flop` units after the flop; then optionally
    `turn` units after the fourth card (0: there is no such bet)."""

    call: int
    flop: int
    turn: int


@dataclass(frozen=True, slots=True)
class HoldemTerms:
    """Bets of a game: the first ones, the way to raise, and the net of one unit raised. The dealer qualifies with the
    category `qualifier` or above."""

    first: tuple[FirstBet, ...]
    raises: RaiseOnce | CallAndRaise
    raised: Net
    qualifier: str = "high card"

    def gains(self, line: "Line", ending: HoldemEnding) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
        """Return the stake and net of each bet: the first ones, then the raises."""
        each = Fraction(0) if line.folded else self.raised(ending)
        stakes = (*(Fraction(bet.staked) for bet in self.first), *map(Fraction, line.units))
        return stakes, (*(bet.net(ending) for bet in self.first), *(units * each for units in line.units))


class Line(NamedTuple):
    """A player's line of play: folded or not, and the units of each raise."""

    folded: bool
    units: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class HoldemCount:
    """Number of deals by line of play and ending. `before`: the bet before the flop by class of holes ("AA", "AKs",
    "AKo"), 0 for the choice without a bet."""

    terms: HoldemTerms
    ways: Mapping[tuple[Line, HoldemEnding], int]
    before: Mapping[str, int]
