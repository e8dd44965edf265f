"""A device on the table: a model, its end of the link, a power switch, and memory that survives a power cut."""

import hashlib
import re
from random import Random
from typing import Final

from devices.simulator.device_model import EventDraft
from devices.simulator.dialect_front_ends import ShoeFrontEnd
from devices.simulator.identity import Identity
from devices.simulator.shoe import ShoeModel
from devices.simulator.shuffler import ShufflerModel
from devices.simulator.table_controller import TableControllerModel
from devices.simulator.unit_seal import UnitSeal
from protocol.tdp import Commanded, DeviceLink, EventStore, HostLost, Opened, Output, Send, Timing
from protocol.tdp import messages as m
from protocol.tdp.instruments import Instruments, MeterReading
from protocol.tdp.messages import BootCause, Capability, DeviceClass, DeviceMeter, Region, Role
from protocol.tdp.packets import MAX_FRAME, MINOR, VERSION

EVENT_DEPTH: Final = 256
FIRMWARE: Final = "1.0.0"
_FRAMES: Final = re.compile(rb"[^\0]*\0|[^\0]+")
"""Pattern of a piece with its delimiter, or of the rest."""


Model = ShufflerModel | ShoeModel | TableControllerModel


class Unit:
    """One device. It takes the bytes of the host and the time, and returns the bytes for its line."""

    def __init__(
        self,
        name: str,
        model: Model,
        *,
        device_class: DeviceClass,
        capabilities: Capability,
        rng: Random,
        timing: Timing | None = None,
    ) -> None:
        self.name, self.model = name, model
        self.hosted = False
        self.session_sticks = False
        """Fault: the next start draws the previous session id again, and its events are counted from 1 again."""
        self.image = FIRMWARE.encode()
        """Firmware image, which the device measures. Set it before power-on."""
        self.instruments = Instruments(self._readings, lambda region: self.image if region == Region.FIRMWARE else None)
        """Data that the device can report on request."""
        self._now_ns = 0
        self._answer, self._rng = model.answer, rng
        self._timing = timing or Timing()
        self._class, self._capabilities = device_class, capabilities
        self.seal: UnitSeal | None = None
        """Its end of a sealed line; None for a device that offers none. Set it before power-on."""
        self._link: DeviceLink | None = None
        self._store = EventStore()
        self._boots = self._session = 0
        self._was_mid_round = False
        self._out: list[bytes] = []
        self._shown: m.Message | None = None

    def identify(self, identity: Identity) -> None:
        """Give the device keys of its own, and its maker's certificate. Call this before power-on."""
        self.instruments = self.instruments._replace(signer=identity.signer)

    @property
    def next_deadline_ns(self) -> int | None:
        """Time at which to call `tick`; None while the power is off."""
        if self._link is None:
            return None
        seal_ns = self.seal.next_deadline_ns if self.seal is not None else None
        due = (self.model.next_deadline_ns, self._link.next_deadline_ns, seal_ns)
        return min((each for each in due if each is not None), default=None)

    @property
    def all_acknowledged(self) -> bool:
        """True if the host has every event."""
        return self._store.acknowledged >= self._store.last

    @property
    def host_lost(self) -> bool:
        """True if a host was here and went silent."""
        return self._link is not None and self._link.host_lost

    def power_on(self, now_ns: int) -> None:
        """Start a new session under a new random id, unless `session_sticks`."""
        previous = self._session
        if self.session_sticks:
            self._store = EventStore()
        else:
            self._session = self._rng.randrange(1, 2**32)
        self._boots += 1
        self._now_ns = now_ns
        self.model.device_meters.power_on(now_ns)
        self._link = DeviceLink(
            self._hello(),
            report=self.model.status,
            store=self._store,
            granted=Role.SERVICE,
            timing=self._timing,
            instruments=self.instruments,
            on_host_back=self.model.host_back,
        )
        if self.seal is not None:
            self.seal.power_on(self._link)
        self.model.power_on(now_ns)
        self._shown = self.model.status(0, 0, 0)
        booted = {"boot_count": self._boots, "previous_session": previous, "mid_round": int(self._was_mid_round)}
        self._pass_on(self._link.start(now_ns, cause=BootCause.POWER_ON, **booted), now_ns)
        self.settle(now_ns)

    def power_off(self) -> None:
        """Pull the plug. Output that is not on the line is lost; stored events are kept."""
        self._was_mid_round = self.model.mid_round
        self._count_refused()
        self.model.device_meters.power_off(self._now_ns)
        self.model.power_off()
        self._link, self.hosted = None, False

    def receive(self, data: bytes, now_ns: int) -> None:
        """Process bytes from the host. They are lost while the power is off."""
        self._now_ns = now_ns
        for frame in _FRAMES.findall(
            data
        ):  # one by one: the consequences of a frame go out before the reply to the next
            if self._link is not None:
                if self.seal is not None:
                    frame, out = self.seal.receive(frame, now_ns)
                    self._put(out)
                    self._report_if_due(self.seal, self._link, now_ns)
                self._pass_on(self._link.receive(frame, now_ns) if frame else [], now_ns)
                self.settle(now_ns)
                self._pass_on(self._link.tick(now_ns), now_ns)
                self.settle(now_ns)

    def tick(self, now_ns: int) -> None:
        """Handle the deadlines of the model and the link."""
        if self._link is not None:
            self._now_ns = now_ns
            if self.seal is not None:
                up, out = self.seal.tick(now_ns)
                self._put(out)
                self._pass_on(self._link.receive(up, now_ns) if up else [], now_ns)
            self._pass_on(self._link.watch(now_ns), now_ns)
            self.model.tick(now_ns)
            self.settle(now_ns)  # first, so that a status that is due includes the newest event
            self._pass_on(self._link.tick(now_ns), now_ns)
            self.settle(now_ns)

    def settle(self, now_ns: int) -> None:
        """Send what is in the model's outbox. Call this after any action on the model."""
        link = self._link
        if link is None:
            self.model.outbox.clear()
            return
        outgoing, self.model.outbox[:] = self.model.outbox[:], []
        for each in outgoing:
            if isinstance(each, EventDraft):
                self._pass_on(link.emit(each.event, now_ns, request=each.request, **each.fields), now_ns)
            else:
                progress = m.ProgressMessage(percent=each.percent, state=each.state)
                self._pass_on(link.progress(each.request, progress, now_ns), now_ns)
        visible = self.model.status(0, 0, 0)
        if visible != self._shown:
            self._shown = visible
            self._pass_on(link.status_changed(now_ns), now_ns)

    def take_output(self) -> list[bytes]:
        """Return the bytes for the line, one piece a frame."""
        out, self._out = self._out, []
        return out

    def _pass_on(self, outputs: list[Output], now_ns: int) -> None:
        for output in outputs:
            match output:
                case Send(data):
                    self._put(data if self.seal is None else self.seal.send(data, now_ns))
                case Commanded(request, command):
                    self._carry_out(request, command, now_ns)
                case Opened():
                    self.hosted = True
                    self.model.host_back(now_ns)
                case HostLost():
                    self.model.host_gone(now_ns)

    def _put(self, data: bytes) -> None:
        if data:
            self._out.append(data)

    def _report_if_due(self, seal: UnitSeal, link: DeviceLink, now_ns: int) -> None:
        """Report the status to a host that was just paired: it waits for the first sealed frame."""
        if seal.report_due():
            self._pass_on(link.status_changed(now_ns), now_ns)

    def _carry_out(self, request: int, command: m.Message, now_ns: int) -> None:
        assert self._link is not None
        reply = self._answer(request, command, now_ns)
        self._pass_on(self._link.reply(request, reply, now_ns), now_ns)
        self.settle(now_ns)

    def _readings(self, now_ns: int) -> tuple[MeterReading, ...]:
        self._count_refused()
        return self.model.device_meters.readings(now_ns)

    def _count_refused(self) -> None:
        if self._link is not None:
            self.model.device_meters.count(DeviceMeter.COMMANDS_REFUSED, self._link.refused)
            self._link.refused = 0

    def _hello(self) -> m.HelloReplyMessage:
        sealing = Capability.SEALING if self.seal is not None else Capability(0)
        return m.HelloReplyMessage(
            session=self._session,
            lowest_major=VERSION,
            lowest_minor=0,
            highest_major=VERSION,
            highest_minor=MINOR,
            device_class=self._class,
            capabilities=self._capabilities | self.instruments.capabilities | sealing,
            boot_count=self._boots,
            event_depth=EVENT_DEPTH,
            max_frame=MAX_FRAME,
            maker="dealwire",
            model=f"sim-{self._class.name.lower()}"[:16],
            serial="SIM-0001",
            firmware=FIRMWARE,
            digest=hashlib.sha256(self.image).digest(),
        )


def shuffler_unit(model: ShufflerModel, rng: Random, timing: Timing | None = None) -> Unit:
    """Return a packet shuffler on its line."""
    reads = Capability.CARD_RECOGNITION if model.recognition else Capability(0)
    return Unit(
        "shuffler",
        model,
        device_class=DeviceClass.SHUFFLER,
        capabilities=Capability.TWO_DECKS | Capability.COUNTS_PACKETS | Capability.HOST_LAMP | reads,
        rng=rng,
        timing=timing,
    )


def shoe_unit(model: ShoeModel, rng: Random, timing: Timing | None = None) -> Unit:
    """Return a card-reading shoe with TDP on its line."""
    reads = Capability.CARD_RECOGNITION
    return Unit("shoe", model, device_class=DeviceClass.SHOE, capabilities=reads, rng=rng, timing=timing)


def controller_unit(model: TableControllerModel, rng: Random, timing: Timing | None = None) -> Unit:
    """Return a table controller on its line."""
    return Unit(
        "table-controller",
        model,
        device_class=DeviceClass.TABLE_CONTROLLER,
        capabilities=Capability.LAYOUT_READER | Capability.BET_SENSORS,
        rng=rng,
        timing=timing,
    )


TableUnit = Unit | ShoeFrontEnd
"""A device on its line, in any dialect."""
