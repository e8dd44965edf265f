"""Odds of money on the outcomes of one event, each a separate bet: the card that comes, or the hand that some cards
make.

Each card of the deck has the same chance, also as the second and third card; no card counting is assumed.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Final

from protocol.cards import DECK, RANKS, SUITS
from rules.bets.outcome import BetFacts
from rules.game.load import cards_of
from rules.kinds.proposition import OutcomeSpec, PropositionBet
from rules.odds.cards.decks import deals, dealt_from
from rules.odds.cards.distribution import distribution
from rules.odds.question import Question
from rules.odds.returns import BetOutcome, NotComputed, Odds, return_of_outcome
from rules.paytables.conditions import CONDITIONS
from rules.paytables.paytable import PayTable


def proposition_odds(question: Question, bet: PropositionBet) -> Iterator[Odds | NotComputed]:
    """Yield the odds of each outcome, listed among the readings as `outcome`; for one card, rank or suit that can
    win."""
    for table in question.tables(bet):
        open_ones = [name for name, outcome in bet.outcomes.items() if outcome.wins == "open"]
        if open_ones:
            why = f"the regulation does not say what wins {', '.join(open_ones)}"
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
    row = table.row_of(outcome.row)
    won, lost = (return_of_outcome(bet.outcome(BetFacts(sign, row, on=name))) for sign in (1, -1))
    outcomes = BetOutcome(name, wins, won, outcome.row), BetOutcome("another outcome", 1 - wins, lost)
    marks = question.marks(table, readings)
    return Odds(question.game.id, bet.name, table.id, {"outcome": name, **readings}, outcomes, bet.name, **marks)


def _share(
    question: Question, bet: PropositionBet, table: PayTable, outcome: OutcomeSpec, readings: Mapping[str, str]
) -> Fraction:
    """Return the probability that it wins."""
    game = question.game
    if outcome.wins == "row":
        ranking = game.rankings[bet.hand]
        cards, shoe = cards_of(game.hand(bet.hand))[1], dealt_from(game).shoe
        counted = distribution(ranking, (cards,), shoe, readings, question.progress)
        best = game.tables[bet.name, table.id]
        vocabulary = CONDITIONS[ranking.vocabulary]

        def holds(key: Hashable, row: str) -> bool:
            check = vocabulary.check(row)
            assert check is not None, "the file was examined"
            return check(key) > 0

        won = (n for key, n in counted.items() if outcome.wins_by_row(best[key], partial(holds, key), readings))
        return Fraction(sum(won), counted.total())
    named = _NAMED.get(outcome.wins, ("",))
    return Fraction(max(sum(outcome.wins_with(name, card, readings) for card in DECK) for name in named), len(DECK))


_NAMED: Final[Mapping[str, Iterable[str]]] = MappingProxyType(
    {"card": [card.text for card in DECK], "rank": RANKS, "suit": SUITS}
)
"""Names that an outcome may use, by what wins it."""
