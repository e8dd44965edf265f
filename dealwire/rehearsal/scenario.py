"""Scenarios: who plays, what they bet and choose, and what goes wrong. TOML, strict; see `docs/simulator.md`.

One without an end has its rounds again and again, with faults thrown in if wanted.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import Field

from dealer_flow.procedure.load import Procedure, ProcedureError, load_procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.steps import BurnStep, DecideStep, Due
from dealer_flow.procedure.tables import DecisionPart
from dealer_flow.procedure.tomlfile import load, validated
from dealer_flow.table.columns import Draw
from dealwire.rehearsal.parts import OpenPart, Part, Spot
from dealwire.rehearsal.rehearsed import RehearsedProcedure, packets_of
from dealwire.rehearsal.trouble import (
    AT_A_PACKET,
    LINE,
    RACE,
    PlannedTrouble,
    TroublePart,
    What,
    planned,
    planned_at_card,
)
from protocol.cards import DECK, RANKS, Card, parse_cards
from protocol.places import SEATS_MAX, Place, seat
from protocol.tdp.messages import BadgeLevel
from protocol.tomlfile import TomlFileError

HERE: Final = Path(__file__).parent / "scenarios"
Bets = dict[str, Annotated[int, Field(ge=1, le=2**32 - 1)]]
"""Cents by the bet's name."""
CENTS: Final = 500
"""What a player bets on a spot in a round made of a procedure."""
FIRST_SEAT: Final = 2
"""Who gets cards first in it, where a number is drawn for it."""


class SimulatedPlayer(Part):
    """One seat: bets in cents by name, what it chooses at each choice it has, and its `decision` where that says
    nothing: a choice by name, or `basic` (by the cards). `switch`: cents moved to another bet before the extra card of
    a race."""

    seat: Annotated[int, Field(ge=1, le=SEATS_MAX)]
    wagers: Bets
    decision: str = "basic"
    choices: tuple[str, ...] = ()
    switch: Bets = Field(default_factory=dict)

    def chooses(self, offered: Sequence[str], made: int) -> str:
        """The choice after `made` others, by plan; `basic` when the cards decide, empty when it says nothing."""
        if made < len(self.choices):
            return self.choices[made]
        return self.decision if self.decision == "basic" or self.decision in offered else ""


class BasicPlay(Part):
    """What a player without a plan goes by: plays with `least` cards of one suit, `wild` ranks included."""

    wild: Annotated[str, Field(pattern=f"^[{RANKS}]?$")] = ""
    least: Annotated[int, Field(ge=1, le=13)]


class Award(Part):
    """What is awarded at the controller after the hands were shown: a seat, its hand button, whose card completes it.

    `slips`: the button is pressed by accident and again to put it out, before it is pressed for good.
    """

    seat: int
    hand: Annotated[int, Field(ge=1, le=255)]
    card: Literal["supervisor", "executive"] = "supervisor"
    slips: bool = False

    @property
    def level(self) -> BadgeLevel:
        """Of the card."""
        return BadgeLevel[self.card.upper()]


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """One round: the players in rising order of seats, the troubles, and what is awarded in which order. `number`: the
    seat that gets cards first, where one is drawn for, 0 for the dealer; `house_draws`: cards the house exchanges;
    `ends`: after how many cards the shoe lets a race end, 0 as it falls."""

    players: tuple[SimulatedPlayer, ...]
    troubles: tuple[PlannedTrouble, ...]
    awards: tuple[Award, ...] = ()
    number: int | None = None
    house_draws: int = 0
    ends: int = 0

    def find(self, what: What, ordinal: int = 0) -> PlannedTrouble | None:
        """The trouble of a kind at a packet or card, if any."""
        return next((trouble for trouble in self.troubles if (trouble.what, trouble.ordinal) == (what, ordinal)), None)


@dataclass(frozen=True, slots=True)
class Scenario:
    """Everything the simulated table does. The same seed gives the same cards."""

    id: str
    seed: int
    recognition: bool
    procedure: RehearsedProcedure
    rounds: tuple[RoundPlan, ...]
    basic: BasicPlay | None = None
    """Without it players without a plan play on whatever they hold."""
    cut_after: int | None = None
    """Where the cut card lies in a shoe."""

    @property
    def device(self) -> str:
        """What the cards come from: `shuffler` or `shoe`."""
        return "shoe" if self.procedure.plan.from_shoe else "shuffler"

    def plans(self) -> Iterable[RoundPlan]:
        """The rounds in their order, as many as are dealt."""
        return self.rounds


class RaceGame:
    """A procedure whose cards are drawn into columns, as simulated people play it."""

    def __init__(self, procedure: Procedure) -> None:
        shoe = Plan(procedure, {}).shoe
        assert shoe is not None
        self.shoe = shoe
        self.all = shoe.all_end or len(shoe.columns) * ((shoe.column_end or 1) - 1) + 1
        """After how many cards it is over at the latest."""
        self.bets = {bet.name: bet.number for bet in procedure.bet}

    def end_of(self, cards: list[Card]) -> int:
        """After how many of `cards` a column is full; `all` + 1 when none of the first `all` fills one, 0 when it is
        still open."""
        end = Draw(self.shoe, cards).end
        if end is None:
            return 0
        return end.cards if end.column else self.all + 1


@dataclass(frozen=True, slots=True)
class RaceScenario:
    """Everything that happens at a simulated shoe. The same seed gives the same cards."""

    id: str
    seed: int
    game: RaceGame
    decks: int
    cards: tuple[Card, ...]
    """The first cards of the first shoe; none when they fall by chance."""
    burn: int
    cut_after: int | None
    round_limit: int | None
    rounds: tuple[RoundPlan, ...]
    device: ClassVar[str] = "shoe"


AnyScenario = Scenario | RaceScenario


class RoundUnderWay:
    """What the simulated dealer knows of a round: a `RoundView` for the procedure's steps. `plays`: whether a seat's
    hand is in play."""

    def __init__(
        self, procedure: RehearsedProcedure, round_: RoundPlan, plays: Callable[[int], bool] = lambda _: True
    ) -> None:
        self.plan, self.first = procedure.plan, round_.number
        self.active = [player.seat for player in round_.players]
        self.wagers = {player.seat: set(player.wagers) for player in round_.players}
        self.folded = set[int]()
        self.made = Counter[int]()
        """Choices made, by seat."""
        self._done = set[int]()
        self._draws = dict[int, int]()
        self._plays = plays

    @property
    def live(self) -> list[int]:
        """The seats that have neither folded nor a hand that is out of play."""
        return [number for number in self.active if number not in self.folded and self._plays(number)]

    @property
    def drawing(self) -> list[int]:
        """Those of them that are not done with choosing."""
        return [number for number in self.live if number not in self._done]

    def draws(self, number: int) -> int:
        """How many cards the seat exchanges."""
        return self._draws.get(number, 0)

    def chooses(self, step: DecideStep, number: int) -> bool:
        """Whether the seat has a choice in this step."""
        return number in self.drawing and (step.only is None or step.only in self.wagers[number])

    def choose(self, number: int, choice: DecisionPart | None) -> None:
        """The seat has chosen, or said nothing."""
        self.made[number] += 1
        if choice is None:
            return
        self.wagers[number] |= set(choice.stakes)
        self.wagers[number].discard(choice.takes_back or "")
        self._draws[number] = choice.draws
        if choice.folds:
            self.folded.add(number)
        if choice.last:
            self._done.add(number)


def packets(procedure: RehearsedProcedure, round_: RoundPlan) -> list[Due]:
    """The packets of a round as planned, those dealt by hand too: nobody's hand is dead, and who goes by the cards
    plays on."""
    view, found = RoundUnderWay(procedure, round_), list[Due]()
    for step in procedure.steps:
        if isinstance(step, DecideStep):
            for player in round_.players:
                if view.chooses(step, player.seat):
                    name = player.chooses(step.choices, view.made[player.seat])
                    view.choose(player.seat, procedure.plan.choices.get(name))
        found += packets_of(step, view, round_.house_draws)
    return found


def places(procedure: RehearsedProcedure, round_: RoundPlan) -> tuple[Place, ...]:
    """To whom the packets of a round go, in the order they are dealt."""
    return tuple(packet.place for packet in packets(procedure, round_))


# ------------------------------------------------------------------ without an end

AT_THE_BURN: Final = (What.BURN, What.REVEAL_BEFORE_BURN)


@dataclass(frozen=True, slots=True)
class EndlessScenario(Scenario):
    """A scenario whose rounds are dealt again and again; a share `faults` (0 to 1) of them has one trouble more.

    The same seed gives the same rounds.
    """

    faults: float = 0.0

    def plans(self) -> Iterator[RoundPlan]:
        """The rounds in their order, without an end."""
        random = Random(self.seed)
        for plan in cycle(self.rounds):
            if random.random() >= self.faults:
                yield plan
                continue
            trouble = _mishap(self, plan, random)
            # A packet has one trouble: a dealer does not call a misdeal at what the device has stopped already.
            taken = {each.ordinal for each in plan.troubles}
            more = () if trouble.ordinal in taken else (trouble,)
            yield replace(plan, troubles=(*plan.troubles, *more))


def endless(scenario: Scenario, *, faults: float = 0.0, seed: int | None = None) -> EndlessScenario:
    """`scenario` without an end; `seed` also shuffles the cards, otherwise the scenario's own does."""
    content = {field.name: getattr(scenario, field.name) for field in fields(Scenario)}
    chosen = scenario.seed if seed is None else seed
    return EndlessScenario(**(content | {"faults": faults, "seed": chosen}))


def _mishap(scenario: Scenario, plan: RoundPlan, random: Random) -> PlannedTrouble:
    to = places(scenario.procedure, plan)
    burn = next((step.positions for step in scenario.procedure.steps if isinstance(step, BurnStep)), ())
    if scenario.device == "shoe":
        what = random.choice([What.MISDEAL_CALLED, *LINE])
    else:
        what = random.choice([*AT_A_PACKET, What.REMAINDER, *(AT_THE_BURN if burn else ())])
    ordinal = random.randint(1, len(to)) if what in AT_A_PACKET else 0
    if what is What.LIFTED_EARLY:  # people grab their own hand, not the house's
        own = [at for at, place in enumerate(to, 1) if place == seat(plan.players[0].seat)]
        ordinal = own[0] if own else ordinal
    amounts = {
        What.PACKET: random.choice([-1, 1]),
        What.JAM: random.randint(1, 4),
        What.REJECTED: 1,
        What.REMAINDER: 1,
        What.NOISE: random.randint(1, 60),
        What.DROP: random.randint(1, 30),
        What.FLIP: random.randint(1, 4),
        What.STALL: random.randint(50, 800),
    }
    return PlannedTrouble(
        what,
        ordinal,
        amounts.get(what, 0),
        noticed=random.random() < 0.5,
        device=random.choice([scenario.device, "table-controller"]) if what in LINE else scenario.device,
        positions=tuple(sorted(random.sample(range(1, max(burn) + 1), len(burn)))) if what is What.BURN else (),
    )


# ------------------------------------------------------------------ reading


def scenario_ids() -> list[str]:
    """The scenarios that come with the program."""
    return sorted(path.stem for path in HERE.glob("*.toml"))


def shoe_scenario_ids() -> list[str]:
    """The scenarios at a card shoe that come with the program."""
    return sorted(path.stem for path in (HERE / "shoe").glob("*.toml"))


class RoundPart(OpenPart):
    """One entry of `rounds`."""

    players: tuple[SimulatedPlayer, ...]
    troubles: tuple[TroublePart, ...] = ()
    awards: tuple[Award, ...] = ()
    number: Annotated[int, Field(ge=0)] | None = None
    house_draws: Annotated[int, Field(ge=0, le=7)] = 0
    ends: int | None = None


class ScenarioFile(OpenPart):
    """A whole file, of a game that is dealt step by step or of races."""

    procedure: str
    title: str
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)]
    options: dict[str, str] = Field(default_factory=dict)
    recognition: bool = False
    basic: BasicPlay | None = None
    decks: Annotated[int, Field(ge=1, le=8)] = 1
    cards: str = ""
    burn: Annotated[int, Field(ge=0, le=16)] = 0
    cut_after: Annotated[int, Field(ge=1)] | None = None
    round_limit: Annotated[int, Field(ge=1, le=255)] | None = None
    rounds: Annotated[tuple[RoundPart, ...], Field(min_length=1)]


def find_scenario(source: str | Path) -> AnyScenario:
    """A scenario by id, or from a file, a Path or a text that ends with .toml; its procedure says at which device it is
    played.

    TomlFileError names the file, the key and what is allowed.
    """
    if isinstance(source, Path) or source.endswith(".toml"):
        path = Path(source)
    else:
        folders = {**dict.fromkeys(scenario_ids(), ""), **dict.fromkeys(shoe_scenario_ids(), "shoe")}
        if source not in folders:
            raise _unknown(source, folders)
        path = HERE / folders[source] / f"{source}.toml"
    file = load(path, ScenarioFile)
    top = Spot(str(path), path.read_text(encoding="utf-8"))
    try:
        procedure = load_procedure(file.procedure)
    except ProcedureError as error:
        raise top.at("procedure").error(str(error)) from error
    return (_race_scenario if procedure.shoe else _scenario)(file, top, procedure, path.stem)


def load_scenario(source: str | Path) -> Scenario:
    """As `find_scenario`, for who has a packet shuffler; TomlFileError for what is dealt from a card shoe, too."""
    known = [*scenario_ids(), *shoe_scenario_ids()]
    if isinstance(source, str) and not source.endswith(".toml") and source not in known:
        raise _unknown(source, scenario_ids())
    found = find_scenario(source)
    if not isinstance(found, Scenario) or found.device == "shoe":
        why = "it is dealt from a card shoe; here a packet shuffler is needed"
        raise TomlFileError(source, None, "procedure", why)
    return found


def _unknown(source: str, known: Iterable[str]) -> TomlFileError:
    return TomlFileError(source, None, "", f"no such scenario; there are {', '.join(known)}")


def clean_round(procedure: Procedure, seats: Sequence[int], *, progressive: bool = True) -> dict[str, Any]:
    """A round as in a scenario file: players at these seats with a bet on every spot that is bet before the deal."""
    bets = [bet for bet in procedure.bet if bet.placed == "before-deal" and (progressive or not bet.progressive)]
    wagers = {bet.name: CENTS for bet in bets}
    table: dict[str, Any] = {"players": [{"seat": number, "wagers": wagers} for number in seats]}
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
    """The scenario of these rounds, as if read from a file; TomlFileError names the key and what is allowed."""
    head = {"procedure": procedure.id, "title": procedure.title, "seed": seed, "options": dict(options or {})}
    top = Spot(f"{procedure.id}.toml", "")
    file, wrong = validated({**head, "rounds": list(rounds), **more}, ScenarioFile, lambda _: ())
    for key, why in wrong:
        raise top.at(*key).error(why)
    assert file is not None
    return _scenario(file, top, procedure, procedure.id)


def _scenario(file: ScenarioFile, top: Spot, procedure: Procedure, id_: str) -> Scenario:
    """The file of a game that is dealt step by step."""
    top.only(file, "procedure", "title", "options", "seed", "recognition", "basic", "cut_after", "rounds")
    try:
        rehearsed = RehearsedProcedure(procedure, file.options)
    except ProcedureError as error:
        raise top.at("options").error(error.why) from error
    plan = rehearsed.plan
    if not plan.from_shoe and any(step.deals and not step.from_device for step in plan.steps):
        raise top.at("procedure").error("a game whose cards are partly dealt by hand is dealt from a shoe")
    top.at("cut_after").number(file.cut_after or 1, 1, plan.decks * plan.cards)
    rounds = tuple(_round(part, top.at("rounds", at), rehearsed) for at, part in enumerate(file.rounds))
    return Scenario(id_, file.seed, file.recognition, rehearsed, rounds, file.basic, file.cut_after)


def _round(part: RoundPart, spot: Spot, procedure: RehearsedProcedure) -> RoundPlan:
    spot.only(part, "players", "number", "house_draws", "troubles", "awards")
    choices = procedure.plan.choices
    for at, player in enumerate(part.players):
        own = spot.at("players", at)
        own.only(player, "seat", "wagers", "decision", "choices")
        own.at("wagers").among(player.wagers, procedure.bets)
        own.at("decision").among([player.decision], ["basic", *choices])
        own.at("choices").among(player.choices, ["", *choices])
        if procedure.enters and not any(bet in player.wagers for bet in procedure.enters):
            raise own.at("wagers").error(f"a player needs the bet {' or '.join(map(repr, procedure.enters))}")
    spot.at("number").number(part.number or 0, 0, procedure.plan.most_seats)
    plan = RoundPlan(_seated(part, spot), (), part.awards, number=part.number, house_draws=part.house_draws)
    dealt = packets(procedure, plan)
    cards, deck = sum(packet.cards for packet in dealt), procedure.plan.loaded
    if cards > deck:
        raise spot.at("players").error(f"{len(dealt)} packets with {cards} cards are more than {deck} cards")
    for at, award in enumerate(part.awards):
        spot.at("awards", at, "seat").number(award.seat, plan.players[0].seat, plan.players[-1].seat)
    troubles = (planned(each, spot.at("troubles", at), dealt, procedure.plan) for at, each in enumerate(part.troubles))
    return replace(plan, troubles=tuple(troubles))


def _seated(part: RoundPart, spot: Spot) -> tuple[SimulatedPlayer, ...]:
    """The players of a round, in rising order of seats."""
    players = tuple(sorted(part.players, key=lambda player: player.seat))
    if not players or len({player.seat for player in players}) != len(players):
        raise spot.at("players").error("a round needs at least one player and one player a seat")
    return players


def _race_scenario(file: ScenarioFile, top: Spot, procedure: Procedure, id_: str) -> RaceScenario:
    """The file of races."""
    top.only(file, *(key for key in ScenarioFile.model_fields if key not in ("options", "recognition", "basic")))
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
    return RaceScenario(id_, file.seed, game, file.decks, cards, file.burn, file.cut_after, file.round_limit, rounds)


def _race_round(part: RoundPart, spot: Spot, game: RaceGame, stacked: bool) -> RoundPlan:
    spot.only(part, "players", "troubles", "ends")
    shoe = game.shoe
    for at, player in enumerate(part.players):
        own = spot.at("players", at)
        own.only(player, "seat", "wagers", "switch")
        own.at("wagers").among(player.wagers, [bet for bet in game.bets if bet not in shoe.moved])
        own.at("switch").among(player.switch, [bet for bet in game.bets if bet in shoe.moved])
        if not player.wagers:
            raise own.at("wagers").error("a player needs at least one bet")
        most = player.wagers.get(shoe.moves_from or "", 0)
        if len(player.switch) > 1 or sum(player.switch.values()) > most:
            raise own.at("switch").error(f"at most {most} cents, the bet {shoe.moves_from!r}, go to one other")
    if part.ends is not None:
        spot.at("ends").number(part.ends, shoe.column_end or 1, game.all + 1)
        if stacked:
            raise spot.at("ends").error("the scenario's cards say it already; leave one of the two out")
    found = enumerate(part.troubles)
    troubles = tuple(planned_at_card(each, spot.at("troubles", at), RACE, game.all + 1) for at, each in found)
    return RoundPlan(_seated(part, spot), troubles, ends=part.ends or 0)
