"""Lines in a real database: each once, every cent, whoever is killed."""

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import paho.mqtt.client as paho
import psycopg
import pytest
from click.testing import CliRunner
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from dealwire.cli import main
from dealwire.export.broker import Broker
from dealwire.export.fleet.consumer import ASK_S, GRACE_S, RepeatRequests
from dealwire.export.fleet.database import MissingLine
from dealwire.export.fleet.scripts import all_sql, scripts
from dealwire.export.mqtt import MqttExporter
from dealwire.export.topics import Address
from dealwire.journal import Journal
from dealwire.table.redaction import topic_of
from devices.clock import SystemClock
from devices.extras import install_command
from tests.support.dealing.side_pot_hand import HAND, PokerTable
from tests.support.rigs.brokers import Mosquitto, eventually, hang_up, needs_mosquitto, running_broker
from tests.support.rigs.export_lines import SITE, journalled, publish
from tests.support.rigs.patience import PATIENCE_S
from tests.support.rigs.postgres import Postgres, needs_postgres, running_postgres
from tests.support.rigs.serving import ORDERLY

pytestmark = [needs_mosquitto, needs_postgres]
ROOT = Path(__file__).parents[3]
TABLES = ("t1", "t2")


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    with running_postgres() as made:
        yield made


@pytest.fixture
def database(server: Postgres) -> Iterator[Postgres]:
    """Empty but for the tables."""
    with psycopg.connect(server.dsn) as connection:
        connection.execute("DROP SCHEMA IF EXISTS dealwire CASCADE")
        connection.execute(all_sql().encode())
    yield server
    server.forget()


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal(tmp_path / "journal", key=None, clock=SystemClock()) as made:
        yield made


class Consuming:
    """`dealwire fleet consume` in a process of its own, killed and started again at will."""

    def __init__(self, broker: Mosquitto, database: Postgres, *more: str) -> None:
        where = ("--mqtt", broker.url, "--postgres", database.dsn)
        self._command = [*ORDERLY, "fleet", "consume", *where, "--wait", *more]
        self._logs = broker.folder
        self.start()

    def start(self) -> None:
        self._log = self._logs / f"consumer-{time.monotonic_ns()}"
        with self._log.open("w") as log:
            self._process = subprocess.Popen(self._command, cwd=ROOT, stderr=log)

    def must_listen(self) -> None:
        eventually(lambda: "listening to " in self._log.read_text(), "it never listened")

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def log(self) -> str:
        """Return the log since the last start."""
        return self._log.read_text()

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> int:
        self.must_listen()
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(300)


@contextmanager
def consuming(broker: Mosquitto, database: Postgres, *more: str) -> Iterator[Consuming]:
    consumer = Consuming(broker, database, *more)
    try:
        yield consumer
    finally:
        assert consumer.stop() == 0


def put(journal: Journal, count: int) -> None:
    for _ in publish(journal, count, tables=TABLES):
        pass


def cents(lines: list[str]) -> tuple[int, int, int, int]:
    """Stake, pay, returned and net of every bet in settlements, added up from the journal's own lines."""
    bets = [bet for line in lines if '"type":"settlement"' in line for bet in json.loads(line)["lines"]]
    return tuple(sum(bet[name] for bet in bets) for name in ("stake", "pay", "returned", "net"))  # type: ignore[return-value]


def must_agree(database: Postgres, journal: Journal) -> None:
    """Row for line, byte for byte and cent for cent; nothing missing, nothing refused."""
    lines = journalled(journal.path)
    eventually(lambda: database.rows("SELECT count(*) FROM dealwire.line") == [(len(lines),)], "rows are missing")
    found = database.rows("SELECT table_name, sequence, at_ns, type, line FROM dealwire.line ORDER BY sequence")
    assert found == [(item.table, item.sequence, item.at_ns, item.topic, item.line) for item in lines]
    sums = "SELECT sum(stake_cents), sum(pay_cents), sum(returned_cents), sum(net_cents) FROM dealwire.bet"
    assert database.rows(sums) == [cents([item.line for item in lines])]
    eventually(lambda: database.rows("SELECT count(*) FROM dealwire.gap") == [(0,)], "gaps are left")
    assert database.rows("SELECT * FROM dealwire.refused") == []


def exporter_of(broker: Mosquitto, journal: Journal) -> MqttExporter:
    return MqttExporter(Broker.parse(broker.url), journal, site=SITE, tables=TABLES)


@pytest.mark.more
def test_every_line_is_a_row_and_every_cent_is_there(journal: Journal, database: Postgres, tmp_path: Path) -> None:
    with (
        running_broker(tmp_path / "broker") as broker,
        exporter_of(broker, journal) as exporter,
        consuming(broker, database),
    ):
        put(journal, 1000)
        exporter.wake()
        must_agree(database, journal)
    day = database.rows(
        "SELECT game, handle_cents, paid_cents, returned_cents, win_cents, unsettled_cents FROM dealwire.day"
    )
    stake, pay, returned, net = cents([item.line for item in journalled(journal.path)])
    assert day == [("flushes-gone-wild.co", stake, pay, returned, -net, 0)]
    kinds = Counter(json.loads(item.line).get("outcome") for item in journalled(journal.path) if item.topic == "round")
    assert dict(database.rows("SELECT outcome, count(*) FROM dealwire.round GROUP BY outcome")) == kinds


@pytest.mark.more
def test_every_pot_is_a_row_with_its_rake(journal: Journal, database: Postgres, tmp_path: Path) -> None:
    table = PokerTable()
    for part in HAND:
        table.play(part)
    table.end()
    with (
        running_broker(tmp_path / "broker") as broker,
        exporter_of(broker, journal) as exporter,
        consuming(broker, database),
    ):
        for item in table.outcomes:
            journal.publish(TABLES[0], topic_of(item), SystemClock().now_ns(), item.to_json())
        journal.commit()
        exporter.wake()
        must_agree(database, journal)
    rows = database.rows(
        "SELECT game, round, number, pot, pot_cents, rake_cents, jackpot_rake_cents, held FROM dealwire.pot"
    )
    assert rows == [
        ("holdem.co", 1, 1, "pot", 8300, 400, 0, None),
        ("holdem.co", 1, 2, "side-pot-1", 7500, 0, 0, None),
        ("holdem.co", 1, 3, "side-pot-2", 8200, 0, 0, None),
    ]
    assert database.rows("SELECT win_cents FROM dealwire.day") == [(400,)]


def troubles(journal: Journal, database: Postgres, folder: Path, cycles: int, lines: int, seed: int) -> None:
    """Consumer, database and broker are killed at random instants. The broker keeps nothing on disk: what it forgets
    the consumer must miss and ask for."""
    chance = random.Random(seed)
    with (
        running_broker(folder / "broker", "max_queued_messages 100") as broker,
        exporter_of(broker, journal) as exporter,
        consuming(broker, database) as consumer,
    ):
        for number in range(cycles):
            pause_s = chance.uniform(0, 0.01)
            for _ in publish(journal, lines, tables=TABLES):
                exporter.wake()
                time.sleep(pause_s)
            victim = (consumer, database, broker)[number % 3]
            victim.kill()
            put(journal, lines // 2)
            exporter.wake()
            time.sleep(chance.uniform(0, 0.3))
            victim.start()
        must_agree(database, journal)


@pytest.mark.more
def test_nothing_is_lost_when_consumer_database_and_broker_are_killed(
    journal: Journal, database: Postgres, tmp_path: Path
) -> None:
    troubles(journal, database, tmp_path, 3, 500, seed=3)


@pytest.mark.slow
def test_nothing_is_lost_in_thirty_kills(journal: Journal, database: Postgres, tmp_path: Path) -> None:
    troubles(journal, database, tmp_path, 30, 100, seed=4)


def test_a_table_is_asked_when_nothing_more_comes_and_not_before() -> None:
    asking, address = RepeatRequests(), Address("s", "t")

    def at(now_s: float, *gaps: tuple[int, int]) -> list[int]:
        """Gaps as (missing, newest before it) -> the places asked for."""
        found = asking.of([MissingLine("s", "t", "j", missing, after) for missing, after in gaps], now_s)
        assert {(where, journal) for where, journal, _ in found} <= {(address, "j")}
        return [after for _, _, after in found]

    assert at(0, (100, 10)) == []  # it may be on its way
    assert at(GRACE_S, (100, 10)) == [10]
    assert at(GRACE_S + 1, (100, 10)) == []  # asked already
    assert at(GRACE_S + 2, (100, 40)) == []  # some came, and more may
    assert at(GRACE_S + 3, (100, 60)) == []
    assert at(GRACE_S + 4, (100, 60)) == [60]  # no more came
    assert at(GRACE_S + 4 + ASK_S - 1, (100, 60)) == []
    assert at(GRACE_S + 4 + ASK_S, (100, 60)) == [60]  # nothing came: once more
    assert at(GRACE_S + 20) == []
    assert asking.due == {}
    assert at(GRACE_S + 21, (200, 150)) == []  # another gap has its own grace
    assert at(2 * GRACE_S + 21, (200, 150)) == [150]


def test_the_tables_are_made_once_and_as_printed(database: Postgres) -> None:
    columns = "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema='dealwire'"
    printed = sorted(database.rows(columns))
    with psycopg.connect(database.dsn) as connection:
        connection.execute("DROP SCHEMA dealwire CASCADE")
    added = ", ".join(f"version {version} added" for version, _ in scripts())
    for said in (f"tables: {added}\n", "tables: up to date\n"):
        assert fleet("migrate", "--postgres", database.dsn) == (0, "", said)
    assert sorted(database.rows(columns)) == printed
    assert database.rows("SELECT version FROM dealwire.version") == [(version,) for version, _ in scripts()]
    assert fleet("sql") == (0, all_sql() + "\n", "")


def fleet(*arguments: str) -> tuple[int, str, str]:
    """Exit code, output and errors of `dealwire fleet`."""
    done = CliRunner().invoke(main, ["fleet", *arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout, done.stderr


def say(broker: Mosquitto, topic: str, payload: bytes, **told: str) -> None:
    """Publish anything, as anybody on the broker could."""
    properties = Properties(PacketTypes.PUBLISH)
    properties.UserProperty = list(told.items())
    client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    client.publish(topic, payload, 1, properties=properties).wait_for_publish(PATIENCE_S)
    hang_up(client)


JOURNAL = "0123456789abcdef" * 2
GOOD = {"site": "s", "table": "t", "journal": JOURNAL, "sequence": "1", "previous": "0", "at_ns": "1"}
STATUS = '{"schema":"dealwire.status/1","type":"status","text":"%s"}'


@pytest.mark.more
def test_what_is_no_line_is_kept_aside_and_stops_nothing(database: Postgres, tmp_path: Path) -> None:
    told = GOOD | {"schema": "dealwire.status/1"}
    topic, line = "dealwire/v1/s/t/state", (STATUS % "a").encode()
    bad: list[tuple[str, bytes, dict[str, str], str]] = [
        (topic, line, {}, "no user property at_ns, journal, previous, schema, sequence, site, table"),
        (topic, b"\xff", told, "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"),
        (topic, b"7", told, "the line is not of dealwire.status/1"),
        (topic, line, told | {"schema": "dealwire.round/2"}, "the line is not of dealwire.round/2"),
        (topic, line, told | {"journal": "x"}, "journal 'x' is not 32 hex digits"),
        (topic, line, told | {"sequence": "-1"}, "sequence '-1' is not a number of 63 bits"),
        (topic, line, told | {"at_ns": str(1 << 63)}, f"at_ns '{1 << 63}' is not a number of 63 bits"),
        (topic, line, told | {"table": "u"}, "a line of dealwire/v1/s/u/state"),
        ("dealwire/v1/s/t/round", line, told, "a line of dealwire/v1/s/t/state"),
        ("dealwire/v1/s/t/sent", b"soon", {}, "journal 'soon' is not 32 hex digits"),
        (topic, (STATUS % r"\u0000").encode(), told, "unsupported Unicode escape sequence"),
        (
            topic,
            (STATUS % "b").encode(),
            told,
            "another line has this journal and sequence: the journal was restored from an older copy, or forged",
        ),
    ]
    with running_broker(tmp_path / "broker") as broker, consuming(broker, database) as consumer:
        consumer.must_listen()
        say(broker, topic, line, **told)
        for at, payload, properties, _ in bad:
            say(broker, at, payload, **properties)
        say(broker, topic, line, **told)  # once more: that is no contradiction
        say(broker, topic, line, **told | {"sequence": "2", "previous": "1"})
        eventually(lambda: database.rows("SELECT count(*) FROM dealwire.line") == [(2,)], "stopped by nonsense")
    found = database.rows("SELECT why FROM dealwire.refused ORDER BY id")
    assert Counter(found) == Counter((why,) for _, _, _, why in bad)


@pytest.mark.more
def test_consumers_of_a_group_share_the_lines(journal: Journal, database: Postgres, tmp_path: Path) -> None:
    with (
        running_broker(tmp_path / "broker", "log_type all") as broker,
        consuming(broker, database, "--group", "fleet", "--name", "one") as first,
        consuming(broker, database, "--group", "fleet", "--name", "two") as second,
    ):
        for each in (first, second):
            each.must_listen()
        with exporter_of(broker, journal) as exporter:
            put(journal, 200)
            exporter.wake()
            eventually(lambda: database.rows("SELECT count(*) > 50 FROM dealwire.line") == [(True,)], "nothing comes")
            second.kill()
            put(journal, 200)
            exporter.wake()
            second.start()
            must_agree(database, journal)
        log = (broker.folder / "log").read_text()
        assert {name for name in ("one", "two") if f"Sending PUBLISH to {name}" in log} == {"one", "two"}


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (
            ["migrate", "--postgres", "host=/nowhere"],
            3,
            "PostgreSQL: connection is bad: connection to server on socket",
        ),
        (["migrate", "--postgres", "no equals sign"], 2, "PostgreSQL: "),
        (["consume", "--mqtt", "mqtt://127.0.0.1:1", "--postgres", "{dsn}"], 3, "mqtt://127.0.0.1:1: no connection: "),
        (["consume", "--mqtt", "http://here", "--postgres", "{dsn}"], 2, "'http://here' is not of the form mqtt://"),
        (["consume", "--mqtt", "mqtts://here", "--mqtt-ca", "absent.pem", "--postgres", "{dsn}"], 2, "cannot be used"),
        (
            ["consume", "--mqtt", "mqtt://here", "--mqtt-password-file", "absent", "--postgres", "{dsn}"],
            2,
            "-file: absent: No",
        ),
        (["consume", "--mqtt", "mqtt://here", "--postgres", "{dsn} options=-csearch_path="], 3, "mqtt://here:1883: "),
    ],
)
def test_what_keeps_it_from_working_is_one_line(arguments: list[str], code: int, said: str, database: Postgres) -> None:
    found, out, errors = fleet(*[part.replace("{dsn}", database.dsn) for part in arguments])
    assert (found, out) == (code, "")
    assert said in errors


def test_a_missing_extra_is_one_line() -> None:
    code = "import sys; sys.modules['psycopg'] = None; from dealwire.cli import main; main(sys.argv[1:])"
    command = ["fleet", "migrate", "--postgres", "x"]
    done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"dealwire: psycopg is not installed; {install_command('fleet')}\n"


@pytest.mark.parametrize(("version", "remedy"), [(None, "dealwire fleet migrate"), (99, "update dealwire")])
def test_tables_of_another_version_are_refused(version: int | None, remedy: str, database: Postgres) -> None:
    with psycopg.connect(database.dsn, autocommit=True) as connection:
        if version is None:
            connection.execute("DROP SCHEMA dealwire CASCADE")
        else:
            connection.execute("INSERT INTO dealwire.version VALUES (%s)", [version])
    code, _, said = fleet("consume", "--mqtt", "mqtt://127.0.0.1:1", "--postgres", database.dsn)
    assert code == 2
    assert said.startswith("dealwire: PostgreSQL: its tables are of version ")
    assert said.endswith(f"{remedy}\n")
    assert said.count("\n") == 1
