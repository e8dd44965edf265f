"""A bet as it is settled: the facts a kind may use, the terms agreed for it, and its lines.

A kind is a class of `rules.kinds` and part of the schema of a game file, and `rules.facts` imports that schema. To
avoid an import cycle, a kind knows the round and the terms only through the protocols in this module, which `View`,
`Terms` and `Game` satisfy.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Protocol, Self

import msgspec
from pydantic import model_validator

from dealer_flow.record.result import RoundResult, Seat
from protocol.cards import Card, spell_cards
from rules.bets.bet_keys import BetKeys, SpecFacts
from rules.bets.bet_terms import ByReading
from rules.bets.hold import Hold
from rules.bets.outcome import BetFacts, Outcome
from rules.hands import Ranked
from rules.hands.hand_spec import MadeHand
from rules.paytables.paytable import FlatTable, PaidRow, PayRow, PayTable
from rules.settlement import HouseRake, Meter, MeterTotal, PotTotal, SettlementLine, make_line

Holds = Mapping[int, Mapping[str, Hold]]
"""Reasons that bets are held, by seat and bet."""
Played = Mapping[int, Set[str]]
"""Names of the bets that the cards decide, by seat."""
NO_ROWS: Final[Mapping[Hashable, Outcome | None]] = MappingProxyType({})
"""Outcomes by row for a bet without a table: none."""
Compared = tuple[int, str, int]
"""Comparison of two hands: 1, 0 or -1; the sentence; and the number of cards by which the first is longer (0 if length
does not count)."""
_NO_LINES: Final[Mapping[int, SettlementLine]] = MappingProxyType({})


class TableResult(NamedTuple):
    """Result of one bet for the whole table: lines by seat, envy lines in the dealer's order, and the meters
    afterwards."""

    lines: Mapping[int, SettlementLine] = _NO_LINES
    envy: tuple[SettlementLine, ...] = ()
    meters: tuple[MeterTotal, ...] = ()
    pots: tuple[PotTotal, ...] = ()
    """The pot that the bet is, if the house has taken a rake of it."""


class Bet(BetKeys):
    """A bet of a game file that makes its own settlement lines."""

    @property
    def settled_by(self) -> "Line":
        """Function that makes the bet's line."""
        return self.line

    def line(self, staked: "Staked", seat: Seat, view: "RoundFacts") -> SettlementLine | None:
        """Make the line of a bet whose hand did not fold and which breaks no rule.

        Returns None for a pay on another bet's stake that is not earned.
        """
        raise NotImplementedError(f"a bet of kind {self.kind} is not settled seat by seat")

    def lines(self, staked: "Staked", seat: Seat, view: "RoundFacts") -> Iterable[SettlementLine]:
        """Make the lines of a bet that has no single line per seat and is not settled for the whole table."""
        raise NotImplementedError(f"a bet of kind {self.kind} has one line")

    @property
    def for_table(self) -> bool:
        """True if `settle_table` settles the bet."""
        return self.of_table

    def settle_table(
        self, seats: Sequence[Seat], holds: "Holds", played: "Played", view: "RoundFacts"
    ) -> "TableResult":
        """Settle the bet for the whole table at once; `seats` are in the dealer's order."""
        raise NotImplementedError(f"a bet of kind {self.kind} is settled seat by seat")

    def by_table(self, staked: "Staked", seat: Seat, view: "RoundFacts") -> SettlementLine | None:
        """Make the line of a bet that is paid by the best row its hand makes.

        Returns None for a pay on another bet's stake if the hand makes no row.
        """
        name = staked.of.hand
        hand = view.hand(name, seat)
        if isinstance(hand, str):
            return staked.held(Hold(hand, self.clauses.win))
        outcome = staked.of.by_row[hand.key]
        if outcome is None:
            return None
        if outcome.row is None:
            of_dealer = "the dealer's " if view.terms.hands[name].of_dealer else ""
            return staked.ended(outcome, f"{of_dealer}{hand.text} has no row in {staked.of.paytable}")
        noted = self.with_note(outcome, staked, seat, view)
        if isinstance(noted, Hold):
            return staked.held(noted)
        cards = " ".join(spell_cards(known)) if not isinstance(known := view.cards(name, seat), str) else known
        return staked.ended(noted, f"{outcome.row.when} in {cards}")

    def with_note(self, outcome: Outcome, staked: "Staked", seat: Seat, view: "RoundFacts") -> Outcome | Hold:
        """Apply the note under the bet's pay table and return the outcome, or the reason that it is uncertain."""
        return outcome


class TabledBet(Bet):
    """A bet that only a table pays."""

    @model_validator(mode="after")
    def _is_paid_by_table(self) -> Self:
        if self.pays is not None or not self.paytables:
            raise ValueError(f"bet {self.name!r} of kind {self.kind} needs paytables and no pays")
        if self.on_race != bool(self.rows):
            raise ValueError(f"bet {self.name!r}: a race bet must name the rows that pay it, and no other bet may")
        return self

    def outcome(self, facts: BetFacts) -> Outcome | None:
        """Return the outcome by the row that the hand makes."""
        return self.folded if facts.folded and self.fold != "stands" else self.by_row(facts.row)


class RowOutcomes(dict[Hashable, Outcome | None]):
    """Outcomes of the rows of a pay table by the key of the hand, computed on first use."""

    def __init__(self, bet: Bet, rows: FlatTable) -> None:
        super().__init__()
        self._bet, self._rows = bet, rows

    def __missing__(self, key: Hashable) -> Outcome | None:
        found = self[key] = self._bet.by_row(self._rows[key])
        return found


@dataclass(slots=True)  # not frozen: attribute access is faster, and lines read it often
class AgreedBet:
    """A bet as the terms have it.

    - `on`: the bet whose stake it is paid on; the bet itself if the wager is its `own`.
    - `hand`: the hand that decides it under the readings in use. `against`: the hand it is compared with, empty
      if none. `whose`: that hand in words.
    - `paytable` and `rows`: the pay table chosen and its rows; None for a bet without one. `by_row`: the outcome
      by key of the hand.
    - `apart`: it is settled for the whole table or outcome by outcome.
    - `by_choice`: a choice or setting by its player may decide it before its hand does.
    - `line`: the function that makes its line.
    - `fold`: the effect of folding on it.
    - `envy_base`: the wager in cents for which its printed envy applies.
    - `by_length`: its hands are flushes, compared by length.
    - `loses`: the end of the sentence of a lost bet.
    """

    bet: Bet
    name: str
    on: str
    own: bool
    apart: bool
    by_choice: bool
    line: "Line"
    hand: str
    paytable: str | None
    rows: FlatTable | None
    by_row: Mapping[Hashable, Outcome | None]
    fold: str
    against: str
    envy_base: int
    whose: str
    by_length: bool
    loses: str
    other_bet_rows: tuple[ByReading, ...]
    """Rows by a reading that depend on another bet of the seat."""
    folded_hand: str
    """The hand that decides it once its player folded."""
    others: "tuple[OtherOption, ...]"
    """The same bet under other options of readings that affect it."""


class OtherOption(NamedTuple):
    """A bet under another option of a reading. `at` is the key that the option changes, see `ByReading.at`. `wheel`:
    the two options rank a hand differently only if it is ace to five."""

    reading: str
    at: str
    of: AgreedBet
    wheel: bool


class Staked(msgspec.Struct, gc=False):
    """A seat's bet: its agreed terms, the cents staked, and the terms of the settlement.

    A struct, because a dataclass takes three times as long to create.
    """

    of: AgreedBet
    seat: int
    cents: int
    terms: "TermFacts"
    stake: int
    """The bet's own stake in cents: 0 for a pay on another bet's stake."""

    @property
    def bet(self) -> Bet:
        """The bet as the game file defines it."""
        return self.of.bet

    @property
    def paytable(self) -> str | None:
        """The pay table chosen for it; None for a bet without one."""
        return self.of.paytable

    def row(self, key: object) -> PaidRow | None:
        """Return the row of the bet's table that pays a hand of this key."""
        assert self.of.rows is not None, "only a bet with a table asks"
        return self.of.rows[key]

    def held(self, hold: Hold) -> SettlementLine:
        """Return the line of the bet as held."""
        return held(self.of.bet, self.seat, self.stake, hold)

    def ended(self, outcome: Outcome, facts: str) -> SettlementLine:
        """Return the line for `outcome`; `facts` begins its sentence.

        The most frequent lines bypass `make_line` and pass fields by position, because keywords take half as long
        again.
        """
        of, stake, row, clause = self.of, self.stake, outcome.row, outcome.clause
        name, table = of.name, of.paytable if outcome.by_table else None
        if outcome.result == "lose":
            why = facts + of.loses
            return SettlementLine(self.seat, name, stake, "lose", 0, 0, -stake, why, clause, table, None, None, "0")
        if outcome.result == "held":
            return self.held(Hold(f"{facts}; a supervisor decides the result of {name}", clause))
        if outcome.result != "win" or row is None:
            ends = "is pushed back" if outcome.result == "returned" else "pushes"
            when = row.when if row is not None and row.when else None
            why = f"{facts}: {name} {ends}"
            return make_line(self.seat, name, stake, outcome.result, why, clause, paytable=table, row=when)
        pay, rest = self.terms.paid(self.cents, row)
        back = stake if row.keeps_stake and not outcome.stake_lost else 0
        why = f"{facts}: {name} pays {row.words}{', the stake is lost' if outcome.stake_lost else ''}"
        net, left, when = pay + back - stake, str(rest) if rest else "0", row.when or None
        return SettlementLine(self.seat, name, stake, "win", pay, back, net, why, clause, table, when, None, left)


Line = Callable[[Staked, Seat, "RoundFacts"], SettlementLine | None]
"""Makes the line of a bet whose hand did not fold and which breaks no rule; returns None for a pay on another bet's
stake that is not earned."""


def placed_bet(of: AgreedBet, seat: Seat, terms: "TermFacts") -> Staked:
    """Return a bet on a seat's spot, or a pay on the stake of one."""
    cents = seat.wagers[of.on]
    return Staked(of, seat.seat, cents, terms, cents if of.own else 0)


def held(bet: Bet, seat: int, stake: int, hold: Hold) -> SettlementLine:
    """Make the line of a bet that is not settled."""
    return make_line(seat, bet.name, stake, "held", hold.why, hold.clause, reading=hold.reading)


def fold_of(of: AgreedBet, seat: Seat) -> tuple[str, str]:
    """Return the effect of folding on the seat's bet, and its clause."""
    for row in of.other_bet_rows:
        if row.fold is not None and seat.wagers.get(row.made):
            return row.fold, row.clause
    return of.fold, of.bet.clauses.fold


def fold_left_open(bet: Bet, clause: str) -> Hold:
    """Return the hold of a folded hand's bet for which the regulation does not settle the effect of a fold."""
    return Hold(f"folded; a supervisor decides whether {bet.name} still plays by its cards", clause)


# ------------------------------------------------------------------ facts that a kind may use


class GameFacts(Protocol):
    """Facts about the game."""

    @property
    def spec(self) -> SpecFacts:
        """The game file."""

    @property
    def bets(self) -> Mapping[str, Bet]:
        """Bets by name, as settled."""

    @property
    def paytables(self) -> Mapping[str, PayTable]:
        """Pay tables by name."""


class TermFacts(Protocol):
    """Terms on which a round is settled."""

    @property
    def game(self) -> GameFacts:
        """The game."""

    @property
    def readings(self) -> Mapping[str, str]:
        """Option in use, by reading."""

    @property
    def hands(self) -> Mapping[str, MadeHand]:
        """Hands of the game by name."""

    @property
    def meters(self) -> Mapping[str, Meter]:
        """Meters by name."""

    @property
    def shown(self) -> Mapping[str, MeterTotal]:
        """The meters before anything is paid from them."""

    @property
    def unit_cents(self) -> int:
        """The smallest amount, in cents, to which a house pay is rounded."""

    @property
    def rake(self) -> HouseRake | None:
        """The house's rake on pots; None if it takes none."""

    def agreed(self, bet: Bet) -> AgreedBet:
        """Return a bet as these terms have it."""

    def rank(self, hand: str, cards: tuple[Card, ...]) -> Ranked:
        """Rank the cards of a hand of the game."""

    def holds(self, hand: str, ranked: Ranked, row: str) -> bool:
        """Return True if a hand satisfies a row of its pay tables."""

    def reaches(self, hand: str, ranked: Ranked, least: str) -> bool:
        """Return True if a hand ranks at least as high as the cards `least`."""

    def printed(self, bet: Bet) -> Sequence[PayRow]:
        """Return the rows, as printed, of the pay table chosen for a bet that has one."""

    def paid(self, stake: int, row: PaidRow) -> tuple[int, Fraction | int]:
        """Return the cents that a fixed pay gives after rounding, and the exact cents that rounding kept."""

    def lost(self, of: AgreedBet, seat: int, stake: int, why: str, clause: str, table: str | None) -> SettlementLine:
        """Return the line of a bet that loses for a reason that many lines share."""


class RoundFacts(Protocol):
    """The round, in the game's terms. An unknown fact is returned as a phrase that says what is missing."""

    @property
    def result(self) -> RoundResult:
        """The round as it was published."""

    @property
    def terms(self) -> TermFacts:
        """Terms on which it is settled."""

    @property
    def compared(self) -> dict[tuple[str, str, int], Compared | str]:
        """Comparisons made so far, by hand, the hand it is compared with, and seat."""

    def hand(self, name: str, seat: Seat | None = None) -> Ranked | str:
        """Return a hand of the game, ranked: a seat's own, or one shared by all."""

    def cards(self, name: str, seat: Seat | None = None) -> tuple[Card, ...] | str:
        """Return the cards of a hand, in the order of its places."""

    def may_be(self, name: str, seat: Seat, wanted: Callable[[Ranked], bool]) -> bool:
        """Return True if a seat's incomplete hand could be one that `wanted` accepts, given the faces that were not
        read."""

    def qualifies(self, name: str, seat: Seat | None = None) -> bool | str:
        """Return True if a qualifier of the game is met."""

    @property
    def found(self) -> dict[str, Any]:
        """Results that kinds compute once for all seats, by a key of their own."""
