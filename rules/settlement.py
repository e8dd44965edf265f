"""A settled round as data: one explained line per bet, and totals that add up to nothing. Published as JSON Schema."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar, Final, Literal

from msgspec import Meta, field

from dealer_flow.record.base import LineRecord, Record, written
from dealer_flow.record.details import DOLLAR, Currency, leave_out_dollar
from dealer_flow.record.result import EditionRef, Outcome, ProcedureRef
from rules.errors import SettlementRefused

LineResult = Literal["win", "lose", "push", "returned", "held"]
"""`push`: the bet ties and comes back. `returned`: the round or the hand is void and the bet comes back.
`held`: not settled; the stake stays where it is until a person decides."""

WonWith = Literal["high", "low", "both", "last-hand", "award"]
"""With what a seat takes of a pot."""

Amount = Annotated[int, Meta(ge=0)]

_SYMBOLS: Final = {"USD": "$", "EUR": "€", "GBP": "£"}


def symbol(currency: str) -> str:
    """What stands before an amount: `$`, or the letters of the currency and a space."""
    return _SYMBOLS.get(currency, f"{currency} ")


def amount(cents: int, currency: str) -> str:
    """Whole and hundredths of an amount of any sign: `$1,250.00`, `-$3.00`, `CHF 5.00`."""
    sign, cents = ("-", -cents) if cents < 0 else ("", cents)
    return f"{sign}{symbol(currency)}{cents // 100:,}.{cents % 100:02d}"


def spelled(sentence: str, currency: str) -> str:
    """A sentence of this package, whose amounts stand in dollars, with those of another currency."""
    return sentence.replace(symbol(DOLLAR), symbol(currency))


class SettlementLine(Record, frozen=True, omit_defaults=True):
    """One bet of one seat, money in cents. `net` = `pay` + `returned` - `stake` - `commission`; 0 while it is held."""

    seat: Annotated[int, Meta(ge=1, le=32)]
    bet: str
    """A bet of the game; `envy` for what another seat's progressive hand brings (its stake is 0)."""
    stake: Amount
    result: LineResult
    pay: Amount
    """What the player is paid, without the stake."""
    returned: Amount
    """How much of the stake the player gets back."""
    net: int
    why: str
    clause: str
    paytable: str | None = written(None)
    row: str | None = written(None)
    meter: str | None = written(None)
    """The progressive meter that pays; null when the house does."""
    rest: Annotated[str, Meta(pattern=r"^\d+(/\d+)?$")] = written("0")
    """Exact cents, a fraction, that the rounding kept from the player; for a meter, what stays on it."""
    proposition: str = ""
    """The outcome that the money is on, `rank:T` or `over-7`; absent of any other bet."""
    cut: Amount = 0
    """What a maximum payout took off the pay; absent when nothing."""
    commission: Amount = 0
    """What the house takes of the win. Absent when it takes nothing."""
    from_house: Amount = 0
    """Of the pay of a meter's line, what the house pays beside the meter's share. Absent when nothing."""
    reading: str = ""
    """The reading that decided its money: another of its options would settle it otherwise. Absent where none did."""


class MaximumPayout(Record, frozen=True, omit_defaults=True):
    """What the house set, in cents: for the round, for each player in it, for a tip, and the least bet at the table."""

    round_cents: int | None = None
    player_cents: int | None = None
    tip_cents: int | None = None
    least_bet_cents: int | None = None


NO_PERCENT: Final = "0"
"""Of what the house takes nothing of; a record leaves out the very text, not its equal."""


class HouseRake(Record, frozen=True, omit_defaults=True):
    """What the house takes of the pots of a round: `percent` of each, rounded down to `step_cents`, the token unless
    given, and `cap_cents` at most in all; beside that `jackpot_cents` for a jackpot."""

    percent: Annotated[str, Meta(pattern=r"^\d{1,3}(\.\d{1,4})?$")] = NO_PERCENT
    cap_cents: int | None = None
    step_cents: int | None = None
    jackpot_cents: int = 0
    pool_percent: Annotated[str, Meta(pattern=r"^\d{1,3}(\.\d{1,4})?$")] = NO_PERCENT
    """What it takes of a pool that is won, rounded down likewise."""


class PotWinner(Record, frozen=True):
    """A seat and what it takes of a pot, with what: its `high` hand, its `low` hand, `both`, the `last-hand` that was
    left, or an `award` that stands whatever the cards say."""

    seat: Annotated[int, Meta(ge=1, le=32)]
    cents: Amount
    won_with: WonWith
    clause: str


class PotTotal(Record, frozen=True, omit_defaults=True):
    """A pot of the table: `cents` lay in it, of which `rake` and `jackpot_rake` were taken and `winners` had the rest;
    nobody has any where it is held."""

    name: str
    """`pot`, `side-pot-1` and so on."""
    cents: Amount
    contenders: tuple[int, ...]
    """The seats that could win it."""
    rake: Amount = 0
    """What the house took of it. Absent when it took nothing."""
    jackpot_rake: Amount = 0
    """What was taken of it for a jackpot. Absent when nothing."""
    carried: Amount = 0
    """Of `cents`, what had rolled over into it from the hands before. Absent where nothing had."""
    rolls_over: Amount = 0
    """What nobody won, which stays for the next hand. Absent when nothing does."""
    to_house: Amount = 0
    """What the house has since everybody folded. Absent when nothing."""
    forfeited: Amount = 0
    """How much of it was forfeited in rounds before. Absent when nothing."""
    winners: tuple[PotWinner, ...] = ()
    held: str = ""
    """Why nobody has it yet; absent when it was settled."""


class SeatRunners(Record, frozen=True, omit_defaults=True):
    """The runners of a seat around the round: `before` + `awarded` - `collected` == `after`."""

    seat: Annotated[int, Meta(ge=1, le=32)]
    before: Amount = 0
    awarded: Amount = 0
    collected: Amount = 0
    after: Amount = 0


class PoolTotal(Record, frozen=True, omit_defaults=True):
    """A pool that is won by runners: those of each seat that has or had some, and, where it was won, by which seat,
    how many `cents` it held and the `rake` that was taken of them first. What moved it is in `meters`."""

    meter: str
    """The meter that the pool is."""
    runners: tuple[SeatRunners, ...] = ()
    winner: Annotated[int, Meta(ge=1, le=32)] | None = None
    """The seat that won it; absent when none did."""
    cents: Amount = 0
    rake: Amount = 0
    held: str = ""
    """Why what a seat won of it is not known; absent when it is."""


class SeatTotal(Record, frozen=True, omit_defaults=True):
    """What a seat's settled lines come to; `held` are the stakes of its lines that are not settled."""

    seat: int
    staked: Amount
    pay: Amount
    returned: Amount
    net: int
    held: Amount
    commission: Amount = 0
    """What the house takes of its wins. Absent when it takes nothing."""


class Totals(Record, frozen=True):
    """Net cents by side: `players` + `house` + `meters` == 0. A reseed is the house's own money and counts for none. A
    rake is the house's, what is taken for a jackpot its meter's."""

    players: int
    house: int
    meters: int


class Rolled(Record, frozen=True):
    """How a pot that rolls over stands, beside its cents: how many hands in a row nobody has won it, and the seats that
    were in the last of them, who alone may bet for it."""

    hands: Amount
    seats: tuple[Annotated[int, Meta(ge=1, le=32)], ...]


@dataclass(frozen=True, slots=True)
class Meter:
    """A progressive meter as shown before the round: its cents, and the seed a 100 % pay sets it to, if known.

    The reserve is added to the seed then (WA, progressive systems flexibility, reserve contribution).
    """

    cents: int
    seed_cents: int | None = None
    reserve_cents: int = 0
    rolled: Rolled | None = None
    """Of a pot that rolls over, how it stands beside its cents; None where nothing has rolled over."""

    def __post_init__(self) -> None:
        least = min(self.cents, self.seed_cents or 0, self.reserve_cents)
        if least < 0:
            raise SettlementRefused("meter amount", least, ["0 or more cents"])


class MeterTotal(Record, frozen=True, omit_defaults=True):
    """A progressive meter around the round: `before` + `contributed` - `paid` + `reseeded` == `after`.

    `reseeded` is also what came from another pool of a jackpot, below zero what went there. A meter that paid 100 % and
    whose seed was not given has `after` null, and so has a pot that rolls over while a
    person has to decide whose it is. `reseeded` is the seed and what the reserve
    held: `reserve_before` + `reserved` less what a reseed took is `reserve_after`.
    """

    name: str
    before: Amount
    paid: Amount
    reseeded: int | None
    after: int | None
    contributed: Amount = written(0)
    reserved: Amount = written(0)
    reserve_before: Amount = written(0)
    reserve_after: Amount = written(0)
    rolled: Rolled | None = None
    """Of a pot that rolls over, how it stands afterwards. Absent of any other meter, and once it is won."""


class GameRef(Record, frozen=True):
    """Which game file decided, by id and by the SHA-256 of its content and its pay tables'."""

    id: str
    sha256: str


class Rounding(Record, frozen=True):
    """How exact pays become money: the name of the rounding and the smallest unit it leaves, in cents."""

    name: str
    unit_cents: Annotated[int, Meta(gt=0)]


class Settlement(LineRecord, frozen=True, kw_only=True, omit_defaults=True):
    """One settled round. Fields are explained in `docs/rules.md`; the schema is `docs/schema/settlement-1.json`."""

    SCHEMA: ClassVar[str] = "dealwire.settlement/1"
    TYPE: ClassVar[str] = "settlement"

    table: str
    session: str
    round: Annotated[int, Meta(ge=0, le=2**32 - 1)]
    currency: Currency = DOLLAR
    """The round's: every amount counts its hundredths. Absent when it is the dollar of the United States."""
    again: bool = False
    """The round had been settled before: this settlement moved no meter. Absent unless it is so."""
    procedure: ProcedureRef
    outcome: Outcome
    game: GameRef
    edition: EditionRef | None = None
    """The edition of the law by which it was settled; absent of a settlement without one, as before editions had
    files."""
    readings: dict[str, str]
    """Every reading the game leaves open and the option used, default or not."""
    paytables: dict[str, str]
    """Bet -> the pay table used."""
    signed: dict[str, str] = field(default_factory=dict)
    """Reading whose option the house has signed -> who did, and when. Absent where none is."""
    rounding: Rounding
    envy_base_cents: Annotated[int, Meta(gt=0)]
    """The progressive wager for which the printed envy amounts stand."""
    limit_cents: int | None = written(None)
    """The most one bet may be: the law's figure or the table's own; null when neither gives one."""
    maximum: MaximumPayout | None = None
    """The house's maximum payouts; absent when it set none."""
    commission_percent: Annotated[str, Meta(pattern=r"^\d+(\.\d+)?$")] | None = None
    """What the house takes of a win, in percent. Absent when it takes nothing."""
    rake: HouseRake | None = None
    """What the house takes of the pots. Absent when it takes nothing."""
    house_way: str | None = None
    """How the dealer's hand has to be set: the id of the house way. Absent where it is not checked."""
    house_way_sha256: str | None = None
    """Of what the file of the house way says."""
    status: Literal["settled", "partly-held", "held"]
    """`held`: nothing is settled. `partly-held`: the lines whose result is `held` are not; the others are."""
    why: str | None
    """Why something is held; null when everything is settled."""
    lines: tuple[SettlementLine, ...]
    """In the order the dealer settles; envy last."""
    seats: tuple[SeatTotal, ...]
    totals: Totals
    meters: tuple[MeterTotal, ...]
    pots: tuple[PotTotal, ...] = ()
    """The pots that players bet into, the main pot first. Absent of a game without one."""
    pool: PoolTotal | None = None
    """The pool that is won by runners, and who has these. Absent of a game without one."""
    unseen: str | None = None
    """What cannot be known of a round that was dealt by no procedure of this program: absent of any other."""

    def __post_init__(self) -> None:
        if self.currency is not DOLLAR:
            leave_out_dollar(self, self.currency)


def make_line(
    seat: int,
    bet: str,
    stake: int,
    result: LineResult,
    why: str,
    clause: str,
    *,
    pay: int = 0,
    keeps_stake: bool = True,
    paytable: str | None = None,
    row: str | None = None,
    meter: str | None = None,
    rest: Fraction | int = 0,
    from_house: int = 0,
    lost: int | None = None,
    proposition: str = "",
    reading: str = "",
) -> SettlementLine:
    """A line with its `returned` and `net` worked out; `keeps_stake` False for a win that is paid "for 1". `lost`: how
    much of the stake a bet lost, where that is not all of it."""
    back = result in ("push", "returned") or (result == "win" and keeps_stake)
    returned = stake if back else 0 if lost is None else stake - lost
    return SettlementLine(
        seat=seat,
        bet=bet,
        stake=stake,
        result=result,
        pay=pay,
        returned=returned,
        net=0 if result == "held" else pay + returned - stake,
        why=why,
        clause=clause,
        paytable=paytable,
        row=row,
        meter=meter,
        rest=str(rest) if rest else "0",
        from_house=from_house,
        proposition=proposition,
        reading=reading,
    )
