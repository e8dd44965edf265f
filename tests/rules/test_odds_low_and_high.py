"""Odds of hands set in two parts: comparisons equal settlement, and the house way is read from the text
independently."""

import random
from collections.abc import Sequence
from itertools import permutations

import pytest

from protocol.cards import DECK, Card
from rules.game.load import load_game
from rules.kinds.against import AgainstBet
from rules.odds import Odds, Question, odds
from rules.odds.against.low_and_high import SplitContest, contest_of, low_and_high
from rules.odds.solvers import answers_for
from tests.support.reading.paper import Paper

GAME = "three-card-split.co"
CENTS = 500
PLAYING = sorted(card for card in DECK if card.is_playing)


def contest(reading: str = "straight-first") -> SplitContest:
    question = Question(load_game(GAME))
    bets = [bet for bet in answers_for(question.game) if isinstance(bet, AgainstBet)]
    return contest_of(question, bets, question.game.default_readings() | {"three-card-rank": reading})


def rank(card: Card) -> int:
    return 14 if card.rank == 1 else card.rank or 0


def two(cards: Sequence[Card]) -> tuple[int, ...]:
    """Paragraph 11: suited connectors, pair, connectors, suited, high cards; ace-deuce is the lowest connector."""
    high, low = sorted(map(rank, cards), reverse=True)
    suited = cards[0].suit == cards[1].suit
    if high - low == 1 or (high, low) == (14, 2):
        return (4 if suited else 2), (2 if (high, low) == (14, 2) else high)
    return (3, high) if high == low else (int(suited), high, low)


def by_the_text(cards: Sequence[Card]) -> int:
    """Paragraph 14, a to f: return the index of the low card."""
    ranks = [rank(card) for card in cards]
    others = [[card for card in cards if card != low] for low in cards]
    if len(set(ranks)) == 1:  # a: the pair of one colour high
        return next(at for at, rest in enumerate(others) if len({card.suit in ("D", "H") for card in rest}) == 1)
    in_line = len(set(ranks)) == 3 and (max(ranks) - min(ranks) == 2 or sorted(ranks) == [2, 3, 14])
    if in_line or len({card.suit for card in cards}) == 1:  # b: the highest low
        return ranks.index(max(ranks))
    makes = [at for at in range(3) if two(others[at])[0] > 0]
    if not makes:  # f: the second highest low
        return ranks.index(sorted(ranks)[1])
    able = [at for at in makes if ranks[at] >= 10] or makes  # c and e, or d
    best = max(two(others[at]) for at in able)
    return min((cards[at].suit or "", at) for at in able if two(others[at]) == best)[1]


def test_the_house_way_is_that_of_the_text() -> None:
    asked, dealt = contest(), random.Random(48)
    for _ in range(1500):
        ranks = dealt.choice((range(1, 14), range(9, 14), (1, 2, 3, 10, 13)))
        cards = dealt.sample([card for card in PLAYING if card.rank in ranks], 3)
        assert asked.house(cards) == by_the_text(cards), cards


@pytest.mark.more
@pytest.mark.parametrize("reading", ["straight-first", pytest.param("flush-first", marks=pytest.mark.slow)])
def test_what_is_compared_is_what_is_settled(reading: str) -> None:
    asked, dealt = contest(reading), random.Random(reading)
    for _ in range(60):
        pool = [card for card in PLAYING if card.rank in dealt.choice(((1, 2, 12, 13), range(1, 14), (3, 4, 5)))]
        *own, first, second, third = dealt.sample(pool, 6)
        dealer = [first, second, third]
        place = asked.house(dealer)
        theirs = dealer[place], dealer[:place] + dealer[place + 1 :]
        for low, *high in permutations(own):
            nets = settled(own, low, dealer, theirs[0], reading)
            if asked.foul(low, high):
                assert nets == [-1, -1, -1]
                continue
            assert nets == [
                outcome([low], [theirs[0]], asked.low(low), asked.low(theirs[0])),
                outcome(high, theirs[1], asked.high(high), asked.high(theirs[1])),
                1 if asked.whole(own) > asked.whole(dealer) else -1,
            ]


def outcome(mine: Sequence[Card], theirs: Sequence[Card], strength: object, other: object) -> int:
    if strength == other:
        return 0 if len({card.suit in ("D", "H") for card in (*mine, *theirs)}) == 1 else -1
    return 1 if strength > other else -1  # type: ignore[operator]


def settled(own: Sequence[Card], low: Card, dealer: Sequence[Card], dealer_low: Card, reading: str) -> list[float]:
    bets = dict.fromkeys(("low", "high", "three-card"), CENTS)
    seat = {"seat": 1, "cards": " ".join(map(str, own)), "low": str(low), "bets": bets}
    case = {"seat": [seat], "dealer": " ".join(map(str, dealer)), "dealer_low": str(dealer_low), "community": "??"}
    found = Paper(GAME, case).settle(readings={"three-card-rank": reading})
    assert all(line.result != "held" for line in found.lines), [line.why for line in found.lines]
    nets = {line.bet: line.net / CENTS for line in found.lines}
    return [nets[bet] for bet in bets]


@pytest.mark.slow
def test_the_house_way_is_dearer_than_the_best() -> None:
    question = Question(load_game(GAME), readings={"three-card-rank": "straight-first"})
    found = [each for each in odds(question, "low+high+three-card") if isinstance(each, Odds)]
    best, house = found
    assert [each.reading["set"] for each in found] == ["for the most", "the house way"]
    assert 0 < best.house_edge < house.house_edge
    assert best.also["deals"] == 22_100 * 18_424
    assert best.average_bet == 3


def test_a_reading_that_holds_the_bet_has_no_odds() -> None:
    question = Question(load_game(GAME), readings={"three-card-rank": "open"})
    assert not list(low_and_high(question, answers_for(question.game)))
