"""A lying device tested by the acceptance plan, and played at a table with honest partners."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.bench.plan.plan import load_plan
from dealwire.bench.record import BenchOutcome
from dealwire.bench.run.rig import SimulatedRig
from dealwire.bench.run.runner import BenchChoices, run_plan
from dealwire.live import LineConfig, LiveTable
from dealwire.rehearsal.dealt_table import DealtTable, PeoplePace
from dealwire.rehearsal.scenario import AnyScenario, RaceScenario, endless
from dealwire.rehearsal.scenario_file import clean_round, clean_scenario, find_scenario, scenario_of
from dealwire.rehearsal.simulate import SPEED, hosted
from dealwire.rehearsal.tables import set_up
from dealwire.table.replay import replay, usual_table
from devices.clock import ManualClock, SystemClock
from devices.events import Seen
from devices.line.loop import Owner
from devices.record.capture import CaptureWriter
from devices.simulator.host import SimulatorHost, TableModel
from devices.simulator.unit import Unit
from protocol.tdp.messages import Capability, Role
from rules.settlement import Settlement
from tests.support.lies.liar import DeviceLie

STOPPED_NS: Final = 900_000_000_000
"""Time without the end of a round after which a table counts as stopped."""
SLOW: Final = 0.2
SECOND: Final = 1_000_000_000
SESSION: Final = re.compile(r"\b[0-9a-f]{8}\b")


class CheckFailed(NamedTuple):
    """A check of the plan that failed: its requirement and the reason of its failure."""

    id: str
    must: str
    why: str


def failing_checks(
    lie: DeviceLie | None, device: str, only: Sequence[str] = (), rounds: int | None = None
) -> list[CheckFailed]:
    """Return the failing checks of the device's plan, with hands, on the simulated clock. `only`: patterns of ids."""

    def wrap(table: TableModel) -> TableModel:
        if lie is not None:
            unit = table.units[device]
            assert isinstance(unit, Unit)
            if lie.recognition:
                unit.model.recognition = True  # type: ignore[union-attr]
                unit._capabilities |= Capability.CARD_RECOGNITION
            lie.attach(unit)
        return table

    rig = SimulatedRig(device, wrap=wrap)
    with closing(rig.wire):
        run = run_plan(load_plan(device), rig.wire, lambda _: rig.hands, BenchChoices(tuple(only), rounds))
    return [CheckFailed(each.id, each.must, each.why) for each in run.of(BenchOutcome.FAILED)]


class Honest(DeviceLie):
    """A device without a lie."""


class HonestReader(DeviceLie):
    """A device without a lie that reads faces."""

    recognition = True


@cache
def honest_checks(device: str, recognition: bool, rounds: int | None, only: tuple[str, ...]) -> list[CheckFailed]:
    """Return the checks that fail without a lie."""
    return failing_checks((HonestReader if recognition else Honest)(), device, only, rounds)


# ------------------------------------------------------------------ at a table


@dataclass(frozen=True)
class LiedEvening:
    """Deal of an evening at a table.

    - `seconds`: the longest duration, by the table's clock.
    - `power`: after each third round the lying device loses its power for a moment.
    """

    name: str
    procedure: str
    rounds: int = 8
    recognition: bool = False
    faults: float = 0.0
    players: int = 3
    seed: int = 5
    power: bool = False
    troubles: tuple[Mapping[str, Any], ...] = ()
    """Tables of a scenario file: the trouble in every other round."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Further keys of a scenario file."""
    awards: tuple[str, ...] = ()
    """Level that approves an award, round by round."""
    file: str = ""
    """A scenario that comes with the program, dealt repeatedly."""
    slow: bool = False
    """People are slower than the machines: the next deck is counted before the remainder is lifted."""
    cut: tuple[str, ...] = ()
    """In each third round the lying device loses its power for a moment as it enters each of these states."""

    def scenario(self) -> AnyScenario:
        """Return the evening's scenario, without an end."""
        if self.file:
            return endless(find_scenario(self.file), seed=self.seed)
        procedure = load_procedure(self.procedure)
        seats = range(1, min(self.players, procedure.seats.most) + 1)
        clean = clean_scenario(procedure, seats)
        if isinstance(clean, RaceScenario):
            clean = replace(clean, **self.more)
            return endless(clean, faults=self.faults, seed=self.seed)
        if self.awards:
            whole = clean_round(procedure, seats)
            rounds = [whole | {"awards": [{"seat": 1, "hand": 1, "card": card}]} for card in self.awards]
            return endless(scenario_of(procedure, rounds), seed=self.seed)
        if self.troubles:
            whole = clean_round(procedure, seats)
            clean = scenario_of(procedure, [whole, whole | {"troubles": list(self.troubles)}], **self.more)
            return endless(replace(clean, recognition=self.recognition), seed=self.seed)
        if self.more:
            clean = scenario_of(procedure, [clean_round(procedure, seats)], **self.more)
        return endless(replace(clean, recognition=self.recognition), faults=self.faults, seed=self.seed)


@dataclass(frozen=True)
class Played:
    """Result of an evening: incidents by kind, rounds by outcome, and the money of the settlements."""

    incidents: Counter[str]
    texts: Mapping[str, str]
    rounds: Counter[str]
    paid: int
    returned: int
    held: int
    held_for: Counter[str]
    stood_still: bool

    @property
    def money(self) -> tuple[int, int, int]:
        """Cents paid, cents returned, and the number of held settlements."""
        return self.paid, self.returned, self.held


class Book:
    """Running totals of an evening."""

    def __init__(self) -> None:
        self.incidents, self.rounds, self.held_for = Counter[str](), Counter[str](), Counter[str]()
        self.texts: dict[str, str] = {}
        self.paid = self.returned = self.held = 0

    @property
    def dealt(self) -> int:
        """Number of rounds that are over."""
        return self.rounds.total()

    def add(self, outcomes: Iterable[Any]) -> None:
        """Add outcomes."""
        for each in outcomes:
            if isinstance(each, Incident):
                self.incidents[each.code] += 1
                self.texts.setdefault(each.code, str(each))
            elif isinstance(each, RoundResult):
                self.rounds[str(each.outcome)] += 1
            elif isinstance(each, Settlement):
                self.paid += sum(line.pay for line in each.lines)
                self.returned += sum(line.returned for line in each.lines)
                if each.status != "settled":
                    self.held += 1
                    self.held_for[SESSION.sub("...", str(each.why))] += 1

    def played(self, still: bool) -> Played:
        """Return the whole result."""
        money = self.paid, self.returned, self.held
        return Played(self.incidents, self.texts, self.rounds, *money, self.held_for, still)


def lying_evening(lie: DeviceLie | None, device: str, evening: LiedEvening) -> Played:
    """Deal an evening at a table where `device` lies."""
    scenario = evening.scenario()
    dealt = set_up(scenario, speed=SPEED)
    unit = dealt.units[device]
    assert isinstance(unit, Unit)
    if evening.slow:
        dealt.dealer.pace = PeoplePace().faster(SLOW)
    if lie is not None:
        lie.attach(unit)
    table = usual_table(evening.procedure, name="lies")
    outcomes: list[Any] = []
    book = Book()
    for _ in _turns(dealt, unit, evening, table, outcomes):
        book.add(outcomes)
        outcomes.clear()
        if book.dealt >= evening.rounds:
            return book.played(False)
    return book.played(True)


def on_lines(lie: DeviceLie | None, device: str, evening: LiedEvening, file: Path) -> tuple[Played, Played]:
    """Deal the evening on real pseudo-terminals, in real time and recorded in `file`; return its result and that of the
    recording's replay. The power stays on."""
    dealt = set_up(evening.scenario(), speed=SPEED * 2)
    if lie is not None:
        unit = dealt.units[device]
        assert isinstance(unit, Unit)
        lie.attach(unit)
    table, book = usual_table(evening.procedure, name="lies"), Book()
    bench = SimulatorHost(dealt, dict.fromkeys(dealt.units, "pty"))
    clock, over = SystemClock(), threading.Event()

    def serve() -> None:
        owner = Owner(clock)
        for member in (bench, *bench.lines.values()):
            owner.add(member)
        bench.start(clock.now_ns())
        owner.run(over.is_set)
        owner.close()

    devices = threading.Thread(target=serve)
    lines = [LineConfig(name, name, address) for name, address in bench.addresses.items()]
    with CaptureWriter(file, overwrite=True, procedure=evening.procedure) as writer:
        devices.start()
        try:
            with LiveTable(lines, lambda seen: book.add(table.handle(seen)), record=lambda: writer) as live:
                still = not live.run(lambda: book.dealt >= evening.rounds, timeout_s=120)
        finally:
            over.set()
            devices.join()
    again = Book()
    again.add(replay(file))
    return book.played(still), again.played(False)


def _turns(dealt: DealtTable, unit: Unit, evening: LiedEvening, table: Any, outcomes: list[Any]) -> Iterator[int]:
    """Yield each turn of the table, until it has stood still for too long."""
    heard: list[Seen] = []
    last_ns, done, cuts = None, 0, 0
    cutting: list[str] = []
    for now_ns in hosted(dealt, ManualClock().now_ns(), heard.append, role=Role.OPERATE):
        last_ns = last_ns or now_ns
        for seen in heard:
            outcomes += table.handle(seen)
        heard.clear()
        ended = sum(table.outcomes.values())
        yield now_ns
        if now_ns - last_ns > STOPPED_NS:
            return
        if cutting and unit.model.state.name == cutting[0]:
            cutting.pop(0)
            unit.power_off()
            unit.power_on(now_ns)
        if ended != done and ended % 3 == 2:
            cutting = list(evening.cut)
        if ended != done:
            last_ns, done = now_ns, ended
        if evening.power and done // 3 > cuts and now_ns - last_ns > SECOND // 100:
            cuts += 1
            unit.power_off()
            unit.power_on(now_ns)  # at once: what is done at a device without power nobody hears


@cache
def honest_evening(device: str, evening_name: str) -> Played:
    """Deal the same evening without a lie."""
    return lying_evening(None, device, EVENINGS[evening_name])


FGW: Final = "flushes-gone-wild.co"
_ALL: Final = (
    LiedEvening("clean", FGW, rounds=12),
    LiedEvening("reads", FGW, recognition=True, rounds=16),
    LiedEvening("faults", FGW, faults=0.7, rounds=24),
    LiedEvening("reads-faults", FGW, recognition=True, faults=0.7, rounds=24),
    LiedEvening("many", FGW, players=8, rounds=6, recognition=True),
    LiedEvening("power", FGW, rounds=9, power=True),
    LiedEvening("reads-power", FGW, rounds=9, power=True, recognition=True),
    LiedEvening("lost", FGW, rounds=6, troubles=({"what": "lost-card", "packet": 2},)),
    LiedEvening("slow", FGW, rounds=6, slow=True),
    LiedEvening("short-deck", FGW, rounds=12, slow=True, troubles=({"what": "deck", "cards": 1},)),
    LiedEvening(
        "reject", FGW, rounds=8, recognition=True, troubles=({"what": "rejected-card", "packet": 3, "cards": 1},)
    ),
    LiedEvening(
        "reject-short",
        FGW,
        rounds=8,
        troubles=({"what": "rejected-card", "packet": 2, "cards": 1}, {"what": "packet", "packet": 3, "by": -1}),
    ),
    LiedEvening("reads-jam", FGW, rounds=6, recognition=True, troubles=({"what": "jam", "packet": 3, "tries": 4},)),
    LiedEvening("noise", FGW, rounds=12, recognition=True, troubles=({"what": "noise", "packet": 2, "bytes": 20},)),
    LiedEvening("lossy", FGW, rounds=12, recognition=True, troubles=({"what": "drop", "packet": 2, "bytes": 60},)),
    LiedEvening("slow-cuts", FGW, rounds=4, slow=True, troubles=({"what": "power", "packet": 3},)),
    LiedEvening("doors", FGW, rounds=10, troubles=({"what": "door", "packet": 2},)),
    LiedEvening("power-cuts", FGW, rounds=8, players=6, troubles=({"what": "power", "packet": 5},)),
    LiedEvening("unnoticed", FGW, rounds=8, troubles=({"what": "packet", "packet": 2, "by": -1, "noticed": False},)),
    LiedEvening("two-wrong", FGW, rounds=8, troubles=tuple({"what": "packet", "packet": n, "by": -1} for n in (2, 3))),
    LiedEvening("cut-in-game", FGW, rounds=9, cut=("GAME",)),
    LiedEvening("awards", "flushes-gone-wild.wa", rounds=9, file="wa-award"),
    LiedEvening("two-levels", "flushes-gone-wild.wa", rounds=8, awards=("executive", "supervisor")),
    LiedEvening("cut-in-award", "flushes-gone-wild.wa", rounds=9, file="wa-award", cut=("AWARD",)),
    LiedEvening("cut-twice", FGW, rounds=9, cut=("PACKET_WAIT", "MISDEAL", "MISDEAL")),
    LiedEvening(
        "cut-in-jam", FGW, rounds=12, troubles=({"what": "jam", "packet": 2, "tries": 3},), cut=("RECOVERING",)
    ),
    LiedEvening("groups-many", "mississippi-stud.co", rounds=6, players=20),
    LiedEvening("cut-in-round", "race-to-the-flush", rounds=9, cut=("ROUND",)),
    LiedEvening("cut-in-error", "race-to-the-flush", rounds=24, faults=0.9, cut=("ERROR",)),
    LiedEvening("cut-at-end", "race-to-the-flush", rounds=9, more={}, cut=("CUT_CARD_SEEN",), file="race-cut-card"),
    LiedEvening("controller-many", "holdem.co", rounds=8, players=10),
    LiedEvening("groups", "mississippi-stud.co", rounds=8, recognition=True),
    LiedEvening("jokers", "fortune-pai-gow.co", rounds=6, recognition=True),
    LiedEvening("races", "race-to-the-flush", rounds=12),
    LiedEvening("races-faults", "race-to-the-flush", rounds=24, faults=0.7),
    LiedEvening("races-power", "race-to-the-flush", rounds=9, power=True),
    LiedEvening("races-limit", "race-to-the-flush", rounds=24, faults=0.8, more={"round_limit": 17, "burn": 2}),
    LiedEvening("stud-shoe", "caribbean-stud.co-single", rounds=8),
    LiedEvening("stud-shoe-faults", "caribbean-stud.co-single", rounds=16, faults=0.6),
    LiedEvening("holdem", "holdem.co", rounds=8, players=6),
    LiedEvening("holdem-faults", "holdem.co", rounds=16, players=6, faults=0.6),
    LiedEvening("big-shoe", "208.co", rounds=40, players=6),
)
EVENINGS: Final = {each.name: each for each in _ALL}
USUAL: Final = {
    "shuffler": ("clean", "reads", "faults", "power", "groups"),
    "table-controller": ("clean", "reads", "faults", "power", "holdem"),
    "shoe": ("races", "races-limit", "races-faults", "races-power", "stud-shoe", "holdem", "big-shoe"),
}
"""Evenings through which each lie is played, by device."""
READER: Final = ("reads", "reads-faults", "groups", "jokers")
"""Evenings for a lie that only a device which reads faces can tell."""


FEW: Final = {"shuffler": ("faults",), "table-controller": ("clean", "holdem"), "shoe": ("races-faults", "holdem")}
"""Evenings that are quick and show the most."""


def evenings_of(lie: type[DeviceLie], few: bool = False) -> tuple[str, ...]:
    """Return the evenings through which a lie is played."""
    if few:
        return lie.evenings or (("reads",) if lie.recognition else FEW[lie.device])
    return tuple(dict.fromkeys((*(READER if lie.recognition else USUAL[lie.device]), *lie.evenings)))
