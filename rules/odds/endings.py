"""What becomes of bets that one decision is made for, by the words of a game's file: when the hand is folded, and when
it meets the dealer's."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NamedTuple

from rules.bets.bet import Bet
from rules.kinds.against import AgainstBet
from rules.kinds.table import TableBet
from rules.odds.joint import Ending
from rules.odds.question import Question
from rules.odds.returns import back_of
from rules.odds.versus import LOSE, NO_HAND, TIE, WIN
from rules.paytables.paytable import PaidRow

NET: Final[Mapping[str, Fraction]] = {"push": Fraction(0), "lose": Fraction(-1)}
"""What a bet comes to that ends so, whatever it is paid."""

_WORDS: Final[Mapping[str, str]] = {
    NO_HAND: "the dealer does not qualify",
    LOSE: "the dealer wins",
    TIE: "tie",
    WIN: "the player wins",
}


class Met(NamedTuple):
    """A player's hand as bets see it: its key by each name that the file has for it, and the cards, as the file writes
    them, that it is no lower than."""

    keys: tuple[tuple[str, Hashable], ...]
    reaches: frozenset[str] = frozenset()


class NotSettledSo(Exception):
    """A bet of the file needs more than who has the better hand."""


@dataclass(frozen=True)
class Wagers:
    """Bets that are decided together, each with the pay table that is looked at and its stake in units of the first.

    A bet that is made by not folding has the stake that goes with the smallest raise. NotSettledSo names a bet that
    needs more than who has the better hand.
    """

    question: Question
    bets: Sequence[Bet]
    tables: Mapping[str, str]
    stakes: Mapping[str, Fraction]

    def __post_init__(self) -> None:
        for bet in self.bets:
            if why := self._beyond(bet):
                raise NotSettledSo(f"{bet.name} {why}")

    def _beyond(self, bet: Bet) -> str:
        """What the bet needs besides; empty where nothing."""
        meters = (row.pays.meter for name in bet.paytables for row in self.question.game.paytables[name].rows)
        if any(meters):
            return "is paid a share of a meter"
        if isinstance(bet, TableBet):
            return ""
        if not isinstance(bet, AgainstBet):
            return f"is of kind {bet.kind}"
        if bet.wins != "higher" or bet.ties or bet.one_colour is not None or bet.doubt is not None:
            return "is decided by more than which hand is the higher"
        acts = bet.unqualified is not None and "acts" in (
            bet.unqualified.then,
            *(e.then for e in bet.unqualified.unless),
        )
        if acts or (bet.unqualified is None and self._has_qualifier):
            return "acts against a hand that does not qualify"
        return "stands when the hand is folded" if bet.fold == "stands" else ""

    @property
    def _has_qualifier(self) -> bool:
        return any(isinstance(bet, AgainstBet) and bet.unqualified is not None for bet in self.bets)

    def folded(self, met: Met) -> Ending:
        """When the hand is given up; `met` is asked only for bets that stand."""
        ends = [self._folded(bet, met) for bet in self.bets]
        return Ending(
            tuple(end[0] for end in ends), tuple(end[1] for end in ends), "fold", tuple(end[2] for end in ends)
        )

    def played(self, met: Met, state: str, times: Fraction = Fraction(1)) -> Ending:
        """When the hand meets the dealer's, with what is made by playing on raised `times` as high."""
        stakes, nets, rows = [], [], []
        for bet in self.bets:
            stake = self._stake(bet) * (times if bet.fold == "absent" and not bet.on else 1)
            gain, row = self._gain(bet, met, state)
            stakes.append(stake)
            nets.append(gain * (self._stake(self.question.game.bets[bet.on]) if bet.on else stake))
            rows.append(row)
        return Ending(tuple(stakes), tuple(nets), _WORDS[state], tuple(rows))

    def _stake(self, bet: Bet) -> Fraction:
        return Fraction(0) if bet.on else self.stakes[bet.name]

    def _folded(self, bet: Bet, met: Met) -> tuple[Fraction, Fraction, str]:
        if bet.fold == "absent":
            return Fraction(0), Fraction(0), ""
        stake = self._stake(bet)
        if bet.fold == "lose":
            return stake, -stake, ""
        assert isinstance(bet, TableBet)
        gain, row = self._by_row(bet, met)
        return stake, gain * stake, row

    def _gain(self, bet: Bet, met: Met, state: str) -> tuple[Fraction, str]:
        """Of a unit of its stake, and the row that pays it."""
        if isinstance(bet, TableBet):
            return self._by_row(bet, met)
        assert isinstance(bet, AgainstBet)
        return self._against(bet, met, state)

    def _by_row(self, bet: TableBet, met: Met) -> tuple[Fraction, str]:
        row = self._row(bet, met)
        if row is None:
            return Fraction(0 if bet.on else -1), ""
        return self._net(row), row.when

    def _against(self, bet: AgainstBet, met: Met, state: str) -> tuple[Fraction, str]:
        row = self._row(bet, met) if bet.paytables else None
        if bet.always == "stake-kept" and row is not None:
            return self._net(row), row.when
        if state == NO_HAND and bet.unqualified is not None:
            return self._unqualified(bet, met)
        if state == NO_HAND:  # nobody asks whether the dealer's hand qualifies
            return Fraction(0), ""
        if bet.always == "stake-lost" and row is not None:
            return self._net(row) - (state == LOSE), row.when
        if state != WIN:
            return self._ended(bet, bet.tie if state == TIE else "lose"), ""
        if not bet.paytables:
            return self._net(self.question.game.fixed[bet.name]), ""
        return (self._net(row), row.when) if row is not None else (NET[bet.below], "")

    def _unqualified(self, bet: AgainstBet, met: Met) -> tuple[Fraction, str]:
        assert bet.unqualified is not None
        raised = (unless.then for unless in bet.unqualified.unless if unless.at_least in met.reaches)
        then = next(raised, bet.unqualified.then)
        return self._ended(bet, then), ""

    def _ended(self, bet: Bet, then: str) -> Fraction:
        """Of a unit of its stake, of a bet that ends so whatever the hand is."""
        return self._net(self.question.game.fixed[bet.name]) if then == "win" else NET[then]

    def _row(self, bet: Bet, met: Met) -> PaidRow | None:
        return self.question.game.tables[bet.name, self.tables[bet.name]][dict(met.keys)[paying_hand(bet)]]

    def _net(self, row: PaidRow) -> Fraction:
        back = back_of(row.pay, {}, self.question.wager_cents)
        assert back is not None, "no meter pays it"
        return back - 1


def paying_hand(bet: Bet) -> str:
    """The hand that a bet's tables look at."""
    return (isinstance(bet, AgainstBet) and bet.table_hand) or bet.hand


def thresholds(bets: Sequence[Bet]) -> list[str]:
    """The cards, as the file writes them, from which on something else becomes of a bet."""
    rules = [bet.unqualified for bet in bets if isinstance(bet, AgainstBet) and bet.unqualified is not None]
    return list(dict.fromkeys(unless.at_least for rule in rules for unless in rule.unless))
