"""Scenarios: who plays, what they bet and choose, and what goes wrong. TOML, strict; see `docs/simulator.md`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from devices.simulator.strict import ScenarioError, Section
from devices.simulator.trouble import Trouble, read_trouble
from protocol.cards import RANKS
from protocol.places import COMMUNITY, DEALER, SEATS_MAX, Place, seat
from protocol.tdp.messages import BadgeLevel, Spread

__all__ = ["Award", "Game", "Player", "RoundPlan", "Scenario", "ScenarioError", "load_scenario", "scenario_ids"]

HERE: Final = Path(__file__).parent
CENTS_MAX: Final = 2**32 - 1
TARGETS: Final = ("community", "seats", "dealer")
LEVELS: Final = {"supervisor": BadgeLevel.SUPERVISOR, "executive": BadgeLevel.EXECUTIVE}
SPREADS: Final = {"left-to-right": Spread.LEFT_TO_RIGHT, "right-to-left": Spread.RIGHT_TO_LEFT}


@dataclass(frozen=True, slots=True)
class Game:
    """How the dealer deals and what bets and choices are called, as data. `top_card`: the side it is spread from.

    `progressive` is the bet that lies on a sensor, empty where there is none.
    """

    name: str
    packet_size: int
    cards: int
    jokers: int
    deal: tuple[str, ...]
    burn: tuple[int, ...]
    spread: Spread
    top_card: str
    reveal: tuple[str, ...]
    shown_when_folded: tuple[str, ...]
    progressive: str
    play_bet: str
    play_of: str
    play_times: int
    bets: Mapping[str, int]
    decisions: Mapping[str, int]
    wild: str
    least: int


@dataclass(frozen=True, slots=True)
class Player:
    """One seat: bets in cents by name, and `fold`, `play` or `basic` (by the cards)."""

    seat: int
    wagers: Mapping[str, int]
    decision: str


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
    """One round: the players in rising order of seats, the troubles, and what is awarded in which order."""

    players: tuple[Player, ...]
    troubles: tuple[Trouble, ...]
    awards: tuple[Award, ...] = ()


@dataclass(frozen=True, slots=True)
class Scenario:
    """Everything the simulated table does. The same seed gives the same cards."""

    id: str
    title: str
    seed: int
    recognition: bool
    game: Game
    rounds: tuple[RoundPlan, ...]


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
    game = _read_game(game_section(top, path))
    scenario = Scenario(
        id=path.stem,
        title=top.text("title"),
        seed=top.integer("seed", 0, 2**32 - 1),
        recognition=top.flag("recognition", False),
        game=game,
        rounds=tuple(_round(section, game) for section in top.sections("rounds")),
    )
    top.text("device", "shuffler", allowed=("shuffler",))
    top.done()
    if not scenario.rounds:
        raise top.error("rounds", "a scenario needs at least one round")
    return scenario


def places(game: Game, plan: RoundPlan) -> tuple[Place, ...]:
    """To whom the packets of a round go, in the order they are dealt."""
    where = {"community": (COMMUNITY,), "dealer": (DEALER,), "seats": tuple(seat(p.seat) for p in plan.players)}
    return tuple(place for target in game.deal for place in where[target])


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


def _read_game(section: Section) -> Game:
    bets = section.numbers("bets", 1, 255)
    decisions = section.numbers("decisions", 1, 255, allowed=("fold", "play"))
    play, basic = section.section("play"), section.section("basic")
    jokers = section.integer("jokers", 0, 4)
    size = section.integer("packet_size", 1, 13)
    game = Game(
        name=section.text("name"),
        packet_size=size,
        cards=section.integer("cards", 52 + jokers, 52 + jokers),
        jokers=jokers,
        deal=section.texts("deal", TARGETS),
        burn=section.integers("burn", 1, size),
        spread=SPREADS[section.text("spread", allowed=SPREADS)],
        top_card=section.text("top_card", allowed=("left", "right")),
        reveal=section.texts("reveal", TARGETS),
        shown_when_folded=section.texts("shown_when_folded", bets),
        progressive=section.text("progressive", "", allowed=["", *bets]),
        play_bet=play.text("bet", allowed=bets),
        play_of=play.text("of", allowed=bets),
        play_times=play.integer("times", 1, 100),
        bets=bets,
        decisions=decisions,
        wild=basic.text("wild", "", allowed=["", *RANKS]),
        least=basic.integer("least", 1, 13),
    )
    for part in (play, basic, section):
        part.done()
    return game


def _round(section: Section, game: Game) -> RoundPlan:
    players = tuple(sorted((_player(item, game) for item in section.sections("players")), key=lambda p: p.seat))
    seats = [player.seat for player in players]
    if not seats or len(set(seats)) != len(seats):
        raise section.error("players", "a round needs at least one player and one player a seat")
    plan = RoundPlan(players, ())
    order = places(game, plan)
    if len(order) * game.packet_size > game.cards:
        raise section.error("players", f"{len(order)} packets of {game.packet_size} are more than {game.cards} cards")
    troubles = tuple(read_trouble(item, order, game.packet_size) for item in section.sections("troubles", []))
    awards = tuple(_award(item, seats) for item in section.sections("awards", []))
    section.done()
    return RoundPlan(players, troubles, awards)


def _award(section: Section, seats: list[int]) -> Award:
    award = Award(
        seat=section.integer("seat", min(seats), max(seats)),
        hand=section.integer("hand", 1, 255),
        level=LEVELS[section.text("card", "supervisor", allowed=LEVELS)],
        slips=section.flag("slips", False),
    )
    section.done()
    return award


def _player(section: Section, game: Game) -> Player:
    player = Player(
        seat=section.integer("seat", 1, SEATS_MAX),
        wagers=section.numbers("wagers", 1, CENTS_MAX, allowed=game.bets),
        decision=section.text("decision", "basic", allowed=("basic", "fold", "play")),
    )
    if game.play_of not in player.wagers:
        raise section.error("wagers", f"a player needs the bet {game.play_of!r}")
    section.done()
    return player
