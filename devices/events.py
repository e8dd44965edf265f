"""What any device can report, whatever its maker: the only vocabulary `dealer_flow` knows.

A body says what happened; `Seen` says where and when. Drivers translate a dialect's messages into these, so a
flow cannot tell a TDP shuffler from another, nor an attached device from a recording.
"""

from dataclasses import dataclass
from enum import StrEnum

from protocol.cards import Card
from protocol.places import Place


@dataclass(frozen=True, slots=True)
class Body:
    """Base of what can happen."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One thing a device reported.

    `device` is the line's name at the table, `session` the device's power-up session, `number` the event's
    number in it, `at_ns` when it arrived, nanoseconds since 1970. Where a device keeps neither, the link counts the
    starts and the reports it hears; `number` is 0 for what no device reported.
    """

    device: str
    session: int
    number: int
    at_ns: int
    body: Body


# ------------------------------------------------------------------ the line itself


@dataclass(frozen=True, slots=True)
class LinkUp(Body):
    """A session was opened, or a listener learned which one it hears."""

    session: int
    device_class: str
    maker: str
    model: str
    serial: str
    firmware: str
    recognises_cards: bool
    resumed: bool = False
    """Events go on where they stopped before the link was lost."""


@dataclass(frozen=True, slots=True)
class LinkLost(Body):
    """Nothing valid was heard for too long, or the line closed. What the device did since is unknown."""

    why: str


@dataclass(frozen=True, slots=True)
class SessionChanged(Body):
    """The device started anew: what it did around that is not known from events alone."""

    previous: int
    session: int


@dataclass(frozen=True, slots=True)
class EventsLost(Body):
    """Events `first` to `last` cannot be had any more; both 0 when the device does not number them: an unknown
    number of reports is missing here."""

    first: int
    last: int


# ------------------------------------------------------------------ any device


@dataclass(frozen=True, slots=True)
class Booted(Body):
    """The device started; `mid_round` when its power went during a deal."""

    boot_count: int
    mid_round: bool


@dataclass(frozen=True, slots=True)
class FaultRaised(Body):
    """A fault began; the number's class is in `protocol.faults`."""

    fault: int
    place: Place
    value: int


@dataclass(frozen=True, slots=True)
class FaultCleared(Body):
    """A fault ended."""

    fault: int


@dataclass(frozen=True, slots=True)
class DoorMoved(Body):
    """The door or cover was opened or closed."""

    open: bool


@dataclass(frozen=True, slots=True)
class StateChanged(Body):
    """The device's own state, by name (`READY`, `PACKET_WAIT` ...); `previous` is empty where it does not say."""

    state: str
    previous: str


@dataclass(frozen=True, slots=True)
class UnknownReported(Body):
    """Something this version does not know: kept, counted, never fatal."""

    what: str


# ------------------------------------------------------------------ packet shuffler


@dataclass(frozen=True, slots=True)
class GreenButton(Body):
    """The dealer pressed the green button."""


@dataclass(frozen=True, slots=True)
class GameSelected(Body):
    """The shuffler was set to a game: cards of a packet, of the whole deck, and jokers among them."""

    packet_size: int
    cards: int
    jokers: int
    game: str


@dataclass(frozen=True, slots=True)
class DeckLoaded(Body):
    """A deck lies in the input."""

    deck: int
    back: int


@dataclass(frozen=True, slots=True)
class ShuffleStarted(Body):
    """A deck is being shuffled."""

    deck: int


@dataclass(frozen=True, slots=True)
class DeckVerified(Body):
    """A shuffled deck was counted."""

    deck: int
    expected: int
    counted: int


@dataclass(frozen=True, slots=True)
class PacketDispensed(Body):
    """A packet lies in the tray; `cards` top first, empty when the device reads no faces."""

    deck: int
    ordinal: int
    expected: int
    counted: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class PacketLifted(Body):
    """The packet was taken out of the tray."""

    ordinal: int


@dataclass(frozen=True, slots=True)
class RemainderDumped(Body):
    """Every card left of the deck lies in the tray."""

    deck: int
    expected: int
    counted: int


@dataclass(frozen=True, slots=True)
class RemainderLifted(Body):
    """The remainder was taken out."""

    deck: int


@dataclass(frozen=True, slots=True)
class CardRejected(Body):
    """A card went to the reject tray."""

    deck: int
    card: Card
    fault: int


@dataclass(frozen=True, slots=True)
class RedLamp(Body):
    """The red lamp was lit for `fault`, or went out."""

    lit: bool
    fault: int


@dataclass(frozen=True, slots=True)
class MisdealReported(Body):
    """The device's own record of a misdeal; counts are cards, `remainder` None when not known."""

    deck: int
    fault: int
    loaded: int
    remainder: int | None
    rejected: int
    packets: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class MisdealCleared(Body):
    """A person acknowledged the misdeal; `badge` 0 means at the device itself."""

    fault: int
    badge: int
    resume: bool


@dataclass(frozen=True, slots=True)
class DeckRemoved(Body):
    """The deck was taken out of the device."""

    deck: int


# ------------------------------------------------------------------ card-reading shoe


@dataclass(frozen=True, slots=True)
class ShoeLoaded(Body):
    """A shoe was filled: `shoe` tells it from the one before, `cards` in `decks` decks."""

    shoe: int
    decks: int
    cards: int


@dataclass(frozen=True, slots=True)
class ShoeEnded(Body):
    """The shoe is over; `drawn` cards have left it since it was filled, as the device counted."""

    shoe: int
    drawn: int


@dataclass(frozen=True, slots=True)
class BurnStarted(Body):
    """The next `count` cards are burned."""

    count: int


@dataclass(frozen=True, slots=True)
class CardDrawn(Body):
    """A card left the shoe and was read.

    `ordinal` is the device's own count (in the shoe, or in the hand it deals to), None where it has none; `where`
    is what the device believes it is for (`burn`, `player` ...), None where it does not say.
    """

    ordinal: int | None
    card: Card
    where: str | None


@dataclass(frozen=True, slots=True)
class CardUnread(Body):
    """A card left the shoe and its face is not known. Fields as in `CardDrawn`."""

    ordinal: int | None
    where: str | None


@dataclass(frozen=True, slots=True)
class CardReportedAgain(Body):
    """The device says again what it read: a second report of one card, not a second card."""

    ordinal: int | None
    card: Card
    where: str | None


@dataclass(frozen=True, slots=True)
class DrawWhileLocked(Body):
    """A card was drawn although the shoe is locked: it belongs to no game."""

    card: Card


@dataclass(frozen=True, slots=True)
class CardDrawnOutside(Body):
    """A card was drawn in the device's `error` or `setup` mode: it belongs to no game."""

    card: Card
    mode: str


@dataclass(frozen=True, slots=True)
class CutCardSeen(Body):
    """The cut card came out."""


@dataclass(frozen=True, slots=True)
class Overdrawn(Body):
    """More cards were drawn than the game takes; `halted` when the device went into its error mode."""

    halted: bool


@dataclass(frozen=True, slots=True)
class CardPushedBack(Body):
    """A card was pushed back into the exit; `halted` as in `Overdrawn`."""

    halted: bool


@dataclass(frozen=True, slots=True)
class CardPulledBack(Body):
    """A card turned back midway; `halted` as in `Overdrawn`."""

    halted: bool


@dataclass(frozen=True, slots=True)
class ShoeError(Body):
    """Another trouble of the shoe: `fault` is in `protocol.faults`, 0 when it is none of those; `text` is what the
    device said; `halted` as in `Overdrawn`."""

    fault: int
    halted: bool
    text: str


@dataclass(frozen=True, slots=True)
class ShoeErrorCleared(Body):
    """A trouble is over; `badge` 0 means it was cleared at the device itself, or by whom is not known."""

    fault: int
    badge: int


@dataclass(frozen=True, slots=True)
class ShoeLocked(Body):
    """The shoe was locked, or unlocked."""

    locked: bool


@dataclass(frozen=True, slots=True)
class ShoeResult(Body):
    """What the shoe's own rules say about the game it believes it dealt. It opens no round and settles nothing."""

    text: str


# ------------------------------------------------------------------ table controller


class Level(StrEnum):
    """Whose badge was swiped."""

    DEALER = "dealer"
    SUPERVISOR = "supervisor"
    EXECUTIVE = "executive"


@dataclass(frozen=True, slots=True)
class GameStarted(Body):
    """START GAME: bets are closed."""

    round: int


@dataclass(frozen=True, slots=True)
class GameEnded(Body):
    """END GAME: all action is reconciled."""

    round: int


@dataclass(frozen=True, slots=True)
class SensorChanged(Body):
    """A progressive bet came onto or left a seat's sensor."""

    seat: int
    on: bool


@dataclass(frozen=True, slots=True)
class HandButton(Body):
    """A hand button is on or off."""

    hand: int
    on: bool


@dataclass(frozen=True, slots=True)
class SpotSelected(Body):
    """The dealer selected a seat."""

    seat: int


@dataclass(frozen=True, slots=True)
class BadgeSwiped(Body):
    """A card was swiped; `level` is its text when unknown."""

    badge: int
    level: str


@dataclass(frozen=True, slots=True)
class Confirmed(Body):
    """CONFIRM was pressed."""


@dataclass(frozen=True, slots=True)
class WagerPlaced(Body):
    """A seat's whole bet on spot number `bet`, in cents; 0 takes it back."""

    seat: int
    bet: int
    cents: int


@dataclass(frozen=True, slots=True)
class DecisionMade(Body):
    """A seat chose; the number's meaning is in the game's procedure file."""

    seat: int
    decision: int


@dataclass(frozen=True, slots=True)
class BurnConfirmed(Body):
    """The dealer burned the cards at `positions` (from 1), counted `left-to-right` or `right-to-left`."""

    place: Place
    positions: tuple[int, ...]
    spread: str


@dataclass(frozen=True, slots=True)
class HandRevealed(Body):
    """The faces at a place; `keyed` when a person typed them in."""

    place: Place
    cards: tuple[Card, ...]
    keyed: bool


@dataclass(frozen=True, slots=True)
class CardsCounted(Body):
    """A person counted the cards at a place."""

    place: Place
    counted: int


class Mishap(StrEnum):
    """What a person saw happen to a card or a hand."""

    EXPOSED = "exposed"
    """A card was seen that should not be."""
    OFF_TABLE = "off-table"
    """A card fell from the table."""
    FOULED = "fouled"
    """A hand touched discards or another hand."""
    JOKER = "joker"
    """A stray joker came out of the deck."""
    BOXED = "boxed"
    """A card lay face up in the deck."""


@dataclass(frozen=True, slots=True)
class CardMishandled(Body):
    """A person says what happened to a card at a place; `how` is its text when unknown, `card` its face or unread."""

    place: Place
    how: str
    card: Card


@dataclass(frozen=True, slots=True)
class MisdealCalled(Body):
    """A person called a misdeal."""

    badge: int
    fault: int
