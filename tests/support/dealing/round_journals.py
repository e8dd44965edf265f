"""Journals of rounds that are written report by report: the lines that a service publishes, without raw bytes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from dealwire.config.table_parts import TablePart
from dealwire.journal import Journal, JournalReader
from dealwire.journal.contents import TableStart
from dealwire.journal.factory import TableFactory
from dealwire.journal.settings import configuration_of
from dealwire.journal.tables import write_settled
from devices.clock import ManualClock
from devices.events import Seen
from rules.game.load import game_id_of

TABLE: Final = "table-1"
_DEVICE: Final = {"name": "device-1", "kind": "shuffler", "address": "tcp:host:1"}


def write_rounds(path: Path, procedure: str, seen: Sequence[Seen], *, ends: bool = True, **settings: Any) -> None:
    """Write a journal of these reports at one table, which is stopped at the end unless `ends` is false."""
    settings.setdefault("settle", game_id_of(procedure) is not None)
    part = TablePart.model_validate({"name": TABLE, "procedure": procedure, "device": (_DEVICE,), **settings})
    clock = ManualClock(seen[0].at_ns - 1)
    clocks = {"wall_ns": clock.now_ns() + 250_000_000, "monotonic_ns": 0, "carried_ns": clock.now_ns()}
    with Journal(path, key=None, clock=clock, about={"clock": clocks}) as journal, TableFactory(path) as maker:
        journal.commit()
        configuration, facts = configuration_of(part), maker.facts(part)
        number = journal.started(TABLE, clock.now_ns(), configuration, facts)
        journal.commit()
        publisher = maker(TableStart(TABLE, number, configuration, facts))
        journal.line(TABLE, "device-1", device="shuffler", dialect="tdp", address="", baud=115200, procedure=procedure)
        for each in seen:
            clock.set(each.at_ns)
            for line in publisher.publish(each):
                journal.publish(TABLE, line.topic, each.at_ns, line.line)
            write_settled(journal, TABLE, publisher, each.at_ns)
        if ends:
            for line in publisher.finish():
                journal.publish(TABLE, line.topic, clock.now_ns(), line.line)
            write_settled(journal, TABLE, publisher, clock.now_ns())
            journal.stopped(TABLE, clock.now_ns())
        journal.commit()


def exported(path: Path, topic: str) -> list[dict[str, Any]]:
    """Return the lines of a topic as `dealwire journal export` prints them, read without this project's code."""
    with JournalReader(path) as reader:
        return [json.loads(item.line) for item in reader.publications() if item.topic == topic]
