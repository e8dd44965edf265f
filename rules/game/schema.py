"""What a game file says: bets and their clauses, the order of settling, limits, open readings; hands in `hand_spec`."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import Field, model_validator

from dealer_flow.tomlfile import TomlTable
from rules.game.amounts import WagerField
from rules.game.bet_terms import (
    Beside,
    Clauses,
    Declared,
    Doubled,
    Doubt,
    Equals,
    HandWhen,
    Instead,
    OneColour,
    Option,
    Paired,
    TieRule,
    Unqualified,
)
from rules.game.conditions import LONGEST_RACE
from rules.game.hand_spec import MOST_CARDS, HandSpec, Qualifier
from rules.game.jackpot_spec import JackpotAward
from rules.game.paytable import InlineTable, PayField
from rules.game.pool_spec import PoolSpec
from rules.game.pot_spec import PotSpec
from rules.game.split_spec import Charge, SetHand

Fold = Literal["lose", "stands", "absent"]


class RaceSpec(TomlTable):
    """A race of columns, one a suit: how many cards win in one, and after how many without a winner it is over."""

    column: Annotated[int, Field(ge=1)]
    """How many cards win in one column."""
    most: Annotated[int, Field(ge=1, le=LONGEST_RACE)]
    """After how many without a winner it is over."""
    clause: str


class Lap(TomlTable):
    """One round of the dealer around the table: these bets (all that are left where none is named), only those won or
    lost where it says so, seat by seat; seat 1 is at the dealer's left. `leaving`: bets that are left for a later round
    when they win. `losers_first`: of a seat, what is won last. `unqualified`: what this clause settles since the dealer
    does not qualify, before any hand is compared."""

    bets: tuple[str, ...] = ()
    """The bets that are settled then; all that are left where none is named."""
    only: Literal["", "won", "lost", "unqualified"] = ""
    """Those alone that were won, lost, or settled since the dealer does not qualify."""
    leaving: tuple[str, ...] = ()
    losers_first: bool = False
    seats: Literal["descending", "ascending"]
    """From which seat: `descending` begins at the dealer's right, `ascending` at his left."""
    clause: str


class Games(TomlTable):
    """In how many games at one table a player may bet; a bet says which game it `counts_as`."""

    most: Annotated[int, Field(ge=1)]
    """In so many at most."""
    clause: str


class Limit(TomlTable):
    """The most one bet may be; without a figure where the text leaves it to the table."""

    each_bet_cents: WagerField | None = None
    """The most that one bet may be."""
    clause: str
    games: Games | None = None


class MaximumRule(TomlTable):
    """What a game's text lets a maximum payout cut: the pays of these `bets`, of the whole round only where so many
    players `win`. `tips`: also what a tip is paid."""

    bets: Annotated[tuple[str, ...], Field(min_length=1)]
    """The bets whose pays it may cut."""
    winners: Annotated[int, Field(ge=1)] = 1
    """Where at least so many players win."""
    tips: bool = False
    clause: str


class ReturnClauses(TomlTable):
    """The clause that gives bets back, by what went wrong; empty where it cannot happen."""

    misdeal: str
    """After a misdeal."""
    defective_deck: str
    """After a defective deck."""
    dead_hand: str = ""
    """Of a dead hand."""
    no_jackpot_hand: str = ""
    """Where a round is played for the progressive alone and nobody has a jackpot hand."""


class Open(TomlTable):
    """A reading this game leaves open: the option taken unless told otherwise, and why it is open.

    `suspect`: option -> why it cannot be meant; with it, no real bet is settled unless the caller says so.
    """

    default: str
    """The option taken unless told otherwise."""
    because: str
    """Why the text is open."""
    suspect: dict[str, str] = Field(default_factory=dict)


class BaseBet(TomlTable):
    """What every kind of bet has. `fold`: what folding does to it; `absent`: it is made by not folding. `hand`: the
    hand that decides it, another one under an option of a reading or by a table (`hand_when`). `on`: the bet whose
    stake it is paid on, for a pay that is no wager of its own."""

    name: str
    """As the procedure calls the spot."""
    clauses: Clauses
    fold: Fold = "stands"
    hand: str = "player"
    hand_when: tuple[HandWhen, ...] = ()
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
    equals: Equals | None = None
    beside: Beside | None = None
    counts_as: str = "base game"
    """The game that it is in, for `limit.games`."""
    tip_for: ClassVar[str] = ""
    """Of a tip the bet that it is settled as; empty of any other. No key of a file: `as_tip` sets it."""
    only_table: ClassVar[str] = ""
    """Of a bet as another hand decides it, its one table; empty of any other. `as_chosen` sets it."""

    def as_tip(self, name: str, beside: Beside) -> Self:
        """The same bet for the dealer, beside this one."""
        tip = self.model_copy(update={"name": name, "equals": None, "beside": beside, "commission": ""})
        tip.__dict__["tip_for"] = self.name
        return tip

    def as_chosen(self, instead: Instead) -> Self:
        """The same bet as it is decided for a seat that made the choice."""
        bet = self.model_copy(update={"hand": instead.hand, "hand_when": ()})
        bet.__dict__["only_table"] = instead.paytables[0] if len(instead.paytables) == 1 else ""
        return bet

    def decided_by(self, readings: Mapping[str, str], paytable: str | None) -> str:
        """Name of the hand that decides it: the first that these readings and this table name, else its own."""
        return next((each.hand for each in self.hand_when if each.holds(readings, paytable)), self.hand)

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


class AgainstBet(BaseBet):
    """Two hands compared: a win pays `pays`, or by the player's hand from a table, below whose rows `below` decides.

    `wins`: whether the higher or the lower hand does.
    `table_hand`: the hand that the table looks at, where it is not the one compared.
    `always`: a hand in the table is paid whatever the other one has; `stake-lost`: and its stake is lost when it is
    beaten. `tie`: what a tie does, unless one of `ties` speaks of it.
    """

    kind: Literal["against"]
    against: str = "dealer"
    """The hand that it is compared with."""
    wins: Literal["higher", "lower"] = "higher"
    table_hand: str = ""
    below: Literal["push", "lose"] = "push"
    """What becomes of a win below the last row of the player's table."""
    always: Literal["", "stake-kept", "stake-lost"] = ""
    tie: Literal["push", "lose", "win"] = "push"
    ties: tuple[TieRule, ...] = ()
    """Ties of which something else comes."""
    one_colour: OneColour | None = None
    doubt: Doubt | None = None
    unqualified: Unqualified | None = None

    @property
    def asks_more(self) -> bool:
        """Whether more is asked than which of the two hands is higher."""
        return bool(self.paytables or self.table_hand or self.always or self.unqualified)

    @model_validator(mode="after")
    def _is_paid(self) -> Self:
        if (self.pays is None) != bool(self.paytables) or (self.pays is not None and self.pays.unit != "to"):
            raise ValueError(f"bet {self.name!r} against a hand needs pays = 'A to B' or paytables, one of them")
        return self


class TabledBet(BaseBet):
    """A bet that only a table pays."""

    @model_validator(mode="after")
    def _is_paid_by_table(self) -> Self:
        if self.pays is not None or not self.paytables:
            kind = getattr(self, "kind", "")
            raise ValueError(f"bet {self.name!r} of kind {kind} needs paytables and no pays")
        if (getattr(self, "kind", "") == "race") != bool(self.rows):
            raise ValueError(f"bet {self.name!r}: a race bet, and no other, says which rows pay it")
        return self


class MarginBet(TabledBet):
    """Two hands compared: a win pays by how many cards longer the flush is."""

    kind: Literal["margin"]
    against: str = "dealer"
    """The hand that it is compared with."""


class SplitBet(BaseBet):
    """A hand set in two against another that is: two parts won win, none loses, one is a push (`clauses.tie`); a copy,
    the same rank in both, is the other hand's, by the clause `copies`."""

    kind: Literal["split"]
    against: str
    """The rest of the other hand."""
    low: str
    """The low part of the hand that decides it."""
    against_low: str
    """The low part of the other hand."""
    copies: str
    """The clause by which a copy is the other hand's."""

    @model_validator(mode="after")
    def _is_paid(self) -> Self:
        if self.paytables or self.pays is None or self.pays.unit != "to":
            raise ValueError(f"bet {self.name!r} on a hand set in two needs pays = 'A to B' and no paytables")
        return self


class SharedBet(BaseBet):
    """A bet that stands in equal parts beside those of `goes_with` that the seat made, and ends as each of them."""

    kind: Literal["shared"]
    goes_with: Annotated[tuple[str, ...], Field(min_length=1)]
    """The bets beside which it stands in equal parts."""


class EnvyRule(TomlTable):
    """What the envy of a table's rows asks: a bet of at least `least_cents` on this spot. `highest`: only the highest
    hand of the round brings it, none where the hand `board` is as high; `hands`: those of a seat that may, where it has
    several."""

    least_cents: WagerField
    """The least bet on this spot that earns envy."""
    highest: bool = False
    board: str = ""
    """A hand; none is paid where it is as high."""
    hands: tuple[str, ...] = ()
    clause: str


class TableBet(TabledBet):
    """Paid by the best row of a table that the hand holds, whatever any other hand is."""

    kind: Literal["table"]
    envy: EnvyRule | None = None
    doubled: Doubled | None = None


class ProgressiveBet(TabledBet):
    """Paid by a table for the whole round at once, with shares of meters and envy."""

    kind: Literal["progressive"]


class RaceBet(TabledBet):
    """Paid by those rows of a race table that `rows` name: one printed table serves many bets."""

    kind: Literal["race"]


class FeeBet(BaseBet):
    """A fee: collected whatever the hand is, unless the round gives it back. `for_card`: it is for this card of the
    seat, and pushed back where that was not dealt (`clauses.tie`). `to_jackpot`: what is collected is the jackpot's and
    not the house's."""

    kind: Literal["fee"]
    for_card: Annotated[int, Field(ge=0, le=MOST_CARDS)] = 0
    to_jackpot: bool = False


class PotBet(BaseBet):
    """A pot that players put together: the best hand among them has it, equal ones share it. `least`: how many must
    have bet; fewer have their wagers back (`clauses.tie`)."""

    kind: Literal["pot"]
    least: Annotated[int, Field(ge=2)] = 2


class ToPotBet(BaseBet):
    """A wager into the pot of the table: what becomes of it `[pot]` says, not a hand or a fold of this bet. `clause`:
    by which it is made; it has no `clauses` of its own."""

    kind: Literal["to-pot"]
    clause: str
    clauses: Clauses = Clauses(win="", lose="")
    raised: bool = False
    """True where raises lie there, too: `limit` speaks of one bet and not of all that a betting round comes to."""

    @model_validator(mode="after")
    def _is_decided_by_the_pot(self) -> Self:
        if "clauses" in self.model_fields_set:
            raise ValueError(f"bet {self.name!r} goes into the pot, whose clauses decide; give it its clause alone")
        self.__dict__["clauses"] = Clauses(win=self.clause, lose=self.clause)
        return self


class ToPoolBet(BaseBet):
    """A wager that its player has back for winning the pot of the table; else it goes into the pool. What becomes of it
    `[pool]` says, not a hand or a fold. `clause`: by which it is made; it has no `clauses` of its own."""

    kind: Literal["to-pool"]
    clause: str
    clauses: Clauses = Clauses(win="", lose="")

    @model_validator(mode="after")
    def _is_decided_by_the_pot(self) -> Self:
        if "clauses" in self.model_fields_set:
            raise ValueError(f"bet {self.name!r} goes into the pool, whose clauses decide; give it its clause alone")
        self.__dict__["clauses"] = Clauses(win=self.clause, lose=self.clause)
        return self


class OutcomeSpec(TomlTable):
    """One outcome that money may be on: the `row` that pays it, and what wins it: the `card`, `rank` or `suit` that the
    proposition names, a value `over` or `under` seven, or the `row` itself, held by the hand. `open`: the text does not
    say what it is, and the money is held. `without`: ranks of the card with which it is lost all the same."""

    row: str
    """The row of the table that pays it."""
    wins: Literal["card", "rank", "suit", "over", "under", "row", "open"]
    """What it is decided by."""
    without: tuple[str, ...] = ()
    clause: str = ""


class PropositionBet(TabledBet):
    """Money on several outcomes of one event, each a bet of its own."""

    kind: Literal["proposition"]
    outcomes: Annotated[dict[str, OutcomeSpec], Field(min_length=1)]


class TipBet(TomlTable):
    """A tip: settled as the bet it is `for`, the money is the dealer's. `on`: the tip on whose stake it is paid, where
    that bet is paid on another's."""

    name: str
    """As the procedure calls the spot."""
    kind: Literal["tip"]
    for_: str
    """The bet as which it is settled."""
    on: str = ""
    clause: str


Bet = (
    AgainstBet
    | MarginBet
    | SplitBet
    | SharedBet
    | TableBet
    | ProgressiveBet
    | RaceBet
    | FeeBet
    | PotBet
    | ToPotBet
    | ToPoolBet
    | PropositionBet
)
"""A bet as it is settled."""
BetRow = Annotated[Bet | TipBet, Field(discriminator="kind")]
"""A bet as a file names it."""

KINDS_OF_BETS: Final = (
    *("against", "margin", "split", "shared", "table", "progressive"),
    *("race", "fee", "pot", "to-pot", "to-pool", "proposition", "tip"),
)
IN_POTS: Final = frozenset({"to-pot", "to-pool"})
"""Kinds of bets that players win from each other."""


class OddsSpec(TomlTable):
    """How the odds of the bets that are decided together are counted: a `solver` by name, the `bets` it answers for,
    the first of them the unit (where none is named: those against a hand, those made by not folding, fees), and what
    it needs to know. `not_computed`: bet -> why nobody counts it."""

    solver: str = ""
    """What counts them, by name: see `docs/game-files.md`."""
    bets: tuple[str, ...] = ()
    """The bets it answers for, the first of them the unit."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """What the solver needs to know, see `docs/game-files.md`."""
    not_computed: dict[str, str] = Field(default_factory=dict)


class GameSpec(TomlTable):
    """A game file. `decks`: how often one face may be seen in a round. `options`: under which options of its
    procedures a round is this game's, where they deal several. `laid_aside`: what a seat lays away stays with its hand
    and is told apart from it."""

    schema_: Literal["dealwire.game/3"] = Field(alias="schema")
    base: tuple[str, ...] | str = ()
    """The game on which this one stands, by id or as a path beside the file: what is not said here is as there."""
    without: tuple[str, ...] = ()
    """Tables, rows and keys of that game which this one does not have: `bets.progressive`, `limit`,
    `bets.ante-bonus.pairs-with`."""
    id: str
    name: str
    """What a person calls it."""
    jurisdiction: str
    """Whose rules these are."""
    procedures: Annotated[tuple[str, ...], Field(min_length=1)]
    """Ids of the procedures whose rounds it settles."""
    decks: Annotated[int, Field(ge=1, le=16)] = 1
    options: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    laid_aside: bool = False
    hands: dict[str, HandSpec] = Field(default_factory=dict)
    qualifiers: dict[str, Qualifier] = Field(default_factory=dict)
    race: RaceSpec | None = None
    order: Annotated[tuple[Lap, ...], Field(min_length=1)]
    limit: Limit | None = None
    maximum: MaximumRule | None = None
    sets: tuple[SetHand, ...] = ()
    houseways: tuple[str, ...] = ()
    """Ids of house ways, the first the default."""
    commission: Charge | None = None
    pot: PotSpec | None = None
    jackpot: JackpotAward | None = None
    pool: PoolSpec | None = None
    returns: ReturnClauses
    readings: dict[str, Open] = Field(default_factory=dict)
    bets: Annotated[tuple[BetRow, ...], Field(min_length=1)]
    paytables: dict[str, InlineTable] = Field(default_factory=dict)
    """Pay tables of the game's own, by name, where they are in no file of their own."""
    odds: OddsSpec | None = None
