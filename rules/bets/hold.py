"""Reasons that a bet is not settled."""

from collections.abc import Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Hold:
    """Reason that a bet is not settled, and its clause.

    - `fold_in_doubt`: it is not known whether the hand folded.
    - `beside`: the first reason of the other sort (fold or wager), if there is one.
    - `reading`: the bet would be settled under another option of this reading.
    """

    why: str
    clause: str
    fold_in_doubt: bool = False
    beside: "Hold | None" = None
    reading: str = ""

    @property
    def fold(self) -> "Hold | None":
        """The doubt whether the hand folded, if that is a reason."""
        return self if self.fold_in_doubt else self.beside

    @property
    def wager(self) -> "Hold | None":
        """The rule that the wager itself breaks, if that is a reason."""
        return self.beside if self.fold_in_doubt else self

    def joined(self, other: "Hold") -> "Hold":
        """Return this hold with `other` added as a second reason, if no reason of its sort is present."""
        if self.beside is not None or self.fold_in_doubt == other.fold_in_doubt:
            return self
        return replace(self, beside=replace(other, beside=None))


def fold_doubt_of(seat: int, holds: Mapping[int, Mapping[str, Hold]]) -> Hold | None:
    """Return the reason that it is uncertain whether a seat's hand folded; None if it is certain, or affects none of
    its bets."""
    return next((hold.fold for hold in holds.get(seat, {}).values() if hold.fold is not None), None)
