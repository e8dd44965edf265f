"""The table service, killed at random instants.

    python -m tests.support.programs.kill_cycles CYCLES [--jobs N] [--seed N]

The service is the whole one, forked from a process that has imported everything. Its devices are a process of their own
on pseudo-terminals and keep running between the kills. At the devices' connectors sits a witness that shares no code
with the host and counts what the host acknowledged. After every kill the new records of the journal are read and
checked against the witness and against everything that was ever published:

- lost: an event was acknowledged and is neither in the journal nor reported there as lost; an event was reported as
  lost although the device still had it; a line was published and is not in the journal; a round whose END GAME was
  acknowledged was not published
- twice: a round of a device's session that was settled or published twice
- number: one sequence number that belongs to two lines
- held: money of a round that is held and not open, or open and not held; a release that was answered and is not in the
  journal, or is in it twice
- copies: a pruned day is missing from one of the archive's two folders, or its two copies differ
- ledger: at the end of an evening the last service ends without a kill, every pruned day is put back, and the whole
  evening is verified and replayed in one chain: the ledger of obligations, the table of open obligations and the meters
  must agree with the rounds
- chain, rebuild: `dealwire journal verify` and `rebuild` find something, now and then and at the end of each evening

Figures go to standard output as one line of JSON; the exit code is 1 if anything was found. `--sabotage` commits one of
these wrongs on purpose, in the gathered data: a run that does not find it is worth nothing.

An evening that found something leaves its folder behind, below `--keep`: the journal and its days, every byte that
passed at the devices' connectors, the output and the published lines of the services, the times at which each was
started and killed, and `violations`.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import hashlib
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from click.testing import CliRunner

from dealwire.cli import main as dealwire
from dealwire.config.load import load_configuration
from dealwire.config.schema import Configuration
from dealwire.hub.hub import Hub, Request
from dealwire.hub.lines import Publication
from dealwire.journal import JournalReader, SealingKey
from dealwire.journal.book_tables import BookTables
from dealwire.journal.errors import JournalEmpty, JournalError
from dealwire.journal.factory import TableFactory
from dealwire.journal.obligations import Released, released_of
from dealwire.journal.rebuilding import rebuild
from dealwire.journal.records import RELEASED, JournalRecord
from dealwire.service.actions import ActionRefused
from dealwire.service.service import Service
from tests.support.oracles.dealt_again import DealtAgain, days_differ, ledger_differs, put_together
from tests.support.rigs.kill_devices import SCENARIO, Devices
from tests.support.rigs.quick_days import Copier, quick_days
from tests.support.rigs.serving import write_configuration

SPEED: Final = 400.0
FAULTS: Final = 0.02
"""Rate of faults; with more, most evenings are of one defective deck."""
LONGEST_S: Final = 0.4
LONG_S, LONG_SHARE = 3.0, 0.05
"""Longer life of some services, and their share: a copy of a day is started in the second beat."""
EVENING: Final = 250
"""Kills of one journal and one set of devices."""
LOOK_EVERY: Final = 50
"""Kills between two times that the whole journal is verified and rebuilt."""
LAST_S: Final = 1.0
"""Seconds that the last service of an evening runs before it ends without a kill."""
HUNG_S: Final = 60
RELEASE_S: Final = 0.08
"""Longest time between two releases, in seconds."""
SABOTAGE: Final = ("lost", "untold", "twice", "number", "round", "held", "chain", "copies", "ledger")


@dataclass
class Report:
    """Counts and violations of a run."""

    cycles: int = 0
    killed: int = 0
    while_opening: int = 0
    """Kills before the tables were served."""
    acknowledged: int = 0
    told: int = 0
    rounds: int = 0
    held: int = 0
    """Rounds with held money."""
    released: int = 0
    meters: int = 0
    """Steps of shared meters."""
    awards: int = 0
    """Awards made at the controller."""
    archived: int = 0
    """Files of days."""
    copied: int = 0
    """Files of days that are in both folders."""
    pruned: int = 0
    """Records that were removed from journals."""
    looks: int = 0
    """Number of times that a whole journal was verified and rebuilt."""
    gone: int = 0
    """Events that the device itself no longer had, each of them reported."""
    evenings: int = 0
    """Evenings that were put together, replayed and compared with their ledger."""
    dealt_again: int = 0
    """Rounds of these evenings."""
    outcomes: Counter[str] = field(default_factory=Counter)
    why: Counter[str] = field(default_factory=Counter)
    """Reasons that the unreliable rounds give."""
    violations: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, other: Report) -> None:
        for name, value in vars(self).items():
            if isinstance(value, int):
                setattr(self, name, value + getattr(other, name))
        self.outcomes += other.outcomes
        self.why += other.why
        self.violations += other.violations


# ------------------------------------------------------------------ the service that is killed


class TellingHub(Hub):
    """Hub that writes down each published line, with its number, before anything else in this process sees it."""

    def __init__(self, told: int) -> None:
        super().__init__()
        self.told = told

    def publish(self, item: Publication) -> None:
        text = f"{item.sequence} {item.table} {item.line}\n".encode()
        if os.write(self.told, text) != len(text):
            raise OSError("the harness's own file took less than a line")
        super().publish(item)


def release(hub: TellingHub, random: Random) -> None:
    """Report, as a supervisor, that the held money of one round after the other was settled, now and then twice."""
    while True:
        time.sleep(random.uniform(0, RELEASE_S))
        view = hub.views().get(TABLE)
        if view is None or not view.held:
            continue
        one = random.choice(view.held)
        fields = {"entry": one.entry, "session": one.session, "round": one.round, "badge": 7}
        for _ in range(random.choice((1, 1, 2))):
            answer = hub.ask(Request(TABLE, "release-held", fields, "supervisor"))
            with contextlib.suppress(ActionRefused):
                answer.result(HUNG_S)
                os.write(hub.told, f"released {one.entry}\n".encode())


def forked(configuration: Configuration, told: Path, said: Path, copier: str, serve_s: float | None = None) -> int:
    """Start the service in its own process, which ends only by a kill, or after `serve_s`; return its process id."""
    pid = os.fork()
    if pid:
        os.setpgid(pid, pid)
        return pid
    try:
        signal.alarm(HUNG_S)
        out = os.open(said, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        os.dup2(out, 1)
        os.dup2(out, 2)
        logging.basicConfig(level=logging.WARNING, force=True)
        hub = TellingHub(os.open(told, os.O_CREAT | os.O_WRONLY | os.O_APPEND))
        with quick_days(copier), Service(configuration, hub) as service:
            os.write(hub.told, b"ready\n")
            threading.Thread(target=release, args=(hub, Random(os.getpid())), daemon=True).start()
            service.run(serve_s)
            if service.failed is not None:
                print("the service failed:", service.failed, flush=True)
        if serve_s is not None and service.failed is None:
            os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


# ------------------------------------------------------------------ gathered data


class Ledger:
    """Everything that one journal ever published, with the invariants that must hold."""

    def __init__(self, path: Path, sabotage: str | None) -> None:
        self.path = path
        self.report = Report()
        self._after = self._step = 0
        self._stored: dict[int, bytes] = {}
        self._told: dict[int, bytes] = {}
        self._events: dict[tuple[str, int], set[int]] = {}
        self._rounds: Counter[tuple[str, str, int]] = Counter()
        self._lost: dict[tuple[str, int], set[int]] = {}
        """Events that the journal says are gone."""
        self._known: set[int] = set()
        self._fresh: list[int] = []
        """Lines published since the journal was last read."""
        self._held: dict[tuple[str, int], int] = {}
        """Cents that each round left held, by session and number."""
        self._released: dict[int, Released] = {}
        self._released_up_to = 0
        self._answered: set[int] = set()
        """Entries whose release was confirmed to someone."""
        self._sabotage = sabotage

    def wrong(self, what: str) -> None:
        self.report.violations.append(what)

    def take_told(self, told: Path) -> bool:
        """Take the lines that a killed service published, whole ones only; return True if it had started to serve."""
        data = told.read_bytes() if told.exists() else b""
        told.unlink(missing_ok=True)
        with told.with_name("told-before").open("ab") as file:
            file.write(data)
        lines = data.split(b"\n")[:-1]
        for text in lines:
            if text == b"ready":
                continue
            if text.startswith(b"released "):
                self._answered.add(int(text.removeprefix(b"released ")))
                continue
            sequence, _, line = text.partition(b" ")
            if self._sabotage == "number" and len(self._told) == 20:
                self._sabotage, line = None, line + b"?"
            digest = hashlib.blake2b(line, digest_size=16).digest()
            if self._told.setdefault(int(sequence), digest) != digest:
                self.wrong(f"number: {sequence.decode()} was made known with two contents")
            self._fresh.append(int(sequence))
            self.report.told += 1
        return b"ready" in lines

    def take_journal(self) -> None:
        """Take the journal's new records, and everything published in them."""
        try:
            with JournalReader(self.path) as reader:
                items = reader.publications(self._after)
                marks = [mark for _, mark in reader.marks_since(RELEASED, self._released_up_to)]
        except JournalEmpty:
            items, marks = [], []
        except JournalError as error:
            if self._told or (self.path.exists() and self.path.stat().st_size):
                self.wrong(f"chain: {error}")
            return
        for item in items:
            self._take(item)
        for mark in marks:
            self._take_release(mark)
        if self._sabotage == "untold" and self._fresh:
            self._sabotage = None
            del self._stored[self._fresh[0]]
        for sequence in self._fresh:
            if sequence not in self._stored:
                self.wrong(f"lost: line {sequence} was made known and is not in the journal")
            elif self._stored[sequence] != self._told[sequence]:
                self.wrong(f"number: line {sequence} was made known otherwise than it is in the journal")
        self._fresh.clear()

    def _take_release(self, mark: JournalRecord) -> None:
        found = released_of(mark)
        assert found is not None
        if found.entry in self._released:
            self.wrong(f"held: entry {found.entry} was released twice")
        self._released[found.entry] = found
        self._released_up_to = max(self._released_up_to, mark.sequence)
        self.report.released += 1

    def hold_the_books(self) -> None:
        """Check that the open amounts in the file are those the rounds held, less the released ones, and that no
        release was confirmed that is not in the journal."""
        for entry in sorted(self._answered - self._released.keys()):
            self.wrong(f"held: entry {entry} was released, somebody was told, and it is not in the journal")
        self._answered.clear()
        left = dict(self._held)
        if self._sabotage == "held" and left:
            self._sabotage = None
            left.popitem()
        for each in self._released.values():
            if left.pop((each.of.session, each.of.round), None) != each.cents:
                self.wrong(f"held: entry {each.entry} was released, and its round held something else")
        with JournalReader(self.path) as reader:
            open_ = {(row[3], row[4]): row[6] for row in BookTables(reader).rows_of("obligation")}
        if open_ != left:
            self.wrong(f"held: {sorted(left.items() ^ open_.items())[:5]} are in the rounds or in the books alone")

    def _take(self, item: Publication) -> None:
        if item.sequence <= self._after:
            self.wrong(f"number: {item.sequence} comes after {self._after}")
        self._after = item.sequence
        digest = digest_of(item)
        if self._stored.setdefault(item.sequence, digest) != digest:
            self.wrong(f"number: {item.sequence} stands for two lines")
        line = json.loads(item.line)
        if item.topic == "event" and line["number"]:
            if self._sabotage == "lost" and line["number"] == 30:
                self._sabotage = None
                return
            self._events.setdefault((line["device"], int(line["session"], 16)), set()).add(line["number"])
        elif item.topic == "event" and line["event"] == "EventsLost" and line["fields"]["last"]:
            gone = range(line["fields"]["first"], line["fields"]["last"] + 1)
            self._lost.setdefault((line["device"], int(line["session"], 16)), set()).update(gone)
        elif item.topic == "award":
            self.report.awards += line["kind"] == "awarded"
        elif item.topic == "meter":
            self.report.meters += 1
            if line["number"] != self._step + 1 and self._step:
                self.wrong(f"number: step {line['number']} of the meters comes after {self._step}")
            self._step = line["number"]
        elif item.topic in ("round", "settlement"):
            if item.topic == "settlement" and (cents := sum(seat["held"] for seat in line["seats"])):
                self._held[line["session"], line["round"]] = cents
                self.report.held += 1
            key = (item.topic, line["session"], line["round"])
            self._rounds[key] += 2 if self._sabotage == "twice" else 1
            self._sabotage = None if self._sabotage == "twice" else self._sabotage
            if self._rounds[key] == 2:
                self.wrong(f"twice: {item.topic} {line['round']} of session {line['session']}")
            if item.topic == "round":
                self.report.rounds += 1
                self._known.add(line["round"])
                self.report.outcomes[line["outcome"]] += 1
                if line["outcome"] == "unreliable":
                    self.report.why.update({incident["code"] for incident in line["incidents"]})

    def hold_against(self, devices: Devices) -> None:
        """Check the journal against the devices' witness.

        Every event that a host acknowledged must be in the journal or be reported there as lost, and an event may be
        reported as lost only if the device itself no longer had it. Every round whose END GAME is among these events
        must have been published.
        """
        devices.read_witness()
        self.report.acknowledged = sum(devices.acknowledged.values())
        for (device, session), up_to in devices.acknowledged.items():
            known, told = self._events.setdefault((device, session), set()), self._lost.get((device, session), set())
            lost = set(range(1, up_to + 1)) - known - told
            for number in sorted(lost):
                self.wrong(f"lost: event {number} of {device}, session {session:08x}, was acknowledged")
            known |= lost
        for key, told in self._lost.items():
            for number in sorted(told - devices.gone.get(key, set())):
                self.wrong(
                    f"lost: event {number} of {key[0]}, session {key[1]:08x}, was given up, and the device had it"
                )
        self.report.gone = sum(map(len, self._lost.values()))
        for _, number in sorted(devices.ended):
            # A flow may wait for reports of the other line, but not beyond two rounds.
            if self._sabotage == "round" and number in self._known and number + 1 < max(self._known):
                self._sabotage = None
                self._known.remove(number)
            if number not in self._known and number + 1 < max(self._known, default=0):
                self._known.add(number)
                self.wrong(f"lost: END GAME of round {number} was acknowledged and no such round was made known")

    def look(self, key_file: Path) -> None:
        """Check the whole journal, with the public commands."""
        if not self.path.exists():
            return
        if self._sabotage == "chain":
            self._sabotage = None
            spoil(self.path)
        self.report.looks += 1
        archived, second = (sorted((self.path.parent / each).glob("*.journal")) for each in FOLDERS)
        checks = [("rebuild", ["rebuild", "--check-snapshots"], self.path)]
        checks += [("chain", ["verify"], file) for file in (self.path, *archived)]
        checks += [("held", ["obligations"], self.path)]
        self.hold_the_books()
        for what, arguments, file in checks:
            keys = ["--key", str(key_file)] if what != "held" else []
            done = CliRunner().invoke(dealwire, ["journal", *arguments, str(file), *keys])
            if done.exit_code:
                self.wrong(f"{what}: {done.output.strip()[-300:]} {done.exception!r}")
        self.report.archived = self._count_kept(archived)
        if self._sabotage == "copies" and second:
            self._sabotage = None
            second[0].write_bytes(second[0].read_bytes()[:-1])
        copies = {file.name: file.read_bytes() for file in second}
        self.report.copied = len(copies)
        for file in archived:
            first = int(file.stem.rsplit("-", 1)[1])
            if file.name in copies and copies[file.name] != file.read_bytes():
                self.wrong(f"copies: the two of {file.name} are not alike")
            elif first <= self.report.pruned and file.name not in copies:
                self.wrong(f"copies: {file.name} was pruned and has one copy")

    def deal_again(self, key_file: Path) -> None:
        """Replay the whole evening, with every pruned day put back: its ledger must agree with the rounds."""
        folder, days = self.path.parent, sorted((self.path.parent / FOLDERS[0]).glob("*.journal"))
        whole = folder / "whole.sqlite"
        put_together(self.path, days, whole)
        said = {}
        for what, *arguments in (("verify", "--key"), ("rebuild", "--check-snapshots", "--key"), ("obligations",)):
            keys = [str(key_file)] if "--key" in arguments else ["--json"]
            done = CliRunner().invoke(dealwire, ["journal", what, str(whole), *arguments, *keys])
            said[what] = done.output
            if done.exit_code:
                self.wrong(f"ledger: {what}: {done.output.strip()[-300:]} {done.exception!r}")
                return
        dealt = self._dealt_again(whole, key_file)
        given_out = [(each.of.session, each.of.round, each.cents) for each in self._released.values()]
        ledger = [json.loads(line) for line in said["obligations"].splitlines()]
        with JournalReader(self.path) as reader:
            found = [*dealt.release(given_out), *ledger_differs(dealt, ledger, BookTables(reader).rows_of)]
        found += days_differ(ledger, [folder / each for each in FOLDERS], self.report.pruned)
        for what in found:
            self.wrong(f"ledger: {what}")
        if dealt.lines["round"] != self.report.rounds:
            self.wrong(f"ledger: {self.report.rounds} rounds were made known, {dealt.lines['round']} are dealt again")
        self.report.evenings += 1
        self.report.dealt_again += dealt.lines["round"]

    def _dealt_again(self, whole: Path, key_file: Path) -> DealtAgain:
        dealt = DealtAgain(TABLE)
        with TableFactory(whole) as make:
            for item in rebuild(whole, SealingKey.load(key_file), make):
                if self._sabotage == "ledger" and item.topic == "settlement":
                    self._sabotage = None
                    continue
                dealt.take(item)
        return dealt

    def _count_kept(self, archived: list[Path]) -> int:
        """Check that everything published and pruned is in the file of a day; return the number of days."""
        kept: dict[int, bytes] = {}
        for file in (*archived, self.path):
            with JournalReader(file) as reader:
                if file == self.path:
                    self.report.pruned = reader.anchor.sequence
                for item in reader.publications():
                    kept[item.sequence] = digest_of(item)
        for sequence, digest in self._told.items():
            if kept.get(sequence) != digest:
                self.wrong(f"lost: line {sequence} was made known and is neither in the journal nor in a day's file")
        return len(archived)


def digest_of(item: Publication) -> bytes:
    """Return the digest that identifies a line here."""
    return hashlib.blake2b(f"{item.table} {item.line}".encode(), digest_size=16).digest()


def spoil(path: Path) -> None:
    """Corrupt one record of the journal."""
    import sqlite3

    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE record SET at_ns = at_ns + 1 WHERE sequence = (SELECT max(sequence) / 2 FROM record)")


# ------------------------------------------------------------------ a run


def evening(folder: Path, kills: int, seed: int, sabotage: str | None) -> Report:
    """Run one journal and its devices through so many kills; then a service that ends without a kill, and the last
    check."""
    random = Random(seed)
    told, said, kills_file = folder / "told", folder / "said", folder / "kills"

    def note(what: str) -> None:
        with kills_file.open("a") as file:
            file.write(f"{time.time_ns()} {what}\n")

    linked = seed % 2 == 0
    rehearsed = LINKED_SCENARIO if linked else SCENARIO
    with Copier(folder, dealwire) as copier, _devices(folder, seed, rehearsed) as devices:
        names = {"shuffler": devices.addresses["shuffler"], "table-controller": devices.addresses["table-controller"]}
        shutil.copy(LINK, folder)
        keys, procedure = (LINKED_KEYS, LINKED_PROCEDURE) if linked else (TABLE_KEYS, PROCEDURE)
        file = write_configuration(folder, [names], more=keys, top=JOURNAL_KEYS, procedure=procedure)
        configuration = load_configuration(file)
        ledger = Ledger(configuration.journal.path, sabotage)
        report = ledger.report
        for number in range(1, kills + 1):
            pid = forked(configuration, told, said, copier.address)
            note(f"{number} started as {pid}")
            _wait(random, told)
            note(f"{number} killed")
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)  # as systemd does: whatever it had started goes with it
            _, status = os.waitpid(pid, 0)
            report.cycles += 1
            report.killed += os.waitstatus_to_exitcode(status) == -signal.SIGKILL
            if os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
                ledger.wrong(f"end: a service ended by itself: {said.read_text()[-600:]}")
                break
            report.while_opening += not ledger.take_told(told)
            ledger.take_journal()
            ledger.hold_against(devices)
            if number % LOOK_EVERY == 0:
                ledger.look(folder / "journal.key")
            if report.violations:  # what led to it is still there: a day that is pruned or dealt over is not
                return report
        note("one that ends by itself")
        _, status = os.waitpid(forked(configuration, told, said, copier.address, LAST_S), 0)
        if status:
            ledger.wrong(f"end: a service that was to end by itself did not: {said.read_text()[-600:]}")
        ledger.take_told(told)
        ledger.take_journal()
        ledger.hold_against(devices)
        ledger.look(folder / "journal.key")
        ledger.deal_again(folder / "journal.key")
    return report


def _devices(folder: Path, seed: int, rehearsed: str) -> Devices:
    return Devices(folder / "witness", folder / "wire", seed, SPEED, FAULTS, rehearsed)


TABLE: Final = "table-1"
PROCEDURE, LINKED_PROCEDURE = "flushes-gone-wild.co", "flushes-gone-wild.wa"
LINKED_SCENARIO: Final = "wa-award"
LINK: Final = Path(__file__).parents[3] / "docs" / "examples" / "progressive-ml03.toml"
TABLE_KEYS: Final = 'limit-cents = 10000\nunsigned-readings = "wait"\n[table.meters]\nmeter = 1000000'
LINKED_KEYS: Final = f"""game = "flushes-gone-wild.wa-link"
progressive = "{LINK.name}"
awards = true
unsigned-readings = "wait"
[table.paytables]
progressive = "WA-ML03"
"""
FOLDERS: Final = ("archive", "second")
JOURNAL_KEYS: Final = f"archive = {list(FOLDERS)}\nkeep-days = 2\n"


def _wait(random: Random, told: Path) -> None:
    """Wait for a random time: some services are killed while they open, most while they deal."""
    if random.random() < 0.6:
        end = time.monotonic() + HUNG_S
        while time.monotonic() < end and not (told.exists() and told.stat().st_size):
            time.sleep(0.002)
    long = random.random() < LONG_SHARE
    time.sleep(random.uniform(0, LONG_S if long else LONGEST_S))


def job(cycles: int, seed: int, sabotage: str | None, keep: Path | None) -> Report:
    """Run so many kills, one evening after the other, in this process."""
    total, started = Report(), time.monotonic()
    gc.collect()
    gc.freeze()
    for number, first in enumerate(range(0, cycles, EVENING)):
        folder = Path(tempfile.mkdtemp(prefix=f"kills-{seed + number}-", dir=keep))
        found = evening(folder, min(EVENING, cycles - first), seed + number, sabotage)
        total.add(found)
        if found.violations and sabotage is None:
            (folder / "violations").write_text("\n".join(found.violations) + "\n")
            print(f"what was gathered lies in {folder}", file=sys.stderr, flush=True)
        else:
            shutil.rmtree(folder)
        total.seconds = time.monotonic() - started
        print(
            f"{total.seconds:7.1f} s  {total.cycles} kills, {total.rounds} rounds, {len(total.violations)} violations",
            file=sys.stderr,
            flush=True,
        )
        if total.violations:
            break
    return total


def main(arguments: list[str]) -> int:
    options = argparse.ArgumentParser(prog="kill_cycles", description="The table service, killed at random instants.")
    options.add_argument("cycles", type=int)
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--sabotage", choices=SABOTAGE)
    options.add_argument("--keep", type=Path, help="where the folders of evenings are, and stay that found something")
    chosen = options.parse_args(arguments)
    started = time.monotonic()
    if chosen.jobs == 1:
        total = job(chosen.cycles, chosen.seed, chosen.sabotage, chosen.keep)
    else:
        total = Report()
        for part in _parts(chosen):
            total.add(part)
    total.seconds = round(time.monotonic() - started, 1)
    for line in total.violations:
        print(line, file=sys.stderr)
    print(json.dumps({"schema": "dealwire.kills/1", **vars(total), "violations": len(total.violations)}))
    return 1 if total.violations or total.killed != chosen.cycles else 0


def _parts(chosen: argparse.Namespace) -> Iterator[Report]:
    share = [chosen.cycles // chosen.jobs + (number < chosen.cycles % chosen.jobs) for number in range(chosen.jobs)]
    command = [sys.executable, "-m", "tests.support.programs.kill_cycles"]
    command += ["--keep", str(chosen.keep)] if chosen.keep is not None else []
    started = [
        subprocess.Popen(
            [*command, str(cycles), "--seed", str(chosen.seed + 1_000_001 * number)], stdout=subprocess.PIPE, text=True
        )
        for number, cycles in enumerate(share)
    ]
    for process in started:
        said, _ = process.communicate()
        found = json.loads(said.splitlines()[-1])
        wrong = [f"a job found {found['violations']}; see above"] * bool(found.pop("violations"))
        found.pop("schema")
        yield Report(
            **{**found, "outcomes": Counter(found["outcomes"]), "why": Counter(found["why"]), "violations": wrong}
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
