"""Conversion between an item and a typed message, and to plain JSON values for a reader. Reading ignores case."""

import re
from typing import Final

from msgspec.structs import asdict

from protocol.bee_tek import messages as m
from protocol.bee_tek.framing import ITEM_MAX, MODE_MAX, Frame, encode_frame
from protocol.cards import Card, parse_card
from protocol.errors import BadReport, CannotEncode
from protocol.message import message_name

DIALECT: Final = "bee-tek"

_CARD: Final = re.compile(r"(10|[2-9TJQKA])([CDHS])", re.IGNORECASE)
_ALARM: Final = re.compile(r"(?:([A-Z]\d{1,3})\b)? *(.*)", re.IGNORECASE)
_WARNING: Final = re.compile(r"W0x([0-9A-F]{1,8})", re.IGNORECASE)


def decode(frame: Frame) -> m.Message:
    """Return the message of an item. An unknown item yields `UnknownItem`.

    Raise BadReport for an item that names an impossible card, or that lacks its mode because its head was lost.
    """
    mode, item = frame.mode, frame.item
    warning = _WARNING.fullmatch(item)
    if warning is not None:
        return m.WarnedMessage(mode, int(warning[1], 16))
    if not mode:
        raise BadReport(DIALECT, item.encode("ascii"), "an item without its mode")
    word, colon, rest = item.partition(":")
    if colon and word.lower() == "alarm":
        alarm = _ALARM.fullmatch(rest)
        assert alarm is not None  # every part of the pattern may be empty, and a frame contains no line end
        return m.AlarmMessage(mode, (alarm[1] or "").upper(), alarm[2])
    if colon and word.lower() == "card":
        return m.CardDrawnMessage(mode, _card(item, rest)) if rest.strip() else m.CardNotReadMessage(mode)
    if not item.strip() or item.lower() == "game":
        return m.CardNotReadMessage(mode)
    return m.UnknownItemMessage(mode, item)


def _card(item: str, text: str) -> Card:
    found = _CARD.fullmatch(text.strip())
    if found is None:
        raise BadReport(DIALECT, item.encode("ascii"), f"no such card: {text!r}")
    rank = "T" if found[1] == "10" else found[1].upper()
    return parse_card(rank + found[2].upper())


def encode(message: m.Message) -> bytes:
    """Return the wire bytes of `message`. Raise CannotEncode if it does not fit."""
    name = message_name(message)
    match message:
        case m.CardDrawnMessage(_, card):
            if not card.is_playing:
                raise CannotEncode(name, f"the dialect has no text for the card {card}")
            item = f"Card:{card.text}"
        case m.CardNotReadMessage():
            item = "Game"
        case m.AlarmMessage(_, code, words):
            item = f"Alarm:{code} {words}"
        case m.WarnedMessage(_, warning):
            item = f"W0x{warning:02X}"
        case m.UnknownItemMessage(_, item):
            pass
        case _:
            raise CannotEncode(name, "the dialect has no such message")
    for part, most in ((message.mode, MODE_MAX), (item, ITEM_MAX)):
        if len(part) > most or not part.isascii() or not part.isprintable() or set(part) & set("[]<>"):
            raise CannotEncode(name, f"{part!r} must be at most {most} printable characters without brackets")
    return encode_frame(message.mode, item)


def describe(frame: Frame) -> dict[str, object]:
    """Return an item as JSON-ready values: its mode, the message's name and fields."""
    head: dict[str, object] = {"kind": "ITEM", "mode": frame.mode}
    try:
        message = decode(frame)
    except BadReport as error:
        return {**head, "kind": "bad report", "why": error.why, "data": frame.item}
    shown = {
        name: value.text if isinstance(value, Card) else value
        for name, value in asdict(message).items()
        if name != "mode"
    }
    return {**head, "message": message_name(message), "fields": shown}
