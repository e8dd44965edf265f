"""Operator of simulated devices in another process: a socket that takes the bench's requests."""

import os
import socket
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final

from dealwire.bench.hands.actions import CABLE_IN, CABLE_OUT, POWER_OFF, POWER_ON, hand_actions
from dealwire.bench.hands.operator import SimulatedOperator, Table
from dealwire.bench.hands.program import ActFailed, CannotAct, Hands, answer
from dealwire.bench.record import Failed, NotRun
from dealwire.rehearsal.dealt_table import DealtTable
from devices.clock import Clock
from devices.simulator.host import ListeningLine, SimulatorHost
from protocol.errors import LineAbsent, LocalError

LINE_MAX: Final = 65_536
"""Maximum length of a line, in bytes."""


class SimulatorHands(Hands):
    """Simulated operator as an operator program. The first line of a run names its device."""

    name = "the simulator's operator"

    def __init__(self, host: SimulatorHost, table: Table, clock: Clock) -> None:
        self._host, self._table, self._clock = host, table, clock
        self._hands: SimulatedOperator | None = None
        self._device = ""

    def can(self) -> Collection[str]:
        """Return the actions of this kind of device, and those of the cable and power."""
        kinds = {self._device, "any" if isinstance(self._table, DealtTable) else ""}
        happening = ((name, at) for name, at in hand_actions().items() if at.kind in ("act", "fault"))
        found = [name for name, at in happening if at.doing.device in kinds]
        return [*found, POWER_OFF, POWER_ON, CABLE_OUT, CABLE_IN]

    def hello(self, device: str, line: str) -> None:
        """Choose the device."""
        if device not in self._table.units:
            raise CannotAct(f"there is no {device} here, but {', '.join(self._table.units)}")
        self._device = device
        self._hands = SimulatedOperator(
            self._table, device, self._clock.now_ns, lambda: self._host.pump(self._clock.now_ns())
        )

    def new_check(self, check: str) -> None:
        """Cancel pending faults."""
        self._at_device().begin(check)

    def do(self, action: str, fields: Mapping[str, Any]) -> None:
        """Apply the action to the simulated device."""
        hands = self._at_device()
        try:
            hands.do(action, fields)
        except (NotRun, LocalError) as error:
            raise CannotAct(str(error)) from None
        except Failed as error:
            raise ActFailed(str(error)) from None

    def _at_device(self) -> SimulatedOperator:
        if self._hands is None:
            raise ActFailed("the first line of a run must name the device")
        return self._hands


class HandsPort(ListeningLine):
    """Unix socket at `path` for one operator program at a time. Raise LineAbsent if it cannot be made. A stale socket
    file is replaced."""

    def __init__(self, path: Path, hands: Hands) -> None:
        self._path, self._hands = path, hands
        self._buffer = bytearray()
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            if path.is_socket() and not _somebody_at(path):
                path.unlink()
            listener.bind(os.fspath(path))
        except OSError as error:
            listener.close()
            raise LineAbsent(os.fspath(path), error.strerror or str(error)) from error
        listener.listen(1)
        super().__init__(self._hear, listener)

    def close(self) -> None:
        """Stop listening. May be called twice."""
        if self._listener is not None:
            self._path.unlink(missing_ok=True)
        super().close()

    def _hear(self, data: bytes, now_ns: int) -> None:
        self._buffer += data
        if len(self._buffer) > LINE_MAX:
            self._hang_up()
        while b"\n" in self._buffer:
            line, _, rest = bytes(self._buffer).partition(b"\n")
            self._buffer = bytearray(rest)
            try:
                self.send(answer(self._hands, line.decode()))
            except (ValueError, KeyError, TypeError):
                self._hang_up()

    def _hang_up(self) -> None:
        self._buffer.clear()
        super()._hang_up()


def _somebody_at(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as trial:
        try:
            trial.connect(os.fspath(path))
        except OSError:
            return False
        return True
