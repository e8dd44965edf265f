"""Conversion between a frame and a typed message, and to plain JSON values for a reader."""

from collections.abc import Callable
from enum import IntEnum
from typing import Any, Final

from msgspec.structs import asdict

from protocol.angel_eye import messages as m
from protocol.angel_eye.framing import Frame, NakReason, Start, encode_frame
from protocol.cards import DECK, NONE, UNREAD, Card
from protocol.errors import BadReport, CannotEncode
from protocol.message import message_name

DIALECT: Final = "angel-eye"

SUITS: Final = {1: "D", 2: "C", 3: "S", 4: "H"}
"""Suits by their numbers on the wire."""
_BYTES: Final = {card: number << 4 | (card.rank or 0) for number, suit in SUITS.items() for card in DECK
                 if card.suit == suit}  # fmt: skip
_CARDS: Final = {code: card for card, code in _BYTES.items()}


class _Wrong(ValueError):
    """Data that its report letter does not allow."""


def _binary(data: bytes, size: int) -> tuple[int, ...]:
    """Return `size` binary bytes without their top bit. Raise _Wrong for another length or a clear top bit."""
    if len(data) != size:
        raise _Wrong(f"{len(data)} data bytes instead of {size}")
    if not all(byte & 0x80 for byte in data):
        raise _Wrong("a binary byte without its top bit")
    return tuple(byte & 0x7F for byte in data)


def _card(code: int) -> Card:
    """Return the card with this code: NONE for 0, UNREAD if only its suit or only its rank is set."""
    card = _CARDS.get(code)
    if card is not None:
        return card
    if code >> 4 > 4 or code & 0x0F > 13:
        raise _Wrong(f"no such card: suit {code >> 4}, rank {code & 0x0F}")
    return UNREAD if code else NONE


def _three(data: bytes) -> tuple[int, int, Card]:
    place, card = _binary(data, 2)
    return place >> 4, place & 0x0F, _card(card)


def _result(data: bytes) -> m.GameResultMessage:
    (byte,) = _binary(data, 1)
    return m.GameResultMessage(byte >> 4, bool(byte & 1), bool(byte & 2))


def _error(data: bytes) -> m.ErrorRaisedMessage:
    (byte,) = _binary(data, 1)
    return m.ErrorRaisedMessage(bool(byte & 0x40), byte & 0x3F)


def _setting(data: bytes) -> m.SettingChangedMessage:
    if len(data) != 6 or not all(0x20 <= byte < 0x7F for byte in data):
        raise _Wrong("it needs six printable characters")
    return m.SettingChangedMessage(data[:2].decode(), data[2:].decode())


def _bare(cls: type[m.Message]) -> Callable[[bytes], m.Message]:
    def read(data: bytes) -> m.Message:
        _binary(data, 0)
        return cls()

    return read


_READERS: Final[dict[int, Callable[[bytes], m.Message]]] = {
    ord("S"): _bare(m.StartedMessage),
    ord("P"): _bare(m.StandingByMessage),
    ord("D"): lambda data: m.CardDrawnMessage(*_three(data)),
    ord("R"): lambda data: m.CardReportedAgainMessage(*_three(data)),
    ord("d"): lambda data: m.CardDrawnOutsideMessage(*_three(data)),
    ord("C"): _bare(m.CutCardDrawnMessage),
    ord("G"): _result,
    ord("E"): _error,
    ord("e"): lambda data: m.ErrorClearedMessage(_binary(data, 1)[0] & 0x3F),
    ord("L"): lambda data: m.LockMovedMessage(bool(_binary(data, 1)[0] & 1)),
    ord("M"): _setting,
}


def decode(frame: Frame) -> m.Message:
    """Return the message in a frame. An unknown letter yields `UnknownReport`.

    Raise BadReport if the data does not fit its letter, or if a command is unknown.
    """
    if frame.start is Start.ACK:
        return m.AcknowledgedMessage()
    if frame.start is Start.NAK:
        return m.RejectedMessage(frame.body[0])
    if frame.start is Start.COMMAND:
        return _decode_command(frame.body)
    letter, data = frame.body[1], frame.body[2:]
    read = _READERS.get(letter)
    try:
        return m.UnknownReportMessage(chr(letter), data) if read is None else read(data)
    except _Wrong as error:
        raise BadReport(DIALECT, frame.body, f"report {chr(letter)}: {error}") from None


def _decode_command(body: bytes) -> m.Message:
    if len(body) == 6 and body[:2] == b"OP" and body[4:].isdigit():
        kind, number = body[2:4], int(body[4:])
        if kind == b"LK" and number in (1, 2):
            return m.LockMessage(number == 2)
        if kind == b"EC":
            return m.ClearErrorMessage(number)
        if kind == b"GP" and number == 0:
            return m.AskGameMessage()
        raise BadReport(DIALECT, body, "an unknown operation")
    if all(0x20 <= byte < 0x7F for byte in body):
        return m.TextMessage(body.decode())
    raise BadReport(DIALECT, body, "an answer that is not text")


def encode(message: m.Message, sequence: int = 0x30) -> bytes:
    """Return the wire bytes of `message`. A report carries `sequence`. Raise CannotEncode if a value does not fit."""
    name = message_name(message)
    match message:
        case m.AcknowledgedMessage():
            return encode_frame(Start.ACK, b"")
        case m.RejectedMessage(reason):
            return encode_frame(Start.NAK, bytes([reason]))
        case m.LockMessage(locked):
            return encode_frame(Start.COMMAND, b"OPLK" + (b"02" if locked else b"01"))
        case m.ClearErrorMessage(trouble):
            return encode_frame(Start.COMMAND, b"OPEC%02d" % _within(name, trouble, 99))
        case m.AskGameMessage():
            return encode_frame(Start.COMMAND, b"OPGP00")
        case m.TextMessage(text):
            return encode_frame(Start.COMMAND, _text(name, text))
    if sequence not in range(0x20, 0x7F):
        raise CannotEncode(name, f"sequence {sequence} is not a printable character")
    return encode_frame(Start.REPORT, bytes([sequence]) + _report(name, message))


def _report(name: str, message: m.Message) -> bytes:
    """Return letter and data of a report."""
    match message:
        case m.StartedMessage():
            return b"S"
        case m.StandingByMessage():
            return b"P"
        case m.CutCardDrawnMessage():
            return b"C"
        case m.CardDrawnMessage(place, ordinal, card):
            return b"D" + _pack_card(name, place, ordinal, card)
        case m.CardReportedAgainMessage(place, ordinal, card):
            return b"R" + _pack_card(name, place, ordinal, card)
        case m.CardDrawnOutsideMessage(mode, ordinal, card):
            return b"d" + _pack_card(name, mode, ordinal, card)
        case m.GameResultMessage(winner, player_pair, banker_pair):
            return bytes([0x47, 0x80 | _within(name, winner, 7) << 4 | player_pair | banker_pair << 1])
        case m.ErrorRaisedMessage(error_mode, trouble):
            return bytes([0x45, 0x80 | error_mode << 6 | _within(name, trouble, 0x3F)])
        case m.ErrorClearedMessage(trouble):
            return bytes([0x65, 0x80 | _within(name, trouble, 0x3F)])
        case m.LockMovedMessage(locked):
            return bytes([0x4C, 0x80 | locked])
        case m.SettingChangedMessage(address, value):
            if len(address) != 2 or len(value) != 4:
                raise CannotEncode(name, "an address has two characters, a value four")
            return b"M" + _text(name, address + value)
        case m.UnknownReportMessage(letter, data):
            return _text(name, letter) + data
    raise CannotEncode(name, "the dialect has no such message")


def _pack_card(name: str, place: int, ordinal: int, card: Card) -> bytes:
    code = 0 if card in (NONE, UNREAD) else _BYTES.get(card)
    if code is None:
        raise CannotEncode(name, f"the dialect has no code for the card {card}")
    return bytes([0x80 | _within(name, place, 7) << 4 | _within(name, ordinal, 15), 0x80 | code])


def _text(name: str, text: str) -> bytes:
    if not (text.isascii() and text.isprintable()):
        raise CannotEncode(name, f"{text!r} is not printable ASCII")
    return text.encode("ascii")


def _within(name: str, value: int, most: int) -> int:
    if not 0 <= value <= most:
        raise CannotEncode(name, f"{value} is not within 0 to {most}")
    return value


_NAMES: Final[dict[tuple[type[m.Message], str], type[IntEnum]]] = {
    (m.CardDrawnMessage, "destination"): m.Destination,
    (m.CardReportedAgainMessage, "destination"): m.Destination,
    (m.CardDrawnOutsideMessage, "mode"): m.Mode,
    (m.GameResultMessage, "winner"): m.Winner,
    (m.ErrorRaisedMessage, "trouble"): m.Trouble,
    (m.ErrorClearedMessage, "trouble"): m.Trouble,
    (m.RejectedMessage, "reason"): NakReason,
}


def describe(frame: Frame) -> dict[str, object]:
    """Return a frame as JSON-ready values: its kind, its sequence, the message's name and fields, known numbers by
    name."""
    head: dict[str, object] = {"kind": frame.start.name}
    if frame.start is Start.REPORT:
        head["sequence"] = chr(frame.body[0])
    try:
        message = decode(frame)
    except BadReport as error:
        return {**head, "kind": "bad report", "why": error.why, "data": frame.body.hex()}
    shown = {name: _show(type(message), name, value) for name, value in asdict(message).items()}
    return {**head, "message": message_name(message), "fields": shown}


def _show(cls: type[m.Message], name: str, value: Any) -> object:
    if isinstance(value, Card):
        return value.text
    if isinstance(value, bytes):
        return value.hex()
    names = _NAMES.get((cls, name))
    return names(value).name if names and value in names._value2member_map_ else value
