"""Standard output: every line in its order, through a real pipe, and no table ever waits for its reader."""

import io
import json
import os
from contextlib import suppress
from pathlib import Path

from dealwire.export.ndjson import NdjsonSink
from dealwire.hub.hub import QUEUE_MAX, Hub
from dealwire.hub.lines import Publication
from tests.dealwire.export.test_lines import check
from tests.support.brokers import eventually
from tests.support.export_lines import TABLE, told


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
    assert sink.failed is None


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
        eventually(lambda: sink.failed is not None, "the other end has gone and nobody noticed")
    assert "Broken pipe" in str(sink.failed)
    with suppress(BrokenPipeError):
        out.close()
