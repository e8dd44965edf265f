"""What a hold'em game against the dealer pays, and when a player may raise: plain parameters, known to no game by name.

Two ways to raise are told apart. In one, a single bet is made once, the later the smaller, or the hand is folded at the
end; in the other, a bet keeps the hand alive before the flop and further bets of their own may follow.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple


class HoldemEnding(NamedTuple):
    """How a hand ended for its player: folded or not, the category of his best hand, whether the dealer qualified, and
    "win", "tie" or "lose" against him. For a folded hand, what the showdown would have been."""

    folded: bool
    category: str
    qualified: bool
    outcome: str


Net = Callable[[HoldemEnding], Fraction]
"""What a unit of a bet gains; -1 when it is lost."""


@dataclass(frozen=True, slots=True)
class FirstBet:
    """A bet that stands before the cards are dealt. Of a folded hand its net may depend on the category alone. Without
    `staked`, it is no bet of its own but a pay on another one's stake."""

    name: str
    net: Net
    staked: bool = True


@dataclass(frozen=True, slots=True)
class RaiseOnce:
    """One bet, made once or never: of one of the sizes `before` the flop, or of `flop` units after it, or of `river`
    units when the board is complete, where the hand is folded otherwise."""

    before: tuple[int, ...]
    flop: int
    river: int


@dataclass(frozen=True, slots=True)
class CallAndRaise:
    """A bet of `call` units before the flop, or the hand is folded; then one of `flop` units after the flop, or not;
    then one of `turn` units after the fourth card, or not (0: there is none)."""

    call: int
    flop: int
    turn: int


@dataclass(frozen=True, slots=True)
class HoldemTerms:
    """The bets of a game: the first ones, how a player may raise, and the net of a unit raised. The dealer qualifies
    with the category `qualifier` or above."""

    first: tuple[FirstBet, ...]
    raises: RaiseOnce | CallAndRaise
    raised: Net
    qualifier: str = "high card"

    def gains(self, line: "Line", ending: HoldemEnding) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
        """Stake and net of each bet: the first ones, then those raised with."""
        each = Fraction(0) if line.folded else self.raised(ending)
        stakes = (*(Fraction(bet.staked) for bet in self.first), *map(Fraction, line.units))
        return stakes, (*(bet.net(ending) for bet in self.first), *(units * each for units in line.units))


class Line(NamedTuple):
    """What a player did: folded or not, and the units of each bet he raised with."""

    folded: bool
    units: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class HoldemCount:
    """Every deal by what the player did and how it ended. `before`: what he did before the flop, by classes of holes
    ("AA", "AKs", "AKo"), 0 for the choice without a bet."""

    terms: HoldemTerms
    ways: Mapping[tuple[Line, HoldemEnding], int]
    before: Mapping[str, int]
