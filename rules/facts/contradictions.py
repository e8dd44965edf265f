"""What a round says of its deal that cannot have been: held whole, since nobody knows which of the two is wrong.

A round of `DealerFlow` is never of these; one that another program wrote may be.
"""

from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from dealer_flow.procedure.load import ProcedureError, known_procedures, load_procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.schema import Procedure
from dealer_flow.record.result import Drawn, RoundResult
from protocol.cards import DECK, parse_card
from rules.bets.hold import Hold
from rules.game.load import Game

_FOLDS: Final = frozenset({"fold"})
"""In a procedure that nothing is known of."""
_OPTIONS_KEPT: Final = 64
"""Plans that are remembered: a file of rounds has few sets of options."""


def contradiction(result: RoundResult, game: Game, plan: Plan | None) -> Hold | None:
    """The first thing that does not fit together in a round that was played on, by the procedure that dealt it."""
    if result.outcome not in ("complete", "progressive-only"):
        return None
    cards = _of_the_cards(result, plan) if result.draw is None else _of_the_draw(result, result.draw, plan)
    if cards:
        return Hold(f"the deck is not what the round says: {cards}", game.spec.returns.defective_deck)
    return _of_the_table(result, plan) if plan is not None else None


def folds_in(plan: Plan | None) -> frozenset[str]:
    """The choices by which a seat gives up its hand."""
    return plan.folds if plan is not None else _FOLDS


def plan_of(result: RoundResult, game: Game) -> Plan | None:
    """The procedure that dealt the round, under its options; None when it is not one that this program knows, by its
    hash: another version of it may have other cards."""
    ref = result.procedure
    return _plan(ref.id, ref.sha256, game.folder, tuple(result.options.items()))


@lru_cache(maxsize=_OPTIONS_KEPT)
def _plan(name: str, sha256: str, beside: str, options: tuple[tuple[str, str], ...]) -> Plan | None:
    procedure = _procedure(name, beside)
    if procedure is None or procedure.ref().sha256 != sha256:
        return None
    try:
        return Plan(procedure, dict(options))
    except ProcedureError:
        return None


@cache
def _procedure(name: str, beside: str) -> Procedure | None:
    source = name if name in known_procedures() else Path(beside) / f"{name}.toml"
    try:
        return load_procedure(source)
    except ProcedureError:
        return None


def _of_the_cards(result: RoundResult, plan: Plan | None) -> str:
    """How the deck is not what was dealt from it and what is left; empty where it is."""
    loaded, rest = result.deck.loaded, result.remainder
    whole = plan.loaded if plan is not None and not plan.from_shoe and not plan.from_hand else None
    if loaded is not None and whole is not None and loaded != whole:
        return f"the deck had {loaded} cards and has {whole}"
    most, dealt = whole or loaded, sum([packet.counted or 0 for packet in result.packets])
    if most is not None and dealt > most:
        return f"{dealt} cards were dealt from a deck of {most}"
    if rest is not None and rest.counted is not None and rest.counted != rest.expected:
        return f"{rest.counted} cards were left and {rest.expected} were to be"
    return ""


def _of_the_draw(result: RoundResult, draw: Drawn, plan: Plan | None) -> str:
    """Which card was drawn more often than the shoe has decks; empty where none was."""
    decks = plan.decks if plan is not None else max(1, result.shoe.loaded // len(DECK)) if result.shoe else None
    drawn = Counter(text for text in (*draw.cards, *draw.overdrawn) if parse_card(text).is_face)
    if decks is not None:
        for text, times in drawn.items():
            if times > decks:
                return f"{text} was drawn {times} times from {decks} deck{'s' * (decks > 1)}"
    return ""


def _of_the_table(result: RoundResult, plan: Plan) -> Hold | None:
    """How the seats and the burn are not those of the procedure; None where they are."""
    most = plan.most_seats
    for seat in result.seats:
        if seat.seat > most:
            return Hold(f"there is no seat {seat.seat} at a table of {most}", plan.procedure.seats.clause)
    for burn in result.burns or ((result.burn,) if result.burn is not None else ()):
        for place, planned in plan.burns.items():
            if place.text == burn.of and planned.from_left(burn.positions, burn.spread) != planned.positions:
                done = f"{_numbers(burn.positions)} ({burn.spread})"
                why = f"positions {done} of {burn.of} were burned, and {_numbers(planned.positions)} are to be"
                return Hold(why, planned.clause)
    return None


def _numbers(positions: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(positions)))
