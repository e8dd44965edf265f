"""The row of a bet in a game file: the keys that every kind has, and what follows from them alone."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from dealer_flow.tomlfile import TomlTable
from protocol.tomlfile import Key
from rules.bets.bet_terms import (
    ByReading,
    Clauses,
    Declared,
    Doubled,
    EnvyRule,
    Fold,
    HandWhen,
    Instead,
    Option,
    Paired,
    RaceSpec,
    ReturnClauses,
    Unqualified,
)
from rules.bets.outcome import BetFacts, Outcome, paid
from rules.hands.hand_spec import HandSpec, Qualifier
from rules.paytables.paytable import PaidRow, PayField


class SpecFacts(Protocol):
    """The game's file."""

    @property
    def qualifiers(self) -> Mapping[str, Qualifier]:
        """By name."""

    @property
    def hands(self) -> Mapping[str, HandSpec]:
        """By name."""

    @property
    def race(self) -> RaceSpec | None:
        """Its race of columns."""

    @property
    def readings(self) -> Mapping[str, object]:
        """Those that it leaves open."""

    @property
    def bets(self) -> Sequence["BetKeys"]:
        """Its rows of bets."""

    @property
    def returns(self) -> ReturnClauses:
        """What gives bets back."""


class Decides(Protocol):
    """The rankings of the game's hands, as a file that is read asks them."""

    def least(self, hand: str, cards: str, key: Key) -> Iterator[tuple[Key, str]]:
        """What is wrong with the cards of a least hand."""

    def row(self, hand: str, row: str, key: Key) -> Iterator[tuple[Key, str]]:
        """What is wrong with a row that the hand shall hold."""


def unknown(key: Key, what: str, named: Iterable[str], known: Iterable[str]) -> Iterator[tuple[Key, str]]:
    """Names that nobody gave to anything, and those that are."""
    for name in named:
        if name not in known:
            yield key, f"unknown {what} {name!r}; allowed: {', '.join(known)}"


class BetKeys(TomlTable):
    """What a row of every kind says. `fold`: what folding does to it; `absent`: it is made by not folding. `hand`: the
    hand that decides it, another one under an option of a reading or by a table (`hand_when`). `by_reading`: what it
    says otherwise under an option of a reading. `on`: the bet whose stake it is paid on, for a pay that is no wager of
    its own."""

    name: str
    """As the procedure calls the spot."""
    if TYPE_CHECKING:
        kind: str  # a key of each kind, with its own name as the one value
    clauses: Clauses
    fold: Fold = "stands"
    hand: str = "player"
    hand_when: tuple[HandWhen, ...] = ()
    by_reading: tuple[ByReading, ...] = ()
    pays: PayField = None
    """One pay, where no table says it: `1 to 1`."""
    paytables: tuple[str, ...] = ()
    """The tables of which one is chosen, the first unless told otherwise: of this file, `paytables/` beside it, or the
    package."""
    rows: tuple[str, ...] = ()
    """Of a race bet: the rows of its table that pay it."""
    on: str = ""
    table_as: str = ""
    """The bet whose table is this one's, too: one schedule chosen for several bets."""
    declared: Declared | None = None
    instead: Instead | None = None
    commission: str = ""
    """The clause by which the house may take a commission of its win; a tip's win gives none."""
    commission_when: Option | None = None
    pairs_with: Paired | None = None
    counts_as: str = "base game"
    """The game that it is in, for `limit.games`."""
    tip_for: ClassVar[str] = ""
    """Of a tip the bet that it is settled as; empty of any other. No key of a file: `as_tip` sets it."""
    on_race: ClassVar[bool] = False
    """Whether a race decides it, and those rows of its table alone pay it that its `rows` name."""
    by_hand: ClassVar[bool] = True
    """Whether a hand decides it."""
    by_cards: ClassVar[bool] = False
    """Whether the row that its hand makes is all that decides it, unless it is folded."""
    of_meters: ClassVar[bool] = False
    """Whether meters pay it; a round may be played for it alone."""
    table_kind: ClassVar[str] = ""
    """The kind of its tables, where that is not the vocabulary of its hand's ranking."""
    apart: ClassVar[bool] = False
    """Whether it has no line of its own making: it is settled with those of the table, or outcome by outcome."""
    among_players: ClassVar[bool] = False
    """Whether players win it from each other, and `[pot]` or `[pool]` says how."""
    of_table: ClassVar[bool] = False
    """Whether its lines are those of the whole table, all found at once."""
    only_table: ClassVar[str] = ""
    """Of a bet as another hand decides it, its one table; empty of any other. `as_chosen` sets it."""
    beside_others: ClassVar[tuple[ByReading, ...]] = ()
    """The rows by a reading in use that ask for another bet of the seat. `under` sets them."""
    folded_hand: ClassVar[str] = ""
    """The hand that decides it once its player folded, where it is another one. `under` sets it."""

    def as_tip(self, name: str, on: str) -> Self:
        """The same bet for the dealer, paid on the stake of the tip `on` where it has none of its own."""
        tip = self.model_copy(update={"name": name, "on": on, "commission": ""})
        tip.__dict__["tip_for"] = self.name
        return tip

    def as_chosen(self, instead: Instead) -> Self:
        """The same bet as it is decided for a seat that made the choice."""
        bet = self.model_copy(update={"hand": instead.hand, "hand_when": ()})
        bet.__dict__["only_table"] = instead.paytables[0] if len(instead.paytables) == 1 else ""
        return bet

    def under(self, readings: Mapping[str, str]) -> Self:
        """The same bet as its rows by a reading have it under these options; itself where none is in use."""
        rows = [row for row in self.by_reading if row.holds(readings)]
        if not rows:
            return self
        changed: dict[str, Any] = {"clauses": self.clauses}
        for row in rows:
            if not row.made:
                changed |= self._as_read(row, changed["clauses"])
        bet = self.model_copy(update=changed)
        for name in [*bet.__dict__]:
            if isinstance(getattr(type(self), name, None), cached_property):
                del bet.__dict__[name]
        bet.__dict__["beside_others"] = tuple(row for row in rows if row.made)
        bet.__dict__["folded_hand"] = next((row.hand for row in rows if row.fold and row.hand), "")
        return bet

    def _as_read(self, row: ByReading, clauses: Clauses) -> dict[str, Any]:
        """What a row says otherwise, with its clause."""
        if row.at == "hand":
            return {"hand": row.hand, "clauses": clauses.model_copy(update={"win": row.clause, "lose": row.clause})}
        found: dict[str, Any] = {"clauses": clauses.model_copy(update={row.at: row.clause})}
        rule = getattr(self, "unqualified", None)
        if row.unqualified and rule is not None:
            return found | {"unqualified": rule.model_copy(update={"then": row.unqualified})}
        return found | {row.at: getattr(row, row.at)}

    def decided_by(self, readings: Mapping[str, str], paytable: str | None) -> str:
        """Name of the hand that decides it: the first that these readings and this table name, else its own."""
        return next((each.hand for each in self.hand_when if each.holds(readings, paytable)), self.hand)

    @cached_property
    def fixed(self) -> PaidRow | None:
        """What it pays whatever it wins with; None where a table says it."""
        return PaidRow("", self.pays, self.clauses.win) if self.pays else None

    def outcome(self, facts: BetFacts) -> Outcome | None:
        """How it ends by these facts, and nothing else; None where it is no bet: it is made by not folding, or it is a
        pay on another bet's stake that is not earned. A kind that hangs on more than a seat's facts has none."""
        raise NotImplementedError(f"how a bet of kind {self.kind} ends hangs on the whole table")

    @cached_property
    def folded(self) -> Outcome | None:
        """How folding ends it; None where its hand decides all the same, or where it is made by not folding."""
        return Outcome(self.fold, self.clauses.fold) if self.fold in ("lose", "held") else None

    def by_row(self, row: PaidRow | None) -> Outcome | None:
        """How it ends where a row of its table pays it, or none."""
        if row is not None:
            return paid(row, by_table=True)
        return None if self.on else Outcome("lose", self.clauses.lose, by_table=True)

    def faults(self, spec: SpecFacts, bets: Collection[str]) -> Iterator[tuple[Key, str]]:
        """What the keys of its kind cannot know of the rest of the file, whose `bets` and tips have these names; each
        key in its row."""
        yield from ()

    def ranked_faults(self, decides: Decides) -> Iterator[tuple[Key, str]]:
        """What is wrong with hands and rows that it names, by their rankings."""
        yield from ()

    @property
    def stands_with(self) -> tuple[str, ...]:
        """Bets beside which it stands, and without which it is nothing."""
        return ()

    @property
    def unqualified_by(self) -> Unqualified | None:
        """What it says of a hand that does not qualify."""
        return None

    @property
    def paying_hand(self) -> str:
        """The hand that its tables look at."""
        return self.hand

    @property
    def for_jackpot(self) -> bool:
        """Whether what is collected of it is a jackpot's."""
        return False

    def note(self, paytable: str | None) -> Doubled | None:
        """The note under one of its tables, where it has one."""
        return None

    @property
    def envy_rule(self) -> EnvyRule | None:
        """What the envy of its table's rows asks, where they bring any."""
        return None

    @property
    def compared_with(self) -> str:
        """The hand that its hand is compared with; empty where it is with none."""
        return ""

    @property
    def to_choose(self) -> tuple[str, ...]:
        """The tables of which one is chosen for it."""
        if self.paytables or self.instead is None or len(self.instead.paytables) == 1:
            return self.paytables
        return self.instead.paytables

    @property
    def all_paytables(self) -> tuple[str, ...]:
        """Every table that may pay it."""
        return (*self.paytables, *self.instead.paytables) if self.instead else self.paytables

    @property
    def chosen_with(self) -> str:
        """The bet for which its pay table is chosen."""
        return self.table_as or self.tip_for or self.name
