"""Endings of bets that share one decision, by a game's file: when the hand is folded, and when it meets the
dealer's."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NamedTuple

from rules.bets.bet import Bet
from rules.bets.outcome import BetFacts
from rules.kinds.against import AgainstBet
from rules.kinds.margin import MarginBet
from rules.kinds.table import TableBet
from rules.odds.against.versus import LOSE, NO_HAND, TIE, WIN
from rules.odds.joint import Ending
from rules.odds.question import Question
from rules.odds.returns import gain_of
from rules.paytables.paytable import PaidRow

_SIGNS: Final[Mapping[str, int | None]] = {NO_HAND: None, LOSE: -1, TIE: 0, WIN: 1}
_WORDS: Final[Mapping[str, str]] = {
    NO_HAND: "the dealer does not qualify",
    LOSE: "the dealer wins",
    TIE: "tie",
    WIN: "the player wins",
}


class PlayerHand(NamedTuple):
    """A player's hand as the bets need it.

    `keys`: its key by each of the file's names for it. `reaches`: the minimum hands of the file that it reaches.
    `words`: its own words for endings, if any.
    """

    keys: tuple[tuple[str, Hashable], ...]
    reaches: frozenset[str] = frozenset()
    words: tuple[tuple[str, str], ...] = ()


class UnsupportedBet(Exception):
    """A bet of the file depends on more than who has the better hand."""


@dataclass(frozen=True)
class Wagers:
    """Bets that are decided together, each with its pay table and its stake in units of the first.

    A bet made instead of folding has the stake of the smallest raise. Raises UnsupportedBet for a bet that depends on
    more than who has the better hand.
    """

    question: Question
    bets: Sequence[Bet]
    tables: Mapping[str, str]
    stakes: Mapping[str, Fraction]

    def __post_init__(self) -> None:
        for bet in self.bets:
            if why := self._beyond(bet):
                raise UnsupportedBet(f"{bet.name} {why}")

    def _beyond(self, bet: Bet) -> str:
        """Return the reason that the bet cannot be counted, as a text that follows its name; empty if it can."""
        meters = (row.pays.meter for name in bet.paytables for row in self.question.game.paytables[name].rows)
        if any(meters):
            return "is paid a share of a meter"
        if isinstance(bet, TableBet | MarginBet):
            return ""
        if not isinstance(bet, AgainstBet):
            return f"is of kind {bet.kind}"
        if bet.wins != "higher" or bet.ties or bet.one_colour is not None or bet.doubt is not None:
            return "depends on more than which hand is higher"
        acts = bet.unqualified is not None and "acts" in (
            bet.unqualified.then,
            *(e.then for e in bet.unqualified.unless),
        )
        if acts or (bet.unqualified is None and self._has_qualifier):
            return "acts against a hand that does not qualify"
        return "stands when the hand is folded" if bet.fold == "stands" else ""

    @property
    def _has_qualifier(self) -> bool:
        return any(bet.unqualified_by is not None for bet in self.bets)

    def folded(self, met: PlayerHand) -> Ending:
        """Return the ending of a folded hand; `met` is used only for bets that stand after a fold."""
        ends = [
            self._ended(bet, BetFacts(row=self._row(bet, met) if bet.fold == "stands" else None, folded=True))
            for bet in self.bets
        ]
        stakes = tuple(Fraction(0) if bet.fold == "absent" else self._stake(bet) for bet in self.bets)
        nets = tuple(stake * gain for stake, (gain, _) in zip(stakes, ends, strict=True))
        return Ending(stakes, nets, "fold", tuple(row for _, row in ends))

    def played(self, met: PlayerHand, state: str, times: Fraction = Fraction(1)) -> Ending:
        """Return the ending against the dealer's hand; the bets made by playing on are raised to `times` their
        stake."""
        stakes, nets, rows = [], [], []
        for bet in self.bets:
            stake = self._stake(bet) * (times if bet.fold == "absent" and not bet.on else 1)
            gain, row = self._ended(
                bet, BetFacts(_SIGNS[state], self._row(bet, met), state != NO_HAND, False, met.reaches)
            )
            stakes.append(stake)
            nets.append(gain * (self._stake(self.question.game.bets[bet.on]) if bet.on else stake))
            rows.append(row)
        return Ending(tuple(stakes), tuple(nets), {**_WORDS, **dict(met.words)}[state], tuple(rows))

    def _stake(self, bet: Bet) -> Fraction:
        return Fraction(0) if bet.on else self.stakes[bet.name]

    def _ended(self, bet: Bet, facts: BetFacts) -> tuple[Fraction, str]:
        """Return the gain of one unit of the bet's stake, and the row that pays it."""
        outcome = bet.outcome(facts)
        gain = gain_of(outcome, self.question.wager_cents)
        assert gain is not None, "no meter pays it"
        return gain, outcome.row.when if outcome is not None and outcome.row is not None else ""

    def _row(self, bet: Bet, met: PlayerHand) -> PaidRow | None:
        if bet.name not in self.tables:
            return None
        return self.question.game.tables[bet.name, self.tables[bet.name]][dict(met.keys)[bet.paying_hand]]


def thresholds(bets: Sequence[Bet]) -> list[str]:
    """Return the minimum hands, as cards of the file, from which a bet ends differently."""
    rules = [bet.unqualified_by for bet in bets if bet.unqualified_by is not None]
    return list(dict.fromkeys(unless.at_least for rule in rules for unless in rule.unless))
