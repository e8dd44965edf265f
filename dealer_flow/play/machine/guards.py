"""Guards: the conditions that must hold before a round advances, as the table of states names them.

A guard is a question about the round that a regulator would understand, with the clause it enforces. The rows of
`states.py` name guards, and `machine.py` evaluates them; `order.py` and `legal.py` use the same guards to find what the
round waits for. So exactly one place defines, for instance, when a burn is confirmed. Conditions on a single report are
in `checks.py`.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from dealer_flow.play.course.by_hand import goes_with_next
from dealer_flow.play.course.steps import deals_on, ends_by, set_out, shown_out
from dealer_flow.play.course.turns import bets_called
from dealer_flow.play.machine.states import STEP_STATES, State
from dealer_flow.procedure.plan import Plan
from dealer_flow.table.round import Round

CLAUSES: Final[dict[str, Callable[[Plan], str | None]]] = {
    "game": lambda plan: plan.clause,
    "closing": lambda plan: plan.shoe.part.bets_closed if plan.shoe else None,
    "unread": lambda plan: plan.shoe.part.unread.clause if plan.shoe else None,
    "burn": lambda plan: next((step.clause for step in plan.steps if step.do == "burn"), None),
    "misdeal": lambda plan: plan.procedure.misdeal.clause,
    "deck": lambda plan: plan.deck_policy.clause,
    "remainder": lambda plan: plan.procedure.remainder.clause if plan.procedure.remainder else None,
    "number": lambda plan: plan.procedure.number.clause if plan.procedure.number else None,
    "set": lambda plan: next((step.clause for step in plan.sets.values()), None),
    "betting": lambda plan: plan.betting.clause if plan.betting else None,
    "progressive": lambda plan: next((bet.clause for bet in plan.bets.values() if bet.progressive), None),
}
"""Topic of a clause -> how to find the procedure's clause on it; None if it has none of its own."""


class Guard(NamedTuple):
    """One condition. `words` state what is true when it holds, `of` is the topic of its clause: a key of `CLAUSES`."""

    name: str
    words: str
    holds: Callable[[Round], bool]
    of: str = "game"

    def clause(self, plan: Plan) -> str:
        """Return the clause that the guard enforces; the game's clause if it has none of its own."""
        return clause_about(self.of, plan)


def clause_about(what: str, plan: Plan) -> str:
    """Return the procedure's clause on a topic in `CLAUSES`; the game's clause if it has none."""
    return CLAUSES[what](plan) or plan.clause


def _doing(state: State) -> Callable[[Round], bool]:
    """Return a guard that holds while a step of this state is under way."""
    kinds = frozenset(do for do, meanwhile in STEP_STATES.items() if meanwhile is state)
    return lambda round_: round_.doing in kinds


def _cards_out(round_: Round) -> bool:
    if not round_.opened or round_.given < len(round_.dues):
        return False
    return not round_.by_hand or round_.dealt_by_hand or goes_with_next(round_)


def _burn_confirmed(round_: Round) -> bool:
    step = round_.step
    return round_.opened and step is not None and step.do == "burn" and round_.plan.place(step.of) in round_.burns


def _later_step_begun(round_: Round) -> bool:
    if not round_.ends_early or round_.rulings:
        return False
    return round_.heard is not None and ends_by(round_, round_.heard)


def _remainder_counted(round_: Round) -> bool:
    if round_.plan.from_shoe or round_.plan.from_hand:
        return round_.plan.exact_rest is None or round_.rest is not None
    return round_.ledger.remainder is not None


def _extra_due(round_: Round) -> bool:
    draw = round_.draw
    if draw is None or not draw.extra_may_come:
        return False
    return draw.plan.extra == "always" or any(draw.plan.moved & bets.keys() for bets in round_.wagers.values())


def _extra_open(round_: Round) -> bool:
    draw = round_.draw
    if draw is None or not draw.extra_may_come:
        return False
    source = draw.plan.moves_from or ""
    return holds("extra_due", round_) or any(bets.get(source) for bets in round_.wagers.values())


GUARDS: Final[dict[str, Guard]] = {
    guard.name: guard
    for guard in (
        # findings
        Guard("round_unreliable", "the round is unreliable", lambda r: r.unreliable),
        Guard("misdeal_found", "a misdeal was called or found", lambda r: r.misdeal, "misdeal"),
        Guard("deck_defective", "the deck is defective", lambda r: r.defective, "deck"),
        Guard(
            "house_count_wrong", "a hand of the house has a wrong number of cards", lambda r: r.house_wrong, "misdeal"
        ),
        Guard(
            "progressive_live",
            "a live seat plays for the progressive",
            lambda r: bool(r.for_progressive),
            "progressive",
        ),
        Guard(
            "cards_astray",
            "cards do not add up, or the number left is not what the procedure says",
            lambda r: r.ledger.conserved is False or r.rest_wrong is not None,
            "deck",
        ),
        Guard("red_lamp_lit", "the red lamp is lit", lambda r: bool(r.red_lamp), "misdeal"),
        # the steps
        Guard("step_deals", "the step under way deals", _doing(State.DEALING)),
        Guard("step_burns", "the step under way burns cards of a packet", _doing(State.BURNING)),
        Guard("step_decides", "the step under way lets players choose", _doing(State.DECIDING)),
        Guard("step_bets", "the step under way is a betting round", _doing(State.ACTING)),
        Guard("step_exchanges", "the step under way replaces discards", _doing(State.EXCHANGING)),
        Guard("step_assigns", "the step under way assigns the hands in front of the tray", _doing(State.ASSIGNING)),
        Guard("step_sets", "the step under way lets players set their hands", _doing(State.SETTING)),
        Guard("step_reveals", "the step under way shows and settles the hands", _doing(State.REVEALING)),
        Guard("card_owed", "a card is still due to a place", lambda r: r.given < len(r.dues)),
        Guard("cards_out", "every card of the step is out, including those dealt by hand", _cards_out),
        Guard("burn_confirmed", "the burn is confirmed", _burn_confirmed, "burn"),
        Guard("all_decided", "every live seat has chosen", lambda r: r.opened and r.decided),
        Guard("bets_called", "every bet is called", lambda r: r.opened and bets_called(r), "betting"),
        Guard("number_drawn", "the number is drawn", lambda r: r.opened and r.first is not None, "number"),
        Guard("hands_set", "every live hand is set", lambda r: r.opened and set_out(r), "set"),
        Guard("all_shown", "the cards of the step lie open", lambda r: r.opened and shown_out(r)),
        Guard("later_step_begun", "the report belongs to a later step, and may end this one", _later_step_begun),
        Guard(
            "packets_out",
            "no further packet follows at once",
            lambda r: r.next_due is None and not deals_on(r),
            "misdeal",
        ),
        # the end of a round
        Guard("ruled", "a supervisor has ruled on what is wrong", lambda r: not r.rulings, "misdeal"),
        Guard("nobody_plays", "every seat has given up or is dead", lambda r: r.idle),
        Guard("remainder_counted", "what is left of the deck was counted", _remainder_counted, "remainder"),
        # cards drawn into columns
        Guard("drawn_into_columns", "the game is drawn into columns", lambda r: r.draw is not None, "closing"),
        Guard(
            "card_unnamed",
            "a card that was not read waits for its name",
            lambda r: r.draw is not None and r.draw.unread is not None,
            "unread",
        ),
        Guard(
            "race_decided",
            "a column decided, or all the cards are out",
            lambda r: r.draw is not None and r.draw.end is not None,
            "closing",
        ),
        Guard("extra_due", "the extra card is due", _extra_due, "closing"),
        Guard("extra_open", "the extra card is due, or money may be moved to a bet on it", _extra_open, "closing"),
    )
}
"""Guards of the round by name. Looked up at each evaluation, so that a test can replace one."""


def holds(name: str, round_: Round) -> bool:
    """Return True if the guard of this name holds."""
    return GUARDS[name].holds(round_)
