"""How every TDP message is laid out: the `construct` declarations that the specification is printed from.

These describe; `derive.py` derives the plain `struct` decoders that run, and a test proves the two equal on
every message, on random bytes and on truncated input. Layouts are fixed and little-endian. After the declared
fields a payload may carry extensions, each a type byte, a length byte and that many bytes: a receiver keeps
those it does not know.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import Any, Final

from construct import (
    Bytes,
    Construct,
    GreedyBytes,
    GreedyRange,
    Int8ul,
    Int16ul,
    Int32ul,
    Int64ul,
    PaddedString,
    Prefixed,
    PrefixedArray,
    Struct,
    Subconstruct,
    Terminated,
)

from protocol.faults import Fault
from protocol.tdp import messages as m
from protocol.tdp.messages import Kind

VERSION: Final = 1
"""The header's version byte: the protocol's major number."""
MINOR: Final = 3
"""1 added what a person saw happen to a card, the places of named hands, and packets of different sizes; 2 more of what
a person sees: how a hand was set, what was laid away, the number drawn, propositions, corrections; meters and the
measuring of the firmware; 3 the chips of players who bet against each other: stakes, actions, pots."""
VERSION_TEXT: Final = f"{VERSION}.{MINOR}"
"""The version as pages, plans and reports name it."""

MAX_FRAME: Final = 256
"""Bytes of a decoded frame, header and check included: small enough for a microcontroller's buffer, and
CRC-32 finds every error of up to four bits at this size."""


class Code(Subconstruct):  # type: ignore[type-arg]
    """An integer whose known values `names` lists; any other value is kept as it is."""

    def __init__(self, subcon: Any, names: type[IntEnum] | type[IntFlag] | str) -> None:
        super().__init__(subcon)
        self.names = names


def _text(size: int) -> Any:
    return PaddedString(size, "ascii")


CARDS: Final = "card"
PLACES: Final = "place"

_place: Final = Code(Int8ul, PLACES)
_fault: Final = Code(Int16ul, Fault)
_cards: Final = Code(Prefixed(Int8ul, GreedyBytes), CARDS)
_faults: Final = PrefixedArray(Int8ul, _fault)

HEADER: Final = Struct(
    "version" / Int8ul * "protocol major number",
    "flags" / Int8ul * "bits 7-4: the receiver must understand; bits 3-0: it may ignore",
    "kind" / Code(Int8ul, Kind) * "what the frame is for",
    "link_sequence" / Int8ul * "counts every frame sent in this direction, modulo 256",
    "request" / Int16ul * "the command this belongs to, 0 for none",
    "message" / Int16ul * "which layout the payload has",
)

EXTENSION: Final = Struct("type" / Int8ul, "value" / Prefixed(Int8ul, GreedyBytes))


def _payload(*fields: Any) -> Construct[Any, Any]:
    return Struct(*fields, "extensions" / GreedyRange(EXTENSION), Terminated)


def _event(*fields: Any) -> Construct[Any, Any]:
    return _payload(
        "number" / Int32ul * "counts up by one within a session, from 1",
        "device_ms" / Int32ul * "the device's own clock, milliseconds since it started",
        *fields,
    )


_round: Final = "round" / Int32ul * "the controller's own count of rounds"
_deck: Final = "deck" / Int8ul * "1 or 2: which of the alternating decks"
_deck_shown: Final = (
    "deck" / Int8ul * "the one being dealt, else the one counted last and ready: 1 or 2; 0: there is none"
)
_seat: Final = "seat" / Int8ul * "1 at the dealer's left, clockwise"
_shoe: Final = "shoe" / Int32ul * "counts the shoes the device was filled with"
_ordinal: Final = "ordinal" / Int16ul * "cards that have left this shoe, this one included"
_card: Final = "card" / Code(Int8ul, CARDS)
_dealt_to: Final = "place" / _place * "what the device believes it is for; nowhere when it does not know"
_reader: Final = "reader" / Code(Int8ul, m.Reader) * "what the reader noticed"
_halted: Final = "halted" / Int8ul * "1: the device went into its error mode"

_status_head: Final = (
    "session" / Int32ul * "the random number made at power-up",
    "last_event" / Int32ul * "number of the newest event",
    "uptime_ms" / Int32ul * "milliseconds since start",
)
ANSWERS: Final[dict[Kind, tuple[type[m.Message], Construct[Any, Any]]]] = {
    Kind.REPLY: (
        m.ReplyMessage,
        _payload(
            "status" / Code(Int8ul, m.Status) * "accepted, done or refused",
            "reason" / Code(Int16ul, m.Reason) * "why it was refused",
            "state" / Int8ul * "the device's state, by its class",
        ),
    ),
    Kind.PROGRESS: (
        m.ProgressMessage,
        _payload("percent" / Int8ul * "0 to 100", "state" / Int8ul * "the device's state, by its class"),
    ),
    Kind.NAK: (m.NakMessage, _payload("reason" / Code(Int16ul, m.Reason) * "why the frame is of no use")),
}
"""Kinds whose layout is the same whatever the message id, which there names the command or frame answered."""

PACKETS: Final[dict[tuple[Kind, int], tuple[type[m.Message], Construct[Any, Any]]]] = {
    (Kind.LINK, 0x0001): (
        m.HelloMessage,
        _payload(
            "lowest_major" / Int8ul * "the oldest version the host speaks",
            "lowest_minor" / Int8ul,
            "highest_major" / Int8ul * "the newest",
            "highest_minor" / Int8ul,
            "host" / _text(16) * "the program that asks",
        ),
    ),
    (Kind.LINK, 0x0002): (
        m.HelloReplyMessage,
        _payload(
            "session" / Int32ul * "random, made at power-up, never 0",
            "lowest_major" / Int8ul * "the oldest version the device speaks",
            "lowest_minor" / Int8ul,
            "highest_major" / Int8ul * "the newest",
            "highest_minor" / Int8ul,
            "device_class" / Code(Int8ul, m.DeviceClass),
            "capabilities" / Code(Int32ul, m.Capability),
            "boot_count" / Int32ul * "how often this device ever started",
            "event_depth" / Int16ul * "unacknowledged events it keeps, at least 256",
            "max_frame" / Int16ul * "longest decoded frame it takes",
            "maker" / _text(16) * "as printed on the device",
            "model" / _text(16) * "as printed on the device",
            "serial" / _text(16) * "as printed on the device",
            "firmware" / _text(16) * "its version",
            "digest" / Bytes(32) * "SHA-256 of the firmware image; zeros: not attested",
        ),
    ),
    (Kind.LINK, 0x0003): (m.HeartbeatMessage, _payload("session" / Int32ul * "the one the host is in")),
    (Kind.LINK, 0x0004): (
        m.GapMessage,
        _payload(
            "session" / Int32ul * "whose events",
            "first_missing" / Int32ul * "first event that is gone",
            "first_kept" / Int32ul * "first event that can still be read; last + 1 when none",
            "last" / Int32ul * "newest event",
        ),
    ),
    (Kind.ACK, 0x0005): (
        m.AckMessage,
        _payload("session" / Int32ul * "whose events", "up_to" / Int32ul * "every event up to this one has arrived"),
    ),
    (Kind.LINK, 0x0006): (
        m.MetersMessage,
        _payload(
            "session" / Int32ul * "the device's",
            "total" / Int16ul * "meters the device has",
            "first" / Int16ul * "as the command had it; beyond the last none follow",
            "meters"
            / PrefixedArray(
                Int8ul,
                Struct(
                    "meter" / Code(Int8ul, m.DeviceMeter), "component" / Code(Int8ul, m.Component), "count" / Int32ul
                ),
            )
            * "in an order that stays the same; a count goes from FFFFFFFFh to 0",
        ),
    ),
    (Kind.LINK, 0x0007): (
        m.MeasuredMessage,
        _payload(
            "session" / Int32ul * "the device's",
            "nonce" / Bytes(16) * "as the command had it",
            "region" / Code(Int8ul, m.Region) * "as the command had it",
            "algorithm" / Code(Int8ul, m.Algorithm),
            "digest" / Bytes(32) * "over the nonce, then the image",
        ),
    ),
    (Kind.LINK, 0x0110): (
        m.ShufflerStatusMessage,
        _payload(
            *_status_head,
            "state" / Code(Int8ul, m.ShufflerState),
            "lamps" / Code(Int8ul, m.Lamp),
            "door_open" / Int8ul * "1 when open",
            _deck_shown,
            "loaded" / Int16ul * "cards counted into that deck",
            "packets" / Int8ul * "packets dispensed this round; 0 once it is over",
            "dispensed" / Int16ul * "cards in them",
            "in_tray" / Int8ul * "cards that lie in the tray, whether of a packet or of the remainder",
            "remainder"
            / Int16ul
            * "cards of the dumped remainder, as counted; 0 before it came and once the round is over",
            "rejected" / Int8ul * "cards of that deck in the reject tray",
            "faults" / _faults * "active faults",
        ),
    ),
    (Kind.LINK, 0x0210): (
        m.ShoeStatusMessage,
        _payload(
            *_status_head,
            "state" / Code(Int8ul, m.ShoeState),
            "locked" / Int8ul * "1 when locked",
            "halted" / Int8ul * "1 in error mode",
            _shoe,
            "decks" / Int8ul * "decks it was filled with",
            "loaded" / Int16ul * "cards it was filled with",
            "drawn" / Int16ul * "cards that have left it",
            "in_round" / Int16ul * "of these, in the round being dealt",
            "cut_card_seen" / Int8ul * "1 once the cut card came out",
            "faults" / _faults * "active faults",
        ),
    ),
    (Kind.LINK, 0x0310): (
        m.ControllerStatusMessage,
        _payload(
            *_status_head,
            "state" / Code(Int8ul, m.ControllerState),
            _round,
            "sensors" / Int32ul * "bit 0: seat 1 has a progressive bet on its sensor",
            "faults" / _faults * "active faults",
        ),
    ),
    # commands to any device
    (Kind.COMMAND, 0x0020): (
        m.OpenSessionMessage,
        _payload(
            "session" / Int32ul * "as HELLO-REPLY gave it",
            "major" / Int8ul * "the version the host picked",
            "minor" / Int8ul,
            "role" / Code(Int8ul, m.Role),
        ),
    ),
    (Kind.COMMAND, 0x0021): (
        m.ReadEventsMessage,
        _payload(
            "session" / Int32ul * "the current one, or the one before", "first" / Int32ul * "number to start from"
        ),
    ),
    (Kind.COMMAND, 0x0022): (m.ReportStatusMessage, _payload()),
    (Kind.COMMAND, 0x0023): (m.SelfTestMessage, _payload()),
    (Kind.COMMAND, 0x0024): (
        m.ReadMetersMessage,
        _payload("first" / Int16ul * "index of the first one wanted, from 0"),
    ),
    (Kind.COMMAND, 0x0025): (
        m.VerifyMessage,
        _payload(
            "nonce" / Bytes(16) * "drawn at random for this command",
            "region" / Code(Int8ul, m.Region) * "what to measure; 0: the whole firmware image",
        ),
    ),
    # commands to a shuffler
    (Kind.COMMAND, 0x0120): (
        m.SelectGameMessage,
        _payload(
            "packet_size" / Int8ul * "cards of a packet; 0: as the device's own program for the game has it",
            "cards" / Int16ul * "cards of the whole deck, jokers included",
            "jokers" / Int8ul * "how many of them are jokers",
            "game" / _text(32) * "procedure id",
        ),
    ),
    (Kind.COMMAND, 0x0121): (m.DispenseMessage, _payload()),
    (Kind.COMMAND, 0x0122): (m.DumpMessage, _payload()),
    (Kind.COMMAND, 0x0123): (m.RaiseLampMessage, _payload("fault" / _fault)),
    (Kind.COMMAND, 0x0124): (
        m.ClearMisdealMessage,
        _payload("badge" / Int32ul * "who acknowledged", "resolution" / Code(Int8ul, m.Resolution)),
    ),
    (Kind.COMMAND, 0x0125): (m.SetLockMessage, _payload("locked" / Int8ul * "1 to lock, 0 to unlock")),
    # commands to a shoe
    (Kind.COMMAND, 0x0220): (m.LockShoeMessage, _payload("locked" / Int8ul * "1 to lock, 0 to unlock")),
    (Kind.COMMAND, 0x0221): (
        m.ClearShoeErrorMessage,
        _payload("fault" / _fault * "the trouble put right", "badge" / Int32ul * "who put it right"),
    ),
    (Kind.COMMAND, 0x0222): (m.EndRoundMessage, _payload()),
    # commands to a table controller
    (Kind.COMMAND, 0x0320): (m.SetSensorLightMessage, _payload(_seat, "lit" / Int8ul * "1 on, 0 off")),
    (Kind.COMMAND, 0x0321): (
        m.ShowMeterMessage,
        _payload("meter" / Int8ul * "the number the controller's set-up gave it", "cents" / Int64ul * "what it shows"),
    ),
    (Kind.COMMAND, 0x0322): (m.ShowTextMessage, _payload("text" / _text(40) * "one line for the dealer")),
    # events of any device
    (Kind.EVENT, 0x0030): (
        m.BootedMessage,
        _event(
            "boot_count" / Int32ul * "as in HELLO-REPLY",
            "previous_session" / Int32ul * "whose last whole round can still be read; 0 for none",
            "cause" / Code(Int8ul, m.BootCause),
            "mid_round" / Int8ul * "1: a round was being dealt when the power went",
        ),
    ),
    (Kind.EVENT, 0x0031): (
        m.FaultRaisedMessage,
        _event("fault" / _fault, "place" / _place, "value" / Int16ul * "what the fault counts, else 0"),
    ),
    (Kind.EVENT, 0x0032): (m.FaultClearedMessage, _event("fault" / _fault)),
    (Kind.EVENT, 0x0033): (m.DoorMovedMessage, _event("open" / Int8ul * "1 opened, 0 closed")),
    (Kind.EVENT, 0x0034): (
        m.StateChangedMessage,
        _event("state" / Int8ul * "by the device's class", "previous" / Int8ul * "the state before"),
    ),
    # events of a shuffler
    (Kind.EVENT, 0x0140): (m.GreenButtonMessage, _event()),
    (Kind.EVENT, 0x0141): (
        m.GameSelectedMessage,
        _event(
            "packet_size" / Int8ul * "cards of a packet; 0: as the device's own program for the game has it",
            "cards" / Int16ul * "cards of the whole deck, jokers included",
            "jokers" / Int8ul * "how many of them are jokers",
            "game" / _text(32) * "procedure id",
        ),
    ),
    (Kind.EVENT, 0x0142): (
        m.DeckLoadedMessage,
        _event(
            _deck,
            "back"
            / Int8ul
            * "a number for the kind of back: the two decks have different ones, one deck always the same; 0: not seen",
        ),
    ),
    (Kind.EVENT, 0x0143): (m.ShuffleStartedMessage, _event(_deck)),
    (Kind.EVENT, 0x0144): (
        m.DeckVerifiedMessage,
        _event(_deck, "expected" / Int16ul * "cards the game asks for", "counted" / Int16ul * "cards found"),
    ),
    (Kind.EVENT, 0x0145): (
        m.PacketDispensedMessage,
        _event(
            _deck,
            "ordinal" / Int8ul * "1 for the first packet of the round",
            "expected" / Int8ul * "cards the packet should have",
            "counted" / Int8ul * "cards the device counted",
            "cards" / _cards * "top card first; empty without recognition",
        ),
    ),
    (Kind.EVENT, 0x0146): (m.PacketLiftedMessage, _event("ordinal" / Int8ul * "which packet of the round")),
    (Kind.EVENT, 0x0147): (
        m.RemainderDumpedMessage,
        _event(
            _deck,
            "expected"
            / Int16ul
            * "loaded less rejected less the packets lifted, or less all packets: see Packet shuffler",
            "counted" / Int16ul * "cards the device counted",
        ),
    ),
    (Kind.EVENT, 0x0148): (m.RemainderLiftedMessage, _event(_deck)),
    (Kind.EVENT, 0x0149): (
        m.CardRejectedMessage,
        _event(_deck, "card" / Code(Int8ul, CARDS) * "none without recognition", "fault" / _fault),
    ),
    (Kind.EVENT, 0x014A): (m.RedLampMessage, _event("lit" / Int8ul * "1 lit, 0 out", "fault" / _fault)),
    (Kind.EVENT, 0x014B): (
        m.MisdealMessage,
        _event(
            _deck,
            "fault" / _fault,
            "loaded" / Int16ul * "cards counted into the deck",
            "remainder" / Int16ul * "FFFFh: not known",
            "rejected" / Int8ul * "cards in the reject tray",
            "packets"
            / PrefixedArray(Int8ul, Struct("expected" / Int8ul, "counted" / Int8ul))
            * "in the order dispensed",
        ),
    ),
    (Kind.EVENT, 0x014C): (
        m.MisdealClearedMessage,
        _event(
            "fault" / _fault,
            "badge" / Int32ul * "0: at the device's own key",
            "resolution" / Code(Int8ul, m.Resolution),
        ),
    ),
    (Kind.EVENT, 0x014D): (m.DeckRemovedMessage, _event(_deck)),
    # events of a shoe
    (Kind.EVENT, 0x0240): (
        m.ShoeLoadedMessage,
        _event(_shoe, "decks" / Int8ul * "decks put in", "cards" / Int16ul * "cards put in"),
    ),
    (Kind.EVENT, 0x0241): (m.BurnStartedMessage, _event("count" / Int8ul * "cards to burn")),
    (Kind.EVENT, 0x0242): (
        m.CardDrawnMessage,
        _event(_ordinal, _card, _dealt_to, "confidence" / Int8ul * "of the reading, 0 to 100 percent", _reader),
    ),
    (Kind.EVENT, 0x0243): (m.CardUnreadableMessage, _event(_ordinal, _dealt_to, _reader)),
    (Kind.EVENT, 0x0244): (m.CutCardSeenMessage, _event("drawn" / Int16ul * "cards that came out before it")),
    (Kind.EVENT, 0x0245): (
        m.OverdrawMessage,
        _event("ordinal" / Int16ul * "of the last card before it; 0: there was none", _halted),
    ),
    (Kind.EVENT, 0x0246): (
        m.PushedBackMessage,
        _event("ordinal" / Int16ul * "of the card that was pushed back", _halted),
    ),
    (Kind.EVENT, 0x0247): (
        m.PulledBackMessage,
        _event("ordinal" / Int16ul * "cards that have left this shoe", _halted),
    ),
    (Kind.EVENT, 0x0248): (
        m.CardDrawnOutsideMessage,
        _event(
            _ordinal, _card * "unread when it was not read", "mode" / Code(Int8ul, m.ShoeMode) * "what the shoe is in"
        ),
    ),
    (Kind.EVENT, 0x0249): (m.ShoeErrorMessage, _event("fault" / _fault, _halted)),
    (Kind.EVENT, 0x024A): (
        m.ShoeErrorClearedMessage,
        _event("fault" / _fault, "badge" / Int32ul * "0: at the device's own key"),
    ),
    (Kind.EVENT, 0x024B): (m.ShoeLockMovedMessage, _event("locked" / Int8ul * "1 locked, 0 unlocked")),
    (Kind.EVENT, 0x024C): (m.ShoeEndedMessage, _event(_shoe, "drawn" / Int16ul * "cards that have left it")),
    (Kind.EVENT, 0x024D): (m.CardReportedAgainMessage, _event(_ordinal, _card, _dealt_to)),
    # events of a table controller
    (Kind.EVENT, 0x0340): (m.GameStartedMessage, _event(_round)),
    (Kind.EVENT, 0x0341): (m.GameEndedMessage, _event(_round)),
    (Kind.EVENT, 0x0342): (m.SensorChangedMessage, _event(_seat, "on" / Int8ul * "1 bet on the sensor, 0 off")),
    (Kind.EVENT, 0x0343): (
        m.HandButtonMessage,
        _event("hand" / Int8ul * "the button's number", "on" / Int8ul * "1 on, 0 off"),
    ),
    (Kind.EVENT, 0x0344): (
        m.SpotSelectedMessage,
        _event("seat" / Int8ul * "1 at the dealer's left, clockwise; 0: the dealer"),
    ),
    (Kind.EVENT, 0x0345): (
        m.BadgeSwipedMessage,
        _event("badge" / Int32ul * "its number", "level" / Code(Int8ul, m.BadgeLevel)),
    ),
    (Kind.EVENT, 0x0346): (m.ConfirmedMessage, _event()),
    (Kind.EVENT, 0x0347): (
        m.WagerPlacedMessage,
        _event(
            _seat,
            "bet" / Int8ul * "the spot's number in the game's file",
            "cents" / Int32ul * "the whole bet on that spot, 0 takes it back",
        ),
    ),
    (Kind.EVENT, 0x0348): (m.DecisionMadeMessage, _event(_seat, "decision" / Code(Int8ul, m.Decision))),
    (Kind.EVENT, 0x0349): (
        m.BurnConfirmedMessage,
        _event(
            "place" / _place,
            "positions" / Int16ul * "bit 0: position 1",
            "spread" / Code(Int8ul, m.Spread) * "the direction positions are counted in",
        ),
    ),
    (Kind.EVENT, 0x034A): (
        m.HandRevealedMessage,
        _event(
            "place" / _place,
            "source" / Code(Int8ul, m.RevealSource),
            "cards" / _cards * "in the order they lie",
        ),
    ),
    (Kind.EVENT, 0x034B): (
        m.CardsCountedMessage,
        _event("place" / _place, "counted" / Int8ul * "cards a person counted"),
    ),
    (Kind.EVENT, 0x034C): (m.MisdealCalledMessage, _event("badge" / Int32ul * "who called it", "fault" / _fault)),
    (Kind.EVENT, 0x034D): (
        m.CardMishandledMessage,
        _event(
            "place" / _place * "where it happened",
            "how" / Code(Int8ul, m.Mishandling),
            "card" / Code(Int8ul, CARDS) * "its face when it was seen, else unread",
        ),
    ),
    (Kind.EVENT, 0x034E): (
        m.HandSetMessage,
        _event(
            "place" / _place * "whose hand it is",
            "by" / Code(Int8ul, m.SetBy) * "who set it",
            "foul" / Int8ul * "1: set against the rules, 0: not",
            "low" / Int8ul * "how many of the cards, from the first, are the low or first hand",
            "cards" / _cards * "the low or first hand, then the rest if it is known; unread where nobody saw the face",
        ),
    ),
    (Kind.EVENT, 0x034F): (
        m.CardsDiscardedMessage,
        _event("place" / _place * "from whose hand", "cards" / _cards * "unread where the face was not seen"),
    ),
    (Kind.EVENT, 0x0350): (m.NumberDrawnMessage, _event("drawn" / Int8ul * "the dice's total, or the number shown")),
    (Kind.EVENT, 0x0351): (
        m.WagerOnMessage,
        _event(
            _seat,
            "bet" / Int8ul * "the spot's number in the game's file",
            "proposition" / Int8ul * "which of the spot's propositions, by its number in the game's file",
            "on" / Int8ul * "the card, as a card code; suit 0: of any suit, rank 0: of any rank; 00h: of no card",
            "cents" / Int32ul * "the whole wager on this proposition, 0 takes it back",
        ),
    ),
    (Kind.EVENT, 0x0352): (
        m.HandCorrectedMessage,
        _event(
            "place" / _place,
            "badge" / Int32ul * "whose badge was swiped",
            "level" / Code(Int8ul, m.BadgeLevel),
            "cards" / _cards * "in the order they lie",
        ),
    ),
    (Kind.EVENT, 0x0353): (
        m.StakeShownMessage,
        _event(_seat, "cents" / Int32ul * "all that the seat can bet in this hand, 0: nobody plays there"),
    ),
    (Kind.EVENT, 0x0354): (
        m.PlayerActedMessage,
        _event(
            _seat,
            "action" / Code(Int8ul, m.PlayerAction) * "what the player did",
            "manner" / Code(Int8ul, m.ActionManner) * "how it came about, where it was not plainly made",
            "cents"
            / Int32ul
            * "all that lies before the seat in this betting round afterwards; as before it when nothing was added",
        ),
    ),
    (Kind.EVENT, 0x0355): (
        m.PotTakenMessage,
        _event(
            "pot" / Int8ul * "1: the main pot, 2: the first side pot, and so on",
            _seat,
            "cents" / Int32ul * "what the seat took of it",
        ),
    ),
}
