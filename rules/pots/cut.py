"""The pots of a round: as its line says they were cut in the play, or by the hands that are left."""

from collections.abc import Mapping, Sequence, Set
from typing import Final, NamedTuple

from dealer_flow.record.details import CutPot
from dealer_flow.table.pots import GivenUp, Pot, Uncalled, goes_back, left_in, pots, with_dead
from rules.game.pot_spec import PotSpec

NOT_AS_PUT_IN: Final = "the pots of the round and what went back do not add up to what the seats put in"


class Cut(NamedTuple):
    """The pots by their numbers, 1 for the main pot, and the uncalled bet."""

    pots: dict[int, Pot]
    over: Uncalled | None

    def left_in(self, live: Set[int], given_up: GivenUp) -> dict[int, Pot]:
        """Return the pots with the seats that may still win each."""
        return dict(zip(self.pots, left_in(self.pots.values(), live, given_up), strict=True))


def both(put: Mapping[int, int], dead: Mapping[int, int]) -> dict[int, int]:
    """Return what seats put in, by bets and beside them."""
    return {seat: put.get(seat, 0) + dead.get(seat, 0) for seat in {**put, **dead}}


def as_cut(cut: Sequence[CutPot], put: Mapping[int, int], known: Set[int]) -> Cut | None:
    """Return the pots as the round has them; None if they are not what the seats put in, but for one uncalled bet, or
    speak of a seat that is not `known`."""
    found, left = dict[int, Pot](), {**put}
    for pot in cut:
        number, shares, seats = pot.number, pot.shares, {*pot.seats}
        paid = {each.seat: each.cents for each in shares}
        if number in found or pot.cents != sum(paid.values()) or not (seats <= known and {*paid} <= {*left}):
            return None
        for seat in paid:
            left[seat] -= paid[seat]
        found[number] = Pot(paid, frozenset(seats))
    rest = [seat for seat in left if left[seat]]
    if len(rest) > 1 or (rest and left[rest[0]] < 0):
        return None
    return Cut(found, Uncalled(rest[0], left[rest[0]]) if rest else None)


def by_hands(put: Mapping[int, int], dead: Mapping[int, int], live: Set[int], given_up: GivenUp, spec: PotSpec) -> Cut:
    """Return the pots by the hands that are left; `dead` is what seats put in beside their bets."""
    over, left = goes_back(put, live, given_up) if spec.clauses.uncalled else None, dict(put)
    if over is not None:
        left[over.seat] -= over.cents
    found = pots(left, live, given_up)
    return Cut(dict(enumerate(with_dead(found, dead, live) if dead else found, 1)), over)
