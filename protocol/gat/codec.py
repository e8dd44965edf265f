"""Conversion between a frame and a typed message, and to plain JSON values for a reader. Numbers are big-endian."""

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import asdict

from protocol.errors import BadReport, CannotEncode
from protocol.gat import messages as m
from protocol.gat.framing import Code, Frame, encode_frame
from protocol.message import message_name
from protocol.printable import printable

DIALECT: Final = "gat"
SHORT: Final = {
    Code.STATUS_QUERY: "SQ",
    Code.STATUS_RESPONSE: "SR",
    Code.LAST_STATUS_QUERY: "LASQ",
    Code.LAST_STATUS_RESPONSE: "LASR",
    Code.RESULTS_QUERY: "LARQ",
    Code.RESULTS_RESPONSE: "LARR",
    Code.CALCULATION_QUERY: "IACQ",
    Code.CALCULATION_RESPONSE: "IACR",
}
"""Abbreviations of the specification."""


def _from_bcd(byte: int, data: bytes) -> int:
    if byte >> 4 > 9 or byte & 0xF > 9:
        raise BadReport(DIALECT, data, f"{byte:02X}h in the version is not two decimal digits")
    return 10 * (byte >> 4) + (byte & 0xF)


def _status(data: bytes) -> m.StatusResponseMessage:
    major, minor, status, forms = data
    progress = m.Calculation(status >> 2 & 3)
    version = _from_bcd(major, data), _from_bcd(minor, data)
    return m.StatusResponseMessage(*version, bool(status & 1), bool(status & 2), progress, forms, status >> 4)


_READ: Final[dict[int, Callable[[bytes], m.GatMessage]]] = {
    Code.STATUS_QUERY: lambda _: m.StatusQueryMessage(),
    Code.STATUS_RESPONSE: _status,
    Code.LAST_STATUS_QUERY: lambda _: m.LastStatusQueryMessage(),
    Code.LAST_STATUS_RESPONSE: lambda data: m.LastStatusResponseMessage(data[0], int.from_bytes(data[1:5])),
    Code.RESULTS_QUERY: lambda data: m.ResultsQueryMessage(data[0], int.from_bytes(data[1:3])),
    Code.RESULTS_RESPONSE: lambda data: m.ResultsResponseMessage(
        bool(data[0] & 1), bool(data[0] & 2), int.from_bytes(data[1:3]), data[3:], data[0] >> 2
    ),
    Code.CALCULATION_QUERY: lambda data: m.CalculationQueryMessage(data[0], data[1:]),
    Code.CALCULATION_RESPONSE: lambda data: m.CalculationResponseMessage(
        bool(data[0] & 1), bool(data[0] & 2), bool(data[0] & 4), data[0] >> 3
    ),
}


def decode(frame: Frame) -> m.GatMessage:
    """Return the message of a frame. Raise BadReport for a version that is not decimal."""
    return _READ[frame.code](frame.data)


def _written(message: m.GatMessage) -> tuple[Code, bytes]:
    match message:
        case m.StatusQueryMessage():
            return Code.STATUS_QUERY, b""
        case m.StatusResponseMessage():
            version = (16 * (part // 10) + part % 10 for part in (message.major, message.minor))
            status = message.running | message.available << 1 | message.calculation << 2 | message.reserved << 4
            return Code.STATUS_RESPONSE, bytes((*version, status, message.forms))
        case m.LastStatusQueryMessage():
            return Code.LAST_STATUS_QUERY, b""
        case m.LastStatusResponseMessage():
            return Code.LAST_STATUS_RESPONSE, bytes((message.level,)) + message.age_s.to_bytes(4)
        case m.ResultsQueryMessage():
            return Code.RESULTS_QUERY, bytes((message.form,)) + message.number.to_bytes(2)
        case m.ResultsResponseMessage():
            status = message.error | message.last << 1 | message.reserved << 2
            return Code.RESULTS_RESPONSE, bytes((status,)) + message.number.to_bytes(2) + message.data
        case m.CalculationQueryMessage():
            return Code.CALCULATION_QUERY, bytes((message.level,)) + message.parameter
        case m.CalculationResponseMessage():
            status = message.acknowledged | message.started << 1 | message.bad_level << 2 | message.reserved << 3
            return Code.CALCULATION_RESPONSE, bytes((status,))
    raise ValueError("the protocol has no such message")


def encode(message: m.GatMessage) -> bytes:
    """Return the wire bytes of `message`. Raise CannotEncode if it does not fit."""
    try:
        return encode_frame(*_written(message))
    except (ValueError, OverflowError) as error:
        raise CannotEncode(message_name(message), str(error)) from None


def answer_code(query: m.GatMessage) -> int:
    """Return the code of the response to a query."""
    return _written(query)[0] | 0x80


def describe(frame: Frame) -> dict[str, object]:
    """Return a frame as JSON-ready values: its abbreviation, the message's name and fields."""
    head: dict[str, object] = {"kind": SHORT[Code(frame.code)]}
    try:
        message = decode(frame)
    except BadReport as error:
        return {"kind": "bad report", "why": error.why, "data": frame.data.hex()}
    fields = {name: _shown(value) for name, value in asdict(message).items()}
    return {**head, "message": message_name(message), "fields": fields}


def _shown(value: Any) -> object:
    if isinstance(value, bytes):
        return printable(value.decode("latin-1"), None)
    return value.name if isinstance(value, m.Calculation) else value
