"""A journaled round over lines that fail, in memory, on a clock that only the run moves."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from dealwire.hub.lines import Publication
from dealwire.journal import Journal, Journaled, SealingKey
from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.rehearsal.tables import SimulatedTable
from devices.budget import Budget
from devices.clock import ManualClock
from devices.events import Seen
from devices.line.loop import Owner
from devices.line.supervisor import Supervisor
from devices.transport.base import Transport
from devices.transport.opening import Opener
from protocol.tdp.host_link import HostLink
from protocol.tdp.messages import Role
from tests.support.broken.noisy_line import Jabbering, Noise
from tests.support.evenings.faulty_rounds import CLEAN, DEVICES, MS, ROUND_MOST_S, SECOND, SPEED, Cable, Far, Plan
from tests.support.rigs.small_service import GAME, TABLE, begin

CLEAN_PLAN: Final = Plan("clean-3", (), CLEAN, ())


def deal_journalled(
    path: Path,
    key: SealingKey | None,
    plan: Plan = CLEAN_PLAN,
    *,
    each_turn: Callable[[Journal], None] = lambda _: None,
    meters: dict[str, int] | None = None,
    noise: Noise | None = None,
) -> list[Publication]:
    """Deal under `plan` into a new journal; return what was published, in order. `each_turn` is called before each
    commit. With `noise` its device jabbers, and no more of a line is kept than a small budget allows."""
    clock = ManualClock()
    told: list[Publication] = []
    with Journal(path, key=key, clock=clock) as journal:
        publisher = begin(journal, clock.now_ns(), meters)

        def deliver(seen: Seen) -> None:
            for topic, text, *_ in publisher.publish(seen):
                journal.publish(TABLE, topic, seen.at_ns, text)

        simulated = SimulatedTable(load_scenario(plan.scenario), speed=SPEED)
        simulated.power_on(clock.now_ns())
        cables = {device: Cable(clock, plan.lines[device]) for device in DEVICES}
        far, owner = Far(simulated, cables, clock, plan, {}), Owner(clock)
        for device, cable in cables.items():
            owner.add(_supervisor(device, cable, journal, clock, deliver, noise))
        end_ns = clock.now_ns() + ROUND_MOST_S * SECOND
        try:
            while not _over(simulated) and clock.now_ns() < end_ns and journal.failed is None:
                far.turn()
                owner.turn()
                each_turn(journal)
                told += journal.commit()
                far.turn()
                dues = [due for member in (far, *owner.members) if (due := member.next_deadline_ns) is not None]
                clock.set(max(min(dues, default=end_ns), clock.now_ns() + MS // 4))
        finally:
            owner.close()
        for topic, text, _ in publisher.finish():
            journal.publish(TABLE, topic, clock.now_ns(), text)
        journal.stopped(TABLE, clock.now_ns())
        told += journal.commit()
    return told


def _over(simulated: SimulatedTable) -> bool:
    return simulated.dealer.done and all(unit.all_acknowledged for unit in simulated.units.values())


def _supervisor(
    device: str,
    cable: Cable,
    journal: Journal,
    clock: ManualClock,
    deliver: Callable[[Seen], None],
    noise: Noise | None,
) -> Supervisor:
    kind = DEVICES[device]
    number = journal.line(TABLE, device, device=device, dialect="tdp", address="memory:", baud=115200, procedure=GAME)

    budget = None if noise is None else Budget(8192, 32768)

    def open_line() -> Transport:
        line: Transport = cable.open()
        if noise is not None and noise.device == device:
            line = Jabbering(line, noise, clock)
        return Journaled(line, journal, number, clock, budget=budget)

    link = partial(HostLink, expects=kind.device_class, role=Role.OPERATE)
    supervisor = Supervisor(device, Opener(open_line), link, kind.make(), clock, deliver)
    supervisor.start()
    return supervisor


def copy_as_killed(path: Path, folder: Path) -> Path:
    """Copy the journal as if its writer had been killed at this instant: SIGKILL leaves what was written."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in (path.name, f"{path.name}-wal"):
        if (path.parent / name).exists():
            shutil.copyfile(path.parent / name, folder / name)
    return folder / path.name
