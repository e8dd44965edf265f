"""Events that any device can report, independent of its maker: the only vocabulary that `dealer_flow` knows.

A body is the event; `Seen` adds device and time. Drivers translate a dialect's messages into these events, so a flow
cannot distinguish a TDP shuffler from another, nor an attached device from a recording. A field with a default is one
that not every device reports.
"""

from enum import StrEnum

from msgspec import Struct

from protocol.cards import Card
from protocol.places import Place


class Body(Struct, frozen=True, gc=False):
    """Base of all events."""


class Seen(Struct, frozen=True, gc=False):
    """One event of a device.

    - `device`: name of its line at the table
    - `session`: power-up session of the device
    - `number`: number of the event in the session; 0 if no device reported it
    - `at_ns`: time of arrival, nanoseconds since 1970

    If a device has no sessions and numbers, the link counts its starts and reports.
    """

    device: str
    session: int
    number: int
    at_ns: int
    body: Body


# ------------------------------------------------------------------ the line itself


class LinkUp(Body, frozen=True):
    """A session was opened, or a listener learned the session of the device."""

    session: int
    device_class: str
    maker: str
    model: str
    serial: str
    firmware: str
    recognises_cards: bool
    resumed: bool
    """Events continue where they stopped before the link was lost."""
    firmware_digest: str = ""
    """SHA-256 of the firmware image in hex; empty if the device does not attest it."""
    meters: bool = False
    """The device has meters that can be read."""
    measures: bool = False
    """The device measures its firmware when it is challenged."""


class LinkLost(Body, frozen=True):
    """No valid frame arrived for too long, or the line closed. What the device did since is unknown."""

    why: str


class SessionChanged(Body, frozen=True):
    """The device restarted. Both ids are equal if it drew the same one again. `whole` is true if every event of the
    previous session was delivered or reported lost; otherwise its last actions are unknown."""

    previous: int
    session: int
    whole: bool = False


class SessionReturned(Body, frozen=True):
    """An earlier session is back: old bytes are replayed, or the device repeats its numbers."""

    session: int


class EventsLost(Body, frozen=True):
    """Events `first` to `last` are lost for good. Both are 0 if the device does not number its events or restarted its
    numbers: an unknown number of reports is missing here."""

    first: int
    last: int


class BytesDropped(Body, frozen=True):
    """The line exceeded its budget, or sent too much noise: `count` bytes were read and not kept. `sha256` is their
    hash in hex."""

    count: int
    sha256: str


class DeviceElsewhere(Body, frozen=True):
    """The same device in the same session is active on another line at the same time. `where` names that line; it is
    empty once this is over."""

    where: str


class FirmwareAttested(Body, frozen=True):
    """The host demands that a device proves its firmware. `state`: `awaited` since it connected, `proved`, or `failed`,
    with the reason in `why`. `sha256` of the image, `version` and number of the signed `list`, and the first digits of
    the device's `key` are those that were proved."""

    state: str
    sha256: str = ""
    version: str = ""
    list: int = 0
    key: str = ""
    why: str = ""


class BadgesListed(Body, frozen=True):
    """The house named the badges that count at the table: `count` of them, with `adds` in addition to those named
    before. If nothing is `compared`, any badge counts again. `second` are the acts that then need the badges of two
    people, the other within so many `minutes`. The list itself is in the record only."""

    compared: bool
    count: int
    adds: bool = False
    second: tuple[str, ...] = ()
    minutes: int = 0


# ------------------------------------------------------------------ any device


class Booted(Body, frozen=True):
    """The device started. `mid_round` is true if its power failed in the middle of a round."""

    boot_count: int
    mid_round: bool


class StatusDiffers(Body, frozen=True):
    """The device's status, or an event, contradicts its earlier events. `what` is the value in question, `stated` the
    number reported, `known` the number according to the events. It is not published while an event is missing, nor for
    a device without a status."""

    what: str
    stated: int
    known: int


class FaultRaised(Body, frozen=True):
    """A fault began. `protocol.faults` has the class of the number."""

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
    """State of the device by name (`READY`, `PACKET_WAIT` ...). `previous` is empty if the device does not report
    it."""

    state: str
    previous: str


class UnknownReported(Body, frozen=True):
    """A report that is unknown to this version. It is kept and counted, and never fatal."""

    what: str


# ------------------------------------------------------------------ packet shuffler


class GreenButton(Body, frozen=True):
    """The dealer pressed the green button."""


class GameSelected(Body, frozen=True):
    """The shuffler was set to a game: cards in a packet, cards in the whole deck, and jokers among them."""

    packet_size: int
    cards: int
    jokers: int
    game: str


class DeckLoaded(Body, frozen=True):
    """A deck is in the input."""

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
    """A packet is in the tray. `cards` has the top card first; it is empty if the device reads no faces."""

    deck: int
    ordinal: int
    expected: int
    counted: int
    cards: tuple[Card, ...]


class PacketLifted(Body, frozen=True):
    """The packet was taken out of the tray."""

    ordinal: int


class RemainderDumped(Body, frozen=True):
    """All remaining cards of the deck are in the tray."""

    deck: int
    expected: int
    counted: int


class RoundCounted(Body, frozen=True):
    """The device's own counts of the round, from its first status after the remainder came: cards loaded, packets
    dispensed and the cards in them, cards in the tray, in the remainder and in the reject tray. It comes once a round,
    from devices with a status."""

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
    """The device's own record of a misdeal. Counts are cards; `remainder` is None if unknown."""

    deck: int
    fault: int
    loaded: int
    remainder: int | None
    rejected: int
    packets: tuple[tuple[int, int], ...]


class MisdealCleared(Body, frozen=True):
    """A person acknowledged the misdeal. `badge` is 0 if it was done at the device itself; `refused` as in
    `BadgeSwiped`."""

    fault: int
    badge: int
    resume: bool
    refused: str = ""


class DeckRemoved(Body, frozen=True):
    """The deck was taken out of the device."""

    deck: int


# ------------------------------------------------------------------ card-reading shoe


class ShoeLoaded(Body, frozen=True):
    """A shoe was filled with `cards` cards in `decks` decks. `shoe` distinguishes it from the previous one."""

    shoe: int
    decks: int
    cards: int


class ShoeEnded(Body, frozen=True):
    """The shoe ended. `drawn` cards have left it since it was filled, as the device counted."""

    shoe: int
    drawn: int


class BurnStarted(Body, frozen=True):
    """The next `count` cards are to be burned."""

    count: int


class ReaderFlag(StrEnum):
    """Finding of a shoe's reader about a card."""

    INDEX = "index"
    """The reader read the printed index."""
    CODE = "code"
    """The reader read the maker's code."""
    DISAGREE = "disagree"
    """Index and code name different cards."""
    DIRTY = "dirty"
    SLOW = "slow"


class CardDrawn(Body, frozen=True):
    """A card left the shoe and was read.

    - `ordinal`: the device's own count (in the shoe, or in the hand it deals to); None if it has none
    - `where`: destination as the device believes (`burn`, `player` ...); None if it does not report one
    - `confidence`: confidence of its reader, in percent
    - `reader`: findings of its reader (`disagree` ...), each a `ReaderFlag` or its text if unknown
    """

    ordinal: int | None
    card: Card
    where: str | None
    confidence: int | None = None
    reader: tuple[str, ...] = ()


class CardUnread(Body, frozen=True):
    """A card left the shoe and its face is unknown. Fields as in `CardDrawn`."""

    ordinal: int | None
    where: str | None
    reader: tuple[str, ...] = ()


class CardReportedAgain(Body, frozen=True):
    """The device repeats a reading: a second report of one card, not a second card."""

    ordinal: int | None
    card: Card
    where: str | None


class DrawWhileLocked(Body, frozen=True):
    """A card was drawn although the shoe is locked. It belongs to no game."""

    card: Card


class CardDrawnOutside(Body, frozen=True):
    """A card was drawn in the device's `error` or `setup` mode. It belongs to no game."""

    card: Card
    mode: str


class CutCardSeen(Body, frozen=True):
    """The cut card came out."""


class Overdrawn(Body, frozen=True):
    """More cards were drawn than the game allows. `halted` is true if the device entered its error mode."""

    halted: bool


class CardPushedBack(Body, frozen=True):
    """A card was pushed back into the exit. `halted` is as in `Overdrawn`."""

    halted: bool


class CardPulledBack(Body, frozen=True):
    """A card turned back halfway. `halted` is as in `Overdrawn`."""

    halted: bool


class ShoeError(Body, frozen=True):
    """Another error of the shoe. `fault` is a number of `protocol.faults`, or 0 if none applies; `text` is the device's
    own text; `halted` is as in `Overdrawn`."""

    fault: int
    halted: bool
    text: str


class ShoeErrorCleared(Body, frozen=True):
    """The error ended. `badge` is 0 if it was cleared at the device itself, or if no one knows by whom."""

    fault: int
    badge: int


class ShoeLocked(Body, frozen=True):
    """The shoe was locked, or unlocked."""

    locked: bool


class ShoeResult(Body, frozen=True):
    """Result of the game by the shoe's own rules. It opens no round and settles nothing."""

    text: str


# ------------------------------------------------------------------ table controller


class Level(StrEnum):
    """Level of the badge that was swiped."""

    DEALER = "dealer"
    SUPERVISOR = "supervisor"
    EXECUTIVE = "executive"


class GameStarted(Body, frozen=True):
    """START GAME: bets are closed."""

    round: int


class GameEnded(Body, frozen=True):
    """END GAME: all action is settled."""

    round: int


class SensorChanged(Body, frozen=True):
    """A progressive bet was placed on a seat's sensor, or left it."""

    seat: int
    on: bool


class HandButton(Body, frozen=True):
    """A hand button was switched on or off."""

    hand: int
    on: bool


class SpotSelected(Body, frozen=True):
    """The dealer selected a seat."""

    seat: int


class BadgeSwiped(Body, frozen=True):
    """A badge was swiped. `level` is its text if unknown. By the house's list, `person` is whose badge it is, or
    `refused` the reason why it does not count; both are empty without a list."""

    badge: int
    level: str
    person: str = ""
    refused: str = ""


class Confirmed(Body, frozen=True):
    """CONFIRM was pressed."""


class WagerPlaced(Body, frozen=True):
    """Whole bet of a seat on spot number `bet`, in cents; 0 takes it back."""

    seat: int
    bet: int
    cents: int


class DecisionMade(Body, frozen=True):
    """A seat decided. The game's procedure file defines the number."""

    seat: int
    decision: int


class BurnConfirmed(Body, frozen=True):
    """The dealer burned the cards at `positions` (from 1), counted `left-to-right` or `right-to-left`."""

    place: Place
    positions: tuple[int, ...]
    spread: str


class HandRevealed(Body, frozen=True):
    """Faces of the cards at a place. `keyed` is true if a person typed them in."""

    place: Place
    cards: tuple[Card, ...]
    keyed: bool


class CardsCounted(Body, frozen=True):
    """A person counted the cards at a place."""

    place: Place
    counted: int


class Mishap(StrEnum):
    """Mishap of a card or a hand, as a person saw it."""

    EXPOSED = "exposed"
    """A card was seen that should not be."""
    OFF_TABLE = "off-table"
    """A card fell from the table."""
    FOULED = "fouled"
    """A hand touched discards. No one has established whose fault it was."""
    JOKER = "joker"
    """A stray joker came out of the deck."""
    BOXED = "boxed"
    """A card was face up in the deck."""
    FOULED_BY_PLAYER = "fouled-by-player"
    """A hand touched discards, and its own player did it."""
    FOULED_BY_OTHERS = "fouled-by-others"
    """A hand touched discards, and its own player did not do it."""
    RECONSTRUCTED = "reconstructed"
    """A fouled hand was reconstructed, card by card."""
    DROPPED = "dropped"
    """A card was dropped on the table during the deal."""
    RETURNED_TO_DECK = "returned-to-deck"
    """A card was returned to the deck, the rest of the packet or the shoe."""
    EARLY = "early"
    """A card was dealt too early."""
    EXPOSED_BY_PLAYER = "exposed-by-player"
    """A player exposed a card of their own hand."""
    NOT_BURNED = "not-burned"
    """The dealer forgot to burn a card."""


class CardMishandled(Body, frozen=True):
    """A person reports a mishap of a card at a place. `how` is a `Mishap` or its text if unknown; `card` is the card's
    face, or unread."""

    place: Place
    how: str
    card: Card


class Setter(StrEnum):
    """Person or rule that set a hand."""

    PLAYER = "player"
    HOUSE_WAY = "house-way"
    """The dealer, by the house way."""
    DEALER = "dealer"


class HandSet(Body, frozen=True):
    """A hand is set in two parts: `low` is its low or first hand, `rest` the other. Either is empty if no one reported
    it. `by` is a `Setter` or its text if unknown; `foul` is true if it was set against the rules."""

    place: Place
    by: str
    foul: bool
    low: tuple[Card, ...]
    rest: tuple[Card, ...]


class CardsDiscarded(Body, frozen=True):
    """A player or the dealer discarded these cards. A face that no one saw is unread."""

    place: Place
    cards: tuple[Card, ...]


class NumberDrawn(Body, frozen=True):
    """The number shaken or drawn that decides who gets the first cards."""

    drawn: int


class WagerOn(Body, frozen=True):
    """Wager of a seat on one of the several propositions of spot number `bet`, in cents; 0 takes it back. `proposition`
    is its number in the procedure. `on` is the card it names: `TD` that card, `T` its rank, `D` its suit, empty if it
    names none."""

    seat: int
    bet: int
    proposition: int
    on: str
    cents: int


class BettingAction(StrEnum):
    """Action of a player in turn, in games where players bet against each other."""

    BET = "bet"
    """The first bet of a betting round."""
    RAISE = "raise"
    CALL = "call"
    FOLD = "fold"
    CHECK = "check"
    ALL_IN = "all-in"
    """The whole rest of the table stake, as a bet, a raise, a call or less."""
    BRING_IN = "bring-in"
    """A forced bet that opens a betting round."""
    FORFEIT = "forfeit"
    """Not an act of the player: a person rules that the player's chips stay in the pot, even if the round is void,
    because the player bet on a hand or a deck known to be fouled (CO 47.1-1031(3), 1036). `cents` has no meaning."""
    CHOP = "chop"
    """The two players in the blinds agree to end the hand and take their blinds back. Each of them reports it."""
    WITHDRAW = "withdraw"
    """Not an act of the player: a person rules that the player's last action is taken back. `cents` has no meaning."""
    SIT_OUT = "sit-out"
    """Between two hands: the seat sits out the next one. It gets no cards and owes nothing, its bets go back, and its
    stake stays known. A stake or a bet reported after this deals it in again. `cents` has no meaning."""


class Manner(StrEnum):
    """Manner of an action that was not made in the ordinary way."""

    STRING_BET = "string-bet"
    """Chips for a raise were added after those of the call. They do not count."""
    TIME_LIMIT = "time-limit"
    """The time to act ran out."""
    CORRECTED = "corrected"
    """The action replaces the last one reported of this player."""


class StakeShown(Body, frozen=True):
    """Chips and currency in front of a seat when a hand begins, in cents: the most that it can bet in the hand; 0 if no
    one plays there."""

    seat: int
    cents: int


class PlayerActed(Body, frozen=True):
    """A player acted. `action` is a `BettingAction` or its text if unknown; `cents` is the seat's total bet in this
    betting round after the action; `manner` is a `Manner`, or empty for an ordinary action."""

    seat: int
    action: str
    cents: int
    manner: str = ""


class PotTaken(Body, frozen=True):
    """The dealer awarded so many cents of a pot, and the seat took them. Pot 1 is the main pot, 2 the first side
    pot. 0 cents: all that the seat took of it is taken back."""

    pot: int
    seat: int
    cents: int


class HandCorrected(Body, frozen=True):
    """The faces keyed for a place were corrected; only their number, if every card is unread. `badge` is 0 if none was
    swiped; `level` and `refused` are as in `BadgeSwiped`."""

    place: Place
    badge: int
    level: str
    cards: tuple[Card, ...]
    refused: str = ""


class MisdealCalled(Body, frozen=True):
    """A person called a misdeal. `refused` is as in `BadgeSwiped`."""

    badge: int
    fault: int
    refused: str = ""
