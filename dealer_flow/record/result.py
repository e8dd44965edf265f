"""A round as data: what was dealt, to whom, what went wrong, and by which clause. Published as JSON Schema.

It names nothing it did not see: an unread card is `??`, an unknown count is null. It holds no time of day, so the
same deal gives the same result whether it was live, replayed or dealt by another maker's device.
"""

from typing import Annotated, Any, Final, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    model_serializer,
)

from protocol.cards import RANKS, SUITS

SCHEMA: Final = "dealwire.round/1"
INCIDENT_SCHEMA: Final = "dealwire.incident/1"

CardText = Annotated[
    str, StringConstraints(pattern=rf"^([{RANKS}][{SUITS}]|X[1-4]|\?\?|\?\^|\?#|\|\||__|==|--|0x[0-9A-F]{{2}})$")
]
"""A card as text, rank then suit; `??` when its face was not read, `0xNN` for a code nobody knows."""

Cents = Annotated[int, Field(ge=0, le=2**32 - 1)]
Count = Annotated[int, Field(ge=0, le=2**16 - 1)]

Outcome = Literal["complete", "misdeal", "progressive-only", "defective-deck", "unreliable"]
"""How the table's round ended. `complete`: every bet is settled by its hand. `misdeal`: the bets the clause names are
returned. `progressive-only`: as misdeal, and the hands play for the progressive. `defective-deck`: every bet is
returned. `unreliable`: the procedure was broken or events are missing; nothing is settled, a person decides."""

SeatStatus = Literal["live", "dead", "folded"]
HandStatus = Literal["live", "dead"]


class Record(BaseModel):
    """Base of everything in a result: strict, frozen, no unknown key."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def _absent_when_empty(*keys: str) -> Any:
    """A serializer that leaves out these keys while they hold nothing, so that older readers meet nothing new."""

    def leave_out(self: Record, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        dumped: dict[str, Any] = handler(self)
        return {key: value for key, value in dumped.items() if value or key not in keys}

    return model_serializer(mode="wrap")(leave_out)


class EventRef(Record):
    """One event a finding rests on: the device's name at the table and the event's number in its session."""

    device: str
    number: int


class Incident(Record):
    """Something that went wrong or off procedure, with the clause that says what it means."""

    code: str
    """A stable name such as `seat-count-wrong`; listed in `docs/incidents.md`."""
    text: str
    """One sentence for a person."""
    clause: str
    """Where the consequence is written; `procedure` when only the procedure file says so."""
    place: str | None = None
    fault: int | None = None
    called: Literal["supervisor"] | None = None
    """Who must come at once; absent when nobody must."""
    events: tuple[EventRef, ...] = ()

    _absent = _absent_when_empty("called")

    def to_json(self) -> str:
        """One line of JSON, as a stream of results carries it: with `schema` and `type` first."""
        return f'{{"schema":"{INCIDENT_SCHEMA}","type":"incident",{self.model_dump_json()[1:]}'


class ProcedureRef(Record):
    """Which procedure file decided, by id and by the SHA-256 of its canonical content."""

    id: str
    sha256: str


class Packet(Record):
    """One packet as it left the device; `counted` is the device's own count."""

    ordinal: Count
    to: str
    expected: Count
    counted: Count | None


class Burn(Record):
    """Which cards of the packet were burned, by position and by the direction positions are counted in."""

    of: str
    positions: tuple[int, ...]
    spread: str


class Hand(Record):
    """The dealer's hand. `counted` is a person's count where there is one, else the device's."""

    cards: tuple[CardText, ...]
    counted: Count | None
    expected: Count


class Seat(Record):
    """One player's hand, choice and wagers (cents by bet name)."""

    seat: Annotated[int, Field(ge=1, le=32)]
    status: SeatStatus
    cards: tuple[CardText, ...]
    counted: Count | None
    expected: Count
    decision: str | None = None
    """The last choice made."""
    decisions: tuple[str, ...] = ()
    """All choices in their order; absent unless there are several."""
    wagers: dict[str, Cents] = {}
    returned: dict[str, Cents] = {}
    """The bets that go back for how the round ended, by the clause; absent when none do."""

    _absent = _absent_when_empty("decisions", "returned")


class NamedHand(Record):
    """A hand of the game beside the seats' and the dealer's: its name in the procedure and the devices' place."""

    name: str
    place: str
    status: HandStatus
    cards: tuple[CardText, ...]
    counted: Count | None
    expected: Count


class Remainder(Record):
    """The rest of the deck; `expected` is what conservation of cards asks for."""

    counted: Count | None
    expected: Count


class Deck(Record):
    """The deck that was dealt; `loaded` is the device's count before the deal."""

    deck: int
    loaded: Count | None


class Finish(Record):
    """After how many cards it was decided, and the column that decided it; null when no column did."""

    cards: Count
    column: str | None


class Named(Record):
    """A card the shoe did not read and a person named; badge 0 and an empty level when no badge was swiped."""

    position: Count
    card: CardText
    badge: int
    level: str


class Drawn(Record):
    """Cards drawn one at a time: in their order, as they lie in the columns, and how it ended."""

    cards: tuple[CardText, ...]
    """In the order they were drawn, the extra card included."""
    columns: dict[str, tuple[CardText, ...]]
    finish: Finish | None
    """Null when it was not decided."""
    extra: CardText | None = None
    """The extra card, drawn after an end by number of cards."""
    overdrawn: tuple[CardText, ...] = ()
    """Cards that came after the end and decide nothing."""
    named: tuple[Named, ...] = ()


class ShoeRecord(Record):
    """The shoe as the round left it. `loaded` is the shoe's word, or what the procedure's decks make where it has none;
    `left` is null when cards may have left it unseen."""

    id: int
    loaded: Count
    drawn: Count
    left: Count | None


class RoundResult(Record):
    """One round. Fields are documented in `docs/round-result.md`; the schema is `docs/schema/round-1.json`."""

    schema_: Literal["dealwire.round/1"] = Field(default=SCHEMA, alias="schema")
    type: Literal["round"] = "round"
    table: str
    session: str
    """Session of the dealing device, eight hex digits."""
    round: Annotated[int, Field(ge=0, le=2**32 - 1)]
    procedure: ProcedureRef
    options: dict[str, str] = {}
    """Readings of the procedure that were used where the text is silent."""
    outcome: Outcome
    deck: Deck
    packets: tuple[Packet, ...]
    community: tuple[CardText, ...]
    """The community cards that play, never the burned ones."""
    burned: tuple[CardText, ...]
    burn: Burn | None
    """The first burn of a packet's cards."""
    burns: tuple[Burn, ...] = ()
    """All of them in their order; absent unless there are several."""
    seats: tuple[Seat, ...]
    dealer: Hand | None
    hands: tuple[NamedHand, ...] = ()
    """Hands that the game names, in the order of the procedure; absent when it has none."""
    remainder: Remainder | None
    rejected: Count
    incidents: tuple[Incident, ...]
    draw: Drawn | None = None
    """Of a game drawn from a shoe; such a game has no packets. Absent from the line of any other game, as `shoe` is."""
    shoe: ShoeRecord | None = None

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, populate_by_name=True)

    def to_json(self) -> str:
        """One line of JSON, keys in the order of the schema."""
        absent = {name for name in ("draw", "shoe") if getattr(self, name) is None}
        absent |= {name for name in ("burns", "hands") if not getattr(self, name)}
        return self.model_dump_json(by_alias=True, exclude=absent)

    @classmethod
    def from_json(cls, line: str | bytes) -> "RoundResult":
        """Read one line; pydantic's ValidationError names the key that is wrong."""
        return cls.model_validate_json(line)


def json_schema() -> dict[str, Any]:
    """JSON Schema of a round, as published in `docs/schema/round-1.json`."""
    return RoundResult.model_json_schema(by_alias=True)
