"""What the steps of a procedure must satisfy together, for every choice of its options: a part of `contradictions`."""

from collections.abc import Iterable, Iterator
from itertools import product

from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.steps import AnyStep, CardsSoFar, Complaint
from dealer_flow.procedure.tables import Recipient, WhenPart
from protocol.tomlfile import Key


def dealt_to(procedure: Procedure) -> dict[Recipient, list[str]]:
    """Every recipient that gets cards -> the names of the steps that give them, in their order."""
    found: dict[Recipient, list[str]] = {}
    for step in procedure.step:
        for to in step.recipients if step.gives else ():
            found.setdefault(to, []).append(step.name)
    return found


def chosen(when: WhenPart | None, options: dict[str, str]) -> bool:
    """True when a step with this condition is part of the procedure under these options."""
    return when is None or options.get(when.option) == when.is_


def cards_needed(steps: Iterable[AnyStep], seats: int, most: int) -> tuple[int, int]:
    """The most cards that leave the device, and that are dealt by hand, with so many seats in play."""
    device = by_hand = 0
    for step in steps:
        cards = step.most_cards(seats, most)
        device += cards if step.from_device else 0
        by_hand += 0 if step.from_device else cards
    return device, by_hand


def step_faults(procedure: Procedure) -> Iterator[Complaint]:
    """Key and complaint, for everything that does not fit."""
    yield from _recipient_faults(procedure)
    yield from _when_faults(procedure)
    complaints: dict[tuple[Key, str], None] = {}
    for options in _choices(procedure):
        steps = [(index, step) for index, step in enumerate(procedure.step) if chosen(step.when, options)]
        complaints |= dict.fromkeys(_order_faults(procedure, steps))
        complaints |= dict.fromkeys(_size_faults(procedure, [step for _, step in steps]))
    yield from complaints
    yield from _remainder_faults(procedure)


def _choices(procedure: Procedure) -> Iterator[dict[str, str]]:
    """Every choice of the options that a step asks for."""
    asked = {step.when.option for step in procedure.step if step.when}
    allowed = {option.name: option.allowed for option in procedure.option if option.name in asked}
    for values in product(*allowed.values()):
        yield dict(zip(allowed, values, strict=True))


def _recipient_faults(procedure: Procedure) -> Iterator[Complaint]:
    known = ["seats", "dealer", "community", *(hand.name for hand in procedure.hand)]
    for index, step in enumerate(procedure.step):
        key: Key = ("step", index, step.places_key)
        for place in step.recipients:
            if place not in known:
                yield key, f"nobody is {place!r}; allowed: {', '.join(known)}, or the name of a [[hand]]"
        if len(set(step.recipients)) != len(step.recipients):
            yield key, "each place once"
    for index, hand in enumerate(procedure.hand):
        if hand.name not in dealt_to(procedure):
            yield ("hand", index, "name"), f"no step deals to {hand.name!r}"
    if "seats" not in dealt_to(procedure) and not any(hand.side == "players" for hand in procedure.hand):
        yield ("step",), "no step deals to 'seats', nor to a [[hand]] of the players"


def _when_faults(procedure: Procedure) -> Iterator[Complaint]:
    for index, step in enumerate(procedure.step):
        if step.when is not None:
            yield from when_faults(procedure, ("step", index, "when"), step.when)


def when_faults(procedure: Procedure, key: Key, when: WhenPart) -> Iterator[Complaint]:
    """What a condition may not say: an option that is not there, a value that it does not have."""
    allowed = next((option.allowed for option in procedure.option if option.name == when.option), None)
    if allowed is None:
        known = ", ".join(option.name for option in procedure.option) or "none"
        yield key, f"no option {when.option!r}; known: {known}"
    elif when.is_ not in allowed:
        yield key, f"{when.is_!r} is no value of that option; allowed: {', '.join(allowed)}"


def _order_faults(procedure: Procedure, steps: list[tuple[int, AnyStep]]) -> Iterator[Complaint]:
    """The steps of one choice of options, one after the other."""
    so_far = CardsSoFar()
    reveals = [index for index, step in steps if step.do == "reveal"]
    if not reveals or steps[-1][0] != reveals[0]:
        where: Key = ("step", reveals[0], "do") if reveals else ("step",)
        yield where, "the last step, and no other, is a reveal"
    for index, step in steps:
        yield from step.mistakes(procedure, so_far, ("step", index))
        step.happen(so_far)


# ------------------------------------------------------------------ the deck


def _size_faults(procedure: Procedure, steps: list[AnyStep]) -> Iterator[Complaint]:
    """The deck is enough for the most seats, a deck dealt by hand beside a shoe too."""
    most, deck = procedure.seats.most, procedure.deck
    whole = deck.cards * deck.decks
    beside = procedure.device == "card-shoe"  # what is dealt by hand beside a shoe comes from a deck of its own

    def over(seats: int, seated: int = most) -> tuple[int, int]:
        device, by_hand = cards_needed(steps, seats, seated)
        return (device, by_hand) if beside else (device + by_hand, 0)

    def fits(seats: int) -> bool:
        return over(seats, seats)[0] <= whole and over(seats, seats)[1] <= deck.cards

    if not fits(most):
        needed, has = (over(most)[0], whole) if over(most)[0] > whole else (over(most)[1], deck.cards)
        room = max((n for n in range(most) if fits(n)), default=0)
        yield ("seats", "most"), f"{most} seats need {needed} cards and the deck has {has}; at most {room}"
    rest = procedure.remainder
    if rest is not None and rest.cards is not None:
        left = whole - over(most)[0]
        same = over(1) == over(most) and all(step.foreseen or not step.deals for step in steps)
        if left < rest.cards or (same and left != rest.cards):
            yield ("remainder", "cards"), f"{most} seats leave {left} cards of {whole}, not {rest.cards}"


def _remainder_faults(procedure: Procedure) -> Iterator[Complaint]:
    rest = procedure.remainder
    if rest is None:
        if procedure.device == "packet-shuffler":
            yield ("remainder",), "missing: what is left of the deck is counted after every round"
        return
    names = [step.name for step in procedure.step]
    if rest.after is not None and rest.after not in names:
        yield ("remainder", "after"), f"no step {rest.after!r}; known: {', '.join(names)}"
