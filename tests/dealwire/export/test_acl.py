"""The access rights that are shipped, in a real mosquitto: a table writes its own topics, a reader reads and requests,
and no one can do more."""

import subprocess
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import paho.mqtt.client as paho
import pytest
from click.testing import CliRunner
from paho.mqtt.enums import CallbackAPIVersion

from dealwire.cli import main
from dealwire.export.broker import Broker
from dealwire.export.mqtt import MqttExporter
from dealwire.export.topics import AGAIN, LINE_TOPICS, MARK, OPENING, PRESENCE, STANDING
from dealwire.journal import Journal
from devices.clock import SystemClock
from tests.dealwire.export.test_mqtt import late_identity
from tests.support.rigs.brokers import Mosquitto, Reader, eventually, hang_up, needs_mosquitto, running_broker
from tests.support.rigs.export_lines import journalled, publish
from tests.support.rigs.patience import wait_until

pytestmark = needs_mosquitto
RULES = resources.files("dealwire.export").joinpath("files", "mosquitto.acl")
USERS = ("here/t1", "here/t2", "there/t1", "fleet", "stranger")
LEVELS = (*LINE_TOPICS.values(), PRESENCE, STANDING, MARK, AGAIN, OPENING)
NO_SUBSCRIBER, NOT_AUTHORISED = 0x10, 0x87


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    users, rules = tmp_path / "passwords", tmp_path / "rules"
    for number, name in enumerate(USERS):
        create = ["-c"] if number == 0 else []
        subprocess.run(["mosquitto_passwd", "-b", *create, str(users), name, name], check=True, capture_output=True)
    rules.write_text(RULES.read_text())
    for file in (users, rules):
        file.chmod(0o600)
    settings = ("allow_anonymous false", f"password_file {users}", f"acl_file {rules}")
    with running_broker(tmp_path / "broker", *settings) as made:
        yield made


def allowed(broker: Mosquitto, user: str, topics: list[str], *, retain: bool = False) -> list[str]:
    """Of these topics the ones that `user` may write to, by what the broker answers."""
    return [each for at in range(0, len(topics), 10) for each in _allowed(broker, user, topics[at : at + 10], retain)]


def _allowed(broker: Mosquitto, user: str, topics: list[str], retain: bool) -> list[str]:
    """Few enough to be under way at once."""
    answers: dict[int, int] = {}
    client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
    client.username_pw_set(user, user)
    client.on_publish = lambda _, __, mid, reason, ___: answers.__setitem__(mid, reason.value)
    client.connect("127.0.0.1", broker.port)
    wait_until(lambda: (client.loop(0.01), client.is_connected())[1], "the connection")
    sent = {client.publish(topic, "x", 1, retain).mid: topic for topic in topics}
    wait_until(lambda: (client.loop(0.01), len(answers) == len(sent))[1], "an answer to every message")
    hang_up(client)
    assert answers.keys() == sent.keys(), "not every message is answered"
    assert set(answers.values()) <= {0, NO_SUBSCRIBER, NOT_AUTHORISED}
    return [topic for mid, topic in sent.items() if answers[mid] != NOT_AUTHORISED]


def topics_of(*tables: str) -> list[str]:
    return [f"dealwire/v1/{table}/{level}" for table in tables for level in LEVELS]


ELSEWHERE = [
    "dealwire/v1/here/event",
    "dealwire/v1/event",
    "dealwire/v2/here/t1/event",
    "x",
    "dealwire/v1/here/t1/x/event",
]


@pytest.mark.parametrize("table", ["here/t1", "here/t2", "there/t1"])
def test_a_table_writes_its_own_topics_and_no_others(broker: Mosquitto, table: str) -> None:
    everything = [*topics_of("here/t1", "here/t2", "there/t1", "there/t2"), *ELSEWHERE]
    for retain in (False, True):
        own = [f"dealwire/v1/{table}/{level}" for level in LEVELS if level != AGAIN]
        assert allowed(broker, table, everything, retain=retain) == own


def test_a_reader_only_asks(broker: Mosquitto) -> None:
    everything = [*topics_of("here/t1", "there/t1"), *ELSEWHERE]
    assert allowed(broker, "fleet", everything) == ["dealwire/v1/here/t1/again", "dealwire/v1/there/t1/again"]
    assert allowed(broker, "stranger", everything) == []


def test_nobody_else_reads(broker: Mosquitto) -> None:
    with (
        Reader(broker.port, "#", "a", username="stranger") as stranger,
        Reader(broker.port, "#", "b", username="here/t2") as other,
        Reader(broker.port, "#", "c", username="fleet") as fleet,
    ):
        allowed(broker, "here/t1", topics_of("here/t1"))
        eventually(lambda: len(fleet.others) == len(LEVELS) - 1, "the reader reads nothing")
        assert stranger.others == other.others == []


def test_tables_and_a_reader_do_all_they_have_to(broker: Mosquitto, tmp_path: Path) -> None:
    """Two tables of one service, each signed in under its own name with the one password that its file holds."""
    reports: list[str] = []
    users = tmp_path / "passwords"
    for name in ("here/t1", "here/t2"):
        subprocess.run(["mosquitto_passwd", "-b", str(users), name, "secret"], check=True, capture_output=True)
    broker.reload()
    secret = tmp_path / "secret"
    secret.write_text("secret\n")
    at = Broker.parse(broker.url, secret)
    with (
        Journal(tmp_path / "journal", key=None, clock=SystemClock()) as journal,
        Reader(broker.port, "dealwire/v1/+/+/+", username="fleet") as reader,
        MqttExporter(at, journal, site="here", tables=["t1", "t2"], report=reports.append) as exporter,
    ):
        for _ in publish(journal, 200, tables=("t1", "t2")):
            exporter.wake()
        lines = journalled(journal.path)
        eventually(lambda: len(reader.lines) == len(lines), f"lines are missing: {reports}")
        reader.ask("dealwire/v1/here/t1/again", f"{late_identity(reader)} 0")
        eventually(lambda: reader.doubles == len(lines) // 2, "not sent again")
    assert reports == []


def test_the_rules_are_printed_and_explained() -> None:
    done = CliRunner().invoke(main, ["fleet", "acl"])
    assert (done.exit_code, done.stdout) == (0, RULES.read_text())
    page = (Path(__file__).parents[3] / "docs" / "exports.md").read_text(encoding="utf-8")
    rules = [line for line in RULES.read_text().splitlines() if line and not line.startswith("#")]
    for rule in rules:
        assert rule in page
