"""A procedure as the simulated dealer takes it: the game table of a scenario, and a clean round of it."""

from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Any, Final

from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.step_checks import chosen
from dealer_flow.procedure.steps import AnyStep
from dealer_flow.procedure.tables import Consequence, DecisionPart
from dealwire.rehearsal.catalogue import parse_any
from dealwire.rehearsal.scenario import Scenario
from dealwire.rehearsal.strict import Section
from protocol.errors import LocalError
from rules.game import Bet, game_id_of, load_game

Table = dict[str, Any]
"""A table of a scenario file."""

CENTS: Final = 500
"""What a simulated player bets on a spot."""
FIRST_SEAT: Final = 2
"""Who gets cards first where a number is drawn for it."""
NO_THEN: Final = "person"


class NotDealt(LocalError):
    """The simulated dealer cannot deal this procedure step by step."""

    def __init__(self, procedure: str) -> None:
        super().__init__(
            f"{procedure}: its cards are drawn into columns, not dealt step by step; `dealwire sim --list` names"
            " scenarios that draw it"
        )


def game_table(procedure: Procedure, options: Mapping[str, str] | None = None) -> Table:
    """The `game` table of a scenario: what the dealer does, in the words of `docs/simulator.md`. `options` are readings
    of the procedure by name, the others are at their default."""
    if not procedure.step:
        raise NotDealt(procedure.id)
    chosen_options = {option.name: option.default for option in procedure.option} | dict(options or {})
    places = {"seats": "seats", "dealer": "dealer", "community": "community"}
    places |= {hand.name: hand.place for hand in procedure.hand}
    offered = {step.to for step in procedure.step if step.do == "appoint"}
    steps = [step for step in procedure.step if chosen(step.when, chosen_options) and not _may_be_left(step, offered)]
    names = [step.name for step in steps]
    rest = procedure.remainder
    settled_by = _settled_by(procedure)
    return {
        "name": procedure.id,
        "cards": procedure.deck.cards,
        "jokers": procedure.deck.jokers,
        "decks": procedure.deck.decks,
        "fresh": procedure.deck.fresh == "each-round",
        "rounds": procedure.deck.rounds or 0,
        "most": procedure.seats.most,
        "steps": [_step(step, places, chosen_options) for step in steps],
        "dump_after": rest.after if rest and rest.after in names else "",
        "counted": bool(rest and rest.cards is not None),
        "enters": [bet.name for bet in procedure.bet if bet.enters],
        "progressive": next((bet.name for bet in procedure.bet if bet.progressive), ""),
        "bets": {bet.name: bet.number for bet in procedure.bet},
        "decisions": {choice.name: _choice(choice, procedure, settled_by) for choice in procedure.decision},
        "shown_when_folded": [bet.name for bet in settled_by if bet.kind == "own-hand" and bet.fold == "stands"],
        "wrong": list(_wrong(procedure, places, chosen_options, names)),
    }


def _may_be_left(step: AnyStep, offered: Set[str]) -> bool:
    """Whether play does not wait for the step: nobody shows a hand early, and nobody takes one that is offered."""
    if step.do == "show":
        return step.optional or set(step.of) <= offered
    return step.do == "appoint" or (step.do == "decide" and step.about is not None and step.optional)


def _step(step: AnyStep, places: Mapping[str, str], options: Mapping[str, str]) -> Table:
    table: Table = {"name": step.name, "do": step.do}
    match step.do:
        case "deal":
            to = [places[name] for name in step.to]
            table |= {"to": to, "cards": step.cards, "by": step.by, "seats": step.seats, "first": step.first}
            table |= {"only": step.only or ""}
            table |= {"by_hand": step.origin == "hand", "clockwise": step.count == "clockwise"}
        case "burn":
            top = options[step.top_card]
            table |= {"of": places[step.of], "positions": list(step.positions), "spread": step.spread, "top_card": top}
        case "burn-card":
            table |= {"cards": step.cards, "by_hand": step.origin == "hand", "if_drawn": step.if_drawn}
            table |= {"only": step.only or ""}
        case "decide":
            table |= {"choices": list(step.choices), "only": step.only or ""}
        case "exchange":
            table |= {"to": [places[name] for name in step.to], "most": step.most, "by": step.by, "adds": step.adds}
        case "show":
            table |= {
                "of": [places[name] for name in step.of],
                "cards": step.cards or 0,
                "bottom": step.which == "bottom",
            }
        case "reveal":
            table["order"] = [places[name] for name in step.order]
    return table


def _settled_by(procedure: Procedure) -> tuple[Bet, ...]:
    """The bets as the game settles them; none where no game settles rounds of the procedure."""
    game = game_id_of(procedure.id)
    return load_game(game).spec.bets if game else ()


def _choice(choice: DecisionPart, procedure: Procedure, settled_by: Sequence[Bet]) -> Table:
    table: Table = {"number": choice.number, "folds": choice.folds, "last": choice.last, "draws": choice.draws}
    table["discards"] = choice.discards
    if choice.stakes:
        equals = next((bet.equals for bet in settled_by if bet.name in choice.stakes and bet.equals), None)
        table |= {"bets": list(choice.stakes), "of": next(bet.name for bet in procedure.bet if bet.enters)}
        table |= {"of": equals.bet, "times": equals.times} if equals else {}
    return table | ({"takes_back": choice.takes_back} if choice.takes_back else {})


def _wrong(
    procedure: Procedure, places: Mapping[str, str], options: Mapping[str, str], steps: Sequence[str]
) -> list[Table]:
    rows = [
        {"of": places.get(row.of, row.of), "how": list(row.how), "then": _then(row, options)}
        | ({"at": [name for name in row.at if name in steps]} if row.at else {})
        | {"missing": row.missing or 1}
        for row in procedure.wrong
    ]
    face = procedure.face
    for how, row in (("fouled", procedure.fouled), ("joker", face.joker), ("boxed", face.boxed)):
        if row is not None:
            rows += [{"of": place, "how": [how], "then": _then(row, options)} for place in places.values()]
    return rows


def _then(row: Consequence, options: Mapping[str, str]) -> str:
    return row.then or options[row.option or ""]


def players(procedure: Procedure, seats: Sequence[int], *, progressive: bool = True) -> list[Table]:
    """Players at these seats with a bet on every spot that is bet before the deal."""
    bets = [bet for bet in procedure.bet if bet.placed == "before-deal" and (progressive or not bet.progressive)]
    return [{"seat": number, "wagers": {bet.name: CENTS for bet in bets}} for number in seats]


def round_table(procedure: Procedure, seats: Sequence[int], *, progressive: bool = True) -> Table:
    """One clean round with players at these seats."""
    table: Table = {"players": players(procedure, seats, progressive=progressive)}
    if any(getattr(step, "first", "dealer-left") != "dealer-left" for step in procedure.step):
        table["number"] = min(FIRST_SEAT, procedure.seats.most)
    return table


def scenario_of(
    procedure: Procedure,
    rounds: Sequence[Table],
    *,
    seed: int = 1,
    options: Mapping[str, str] | None = None,
    **more: Any,
) -> Scenario:
    """The scenario of these rounds, as if read from a file."""
    table: Table = {
        "title": procedure.title,
        "seed": seed,
        "device": "shoe" if procedure.device == "card-shoe" else "shuffler",
        "game": game_table(procedure, options),
        "rounds": list(rounds),
        **more,
    }
    path = Path(f"{procedure.id}.toml")
    scenario = parse_any(Section(path.name, "", table), path)
    assert isinstance(scenario, Scenario)
    return scenario
