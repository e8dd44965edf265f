"""A table served by the devices in C, end to end: sealed lines that are required, certified firmware, devices that are
killed."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from dealwire.rehearsal.scenario_file import find_scenario
from tests.support.rigs import attested
from tests.support.rigs.firmware import make
from tests.support.rigs.sealed_devices import IMAGE, SealedReferenceTable, allowed_list
from tests.support.rigs.serving import compared, opened, published, run_until, write_configuration

pytestmark = pytest.mark.firmware

SPEED = 20


@contextlib.contextmanager
def dealt_on(folder: Path) -> Iterator[SealedReferenceTable]:
    """Switch the devices on, and pair them with the host whose keys are in `line-keys`."""
    make("host")
    (folder / "devices").mkdir()
    table = SealedReferenceTable(find_scenario("demo"), folder / "devices", SPEED)
    try:
        table.start()
        table.pair(folder / "line-keys")
        yield table
    finally:
        table.close()


def configuration(folder: Path, table: SealedReferenceTable) -> Path:
    lines = '[lines]\nkeys = "line-keys"\nkey-log = "keys.log"\n'
    file = write_configuration(folder, [table.addresses], top=lines + attested.write_trust(folder, allowed_list()))
    file.write_text(file.read_text().replace('\nkind = "', '\nsealed = "required"\nkind = "'))
    return file


def handshakes(folder: Path) -> int:
    log = folder / "keys.log"
    return len(log.read_text().splitlines()) if log.exists() else 0


def test_a_table_is_dealt_settled_and_attested_over_sealed_lines_and_killed_devices_come_back(tmp_path: Path) -> None:
    with dealt_on(tmp_path) as table:
        service, listener = opened(configuration(tmp_path, table))
        with service:
            run_until(service, lambda: handshakes(tmp_path) == 2)
            table.begin()
            run_until(service, lambda: len(listener.of("settlement")) == 1)
            table.kill()
            run_until(service, lambda: handshakes(tmp_path) == 4)
            table.go_on.set()
            run_until(service, lambda: len(listener.of("round")) == 3 or table.failed is not None)
            assert table.failed is None
            run_until(service, lambda: len(listener.of("settlement")) >= 2)
    rounds = listener.of("round")
    digest = hashlib.sha256(IMAGE).hexdigest()
    proved = [{"device": name, "sha256": digest, "version": "1.0.0"} for name in ("controller", "shuffler")]
    assert [each["outcome"] for each in rounds] == ["complete", "complete", "misdeal"]
    assert [each["firmware"] for each in rounds] == [proved] * 3
    assert {each["status"] for each in listener.of("settlement")} == {"settled"}
    comparison = compared(tmp_path)
    assert (comparison.difference, comparison.pending) == (None, [])
    assert [json.loads(item.line)["firmware"] for item in published(tmp_path, "round")] == [proved] * 3  # on record


def test_a_device_in_c_that_was_never_paired_is_refused_in_one_line(tmp_path: Path) -> None:
    with dealt_on(tmp_path) as table:
        file = configuration(tmp_path, table)
        (tmp_path / "line-keys/devices.keys").write_text("")
        service, listener = opened(file)
        with service:
            lines = service.tables["table-1"].lines
            run_until(service, lambda: all(line.error is not None for line in lines))
            said = " ".join(str(line.error) for line in lines)
        assert said.count("not sealed") == 2, said
        assert not listener.of("round")
