"""What TDP says, as frozen values. `packets.py` declares how each is laid out; the field names are the same.

A message knows nothing of when or where it travelled: the frame's header and the line's clock are wrapped
around it. Code fields are plain integers, because a device newer than this program may send values it does
not know; the enums here name the known ones.
"""

from enum import IntEnum, IntFlag

from protocol.message import Message as Message


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


# ------------------------------------------------------------------ link


class HelloMessage(Message, frozen=True):
    """Host: who are you. Its layout never changes, whatever the version."""

    lowest_major: int
    lowest_minor: int
    highest_major: int
    highest_minor: int
    host: str


class HelloReplyMessage(Message, frozen=True):
    """Device: who I am. Its layout never changes, whatever the version."""

    session: int
    lowest_major: int
    lowest_minor: int
    highest_major: int
    highest_minor: int
    device_class: int
    capabilities: int
    boot_count: int
    event_depth: int
    max_frame: int
    maker: str
    model: str
    serial: str
    firmware: str
    digest: bytes


class HeartbeatMessage(Message, frozen=True):
    """Host: I am here, in this session."""

    session: int


class GapMessage(Message, frozen=True):
    """Device: events `first_missing` up to before `first_kept` are gone for ever; the last is `last`."""

    session: int
    first_missing: int
    first_kept: int
    last: int


class MetersMessage(Message, frozen=True):
    """Device: what its meters show, after the reply to *ReadMeters*, with that command's request id. As many as fit;
    the host asks on from `first` plus their number. Since 1.2."""

    session: int
    total: int
    first: int
    meters: tuple[tuple[int, int, int], ...]


class MeasuredMessage(Message, frozen=True):
    """Device: the digest that it measured, after the reply to *Verify*, with that command's request id. Since 1.2."""

    session: int
    nonce: bytes
    region: int
    algorithm: int
    digest: bytes


class ShufflerStatusMessage(Message, frozen=True):
    """The whole visible state of a shuffler: sent every second and on change. It carries no card."""

    session: int
    last_event: int
    uptime_ms: int
    state: int
    lamps: int
    door_open: int
    deck: int
    loaded: int
    packets: int
    dispensed: int
    in_tray: int
    remainder: int
    rejected: int
    faults: tuple[int, ...]


class ShoeStatusMessage(Message, frozen=True):
    """The whole visible state of a shoe: sent every second and on change. It carries no card."""

    session: int
    last_event: int
    uptime_ms: int
    state: int
    locked: int
    halted: int
    shoe: int
    decks: int
    loaded: int
    drawn: int
    in_round: int
    cut_card_seen: int
    faults: tuple[int, ...]


class ControllerStatusMessage(Message, frozen=True):
    """The whole visible state of a table controller. It carries no card."""

    session: int
    last_event: int
    uptime_ms: int
    state: int
    round: int
    sensors: int
    faults: tuple[int, ...]


# ------------------------------------------------------------------ answers


class ReplyMessage(Message, frozen=True):
    """Device: answer to a command; the header's message id names the command."""

    status: int
    reason: int
    state: int


class ProgressMessage(Message, frozen=True):
    """Device: an accepted command goes on."""

    percent: int
    state: int


class AckMessage(Message, frozen=True):
    """Host: every event of this session up to `up_to` has arrived."""

    session: int
    up_to: int


class NakMessage(Message, frozen=True):
    """Either side: your frame was whole but I cannot use it; the header's message id names it."""

    reason: int


# ------------------------------------------------------------------ commands to any device


class OpenSessionMessage(Message, frozen=True):
    """The version the host picked and the role it asks for. No event flows before it."""

    session: int
    major: int
    minor: int
    role: int


class ReadEventsMessage(Message, frozen=True):
    """Send the events from `first` again; `session` may be the one before a power cut."""

    session: int
    first: int


class ReportStatusMessage(Message, frozen=True):
    """Send a status now."""


class SelfTestMessage(Message, frozen=True):
    """Run the self-test. Service role."""


class ReadMetersMessage(Message, frozen=True):
    """Say what the meters show, from the one at index `first` on; a *Meters* follows. Since 1.2."""

    first: int


class VerifyMessage(Message, frozen=True):
    """Measure a region now, together with these bytes, which nobody could know before; a *Measured* follows. Since
    1.2."""

    nonce: bytes
    region: int


# ------------------------------------------------------------------ commands to a shuffler


class SelectGameMessage(Message, frozen=True):
    """Packet size and deck composition of the game to deal."""

    packet_size: int
    cards: int
    jokers: int
    game: str


class DispenseMessage(Message, frozen=True):
    """Bring the next packet, as the green button does."""


class DumpMessage(Message, frozen=True):
    """Bring the remainder, as the second press of the green button does."""


class RaiseLampMessage(Message, frozen=True):
    """Light the red lamp for a misdeal that only the host can see."""

    fault: int


class ClearMisdealMessage(Message, frozen=True):
    """A person, named by `badge`, acknowledged the misdeal and decided."""

    badge: int
    resolution: int


class SetLockMessage(Message, frozen=True):
    """Lock or unlock the device for the table."""

    locked: int


# ------------------------------------------------------------------ commands to a shoe


class LockShoeMessage(Message, frozen=True):
    """Lock or unlock the shoe: a card drawn while it is locked belongs to no game."""

    locked: int


class ClearShoeErrorMessage(Message, frozen=True):
    """A person, named by `badge`, put the trouble right: leave the error mode."""

    fault: int
    badge: int


class EndRoundMessage(Message, frozen=True):
    """The round is over: stand by for the next one."""


# ------------------------------------------------------------------ commands to a table controller


class SetSensorLightMessage(Message, frozen=True):
    """Light of one seat's bet sensor."""

    seat: int
    lit: int


class ShowMeterMessage(Message, frozen=True):
    """Show a progressive meter, in cents."""

    meter: int
    cents: int


class ShowTextMessage(Message, frozen=True):
    """Show a line of text to the dealer."""

    text: str


# ------------------------------------------------------------------ events of any device


class Event(Message, frozen=True):
    """Base of events: the number counts up within a session, `device_ms` is the device's own clock."""

    number: int
    device_ms: int


class BootedMessage(Event, frozen=True):
    """First event of a session."""

    boot_count: int
    previous_session: int
    cause: int
    mid_round: int


class FaultRaisedMessage(Event, frozen=True):
    """A fault began. `place` says where, `value` is what the fault counts."""

    fault: int
    place: int
    value: int


class FaultClearedMessage(Event, frozen=True):
    """A fault ended."""

    fault: int


class DoorMovedMessage(Event, frozen=True):
    """The door or cover was opened (1) or closed (0)."""

    open: int


class StateChangedMessage(Event, frozen=True):
    """The device went from `previous` to `state`."""

    state: int
    previous: int


# ------------------------------------------------------------------ events of a shuffler


class GreenButtonMessage(Event, frozen=True):
    """The dealer pressed the green button."""


class GameSelectedMessage(Event, frozen=True):
    """The game was chosen, at the device or by the host."""

    packet_size: int
    cards: int
    jokers: int
    game: str


class DeckLoadedMessage(Event, frozen=True):
    """A deck lies in the input; `back` tells the two decks apart."""

    deck: int
    back: int


class ShuffleStartedMessage(Event, frozen=True):
    """The deck is being shuffled."""

    deck: int


class DeckVerifiedMessage(Event, frozen=True):
    """The shuffled deck was counted."""

    deck: int
    expected: int
    counted: int


class PacketDispensedMessage(Event, frozen=True):
    """A packet lies in the tray. `cards` is empty unless the device recognises cards."""

    deck: int
    ordinal: int
    expected: int
    counted: int
    cards: bytes


class PacketLiftedMessage(Event, frozen=True):
    """The packet was taken out of the tray."""

    ordinal: int


class RemainderDumpedMessage(Event, frozen=True):
    """Every card left of the deck lies in the tray."""

    deck: int
    expected: int
    counted: int


class RemainderLiftedMessage(Event, frozen=True):
    """The remainder was taken out."""

    deck: int


class CardRejectedMessage(Event, frozen=True):
    """A card went to the reject tray. `card` is none unless the device recognises cards."""

    deck: int
    card: int
    fault: int


class RedLampMessage(Event, frozen=True):
    """The red lamp was lit (1) for `fault`, or went out (0)."""

    lit: int
    fault: int


class MisdealMessage(Event, frozen=True):
    """The record of a misdeal: what was expected and counted in each place. `remainder` is FFFFh if unknown."""

    deck: int
    fault: int
    loaded: int
    remainder: int
    rejected: int
    packets: tuple[tuple[int, int], ...]


class MisdealClearedMessage(Event, frozen=True):
    """A person acknowledged the misdeal, at the device (badge 0) or through the host."""

    fault: int
    badge: int
    resolution: int


class DeckRemovedMessage(Event, frozen=True):
    """The deck was taken out of the device."""

    deck: int


# ------------------------------------------------------------------ events of a shoe


class ShoeLoadedMessage(Event, frozen=True):
    """A shoe was filled and closed: `cards` in `decks` decks. `shoe` counts them up, 0 is none."""

    shoe: int
    decks: int
    cards: int


class BurnStartedMessage(Event, frozen=True):
    """The next `count` cards are burned."""

    count: int


class CardDrawnMessage(Event, frozen=True):
    """A card left the shoe and was read. `ordinal` counts the cards that left this shoe, read or not, from 1."""

    ordinal: int
    card: int
    place: int
    confidence: int
    reader: int


class CardUnreadableMessage(Event, frozen=True):
    """A card left the shoe and its face was not read."""

    ordinal: int
    place: int
    reader: int


class CutCardSeenMessage(Event, frozen=True):
    """The cut card came out after `drawn` cards. It is no card of the shoe and is not counted."""

    drawn: int


class OverdrawMessage(Event, frozen=True):
    """A card was drawn that the game does not take, or from an empty shoe; card `ordinal` was the last."""

    ordinal: int
    halted: int


class PushedBackMessage(Event, frozen=True):
    """Card `ordinal` was pushed back into the exit."""

    ordinal: int
    halted: int


class PulledBackMessage(Event, frozen=True):
    """The card after `ordinal` turned back midway."""

    ordinal: int
    halted: int


class CardDrawnOutsideMessage(Event, frozen=True):
    """A card was drawn while the shoe was locked, in error mode or in set-up: it belongs to no game."""

    ordinal: int
    card: int
    mode: int


class ShoeErrorMessage(Event, frozen=True):
    """A trouble of the shoe itself began; the shoe says its number."""

    fault: int
    halted: int


class ShoeErrorClearedMessage(Event, frozen=True):
    """The trouble is over, cleared at the device (badge 0) or through the host."""

    fault: int
    badge: int


class ShoeLockMovedMessage(Event, frozen=True):
    """The shoe was locked (1) or unlocked (0), by its key or by a command."""

    locked: int


class ShoeEndedMessage(Event, frozen=True):
    """The shoe is over; `drawn` of its cards have left it."""

    shoe: int
    drawn: int


class CardReportedAgainMessage(Event, frozen=True):
    """What was read of card `ordinal`, said again: never a second card."""

    ordinal: int
    card: int
    place: int


# ------------------------------------------------------------------ events of a table controller


class GameStartedMessage(Event, frozen=True):
    """START GAME was pressed: bets are closed."""

    round: int


class GameEndedMessage(Event, frozen=True):
    """END GAME was pressed: all action is reconciled."""

    round: int


class SensorChangedMessage(Event, frozen=True):
    """A progressive bet came onto (1) or left (0) a seat's sensor."""

    seat: int
    on: int


class HandButtonMessage(Event, frozen=True):
    """A hand button is on (1) or, pressed again, off (0)."""

    hand: int
    on: int


class SpotSelectedMessage(Event, frozen=True):
    """The dealer selected a seat on the display."""

    seat: int


class BadgeSwipedMessage(Event, frozen=True):
    """A card was swiped at the controller."""

    badge: int
    level: int


class ConfirmedMessage(Event, frozen=True):
    """CONFIRM was pressed."""


class WagerPlacedMessage(Event, frozen=True):
    """A seat's bet on one spot, in cents; 0 takes it back. `bet` is the spot's number in the game's file."""

    seat: int
    bet: int
    cents: int


class DecisionMadeMessage(Event, frozen=True):
    """A seat chose."""

    seat: int
    decision: int


class BurnConfirmedMessage(Event, frozen=True):
    """Cards were burned from a packet: bit 0 of `positions` is position 1, counted in direction `spread`."""

    place: int
    positions: int
    spread: int


class HandRevealedMessage(Event, frozen=True):
    """The faces at a place, by a reader in the layout or keyed in."""

    place: int
    source: int
    cards: bytes


class CardsCountedMessage(Event, frozen=True):
    """A person counted the cards at a place."""

    place: int
    counted: int


class MisdealCalledMessage(Event, frozen=True):
    """A person, named by `badge`, called a misdeal."""

    badge: int
    fault: int


class CardMishandledMessage(Event, frozen=True):
    """A person says what happened to a card at a place. Since 1.1."""

    place: int
    how: int
    card: int


class HandSetMessage(Event, frozen=True):
    """A hand lies in two parts: the first `low` of `cards` are its low or first hand, the others the rest.

    Since 1.2.
    """

    place: int
    by: int
    foul: int
    low: int
    cards: bytes


class CardsDiscardedMessage(Event, frozen=True):
    """Cards were laid away from a place, in the order they were laid. Since 1.2."""

    place: int
    cards: bytes


class NumberDrawnMessage(Event, frozen=True):
    """The number shaken or drawn that says who gets the first cards. Since 1.2."""

    drawn: int


class WagerOnMessage(Event, frozen=True):
    """What a seat's bet on one spot is on, one of several such propositions, in cents; 0 takes it back. Since 1.2."""

    seat: int
    bet: int
    proposition: int
    on: int
    cents: int


class HandCorrectedMessage(Event, frozen=True):
    """The faces that were keyed for a place are corrected, by the person whose badge it is; its count, when every
    card is unread. Since 1.2."""

    place: int
    badge: int
    level: int
    cards: bytes


class StakeShownMessage(Event, frozen=True):
    """The chips and the currency that lie before a seat when a hand begins; 0 when nobody plays there. Since 1.3."""

    seat: int
    cents: int


class PlayerActedMessage(Event, frozen=True):
    """A player acted, where players bet against each other. Since 1.3."""

    seat: int
    action: int
    manner: int
    cents: int


class PotTakenMessage(Event, frozen=True):
    """The dealer awarded so many cents of a pot, and the seat took them in. Since 1.3."""

    pot: int
    seat: int
    cents: int
