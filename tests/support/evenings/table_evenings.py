"""Any simulated table joined to the real links and drivers of its lines by clean memory, on a manual clock."""

from __future__ import annotations

from typing import Self

from dealwire.rehearsal.dealt_table import DealtTable
from devices.dialects.known import dialect_named
from devices.events import Body, Seen
from devices.line.session import Feed
from devices.record.recording import CaptureWriter
from protocol.link import Output
from protocol.tdp.messages import Role

START_NS = 1_700_000_000_000_000_000


class TableEvening:
    """Plays a table's scenario to its end. `seen` holds the reports that the hosts received; with a `writer` every byte
    of the lines is recorded as an attached line's would be."""

    def __init__(
        self,
        table: DealtTable,
        shoe_dialect: str = "tdp",
        *,
        role: Role = Role.OBSERVE,
        writer: CaptureWriter | None = None,
    ) -> None:
        self.table = table
        self.now_ns = START_NS
        self.seen: list[Seen] = []
        self.outputs: list[Output] = []
        self.feeds: dict[str, Feed] = {}
        self._writer, self._interfaces = writer, dict[str, int]()
        self.table.power_on(self.now_ns)
        for name in self.table.units:
            dialect = shoe_dialect if name == "shoe" else "tdp"
            spoken = dialect_named(dialect)
            link = spoken.make_link(name, role, False)
            feed = Feed(name, link, spoken.driver(name, where=name), self.seen.append, self.outputs.append)
            feed.settle = lambda _: None
            self.feeds[name] = feed
            if writer is not None:
                self._interfaces[name] = writer.interface(name, device=name, dialect=dialect)
            self._send(name, feed.start(self.now_ns))

    def run(self, limit_s: float = 3600.0) -> Self:
        end_ns = self.now_ns + int(limit_s * 1e9)
        while not self.table.finished:
            assert self.now_ns < end_ns, "the scenario does not end"
            self.step()
        for _ in range(20):
            self.step()
        return self

    def step(self) -> None:
        dues = [self.table.next_deadline_ns, *(feed.due_ns for feed in self.feeds.values())]
        self.now_ns = max(self.now_ns + 1_000_000, min((due for due in dues if due is not None), default=0))
        self.table.tick(self.now_ns)
        for name, feed in self.feeds.items():
            while data := self.table.take_output(name, self.now_ns):
                self._record(name, data, sent=False)
                self._send(name, feed.receive(data, self.now_ns))
            self._send(name, feed.tick(self.now_ns))

    def bodies(self, *kinds: type[Body]) -> list[Body]:
        return [seen.body for seen in self.seen if isinstance(seen.body, kinds)]

    def _send(self, name: str, data: bytes) -> None:
        if data:
            self._record(name, data, sent=True)
            self.table.receive(name, data, self.now_ns)

    def _record(self, name: str, data: bytes, *, sent: bool) -> None:
        if self._writer is not None:
            self._writer.chunk(self._interfaces[name], self.now_ns, sent, data)
