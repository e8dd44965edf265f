"""Checks on steps, for every combination of options: their order, and enough cards in the deck."""

from collections.abc import Iterator
from itertools import product

from dealer_flow.procedure.checks.decks import remainder_faults
from dealer_flow.procedure.complaints import Complaint, unknown_bets
from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.steps.base import DealtStep, cards_needed
from dealer_flow.procedure.steps.exchange import ExchangeStep
from dealer_flow.procedure.steps.kinds import AnyStep
from dealer_flow.procedure.steps.show import ShowStep
from dealer_flow.procedure.steps.views import CardsSoFar
from dealer_flow.procedure.tables import DECLARED, Recipient, chosen
from protocol.tomlfile import Key


def dealt_to(procedure: Procedure) -> dict[Recipient, list[str]]:
    """Return recipient -> the names of the steps that give it cards, in order."""
    found: dict[Recipient, list[str]] = {}
    for step in procedure.step:
        for to in step.recipients if step.gives else ():
            found.setdefault(to, []).append(step.name)
    return found


def step_faults(procedure: Procedure) -> Iterator[Complaint]:
    """Yield errors under any options first, then those under each combination of options, each error once."""
    yield from _recipient_faults(procedure)
    if procedure.device == "hand":
        yield from _origin_faults(procedure)
    complaints: dict[tuple[Key, str], None] = {}
    for options in _choices(procedure):
        steps = [(index, step) for index, step in enumerate(procedure.step) if chosen(step.when, options)]
        complaints |= dict.fromkeys(_order_faults(procedure, steps))
        complaints |= dict.fromkeys(_size_faults(procedure, [step for _, step in steps]))
    yield from complaints
    yield from remainder_faults(procedure)


def _choices(procedure: Procedure) -> Iterator[dict[str, str]]:
    """Yield every combination of the options that steps depend on."""
    named = {step.when.option for step in procedure.step if step.when}
    allowed = {option.name: option.allowed for option in procedure.option if option.name in named}
    for values in product(*allowed.values()):
        yield dict(zip(allowed, values, strict=True))


def _recipient_faults(procedure: Procedure) -> Iterator[Complaint]:
    known = ["seats", "dealer", "community", *(hand.name for hand in procedure.hand)]
    for index, step in enumerate(procedure.step):
        key: Key = ("step", index, step.places_key)
        for place in step.recipients:
            if place not in known:
                yield key, f"no recipient {place!r}; allowed: {', '.join(known)}, or the name of a [[hand]]"
        if len(set(step.recipients)) != len(step.recipients):
            yield key, "a place may occur only once"
    for index, hand in enumerate(procedure.hand):
        if hand.name not in dealt_to(procedure):
            yield ("hand", index, "name"), f"no step deals to {hand.name!r}"
    if "seats" not in dealt_to(procedure) and not any(hand.side == "players" for hand in procedure.hand):
        yield ("step",), "no step deals to 'seats', nor to a [[hand]] of the players"


def _origin_faults(procedure: Procedure) -> Iterator[Complaint]:
    """Yield steps that do not say that their cards come from the dealer's hand, in a game dealt by hand."""
    for index, step in enumerate(procedure.step):
        if isinstance(step, DealtStep | ExchangeStep) and step.from_device:
            yield ("step", index, "origin"), 'no device deals this game; a step that deals or burns has origin = "hand"'


def _order_faults(procedure: Procedure, steps: list[tuple[int, AnyStep]]) -> Iterator[Complaint]:
    """Yield errors in the order of the steps under one combination of options."""
    so_far = CardsSoFar()
    reveals = [index for index, step in steps if step.do == "reveal"]
    if not reveals or steps[-1][0] != reveals[0]:
        where: Key = ("step", reveals[0], "do") if reveals else ("step",)
        yield where, "the last step must be a reveal, and no other step may be"
    for index, step in steps:
        yield from step.mistakes(procedure, so_far, ("step", index))
        yield from _settles_faults(procedure, index, step)
        step.happen(so_far)


def _settles_faults(procedure: Procedure, index: int, step: AnyStep) -> Iterator[Complaint]:
    """Yield errors of `settles`: unknown bets, or choices that do not exist."""
    key: Key = ("step", index, "settles")
    yield from unknown_bets(key, [row.bet for row in step.settling], [bet.name for bet in procedure.bet])
    choices = [DECLARED, *(choice.name for choice in procedure.decision)]
    for number, row in enumerate(step.settling):
        if row.of is not None and row.of not in choices:
            yield (*key, number, "of"), f"no choice {row.of!r}; allowed: {', '.join(choices)}"
        if row.of == DECLARED and not (isinstance(step, ShowStep) and step.optional):
            yield (*key, number, "of"), "hands are declared only at a show step with optional = true"


def _size_faults(procedure: Procedure, steps: list[AnyStep]) -> Iterator[Complaint]:
    """Yield an error if the deck is too small for the most seats; a deck dealt by hand along with a shoe counts
    separately."""
    most, deck = procedure.seats.most, procedure.deck
    # care.runs-out covers a deck too small for the last deal
    if procedure.betting is not None and procedure.care.runs_out is not None:
        deals = [index for index, step in enumerate(steps) if step.deals]
        steps = steps[: deals[-1]] if len(deals) > 1 else steps
    whole = deck.cards * deck.decks
    beside = procedure.device == "card-shoe"  # cards dealt by hand along with a shoe come from a separate deck

    def needs(seats: int, seated: int = most) -> tuple[int, int]:
        device, by_hand = cards_needed(steps, seats, seated)
        return (device, by_hand) if beside else (device + by_hand, 0)

    def fits(seats: int) -> bool:
        return needs(seats, seats)[0] <= whole and needs(seats, seats)[1] <= deck.cards

    if not fits(most):
        needed, has = (needs(most)[0], whole) if needs(most)[0] > whole else (needs(most)[1], deck.cards)
        room = max((n for n in range(most) if fits(n)), default=0)
        yield ("seats", "most"), f"{most} seats need {needed} cards and the deck has {has}; at most {room}"
    rest = procedure.remainder
    if rest is not None and rest.cards is not None:
        left = whole - needs(most)[0]
        same = needs(1) == needs(most) and all(step.foreseen or not step.deals for step in steps)
        if left < rest.cards or (same and left != rest.cards):
            yield ("remainder", "cards"), f"{most} seats leave {left} cards of {whole}, not {rest.cards}"
