"""Standard output: every line in its order, through a real pipe, and no table ever waits for its reader."""

import io
import json
import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import pytest

from dealwire.export.metrics import Metrics
from dealwire.export.ndjson import NdjsonSink
from dealwire.hub.hub import QUEUE_MAX, Hub
from dealwire.hub.lines import Publication
from tests.dealwire.export.test_lines import check
from tests.support.rigs.brokers import eventually
from tests.support.rigs.export_lines import TABLE, told


def publish(hub: Hub, count: int) -> list[str]:
    lines = [told()[number % len(told())] for number in range(count)]
    for number, (topic, line) in enumerate(lines, 1):
        hub.publish(Publication(10 * number, TABLE, number, topic, line))
    return [line for _, line in lines]


def test_every_line_comes_out_as_it_is(tmp_path: Path) -> None:
    hub = Hub()
    with (tmp_path / "out").open("w") as out, NdjsonSink(hub, out) as sink:
        lines = publish(hub, 1000)
        eventually(lambda: (tmp_path / "out").read_text().count("\n") == 1000, "lines are missing")
    assert (tmp_path / "out").read_text().splitlines() == lines
    assert sink.progress.failed is None


def test_a_reader_that_is_too_slow_is_told_what_it_missed() -> None:
    hub, out = Hub(), io.StringIO()
    sink = NdjsonSink(hub, out)
    lines = publish(hub, QUEUE_MAX + 5)
    with sink:
        eventually(lambda: out.getvalue().count("\n") == 6, "lines are missing")
    first, *rest = out.getvalue().splitlines()
    assert json.loads(first) == {
        "schema": "dealwire.gap/1",
        "type": "gap",
        "after": 0,
        "before": 10 * (QUEUE_MAX + 1),
    }
    assert check([first]) == {"gap"}
    assert rest == lines[QUEUE_MAX:]


def test_a_pipe_that_nobody_reads_holds_nothing_up() -> None:
    hub = Hub()
    read, write = os.pipe()
    out = os.fdopen(write, "w")
    with NdjsonSink(hub, out) as sink:
        publish(hub, 3 * QUEUE_MAX)  # far more than a pipe holds; this returns all the same
        os.close(read)
        eventually(lambda: sink.progress.failed is not None, "the other end has gone and nobody noticed")
    assert "the reader has left" in str(sink.progress.failed)
    with suppress(BrokenPipeError):
        out.close()


def test_what_was_left_out_is_counted_and_said_once_while_nobody_reads() -> None:
    hub, said = Hub(), list[str]()
    read, write = os.pipe()
    out = os.fdopen(write, "w")
    with NdjsonSink(hub, out, report=said.append) as sink:
        publish(hub, 4 * QUEUE_MAX)
        assert said == [
            "lines on standard output: the reader is too slow, some lines were dropped; the journal has them"
        ]
        assert sink.progress.lost >= QUEUE_MAX
        os.close(read)
        eventually(lambda: sink.progress.failed is not None, "the other end has gone and nobody noticed")
    assert said[1:] == [
        "lines on standard output: the reader has left; no more are written, the journal has all of them"
    ]
    assert sink.progress.written + sink.progress.lost == 4 * QUEUE_MAX
    with suppress(BrokenPipeError):
        out.close()


class Refusing(io.StringIO):
    def write(self, _: str, /) -> int:
        raise TypeError("a fault of ours")


def test_a_fault_of_this_program_is_logged_and_counted_and_the_thread_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    hub = Hub()
    metrics = Metrics(hub)
    with NdjsonSink(hub, Refusing()):
        for turn in (1, 2):
            publish(hub, 1)
            eventually(lambda turn=turn: hub.faults().get("ndjson", 0) >= turn, "nobody noticed")  # type: ignore[misc]
    assert [record.message.split("; ")[0] for record in caplog.records] == [
        "ndjson: internal error: TypeError at test_ndjson.py:" + str(Refusing.write.__code__.co_firstlineno + 1)
    ]
    samples = {(each.name, *each.labels.values()): each.value for one in metrics.collect() for each in one.samples}
    assert samples["dealwire_reader_faults_total", "ndjson"] >= 2


def hashed(count: int, first: int = 1) -> list[Publication]:
    items = []
    for number in range(first, first + count):
        topic, line = told()[number % len(told())]
        items.append(Publication(10 * number, TABLE, number, topic, line, epoch="ab", hash=f"{number:064x}"))
    return items


def head_of(item: Publication) -> dict[str, object]:
    digest = sha256(bytes.fromhex(item.hash)).hexdigest()
    return {"schema": "dealwire.head/1", "type": "head", "epoch": "ab", "sequence": item.sequence, "hash": digest}


def test_the_head_is_said_while_there_are_new_lines_and_at_the_end() -> None:
    hub, out = Hub(), io.StringIO()
    first, second = hashed(100), hashed(3, 101)

    def heads() -> list[dict[str, object]]:
        return [json.loads(line) for line in out.getvalue().splitlines() if '"type":"head"' in line]

    with NdjsonSink(hub, out):
        for item in first:
            hub.publish(item)
        eventually(lambda: len(heads()) >= 1, "nobody says the head")  # though nothing more comes
        assert heads()[-1] == head_of(first[-1])
        for item in second:
            hub.publish(item)
    assert heads()[-1] == head_of(second[-1])
    assert json.loads(out.getvalue().splitlines()[-1]) == heads()[-1]
    assert len(heads()) <= 4  # not one for each line
    assert check([json.dumps(heads()[0])]) == {"head"}
    lines = [line for line in out.getvalue().splitlines() if '"type":"head"' not in line]
    assert lines == [item.line for item in (*first, *second)]
