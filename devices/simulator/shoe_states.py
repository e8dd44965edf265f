"""State table of a card-reading shoe: source, cause, target. Any step not in it is impossible."""

from enum import StrEnum
from typing import Final

from protocol.tdp.messages import ShoeState as S


class ShoeCause(StrEnum):
    """Causes of a state change."""

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
"""States of a shoe that nothing blocks. It returns there after a power cut or a turn of the key."""
_QUIET: Final = (S.EMPTY, S.LOADED, S.STANDBY, S.SHOE_END)
"""States in which set-up can be opened."""

ARCS: Final[frozenset[tuple[S, ShoeCause, S]]] = frozenset(
    {
        (S.EMPTY, ShoeCause.FILLED, S.LOADED),
        (S.LOADED, ShoeCause.BEGUN, S.BURN),
        (S.LOADED, ShoeCause.BEGUN, S.STANDBY),
        (S.LOADED, ShoeCause.BEGUN, S.SHOE_END),
        (S.STANDBY, ShoeCause.BURNING, S.BURN),
        (S.BURN, ShoeCause.BURNED, S.STANDBY),
        (S.BURN, ShoeCause.CUT_CARD, S.SHOE_END),
        (S.STANDBY, ShoeCause.FIRST_CARD, S.ROUND),
        (S.STANDBY, ShoeCause.FIRST_CARD, S.CUT_CARD_SEEN),
        (S.ROUND, ShoeCause.CUT_CARD, S.CUT_CARD_SEEN),
        (S.ROUND, ShoeCause.ROUND_ENDED, S.STANDBY),
        (S.CUT_CARD_SEEN, ShoeCause.ROUND_ENDED, S.SHOE_END),
        *((S.BOOT, ShoeCause.STARTED, state) for state in (*_STARTS, S.ERROR, S.LOCKED)),
        *((state, ShoeCause.EMPTIED, S.EMPTY) for state in _STARTS[1:]),
        *((state, ShoeCause.TROUBLE, S.ERROR) for state in _STARTS),
        *((S.ERROR, ShoeCause.CLEARED, state) for state in (*_STARTS, S.LOCKED)),
        *((state, ShoeCause.LOCKED, S.LOCKED) for state in _STARTS),
        *((S.LOCKED, ShoeCause.UNLOCKED, state) for state in _STARTS),
        (S.LOCKED, ShoeCause.TROUBLE, S.ERROR),
        *((state, ShoeCause.SETUP_OPENED, S.SETUP) for state in _QUIET),
        *((S.SETUP, ShoeCause.SETUP_CLOSED, state) for state in _QUIET),
        (S.SETUP, ShoeCause.TROUBLE, S.ERROR),
    }
)
