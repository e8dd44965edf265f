"""Messages between the table service and a console in a process of its own, and their frames.

A frame is a length in 4 bytes, high byte first, and one JSON object whose `type` names the message. The first message
each way is `hello`, and none later is. The console has five messages, which ask and read: none of them names a file, a
record, a topic or a key. Anything else closes the connection.
"""

import struct
from typing import Annotated, Any, Final, Generic, Literal, TypeVar

import msgspec

from dealwire.hub.lines import Assertion
from protocol.errors import DealwireError

VERSION: Final = 1
"""Version of these messages. Both ends are of one release, so another version is refused."""
FROM_CONSOLE_MAX: Final = 64 * 1024
"""Longest frame of a console, in bytes: more than any completed form."""
FROM_SERVICE_MAX: Final = 4 * 1024 * 1024
"""Longest frame of the service: a view has 5 to 45 KB."""
ALL: Final = "*"
"""Stands for every table in `want`."""
_HEAD: Final = struct.Struct(">I")

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Text = Annotated[str, msgspec.Meta(max_length=300)]
Number = Annotated[int, msgspec.Meta(ge=0, le=2**32 - 1)]
Time = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


class WireRefused(DealwireError):
    """The other end of a console's connection sent something else than these messages."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(f"console connection: {why}")


class ServiceAway(DealwireError):
    """A request was not sent, because the table service cannot be reached."""

    def __init__(self) -> None:
        super().__init__("not sent: the table service does not respond")


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """Base of all messages: no unknown field."""


# ------------------------------------------------------------------ from the console


class ConsoleHello(_Strict, frozen=True, tag="hello"):
    """The console: version of these messages, its program's version, its process."""

    version: Number
    program: Text
    pid: Number


class ConsoleWant(_Strict, frozen=True, tag="want"):
    """Tables whose every view is wanted, in place of those before; ALL for all of them."""

    tables: Annotated[tuple[Name, ...], msgspec.Meta(max_length=512)]


class ConsoleLook(_Strict, frozen=True, tag="look"):
    """The newest view of each table is wanted once; `ServiceNow.looked` says when all were sent."""

    id: Number


class ConsoleAsk(_Strict, frozen=True, tag="ask"):
    """Somebody asks the owner to do something; fields as in `Request`. The number rises."""

    id: Number
    table: Name
    action: Name
    fields: Annotated[dict[Name, Text | int], msgspec.Meta(max_length=32)]
    who: Name
    origin: Text
    user: Text = ""
    proven_ns: Time = 0
    proven_by: Text = ""
    proof: Assertion | None = None


class ConsoleAccess(_Strict, frozen=True, tag="access"):
    """A sentence about a sign-in or a refusal, for the record of a table; of all tables if the name is empty."""

    table: Text
    text: Text


Asking = ConsoleHello | ConsoleWant | ConsoleLook | ConsoleAsk | ConsoleAccess

# ------------------------------------------------------------------ from the service


class ServiceHello(_Strict, frozen=True, tag="hello"):
    """The service: what a console is made of. It has paths, and nothing that is in those files."""

    version: Number
    program: Text
    now_ns: Time
    journal: str
    sealed: bool
    """True if raw bytes in the journal are sealed, so that nothing can be replayed without a key."""
    console: str
    """`[console]` of table.toml, as JSON."""
    people: str
    """`[people]` of table.toml, as JSON; empty if there is none."""
    actions: dict[str, list[dict[str, Any]]]
    """The buttons of each table."""


class ServiceView(_Strict, frozen=True, tag="view"):
    """The newest view of a table, as its own JSON."""

    view: msgspec.Raw


class ServiceLog(_Strict, frozen=True, tag="log"):
    """The newest state of the journal's log, as its own JSON."""

    log: msgspec.Raw


class ServiceNow(_Strict, frozen=True, tag="now"):
    """The tables' time, once a second. `looked`: every view was sent that was there at the `look` of this number."""

    now_ns: Time
    looked: Number = 0


class ServiceAnswer(_Strict, frozen=True, tag="answer"):
    """The answer to a request: done, refused, or not taken because too many wait."""

    id: Number
    how: Literal["done", "refused", "busy"]
    text: str


class ServiceBye(_Strict, frozen=True, tag="bye"):
    """The service ends, and why."""

    why: str


Telling = ServiceHello | ServiceView | ServiceLog | ServiceNow | ServiceAnswer | ServiceBye

M = TypeVar("M")


class Frames(Generic[M]):
    """Decodes one direction of a connection. `kind` are its messages, `most` the longest frame in bytes."""

    def __init__(self, kind: Any, most: int) -> None:
        self._decoder: msgspec.json.Decoder[M] = msgspec.json.Decoder(kind)
        self._most = most
        self._held = bytearray()
        self._begun = False
        self._newest = -1

    def feed(self, data: bytes) -> list[M]:
        """Return the messages that are complete now. WireRefused if anything else came; nothing may follow."""
        self._held += data
        found = []
        while len(self._held) >= _HEAD.size:
            (length,) = _HEAD.unpack_from(self._held)
            if length > self._most:
                raise WireRefused(f"a frame of {length} bytes; allowed: {self._most}")
            if len(self._held) < _HEAD.size + length:
                break
            body = bytes(self._held[_HEAD.size : _HEAD.size + length])
            del self._held[: _HEAD.size + length]
            found.append(self._checked(body))
        return found

    def _checked(self, body: bytes) -> M:
        try:
            message = self._decoder.decode(body)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise WireRefused(f"not one of its messages: {str(error)[:120]}") from None
        if isinstance(message, ConsoleHello | ServiceHello) is self._begun:
            raise WireRefused("hello comes first, and once")
        self._begun = True
        if isinstance(message, ConsoleAsk):
            if message.id <= self._newest:
                raise WireRefused(f"request {message.id} after {self._newest}")
            self._newest = message.id
        return message


def asking() -> "Frames[Asking]":
    """Return what decodes a console's messages."""
    return Frames(Asking, FROM_CONSOLE_MAX)


def telling() -> "Frames[Telling]":
    """Return what decodes the service's messages."""
    return Frames(Telling, FROM_SERVICE_MAX)


def framed(message: Asking | Telling) -> bytes:
    """Return the frame of a message."""
    body = msgspec.json.encode(message)
    return _HEAD.pack(len(body)) + body
