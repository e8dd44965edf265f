"""uvicorn's part of the console: a connection that its gate can watch, and a server that accepts through the gate."""

import asyncio
import contextlib
import logging
import socket
import ssl
from collections.abc import Callable
from typing import Any, Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState

from dealwire.listening import SWEEP_S, AcceptGate, Guest, Waiting

WAITING: Final[dict[object, Waiting]] = {h11.IDLE: "head", h11.SEND_BODY: "body"}


class Connection(H11Protocol, Guest):
    """An HTTP connection that reports at every step what it waits for."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        Guest.__init__(self)
        super().__init__(*arguments, **options)

    def data_received(self, data: bytes) -> None:
        """Handle received data: a request's first byte, all of it, or a part."""
        if self.waiting == "idle":
            self.waits_for("head", self.loop.time())
        super().data_received(data)
        self._look()

    def send_400_response(self, msg: str) -> None:
        """Refuse data that is not HTTP. If it follows a request whose answer is not complete, drop that answer: it
        would be a second one. After an answer, close."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.transport.close()

    def on_response_complete(self) -> None:
        """Record that an answer is complete."""
        super().on_response_complete()
        self._look()
        if self.waiting == "head":
            self.waits_for("idle", self.loop.time())

    def _look(self) -> None:
        self.waits_for(WAITING.get(self.conn.their_state, ""), self.loop.time())


class LiveConnection(WebSocketsSansIOProtocol):
    """A WebSocket connection."""

    def shutdown(self) -> None:
        """Announce that the server shuts down, unless the page has just closed: both at once are not an error."""
        try:
            super().shutdown()
        except InvalidState:
            self.transport.close()


class Server(uvicorn.Server):
    """A uvicorn server that accepts through a gate.

    uvicorn accepts every connection and checks ten times a second whether to exit. This server is notified of its end,
    and wakes once a second: for the date in its answers, for the gate's slow connections, and for `on_beat`.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        listener: socket.socket,
        *,
        most: int,
        most_each: int,
        exempt: Callable[[str], bool],
        on_beat: Callable[[], None],
        tls: Callable[[], ssl.SSLContext] | None = None,
    ) -> None:
        super().__init__(config)
        self.gate = AcceptGate(listener, self._connection, most=most, most_each=most_each, exempt=exempt, tls=tls)
        self._on_beat = on_beat
        self._ended = asyncio.Event()
        logging.getLogger("uvicorn.error").addFilter(quiet)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start serving."""
        await super().startup(sockets=[])
        self.gate.open()

    async def main_loop(self) -> None:
        """Serve until `end` is called."""
        while not self._ended.is_set():
            await self.on_tick(0)
            self.gate.sweep()
            self._on_beat()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ended.wait(), SWEEP_S)

    def end(self) -> None:
        """Stop serving."""
        self.should_exit = True
        self._ended.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Finish the answers under way and cut the remaining connections."""
        self.gate.close()
        await super().shutdown(sockets=[])
        self.gate.abort()

    def _connection(self) -> Connection:
        return Connection(config=self.config, server_state=self.server_state, app_state={})


def quiet(record: logging.LogRecord) -> bool:
    """True for log records of uvicorn that are errors of this program. Malformed requests are the sender's fault; they
    are refused, and must not fill the log."""
    return record.levelno >= logging.ERROR and not record.getMessage().startswith("Invalid UTF-8")
