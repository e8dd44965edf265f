"""Bee-Tek style shoe: its items as events. It accepts no commands."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from devices import events as e
from devices.dialects.dialect import Dialect
from devices.dialects.translation import UnnumberedDriver
from protocol.bee_tek import messages as m
from protocol.bee_tek.codec import describe
from protocol.bee_tek.framing import Framer
from protocol.bee_tek.link import HostLink
from protocol.faults import Fault

FAULTS: Final[Mapping[str, Fault]] = {"E3": Fault.CARD_UNREADABLE}
"""Alarm codes with a known meaning. Any other alarm keeps its text."""


def _where(mode: str) -> str | None:
    """Return the destination of a card by the shoe's mode. Besides a game, only burning is known to release cards."""
    if mode.lower() == m.BURN.lower():
        return "burn"
    return None if mode.lower() == m.GAME.lower() else mode


def _alarm(alarm: m.AlarmMessage) -> e.Body:
    fault = FAULTS.get(alarm.code, Fault.NONE)
    return e.ShoeError(fault, False, f"{alarm.code} {alarm.words}".strip())


EVENTS: Final[Mapping[type[m.Message], Callable[[Any], e.Body]]] = {
    m.CardDrawnMessage: lambda item: e.CardDrawn(None, item.card, _where(item.mode)),
    m.CardNotReadMessage: lambda item: e.CardUnread(None, _where(item.mode)),
    m.AlarmMessage: _alarm,
    m.WarnedMessage: lambda item: e.UnknownReported(f"warning 0x{item.code:02X}"),
    m.UnknownItemMessage: lambda item: e.UnknownReported(f"[{item.mode}]<{item.item}>"),
}


class BeeTekShoe(UnnumberedDriver):
    """Driver of the shoe."""

    events = EVENTS
    model = "Bee-Tek style shoe"


DIALECT: Final = Dialect(
    name="bee-tek",
    about="Bee-Tek style shoe, from public code; never met on hardware",
    baud=9600,
    drivers={"shoe": BeeTekShoe},
    make_link=lambda _kind, _role, _listen: HostLink(),
    make_framer=Framer,
    explain=describe,
    says_who=False,
)
