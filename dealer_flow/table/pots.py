"""The pots that lie on the table: what each seat put in, cut into a main pot and side pots (47.1-1023(2)).

Cents in, cents out: what the pots hold and what goes back uncalled come to what was put in.
"""

from collections.abc import Mapping, Set
from typing import NamedTuple


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


def pots(put: Mapping[int, int], contenders: Set[int]) -> list[Pot]:
    """What seats put in as pots, the main pot first. `contenders` are the seats that may still win; a layer of stakes
    that none of them matched belongs to the pot below it."""
    found: list[Pot] = []
    below = 0
    for level in sorted(
        {cents for seat, cents in put.items() if seat in contenders and cents} | {max(put.values(), default=0)}
    ):
        shares = {seat: min(cents, level) - below for seat, cents in put.items() if cents > below}
        eligible = frozenset(seat for seat in contenders if put.get(seat, 0) >= level)
        below = level
        if not shares:
            continue
        if found and (eligible == found[-1].contenders or not eligible):
            last = found.pop()
            shares = {seat: last.shares.get(seat, 0) + shares.get(seat, 0) for seat in {**last.shares, **shares}}
            eligible = last.contenders
        found.append(Pot(shares, eligible))
    return found
