"""Terminal of the Game Authentication Terminal protocol on a line: one query at a time, each waited for."""

import select
import threading
from typing import Final

from devices.clock import Clock, SystemClock
from devices.transport.base import Timed, Transport
from protocol.gat.exchange import USUAL, Exchange, GatTiming
from protocol.gat.inspection import CALCULATION_S, Inspection
from protocol.gat.messages import GatMessage

TURN_S: Final = 0.05
"""Longest wait at once for a line without a descriptor."""


class GatLine:
    """Line to one device. The caller closes the transport."""

    def __init__(self, transport: Transport, timing: GatTiming = USUAL, clock: Clock | None = None) -> None:
        self.exchange = Exchange(timing)
        self._transport, self._clock = transport, clock or SystemClock()
        self._arrived = threading.Event()
        transport.on_ready(self._arrived.set)
        self._transport.read()  # what came before the first query is no answer

    def inspection(self, limit_s: float = CALCULATION_S) -> Inspection:
        """Return an inspection of the device on this line."""
        return Inspection(self.ask, self.rest, self._clock.now_ns, limit_s)

    def ask(self, query: GatMessage) -> GatMessage:
        """Return the response to a query. Raise NoAnswer, BadAnswer or LineClosed."""
        exchange, clock = self.exchange, self._clock
        exchange.ask(query, clock.now_ns())
        while (due_ns := exchange.next_deadline_ns) is not None:
            self._send(exchange.tick(clock.now_ns()))
            if exchange.done:
                break
            exchange.receive(self._transport.read(), clock.now_ns())
            due_ns = exchange.next_deadline_ns
            if due_ns is not None:
                self._wait((due_ns - clock.now_ns()) / 1e9)
        if exchange.failure is not None:
            raise exchange.failure
        assert exchange.answer is not None  # an exchange ends with one of the two
        return exchange.answer

    def rest(self, pause_ns: int) -> None:
        """Let time pass. A device may not speak unasked, so what it sends is dropped."""
        end_ns = self._clock.now_ns() + pause_ns
        while (left_ns := end_ns - self._clock.now_ns()) > 0:
            self._wait(left_ns / 1e9)
            self._transport.read()

    def _send(self, data: bytes) -> None:
        while data:
            data = data[self._transport.write(data) :]

    def _wait(self, left_s: float) -> None:
        """Wait until the line has something to read, or the time is over."""
        if left_s <= 0:
            return
        descriptor = self._transport.fileno()
        if descriptor is not None:
            select.select([descriptor], [], [], left_s)
            return
        due_ns = self._transport.next_deadline_ns if isinstance(self._transport, Timed) else None
        due_s = TURN_S if due_ns is None else max(0.0, (due_ns - self._clock.now_ns()) / 1e9)
        self._arrived.wait(min(left_s, due_s, TURN_S))
        self._arrived.clear()
