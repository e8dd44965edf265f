"""Base of devices of other dialects that are broken on purpose."""

from typing import Any

from devices.simulator.host import TableModel


class BrokenShoe:
    """A shoe between its table and its line. Subclasses change its output, frame by frame, and its input."""

    def __init__(self, table: TableModel) -> None:
        self._table: Any = table

    @property
    def next_deadline_ns(self) -> int | None:
        due: int | None = self._table.next_deadline_ns
        return due

    def power_on(self, now_ns: int) -> None:
        self._table.power_on(now_ns)

    def tick(self, now_ns: int) -> None:
        self._table.tick(now_ns)

    def receive(self, device: str, data: bytes, now_ns: int) -> None:
        for part in self.hear(data):
            self._table.receive(device, part, now_ns)

    def take_output(self, device: str, now_ns: int) -> bytes:
        return b"".join(part for frame in self._table.unit.take_output() for part in self.say(frame))

    def hear(self, data: bytes) -> list[bytes]:
        return [data]

    def say(self, frame: bytes) -> list[bytes]:
        return [frame]
