"""What a procedure file may say of burned cards and of a deck that runs out: a part of `contradictions`."""

from collections.abc import Iterator
from typing import Final

from dealer_flow.procedure.care_schema import RUNS_OUT
from dealer_flow.procedure.schema import Procedure
from protocol.tomlfile import Key

_OF_BURNED: Final = ("nothing", "person", "misdeal", "unreliable")


def care_faults(procedure: Procedure) -> Iterator[tuple[Key, str]]:
    """Key and complaint, for everything that does not fit."""
    yield from _burned_faults(procedure)
    yield from _runs_out_faults(procedure)


def _off_deck(procedure: Procedure) -> bool:
    """Whether cards are burned off the top of the device's deck."""
    return any(step.do == "burn-card" and step.origin == "device" for step in procedure.step)


def _burned_faults(procedure: Procedure) -> Iterator[tuple[Key, str]]:
    burned = procedure.care.burned
    if burned is None:
        return
    key: Key = ("care", "burned")
    if not any(step.do in ("burn", "burn-card") for step in procedure.step):
        yield key, "no step burns a card"
    words = {value for option in procedure.option if option.name == burned.option for value in option.allowed}
    if strange := (words | ({burned.then} if burned.then else set())) - set(_OF_BURNED):
        decides = "then" if burned.then else "option"
        yield (*key, decides), f"{', '.join(sorted(strange))}: a burned card is in nobody's hand; allowed: {_listed()}"
    if burned.back_on_top and not (procedure.device == "card-shoe" and _off_deck(procedure)):
        yield (
            (*key, "back-on-top"),
            "only a card-shoe whose cards a burn-card step burns takes one back",
        )


def _listed() -> str:
    return ", ".join(_OF_BURNED)


def _runs_out_faults(procedure: Procedure) -> Iterator[tuple[Key, str]]:
    row = procedure.care.runs_out
    if row is None:
        return
    key: Key = ("care", "runs-out")
    if procedure.device != "card-shoe" or not procedure.step or procedure.deck.fresh != "each-round":
        yield key, "single cards out of a card-shoe that is fresh each-round can run out, no other deck"
    option = next((option for option in procedure.option if option.name == row.option), None)
    if option is None:
        known = ", ".join(option.name for option in procedure.option) or "none"
        yield (*key, "option"), f"no option {row.option!r}; known: {known}"
    elif not set(option.allowed) <= set(RUNS_OUT):
        yield (*key, "option"), f"option {row.option!r} must choose between {', '.join(RUNS_OUT)}"
    elif "scramble" in option.allowed and not _off_deck(procedure):
        yield (*key, "option"), "'scramble' needs burned cards, and no burn-card step of the device burns any"
