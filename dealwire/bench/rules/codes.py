"""Rules that hold what a device says against the declarations: codes and named values that exist, and
events of hands that no command caused."""

from collections.abc import Iterable
from enum import IntFlag
from typing import Any, Final

from dealwire.bench.record import HeardFrame
from dealwire.bench.rules.rule import BenchRule, Known, name_of
from protocol.cards import CARDS as CARD_CODES
from protocol.faults import Fault
from protocol.places import PLACES as PLACE_CODES
from protocol.tdp import messages as m
from protocol.tdp.derive import Field, fields_of
from protocol.tdp.messages import Capability, Event
from protocol.tdp.packets import ANSWERS, CARDS, MINOR, PACKETS, PLACES, VERSION

_OWN: Final = range(0x80, 0x100)
"""Meters, components, regions and algorithms of a maker's own."""
_OWN_BITS: Final = 0xFF00_0000
"""Capabilities of a maker's own."""
_WITH_OWN: Final = (m.DeviceMeter, m.Component, m.Region, m.Algorithm)
_ANY_NUMBER: Final = (Fault, m.Decision)
"""Numbers that a maker or a game's file may give."""

_PACKETS: Final = (*PACKETS.values(), *ANSWERS.values())
_FIELDS: Final[dict[type[m.Message], tuple[Field, ...]]] = {cls: fields_of(packet) for cls, packet in _PACKETS}
_BY_HANDS: Final[tuple[type[Event], ...]] = (
    m.BootedMessage,
    m.GreenButtonMessage,
    m.DeckLoadedMessage,
    m.DoorMovedMessage,
    m.ShoeLoadedMessage,
    m.BurnStartedMessage,
    m.CardDrawnMessage,
    m.CardUnreadableMessage,
    m.CutCardSeenMessage,
    m.OverdrawMessage,
    m.PushedBackMessage,
    m.PulledBackMessage,
    m.CardDrawnOutsideMessage,
    m.ShoeErrorMessage,
    m.CardReportedAgainMessage,
    *(cls for (_, number), (cls, _) in PACKETS.items() if number >> 8 == 0x03 and issubclass(cls, Event)),
)
"""Events that no command of a host causes."""


class _Codes(BenchRule, name="codes"):
    """Every card code, place code and named value is one that the page has. Of a device that speaks a later version
    nothing is judged: it may have more."""

    def hear(self, heard: HeardFrame, known: Known) -> None:
        hello = heard.message if isinstance(heard.message, m.HelloReplyMessage) else known.hello
        if hello is None or (hello.highest_major, hello.highest_minor) > (VERSION, MINOR):
            return
        for field, names, value in _coded(heard.message):
            exists = _exists(names, value)
            self.judge(exists, "" if exists else _says(heard, field, names, value))
        message = heard.message
        if isinstance(message, m.HandSetMessage):
            words = f"HandSet: the first {message.low} of {len(message.cards)} cards"
            self.judge(message.low <= len(message.cards), words)


def _coded(message: m.Message) -> Iterable[tuple[str, Any, int]]:
    """Each named value in a message, with what names it."""
    for field in _FIELDS.get(type(message), ()):
        value = getattr(message, field.name)
        if field.parts:
            for row in value:
                yield from ((part.name, part.names, one) for part, one in zip(field.parts, row, strict=True))
        else:
            many = isinstance(value, tuple | bytes)
            yield from ((field.name, field.names, one) for one in (value if many else (value,)))


def _exists(names: Any, value: int) -> bool:
    if names is None or names in _ANY_NUMBER:
        return True
    if names == CARDS:
        return not CARD_CODES[value].text.startswith("0x")
    if names == PLACES:
        return not PLACE_CODES[value].text.startswith("0x")
    if issubclass(names, IntFlag):
        allowed = sum(names) | (_OWN_BITS if names is Capability else 0)
        return not value & ~allowed
    return value in names._value2member_map_ or (names in _WITH_OWN and value in _OWN)


def _says(heard: HeardFrame, field: str, names: Any, value: int) -> str:
    """The code itself is no face: no card has it."""
    kinds = {CARDS: "card code", PLACES: "place code"}
    kind = kinds.get(names) if isinstance(names, str) else getattr(names, "__name__", "")
    return f"{name_of(heard)}: {field} is {value:02X}h, which is no {kind}"


class _ByHands(BenchRule, name="request-of-hands"):
    """What hands cause carries no command's request id."""

    def hear(self, heard: HeardFrame, known: Known) -> None:
        if isinstance(heard.message, _BY_HANDS):
            request = heard.envelope.request
            self.judge(not request, f"{name_of(heard)} carries request {request}; no command causes it")
