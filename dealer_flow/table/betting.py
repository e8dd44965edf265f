"""Chips of a hand in which players bet against each other: who has acted, the chips of each seat, and who is next.

Nothing here judges: this records where the betting stands and takes actions. `play.order.actions` has the checks on an
action, and `play.reports.chips` handles one that is out of the ordinary.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from dealer_flow.procedure.betting import PUTS, after_raise, is_full
from dealer_flow.record.details import ActionRecord
from devices.events import BettingAction


class OutOfTurn(NamedTuple):
    """An action out of turn that is kept apart: the action, the cents then in front of the seat, and the bet to call
    that it was made on."""

    action: BettingAction
    cents: int
    high: int


class PostedBlind(NamedTuple):
    """A blind that was put up: the seats that have it, clockwise from the button, and the seat that owes it.

    `by` is the seat that counts as its bettor; None if it decides nothing about who acts first.
    """

    name: str
    seats: tuple[int, ...]
    due: int
    by: int | None


@dataclass(slots=True)
class Betting:
    """Betting of one hand, in cents. `step` to `earlier` concern the betting round under way."""

    stakes: dict[int, int] = field(default_factory=dict)
    """Chips in front of each seat when the hand began, if they were reported."""
    behind: dict[int, int] = field(default_factory=dict)
    """Chips that each seat of `stakes` still has and has not bet."""
    left: set[int] = field(default_factory=set)
    """Seats that had no more chips, as reported before the hand."""
    sitting_out: set[int] = field(default_factory=set)
    """Seats that are not dealt in, though they have a stake."""
    too_much: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """Seats whose bets before the deal were more than the stake -> those bets, which are held."""
    posted: tuple[int | None, list[PostedBlind]] | None = None
    """The button at START GAME, and the blinds that were put up then."""
    chopped: set[int] = field(default_factory=set)
    """Seats in the blinds that would end the hand and take them back; both must say so."""
    forfeited: set[int] = field(default_factory=set)
    """Seats whose chips stay in the pot by a supervisor's ruling."""
    taken_back: dict[int, tuple[str, int]] = field(default_factory=dict)
    """Seats whose fouled hand had its last bet returned -> the betting round, and cents."""
    folded: set[int] = field(default_factory=set)
    mucked: set[int] = field(default_factory=set)
    """Folded seats whose hands were thrown away outside of a betting round."""
    sealed: frozenset[int] = frozenset()
    """Seats that are in the pots as they are cut, whatever becomes of their hands: those all-in when a betting round
    was over, and all that were in when no more could be bet."""
    actions: list[ActionRecord] = field(default_factory=list)
    """Every action of the hand, in order."""
    step: str = ""
    put: dict[int, int] = field(default_factory=dict)
    """Chips in front of each seat in this betting round; in the first one, its blinds are included."""
    high: int = 0
    """The bet to call."""
    raises: int = 0
    bring_in: bool = False
    """True if the opening bet is forced: it is yet to come while no bet was made, else it is the present bet."""
    full_only: bool = False
    """True if an all-in that is less than a full raise is none: who has acted may then only call or fold."""
    step_up: int = 0
    """Last full bet or raise in cents; in the first betting round at least the blind."""
    full: int = 0
    """Full blind, while it is called although nobody has put it in."""
    short: bool = False
    """True while the big blind is all-in for less and seats have only folded, or called with their last chips, in a
    house where the full blind is called: the first call of another seat says how much that is."""
    turns: tuple[int, ...] = ()
    """Seats clockwise from the first to act; empty while that is unknown."""
    acted: set[int] = field(default_factory=set)
    """Seats that have acted since the last bet or raise."""
    checked: set[int] = field(default_factory=set)
    last: int | None = None
    """Seat that acted last, in this betting round."""
    passed: dict[int, int] = field(default_factory=dict)
    """Seats that were passed by although it was their turn -> the number of actions until then."""
    apart: dict[int, OutOfTurn] = field(default_factory=dict)
    """Actions out of turn that bind their seats when the turn comes to them."""
    takes_back: bool = False
    """True if a seat that was passed by and acts in time acts as if the others had not."""
    earlier: tuple["Betting", ...] = ()
    """State before each action of this betting round. These copies never change."""
    stood: tuple[int, ...] = ()
    """Cards drawn and choices made by the last action: while the numbers are the same, nothing has come since."""

    def open(
        self,
        step: str,
        put: Mapping[int, int],
        turns: Iterable[int],
        *,
        bring_in: bool,
        full: int = 0,
        short: bool = False,
    ) -> None:
        """Open a betting round; `put` are the blinds, `full` the big blind if less than that may lie there."""
        most = max(put.values(), default=0)
        self.full = full if full > most else 0
        self.step, self.put, self.high = step, dict(put), self.full or most
        self.step_up, self.short = self.high, short
        self.raises, self.bring_in, self.turns = 0, bring_in, tuple(turns)
        self.acted, self.checked, self.last, self.passed, self.earlier = set(), set(), None, {}, ()
        self.apart = {}

    def lies(self, seat: int) -> int:
        """Return the cents in front of a seat in this betting round."""
        return self.put.get(seat, 0)

    def to_call(self, seat: int) -> int:
        """Return the cents that must be in front of the seat to call, at most all that it has."""
        most = self.most(seat)
        return self.high if most is None else min(self.high, most)

    def most(self, seat: int) -> int | None:
        """Return the most that can be in front of the seat; None if its stake was not reported."""
        return self.lies(seat) + self.behind[seat] if seat in self.behind else None

    def is_all_in(self, seat: int) -> bool:
        """Return True if nothing of the seat's stake is left."""
        return self.behind.get(seat) == 0

    def closed_to(self, seat: int) -> bool:
        """Return True if the seat may not raise: it has acted, and only all-ins that are less than a full raise came
        since."""
        return seat in self.acted and self.high - self.lies(seat) < self.step_up

    def needs(self, seat: int, live: Iterable[int]) -> bool:
        """Return True if the seat has yet to act in this betting round."""
        if seat not in live or self.is_all_in(seat):
            return False
        return seat not in self.acted or self.lies(seat) < self.high

    def over(self, live: list[int]) -> bool:
        """Return True if every bet is called, or no one is left to bet against."""
        if len(live) <= 1:
            return True
        able = [seat for seat in live if not self.is_all_in(seat)]
        if len(able) <= 1:  # no one has to call a bet whose bettor has folded
            high = max(self.lies(seat) for seat in live if seat not in able)
            return all(self.lies(seat) >= high for seat in able)
        return not any(self.needs(seat, live) for seat in live)

    def close(self, live: list[int], *, final: bool) -> None:
        """End the betting round: the pots are cut. `final`: there is no other one."""
        all_in = [seat for seat in live if self.is_all_in(seat)]
        self.sealed = self.sealed.union(live if final or len(all_in) + 1 >= len(live) else all_in)

    def waiting(self, live: list[int]) -> list[int]:
        """Return the seats that may act now: the one whose turn it is, then those that were passed by and are too late.

        A seat that was passed by has the turn until then, alone (47.1-1019, 1024), the first of them before the others,
        though what was done before it may stand. While it is unknown who is first, all seats that have yet to act.
        """
        if self.over(live):
            return []
        if not self.turns:
            return [seat for seat in live if self.needs(seat, live)]
        start = self.turns.index(self.last) + 1 if self.last in self.turns else 0
        around = [*self.turns[start:], *self.turns[:start]]
        due = [seat for seat in around if self.needs(seat, live)]
        if self.passed and (owed := self._owed(due)) is not None:
            return [owed]
        ahead = [seat for seat in due if seat not in self.passed]
        return [*ahead[:1], *(seat for seat in due if seat in self.passed)]

    def _owed(self, due: Sequence[int]) -> int | None:
        """Return the seat, of these, that was passed by first and is still in time."""
        return next((seat for seat in self.passed if seat in due and self._in_time(seat)), None)

    def _in_time(self, seat: int) -> bool:
        """Return True if no substantial action has taken place since this seat was passed by (47.1-1024)."""
        return not _is_substantial(self.actions[self.passed[seat] :])

    def copy(self) -> "Betting":
        """Return a copy of the present state."""
        return replace(
            self,
            behind=dict(self.behind),
            folded=set(self.folded),
            mucked=set(self.mucked),
            chopped=set(self.chopped),
            actions=list(self.actions),
            put=dict(self.put),
            acted=set(self.acted),
            checked=set(self.checked),
            passed=dict(self.passed),
            apart=dict(self.apart),
        )

    def standing(self, seat: int) -> "Betting":
        """Return the state before a seat's last action, or the present one if another seat has done more since than
        fold.

        Source: 47.1-1030.
        """
        since = self
        for before in reversed(self.earlier):
            made = since.actions[len(before.actions)]  # what follows it, such as a wish to chop, has no state before it
            if made.seat == seat:
                return before
            if made.action != BettingAction.FOLD:
                break
            since = before
        return self

    def before_passed(self, seat: int) -> "Betting":
        """Return the state before the action that passed this seat by; the present one if none did, or if substantial
        action has taken place since.

        Source: 47.1-1024.
        """
        if seat not in self.passed or not self._in_time(seat):
            return self
        return self.when(self.passed[seat]) or self

    def when(self, actions: int) -> "Betting | None":
        """Return the state of this betting round after so many actions of the hand, if that was kept."""
        return next((before for before in self.earlier if len(before.actions) == actions), None)

    def word(self, seat: int) -> OutOfTurn | None:
        """Return the action out of turn that binds the seat now: nobody has changed the bet to call."""
        found = self.apart.get(seat)
        return found if found is not None and found.high == self.high else None

    def act(self, seat: int, action: BettingAction, cents: int, manner: str, live: list[int]) -> None:
        """Take an action; `cents` are in front of the seat afterwards. A fold before its turn passes no one by."""
        before, added = self.copy(), cents - self.lies(seat)
        self.apart.pop(seat, None)
        if action is not BettingAction.FOLD or seat in self.waiting(live):
            self._pass(seat, before, live)
            self.last = seat
        self.put[seat] = cents
        if action is BettingAction.ALL_IN:
            self.behind[seat] = 0
        elif seat in self.behind:
            self.behind[seat] -= added
        if action is BettingAction.FOLD:
            self.folded.add(seat)
        elif cents > self.high:
            self._raise_to(cents, action)
        calls_short = action is BettingAction.CALL and self.is_all_in(seat)  # all it has may be less than the blind
        self.short = self.short and (action is BettingAction.FOLD or calls_short)
        if self.full:
            self._lower(live)
        self.checked |= {seat} if action is BettingAction.CHECK else set()
        self.acted.add(seat)
        self._note(seat, action, cents, manner, before)

    def _raise_to(self, cents: int, action: BettingAction) -> None:
        """Take a higher bet. A call of the full blind is no raise, and neither is a short all-in if the house says
        so."""
        if action is BettingAction.CALL:
            self.step_up = cents
        elif not self.full_only or is_full(cents, self.high, self.step_up, bring_in=self.bring_in):
            self.raises = after_raise(self.raises, self.high, bring_in=self.bring_in)
            self.step_up, self.acted = cents if self.bring_in else cents - self.high, set()
        self.high, self.bring_in = cents, action is BettingAction.BRING_IN

    def _lower(self, live: list[int]) -> None:
        """Lower a full blind that nobody has put in to the highest bet, once only one seat can still bet."""
        able = [seat for seat in live if seat not in self.folded and not self.is_all_in(seat)]
        if len(able) <= 1 and self.high > (most := max(self.put.values(), default=0)):
            self.high = most

    def muck(self, seat: int, step: str) -> None:
        """Throw a hand away outside of a betting round."""
        before = self.copy()
        self.folded.add(seat)
        self.mucked.add(seat)
        self._note(seat, BettingAction.FOLD, self.lies(seat), "", before, step)

    def declare(self, seat: int, manner: str) -> None:
        """Let a seat play for what is in the pot now: it bets no more, and this is not a turn."""
        before = self.copy()
        self.behind[seat] = 0
        self._note(seat, BettingAction.ALL_IN, self.lies(seat), manner, before)

    def _note(
        self, seat: int, action: BettingAction, cents: int, manner: str, before: "Betting", step: str = ""
    ) -> None:
        self.earlier = (*self.earlier, before)
        at_step = step or self.step
        self.actions.append(ActionRecord(step=at_step, seat=seat, action=action.value, cents=cents, manner=manner))

    def _pass(self, seat: int, before: "Betting", live: list[int]) -> None:
        """Mark the seats whose turn came before this one's as passed by.

        Once the first seat that was passed by acts, the turn is back before the next one: what was done until then is
        no reason to forfeit its hand.
        """
        if self.passed.pop(seat, None) is not None and [seat] == before.waiting(live):
            self.passed |= {each: len(self.actions) + 1 for each in self.passed if self._in_time(each)}
        start = self.turns.index(self.last) + 1 if self.last in self.turns else 0
        around = [*self.turns[start:], *self.turns[:start]]
        for each in around[: around.index(seat)] if seat in around and seat not in before.passed else ():
            if self.needs(each, live) and each not in self.passed:
                self.passed[each] = len(self.actions)

    def last_raise(self) -> int:
        """Return the largest bet or raise of this betting round so far, the highest blind to begin with."""
        high = largest = self.earlier[0].high if self.earlier else self.high
        for each in self.actions:
            if each.step == self.step and each.action in PUTS and each.cents > high:
                largest, high = max(largest, each.cents - high), each.cents
        return largest

    @property
    def substantial(self) -> bool:
        """True if two players have put money in, or three have acted (47.1-1002(33))."""
        return _is_substantial(self.actions)

    def too_late(self) -> list[int]:
        """Return the seats that were passed by and did not object before substantial action took place since
        (47.1-1024)."""
        return [seat for seat in self.passed if not self._in_time(seat)]


def _is_substantial(actions: Iterable[ActionRecord]) -> bool:
    """Return True if two players put money in the pot, or three put money in or folded."""
    paid = {each.seat for each in actions if each.action in PUTS}
    folded = {each.seat for each in actions if each.action == BettingAction.FOLD}
    return len(paid) >= 2 or len(paid | folded) >= 3
