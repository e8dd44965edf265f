"""One thing that may happen next, and the report that it would give."""

from typing import NamedTuple

import devices.events as e


class Legal(NamedTuple):
    """One thing that may happen next. `event` is the name of a class of `devices.events`.

    `actor` is `dealer`, `shuffler`, `supervisor`, `anyone` or `player at seat 3`; `what` says it in words; `value` is
    the number that goes with it (spot, decision, packet ordinal, number of the card, cents of an action), 0 when there
    is none.
    """

    actor: str
    event: str
    place: str
    what: str
    value: int = 0

    def __str__(self) -> str:
        return f"{self.actor}: {self.what}"


Candidate = tuple[Legal, e.Body | None]
"""What could happen, and the report it would give; None where no rule forbids it."""
