"""Evenings over lines that fail, with devices that lose or change their identity.

    python -m tests.support.evenings.faulty_evenings ROUNDS [--jobs N] [--seed N]

Faults of identity are added to the faults of `faulty_rounds`, one or two an evening:

- again: a device, or both, loses its memory and restarts under the same session id
- swap: another device is on the line from now on, under a new session id or the same
- ghost: both devices were restarted; then an old session is on the lines again, with all its events
- echo: bytes that a device sent before arrive once more

The truth is kept apart: the reports of the devices' own models, in order, under session ids that never repeat, go to a
table of its own, with no line and no link between. Three more tables of that kind see no restart and no lost power; two
of them see nothing before the last END GAME either, and one of these sees nothing that one device does while the other
is dead. A round that is paid must be one that was dealt, as one of the four tables has it, to the cent, and once. A
round that was dealt and is not paid must have been reported as unreliable, or be covered by an incident that can
explain it. Anything else is WRONG, and the program exits with 1.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import logging
import os
import sys
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from dataclasses import replace as with_fields
from random import Random
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import Deck, RoundResult
from dealwire.journal.tables import JournaledTable
from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.rehearsal.tables import SimulatedTable
from dealwire.table.table import Table, TableOutcome
from devices.clock import ManualClock
from devices.events import FaultRaised, GameEnded, MisdealReported, RedLamp, Seen
from devices.line.loop import Owner
from devices.simulator import unit as simulated_unit
from devices.simulator.unit import Unit
from devices.transport.base import LineClosed
from devices.transport.memory import Faults, MemoryLine
from protocol.faults import Fault
from protocol.tdp import Delivered, DeviceLink, EventStore, Send
from protocol.tdp import outputs as o
from protocol.tdp.event_store import Stored
from protocol.tdp.messages import BootedMessage, Role
from rules.settlement import Settlement
from tests.support.evenings.faulty_rounds import (
    DEVICES,
    MS,
    SECOND,
    SPEED,
    Cable,
    Far,
    Plan,
    _rules,
    plan_of,
    supervise,
)

ROUNDS: Final = 4
"""Rounds of an evening."""
HURRY: Final = 4
"""Speed of a ghost: it repeats its events so many times as fast as they happened."""
LONGEST_S: Final = 45
"""Longest evening by the simulated clock, in seconds, for one in which a device does not come back to life."""
IDENTITY: Final = ("again", "swap", "ghost", "echo")
EXPLAINS: Final = frozenset(
    {
        *("events-lost", "session-changed", "power-lost", "link-lost", "out-of-turn", "round-number-differs"),
        *("recording-ended", "device-swapped", "session-replayed", "session-restarted"),
    }
)
"""Incidents after which a round may be missing."""


@dataclass(frozen=True)
class FaultyEvening:
    """Faults that a seed decides for an evening."""

    seed: int
    scenario: str
    lines: Plan
    identity: tuple[tuple[int, str, tuple[str, ...], int, bool], ...]
    """Nanoseconds since the start, the fault, the devices, how long they are away, and whether they return under the
    same session."""


def evening_of(seed: int) -> FaultyEvening:
    """Return the evening of a seed. A third of all evenings have clean lines, for a fault of identity alone."""
    random = Random(seed * 7919 + 1)
    lines = plan_of(seed)
    if seed % 3 == 0:
        lines = with_fields(lines, kinds=(), moments=(), lines={name: _clean() for name in DEVICES})
    moments = []
    for what in random.sample(IDENTITY, random.randint(1, 2)):
        both = what == "ghost" or random.random() < 0.5
        which = tuple(DEVICES) if both else (random.choice(list(DEVICES)),)
        at_ns = random.randrange(SECOND, 12 * SECOND)
        away_ns = int(random.uniform(0.01, 1) ** 2 * 5 * SECOND)
        moments.append((at_ns, what, which, away_ns, random.random() < 0.5))
    return FaultyEvening(seed, ("clean-1", "clean-3")[seed % 2], lines, tuple(sorted(moments)))


def _clean() -> Any:
    return Faults(), Faults()


# ------------------------------------------------------------------ the truth


class TrueRound(NamedTuple):
    """A round that was dealt, by the facts that are compared: as the truth has it, None if the truth holds it, and as
    people saw its cards and bets."""

    essence: str | None
    seen: frozenset[str]


_FAULTS: Final = (FaultRaised, RedLamp, MisdealReported)


class Truth:
    """Reports of the devices' own models, in order, at a table of their own."""

    def __init__(self, clock: ManualClock) -> None:
        self.outcomes: list[TableOutcome] = []
        self.rounds: list[TrueRound] = []
        self._table, self._calm, self._alone, self._lit = (Table(*_rules()) for _ in range(4))
        self._off: set[str] = set()
        self._clock = clock
        self._sessions: dict[str, int] = {}
        self._count = 0

    def powered_off(self, device: str) -> None:
        """Note that the device is silent from now on, and that no round of the other device involves it."""
        self._off.add(device)

    def powered_on(self, device: str, link: DeviceLink) -> None:
        self._off.discard(device)
        self._count += 1
        previous, self._sessions[device] = self._sessions.get(device), self._count
        if previous is not None:
            self._tell(device, 0, o.SessionRestarted(previous, self._count))
        self._tell(device, 0, o.Up(replace(link.hello, session=self._count), False))

    def emitted(self, device: str, link: DeviceLink) -> None:
        stored = link.store.get(link.store.last)
        session = self._sessions[device]
        self._tell(device, stored.event.number, Delivered(session, stored.request, stored.event))

    def _tell(self, device: str, number: int, output: Any) -> None:
        body = DEVICES[device].make().translate(output)
        if body is not None:
            seen = Seen(device, self._sessions[device], number, self._clock.now_ns(), body)
            found = self._table.handle(seen)
            self.outcomes += found
            happened = type(output) is Delivered and not isinstance(output.message, BootedMessage)
            self._judge(found, self._by_people(replace(seen, session=1)) if happened else [])

    def _by_people(self, seen: Seen) -> list[list[TableOutcome]]:
        """Return the results for a report where only cards and bets count: from all that lay on the table, from this
        round alone, and from this round alone while every device had power."""
        if isinstance(seen.body, _FAULTS) and seen.body.fault == Fault.POWER_LOST_MID_ROUND:
            return []
        found = [self._calm.handle(seen), self._alone.handle(seen), [] if self._off else self._lit.handle(seen)]
        if isinstance(seen.body, GameEnded):
            self._alone, self._lit = Table(*_rules()), Table(*_rules())
        return found

    def _judge(self, found: list[TableOutcome], by_people: list[list[TableOutcome]]) -> None:
        true, *others = ([each.essence for each in dealt_in(one) if not each.held] for one in (found, *by_people))
        other = frozenset(essence for one in others for essence in one)
        if true or other:
            self.rounds.append(TrueRound(true[0] if true else None, other))

    def finish(self) -> None:
        """End the evening; a round that was under way does not count."""
        self._judge(last := self._table.finish(), [])
        self.outcomes += last


class WitnessedLink(DeviceLink):
    """A device's link whose events the truth sees as well."""

    truth: Truth
    device: str

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        truth, device = _under_way[0]
        self.truth, self.device = truth, device
        self.said: list[tuple[int, Stored]] = []
        truth.powered_on(device, self)

    def emit(self, event: type[Any], now_ns: int, **options: Any) -> Any:
        out = super().emit(event, now_ns, **options)
        self.said.append((now_ns, self.store.get(self.store.last)))
        self.truth.emitted(self.device, self)
        return out


_under_way: list[tuple[Truth, str]] = []


# ------------------------------------------------------------------ the devices


@dataclass(frozen=True)
class Past:
    """A past session of a device: its HELLO, and each event with the time at which it was reported."""

    hello: Any
    said: list[tuple[int, Stored]]


class Changeling:
    """One simulated device, and the changes of its identity."""

    def __init__(self, name: str, unit: Unit, truth: Truth) -> None:
        self.name, self.unit, self._truth = name, unit, truth
        self.past: Past | None = None
        self.ghost: DeviceLink | None = None
        self._repeats: deque[tuple[int, Stored]] = deque()
        """Events that the ghost has yet to report, each with its time."""
        self._hello, self._swaps = unit._hello, 0
        unit._hello = self._say_who  # type: ignore[method-assign]

    def _say_who(self) -> Any:
        hello = self._hello()
        return replace(hello, serial=f"SIM-{self._swaps:04}", boot_count=1) if self._swaps else hello

    def power_on(self, now_ns: int, *, same: bool = False, swapped: bool = False) -> None:
        """Power on: with the device's memory; without it under the same id; or as another device altogether."""
        self.ghost = None
        self._repeats.clear()
        if self.unit._link is not None:
            self.unit.power_off()
        self._swaps += swapped
        if same or swapped:
            self.unit._store = EventStore()
        rng, session = self.unit._rng, self.unit._session
        if same:
            self.unit._rng = Same(session)  # type: ignore[assignment]
        _under_way[:] = [(self._truth, self.name)]
        self.unit.power_on(now_ns)
        self.unit._rng = rng

    def power_off(self) -> None:
        """Pull the plug. The events of this session are kept for a ghost."""
        link = self.unit._link
        if isinstance(link, WitnessedLink) and link.said:
            self.past = Past(link.hello, link.said)
        self._truth.powered_off(self.name)
        self.unit.power_off()

    def haunt(self, now_ns: int, past: Past, first_ns: int) -> None:
        """Put an old session on the line, which repeats all its events in order, faster than they happened. Both
        devices' ghosts begin with the event at `first_ns`."""
        self.power_off()
        self.ghost = DeviceLink(past.hello, report=self.unit.model.status, granted=Role.SERVICE)
        self._repeats = deque((now_ns + SECOND + (at_ns - first_ns) // HURRY, stored) for at_ns, stored in past.said)
        self.said(self.ghost.start(now_ns))

    @property
    def next_deadline_ns(self) -> int | None:
        """Return the next time at which the ghost must act."""
        if self.ghost is None:
            return None
        dues = [self.ghost.next_deadline_ns, self._repeats[0][0] if self._repeats else None]
        return min((due for due in dues if due is not None), default=None)

    def serve_ghost(self, line: MemoryLine | None, now_ns: int) -> None:
        """Serve the ghost on the line that the device had."""
        assert self.ghost is not None
        try:
            data = line.read() if line is not None else b""
        except LineClosed:
            data = b""
        self.said(self.ghost.receive(data, now_ns) if data else ())
        while self._repeats and self._repeats[0][0] <= now_ns:
            _, stored = self._repeats.popleft()
            self.ghost.store.append(stored.request, stored.event)
            if self.ghost.role is not None:
                self.ghost._pump(now_ns, out := [])
                self.said(out)
        self.said(self.ghost.tick(now_ns))

    def said(self, outputs: Sequence[Any]) -> None:
        """Put the ghost's frames on the line."""
        self.unit._out += [output.data for output in outputs if isinstance(output, Send)]


class Same:
    """A weak source of random numbers: always the same."""

    def __init__(self, value: int) -> None:
        self._value = value

    def randrange(self, *_: int) -> int:
        return self._value


class FarEvening(Far):
    """The table's side of both cables, with an evening's script."""

    def __init__(
        self,
        table: SimulatedTable,
        cables: dict[str, Cable],
        clock: ManualClock,
        evening: FaultyEvening,
        changelings: dict[str, Changeling],
    ) -> None:
        super().__init__(table, cables, clock, evening.lines, {})
        self._changelings = changelings
        self._identity = [(self._start_ns + at_ns, *rest) for at_ns, *rest in evening.identity]
        self._returns: list[tuple[int, Callable[[int], None]]] = []
        self._sent: dict[str, list[bytes]] = {name: [] for name in cables}
        for name, cable in cables.items():
            cable.sent = self._sent[name]  # type: ignore[attr-defined]

    @property
    def next_deadline_ns(self) -> int | None:
        dues = [super().next_deadline_ns]
        dues += [self._identity[0][0]] if self._identity else []
        dues += [at_ns for at_ns, _ in self._returns]
        dues += [each.next_deadline_ns for each in self._changelings.values()]
        return min((due for due in dues if due is not None), default=None)

    def turn(self) -> None:
        now_ns = self._clock.now_ns()
        while self._identity and self._identity[0][0] <= now_ns:
            _, what, which, away_ns, same = self._identity.pop(0)
            getattr(self, f"_{what}")(which, now_ns, away_ns, same)
        for due in [due for due in self._returns if due[0] <= now_ns]:
            self._returns.remove(due)
            due[1](now_ns)
        for name, each in self._changelings.items():
            if each.ghost is not None:
                each.serve_ghost(self.cables[name].device, now_ns)
        super().turn()

    def _do(self, what: str, device: str, until_ns: int) -> None:
        if what != "reboot":
            super()._do(what, device, until_ns)
            return
        each = self._changelings[device]
        each.power_off()
        self._returns.append((until_ns, each.power_on))

    # -------------------------------------------------------------- faults of identity

    def _again(self, which: Sequence[str], now_ns: int, away_ns: int, same: bool) -> None:
        for each in self._off(which):
            self._returns.append((now_ns + away_ns, functools.partial(each.power_on, same=True)))

    def _swap(self, which: Sequence[str], now_ns: int, away_ns: int, same: bool) -> None:
        for each in self._off(which):
            self._returns.append((now_ns + away_ns, functools.partial(each.power_on, same=same, swapped=True)))

    def _ghost(self, which: Sequence[str], now_ns: int, away_ns: int, same: bool) -> None:
        """Restart devices under a new session; two seconds later the old one is back, and reports everything again."""
        found = self._off(which)
        pasts = [each.past for each in found if each.past is not None]
        if not pasts:
            return
        first_ns = min(past.said[0][0] for past in pasts)
        long_ns = (max(past.said[-1][0] for past in pasts) - first_ns) // HURRY
        for each in found:
            self._returns.append((now_ns + 50 * MS, each.power_on))
            if each.past is not None:
                haunt = functools.partial(each.haunt, past=each.past, first_ns=first_ns)
                self._returns.append((now_ns + 2 * SECOND, haunt))
            self._returns.append((now_ns + 4 * SECOND + long_ns + away_ns, each.power_on))

    def _echo(self, which: Sequence[str], now_ns: int, away_ns: int, same: bool) -> None:
        for name in which:
            line = self.cables[name].device
            if line is not None:
                line.write(b"".join(self._sent[name])[-16384:])

    def _off(self, which: Sequence[str]) -> list[Changeling]:
        found = [self._changelings[name] for name in which]
        for each in found:
            each.power_off()
        return found


# ------------------------------------------------------------------ an evening


@contextlib.contextmanager
def witnessed() -> Iterator[None]:
    """Replace every simulated device's link with one whose events the truth sees."""
    before = simulated_unit.DeviceLink
    simulated_unit.DeviceLink = WitnessedLink  # type: ignore[misc]
    try:
        yield
    finally:
        simulated_unit.DeviceLink = before  # type: ignore[misc]


@witnessed()
def deal_evening(evening: FaultyEvening) -> tuple[list[TableOutcome], Truth]:
    """Return the host's outcomes of an evening, and the truth about it."""
    clock = ManualClock()
    truth, table = Truth(clock), JournaledTable(*_rules())
    said: list[TableOutcome] = []
    one = load_scenario(evening.scenario)
    simulated = SimulatedTable(with_fields(one, seed=evening.seed, rounds=one.rounds * ROUNDS), speed=SPEED)
    changelings = {name: Changeling(name, unit, truth) for name, unit in simulated.units.items()}
    for each in changelings.values():
        each.power_on(clock.now_ns())
    cables = {device: Cable(clock, evening.lines.lines[device]) for device in DEVICES}
    far, owner = FarEvening(simulated, cables, clock, evening, changelings), Owner(clock)
    _keep_what_is_sent(far)
    supervise(owner, cables, clock, lambda seen: said.extend(table.handle(seen)))
    try:
        _run(owner, far, clock)
    finally:
        owner.close()
    said.extend(table.finish())
    truth.finish()
    return said, truth


def _keep_what_is_sent(far: FarEvening) -> None:
    take = far.table.take_output

    def kept(device: str, now_ns: int) -> bytes:
        data: bytes = take(device, now_ns)
        if data:
            far._sent[device].append(data)
        return data

    far.table.take_output = kept  # type: ignore[method-assign]


def _run(owner: Owner, far: FarEvening, clock: ManualClock) -> None:
    table, end_ns, rest_ns = far.table, clock.now_ns() + LONGEST_S * SECOND, 0
    while clock.now_ns() < end_ns:
        over = table.dealer.done and all(unit.all_acknowledged for unit in table.units.values())
        if over and not far._identity and not far._returns:
            rest_ns = rest_ns or clock.now_ns() + SECOND
            if clock.now_ns() >= rest_ns:
                return
        far.turn()
        owner.turn()
        far.turn()
        dues = [due for member in (far, *owner.members) if (due := member.next_deadline_ns) is not None]
        clock.set(max(min(dues, default=end_ns), clock.now_ns() + MS // 4))


# ------------------------------------------------------------------ comparison


@dataclass(frozen=True)
class Dealt:
    """A round with its settlement, as far as it can be compared: without sessions, and without incidents."""

    round: RoundResult
    paid: Settlement | None
    refused: bool
    """The round was reported before and is not paid: an incident says so."""

    @property
    def held(self) -> bool:
        return self.round.outcome == "unreliable" and (self.paid is None or self.paid.status == "held")

    @property
    def essence(self) -> str:
        paid = replace(self.paid, session="").to_json() if self.paid is not None else ""
        dealt = replace(self.round, incidents=(), session="", deck=Deck(0, None))  # how many it held may not be known
        if dealt.outcome == "misdeal":  # every bet goes back, however many cards were reported
            seats = tuple(replace(each, cards=(), counted=None) for each in dealt.seats)
            dealt = replace(dealt, packets=(), remainder=None, community=(), burned=(), burn=None)
            dealt = replace(dealt, seats=seats, dealer=None)
        return dealt.to_json() + paid


def dealt_in(said: Sequence[TableOutcome]) -> Iterator[Dealt]:
    """Yield every round, with the settlement that follows it."""
    for at, item in enumerate(said):
        if isinstance(item, RoundResult):
            after = next((each for each in said[at + 1 :] if not isinstance(each, Incident)), None)
            refused = [each.code for each in said[at + 1 : at + 2] if isinstance(each, Incident)] == ["round-repeated"]
            yield Dealt(item, after if isinstance(after, Settlement) and not refused else None, refused)


def evening_verdict(seed: int) -> tuple[str, int, int]:
    """Return the verdict on an evening, the number of rounds that were really dealt, and the number that came out."""
    evening = evening_of(seed)
    said, truth = deal_evening(evening)
    found = judged_evening(said, truth.rounds)
    if found.startswith("WRONG"):
        found += f"; {', '.join((*(what for _, what, *_ in evening.identity), *evening.lines.kinds))}"
    return found, sum(1 for _ in dealt_in(truth.outcomes)), sum(1 for _ in dealt_in(said))


def judged_evening(said: Sequence[TableOutcome], true: Sequence[TrueRound]) -> str:
    """Return `same`, `same, with an incident`, `some unreliable`, `some only by incidents`, or `WRONG: ` and the
    reason."""
    told = list(dealt_in(said))
    incidents = [item for item in said if isinstance(item, Incident)]
    codes = {incident.code for incident in (*incidents, *(each for one in told for each in one.round.incidents))}
    open_, wrong = list(true), []
    for each in told:
        if each.held or each.refused:
            continue
        exact = (one for one in open_ if one.essence == each.essence)
        found = next(exact, None) or next((one for one in open_ if each.essence in one.seen), None)
        if found is not None:
            open_.remove(found)
        else:
            where = f"round {each.round.round} of {each.round.session} ({each.round.outcome})"
            wrong.append(f"{where} is not one that was dealt, or was paid before")
    missing, unreliable = sum(one.essence is not None for one in open_), sum(each.held for each in told)
    if missing > unreliable and not codes & EXPLAINS:
        wrong.append(f"{missing} rounds are missing, {unreliable} are unreliable, and nothing tells why")
    if wrong:
        return f"WRONG: {'; '.join(wrong)}; {', '.join(sorted(codes)) or 'no incident'}"
    if missing:
        return "some unreliable" if unreliable else "some only by incidents"
    return "same, with an incident" if codes else "same"


def quiet_evening_verdict(seed: int) -> tuple[str, int, int]:
    """Return the verdict from a worker process; an error of this program is a verdict too."""
    logging.disable()
    try:
        return evening_verdict(seed)
    except Exception:
        return f"WRONG: {traceback.format_exc(limit=-3)}", 0, 0


def main(arguments: Sequence[str]) -> int:
    """Deal evenings until so many rounds were dealt; print figures as one line of JSON."""
    options = argparse.ArgumentParser(prog="faulty_evenings")
    options.add_argument("rounds", type=int)
    options.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options.add_argument("--seed", type=int, default=0)
    chosen = options.parse_args(arguments)
    started, found, dealt, made, wrong = time.monotonic(), Counter[str](), 0, 0, 0
    evenings = 0
    with ProcessPoolExecutor(chosen.jobs) as pool:
        first, block = chosen.seed, 100 * chosen.jobs
        while dealt < chosen.rounds and wrong < 50:
            seeds = range(first, first + min(block, (chosen.rounds - dealt) // ROUNDS + 1))
            verdicts = pool.map(quiet_evening_verdict, seeds, chunksize=5)
            for seed, (said, rounds, settled) in zip(seeds, verdicts, strict=True):
                found[said.partition(":")[0]] += 1
                dealt, made, evenings = dealt + rounds, made + settled, evenings + 1
                if said.startswith("WRONG"):
                    wrong += 1
                    print(f"seed {seed}: {said}", file=sys.stderr, flush=True)
            first = seeds.stop
            print(f"{time.monotonic() - started:8.1f} s  {dealt:,} rounds, {dict(found)}", file=sys.stderr, flush=True)
    figures = {"evenings": evenings, "rounds": dealt, "told": made, "verdicts": dict(found), "wrong": wrong}
    print(
        json.dumps(
            {
                "schema": "dealwire.faulty-evenings/1",
                **figures,
                "seed": chosen.seed,
                "seconds": round(time.monotonic() - started, 1),
            }
        )
    )
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
