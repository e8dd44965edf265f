"""A bet as it is settled: what its kind may ask of a round, what the terms make of it, and the lines it makes.

A kind is a class of `rules.kinds`, and a part of the game's file, on which `rules.facts` stands: so a kind knows the
round and the terms of its settlement by the protocols here alone. `View`, `Terms` and `Game` have what they name.
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
from rules.settlement import Meter, MeterTotal, SettlementLine, make_line

Holds = Mapping[int, Mapping[str, Hold]]
"""Seat -> bet -> why it is not settled."""
Played = Mapping[int, Set[str]]
"""Seat -> the bets that the cards decide."""
NO_ROWS: Final[Mapping[Hashable, Outcome | None]] = MappingProxyType({})
"""Of a bet without a table."""
Compared = tuple[int, str, int]
"""Two hands compared: 1, 0 or -1, in words, and by how many cards the first is longer where that counts, else 0."""
_NO_LINES: Final[Mapping[int, SettlementLine]] = MappingProxyType({})


class OfTable(NamedTuple):
    """What became of one bet for the whole table: a line by seat, envy lines in the dealer's order, the meters after
    it."""

    lines: Mapping[int, SettlementLine] = _NO_LINES
    envy: tuple[SettlementLine, ...] = ()
    meters: tuple[MeterTotal, ...] = ()


class Bet(BetKeys):
    """A bet of a game file, and what makes its lines."""

    @property
    def settled_by(self) -> "Line":
        """What makes its line."""
        return self.line

    def line(self, staked: "Staked", seat: Seat, view: "RoundFacts") -> SettlementLine | None:
        """The line of a bet whose hand was not folded away and breaks no rule; None for a pay on another bet's stake
        that is not earned."""
        raise NotImplementedError(f"a bet of kind {self.kind} is settled apart")

    def lines(self, staked: "Staked", seat: Seat, view: "RoundFacts") -> Iterable[SettlementLine]:
        """The lines of a bet that is settled apart and not for the table."""
        raise NotImplementedError(f"a bet of kind {self.kind} has one line")

    @property
    def for_table(self) -> bool:
        """Whether `settle_table` has something to say of it."""
        return self.of_table

    def settle_table(self, seats: Sequence[Seat], holds: "Holds", played: "Played", view: "RoundFacts") -> "OfTable":
        """What becomes of the bet for the whole table at once; `seats` stand in the dealer's order."""
        raise NotImplementedError(f"a bet of kind {self.kind} is settled seat by seat")

    def by_table(self, staked: "Staked", seat: Seat, view: "RoundFacts") -> SettlementLine | None:
        """The line of a bet that is paid by the best row its hand holds; a pay on another bet's stake has none where
        there is no such row."""
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
        noted = self.noted(outcome, staked, seat, view)
        if isinstance(noted, Hold):
            return staked.held(noted)
        cards = " ".join(spell_cards(known)) if not isinstance(known := view.cards(name, seat), str) else known
        return staked.ended(noted, f"{outcome.row.when} in {cards}")

    def noted(self, outcome: Outcome, staked: "Staked", seat: Seat, view: "RoundFacts") -> Outcome | Hold:
        """How it ends by a note under its table, or why that is open."""
        return outcome


class TabledBet(Bet):
    """A bet that only a table pays."""

    @model_validator(mode="after")
    def _is_paid_by_table(self) -> Self:
        if self.pays is not None or not self.paytables:
            raise ValueError(f"bet {self.name!r} of kind {self.kind} needs paytables and no pays")
        if self.on_race != bool(self.rows):
            raise ValueError(f"bet {self.name!r}: a race bet, and no other, says which rows pay it")
        return self

    def outcome(self, facts: BetFacts) -> Outcome | None:
        """By the row that its hand makes."""
        return self.folded if facts.folded and self.fold != "stands" else self.by_row(facts.row)


class RowOutcomes(dict[Hashable, Outcome | None]):
    """Key of a hand -> how a bet ends that its row pays; found when it is looked up."""

    def __init__(self, bet: Bet, rows: FlatTable) -> None:
        super().__init__()
        self._bet, self._rows = bet, rows

    def __missing__(self, key: Hashable) -> Outcome | None:
        found = self[key] = self._bet.by_row(self._rows[key])
        return found


@dataclass(slots=True)  # not frozen: read several times a line, and made once
class Agreed:
    """A bet as the terms have it: whose stake it is paid on (`on`, itself for a wager of its `own`), the hand that
    decides it under the readings in use, the pay table chosen for it and that table's rows, both None for a bet without
    one, how it ends `by_row` of each key. `apart`: it is settled with those of the table, or outcome by outcome.
    `by_choice`: what its player chose or set may decide it before its hand does. `line` makes its line. `fold` is what
    folding does to it; `against` the hand that it is compared with, empty where it is with none; `envy_base` the wager
    in cents for which its envy stands; `whose` the other hand in words; `by_length`: hands are flushes, compared by how
    long they are; `loses` what is said last of the bet where it is lost."""

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
    beside_others: tuple[ByReading, ...]
    """Rows by a reading that ask for another bet of the seat."""
    folded_hand: str
    """The hand that decides it once its player folded."""
    others: "tuple[OtherOption, ...]"
    """The same bet under other options of readings that it hangs on."""


class OtherOption(NamedTuple):
    """A bet under another option of a reading, and what the option changes of it, as `ByReading.at` says. `wheel`: its
    own hand is another only where it is ace to five."""

    reading: str
    at: str
    of: Agreed
    wheel: bool


class Staked(msgspec.Struct, gc=False):
    """A bet of a seat: what the terms make of it, how much lies there, and the terms. A struct, since a dataclass takes
    three times as long to make."""

    of: Agreed
    seat: int
    cents: int
    terms: "TermFacts"
    stake: int
    """What lies there as this bet's own: nothing of a pay on another's stake."""

    @property
    def bet(self) -> Bet:
        """The bet as the game's file has it."""
        return self.of.bet

    @property
    def paytable(self) -> str | None:
        """The pay table chosen for it; None for a bet without one."""
        return self.of.paytable

    def row(self, key: object) -> PaidRow | None:
        """The row of its table that pays a hand of this key."""
        assert self.of.rows is not None, "only a bet with a table asks"
        return self.of.rows[key]

    def held(self, hold: Hold) -> SettlementLine:
        """It is not settled."""
        return held(self.of.bet, self.seat, self.stake, hold)

    def ended(self, outcome: Outcome, facts: str) -> SettlementLine:
        """It ended so, for these `facts`. Most lines are made without `make_line` and in the order of the fields: by
        their names they take half as long again."""
        of, stake, row, clause = self.of, self.stake, outcome.row, outcome.clause
        name, table = of.name, of.paytable if outcome.by_table else None
        if outcome.result == "lose":
            why = facts + of.loses
            return SettlementLine(self.seat, name, stake, "lose", 0, 0, -stake, why, clause, table, None, None, "0")
        if outcome.result == "held":
            return self.held(Hold(f"{facts}, and what becomes of {name} then a person says", clause))
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
"""Makes the line of a bet whose hand was not folded away and breaks no rule; None for a pay on another bet's stake
that is not earned."""


def lies(of: Agreed, seat: Seat, terms: "TermFacts") -> Staked:
    """A bet that lies before a seat, or is paid on one that does."""
    cents = seat.wagers[of.on]
    return Staked(of, seat.seat, cents, terms, cents if of.own else 0)


def held(bet: Bet, seat: int, stake: int, hold: Hold) -> SettlementLine:
    """The line of a bet that is not settled."""
    return make_line(seat, bet.name, stake, "held", hold.why, hold.clause, reading=hold.reading)


def fold_of(of: Agreed, seat: Seat) -> tuple[str, str]:
    """What folding does to the bet of this seat, and by which clause."""
    for row in of.beside_others:
        if row.fold is not None and seat.wagers.get(row.made):
            return row.fold, row.clause
    return of.fold, of.bet.clauses.fold


def left_to_a_person(bet: Bet, clause: str) -> Hold:
    """Why a bet waits whose hand folded, where nobody has said what a fold does to it."""
    return Hold(f"folded, and whether {bet.name} is still decided by its cards a person says", clause)


# ------------------------------------------------------------------ what a kind may ask


class GameFacts(Protocol):
    """The game."""

    @property
    def spec(self) -> SpecFacts:
        """Its file."""

    @property
    def bets(self) -> Mapping[str, Bet]:
        """By name, as settled."""

    @property
    def paytables(self) -> Mapping[str, PayTable]:
        """By name."""


class TermFacts(Protocol):
    """The terms on which a round is settled."""

    @property
    def game(self) -> GameFacts:
        """The game."""

    @property
    def readings(self) -> Mapping[str, str]:
        """The option of every reading."""

    @property
    def hands(self) -> Mapping[str, MadeHand]:
        """By name."""

    @property
    def meters(self) -> Mapping[str, Meter]:
        """By name."""

    @property
    def shown(self) -> Mapping[str, MeterTotal]:
        """The meters before anything is paid from them."""

    @property
    def unit_cents(self) -> int:
        """The smallest amount that a pay of the house leaves."""

    def agreed(self, bet: Bet) -> Agreed:
        """What these terms make of a bet."""

    def rank(self, hand: str, cards: tuple[Card, ...]) -> Ranked:
        """The cards of a hand of the game, ranked."""

    def holds(self, hand: str, ranked: Ranked, row: str) -> bool:
        """Whether a hand satisfies what a row of its pay tables may say."""

    def reaches(self, hand: str, ranked: Ranked, least: str) -> bool:
        """Whether a hand ranks no lower than the cards `least` do."""

    def printed(self, bet: Bet) -> Sequence[PayRow]:
        """The rows of the pay table chosen for a bet that has one, as they are printed."""

    def paid(self, stake: int, row: PaidRow) -> tuple[int, Fraction | int]:
        """Cents that a fixed pay gives after rounding, and the exact cents that the rounding kept."""

    def lost(self, of: Agreed, seat: int, stake: int, why: str, clause: str, table: str | None) -> SettlementLine:
        """The line of a bet that loses for a reason that comes again and again."""


class RoundFacts(Protocol):
    """The round, as the game looks at it. Of what is not known it says a phrase instead."""

    @property
    def result(self) -> RoundResult:
        """As it was published."""

    @property
    def terms(self) -> TermFacts:
        """On which it is settled."""

    @property
    def compared(self) -> dict[tuple[str, str, int], Compared | str]:
        """A hand, the one it is compared with and the seat -> how they compare, once that was asked."""

    def hand(self, name: str, seat: Seat | None = None) -> Ranked | str:
        """A hand of the game, ranked: a seat's own, or one that is the same for all."""

    def cards(self, name: str, seat: Seat | None = None) -> tuple[Card, ...] | str:
        """The cards of a hand, in the order of its places."""

    def may_be(self, name: str, seat: Seat, wanted: Callable[[Ranked], bool]) -> bool:
        """Whether a hand of a seat, which is not known, may be one as `wanted` by the faces that nobody read."""

    def qualifies(self, name: str, seat: Seat | None = None) -> bool | str:
        """Whether a qualifier of the game is met."""

    @property
    def found(self) -> dict[str, Any]:
        """What kinds found once for all seats, by what they call it."""
