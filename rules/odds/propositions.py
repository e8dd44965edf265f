"""Money on outcomes of one event, each outcome a bet of its own: a card that comes, or what some cards make.

A card is any of the deck with the same chance, also the second and the third, as long as nobody counts those that came.
"""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from protocol.cards import DECK, Card
from rules.game.load import cards_of
from rules.kinds.proposition import OutcomeSpec, PropositionBet
from rules.odds.decks import deals, dealt_from
from rules.odds.distribution import distribution
from rules.odds.question import Question
from rules.odds.returns import BetOutcome, NotComputed, Odds, back_of
from rules.paytables.conditions import CONDITIONS
from rules.paytables.paytable import PayTable

_SEVEN = 7
_ACE, _ACE_HIGH = 1, 14
_OF_CARD: Final[Mapping[str, Callable[[Card], str]]] = MappingProxyType(
    {"card": lambda card: card.text, "rank": lambda card: card.text[0], "suit": lambda card: card.text[1]}
)


def proposition_odds(question: Question, bet: PropositionBet) -> Iterator[Odds | NotComputed]:
    """The odds of each outcome, named among the readings as `outcome`; of a card, rank or suit that can win."""
    for table in question.tables(bet):
        open_ones = [name for name, outcome in bet.outcomes.items() if outcome.wins == "open"]
        if open_ones:
            why = f"the text does not say what wins {', '.join(open_ones)}"
            yield NotComputed(question.game.id, bet.name, deals(question.game), why)
        for name, outcome in bet.outcomes.items():
            if outcome.wins == "open":
                continue
            matters = {"row": "better-outcome", "over": "ace-over-under", "under": "ace-over-under"}
            for readings in question.choices(*filter(None, [matters.get(outcome.wins)])):
                wins = _share(question, bet, table, outcome, readings)
                yield _odds(question, bet, table, (name, outcome), readings, wins)


def _odds(
    question: Question,
    bet: PropositionBet,
    table: PayTable,
    on: tuple[str, OutcomeSpec],
    readings: Mapping[str, str],
    wins: Fraction,
) -> Odds:
    name, outcome = on
    pay = next(table.paid(row).pay for row in table.rows if row.when == outcome.row)
    outcomes = (
        BetOutcome(name, wins, back_of(pay, {}), outcome.row),
        BetOutcome("another outcome", 1 - wins, Fraction(0)),
    )
    marks = question.marks(table, readings)
    return Odds(question.game.id, bet.name, table.id, {"outcome": name, **readings}, outcomes, bet.name, **marks)


def _share(
    question: Question, bet: PropositionBet, table: PayTable, outcome: OutcomeSpec, readings: Mapping[str, str]
) -> Fraction:
    """The probability that it wins."""
    game = question.game
    if outcome.wins == "row":
        ranking = game.rankings[bet.hand]
        cards, shoe = cards_of(game.hand(bet.hand))[1], dealt_from(game).shoe
        counted = distribution(ranking, (cards,), shoe, readings, question.progress)
        best = game.tables[bet.name, table.id]
        check = CONDITIONS[ranking.vocabulary].check(outcome.row)
        assert check is not None, "the file was examined"
        if readings.get("better-outcome") == "apart":
            won = (ways for key, ways in counted.items() if (row := best[key]) and row.when == outcome.row)
        else:
            won = (ways for key, ways in counted.items() if check(key))
        return Fraction(sum(won), counted.total())
    can_win = [card for card in DECK if card.text[0] not in outcome.without]
    if outcome.wins in _OF_CARD:
        named = [_OF_CARD[outcome.wins](card) for card in can_win]
        return Fraction(max(map(named.count, named)), len(DECK))
    high = readings.get("ace-over-under") == "high"
    values = [_ACE_HIGH if card.rank == _ACE and high else card.rank or 0 for card in can_win]
    winning = [value for value in values if (value > _SEVEN if outcome.wins == "over" else value < _SEVEN)]
    return Fraction(len(winning), len(DECK))
