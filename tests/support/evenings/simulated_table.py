"""A simulated table joined to two real host links by clean memory, on a manual clock."""

from collections.abc import Callable
from typing import TypeVar

from dealwire.rehearsal.scenario import Scenario
from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.rehearsal.tables import CONTROLLER, SHUFFLER, SimulatedTable
from protocol.cards import CARDS, spell_cards
from protocol.message import message_name
from protocol.places import PLACES
from protocol.tdp import Delivered, HostLink, Output, Send
from protocol.tdp import messages as m
from protocol.tdp.messages import DeviceClass, Role

E = TypeVar("E", bound=m.Event)

START_NS = 1_700_000_000_000_000_000
MS = 1_000_000


class Evening:
    """Runs a table to its end and keeps the outputs to both hosts, in order."""

    def __init__(self, scenario: Scenario | str, speed: float = 20.0) -> None:
        if isinstance(scenario, str):
            scenario = load_scenario(scenario)
        self.table = SimulatedTable(scenario, speed=speed)
        self.now_ns = START_NS
        self.hosts = {
            SHUFFLER: HostLink(expects=DeviceClass.SHUFFLER, role=Role.OPERATE),
            CONTROLLER: HostLink(expects=DeviceClass.TABLE_CONTROLLER, role=Role.OPERATE),
        }
        self.seen: list[tuple[str, Output]] = []
        self.connected = True
        self.table.power_on(self.now_ns)
        for name, host in self.hosts.items():
            self._take(name, host.start(self.now_ns))

    def run(self, until: Callable[[], bool] | None = None, limit_s: float = 600.0) -> None:
        """Run until `until()` holds, or the scenario has ended; raise AssertionError after `limit_s` of table time."""
        until = until or (lambda: self.table.finished)
        end_ns = self.now_ns + int(limit_s * 1e9)
        while not until():
            assert self.now_ns < end_ns, f"still waiting: shuffler {self.table.shuffler.state!r}"
            self.step()

    def step(self) -> None:
        dues = [self.table.next_deadline_ns, *(host.next_deadline_ns for host in self.hosts.values())]
        self.now_ns = max(self.now_ns + 1000, min(due for due in dues if due is not None))
        self.table.tick(self.now_ns)
        for name, host in self.hosts.items():
            data = self.table.take_output(name, self.now_ns)
            if not self.connected:
                continue
            if data:
                self._take(name, host.receive(data, self.now_ns))
            self._take(name, host.tick(self.now_ns))

    def request(self, command: m.Message) -> None:
        _, outputs = self.hosts[SHUFFLER].request(command, self.now_ns)
        self._take(SHUFFLER, outputs)

    def events(self, device: str | None = None) -> list[m.Event]:
        return [o.message for name, o in self.seen if isinstance(o, Delivered) and device in (None, name)]

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.events() if isinstance(event, kind)]

    def _take(self, name: str, outputs: list[Output]) -> None:
        for output in outputs:
            if isinstance(output, Send):
                self.table.receive(name, output.data, self.now_ns)
            else:
                self.seen.append((name, output))


def spell(event: m.Event) -> str:
    """Return one event as a person would write it down, without number and time."""
    words = [message_name(event)]
    for name in type(event).__struct_fields__:
        value = getattr(event, name)
        if name in ("number", "device_ms"):
            continue
        if name == "cards" and isinstance(value, bytes):
            value = " ".join(spell_cards(value)) or "-"
        elif name == "card":
            value = CARDS[value].text
        elif name == "place":
            value = PLACES[value].text
        words.append(f"{name}={value}")
    return " ".join(words)
