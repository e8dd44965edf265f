"""The chips of a hand in which players bet against each other: who has acted, what lies before whom, who is next.

Nothing here judges: it says where the betting stands and takes an action. What may be done is asked in
`play.check_actions`, what an action out of the ordinary means is said there and in `play.handle_chips`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from dealer_flow.procedure.betting import PUTS, after_raise
from dealer_flow.record.details import ActionRecord
from devices.events import BettingAction


@dataclass(slots=True)
class Betting:
    """One hand. `stakes` are the chips before each seat when it began, of those that were reported; `behind` is what is
    left of them. The others are of the betting round under way: `put` lies before each seat, `high` is the bet to call,
    `turns` the seats clockwise from who acts first (none while that is not known)."""

    stakes: dict[int, int] = field(default_factory=dict)
    behind: dict[int, int] = field(default_factory=dict)
    left: set[int] = field(default_factory=set)
    """Seats before which nothing lies any more, as was said before the hand."""
    chopped: set[int] = field(default_factory=set)
    """Seats in the blinds that would end the hand and take them back; both must say so."""
    forfeited: set[int] = field(default_factory=set)
    """Seats whose chips stay in the pot by a person's word."""
    taken_back: dict[int, tuple[str, int]] = field(default_factory=dict)
    """Seats whose fouled hand had its last bet returned -> the betting round, and cents."""
    folded: set[int] = field(default_factory=set)
    mucked: set[int] = field(default_factory=set)
    """Those of them whose hands were thrown away while nobody bet."""
    actions: list[ActionRecord] = field(default_factory=list)
    """Every action of the hand, in its order."""
    step: str = ""
    put: dict[int, int] = field(default_factory=dict)
    high: int = 0
    raises: int = 0
    bring_in: bool = False
    """A bet that opens is forced: it is still to come while nothing lies there, else it is what lies there."""
    turns: tuple[int, ...] = ()
    acted: set[int] = field(default_factory=set)
    """Seats that have acted since the last bet or raise."""
    checked: set[int] = field(default_factory=set)
    last: int | None = None
    """The seat that acted last, in this betting round."""
    passed: dict[int, int] = field(default_factory=dict)
    """Seats that others acted before, though it was their turn -> how many actions there had been by then."""
    earlier: tuple["Betting", ...] = ()
    """The same before each action of this betting round. These stay as they are."""
    stood: tuple[int, ...] = ()
    """Cards drawn and choices made by the last action: while they are as many, nothing has come since."""

    def open(self, step: str, put: Mapping[int, int], turns: Iterable[int], *, bring_in: bool) -> None:
        """A betting round begins; `put` are the blinds that lie there."""
        self.step, self.put, self.high = step, dict(put), max(put.values(), default=0)
        self.raises, self.bring_in, self.turns = 0, bring_in, tuple(turns)
        self.acted, self.checked, self.last, self.passed, self.earlier = set(), set(), None, {}, ()

    def lies(self, seat: int) -> int:
        """What lies before a seat in this betting round."""
        return self.put.get(seat, 0)

    def to_call(self, seat: int) -> int:
        """What it has to lie there to call, at most all that it has."""
        most = self.most(seat)
        return self.high if most is None else min(self.high, most)

    def most(self, seat: int) -> int | None:
        """All that can lie there; None where its stake was not reported."""
        return self.lies(seat) + self.behind[seat] if seat in self.behind else None

    def is_all_in(self, seat: int) -> bool:
        """Whether nothing of its stake is left."""
        return self.behind.get(seat) == 0

    def needs(self, seat: int, live: Iterable[int]) -> bool:
        """Whether it is still to act in this betting round."""
        if seat not in live or self.is_all_in(seat):
            return False
        return seat not in self.acted or self.lies(seat) < self.high

    def over(self, live: list[int]) -> bool:
        """Whether every bet is called, or nobody is left to bet against."""
        if len(live) <= 1:
            return True
        able = [seat for seat in live if not self.is_all_in(seat)]
        if len(able) <= 1:  # a bet whose bettor has folded is nobody's to call any more
            high = max(self.lies(seat) for seat in live if seat not in able)
            return all(self.lies(seat) >= high for seat in able)
        return not any(self.needs(seat, live) for seat in live)

    def waiting(self, live: list[int]) -> list[int]:
        """The seats that may act now: whose turn it is, first, and those that were passed by. All of them while nobody
        knows who is first."""
        if self.over(live):
            return []
        if not self.turns:
            return [seat for seat in live if self.needs(seat, live)]
        start = self.turns.index(self.last) + 1 if self.last in self.turns else 0
        around = [*self.turns[start:], *self.turns[:start]]
        due = [seat for seat in around if self.needs(seat, live)]
        ahead = [seat for seat in due if seat not in self.passed]
        return [*ahead[:1], *(seat for seat in due if seat in self.passed)]

    def copy(self) -> "Betting":
        """As it stands."""
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
        )

    def standing(self, seat: int) -> "Betting":
        """Where the betting stood before a seat acted last; as it stands now where another has done more since than
        fold (47.1-1030)."""
        since = self
        for before in reversed(self.earlier):
            if since.actions[-1].seat == seat:
                return before
            if since.actions[-1].action != BettingAction.FOLD:
                break
            since = before
        return self

    def act(self, seat: int, action: BettingAction, cents: int, manner: str, live: list[int]) -> None:
        """A seat acts; `cents` lie before it afterwards. A fold before its turn passes nobody by."""
        before, added = self.copy(), cents - self.lies(seat)
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
            forced = action is BettingAction.BRING_IN
            self.raises = after_raise(self.raises, self.high, bring_in=self.bring_in)
            self.high, self.acted = cents, set()
            self.bring_in = forced
        self.checked |= {seat} if action is BettingAction.CHECK else set()
        self.acted.add(seat)
        self._note(seat, action, cents, manner, before)

    def muck(self, seat: int, step: str) -> None:
        """A hand is thrown away while nobody bets."""
        before = self.copy()
        self.folded.add(seat)
        self.mucked.add(seat)
        self._note(seat, BettingAction.FOLD, self.lies(seat), "", before, step)

    def declare(self, seat: int, manner: str) -> None:
        """A seat plays for what is in the pot by now: it bets no more, and that is no turn."""
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
        """Seats whose turn it was before this one's are passed by."""
        self.passed.pop(seat, None)
        start = self.turns.index(self.last) + 1 if self.last in self.turns else 0
        around = [*self.turns[start:], *self.turns[:start]]
        for each in around[: around.index(seat)] if seat in around and seat not in before.passed else ():
            if self.needs(each, live) and each not in self.passed:
                self.passed[each] = len(self.actions)

    @property
    def substantial(self) -> bool:
        """Whether two players have put money in, or three have acted (47.1-1002(33))."""
        return _is_substantial(self.actions)

    def too_late(self) -> list[int]:
        """Seats that were passed by, and have said nothing before substantial action took place since (47.1-1024)."""
        return [seat for seat, since in self.passed.items() if _is_substantial(self.actions[since:])]


def _is_substantial(actions: Iterable[ActionRecord]) -> bool:
    """Two players put money in the pot, or three put money in or folded."""
    paid = {each.seat for each in actions if each.action in PUTS}
    folded = {each.seat for each in actions if each.action == BettingAction.FOLD}
    return len(paid) >= 2 or len(paid | folded) >= 3
