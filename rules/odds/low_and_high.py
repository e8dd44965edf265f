"""A solver of games in which few cards are set as one low card and a high hand, against the dealer's set the house way.

The file's bets, in this order: on the low card, on the high hand, on all the cards; hands with a `part` are compared by
how they are set, and a tie is the dealer's, unless the bet pushes where all cards are of one colour.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Final

from protocol.cards import Card
from rules.bets.bet import Bet
from rules.bets.outcome import ONE_COLOUR, BetFacts
from rules.game.house_ways import HouseWay, Rank, load_houseway
from rules.game.load import cards_of
from rules.kinds.against import AgainstBet
from rules.odds.card_sets import CardSets
from rules.odds.joint import of_joint
from rules.odds.placed_sets import Ints
from rules.odds.question import Question
from rules.odds.returns import Odds, gain_of
from rules.odds.splits import SplitContest, SplitPlay, Splits, play_splits, splits


@dataclass(frozen=True)
class SetTable:
    """The game as it is asked about, under one choice of its readings."""

    question: Question
    low_bet: AgainstBet
    high_bet: AgainstBet
    whole_bet: AgainstBet
    readings: dict[str, str]

    @cached_property
    def way(self) -> HouseWay:
        """How the dealer's hand is set."""
        return load_houseway(self.question.game.spec.houseways[0])

    def _ranked(self, bet: AgainstBet) -> Rank:
        """By the hand of a bet; a deck has few hands of one card and of two."""
        found = self.question.game.ranking_of(bet.hand, self.readings)
        return cache(lambda cards: found.rank(cards, self.readings))

    @cached_property
    def low(self) -> Rank:
        """Ranks the low card."""
        return self._ranked(self.low_bet)

    @cached_property
    def high(self) -> Rank:
        """Ranks the others."""
        return self._ranked(self.high_bet)

    def _foul(self, low: Card, others: Sequence[Card]) -> bool:
        return bool(self.low((low,)).strength > self.high(tuple(others)).strength)

    def _house(self, cards: Sequence[Card]) -> int:
        """The place of the low card; of settings that are worth the same, the first."""
        found = self.way.settings(cards, self.low, self.high)
        assert found is not None, "a house way speaks of every hand"
        return list(cards).index(found[1][0].low[0])

    def contest(self) -> SplitContest:
        """As the engine takes it."""
        whole = self._ranked(self.whole_bet)
        return SplitContest(
            low=lambda card: self.low((card,)).strength,
            high=lambda cards: self.high(tuple(cards)).strength,
            whole=lambda cards: whole(tuple(cards)).strength,
            foul=self._foul,
            house=self._house,
            colour_pushes=_ends(self.low_bet, 0, ONE_COLOUR) == "push",
            cards=cards_of(self.question.game.hand(self.whole_bet.hand))[1],
            deck=CardSets(*self.question.one),
        )


def low_and_high(question: Question, bets: Sequence[Bet]) -> Iterator[Odds]:
    """The odds of the three bets together and of each, set for the most and set the house way, under each reading."""
    low, high, whole = (bet for bet in bets if isinstance(bet, AgainstBet))
    open_to = {bet.doubt.reading: bet.doubt.is_ for bet in (low, high, whole) if bet.doubt is not None}
    names = [bet.name for bet in bets]
    for bet in (low, high, whole):
        if [_ends(bet, sign) for sign in (1, 0, -1)] != ["win", "lose", "lose"] or gain_of(
            bet.outcome(BetFacts(1))
        ) != 1:
            raise ValueError(f"{bet.name}: only even money whose tie is the dealer's is counted here")
    for chosen in question.choices(*open_to):
        if any(chosen[reading] == option for reading, option in open_to.items()):
            continue  # it holds the bet where the others differ
        readings = question.game.default_readings() | dict(question.readings) | chosen
        counted = splits(SetTable(question, low, high, whole, readings).contest(), question.progress)
        for words, choose in ((_BEST, None), (_HOUSE, _the_house_way)):
            found = play_splits(counted, choose)
            as_set = {**chosen, "set": words}
            yield from of_joint(question, names, found.joint, readings=as_set, also=_decisions(counted, found))


def _ends(bet: AgainstBet, sign: int, *also: str) -> str:
    outcome = bet.outcome(BetFacts(sign, also=frozenset(also)))
    return outcome.result if outcome is not None else ""


_BEST: Final = "for the most"
_HOUSE: Final = "the house way"


def _the_house_way(found: Splits) -> Ints:
    return found.house


def _decisions(counted: Splits, found: SplitPlay) -> dict[str, Any]:
    """How many hands are set as the house sets its own."""
    alike = int((found.chosen == counted.house).sum())
    hands = {_HOUSE: alike, "otherwise": len(counted.hands) - alike}
    return {"deals": sum(found.joint.values()), "decisions": {"set": {name: n for name, n in hands.items() if n}}}
