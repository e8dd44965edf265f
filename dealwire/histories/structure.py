"""Limits of poker's usual structures: the reason that a hand's bets are outside of one.

Rule 10 knows a largest bet and no least raise; other programs know no limit, pot limit and fixed limit, each with a
least raise, and refuse a bet outside of them.
"""

from collections.abc import Iterator
from typing import NamedTuple

from dealwire.histories.history import Act, History
from devices.events import BettingAction

LIVE_BLINDS = ("small-blind", "big-blind", "third-blind", "straddle", "post")
"""Bets before the first card that count in the first betting round."""


class Moment(NamedTuple):
    """An action and the betting just before it.

    - `high`: the bet to call; `lies`: chips in front of the seat; `behind`: all it has left.
    - `least`: the least raise; `pot`: everything in the middle and in front of the seats.
    - `reopened`: the seat may raise, for it has not acted since the last full raise.
    - `alone`: every other seat that is left has no chips to call with.
    """

    street: int
    act: Act
    high: int
    lies: int
    behind: int
    least: int
    pot: int
    raises: int
    reopened: bool
    alone: bool

    @property
    def raises_to(self) -> int:
        """Chips in front of the seat if the action bets or raises, else 0."""
        return self.act.amount if self.act.amount > self.high and self.act.action != BettingAction.FOLD else 0

    @property
    def all_in(self) -> bool:
        """True if the action puts in all that the seat has."""
        return self.act.amount >= self.lies + self.behind


def moments(history: History, least: int, full: int = 0) -> Iterator[Moment]:
    """Yield every action with the betting before it; `least` is the least bet, `full` the blind that must be called."""
    behind, put = _after_posts(history)
    pot = sum(post.amount for post in history.posts)
    out: set[int] = set()
    for number, street in enumerate(history.streets):
        high, raise_by, raises = max([*put.values(), full if not number else 0], default=0), least, 0
        acted: dict[int, int] = {}
        for act in street.acts:
            lies = put.get(act.seat, 0)
            others = [each for each in behind if each not in out and each != act.seat]
            since = acted.get(act.seat)
            yield Moment(
                number,
                act,
                high,
                lies,
                behind[act.seat],
                raise_by,
                pot,
                raises,
                since is None or high - since >= raise_by,
                not any(behind[each] for each in others),
            )
            to = _lies_after(act, high, lies, behind[act.seat])
            pot += to - lies
            behind[act.seat] -= to - lies
            put[act.seat] = to
            if act.action is BettingAction.FOLD:
                out.add(act.seat)
            elif to > high:
                forced = act.action is BettingAction.BRING_IN
                raise_by = raise_by if forced else max(raise_by, to - high)
                raises, high = raises + (not forced), to
            acted[act.seat] = high
        put = {}


def _after_posts(history: History) -> tuple[dict[int, int], dict[int, int]]:
    """Return the chips that seats have left after what they put up, and those that count as bets."""
    behind, put = dict(history.stakes), dict[int, int]()
    for seat, bet, cents in history.posts:
        behind[seat] -= cents
        if bet in LIVE_BLINDS:
            put[seat] = put.get(seat, 0) + cents
    return behind, put


def _lies_after(act: Act, high: int, lies: int, behind: int) -> int:
    """Return the chips in front of a seat after its action."""
    if act.action is BettingAction.CALL and not act.amount:
        return min(high, lies + behind)
    return max(act.amount, lies) if act.action != BettingAction.FOLD else lies


def outside_no_limit(found: list[Moment]) -> str:
    """Return the reason that bets are outside of no limit; empty if all are within."""
    for each in found:
        if not each.raises_to or each.alone:
            continue
        if each.raises_to - each.high < each.least and not each.all_in:
            return "a raise is smaller than the one before it"
        if not each.reopened:
            return "a raise after an all-in for less than a raise"
    return ""


def outside_pot_limit(found: list[Moment]) -> str:
    """Return the reason that bets are outside of pot limit."""
    for each in found:
        call = each.high - each.lies
        if each.raises_to and not each.alone and each.raises_to > each.high + each.pot + call:
            return "a bet is larger than the pot"
    return outside_no_limit(found)


def outside_fixed_limit(found: list[Moment], small: int, big: int, big_from: int) -> str:
    """Return the reason that bets are outside of fixed limit: `small`, and `big` from a betting round on."""
    for each in found:
        if not each.raises_to or each.alone or each.act.action is BettingAction.BRING_IN:
            continue
        size = big if each.street >= big_from else small
        base = 0 if each.high < size and not each.raises else each.high
        if each.raises_to - base != size and not each.all_in:
            return "a bet is not of the fixed size"
        if each.raises >= 4:
            return "more than four bets in a betting round"
    return ""
