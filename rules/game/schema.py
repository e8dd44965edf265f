"""What a game file says: bets and their clauses, the order of settling, limits, open readings; hands in `hand_spec`."""

from typing import TYPE_CHECKING, Annotated, Literal, Union

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from dealer_flow.editions.edition import Day
from dealer_flow.tomlfile import TomlTable
from rules.bets.bet import Bet
from rules.bets.bet_terms import Charge, RaceSpec, ReturnClauses
from rules.game.jackpot_spec import JackpotAward
from rules.game.pool_spec import PoolSpec
from rules.game.pot_spec import PotSpec
from rules.hands.hand_spec import HandSpec, Qualifier, SetHand
from rules.kinds import KINDS
from rules.paytables.amounts import PartOfUnit
from rules.paytables.paytable import InlineTable


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
    """By which `clause` a table's own limit of a bet counts, where the procedure prints no figure, and in how many
    `games` a player may bet."""

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


class Open(TomlTable):
    """A reading this game leaves open: the option taken unless told otherwise, and why it is open.

    `suspect`: option -> why it cannot be meant; with it, no real bet is settled unless the caller says so.
    """

    default: str
    """The option taken unless told otherwise."""
    because: str
    """Why the text is open."""
    clause: str = ""
    """Where it is."""
    against: str = ""
    """What stands against the default."""
    suspect: dict[str, str] = Field(default_factory=dict)


class Signature(TomlTable):
    """Who signed readings for the house, and when: each with the option that was signed, which counts where it is the
    one in use."""

    by: Annotated[str, Field(min_length=1)]
    """Who signed."""
    on: Day
    """The day, as in `2026-11-29`."""
    readings: Annotated[dict[str, str], Field(min_length=1)]
    """Reading to the option that was signed."""


if TYPE_CHECKING:
    AnyBet = Bet
else:
    AnyBet = Union[tuple(KINDS.values())]  # noqa: UP007
BetRow = Annotated[AnyBet, Field(discriminator="kind")]
"""A bet as a file names it."""


class OddsSpec(TomlTable):
    """How the odds of the bets that are decided together are counted. What players may choose, when, at which stake and
    on which cards is read off the steps of the procedure; here stands what no step says."""

    solver: str = ""
    """What counts them, by name: see `docs/game-files.md`."""
    bets: tuple[str, ...] = ()
    """The bets it answers for, the first of them the unit; absent: those against a hand, those made by not folding,
    fees."""
    beside: tuple[str, ...] = ()
    """Bets that are lost with a folded hand, and are counted beside the others, too."""
    stakes: dict[str, Annotated[tuple[PartOfUnit, ...], Field(min_length=1)]] = Field(default_factory=dict)
    """Bet -> what it may be in units of the first, where no rule of the procedure says so."""
    fine: tuple[str, ...] = ()
    """Kinds of hands that a pay table tells apart by cards that do not count when hands are compared."""
    not_computed: dict[str, str] = Field(default_factory=dict)
    """Bet -> why nobody counts it."""


class GameSpec(TomlTable):
    """A game file. `options`: under which options of its procedures a round is this game's, where they deal several."""

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
    decks: SkipJsonSchema[int] = 1
    """How often one face may be seen in a round, by the procedures."""
    options: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    laid_aside: SkipJsonSchema[bool] = False
    """True where what a seat lays away stays with its hand and is told apart from it, by the procedures."""
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
    signed: tuple[Signature, ...] = ()
    """Which of the readings the house has signed; no part of the rules, nor of their hash."""
    bets: Annotated[tuple[BetRow, ...], Field(min_length=1)]
    paytables: dict[str, InlineTable] = Field(default_factory=dict)
    """Pay tables of the game's own, by name, where they are in no file of their own."""
    odds: OddsSpec | None = None
