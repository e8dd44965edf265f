"""A journal that was put back to an older copy is found by the mark at the broker, before any device is heard."""

import asyncio
import shutil
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner

from dealwire.cli import main
from dealwire.cli.exits import Exit
from dealwire.export.broker import Broker, BrokerUnusable
from dealwire.export.marks import conflict, fetch
from dealwire.export.mqtt import MqttExporter
from dealwire.export.topics import Address, Mark
from dealwire.export.witness import witness
from dealwire.journal import Journal, JournalReader
from devices.clock import SystemClock
from tests.support.rigs.brokers import Mosquitto, Reader, eventually, needs_mosquitto, running_broker
from tests.support.rigs.export_lines import SITE, TABLE, journalled, publish
from tests.support.rigs.patience import PATIENCE_S
from tests.support.rigs.serving import Program, published, rounds_in, simulators_here, write_configuration

pytestmark = needs_mosquitto
MQTT = '[exports.mqtt]\nurl = "{url}"\nsite = "here"\n'


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    with running_broker(tmp_path / "broker", *Mosquitto.KEEPS) as made:
        yield made


def written(path: Path, count: int) -> None:
    with Journal(path, key=None, clock=SystemClock()) as journal:
        for _ in publish(journal, count):
            pass


def copied(path: Path, to: Path) -> None:
    """Copy the whole journal as it is, with the content of its side files."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copy(path, to)


def put_back(old: Path, path: Path) -> None:
    """Restore the correct way: the newer file's side files go, too."""
    for end in ("-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)
    shutil.copy(old, path)


def test_a_mark_is_held_to_the_history_that_it_is_of(tmp_path: Path) -> None:
    written(tmp_path / "journal", 50)
    with JournalReader(tmp_path / "journal") as reader:
        identity, head = reader.identity.hex(), reader.head
        assert reader.hash_at(head.sequence) == head.hash
        assert reader.hash_at(head.sequence + 1) is None
        for mark in (
            Mark(identity, head.sequence, "aa", witness(head.hash.hex())),
            Mark(identity, head.sequence),  # an older version's, without a hash
            Mark(identity, 3, "aa", witness((reader.hash_at(3) or b"").hex())),
            Mark(identity, 3, "aa", (reader.hash_at(3) or b"").hex()),  # as versions before named it
            Mark("0" * 32, head.sequence + 100, "aa", "bb"),  # of another journal
            Mark(identity, 0),
        ):
            assert conflict(reader, mark) is None
        for mark in (Mark(identity, head.sequence + 1), Mark(identity, head.sequence, "aa", "00" * 32)):
            found = conflict(reader, mark)
            assert found is not None
            for part in (
                str(reader.path),
                identity,
                f"{head.sequence}:{witness(head.hash.hex())}",
                str(mark.sequence),
                "--trust-journal",
            ):
                assert part in found
            assert "\n" not in found


@pytest.mark.parametrize(
    "payload",
    [b"", b"x", b"0" * 32, b"0" * 32 + b" x", b"0" * 32 + b" 1 2 3 4", b"0" * 32 + b" 1 Z", b"\xff", b"0" * 5000],
)
def test_a_mark_that_is_none_is_refused(payload: bytes) -> None:
    with pytest.raises(ValueError):
        Mark.parse(payload)


def test_a_mark_reads_as_it_was_written() -> None:
    for mark in (Mark("0" * 32, 7, "ab", "cd"), Mark("0" * 32, 7), Mark("0" * 32, 7, "", "cd")):
        assert Mark.parse(mark.text.encode()) == mark
    assert Mark.parse(b"0" * 32 + b" 7") == Mark("0" * 32, 7)


def test_the_broker_keeps_a_mark_of_each_table_and_says_so(tmp_path: Path, broker: Mosquitto) -> None:
    at = Broker.parse(broker.url)
    addresses = [Address(SITE, TABLE), Address(SITE, "t2"), Address(SITE, "none")]
    assert asyncio.run(fetch(at, addresses, PATIENCE_S)) == {}
    with Journal(tmp_path / "journal", key=None, clock=SystemClock()) as journal:
        with MqttExporter(at, journal, site=SITE, tables=[TABLE, "t2"]) as exporter:
            for _ in publish(journal, 100, tables=(TABLE, "t2")):
                exporter.wake()
            last = {item.table: item for item in journalled(journal.path)}
            for table, item in last.items():
                eventually(lambda t=table, i=item: exporter.progress[t].sequence == i.sequence, "not sent")  # type: ignore[misc]
        marks = asyncio.run(fetch(at, addresses, PATIENCE_S))
        with JournalReader(journal.path) as reader:
            assert marks == {
                Address(SITE, table): Mark(reader.identity.hex(), item.sequence, item.epoch, witness(item.hash))
                for table, item in last.items()
            }
            assert [conflict(reader, mark) for mark in marks.values()] == [None, None]


def test_a_broker_that_says_nothing_does_not_hold_a_start_up() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        at = Broker.parse(f"mqtt://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(BrokerUnusable, match="no answer within"):
            asyncio.run(fetch(at, [Address(SITE, TABLE)], timeout_s=0.5))


def test_lines_of_every_table_carry_epoch_and_hash(tmp_path: Path, broker: Mosquitto) -> None:
    with (
        Journal(tmp_path / "journal", key=None, clock=SystemClock()) as journal,
        MqttExporter(Broker.parse(broker.url), journal, site=SITE, tables=[TABLE]) as exporter,
        Reader(broker.port, f"dealwire/v1/{SITE}/#") as reader,
    ):
        for _ in publish(journal, 60):
            exporter.wake()
        lines = journalled(journal.path)
        eventually(lambda: len(reader.lines) == len(lines), "not sent")
        with JournalReader(journal.path) as here:
            for item in lines:
                carried = reader.properties[TABLE, here.identity.hex(), item.sequence]
                assert carried["hash"] == sha256(here.hash_at(item.sequence) or b"").hexdigest()
                assert carried.get("epoch", "") == item.epoch


def test_an_exporter_that_meets_a_newer_mark_sends_nothing_and_leaves_the_mark(
    tmp_path: Path, broker: Mosquitto
) -> None:
    path, old, at = tmp_path / "journal", tmp_path / "old", Broker.parse(broker.url)
    written(path, 20)
    copied(path, old)
    written(path, 40)
    address = Address(SITE, TABLE)
    with Journal(path, key=None, clock=SystemClock()) as journal:
        last = journalled(path)[-1].sequence
        with MqttExporter(at, journal, site=SITE, tables=[TABLE]) as exporter:
            eventually(lambda: exporter.progress[TABLE].sequence == last, "not sent")
    mark = asyncio.run(fetch(at, [address], PATIENCE_S))[address]
    found: list[tuple[str, str]] = []
    with (
        Journal(old, key=None, clock=SystemClock()) as journal,
        MqttExporter(at, journal, site=SITE, tables=[TABLE], conflict=lambda *news: found.append(news)) as exporter,
    ):
        eventually(lambda: bool(found), "nobody noticed")
        for _ in publish(journal, 10):
            exporter.wake()
        assert exporter.progress[TABLE].conflict
        assert exporter.progress[TABLE].problem == found[0][1]
        assert exporter.progress[TABLE].sent == 0
    assert found == [(TABLE, found[0][1])]
    assert asyncio.run(fetch(at, [address], PATIENCE_S)) == {address: mark}
    with (
        Journal(old, key=None, clock=SystemClock()) as journal,
        MqttExporter(at, journal, site=SITE, tables=[TABLE], file_counts=True) as exporter,
    ):
        last = journalled(old)[-1].sequence
        eventually(lambda: exporter.progress[TABLE].sequence == last, "not sent")
        assert not exporter.progress[TABLE].conflict
    assert asyncio.run(fetch(at, [address], PATIENCE_S))[address].sequence == last


def dealt(file: Path, rounds: int) -> None:
    with Program(file) as program:
        wanted = rounds_in(file.parent) + rounds
        program.wait_for(lambda: rounds_in(file.parent) >= wanted)
        assert program.end() == Exit.GOOD


@contextmanager
def serving(file: Path, *options: str) -> Iterator[Program]:
    """From when both devices are up again."""
    said = file.parent / "said.txt"  # of all who served this file
    before = said.read_text().count("controller is connected")
    with Program(file, *options) as program:
        program.wait_for(lambda: program.text.count("controller is connected") > before)
        yield program


@pytest.mark.more
def test_a_table_whose_older_journal_was_put_back_does_not_begin_until_somebody_says_so(
    tmp_path: Path, broker: Mosquitto
) -> None:
    journal, old = tmp_path / "journal.sqlite", tmp_path / "old.sqlite"
    with simulators_here(speed=100) as addresses:
        file = write_configuration(tmp_path, addresses, top=MQTT.format(url=broker.url))
        dealt(file, 1)
        copied(journal, old)
        dealt(file, 1)
        copied(journal, tmp_path / "newer.sqlite")
        put_back(old, journal)
        checked = CliRunner().invoke(main, ["run", "--check", str(file)])
        before = [item.line for item in published(tmp_path)]
        with Program(file) as program:
            assert program.process.wait(300) == Exit.PROTOCOL
            line = program.text.splitlines()[-1]
        assert "ends at" in line
        assert "restore the newer file" in line
        assert "--trust-journal" in line
        assert checked.exit_code == Exit.PROTOCOL
        assert line.removeprefix("dealwire: ") in checked.stdout  # the check has found it
        assert [item.line for item in published(tmp_path)] == before  # not a device was heard, not a word written
        with serving(file, "--trust-journal") as program:
            assert program.end() == Exit.GOOD
        said = [
            item.line for item in published(tmp_path, "status") if "the operator accepted this journal" in item.line
        ]
        assert len(said) == 1
        assert "restore the newer file" in said[0]
        with serving(file) as program:  # the mark is this file's own now
            assert program.end() == Exit.GOOD


@pytest.mark.more
def test_a_broker_that_comes_late_stops_the_tables_of_an_older_journal(tmp_path: Path, broker: Mosquitto) -> None:
    journal, old = tmp_path / "journal.sqlite", tmp_path / "old.sqlite"
    with simulators_here(speed=100) as addresses:
        file = write_configuration(tmp_path, addresses, top=MQTT.format(url=broker.url))
        dealt(file, 1)
        copied(journal, old)
        dealt(file, 1)
        put_back(old, journal)
        broker.restart()  # it saves
        broker.kill()
        with serving(file) as program:
            assert "the check for a newer journal is done once it answers" in program.text
            broker.start()
            assert program.process.wait(300) == Exit.CHECK_FAILED
            line = program.text.splitlines()[-1]
        assert "restore the newer file" in line
    stops = [item.line for item in published(tmp_path, "status") if '"safe-stop"' in item.line]
    assert len(stops) == 1
    assert "the broker has taken" in stops[0]
