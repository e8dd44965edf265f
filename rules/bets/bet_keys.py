"""A bet's row in a game file: the keys that every kind has, and the properties that follow from them alone."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from dealer_flow.tomlfile import TomlTable
from protocol.tomlfile import Key
from rules.bets.bet_terms import (
    ByReading,
    ChoiceOverride,
    Clauses,
    Declared,
    DoublingNote,
    EnvyRule,
    Fold,
    HandWhen,
    Option,
    PairedTables,
    RaceSpec,
    ReturnClauses,
    Unqualified,
)
from rules.bets.outcome import BetFacts, Outcome, paid
from rules.hands.hand_spec import HandSpec, Qualifier
from rules.paytables.paytable import PaidRow, PayField


class SpecFacts(Protocol):
    """Facts about the game file."""

    @property
    def qualifiers(self) -> Mapping[str, Qualifier]:
        """Qualifiers by name."""

    @property
    def hands(self) -> Mapping[str, HandSpec]:
        """Hands by name."""

    @property
    def race(self) -> RaceSpec | None:
        """The race of columns, if the game has one."""

    @property
    def readings(self) -> Mapping[str, object]:
        """Readings that the game leaves open."""

    @property
    def bets(self) -> Sequence["BetKeys"]:
        """Rows of bets."""

    @property
    def returns(self) -> ReturnClauses:
        """Clauses that give bets back."""


class Decides(Protocol):
    """Rankings of the game's hands, for checks while a file is loaded."""

    def least(self, hand: str, cards: str, key: Key) -> Iterator[tuple[Key, str]]:
        """Yield the errors in the cards of a minimum hand."""

    def row(self, hand: str, row: str, key: Key) -> Iterator[tuple[Key, str]]:
        """Yield the errors in a pay table row named for a hand."""


def unknown(key: Key, what: str, named: Iterable[str], known: Iterable[str]) -> Iterator[tuple[Key, str]]:
    """Yield an error for each name in `named` that is not in `known`."""
    for name in named:
        if name not in known:
            yield key, f"unknown {what} {name!r}; allowed: {', '.join(known)}"


class BetKeys(TomlTable):
    """Keys of a bet of every kind."""

    name: str
    """Name of the spot, as the procedure calls it."""
    if TYPE_CHECKING:
        kind: str  # each kind declares it, with its own name as the only value
    clauses: Clauses
    fold: Fold = "stands"
    """Effect of folding on the bet; `absent` if it is made instead of folding."""
    hand: str = "player"
    """Hand that decides the bet, unless `hand_when` selects another."""
    hand_when: tuple[HandWhen, ...] = ()
    """Other hands that decide the bet, under an option of a reading or a pay table."""
    by_reading: tuple[ByReading, ...] = ()
    """Changes of these keys under an option of a reading."""
    pays: PayField = None
    """The single pay of a bet without a table: `1 to 1`."""
    paytables: tuple[str, ...] = ()
    """Pay tables to choose from; the first is the default. From this file, from `paytables/` next to it, or from the
    package."""
    rows: tuple[str, ...] = ()
    """For a race bet: the rows of its table that pay it."""
    on: str = ""
    """Bet whose stake this bet is paid on, for a pay that has no wager of its own."""
    table_as: str = ""
    """The bet whose pay table this one shares: one schedule chosen for several bets."""
    declared: Declared | None = None
    instead: ChoiceOverride | None = None
    commission: str = ""
    """The clause by which the house may take a commission on its win; a tip's win pays none."""
    commission_when: Option | None = None
    pairs_with: PairedTables | None = None
    counts_as: str = "base game"
    """The game it belongs to, for `limit.games`."""
    tip_for: ClassVar[str] = ""
    """For a tip, the bet that it is settled as; empty otherwise. Not a key of a file: `as_tip` sets it."""
    on_race: ClassVar[bool] = False
    """True if a race decides it, paid only by the rows of its table named in `rows`."""
    by_hand: ClassVar[bool] = True
    """True if a hand decides it."""
    by_cards: ClassVar[bool] = False
    """True if the row that its hand makes is all that decides it, unless the hand folds."""
    meter_effects: ClassVar[bool] = False
    """True if meters pay it; a round may be played for it alone."""
    table_kind: ClassVar[str] = ""
    """Kind of its pay tables, if not the vocabulary of its hand's ranking."""
    apart: ClassVar[bool] = False
    """True if it makes no line of its own: it is settled for the whole table, or outcome by outcome."""
    among_players: ClassVar[bool] = False
    """True if players win it from each other, as `[pot]` or `[pool]` defines."""
    of_table: ClassVar[bool] = False
    """True if its lines are computed for the whole table at once."""
    only_table: ClassVar[str] = ""
    """The only pay table of a bet that another hand decides (see `as_chosen`); empty otherwise."""
    other_bet_rows: ClassVar[tuple[ByReading, ...]] = ()
    """Rows by a reading in use that depend on another bet of the seat. Set by `under`."""
    folded_hand: ClassVar[str] = ""
    """The hand that decides it once its player folded, if different. Set by `under`."""

    def as_tip(self, name: str, on: str) -> Self:
        """Return the bet as a tip for the dealer. A pay without a stake of its own is paid on the stake of the tip
        `on`."""
        tip = self.model_copy(update={"name": name, "on": on, "commission": ""})
        # Through __dict__: the model is frozen, and a file must not be able to set it.
        tip.__dict__["tip_for"] = self.name
        return tip

    def as_chosen(self, instead: ChoiceOverride) -> Self:
        """Return the bet as it is decided for a seat that made the choice."""
        bet = self.model_copy(update={"hand": instead.hand, "hand_when": ()})
        bet.__dict__["only_table"] = instead.paytables[0] if len(instead.paytables) == 1 else ""
        return bet

    def under(self, readings: Mapping[str, str]) -> Self:
        """Return the bet with its rows by a reading applied for these options; the bet itself if no row applies."""
        rows = [row for row in self.by_reading if row.holds(readings)]
        if not rows:
            return self
        changed: dict[str, Any] = {"clauses": self.clauses}
        for row in rows:
            if not row.made:
                changed |= self._changed_fields(row, changed["clauses"])
        bet = self.model_copy(update=changed)
        # The copy took over cached properties that were computed for the old keys.
        for name in [*bet.__dict__]:
            if isinstance(getattr(type(self), name, None), cached_property):
                del bet.__dict__[name]
        bet.__dict__["other_bet_rows"] = tuple(row for row in rows if row.made)
        bet.__dict__["folded_hand"] = next((row.hand for row in rows if row.fold and row.hand), "")
        return bet

    def _changed_fields(self, row: ByReading, clauses: Clauses) -> dict[str, Any]:
        """Return the fields that a row by a reading changes, with its clause."""
        if row.at == "hand":
            return {"hand": row.hand, "clauses": clauses.model_copy(update={"win": row.clause, "lose": row.clause})}
        found: dict[str, Any] = {"clauses": clauses.model_copy(update={row.at: row.clause})}
        rule = getattr(self, "unqualified", None)
        if row.unqualified and rule is not None:
            return found | {"unqualified": rule.model_copy(update={"then": row.unqualified})}
        return found | {row.at: getattr(row, row.at)}

    def decided_by(self, readings: Mapping[str, str], paytable: str | None) -> str:
        """Return the name of the hand that decides the bet.

        That is the hand of the first entry of `hand_when` that these readings and this pay table select, else `hand`.
        """
        return next((each.hand for each in self.hand_when if each.holds(readings, paytable)), self.hand)

    @cached_property
    def fixed(self) -> PaidRow | None:
        """The single pay of a bet without a table; None if a table pays it."""
        return PaidRow("", self.pays, self.clauses.win) if self.pays else None

    def outcome(self, facts: BetFacts) -> Outcome | None:
        """Return the outcome that follows from these facts.

        Returns None if there is no bet: it is made instead of folding, or it is a pay on another bet's stake that is
        not earned. A kind that depends on more than one seat's facts raises NotImplementedError.
        """
        raise NotImplementedError(f"the outcome of a bet of kind {self.kind} depends on the whole table")

    @cached_property
    def folded(self) -> Outcome | None:
        """The outcome of a fold; None if the hand decides the bet anyway, or if the bet is made instead of folding."""
        return Outcome(self.fold, self.clauses.fold) if self.fold in ("lose", "held") else None

    def by_row(self, row: PaidRow | None) -> Outcome | None:
        """Return the outcome if this row of its table pays it, or if no row does."""
        if row is not None:
            return paid(row, by_table=True)
        return None if self.on else Outcome("lose", self.clauses.lose, by_table=True)

    def faults(self, spec: SpecFacts, bets: Collection[str]) -> Iterator[tuple[Key, str]]:
        """Yield the errors that a check of the bet's own keys cannot find; each key is relative to the bet's row.

        `bets` are the names of the file's bets and tips.
        """
        yield from ()

    def ranked_faults(self, decides: Decides) -> Iterator[tuple[Key, str]]:
        """Yield the errors in hands and rows that the bet names, checked against their rankings."""
        yield from ()

    @property
    def stands_with(self) -> tuple[str, ...]:
        """Bets that must be made with this one."""
        return ()

    @property
    def unqualified_by(self) -> Unqualified | None:
        """The rule for a hand that does not qualify, if the bet has one."""
        return None

    @property
    def paying_hand(self) -> str:
        """The hand that its pay tables rank."""
        return self.hand

    @property
    def for_jackpot(self) -> bool:
        """True if the amount collected of it goes to a jackpot."""
        return False

    def note(self, paytable: str | None) -> DoublingNote | None:
        """Return the note under one of its pay tables, if there is one."""
        return None

    @property
    def envy_rule(self) -> EnvyRule | None:
        """Conditions for the envy of its table's rows, if they pay any."""
        return None

    @property
    def compared_with(self) -> str:
        """The hand that its hand is compared with; empty if none."""
        return ""

    @property
    def to_choose(self) -> tuple[str, ...]:
        """Pay tables to choose from."""
        if self.paytables or self.instead is None or len(self.instead.paytables) == 1:
            return self.paytables
        return self.instead.paytables

    @property
    def all_paytables(self) -> tuple[str, ...]:
        """Every pay table that may pay it."""
        return (*self.paytables, *self.instead.paytables) if self.instead else self.paytables

    @property
    def chosen_with(self) -> str:
        """Name of the bet for which its pay table is chosen."""
        return self.table_as or self.tip_for or self.name
