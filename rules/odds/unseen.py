"""Solvers of bets that are decided by cards that no decision can take into account.

These are: one card exchanged before the next is seen, points of two hands, and hands of a deck and a shoe together.
Each solver reads the bets of the game's file and their tables.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, prod

import numpy as np

from protocol.cards import Card
from rules.bets.bet import Bet
from rules.bets.outcome import BetFacts
from rules.game.load import Game, cards_of
from rules.hands import Ranking
from rules.hands.hand_spec import OWN
from rules.kinds.against import AgainstBet
from rules.kinds.proposition import PropositionBet
from rules.odds.against.unseen_draw import ImmediateWins, count_exchanges, unseen_draw
from rules.odds.cards.dealt import CardDeck, count_dealt
from rules.odds.cards.decks import dealt_from
from rules.odds.cards.placed_sets import Ints, Pack, RowFinder
from rules.odds.cards.table_rows import TableRows
from rules.odds.joint import Ending, joint_odds
from rules.odds.propositions import proposition_odds
from rules.odds.question import Question
from rules.odds.returns import NotComputed, Odds, gain_of
from rules.odds.rows import paid_by_row, shares_of
from rules.paytables.conditions import CONDITIONS


def unseen_draw_odds(question: Question, bets: Sequence[Bet]) -> Iterator[Odds]:
    """Count one exchange of an unseen card at even money, and first cards that win at once, for each of their
    tables."""
    (bet,) = bets
    pack = Pack(*question.one, dealt_from(question.game).jokers)
    shown = question.game.instead[bet.name]
    size = cards_of(question.game.hand(bet.hand))[0]
    counted = count_exchanges(pack, _strength_levels(question, bet, pack, size), size, question.progress)
    hands = counted.hands.sets
    tables = bet.instead.paytables if bet.instead else ()
    for name in tables if question.paytable in ("", *bet.paytables) else [question.paytable]:
        rows = TableRows(question, shown, question.game.paytables[name])
        at_once = ImmediateWins(rows.finder(pack).rows(hands), rows.pays)
        win, tie, lose = (gain_of(bet.outcome(BetFacts(sign))) or Fraction(0) for sign in (1, 0, -1))
        ways, decided = unseen_draw(counted, at_once=at_once, nets=(win, tie, lose))
        also = {"decisions": {"hand": decided}}
        yield from joint_odds(question, [bet.name], ways, tables={bet.name: name}, also=also)


def _strength_levels(question: Question, bet: Bet, pack: Pack, size: int) -> Ints:
    """Return the strength of every class of hands as an integer without gaps."""
    ranking, readings = question.game.rankings[bet.hand], question.game.default_readings()
    numbers: dict[tuple[int, ...], int] = {}

    def number(cards: Sequence[Card]) -> int:
        return numbers.setdefault(ranking.rank(cards, readings).strength, len(numbers))

    met = RowFinder(pack, number, size - pack.jokers).rows(pack.alike(size).sets)
    level = {strength: place for place, strength in enumerate(sorted(numbers))}
    return np.array([level[strength] for strength in numbers], np.int64)[met]


def points_odds(question: Question, bets: Sequence[Bet]) -> Iterator[Odds]:
    """Count bets on the higher or lower of two hands of points from one shoe, each separately and without decisions."""
    game = question.game
    for bet in bets:
        if not isinstance(bet, AgainstBet):
            raise TypeError(f"{bet.name} of {game.id} is not against a hand")
        ranking, cards = game.rankings[bet.hand], cards_of(game.hand(bet.hand))[1]
        shoe: Counter[int] = Counter()
        for card in question.one.cards:
            shoe[_points(ranking, card, cards)] += dealt_from(game).decks
        ways: Counter[Ending] = Counter()
        for (mine, other), deals in count_points(shoe, cards).items():
            ways[_ended(game, bet, mine, other)] += deals
        yield from joint_odds(question, [bet.name], ways)


def count_points(shoe: Mapping[int, int], cards: int = 3) -> Counter[tuple[int, int]]:
    """Count deals by (points of the player, of the dealer), both hands as sets; `shoe` has the number of cards by
    points."""
    hands = [Counter(held) for held in combinations_with_replacement(sorted(shoe), cards)]
    found: Counter[tuple[int, int]] = Counter()
    for mine in hands:
        ways = _ways(shoe, mine)
        left = {points: there - mine[points] for points, there in shoe.items()}
        for other in hands:
            found[_total(mine), _total(other)] += ways * _ways(left, other)
    return +found


def _ways(shoe: Mapping[int, int], held: Counter[int]) -> int:
    return prod(comb(max(shoe[points], 0), times) for points, times in held.items())


def _total(held: Counter[int]) -> int:
    return sum(points * times for points, times in held.items())


def _points(ranking: Ranking, card: Card, cards: int) -> int:
    """Return the points of one card, computed from a hand of copies of it, which a shoe allows."""
    total = ranking.rank([card] * cards, {}).key
    if not isinstance(total, int):
        raise TypeError(f"{ranking.id} does not count points")
    return total // cards


def _ended(game: Game, bet: AgainstBet, mine: int, other: int) -> Ending:
    sign = (mine > other) - (mine < other)
    outcome = bet.outcome(BetFacts(sign, also=_rows_held(game, bet, other) if sign == 0 else frozenset()))
    gain = gain_of(outcome)
    if outcome is None or gain is None:
        raise TypeError(f"{bet.name} of {game.id} is not decided by its hands alone")
    return Ending((Fraction(1),), (gain,), outcome.result if sign else f"tie, {outcome.result}")


def _rows_held(game: Game, bet: AgainstBet, points: int) -> frozenset[str]:
    """Return the rows of a tie's rules that these points satisfy."""
    conditions = CONDITIONS[game.rankings[bet.against].vocabulary]
    checks = ((rule.row, conditions.check(rule.row)) for rule in bet.ties)
    return frozenset(row for row, check in checks if check is not None and check(points))


def two_shoes_odds(question: Question, bets: Sequence[Bet]) -> Iterator[Odds | NotComputed]:
    """Count bets on own cards from one deck with community cards from a shoe, and propositions on these, each
    separately and without decisions."""
    for bet in bets:
        if isinstance(bet, PropositionBet):
            yield from proposition_odds(question, bet)
            continue
        shares, deals = _of_two_shoes(question, bet)
        for table in question.tables(bet):
            yield paid_by_row(question, bet, table, {}, shares, {"deals": deals})


def _of_two_shoes(question: Question, bet: Bet) -> tuple[dict[Hashable, Fraction], int]:
    game, hand = question.game, question.game.hand(bet.hand)
    ranking, readings = game.rankings[bet.hand], game.default_readings()
    own, community = hand.of[OWN], hand.of["community"]
    if not isinstance(own, int) or not isinstance(community, int):
        raise TypeError(f"{bet.hand} of {game.id} has no fixed number of cards")

    def key(cards: tuple[Card, ...]) -> Hashable:
        return ranking.rank(cards, readings).key

    shoe = CardDeck(dealt_from(game).decks, own=own, ranks=question.one.ranks, suits=question.one.suits)
    counted = count_dealt(key, own + community, shoe, suited=None, progress=question.progress)
    return shares_of(counted), counted.total()
