"""Scenarios at a card shoe: who bets what, which cards the shoe holds, what goes wrong. TOML, strict."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from dealer_flow.procedure.load import Procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.table.columns import Draw
from dealwire.rehearsal.scenario import CENTS_MAX
from dealwire.rehearsal.strict import Section
from dealwire.rehearsal.trouble import LINE, At, PlannedTrouble, ShoeTrouble, What, read_line_trouble, read_shoe_trouble
from protocol.cards import DECK, Card, parse_cards
from protocol.places import SEATS_MAX

DEVICES: Final = ("shoe", "table-controller")
DECKS_MAX: Final = 8


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
class RacePlayer:
    """One seat: bets in cents by name, and cents moved to one of those made before the extra card."""

    seat: int
    wagers: Mapping[str, int]
    switch: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RacePlan:
    """One round. `ends`: after how many cards the shoe lets it end, 0 as it falls."""

    players: tuple[RacePlayer, ...]
    ends: int
    troubles: tuple[ShoeTrouble, ...]
    line: tuple[PlannedTrouble, ...]

    @property
    def switched(self) -> bool:
        """Whether anybody moves money to the extra card."""
        return any(player.switch for player in self.players)

    def find(self, what: At, card: int = 0) -> ShoeTrouble | None:
        """The trouble of a kind at a card, if any."""
        return next((trouble for trouble in self.troubles if (trouble.what, trouble.card) == (what, card)), None)


@dataclass(frozen=True, slots=True)
class RaceScenario:
    """Everything that happens at a simulated shoe. The same seed gives the same cards."""

    id: str
    title: str
    seed: int
    game: RaceGame
    decks: int
    cards: tuple[Card, ...]
    """The first cards of the first shoe; none when they fall by chance."""
    burn: int
    cut_after: int | None
    round_limit: int | None
    rounds: tuple[RacePlan, ...]


def read_race_scenario(top: Section, id_: str, procedure: Procedure) -> RaceScenario:
    """The scenario in `top`. ScenarioError names the key and what is allowed."""
    game = RaceGame(procedure)
    decks = top.integer("decks", 1, DECKS_MAX, 1)
    cards = _cards(top, decks)
    scenario = RaceScenario(
        id=id_,
        title=top.text("title"),
        seed=top.integer("seed", 0, 2**32 - 1),
        game=game,
        decks=decks,
        cards=cards,
        burn=top.integer("burn", 0, 16, 0),
        cut_after=top.integer("cut_after", 1, decks * len(DECK)) if top.has("cut_after") else None,
        round_limit=top.integer("round_limit", 1, 255) if top.has("round_limit") else None,
        rounds=tuple(_round(section, game, stacked=bool(cards)) for section in top.sections("rounds")),
    )
    top.done()
    if not scenario.rounds:
        raise top.error("rounds", "a scenario needs at least one round")
    return scenario


def _cards(top: Section, decks: int) -> tuple[Card, ...]:
    try:
        cards = parse_cards(top.text("cards", ""))
    except ValueError as error:
        raise top.error("cards", str(error)) from error
    held = Counter(cards)
    for card, count in held.items():
        if card not in DECK or count > decks:
            raise top.error("cards", f"{card} {count} times; the shoe holds {decks if card in DECK else 0}")
    return cards


def _round(section: Section, game: RaceGame, *, stacked: bool) -> RacePlan:
    players = tuple(sorted((_player(item, game) for item in section.sections("players")), key=lambda p: p.seat))
    seats = [player.seat for player in players]
    if not seats or len(set(seats)) != len(seats):
        raise section.error("players", "a round needs at least one player and one player a seat")
    ends = section.integer("ends", game.shoe.column_end or 1, game.all + 1) if section.has("ends") else 0
    if ends and stacked:
        raise section.error("ends", "the scenario's cards say it already; leave one of the two out")
    read = [_trouble(item, game) for item in section.sections("troubles", [])]
    section.done()
    return RacePlan(
        players,
        ends,
        tuple(trouble for trouble in read if isinstance(trouble, ShoeTrouble)),
        tuple(trouble for trouble in read if isinstance(trouble, PlannedTrouble)),
    )


def _player(section: Section, game: RaceGame) -> RacePlayer:
    shoe = game.shoe
    wagers = section.numbers("wagers", 1, CENTS_MAX, allowed=[bet for bet in game.bets if bet not in shoe.moved])
    moved = [bet for bet in game.bets if bet in shoe.moved]
    switch = section.numbers("switch", 1, CENTS_MAX, allowed=moved) if section.has("switch") else {}
    player = RacePlayer(section.integer("seat", 1, SEATS_MAX), wagers, switch)
    if not wagers:
        raise section.error("wagers", "a player needs at least one bet")
    most = wagers.get(shoe.moves_from or "", 0)
    if len(switch) > 1 or sum(switch.values()) > most:
        raise section.error("switch", f"at most {most} cents, the bet {shoe.moves_from!r}, go to one other")
    section.done()
    return player


def _trouble(section: Section, game: RaceGame) -> ShoeTrouble | PlannedTrouble:
    last = game.all + 1
    what = section.text("what", allowed=[*At, *LINE])
    if what not in LINE:
        return read_shoe_trouble(section, last, list(At))
    found = read_line_trouble(section, What(what), section.integer("card", 1, last), DEVICES)
    section.done()
    return found
