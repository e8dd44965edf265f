"""A round as data: what was dealt, to whom, what went wrong, and by which clause. Published as JSON Schema.

It names nothing it did not see: an unread card is `??`, an unknown count is null. It holds no time of day, so the
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
    DrawnNumber,
    Split,
    Stage,
    TakenPot,
    leave_out_dollar,
)
from dealer_flow.record.incidents import Incident

Count = Annotated[int, Meta(ge=0, le=2**16 - 1)]

Outcome = Literal["complete", "misdeal", "progressive-only", "defective-deck", "unreliable"]
"""How the table's round ended. `complete`: every bet is settled by its hand. `misdeal`: the bets the clause names are
returned. `progressive-only`: as misdeal, and the hands play for the progressive. `defective-deck`: every bet is
returned. `unreliable`: the procedure was broken or events are missing; nothing is settled, a person decides."""

SeatStatus = Literal["live", "dead", "folded", "out"]
"""`out`: the seat has bets and was not dealt in, since none of them enters it into the deal."""
HandStatus = Literal["live", "dead"]


class ProcedureRef(Record, frozen=True):
    """Which procedure file decided, by id and by the SHA-256 of its canonical content."""

    id: str
    sha256: str


class EditionRef(Record, frozen=True):
    """Which edition of the law decided, by id and by the SHA-256 of what it says and what it stands on."""

    id: str
    sha256: str


class Packet(Record, frozen=True):
    """One packet as it left the device; `counted` is the device's own count."""

    ordinal: Count
    to: str
    expected: Count
    counted: Count | None


class Burn(Record, frozen=True):
    """Which cards of the packet were burned, by position and by the direction positions are counted in."""

    of: str
    positions: tuple[int, ...]
    spread: str


class Hand(Record, frozen=True, kw_only=True, omit_defaults=True):
    """The dealer's hand. `counted` is a person's count where there is one, else the device's."""

    cards: Cards
    counted: Count | None
    expected: Count
    discards: Cards = ()
    """The cards reported as laid away, in their order; absent when none were."""
    split: Split | None = None
    """How it was set; absent unless that was reported."""


class Seat(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One player's hand, choice and wagers (cents by bet name)."""

    seat: Annotated[int, Meta(ge=1, le=32)]
    status: SeatStatus
    cards: Cards
    counted: Count | None
    expected: Count
    decision: str | None = written(None)
    """The last choice made."""
    decisions: tuple[str, ...] = ()
    """All choices in their order; absent unless there are several."""
    choices: dict[str, str] = msgspec.field(default_factory=dict)
    """The choice of each step by the step's name, a declaration among them; absent when there is none, and
    where a player chooses once and declares nothing, since `decision` says it."""
    discards: Cards = ()
    """The cards reported as laid away, in their order; absent when none were."""
    split: Split | None = None
    """How the hand was set; absent unless that was reported."""
    wagers: dict[str, Cents] = written({})
    blind: tuple[str, ...] = ()
    """Bets of a choice that were placed before its step began; absent when none were."""
    propositions: dict[str, dict[str, Cents]] = msgspec.field(default_factory=dict)
    """Of a bet that may be on several outcomes: cents by what they are on, `rank:T` or `over-7`; absent unless
    reported."""
    settled: tuple[str, ...] = ()
    """Bets that were settled before the round was void and stay so; absent when none were."""
    returned: dict[str, Cents] = msgspec.field(default_factory=dict)
    """The bets that go back for how the round ended, by the clause; absent when none do."""
    forfeited: dict[str, Cents] = msgspec.field(default_factory=dict)
    """The bets of a void round that stay in the pot for the next one, since the player knew better; absent when none
    do."""
    held: dict[str, str] = msgspec.field(default_factory=dict)
    """The bets that break a rule of the game, came too late or enter nobody, each with its clause: they lie there until
    a person decides, and every other bet is settled. Absent when there is none."""
    stake: Cents | None = None
    """What lay before the seat when the hand began, all that it could bet in it; absent unless reported."""


class NamedHand(Record, frozen=True, kw_only=True, omit_defaults=True):
    """A hand of the game beside the seats' and the dealer's: its name in the procedure and the devices' place."""

    name: str
    place: str
    status: HandStatus
    cards: Cards
    counted: Count | None
    expected: Count
    discards: Cards = ()
    """The cards reported as laid away, in their order; absent when none were."""
    split: Split | None = None
    """How it was set; absent unless that was reported."""


class Remainder(Record, frozen=True, omit_defaults=True):
    """The rest of the deck; `expected` is what conservation of cards asks for."""

    counted: Count | None
    expected: Count
    apart: Count = 0
    """Cards of `counted` that the device counted as a packet of its own, which nobody lifted; absent where it counted
    that packet with the remainder, or there was none."""


class Deck(Record, frozen=True):
    """The deck that was dealt; `loaded` is the device's count before the deal."""

    deck: int
    loaded: Count | None


class Finish(Record, frozen=True):
    """After how many cards it was decided, and the column that decided it; null when no column did."""

    cards: Count
    column: str | None


class Named(Record, frozen=True):
    """A card the shoe did not read and a person named; badge 0 and an empty level when no badge was swiped."""

    position: Count
    card: CardText
    badge: int
    level: str


class Drawn(Record, frozen=True):
    """Cards drawn one at a time: in their order, as they lie in the columns, and how it ended."""

    cards: Cards
    """In the order they were drawn, the extra card included."""
    columns: dict[str, Cards]
    finish: Finish | None
    """Null when it was not decided."""
    extra: CardText | None = None
    """The extra card, drawn after an end by number of cards."""
    overdrawn: Cards = ()
    """Cards that came after the end and decide nothing."""
    named: tuple[Named, ...] = ()


class ShoeRecord(Record, frozen=True):
    """The shoe as the round left it. `loaded` is the shoe's word, or what the procedure's decks make where it has none;
    `left` is null when cards may have left it unseen."""

    id: int
    loaded: Count
    drawn: Count
    left: Count | None


class RoundResult(LineRecord, frozen=True, kw_only=True, omit_defaults=True):
    """One round. Fields are documented in `docs/round-result.md`; the schema is `docs/schema/round-2.json`.

    A line of `dealwire.round/1` is read, too: its incidents lack the facts, and whatever was void went back whole.
    """

    SCHEMA: ClassVar[str] = "dealwire.round/2"
    TYPE: ClassVar[str] = "round"
    READS: ClassVar[frozenset[str]] = frozenset({"dealwire.round/1"})

    table: str
    session: str
    """Session of the dealing device, eight hex digits."""
    round: Annotated[int, Meta(ge=0, le=2**32 - 1)]
    currency: Currency = DOLLAR
    """What the wagers are in: every amount counts its hundredths. Absent when it is the dollar of the United States."""
    procedure: ProcedureRef
    edition: EditionRef | None = None
    """The edition of the law by which it was dealt; absent of a round without one, as before editions had files."""
    options: dict[str, str] = written({})
    """Readings of the procedure that were used where the text is silent."""
    outcome: Outcome
    deck: Deck
    packets: tuple[Packet, ...]
    community: Cards
    """The community cards that play, never the burned ones."""
    burned: Cards
    burn: Burn | None
    """The first burn of a packet's cards."""
    burns: tuple[Burn, ...] = ()
    """All of them in their order; absent unless there are several."""
    seats: tuple[Seat, ...]
    dealer: Hand | None
    hands: tuple[NamedHand, ...] = ()
    """Hands that the game names, in the order of the procedure; absent when it has none."""
    stages: tuple[Stage, ...] = ()
    """What lay at a place when an earlier step was over, where that was something else than in the end, in the order of
    the steps; absent when nothing is known of any."""
    number: DrawnNumber | None = None
    """The number drawn that says who gets the first cards; absent unless it was reported."""
    remainder: Remainder | None
    rejected: Count
    incidents: tuple[Incident, ...]
    button: Annotated[int, Meta(ge=1, le=32)] | None = None
    """The seat that had the button; absent unless it was reported."""
    actions: tuple[ActionRecord, ...] = ()
    """The betting as it went, where players bet against each other; absent when there was none."""
    awards: tuple[TakenPot, ...] = ()
    """Pots that the dealer awarded and seats took in; absent when none were reported."""
    left: tuple[Annotated[int, Meta(ge=1, le=32)], ...] = ()
    """Seats whose player has left the game since the round before, since nothing lies there; absent when none has."""
    draw: Drawn | None = None
    """Of a game drawn from a shoe; such a game has no packets. Absent from the line of any other game, as `shoe` is."""
    shoe: ShoeRecord | None = None

    def __post_init__(self) -> None:
        leave_out_dollar(self, self.currency)

    def renewed(self) -> "RoundResult":
        """A round of version 1: all bets of a void round went back, and so did those of a dead hand."""
        void = self.outcome in ("misdeal", "defective-deck")
        dead = self.outcome in ("complete", "progressive-only")
        seats = (
            replace(each, returned=dict(each.wagers)) if void or (dead and each.status == "dead") else each
            for each in self.seats
        )
        return replace(self, seats=tuple(seats))

    def body_json(self) -> str:
        """The round, each incident with its sentence."""
        spelled = cast("tuple[Incident, ...]", tuple(msgspec.Raw(each.body_json().encode()) for each in self.incidents))
        return msgspec.json.encode(replace(self, incidents=spelled)).decode()

    def repeated(self, elsewhere: str = "") -> Incident:
        """What is found when this round was settled before, at this table or `elsewhere`: it came once more and is not
        settled again."""
        return Incident(
            code="round-repeated", clause="procedure", session=self.session, number=self.round, words=elsewhere
        )
