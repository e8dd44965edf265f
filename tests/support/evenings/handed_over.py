"""Handover of a player's lines, at every moment that allows one, and of live lines together with the player of their
recording."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random

import msgspec

from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.rehearsal.tables import SimulatedTable
from devices.clock import ManualClock
from devices.drive.replay import Player, PlayStats
from devices.events import Seen
from devices.feed_state import LineStanding
from devices.line.loop import Owner
from devices.line.supervisor import Supervisor
from devices.record.capture import CLOSED, LINE_LOST, Capture, Chunk, Interface, Recorded
from devices.transport.base import Transport
from devices.transport.opening import Opener
from protocol.tdp import HostLink
from protocol.tdp.messages import Role
from tests.support.evenings.faulty_rounds import DEVICES, MS, ROUND_MOST_S, SECOND, SPEED, Cable, Far, Plan
from tests.support.evenings.simulated_shoe import ShoeEvening

DECODER = msgspec.json.Decoder(LineStanding)


class Kept(Capture):
    """Chunks in memory as a recording."""

    def __init__(self, interfaces: Sequence[Interface], chunks: Sequence[Chunk] = ()) -> None:
        super().__init__(Path("kept.pcapng"))
        self.interfaces = tuple(interfaces)
        self.kept = list(chunks)

    @classmethod
    def of(cls, capture: Capture) -> Kept:
        """Return a whole capture in memory."""
        chunks = list(capture.chunks)
        return cls(capture.interfaces, chunks)

    @property
    def chunks(self) -> Iterator[Chunk]:
        return iter(self.kept)

    def chunk(self, interface: int, at_ns: int, sent: bool, data: bytes) -> None:
        """Record a chunk, as a writer of a line's traffic does."""
        self.kept.append(Chunk(interface, at_ns, sent, data))

    def note(self, interface: int, at_ns: int, text: str) -> None:
        """Record a note, as a writer of a line's traffic does."""
        self.kept.append(Chunk(interface, at_ns, False, b"", text))


def tdp_line(device: str) -> Interface:
    return Interface(device, device, "tdp", "", 115200, "")


def states_of(player: Player, lines: int) -> list[bytes | None]:
    """Return every line's standing as JSON, None while it is not at rest."""
    states = [player.state(index) for index in range(lines)]
    return [None if state is None else msgspec.json.encode(state) for state in states]


def whole(capture: Capture, upto: int | None = None) -> tuple[list[list[Seen]], list[list[bytes | None]]]:
    """Return the reports and the standings after each chunk, and the reports of the end."""
    heard: list[Seen] = []
    player = Player(capture, lambda _: heard.append, PlayStats())
    reports, states = [], []
    for chunk in capture.chunks:
        player.take(chunk)
        reports.append(heard[:])
        states.append(states_of(player, len(capture.interfaces)))
        heard.clear()
    player.finish()
    return [*reports, heard], states


def handed_over(
    capture: Capture, states: list[list[bytes | None]], begin: int = -1, *, often: bool
) -> tuple[list[list[Seen]], list[list[bytes | None]]]:
    """Return the same as `whole`, from after chunk `begin` on, by a player that adopts the states of that moment;
    `often`: by another player after every chunk at which the lines are at rest."""
    heard: list[Seen] = []

    def successor(at_ns: int, standing: list[bytes | None]) -> Player:
        player = Player(capture, lambda _: heard.append, PlayStats())
        player.advance(at_ns)
        for index, state in enumerate(standing):
            assert state is not None
            player.resume(index, DECODER.decode(state))
        assert states_of(player, len(standing)) == standing, "what was adopted is another standing"
        return player

    chunks = list(capture.chunks)
    player = (
        successor(chunks[begin].at_ns, states[begin])
        if begin >= 0
        else Player(capture, lambda _: heard.append, PlayStats())
    )
    reports, found = [], []
    for chunk in chunks[begin + 1 :]:
        player.take(chunk)
        reports.append(heard[:])
        found.append(states_of(player, len(capture.interfaces)))
        heard.clear()
        if often and None not in found[-1]:
            player = successor(player.advance(0), found[-1])
    player.finish()
    return [*reports, heard], found


def check_handed_over(capture: Capture, restarts: int = 5) -> int:
    """Check that every handover gives the reports of a single player; return the number of moments of rest."""
    reports, states = whole(capture)
    assert handed_over(capture, states, often=True) == (reports, states)
    rests = [at for at, state in enumerate(states) if None not in state]
    for begin in Random(len(states)).sample(rests, min(restarts, len(rests))):
        later = handed_over(capture, states, begin, often=False)
        assert later == (reports[begin + 1 :], states[begin + 1 :])
    return len(rests)


def evening_beside_its_record(plan: Plan) -> tuple[Kept, int]:
    """Deal a faulty round with real supervisors; return its record and the number of comparisons.

    After every turn of the owner, each line at rest must have the standing that the player of its record has.
    """
    clock = ManualClock()
    record = Kept([tdp_line(device) for device in DEVICES])
    live: list[Seen] = []
    replayed: list[Seen] = []
    player = Player(record, lambda _: replayed.append, PlayStats())
    simulated = SimulatedTable(load_scenario(plan.scenario), speed=SPEED)
    simulated.power_on(clock.now_ns())
    cables = {device: Cable(clock, plan.lines[device]) for device in DEVICES}
    far, owner = Far(simulated, cables, clock, plan, {}), Owner(clock)
    supervisors = []
    for index, (device, cable) in enumerate(cables.items()):
        kind = DEVICES[device]
        link = partial(HostLink, expects=kind.device_class, role=Role.OPERATE)
        opener = Opener(partial(_recorded, cable.open, record, index, clock))
        supervisor = Supervisor(device, opener, link, kind.make(), clock, live.append)
        supervisors.append(supervisor)
        owner.add(supervisor)
        supervisor.start()
    taken = compared = 0
    end_ns = clock.now_ns() + ROUND_MOST_S * SECOND
    while not (simulated.dealer.done and all(unit.all_acknowledged for unit in simulated.units.values())):
        far.turn()
        owner.turn()
        far.turn()
        for chunk in record.kept[taken:]:
            player.take(chunk)
        taken = len(record.kept)
        player.advance(clock.now_ns())
        for index, supervisor in enumerate(supervisors):
            standing = supervisor.standing()
            if standing is not None:
                compared += 1
                listener = player.state(index)
                assert msgspec.json.encode(standing) == msgspec.json.encode(listener), (standing, listener)
        dues = [due for member in (far, *owner.members) if (due := member.next_deadline_ns) is not None]
        if clock.now_ns() >= end_ns:
            break
        clock.set(max(min(dues, default=end_ns), clock.now_ns() + MS // 4))
    owner.close()
    for chunk in record.kept[taken:]:
        player.take(chunk)
    assert replayed == live
    assert all(supervisor.standing() == player.state(index) for index, supervisor in enumerate(supervisors))
    return record, compared


def _recorded(open_line: Callable[[], Transport], record: Kept, index: int, clock: ManualClock) -> Transport:
    return Recorded(open_line(), record, index, clock)


def troubled_shoe(dialect: str, seed: int) -> Kept:
    """Return a shoe's evening with bytes lost, changed and cut anywhere, lines lost and lines closed."""
    random = Random(seed)
    acts = ["fill", "begin 2", *["draw"] * 5, "draw unread", "clear", "draw", "end round", "draw", "end round"]
    heard = ShoeEvening(acts, dialect).run().heard
    record = Kept([Interface("shoe-1", "shoe", dialect, "", 9600, "")])
    at_ns = 0
    for came_ns, data in heard * 2:  # the second time as a device that repeats all it said
        at_ns = max(at_ns + random.randrange(400) * MS, came_ns)
        trouble = random.random()
        if trouble < 0.05:
            record.note(0, at_ns, LINE_LOST + "unplugged")
        elif trouble < 0.08:
            record.note(0, at_ns, CLOSED)
        elif trouble < 0.15:
            changed = bytearray(data)
            changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
            data = bytes(changed)
        elif trouble < 0.2:
            data = data[: random.randrange(len(data))] + random.randbytes(random.randrange(5))
        cut = random.randrange(len(data) + 1)
        for part in (data[:cut], data[cut:]) if random.random() < 0.3 else (data,):
            if part:
                record.chunk(0, at_ns, False, part)
                at_ns += random.choice((0, 10, 600)) * MS
        if random.random() < 0.1:
            record.chunk(0, at_ns, True, b"sent")
    return record
