"""The states of a round and every way from one to another, as data.

`machine.py` hands this table to `transitions`; the test of the table, the published diagram and the exhaustive walk
read the same rows.
"""

from enum import Enum
from typing import Final, NamedTuple


class State(Enum):
    """Where a round stands."""

    BETTING = "betting"
    DEALING = "dealing"
    BURNING = "burning"
    DECIDING = "deciding"
    REVEALING = "revealing"
    DRAWING = "drawing"
    NAMING = "naming"
    EXTRA = "extra"
    SETTLING = "settling"
    PROGRESSIVE = "progressive"
    VOID = "void"
    HALTED = "halted"


MEANING: Final = {
    State.BETTING: "bets are open; START GAME closes them",
    State.DEALING: "packets go out, each to the next place in the order of the procedure",
    State.BURNING: "every packet is out; the burn is due",
    State.DECIDING: "players look at their cards and choose",
    State.REVEALING: "hands are shown and settled until END GAME",
    State.DRAWING: "cards are drawn one at a time, each to its column, until one decides",
    State.NAMING: "a card was not read; a person says what it is",
    State.EXTRA: "no column decided; money may be moved before the extra card",
    State.SETTLING: "it is decided; no card may follow; bets are settled until END GAME",
    State.PROGRESSIVE: "the table has a misdeal; hands are shown for the progressive only",
    State.VOID: "misdeal or defective deck; the cards come in and the bets go back",
    State.HALTED: "the round cannot be relied on; a person decides",
}

STAGES: Final = {
    "deal": State.DEALING,
    "burn": State.BURNING,
    "decide": State.DECIDING,
    "reveal": State.REVEALING,
    "draw": State.DRAWING,
    "extra": State.EXTRA,
    "settle": State.SETTLING,
}
"""The stages a procedure may list, each with its state. NAMING is no stage: it interrupts one."""

LOOSE: Final = frozenset({State.PROGRESSIVE, State.VOID, State.HALTED})
"""States in which the order of play no longer matters: facts are kept, turns are not enforced."""


class Row(NamedTuple):
    """One way on: from any of `sources`, by `trigger`, to `dest`."""

    trigger: str
    sources: tuple[State, ...]
    dest: State


_PACKETS: Final = (State.DEALING, State.BURNING, State.DECIDING, State.REVEALING)
_PLAY: Final = (*_PACKETS, State.DRAWING, State.NAMING, State.EXTRA, State.SETTLING)

TRANSITIONS: Final = (
    Row("start_game", (State.BETTING,), State.DEALING),
    Row("begin_burn", (State.DEALING,), State.BURNING),
    Row("begin_decisions", (State.DEALING, State.BURNING), State.DECIDING),
    Row("begin_reveal", (State.DEALING, State.BURNING, State.DECIDING), State.REVEALING),
    Row("start_draw", (State.BETTING,), State.DRAWING),
    Row("ask_person", (State.DRAWING, State.EXTRA), State.NAMING),
    Row("go_on", (State.NAMING,), State.DRAWING),
    Row("begin_extra", (State.DRAWING,), State.EXTRA),
    Row("begin_settle", (State.DRAWING, State.EXTRA), State.SETTLING),
    Row("play_progressive", _PACKETS, State.PROGRESSIVE),
    Row("void_round", (*_PLAY, State.PROGRESSIVE), State.VOID),
    Row("halt", (*_PLAY, State.PROGRESSIVE, State.VOID), State.HALTED),
    Row("end_game", (*_PLAY, *sorted(LOOSE, key=lambda state: state.value)), State.BETTING),
)

BEGIN: Final = {
    State.BURNING: "begin_burn",
    State.DECIDING: "begin_decisions",
    State.REVEALING: "begin_reveal",
    State.EXTRA: "begin_extra",
    State.SETTLING: "begin_settle",
}
"""The trigger that enters a stage."""
