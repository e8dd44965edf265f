"""What a game file says: hands, bets and their clauses, the order of settling, limits, open readings."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from dealer_flow.procedure.must_draw import DrawPart
from dealer_flow.procedure.tomlfile import TomlTable
from rules.amounts import WagerField
from rules.bet_terms import (
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
from rules.conditions import LONGEST_RACE
from rules.house import Charge, Pick, RankedWhen, SetHand
from rules.paytable import PayField

OWN: Final = "own"
"""The place of a seat's own cards in the `of` of a hand."""
DISCARDS: Final = "discards"
"""The cards that the seat laid away, in the `of` of a hand."""

MOST_CARDS: Final = 9
"""Of one place in a hand."""

Fold = Literal["lose", "stands", "absent"]
Cards = int | tuple[int, int]
"""How many cards: a number, or the least and the most."""


def _cards(value: object) -> Cards:
    match value:
        case bool():
            pass
        case int() if 1 <= value <= MOST_CARDS:
            return value
        case [int(least), int(most)] if 0 <= least < most <= MOST_CARDS:
            return least, most
    raise ValueError(f"not a number of cards; allowed: 1 to {MOST_CARDS}, or [least, most]")


CardsField = Annotated[Any, BeforeValidator(_cards)]


def _steps(value: object) -> object:
    return (value,) if isinstance(value, str) else value


StepsField = Annotated[tuple[str, ...], BeforeValidator(_steps)]
"""A step by name, or several of which each may be the one: a procedure's sister shows what it deals."""


class ForcedDraw(TomlTable):
    """What the dealer must draw with what he holds; `before`: the steps after which those cards are on record."""

    before: Annotated[tuple[str, ...], Field(min_length=1)]
    rows: Annotated[tuple[DrawPart, ...], Field(min_length=1)]


class HandSpec(TomlTable):
    """The cards that make one hand, and how it is ranked.

    `of`: how many cards of each place, in this order: `own` (the seat's), `discards` (what it laid away), `dealer`,
    `community`, or a hand that the procedure names. `at`: the step after which they lay there, by place, or
    several of which the first on record counts; those of the
    end where none is named. `part`: of a hand that is set in two, which part; `low-or-whole` also of one that is not.
    `keeps`: the house way by which the dealer keeps some of the cards of the first place. `fill`: the last place gives
    as many of its cards, from the first, as make this number with the others. `pick`: each of its places holds a hand,
    and this is one of them. `draw`: how its cards must have been drawn. `ranking_when`: another ranking under these
    options of readings, the first that holds.
    """

    ranking: str
    of: Annotated[dict[str, CardsField], Field(min_length=1)]
    at: dict[str, StepsField] = Field(default_factory=dict)
    part: Literal["", "low", "rest", "low-or-whole"] = ""
    whole: str = ""
    """Of a part: the hand of all the cards, whose odds are the part's as far as a table pays it."""
    keeps: str = ""
    fill: Annotated[int, Field(ge=1)] | None = None
    pick: Pick | None = None
    draw: ForcedDraw | None = None
    ranking_when: tuple[RankedWhen, ...] = ()
    clause: str


class Qualifier(TomlTable):
    """The least hand that qualifies, as cards and in `words`: one that ranks below `at_least` does not."""

    hand: str = "dealer"
    at_least: str
    words: str
    clause: str


class RaceSpec(TomlTable):
    """A race of columns, one a suit: how many cards win in one, and after how many without a winner it is over."""

    column: Annotated[int, Field(ge=1)]
    most: Annotated[int, Field(ge=1, le=LONGEST_RACE)]
    clause: str


class Lap(TomlTable):
    """One round of the dealer around the table: these bets (all that are left where none is named), only those won or
    lost where it says so, seat by seat; seat 1 is at the dealer's left. `leaving`: bets that are left for a later round
    when they win. `losers_first`: of a seat, what is won last. `unqualified`: what this clause settles since the dealer
    does not qualify, before any hand is compared."""

    bets: tuple[str, ...] = ()
    only: Literal["", "won", "lost", "unqualified"] = ""
    leaving: tuple[str, ...] = ()
    losers_first: bool = False
    seats: Literal["descending", "ascending"]
    clause: str


class Games(TomlTable):
    """In how many games at one table a player may bet; a bet says which game it `counts_as`."""

    most: Annotated[int, Field(ge=1)]
    clause: str


class Limit(TomlTable):
    """The most one bet may be; None when the text leaves the figure to the table."""

    each_bet_cents: WagerField | None = None
    clause: str
    games: Games | None = None


class MaximumRule(TomlTable):
    """What a game's text lets a maximum payout cut: the pays of these `bets`, of the whole round only where so many
    players `win`. `tips`: also what a tip is paid."""

    bets: Annotated[tuple[str, ...], Field(min_length=1)]
    winners: Annotated[int, Field(ge=1)] = 1
    tips: bool = False
    clause: str


class ReturnClauses(TomlTable):
    """The clause that gives bets back, by what went wrong; empty where it cannot happen."""

    misdeal: str
    defective_deck: str
    dead_hand: str = ""
    no_jackpot_hand: str = ""


class Open(TomlTable):
    """A reading this game leaves open: the option taken unless told otherwise, and why it is open.

    `suspect`: option -> why it cannot be meant; with it, no real bet is settled unless the caller says so.
    """

    default: str
    because: str
    suspect: dict[str, str] = Field(default_factory=dict)


class BaseBet(TomlTable):
    """What every kind of bet has. `fold`: what folding does to it; `absent`: it is made by not folding. `hand`: the
    hand that decides it, another one under an option of a reading or by a table (`hand_when`). `on`: the bet whose
    stake it is paid on, for a pay that is no wager of its own."""

    name: str
    clauses: Clauses
    fold: Fold = "stands"
    hand: str = "player"
    hand_when: tuple[HandWhen, ...] = ()
    pays: PayField = None
    paytables: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
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
    wins: Literal["higher", "lower"] = "higher"
    table_hand: str = ""
    below: Literal["push", "lose", "even"] = "push"
    always: Literal["", "stake-kept", "stake-lost"] = ""
    tie: Literal["push", "lose", "win"] = "push"
    ties: tuple[TieRule, ...] = ()
    one_colour: OneColour | None = None
    doubt: Doubt | None = None
    unqualified: Unqualified | None = None

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


class SplitBet(BaseBet):
    """A hand set in two against another that is: two parts won win, none loses, one is a push (`clauses.tie`); a copy,
    the same rank in both, is the other hand's, by the clause `copies`."""

    kind: Literal["split"]
    against: str
    low: str
    against_low: str
    copies: str


class SharedBet(BaseBet):
    """A bet that stands in equal parts beside those of `goes_with` that the seat made, and ends as each of them."""

    kind: Literal["shared"]
    goes_with: Annotated[tuple[str, ...], Field(min_length=1)]


class EnvyRule(TomlTable):
    """What the envy of a table's rows asks: a bet of at least `least_cents` on this spot. `highest`: only the highest
    hand of the round brings it, none where the hand `board` is as high; `hands`: those of a seat that may, where it has
    several."""

    least_cents: WagerField
    highest: bool = False
    board: str = ""
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
    seat, and pushed back where that was not dealt (`clauses.tie`)."""

    kind: Literal["fee"]
    for_card: Annotated[int, Field(ge=0, le=MOST_CARDS)] = 0


class PotBet(BaseBet):
    """A pot that players put together: the best hand among them has it, equal ones share it. `least`: how many must
    have bet; fewer have their wagers back (`clauses.tie`)."""

    kind: Literal["pot"]
    least: Annotated[int, Field(ge=2)] = 2


class OutcomeSpec(TomlTable):
    """One outcome that money may be on: the `row` that pays it, and what wins it: the `card`, `rank` or `suit` that the
    proposition names, a value `over` or `under` seven, or the `row` itself, held by the hand. `open`: the text does not
    say what it is, and the money is held. `without`: ranks of the card with which it is lost all the same."""

    row: str
    wins: Literal["card", "rank", "suit", "over", "under", "row", "open"]
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
    kind: Literal["tip"]
    for_: str
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
    | PropositionBet
)
"""A bet as it is settled."""
BetRow = Annotated[Bet | TipBet, Field(discriminator="kind")]
"""A bet as a file names it."""

KINDS_OF_BETS: Final = (
    *("against", "margin", "split", "shared", "table", "progressive"),
    *("race", "fee", "pot", "proposition", "tip"),
)


class OddsSpec(TomlTable):
    """How the odds of the bets that are decided together are counted: a `solver` by name, the `bets` it answers for,
    the first of them the unit (where none is named: those against a hand, those made by not folding, fees), and what
    it needs to know. `not_computed`: bet -> why nobody counts it."""

    solver: str = ""
    bets: tuple[str, ...] = ()
    settings: dict[str, Any] = Field(default_factory=dict)
    not_computed: dict[str, str] = Field(default_factory=dict)


class GameSpec(TomlTable):
    """A game file. `decks`: how often one face may be seen in a round. `options`: under which options of its
    procedures a round is this game's, where they deal several. `laid_aside`: what a seat lays away stays with its hand
    and is told apart from it."""

    schema_: Literal["dealwire.game/2"] = Field(alias="schema")
    id: str
    name: str
    jurisdiction: str
    procedures: Annotated[tuple[str, ...], Field(min_length=1)]
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
    commission: Charge | None = None
    returns: ReturnClauses
    readings: dict[str, Open] = Field(default_factory=dict)
    bets: Annotated[tuple[BetRow, ...], Field(min_length=1)]
    odds: OddsSpec | None = None
