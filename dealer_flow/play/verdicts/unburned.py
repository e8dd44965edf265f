"""A burn that the dealer forgot: the card taken for the burned one is the first card that followed.

If the regulation says so, every player may then give up the hand and keep all wagers.
"""

from dealer_flow.play.course import burns, laying
from dealer_flow.play.verdicts.burned import judge_reported
from dealer_flow.play.verdicts.verdicts import judge
from dealer_flow.procedure.plan import Policy
from dealer_flow.procedure.steps.burn_card import BurnCardStep
from dealer_flow.procedure.steps.decide import DecideStep
from dealer_flow.procedure.steps.reveal import RevealStep
from dealer_flow.record.incidents import UNJUDGED, Incident
from dealer_flow.table.round import Round
from devices.events import Seen
from protocol.cards import UNREAD, Card
from protocol.places import BURN, Place


def judge_unburned(round_: Round, seen: Seen) -> None:
    """Judge a forgotten burn: every card since then belongs one place earlier.

    It is not forgotten if a card that no place was due came before: that one was burned before its time.
    """
    if round_.plan.extra_burn is not None and burns.lies_before(round_):
        judge_reported(round_, None, seen)
        return
    step = _last_burn(round_)
    if step is not None and not round_.over:
        if round_.plan.from_hand:
            _count_none(round_, step)
        else:
            laying.unburn(round_, step.name)
        round_.unburned = step.name
    policy = round_.plan.unburned or Policy("person", "procedure")
    judge(round_, policy, BURN, Incident(code="burn-forgotten", clause=UNJUDGED, place=BURN.text), seen)


def shown_unburned(round_: Round, place: Place, cards: tuple[Card, ...]) -> bool:
    """Return True if the cards shown here are the cards dealt here and the one before them, which should have been
    burned.

    Once the burned cards were scrambled and dealt, a burned card in a hand is no sign of that.
    """
    step, hand = _last_burn(round_), round_.ledger.hands.get(place)
    if step is None or hand is None or UNREAD in cards or round_.ledger.scrambled:
        return False
    lying = laying.lying(round_)
    burned = [card for card, due in lying if due.place == BURN and due.step == step.name]
    there = [card for card, due in lying if due.place == place]
    return burned != [] and hand.step != step.name and sorted([*there, burned[-1]]) == sorted(cards)


def folds_unburned(round_: Round, number: int, choice: str) -> str | None:
    """Return the step whose burn was forgotten, if this seat may give up for that by this choice.

    It may until the players have chosen once more, or the hands are shown.
    """
    part = round_.plan.procedure.care.unburned
    if part is None or part.offers != choice or not round_.unburned or round_.over or number not in round_.live:
        return None
    at = round_.plan.order[round_.unburned]
    later = enumerate(round_.plan.steps[at:], at)
    last = next(index for index, step in later if isinstance(step, DecideStep | RevealStep))
    shown = isinstance(round_.step, RevealStep) and bool(round_.shown)
    return None if round_.at > last or shown else round_.unburned


def _last_burn(round_: Round) -> BurnCardStep | None:
    """Return the last step so far that burns a card of the shoe, unless it is known to have burned none."""
    if not (round_.plan.from_shoe or round_.plan.from_hand) or round_.draw is not None:
        return None
    burns = (step for step in reversed(round_.plan.steps[: round_.at + 1]) if isinstance(step, BurnCardStep))
    step = next((step for step in burns if step.from_device or round_.plan.from_hand), None)
    if step is None or step.name == round_.unburned:
        return None
    due = any(due.place == BURN and due.step == step.name for due in (*round_.dues, *round_.by_hand))
    return step if due else None


def _count_none(round_: Round, step: BurnCardStep) -> None:
    """Count no card as burned in this step of a game dealt by hand."""
    waits = [due for due in round_.by_hand if due.place == BURN and due.step == step.name]
    round_.by_hand = [due for due in round_.by_hand if due not in waits]
    if not waits:
        round_.ledger.lie_burned(round_.ledger.burned_left - step.cards)
