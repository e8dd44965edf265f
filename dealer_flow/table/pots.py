"""The pots that lie on the table: what each seat put in, cut into a main pot and side pots (47.1-1023(2)).

Cents in, cents out: what the pots hold and what goes back uncalled come to what was put in.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Final, NamedTuple, Self

from dealer_flow.record.details import ActionRecord
from devices.events import BettingAction


class Pot(NamedTuple):
    """One pot: what each seat has in it, in cents, and the seats that may win it."""

    shares: Mapping[int, int]
    contenders: frozenset[int]

    @property
    def cents(self) -> int:
        """What lies in it."""
        return sum(self.shares.values())


class Uncalled(NamedTuple):
    """The part of a bet that nobody matched, which goes back to who made it."""

    seat: int
    cents: int


def uncalled(put: Mapping[int, int]) -> Uncalled | None:
    """The part of the highest stake that is above every other; None where two put in as much."""
    if not put:
        return None
    seat = max(put, key=lambda each: put[each])
    above = put[seat] - max((cents for each, cents in put.items() if each != seat), default=0)
    return Uncalled(seat, above) if above else None


class GivenUp(NamedTuple):
    """How hands were given up, as far as it decides whose chips are that no hand left could match: the seats that
    folded or mucked, in their `order`; those that are `all_in`; those whose chips a person has ruled `forfeited`."""

    order: Sequence[int] = ()
    all_in: Set[int] = frozenset()
    forfeited: Set[int] = frozenset()

    @classmethod
    def by(cls, actions: Sequence[ActionRecord], all_in: Iterable[int]) -> Self:
        """As the actions of a hand have it; `all_in` are seats of which that is known otherwise."""
        seats = {action: [each.seat for each in actions if each.action == action] for action in _ENDING}
        return cls(seats[BettingAction.FOLD], {*all_in, *seats[BettingAction.ALL_IN]}, {*seats[BettingAction.FORFEIT]})

    def after(self, seat: int) -> Sequence[int]:
        """Who gave up after this seat did; nobody where it did not."""
        at = max((place for place, each in enumerate(self.order) if each == seat), default=len(self.order))
        return self.order[at + 1 :]


_ENDING: Final = (BettingAction.FOLD, BettingAction.ALL_IN, BettingAction.FORFEIT)
_NOTHING: Final = GivenUp()


def goes_back(put: Mapping[int, int], live: Set[int], given_up: GivenUp = _NOTHING) -> Uncalled | None:
    """What is uncalled and goes back to who bet it; None where all of it lies in the pots.

    Who has given up has it back where all that were left then were all-in: they could not match it (47.1-1023(2)).
    Where one of them could, it was given up before that, and lies in the pot (47.1-1026, 1028, 1031); so does what is
    forfeited.
    """
    over = uncalled(put)
    if over is None or over.seat in live:
        return over
    left = {*live, *given_up.after(over.seat)}
    return over if live and left <= given_up.all_in and over.seat not in given_up.forfeited else None


def pots(put: Mapping[int, int], contenders: Set[int], given_up: GivenUp = _NOTHING) -> list[Pot]:
    """What seats put in as pots, the main pot first. `contenders` are the seats that may still win.

    Chips that none of them has put in as well belong to the pot below; but where all of them are all-in, what two or
    more others put in beyond that is a side pot which the last of these to give up had won (47.1-1023(2)). Where one of
    them is dead, and nobody knows since when, it has no contender.
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


def _last(seats: Set[int], order: Sequence[int]) -> frozenset[int]:
    """Who of these gave up last; nobody where one of them did not."""
    gone = [seat for seat in order if seat in seats]
    return frozenset(gone[-1:] if seats <= {*gone} else ())
