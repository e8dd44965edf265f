"""What any device can report, whatever its maker: the only vocabulary `dealer_flow` knows.

A body says what happened; `Seen` says where and when. Drivers translate a dialect's messages into these, so a
flow cannot tell a TDP shuffler from another, nor an attached device from a recording. A field with a default is one
that not every device has something to say in.
"""

from enum import StrEnum

from msgspec import Struct

from protocol.cards import Card
from protocol.places import Place


class Body(Struct, frozen=True, gc=False):
    """Base of what can happen."""


class Seen(Struct, frozen=True, gc=False):
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


class LinkUp(Body, frozen=True):
    """A session was opened, or a listener learned which one it hears."""

    session: int
    device_class: str
    maker: str
    model: str
    serial: str
    firmware: str
    recognises_cards: bool
    resumed: bool
    """Events go on where they stopped before the link was lost."""
    firmware_digest: str = ""
    """SHA-256 of the firmware's image, hex digits; empty when the device does not attest it."""
    meters: bool = False
    """It says that it has meters, which can be asked for."""
    measures: bool = False
    """It says that it measures its firmware when it is challenged."""


class LinkLost(Body, frozen=True):
    """Nothing valid was heard for too long, or the line closed. What the device did since is unknown."""

    why: str


class SessionChanged(Body, frozen=True):
    """The device started anew. Both ids are the same when it drew the one it had. `whole`: every event of the session
    before was told, or is reported lost; else what the device did around its start is not known."""

    previous: int
    session: int
    whole: bool = False


class SessionReturned(Body, frozen=True):
    """A session that was left is heard again: old bytes played again, or a device that repeats its numbers."""

    session: int


class EventsLost(Body, frozen=True):
    """Events `first` to `last` cannot be had any more; both 0 when the device does not number them, or
    began to number them anew: an unknown number of reports is missing here."""

    first: int
    last: int


class BytesDropped(Body, frozen=True):
    """The line gave more than its budget allows, or too much that led to nothing: `count` bytes were read and not
    kept. `sha256` is their hash, in hex."""

    count: int
    sha256: str


class DeviceElsewhere(Body, frozen=True):
    """The same device, in the same session, speaks on another line at the same time, says whoever has all lines:
    `where`; empty once it does no more."""

    where: str


# ------------------------------------------------------------------ any device


class Booted(Body, frozen=True):
    """The device started; `mid_round` when its power went during a deal."""

    boot_count: int
    mid_round: bool


class StatusDiffers(Body, frozen=True):
    """The device's status, or an event, cannot be true beside the events before it: `what` it is about, the number that
    is `stated`, and what the events made `known`. Nothing is said while an event is unheard, and nothing of a device
    without a status."""

    what: str
    stated: int
    known: int


class FaultRaised(Body, frozen=True):
    """A fault began; the number's class is in `protocol.faults`."""

    fault: int
    place: Place
    value: int


class FaultCleared(Body, frozen=True):
    """A fault ended."""

    fault: int


class DoorMoved(Body, frozen=True):
    """The door or cover was opened or closed."""

    open: bool


class StateChanged(Body, frozen=True):
    """The device's own state, by name (`READY`, `PACKET_WAIT` ...); `previous` is empty where it does not say."""

    state: str
    previous: str


class UnknownReported(Body, frozen=True):
    """Something this version does not know: kept, counted, never fatal."""

    what: str


# ------------------------------------------------------------------ packet shuffler


class GreenButton(Body, frozen=True):
    """The dealer pressed the green button."""


class GameSelected(Body, frozen=True):
    """The shuffler was set to a game: cards of a packet, of the whole deck, and jokers among them."""

    packet_size: int
    cards: int
    jokers: int
    game: str


class DeckLoaded(Body, frozen=True):
    """A deck lies in the input."""

    deck: int
    back: int


class ShuffleStarted(Body, frozen=True):
    """A deck is being shuffled."""

    deck: int


class DeckVerified(Body, frozen=True):
    """A shuffled deck was counted."""

    deck: int
    expected: int
    counted: int


class PacketDispensed(Body, frozen=True):
    """A packet lies in the tray; `cards` top first, empty when the device reads no faces."""

    deck: int
    ordinal: int
    expected: int
    counted: int
    cards: tuple[Card, ...]


class PacketLifted(Body, frozen=True):
    """The packet was taken out of the tray."""

    ordinal: int


class RemainderDumped(Body, frozen=True):
    """Every card left of the deck lies in the tray."""

    deck: int
    expected: int
    counted: int


class RoundCounted(Body, frozen=True):
    """The device's status of the round, the first after the remainder came: cards loaded; packets dispensed and the
    cards in them; cards in the tray, of the remainder, and in the reject tray. It comes once a round, from a device
    that has a status."""

    deck: int
    loaded: int
    packets: int
    dispensed: int
    in_tray: int
    remainder: int
    rejected: int


class RemainderLifted(Body, frozen=True):
    """The remainder was taken out."""

    deck: int


class CardRejected(Body, frozen=True):
    """A card went to the reject tray."""

    deck: int
    card: Card
    fault: int


class RedLamp(Body, frozen=True):
    """The red lamp was lit for `fault`, or went out."""

    lit: bool
    fault: int


class MisdealReported(Body, frozen=True):
    """The device's own record of a misdeal; counts are cards, `remainder` None when not known."""

    deck: int
    fault: int
    loaded: int
    remainder: int | None
    rejected: int
    packets: tuple[tuple[int, int], ...]


class MisdealCleared(Body, frozen=True):
    """A person acknowledged the misdeal; `badge` 0 means at the device itself."""

    fault: int
    badge: int
    resume: bool


class DeckRemoved(Body, frozen=True):
    """The deck was taken out of the device."""

    deck: int


# ------------------------------------------------------------------ card-reading shoe


class ShoeLoaded(Body, frozen=True):
    """A shoe was filled: `shoe` tells it from the one before, `cards` in `decks` decks."""

    shoe: int
    decks: int
    cards: int


class ShoeEnded(Body, frozen=True):
    """The shoe is over; `drawn` cards have left it since it was filled, as the device counted."""

    shoe: int
    drawn: int


class BurnStarted(Body, frozen=True):
    """The next `count` cards are burned."""

    count: int


class ReaderFlag(StrEnum):
    """What the reader of a shoe noticed about a card."""

    INDEX = "index"
    """It read the printed index."""
    CODE = "code"
    """It read the maker's code."""
    DISAGREE = "disagree"
    """Index and code say different cards."""
    DIRTY = "dirty"
    SLOW = "slow"


class CardDrawn(Body, frozen=True):
    """A card left the shoe and was read.

    `ordinal` is the device's own count (in the shoe, or in the hand it deals to), None where it has none; `where`
    is what the device believes it is for (`burn`, `player` ...), None where it does not say; `confidence` is how sure
    its reader is, in percent; `reader` what it noticed (`disagree` ...): a `ReaderFlag`, its text when unknown.
    """

    ordinal: int | None
    card: Card
    where: str | None
    confidence: int | None = None
    reader: tuple[str, ...] = ()


class CardUnread(Body, frozen=True):
    """A card left the shoe and its face is not known. Fields as in `CardDrawn`."""

    ordinal: int | None
    where: str | None
    reader: tuple[str, ...] = ()


class CardReportedAgain(Body, frozen=True):
    """The device says again what it read: a second report of one card, not a second card."""

    ordinal: int | None
    card: Card
    where: str | None


class DrawWhileLocked(Body, frozen=True):
    """A card was drawn although the shoe is locked: it belongs to no game."""

    card: Card


class CardDrawnOutside(Body, frozen=True):
    """A card was drawn in the device's `error` or `setup` mode: it belongs to no game."""

    card: Card
    mode: str


class CutCardSeen(Body, frozen=True):
    """The cut card came out."""


class Overdrawn(Body, frozen=True):
    """More cards were drawn than the game takes; `halted` when the device went into its error mode."""

    halted: bool


class CardPushedBack(Body, frozen=True):
    """A card was pushed back into the exit; `halted` as in `Overdrawn`."""

    halted: bool


class CardPulledBack(Body, frozen=True):
    """A card turned back midway; `halted` as in `Overdrawn`."""

    halted: bool


class ShoeError(Body, frozen=True):
    """Another trouble of the shoe: `fault` is in `protocol.faults`, 0 when it is none of those; `text` is what the
    device said; `halted` as in `Overdrawn`."""

    fault: int
    halted: bool
    text: str


class ShoeErrorCleared(Body, frozen=True):
    """A trouble is over; `badge` 0 means it was cleared at the device itself, or by whom is not known."""

    fault: int
    badge: int


class ShoeLocked(Body, frozen=True):
    """The shoe was locked, or unlocked."""

    locked: bool


class ShoeResult(Body, frozen=True):
    """What the shoe's own rules say about the game it believes it dealt. It opens no round and settles nothing."""

    text: str


# ------------------------------------------------------------------ table controller


class Level(StrEnum):
    """Whose badge was swiped."""

    DEALER = "dealer"
    SUPERVISOR = "supervisor"
    EXECUTIVE = "executive"


class GameStarted(Body, frozen=True):
    """START GAME: bets are closed."""

    round: int


class GameEnded(Body, frozen=True):
    """END GAME: all action is reconciled."""

    round: int


class SensorChanged(Body, frozen=True):
    """A progressive bet came onto or left a seat's sensor."""

    seat: int
    on: bool


class HandButton(Body, frozen=True):
    """A hand button is on or off."""

    hand: int
    on: bool


class SpotSelected(Body, frozen=True):
    """The dealer selected a seat."""

    seat: int


class BadgeSwiped(Body, frozen=True):
    """A card was swiped; `level` is its text when unknown."""

    badge: int
    level: str


class Confirmed(Body, frozen=True):
    """CONFIRM was pressed."""


class WagerPlaced(Body, frozen=True):
    """A seat's whole bet on spot number `bet`, in cents; 0 takes it back."""

    seat: int
    bet: int
    cents: int


class DecisionMade(Body, frozen=True):
    """A seat chose; the number's meaning is in the game's procedure file."""

    seat: int
    decision: int


class BurnConfirmed(Body, frozen=True):
    """The dealer burned the cards at `positions` (from 1), counted `left-to-right` or `right-to-left`."""

    place: Place
    positions: tuple[int, ...]
    spread: str


class HandRevealed(Body, frozen=True):
    """The faces at a place; `keyed` when a person typed them in."""

    place: Place
    cards: tuple[Card, ...]
    keyed: bool


class CardsCounted(Body, frozen=True):
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
    """A hand touched discards; by whose fault nobody has found yet."""
    JOKER = "joker"
    """A stray joker came out of the deck."""
    BOXED = "boxed"
    """A card lay face up in the deck."""
    FOULED_BY_PLAYER = "fouled-by-player"
    """A hand touched discards, and its own player did it."""
    FOULED_BY_OTHERS = "fouled-by-others"
    """A hand touched discards, and its own player did not do it."""
    RECONSTRUCTED = "reconstructed"
    """A fouled hand was put together again, card by card."""
    DROPPED = "dropped"
    """A card was dropped on the table while it was dealt."""
    RETURNED_TO_DECK = "returned-to-deck"
    """A card was put back into the deck, the packet's rest or the shoe."""
    EARLY = "early"
    """A card was dealt before its time."""
    EXPOSED_BY_PLAYER = "exposed-by-player"
    """A player showed a card of the own hand."""
    NOT_BURNED = "not-burned"
    """The dealer forgot to burn a card."""


class CardMishandled(Body, frozen=True):
    """A person reports what happened to a card at a place; `how` is a `Mishap` or its text when unknown, `card` the
    card's face or unread."""

    place: Place
    how: str
    card: Card


class Setter(StrEnum):
    """Who set a hand."""

    PLAYER = "player"
    HOUSE_WAY = "house-way"
    """The dealer, by the way the house sets hands."""
    DEALER = "dealer"


class HandSet(Body, frozen=True):
    """A hand lies in two parts: `low` is its low or first hand, `rest` the other; either is empty when nobody reported
    it. `by` is a `Setter` or its text when unknown; `foul`: it was set against the rules."""

    place: Place
    by: str
    foul: bool
    low: tuple[Card, ...]
    rest: tuple[Card, ...]


class CardsDiscarded(Body, frozen=True):
    """A player or the dealer laid these cards away; a face nobody saw is unread."""

    place: Place
    cards: tuple[Card, ...]


class NumberDrawn(Body, frozen=True):
    """The number shaken or drawn that says who gets the first cards."""

    drawn: int


class WagerOn(Body, frozen=True):
    """What a seat's bet on spot number `bet` is on, one of several such propositions, in cents; 0 takes it back.
    `proposition` is its number in the procedure; `on` the card it names: `TD` that card, `T` its rank, `D` its suit,
    empty when it names none."""

    seat: int
    bet: int
    proposition: int
    on: str
    cents: int


class BettingAction(StrEnum):
    """What a player does in turn, where players bet against each other."""

    BET = "bet"
    """The first bet of a betting round."""
    RAISE = "raise"
    CALL = "call"
    FOLD = "fold"
    CHECK = "check"
    ALL_IN = "all-in"
    """All that is left of the table stake, be it a bet, a raise, a call or less."""
    BRING_IN = "bring-in"
    """A forced bet by which a betting round is opened."""
    FORFEIT = "forfeit"
    """No act of the player's: a person rules that its chips stay in the pot, also where the round is void, since it bet
    on a hand or a deck that it knew to be fouled (CO 47.1-1031(3), 1036); `cents` say nothing."""
    CHOP = "chop"
    """The two players in the blinds agree to end the hand and take them back; each says so."""


class Manner(StrEnum):
    """How an action came about, where it was not plainly made."""

    STRING_BET = "string-bet"
    """Chips for a raise were added after those of the call: they do not count."""
    TIME_LIMIT = "time-limit"
    """The time to act ran out."""
    CORRECTED = "corrected"
    """It takes the place of what was reported of this player last."""


class StakeShown(Body, frozen=True):
    """The chips and the currency that lie before a seat when a hand begins, in cents: all that it can bet in it; 0 when
    nobody plays there."""

    seat: int
    cents: int


class PlayerActed(Body, frozen=True):
    """A player acted. `action` is a `BettingAction` or its text when unknown; `cents` is all that lies before the seat
    in this betting round after it; `manner` a `Manner`, empty for what was plainly done."""

    seat: int
    action: str
    cents: int
    manner: str = ""


class PotTaken(Body, frozen=True):
    """The dealer awarded so many cents of a pot, 1 for the main pot, 2 for the first side pot, and the seat took them
    in."""

    pot: int
    seat: int
    cents: int


class HandCorrected(Body, frozen=True):
    """Faces that were keyed for a place are corrected, or its count, when every card is unread: as many as there are
    lie there. `badge` is 0 when none was swiped, `level` as in `BadgeSwiped`."""

    place: Place
    badge: int
    level: str
    cards: tuple[Card, ...]


class MisdealCalled(Body, frozen=True):
    """A person called a misdeal."""

    badge: int
    fault: int
