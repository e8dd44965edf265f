"""Drive a device: `open_device` gives a handle whose methods are what a host may ask of that kind of device.

A method waits until the device has answered; `dispense` and `dump` wait until the cards lie in the tray. They raise
NoCommands (the device speaks another dialect than tdp), NotPermitted (the role does not allow it; nothing was sent),
NotUp (the line is away, or not yet up again), Refused (the device would not), NoAnswer (it said nothing; what it did is
unknown), Unfinished (it began and did not end), LineError (the line went meanwhile; what the device did is unknown).
"""

from collections.abc import Callable, Iterator
from enum import IntEnum
from functools import partial
from pathlib import Path
from secrets import token_bytes
from types import TracebackType
from typing import ClassVar, Final, Literal, Self, TypeVar, overload

from devices import events as e
from devices.clock import SystemClock
from devices.dialects.dialect import Dialect
from devices.dialects.drivers import DRIVERS
from devices.dialects.known import dialect_named
from devices.dialects.translation import Driver, TableDriver, names_of
from devices.drive.address import FORMS, line_at, recorder, short_name
from devices.drive.handle import OwnedLine
from devices.record.recording import CaptureWriter
from protocol.errors import (
    BadAnswer,
    LineUnusable,
    LocalError,
    NoCommands,
    NotOffered,
    NotUp,
    Refused,
    RemoteError,
    WrongDevice,
)
from protocol.message import message_name
from protocol.tdp import messages as m
from protocol.tdp import outputs as o
from protocol.tdp.instruments import NONCE_BYTES, MeterReading
from protocol.tdp.messages import Role

TIMEOUT_S: Final = 10.0
"""Far above what any command takes, jams included."""

B = TypeVar("B", bound=e.Body)
M = TypeVar("M", bound=m.Message)
C = TypeVar("C", bound=Callable[[e.Seen], object])


_NOT_OFFERED: Final[dict[int, str]] = {
    m.Reason.NOT_SUPPORTED: "it claims it, and refuses it as not supported",
    m.Reason.UNKNOWN_COMMAND: "it claims it, and does not know the command, which is of version 1.2",
}


class DeviceHandle:
    """An open device. `with` closes it; so does `close`.

    A line that is lost is opened again; while it is away, commands raise NotUp at once.
    """

    states: ClassVar[type[IntEnum]]
    """What its state can be."""

    def __init__(self, line: OwnedLine, dialect: str) -> None:
        self._line, self._dialect = line, dialect

    @property
    def name(self) -> str:
        """The line's name, as in `Seen.device`: its address, short."""
        return self._line.name

    @property
    def identity(self) -> e.LinkUp:
        """Maker, model, serial number and firmware as the device gave them; NotUp before it did."""
        if self._line.identity is None:
            raise NotUp("waiting to hear the device")
        return self._line.identity

    @property
    def role(self) -> Role:
        """The role that the device granted; it may be less than was asked for."""
        return self._line.role()

    @property
    def state(self) -> str:
        """The device's state by name, as it last reported it: `READY`, `PACKET_WAIT` ...; NotUp while unknown."""
        return names_of(self.states)[self._line.status().state]

    def on_event(self, callback: C) -> C:
        """Call `callback` with every event (a `Seen`) from now on.

        It is called in the device's own thread, so it should be quick, and may not call what waits for the device:
        CannotWait. What it raises does not stop the line: the next call of the program raises it.
        """
        self._line.on_event(callback)
        return callback

    def events(self, timeout_s: float | None = None) -> Iterator[e.Seen]:
        """Events since the device was opened that nobody took yet, then those that come. It ends when none came for
        `timeout_s` seconds (None: never), or when the device was closed. The last 10,000 are kept.
        """
        return self._line.events(timeout_s)

    def wait_for(self, kind: type[B], timeout_s: float | None = None) -> B:
        """The first event of this type that nobody took yet, or that comes; what lies before it counts as taken.
        NoEvent after `timeout_s` seconds, by default those of `open_device`.
        """
        return self._line.wait_for(kind, timeout_s)

    def self_test(self) -> None:
        """Have the device test itself; needs `service`. What it finds are events."""
        self._command(m.SelfTestMessage())

    def meters(self) -> tuple[MeterReading, ...]:
        """What every meter of the device shows. NotOffered, and nothing sent, by a device that does not claim to have
        any; BadAnswer when what it says of their number cannot be. What is lost on the line is asked for anew;
        Unfinished when it does not come within the handle's `timeout_s`, which each page of them has."""
        found: list[MeterReading] = []
        total = 1
        while len(found) < total:
            answer = self._brought(m.ReadMetersMessage(len(found)), m.MetersMessage, m.Capability.METERS)
            total = answer.total
            if answer.first != len(found) or (not answer.meters and total) or len(found) + len(answer.meters) > total:
                why = f"{len(answer.meters)} meters from {answer.first} of {total}, asked for those from {len(found)}"
                raise BadAnswer("ReadMeters", why)
            found += [MeterReading(*one) for one in answer.meters]
        return tuple(found)

    def verify(self, nonce: bytes | None = None, region: int = m.Region.FIRMWARE) -> m.MeasuredMessage:
        """Have the device measure its firmware with a nonce of 16 bytes, by default one drawn here; compare its
        `digest` with `protocol.tdp.instruments.measure(nonce, image)`. NotOffered, and nothing sent, by a device that
        does not claim it; BadAnswer when it answers another question; Unfinished when it does not within the handle's
        `timeout_s`. A digest that is lost on the line is asked for anew."""
        nonce = token_bytes(NONCE_BYTES) if nonce is None else nonce
        answer = self._brought(m.VerifyMessage(nonce, region), m.MeasuredMessage, m.Capability.VERIFY)
        if (answer.nonce, answer.region) != (nonce, region):
            raise BadAnswer("Verify", f"it measured region {answer.region} with nonce {answer.nonce.hex()}")
        return answer

    def _brought(self, message: m.Message, kind: type[M], needs: m.Capability) -> M:
        if self._dialect != "tdp":
            raise NoCommands(self._dialect, "the commands of this handle are of tdp")
        who = self.identity
        if not (who.meters if needs is m.Capability.METERS else who.measures):
            raise NotOffered(message_name(message), needs.name or "", "it does not claim it")
        answer = self._line.bring(message, lambda reply: self._not_offered(message, needs, reply))
        assert isinstance(answer, kind), "a link matches what it brings to the command"
        return answer

    def _not_offered(self, message: m.Message, needs: m.Capability, reply: m.ReplyMessage) -> RemoteError:
        why = _NOT_OFFERED.get(reply.reason)
        if why is None:
            return self._refused(message, reply)
        return NotOffered(message_name(message), needs.name or "", why)

    def close(self) -> None:
        """Give the line back. May be called twice."""
        self._line.close()
        self._line.raise_from_callbacks()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._line.close()
        if error is None:
            self._line.raise_from_callbacks()

    def _command(self, message: m.Message, until: type[B] | None = None) -> B | None:
        if self._dialect != "tdp":
            raise NoCommands(self._dialect, "the commands of this handle are of tdp")
        return self._line.command(message, until, lambda reply: self._refused(message, reply))

    def _bring(self, message: m.Message, until: type[B]) -> B:
        event = self._command(message, until)
        assert event is not None, "a command with an event ends with it or raises"
        return event

    def _refused(self, message: m.Message, reply: m.ReplyMessage) -> Refused:
        reason = names_of(m.Reason)[reply.reason].lower().replace("_", " ")
        return Refused(message_name(message), reason, names_of(self.states)[reply.state])


class Shuffler(DeviceHandle):
    """An open packet shuffler. All commands but `self_test` need the role `operate`."""

    states = m.ShufflerState

    @property
    def status(self) -> m.ShufflerStatusMessage:
        """Its last report of its whole state: cards loaded, dispensed, left, the lamps, the faults. NotUp while
        unknown."""
        status: m.ShufflerStatusMessage = self._line.status()
        return status

    def select_game(self, packet_size: int, cards: int = 52, jokers: int = 0, game: str = "") -> None:
        """Deal packets of `packet_size` cards from a deck of `cards`, `jokers` among them; `game` is the id of the
        procedure, which the device may show."""
        self._command(m.SelectGameMessage(packet_size, cards, jokers, game))

    def dispense(self) -> e.PacketDispensed:
        """Bring the first packet, and wait until it lies in the tray. Lifting a packet brings the next."""
        return self._bring(m.DispenseMessage(), e.PacketDispensed)

    def dump(self) -> e.RemainderDumped:
        """Bring every card that is left, and wait until they lie in the tray. A packet nobody lifted is among them."""
        return self._bring(m.DumpMessage(), e.RemainderDumped)

    def raise_lamp(self, fault: int = 0) -> None:
        """Light the red lamp for a misdeal only the host can see; `fault` is a number of `protocol.faults`."""
        self._command(m.RaiseLampMessage(fault))

    def clear_misdeal(self, badge: int, *, resume: bool) -> None:
        """The person with `badge` acknowledged the misdeal: deal on, or else take the deck out."""
        self._command(m.ClearMisdealMessage(badge, m.Resolution.RESUME if resume else m.Resolution.REMOVE_DECK))

    def lock(self, locked: bool = True) -> None:
        """Lock the device for the table, or unlock it."""
        self._command(m.SetLockMessage(int(locked)))


class Shoe(DeviceHandle):
    """An open card-reading shoe. All commands but `self_test` need the role `operate`; cards are drawn by hand."""

    states = m.ShoeState

    @property
    def status(self) -> m.ShoeStatusMessage:
        """Its last report of its whole state: cards loaded and drawn, cut card, lock, faults. NotUp while unknown."""
        status: m.ShoeStatusMessage = self._line.status()
        return status

    def lock(self, locked: bool = True) -> None:
        """Lock the shoe, or unlock it."""
        self._command(m.LockShoeMessage(int(locked)))

    def clear_error(self, fault: int, badge: int) -> None:
        """The person with `badge` put the trouble `fault` right."""
        self._command(m.ClearShoeErrorMessage(fault, badge))

    def end_round(self) -> None:
        """The round is over: stand by for the next."""
        self._command(m.EndRoundMessage())


class TableController(DeviceHandle):
    """An open table controller. All commands but `self_test` need the role `operate`; keys are pressed by people."""

    states = m.ControllerState

    @property
    def status(self) -> m.ControllerStatusMessage:
        """Its last report of its whole state: the round, the bet sensors, the faults. NotUp while unknown."""
        status: m.ControllerStatusMessage = self._line.status()
        return status

    def sensor_light(self, seat: int, lit: bool) -> None:
        """Light or darken the bet sensor of a seat, 1 at the dealer's left."""
        self._command(m.SetSensorLightMessage(seat, int(lit)))

    def show_meter(self, meter: int, cents: int) -> None:
        """Show a progressive meter."""
        self._command(m.ShowMeterMessage(meter, cents))

    def show_text(self, text: str) -> None:
        """Show the dealer a line of text."""
        self._command(m.ShowTextMessage(text))


HANDLES: Final[dict[str, type[Shuffler] | type[Shoe] | type[TableController]]] = {
    "shuffler": Shuffler,
    "shoe": Shoe,
    "table-controller": TableController,
}


class AnyDriver:
    """Driver of whatever device answers: which kind it is, its greeting says, and of that kind it stays."""

    def __init__(self) -> None:
        self.kind = ""
        self._driver: Driver = TableDriver()

    def translate(self, output: o.Output) -> e.Body | None:
        """What `output` means at the table; WrongDevice for a device of no known kind, or of another than before."""
        if isinstance(output, o.Up):
            found = next((k for k in DRIVERS.values() if k.device_class == output.hello.device_class), None)
            if found is None or self.kind not in ("", found.name):
                name = found.name if found else f"device of class 0x{output.hello.device_class:02X}"
                raise WrongDevice(self.kind or ", ".join(DRIVERS), name)
            if not self.kind:
                self.kind, self._driver = found.name, found.make()
        if not self.kind and isinstance(output, o.Delivered):
            return None  # its greeting was lost on the line: what it did before it is known is the past
        return self._driver.translate(output)


RoleName = Literal["observe", "operate", "service"]
AnyHandle = Shuffler | Shoe | TableController


@overload
def open_device(
    address: str,
    *,
    device: Literal["shuffler"],
    role: Role | RoleName = ...,
    timeout_s: float = ...,
    record: str | Path | None = ...,
) -> Shuffler: ...
@overload
def open_device(
    address: str,
    *,
    device: Literal["shoe"],
    role: Role | RoleName = ...,
    dialect: str = ...,
    timeout_s: float = ...,
    record: str | Path | None = ...,
) -> Shoe: ...
@overload
def open_device(
    address: str,
    *,
    device: Literal["table-controller"],
    role: Role | RoleName = ...,
    timeout_s: float = ...,
    record: str | Path | None = ...,
) -> TableController: ...
@overload
def open_device(
    address: str,
    *,
    device: None = ...,
    role: Role | RoleName = ...,
    dialect: str = ...,
    timeout_s: float = ...,
    record: str | Path | None = ...,
) -> AnyHandle: ...
def open_device(
    address: str,
    *,
    device: str | None = None,
    role: Role | RoleName = Role.OBSERVE,
    dialect: str = "tdp",
    timeout_s: float = TIMEOUT_S,
    record: str | Path | None = None,
) -> AnyHandle:
    """Open the device at `address` and wait until its state is known.

    `address` is what `dealwire` takes everywhere: `/dev/ttyUSB0`, `serial-id:SERIAL`, `usb:VID:PID`, `tcp://host:port`
    ... or `sim:shuffler?seed=1`, `sim:shoe`, `sim:table-controller`. `device` is the kind that must be there; without
    it, the device says. `role`: `observe` only listens, `operate` commands, `service` tests, too. `timeout_s` bounds
    every wait, in seconds. `record` is a new capture file for every byte; it needs `device`.

    LineError when the line cannot be opened; NoAnswer when nobody answers; WrongDevice when another kind of device is
    there.
    """
    if not isinstance(address, str):
        raise LineUnusable(repr(address)[:40], f"an address is a text; write one of: {', '.join(FORMS)}")
    spoken, wants = dialect_named(dialect), _role(role)
    if address.startswith("sim:") and dialect != "tdp":
        raise LineUnusable(address, f"it speaks tdp; for a simulated shoe of {dialect}: dealwire sim --shoe-dialect")
    if address.startswith("replay:"):
        raise LineUnusable(address, "a recording is no device; dealwire.replay deals it again")
    kinds = tuple(spoken.drivers)
    kind = device or (kinds[0] if len(kinds) == 1 else "")
    chooses = not kind and dialect == "tdp" and record is None
    driver = AnyDriver() if chooses else spoken.driver(kind, where="open_device(device=...)")
    line = _own(address, spoken, kind, driver, wants, timeout_s, record)
    try:
        line.wait_known()
    except BaseException:
        line.close()
        raise
    return HANDLES[driver.kind if isinstance(driver, AnyDriver) else kind](line, dialect)


def _own(
    address: str,
    spoken: Dialect,
    kind: str,
    driver: Driver,
    role: Role,
    timeout_s: float,
    record: str | Path | None,
) -> OwnedLine:
    """Open the line, begin its recording if there is one, and give both to a thread."""
    clock, name, writer = SystemClock(), short_name(address), None
    opener = line_at(address, clock, baud=spoken.baud)
    transport = opener.open()
    try:
        if record is not None:
            writer = CaptureWriter(record)
            names = {"device": kind, "dialect": spoken.name, "address": address}
            wrap = recorder(writer, name, **names, baud=spoken.baud, clock=clock)
            opener, transport = opener.wrapped(wrap), wrap(transport)
        make_link = partial(spoken.make_link, kind, role, False)
        return OwnedLine(
            name, opener, transport, make_link, driver, clock, role=role, timeout_s=timeout_s, writer=writer
        )
    except BaseException:
        transport.close()
        if writer is not None:
            writer.close()
        raise


def _role(role: Role | str) -> Role:
    if isinstance(role, Role):
        return role
    try:
        return Role[role.upper()]
    except KeyError:
        raise LocalError(f"role {role!r}; allowed: {', '.join(known.name.lower() for known in Role)}") from None
