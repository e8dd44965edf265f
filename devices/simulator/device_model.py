"""The base of all simulated devices: their outbox, meters and state table, the commands they obey, and the loss of
the host."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Any, ClassVar, Generic, TypeVar

from devices.simulator.device_meters import Counted, DeviceMeters
from protocol.faults import Fault
from protocol.places import Place
from protocol.tdp import messages as m
from protocol.tdp.messages import Reason, Status

S = TypeVar("S", bound=IntEnum)
C = TypeVar("C", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class EventDraft:
    """An event without its number and time; `request` is the command it completes, 0 for none."""

    event: type[m.Event]
    request: int
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True)
class CommandProgress:
    """An accepted command goes on."""

    request: int
    percent: int
    state: int


Outgoing = EventDraft | CommandProgress


class DeviceModel(Generic[S, C]):
    """A device without its line: its states `S`, and what makes them change, `C`. `outbox` holds what it has to say, in
    order; the caller takes it. `place` is where it stands, `arcs` every step that it may take, `commands` where it does
    each command, with no state for any."""

    place: ClassVar[Place]
    arcs: ClassVar[Collection[tuple[IntEnum, StrEnum, IntEnum]]]
    commands: ClassVar[Mapping[type[m.Message], Collection[IntEnum]]]

    def __init__(self, state: S, counted: Iterable[Counted]) -> None:
        self.outbox: list[Outgoing] = []
        self.steps: set[tuple[S, C, S]] = set()
        self.state = state
        self.powered = self.host_lost = False
        self.device_meters = DeviceMeters(counted)

    def say(self, event: type[m.Event], request: int = 0, **fields: Any) -> bool:
        """Put an event into the outbox, and count it."""
        self.device_meters.reported(event, fields)
        self.outbox.append(EventDraft(event, request, fields))
        return True

    def take_step(self, cause: C, target: S, request: int = 0) -> bool:
        """Show the state that follows, if the table knows the step; False when it is the one that is shown."""
        if target is self.state:
            return False
        step = (self.state, cause, target)
        assert step in self.arcs, f"not in the state table: {step}"
        self.steps.add(step)
        previous, self.state = self.state, target
        return self.say(m.StateChangedMessage, request, state=target, previous=previous)

    def answer(self, request: int, command: m.Message, now_ns: int) -> m.ReplyMessage:
        """Do or refuse a command. What follows of it is in the outbox, to be sent after the reply."""
        outcome: Status | Reason = Reason.UNKNOWN_COMMAND
        if type(command) in self.commands:
            outcome = self._obey(command, request, now_ns) if self._takes(command) else self._wrong_state()
        if isinstance(outcome, Reason):
            return m.ReplyMessage(Status.REFUSED, outcome, self.state)
        return m.ReplyMessage(outcome, Reason.NONE, self.state)

    def _takes(self, command: m.Message) -> bool:
        """Say whether the command is done in this state."""
        states = self.commands[type(command)]
        return not states or self.state in states

    def _wrong_state(self) -> Reason:
        return Reason.WRONG_STATE

    def _obey(self, command: m.Message, request: int, now_ns: int) -> Status | Reason:
        """Do a command, or say why not; that it is done in this state was looked at."""
        raise NotImplementedError

    def host_gone(self, now_ns: int) -> None:
        """Note that the host is lost."""
        self.host_lost = True
        self.say(m.FaultRaisedMessage, fault=Fault.HOST_LOST, place=self.place, value=0)
        self._host_changed(now_ns)

    def host_back(self, now_ns: int) -> None:
        """Note that the host is heard again."""
        if self.host_lost:
            self.host_lost = False
            self.say(m.FaultClearedMessage, fault=Fault.HOST_LOST)
            self._host_changed(now_ns)

    def _host_changed(self, now_ns: int) -> None:
        """Follow the loss or the return of the host. A shoe has no motor to stop: people go on drawing."""
