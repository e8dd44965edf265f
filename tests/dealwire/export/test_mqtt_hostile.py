"""Foreign messages on a table's topics, and failures in one table's lines: nothing of it ends the other tables."""

import pytest

from dealwire.export.broker import Broker
from dealwire.export.mqtt import REPEAT_MAX, MqttExporter
from dealwire.hub.health import ExportProgress
from dealwire.journal import Journal
from devices.clock import SystemClock
from tests.dealwire.export.test_mqtt import broker, has_everything, journal, late_identity, put
from tests.support.rigs.brokers import Mosquitto, Reader, eventually, needs_mosquitto
from tests.support.rigs.export_lines import SITE, TABLE, journalled

__all__ = ["broker", "journal"]
pytestmark = [needs_mosquitto, pytest.mark.more]
TOPICS = f"dealwire/v1/{SITE}/#"
AGAIN = f"dealwire/v1/{SITE}/{TABLE}/again"
HUGE = 9_999_999_999_999_999_999
"""Nineteen digits, and more than a journal's number can be."""


def exporter_to(broker: Mosquitto, journal: Journal, reports: list[str], *tables: str) -> MqttExporter:
    return MqttExporter(Broker.parse(broker.url), journal, site=SITE, tables=tables or (TABLE,), report=reports.append)


def refusals(identity: str) -> list[str | bytes]:
    """Return requests that must be refused."""
    past = 1 << 63
    numbers = (str(HUGE), str(past), "-1", "1.0", "0x10", "", " 1", "٣", "1 2", "1\n", "9" * 5000)
    return [*(f"{identity} {number}" for number in numbers), "", "0", "x" * 2**20, "[" * 1100, b"\xff\x00", b"\x00"]


def test_a_request_for_a_place_that_no_journal_has_is_refused_counted_and_told_once(
    journal: Journal, broker: Mosquitto
) -> None:
    reports: list[str] = []
    put(journal, 20)
    with exporter_to(broker, journal, reports) as exporter, Reader(broker.port, TOPICS) as reader:
        identity = late_identity(reader)
        wrong = refusals(identity)
        for text in wrong:
            reader.ask(AGAIN, text)
        progress = exporter.progress[TABLE]
        # The largest never reaches the table: it tells the broker how long a message may be.
        eventually(lambda: progress.refused == len(wrong) - 1, f"refused {progress.refused} of {len(wrong) - 1}")
        put(journal, 20)
        exporter.wake()
        reader.ask(AGAIN, f"{identity} 0")
        eventually(lambda: has_everything(reader, journal.path), "stopped by a request")
        reader.ask(AGAIN, f"{identity} {past_all(journal)}")  # of this journal, and nothing lies after it: no fault
        assert progress.problem is None
    assert reports == [
        f"{AGAIN}: a request is refused: it does not name a place in a journal; further ones are only counted"
    ]


def past_all(journal: Journal) -> int:
    assert journal.head.sequence < (1 << 63) - 1
    return (1 << 63) - 1


def newest(journal: Journal) -> int:
    return journalled(journal.path)[-1].sequence


def must_reach(progress: ExportProgress, sequence: int, refused: int) -> None:
    eventually(lambda: progress.sequence == sequence, "stopped by what is retained")
    eventually(lambda: progress.refused >= refused, "nobody counted it")


def test_a_request_that_is_retained_is_ignored_for_ever(journal: Journal, broker: Mosquitto) -> None:
    reports: list[str] = []
    put(journal, 20)
    with exporter_to(broker, journal, reports), Reader(broker.port, TOPICS) as reader:
        identity = late_identity(reader)
    keeper = Reader(broker.port, "nothing", "keeper")
    for text in (f"{identity} {HUGE}", f"{identity} 0"):
        keeper.keep(AGAIN, text)
        with exporter_to(broker, journal, reports) as exporter:
            put(journal, 20)
            exporter.wake()
            must_reach(exporter.progress[TABLE], newest(journal), 1)
            refused = exporter.progress[TABLE].refused
            keeper.keep(AGAIN, text)  # while it is there, too
            must_reach(exporter.progress[TABLE], newest(journal), refused + 1)
            assert exporter.progress[TABLE].repeats == 0
    keeper.close()
    assert set(reports) == {f"{AGAIN}: a request is refused: it is retained; further ones are only counted"}


def test_who_asks_without_end_holds_no_new_line_up(journal: Journal, broker: Mosquitto) -> None:
    put(journal, 600)
    with exporter_to(broker, journal, []) as exporter, Reader(broker.port, TOPICS) as reader:
        eventually(lambda: exporter.progress[TABLE].sent >= 600, "not sent")
        identity = late_identity(reader)
        put(journal, 10)  # the first request wakes the exporter, which finds these beside the other fifty-nine
        last = journalled(journal.path)[-1]
        with Reader(broker.port, "nothing", "impatient") as impatient:  # hears no answers that hold it up
            for place in range(60):  # each asks for hundreds of lines
                impatient.ask(AGAIN, f"{identity} {place}")
        key = (TABLE, identity, last.sequence)
        eventually(lambda: reader.doubles > 15 * REPEAT_MAX and key in reader.lines, "new lines wait")
    assert reader.doubles_before[key] < 5 * REPEAT_MAX


@pytest.fixture
def poisoned(journal: Journal) -> Journal:
    """A journal in which the table `bad` has a line that is none."""
    put(journal, 40, "bad", "good")
    journal.publish("bad", "status", SystemClock().now_ns(), "AS KD, and no JSON")
    put(journal, 40, "bad", "good")
    return journal


def test_a_lane_that_fails_is_told_once_and_tried_again_and_the_others_go_on(
    poisoned: Journal, broker: Mosquitto
) -> None:
    reports: list[str] = []
    with (  # the reader first: it has to hear the first line, too
        Reader(broker.port, TOPICS) as reader,
        exporter_to(broker, poisoned, reports, "bad", "good") as exporter,
    ):
        bad, good = exporter.progress["bad"], exporter.progress["good"]
        eventually(lambda: bad.failures >= 3, "it is not tried again")
        put(poisoned, 40, "good")
        exporter.wake()
        last = [item.sequence for item in journalled(poisoned.path) if item.table == "good"][-1]
        eventually(lambda: good.sequence == last, "the other table waits for it")
        assert good.problem is None
        assert bad.problem is not None
        assert bad.failures < 50  # the pauses grow
        mine = {sequence for table, _, sequence in reader.copy() if table == "bad"}
        before = [item for item in journalled(poisoned.path) if item.table == "bad"][: len(mine)]
        assert mine == {item.sequence for item in before}
    assert len(reports) == 1
    assert reports[0].startswith("bad: internal error: JSONDecodeError at ")
    assert reports[0].endswith("; lines of bad wait in the journal")
    assert "AS" not in reports[0]
    assert "\n" not in reports[0]
