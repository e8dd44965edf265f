"""What must hold before play goes on: every condition that the table of states and the order of play name.

A guard is a question about the round that a regulator would understand, with the clause it enforces. The rows of
`states.py` name guards, and `transitions` evaluates them; `order.py` names them where a report may be out of turn, and
`legal.py` offers what they let pass. So there is one place that knows, for instance, when a burn is confirmed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from dealer_flow.play.states import STEP_STATES, State
from dealer_flow.play.steps import deals_on, ends_by, shown_out
from dealer_flow.procedure.plan import Plan
from dealer_flow.table.round import Round

Clause = Callable[[Plan], str]


def _of_game(plan: Plan) -> str:
    return plan.clause


def _of_burn(plan: Plan) -> str:
    return next((step.clause for step in plan.steps if step.do == "burn"), plan.clause)


def _of_misdeal(plan: Plan) -> str:
    return plan.procedure.misdeal.clause


def _of_deck(plan: Plan) -> str:
    return plan.deck_policy.clause


def closing_clause(plan: Plan) -> str:
    """The clause that closes the bets."""
    return plan.shoe.part.bets_closed if plan.shoe else plan.clause


def _of_unread(plan: Plan) -> str:
    return plan.shoe.part.unread.clause if plan.shoe else plan.clause


def _of_remainder(plan: Plan) -> str:
    rest = plan.procedure.remainder
    return rest.clause if rest else plan.clause


def _of_progressive(plan: Plan) -> str:
    return next((bet.clause for bet in plan.bets.values() if bet.progressive), plan.clause)


@dataclass(frozen=True, slots=True)
class Guard:
    """One condition. `words` say what holds, `clause` of which procedure's clause it comes."""

    name: str
    words: str
    holds: Callable[[Round], bool]
    clause: Clause


GUARDS: Final[dict[str, Guard]] = {}
"""Every guard by its name. Looked up at each question, so that a test may put another in its place."""


def _guard(clause: Clause = _of_game) -> Callable[[Callable[[Round], bool]], Callable[[Round], bool]]:
    """Register a function under its name; its docstring is what holds, in words."""

    def register(holds: Callable[[Round], bool]) -> Callable[[Round], bool]:
        name = holds.__name__
        GUARDS[name] = Guard(name, (holds.__doc__ or "").split(".")[0].lower(), holds, clause)
        return holds

    return register


def holds(name: str, round_: Round) -> bool:
    """Whether the guard of this name lets pass."""
    return GUARDS[name].holds(round_)


# ------------------------------------------------------------------ what was found


@_guard()
def round_unreliable(round_: Round) -> bool:
    """The round cannot be relied on."""
    return round_.unreliable


@_guard(_of_misdeal)
def misdeal_found(round_: Round) -> bool:
    """A misdeal was called or found."""
    return round_.misdeal


@_guard(_of_deck)
def deck_defective(round_: Round) -> bool:
    """The deck is defective."""
    return round_.defective


@_guard(_of_misdeal)
def house_count_wrong(round_: Round) -> bool:
    """A hand of the house has a wrong number of cards."""
    return round_.house_wrong


@_guard(_of_progressive)
def progressive_live(round_: Round) -> bool:
    """A live seat plays for the progressive."""
    return bool(round_.for_progressive)


@_guard(_of_deck)
def cards_astray(round_: Round) -> bool:
    """Cards do not add up, or another number is left than the procedure says."""
    return round_.ledger.conserved is False or round_.rest_wrong is not None


@_guard(_of_misdeal)
def red_lamp_lit(round_: Round) -> bool:
    """The red lamp is lit."""
    return bool(round_.red_lamp)


# ------------------------------------------------------------------ the steps


def _doing(round_: Round, state: State) -> bool:
    step = round_.step
    return step is not None and STEP_STATES[step.do] is state


@_guard()
def step_deals(round_: Round) -> bool:
    """The step under way deals."""
    return _doing(round_, State.DEALING)


@_guard()
def step_burns(round_: Round) -> bool:
    """The step under way burns cards of a packet."""
    return _doing(round_, State.BURNING)


@_guard()
def step_decides(round_: Round) -> bool:
    """The step under way lets players choose."""
    return _doing(round_, State.DECIDING)


@_guard()
def step_exchanges(round_: Round) -> bool:
    """The step under way replaces discards."""
    return _doing(round_, State.EXCHANGING)


@_guard()
def step_reveals(round_: Round) -> bool:
    """The step under way shows and settles the hands."""
    return _doing(round_, State.REVEALING)


@_guard()
def card_owed(round_: Round) -> bool:
    """A card is still due to a place."""
    return round_.next_due is not None


@_guard()
def cards_out(round_: Round) -> bool:
    """Every card of the step is out, those dealt by hand too."""
    return round_.opened and round_.next_due is None and not round_.by_hand


@_guard(_of_burn)
def burn_confirmed(round_: Round) -> bool:
    """The burn is confirmed."""
    step = round_.step
    return round_.opened and step is not None and step.do == "burn" and round_.plan.place(step.of) in round_.burns


@_guard()
def all_decided(round_: Round) -> bool:
    """Every live seat has chosen."""
    return round_.opened and round_.decided


@_guard()
def all_shown(round_: Round) -> bool:
    """The cards of the step lie open."""
    return round_.opened and shown_out(round_)


@_guard()
def later_step_begun(round_: Round) -> bool:
    """The report belongs to a later step, and this one may end so."""
    return round_.heard is not None and not round_.rulings and ends_by(round_, round_.heard)


@_guard(_of_misdeal)
def packets_out(round_: Round) -> bool:
    """No further packet follows at once."""
    return round_.next_due is None and not deals_on(round_)


# ------------------------------------------------------------------ the end of a round


@_guard(_of_misdeal)
def ruled(round_: Round) -> bool:
    """A supervisor has ruled on what is wrong."""
    return not round_.rulings


@_guard()
def nobody_plays(round_: Round) -> bool:
    """Every seat has given up or is dead."""
    return round_.idle


@_guard(_of_remainder)
def remainder_counted(round_: Round) -> bool:
    """What is left of the deck was counted."""
    if round_.plan.from_shoe:
        return round_.plan.exact_rest is None or round_.rest is not None
    return round_.ledger.remainder is not None


# ------------------------------------------------------------------ cards drawn into columns


@_guard(closing_clause)
def drawn_into_columns(round_: Round) -> bool:
    """The game is drawn into columns."""
    return round_.draw is not None


@_guard(_of_unread)
def card_unnamed(round_: Round) -> bool:
    """A card that was not read waits for its name."""
    return round_.draw is not None and round_.draw.unread is not None


@_guard(closing_clause)
def race_decided(round_: Round) -> bool:
    """A column decided, or all the cards are out."""
    return round_.draw is not None and round_.draw.end is not None


@_guard(closing_clause)
def extra_due(round_: Round) -> bool:
    """The extra card is due."""
    draw = round_.draw
    if draw is None or not draw.extra_may_come:
        return False
    return draw.plan.extra == "always" or any(draw.plan.moved & bets.keys() for bets in round_.wagers.values())


@_guard(closing_clause)
def extra_open(round_: Round) -> bool:
    """The extra card is due, or money may be moved to a bet on it."""
    draw = round_.draw
    if draw is None or not draw.extra_may_come:
        return False
    source = draw.plan.moves_from or ""
    return holds("extra_due", round_) or any(bets.get(source) for bets in round_.wagers.values())
