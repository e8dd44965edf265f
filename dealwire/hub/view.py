"""A table as a person may see it at one moment. Made by the owner, read by the console and whatever else shows a table.

A card that nobody has shown is `??`, whatever the devices have read: this is what goes out of the process.
"""

from typing import Final, Literal, get_args

from pydantic import BaseModel, ConfigDict

from dealer_flow.play.seen.snapshot import PacketNow
from dealer_flow.record.details import DOLLAR
from dealer_flow.record.result import Outcome
from rules.settlement import LineResult, WonWith

Link = Literal["waiting", "unknown", "up", "closed"]
"""How a device's line stands; only of one that is `up` anything is known."""
Lamp = Literal["none", "unknown", "dark", "lit"]
"""The red lamp: `none` at a device that has none."""
TroubleKind = Literal[
    "safe-stop",
    "line",
    "repeated",
    "halted",
    "misdeal",
    "red-lamp",
    "supervisor",
    "count",
    "device",
    "archive",
    "unreliable",
    "held",
]
"""What is wrong, the worst first."""
TROUBLE_KINDS: Final[tuple[TroubleKind, ...]] = get_args(TroubleKind)


class Shown(BaseModel):
    """Base of everything in a view: strict, frozen, no unknown key."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class ChipsView(Shown):
    """A seat's chips where players bet against each other, in cents. `lies`: before it in this betting round. `stake`
    is what lay there when the hand began, `behind` what is left of it; None where no stake was reported."""

    stake: int | None
    behind: int | None
    lies: int = 0
    all_in: bool = False


class SeatView(Shown):
    """One seat. `cards` are as many as were counted, `??` until shown; `next` when the round waits for it."""

    seat: int
    status: Literal["empty", "betting", "live", "folded", "dead", "out"]
    wagers: dict[str, int] = {}
    """Cents by bet name."""
    cards: tuple[str, ...] = ()
    counted: int | None = None
    expected: int | None = None
    decision: str | None = None
    next: bool = False
    chips: ChipsView | None = None
    """None in a game in which players do not bet against each other."""
    runners: int | None = None
    """The runners before it; None in a game without."""


class HandView(Shown):
    """Cards at a place that is no seat: the dealer's hand, a community hand, a shoe's column."""

    name: str
    cards: tuple[str, ...] = ()
    counted: int | None = None
    expected: int | None = None
    burned: tuple[str, ...] = ()
    """Cards of this packet that were burned and lie set aside, `??` until shown."""


class PotView(Shown):
    """A pot on the table, in cents, and the seats that may win it."""

    name: str
    cents: int
    seats: tuple[int, ...]


class ActionView(Shown):
    """What a player did: `cents` lay before the seat afterwards. `manner` is empty where it was plainly made."""

    step: str
    seat: int
    action: str
    cents: int
    manner: str = ""


class TakenView(Shown):
    """Cents of a pot that a seat took in."""

    pot: str
    seat: int
    cents: int


class BettingView(Shown):
    """The betting of players against each other. What lies before seats is in no pot yet. `step` is the betting round
    under way, `high` the bet to call in it, `turn` the seats that may act, whose turn it is first, `passed` those of
    them that others acted before."""

    button: int | None = None
    step: str | None = None
    high: int = 0
    turn: tuple[int, ...] = ()
    passed: tuple[int, ...] = ()
    pots: tuple[PotView, ...] = ()
    """The main pot first."""
    total: int = 0
    """The pots, and what lies before seats."""
    over_seat: int | None = None
    over: int = 0
    """What nobody matched of the last bet: it goes back to that seat."""
    acted: int = 0
    """How many actions there were in the hand."""
    actions: tuple[ActionView, ...] = ()
    """Newest last, those of the betting round that was opened last."""
    taken: tuple[TakenView, ...] = ()


class RoomView(Shown):
    """The most that the procedure puts anywhere, for whoever draws the table: what is drawn need not grow in a round.
    `places` are cards by place, the dealer's and the community's among them; 0 where the game has none."""

    seat: int = 0
    column: int = 0
    burned: int = 0
    places: dict[str, int] = {}
    bets: int = 0
    """Of one seat, tips left out."""


class DeviceView(Shown):
    """One device's line. `state` is the device's own word; `problem` what a person should look into; `since_ns` when
    `link` became what it is."""

    name: str
    kind: str
    address: str
    link: Link
    state: str = ""
    problem: str | None = None
    since_ns: int | None = None


class UnknownView(Shown):
    """What is shown of the round was so until `since_ns`, or is only what a table begins with: nobody can say what has
    happened since. `why` is a sentence's end: `the line of the shuffler is gone`."""

    since_ns: int
    why: str


class TroubleView(Shown):
    """Something that keeps the table from going on, or that a person has to decide: what it is, why, by which clause,
    and what can be done now, by which role. `place` names the device or round it is about, `cents` what is held."""

    kind: TroubleKind
    title: str
    cause: str
    clause: str | None = None
    advice: str = ""
    who: str | None = None
    since_ns: int | None = None
    place: str | None = None
    cents: int | None = None


class BetLineView(Shown):
    """One settled bet, in cents, as the settlement has it."""

    seat: int
    bet: str
    stake: int
    result: LineResult
    pay: int
    returned: int
    net: int
    why: str
    clause: str
    paytable: str | None = None
    row: str | None = None
    meter: str | None = None
    proposition: str = ""
    commission: int = 0


class SeatMoneyView(Shown):
    """What a seat's bets come to, in cents."""

    seat: int
    staked: int
    pay: int
    returned: int
    net: int
    held: int


class PotWinnerView(Shown):
    """A seat and what it takes of a pot, in cents, and with what; `hand` names the cards where they were shown."""

    seat: int
    cents: int
    won_with: WonWith
    clause: str
    hand: str = ""


class SettledPotView(Shown):
    """A pot as it was settled, in cents; `held` says why nobody has it yet."""

    name: str
    cents: int
    contenders: tuple[int, ...]
    rake: int = 0
    jackpot_rake: int = 0
    winners: tuple[PotWinnerView, ...] = ()
    held: str = ""


class SettlementView(Shown):
    """The money of one round, in cents; `players` + `house` + `meters` == 0."""

    round: int
    at_ns: int
    status: Literal["settled", "partly-held", "held"]
    why: str | None = None
    currency: str
    game: str
    again: bool = False
    readings: dict[str, str] = {}
    lines: tuple[BetLineView, ...] = ()
    seats: tuple[SeatMoneyView, ...] = ()
    players: int
    house: int
    meters: int
    held: int
    pots: tuple[SettledPotView, ...] = ()
    """The main pot first; none of a game without one."""


class HeldView(Shown):
    """Money of a round that nobody has paid or taken: a person decides, and says so. `entry` is its number in the
    table's books, which no other ever has; 0 where there are none. `session` is that of the dealing device."""

    entry: int = 0
    session: str = ""
    round: int
    at_ns: int
    cents: int
    currency: str = DOLLAR
    why: str
    clause: str
    readings: tuple[str, ...] = ()
    """Those that decided what is held: who releases it lets them pass."""


class PotsWonView(Shown):
    """The pots of a round of players against each other, in cents: all that lay in them, what the house and a jackpot
    took of it, and what each seat has, with what."""

    cents: int
    rake: int = 0
    jackpot_rake: int = 0
    winners: tuple[PotWinnerView, ...] = ()


class OutcomeView(Shown):
    """How a round ended. `players` is what all players won or lost in cents, None where the table settles nothing."""

    round: int
    at_ns: int
    outcome: Outcome
    players: int | None = None
    held: int = 0
    incidents: int = 0
    repeated: bool = False
    """It came once more: a round of this number and session was settled before, and this one is not paid."""
    won: str | None = None
    """The column that won, of a game that is drawn into columns."""
    pots: PotsWonView | None = None
    """None of a game in which players do not bet against each other, and where no pot was played for."""


class ShoeView(Shown):
    """A shoe, in cards. `left` is None when cards may have left it unseen."""

    loaded: int
    drawn: int
    left: int | None
    cut_card: bool = False
    """The cut card came: no new round begins."""


class LogLine(Shown):
    """One line of the log: an incident with its clause, a round's end, a line lost or back."""

    sequence: int
    at_ns: int
    code: str
    text: str
    clause: str | None = None
    place: str | None = None
    round: int | None = None


class LegalView(Shown):
    """One thing that may happen next; `awaited` when the round does not go on without it."""

    actor: str
    what: str
    place: str
    awaited: bool = False


class TableView(Shown):
    """One table. `sequence` is the journal's newest number it includes; `at_ns` nanoseconds since 1970."""

    schema_: Literal["dealwire.view/2"] = "dealwire.view/2"
    sequence: int
    at_ns: int
    table: str
    procedure: str
    title: str
    clause: str
    edition: str = ""
    """The edition of the law that the table deals by; empty where there is none."""
    round: int
    state: str
    """Where the round stands, in the flow's words."""
    unknown: UnknownView | None = None
    """State, seats, cards and what may happen next are not known now; None while they are."""
    trouble: tuple[TroubleView, ...] = ()
    """The worst first."""
    outcomes: tuple[OutcomeView, ...] = ()
    """Of the last ten rounds, newest last."""
    lamp: Lamp = "unknown"
    lamp_since_ns: int | None = None
    """Since when it is so, where that is known."""
    red_lamp: int = 0
    """The fault that lit the red lamp; 0 when it is not lit, or for what is not known."""
    red_lamp_text: str = ""
    safe_stop: str | None = None
    """Why the table was stopped and deals no more; None while it runs."""
    seats: tuple[SeatView, ...] = ()
    dealer: HandView | None = None
    community: tuple[HandView, ...] = ()
    columns: tuple[HandView, ...] = ()
    won: str | None = None
    """The column that has won the round under way; None while none has."""
    betting: BettingView | None = None
    """None in a game in which players do not bet against each other."""
    room: RoomView = RoomView()
    packets: tuple[PacketNow, ...] = ()
    remainder: int | None = None
    deck: int = 0
    shuffler: str = ""
    """The dealing device's own state, by name."""
    shoe: ShoeView | None = None
    currency: str = DOLLAR
    """What the table's money is in, by the newest round: three letters."""
    meters: dict[str, int] = {}
    """Cents by meter name."""
    moved: dict[str, int] = {}
    """By how many cents each meter moved when it last did."""
    posting: tuple[str, ...] = ()
    """Of a table with a jackpot, what players must be able to read of it: the posted amount, what earns the award, how
    it is divided, when none is paid, what is taken of pots."""
    cautions: tuple[str, ...] = ()
    """What a person should know of the table's terms, as that nothing is put on its meter."""
    settlement: SettlementView | None = None
    """The newest; None before the first, and where the table settles nothing."""
    held: tuple[HeldView, ...] = ()
    """What nobody has said to be settled, oldest first: the newest 50 of it."""
    held_count: int = 0
    """How many are open, those among them that are not in `held`."""
    held_cents: dict[str, int] = {}
    """The sum of all that are open, in cents by currency."""
    reported_ns: int | None = None
    """When a device last reported something."""
    devices: tuple[DeviceView, ...] = ()
    next: tuple[LegalView, ...] = ()
    log: tuple[LogLine, ...] = ()
    """Newest last, at most the last 200."""
