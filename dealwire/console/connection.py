"""uvicorn's part of the console: a connection that its gate can watch, and a server that takes them through it."""

import asyncio
import contextlib
import logging
import socket
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
    """An HTTP connection. It says at every step what it waits for."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        Guest.__init__(self)
        super().__init__(*arguments, **options)

    def data_received(self, data: bytes) -> None:
        """Something came: the first byte of a request, a whole one, or a part of either."""
        if self.waiting == "idle":
            self.waits_for("head", self.loop.time())
        super().data_received(data)
        self._look()

    def send_400_response(self, msg: str) -> None:
        """What came is no HTTP. When it is the rest of a request whose answer is being made, nobody gets that answer:
        it would be a second one. After an answer there is none to give."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.transport.close()

    def on_response_complete(self) -> None:
        """An answer is out."""
        super().on_response_complete()
        self._look()
        if self.waiting == "head":
            self.waits_for("idle", self.loop.time())

    def _look(self) -> None:
        self.waits_for(WAITING.get(self.conn.their_state, ""), self.loop.time())


class LiveConnection(WebSocketsSansIOProtocol):
    """A live line."""

    def shutdown(self) -> None:
        """Say that the server goes, unless the page has said just now that it goes itself: both at once are no error
        of the server."""
        try:
            super().shutdown()
        except InvalidState:
            self.transport.close()


class Server(uvicorn.Server):
    """uvicorn accepts whatever comes, and looks ten times a second whether it should end. This one accepts through a
    gate, is told when to end, and looks once a second: at the clock for the date in its answers, at the gate for those
    who keep it waiting, and at whatever `on_beat` is for."""

    def __init__(
        self,
        config: uvicorn.Config,
        listener: socket.socket,
        *,
        most: int,
        most_each: int,
        exempt: Callable[[str], bool],
        on_beat: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self.gate = AcceptGate(listener, self._connection, most=most, most_each=most_each, exempt=exempt)
        self._on_beat = on_beat
        self._ended = asyncio.Event()
        logging.getLogger("uvicorn.error").addFilter(quiet)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve from now on."""
        await super().startup(sockets=[])
        self.gate.open()

    async def main_loop(self) -> None:
        """Serve until `end`."""
        while not self._ended.is_set():
            await self.on_tick(0)
            self.gate.sweep()
            self._on_beat()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ended.wait(), SWEEP_S)

    def end(self) -> None:
        """Serve no more."""
        self.should_exit = True
        self._ended.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Finish the answers that are under way, and cut what is left."""
        self.gate.close()
        await super().shutdown(sockets=[])
        self.gate.abort()

    def _connection(self) -> Connection:
        return Connection(config=self.config, server_state=self.server_state, app_state={})


def quiet(record: logging.LogRecord) -> bool:
    """What a log keeps of what uvicorn says: faults of this program. Bytes that are no request, or no text, are a fault
    of whoever sent them; they are refused, and nobody may fill the log with them."""
    return record.levelno >= logging.ERROR and not record.getMessage().startswith("Invalid UTF-8")
