"""Scenarios: who plays, what they bet and choose, and what goes wrong. TOML, strict; see `docs/simulator.md`."""

import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from dealwire.rehearsal.game import DEALS, Game, Packet, Step, exchanged, packets_of, read_game
from dealwire.rehearsal.strict import ScenarioError, Section
from dealwire.rehearsal.trouble import PlannedTrouble, ShoeTrouble, read_troubles
from protocol.places import SEATS_MAX, Place
from protocol.tdp.messages import BadgeLevel

HERE: Final = Path(__file__).parent
CENTS_MAX: Final = 2**32 - 1
LEVELS: Final = {"supervisor": BadgeLevel.SUPERVISOR, "executive": BadgeLevel.EXECUTIVE}


@dataclass(frozen=True, slots=True)
class SimulatedPlayer:
    """One seat: bets in cents by name, what it chooses at each choice it has, and its `decision` where that says
    nothing: a choice by name, or `basic` (by the cards)."""

    seat: int
    wagers: Mapping[str, int]
    decision: str
    choices: tuple[str, ...] = ()

    def chooses(self, offered: Sequence[str], made: int) -> str:
        """The choice after `made` others, by plan; `basic` when the cards decide, empty when it says nothing."""
        if made < len(self.choices):
            return self.choices[made]
        return self.decision if self.decision == "basic" or self.decision in offered else ""


@dataclass(frozen=True, slots=True)
class Award:
    """What is awarded at the controller after the hands were shown: a seat, its hand button, whose card completes it.

    `slips`: the button is pressed by accident and again to put it out, before it is pressed for good.
    """

    seat: int
    hand: int
    level: BadgeLevel
    slips: bool


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """One round: the players in rising order of seats, the troubles, and what is awarded in which order. `number`: the
    seat that gets cards first, where one is drawn for, 0 for the dealer; `house_draws`: cards the house exchanges."""

    players: tuple[SimulatedPlayer, ...]
    troubles: tuple[PlannedTrouble, ...]
    awards: tuple[Award, ...] = ()
    number: int | None = None
    house_draws: int = 0
    reader: tuple[ShoeTrouble, ...] = ()
    """What goes wrong at a shoe, at a card of the round."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """Everything the simulated table does. The same seed gives the same cards."""

    id: str
    title: str
    seed: int
    recognition: bool
    game: Game
    rounds: tuple[RoundPlan, ...]
    device: str = "shuffler"
    """What the cards come from: `shuffler` or `shoe`."""
    cut_after: int | None = None
    """Where the cut card lies in a shoe."""

    def plans(self) -> Iterable[RoundPlan]:
        """The rounds in their order, as many as are dealt."""
        return self.rounds


def scenario_ids() -> list[str]:
    """The scenarios that come with the program."""
    return sorted(path.stem for path in (HERE / "scenarios").glob("*.toml"))


def load_scenario(source: str | Path) -> Scenario:
    """A scenario by id, or from a file (a Path). ScenarioError names the file, the key and what is allowed."""
    if isinstance(source, str) and source not in scenario_ids():
        raise ScenarioError(source, "", f"no such scenario; there are {', '.join(scenario_ids())}")
    path = HERE / "scenarios" / f"{source}.toml" if isinstance(source, str) else source
    return parse_scenario(Section(path.name, "", read_toml(path)), path)


def parse_scenario(top: Section, path: Path) -> Scenario:
    """The scenario in `top`, read from the file `path`."""
    game = read_game(game_section(top, path))
    device = top.text("device", "shuffler", allowed=("shuffler", "shoe"))
    if device == "shuffler" and any(step.by_hand for step in game.steps):
        raise top.error("device", "a game whose cards are partly dealt by hand is dealt from a shoe")
    scenario = Scenario(
        id=path.stem,
        title=top.text("title"),
        seed=top.integer("seed", 0, 2**32 - 1),
        recognition=top.flag("recognition", False),
        game=game,
        rounds=tuple(_round(section, game, device) for section in top.sections("rounds")),
        device=device,
        cut_after=top.integer("cut_after", 1, game.decks * game.cards) if top.has("cut_after") else None,
    )
    top.done()
    if not scenario.rounds:
        raise top.error("rounds", "a scenario needs at least one round")
    return scenario


def places(game: Game, plan: RoundPlan) -> tuple[Place, ...]:
    """To whom the packets of a round go, in the order they are dealt."""
    return tuple(packet.place for packet in packets(game, plan))


def packets(game: Game, plan: RoundPlan) -> list[Packet]:
    """The packets of a round as planned, those dealt by hand too: nobody's hand is dead, and who goes by the cards
    plays on."""
    entered = [player.seat for player in plan.players]
    live, made, draws = list(entered), Counter[int](), dict[int, int]()
    staked = {player.seat: set(player.wagers) for player in plan.players}
    found: list[Packet] = []
    for step in game.steps:
        if step.do == "decide":
            for player in plan.players:
                if player.seat in live and (not step.only or step.only in staked[player.seat]):
                    choice = game.decisions.get(player.chooses(step.choices, made[player.seat]))
                    made[player.seat] += 1
                    draws[player.seat] = choice.draws if choice else 0
                    staked[player.seat] |= set(choice.bets) if choice else set()
                    if choice and choice.folds:
                        live.remove(player.seat)
        elif step.do == "exchange":
            found += exchanged(step, {number: draws.get(number, 0) for number in live}, plan.house_draws)
        elif step.do in DEALS and (not step.if_drawn or any(draws.get(number) for number in live)):
            dealt, playing = (with_bet(step, numbers, staked) for numbers in (entered, live))
            if not step.only or playing or not live:
                found += packets_of(step, dealt, playing, game.most, plan.number)
    return found


def with_bet(step: Step, seats: Iterable[int], staked: Mapping[int, Collection[str]]) -> list[int]:
    """Of these seats those that the step is for: with its bet, where it names one."""
    return [number for number in seats if not step.only or step.only in staked[number]]


def read_toml(path: Path) -> object:
    """The content of a file; ScenarioError when it cannot be had."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ScenarioError(str(path), "", f"cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ScenarioError(str(path), "", f"is not TOML: {error}") from error


def game_section(top: Section, path: Path, games: Path = HERE / "games") -> Section:
    """The game a scenario names, a file of `games`, or its own table of that name."""
    if not top.has("game"):
        raise top.error("game", "this key is missing")
    named = top.either("game")
    if not isinstance(named, str):
        return Section(path.name, "game", named)
    known = sorted(file.stem for file in games.glob("*.toml"))
    if named not in known:
        raise top.error("game", f"{named!r} is not one of {', '.join(known)}, nor a table")
    file = games / f"{named}.toml"
    return Section(file.name, "", read_toml(file))


def _round(section: Section, game: Game, device: str) -> RoundPlan:
    players = tuple(sorted((_player(item, game) for item in section.sections("players")), key=lambda p: p.seat))
    seats = [player.seat for player in players]
    if not seats or len(set(seats)) != len(seats):
        raise section.error("players", "a round needs at least one player and one player a seat")
    number = section.integer("number", 0, game.most) if section.has("number") else None
    plan = RoundPlan(players, (), number=number, house_draws=section.integer("house_draws", 0, 7, 0))
    dealt = packets(game, plan)
    cards, deck = sum(packet.cards for packet in dealt), game.cards * game.decks
    if cards > deck:
        raise section.error("players", f"{len(dealt)} packets with {cards} cards are more than {deck} cards")
    troubles, reader = read_troubles(section.sections("troubles", []), dealt, device)
    awards = tuple(_award(item, seats) for item in section.sections("awards", []))
    section.done()
    return replace(plan, troubles=troubles, reader=reader, awards=awards)


def _award(section: Section, seats: list[int]) -> Award:
    award = Award(
        seat=section.integer("seat", min(seats), max(seats)),
        hand=section.integer("hand", 1, 255),
        level=LEVELS[section.text("card", "supervisor", allowed=LEVELS)],
        slips=section.flag("slips", False),
    )
    section.done()
    return award


def _player(section: Section, game: Game) -> SimulatedPlayer:
    player = SimulatedPlayer(
        seat=section.integer("seat", 1, SEATS_MAX),
        wagers=section.numbers("wagers", 1, CENTS_MAX, allowed=game.bets),
        decision=section.text("decision", "basic", allowed=("basic", *game.decisions)),
        choices=section.words("choices", ["", *game.decisions], []),
    )
    if game.enters and not any(bet in player.wagers for bet in game.enters):
        raise section.error("wagers", f"a player needs the bet {' or '.join(map(repr, game.enters))}")
    section.done()
    return player
