"""A table service in small: writes real lines into a journal and sends them, until it is killed or has sent all.

`python -m tests.support.rigs.export_lines JOURNAL URL COUNT`: COUNT lines in the journal, however often it was killed.
"""

import sys
from collections.abc import Iterator
from functools import cache
from itertools import cycle
from pathlib import Path

from dealer_flow.procedure.load import load_procedure
from dealwire.export.broker import Broker
from dealwire.export.mqtt import MqttExporter
from dealwire.hub.lines import Publication, Topic
from dealwire.journal import Journal, JournalReader
from dealwire.table.event_line import event_line
from dealwire.table.table import Table, TableTerms
from devices.clock import SystemClock
from devices.drive.replay import play
from devices.events import Seen
from devices.record.capture import Capture
from rules.game.load import load_game
from tests.support.rigs.brokers import eventually

CAPTURE = Path(__file__).parents[3] / "captures" / "clean-3.pcapng"
TABLE, SITE = "t1", "here"


@cache
def told() -> tuple[tuple[Topic, str], ...]:
    """Return the publications of a recording, in order, each as topic and line."""
    table = Table(load_procedure("flushes-gone-wild.co"), TableTerms(load_game("flushes-gone-wild.co")), name=TABLE)
    out: list[tuple[Topic, str]] = []

    def deliver(seen: Seen) -> None:
        out.append(("event", event_line(seen)))
        out.extend((item_type(item.to_json()), item.to_json()) for item in table.handle(seen))

    play(Capture.read(CAPTURE), deliver)
    return tuple(out)


def item_type(line: str) -> Topic:
    """Return the `type` of a line."""
    found: Topic = line.partition('"type":"')[2].partition('"')[0]  # type: ignore[assignment]
    return found


def publish(journal: Journal, count: int, *, group: int = 20, tables: tuple[str, ...] = (TABLE,)) -> Iterator[None]:
    """Publish `count` more lines, with a pause after each group that is on the disk."""
    lines = cycle(told())
    for number in range(count):
        topic, line = next(lines)
        journal.publish(tables[number % len(tables)], topic, SystemClock().now_ns(), line)
        if number % group == group - 1 or number == count - 1:
            journal.commit()
            yield


def journalled(path: Path) -> list[Publication]:
    """Return every line of a journal."""
    with JournalReader(path) as reader:
        return reader.publications()


def main(path: Path, url: str, count: int) -> None:
    """Resume where the last process was killed."""
    with Journal(path, key=None, clock=SystemClock()) as journal:
        exporter = MqttExporter(Broker.parse(url), journal, site=SITE, tables=[TABLE], report=print)
        exporter.start()
        print("started", flush=True)
        for _ in publish(journal, count - len(journalled(path))):
            exporter.wake()
        last = journalled(path)[-1].sequence
        eventually(lambda: exporter.progress[TABLE].sequence == last, "not everything was sent")
        exporter.stop()
    print("done", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
