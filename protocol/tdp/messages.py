"""The messages of TDP, as frozen values, each with its number, the version that brought it, and its fields in their
order, with their forms on the wire. `packets.py` makes the layouts of them.

A message knows nothing of when or where it travelled: the frame's header and the line's clock are wrapped
around it. Code fields are plain integers, because a device newer than this program may send values it does
not know; the enums here name the known ones.
"""

from collections.abc import Callable
from enum import IntEnum, IntFlag
from typing import Annotated, Final, NamedTuple, TypeVar

from msgspec import Struct

from protocol.faults import Fault
from protocol.message import Message as Message
from protocol.tdp.wire import (
    CARDS,
    PLACES,
    U8,
    U16,
    U32,
    U64,
    Blob,
    Bytes16,
    Bytes32,
    Form,
    Run16,
    Shape,
    Text16,
    Text32,
    Text40,
)


class Kind(IntEnum):
    """What a frame is for."""

    COMMAND = 1
    REPLY = 2
    PROGRESS = 3
    EVENT = 4
    ACK = 5
    NAK = 6
    LINK = 7


class DeviceClass(IntEnum):
    """What a device says it is in HELLO-REPLY."""

    SHUFFLER = 1
    SHOE = 2
    TABLE_CONTROLLER = 3
    EMULATOR = 15


class Capability(IntFlag):
    """What a device can do, in HELLO-REPLY."""

    CARD_RECOGNITION = 1 << 0
    TWO_DECKS = 1 << 1
    COUNTS_PACKETS = 1 << 2
    HOST_LAMP = 1 << 3
    LAYOUT_READER = 1 << 4
    BET_SENSORS = 1 << 5
    METERS = 1 << 6
    """This and the next since 1.2."""
    VERIFY = 1 << 7


class Role(IntEnum):
    """What a session may ask of a device. Observe until granted more."""

    OBSERVE = 0
    OPERATE = 1
    SERVICE = 2


class Status(IntEnum):
    """First word of a reply."""

    ACCEPTED = 0
    DONE = 1
    REFUSED = 2


class Reason(IntEnum):
    """Why a command was refused or a frame answered by a NAK."""

    NONE = 0
    UNKNOWN_COMMAND = 1
    BAD_PARAMETER = 2
    WRONG_STATE = 3
    BUSY = 4
    NOT_PERMITTED = 5
    NOT_SUPPORTED = 6
    REQUEST_ID_REUSED = 7
    NO_SESSION = 8
    UNKNOWN_FLAG = 9
    UNKNOWN_VERSION = 10
    BAD_PAYLOAD = 11


class ShufflerState(IntEnum):
    """States of a packet shuffler."""

    BOOT = 0
    SELF_TEST = 1
    EMPTY = 2
    LOADED = 3
    SHUFFLING = 4
    VERIFYING = 5
    READY = 6
    DISPENSING = 7
    PACKET_WAIT = 8
    DUMPING = 9
    REMAINDER_WAIT = 10
    RECOVERING = 11
    MISDEAL = 12
    FAULT = 13
    OPEN = 14
    LOCKED = 15
    SAFE = 16
    SETUP = 17


class ShoeState(IntEnum):
    """States of a card-reading shoe."""

    BOOT = 0
    EMPTY = 1
    LOADED = 2
    BURN = 3
    STANDBY = 4
    ROUND = 5
    CUT_CARD_SEEN = 6
    SHOE_END = 7
    ERROR = 8
    LOCKED = 9
    SETUP = 10


class ControllerState(IntEnum):
    """States of a table controller."""

    BOOT = 0
    BETS_OPEN = 1
    GAME = 2
    AWARD = 3
    SAFE = 4
    SETUP = 5


class Lamp(IntFlag):
    """Lamps of a device, in its status."""

    RED = 1 << 0
    GREEN = 1 << 1


class BootCause(IntEnum):
    """Why a device started."""

    POWER_ON = 1
    WATCHDOG = 2
    COMMANDED = 3


class Resolution(IntEnum):
    """What the person who acknowledged a misdeal decided."""

    RESUME = 1
    REMOVE_DECK = 2


class Reader(IntFlag):
    """What the reader of a shoe noticed about a card."""

    INDEX = 1 << 0
    CODE = 1 << 1
    DISAGREE = 1 << 2
    DIRTY = 1 << 3
    SLOW = 1 << 4


class ShoeMode(IntEnum):
    """Why a card that was drawn belongs to no game."""

    LOCKED = 1
    ERROR = 2
    SETUP = 3


class BadgeLevel(IntEnum):
    """Whose card was swiped at the table controller."""

    DEALER = 1
    SUPERVISOR = 2
    EXECUTIVE = 3


class RevealSource(IntEnum):
    """How the faces of a revealed hand came to be known."""

    READER = 1
    KEYED = 2


class Decision(IntEnum):
    """A player's choice."""

    FOLD = 1
    PLAY = 2


class Spread(IntEnum):
    """The direction in which the positions of a spread packet are counted, seen by the dealer."""

    LEFT_TO_RIGHT = 1
    RIGHT_TO_LEFT = 2


class Mishandling(IntEnum):
    """What a person saw happen to a card or a hand."""

    EXPOSED = 1
    OFF_TABLE = 2
    FOULED = 3
    JOKER = 4
    BOXED = 5
    FOULED_BY_PLAYER = 6
    """From here on since 1.2."""
    FOULED_BY_OTHERS = 7
    RECONSTRUCTED = 8
    DROPPED = 9
    RETURNED_TO_DECK = 10
    EARLY = 11
    EXPOSED_BY_PLAYER = 12
    NOT_BURNED = 13


class DeviceMeter(IntEnum):
    """What a device counts for as long as it exists. 128 to 255 are a maker's own."""

    ROUNDS = 1
    PACKETS = 2
    CARDS = 3
    SHUFFLES_DONE = 4
    SHUFFLES_FAILED = 5
    SERVICE_SHUFFLES = 6
    CARDS_SHUFFLED = 7
    CARDS_SORTED = 8
    DECKS = 9
    SHOES = 10
    JAMS = 11
    MISDEALS = 12
    REJECTED_CARDS = 13
    UNREAD_CARDS = 14
    FAULTS = 15
    HOURS_POWERED = 16
    POWER_CYCLES = 17
    DOOR_OPENINGS = 18
    SELF_TESTS = 19
    SERVICE_VISITS = 20
    COMMANDS_REFUSED = 21


class Component(IntEnum):
    """The part of a device that a meter counts at. 128 to 255 are a maker's own."""

    DEVICE = 0
    FEED = 1
    COMPARTMENTS = 2
    EXIT = 3
    TRAY = 4
    REJECT_TRAY = 5
    READER = 6
    DOOR = 7
    LINK = 8


class Region(IntEnum):
    """What of a device is measured. 128 to 255 are a maker's own."""

    FIRMWARE = 0


class Algorithm(IntEnum):
    """How a device is measured: SHA256 is SHA-256 over the nonce, then the image."""

    SHA256 = 1


class SetBy(IntEnum):
    """Who set a hand into its two parts."""

    PLAYER = 1
    HOUSE_WAY = 2
    DEALER = 3


class PlayerAction(IntEnum):
    """What a player does in turn, where players bet against each other."""

    BET = 1
    """The first bet of a betting round."""
    RAISE = 2
    CALL = 3
    FOLD = 4
    CHECK = 5
    ALL_IN = 6
    """All that is left of the stake, be it a bet, a raise, a call or less."""
    BRING_IN = 7
    """A forced bet by which a betting round is opened."""
    FORFEIT = 8
    CHOP = 9
    """A person rules that the player's chips stay in the pot, also where the round is void; `cents` say nothing."""


class ActionManner(IntEnum):
    """How an action came about, where it was not plainly made."""

    NONE = 0
    STRING_BET = 1
    """Chips for a raise came after those of the call: they do not count."""
    TIME_LIMIT = 2
    """The time to act ran out."""
    CORRECTED = 3
    """It takes the place of what was reported of this player last."""


# ------------------------------------------------------------------ how a message is declared


class FrameHeader(Struct, frozen=True):
    """The header of every frame, the same in every version."""

    version: Annotated[U8, "protocol major number"]
    flags: Annotated[U8, "bits 7-4: the receiver must understand; bits 3-0: it may ignore"]
    kind: Annotated[U8, Kind, "what the frame is for"]
    link_sequence: Annotated[U8, "counts every frame sent in this direction, modulo 256"]
    request: Annotated[U16, "the command this belongs to, 0 for none"]
    message: Annotated[U16, "which layout the payload has"]


FIRST: Final = "1.0"
"""The version of what says no other."""


class Registered(NamedTuple):
    """A message's kind and number, None where the number says what is answered; and the version that brought it."""

    kind: Kind
    number: int | None
    since: str


DECLARED: Final[dict[type[Message], Registered]] = {}
"""Every message, in the order of the specification."""

_Class = TypeVar("_Class", bound=type[Message])


def message(kind: Kind, number: int | None = None, *, since: str = FIRST) -> Callable[[_Class], _Class]:
    """Declare the class below as what frames of `kind` with the message id `number` carry."""

    def declare(cls: _Class) -> _Class:
        DECLARED[cls] = Registered(kind, number, since)
        return cls

    return declare


_Place = Annotated[U8, PLACES]
_Fault = Annotated[U16, Fault]
_Card = Annotated[U8, CARDS]
_Cards = Annotated[Blob, CARDS]
_Faults = Annotated[Run16, Fault, "active faults"]
_Round = Annotated[U32, "the controller's own count of rounds"]
_Deck = Annotated[U8, "1 or 2: which of the alternating decks"]
_Seat = Annotated[U8, "1 at the dealer's left, clockwise"]
_Shoe = Annotated[U32, "counts the shoes the device was filled with"]
_Ordinal = Annotated[U16, "cards that have left this shoe, this one included"]
_DealtTo = Annotated[_Place, "what the device believes it is for; nowhere when it does not know"]
_Reader = Annotated[U8, Reader, "what the reader noticed"]
_Halted = Annotated[U8, "1: the device went into its error mode"]
_Meters = Form(
    Shape.RECORDS, parts={"meter": Annotated[U8, DeviceMeter], "component": Annotated[U8, Component], "count": U32}
)
_Packets = Form(Shape.RECORDS, parts={"expected": U8, "counted": U8})


# ------------------------------------------------------------------ link


@message(Kind.LINK, 0x0001)
class HelloMessage(Message, frozen=True):
    """Host: who are you. Its layout never changes, whatever the version."""

    lowest_major: Annotated[U8, "the oldest version the host speaks"]
    lowest_minor: U8
    highest_major: Annotated[U8, "the newest"]
    highest_minor: U8
    host: Annotated[Text16, "the program that asks"]


@message(Kind.LINK, 0x0002)
class HelloReplyMessage(Message, frozen=True):
    """Device: who I am. Its layout never changes, whatever the version."""

    session: Annotated[U32, "random, made at power-up, never 0"]
    lowest_major: Annotated[U8, "the oldest version the device speaks"]
    lowest_minor: U8
    highest_major: Annotated[U8, "the newest"]
    highest_minor: U8
    device_class: Annotated[U8, DeviceClass]
    capabilities: Annotated[U32, Capability]
    boot_count: Annotated[U32, "how often this device ever started"]
    event_depth: Annotated[U16, "unacknowledged events it keeps, at least 256"]
    max_frame: Annotated[U16, "longest decoded frame it takes"]
    maker: Annotated[Text16, "as printed on the device"]
    model: Annotated[Text16, "as printed on the device"]
    serial: Annotated[Text16, "as printed on the device"]
    firmware: Annotated[Text16, "its version"]
    digest: Annotated[Bytes32, "SHA-256 of the firmware image; zeros: not attested"]


@message(Kind.LINK, 0x0003)
class HeartbeatMessage(Message, frozen=True):
    """Host: I am here, in this session."""

    session: Annotated[U32, "the one the host is in"]


@message(Kind.LINK, 0x0004)
class GapMessage(Message, frozen=True):
    """Device: events `first_missing` up to before `first_kept` are gone for ever; the last is `last`."""

    session: Annotated[U32, "whose events"]
    first_missing: Annotated[U32, "first event that is gone"]
    first_kept: Annotated[U32, "first event that can still be read; last + 1 when none"]
    last: Annotated[U32, "newest event"]


@message(Kind.ACK, 0x0005)
class AckMessage(Message, frozen=True):
    """Host: every event of this session up to `up_to` has arrived."""

    session: Annotated[U32, "whose events"]
    up_to: Annotated[U32, "every event up to this one has arrived"]


@message(Kind.LINK, 0x0006, since="1.2")
class MetersMessage(Message, frozen=True):
    """Device: what its meters show, after the reply to *ReadMeters*, with that command's request id. As many as fit;
    the host asks on from `first` plus their number. Since 1.2."""

    session: Annotated[U32, "the device's"]
    total: Annotated[U16, "meters the device has"]
    first: Annotated[U16, "as the command had it; beyond the last none follow"]
    meters: Annotated[
        tuple[tuple[int, int, int], ...],
        _Meters,
        "in an order that stays the same; a count goes from FFFFFFFFh to 0",
    ]


@message(Kind.LINK, 0x0007, since="1.2")
class MeasuredMessage(Message, frozen=True):
    """Device: the digest that it measured, after the reply to *Verify*, with that command's request id. Since 1.2."""

    session: Annotated[U32, "the device's"]
    nonce: Annotated[Bytes16, "as the command had it"]
    region: Annotated[U8, Region, "as the command had it"]
    algorithm: Annotated[U8, Algorithm]
    digest: Annotated[Bytes32, "over the nonce, then the image"]


class StatusMessage(Message, frozen=True):
    """Base of a device's reports of its whole visible state."""

    session: Annotated[U32, "the random number made at power-up"]
    last_event: Annotated[U32, "number of the newest event"]
    uptime_ms: Annotated[U32, "milliseconds since start"]


@message(Kind.LINK, 0x0110)
class ShufflerStatusMessage(StatusMessage, frozen=True):
    """The whole visible state of a shuffler: sent every second and on change. It carries no card."""

    state: Annotated[U8, ShufflerState]
    lamps: Annotated[U8, Lamp]
    door_open: Annotated[U8, "1 when open"]
    deck: Annotated[U8, "the one being dealt, else the one counted last and ready: 1 or 2; 0: there is none"]
    loaded: Annotated[U16, "cards counted into that deck"]
    packets: Annotated[U8, "packets dispensed this round; 0 once it is over"]
    dispensed: Annotated[U16, "cards in them"]
    in_tray: Annotated[U8, "cards that lie in the tray, whether of a packet or of the remainder"]
    remainder: Annotated[U16, "cards of the dumped remainder, as counted; 0 before it came and once the round is over"]
    rejected: Annotated[U8, "cards of that deck in the reject tray"]
    faults: _Faults


@message(Kind.LINK, 0x0210)
class ShoeStatusMessage(StatusMessage, frozen=True):
    """The whole visible state of a shoe: sent every second and on change. It carries no card."""

    state: Annotated[U8, ShoeState]
    locked: Annotated[U8, "1 when locked"]
    halted: Annotated[U8, "1 in error mode"]
    shoe: _Shoe
    decks: Annotated[U8, "decks it was filled with"]
    loaded: Annotated[U16, "cards it was filled with"]
    drawn: Annotated[U16, "cards that have left it"]
    in_round: Annotated[U16, "of these, in the round being dealt"]
    cut_card_seen: Annotated[U8, "1 once the cut card came out"]
    faults: _Faults


@message(Kind.LINK, 0x0310)
class ControllerStatusMessage(StatusMessage, frozen=True):
    """The whole visible state of a table controller. It carries no card."""

    state: Annotated[U8, ControllerState]
    round: _Round
    sensors: Annotated[U32, "bit 0: seat 1 has a progressive bet on its sensor"]
    faults: _Faults


# ------------------------------------------------------------------ answers


@message(Kind.REPLY)
class ReplyMessage(Message, frozen=True):
    """Device: answer to a command; the header's message id names the command."""

    status: Annotated[U8, Status, "accepted, done or refused"]
    reason: Annotated[U16, Reason, "why it was refused"]
    state: Annotated[U8, "the device's state, by its class"]


@message(Kind.PROGRESS)
class ProgressMessage(Message, frozen=True):
    """Device: an accepted command goes on."""

    percent: Annotated[U8, "0 to 100"]
    state: Annotated[U8, "the device's state, by its class"]


@message(Kind.NAK)
class NakMessage(Message, frozen=True):
    """Either side: your frame was whole but I cannot use it; the header's message id names it."""

    reason: Annotated[U16, Reason, "why the frame is of no use"]


# ------------------------------------------------------------------ commands to any device


@message(Kind.COMMAND, 0x0020)
class OpenSessionMessage(Message, frozen=True):
    """The version the host picked and the role it asks for. No event flows before it."""

    session: Annotated[U32, "as HELLO-REPLY gave it"]
    major: Annotated[U8, "the version the host picked"]
    minor: U8
    role: Annotated[U8, Role]


@message(Kind.COMMAND, 0x0021)
class ReadEventsMessage(Message, frozen=True):
    """Send the events from `first` again; `session` may be the one before a power cut."""

    session: Annotated[U32, "the current one, or the one before"]
    first: Annotated[U32, "number to start from"]


@message(Kind.COMMAND, 0x0022)
class ReportStatusMessage(Message, frozen=True):
    """Send a status now."""


@message(Kind.COMMAND, 0x0023)
class SelfTestMessage(Message, frozen=True):
    """Run the self-test. Service role."""


@message(Kind.COMMAND, 0x0024, since="1.2")
class ReadMetersMessage(Message, frozen=True):
    """Say what the meters show, from the one at index `first` on; a *Meters* follows. Since 1.2."""

    first: Annotated[U16, "index of the first one wanted, from 0"]


@message(Kind.COMMAND, 0x0025, since="1.2")
class VerifyMessage(Message, frozen=True):
    """Measure a region now, together with these bytes, which nobody could know before; a *Measured* follows. Since
    1.2."""

    nonce: Annotated[Bytes16, "drawn at random for this command"]
    region: Annotated[U8, Region, "what to measure; 0: the whole firmware image"]


# ------------------------------------------------------------------ commands to a shuffler


@message(Kind.COMMAND, 0x0120)
class SelectGameMessage(Message, frozen=True):
    """Packet size and deck composition of the game to deal."""

    packet_size: Annotated[U8, "cards of a packet; 0: as the device's own program for the game has it"]
    cards: Annotated[U16, "cards of the whole deck, jokers included"]
    jokers: Annotated[U8, "how many of them are jokers"]
    game: Annotated[Text32, "procedure id"]


@message(Kind.COMMAND, 0x0121)
class DispenseMessage(Message, frozen=True):
    """Bring the next packet, as the green button does."""


@message(Kind.COMMAND, 0x0122)
class DumpMessage(Message, frozen=True):
    """Bring the remainder, as the second press of the green button does."""


@message(Kind.COMMAND, 0x0123)
class RaiseLampMessage(Message, frozen=True):
    """Light the red lamp for a misdeal that only the host can see."""

    fault: _Fault


@message(Kind.COMMAND, 0x0124)
class ClearMisdealMessage(Message, frozen=True):
    """A person, named by `badge`, acknowledged the misdeal and decided."""

    badge: Annotated[U32, "who acknowledged"]
    resolution: Annotated[U8, Resolution]


@message(Kind.COMMAND, 0x0125)
class SetLockMessage(Message, frozen=True):
    """Lock or unlock the device for the table."""

    locked: Annotated[U8, "1 to lock, 0 to unlock"]


# ------------------------------------------------------------------ commands to a shoe


@message(Kind.COMMAND, 0x0220)
class LockShoeMessage(Message, frozen=True):
    """Lock or unlock the shoe: a card drawn while it is locked belongs to no game."""

    locked: Annotated[U8, "1 to lock, 0 to unlock"]


@message(Kind.COMMAND, 0x0221)
class ClearShoeErrorMessage(Message, frozen=True):
    """A person, named by `badge`, put the trouble right: leave the error mode."""

    fault: Annotated[_Fault, "the trouble put right"]
    badge: Annotated[U32, "who put it right"]


@message(Kind.COMMAND, 0x0222)
class EndRoundMessage(Message, frozen=True):
    """The round is over: stand by for the next one."""


# ------------------------------------------------------------------ commands to a table controller


@message(Kind.COMMAND, 0x0320)
class SetSensorLightMessage(Message, frozen=True):
    """Light of one seat's bet sensor."""

    seat: _Seat
    lit: Annotated[U8, "1 on, 0 off"]


@message(Kind.COMMAND, 0x0321)
class ShowMeterMessage(Message, frozen=True):
    """Show a progressive meter, in cents."""

    meter: Annotated[U8, "the number the controller's set-up gave it"]
    cents: Annotated[U64, "what it shows"]


@message(Kind.COMMAND, 0x0322)
class ShowTextMessage(Message, frozen=True):
    """Show a line of text to the dealer."""

    text: Annotated[Text40, "one line for the dealer"]


# ------------------------------------------------------------------ events of any device


class Event(Message, frozen=True):
    """Base of events: the number counts up within a session, `device_ms` is the device's own clock."""

    number: Annotated[U32, "counts up by one within a session, from 1"]
    device_ms: Annotated[U32, "the device's own clock, milliseconds since it started"]


@message(Kind.EVENT, 0x0030)
class BootedMessage(Event, frozen=True):
    """First event of a session."""

    boot_count: Annotated[U32, "as in HELLO-REPLY"]
    previous_session: Annotated[U32, "whose last whole round can still be read; 0 for none"]
    cause: Annotated[U8, BootCause]
    mid_round: Annotated[U8, "1: a round was being dealt when the power went"]


@message(Kind.EVENT, 0x0031)
class FaultRaisedMessage(Event, frozen=True):
    """A fault began. `place` says where, `value` is what the fault counts."""

    fault: _Fault
    place: _Place
    value: Annotated[U16, "what the fault counts, else 0"]


@message(Kind.EVENT, 0x0032)
class FaultClearedMessage(Event, frozen=True):
    """A fault ended."""

    fault: _Fault


@message(Kind.EVENT, 0x0033)
class DoorMovedMessage(Event, frozen=True):
    """The door or cover was opened (1) or closed (0)."""

    open: Annotated[U8, "1 opened, 0 closed"]


@message(Kind.EVENT, 0x0034)
class StateChangedMessage(Event, frozen=True):
    """The device went from `previous` to `state`."""

    state: Annotated[U8, "by the device's class"]
    previous: Annotated[U8, "the state before"]


# ------------------------------------------------------------------ events of a shuffler


@message(Kind.EVENT, 0x0140)
class GreenButtonMessage(Event, frozen=True):
    """The dealer pressed the green button."""


@message(Kind.EVENT, 0x0141)
class GameSelectedMessage(Event, frozen=True):
    """The game was chosen, at the device or by the host."""

    packet_size: Annotated[U8, "cards of a packet; 0: as the device's own program for the game has it"]
    cards: Annotated[U16, "cards of the whole deck, jokers included"]
    jokers: Annotated[U8, "how many of them are jokers"]
    game: Annotated[Text32, "procedure id"]


@message(Kind.EVENT, 0x0142)
class DeckLoadedMessage(Event, frozen=True):
    """A deck lies in the input; `back` tells the two decks apart."""

    deck: _Deck
    back: Annotated[
        U8, "a number for the kind of back: the two decks have different ones, one deck always the same; 0: not seen"
    ]


@message(Kind.EVENT, 0x0143)
class ShuffleStartedMessage(Event, frozen=True):
    """The deck is being shuffled."""

    deck: _Deck


@message(Kind.EVENT, 0x0144)
class DeckVerifiedMessage(Event, frozen=True):
    """The shuffled deck was counted."""

    deck: _Deck
    expected: Annotated[U16, "cards the game asks for"]
    counted: Annotated[U16, "cards found"]


@message(Kind.EVENT, 0x0145)
class PacketDispensedMessage(Event, frozen=True):
    """A packet lies in the tray. `cards` is empty unless the device recognises cards."""

    deck: _Deck
    ordinal: Annotated[U8, "1 for the first packet of the round"]
    expected: Annotated[U8, "cards the packet should have"]
    counted: Annotated[U8, "cards the device counted"]
    cards: Annotated[_Cards, "top card first; empty without recognition"]


@message(Kind.EVENT, 0x0146)
class PacketLiftedMessage(Event, frozen=True):
    """The packet was taken out of the tray."""

    ordinal: Annotated[U8, "which packet of the round"]


@message(Kind.EVENT, 0x0147)
class RemainderDumpedMessage(Event, frozen=True):
    """Every card left of the deck lies in the tray."""

    deck: _Deck
    expected: Annotated[U16, "loaded less rejected less the packets lifted, or less all packets: see Packet shuffler"]
    counted: Annotated[U16, "cards the device counted"]


@message(Kind.EVENT, 0x0148)
class RemainderLiftedMessage(Event, frozen=True):
    """The remainder was taken out."""

    deck: _Deck


@message(Kind.EVENT, 0x0149)
class CardRejectedMessage(Event, frozen=True):
    """A card went to the reject tray. `card` is none unless the device recognises cards."""

    deck: _Deck
    card: Annotated[_Card, "none without recognition"]
    fault: _Fault


@message(Kind.EVENT, 0x014A)
class RedLampMessage(Event, frozen=True):
    """The red lamp was lit (1) for `fault`, or went out (0)."""

    lit: Annotated[U8, "1 lit, 0 out"]
    fault: _Fault


@message(Kind.EVENT, 0x014B)
class MisdealMessage(Event, frozen=True):
    """The record of a misdeal: what was expected and counted in each place. `remainder` is FFFFh if unknown."""

    deck: Annotated[U8, "as in STATUS; 0: no deck was counted"]
    fault: _Fault
    loaded: Annotated[U16, "cards counted into the deck"]
    remainder: Annotated[U16, "FFFFh: not known"]
    rejected: Annotated[U8, "cards in the reject tray"]
    packets: Annotated[tuple[tuple[int, int], ...], _Packets, "in the order dispensed"]


@message(Kind.EVENT, 0x014C)
class MisdealClearedMessage(Event, frozen=True):
    """A person acknowledged the misdeal, at the device (badge 0) or through the host."""

    fault: _Fault
    badge: Annotated[U32, "0: at the device's own key"]
    resolution: Annotated[U8, Resolution]


@message(Kind.EVENT, 0x014D)
class DeckRemovedMessage(Event, frozen=True):
    """The deck was taken out of the device."""

    deck: _Deck


# ------------------------------------------------------------------ events of a shoe


@message(Kind.EVENT, 0x0240)
class ShoeLoadedMessage(Event, frozen=True):
    """A shoe was filled and closed: `cards` in `decks` decks. `shoe` counts them up, 0 is none."""

    shoe: _Shoe
    decks: Annotated[U8, "decks put in"]
    cards: Annotated[U16, "cards put in"]


@message(Kind.EVENT, 0x0241)
class BurnStartedMessage(Event, frozen=True):
    """The next `count` cards are burned."""

    count: Annotated[U8, "cards to burn"]


@message(Kind.EVENT, 0x0242)
class CardDrawnMessage(Event, frozen=True):
    """A card left the shoe and was read. `ordinal` counts the cards that left this shoe, read or not, from 1."""

    ordinal: _Ordinal
    card: _Card
    place: _DealtTo
    confidence: Annotated[U8, "of the reading, 0 to 100 percent"]
    reader: _Reader


@message(Kind.EVENT, 0x0243)
class CardUnreadableMessage(Event, frozen=True):
    """A card left the shoe and its face was not read."""

    ordinal: _Ordinal
    place: _DealtTo
    reader: _Reader


@message(Kind.EVENT, 0x0244)
class CutCardSeenMessage(Event, frozen=True):
    """The cut card came out after `drawn` cards. It is no card of the shoe and is not counted."""

    drawn: Annotated[U16, "cards that came out before it"]


@message(Kind.EVENT, 0x0245)
class OverdrawMessage(Event, frozen=True):
    """A card was drawn that the game does not take, or from an empty shoe; card `ordinal` was the last."""

    ordinal: Annotated[U16, "of the last card before it; 0: there was none"]
    halted: _Halted


@message(Kind.EVENT, 0x0246)
class PushedBackMessage(Event, frozen=True):
    """Card `ordinal` was pushed back into the exit."""

    ordinal: Annotated[U16, "of the card that was pushed back"]
    halted: _Halted


@message(Kind.EVENT, 0x0247)
class PulledBackMessage(Event, frozen=True):
    """The card after `ordinal` turned back midway."""

    ordinal: Annotated[U16, "cards that have left this shoe"]
    halted: _Halted


@message(Kind.EVENT, 0x0248)
class CardDrawnOutsideMessage(Event, frozen=True):
    """A card was drawn while the shoe was locked, in error mode or in set-up: it belongs to no game."""

    ordinal: _Ordinal
    card: Annotated[_Card, "unread when it was not read"]
    mode: Annotated[U8, ShoeMode, "what the shoe is in"]


@message(Kind.EVENT, 0x0249)
class ShoeErrorMessage(Event, frozen=True):
    """A trouble of the shoe itself began; the shoe says its number."""

    fault: _Fault
    halted: _Halted


@message(Kind.EVENT, 0x024A)
class ShoeErrorClearedMessage(Event, frozen=True):
    """The trouble is over, cleared at the device (badge 0) or through the host."""

    fault: _Fault
    badge: Annotated[U32, "0: at the device's own key"]


@message(Kind.EVENT, 0x024B)
class ShoeLockMovedMessage(Event, frozen=True):
    """The shoe was locked (1) or unlocked (0), by its key or by a command."""

    locked: Annotated[U8, "1 locked, 0 unlocked"]


@message(Kind.EVENT, 0x024C)
class ShoeEndedMessage(Event, frozen=True):
    """The shoe is over; `drawn` of its cards have left it."""

    shoe: _Shoe
    drawn: Annotated[U16, "cards that have left it"]


@message(Kind.EVENT, 0x024D)
class CardReportedAgainMessage(Event, frozen=True):
    """What was read of card `ordinal`, said again: never a second card."""

    ordinal: _Ordinal
    card: _Card
    place: _DealtTo


# ------------------------------------------------------------------ events of a table controller


@message(Kind.EVENT, 0x0340)
class GameStartedMessage(Event, frozen=True):
    """START GAME was pressed: bets are closed."""

    round: _Round


@message(Kind.EVENT, 0x0341)
class GameEndedMessage(Event, frozen=True):
    """END GAME was pressed: all action is reconciled."""

    round: _Round


@message(Kind.EVENT, 0x0342)
class SensorChangedMessage(Event, frozen=True):
    """A progressive bet came onto (1) or left (0) a seat's sensor."""

    seat: _Seat
    on: Annotated[U8, "1 bet on the sensor, 0 off"]


@message(Kind.EVENT, 0x0343)
class HandButtonMessage(Event, frozen=True):
    """A hand button is on (1) or, pressed again, off (0)."""

    hand: Annotated[U8, "the button's number"]
    on: Annotated[U8, "1 on, 0 off"]


@message(Kind.EVENT, 0x0344)
class SpotSelectedMessage(Event, frozen=True):
    """The dealer selected a seat on the display."""

    seat: Annotated[U8, "1 at the dealer's left, clockwise; 0: the dealer"]


@message(Kind.EVENT, 0x0345)
class BadgeSwipedMessage(Event, frozen=True):
    """A card was swiped at the controller."""

    badge: Annotated[U32, "its number"]
    level: Annotated[U8, BadgeLevel]


@message(Kind.EVENT, 0x0346)
class ConfirmedMessage(Event, frozen=True):
    """CONFIRM was pressed."""


@message(Kind.EVENT, 0x0347)
class WagerPlacedMessage(Event, frozen=True):
    """A seat's bet on one spot, in cents; 0 takes it back. `bet` is the spot's number in the game's file."""

    seat: _Seat
    bet: Annotated[U8, "the spot's number in the game's file"]
    cents: Annotated[U32, "the whole bet on that spot, 0 takes it back"]


@message(Kind.EVENT, 0x0348)
class DecisionMadeMessage(Event, frozen=True):
    """A seat chose."""

    seat: _Seat
    decision: Annotated[U8, Decision]


@message(Kind.EVENT, 0x0349)
class BurnConfirmedMessage(Event, frozen=True):
    """Cards were burned from a packet: bit 0 of `positions` is position 1, counted in direction `spread`."""

    place: _Place
    positions: Annotated[U16, "bit 0: position 1"]
    spread: Annotated[U8, Spread, "the direction positions are counted in"]


@message(Kind.EVENT, 0x034A)
class HandRevealedMessage(Event, frozen=True):
    """The faces at a place, by a reader in the layout or keyed in."""

    place: _Place
    source: Annotated[U8, RevealSource]
    cards: Annotated[_Cards, "in the order they lie"]


@message(Kind.EVENT, 0x034B)
class CardsCountedMessage(Event, frozen=True):
    """A person counted the cards at a place."""

    place: _Place
    counted: Annotated[U8, "cards a person counted"]


@message(Kind.EVENT, 0x034C)
class MisdealCalledMessage(Event, frozen=True):
    """A person, named by `badge`, called a misdeal."""

    badge: Annotated[U32, "who called it"]
    fault: _Fault


@message(Kind.EVENT, 0x034D, since="1.1")
class CardMishandledMessage(Event, frozen=True):
    """A person says what happened to a card at a place. Since 1.1."""

    place: Annotated[_Place, "where it happened"]
    how: Annotated[U8, Mishandling]
    card: Annotated[_Card, "its face when it was seen, else unread"]


@message(Kind.EVENT, 0x034E, since="1.2")
class HandSetMessage(Event, frozen=True):
    """A hand lies in two parts: the first `low` of `cards` are its low or first hand, the others the rest.

    Since 1.2.
    """

    place: Annotated[_Place, "whose hand it is"]
    by: Annotated[U8, SetBy, "who set it"]
    foul: Annotated[U8, "1: set against the rules, 0: not"]
    low: Annotated[U8, "how many of the cards, from the first, are the low or first hand"]
    cards: Annotated[_Cards, "the low or first hand, then the rest if it is known; unread where nobody saw the face"]


@message(Kind.EVENT, 0x034F, since="1.2")
class CardsDiscardedMessage(Event, frozen=True):
    """Cards were laid away from a place, in the order they were laid. Since 1.2."""

    place: Annotated[_Place, "from whose hand"]
    cards: Annotated[_Cards, "unread where the face was not seen"]


@message(Kind.EVENT, 0x0350, since="1.2")
class NumberDrawnMessage(Event, frozen=True):
    """The number shaken or drawn that says who gets the first cards. Since 1.2."""

    drawn: Annotated[U8, "the dice's total, or the number shown"]


@message(Kind.EVENT, 0x0351, since="1.2")
class WagerOnMessage(Event, frozen=True):
    """What a seat's bet on one spot is on, one of several such propositions, in cents; 0 takes it back. Since 1.2."""

    seat: _Seat
    bet: Annotated[U8, "the spot's number in the game's file"]
    proposition: Annotated[U8, "which of the spot's propositions, by its number in the game's file"]
    on: Annotated[U8, "the card, as a card code; suit 0: of any suit, rank 0: of any rank; 00h: of no card"]
    cents: Annotated[U32, "the whole wager on this proposition, 0 takes it back"]


@message(Kind.EVENT, 0x0352, since="1.2")
class HandCorrectedMessage(Event, frozen=True):
    """The faces that were keyed for a place are corrected, by the person whose badge it is; its count, when every
    card is unread. Since 1.2."""

    place: _Place
    badge: Annotated[U32, "whose badge was swiped"]
    level: Annotated[U8, BadgeLevel]
    cards: Annotated[_Cards, "in the order they lie"]


@message(Kind.EVENT, 0x0353, since="1.3")
class StakeShownMessage(Event, frozen=True):
    """The chips and the currency that lie before a seat when a hand begins; 0 when nobody plays there. Since 1.3."""

    seat: _Seat
    cents: Annotated[U32, "all that the seat can bet in this hand, 0: nobody plays there"]


@message(Kind.EVENT, 0x0354, since="1.3")
class PlayerActedMessage(Event, frozen=True):
    """A player acted, where players bet against each other. Since 1.3."""

    seat: _Seat
    action: Annotated[U8, PlayerAction, "what the player did"]
    manner: Annotated[U8, ActionManner, "how it came about, where it was not plainly made"]
    cents: Annotated[
        U32, "all that lies before the seat in this betting round afterwards; as before it when nothing was added"
    ]


@message(Kind.EVENT, 0x0355, since="1.3")
class PotTakenMessage(Event, frozen=True):
    """The dealer awarded so many cents of a pot, and the seat took them in. Since 1.3."""

    pot: Annotated[U8, "1: the main pot, 2: the first side pot, and so on"]
    seat: _Seat
    cents: Annotated[U32, "what the seat took of it"]
