"""A full round over lines that fail, from a seed: real supervisors, links, drivers, flow and settlement; the simulated
table at the other end; memory between them; a clock that only the run moves.

A run is right if its round is the one a clean line gives, or if it says that it is unreliable. Anything else is a wrong
result: another card, another count, another cent, or a round that vanished without notice. A device that loses its
power may shuffle again and deal another round than it would have; the round that it really dealt then comes from a
listener at its own connector, which no fault of the line reaches.
"""

from __future__ import annotations

import functools
import logging
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from msgspec.structs import replace

from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.rehearsal.tables import CONTROLLER, SHUFFLER, SimulatedTable
from dealwire.table.table import Table, TableOutcome, TableTerms
from devices.clock import ManualClock
from devices.dialects.drivers import DRIVERS, DeviceKind
from devices.events import Seen
from devices.line.loop import Owner
from devices.line.session import Feed
from devices.line.supervisor import Supervisor
from devices.transport.base import LineClosed, Transport
from devices.transport.memory import Faults, MemoryLine, memory_pair
from devices.transport.opening import Opener
from protocol.errors import LineAbsent
from protocol.tdp import HostLink
from protocol.tdp.messages import Role
from rules.game.load import load_game

MS: Final = 1_000_000
SECOND: Final = 1000 * MS
SCENARIOS: Final = ("clean-1", "clean-3")
DEVICES: Final[dict[str, DeviceKind]] = {name: DRIVERS[name] for name in (SHUFFLER, CONTROLLER)}
SPEED: Final = 20.0
ROUND_MOST_S: Final = 600
KINDS: Final = ("loss", "flips", "duplicates", "reorder", "delay", "stalls", "resets", "reboot")


@dataclass(frozen=True)
class Plan:
    """Faults that a seed decides for a run."""

    scenario: str
    kinds: tuple[str, ...]
    lines: dict[str, tuple[Faults, Faults]]
    moments: tuple[tuple[int, str, str, int], ...]
    """Nanoseconds since the start, `stall`, `reset` or `reboot`, the device, and the duration in nanoseconds."""


def plan_of(seed: int) -> Plan:
    """Return one to three kinds of fault, with the amount and the times of each."""
    random = Random(seed)
    kinds = tuple(random.sample(KINDS, random.randint(1, 3)))
    scenario = SCENARIOS[seed % len(SCENARIOS)]
    lines = {device: (_faults(kinds, random), _faults(kinds, random)) for device in DEVICES}
    moments: list[tuple[int, str, str, int]] = []
    for kind, what, most in (("stalls", "stall", 3), ("resets", "reset", 4), ("reboot", "reboot", 1)):
        for _ in range(random.randint(1, most) if kind in kinds else 0):
            at_ns, long_ns = random.randrange(6 * SECOND), int(random.uniform(0.05, 1) ** 2 * 6 * SECOND)
            moments.append((at_ns, what, random.choice(list(DEVICES)), long_ns))
    return Plan(scenario, kinds, lines, tuple(sorted(moments)))


def _faults(kinds: Sequence[str], random: Random) -> Faults:
    return Faults(
        seed=random.randrange(2**32),
        lose_chunk=random.uniform(0, 0.25) if "loss" in kinds else 0,
        lose_byte=random.uniform(0, 0.005) if "loss" in kinds else 0,
        flip_bit=random.uniform(0, 0.005) if "flips" in kinds else 0,
        duplicate=random.uniform(0, 0.3) if "duplicates" in kinds else 0,
        reorder=random.uniform(0, 0.3) if "reorder" in kinds else 0,
        delay_ns=(0, random.randint(1, 60) * MS) if "delay" in kinds else (0, 0),
    )


class Cable:
    """One device's lines, one after the other."""

    def __init__(self, clock: ManualClock, faults: tuple[Faults, Faults]) -> None:
        self._clock, self._faults = clock, faults
        self._random = Random(faults[0].seed)
        self.host: MemoryLine | None = None
        self.device: MemoryLine | None = None
        self.away_until_ns = 0
        self.stalled_until_ns = 0

    def open(self) -> Transport:
        if self._clock.now_ns() < self.away_until_ns:
            raise LineAbsent("cable", "unplugged")
        up, down = (Faults(**{**_fields(faults), "seed": self._random.randrange(2**32)}) for faults in self._faults)
        self.host, self.device = memory_pair(self._clock, to_host=up, to_device=down)
        return self.host

    def reset(self, until_ns: int) -> None:
        self.away_until_ns = until_ns
        if self.host is not None:
            self.host.unplug()
        self.host = self.device = None

    def stall(self, until_ns: int) -> None:
        for end in (self.host, self.device):
            if end is not None:
                end.stall(until_ns)


def _fields(faults: Faults) -> dict[str, Any]:
    return {name: getattr(faults, name) for name in faults.__dataclass_fields__}


class Far:
    """The table's side of both cables: a member of the owner, with the run's script of troubles."""

    def __init__(
        self, table: SimulatedTable, cables: dict[str, Cable], clock: ManualClock, plan: Plan, taps: dict[str, Feed]
    ) -> None:
        self.table, self.cables, self._clock, self._taps = table, cables, clock, taps
        self._start_ns = clock.now_ns()
        self._script = [(self._start_ns + at_ns, *rest) for at_ns, *rest in plan.moments]
        self._boots: list[tuple[int, str]] = []

    @property
    def next_deadline_ns(self) -> int | None:
        dues = [self.table.next_deadline_ns]
        dues += [cable.device.next_deadline_ns for cable in self.cables.values() if cable.device is not None]
        dues += [self._script[0][0]] if self._script else []
        dues += [at_ns for at_ns, _ in self._boots]
        return min((due for due in dues if due is not None), default=None)

    def turn(self) -> None:
        """Do everything on this side that is due now."""
        now_ns = self._clock.now_ns()
        while self._script and self._script[0][0] <= now_ns:
            _, what, device, long_ns = self._script.pop(0)
            self._do(what, device, now_ns + long_ns)
        for boot in [boot for boot in self._boots if boot[0] <= now_ns]:
            self._boots.remove(boot)
            self.table.units[boot[1]].power_on(now_ns)
        for device, cable in self.cables.items():
            if cable.device is not None:
                try:
                    data = cable.device.read()
                except LineClosed:
                    data = b""
                if data:
                    self.table.receive(device, data, now_ns)
        self.table.tick(now_ns)
        for device, cable in self.cables.items():
            data = self.table.take_output(device, now_ns)
            if device in self._taps:
                self._taps[device].receive(data, now_ns)
            if data and cable.device is not None:
                try:
                    cable.device.write(data)
                except LineClosed:
                    cable.device = None

    def _do(self, what: str, device: str, until_ns: int) -> None:
        if what == "reset":
            self.cables[device].reset(until_ns)
        elif what == "stall":
            self.cables[device].stall(until_ns)
        else:
            self.table.units[device].power_off()
            self._boots.append((until_ns, device))


@functools.cache
def _rules() -> tuple[Any, TableTerms]:
    return load_procedure("flushes-gone-wild.co"), TableTerms(load_game("flushes-gone-wild.co"))


def supervise(owner: Owner, cables: dict[str, Cable], clock: ManualClock, deliver: Callable[[Seen], None]) -> None:
    """Supervise the host's side of each cable, and keep it open."""
    for device, cable in cables.items():
        kind = DEVICES[device]
        link = functools.partial(HostLink, expects=kind.device_class, role=Role.OPERATE)
        supervisor = Supervisor(device, Opener(cable.open), link, kind.make(), clock, deliver)
        owner.add(supervisor)
        supervisor.start()


def deal_round(plan: Plan, at_the_device: list[TableOutcome] | None = None) -> list[TableOutcome]:
    """Return all the host's outcomes of the round dealt under `plan`; `at_the_device` gets those of a listener at the
    device."""
    clock = ManualClock()
    table, tapped = Table(*_rules()), Table(*_rules())
    said: list[TableOutcome] = []
    taps: dict[str, Feed] = {}

    def deliver(seen: Seen) -> None:
        said.extend(table.handle(seen))

    if at_the_device is not None:
        for device, kind in DEVICES.items():
            link = HostLink(expects=kind.device_class, listen=True)
            taps[device] = Feed(device, link, kind.make(), lambda seen: at_the_device.extend(tapped.handle(seen)))
            taps[device].start(clock.now_ns())
    simulated = SimulatedTable(load_scenario(plan.scenario), speed=SPEED)
    simulated.power_on(clock.now_ns())
    cables = {device: Cable(clock, plan.lines[device]) for device in DEVICES}
    far, owner = Far(simulated, cables, clock, plan, taps), Owner(clock)
    supervise(owner, cables, clock, deliver)
    try:
        _run(owner, far, clock)
    finally:
        owner.close()
    said.extend(table.finish())
    if at_the_device is not None:
        for tap in taps.values():
            tap.end(clock.now_ns())
        at_the_device.extend(tapped.finish())
    return said


def _run(owner: Owner, far: Far, clock: ManualClock) -> None:
    table, end_ns = far.table, clock.now_ns() + ROUND_MOST_S * SECOND
    while not (table.dealer.done and all(unit.all_acknowledged for unit in table.units.values())):
        far.turn()
        owner.turn()
        far.turn()
        dues = [due for member in (far, *owner.members) if (due := member.next_deadline_ns) is not None]
        if clock.now_ns() >= end_ns:
            return
        clock.set(max(min(dues, default=end_ns), clock.now_ns() + MS // 4))


CLEAN: Final = {device: (Faults(), Faults()) for device in DEVICES}


@functools.cache
def clean_round(scenario: str) -> str:
    """Return the round and its money on a line without faults."""
    said = deal_round(Plan(scenario, (), CLEAN, ()))
    assert not [item for item in said if isinstance(item, Incident)], "a clean line gave an incident"
    assert len(said) == 2, "a clean line gives one round and its settlement"
    return essence(said)


def essence(said: Sequence[TableOutcome]) -> str:
    """Return the deal and the payments: all but incidents and the session, which is new for a device that rebooted
    before the deal."""
    parts = []
    for item in said:
        if isinstance(item, RoundResult):
            parts.append(replace(item, incidents=(), session="").to_json())
        elif not isinstance(item, Incident):
            parts.append(replace(item, session="").to_json())
    return "\n".join(parts)


def verdict(seed: int) -> str:
    """Return `same`, `same, with an incident`, `same, after a reboot`, `unreliable`, `no round, incidents`, or `WRONG`.

    No round and incidents: START GAME was pressed while the controller had no power or no host, so that it was never
    reported; everything dealt after it is reported as out of turn.
    """
    plan = plan_of(seed)
    said = deal_round(plan)
    rounds = [item for item in said if isinstance(item, RoundResult)]
    incidents = [item for item in said if isinstance(item, Incident)]
    incidents += [incident for result in rounds for incident in result.incidents]
    if essence(said) == clean_round(plan.scenario):
        return "same, with an incident" if incidents else "same"
    outcomes = [result.outcome for result in rounds]
    settled = [item.status for item in said if not isinstance(item, RoundResult | Incident)]
    if incidents and set(outcomes) <= {"unreliable"} and set(settled) <= {"held"}:
        return "unreliable" if rounds else "no round, incidents"
    if "reboot" in plan.kinds:
        dealt: list[TableOutcome] = []
        deal_round(plan, dealt)
        if essence(dealt) == essence(said):
            return "same, after a reboot"
    return f"WRONG: {outcomes} {settled} {sorted({incident.code for incident in incidents})} {', '.join(plan.kinds)}"


def quiet_verdict(seed: int) -> str:
    """Return the verdict from a worker process, without the supervisors' log."""
    logging.disable()
    return verdict(seed)


def main(arguments: Sequence[str]) -> int:
    """Print counts and wrong seeds: `python -m tests.support.evenings.faulty_rounds [HOW MANY [FIRST SEED]]`."""
    count, first = ([int(text) for text in arguments] + [10_000, 0][len(arguments) :])[:2]
    seeds = range(first, first + count)
    found: Counter[str] = Counter()
    wrong = 0
    with ProcessPoolExecutor() as pool:
        for seed, said in zip(seeds, pool.map(quiet_verdict, seeds, chunksize=50), strict=True):
            found[said.partition(":")[0]] += 1
            if said.startswith("WRONG"):
                wrong += 1
                print(f"seed {seed}: {said}", flush=True)
    print(", ".join(f"{name}: {number:,}" for name, number in found.most_common()))
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
