"""Lines over a real broker: none lost, none changed, whoever is killed."""

import asyncio
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dealwire.export import mqtt
from dealwire.export.broker import Broker, pause
from dealwire.export.mqtt import REPEAT_MAX, MqttExporter
from dealwire.journal import Journal
from devices.clock import SystemClock
from tests.support.rigs.brokers import Mosquitto, Reader, eventually, needs_mosquitto, running_broker
from tests.support.rigs.export_lines import SITE, TABLE, journalled, publish

pytestmark = needs_mosquitto
ROOT = Path(__file__).parents[3]
TOPICS = f"dealwire/v1/{SITE}/#"


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal(tmp_path / "journal", key=None, clock=SystemClock()) as made:
        yield made


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    with running_broker(tmp_path / "broker", *Mosquitto.KEEPS) as made:
        yield made


def put(journal: Journal, count: int, *tables: str) -> None:
    for _ in publish(journal, count, tables=tables or (TABLE,)):
        pass


def has_everything(reader: Reader, path: Path) -> bool:
    return {(item.table, item.sequence): item.line for item in journalled(path)} == {
        (table, sequence): line for (table, _, sequence), line in reader.copy().items()
    }


def must_have_everything(reader: Reader, path: Path) -> None:
    count = len(journalled(path))
    eventually(lambda: len(reader.lines) >= count, "lines are missing")
    assert has_everything(reader, path)


def test_every_line_arrives_once_in_its_order_on_its_topic(journal: Journal, broker: Mosquitto) -> None:
    exporter = MqttExporter(Broker.parse(broker.url), journal, site=SITE, tables=["t1", "t2"])
    with Reader(broker.port, TOPICS) as reader:
        put(journal, 500, "t1", "t2")
        with exporter:
            put(journal, 500, "t1", "t2")
            exporter.wake()
            eventually(lambda: len(reader.lines) == 1000, "lines are missing")
        assert has_everything(reader, journal.path)
        for table in ("t1", "t2"):
            mine = [sequence for (of, _, sequence) in reader.lines if of == table]
            assert mine == sorted(mine)
        assert (reader.doubles, reader.changed) == (0, [])
        eventually(lambda: len([1 for _, text, _ in reader.others if text == "offline"]) == 2, "no farewell")
        presence = [(topic, text) for topic, text, _ in reader.others if topic.endswith("/status")]
    assert sorted(set(presence)) == [
        (f"dealwire/v1/{SITE}/{table}/status", word) for table in ("t1", "t2") for word in ("offline", "online")
    ]


def test_new_lines_do_not_hurry_the_next_attempt(journal: Journal) -> None:
    said: list[str] = []

    async def noted(woken: asyncio.Event, seconds: float) -> None:
        await pause(woken, seconds)
        said.append("woken" if woken.is_set() else "waited")

    with socket.socket() as taken:  # bound, not listening: every connection is refused at once
        taken.bind(("127.0.0.1", 0))
        at = Broker.parse(f"mqtt://127.0.0.1:{taken.getsockname()[1]}")
        exporter = MqttExporter(at, journal, site=SITE, tables=[TABLE], report=lambda _: None)
        with pytest.MonkeyPatch.context() as patch, exporter:
            connect = socket.create_connection

            def counting(*arguments: Any, **more: Any) -> socket.socket:
                said.append("tries")
                return connect(*arguments, **more)

            patch.setattr(socket, "create_connection", counting)
            patch.setattr(mqtt, "pause", noted)
            eventually(lambda: exporter.wake() or len(said) >= 8, "it does not try again")
            first = said[:8]
    assert first == (["tries", "waited"] if first[0] == "tries" else ["waited", "tries"]) * 4


def rounds_of_trouble(journal: Journal, broker: Mosquitto, cycles: int, lines: int, seed: int) -> Reader:
    """Lines go out while the broker is killed or restarted at random instants; then everything must be there."""
    chance = random.Random(seed)
    said: list[str] = []
    exporter = MqttExporter(Broker.parse(broker.url), journal, site=SITE, tables=[TABLE], report=said.append)
    with Reader(broker.port, TOPICS) as reader:
        broker.save()  # a broker that dies before it has saved a subscription has none
        with exporter:
            for _ in range(cycles):
                pause_s = chance.uniform(0, 0.01)
                for _ in publish(journal, lines):
                    exporter.wake()
                    time.sleep(pause_s)
                broker.end(chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM]))
                put(journal, 40)
                broker.start()
            must_have_everything(reader, journal.path)
    assert reader.changed == []
    assert all("wait in the journal" in line and "\n" not in line for line in said)
    return reader


@pytest.mark.more
def test_nothing_is_lost_when_the_broker_is_killed(journal: Journal, broker: Mosquitto) -> None:
    reader = rounds_of_trouble(journal, broker, 3, 500, seed=7)
    assert len(reader.lines) == 3 * 540


@pytest.mark.slow
def test_nothing_is_lost_when_the_broker_is_killed_fifty_times(journal: Journal, broker: Mosquitto) -> None:
    reader = rounds_of_trouble(journal, broker, 50, 1000, seed=8)
    print(f"\n{len(reader.lines)} lines, {reader.doubles} came more than once")


def kills_of_the_exporter(folder: Path, broker: Mosquitto, cycles: int, lines: int, seed: int) -> Reader:
    """The process that writes and sends is killed at random instants and started again."""
    chance = random.Random(seed)
    path = folder / "journal"
    command = [sys.executable, "-m", "tests.support.rigs.export_lines", str(path), broker.url, str(lines)]
    with Reader(broker.port, TOPICS) as reader:
        for number in range(cycles + 1):
            with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
                assert process.stdout is not None
                assert process.stdout.readline() == "started\n"
                if number < cycles:
                    time.sleep(chance.uniform(0, 0.3))
                    process.kill()
                else:
                    assert process.stdout.read() == "done\n"
        must_have_everything(reader, path)
        eventually(lambda: _presence(reader)[-1] == "offline", "no farewell")  # it is sent after the last line
    assert reader.changed == []
    assert len(reader.lines) == lines
    return reader


def _presence(reader: Reader) -> list[str]:
    return [text for topic, text, _ in reader.others if topic.endswith("/status")]


@pytest.mark.more
def test_nothing_is_lost_when_the_sender_is_killed(tmp_path: Path, broker: Mosquitto) -> None:
    kills_of_the_exporter(tmp_path, broker, 2, 1500, seed=9)


@pytest.mark.slow
def test_nothing_is_lost_when_the_sender_is_killed_fifty_times(tmp_path: Path, broker: Mosquitto) -> None:
    reader = kills_of_the_exporter(tmp_path, broker, 50, 50_000, seed=10)
    print(f"\n{len(reader.lines)} lines, {reader.doubles} came more than once")


def passwords(folder: Path) -> Path:
    """Users `table` and `reader`, each with its name as password."""
    file = folder / "passwords"
    for number, name in enumerate(("table", "reader")):
        create = ["-c"] if number == 0 else []
        subprocess.run(["mosquitto_passwd", "-b", *create, str(file), name, name], check=True, capture_output=True)
    return file


def test_a_line_that_the_broker_refuses_is_not_sent(journal: Journal, tmp_path: Path) -> None:
    users = passwords(tmp_path)
    rules = tmp_path / "rules"
    may = "user reader\ntopic read #\nuser table\ntopic readwrite dealwire/v1/here/t1/{}\n"
    rules.write_text(may.format("status") + "topic read dealwire/v1/here/t1/#\n")
    settings = ("allow_anonymous false", f"password_file {users}", f"acl_file {rules}", *Mosquitto.KEEPS)
    said: list[str] = []
    with running_broker(tmp_path / "broker", *settings) as broker:
        at = Broker.parse(broker.url.replace("//", "//table@"), password="table")
        with (
            Reader(broker.port, TOPICS, username="reader") as reader,
            MqttExporter(at, journal, site=SITE, tables=[TABLE], report=said.append) as exporter,
        ):
            put(journal, 100)
            eventually(lambda: bool(said), "the refusal is not told")
            assert said == [f"{broker.url}: the broker refuses a line: Not authorized; lines of t1 wait in the journal"]
            assert len(journal.outboxes.unsent("mqtt/t1", 200)) == 100
            assert exporter.progress[TABLE].sent == 0
            rules.write_text(may.format("#"))
            broker.reload()
            must_have_everything(reader, journal.path)
            eventually(lambda: exporter.progress[TABLE].problem is None, "the trouble is over")
        assert journal.outboxes.unsent("mqtt/t1", 1) == []


def test_a_wrong_password_and_an_absent_broker_are_one_line_each(journal: Journal, tmp_path: Path) -> None:
    settings = ("allow_anonymous false", f"password_file {passwords(tmp_path)}")
    said: list[str] = []
    with running_broker(tmp_path / "broker", *settings) as broker:
        refused = f"{broker.url}: the broker refuses: Not authorized; lines of t1 wait in the journal"
        absent = f"{broker.url}: no connection: [Errno 111] Connection refused; lines of t1 wait in the journal"
        at = Broker.parse(broker.url, username="table", password="wrong")
        assert "wrong" not in f"{at} {at!r}"
        with MqttExporter(at, journal, site=SITE, tables=[TABLE], report=said.append):
            eventually(lambda: len(said) == 1, "the refusal is not told")
            broker.kill()
            eventually(lambda: said[-1] == absent, "the absence is not told")
    # A broker that is killed in the middle of an attempt breaks that one off.
    assert (said[0], len(said) <= 3) == (refused, True), said


def test_the_broker_says_offline_for_a_table_that_is_gone(tmp_path: Path, broker: Mosquitto) -> None:
    command = [sys.executable, "-m", "tests.support.rigs.export_lines", str(tmp_path / "journal"), broker.url, "100000"]
    with (
        Reader(broker.port, f"dealwire/v1/{SITE}/{TABLE}/status") as reader,
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process,
    ):
        eventually(lambda: len(reader.others) == 1, "not online")
        process.kill()
        eventually(lambda: len(reader.others) == 2, "not offline")
        assert [text for _, text, _ in reader.others] == ["online", "offline"]
    with Reader(broker.port, f"dealwire/v1/{SITE}/{TABLE}/status", "late") as late:
        eventually(lambda: bool(late.others), "not retained")
        assert late.others == [(f"dealwire/v1/{SITE}/{TABLE}/status", "offline", True)]


def test_who_misses_lines_gets_them_again(journal: Journal, broker: Mosquitto) -> None:
    put(journal, 600)
    with MqttExporter(Broker.parse(broker.url), journal, site=SITE, tables=[TABLE]) as exporter:
        eventually(lambda: exporter.progress[TABLE].sent == 600, "not sent")
        with Reader(broker.port, TOPICS) as late:
            lines = journalled(journal.path)
            identity = late_identity(late)
            late.ask(f"dealwire/v1/{SITE}/{TABLE}/again", f"{identity} {lines[399].sequence}")
            eventually(lambda: len(late.lines) == 200, "not sent again")
            late.ask(f"dealwire/v1/{SITE}/{TABLE}/again", f"{identity} 0")
            must_have_everything(late, journal.path)
            eventually(lambda: exporter.progress[TABLE].sent == 600 + 200 + REPEAT_MAX, "another number was sent again")
            for nonsense in ("", "0", f"{identity} -1", "0" * 32 + " 0", f"{identity} 99999999999999999999", "é" * 99):
                late.ask(f"dealwire/v1/{SITE}/{TABLE}/again", nonsense)
            put(journal, 10)
            exporter.wake()
            eventually(lambda: has_everything(late, journal.path), "stopped by nonsense")
        assert exporter.progress[TABLE].repeats == 2


def late_identity(reader: Reader) -> str:
    """The journal's number, from the retained mark."""
    eventually(lambda: any(topic.endswith("/sent") for topic, _, _ in reader.others), "no mark")
    return next(text.split()[0] for topic, text, _ in reader.others if topic.endswith("/sent"))


def certificates(folder: Path) -> None:
    """An authority, and certificates of a server and a client, by openssl."""

    def run(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=folder)

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    run("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=test authority")
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1")
    for name in ("server", "client"):
        run("req", *key, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        signed = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names")
        run("x509", "-req", "-in", f"{name}.csr", "-out", f"{name}.pem", *signed)


# paho leaves a socket whose handshake failed to the garbage collector
@pytest.mark.filterwarnings("ignore:Exception ignored in. <ssl.SSLSocket:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed (apt install openssl)")
def test_lines_go_over_tls_with_certificates_on_both_sides(journal: Journal, tmp_path: Path) -> None:
    certificates(tmp_path)
    own = {name: tmp_path / name for name in ("ca.pem", "server.pem", "server.key", "client.pem", "client.key")}
    settings = (f"cafile {own['ca.pem']}", f"certfile {own['server.pem']}", f"keyfile {own['server.key']}")
    said: list[str] = []
    with running_broker(tmp_path / "broker", *settings, "require_certificate true", "allow_anonymous true") as broker:
        url = broker.url.replace("mqtt:", "mqtts:")
        put(journal, 100)
        with MqttExporter(Broker.parse(url), journal, site=SITE, tables=[TABLE], report=said.append):
            eventually(lambda: bool(said), "a foreign authority is not told")
        assert "certificate verify failed" in said[0]
        at = Broker.parse(url, ca_file=own["ca.pem"], cert_file=own["client.pem"], key_file=own["client.key"])
        with MqttExporter(at, journal, site=SITE, tables=[TABLE], report=said.append) as exporter:
            eventually(lambda: exporter.progress[TABLE].sent == 100, "not sent")
        absent = Broker.parse(url, ca_file=tmp_path / "absent.pem")
        with MqttExporter(absent, journal, site=SITE, tables=[TABLE], report=said.append):
            eventually(lambda: "certificates cannot be used" in said[-1], "an absent file is not told")


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://here", "'http://here' is not of the form mqtt://[USER@]HOST[:PORT] or mqtts://..."),
        ("mqtt://", "'mqtt://' is not of the form mqtt://[USER@]HOST[:PORT] or mqtts://..."),
        ("mqtt://a:99999", "'mqtt://a:99999': Port out of range 0-65535"),
        ("mqtt://u:secret@here", "an address must not contain a password, which others could see; use a password file"),
    ],
)
def test_an_address_that_is_none_is_refused(url: str, why: str) -> None:
    with pytest.raises(ValueError) as caught:
        Broker.parse(url)
    assert str(caught.value) == why


def test_a_password_is_the_first_line_of_its_file(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("open sesame\nnot this\n")
    assert Broker.parse("mqtt://u@here", file).password == "open sesame"
    file.write_text("")
    for given, why in ((file, "the first line must be the password"), (tmp_path / "none", "No such file")):
        with pytest.raises(ValueError, match=why):
            Broker.parse("mqtt://u@here", given)


@pytest.mark.parametrize("name", ["", "a/b", "+", "a#", "$SYS", "x" * 65, "a\n"])
def test_a_name_that_no_topic_can_hold_is_refused(name: str, journal: Journal) -> None:
    with pytest.raises(ValueError, match="allowed are 1 to 64 characters"):
        MqttExporter(Broker.parse("mqtt://here"), journal, site=SITE, tables=[name])
    with pytest.raises(ValueError, match="site"):
        MqttExporter(Broker.parse("mqtt://here"), journal, site=name, tables=[TABLE])
