"""Pots: what each seat put in, divided into a main pot and side pots (47.1-1023(2)).

Pots are cut in the play, by the seats that are in them when the bets are called. The end of a hand later decides who
may win a pot, and changes none. Pots and uncalled bets always add up to what was put in.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Final, NamedTuple, Self

from dealer_flow.record.details import ActionRecord, CutPot, PotShare
from devices.events import BettingAction


class Pot(NamedTuple):
    """One pot: the cents of each seat in it, and its contenders: the seats that are in it, or that may still win it."""

    shares: Mapping[int, int]
    contenders: frozenset[int]

    @property
    def cents(self) -> int:
        """Total of the pot."""
        return sum(self.shares.values())


class Layer(NamedTuple):
    """A pot as it is cut: up to which amount put in by a seat, and the seats that are in it."""

    level: int
    seats: frozenset[int]


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


def goes_back(put: Mapping[int, int], inside: Set[int], given_up: GivenUp = _NOTHING) -> Uncalled | None:
    """Return the uncalled bet that goes back to its bettor; None if all of it is in the pots.

    A seat that is not `inside` has given up. It gets the bet back if all remaining seats were all-in then: they could
    not match it (47.1-1023(2)). If one of them could, the bet was given up before that and is in the pot (47.1-1026,
    1028, 1031); so is what is forfeited.
    """
    over = uncalled(put)
    if over is None or over.seat in given_up.forfeited:
        return None
    if over.seat in inside:
        return over
    left = {*inside, *given_up.after(over.seat)}
    return over if inside and left <= given_up.all_in else None


def cut(put: Mapping[int, int], inside: Set[int], given_up: GivenUp = _NOTHING) -> list[Layer]:
    """Cut what seats put in into pots, the main pot first, by the seats that are `inside` when the bets are called.

    Chips that none of these has matched belong to the pot below. But if all of them are all-in, what two or more others
    put in beyond that is a side pot of those others, which all of them gave up (47.1-1023(2)). Two pots of the same
    seats are one.
    """
    reach = max((put.get(seat, 0) for seat in inside), default=0)
    beyond = bool(inside) and inside <= given_up.all_in
    found: list[Layer] = []
    below = 0
    for level in sorted(
        {cents for seat, cents in put.items() if seat in inside or beyond} | {max(put.values(), default=0)}
    ):
        paid = frozenset(seat for seat, cents in put.items() if cents > below)
        seats = frozenset(seat for seat in inside if put.get(seat, 0) >= level)
        below = level
        if not paid:
            continue
        if beyond and level > reach and len(paid) > 1:
            seats = paid
        elif found and (not seats or (len(paid) == 1 and seats <= given_up.forfeited)):
            seats = found[-1].seats
        if found and seats == found[-1].seats:
            found.pop()
        found.append(Layer(level, seats))
    return found


def filled(layers: Sequence[Layer], put: Mapping[int, int]) -> list[Pot]:
    """Return the pots with what seats have put in; what is above the last level belongs to the last pot."""
    found, below = list[Pot](), 0
    for place, (level, seats) in enumerate(layers):
        last = place == len(layers) - 1
        shares = {seat: (cents if last else min(cents, level)) - below for seat, cents in put.items() if cents > below}
        found.append(Pot(shares, seats))
        below = level
    return found


def left_in(found: Iterable[Pot], live: Set[int], given_up: GivenUp = _NOTHING) -> list[Pot]:
    """Return the pots with the seats that may still win each.

    A pot that every seat in it gave up is won by the last one to do so, while another hand is live. If one of these
    seats is dead, and it is unknown since when, the pot has no contender.
    """
    pots = []
    for pot in found:
        still = pot.contenders & live
        if not still and live:
            still = _last(pot.contenders, given_up.order)
        pots.append(pot if still == pot.contenders else Pot(pot.shares, still))
    return pots


def pots(put: Mapping[int, int], live: Set[int], given_up: GivenUp = _NOTHING) -> list[Pot]:
    """Return the pots by the hands that are left, with the seats that may win each: pots of the same seats are one.

    This is for a round whose line says nothing of its pots, and does not say when a hand was given up.
    """
    found = list[Pot]()
    for pot in left_in(filled(cut(put, live, given_up), put), live, given_up):
        if found and pot.contenders == found[-1].contenders:
            below, above = found[-1].shares, pot.shares
            both = {seat: below.get(seat, 0) + above.get(seat, 0) for seat in {**below, **above}}
            found[-1] = Pot(both, pot.contenders)
        else:
            found.append(pot)
    return found


def with_dead(found: Sequence[Pot], dead: Mapping[int, int], contenders: Iterable[int]) -> list[Pot]:
    """Add what seats put in beside their bets to the main pot: nobody has to match it, and it makes no side pot."""
    main = found[0] if found else Pot({}, frozenset(contenders))
    shares = {seat: main.shares.get(seat, 0) + dead.get(seat, 0) for seat in {**main.shares, **dead}}
    return [Pot(shares, main.contenders), *found[1:]]


def on_record(found: Iterable[Pot]) -> tuple[CutPot, ...]:
    """Return the pots as a round carries them; one whose chips all went back leaves its number free."""
    return tuple(
        [
            CutPot(
                number=number,
                cents=pot.cents,
                shares=tuple([PotShare(seat, cents) for seat, cents in sorted(pot.shares.items()) if cents]),
                seats=tuple(sorted(pot.contenders)),
            )
            for number, pot in enumerate(found, 1)
            if pot.cents
        ]
    )


def _last(seats: Set[int], order: Sequence[int]) -> frozenset[int]:
    """Return the seat of these that gave up last; none if one of them did not give up."""
    gone = [seat for seat in order if seat in seats]
    return frozenset(gone[-1:] if seats <= {*gone} else ())
