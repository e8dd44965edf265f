"""Pots: what each seat put in, divided into a main pot and side pots (47.1-1023(2)).

Pots and uncalled bets always add up to what was put in.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Final, NamedTuple, Self

from dealer_flow.record.details import ActionRecord
from devices.events import BettingAction


class Pot(NamedTuple):
    """One pot: the cents of each seat in it, and the seats that may win it."""

    shares: Mapping[int, int]
    contenders: frozenset[int]

    @property
    def cents(self) -> int:
        """Total of the pot."""
        return sum(self.shares.values())


class Uncalled(NamedTuple):
    """The part of a bet that no one matched, which goes back to the seat that made it."""

    seat: int
    cents: int


def uncalled(put: Mapping[int, int]) -> Uncalled | None:
    """Return the part of the highest stake that exceeds every other; None if two seats put in as much."""
    if not put:
        return None
    seat = max(put, key=lambda each: put[each])
    above = put[seat] - max((cents for each, cents in put.items() if each != seat), default=0)
    return Uncalled(seat, above) if above else None


class GivenUp(NamedTuple):
    """Facts about given-up hands that decide who gets chips that no remaining hand could match.

    `order` are the seats that folded or mucked, in order; `all_in` the seats that are all-in; `forfeited` those whose
    chips a supervisor has ruled forfeited.
    """

    order: Sequence[int] = ()
    all_in: Set[int] = frozenset()
    forfeited: Set[int] = frozenset()

    @classmethod
    def by(cls, actions: Sequence[ActionRecord], all_in: Iterable[int]) -> Self:
        """Return the facts in the actions of a hand; `all_in` adds seats known to be all-in otherwise."""
        seats = {action: [each.seat for each in actions if each.action == action] for action in _ENDING}
        return cls(seats[BettingAction.FOLD], {*all_in, *seats[BettingAction.ALL_IN]}, {*seats[BettingAction.FORFEIT]})

    def after(self, seat: int) -> Sequence[int]:
        """Return the seats that gave up after this seat did; none if it did not."""
        at = max((place for place, each in enumerate(self.order) if each == seat), default=len(self.order))
        return self.order[at + 1 :]


_ENDING: Final = (BettingAction.FOLD, BettingAction.ALL_IN, BettingAction.FORFEIT)
_NOTHING: Final = GivenUp()


def goes_back(put: Mapping[int, int], live: Set[int], given_up: GivenUp = _NOTHING) -> Uncalled | None:
    """Return the uncalled bet that goes back to its bettor; None if all of it is in the pots.

    A seat that has given up gets it back if all remaining seats were all-in then: they could not match it
    (47.1-1023(2)). If one of them could, the bet was given up before that and is in the pot (47.1-1026, 1028, 1031); so
    is what is forfeited.
    """
    over = uncalled(put)
    if over is None or over.seat in live:
        return over
    left = {*live, *given_up.after(over.seat)}
    return over if live and left <= given_up.all_in and over.seat not in given_up.forfeited else None


def pots(put: Mapping[int, int], contenders: Set[int], given_up: GivenUp = _NOTHING) -> list[Pot]:
    """Divide what seats put in into pots, the main pot first. `contenders` are the seats that may still win.

    Chips that none of the contenders has matched belong to the pot below. But if all contenders are all-in, what two or
    more others put in beyond that is a side pot, won by the last of these to give up (47.1-1023(2)). If one of them is
    dead, and it is unknown since when, that pot has no contender.
    """
    reach = max((put.get(seat, 0) for seat in contenders), default=0)
    beyond = bool(contenders) and contenders <= given_up.all_in
    found: list[Pot] = []
    below = 0
    for level in sorted(
        {cents for seat, cents in put.items() if seat in contenders or beyond} | {max(put.values(), default=0)}
    ):
        shares = {seat: min(cents, level) - below for seat, cents in put.items() if cents > below}
        eligible = frozenset(seat for seat in contenders if put.get(seat, 0) >= level)
        below = level
        if not shares:
            continue
        if beyond and level > reach and len(shares) > 1:
            eligible = _last(shares.keys(), given_up.order)
        elif found and not eligible:
            eligible = found[-1].contenders
        if found and eligible == found[-1].contenders:
            last = found.pop()
            shares = {seat: last.shares.get(seat, 0) + shares.get(seat, 0) for seat in {**last.shares, **shares}}
        found.append(Pot(shares, eligible))
    return found


def with_dead(found: Sequence[Pot], dead: Mapping[int, int], contenders: Iterable[int]) -> list[Pot]:
    """Add what seats put in beside their bets to the main pot: nobody has to match it, and it makes no side pot."""
    main = found[0] if found else Pot({}, frozenset(contenders))
    shares = {seat: main.shares.get(seat, 0) + dead.get(seat, 0) for seat in {**main.shares, **dead}}
    return [Pot(shares, main.contenders), *found[1:]]


def _last(seats: Set[int], order: Sequence[int]) -> frozenset[int]:
    """Return the seat of these that gave up last; none if one of them did not give up."""
    gone = [seat for seat in order if seat in seats]
    return frozenset(gone[-1:] if seats <= {*gone} else ())
