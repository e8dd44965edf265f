"""A device that lies: a simulated device whose whole output passes through a `DeviceLie`.

A lie is written from docs/protocol.md and the simulated devices alone, without a look at the checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Literal

from msgspec.structs import replace

from devices.simulator.device_model import EventDraft, Outgoing
from devices.simulator.unit import Unit
from protocol.tdp import codec
from protocol.tdp import messages as m
from protocol.tdp.framing import Frame, Framer, encode_frame
from protocol.tdp.instruments import MeterReading
from protocol.tdp.messages import Message

Device = Literal["shuffler", "table-controller", "shoe"]

HONESTY = "no sentence: honesty"
"""Value of `breaks` for a lie that no sentence of the page forbids."""


class DeviceLie:
    """One lie: a device that differs from an honest one in one way.

    - `does`: the behavior of the device.
    - `breaks`: the sentence of the protocol's page that it breaks.
    - `harm`: the consequence at a table.

    Every way out of the device is a method that passes on an honest device's output. `attach` may change the model,
    too.
    """

    id: ClassVar[str] = ""
    device: ClassVar[Device]
    does: ClassVar[str]
    breaks: ClassVar[str]
    harm: ClassVar[str]
    bench: ClassVar[tuple[str, ...]] = ()
    """Checks of the acceptance plan that name it."""
    whole: ClassVar[bool] = False
    """True if it has its occasion only in a run of the whole plan."""
    flow: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Evenings at a table, and the incident that names it in each."""
    held: ClassVar[str] = ""
    """The evening in which its settlements are held, for a reason that names it."""
    gap: ClassVar[str] = ""
    """Sign by which a host could see the lie, where nothing in the product looks for it."""
    unseeable: ClassVar[str] = ""
    """Reason that no host can see it."""
    recognition: ClassVar[bool] = False
    """True if the device must read faces to tell this lie."""
    evenings: ClassVar[tuple[str, ...]] = ()
    """Evenings at a table through which it is played in addition to the usual ones."""

    unit: Unit
    model: Any
    lied = 0
    """Number of times that it differed from an honest device; a lie that had no occasion proves nothing."""

    def attach(self, unit: Unit) -> None:
        """Put the lie between the device and its line, before the power is on."""
        self.unit, self.model = unit, unit.model
        self._reframe = type(self).frame is not DeviceLie.frame or type(self).frames is not DeviceLie.frames
        _instead(unit, "settle", self._settle)
        _instead(unit, "take_output", self._take_output)
        _instead(unit, "power_on", self._power_on)
        _instead(unit, "power_off", self._power_off)
        _instead(self.model, "status", self._status)
        _instead(unit, "_hello", lambda honest: self.hello(honest()))
        _instead(unit, "_answer", self._obey)
        _instead(self.model.device_meters, "readings", lambda honest, now_ns: self.meters(honest(now_ns)))
        self.begin()

    # -------------------------------------------------------------- output

    def begin(self) -> None:
        """Make any other change to the device, which is ready and without power."""

    def event(self, said: EventDraft) -> Iterable[EventDraft] | None:
        """Return the events to send in place of one that the device is about to report; None for the same."""

    def said(self, says: list[Outgoing]) -> list[Outgoing]:
        """Return the events to send in place of all that the device reports at one moment."""
        found: list[Outgoing] = []
        for each in says:
            instead = self.event(each) if isinstance(each, EventDraft) else None
            self.lied += instead is not None and instead != [each]
            found += [each] if instead is None else instead
        return found

    def status(self, shown: Any) -> Any:
        """Return STATUS as the device reports it."""
        return shown

    def hello(self, reply: m.HelloReplyMessage) -> m.HelloReplyMessage:
        """Return the device's description of itself."""
        return reply

    def answer(self, honest: Callable[..., m.ReplyMessage], request: int, command: Message, now_ns: int) -> Any:
        """Return the reply to a command that the link does not answer itself."""
        return honest(request, command, now_ns)

    def meters(self, shown: tuple[MeterReading, ...]) -> tuple[MeterReading, ...]:
        """Return the meters as the device shows them."""
        return shown

    def powering_on(self, now_ns: int) -> None:
        """React to the return of power, before the device starts."""

    def powered_on(self, now_ns: int) -> None:
        """React to the return of power, after the device has started."""

    def powering_off(self) -> None:
        """React to the power that is about to go."""

    def frame(self, message: Message, envelope: codec.Envelope) -> Message | None:
        """Return the message to send in place of one that is about to go out; None to drop it."""
        return message

    def frames(self, out: list[codec.Envelope]) -> list[codec.Envelope]:
        """Return the frames to send in place of all that go out at one moment."""
        return out

    # -------------------------------------------------------------- wrappers

    def _settle(self, honest: Callable[[int], None], now_ns: int) -> None:
        if self.model.outbox:
            self.model.outbox[:] = self.said(self.model.outbox[:])
        honest(now_ns)

    def _status(self, honest: Callable[..., Message], session: int, last_event: int, uptime_ms: int) -> Message:
        shown = honest(session, last_event, uptime_ms)
        found: Message = self.status(shown)
        self.lied += found != shown
        return found

    def _obey(self, honest: Callable[..., m.ReplyMessage], request: int, command: Message, now_ns: int) -> Any:
        return self.answer(honest, request, command, now_ns)

    def _power_on(self, honest: Callable[[int], None], now_ns: int) -> None:
        self._sequence = 0
        self.powering_on(now_ns)
        honest(now_ns)
        self.powered_on(now_ns)

    def _power_off(self, honest: Callable[[], None]) -> None:
        self.powering_off()
        honest()

    def _take_output(self, honest: Callable[[], list[bytes]]) -> list[bytes]:
        out = honest()
        if not self._reframe or not out:
            return out
        envelopes = [
            codec.read(piece.body) for data in out for piece in Framer().feed(data) if isinstance(piece, Frame)
        ]
        opened = [data.startswith(b"\0") for data in out]
        made = []
        for number, envelope in enumerate(self.frames(envelopes)):
            message = self.frame(envelope.message, envelope)
            self.lied += message != envelope.message
            if message is not None:
                after_silence = opened[min(number, len(opened) - 1)]
                made.append(encode_frame(_again(message, envelope, self._sequence), after_silence=after_silence))
                self._sequence += 1
        return made


def _again(message: Message, envelope: codec.Envelope, sequence: int) -> bytes:
    answers = isinstance(message, m.ReplyMessage | m.ProgressMessage | m.NakMessage)
    return codec.encode(
        message,
        link_sequence=sequence,
        request=envelope.request,
        flags=envelope.flags,
        message_id=envelope.message_id if answers else None,
        extensions=envelope.extensions,
    )


def _instead(owner: Any, name: str, made: Callable[..., Any]) -> None:
    """Replace a method by `made`, which gets the honest one first."""
    honest = getattr(owner, name)
    setattr(owner, name, lambda *args, **more: made(honest, *args, **more))


def instead(owner: Any, name: str, made: Callable[..., Any]) -> None:
    """Replace `owner.name(*args)` by `made(honest, *args)`, for the modules of lies."""
    _instead(owner, name, made)


def but(said: EventDraft, **fields: Any) -> list[EventDraft]:
    """Return the event with other fields."""
    return [EventDraft(said.event, said.request, said.fields | fields)]


def without(*_: Any) -> list[EventDraft]:
    """Return no event."""
    return []


def also(said: EventDraft, event: type[m.Event], **fields: Any) -> list[EventDraft]:
    """Return the event, and another after it."""
    return [said, EventDraft(event, 0, fields)]


__all__ = ["HONESTY", "Device", "DeviceLie", "EventDraft", "also", "but", "instead", "replace", "without"]
