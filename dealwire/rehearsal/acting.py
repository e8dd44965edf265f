"""Betting round of simulated players: whose turn it is, and which actions the house's limits allow.

This is written from the regulation alone and shares no code with the table's judgment of the same actions.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from dealer_flow.procedure.betting import UNLIMITED
from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.posted import PostedBets
from devices.events import BettingAction

LEAST: Final = 200
"""Minimum bet and raise of simulated players in cents: the big blind. The regulation sets no minimum."""
BRINGS_IN: Final = 100
"""Bring-in, in cents, of the seat that an open card forces to open."""


class Move(NamedTuple):
    """Possible action of a player. `least` and `most` are the total cents in front of the seat afterwards."""

    action: BettingAction
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Figures:
    """Limits of a bet in cents; None if only the stake limits it. `raises` is the maximum number per betting round,
    None for no limit."""

    most_bet: int | None
    most_raise: int | None
    raises: int | None
    check_and_raise: bool
    bet_or_fold: bool
    full_only: bool = False
    """True if who has acted may not raise after less than a full raise."""

    @classmethod
    def of(cls, plan: Plan) -> "Figures":
        """Return the limits of a procedure with its options."""
        part, options = plan.betting, plan.options
        assert part is not None, "only where players bet against each other"
        raises = options[part.raises.option]
        return cls(
            part.most_bet.cents if part.most_bet is not None else None,
            part.most_raise.cents if part.most_raise is not None else None,
            None if raises == UNLIMITED else int(raises),
            options[part.check_and_raise.option] == "yes",
            options[part.bet_or_fold.option] == "yes",
            part.short_all_in is not None and options[part.short_all_in.option] == "full-raise-only",
        )


@dataclass(slots=True)
class BettingRound:
    """Betting round. `turns` are the seats dealt in, clockwise from the first to act; `lies` the chips in front of
    each; `behind` the rest of its stake, which is reduced here. If `forced`, the first to act brings in. `full` is what
    the first to call calls although less than that lies there. `posted` are the sizes of the house, of the betting
    round `bet`; `pot` is in the pots of earlier rounds."""

    figures: Figures
    turns: Sequence[int]
    lies: dict[int, int]
    behind: dict[int, int]
    forced: bool = False
    full: int = 0
    high: int = 0
    raises: int = 0
    acted: set[int] = field(default_factory=set)
    checked: set[int] = field(default_factory=set)
    shows_first: int | None = None
    """Seat that bet or raised last, else the one that acted first."""
    posted: PostedBets | None = None
    bet: str = ""
    pot: int = 0
    _at: int = 0
    _least: int = 0
    """Last full bet or raise."""
    _largest: int = 0
    """Largest bet or raise, full or not."""

    def __post_init__(self) -> None:
        self.high = self._least = self._largest = max(self.lies.values(), default=0)

    def turn(self, live: Collection[int]) -> int | None:
        """Return the seat to act; None if every bet is called or no opponent is left."""
        able = [seat for seat in live if self.behind[seat]]
        if len(live) <= 1 or (len(able) == 1 and self._lies(able[0]) >= self.high):
            return None
        for seat in (*self.turns[self._at :], *self.turns[: self._at]):
            if seat in able and (seat not in self.acted or self._lies(seat) < self.high):
                return seat
        return None

    def after(self, seat: int, live: Collection[int]) -> int | None:
        """Return the seat that would act after a seat that is to act, if there is another."""
        start = self.turns.index(seat) + 1
        around = [*self.turns[start:], *self.turns[: start - 1]]
        return next((each for each in around if each in live and self.behind[each] and each not in self.acted), None)

    def moves(self, seat: int) -> list[Move]:
        """Return the possible actions of a seat."""
        lies, high, most = self._lies(seat), self.high, self._lies(seat) + self.behind[seat]
        if self.forced and not high:
            brings = min((self.posted.bring_in if self.posted is not None else 0) or BRINGS_IN, most)
            return [Move(BettingAction.BRING_IN, brings, brings)]
        found = [Move(BettingAction.FOLD, lies, lies)]
        if lies >= high and (high or not self.figures.bet_or_fold):
            found.append(Move(BettingAction.CHECK, lies, lies))
        if (called := max(high, self.full)) > lies:
            found.append(Move(BettingAction.CALL, min(called, most), min(called, most)))
        least, top = self._between(seat, most)
        if top > high and self._may_raise(seat):
            found.append(Move(BettingAction.RAISE if high else BettingAction.BET, min(least, top), top))
        if most <= high or (most == top and self._may_raise(seat)):
            found.append(Move(BettingAction.ALL_IN, most, most))
        return found

    def _between(self, seat: int, stake: int) -> tuple[int, int]:
        """Return the least and the most that a bet or raise may bring in front of a seat."""
        high, posted = self.high, self.posted
        limit = self.figures.most_raise if high else self.figures.most_bet
        top = stake if limit is None else min(stake, high + limit)
        if posted is None:
            return high + LEAST, top
        if posted.structure == "fixed":
            size = posted.sizes[self.bet]
            full = size if high < size else high + size
            return full, min(top, full)
        least = posted.least_bet
        if high and not self.forced:
            least = high + (least if posted.least_raise == "least-bet" else max(least, self._largest))
        if posted.most_bet is not None:
            top = min(top, high + posted.most_bet)
        if posted.structure == "pot":
            top = min(top, high + self.pot + sum(self.lies.values()) + high - self._lies(seat))
        return max(least, high + 1), top

    def act(self, seat: int, action: BettingAction, cents: int) -> None:
        """Apply an action. `cents` is the total in front of the seat afterwards."""
        self.behind[seat] -= cents - self._lies(seat)
        self.lies[seat] = cents
        if cents > self.high or self.shows_first is None:
            self.shows_first = seat
        if action is BettingAction.CALL and cents > self.high:  # the full blind
            self.high = self._least = self._largest = cents
        elif cents > self.high:
            self._largest = max(self._largest, cents - self.high)
            self._raised(cents)
            self.forced = action is BettingAction.BRING_IN
            self.high = cents
        if action is not BettingAction.FOLD:
            self.full = 0
        if action is BettingAction.CHECK:
            self.checked.add(seat)
        self.acted.add(seat)
        self._at = (self.turns.index(seat) + 1) % len(self.turns)

    def _raised(self, cents: int) -> None:
        """Open the betting again for those who have acted, unless less than a full raise does not."""
        added = cents - self.high
        if self.figures.full_only and self.high and not self.forced and added < self._least:
            return
        self.raises += self.high > 0 and not self.forced
        self._least, self.acted = cents if self.forced else added, set()

    def _lies(self, seat: int) -> int:
        return self.lies.get(seat, 0)

    def _may_raise(self, seat: int) -> bool:
        if not self.high or self.forced:  # a bet; or what completes a forced one
            return not self.high or self._may_check_raise(seat)
        if seat in self.acted and self.high - self._lies(seat) < self._least:
            return False
        left = self.figures.raises is None or self.raises < self.figures.raises
        return left and self._may_check_raise(seat)

    def _may_check_raise(self, seat: int) -> bool:
        return self.figures.check_and_raise or seat not in self.checked
