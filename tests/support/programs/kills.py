"""`python -m tests.support.programs.kills CYCLES [SEED]`: a journaled table under load, killed at random instants.

The devices keep running between the kills. After each kill the journal must be sound, hold every published line byte
for byte, and rebuild to the same; and the next service resumes it. In the end every dealt round is there once, with the
cards and the money of an evening without kills; or it says why it is unreliable and all its bets are held. (If a round
starts while both lines are away, they may come back in the order in which packets are seen before START GAME.)
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from dealwire.journal import JournalReader, SealingKey
from dealwire.journal.check import verify
from dealwire.journal.compare import compare
from tests.support.rigs.small_service import Child, long_scenario, make_publisher, served_devices

SPEED: Final = 400.0
LONGEST_S: Final = 0.6
EVENING: Final = 20
"""Kills of one journal: every check reads all of it."""


@dataclass
class Report:
    """Figures of a run of kills."""

    cycles: int = 0
    killed: int = 0
    acknowledged: int = 0
    pending: int = 0
    rounds: int = 0
    records: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    incidents: Counter[str] = field(default_factory=Counter)
    told: dict[int, str] = field(default_factory=dict)


def run(folder: Path, cycles: int, seed: int, rounds: int | None = None, *, calm: bool = True) -> Report:
    """Kill `cycles` services one after the other, then let one deal to the end of `rounds`. With `calm`, the same
    evening is also dealt without a kill, and compared."""
    rounds = rounds or 4 + cycles * 3
    random, report = Random(seed), Report(cycles)
    path, key_file = folder / "table.journal", folder / "table.key"
    key = SealingKey.new(key_file)
    scenario = long_scenario(folder, rounds)
    with served_devices(scenario, SPEED) as addresses:
        for _ in range(cycles):
            child = Child(path, key_file, addresses, rounds)
            time.sleep(random.uniform(0, LONGEST_S))
            child.kill()
            told, code = child.wait()
            assert code in (0, -9), f"the service ended by itself with {code}"
            report.killed += code == -9
            check(path, key, told, report)
            if code == 0:
                break  # it had dealt all rounds before it could be killed
        else:
            told, code = Child(path, key_file, addresses, rounds).wait()
            assert code == 0
            check(path, key, told, report)
    assert report.pending == 0, "a service that was not killed leaves nothing to be made known"
    with JournalReader(path) as reader:
        stored = [item.line for item in reader.publications()]
    _count(stored, report)
    assert report.rounds == rounds, f"{report.rounds} of {rounds} rounds"
    if not calm:
        return report
    with served_devices(scenario, SPEED) as addresses:
        told, code = Child(folder / "calm.journal", key_file, addresses, rounds).wait()
    assert code == 0
    for dealt, calm in zip(evening(stored), evening([line for _, line in told]), strict=True):
        assert dealt.says == calm.says or dealt.is_held, f"{dealt.says}\n{calm.says}"
    return report


@dataclass
class Dealt:
    """One round: its deal and its payments, without the traces of a lost line."""

    says: dict[str, Any]
    is_held: bool
    """True if the round says why it is unreliable, and nothing was paid or taken."""


def evening(lines: list[str]) -> list[Dealt]:
    """Return every round with its settlement."""
    items = [json.loads(line) for line in lines]
    rounds = [item for item in items if item["type"] == "round"]
    settlements = [item for item in items if item["type"] == "settlement"]
    found = []
    for dealt, paid in zip(rounds, settlements, strict=True):
        says = {name: dealt[name] for name in ("round", "outcome", "seats", "dealer", "community", "burned")}
        says |= {name: paid[name] for name in ("status", "lines", "meters")}
        is_held = dealt["outcome"] == "unreliable" and bool(dealt["incidents"]) and paid["status"] == "held"
        found.append(Dealt(says, is_held))
    return found


def check(path: Path, key: SealingKey, told: list[tuple[int, str]], report: Report) -> None:
    """Check the invariants that must hold after every kill."""
    for sequence, line in told:
        assert report.told.setdefault(sequence, line) == line, f"{sequence} was used twice"
    report.acknowledged = len(report.told)
    if not path.exists() or not path.stat().st_size:
        assert not report.told
        return
    try:
        reader = JournalReader(path, key)
    except Exception:
        assert not report.told, "the journal is gone"
        return
    with reader:
        report.records = verify(reader, open_seals=True).records
        stored = {item.sequence: item.line for item in reader.publications()}
        for sequence, line in report.told.items():
            assert stored.get(sequence) == line, f"{sequence} was made known and is not in the journal"
        found = compare(reader, make_publisher)
        assert found.difference is None, str(found.difference)
        assert not found.given_up
        report.pending = len(found.pending)


def _count(lines: list[str], report: Report) -> None:
    items: list[dict[str, Any]] = [json.loads(line) for line in lines]
    dealt = [item for item in items if item["type"] == "round"]
    settled = [item for item in items if item["type"] == "settlement"]
    assert [item["round"] for item in dealt] == list(range(1, len(dealt) + 1)), "a round is missing, or came twice"
    assert len(settled) == len(dealt)
    for settlement in settled:
        for line in settlement["lines"]:
            assert line["stake"] >= 0
    report.rounds = len(dealt)
    report.outcomes = Counter(item["outcome"] for item in dealt)
    report.incidents = Counter(item["code"] for item in items if item["type"] == "incident")


def main(cycles: int, seed: int) -> None:
    """Run evenings of so many kills together, each with a journal of its own; print a line for each."""
    started, total, outcomes, incidents = time.monotonic(), Counter[str](), Counter[str](), Counter[str]()
    for number, first in enumerate(range(0, cycles, EVENING)):
        with tempfile.TemporaryDirectory() as name:
            report = run(Path(name), min(EVENING, cycles - first), seed + number)
        outcomes += report.outcomes
        incidents += report.incidents
        total += Counter(kills=report.killed, told=report.acknowledged, rounds=report.rounds, records=report.records)
        said = f"{dict(total)}  {dict(outcomes)}  {dict(incidents)}"
        print(f"{time.monotonic() - started:6.1f} s  {said}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int((sys.argv[2:] or ["1"])[0]))
