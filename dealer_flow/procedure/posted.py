"""Posted rules of a house for one game: amounts of antes and blinds, sizes of bets and raises (47.1-1040).

A `PostedGame` belongs to a `Procedure` as its edition does: it changes no figure of the file, it only adds limits.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from dealer_flow.english import dollars, listed
from dealer_flow.record.result import HouseRef

Structure = Literal["fixed", "spread", "pot", "none"]
"""`fixed`: every bet and raise has one size. `spread`: between two amounts. `pot`: at most the pot. `none`: at most the
stake."""
LeastRaise = Literal["bet-before", "least-bet"]
"""Least raise: as much as the bet or raise before it in the betting round, or the least bet."""
_WHEN: Final = {
    "pre-flop": "before the flop",
    "flop": "on the flop",
    "turn": "on the turn",
    "river": "on the river",
    "before-draw": "before the draw",
    "after-draw": "after the draw",
}
"""Betting rounds in a player's words; any other is a street."""
_STREETS: Final = ("third", "fourth", "fifth", "sixth", "seventh")
TOO_LITTLE: Final = "house_least"
TOO_MUCH: Final = "house_most"
OTHER_SIZE: Final = "house_size"
SIZES: Final = (TOO_LITTLE, TOO_MUCH, OTHER_SIZE)
"""Checks of the flow that enforce the posted sizes."""


class BettingSpot(NamedTuple):
    """Situation of a seat that bets or raises, in cents.

    `high` is the bet to call (0 if none), `lies` what is in front of the seat, `pot` everything put in so far, `last`
    the largest bet or raise in this betting round. `bring_in`: the bet to call was forced and is not a full bet.
    """

    bet: str
    high: int
    lies: int
    pot: int
    last: int
    bring_in: bool


class Bounds(NamedTuple):
    """Cents that may be in front of a seat after a bet or raise: from `least` to `most`, None for no most; if `exact`,
    only these two."""

    least: int
    most: int | None
    exact: bool = False


class OutOfBounds(NamedTuple):
    """The check that an amount fails, and the amount that would be allowed."""

    guard: str
    allowed: int


@dataclass(frozen=True, slots=True, eq=False)
class PostedBets:
    """Posted amounts of a game in which players bet against each other, in cents.

    - `forced`: ante and blinds by name. `bring_in`: the forced opening bet, 0 if none is posted.
    - `sizes`: for `fixed`, the size of a bet by betting round.
    - `least_bet`, `most_bet`, `least_raise`: for the other structures; `most_bet` None leaves it to the structure.
    """

    structure: Structure
    forced: Mapping[str, int] = field(default_factory=dict)
    bring_in: int = 0
    sizes: Mapping[str, int] = field(default_factory=dict)
    least_bet: int = 0
    most_bet: int | None = None
    least_raise: LeastRaise = "bet-before"

    def bounds(self, at: BettingSpot) -> Bounds:
        """Return the amounts that a seat may bet, or raise to."""
        if self.structure == "fixed":
            size = self.sizes[at.bet]
            # After a short all-in a raise completes the bet, or is a full one above it; else both are the same.
            complete = (at.high // size + 1) * size
            return Bounds(complete, complete if at.bring_in else at.high + size, True)
        raise_ = self.least_bet if self.least_raise == "least-bet" else max(at.last, self.least_bet)
        least = at.high + raise_ if at.high and not at.bring_in else max(self.least_bet, at.high + 1)
        most = at.high + self.most_bet if self.most_bet is not None else None
        if self.structure == "pot":
            pot = at.high + at.pot + at.high - at.lies
            most = pot if most is None else min(most, pot)
        return Bounds(least if most is None else min(least, most), most)

    def outside(self, cents: int, at: BettingSpot, *, all_in: bool) -> OutOfBounds | None:
        """Return the check that a bet of `cents` in front of the seat fails, or None. A seat that is all-in may bet
        less than the least."""
        least, most, exact = self.bounds(at)
        if exact:
            fits = cents in (least, most) or (all_in and cents < (most or 0))
            return None if fits else OutOfBounds(OTHER_SIZE, most or 0)
        if cents < least and not all_in:
            return OutOfBounds(TOO_LITTLE, least)
        return OutOfBounds(TOO_MUCH, most) if most is not None and cents > most else None

    def words(self) -> str:
        """Return the sizes as text: `bets and raises of $2 on the flop, $4 on the turn`."""
        if self.structure == "fixed":
            return _fixed(self.sizes)
        least = f" from {dollars(self.least_bet)}" if self.least_bet else ""
        most = f" to {dollars(self.most_bet)}" if self.most_bet is not None else ""
        if self.structure == "spread":
            return f"bets and raises{least}{most}"
        of = "the pot" if self.structure == "pot" else "the player's stake"
        cap = f", and never more than {dollars(self.most_bet)}" if self.most_bet is not None else ""
        return f"bets and raises{least} to {of}{cap}"


def _fixed(sizes: Mapping[str, int]) -> str:
    """Return fixed sizes as text, betting rounds of one size together."""
    by_size: dict[int, list[str]] = {}
    for name, cents in sizes.items():
        by_size.setdefault(cents, []).append(name)
    if len(by_size) == 1:
        return f"bets and raises of {dollars(*by_size)}"
    sized = (f"{dollars(cents)} {listed([_when(name) for name in on])}" for cents, on in by_size.items())
    return f"bets and raises of {', '.join(sized)}"


def _when(name: str) -> str:
    """Return a betting round as in `on third street`."""
    return _WHEN.get(name) or f"on {name.replace('-', ' ')}{' street' if name in _STREETS else ''}"


@dataclass(frozen=True, slots=True, eq=False)
class PostedGame:
    """One game as a house has posted it: the file, the clause that requires the notice, and the amounts, if players bet
    against each other. `least` is the least bet that enters a seat in a game against the house, 0 if none is posted."""

    ref: HouseRef
    clause: str
    bets: PostedBets | None = None
    least: int = 0
