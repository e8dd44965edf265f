"""Why a bet is not settled."""

from collections.abc import Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Hold:
    """Why a bet is not settled, and by which clause. `fold_in_doubt`: since nobody knows whether the hand folded.
    `beside`: the first reason of the other sort, where there is one, too. `reading`: under another option of it the bet
    would be settled."""

    why: str
    clause: str
    fold_in_doubt: bool = False
    beside: "Hold | None" = None
    reading: str = ""

    @property
    def fold(self) -> "Hold | None":
        """The doubt whether the hand folded, where it is a reason."""
        return self if self.fold_in_doubt else self.beside

    @property
    def wager(self) -> "Hold | None":
        """The rule that the wager itself breaks, where it is a reason."""
        return self.beside if self.fold_in_doubt else self

    def joined(self, other: "Hold") -> "Hold":
        """The same with one more reason, which counts where none of its sort stands here."""
        if self.beside is not None or self.fold_in_doubt == other.fold_in_doubt:
            return self
        return replace(self, beside=replace(other, beside=None))


def fold_doubt_of(seat: int, holds: Mapping[int, Mapping[str, Hold]]) -> Hold | None:
    """Why nobody knows whether a seat's hand folded; None where that is known, or concerns none of its bets."""
    return next((hold.fold for hold in holds.get(seat, {}).values() if hold.fold is not None), None)
