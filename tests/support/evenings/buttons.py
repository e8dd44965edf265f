"""A simulated table with a dealer, driven in memory as a service drives it: every button can be pressed, at any moment
of a round."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Final, NamedTuple

from dealwire.config.table_parts import DevicePart
from dealwire.hub.actions import Action, ActionField
from dealwire.rehearsal.faults import arm
from dealwire.rehearsal.scenario import AnyScenario
from dealwire.rehearsal.tables import set_up
from dealwire.service.actions import INJECT, command_of, faults, find, offered
from dealwire.table.replay import usual_table
from devices.dialects.drivers import DRIVERS
from devices.events import Seen
from devices.line.session import NEVER, Feed
from protocol.errors import LocalError
from protocol.tdp.host_link import HostLink
from protocol.tdp.messages import Role

START_NS: Final = 1_700_000_000_000_000_000
SPEED: Final = 40.0
"""Speed of people and machines; a round takes a second or two."""
PATIENCE_S: Final = 90.0
"""Longest wait, in simulated seconds, for the end of the next round: a round with its shuffle takes a few seconds at
this speed, and a line that stands still at most ten."""


class Press(NamedTuple):
    """A button, and the values that a person fills in."""

    action: Action
    given: Mapping[str, str]

    def __str__(self) -> str:
        filled = ",".join(f"{name}={value}" for name, value in self.given.items())
        return f"{self.action.id}({filled})"


class PressedTable:
    """A scenario dealt on simulated devices, each joined to a real host link that may send any command."""

    def __init__(self, scenario: AnyScenario, procedure: str, *, speed: float = SPEED) -> None:
        self.devices = set_up(scenario, speed=speed)
        self.table = usual_table(procedure)
        self.now_ns = START_NS
        self.parts = [
            DevicePart.model_validate({"name": name, "kind": name, "address": "memory", "role": "control"})
            for name in self.devices.units
        ]
        self.devices.power_on(self.now_ns)
        self._feeds: dict[str, Feed] = {}
        for name in self.devices.units:
            kind = DRIVERS[name]
            link = HostLink(expects=kind.device_class, role=Role.OPERATE)
            self._feeds[name] = Feed(name, link, kind.make(), self._take)
            self.devices.receive(name, self._feeds[name].start(self.now_ns), self.now_ns)

    def _take(self, seen: Seen) -> None:
        self.table.handle(seen)

    @property
    def rounds(self) -> int:
        """Number of rounds that are over."""
        return self.table.outcomes.total()

    @property
    def moment(self) -> tuple[str, str]:
        """State of the round, and of the device that deals."""
        model = next(iter(self.devices.units.values())).model
        state = model.state
        return self.table.flow.state.value, state.name

    def actions(self) -> list[Action]:
        """Return every button of the table's page and of its bench."""
        return [*offered(self.parts, self.table.flow.procedure), *faults(self.devices.units)]

    def step(self) -> None:
        """Advance to the next event."""
        dues = (self.devices.next_deadline_ns or NEVER, *(feed.due_ns for feed in self._feeds.values()))
        self.now_ns = max(self.now_ns + 1000, min(dues))
        self.devices.tick(self.now_ns)
        for name, feed in self._feeds.items():
            data = self.devices.take_output(name, self.now_ns)
            answer = feed.receive(data, self.now_ns) if data else feed.tick(self.now_ns)
            if answer:
                self.devices.receive(name, answer, self.now_ns)

    def run(self, until: Callable[[], bool], limit_s: float = PATIENCE_S) -> bool:
        """Step until `until()` holds; return False if it does not within so much simulated time."""
        end_ns = self.now_ns + int(limit_s * 1e9)
        while not until():
            if self.now_ns > end_ns:
                return False
            self.step()
        return True

    def press(self, press: Press) -> str:
        """Press a button; return the console's error message, empty if the request was sent."""
        action = press.action
        try:
            fields = action.read(press.given)
            if action.does == INJECT:
                arm(self.devices, str(fields.pop("fault")), fields)
                return ""
            kind, device = find(self.parts, action.does, fields, action.roles[-1])
            feed = self._feeds[device.name]
            _, outputs = feed.link.request(command_of(kind, fields), self.now_ns)
            data = feed.report(outputs, self.now_ns)
            if data:
                self.devices.receive(device.name, data, self.now_ns)
        except LocalError as error:
            return str(error)
        return ""


def presses(action: Action) -> Iterator[Press]:
    """Yield presses of a button with every choice, and with each number at its bounds and at its default."""
    names = [field.name for field in action.fields]
    for values in product(*(_values(field) for field in action.fields)):
        yield Press(action, dict(zip(names, values, strict=True)))


def _values(field: ActionField) -> list[str]:
    if field.kind == "choice":
        return [*field.choices]
    if field.kind == "number":
        most = min(field.most, 10_000)
        return list(dict.fromkeys([field.default or str(field.least), str(field.least), str(most)]))
    return [field.default or "hello"]
