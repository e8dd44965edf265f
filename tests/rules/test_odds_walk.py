"""Every solver of odds compared with a walk through its game that settles each ending, on small decks of any ranks."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, prod
from pathlib import Path

import pytest

from protocol.cards import Card
from rules import game_ids
from rules.game.house_ways import load_houseway
from rules.game.load import Game, load_game
from rules.hands.hand_spec import OWN
from rules.kinds.proposition import PropositionBet
from rules.odds import Odds, Question, odds
from rules.odds.cards.decks import dealt_from
from rules.odds.cards.hand_rows import HandRows
from rules.odds.cards.placed_sets import Pack
from rules.odds.cards.table_rows import TableRows
from rules.odds.course.growing import Growing
from rules.odds.course.played_round import Cards, OnePlayerState
from rules.odds.course.seated import seated
from rules.odds.course.steps import Way, by_stake
from rules.odds.course.walk import Choose, Walk, any_way
from rules.odds.joint import Ending, joint_odds
from rules.odds.propositions import proposition_odds
from rules.odds.question import OneDeck
from rules.odds.solvers import SOLVERS, answers_for
from tests.rules.test_odds_follow_procedure import ONE_OR_TWO, with_procedure
from tests.support.reading.paper import Paper

ANTE_CENTS = 2000
ORDER = (*range(2, 14), 1)
"""Ranks from the deuce to the ace."""
ROYAL = (10, 11, 12, 13, 1)


@dataclass(frozen=True)
class Small:
    """A deck small enough to walk through a game: its suits and number of ranks; `wild` is one of them. A larger one
    for the longer run."""

    ranks: int
    suits: int
    larger: tuple[int, int] = (5, 2)
    wild: tuple[int, ...] = ()
    suits_alike: bool = True


SMALL = {
    "208.co": Small(3, 2, (4, 2)),
    "3-5-7.co": Small(4, 2),
    "3-5-7.co-hand": Small(4, 2),
    "bonus-6.co": Small(4, 2),
    "boston-5.co": Small(5, 2),
    "boston-7.co": Small(7, 2, (7, 2)),
    "caribbean-stud.co": Small(5, 2),
    "champion.co": Small(3, 3),
    "champion.co-seven": Small(3, 3),
    "colorado-holdem.co": Small(4, 2),
    "colorado-holdem.co-2": Small(4, 2),
    "crazy-4.co": Small(5, 2),
    "flushes-gone-wild.co": Small(3, 4, (3, 4), wild=(2,)),
    "flushes-gone-wild.sd": Small(3, 4, (3, 4), wild=(2,)),
    "flushes-gone-wild.wa": Small(3, 4, (3, 4), wild=(2,)),
    "flushes-gone-wild.wa-link": Small(3, 4, (3, 4), wild=(2,)),
    "high-five.co": Small(7, 2, (7, 2)),
    "let-it-ride.co": Small(3, 2),
    "mississippi-stud.co": Small(3, 2),
    "prospector.co": Small(3, 1, (4, 1)),
    "texas-holdem-bonus.co": Small(3, 3),
    "texas-shootout.co": Small(3, 1, (2, 2)),
    "three-card.co": Small(3, 3, (4, 3)),
    "three-card-split.co": Small(2, 4, (2, 4), suits_alike=False),
    "ultimate-texas-holdem.co": Small(3, 3),
    "vegas-double-action.co": Small(5, 2),
    "wild-six.co": Small(3, 4, (3, 4)),
}


@dataclass
class Setting:
    """Setup of a table for a figure, from its readings."""

    options: dict[str, str] = field(default_factory=dict)
    readings: dict[str, str] = field(default_factory=dict)
    stakes: dict[str, Fraction] = field(default_factory=dict)
    without: set[str] = field(default_factory=set)
    house_sets: bool = False


def setting(found: Odds) -> Setting:
    made = Setting()
    for name, word in found.reading.items():
        match name, word:
            case "surrender", _:
                made.options[name] = word
            case "insurance", _:
                made.without |= {"insurance"} if word == "not-paid" else set()
            case "ante-bonus", _:
                made.stakes[name] = Fraction(1, 2) if word.startswith("half") else Fraction(1)
            case "set", _:
                made.house_sets = word == "the house way"
            case _:
                made.readings[name] = word
    return made


def walked(question: Question, found: Odds, *, suits_alike: bool = True) -> list[Odds]:
    """Walk through the bets of a figure, together and each separately, with the same deck and tables."""
    game, how, names = question.game, setting(found), found.bet.split("+")
    bets = [game.bets[name] for name in names]
    readings = game.default_readings() | how.readings
    tables = (found.paytable or "").split("+")
    seat = seated(
        question,
        bets,
        tables,
        options=how.options,
        readings=readings,
        stakes=how.stakes,
        without=how.without,
    )
    source = dealt_from(game)
    deck = [*question.one.cards, *(Card(0x51 + number) for number in range(source.jokers))] * source.decks
    house = house_way(game, readings) if game.spec.houseways else None
    choose = as_the_house(house) if house is not None and how.house_sets else any_way
    apart = {OWN: question.one.cards} if game.id == "208.co" else {}  # .32(2): the hands come from a deck of their own
    ways = Walk(*seat, deck, choose, house, suits_alike=suits_alike, apart=apart).run()
    return list(joint_odds(question, names, ways))


def house_way(game: Game, readings: dict[str, str]) -> Callable[[Cards], Cards]:
    """Return the low card by the house way that the game names."""
    way = load_houseway(game.spec.houseways[0])
    low, high = (game.ranking_of(game.bets[bet].hand, readings) for bet in ("low", "high"))

    def low_of(cards: Cards) -> Cards:
        found = way.settings(cards, lambda each: low.rank(each, readings), lambda each: high.rank(each, readings))
        assert found is not None
        return tuple(found[1][0].low)

    return low_of


def as_the_house(house: Callable[[Cards], Cards]) -> Choose:
    def choose(_: str, lying: OnePlayerState, ways: Sequence[Way]) -> list[Way]:
        return [way for way in ways if way.lying.low == house(lying.at(OWN))]

    return choose


def ends(found: Odds) -> dict[tuple[Fraction, Fraction | None, str], Fraction]:
    """Return the frequency by stake, return and paying row."""
    merged: dict[tuple[Fraction, Fraction | None, str], Fraction] = {}
    for each in found.outcomes:
        key = each.staked, each.back, each.row if each.back else ""
        merged[key] = merged.get(key, Fraction(0)) + each.probability
    return {key: chance for key, chance in merged.items() if chance}


def agree_on_a_figure(question: Question, dealt: random.Random, *, suits_alike: bool) -> None:
    """Compare one of the solver's figures of bets that are counted together, and those of each bet."""
    own = {bet.name for bet in answers_for(question.game)}
    found = [each for each in odds(question, of=own) if isinstance(each, Odds)]
    plain = {bet.name for bet in answers_for(question.game) if not isinstance(bet, PropositionBet)}
    together = [each for each in found if plain.issuperset(each.bet.split("+"))]
    joined = {name for each in together if "+" in each.bet for name in each.bet.split("+")}
    one = dealt.choice([each for each in together if "+" in each.bet or each.bet not in joined])
    whole, *parts = walked(question, one, suits_alike=suits_alike)
    assert ends(whole) == ends(one)
    for part in parts:
        alike = [
            ends(each)
            for each in found
            if each.bet == part.bet
            and each.paytable in (None, *(one.paytable or "").split("+"))
            and each.reading.items() <= one.reading.items()
        ]
        assert not alike or ends(part) in alike, part.bet


def deck_of(small: Small, dealt: random.Random, size: tuple[int, int]) -> OneDeck:
    ranks = {*small.wild, *dealt.sample([rank for rank in ORDER if rank not in small.wild], size[0] - len(small.wild))}
    return OneDeck(tuple(rank for rank in ORDER if rank in ranks), size[1])


def test_no_solver_is_without_a_small_deck() -> None:
    solved = {game: load_game(game) for game in game_ids() if answers_for(load_game(game))}
    assert {*SMALL} == {*solved}
    named = {game.spec.odds.solver if game.spec.odds else "longest-flush" for game in solved.values()}
    assert named == {*SOLVERS}


@pytest.mark.every(6)
@pytest.mark.parametrize(
    "game_id",
    [pytest.param(game, marks=pytest.mark.more) if game == "wild-six.co" else game for game in SMALL],
)
def test_a_solver_comes_to_what_a_walk_settles(game_id: str) -> None:
    small, dealt = SMALL[game_id], random.Random(game_id)
    question = Question(
        load_game(game_id), one=deck_of(small, dealt, (small.ranks, small.suits)), wager_cents=ANTE_CENTS
    )
    agree_on_a_figure(question, dealt, suits_alike=small.suits_alike)


def test_a_flush_played_for_one_ante_or_two_comes_to_what_a_walk_settles(tmp_path: Path) -> None:
    """The packaged games have one stake; a house's procedure may allow two."""
    game, dealt = with_procedure(tmp_path, "flushes-gone-wild.co", [ONE_OR_TWO]), random.Random("one or two")
    question = Question(game, one=deck_of(SMALL["flushes-gone-wild.co"], dealt, (3, 4)))
    found = next(each for each in odds(question, "ante+blind+play") if isinstance(each, Odds))
    assert max(each.staked for each in found.outcomes) == 4
    agree_on_a_figure(question, dealt, suits_alike=True)


def rule(decision: int, cards: Sequence[Card], ways: int) -> int:
    """A simple strategy that ignores suits."""
    return (sum(card & 0x0F for card in cards) + decision) % ways


@pytest.mark.every(3)
@pytest.mark.parametrize("left_open", [None, 0, 1])
@pytest.mark.parametrize("game_id", ["bonus-6.co", "let-it-ride.co", "mississippi-stud.co"])
def test_a_strategy_comes_to_what_a_walk_by_it_settles(game_id: str, left_open: int | None) -> None:
    """A strategy that covers every decision, or leaves one of them to the best play."""
    small, dealt = SMALL[game_id], random.Random(game_id)
    one = deck_of(small, dealt, (small.ranks, small.suits))
    question = Question(load_game(game_id), one=one)
    bets, pack = answers_for(question.game), Pack(*one)
    tables = [bets[-1].paytables[0] if bets[-1].paytables else bets[0].paytables[0]]
    tabled = next(bet for bet in bets if tables[0] in bet.paytables)
    seat = seated(question, bets, tables)
    options = {"bonus-6.co": 2, "let-it-ride.co": 2, "mississippi-stud.co": 4}[game_id]

    def by_set(decision: int, cards: Sequence[Card]) -> int | None:
        return None if decision == left_open else rule(decision, cards, options)

    def by_cards(_: str, lying: OnePlayerState, ways: Sequence[Way]) -> Sequence[Way]:
        decision, able = len(lying.choices), by_stake(ways)
        if decision == left_open:
            return able
        chosen = rule(decision, [card for group in lying.groups for card in group.cards], options)
        return [able[chosen if chosen < len(able) else 0]]

    rows = {tabled.hand: HandRows(pack, TableRows(question, tabled, question.game.paytables[tables[0]]))}
    growing = Growing(*seat, pack, rows, by_set)
    counted = growing.run()
    found = Counter[Ending]()
    for end, number in counted.items():
        found[growing.ending(end)] += number
    ways = Walk(*seat, one.cards, by_cards).run()
    assert {end: Fraction(number, found.total()) for end, number in found.items()} == {
        end: Fraction(number, ways.total()) for end, number in ways.items()
    }


ON_CARD = ("card:TH", "rank:T", "suit:H", "over-7", "under-7")
ON_THREE = (
    "three-identical",
    "royal-flush",
    "straight-flush",
    "ace-king-queen",
    "three-of-a-kind",
    "straight",
    "flush",
    "two-identical",
)


@pytest.mark.parametrize(
    ("bet", "on"),
    [
        *((f"card-{number}", ON_CARD) for number in (1, 2, 3)),
        pytest.param("three-card", ON_THREE, marks=pytest.mark.more),
    ],
)
def test_money_on_outcomes_wins_as_often_as_it_is_settled(bet: str, on: Sequence[str]) -> None:
    """Every card, or every three cards, of the three decks, with money on the outcomes."""
    game = load_game("208.co")
    proposition = game.bets[bet]
    assert isinstance(proposition, PropositionBet)
    deck = [card.text for card in OneDeck().cards]
    won, total = Counter[str](), 0
    for shown in combinations_with_replacement(deck, 3) if bet == "three-card" else [(card,) for card in deck]:
        board = shown if len(shown) == 3 else [*["2C", "3C"][: int(bet[-1]) - 1], *shown, "4C", "5C"]
        seat = {"seat": 1, "cards": "9S 8D", "bets": {"ante": 500}, "propositions": {bet: dict.fromkeys(on, 25)}}
        found = Paper("208.co", {"community": " ".join(board[:3]), "seat": [seat]}).settle()
        ways = prod(comb(3, times) for times in Counter(shown).values())
        total += ways
        for line in found.lines:
            if line.bet == bet and line.result == "win":
                won[line.proposition] += ways
    figures = [each for each in proposition_odds(Question(game), proposition) if isinstance(each, Odds)]
    counted = {each.reading["outcome"]: each for each in figures if dict(each.reading).items() >= game_readings(each)}
    for each in on:
        outcome = counted[each.partition(":")[0]].outcomes[0]
        assert Fraction(won[each], total) == outcome.probability, each


def game_readings(found: Odds) -> set[tuple[str, str]]:
    """Return the readings of a figure that are the game's defaults."""
    default = load_game(found.game).default_readings()
    return {(name, default[name]) for name in found.reading if name in default}


@pytest.mark.parametrize(
    ("game_id", "royal"),
    [
        *(pytest.param(game, False, marks=pytest.mark.more) for game in SMALL),
        *(pytest.param(game, True, marks=pytest.mark.slow) for game, deck in SMALL.items() if deck.larger == (5, 2)),
    ],
)
def test_a_solver_comes_to_what_a_walk_settles_on_a_larger_deck(game_id: str, royal: bool) -> None:
    small, dealt = SMALL[game_id], random.Random(f"{game_id} {royal}")
    one = OneDeck(ROYAL, 2) if royal else deck_of(small, dealt, small.larger)
    question = Question(load_game(game_id), one=one, wager_cents=ANTE_CENTS)
    agree_on_a_figure(question, dealt, suits_alike=small.suits_alike)
