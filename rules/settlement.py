"""A settled round as data: one explained line per bet, with totals that sum to zero. Published as JSON Schema."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar, Final, Literal

from msgspec import Meta, field

from dealer_flow.record.base import LineRecord, Record, written
from dealer_flow.record.details import DOLLAR, Currency, leave_out_dollar
from dealer_flow.record.result import EditionRef, Outcome, ProcedureRef
from rules.errors import SettlementRefused

LineResult = Literal["win", "lose", "push", "returned", "held"]
"""`push`: the bet ties and comes back. `returned`: the round or the hand is void and the bet comes back. `held`: not
settled; the stake stays in place until a supervisor decides."""

WonWith = Literal["high", "low", "both", "last-hand", "award"]
"""The hand or rule by which a seat wins its part of a pot."""

Amount = Annotated[int, Meta(ge=0)]

_SYMBOLS: Final = {"USD": "$", "EUR": "€", "GBP": "£"}


def symbol(currency: str) -> str:
    """Return the prefix of an amount: `$`, or the currency's letters and a space."""
    return _SYMBOLS.get(currency, f"{currency} ")


def amount(cents: int, currency: str) -> str:
    """Format an amount in hundredths, of either sign: `$1,250.00`, `-$3.00`, `CHF 5.00`."""
    sign, cents = ("-", -cents) if cents < 0 else ("", cents)
    return f"{sign}{symbol(currency)}{cents // 100:,}.{cents % 100:02d}"


def spelled(sentence: str, currency: str) -> str:
    """Return a sentence of this package, which uses dollars, with its amounts in another currency."""
    return sentence.replace(symbol(DOLLAR), symbol(currency))


class SettlementLine(Record, frozen=True, omit_defaults=True):
    """One bet of one seat, amounts in cents. `net` = `pay` + `returned` - `stake` - `commission`; 0 while the bet is
    held."""

    seat: Annotated[int, Meta(ge=1, le=32)]
    bet: str
    """A bet of the game; `envy` for the pay on another seat's progressive hand (its stake is 0)."""
    stake: Amount
    result: LineResult
    pay: Amount
    """Amount paid to the player, without the stake."""
    returned: Amount
    """Part of the stake that the player gets back."""
    net: int
    why: str
    clause: str
    paytable: str | None = written(None)
    row: str | None = written(None)
    meter: str | None = written(None)
    """The progressive meter that pays; null if the house pays."""
    rest: Annotated[str, Meta(pattern=r"^\d+(/\d+)?$")] = written("0")
    """Exact cents, as a fraction, that rounding kept from the player; for a meter, the cents that stay on it."""
    proposition: str = ""
    """The outcome that the money is on, `rank:T` or `over-7`; absent for other bets."""
    cut: Amount = 0
    """Amount by which a maximum payout reduced the pay; absent if zero."""
    commission: Amount = 0
    """The house's commission on the win. Absent if zero."""
    from_house: Amount = 0
    """Part of the pay of a meter's line that the house pays in addition to the meter's share. Absent if zero."""
    reading: str = ""
    """The reading that decided the money: another option would settle this line differently. Absent if no reading did.
    """


class MaximumPayout(Record, frozen=True, omit_defaults=True):
    """Maximum payouts of the house, in cents: for the round, for each player in it and for a tip; and the table's
    minimum bet."""

    round_cents: int | None = None
    player_cents: int | None = None
    tip_cents: int | None = None
    least_bet_cents: int | None = None


NO_PERCENT: Final = "0"
"""Percentage of a house that takes nothing. A record omits only this exact text, not an equal number such as `0.0`."""


class HouseRake(Record, frozen=True, omit_defaults=True):
    """The house's rake on the pots of a round: `percent` of each pot, rounded down to `step_cents` (the token unless
    given) and at most `cap_cents` in all; in addition, `jackpot_cents` for a jackpot."""

    percent: Annotated[str, Meta(pattern=r"^\d{1,3}(\.\d{1,4})?$")] = NO_PERCENT
    cap_cents: int | None = None
    step_cents: int | None = None
    jackpot_cents: int = 0
    pool_percent: Annotated[str, Meta(pattern=r"^\d{1,3}(\.\d{1,4})?$")] = NO_PERCENT
    """Percentage taken of a pool that is won, rounded down in the same way."""

    def of(self, cents: int, unit: int) -> int:
        """Return the rake of a pot of `cents`, without the cap: rounded down, because rounding up would exceed the
        percentage."""
        step = self.step_cents or unit
        return int(cents * Fraction(self.percent) / 100 // step) * step


class PotWinner(Record, frozen=True):
    """A seat and its part of a pot. `won_with`: its `high` hand, its `low` hand, `both`, the `last-hand` remaining, or
    an `award` that does not depend on the cards."""

    seat: Annotated[int, Meta(ge=1, le=32)]
    cents: Amount
    won_with: WonWith
    clause: str


class PotTotal(Record, frozen=True, omit_defaults=True):
    """A pot of the table with `cents` in it: `rake` and `jackpot_rake` were taken and `winners` got the rest; there are
    no winners while it is held."""

    name: str
    """`pot`, `side-pot-1` and so on."""
    cents: Amount
    contenders: tuple[int, ...]
    """The seats that could win it."""
    rake: Amount = 0
    """The house's rake on it. Absent if zero."""
    jackpot_rake: Amount = 0
    """Amount taken of it for a jackpot. Absent if zero."""
    carried: Amount = 0
    """Part of `cents` that rolled over from earlier hands. Absent if zero."""
    rolls_over: Amount = 0
    """Amount that no seat won, which stays for the next hand. Absent if zero."""
    to_house: Amount = 0
    """Amount that goes to the house because every seat folded. Absent if zero."""
    forfeited: Amount = 0
    """Part of it that was forfeited in earlier rounds. Absent if zero."""
    winners: tuple[PotWinner, ...] = ()
    held: str = ""
    """The reason that the pot is held; absent if it was settled."""


class SeatRunners(Record, frozen=True, omit_defaults=True):
    """A seat's runners before and after the round: `before` + `awarded` - `collected` == `after`."""

    seat: Annotated[int, Meta(ge=1, le=32)]
    before: Amount = 0
    awarded: Amount = 0
    collected: Amount = 0
    after: Amount = 0


class PoolTotal(Record, frozen=True, omit_defaults=True):
    """A pool that is won by runners. Lists the seats that have or had runners; if the pool was won, also the winning
    seat, the `cents` it held and the `rake` taken first. Its contributions and payments are in `meters`."""

    meter: str
    """The meter that holds the pool."""
    runners: tuple[SeatRunners, ...] = ()
    winner: Annotated[int, Meta(ge=1, le=32)] | None = None
    """The seat that won it; absent if none did."""
    cents: Amount = 0
    rake: Amount = 0
    held: str = ""
    """The reason that a seat's winnings of it are unknown; absent if they are known."""


class SeatTotal(Record, frozen=True, omit_defaults=True):
    """Sums over a seat's settled lines; `held` is the stakes of its lines that are not settled."""

    seat: int
    staked: Amount
    pay: Amount
    returned: Amount
    net: int
    held: Amount
    commission: Amount = 0
    """The house's commission on the seat's wins. Absent if zero."""


class Totals(Record, frozen=True):
    """Net cents by side: `players` + `house` + `meters` == 0. A reseed is the house's own money and does not count. A
    rake belongs to the house, a jackpot drop to the jackpot's meter."""

    players: int
    house: int
    meters: int


class Rolled(Record, frozen=True):
    """State of a pot that rolls over, in addition to its cents: the number of hands in a row without a winner, and the
    seats that were in the last of them, the only ones that may bet for it."""

    hands: Amount
    seats: tuple[Annotated[int, Meta(ge=1, le=32)], ...]


@dataclass(frozen=True, slots=True)
class Meter:
    """A progressive meter as displayed before the round: its cents and, if known, the seed to which a 100 % pay resets
    it.

    The reserve is then added to the seed (WA, progressive systems flexibility, reserve contribution).
    """

    cents: int
    seed_cents: int | None = None
    reserve_cents: int = 0
    rolled: Rolled | None = None
    """State of a pot that rolls over; None if nothing has rolled over."""

    def __post_init__(self) -> None:
        least = min(self.cents, self.seed_cents or 0, self.reserve_cents)
        if least < 0:
            raise SettlementRefused("meter amount", least, ["0 or more cents"])


class MeterTotal(Record, frozen=True, omit_defaults=True):
    """A progressive meter around the round: `before` + `contributed` - `paid` + `reseeded` == `after`.

    `reseeded` is the seed plus the reserve; it also counts money moved from another pool of a jackpot, negative if
    moved to one. `reserve_after` is `reserve_before` + `reserved` less the amount that a reseed took. `after` is null
    for a meter that paid 100 % and whose seed was not given, and for a pot that rolls over while a supervisor has to
    decide who wins it.
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
    """State after the round of a pot that rolls over. Absent for other meters, and once the pot is won."""


class GameRef(Record, frozen=True):
    """The game file that decided: its id, and the SHA-256 of its content and its pay tables."""

    id: str
    sha256: str


class Rounding(Record, frozen=True):
    """The rounding of exact pays to money: its name, and the smallest unit it leaves, in cents."""

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
    """Currency of the round; every amount is in its hundredths. Absent for the dollar of the United States."""
    again: bool = False
    """The round had been settled before, so this settlement moved no meter. Absent if false."""
    procedure: ProcedureRef
    outcome: Outcome
    game: GameRef
    edition: EditionRef | None = None
    """Edition of the regulation used; absent for a settlement without one, from before editions had files."""
    readings: dict[str, str]
    """Every reading that the game leaves open, with the option used, default or not."""
    paytables: dict[str, str]
    """Pay table used, by bet."""
    signed: dict[str, str] = field(default_factory=dict)
    """Signer and date, by reading whose option the house has signed. Absent if there is none."""
    rounding: Rounding
    envy_base_cents: Annotated[int, Meta(gt=0)]
    """The progressive wager for which the printed envy amounts apply."""
    limit_cents: int | None = written(None)
    """The table's limit for one bet: the regulation's or the table's own; null if neither sets one."""
    maximum: MaximumPayout | None = None
    """The house's maximum payouts; absent if it set none."""
    commission_percent: Annotated[str, Meta(pattern=r"^\d+(\.\d+)?$")] | None = None
    """The house's commission on wins, in percent. Absent if zero."""
    rake: HouseRake | None = None
    """The house's rake on the pots. Absent if zero."""
    house_way: str | None = None
    """Id of the house way by which the dealer's hand must be set. Absent if the setting is not checked."""
    house_way_sha256: str | None = None
    """SHA-256 of the content of the house way's file."""
    status: Literal["settled", "partly-held", "held"]
    """`held`: nothing is settled. `partly-held`: all lines are settled except those whose result is `held`."""
    why: str | None
    """The reason that something is held; null if everything is settled."""
    lines: tuple[SettlementLine, ...]
    """In the dealer's settling order; envy last."""
    seats: tuple[SeatTotal, ...]
    totals: Totals
    meters: tuple[MeterTotal, ...]
    pots: tuple[PotTotal, ...] = ()
    """Pots that players bet into, the main pot first. Absent for a game without pots."""
    pool: PoolTotal | None = None
    """The pool that is won by runners, with the seats that hold runners. Absent for a game without one."""
    unseen: str | None = None
    """Facts that are unknown for a round that no procedure of this program dealt; absent otherwise."""

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
    """Make a line and compute its `returned` and `net`.

    `keeps_stake` is False for a win that is paid "for 1". `lost` is the part of the stake that a bet lost, if not all
    of it.
    """
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
