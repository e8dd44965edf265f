"""A report that is out of order."""

from typing import NamedTuple

from protocol.places import Place


class Breach(NamedTuple):
    """Why a report is out of order. `harmful`: the round becomes unreliable. `take`: it is taken into account.

    `clause` is the clause that forbids it; None leaves it to what the procedure says of the code.
    """

    why: str
    harmful: bool
    take: bool
    code: str = "out-of-turn"
    place: Place | None = None
    clause: str | None = None


def refuse(why: str, code: str = "out-of-turn") -> Breach:
    """Harmful, and not taken into account."""
    return Breach(why, harmful=True, take=False, code=code)
