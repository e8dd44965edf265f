"""The states of a card-reading shoe as a table: from where, why, to where. What is not in it cannot happen."""

from enum import StrEnum
from typing import Final

from protocol.tdp.messages import ShoeState as S


class Cause(StrEnum):
    """Why a shoe changes its state."""

    STARTED = "started"
    FILLED = "filled and closed"
    BEGUN = "dealing begun"
    BURNING = "cards to burn"
    BURNED = "last card burned"
    FIRST_CARD = "first card"
    CUT_CARD = "cut card came out"
    ROUND_ENDED = "round ended"
    EMPTIED = "emptied"
    TROUBLE = "trouble"
    CLEARED = "trouble cleared"
    LOCKED = "locked"
    UNLOCKED = "unlocked"
    SETUP_OPENED = "set-up opened"
    SETUP_CLOSED = "set-up closed"


_STARTS: Final = (S.EMPTY, S.LOADED, S.BURN, S.STANDBY, S.ROUND, S.CUT_CARD_SEEN, S.SHOE_END)
"""Where a shoe can be when nothing holds it up. Power lost or a key turned brings it back there."""
_QUIET: Final = (S.EMPTY, S.LOADED, S.STANDBY, S.SHOE_END)
"""Where set-up may be opened."""

ARCS: Final[frozenset[tuple[S, Cause, S]]] = frozenset(
    {
        (S.EMPTY, Cause.FILLED, S.LOADED),
        (S.LOADED, Cause.BEGUN, S.BURN),
        (S.LOADED, Cause.BEGUN, S.STANDBY),
        (S.LOADED, Cause.BEGUN, S.SHOE_END),
        (S.STANDBY, Cause.BURNING, S.BURN),
        (S.BURN, Cause.BURNED, S.STANDBY),
        (S.BURN, Cause.CUT_CARD, S.SHOE_END),
        (S.STANDBY, Cause.FIRST_CARD, S.ROUND),
        (S.STANDBY, Cause.FIRST_CARD, S.CUT_CARD_SEEN),
        (S.ROUND, Cause.CUT_CARD, S.CUT_CARD_SEEN),
        (S.ROUND, Cause.ROUND_ENDED, S.STANDBY),
        (S.CUT_CARD_SEEN, Cause.ROUND_ENDED, S.SHOE_END),
        *((S.BOOT, Cause.STARTED, state) for state in (*_STARTS, S.ERROR, S.LOCKED)),
        *((state, Cause.EMPTIED, S.EMPTY) for state in _STARTS[1:]),
        *((state, Cause.TROUBLE, S.ERROR) for state in _STARTS),
        *((S.ERROR, Cause.CLEARED, state) for state in (*_STARTS, S.LOCKED)),
        *((state, Cause.LOCKED, S.LOCKED) for state in _STARTS),
        *((S.LOCKED, Cause.UNLOCKED, state) for state in _STARTS),
        (S.LOCKED, Cause.TROUBLE, S.ERROR),
        *((state, Cause.SETUP_OPENED, S.SETUP) for state in _QUIET),
        *((S.SETUP, Cause.SETUP_CLOSED, state) for state in _QUIET),
        (S.SETUP, Cause.TROUBLE, S.ERROR),
    }
)
