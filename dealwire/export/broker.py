"""Address of an MQTT 5 broker, and a connection to it.

aiomqtt brings paho's client into asyncio, but hides four things that tables need; `Connection` adds them:

- the reason in a PUBACK: a refused line is not a sent line;
- the limits in CONNACK: the broker hangs up if more than its receive maximum is in flight;
- the end of the connection while a PUBACK is awaited;
- manual acknowledgment: a line is acknowledged after it is in the database.
"""

import asyncio
import contextlib
import logging
import random
import ssl
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, cast
from urllib.parse import urlsplit

import aiomqtt
from aiomqtt.exceptions import MqttConnectError
from paho.mqtt.client import MQTTMessage
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from devices.files import check_kind, read_file
from protocol.errors import DealwireError

WINDOW: Final = 64
"""Maximum number of lines in flight, unless the broker allows fewer."""
RECEIVE_MAX: Final = 1024
"""Number of messages that the broker may send before the first is acknowledged."""
PASSWORD_MAX: Final = 64 * 1024
"""Maximum size of a password file in bytes."""
PACKET_MAX: Final = 512 * 1024
"""Maximum size of a message in bytes. The broker does not deliver longer ones."""
UNPROMISED_MAX: Final = 2 * RECEIVE_MAX
"""Maximum number of waiting messages. Further ones with QoS 0, which has no guarantee, are dropped."""
KEEPALIVE_S: Final = 15
CONNECT_S: Final = 2.0
"""Maximum seconds for a TCP connection: a table must stop within 2 s."""
ANSWER_S: Final = 10.0
"""Maximum seconds for the answers to CONNECT and SUBSCRIBE."""
FIRST_S: Final = 0.1
LONGEST_S: Final = 10.0
"""First and longest pause between attempts, in seconds."""


_UNSPECIFIED: Final = 0x80
"""Reason code that paho reports if the broker gave none."""
_SILENT: Final = logging.getLogger("dealwire.export.paho")
_SILENT.setLevel(logging.CRITICAL)  # paho's log entries also reach us as errors, which are logged once


class BrokerUnusable(DealwireError):
    """Error: the broker cannot be reached, hung up, or refuses. `refused`: it answered and refused. `usage`: it was not
    contacted, because something on our side has to be fixed first."""

    def __init__(self, broker: object, why: str, *, refused: bool = False, usage: bool = False) -> None:
        self.broker, self.why, self.refused, self.usage = broker, why, refused, usage
        super().__init__(f"{broker}: {why}")


class PasswordUnreadable(ValueError):
    """Error: the password file cannot be used. The text names it."""


@dataclass(frozen=True, slots=True)
class Broker:
    """Address of a broker, and our credentials. The files are PEM; with `tls` but no `ca_file` the system's
    certificates are trusted."""

    host: str
    port: int
    tls: bool = False
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    ca_file: Path | None = None
    cert_file: Path | None = None
    key_file: Path | None = None

    @classmethod
    def parse(cls, url: str, password_file: Path | None = None, **more: Any) -> "Broker":
        """Parse `mqtt://[USER@]HOST[:PORT]`, or `mqtts://` for TLS. The password is the first line of a file. Raise
        ValueError for a bad address, PasswordUnreadable for the file."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise ValueError(f"{url!r}: {error}") from None
        if parts.scheme not in ("mqtt", "mqtts") or not parts.hostname or parts.path not in ("", "/"):
            raise ValueError(f"{url!r} is not of the form mqtt://[USER@]HOST[:PORT] or mqtts://...")
        if parts.password is not None:
            raise ValueError("an address must not contain a password, which others could see; use a password file")
        if password_file is not None:
            try:
                more["password"] = read_file(password_file, PASSWORD_MAX).decode("utf-8").splitlines()[0]
            except (OSError, UnicodeDecodeError, IndexError) as error:
                why = error.strerror if isinstance(error, OSError) else "the first line must be the password"
                raise PasswordUnreadable(f"{password_file}: {why}") from None
        tls = parts.scheme == "mqtts"
        return cls(parts.hostname, port or (8883 if tls else 1883), tls, **{"username": parts.username, **more})

    def context(self) -> ssl.SSLContext | None:
        """Return the TLS context, None without TLS. Raise BrokerUnusable if a file cannot be used."""
        if not self.tls:
            return None
        try:
            for file in (self.ca_file, self.cert_file, self.key_file):
                if file is not None:
                    check_kind(file)  # OpenSSL would wait for a pipe
            context = ssl.create_default_context(cafile=self.ca_file)
            if self.cert_file is not None:
                context.load_cert_chain(self.cert_file, self.key_file)
        except (OSError, ssl.SSLError) as error:
            raise BrokerUnusable(self, f"its certificates cannot be used: {error}", usage=True) from None
        return context

    def of(self, user: str) -> "Broker":
        """Return this broker with the user name `user`, unless the address names another or there is no password."""
        return replace(self, username=user) if self.username is None and self.password is not None else self

    def __str__(self) -> str:
        return f"mqtt{'s' if self.tls else ''}://{self.host}:{self.port}"


class Retry:
    """Pauses between attempts. Each is twice as long as the one before, and shortened at random, so that a site's
    tables do not reconnect at the same instant."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Start over with the shortest pause after a success."""
        self._pause_s = FIRST_S

    def next_s(self) -> float:
        """Return the next pause in seconds."""
        pause_s, self._pause_s = self._pause_s, min(2 * self._pause_s, LONGEST_S)
        return pause_s * random.uniform(0.5, 1.0)


async def pause(woken: asyncio.Event, seconds: float) -> None:
    """Wait until woken, at most `seconds`."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(woken.wait(), seconds)


def new_properties(packet: int) -> Properties:
    """Return an empty set of MQTT 5 properties for a packet type."""
    return Properties(packet)  # type: ignore[no-untyped-call]


class _AtOnce:
    """Event loop for aiomqtt when it connects in the loop's own thread: calls that it would request from another thread
    are made at once. Later the socket may be gone and its number belong to another connection."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def call_soon_threadsafe(self, what: Callable[..., object], *arguments: object) -> None:
        """Call the function at once."""
        what(*arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loop, name)


class Connection(aiomqtt.Client):
    """Connection to a broker, used once. Everything awaited raises BrokerUnusable when the connection ends."""

    def __init__(
        self, broker: Broker, identifier: str, *, expiry_s: int, will: aiomqtt.Will | None = None, by_hand: bool = False
    ) -> None:
        properties = new_properties(PacketTypes.CONNECT)
        properties.SessionExpiryInterval = expiry_s
        properties.ReceiveMaximum = RECEIVE_MAX
        properties.MaximumPacketSize = PACKET_MAX
        super().__init__(
            broker.host,
            broker.port,
            username=broker.username,
            password=broker.password,
            identifier=identifier,
            protocol=aiomqtt.ProtocolVersion.V5,
            will=will,
            timeout=ANSWER_S,
            keepalive=KEEPALIVE_S,
            clean_start=False,
            max_inflight_messages=0,
            properties=properties,
            tls_context=broker.context(),
            logger=_SILENT,
        )
        self._loop = cast(asyncio.AbstractEventLoop, _AtOnce(self._loop))
        self._client.connect_timeout = CONNECT_S
        self._client.manual_ack_set(by_hand)
        self._broker = broker
        self._window = WINDOW
        self._room = asyncio.Event()
        self._refusal: BrokerUnusable | None = None
        self._waiting: dict[int, asyncio.Future[None]] = {}
        self._received: deque[MQTTMessage] = deque()
        self._news = asyncio.Event()

    async def __aenter__(self) -> Self:
        """Connect. Raise BrokerUnusable if that fails. The event loop blocks until TCP and TLS are established, at most
        CONNECT_S and KEEPALIVE_S."""
        try:
            super()._client_connect()
            await super().__aenter__()
        except MqttConnectError as error:
            why = str(error).partition("] ")[2] or str(error)
            raise BrokerUnusable(self._broker, f"the broker refuses: {why}", refused=True) from None
        except (aiomqtt.MqttError, OSError, ValueError) as error:
            self._client.disconnect()
            raise BrokerUnusable(self._broker, f"no connection: {error}") from None
        self._room.set()
        self._disconnected.add_done_callback(self._ended)
        return self

    def _client_connect(self) -> None:
        """Do nothing: the connection already exists. aiomqtt would make it in another thread while the loop handles the
        socket's callbacks."""

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Disconnect."""
        with contextlib.suppress(aiomqtt.MqttError):  # it is gone either way
            await super().__aexit__(kind, error, trace)
        if self._disconnected.done() and not self._disconnected.cancelled():
            self._disconnected.exception()  # looked at, so that asyncio does not complain of it

    # ------------------------------------------------------------------ lines out

    async def send(self, topic: str, payload: str, properties: Properties | None = None) -> "asyncio.Future[None]":
        """Send with QoS 1 once there is room. The returned future ends with the PUBACK, with BrokerUnusable if it
        refuses."""
        while not self._room.is_set():
            await self._room.wait()
        return self._publish(topic, payload, properties, retain=False)

    async def keep(self, topic: str, payload: str, properties: Properties | None = None) -> None:
        """Publish a retained message and await its PUBACK."""
        await self._publish(topic, payload, properties, retain=True)

    def _publish(
        self, topic: str, payload: str, properties: Properties | None, *, retain: bool
    ) -> "asyncio.Future[None]":
        self.check()
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        info = self._client.publish(topic, payload.encode(), 1, retain, properties)
        if info.rc:
            raise BrokerUnusable(self._broker, f"the connection ended: {info.rc.name}")
        self._waiting[info.mid] = done
        if len(self._waiting) >= self._window:
            self._room.clear()
        return done

    # ------------------------------------------------------------------ messages in

    async def listen(self, *topics: str, own: bool = True) -> None:
        """Subscribe with QoS 1, to our own messages only if `own`. Raise BrokerUnusable if a topic is refused. Retained
        messages keep their flag even if they arrive live."""
        options = SubscribeOptions(qos=1, noLocal=not own, retainAsPublished=True)
        try:
            reasons = await self.subscribe([(topic, options) for topic in topics])
        except aiomqtt.MqttError as error:
            raise BrokerUnusable(self._broker, f"no subscription: {error}") from None
        for topic, reason in zip(topics, reasons, strict=True):
            if getattr(reason, "is_failure", False):
                raise BrokerUnusable(self._broker, f"the broker refuses {topic}: {reason}", refused=True)

    async def receive(self) -> list[MQTTMessage]:
        """Return the messages since the last call, at least one."""
        while not self._received:
            self.check()
            self._news.clear()
            await self._news.wait()
        return self.pending()

    def pending(self) -> list[MQTTMessage]:
        """Return the messages since the last call."""
        found = list(self._received)
        self._received.clear()
        return found

    def acknowledge(self, messages: list[MQTTMessage]) -> None:
        """Acknowledge messages, so that the broker may forget them."""
        for message in messages:
            self._client.ack(message.mid, message.qos)

    # ------------------------------------------------------------------ paho's callbacks

    def _on_connect(
        self, client: Any, userdata: Any, flags: Any, reason_code: Any, properties: Properties | None = None
    ) -> None:
        self._window = min(WINDOW, getattr(properties, "ReceiveMaximum", WINDOW))
        super()._on_connect(client, userdata, flags, reason_code, properties)

    def _on_publish(self, client: Any, userdata: Any, mid: int, reason_code: Any, properties: Any) -> None:
        done = self._waiting.pop(mid, None)
        if len(self._waiting) < self._window:
            self._room.set()
        if done is None or done.done():
            return
        if reason_code.is_failure:
            self._refusal = BrokerUnusable(self._broker, f"the broker refuses a line: {reason_code}", refused=True)
            _fail(done, self._refusal)
        else:
            done.set_result(None)

    def _on_message(self, client: Any, userdata: Any, message: MQTTMessage) -> None:
        if message.qos or len(self._received) < UNPROMISED_MAX:
            self._received.append(message)
        self._news.set()

    def _ended(self, _: Any) -> None:
        """Fail everything that still waits, after the end of the connection."""
        for done in self._waiting.values():
            if not done.done():
                _fail(done, self._over())
        self._waiting.clear()
        self._room.set()
        self._news.set()

    def _over(self) -> BrokerUnusable:
        if self._refusal is not None:  # some brokers refuse and then hang up
            return self._refusal
        found = None if self._disconnected.cancelled() else self._disconnected.exception()
        reason = getattr(found, "rc", None)
        known = isinstance(reason, ReasonCode) and reason.value != _UNSPECIFIED
        return BrokerUnusable(self._broker, f"the connection was lost{f': {reason}' if known else ''}")

    def check(self) -> None:
        """Raise BrokerUnusable if the connection has ended or the broker has refused a line."""
        if self._disconnected.done() or self._refusal is not None:
            raise self._over()


def _fail(done: "asyncio.Future[None]", error: BrokerUnusable) -> None:
    """Fail a future. Its exception is retrieved here, because a future that no one awaits yet is not an error of the
    program."""
    done.set_exception(error)
    done.exception()
