"""Base of all simulated devices: outbox, meters and state table, commands, and loss of the host."""

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
    """An event without its number and time. `request` is the command that it completes, 0 for none."""

    event: type[m.Event]
    request: int
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True)
class CommandProgress:
    """Progress of an accepted command."""

    request: int
    percent: int
    state: int


Outgoing = EventDraft | CommandProgress


class DeviceModel(Generic[S, C]):
    """A device without its line, with states `S` and causes `C` of their changes.

    - `outbox`: its pending output in order, which the caller takes
    - `place`: its place on the table
    - `arcs`: every allowed step
    - `commands`: the states in which each command is allowed, empty for any
    """

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
        """Put an event into the outbox, and count it. Always True."""
        self.device_meters.reported(event, fields)
        self.outbox.append(EventDraft(event, request, fields))
        return True

    def take_step(self, cause: C, target: S, request: int = 0) -> bool:
        """Change to `target` if the table has the step, and report it. Return False if that is the current state."""
        if target is self.state:
            return False
        step = (self.state, cause, target)
        assert step in self.arcs, f"not in the state table: {step}"
        self.steps.add(step)
        previous, self.state = self.state, target
        return self.say(m.StateChangedMessage, request, state=target, previous=previous)

    def answer(self, request: int, command: m.Message, now_ns: int) -> m.ReplyMessage:
        """Carry out or refuse a command. The consequences are in the outbox, to be sent after the reply."""
        outcome: Status | Reason = Reason.UNKNOWN_COMMAND
        if type(command) in self.commands:
            outcome = self._execute(command, request, now_ns) if self._supports(command) else self._wrong_state()
        if isinstance(outcome, Reason):
            return m.ReplyMessage(Status.REFUSED, outcome, self.state)
        return m.ReplyMessage(outcome, Reason.NONE, self.state)

    def _supports(self, command: m.Message) -> bool:
        """Return True if the command is allowed in the current state."""
        states = self.commands[type(command)]
        return not states or self.state in states

    def _wrong_state(self) -> Reason:
        return Reason.WRONG_STATE

    def _execute(self, command: m.Message, request: int, now_ns: int) -> Status | Reason:
        """Carry out a command, or return the reason not to. The state was already checked."""
        raise NotImplementedError

    def host_gone(self, now_ns: int) -> None:
        """Record that the host is lost."""
        self.host_lost = True
        self.say(m.FaultRaisedMessage, fault=Fault.HOST_LOST, place=self.place, value=0)
        self._host_changed(now_ns)

    def host_back(self, now_ns: int) -> None:
        """Record that the host is back."""
        if self.host_lost:
            self.host_lost = False
            self.say(m.FaultClearedMessage, fault=Fault.HOST_LOST)
            self._host_changed(now_ns)

    def _host_changed(self, now_ns: int) -> None:
        """React to the loss or the return of the host. A shoe has no motor to stop: people keep drawing."""
