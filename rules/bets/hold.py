"""Why a bet is not settled."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hold:
    """Why a bet is not settled, and by which clause. `fold_in_doubt`: since nobody knows whether the hand folded."""

    why: str
    clause: str
    fold_in_doubt: bool = False
