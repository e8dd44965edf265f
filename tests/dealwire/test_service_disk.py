"""A person is warned that the journal's disk is filling up before every table stops."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from dealwire.export.metrics import Metrics
from dealwire.service.disk import EVERY_NS, DiskWatch, in_words
from tests.support.broken.small_disk import SmallDisk, small_disk
from tests.support.rigs.serving import opened, run_until, write_configuration


@dataclass
class Disk:
    """A disk of 1,000 MB; `used` may be set, some is reserved for root."""

    used: int = 0
    total: int = 1_000_000_000
    reserved: int = 50_000_000
    looks: int = 0

    @property
    def free(self) -> int:
        return max(0, self.total - self.reserved - self.used)

    def usage(self, _: Path) -> Disk:
        self.looks += 1
        return self


def test_each_level_is_told_once_and_that_there_is_room_again(tmp_path: Path) -> None:
    disk = Disk()
    watch, told = DiskWatch(tmp_path, disk.usage), []
    mb = 1_000_000
    for turn, used in enumerate([100, 750, 770, 761, 758, 770, 860, 945, 945, 400, 770]):
        disk.used = used * mb
        told.append(watch.look(turn * EVERY_NS))
    assert [(turn, text) for turn, text in enumerate(told) if text is not None] == [
        (2, "81 % of the journal's disk is in use, 180.0 MB free; when it is full, every table stops"),
        (6, "90 % of the journal's disk is in use, 90.0 MB free; when it is full, every table stops"),
        (7, "99 % of the journal's disk is in use, 5.0 MB free; when it is full, every table stops"),
        (9, "space is available again: 42 % of the journal's disk is in use, 550.0 MB free"),
        (10, "81 % of the journal's disk is in use, 180.0 MB free; when it is full, every table stops"),
    ]
    assert (watch.free, watch.size) == (180 * mb, 1000 * mb)


def test_it_is_looked_at_every_few_seconds_and_a_disk_that_went_is_no_warning(tmp_path: Path) -> None:
    disk = Disk(used=990_000_000)
    watch = DiskWatch(tmp_path, disk.usage)
    assert watch.look(0) is not None
    for second in range(1, 11):
        assert watch.look(second * 1_000_000_000) is None
    assert disk.looks == 3
    assert DiskWatch(tmp_path / "gone").look(0) is None
    assert [in_words(count) for count in (0, 999, 1000, 2_500_000, 10**12)] == [
        "0 bytes",
        "999 bytes",
        "1.0 kB",
        "2.5 MB",
        "1000.0 GB",
    ]


@pytest.fixture
def small(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk", 8192) as mounted:
        yield mounted


def test_a_real_disk_that_fills_up_is_told_at_every_table_before_it_stops(
    small: SmallDisk, caplog: pytest.LogCaptureFixture
) -> None:
    places = [{"shuffler": f"tcp://127.0.0.1:{n}", "table-controller": f"tcp://127.0.0.1:{n + 1}"} for n in (1, 3)]
    service, listener = opened(write_configuration(small.folder, places))
    metrics = Metrics(service.hub, health=service.health)

    def warnings() -> list[tuple[str, str]]:
        lines = [line for line in listener.of("status") if line["kind"] == "warning"]
        return [(line["table"], line["text"][:3]) for line in lines]

    with service, caplog.at_level(logging.WARNING, "dealwire.service"):
        service.run(1.2)
        assert warnings() == []
        with (small.folder / "ballast").open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while service.health.disk_free == 0 or DiskWatch(small.folder).look(0) is None:
                file.write(bytes(65536))
        run_until(service, lambda: len(warnings()) == 2)
        assert service.failed is None
        view = service.hub.views()["table-1"]
        found = {family.name: family.samples[0].value for family in metrics.collect() if "disk" in family.name}
    assert {table for table, _ in warnings()} == {"table-1", "table-2"}
    assert all(text.startswith("8") for _, text in warnings())
    assert any("is in use" in line.text for line in view.log)
    assert any("is in use" in record.message for record in caplog.records)
    assert found["dealwire_disk_size_bytes"] > found["dealwire_disk_free_bytes"] > 0
