"""The states of a round and every transition between them, as data.

A report fires a trigger; the guards that a row names decide where it leads. `machine.py` passes this table to
`transitions` and evaluates it. Refusals of reports that are out of turn, the list of what may happen next and the
printed diagrams come from the same rows.
"""

from enum import Enum
from typing import Final, NamedTuple

from dealer_flow.procedure.steps.kinds import STEPS as KINDS


class State(Enum):
    """State of a round."""

    # members are singletons; Enum's own hash of the name is slow, and is needed several times per report
    __hash__ = object.__hash__

    BETTING = "betting"
    DEALING = "dealing"
    BURNING = "burning"
    DECIDING = "deciding"
    ACTING = "acting"
    EXCHANGING = "exchanging"
    ASSIGNING = "assigning"
    SETTING = "setting"
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
    State.BURNING: "cards of a packet are burned before play continues",
    State.DECIDING: "players look at their cards and choose",
    State.ACTING: "players bet, call, raise or fold in turn until every bet is called",
    State.EXCHANGING: "discarded cards are replaced",
    State.ASSIGNING: "hands are in front of the tray until a number assigns them",
    State.SETTING: "players set their cards in two hands",
    State.SHOWING: "cards are turned face up before play continues",
    State.REVEALING: "hands are shown and settled until END GAME",
    State.DRAWING: "cards are drawn one at a time, each to its column, until one decides",
    State.NAMING: "a card was not read; a person names it",
    State.EXTRA: "no column decided; money may be moved before the extra card",
    State.SETTLING: "the race is decided; no card may follow; bets are settled until END GAME",
    State.PROGRESSIVE: "the table has a misdeal; hands are shown for the progressive only",
    State.VOID: "misdeal or defective deck; the cards come in and the bets go back",
    State.HALTED: "the round is unreliable; a supervisor decides",
}

STEP_STATES: Final = {do: State(kind.state) for do, kind in KINDS.items()}
"""Kind of a step -> the state of a round while it is under way."""

WAITS: Final = {
    State.DEALING: "cards_out",
    State.BURNING: "burn_confirmed",
    State.DECIDING: "all_decided",
    State.ACTING: "bets_called",
    State.EXCHANGING: "cards_out",
    State.ASSIGNING: "number_drawn",
    State.SETTING: "hands_set",
    State.SHOWING: "all_shown",
}
"""State of a step -> the guard that it waits for; the reveal waits for END GAME."""

LOOSE: Final = frozenset({State.PROGRESSIVE, State.VOID, State.HALTED})
"""States in which the order of play no longer matters: facts are recorded, turns are not enforced."""


class Row(NamedTuple):
    """One transition: from any of `sources`, by `trigger`, to `dest`, if every one of `guards` holds and none of
    `unless`.

    The first row of a trigger that can be taken is taken. If `dest` is None the state stays: what the step waited for
    has happened.
    """

    trigger: str
    sources: tuple[State, ...]
    dest: State | None
    guards: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


BEFORE_REVEAL: Final = (
    *(State.DEALING, State.BURNING, State.DECIDING, State.ACTING, State.EXCHANGING),
    *(State.ASSIGNING, State.SETTING, State.SHOWING),
)
STEPS: Final = (*BEFORE_REVEAL, State.REVEALING)
COLUMNS: Final = (State.DRAWING, State.NAMING, State.EXTRA, State.SETTLING)
_PLAY: Final = (*STEPS, *COLUMNS)

TRANSITIONS: Final = (
    Row("start_game", (State.BETTING,), State.DRAWING, ("drawn_into_columns",)),
    Row("start_game", (State.BETTING,), State.DEALING, (), ("drawn_into_columns",)),
    # A step is over when its event has happened. After a wrong count of the house only the packets that follow
    # at once still go out.
    Row("end_step", BEFORE_REVEAL, None, ("step_deals", "cards_out"), ("house_count_wrong",)),
    Row("end_step", BEFORE_REVEAL, None, ("step_deals", "cards_out", "house_count_wrong"), ("packets_out",)),
    Row("end_step", BEFORE_REVEAL, None, ("step_burns", "burn_confirmed"), ("house_count_wrong",)),
    Row("end_step", BEFORE_REVEAL, None, ("step_decides", "all_decided"), ("house_count_wrong",)),
    Row("end_step", STEPS, None, ("step_bets", "bets_called"), ("house_count_wrong",)),
    Row("end_step", BEFORE_REVEAL, None, ("step_exchanges", "cards_out"), ("house_count_wrong",)),
    Row("end_step", BEFORE_REVEAL, None, ("step_assigns", "number_drawn"), ("house_count_wrong",)),
    Row("end_step", BEFORE_REVEAL, None, ("step_sets", "hands_set"), ("house_count_wrong",)),
    Row("end_step", BEFORE_REVEAL, None, ("all_shown",), ("house_count_wrong",)),
    Row("pass_step", BEFORE_REVEAL, None, ("later_step_begun",)),
    # State of the step under way. A hand that lacks a card gets it first, except at an exchange and at the reveal.
    # A step of no other kind turns cards face up. From the reveal play returns to a betting round if its last action
    # is corrected.
    Row("begin_step", STEPS, State.EXCHANGING, ("step_exchanges",)),
    Row("begin_step", BEFORE_REVEAL, State.REVEALING, ("step_reveals",)),
    Row("begin_step", STEPS, State.DEALING, ("card_owed",)),
    Row("begin_step", STEPS, State.DEALING, ("step_deals",)),
    Row("begin_step", STEPS, State.BURNING, ("step_burns",)),
    Row("begin_step", STEPS, State.DECIDING, ("step_decides",)),
    Row("begin_step", STEPS, State.ACTING, ("step_bets",)),
    Row("begin_step", STEPS, State.ASSIGNING, ("step_assigns",)),
    Row("begin_step", STEPS, State.SETTING, ("step_sets",)),
    Row("begin_step", STEPS, State.SHOWING),
    # Cards drawn into columns; an unread card interrupts any of these states until it is named.
    Row("draw_on", (State.DRAWING, State.EXTRA), State.NAMING, ("card_unnamed",)),
    Row("draw_on", (State.NAMING,), State.DRAWING, (), ("card_unnamed",)),
    Row("draw_on", (State.DRAWING,), State.EXTRA, ("race_decided", "extra_open")),
    Row("draw_on", (State.DRAWING,), State.SETTLING, ("race_decided",)),
    Row("draw_on", (State.EXTRA,), State.SETTLING, (), ("extra_open",)),
    # Findings are judged; the worst decides.
    Row("judge", (*_PLAY, State.PROGRESSIVE, State.VOID), State.HALTED, ("round_unreliable",)),
    Row("judge", (*_PLAY, State.PROGRESSIVE), State.VOID, ("misdeal_found",)),
    Row("judge", (*_PLAY, State.PROGRESSIVE), State.VOID, ("deck_defective",)),
    Row("judge", (*_PLAY, State.PROGRESSIVE), State.VOID, ("house_count_wrong",), ("progressive_live",)),
    Row("judge", STEPS, State.PROGRESSIVE, ("house_count_wrong", "progressive_live", "packets_out")),
    # END GAME: the round is played out, or over for another reason.
    Row("end_game", tuple(sorted(LOOSE, key=lambda state: state.value)), State.BETTING),
    Row("end_game", _PLAY, State.BETTING, ("cards_astray",)),
    Row("end_game", (State.DEALING,), State.BETTING, ("red_lamp_lit",)),
    Row("end_game", (State.REVEALING,), State.BETTING, ("ruled", "cards_out", "remainder_counted")),
    Row("end_game", STEPS, State.BETTING, ("ruled", "nobody_plays", "remainder_counted")),
    Row("end_game", (State.EXTRA,), State.BETTING, (), ("extra_due",)),
    Row("end_game", (State.SETTLING,), State.BETTING),
)
"""All transitions. The machine evaluates the guards; nothing else chooses a state."""
