"""Control of a device: `open_device` returns a handle with a method for each command of that kind of device.

A method waits until the device has answered; `dispense` and `dump` wait until the cards are in the tray. They raise:

- NoCommands: the device uses a dialect other than tdp
- NotPermitted: the role does not allow the command; nothing was sent
- NotUp: the line is away, or not up again yet
- Refused: the device refused
- NoAnswer: the device did not answer; whether it carried out the command is unknown
- Unfinished: the device started and did not finish
- LineError: the line was lost meanwhile; what the device did is unknown
"""

from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from functools import partial
from pathlib import Path
from secrets import token_bytes
from types import TracebackType
from typing import ClassVar, Final, Literal, Self, TypeVar, overload

from devices import events as e
from devices.attestation import Evidence, FirmwareProof, Maker, check
from devices.clock import Clock, SystemClock
from devices.dialects.dialect import Dialect
from devices.dialects.drivers import DRIVERS
from devices.dialects.known import dialect_named
from devices.dialects.translation import Driver, TableDriver, names_of
from devices.drive.address import FORMS, line_at, recorder, short_name
from devices.drive.handle import OwnedLine
from devices.record.recording import CaptureWriter
from devices.transport.base import Transport
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
from protocol.tdp.host_link import HostLink
from protocol.tdp.instruments import NONCE_BYTES, MeterReading
from protocol.tdp.messages import Role

TIMEOUT_S: Final = 10.0
"""Default timeout in seconds, far above the duration of any command, jams included."""

B = TypeVar("B", bound=e.Body)
M = TypeVar("M", bound=m.Message)
C = TypeVar("C", bound=Callable[[e.Seen], object])


_NOT_OFFERED: Final[dict[int, str]] = {
    m.Reason.NOT_SUPPORTED: "it claims it, but refuses it as not supported",
    m.Reason.UNKNOWN_COMMAND: "it claims it, but does not know the command, which is from version 1.2",
}


class DeviceHandle:
    """An open device. Close it with `with` or with `close`.

    A lost line is reopened automatically. While it is away, commands raise NotUp at once.
    """

    states: ClassVar[type[IntEnum]]
    """States of this kind of device."""

    def __init__(self, line: OwnedLine, dialect: str) -> None:
        self._line, self._dialect = line, dialect

    @property
    def name(self) -> str:
        """Name of the line, as in `Seen.device`: its address, shortened."""
        return self._line.name

    @property
    def identity(self) -> e.LinkUp:
        """Maker, model, serial number and firmware as the device reported them. Raise NotUp before it did."""
        if self._line.identity is None:
            raise NotUp("waiting for the device")
        return self._line.identity

    @property
    def role(self) -> Role:
        """Role that the device granted, which may be lower than requested."""
        return self._line.role()

    @property
    def state(self) -> str:
        """State of the device by name, as last reported: `READY`, `PACKET_WAIT` ... Raise NotUp while it is unknown."""
        return names_of(self.states)[self._line.status().state]

    def on_event(self, callback: C) -> C:
        """Call `callback` with every event (a `Seen`) from now on.

        The call happens in the device's own thread, so it should be quick and must not call a method that waits for the
        device (CannotWait). An exception in it does not stop the line: the next call of the program raises it.
        """
        self._line.on_event(callback)
        return callback

    def events(self, timeout_s: float | None = None) -> Iterator[e.Seen]:
        """Yield the events since the device was opened that were not taken yet, then new ones.

        The iterator ends when no event came for `timeout_s` seconds (None: never), or when the device was closed. The
        last 10,000 events are kept.
        """
        return self._line.events(timeout_s)

    def wait_for(self, kind: type[B], timeout_s: float | None = None) -> B:
        """Return the first event of this type, from those not taken yet or from new ones. Earlier events count as
        taken.

        Raise NoEvent after `timeout_s` seconds; the default is that of `open_device`.
        """
        return self._line.wait_for(kind, timeout_s)

    def self_test(self) -> None:
        """Run the device's self-test, which needs the role `service`. Its findings are events."""
        self._command(m.SelfTestMessage())

    def meters(self) -> tuple[MeterReading, ...]:
        """Return the readings of all meters of the device.

        Data that is lost on the line is requested again. Raise NotOffered, without sending, if the device does not
        claim to have meters; BadAnswer if the count it reports is impossible; Unfinished if a page does not arrive
        within the handle's `timeout_s`.
        """
        found: list[MeterReading] = []
        total = 1
        while len(found) < total:
            answer = self._fetch(m.ReadMetersMessage(len(found)), m.MetersMessage, m.Capability.METERS)
            total = answer.total
            if answer.first != len(found) or (not answer.meters and total) or len(found) + len(answer.meters) > total:
                why = f"{len(answer.meters)} meters from {answer.first} of {total}, requested from {len(found)}"
                raise BadAnswer("ReadMeters", why)
            found += [MeterReading(*one) for one in answer.meters]
        return tuple(found)

    def verify(self, nonce: bytes | None = None, region: int = m.Region.FIRMWARE) -> m.MeasuredMessage:
        """Have the device measure its firmware with a nonce of 16 bytes, by default a random one.

        Compare `digest` of the result with `protocol.tdp.instruments.measure(nonce, image)`. A digest that is lost on
        the line is requested again. Raise NotOffered, without sending, if the device does not claim the capability;
        BadAnswer if it answers another request; Unfinished if it does not answer within the handle's `timeout_s`.
        """
        nonce = token_bytes(NONCE_BYTES) if nonce is None else nonce
        answer = self._fetch(m.VerifyMessage(nonce, region), m.MeasuredMessage, m.Capability.VERIFY)
        if (answer.nonce, answer.region) != (nonce, region):
            raise BadAnswer("Verify", f"it measured region {answer.region} with nonce {answer.nonce.hex()}")
        return answer

    def attest(
        self,
        makers: Sequence[Maker],
        region: int = m.Region.FIRMWARE,
        line_key: Callable[[m.HelloReplyMessage], bytes | None] = lambda _: None,
    ) -> tuple[Evidence, FirmwareProof]:
        """Have the device measure its firmware with a random nonce and sign it, and return what that proves.

        `line_key` returns the X25519 key of the device that sent this HELLO-REPLY, if the line is sealed. Raise
        NotAttested if a trusted maker did not certify the device or its signature does not hold, and the errors of
        `verify`.
        """
        challenge = m.VerifyMessage(token_bytes(NONCE_BYTES), region)
        answer = self._fetch_whole(challenge, m.Capability.VERIFY)
        link = self._line.link()
        assert isinstance(link, HostLink), "only tdp brings data"
        assert link.hello is not None, "it answered"
        assert isinstance(answer.message, m.MeasuredMessage), "a link matches data to their command"
        found = answer.message, answer.statement, line_key(link.hello)
        evidence = Evidence(link.hello, link.certificate, challenge, *found)
        return evidence, check(evidence, makers)

    def _fetch(self, message: m.Message, kind: type[M], needs: m.Capability) -> M:
        answer = self._fetch_whole(message, needs).message
        assert isinstance(answer, kind), "a link matches data to their command"
        return answer

    def _fetch_whole(self, message: m.Message, needs: m.Capability) -> o.Brought:
        if self._dialect != "tdp":
            raise NoCommands(self._dialect, "the commands of this handle need tdp")
        who = self.identity
        if not (who.meters if needs is m.Capability.METERS else who.measures):
            raise NotOffered(message_name(message), needs.name or "", "it does not claim it")
        return self._line.fetch(message, lambda reply: self._not_offered(message, needs, reply))

    def _not_offered(self, message: m.Message, needs: m.Capability, reply: m.ReplyMessage) -> RemoteError:
        why = _NOT_OFFERED.get(reply.reason)
        if why is None:
            return self._refused(message, reply)
        return NotOffered(message_name(message), needs.name or "", why)

    def close(self) -> None:
        """Release the line. May be called twice."""
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
            raise NoCommands(self._dialect, "the commands of this handle need tdp")
        return self._line.command(message, until, lambda reply: self._refused(message, reply))

    def _command_until(self, message: m.Message, until: type[B]) -> B:
        event = self._command(message, until)
        assert event is not None, "a command with an event ends with it or raises"
        return event

    def _refused(self, message: m.Message, reply: m.ReplyMessage) -> Refused:
        reason = names_of(m.Reason)[reply.reason].lower().replace("_", " ")
        return Refused(message_name(message), reason, names_of(self.states)[reply.state])


class Shuffler(DeviceHandle):
    """An open packet shuffler. All commands except `self_test` need the role `operate`."""

    states = m.ShufflerState

    @property
    def status(self) -> m.ShufflerStatusMessage:
        """Last report of the whole state: cards loaded, dispensed and left, lamps, faults. Raise NotUp while it is
        unknown."""
        status: m.ShufflerStatusMessage = self._line.status()
        return status

    def select_game(self, packet_size: int, cards: int = 52, jokers: int = 0, game: str = "") -> None:
        """Deal packets of `packet_size` cards from a deck of `cards`, including `jokers`.

        `game` is the id of the procedure, which the device may display.
        """
        self._command(m.SelectGameMessage(packet_size, cards, jokers, game))

    def dispense(self) -> e.PacketDispensed:
        """Dispense the first packet and wait until it is in the tray. Lifting a packet dispenses the next."""
        return self._command_until(m.DispenseMessage(), e.PacketDispensed)

    def dump(self) -> e.RemainderDumped:
        """Dispense all remaining cards, including a packet that was not lifted, and wait until they are in the tray."""
        return self._command_until(m.DumpMessage(), e.RemainderDumped)

    def raise_lamp(self, fault: int = 0) -> None:
        """Light the red lamp for a misdeal that only the host can detect. `fault` is a number of `protocol.faults`."""
        self._command(m.RaiseLampMessage(fault))

    def clear_misdeal(self, badge: int, *, resume: bool) -> None:
        """Clear a misdeal that the person with `badge` acknowledged: resume the deal, or else remove the deck."""
        self._command(m.ClearMisdealMessage(badge, m.Resolution.RESUME if resume else m.Resolution.REMOVE_DECK))

    def lock(self, locked: bool = True) -> None:
        """Lock or unlock the device for the table."""
        self._command(m.SetLockMessage(int(locked)))


class Shoe(DeviceHandle):
    """An open card-reading shoe. All commands except `self_test` need the role `operate`. Cards are drawn by hand."""

    states = m.ShoeState

    @property
    def status(self) -> m.ShoeStatusMessage:
        """Last report of the whole state: cards loaded and drawn, cut card, lock, faults. Raise NotUp while it is
        unknown."""
        status: m.ShoeStatusMessage = self._line.status()
        return status

    def lock(self, locked: bool = True) -> None:
        """Lock or unlock the shoe."""
        self._command(m.LockShoeMessage(int(locked)))

    def clear_error(self, fault: int, badge: int) -> None:
        """Clear the error `fault`, which the person with `badge` fixed."""
        self._command(m.ClearShoeErrorMessage(fault, badge))

    def end_round(self) -> None:
        """End the round and stand by for the next."""
        self._command(m.EndRoundMessage())


class TableController(DeviceHandle):
    """An open table controller. All commands except `self_test` need the role `operate`. Keys are pressed by people."""

    states = m.ControllerState

    @property
    def status(self) -> m.ControllerStatusMessage:
        """Last report of the whole state: the round, bet sensors, faults. Raise NotUp while it is unknown."""
        status: m.ControllerStatusMessage = self._line.status()
        return status

    def sensor_light(self, seat: int, lit: bool) -> None:
        """Switch the light of a seat's bet sensor. Seat 1 is at the dealer's left."""
        self._command(m.SetSensorLightMessage(seat, int(lit)))

    def show_meter(self, meter: int, cents: int) -> None:
        """Show the amount of a progressive meter."""
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
    """Driver of any device. Its greeting determines the kind, which must not change afterwards."""

    def __init__(self) -> None:
        self.kind = ""
        self._driver: Driver = TableDriver()

    def translate(self, output: o.Output) -> e.Body | None:
        """Return the event for `output`. Raise WrongDevice for a device of an unknown kind, or of another kind than
        before."""
        if isinstance(output, o.Up):
            found = next((k for k in DRIVERS.values() if k.device_class == output.hello.device_class), None)
            if found is None or self.kind not in ("", found.name):
                name = found.name if found else f"device of class 0x{output.hello.device_class:02X}"
                raise WrongDevice(self.kind or ", ".join(DRIVERS), name)
            if not self.kind:
                self.kind, self._driver = found.name, found.make()
        if not self.kind and isinstance(output, o.Delivered):
            return None  # its greeting was lost on the line; events from before it are not delivered
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
    seal: Callable[[Transport, Clock], Transport] | None = ...,
) -> AnyHandle: ...
def open_device(
    address: str,
    *,
    device: str | None = None,
    role: Role | RoleName = Role.OBSERVE,
    dialect: str = "tdp",
    timeout_s: float = TIMEOUT_S,
    record: str | Path | None = None,
    seal: Callable[[Transport, Clock], Transport] | None = None,
) -> AnyHandle:
    """Open the device at `address` and wait until its state is known.

    - `address`: as everywhere in `dealwire`: `/dev/ttyUSB0`, `serial-id:SERIAL`, `usb:VID:PID`, `tcp://host:port`, or
      `sim:shuffler?seed=1`, `sim:shoe`, `sim:table-controller`
    - `device`: the required kind of device; by default the device reports its kind
    - `role`: `observe` only listens, `operate` sends commands, `service` also runs tests
    - `timeout_s`: limit of every wait, in seconds
    - `record`: a new capture file for all bytes; requires `device`
    - `seal`: puts the line's transport into a sealed one; a recording then holds what was opened

    Raise LineError if the line cannot be opened, NoAnswer if no device answers, and WrongDevice if another kind of
    device answers.
    """
    if not isinstance(address, str):
        raise LineUnusable(repr(address)[:40], f"an address is a string; use one of: {', '.join(FORMS)}")
    spoken, wants = dialect_named(dialect), _role(role)
    if address.partition("?")[0] == "sim:gat":
        raise LineUnusable(address, "it speaks GAT alone; use dealwire device verify --gat")
    if address.startswith("sim:") and dialect != "tdp":
        raise LineUnusable(address, f"it uses tdp; for a simulated {dialect} shoe run dealwire sim --shoe-dialect")
    if address.startswith("replay:"):
        raise LineUnusable(address, "a recording is not a device; replay it with dealwire.replay")
    kinds = tuple(spoken.drivers)
    kind = device or (kinds[0] if len(kinds) == 1 else "")
    chooses = not kind and dialect == "tdp" and record is None
    driver = AnyDriver() if chooses else spoken.driver(kind, where="open_device(device=...)")
    line = _own(address, spoken, kind, driver, wants, timeout_s, record, seal)
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
    seal: Callable[[Transport, Clock], Transport] | None,
) -> OwnedLine:
    """Open the line, start its recording if there is one, and hand both to a thread."""
    clock, name, writer = SystemClock(), short_name(address), None
    opener = line_at(address, clock, baud=spoken.baud)
    if seal is not None:
        opener = opener.wrapped(lambda inner: seal(inner, clock))
    transport = opener.open()
    try:
        if record is not None:
            writer = CaptureWriter(record)
            names = {"device": kind, "dialect": spoken.name, "address": address}
            wrap = recorder(writer, name, **names, baud=spoken.baud, clock=clock)
            opener, transport = opener.wrapped(wrap), wrap(transport)
        make_link = partial(spoken.make_link, kind, role, False)
        return OwnedLine(
            name,
            opener,
            transport,
            make_link,
            driver,
            clock,
            role=role,
            timeout_s=timeout_s,
            writer=writer,
            address=address,
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
