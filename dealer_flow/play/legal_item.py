"""One entry of what may happen next."""

from typing import NamedTuple


class Legal(NamedTuple):
    """One thing that may happen next. `event` is the name of a class of `devices.events`.

    `actor` is `dealer`, `shuffler`, `supervisor` or `player at seat 3`; `what` says it in words; `value` is the
    number that goes with it (spot, decision, packet ordinal, number of the card), 0 when there is none.
    """

    actor: str
    event: str
    place: str
    what: str
    value: int = 0

    def __str__(self) -> str:
        return f"{self.actor}: {self.what}"
