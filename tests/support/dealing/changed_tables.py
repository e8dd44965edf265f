"""Tables of a file, changed one by one: a step of any kind, a procedure with other rows, and the complaints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain
from typing import Any, Final

from dealer_flow.procedure.bets import BetPart, LimitPart, TotalPart
from dealer_flow.procedure.complaints import Complaint, condition_faults, option_faults
from dealer_flow.procedure.load import load_procedure
from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.steps.assign import AssignStep
from dealer_flow.procedure.steps.base import Step
from dealer_flow.procedure.steps.bet import BetStep
from dealer_flow.procedure.steps.burn import BurnStep
from dealer_flow.procedure.steps.burn_card import BurnCardStep
from dealer_flow.procedure.steps.collect import CollectStep
from dealer_flow.procedure.steps.deal import DealStep
from dealer_flow.procedure.steps.decide import DecideStep
from dealer_flow.procedure.steps.exchange import ExchangeStep
from dealer_flow.procedure.steps.offer_hand import OfferHandStep
from dealer_flow.procedure.steps.reveal import RevealStep
from dealer_flow.procedure.steps.set_hand import SetStep
from dealer_flow.procedure.steps.show import ShowStep
from dealer_flow.procedure.tables import (
    CarePart,
    DecisionPart,
    FacePart,
    FaultPart,
    FouledPart,
    FoulSetPart,
    HandPart,
    MisdealPart,
    OptionPart,
    RemainderPart,
    WrongPart,
)
from dealer_flow.tomlfile import TomlTable
from tests.dealer_flow.test_transcripts import GAMES

KINDS: Final = {
    "assign": AssignStep,
    "bet": BetStep,
    "burn": BurnStep,
    "burn-card": BurnCardStep,
    "collect": CollectStep,
    "deal": DealStep,
    "decide": DecideStep,
    "exchange": ExchangeStep,
    "offer-hand": OfferHandStep,
    "reveal": RevealStep,
    "set": SetStep,
    "show": ShowStep,
}


@cache
def game(name: str) -> Procedure:
    return GAMES.get(name) or load_procedure(name)


def a_step(do: str, **keys: Any) -> Step:
    """Return a step of this kind; keys as in a file, with `_` for their `-`."""
    named = {name.replace("_", "-").rstrip("-"): value for name, value in keys.items()}
    return KINDS[do].model_validate({"name": "one", "do": do, "clause": "S"} | named)


ROWS: Final[dict[str, type[TomlTable]]] = {
    "bet": BetPart,
    "decision": DecisionPart,
    "fault": FaultPart,
    "hand": HandPart,
    "option": OptionPart,
    "total": TotalPart,
    "wrong": WrongPart,
}
TABLES: Final[dict[str, type[TomlTable]]] = {
    "care": CarePart,
    "face": FacePart,
    "fouled": FouledPart,
    "foul_set": FoulSetPart,
    "limit": LimitPart,
    "misdeal": MisdealPart,
    "remainder": RemainderPart,
}
STANDS: Final = {"then": "person", "clause": "S"}
DECK: Final = {"deck": {"then": "defective-deck", "clause": "S"}}
FACE: Final = {"duplicate": STANDS, "foreign": STANDS}


def kebab(value: Any) -> Any:
    """Return the value with its keys spelled as in a file."""
    if isinstance(value, dict):
        return {name.replace("_", "-").rstrip("-"): kebab(each) for name, each in value.items()}
    return tuple(map(kebab, value)) if isinstance(value, list | tuple) else value


def file(at: str = "shows", **tables: Any) -> Procedure:
    """Return the small game with these tables instead of its own, a clause in each row; `more_bet`: rows in addition to
    its own."""
    changed: dict[str, Any] = {}
    for name, value in tables.items():
        kind = name.removeprefix("more_")
        own = getattr(game(at), kind)
        if kind in ROWS:
            clause = {} if kind == "option" else {"clause": "S"}
            rows = tuple(ROWS[kind].model_validate(clause | kebab(row)) for row in value)
            changed[kind] = (*own, *rows) if kind != name else rows
        elif kind in TABLES and value is not None:
            changed[kind] = TABLES[kind].model_validate(kebab(value))
        elif kind in ("deck", "seats"):
            changed[kind] = own.model_copy(update=value)
        else:
            changed[kind] = value
    return game(at).model_copy(update=changed)


def complaints_of(faults: Callable[[Procedure], Iterator[Complaint]], of: Procedure) -> list[tuple[str, str]]:
    """Return each complaint with its key as a dotted path."""
    return [(".".join(map(str, key)), why) for key, why in faults(of)]


def a_bet(number: int, name: str, placed: str = "before-deal", **keys: Any) -> dict[str, Any]:
    return {"number": number, "name": name, "placed": placed} | keys


def an_option(name: str, *allowed: str) -> dict[str, Any]:
    return {"name": name, "default": allowed[0], "allowed": allowed, "reason": "S"}


ANTE: Final = a_bet(1, "ante", enters=True)
"""A bet that enters a seat."""
EVERY: Final = "ante, side, raise, fee, progressive"
"""The bets of the small games."""


def options_of(procedure: Procedure) -> Iterator[Complaint]:
    """Yield the errors in the conditions and options of a procedure's tables."""
    yield from condition_faults(procedure, procedure.option)
    yield from option_faults(procedure, procedure.option)


def and_options(faults: Callable[[Procedure], Iterator[Complaint]]) -> Callable[[Procedure], Iterator[Complaint]]:
    """Return a check that includes the errors in options."""
    return lambda procedure: chain(faults(procedure), options_of(procedure))
