"""What the steps of a procedure must satisfy together, for every choice of its options: a part of `contradictions`."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

from dealer_flow.procedure.schema import AnyStep, AppointStep, DecideStep, Procedure, Recipient, WhenPart
from protocol.tomlfile import Key


def dealt_to(procedure: Procedure) -> dict[Recipient, list[str]]:
    """Every recipient that gets cards -> the names of the steps that give them, in their order."""
    found: dict[Recipient, list[str]] = {}
    for step in procedure.step:
        if step.do in ("deal", "exchange"):
            for to in step.to:
                found.setdefault(to, []).append(step.name)
        elif step.do == "appoint":
            found.setdefault(step.to, []).append(step.name)
    return found


def chosen(when: WhenPart | None, options: dict[str, str]) -> bool:
    """True when a step with this condition is part of the procedure under these options."""
    return when is None or options.get(when.option) == when.is_


def cards_needed(steps: Iterable[AnyStep], seats: int, most: int) -> tuple[int, int]:
    """The most cards that leave the device, and that are dealt by hand, with so many seats in play."""
    device = by_hand = 0
    for step in steps:
        if step.do in ("deal", "exchange"):
            each = step.cards if step.do == "deal" else step.most
            dealt_in = most if step.do == "deal" and step.seats == "all" else seats
            cards = sum(each * (dealt_in if to == "seats" else 1) for to in step.to)
        else:
            cards = step.cards if step.do == "burn-card" else 0
        if step.do != "exchange" and getattr(step, "origin", "device") == "hand":
            by_hand += cards
        else:
            device += cards
    return device, by_hand


def step_faults(procedure: Procedure) -> Iterator[tuple[Key, str]]:
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


class _Named(NamedTuple):
    key: Key
    places: tuple[Recipient, ...]


def _places_named(procedure: Procedure) -> Iterator[_Named]:
    for index, step in enumerate(procedure.step):
        if step.do in ("deal", "exchange"):
            yield _Named(("step", index, "to"), step.to)
        elif step.do == "show":
            yield _Named(("step", index, "of"), step.of)
        elif step.do == "burn":
            yield _Named(("step", index, "of"), (step.of,))
        elif step.do == "appoint":
            yield _Named(("step", index, "to"), (step.to,))
        elif step.do == "reveal":
            yield _Named(("step", index, "order"), step.order)


def _recipient_faults(procedure: Procedure) -> Iterator[tuple[Key, str]]:
    known = ["seats", "dealer", "community", *(hand.name for hand in procedure.hand)]
    for key, places in _places_named(procedure):
        for place in places:
            if place not in known:
                yield key, f"nobody is {place!r}; allowed: {', '.join(known)}, or the name of a [[hand]]"
        if len(set(places)) != len(places):
            yield key, "each place once"
    for index, hand in enumerate(procedure.hand):
        if hand.name not in dealt_to(procedure):
            yield ("hand", index, "name"), f"no step deals to {hand.name!r}"
    if "seats" not in dealt_to(procedure) and not any(hand.side == "players" for hand in procedure.hand):
        yield ("step",), "no step deals to 'seats', nor to a [[hand]] of the players"


def _when_faults(procedure: Procedure) -> Iterator[tuple[Key, str]]:
    for index, step in enumerate(procedure.step):
        if step.when is not None:
            yield from when_faults(procedure, ("step", index, "when"), step.when)
    for index, step in enumerate(procedure.step):
        if step.do == "burn":
            allowed_ends = next((set(o.allowed) for o in procedure.option if o.name == step.top_card), set())
            if allowed_ends != {"left", "right"}:
                yield ("step", index, "top-card"), "must name an option whose allowed values are 'left' and 'right'"


def when_faults(procedure: Procedure, key: Key, when: WhenPart) -> Iterator[tuple[Key, str]]:
    """What a condition may not say: an option that is not there, a value that it does not have."""
    allowed = next((option.allowed for option in procedure.option if option.name == when.option), None)
    if allowed is None:
        known = ", ".join(option.name for option in procedure.option) or "none"
        yield key, f"no option {when.option!r}; known: {known}"
    elif when.is_ not in allowed:
        yield key, f"{when.is_!r} is no value of that option; allowed: {', '.join(allowed)}"


# ------------------------------------------------------------------ the order of steps


@dataclass
class _Table:
    """What lies on the table as the steps go on: cards by recipient, and what was done with them."""

    held: dict[Recipient, int] = field(default_factory=dict)
    shown: dict[Recipient, int] = field(default_factory=dict)
    burned: set[Recipient] = field(default_factory=set)
    appointed: set[Recipient] = field(default_factory=set)
    everywhere: bool = False
    """Whether positions got cards where nobody plays."""
    drawing: bool = False
    """Whether a choice that draws cards was offered."""


def _order_faults(procedure: Procedure, steps: list[tuple[int, AnyStep]]) -> Iterator[tuple[Key, str]]:
    """The steps of one choice of options, one after the other."""
    draws = {choice.name for choice in procedure.decision if choice.draws}
    table = _Table()
    reveals = [index for index, step in steps if step.do == "reveal"]
    if not reveals or steps[-1][0] != reveals[0]:
        where: Key = ("step", reveals[0], "do") if reveals else ("step",)
        yield where, "the last step, and no other, is a reveal"
    for index, step in steps:
        key: Key = ("step", index)
        if step.do == "deal":
            for to in step.to:
                table.held[to] = table.held.get(to, 0) + step.cards
            table.everywhere |= step.seats == "all"
            if step.first != "dealer-left" and "seats" not in step.to:
                yield (*key, "first"), "who is first is said of the seats; this step deals to none"
        elif step.do == "decide":
            table.drawing |= bool(draws & set(step.choices))
            yield from _decide_faults(key, step, table)
        elif step.do == "burn":
            yield from _burn_faults(key, step.of, step.positions, table)
        elif step.do == "exchange":
            yield from _undealt((*key, "to"), step.to, table)
            if "seats" in step.to and not table.drawing:
                yield (*key, "to"), "no choice before this step draws cards; a [[decision]] with draws comes before"
        elif step.do == "show":
            yield from _show_faults(key, step.of, step.cards, table)
            if step.which == "bottom" and step.cards is None:
                yield (*key, "which"), "the bottom of all cards is all of them; give 'cards' too"
        elif step.do == "reveal":
            yield from _undealt((*key, "order"), step.order, table)
        elif step.do == "appoint":
            yield from _appoint_faults(procedure, key, step)
            if not table.everywhere:
                yield (*key, "do"), "every position has a player; a deal with seats = 'all' comes before"
            table.held[step.to] = table.held.get("seats", 0)
            table.appointed.add(step.to)


def _decide_faults(key: Key, step: DecideStep, table: _Table) -> Iterator[tuple[Key, str]]:
    if not table.held:
        yield (*key, "do"), "nobody has cards yet to decide on; a deal comes before"
    if step.about is not None and step.about not in table.appointed:
        allowed = ", ".join(sorted(table.appointed)) or "none"
        yield (*key, "about"), f"{step.about!r} is no hand that was appointed before; allowed: {allowed}"
    if step.takers == "one" and step.about is None:
        yield (*key, "takers"), "one taker of what? give 'about' too"


def _appoint_faults(procedure: Procedure, key: Key, step: AppointStep) -> Iterator[tuple[Key, str]]:
    hands = [hand.name for hand in procedure.hand]
    if step.to not in hands:
        yield (*key, "to"), f"{step.to!r} is no [[hand]]; allowed: {', '.join(hands) or 'none'}"
    values = next((option.allowed for option in procedure.option if option.name == step.from_), None)
    positions = {"last-unplayed", *(f"seat-{number}" for number in range(1, procedure.seats.most + 1))}
    if values is None or not set(values) <= positions:
        what = f"no option {step.from_!r} that chooses between positions"
        yield (*key, "from"), f"{what}: last-unplayed, seat-1 to seat-{procedure.seats.most}"


def _undealt(key: Key, places: tuple[Recipient, ...], table: _Table) -> Iterator[tuple[Key, str]]:
    for place in places:
        if place not in table.held:
            yield key, f"{place!r} has no cards at this step; allowed: {', '.join(table.held) or 'none'}"


def _burn_faults(key: Key, of: Recipient, positions: tuple[int, ...], table: _Table) -> Iterator[tuple[Key, str]]:
    size = table.held.get(of)
    if size is None:
        yield from _undealt((*key, "of"), (of,), table)
        return
    if of == "seats":
        yield (*key, "of"), "a packet of the house or the community is burned, not a player's"
    if of in table.burned:
        yield (*key, "of"), f"cards of {of!r} were burned by a step before; name all positions in one step"
    table.burned.add(of)
    if max(positions) > size:
        yield (*key, "positions"), f"position {max(positions)} of a packet of {size}; allowed: 1 to {size}"
    if len(set(positions)) != len(positions) or len(positions) >= size:
        yield (*key, "positions"), f"each position once, and fewer than the {size} cards of the packet"
    else:
        table.held[of] = size - len(positions)


def _show_faults(key: Key, of: tuple[Recipient, ...], cards: int | None, table: _Table) -> Iterator[tuple[Key, str]]:
    yield from _undealt((*key, "of"), of, table)
    for place in of:
        held = table.held.get(place, 0)
        open_after = held if cards is None else cards
        if cards is not None and held and not table.shown.get(place, 0) < cards <= held:
            least = table.shown.get(place, 0) + 1
            yield (*key, "cards"), f"{cards} cards of {place!r} lie open; allowed: {least} to {held}"
        table.shown[place] = open_after


# ------------------------------------------------------------------ the deck


def _size_faults(procedure: Procedure, steps: list[AnyStep]) -> Iterator[tuple[Key, str]]:
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
        same = over(1) == over(most) and not any(step.do == "exchange" for step in steps)
        if left < rest.cards or (same and left != rest.cards):
            yield ("remainder", "cards"), f"{most} seats leave {left} cards of {whole}, not {rest.cards}"


def _remainder_faults(procedure: Procedure) -> Iterator[tuple[Key, str]]:
    rest = procedure.remainder
    if rest is None:
        if procedure.device == "packet-shuffler":
            yield ("remainder",), "missing: what is left of the deck is counted after every round"
        return
    names = [step.name for step in procedure.step]
    if rest.after is not None and rest.after not in names:
        yield ("remainder", "after"), f"no step {rest.after!r}; known: {', '.join(names)}"
