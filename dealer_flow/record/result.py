"""A round as data: what was dealt to whom, what went wrong, and by which clause. Published as JSON Schema.

It states nothing that was not seen: an unread card is `??`, an unknown count is null. It holds no time of day, so the
same deal gives the same result whether it was live, replayed or dealt by another maker's device.
"""

from typing import Annotated, ClassVar, Literal, cast

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from dealer_flow.record.base import Cards, CardText, LineRecord, Record, written
from dealer_flow.record.details import (
    DOLLAR,
    ActionRecord,
    Cents,
    Currency,
    CutPot,
    DrawnNumber,
    FirmwareRecord,
    Split,
    Stage,
    TakenPot,
    leave_out_dollar,
)
from dealer_flow.record.incidents import Incident

Count = Annotated[int, Meta(ge=0, le=2**16 - 1)]

Outcome = Literal["complete", "misdeal", "progressive-only", "defective-deck", "unreliable"]
"""End of the table's round. `complete`: every bet is settled by its hand. `misdeal`: the bets the clause names are
returned. `progressive-only`: as misdeal, and the hands play for the progressive. `defective-deck`: every bet is
returned. `unreliable`: the procedure was broken or events are missing; nothing is settled, a supervisor decides."""

SeatStatus = Literal["live", "dead", "folded", "out"]
"""`out`: the seat has bets and was not dealt in, since none of them enters it into the deal."""
HandStatus = Literal["live", "dead"]


class ProcedureRef(Record, frozen=True):
    """Procedure file that decided, by id and by the SHA-256 of its canonical content."""

    id: str
    sha256: str


class EditionRef(Record, frozen=True):
    """Edition of the regulation that decided, by id and by the SHA-256 of its content and that of its bases."""

    id: str
    sha256: str


class HouseRef(Record, frozen=True):
    """Posted rules of the house that applied: the file by id and by the SHA-256 of its content, and its game's name."""

    id: str
    sha256: str
    game: str


class Packet(Record, frozen=True):
    """One packet as it left the device; `counted` is the device's own count."""

    ordinal: Count
    to: str
    expected: Count
    counted: Count | None


class Burn(Record, frozen=True):
    """Cards of the packet that were burned, by position and by the direction in which positions are counted."""

    of: str
    positions: tuple[int, ...]
    spread: str


class Hand(Record, frozen=True, kw_only=True, omit_defaults=True):
    """The dealer's hand. `counted` is a person's count if there is one, else the device's."""

    cards: Cards
    counted: Count | None
    expected: Count
    discards: Cards = ()
    """Cards reported as discarded, in order; absent if none were."""
    split: Split | None = None
    """Setting of the hand in two parts; absent unless reported."""


class Seat(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One player's hand, choice and wagers (cents by bet name)."""

    seat: Annotated[int, Meta(ge=1, le=32)]
    status: SeatStatus
    cards: Cards
    counted: Count | None
    expected: Count
    decision: str | None = written(None)
    """Latest choice."""
    decisions: tuple[str, ...] = ()
    """All choices in order; absent unless there are several."""
    choices: dict[str, str] = msgspec.field(default_factory=dict)
    """Choice at each step by the step's name, declarations included; absent if there is none, and if a player chooses
    once and declares nothing, since `decision` says it."""
    discards: Cards = ()
    """Cards reported as discarded, in order; absent if none were."""
    split: Split | None = None
    """Setting of the hand in two parts; absent unless reported."""
    wagers: dict[str, Cents] = written({})
    blind: tuple[str, ...] = ()
    """Bets of a choice that were placed before its step began; absent if none were."""
    propositions: dict[str, dict[str, Cents]] = msgspec.field(default_factory=dict)
    """For a bet that may be on several outcomes: cents by proposition, such as `rank:T` or `over-7`; absent unless
    reported."""
    settled: tuple[str, ...] = ()
    """Bets that were settled before the round was void and stay so; absent if none were."""
    returned: dict[str, Cents] = msgspec.field(default_factory=dict)
    """Bets that go back for how the round ended, by the clause; absent if none do."""
    forfeited: dict[str, Cents] = msgspec.field(default_factory=dict)
    """Bets of a void round that stay in the pot for the next one, since the player knew better; absent if none do."""
    held: dict[str, str] = msgspec.field(default_factory=dict)
    """Bets that break a rule of the game, came too late or do not enter the seat, each with its clause: they are held
    for a supervisor, and every other bet is settled. Absent if there are none."""
    stake: Cents | None = None
    """Stake of the seat when the hand began, all that it could bet in it; absent unless reported."""


class NamedHand(Record, frozen=True, kw_only=True, omit_defaults=True):
    """A hand of the game other than the seats' and the dealer's: its name in the procedure and the devices' place."""

    name: str
    place: str
    status: HandStatus
    cards: Cards
    counted: Count | None
    expected: Count
    discards: Cards = ()
    """Cards reported as discarded, in order; absent if none were."""
    split: Split | None = None
    """Setting of the hand in two parts; absent unless reported."""


class Remainder(Record, frozen=True, omit_defaults=True):
    """The rest of the deck; `expected` is what conservation of cards requires."""

    counted: Count | None
    expected: Count
    apart: Count = 0
    """Cards of `counted` that the device counted as a packet of its own, which was not lifted; absent if it counted
    that packet with the remainder, or there was none."""


class Deck(Record, frozen=True):
    """The deck that was dealt; `loaded` is the device's count before the deal."""

    deck: int
    loaded: Count | None


class Finish(Record, frozen=True):
    """Number of cards after which it was decided, and the column that decided it; null if no column did."""

    cards: Count
    column: str | None


class Named(Record, frozen=True):
    """A card that the shoe did not read and a person named; badge 0 and an empty level if no badge was swiped."""

    position: Count
    card: CardText
    badge: int
    level: str


class Drawn(Record, frozen=True):
    """Cards drawn one at a time: in order, by column, and how it ended."""

    cards: Cards
    """Cards in the order in which they were drawn, the extra card included."""
    columns: dict[str, Cards]
    finish: Finish | None
    """Null if it was not decided."""
    extra: CardText | None = None
    """Extra card, drawn after an end by number of cards."""
    overdrawn: Cards = ()
    """Cards that came after the end and decide nothing."""
    named: tuple[Named, ...] = ()


class ShoeRecord(Record, frozen=True):
    """The shoe after the round. `loaded` is reported by the shoe, or computed from the procedure's decks; `left` is
    null if cards may have left it unseen."""

    id: int
    loaded: Count
    drawn: Count
    left: Count | None


class RoundResult(LineRecord, frozen=True, kw_only=True, omit_defaults=True):
    """One round. Fields are documented in `docs/round-result.md`; the schema is `docs/schema/round-2.json`.

    A line of `dealwire.round/1` can be read, too: its incidents lack the facts, and all bets of a void round or hand
    went back.
    """

    SCHEMA: ClassVar[str] = "dealwire.round/2"
    TYPE: ClassVar[str] = "round"
    READS: ClassVar[frozenset[str]] = frozenset({"dealwire.round/1"})

    table: str
    session: str
    """Session of the dealing device, eight hex digits."""
    round: Annotated[int, Meta(ge=0, le=2**32 - 1)]
    currency: Currency = DOLLAR
    """Currency of the wagers: every amount counts its hundredths. Absent for the dollar of the United States."""
    procedure: ProcedureRef
    edition: EditionRef | None = None
    """Edition of the regulation by which it was dealt; absent in a round without one, as before editions had files."""
    house: HouseRef | None = None
    """Posted rules of the house by which it was dealt; absent at a table without such a file."""
    options: dict[str, str] = written({})
    """Readings of the procedure that were used where the text is ambiguous."""
    outcome: Outcome
    deck: Deck
    packets: tuple[Packet, ...]
    community: Cards
    """Community cards that play, without burned ones."""
    burned: Cards
    burn: Burn | None
    """First burn of a packet's cards."""
    burns: tuple[Burn, ...] = ()
    """All burns in order; absent unless there are several."""
    seats: tuple[Seat, ...]
    dealer: Hand | None
    hands: tuple[NamedHand, ...] = ()
    """Hands that the game names, in the order of the procedure; absent if it has none."""
    stages: tuple[Stage, ...] = ()
    """Cards of a place when an earlier step was over, if they differ from those at the end, or if the step settled bets
    and the round is void, in the order of the steps; absent if none are known."""
    number: DrawnNumber | None = None
    """Number that says who gets the first cards; absent unless it was reported."""
    remainder: Remainder | None
    rejected: Count
    incidents: tuple[Incident, ...]
    button: Annotated[int, Meta(ge=1, le=32)] | None = None
    """Seat that had the button; absent unless it was reported."""
    actions: tuple[ActionRecord, ...] = ()
    """Actions of the betting in order, in a game in which players bet against each other; absent if there were none."""
    pots: tuple[CutPot, ...] = ()
    """Pots as they were cut in the play, the main pot first, in a game in which players bet against each other and a
    round that was played out; absent in any other, and in a line of an older version. What is in no pot went back."""
    awards: tuple[TakenPot, ...] = ()
    """Pots that the dealer awarded and seats took in; absent if none were reported."""
    left: tuple[Annotated[int, Meta(ge=1, le=32)], ...] = ()
    """Seats whose player has left the game since the round before, since no stake is there; absent if none has."""
    firmware: tuple[FirmwareRecord, ...] = ()
    """Firmware of the devices that must prove it and have, by line; absent if none must."""
    draw: Drawn | None = None
    """Race of a game drawn from a shoe; such a game has no packets. Absent in any other game, as `shoe` is."""
    shoe: ShoeRecord | None = None

    def __post_init__(self) -> None:
        leave_out_dollar(self, self.currency)

    def renewed(self) -> "RoundResult":
        """Return a round of version 1 in this version: all bets of a void round went back, and so did those of a dead
        hand."""
        void = self.outcome in ("misdeal", "defective-deck")
        dead = self.outcome in ("complete", "progressive-only")
        seats = (
            replace(each, returned=dict(each.wagers)) if void or (dead and each.status == "dead") else each
            for each in self.seats
        )
        return replace(self, seats=tuple(seats))

    def body_json(self) -> str:
        """Return the round as JSON, each incident with its sentence."""
        spelled = cast("tuple[Incident, ...]", tuple(msgspec.Raw(each.body_json().encode()) for each in self.incidents))
        return msgspec.json.encode(replace(self, incidents=spelled)).decode()

    def repeated(self, elsewhere: str = "") -> Incident:
        """Return the incident that this round was settled before, at this table or `elsewhere`, and is not settled
        again."""
        return Incident(
            code="round-repeated", clause="procedure", session=self.session, number=self.round, words=elsewhere
        )
