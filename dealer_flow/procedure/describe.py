"""Summary of a procedure as data for other programs: how it is dealt, from which deck, to how many seats, by which
clauses."""

from typing import Any, Final

from dealer_flow.procedure.load import Procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.steps.base import cards_needed
from dealer_flow.procedure.steps.deal import DealStep

SCHEMA: Final = "dealwire.procedure-summary/1"


def describe(procedure: Procedure) -> dict[str, Any]:
    """Describe one procedure under the defaults of its options.

    Cards are counted at the most seats: `dealt` leave the device (the whole deck if it runs out), `by_hand` do not;
    `remainder` is what is then left of the deck, `exact` what the regulation says must be left.
    """
    plan = Plan(procedure, {})
    most, deck = procedure.seats.most, procedure.deck
    needed, by_hand = cards_needed(plan.steps, most, most)
    whole = deck.cards * plan.decks
    dealt = min(needed, whole)
    beside = plan.from_shoe  # cards dealt by hand along with a shoe come from a separate deck
    cards = {
        "loaded": whole,
        "dealt": dealt,
        "by_hand": by_hand,
        "remainder": None if plan.shoe else whole - dealt - (0 if beside else by_hand),
        "exact": plan.exact_rest,
    }
    return {
        "schema": SCHEMA,
        "type": "procedure",
        "id": procedure.id,
        "sha256": plan.ref.sha256,
        "title": procedure.title,
        "jurisdiction": procedure.jurisdiction,
        "clause": procedure.clause,
        "device": procedure.device,
        "deck": {"cards": deck.cards, "jokers": deck.jokers, "decks": plan.decks, "alternating": deck.alternating},
        "seats": {"most": most, "clause": procedure.seats.clause},
        "cards": cards,
        "packets": _packets(plan),
        "steps": [step.model_dump(mode="json", by_alias=True, exclude_defaults=True) for step in procedure.step],
        "options": {
            option.name: {"default": option.default, "allowed": option.allowed, "reason": option.reason}
            for option in procedure.option
        },
        "clauses": sorted(_clauses(procedure.model_dump(mode="json"))),
    }


def _packets(plan: Plan) -> list[dict[str, Any]]:
    """Return the cards or packets for each recipient, in the order of the steps."""
    return [
        {"step": step.name, "to": to, "cards": step.cards, "by": step.by, "origin": step.origin, "clause": step.clause}
        for step in plan.steps
        if isinstance(step, DealStep)
        for to in step.to
    ]


def _clauses(value: Any) -> set[str]:
    """Return every clause the file cites."""
    if isinstance(value, list):
        return {clause for item in value for clause in _clauses(item)}
    if not isinstance(value, dict):
        return set()
    own = {value["clause"]} if isinstance(value.get("clause"), str) else set[str]()
    return own | {clause for item in value.values() for clause in _clauses(item)}
