"""The view of a table at one moment. The owner makes views; the console and other displays read them.

A card that no one has shown is `??` even if the devices have read it: views leave the process.
"""

from typing import Final, Literal, get_args

from pydantic import BaseModel, ConfigDict

from dealer_flow.play.seen.snapshot import PacketNow
from dealer_flow.record.details import DOLLAR
from dealer_flow.record.result import Outcome
from rules.settlement import LineResult, WonWith

Link = Literal["waiting", "unknown", "up", "closed"]
"""State of a device's line. Only for `up` is anything known about the device."""
Lamp = Literal["none", "unknown", "dark", "lit"]
"""State of the red lamp; `none` for a device without one."""
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
    "witness",
    "badge",
    "unreliable",
    "held",
]
"""Kinds of trouble, worst first."""
TROUBLE_KINDS: Final[tuple[TroubleKind, ...]] = get_args(TroubleKind)


LastingKind = Literal["archive", "witness"]
"""Kinds that are about the journal, and the same at all of its tables."""


class Shown(BaseModel):
    """Base of all parts of a view: strict, frozen, no unknown keys."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class ChipsView(Shown):
    """A seat's chips in a game between players, in cents. `lies` is the bet in this betting round, `stake` the chips
    when the hand started, `behind` the rest of them; None if no stake was reported."""

    stake: int | None
    behind: int | None
    lies: int = 0
    all_in: bool = False


class SeatView(Shown):
    """One seat. `cards` are as many as were counted, `??` until shown; `next`: the round waits for this seat."""

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
    """The seat's runners; None in a game without runners."""


class HandView(Shown):
    """Cards at a place that is not a seat: the dealer's hand, a community hand, a shoe's column."""

    name: str
    cards: tuple[str, ...] = ()
    counted: int | None = None
    expected: int | None = None
    burned: tuple[str, ...] = ()
    """Cards of this packet that were burned and set aside, `??` until shown."""


class PotView(Shown):
    """A pot on the table, in cents, and the seats that may win it."""

    name: str
    cents: int
    seats: tuple[int, ...]


class ActionView(Shown):
    """A player's action; `cents` is the seat's bet afterwards. `manner` is empty for a regular action."""

    step: str
    seat: int
    action: str
    cents: int
    manner: str = ""


class TakenView(Shown):
    """Cents of a pot that a seat took."""

    pot: str
    seat: int
    cents: int


class BettingView(Shown):
    """The betting between players. Bets in front of seats are not yet in a pot.

    `step` is the betting round under way, `high` its bet to call, `turn` the seats that may act, the seat in turn
    first, `passed` those of them that were skipped.
    """

    button: int | None = None
    step: str | None = None
    high: int = 0
    turn: tuple[int, ...] = ()
    passed: tuple[int, ...] = ()
    pots: tuple[PotView, ...] = ()
    """The main pot first."""
    total: int = 0
    """The pots and the bets in front of seats."""
    over_seat: int | None = None
    over: int = 0
    """The unmatched part of the last bet; it is returned to that seat."""
    acted: int = 0
    """Number of actions in the hand."""
    actions: tuple[ActionView, ...] = ()
    """Actions of the newest betting round, newest last."""
    taken: tuple[TakenView, ...] = ()


class RoomView(Shown):
    """The most cards and bets that the procedure puts anywhere, so that a drawing need not grow during a round.
    `places` are cards by place, dealer and community included; 0 where the game has none."""

    seat: int = 0
    column: int = 0
    burned: int = 0
    places: dict[str, int] = {}
    bets: int = 0
    """Bets of one seat, without tips."""


class DeviceView(Shown):
    """One device's line. `state` is the device's own word, `problem` what needs attention, `since_ns` the time of the
    last change of `link`."""

    name: str
    kind: str
    address: str
    link: Link
    state: str = ""
    problem: str | None = None
    since_ns: int | None = None
    firmware: str = ""
    """The firmware that the device proved, or why it has not; empty if it need not."""
    seal: Literal["", "clear", "sealed"] = ""
    """`sealed` while its line is, `clear` while it is up and is not; empty if that is not known."""
    sealed_with: str = ""
    """First digits of the device's key with which its line is sealed."""
    sealed_ns: int | None = None
    """Time since which its line is sealed."""


class UnknownView(Shown):
    """The round is unknown: what is shown was so until `since_ns`, or is only the state in which a table starts. `why`
    is the end of a sentence: `shuffler is not responding`."""

    since_ns: int
    why: str


class TroubleView(Shown):
    """A problem that stops the table or needs a decision: what it is, why, by which clause, what can be done, and by
    which role. `place` names its device or round, `cents` what is held."""

    kind: TroubleKind
    title: str
    cause: str
    clause: str | None = None
    advice: str = ""
    who: str | None = None
    since_ns: int | None = None
    place: str | None = None
    cents: int | None = None


class PendingView(Shown):
    """An act that waits for another person: its number, what it is, and the person who requested it. `approved_by` is
    set once it was approved and waits to be done. `challenge` is what the approver's passkey signs, in base64url; empty
    if none has to."""

    request: int
    text: str
    who: str
    until_ns: int
    approved_by: str = ""
    challenge: str = ""


class BetLineView(Shown):
    """One settled bet, in cents, as in the settlement."""

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
    """The result of a seat's bets, in cents."""

    seat: int
    staked: int
    pay: int
    returned: int
    net: int
    held: int


class PotWinnerView(Shown):
    """A seat's share of a pot, in cents, and what it won with; `hand` is the shown hand as text."""

    seat: int
    cents: int
    won_with: WonWith
    clause: str
    hand: str = ""


class SettledPotView(Shown):
    """A settled pot, in cents; `held` says why it is not awarded yet."""

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
    """The main pot first; empty in a game without pots."""


class HeldView(Shown):
    """Money held from a round until a supervisor settles it and records that. `entry` is its unique number in the
    table's books, 0 without books; `session` is that of the dealing device."""

    entry: int = 0
    session: str = ""
    round: int
    at_ns: int
    cents: int
    currency: str = DOLLAR
    why: str
    clause: str
    readings: tuple[str, ...] = ()
    """Readings that decided what is held; releasing the entry allows them."""


class PotsWonView(Shown):
    """The pots of a round between players, in cents: total, rake, jackpot share, and each seat's winnings."""

    cents: int
    rake: int = 0
    jackpot_rake: int = 0
    winners: tuple[PotWinnerView, ...] = ()


class OutcomeView(Shown):
    """The end of a round. `players` is what all players won or lost in cents, None if the table does not settle."""

    round: int
    at_ns: int
    outcome: Outcome
    players: int | None = None
    held: int = 0
    incidents: int = 0
    repeated: bool = False
    """True if the round is a repetition: one with this number and session was settled before, so this one is not paid.
    """
    won: str | None = None
    """The winning column, in a game drawn into columns."""
    pots: PotsWonView | None = None
    """None without betting between players, and if no pot was played for."""


class ShoeView(Shown):
    """A shoe, in cards. `left` is None if cards may have left it unseen."""

    loaded: int
    drawn: int
    left: int | None
    cut_card: bool = False
    """True if the cut card came: no new round starts."""


class LogLine(Shown):
    """One line of the log: an incident with its clause, the end of a round, a line lost or restored."""

    sequence: int
    at_ns: int
    code: str
    text: str
    clause: str | None = None
    place: str | None = None
    round: int | None = None


class LegalView(Shown):
    """One possible next event; `awaited`: the round does not continue without it."""

    actor: str
    what: str
    place: str
    awaited: bool = False


class TableView(Shown):
    """One table. `sequence` is the newest journal number it includes; `at_ns` nanoseconds since 1970."""

    schema_: Literal["dealwire.view/2"] = "dealwire.view/2"
    sequence: int
    at_ns: int
    table: str
    procedure: str
    title: str
    clause: str
    edition: str = ""
    """The edition of the regulation that the table follows; empty if there is none."""
    round: int
    state: str
    """State of the round, in the flow's words."""
    unknown: UnknownView | None = None
    """Set while state, seats, cards and next events are not known."""
    trouble: tuple[TroubleView, ...] = ()
    """Worst first."""
    outcomes: tuple[OutcomeView, ...] = ()
    """The last ten rounds, newest last."""
    lamp: Lamp = "unknown"
    lamp_since_ns: int | None = None
    """Time at which the lamp took this state, if known."""
    red_lamp: int = 0
    """The fault that lit the red lamp; 0 when it is off, or for an unknown fault."""
    red_lamp_text: str = ""
    safe_stop: str | None = None
    """Reason why the table was stopped and deals no more; None while it runs."""
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
    """Currency of the table's money in the newest round: three letters."""
    meters: dict[str, int] = {}
    """Cents by meter name."""
    moved: dict[str, int] = {}
    """Change of each meter at its last movement, in cents."""
    posting: tuple[str, ...] = ()
    """For a table with a jackpot, the notice that players must be able to read: posted amount, qualifying hand,
    division, exclusions, and what is taken of pots."""
    cautions: tuple[str, ...] = ()
    """Warnings about the table's terms, such as a meter without contributions."""
    settlement: SettlementView | None = None
    """The newest settlement; None before the first, and if the table does not settle."""
    pending: tuple[PendingView, ...] = ()
    """Acts that wait for another person, oldest first."""
    held: tuple[HeldView, ...] = ()
    """Held entries that are still open, oldest first: the newest 50."""
    held_count: int = 0
    """Number of open entries, including those not in `held`."""
    held_cents: dict[str, int] = {}
    """Sum of all open entries, in cents by currency."""
    reported_ns: int | None = None
    """Time at which a device last reported anything."""
    devices: tuple[DeviceView, ...] = ()
    next: tuple[LegalView, ...] = ()
    log: tuple[LogLine, ...] = ()
    """Newest last, at most 200 lines."""
