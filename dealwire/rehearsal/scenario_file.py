"""Scenario files: strict TOML; see `docs/simulator.md`. An error is one line with its place."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import Field

from dealer_flow.procedure.load import Procedure, ProcedureError, load_procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.tomlfile import load, read, validated
from dealwire.rehearsal.bettors import IN_TURN
from dealwire.rehearsal.parts import FileKey, OpenPart
from dealwire.rehearsal.rehearsed import RehearsedProcedure
from dealwire.rehearsal.scenario import (
    AnyScenario,
    Award,
    BasicPlay,
    Bets,
    HousePart,
    RaceGame,
    RaceScenario,
    RoundPlan,
    Scenario,
    SimulatedPlayer,
    packets,
)
from dealwire.rehearsal.stakes import stakes_of
from dealwire.rehearsal.trouble import RACE, TroublePart, planned, planned_at_card
from protocol.cards import DECK, parse_cards
from protocol.nearest import instead
from protocol.tomlfile import TomlFileError
from rules.errors import SettlementRefused
from rules.facts.terms import Terms, agree
from rules.game.load import game_id_of, load_game

HERE: Final = Path(__file__).parent / "scenarios"
_OF_STEPS: Final = ("options", "recognition", "packet_stays", "whole_deck", "basic", "posts", "house")
"""Keys of games that are dealt step by step."""
FIRST_SEAT: Final = 2
"""Seat that gets cards first, in games that draw a number for it."""


def scenario_ids() -> list[str]:
    """Return the ids of the included scenarios."""
    return sorted(path.stem for path in HERE.glob("*.toml"))


def shoe_scenario_ids() -> list[str]:
    """Return the ids of the included scenarios at a card shoe."""
    return sorted(path.stem for path in (HERE / "shoe").glob("*.toml"))


class RoundPart(OpenPart):
    """Entry of `rounds`."""

    players: tuple[SimulatedPlayer, ...]
    troubles: tuple[TroublePart, ...] = ()
    awards: tuple[Award, ...] = ()
    number: Annotated[int, Field(ge=0)] | None = None
    house_draws: Annotated[int, Field(ge=0, le=7)] = 0
    ends: int | None = None


class ScenarioFile(OpenPart):
    """Scenario file, of a game dealt step by step or of races."""

    procedure: str
    title: str
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)]
    options: dict[str, str] = Field(default_factory=dict)
    recognition: bool = False
    packet_stays: bool = False
    whole_deck: bool = False
    basic: BasicPlay | None = None
    posts: Bets = Field(default_factory=dict)
    house: HousePart = Field(default_factory=HousePart)
    decks: Annotated[int, Field(ge=1, le=8)] = 1
    cards: str = ""
    burn: Annotated[int, Field(ge=0, le=16)] = 0
    cut_after: Annotated[int, Field(ge=1)] | None = None
    round_limit: Annotated[int, Field(ge=1, le=255)] | None = None
    rounds: Annotated[tuple[RoundPart, ...], Field(min_length=1)]


def find_scenario(source: str | Path) -> AnyScenario:
    """Load a scenario by id or from a file (a Path, or a text that ends with .toml). Its procedure decides which device
    deals.

    Raise TomlFileError with the file, the key and what is allowed.
    """
    if isinstance(source, Path) or source.endswith(".toml"):
        path = Path(source)
    else:
        folders = {**dict.fromkeys(scenario_ids(), ""), **dict.fromkeys(shoe_scenario_ids(), "shoe")}
        if source not in folders:
            raise _unknown(source, folders)
        path = HERE / folders[source] / f"{source}.toml"
    file = load(path, ScenarioFile)
    top = FileKey(str(path), read(path))
    try:
        procedure = load_procedure(file.procedure)
    except ProcedureError as error:
        raise top.at("procedure").error(str(error)) from error
    return (_race_scenario if procedure.shoe else _scenario)(file, top, procedure, path.stem)


def load_scenario(source: str | Path) -> Scenario:
    """Load a scenario for a packet shuffler. Raise TomlFileError also if it is dealt from a card shoe or by hand."""
    known = [*scenario_ids(), *shoe_scenario_ids()]
    if isinstance(source, str) and not source.endswith(".toml") and source not in known:
        raise _unknown(source, scenario_ids())
    found = find_scenario(source)
    if not isinstance(found, Scenario) or found.device != "shuffler":
        dealt = "by hand" if found.device == "hand" else "from a card shoe"
        why = f"it is dealt {dealt}; here a packet shuffler is needed"
        raise TomlFileError(str(source), None, "procedure", why)
    return found


def _unknown(source: str, known: Iterable[str]) -> TomlFileError:
    return TomlFileError(source, None, "", f"no such scenario{instead(source, known, 'there are ')}")


def clean_round(procedure: Procedure, seats: Sequence[int], *, progressive: bool = True) -> dict[str, Any]:
    """Return a round as in a scenario file: players at these seats with a bet on every early spot, as far as the rules
    of the bets allow; in games between players all of them check or call."""
    plan = Plan(procedure, {})
    players = [{"seat": number, "wagers": stakes_of(plan, number, progressive=progressive)} for number in seats]
    if plan.betting is not None:
        players = [{"seat": number} for number in seats]
    table: dict[str, Any] = {"players": players}
    if any(step.selects_first for step in procedure.step):
        table["number"] = min(FIRST_SEAT, procedure.seats.most)
    return table


def scenario_of(
    procedure: Procedure,
    rounds: Sequence[Mapping[str, Any]],
    *,
    seed: int = 1,
    options: Mapping[str, str] | None = None,
    **more: Any,
) -> Scenario:
    """Return the scenario of these rounds, as if read from a file. Raise TomlFileError with the key and what is
    allowed, NotDealt for a procedure of races."""
    file, top = _as_file(procedure, rounds, seed=seed, options=dict(options or {}), **more)
    return _scenario(file, top, procedure, procedure.id)


def clean_scenario(procedure: Procedure, seats: Sequence[int], *, source: str = "", **more: Any) -> AnyScenario:
    """Return one clean round of any procedure, or one clean race. `source` is its file, if any, and `more` the top keys
    of the scenario. In games between players the styles differ."""
    named = {"procedure": source or procedure.id, **more}
    rounds = [clean_round(procedure, seats)]
    if procedure.betting is not None:
        for player, style in zip(rounds[0]["players"], cycle(IN_TURN), strict=False):
            player["style"] = style
    if procedure.shoe is None:
        file, top = _as_file(procedure, rounds, **named)
        return _scenario(file, top, procedure, procedure.id)
    file, top = _as_file(procedure, rounds, decks=Plan(procedure, {}).decks, **named)
    return _race_scenario(file, top, procedure, procedure.id)


def _as_file(dealt: Procedure, rounds: Sequence[Mapping[str, Any]], **more: Any) -> tuple[ScenarioFile, FileKey]:
    head = {"procedure": dealt.id, "title": dealt.title, "seed": 1}
    top = FileKey(f"{dealt.id}.toml", "")
    file, wrong = validated({**head, "rounds": list(rounds), **more}, ScenarioFile, lambda _: ())
    for key, why in wrong:
        raise top.at(*key).error(why)
    assert file is not None
    return file, top


def _scenario(file: ScenarioFile, top: FileKey, procedure: Procedure, id_: str) -> Scenario:
    """Return the scenario of a game that is dealt step by step."""
    top.only(
        file,
        *("procedure", "title", "options", "seed", "recognition", "packet_stays", "basic", "cut_after", "posts"),
        *("whole_deck", "house", "rounds"),
    )
    try:
        rehearsed = RehearsedProcedure(procedure, file.options)
    except ProcedureError as error:
        raise top.at("options").error(error.why) from error
    plan = rehearsed.plan
    if plan.procedure.device == "packet-shuffler" and any(step.deals and not step.from_device for step in plan.steps):
        raise top.at("procedure").error("a game whose cards are partly dealt by hand is dealt from a shoe")
    if file.whole_deck and not plan.from_hand:
        raise top.at("whole_deck").error("only for a game that is dealt by hand")
    top.at("cut_after").number(file.cut_after or 1, 1, plan.decks * plan.cards)
    early = [bet.name for bet in plan.bets.values() if bet.placed == "before-deal" and plan.betting is not None]
    top.at("posts").among(file.posts, early)
    rounds = tuple(_round(part, top.at("rounds", at), rehearsed) for at, part in enumerate(file.rounds))
    return Scenario(
        id_,
        file.seed,
        file.recognition,
        rehearsed,
        rounds,
        file.basic,
        file.cut_after,
        file.procedure,
        packet_stays=file.packet_stays,
        whole_deck=file.whole_deck,
        posts=file.posts,
        house=file.house,
        terms=_terms(file.house, top.at("house"), rehearsed),
    )


def _terms(house: HousePart, here: FileKey, procedure: RehearsedProcedure) -> Terms | None:
    """Return the terms of a pot between players. Raise TomlFileError for what the game does not allow."""
    game = game_id_of(procedure.id, procedure.plan.options)
    if game is None or not procedure.shares_pot:
        if house.model_fields_set:
            raise here.error("only where players win a pot from each other")
        return None
    try:
        return agree(load_game(game), readings=house.readings, token_cents=house.token, rake=house.figure())
    except SettlementRefused as refused:
        key = "readings" if "reading" in refused.what else "jackpot_rake" if "jackpot" in refused.what else "rake"
        raise here.at(key).error(str(refused).removeprefix("not settled: ")) from refused


def _round(part: RoundPart, here: FileKey, procedure: RehearsedProcedure) -> RoundPlan:
    here.only(part, "players", "number", "house_draws", "troubles", "awards")
    choices = procedure.plan.choices
    for at, player in enumerate(part.players):
        own = here.at("players", at)
        if procedure.plan.betting is None:
            own.only(player, "seat", "wagers", "decision", "choices", "declares", "style")
            own.needs(player, "wagers")
        else:
            own.only(player, "seat", "stake", "style", "decision", "choices")
        own.at("seat").number(player.seat, 1, procedure.plan.most_seats)
        own.at("wagers").among(player.wagers, procedure.bets)
        own.at("decision").among([player.decision], ["basic", *choices])
        own.at("choices").among(player.choices, ["", *choices])
        by_bet = procedure.enters if procedure.plan.betting is None else ()  # else a seat plays by its stake
        if by_bet and not any(bet in player.wagers for bet in by_bet):
            raise own.at("wagers").error(f"a player needs the bet {' or '.join(map(repr, by_bet))}")
    here.at("number").number(part.number or 0, 0, procedure.plan.most_seats)
    plan = RoundPlan(_seated(part, here), (), part.awards, number=part.number, house_draws=part.house_draws)
    dealt = packets(procedure, plan)
    last = dealt[-1].step if dealt and procedure.plan.runs_out is not None and procedure.plan.betting else ""
    cards, deck = sum(packet.cards for packet in dealt if packet.step != last), procedure.plan.loaded
    if cards > deck:
        raise here.at("players").error(f"{len(dealt)} packets with {cards} cards are more than {deck} cards")
    for at, award in enumerate(part.awards):
        here.at("awards", at, "seat").number(award.seat, plan.players[0].seat, plan.players[-1].seat)
    troubles = (planned(each, here.at("troubles", at), dealt, procedure.plan) for at, each in enumerate(part.troubles))
    return replace(plan, troubles=tuple(troubles))


def _seated(part: RoundPart, here: FileKey) -> tuple[SimulatedPlayer, ...]:
    """Return the players of a round in rising order of seats."""
    players = tuple(sorted(part.players, key=lambda player: player.seat))
    if not players or len({player.seat for player in players}) != len(players):
        raise here.at("players").error("a round needs at least one player and one player a seat")
    return players


def _race_scenario(file: ScenarioFile, top: FileKey, procedure: Procedure, id_: str) -> RaceScenario:
    """Return the scenario of races."""
    top.only(
        file,
        *(key for key in ScenarioFile.model_fields if key not in _OF_STEPS),
    )
    game = RaceGame(procedure)
    try:
        cards = parse_cards(file.cards)
    except ValueError as error:
        raise top.at("cards").error(str(error)) from error
    for card, count in Counter(cards).items():
        if card not in DECK or count > file.decks:
            raise top.at("cards").error(f"{card} {count} times; the shoe holds {file.decks if card in DECK else 0}")
    top.at("cut_after").number(file.cut_after or 1, 1, file.decks * len(DECK))
    rounds = tuple(_race_round(part, top.at("rounds", at), game, bool(cards)) for at, part in enumerate(file.rounds))
    return RaceScenario(
        id_,
        file.seed,
        game,
        file.decks,
        cards,
        file.burn,
        file.cut_after,
        file.round_limit,
        rounds,
        dealt_by=file.procedure,
    )


def _race_round(part: RoundPart, here: FileKey, game: RaceGame, stacked: bool) -> RoundPlan:
    here.only(part, "players", "troubles", "ends")
    shoe = game.shoe
    for at, player in enumerate(part.players):
        own = here.at("players", at)
        own.only(player, "seat", "wagers", "switch")
        own.needs(player, "wagers")
        own.at("wagers").among(player.wagers, [bet for bet in game.bets if bet not in shoe.moved])
        own.at("switch").among(player.switch, [bet for bet in game.bets if bet in shoe.moved])
        if not player.wagers:
            raise own.at("wagers").error("a player needs at least one bet")
        most = player.wagers.get(shoe.moves_from or "", 0)
        if len(player.switch) > 1 or sum(player.switch.values()) > most:
            raise own.at("switch").error(f"at most {most} cents, the bet {shoe.moves_from!r}, go to one other")
    if part.ends is not None:
        here.at("ends").number(part.ends, shoe.column_end or 1, game.all + 1)
        if stacked:
            raise here.at("ends").error("the scenario's cards say it already; leave one of the two out")
    found = enumerate(part.troubles)
    troubles = tuple(planned_at_card(each, here.at("troubles", at), RACE, game.all + 1) for at, each in found)
    return RoundPlan(_seated(part, here), troubles, ends=part.ends or 0)
