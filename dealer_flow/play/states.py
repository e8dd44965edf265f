"""The states of a round and every way from one to another, as data.

`machine.py` hands this table to `transitions`; the test of the table, the published diagram and the exhaustive walk
read the same rows.
"""

from enum import Enum
from typing import Final, NamedTuple


class State(Enum):
    """Where a round stands."""

    __hash__ = object.__hash__  # each is alone of its kind; Enum's own hashes the name, several times a report

    BETTING = "betting"
    DEALING = "dealing"
    BURNING = "burning"
    DECIDING = "deciding"
    EXCHANGING = "exchanging"
    SHOWING = "showing"
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
    State.DEALING: "cards go out, each to the next place in the order of the procedure",
    State.BURNING: "cards of a packet are burned before play goes on",
    State.DECIDING: "players look at their cards and choose",
    State.EXCHANGING: "cards discarded are replaced",
    State.SHOWING: "cards are turned face up before play goes on",
    State.REVEALING: "hands are shown and settled until END GAME",
    State.DRAWING: "cards are drawn one at a time, each to its column, until one decides",
    State.NAMING: "a card was not read; a person says what it is",
    State.EXTRA: "no column decided; money may be moved before the extra card",
    State.SETTLING: "it is decided; no card may follow; bets are settled until END GAME",
    State.PROGRESSIVE: "the table has a misdeal; hands are shown for the progressive only",
    State.VOID: "misdeal or defective deck; the cards come in and the bets go back",
    State.HALTED: "the round cannot be relied on; a person decides",
}

STEP_STATES: Final = {
    "deal": State.DEALING,
    "burn-card": State.DEALING,
    "burn": State.BURNING,
    "decide": State.DECIDING,
    "exchange": State.EXCHANGING,
    "show": State.SHOWING,
    "appoint": State.DEALING,
    "reveal": State.REVEALING,
}
"""What a step does -> the state a round is in meanwhile."""

KEEPS: Final = ("exchange", "reveal")
"""Steps whose state stays while a card is due: replacements, and a hand completed before any is shown."""

DRAW_STAGES: Final = (State.DRAWING, State.EXTRA, State.SETTLING)
"""The stages of a game drawn from a shoe into columns, one after the other; EXTRA only where there is an extra card.
NAMING is no stage: it interrupts one."""

LOOSE: Final = frozenset({State.PROGRESSIVE, State.VOID, State.HALTED})
"""States in which the order of play no longer matters: facts are kept, turns are not enforced."""


class Row(NamedTuple):
    """One way on: from any of `sources`, by `trigger`, to `dest`."""

    trigger: str
    sources: tuple[State, ...]
    dest: State


_BEFORE_REVEAL: Final = (State.DEALING, State.BURNING, State.DECIDING, State.EXCHANGING, State.SHOWING)
_STEPS: Final = (*_BEFORE_REVEAL, State.REVEALING)
_PLAY: Final = (*_STEPS, State.DRAWING, State.NAMING, State.EXTRA, State.SETTLING)


def _others(state: State) -> tuple[State, ...]:
    """The states of the steps from which another step may begin."""
    return tuple(other for other in _BEFORE_REVEAL if other is not state)


TRANSITIONS: Final = (
    Row("start_game", (State.BETTING,), State.DEALING),
    Row("begin_deal", _others(State.DEALING), State.DEALING),
    Row("begin_burn", _others(State.BURNING), State.BURNING),
    Row("begin_decisions", _others(State.DECIDING), State.DECIDING),
    Row("begin_exchange", _others(State.EXCHANGING), State.EXCHANGING),
    Row("begin_show", _others(State.SHOWING), State.SHOWING),
    Row("begin_reveal", _BEFORE_REVEAL, State.REVEALING),
    Row("start_draw", (State.BETTING,), State.DRAWING),
    Row("ask_person", (State.DRAWING, State.EXTRA), State.NAMING),
    Row("go_on", (State.NAMING,), State.DRAWING),
    Row("begin_extra", (State.DRAWING,), State.EXTRA),
    Row("begin_settle", (State.DRAWING, State.EXTRA), State.SETTLING),
    Row("play_progressive", _STEPS, State.PROGRESSIVE),
    Row("void_round", (*_PLAY, State.PROGRESSIVE), State.VOID),
    Row("halt", (*_PLAY, State.PROGRESSIVE, State.VOID), State.HALTED),
    Row("end_game", (*_PLAY, *sorted(LOOSE, key=lambda state: state.value)), State.BETTING),
)

BEGIN: Final = {
    State.DEALING: "begin_deal",
    State.BURNING: "begin_burn",
    State.DECIDING: "begin_decisions",
    State.EXCHANGING: "begin_exchange",
    State.SHOWING: "begin_show",
    State.REVEALING: "begin_reveal",
    State.EXTRA: "begin_extra",
    State.SETTLING: "begin_settle",
}
"""The trigger that enters a stage."""
