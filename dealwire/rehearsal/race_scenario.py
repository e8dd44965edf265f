"""Scenarios at a card shoe: who bets what, which cards the shoe holds, what goes wrong. TOML, strict."""

from collections import Counter
from dataclasses import dataclass
from typing import Final

from dealer_flow.procedure.load import Procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.table.columns import Draw
from dealwire.rehearsal.scenario import CENTS_MAX, RoundPlan, SimulatedPlayer, read_players
from dealwire.rehearsal.strict import Section
from dealwire.rehearsal.trouble import AT_A_RACE, LINE, PlannedTrouble, What, read_card_trouble
from protocol.cards import DECK, Card, parse_cards
from protocol.places import SEATS_MAX

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
    rounds: tuple[RoundPlan, ...]


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


def _round(section: Section, game: RaceGame, *, stacked: bool) -> RoundPlan:
    players = read_players(section, lambda item: _player(item, game))
    ends = section.integer("ends", game.shoe.column_end or 1, game.all + 1) if section.has("ends") else 0
    if ends and stacked:
        raise section.error("ends", "the scenario's cards say it already; leave one of the two out")
    troubles = tuple(_trouble(item, game) for item in section.sections("troubles", []))
    section.done()
    return RoundPlan(players, troubles, ends=ends)


def _player(section: Section, game: RaceGame) -> SimulatedPlayer:
    shoe = game.shoe
    wagers = section.numbers("wagers", 1, CENTS_MAX, allowed=[bet for bet in game.bets if bet not in shoe.moved])
    moved = [bet for bet in game.bets if bet in shoe.moved]
    switch = section.numbers("switch", 1, CENTS_MAX, allowed=moved) if section.has("switch") else {}
    player = SimulatedPlayer(section.integer("seat", 1, SEATS_MAX), wagers, switch=switch)
    if not wagers:
        raise section.error("wagers", "a player needs at least one bet")
    most = wagers.get(shoe.moves_from or "", 0)
    if len(switch) > 1 or sum(switch.values()) > most:
        raise section.error("switch", f"at most {most} cents, the bet {shoe.moves_from!r}, go to one other")
    section.done()
    return player


def _trouble(section: Section, game: RaceGame) -> PlannedTrouble:
    what = What(section.text("what", allowed=[*AT_A_RACE, *LINE]))
    return read_card_trouble(section, what, game.all + 1)
