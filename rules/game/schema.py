"""Schema of a game file: bets and their clauses, settling order, limits, open readings; hands are in `hand_spec`."""

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


class OrderPass(TomlTable):
    """One round of the dealer around the table, seat by seat; seat 1 is at the dealer's left."""

    bets: tuple[str, ...] = ()
    """Bets settled in this round; all that remain if none is named."""
    only: Literal["", "won", "lost", "unqualified"] = ""
    """Only bets that were won, that were lost, or (`unqualified`) that this clause settles because the dealer does not
    qualify, before any hands are compared."""
    leaving: tuple[str, ...] = ()
    """Bets that are left for a later round if they win."""
    losers_first: bool = False
    """True if a seat's wins are settled last."""
    seats: Literal["descending", "ascending"]
    """Direction: `descending` starts at the dealer's right, `ascending` at the dealer's left."""
    clause: str


class Games(TomlTable):
    """Maximum number of games at one table in which a player may bet; a bet names its game in `counts_as`."""

    most: Annotated[int, Field(ge=1)]
    """The maximum number of games."""
    clause: str


class Limit(TomlTable):
    """The `clause` for a table's own limit of a bet if the procedure prints no amount, and the number of `games` in
    which a player may bet."""

    clause: str
    games: Games | None = None


class MaximumRule(TomlTable):
    """Bets whose pays a maximum payout may cut. The pays of the whole round are cut only if at least `winners` players
    win. `tips`: a tip's pay may be cut too."""

    bets: Annotated[tuple[str, ...], Field(min_length=1)]
    """Bets whose pays it may cut."""
    winners: Annotated[int, Field(ge=1)] = 1
    """Minimum number of winning players."""
    tips: bool = False
    clause: str


class OpenReading(TomlTable):
    """A reading this game leaves open, with its default option and the reason.

    `suspect`: reasons, by option, that the option appears to be a misprint; such an option settles no real bet unless
    the caller explicitly accepts it.
    """

    default: str
    """The default option."""
    because: str
    """The reason that the regulation is ambiguous."""
    clause: str = ""
    """The clause that is ambiguous."""
    against: str = ""
    """Arguments against the default."""
    suspect: dict[str, str] = Field(default_factory=dict)


class Signature(TomlTable):
    """A signature of readings for the house: who signed, when, and which options. It counts for an option that is in
    use."""

    by: Annotated[str, Field(min_length=1)]
    """The signer."""
    on: Day
    """The day, as in `2026-11-29`."""
    readings: Annotated[dict[str, str], Field(min_length=1)]
    """Signed option by reading."""


if TYPE_CHECKING:
    AnyBet = Bet
else:
    AnyBet = Union[tuple(KINDS.values())]  # noqa: UP007
BetRow = Annotated[AnyBet, Field(discriminator="kind")]
"""A bet as a file names it."""


class OddsSpec(TomlTable):
    """Settings for the odds of bets that are decided together. Players' choices, their time, stakes and known cards are
    read from the steps of the procedure; this table holds what no step says."""

    solver: str = ""
    """Name of the solver, see `docs/game-files.md`."""
    bets: tuple[str, ...] = ()
    """Bets that it answers for, the first being the unit. If absent: bets against a hand, bets made instead of folding,
    and fees."""
    beside: tuple[str, ...] = ()
    """Bets that are lost with a folded hand and are counted together with the others."""
    stakes: dict[str, Annotated[tuple[PartOfUnit, ...], Field(min_length=1)]] = Field(default_factory=dict)
    """Possible stakes by bet, in units of the first bet, where no rule of the procedure gives them."""
    fine: tuple[str, ...] = ()
    """Kinds of hands that a pay table distinguishes by cards that do not count when hands are compared."""
    not_computed: dict[str, str] = Field(default_factory=dict)
    """Reasons, by bet, that it is not computed."""


class GameSpec(TomlTable):
    """A game file. `options`: the options of its procedures under which a round belongs to this game, if they deal
    several games."""

    schema_: Literal["dealwire.game/3"] = Field(alias="schema")
    base: tuple[str, ...] | str = ()
    """The game that this one extends, by id or as a path next to the file; keys not given here are taken from it."""
    without: tuple[str, ...] = ()
    """Tables, rows and keys of that game which this one does not have: `bets.progressive`, `limit`,
    `bets.ante-bonus.pairs-with`."""
    id: str
    name: str
    """Name of the game for display."""
    jurisdiction: str
    """Jurisdiction of its regulation."""
    procedures: Annotated[tuple[str, ...], Field(min_length=1)]
    """Ids of the procedures whose rounds it settles."""
    decks: SkipJsonSchema[int] = 1
    """Number of times that one face may be seen in a round, from the procedures."""
    options: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    laid_aside: SkipJsonSchema[bool] = False
    """True if a seat's discards stay with its hand and are distinguished from it, from the procedures."""
    hands: dict[str, HandSpec] = Field(default_factory=dict)
    qualifiers: dict[str, Qualifier] = Field(default_factory=dict)
    race: RaceSpec | None = None
    order: Annotated[tuple[OrderPass, ...], Field(min_length=1)]
    limit: Limit | None = None
    maximum: MaximumRule | None = None
    sets: tuple[SetHand, ...] = ()
    houseways: tuple[str, ...] = ()
    """Ids of house ways; the first is the default."""
    commission: Charge | None = None
    pot: PotSpec | None = None
    jackpot: JackpotAward | None = None
    pool: PoolSpec | None = None
    returns: ReturnClauses
    readings: dict[str, OpenReading] = Field(default_factory=dict)
    signed: tuple[Signature, ...] = ()
    """Readings that the house has signed; not part of the rules, nor of their hash."""
    bets: Annotated[tuple[BetRow, ...], Field(min_length=1)]
    paytables: dict[str, InlineTable] = Field(default_factory=dict)
    """Pay tables within the game file, by name."""
    odds: OddsSpec | None = None
