"""Whole evenings on the simulated table, in memory: many rounds from a seed, as a recording that was never written."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from dealwire.rehearsal.scenario import RoundPlan, Scenario, SimulatedPlayer
from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.rehearsal.trouble import PlannedTrouble, What
from devices.capture import Capture, Chunk, Interface
from tests.support.simulated import Evening

LINES = ("shuffler", "table-controller")
TROUBLES = (What.PACKET, What.JAM, What.BURN, What.REVEAL_BEFORE_BURN, What.MISDEAL_CALLED)


class Taped(Evening):
    """An evening whose lines are recorded on the host's side."""

    def __init__(self, scenario: Scenario, speed: float = 20.0) -> None:
        self.chunks: list[Chunk] = []
        super().__init__(scenario, speed)
        take_output = self.table.take_output

        def taped(device: str, now_ns: int) -> bytes:
            data: bytes = take_output(device, now_ns)
            if data:
                self.chunks.append(Chunk(LINES.index(device), now_ns, False, data))
            return data

        self.table.take_output = taped  # type: ignore[method-assign]


class Remembered(Capture):
    """A recording in memory."""

    def __init__(self, chunks: list[Chunk], procedure: str) -> None:
        super().__init__(Path("evening.pcapng"))
        self._kept = chunks
        self.interfaces = [Interface(name, name, "tdp", "", 115200, procedure) for name in LINES]

    @property
    def chunks(self) -> Iterator[Chunk]:
        return iter(self._kept)


def evening(
    seed: int, rounds: int, *, troubles: float = 0.0, recognition: bool = False, speed: float = 20.0
) -> Remembered:
    """`rounds` rounds of Flushes Gone Wild at one to eight seats; of so many of them, something goes wrong."""
    random = Random(seed)
    plans = tuple(_round(random, troubles) for _ in range(rounds))
    scenario = replace(load_scenario("clean-3"), seed=seed, rounds=plans, recognition=recognition)
    taped = Taped(scenario, speed)
    taped.run(limit_s=1e6)
    return Remembered(taped.chunks, "flushes-gone-wild.co")


def _round(random: Random, troubles: float) -> RoundPlan:
    seats = sorted(random.sample(range(1, 9), random.randint(1, 8)))
    players = tuple(_player(random, seat) for seat in seats)
    wrong = (_trouble(random, len(seats) + 2),) if random.random() < troubles else ()
    return RoundPlan(players, wrong)


def _player(random: Random, seat: int) -> SimulatedPlayer:
    ante = random.choice((500, 1000, 2500))
    wagers: dict[str, Any] = {"ante": ante, "blind": ante}
    if random.random() < 0.5:
        wagers["flush-rush"] = 500
    if random.random() < 0.3:
        wagers["progressive"] = 100
    return SimulatedPlayer(seat=seat, wagers=wagers, decision=random.choice(("basic", "fold", "play")))


def _trouble(random: Random, packets: int) -> PlannedTrouble:
    what = random.choice(TROUBLES)
    at_packet = what in (What.PACKET, What.JAM, What.MISDEAL_CALLED)
    return PlannedTrouble(
        what,
        ordinal=random.randint(1, packets) if at_packet else 0,
        amount=random.choice((-1, 1)) if what is What.PACKET else 1,
        noticed=random.random() < 0.5 if what is What.PACKET else True,
        positions=(1, 2, 4) if what is What.BURN else (),
    )
