"""Speed of the exported lines, with a real mosquitto and a real PostgreSQL.

    python -m tests.support.programs.export_speed [LINES]

Each of our figures is printed next to that of the plain client on which it is built, which does the same without
journal and bookkeeping.
"""

import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path

import paho.mqtt.client as paho
import psycopg
from paho.mqtt.enums import CallbackAPIVersion

from dealwire.export.broker import Broker
from dealwire.export.fleet.scripts import all_sql
from dealwire.export.mqtt import MqttExporter
from dealwire.journal import Journal
from devices.clock import SystemClock
from tests.support.rigs import postgres
from tests.support.rigs.brokers import Mosquitto, eventually, hang_up, running_broker
from tests.support.rigs.export_lines import SITE, TABLE, publish, told

PATIENCE_S = 600.0


def say(what: str, window: int | str, count: int, work: Callable[[], None]) -> None:
    """Measure and print one row."""
    begun = time.perf_counter()
    work()
    print(f"| {what} | {window} | {count / (time.perf_counter() - begun):,.0f} |", flush=True)


def plain_publish(broker: Mosquitto, lines: list[str], window: int) -> None:
    """Publish with paho alone, with up to `window` messages under way."""
    client, left, done = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5), [len(lines)], threading.Event()
    client.max_inflight_messages_set(window)

    def confirmed(*_: object) -> None:
        left[0] -= 1
        if not left[0]:
            done.set()

    client.on_publish = confirmed
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    for line in lines:
        client.publish("plain", line, 1)
    done.wait(PATIENCE_S)
    hang_up(client)


def drain(broker: Mosquitto, journal: Journal, count: int) -> None:
    """Send everything in the journal to the broker."""
    with MqttExporter(Broker.parse(broker.url), journal, site=SITE, tables=[TABLE]) as exporter:
        eventually(lambda: exporter.progress[TABLE].sent >= count, "not sent")


def plain_insert(server: postgres.Postgres, lines: list[str]) -> None:
    """Insert with psycopg alone, in batches of 256, into a table with a key."""
    with psycopg.connect(server.dsn) as connection:
        connection.execute("CREATE TABLE plain (id bigint PRIMARY KEY, line text, content jsonb)")
        connection.commit()
        for start in range(0, len(lines), 256):
            rows = [(start + at, line, line) for at, line in enumerate(lines[start : start + 256])]
            connection.cursor().executemany("INSERT INTO plain VALUES (%s, %s, %s)", rows)
            connection.commit()


def end_to_end(broker: Mosquitto, server: postgres.Postgres, journal: Journal, count: int) -> None:
    """Move lines from the journal through the broker into the database, where `dealwire fleet consume` puts them."""
    wanted = [(count,)]
    with MqttExporter(Broker.parse(broker.url), journal, site="fleet", tables=[TABLE]):
        eventually(lambda: server.rows("SELECT count(*) FROM dealwire.line") == wanted, "rows are missing", PATIENCE_S)


@contextmanager
def consuming(broker: Mosquitto, server: postgres.Postgres) -> Iterator[None]:
    """Run a consumer in a process of its own, listening."""
    with psycopg.connect(server.dsn) as connection:
        connection.execute("TRUNCATE dealwire.line, dealwire.gap")
    where = ["--mqtt", broker.url, "--postgres", server.dsn]
    with subprocess.Popen([sys.executable, "-m", "dealwire", "fleet", "consume", *where]) as process:
        eventually(lambda: b"as dealwire-fleet" in (broker.folder / "log").read_bytes(), "nobody listens")
        yield
        process.terminate()


def measure(folder: Path, server: postgres.Postgres, lines: list[str], window: int, *settings: str) -> None:
    """Print the rows of one broker."""
    count = len(lines)
    folder.mkdir()
    with (
        running_broker(folder / "broker", "max_queued_messages 0", *settings) as broker,
        Journal(folder / "journal", key=None, clock=SystemClock()) as journal,
    ):
        for _ in publish(journal, count):
            pass
        say("paho alone, to the broker", window, count, lambda: plain_publish(broker, lines, window))
        say("journal to the broker", window, count, lambda: drain(broker, journal, count))
        with consuming(broker, server):
            say("journal, broker, database", window, count, lambda: end_to_end(broker, server, journal, count))


def main(count: int) -> None:
    """Print the table."""
    lines = [line for _, line in islice(cycle(told()), count)]
    size = sum(map(len, lines)) // count
    print(f"{count:,} lines of {size} bytes on average\n\n| what | in flight | lines/s |\n| --- | --: | --: |")
    with tempfile.TemporaryDirectory() as folder, postgres.running_postgres() as server:
        with psycopg.connect(server.dsn) as connection:
            connection.execute(all_sql().encode())
        measure(Path(folder) / "as it comes", server, lines, 20)
        measure(Path(folder) / "set up", server, lines, 64, "max_inflight_messages 1000")
        say("psycopg alone, into the database", "-", count, lambda: plain_insert(server, lines))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
