"""Check of a game against its procedures: it finds at load time what would otherwise fail at the first END GAME."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, Literal, NamedTuple

from dealer_flow.procedure.load import ProcedureError, fault_of, known_procedures, load_procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.schema import Procedure
from protocol.tomlfile import Key, TomlFileError
from rules.game.load import Game
from rules.game.schema import GameSpec
from rules.game.source import procedure_source as source_of
from rules.hands.hand_spec import DISCARDS, OWN, Cards, HandSpec
from rules.kinds.to_pot import ToPotBet

_NOTHING: Final[Mapping[str, str]] = {}
_NO_FILES: Final[Mapping[str, str | Path]] = {}


class PairFault(NamedTuple):
    """A mismatch: a key of one of the two files, and the allowed values."""

    of: Literal["game", "procedure"]
    key: Key
    why: str


def differences(spec: GameSpec, plan: Plan) -> Iterator[PairFault]:
    """Yield every mismatch between a game and a procedure under its options."""
    allowed = {option.name: option.allowed for option in plan.procedure.option}
    for name, ours in spec.options.items():
        for number, value in enumerate(ours):
            if value not in allowed.get(name, ()):
                why = f"procedure {plan.procedure.id} has no option {name} {value!r}; allowed: "
                yield PairFault("game", ("options", name, number), why + ", ".join(allowed.get(name, allowed)))
    yield from _bets(spec, plan.procedure)
    if spec.race is None:
        yield from _hands(spec, plan)
    else:
        yield from _race(spec, plan)


def pair_faults(game: Game, source: str | Path, options: Mapping[str, str] = _NOTHING) -> Iterator[TomlFileError]:
    """Yield every mismatch between a game and a procedure, given by id or file, each as an error at its line."""
    for of, key, why in differences(game.spec, Plan(load_procedure(source, game.edition), options)):
        yield game.fault(key, why) if of == "game" else fault_of(source, key, why)


def game_faults(game: Game, files: Mapping[str, str | Path] = _NO_FILES) -> Iterator[TomlFileError]:
    """Yield the mismatches with every procedure that the game names, and each procedure that does not exist.

    A procedure is looked up by its id in `files`, then among those of the package, then as `ID.toml` next to the game's
    file.
    """
    for number, name in enumerate(game.spec.procedures):
        source = files.get(name) or procedure_source(game, name)
        if source is None:
            allowed = f"{', '.join(known_procedures())}, or one in {name}.toml beside this file"
            yield game.fault(("procedures", number), f"no procedure {name!r}; allowed: {allowed}")
            continue
        try:
            yield from pair_faults(game, source, {name: allowed[0] for name, allowed in game.spec.options.items()})
        except ProcedureError as fault:
            yield fault


def check_fit(game: Game, source: str | Path | None = None, options: Mapping[str, str] = _NOTHING) -> None:
    """Raise the first TomlFileError if the game does not fit this procedure, or any that it names."""
    for fault in game_faults(game) if source is None else pair_faults(game, source, options):
        raise fault


def procedure_source(game: Game, name: str) -> str | Path | None:
    """Return the procedure with this id, as the game finds it."""
    return source_of(name, game.source.whole)


# ------------------------------------------------------------------ comparisons


def _bets(spec: GameSpec, procedure: Procedure) -> Iterator[PairFault]:
    """Check that both have the same bets, and that a bet is played for the progressive in both or in neither."""
    spots, bets = [bet.name for bet in procedure.bet], {bet.name: bet for bet in spec.bets}
    given_up = {choice.gives_up.as_ for choice in procedure.decision if choice.gives_up}
    for number, bet in enumerate(spec.bets):
        if not bet.on and bet.name not in {*spots, *given_up}:  # a bet paid on another's stake has no spot
            why = f"procedure {procedure.id} has no bet {bet.name!r}; allowed: {', '.join(spots)}"
            yield PairFault("game", ("bets", number, "name"), why)
    for number, spot in enumerate(procedure.bet):
        if spot.tip_for is not None:
            continue  # a tip is settled as the bet it is for
        if spot.name not in bets:
            why = f"game {spec.id} has no bet {spot.name!r}; allowed: {', '.join(bets)}"
            yield PairFault("procedure", ("bet", number, "name"), why)
        elif spot.progressive != bets[spot.name].meter_effects:  # another procedure of the game may say otherwise
            allowed = "false" if spot.progressive else "true"
            why = f"game {spec.id} settles {spot.name!r} as {bets[spot.name].kind}; allowed: {allowed}"
            yield PairFault("procedure", ("bet", number, "progressive"), why)
    dead = procedure.betting.dead if procedure.betting is not None else ()
    for number, bet in enumerate(spec.bets):
        if isinstance(bet, ToPotBet) and bet.dead != (bet.name in dead):
            why = f"procedure {procedure.id} has {', '.join(dead) or 'nothing'} as dead in [betting]; allowed: "
            yield PairFault("game", ("bets", number, "dead"), why + ("false" if bet.dead else "true"))


def _hands(spec: GameSpec, plan: Plan) -> Iterator[PairFault]:
    """Check that a hand has as many cards of a place as are dealt there and not burned, and names steps that exist."""
    name = plan.procedure.id
    if plan.shoe is not None:
        yield PairFault("game", ("hands",), f"procedure {name} deals columns, not hands; allowed: [race]")
        return
    steps = [step.name for step in plan.procedure.step]
    for hand, made in spec.hands.items():
        for place, after in made.at.items():
            if not set(after) & set(steps):
                why = f"procedure {name} has no step {' or '.join(map(repr, after))}; allowed: {', '.join(steps)}"
                yield PairFault("game", ("hands", hand, "at", place), why)
        for place, cards in made.of.items():
            yield from _check_place_count(hand, made, place, cards, plan)


def _check_place_count(hand: str, made: HandSpec, place: str, cards: Cards, plan: Plan) -> Iterator[PairFault]:
    """Check the number of cards that a hand has of a place whose final cards it uses."""
    name, key = plan.procedure.id, ("hands", hand, "of", place)
    named = {each.name: each.place for each in plan.procedure.hand}
    if place == DISCARDS or any(step.do == "offer-hand" and step.to == place for step in plan.procedure.step):
        return  # discards, or a hand that is dealt to no seat and offered by some houses
    to = {OWN: "seats", **named}.get(place, place)
    dealt = plan.played.get(place, plan.played.get(to, 0))
    if not dealt and isinstance(cards, tuple) and not cards[0]:
        return  # optional cards
    if not dealt:
        allowed = ", ".join((OWN, *(each for each in plan.played if each != "seats")))
        yield PairFault("game", key, f"procedure {name} deals nothing to {place}; allowed: {allowed}")
    elif place not in made.at and not made.part and made.fill is None and not _changes_place(plan, place):
        least, most = (cards, cards) if isinstance(cards, int) else cards
        if not least <= dealt <= most:
            needed = f"{least} card{'' if least == 1 else 's'} of {to}"
            why = f"{needed}, and procedure {name} leaves {dealt} there"
            yield PairFault("game", key, f"{why}; allowed: {dealt}")


def _changes_place(plan: Plan, place: str) -> bool:
    """Return True if a choice adds cards to a place or removes them."""
    chosen = any(choice.discards or choice.lays_aside or choice.draws for choice in plan.procedure.decision)
    return (place == OWN and chosen) or any(step.do == "exchange" for step in plan.procedure.step)


def _race(spec: GameSpec, plan: Plan) -> Iterator[PairFault]:
    """Check that a race ends at the same cards as in the procedure."""
    shoe, race = plan.shoe, spec.race
    assert race is not None, "a race is compared"
    if shoe is None:
        why = f"procedure {plan.procedure.id} deals hands, not columns; allowed: [hands.NAME]"
        yield PairFault("game", ("race",), why)
        return
    if not shoe.by_suit:
        why = f"game {spec.id} races suits; allowed: suit"
        yield PairFault("procedure", ("shoe", "columns", "by"), why)
    if not (shoe.column_end and shoe.all_end) or (shoe.column_end, shoe.all_end) != (race.column, race.most):
        allowed = f"by column {race.column or 'some'}, by all {race.most or 'some'}"
        why = f"game {spec.id} is decided by a column, or by a number of cards of all columns; allowed: {allowed}"
        yield PairFault("procedure", ("shoe", "end"), why)
