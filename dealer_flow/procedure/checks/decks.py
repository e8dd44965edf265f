"""Checks on decks: the device they are dealt from, their care, and the remainder."""

from collections.abc import Iterator
from typing import Final

from dealer_flow.procedure.complaints import Complaint, values_of
from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.steps.burn import BurnStep
from dealer_flow.procedure.steps.burn_card import BurnCardStep
from dealer_flow.procedure.steps.deal import DealStep
from dealer_flow.procedure.tables import Consequence
from protocol.tomlfile import Key

_OF_BURNED: Final = ("nothing", "person", "misdeal", "unreliable")


def deck_faults(procedure: Procedure) -> Iterator[Complaint]:
    """Yield decks that the device cannot deal from, and errors in options of their care."""
    deck = procedure.deck
    if deck.cards > 52 + deck.jokers:
        yield ("deck", "cards"), f"{deck.cards} cards of a deck with {deck.jokers} jokers; at most {52 + deck.jokers}"
    if procedure.device != "card-shoe":
        who = "a packet-shuffler" if procedure.device == "packet-shuffler" else "a dealer's hand"
        if deck.decks > 1:
            yield ("deck", "decks"), f"{who} deals from one deck; several need a card-shoe"
        if deck.fresh != "each-round":
            yield ("deck", "fresh"), f"{who} deals each round from a whole deck: each-round"
    if procedure.shoe is not None and procedure.device != "card-shoe":
        yield ("device",), "a game with a [shoe] table is drawn from a card-shoe"
    rest = procedure.remainder
    if rest is not None and rest.cards is not None and deck.fresh != "each-round":
        yield ("remainder", "cards"), "an exact remainder needs a deck that is fresh each-round"
    for name, age in (("age", procedure.care.age), ("least", procedure.care.least)):
        if age is not None and not all(value.isdecimal() for value in values_of(procedure.option, age.option) or ("",)):
            yield (
                ("care", name, "option"),
                f"no option {age.option!r} that chooses between numbers of rounds, 0 for no limit",
            )
    if procedure.care.alternate is not None and deck.alternating < 2:
        yield ("care", "alternate"), "one deck cannot take turns; needs [deck] alternating = 2"


_SINGLE: Final = ("card-shoe", "hand")
"""Devices that give single cards."""


def _off_deck(procedure: Procedure) -> bool:
    """Return True if cards are burned off the top of the deck that is dealt."""
    burns = (step for step in procedure.step if isinstance(step, BurnCardStep))
    return any(step.from_device or procedure.device == "hand" for step in burns)


def _everybodys(procedure: Procedure, key: Key, row: Consequence, why: str) -> Iterator[Complaint]:
    """Yield consequences that cannot apply because they concern one hand."""
    words = (row.then,) if row.then else values_of(procedure.option, row.option) or ()
    if strange := set(words) - set(_OF_BURNED):
        yield (*key, row.decides), f"{', '.join(sorted(strange))}: {why}; allowed: {', '.join(_OF_BURNED)}"


def unburned_faults(procedure: Procedure) -> Iterator[Complaint]:
    """Yield errors of `care.unburned`: no burn to forget, a consequence for one hand, a choice that does not fold."""
    part = procedure.care.unburned
    if part is None:
        return
    key: Key = ("care", "unburned")
    if procedure.device not in _SINGLE or not _off_deck(procedure):
        yield key, "no burn-card step of a card-shoe or a deck in the hand burns a card"
    yield from _everybodys(procedure, key, part, "it concerns all hands")
    folds = [choice.name for choice in procedure.decision if choice.folds]
    if part.offers is not None and part.offers not in folds:
        yield (*key, "offers"), f"no choice {part.offers!r} that folds; allowed: {', '.join(folds) or 'none'}"


def burned_faults(procedure: Procedure) -> Iterator[Complaint]:
    """Yield errors of `care.burned`: no burn, or a consequence for one hand."""
    burned = procedure.care.burned
    if burned is None:
        return
    key: Key = ("care", "burned")
    if not any(isinstance(step, BurnStep | BurnCardStep) for step in procedure.step):
        yield key, "no step burns a card"
    yield from _everybodys(procedure, key, burned, "a burned card is in no one's hand")
    singly = procedure.device != "packet-shuffler" and any(isinstance(step, BurnCardStep) for step in procedure.step)
    if burned.back_on_top and not singly:
        yield (*key, "back-on-top"), "only for a card-shoe or a dealer's hand with a burn-card step"


def extra_burn_faults(procedure: Procedure) -> Iterator[Complaint]:
    """Yield errors of `care.extra-burn`: cards that come in packets or columns, or a consequence for one hand."""
    row = procedure.care.extra_burn
    if row is None:
        return
    key: Key = ("care", "extra-burn")
    if procedure.device == "packet-shuffler" or not procedure.step:
        yield key, "only of single cards, out of a card-shoe or a dealer's hand, can one too many be burned"
    yield from _everybodys(procedure, key, row, "a burned card is in no one's hand")


def runs_out_faults(procedure: Procedure) -> Iterator[Complaint]:
    """Yield errors of `care.runs-out`: a deck that cannot run out, or an option without burned cards to use."""
    row = procedure.care.runs_out
    if row is None:
        return
    key: Key = ("care", "runs-out")
    if procedure.device not in _SINGLE or not procedure.step or procedure.deck.fresh != "each-round":
        yield key, "only single cards of a deck that is fresh each-round can run out"
    wants = {"scramble", "scramble-or-community"} & {*(values_of(procedure.option, row.option) or ())}
    if wants and not _off_deck(procedure):
        yield (*key, "option"), f"{min(wants)!r} needs burned cards, and no burn-card step of this deck burns any"


def shuffle_faults(procedure: Procedure) -> Iterator[Complaint]:
    """Yield errors of `care.shuffle`: a deck that is fresh each round, or places that get no card of the shoe."""
    row = procedure.care.shuffle
    if row is None:
        return
    key: Key = ("care", "shuffle")
    if procedure.deck.fresh == "each-round":
        yield key, "a deck that is fresh each-round is dealt one round; this needs fresh = until-cut-card"
    steps = (step for step in procedure.step if isinstance(step, DealStep) and step.from_device)
    dealt_to = list(dict.fromkeys(to for step in steps for to in step.to if to != "seats"))
    for name in row.identical:
        if name not in dealt_to:
            yield (
                (*key, "identical"),
                f"no card of the shoe comes to {name!r}; allowed: {', '.join(dealt_to) or 'none'}",
            )


def remainder_faults(procedure: Procedure) -> Iterator[Complaint]:
    """Yield errors of the remainder: missing, or after an unknown step."""
    rest = procedure.remainder
    if rest is None:
        if procedure.device == "packet-shuffler":
            yield ("remainder",), "missing: what is left of the deck is counted after every round"
        return
    names = [step.name for step in procedure.step]
    if rest.after is not None and rest.after not in names:
        yield ("remainder", "after"), f"no step {rest.after!r}; known: {', '.join(names)}"
