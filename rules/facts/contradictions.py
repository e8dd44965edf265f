"""Contradictions in a round's record of its deal. Such a round is held whole, because it is not known which fact is
wrong.

`DealerFlow` never produces such a round; another program may.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from dealer_flow.procedure.law import Law
from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.schema import Procedure
from dealer_flow.record.result import Drawn, ProcedureRef, RoundResult
from protocol.cards import DECK, parse_card
from rules.bets.hold import Hold
from rules.game.load import Game

_FOLDS: Final = frozenset({"fold"})
"""Choices that fold in an unknown procedure."""
_OPTIONS_KEPT: Final = 64
"""Maximum number of cached plans: a file of rounds uses few sets of options."""


def contradiction(result: RoundResult, game: Game, plan: Plan | None) -> Hold | None:
    """Return the first contradiction in a round that was played out, by the procedure that dealt it."""
    if result.outcome not in ("complete", "progressive-only"):
        return None
    cards = _card_contradiction(result, plan) if result.draw is None else _overdrawn_card(result, result.draw, plan)
    if cards:
        return Hold(f"the deck contradicts the round: {cards}", game.spec.returns.defective_deck)
    return _table_contradiction(result, plan) if plan is not None else None


def folds_in(plan: Plan | None) -> frozenset[str]:
    """Return the choices by which a seat gives up its hand."""
    return plan.folds if plan is not None else _FOLDS


def known_of(result: RoundResult, game: Game) -> tuple[Plan | None, Law | None]:
    """Return the procedure that dealt the round, under its options, and the rules for its wagers.

    The plan is None if the hash of the procedure is unknown: another version may use other cards. The law is that of
    this program's procedure with the same id, regardless of the program and version that dealt the round, because the
    section of the regulation is the same. It is None if there is no procedure with that id.
    """
    key = result.procedure, tuple(result.options.items())
    found = game.known_rounds.get(key)
    if found is None:
        # Rounds from elsewhere may have any options; do not grow without limit.
        if len(game.known_rounds) == _OPTIONS_KEPT:
            game.known_rounds.clear()
        found = game.known_rounds[key] = _known(game.procedures.get(result.procedure.id), *key)
    return found


def _known(
    procedure: Procedure | None, ref: ProcedureRef, options: tuple[tuple[str, str], ...]
) -> tuple[Plan | None, Law | None]:
    if procedure is None:
        return None, None
    allowed = {each.name: each.allowed for each in procedure.option}
    recorded = {option: value for option, value in options if value in allowed.get(option, ())}
    plan = Plan(procedure, recorded)
    law = Law(procedure, plan.options, allowed.keys() - recorded.keys())
    return (plan if plan.ref == ref and len(recorded) == len(options) else None), law


def _card_contradiction(result: RoundResult, plan: Plan | None) -> str:
    """Return the contradiction between the deck and the cards dealt and left; empty if there is none."""
    loaded, rest = result.deck.loaded, result.remainder
    whole = plan.loaded if plan is not None and not plan.from_shoe and not plan.from_hand else None
    if loaded is not None and whole is not None and loaded != whole:
        return f"{loaded} cards were loaded, and the deck has {whole}"
    most, dealt = whole or loaded, sum([packet.counted or 0 for packet in result.packets])
    if most is not None and dealt > most:
        return f"{dealt} cards were dealt from a deck of {most}"
    if rest is not None and rest.counted is not None and rest.counted != rest.expected:
        return f"{rest.counted} cards were left instead of {rest.expected}"
    return ""


def _overdrawn_card(result: RoundResult, draw: Drawn, plan: Plan | None) -> str:
    """Return the card that was drawn more often than the shoe has decks; empty if there is none."""
    decks = plan.decks if plan is not None else max(1, result.shoe.loaded // len(DECK)) if result.shoe else None
    drawn = Counter(text for text in (*draw.cards, *draw.overdrawn) if parse_card(text).is_face)
    if decks is not None:
        for text, times in drawn.items():
            if times > decks:
                return f"{text} was drawn {times} times from {decks} deck{'s' * (decks > 1)}"
    return ""


def _table_contradiction(result: RoundResult, plan: Plan) -> Hold | None:
    """Return the contradiction between the seats or burns and the procedure; None if there is none."""
    most = plan.most_seats
    for seat in result.seats:
        if seat.seat > most:
            return Hold(f"there is no seat {seat.seat} at a table of {most}", plan.procedure.seats.clause)
    for burn in result.burns or ((result.burn,) if result.burn is not None else ()):
        for place, planned in plan.burns.items():
            if place.text == burn.of and planned.from_left(burn.positions, burn.spread) != planned.positions:
                done = f"{_numbers(burn.positions)} ({burn.spread})"
                why = f"positions {done} of {burn.of} were burned instead of {_numbers(planned.positions)}"
                return Hold(why, planned.clause)
    return None


def _numbers(positions: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(positions)))
