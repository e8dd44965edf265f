"""Messages of TDP as frozen values. Each declares its number, the version that introduced it, and its fields in wire
order with their wire forms; `packets.py` builds the layouts from these declarations.

A message does not know when or where it traveled: the frame's header and the line's clock are wrapped around it. Code
fields are plain integers, because a device newer than this program may send unknown values; the enums here name the
known ones.
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
    Bytes8,
    Bytes16,
    Bytes32,
    Bytes33,
    Bytes48,
    Form,
    Run16,
    Shape,
    Text16,
    Text32,
    Text40,
)


class Kind(IntEnum):
    """Kind of a frame."""

    COMMAND = 1
    REPLY = 2
    PROGRESS = 3
    EVENT = 4
    ACK = 5
    NAK = 6
    LINK = 7


class DeviceClass(IntEnum):
    """Class of a device, in HELLO-REPLY."""

    SHUFFLER = 1
    SHOE = 2
    TABLE_CONTROLLER = 3
    EMULATOR = 15


class Capability(IntFlag):
    """Capabilities of a device, in HELLO-REPLY."""

    CARD_RECOGNITION = 1 << 0
    TWO_DECKS = 1 << 1
    COUNTS_PACKETS = 1 << 2
    HOST_LAMP = 1 << 3
    LAYOUT_READER = 1 << 4
    BET_SENSORS = 1 << 5
    METERS = 1 << 6
    """Since 1.2, like the next one."""
    VERIFY = 1 << 7
    SEALING = 1 << 8
    """Since 1.4, like the next one."""
    ATTESTATION = 1 << 9


class Role(IntEnum):
    """Role of a session: what the host may ask of the device. Observe until more is granted."""

    OBSERVE = 0
    OPERATE = 1
    SERVICE = 2


class Status(IntEnum):
    """Status of a reply, its first field."""

    ACCEPTED = 0
    DONE = 1
    REFUSED = 2


class Reason(IntEnum):
    """Reason why a command is refused or a frame is answered with a NAK."""

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
    NOT_SEALED = 12
    """Since 1.4: no keys for a sealed frame, or a clear frame where only sealed ones are taken."""


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
    """Cause of a device's start."""

    POWER_ON = 1
    WATCHDOG = 2
    COMMANDED = 3


class Resolution(IntEnum):
    """Decision of the person who acknowledged a misdeal."""

    RESUME = 1
    REMOVE_DECK = 2


class Reader(IntFlag):
    """Findings of a shoe's reader about a card."""

    INDEX = 1 << 0
    CODE = 1 << 1
    DISAGREE = 1 << 2
    DIRTY = 1 << 3
    SLOW = 1 << 4


class ShoeMode(IntEnum):
    """Reason why a card that was drawn belongs to no game."""

    LOCKED = 1
    ERROR = 2
    SETUP = 3


class BadgeLevel(IntEnum):
    """Level of the badge that was swiped at the table controller."""

    DEALER = 1
    SUPERVISOR = 2
    EXECUTIVE = 3


class RevealSource(IntEnum):
    """Source of the faces of a revealed hand."""

    READER = 1
    KEYED = 2


class Decision(IntEnum):
    """Choice of a player."""

    FOLD = 1
    PLAY = 2


class Spread(IntEnum):
    """Direction in which the positions of a spread packet are counted, as the dealer sees it."""

    LEFT_TO_RIGHT = 1
    RIGHT_TO_LEFT = 2


class Mishandling(IntEnum):
    """Mishandling of a card or a hand, as a person saw it."""

    EXPOSED = 1
    OFF_TABLE = 2
    FOULED = 3
    JOKER = 4
    BOXED = 5
    FOULED_BY_PLAYER = 6
    """Since 1.2, like all that follow."""
    FOULED_BY_OTHERS = 7
    RECONSTRUCTED = 8
    DROPPED = 9
    RETURNED_TO_DECK = 10
    EARLY = 11
    EXPOSED_BY_PLAYER = 12
    NOT_BURNED = 13


class DeviceMeter(IntEnum):
    """Meters of a device, which count for as long as it exists. 128 to 255 are maker-specific."""

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
    """Part of a device that a meter belongs to. 128 to 255 are maker-specific."""

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
    """Region of a device that is measured. 128 to 255 are maker-specific."""

    FIRMWARE = 0


class Algorithm(IntEnum):
    """Algorithm of a measurement: SHA256 is SHA-256 over the nonce, then the image."""

    SHA256 = 1


class SetBy(IntEnum):
    """Person or rule that set a hand into its two parts."""

    PLAYER = 1
    HOUSE_WAY = 2
    DEALER = 3


class PlayerAction(IntEnum):
    """Action of a player in turn, in games where players bet against each other."""

    BET = 1
    """The first bet of a betting round."""
    RAISE = 2
    CALL = 3
    FOLD = 4
    CHECK = 5
    ALL_IN = 6
    """The whole rest of the stake, as a bet, a raise, a call or less."""
    BRING_IN = 7
    """A forced bet that opens a betting round."""
    FORFEIT = 8
    """A person rules that the player's chips stay in the pot, even if the round is void; `cents` has no meaning."""
    CHOP = 9
    """The two players in the blinds agree to end the hand and take them back."""
    WITHDRAW = 10
    """A person rules that the player's last action is taken back; `cents` has no meaning."""
    SIT_OUT = 11
    """Between two hands: the seat sits out the next one, with its chips; `cents` has no meaning."""


class ActionManner(IntEnum):
    """Manner of an action that was not made in the ordinary way."""

    NONE = 0
    STRING_BET = 1
    """Chips for a raise came after those of the call. They do not count."""
    TIME_LIMIT = 2
    """The player did not act within the time limit."""
    CORRECTED = 3
    """The action replaces the last one reported of this player."""


# ------------------------------------------------------------------ how a message is declared


class FrameFlag(IntFlag):
    """Flags of a frame, in its header."""

    SEALED = 1 << 7
    """Since 1.4: the payload is encrypted, and ends in a tag of 16 bytes."""


class FrameHeader(Struct, frozen=True):
    """Header of every frame, the same in every version."""

    version: Annotated[U8, "protocol major number"]
    flags: Annotated[U8, FrameFlag, "bits 7-4: the receiver must understand them; bits 3-0: it may ignore them"]
    kind: Annotated[U8, Kind, "kind of the frame"]
    link_sequence: Annotated[U8, "counter of the frames sent in this direction, modulo 256"]
    request: Annotated[U16, "id of the command that this belongs to, 0 for none"]
    message: Annotated[U16, "id of the message, which determines the payload's layout"]


FIRST: Final = "1.0"
"""Version of everything that declares no other."""


class Registered(NamedTuple):
    """Kind and number of a message (None if the number names the command answered), and the version that introduced
    it."""

    kind: Kind
    number: int | None
    since: str


DECLARED: Final[dict[type[Message], Registered]] = {}
"""All messages, in the order of the specification."""

_Class = TypeVar("_Class", bound=type[Message])


def message(kind: Kind, number: int | None = None, *, since: str = FIRST) -> Callable[[_Class], _Class]:
    """Declare the decorated class as the payload of frames of `kind` with message id `number`."""

    def declare(cls: _Class) -> _Class:
        DECLARED[cls] = Registered(kind, number, since)
        return cls

    return declare


_Place = Annotated[U8, PLACES]
_Fault = Annotated[U16, Fault]
_Card = Annotated[U8, CARDS]
_Cards = Annotated[Blob, CARDS]
_Faults = Annotated[Run16, Fault, "active faults"]
_Round = Annotated[U32, "number of the round, counted by the controller"]
_Deck = Annotated[U8, "1 or 2, of the two alternating decks"]
_Seat = Annotated[U8, "1 at the dealer's left, then clockwise"]
_Shoe = Annotated[U32, "number of the shoe, counted at each filling"]
_Ordinal = Annotated[U16, "cards that have left this shoe, including this one"]
_DealtTo = Annotated[_Place, "destination as the device believes; nowhere if it does not know"]
_Reader = Annotated[U8, Reader, "findings of the reader"]
_Halted = Annotated[U8, "1: the device entered its error mode"]
_Meters = Form(
    Shape.RECORDS, parts={"meter": Annotated[U8, DeviceMeter], "component": Annotated[U8, Component], "count": U32}
)
_Packets = Form(Shape.RECORDS, parts={"expected": U8, "counted": U8})


# ------------------------------------------------------------------ link


@message(Kind.LINK, 0x0001)
class HelloMessage(Message, frozen=True):
    """Host: request to identify. The layout never changes, in any version."""

    lowest_major: Annotated[U8, "oldest version that the host supports"]
    lowest_minor: U8
    highest_major: Annotated[U8, "newest version"]
    highest_minor: U8
    host: Annotated[Text16, "name of the program"]


@message(Kind.LINK, 0x0002)
class HelloReplyMessage(Message, frozen=True):
    """Device: identification. The layout never changes, in any version."""

    session: Annotated[U32, "random, made at power-up, never 0"]
    lowest_major: Annotated[U8, "oldest version that the device supports"]
    lowest_minor: U8
    highest_major: Annotated[U8, "newest version"]
    highest_minor: U8
    device_class: Annotated[U8, DeviceClass]
    capabilities: Annotated[U32, Capability]
    boot_count: Annotated[U32, "number of times this device has started"]
    event_depth: Annotated[U16, "number of unacknowledged events it stores, at least 256"]
    max_frame: Annotated[U16, "longest decoded frame it accepts"]
    maker: Annotated[Text16, "as printed on the device"]
    model: Annotated[Text16, "as printed on the device"]
    serial: Annotated[Text16, "as printed on the device"]
    firmware: Annotated[Text16, "its version"]
    digest: Annotated[Bytes32, "SHA-256 of the firmware image; zeros: not attested"]


@message(Kind.LINK, 0x0003)
class HeartbeatMessage(Message, frozen=True):
    """Host: sign of life, in this session."""

    session: Annotated[U32, "session that the host is in"]


@message(Kind.LINK, 0x0004)
class GapMessage(Message, frozen=True):
    """Device: events from `first_missing` up to, but not including, `first_kept` are lost for good; the newest is
    `last`."""

    session: Annotated[U32, "session of the events"]
    first_missing: Annotated[U32, "first event that is lost"]
    first_kept: Annotated[U32, "first event that can still be read; last + 1 when none"]
    last: Annotated[U32, "newest event"]


@message(Kind.ACK, 0x0005)
class AckMessage(Message, frozen=True):
    """Host: acknowledgment of every event of this session up to `up_to`."""

    session: Annotated[U32, "session of the events"]
    up_to: Annotated[U32, "every event up to this one has arrived"]


@message(Kind.LINK, 0x0006, since="1.2")
class MetersMessage(Message, frozen=True):
    """Device: readings of its meters. Follows the reply to *ReadMeters* and carries that command's request id. It holds
    as many meters as fit; the host requests the next ones from `first` plus their number. Since 1.2."""

    session: Annotated[U32, "the device's"]
    total: Annotated[U16, "meters the device has"]
    first: Annotated[U16, "as in the command; none follow beyond the last"]
    meters: Annotated[
        tuple[tuple[int, int, int], ...],
        _Meters,
        "in a fixed order; a count wraps from FFFFFFFFh to 0",
    ]


@message(Kind.LINK, 0x0007, since="1.2")
class MeasuredMessage(Message, frozen=True):
    """Device: digest that it measured. Follows the reply to *Verify* and carries that command's request id. Since
    1.2."""

    session: Annotated[U32, "the device's"]
    nonce: Annotated[Bytes16, "as in the command"]
    region: Annotated[U8, Region, "as in the command"]
    algorithm: Annotated[U8, Algorithm]
    digest: Annotated[Bytes32, "over the nonce, then the image"]


@message(Kind.LINK, 0x0008, since="1.4")
class PairCallMessage(Message, frozen=True):
    """Host: first message of pairing, Noise XXpsk3. Since 1.4."""

    ephemeral: Annotated[Bytes32, "the host's X25519 key of this handshake"]
    tag: Annotated[Bytes16, "tag of the empty payload"]


@message(Kind.LINK, 0x0009, since="1.4")
class PairAnswerMessage(Message, frozen=True):
    """Device: second message of pairing. Since 1.4."""

    ephemeral: Annotated[Bytes32, "the device's X25519 key of this handshake"]
    static: Annotated[Bytes48, "the device's own X25519 key, encrypted, with its tag"]
    tag: Annotated[Bytes16, "tag of the empty payload"]


@message(Kind.LINK, 0x000A, since="1.4")
class PairProofMessage(Message, frozen=True):
    """Host: third message of pairing, which opens only with the code that the device shows. Since 1.4."""

    static: Annotated[Bytes48, "the host's own X25519 key, encrypted, with its tag"]
    granted: Annotated[Bytes33, "role (u8) and name of the host (text 16), encrypted, with their tag"]


@message(Kind.LINK, 0x000B, since="1.4")
class SealCallMessage(Message, frozen=True):
    """Host: first message of a sealed line, Noise KK. Since 1.4."""

    key_id: Annotated[Bytes8, "first bytes of the SHA-256 of the host's own X25519 key"]
    ephemeral: Annotated[Bytes32, "the host's X25519 key of this handshake"]
    tag: Annotated[Bytes16, "tag of the empty payload"]


@message(Kind.LINK, 0x000C, since="1.4")
class SealAnswerMessage(Message, frozen=True):
    """Device: second message of a sealed line. Since 1.4."""

    ephemeral: Annotated[Bytes32, "the device's X25519 key of this handshake"]
    tag: Annotated[Bytes16, "tag of the empty payload"]


class StatusMessage(Message, frozen=True):
    """Base of the reports of a device's whole visible state."""

    session: Annotated[U32, "the random number made at power-up"]
    last_event: Annotated[U32, "number of the newest event"]
    uptime_ms: Annotated[U32, "milliseconds since the start"]


@message(Kind.LINK, 0x0110)
class ShufflerStatusMessage(StatusMessage, frozen=True):
    """Whole visible state of a shuffler, sent every second and on every change. It contains no card."""

    state: Annotated[U8, ShufflerState]
    lamps: Annotated[U8, Lamp]
    door_open: Annotated[U8, "1 when open"]
    deck: Annotated[U8, "deck being dealt, else the ready one counted last: 1 or 2; 0: none"]
    loaded: Annotated[U16, "cards counted in that deck"]
    packets: Annotated[U8, "packets dispensed this round; 0 once it is over"]
    dispensed: Annotated[U16, "cards in them"]
    in_tray: Annotated[U8, "cards in the tray, of a packet or of the remainder"]
    remainder: Annotated[U16, "cards counted in the dumped remainder; 0 before it and once the round is over"]
    rejected: Annotated[U8, "cards of that deck in the reject tray"]
    faults: _Faults


@message(Kind.LINK, 0x0210)
class ShoeStatusMessage(StatusMessage, frozen=True):
    """Whole visible state of a shoe, sent every second and on every change. It contains no card."""

    state: Annotated[U8, ShoeState]
    locked: Annotated[U8, "1 when locked"]
    halted: Annotated[U8, "1 in error mode"]
    shoe: _Shoe
    decks: Annotated[U8, "decks it was filled with"]
    loaded: Annotated[U16, "cards it was filled with"]
    drawn: Annotated[U16, "cards that have left the shoe"]
    in_round: Annotated[U16, "cards of these in the current round"]
    cut_card_seen: Annotated[U8, "1 once the cut card came out"]
    faults: _Faults


@message(Kind.LINK, 0x0310)
class ControllerStatusMessage(StatusMessage, frozen=True):
    """Whole visible state of a table controller. It contains no card."""

    state: Annotated[U8, ControllerState]
    round: _Round
    sensors: Annotated[U32, "bit 0 set: seat 1 has a progressive bet on its sensor"]
    faults: _Faults


# ------------------------------------------------------------------ answers


@message(Kind.REPLY)
class ReplyMessage(Message, frozen=True):
    """Device: answer to a command. The header's message id names the command."""

    status: Annotated[U8, Status, "accepted, done or refused"]
    reason: Annotated[U16, Reason, "why it was refused"]
    state: Annotated[U8, "device state, by its class"]


@message(Kind.PROGRESS)
class ProgressMessage(Message, frozen=True):
    """Device: progress of an accepted command."""

    percent: Annotated[U8, "0 to 100"]
    state: Annotated[U8, "device state, by its class"]


@message(Kind.NAK)
class NakMessage(Message, frozen=True):
    """Either end: a frame arrived intact but cannot be used. The header's message id names it."""

    reason: Annotated[U16, Reason, "why the frame cannot be used"]


# ------------------------------------------------------------------ commands to any device


@message(Kind.COMMAND, 0x0020)
class OpenSessionMessage(Message, frozen=True):
    """Open the session with the version the host picked and the role it requests. No event is sent before it."""

    session: Annotated[U32, "as HELLO-REPLY gave it"]
    major: Annotated[U8, "version that the host picked"]
    minor: U8
    role: Annotated[U8, Role]


@message(Kind.COMMAND, 0x0021)
class ReadEventsMessage(Message, frozen=True):
    """Send the events again from `first` on. `session` may be the one before a power cut."""

    session: Annotated[U32, "current session, or the previous one"]
    first: Annotated[U32, "event number to start from"]


@message(Kind.COMMAND, 0x0022)
class ReportStatusMessage(Message, frozen=True):
    """Send a status now."""


@message(Kind.COMMAND, 0x0023)
class SelfTestMessage(Message, frozen=True):
    """Run the self-test. Service role."""


@message(Kind.COMMAND, 0x0024, since="1.2")
class ReadMetersMessage(Message, frozen=True):
    """Report the meters from index `first` on. A *Meters* follows the reply. Since 1.2."""

    first: Annotated[U16, "index of the first meter wanted, from 0"]


@message(Kind.COMMAND, 0x0025, since="1.2")
class VerifyMessage(Message, frozen=True):
    """Measure a region now, together with a nonce that no one can predict. A *Measured* follows the reply. Since
    1.2."""

    nonce: Annotated[Bytes16, "random, drawn for this command"]
    region: Annotated[U8, Region, "region to measure; 0: the whole firmware image"]


# ------------------------------------------------------------------ commands to a shuffler


@message(Kind.COMMAND, 0x0120)
class SelectGameMessage(Message, frozen=True):
    """Set packet size and deck composition for the game to deal."""

    packet_size: Annotated[U8, "cards in a packet; 0: the device's own program for the game decides"]
    cards: Annotated[U16, "cards in the whole deck, jokers included"]
    jokers: Annotated[U8, "jokers among them"]
    game: Annotated[Text32, "procedure id"]


@message(Kind.COMMAND, 0x0121)
class DispenseMessage(Message, frozen=True):
    """Dispense the next packet, as the green button does."""


@message(Kind.COMMAND, 0x0122)
class DumpMessage(Message, frozen=True):
    """Dispense the remainder, as the second press of the green button does."""


@message(Kind.COMMAND, 0x0123)
class RaiseLampMessage(Message, frozen=True):
    """Light the red lamp for a misdeal that only the host can detect."""

    fault: _Fault


@message(Kind.COMMAND, 0x0124)
class ClearMisdealMessage(Message, frozen=True):
    """Clear a misdeal that the person with `badge` acknowledged and decided."""

    badge: Annotated[U32, "person who acknowledged"]
    resolution: Annotated[U8, Resolution]


@message(Kind.COMMAND, 0x0125)
class SetLockMessage(Message, frozen=True):
    """Lock or unlock the device for the table."""

    locked: Annotated[U8, "1 to lock, 0 to unlock"]


# ------------------------------------------------------------------ commands to a shoe


@message(Kind.COMMAND, 0x0220)
class LockShoeMessage(Message, frozen=True):
    """Lock or unlock the shoe. A card drawn while it is locked belongs to no game."""

    locked: Annotated[U8, "1 to lock, 0 to unlock"]


@message(Kind.COMMAND, 0x0221)
class ClearShoeErrorMessage(Message, frozen=True):
    """Leave the error mode: the person with `badge` fixed the error."""

    fault: Annotated[_Fault, "the error that was fixed"]
    badge: Annotated[U32, "person who fixed it"]


@message(Kind.COMMAND, 0x0222)
class EndRoundMessage(Message, frozen=True):
    """End the round and stand by for the next one."""


# ------------------------------------------------------------------ commands to a table controller


@message(Kind.COMMAND, 0x0320)
class SetSensorLightMessage(Message, frozen=True):
    """Switch the light of one seat's bet sensor."""

    seat: _Seat
    lit: Annotated[U8, "1 on, 0 off"]


@message(Kind.COMMAND, 0x0321)
class ShowMeterMessage(Message, frozen=True):
    """Show the amount of a progressive meter, in cents."""

    meter: Annotated[U8, "its number in the controller's set-up"]
    cents: Annotated[U64, "amount to show"]


@message(Kind.COMMAND, 0x0322)
class ShowTextMessage(Message, frozen=True):
    """Show a line of text to the dealer."""

    text: Annotated[Text40, "one line for the dealer"]


# ------------------------------------------------------------------ events of any device


class Event(Message, frozen=True):
    """Base of events. The number counts up within a session; `device_ms` is the device's own clock."""

    number: Annotated[U32, "counts up by one within a session, from 1"]
    device_ms: Annotated[U32, "the device's own clock, milliseconds since it started"]


@message(Kind.EVENT, 0x0030)
class BootedMessage(Event, frozen=True):
    """The device started. First event of a session."""

    boot_count: Annotated[U32, "as in HELLO-REPLY"]
    previous_session: Annotated[U32, "session whose last round can still be read; 0: none"]
    cause: Annotated[U8, BootCause]
    mid_round: Annotated[U8, "1: the power failed in the middle of a round"]


@message(Kind.EVENT, 0x0031)
class FaultRaisedMessage(Event, frozen=True):
    """A fault began. `place` is where, `value` is the number that the fault counts."""

    fault: _Fault
    place: _Place
    value: Annotated[U16, "number that the fault counts, else 0"]


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
    """The device changed from `previous` to `state`."""

    state: Annotated[U8, "meaning by device class"]
    previous: Annotated[U8, "previous state"]


# ------------------------------------------------------------------ events of a shuffler


@message(Kind.EVENT, 0x0140)
class GreenButtonMessage(Event, frozen=True):
    """The dealer pressed the green button."""


@message(Kind.EVENT, 0x0141)
class GameSelectedMessage(Event, frozen=True):
    """The game was chosen, at the device or by the host."""

    packet_size: Annotated[U8, "cards in a packet; 0: the device's own program for the game decides"]
    cards: Annotated[U16, "cards in the whole deck, jokers included"]
    jokers: Annotated[U8, "jokers among them"]
    game: Annotated[Text32, "procedure id"]


@message(Kind.EVENT, 0x0142)
class DeckLoadedMessage(Event, frozen=True):
    """A deck is in the input. `back` distinguishes the two decks."""

    deck: _Deck
    back: Annotated[U8, "number of the back design, different for the two decks, constant for each; 0: not seen"]


@message(Kind.EVENT, 0x0143)
class ShuffleStartedMessage(Event, frozen=True):
    """The deck is being shuffled."""

    deck: _Deck


@message(Kind.EVENT, 0x0144)
class DeckVerifiedMessage(Event, frozen=True):
    """The shuffled deck was counted."""

    deck: _Deck
    expected: Annotated[U16, "cards that the game requires"]
    counted: Annotated[U16, "cards found"]


@message(Kind.EVENT, 0x0145)
class PacketDispensedMessage(Event, frozen=True):
    """A packet is in the tray. `cards` is empty unless the device recognizes cards."""

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
    """All remaining cards of the deck are in the tray."""

    deck: _Deck
    expected: Annotated[U16, "loaded - rejected - packets lifted, or - all packets: see Packet shuffler"]
    counted: Annotated[U16, "cards the device counted"]


@message(Kind.EVENT, 0x0148)
class RemainderLiftedMessage(Event, frozen=True):
    """The remainder was taken out."""

    deck: _Deck


@message(Kind.EVENT, 0x0149)
class CardRejectedMessage(Event, frozen=True):
    """A card went to the reject tray. `card` is none unless the device recognizes cards."""

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
    """Record of a misdeal: cards expected and counted in each place. `remainder` is FFFFh if unknown."""

    deck: Annotated[U8, "as in the status; 0: no deck was counted"]
    fault: _Fault
    loaded: Annotated[U16, "cards counted in the deck"]
    remainder: Annotated[U16, "FFFFh: not known"]
    rejected: Annotated[U8, "cards in the reject tray"]
    packets: Annotated[tuple[tuple[int, int], ...], _Packets, "in the order they were dispensed"]


@message(Kind.EVENT, 0x014C)
class MisdealClearedMessage(Event, frozen=True):
    """A person acknowledged the misdeal, at the device (badge 0) or through the host."""

    fault: _Fault
    badge: Annotated[U32, "0: with the device's own key"]
    resolution: Annotated[U8, Resolution]


@message(Kind.EVENT, 0x014D)
class DeckRemovedMessage(Event, frozen=True):
    """The deck was taken out of the device."""

    deck: _Deck


# ------------------------------------------------------------------ events of a shoe


@message(Kind.EVENT, 0x0240)
class ShoeLoadedMessage(Event, frozen=True):
    """A shoe was filled with `cards` cards in `decks` decks, and closed. `shoe` counts the fillings; 0 means none."""

    shoe: _Shoe
    decks: Annotated[U8, "decks put in"]
    cards: Annotated[U16, "cards put in"]


@message(Kind.EVENT, 0x0241)
class BurnStartedMessage(Event, frozen=True):
    """The next `count` cards are to be burned."""

    count: Annotated[U8, "cards to burn"]


@message(Kind.EVENT, 0x0242)
class CardDrawnMessage(Event, frozen=True):
    """A card left the shoe and was read. `ordinal` counts the cards that left this shoe, read or not, from 1."""

    ordinal: _Ordinal
    card: _Card
    place: _DealtTo
    confidence: Annotated[U8, "confidence of the reading, 0 to 100 percent"]
    reader: _Reader


@message(Kind.EVENT, 0x0243)
class CardUnreadableMessage(Event, frozen=True):
    """A card left the shoe and its face was not read."""

    ordinal: _Ordinal
    place: _DealtTo
    reader: _Reader


@message(Kind.EVENT, 0x0244)
class CutCardSeenMessage(Event, frozen=True):
    """The cut card came out after `drawn` cards. It is not a card of the shoe and is not counted."""

    drawn: Annotated[U16, "cards drawn before it"]


@message(Kind.EVENT, 0x0245)
class OverdrawMessage(Event, frozen=True):
    """A card was drawn that the game does not allow, or from an empty shoe. Card `ordinal` was the last before it."""

    ordinal: Annotated[U16, "last card before it; 0: none"]
    halted: _Halted


@message(Kind.EVENT, 0x0246)
class PushedBackMessage(Event, frozen=True):
    """Card `ordinal` was pushed back into the exit."""

    ordinal: Annotated[U16, "card that was pushed back"]
    halted: _Halted


@message(Kind.EVENT, 0x0247)
class PulledBackMessage(Event, frozen=True):
    """The card after `ordinal` turned back halfway."""

    ordinal: Annotated[U16, "cards that have left this shoe"]
    halted: _Halted


@message(Kind.EVENT, 0x0248)
class CardDrawnOutsideMessage(Event, frozen=True):
    """A card was drawn while the shoe was locked, in error mode or in set-up. It belongs to no game."""

    ordinal: _Ordinal
    card: Annotated[_Card, "unread when it was not read"]
    mode: Annotated[U8, ShoeMode, "mode of the shoe"]


@message(Kind.EVENT, 0x0249)
class ShoeErrorMessage(Event, frozen=True):
    """An error of the shoe itself began; `fault` is its number."""

    fault: _Fault
    halted: _Halted


@message(Kind.EVENT, 0x024A)
class ShoeErrorClearedMessage(Event, frozen=True):
    """The error ended, cleared at the device (badge 0) or through the host."""

    fault: _Fault
    badge: Annotated[U32, "0: with the device's own key"]


@message(Kind.EVENT, 0x024B)
class ShoeLockMovedMessage(Event, frozen=True):
    """The shoe was locked (1) or unlocked (0), by its key or by a command."""

    locked: Annotated[U8, "1 locked, 0 unlocked"]


@message(Kind.EVENT, 0x024C)
class ShoeEndedMessage(Event, frozen=True):
    """The shoe ended after `drawn` of its cards had left it."""

    shoe: _Shoe
    drawn: Annotated[U16, "cards that have left the shoe"]


@message(Kind.EVENT, 0x024D)
class CardReportedAgainMessage(Event, frozen=True):
    """Repeat of the reading of card `ordinal`. It is never a second card."""

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
    """END GAME was pressed: all action is settled."""

    round: _Round


@message(Kind.EVENT, 0x0342)
class SensorChangedMessage(Event, frozen=True):
    """A progressive bet was placed on (1) or left (0) a seat's sensor."""

    seat: _Seat
    on: Annotated[U8, "1: bet on the sensor, 0: off"]


@message(Kind.EVENT, 0x0343)
class HandButtonMessage(Event, frozen=True):
    """A hand button was switched on (1) or, pressed again, off (0)."""

    hand: Annotated[U8, "the button's number"]
    on: Annotated[U8, "1 on, 0 off"]


@message(Kind.EVENT, 0x0344)
class SpotSelectedMessage(Event, frozen=True):
    """The dealer selected a seat on the display."""

    seat: Annotated[U8, "1 at the dealer's left, then clockwise; 0: the dealer"]


@message(Kind.EVENT, 0x0345)
class BadgeSwipedMessage(Event, frozen=True):
    """A badge was swiped at the controller."""

    badge: Annotated[U32, "badge number"]
    level: Annotated[U8, BadgeLevel]


@message(Kind.EVENT, 0x0346)
class ConfirmedMessage(Event, frozen=True):
    """CONFIRM was pressed."""


@message(Kind.EVENT, 0x0347)
class WagerPlacedMessage(Event, frozen=True):
    """Bet of a seat on one spot, in cents; 0 takes it back. `bet` is the spot's number in the game file."""

    seat: _Seat
    bet: Annotated[U8, "number of the spot in the game file"]
    cents: Annotated[U32, "whole bet on that spot, 0: taken back"]


@message(Kind.EVENT, 0x0348)
class DecisionMadeMessage(Event, frozen=True):
    """A seat decided."""

    seat: _Seat
    decision: Annotated[U8, Decision]


@message(Kind.EVENT, 0x0349)
class BurnConfirmedMessage(Event, frozen=True):
    """Cards of a packet were burned. Bit 0 of `positions` is position 1, counted in direction `spread`."""

    place: _Place
    positions: Annotated[U16, "bit 0: position 1"]
    spread: Annotated[U8, Spread, "direction in which positions are counted"]


@message(Kind.EVENT, 0x034A)
class HandRevealedMessage(Event, frozen=True):
    """Faces of the cards at a place, from a reader in the layout or keyed in."""

    place: _Place
    source: Annotated[U8, RevealSource]
    cards: Annotated[_Cards, "in the order in which they are on the table"]


@message(Kind.EVENT, 0x034B)
class CardsCountedMessage(Event, frozen=True):
    """A person counted the cards at a place."""

    place: _Place
    counted: Annotated[U8, "cards that a person counted"]


@message(Kind.EVENT, 0x034C)
class MisdealCalledMessage(Event, frozen=True):
    """A person, named by `badge`, called a misdeal."""

    badge: Annotated[U32, "person who called it"]
    fault: _Fault


@message(Kind.EVENT, 0x034D, since="1.1")
class CardMishandledMessage(Event, frozen=True):
    """A person reported the mishandling of a card at a place. Since 1.1."""

    place: Annotated[_Place, "place of the card"]
    how: Annotated[U8, Mishandling]
    card: Annotated[_Card, "its face if it was seen, else unread"]


@message(Kind.EVENT, 0x034E, since="1.2")
class HandSetMessage(Event, frozen=True):
    """A hand is set in two parts: the first `low` of `cards` are its low or first hand, the others the rest. Since
    1.2."""

    place: Annotated[_Place, "place of the hand"]
    by: Annotated[U8, SetBy, "person or rule that set it"]
    foul: Annotated[U8, "1: set against the rules, 0: not"]
    low: Annotated[U8, "number of cards, from the first, in the low or first hand"]
    cards: Annotated[_Cards, "low or first hand, then the rest if known; unread where no one saw the face"]


@message(Kind.EVENT, 0x034F, since="1.2")
class CardsDiscardedMessage(Event, frozen=True):
    """Cards were discarded from a place, in the order in which they were laid down. Since 1.2."""

    place: Annotated[_Place, "place of the hand"]
    cards: Annotated[_Cards, "unread where no one saw the face"]


@message(Kind.EVENT, 0x0350, since="1.2")
class NumberDrawnMessage(Event, frozen=True):
    """The number shaken or drawn that decides who gets the first cards. Since 1.2."""

    drawn: Annotated[U8, "total of the dice, or the number shown"]


@message(Kind.EVENT, 0x0351, since="1.2")
class WagerOnMessage(Event, frozen=True):
    """Wager of a seat on one of the several propositions of a spot, in cents; 0 takes it back. Since 1.2."""

    seat: _Seat
    bet: Annotated[U8, "number of the spot in the game file"]
    proposition: Annotated[U8, "number of the spot's proposition in the game file"]
    on: Annotated[U8, "card code; suit 0: any suit, rank 0: any rank; 00h: no card"]
    cents: Annotated[U32, "whole wager on this proposition, 0: taken back"]


@message(Kind.EVENT, 0x0352, since="1.2")
class HandCorrectedMessage(Event, frozen=True):
    """The faces keyed for a place were corrected under `badge`; only their number, if every card is unread. Since
    1.2."""

    place: _Place
    badge: Annotated[U32, "badge that was swiped"]
    level: Annotated[U8, BadgeLevel]
    cards: Annotated[_Cards, "in the order in which they are on the table"]


@message(Kind.EVENT, 0x0353, since="1.3")
class StakeShownMessage(Event, frozen=True):
    """The chips and currency in front of a seat when a hand begins; 0 if no one plays there. Since 1.3."""

    seat: _Seat
    cents: Annotated[U32, "amount that the seat can bet in this hand, 0: no one plays there"]


@message(Kind.EVENT, 0x0354, since="1.3")
class PlayerActedMessage(Event, frozen=True):
    """A player acted, in a game where players bet against each other. Since 1.3."""

    seat: _Seat
    action: Annotated[U8, PlayerAction, "action of the player"]
    manner: Annotated[U8, ActionManner, "manner, if it was not made in the ordinary way"]
    cents: Annotated[
        U32, "total bet of the seat in this betting round after the action; unchanged if nothing was added"
    ]


@message(Kind.EVENT, 0x0355, since="1.3")
class PotTakenMessage(Event, frozen=True):
    """The dealer awarded so many cents of a pot, and the seat took them; 0: what it took is taken back. Since 1.3."""

    pot: Annotated[U8, "1: the main pot, 2: the first side pot, and so on"]
    seat: _Seat
    cents: Annotated[U32, "amount that the seat took"]
