"""Three families of error: local, remote and line. Facts are fields; the class composes the message.

A timeout is not a closed line, and bad bytes on the wire raise nothing: framers return them as noise. `LocalError`
means that our own code misused the protocol, `RemoteError` that the peer broke or refused it, and `LineError` (raised
by `devices`) that the connection no longer carries bytes.
"""

from collections.abc import Iterator
from contextlib import contextmanager


class DealwireError(Exception):
    """Base of every error that this project raises on purpose."""


class LocalError(DealwireError):
    """The caller requested something that the protocol does not allow."""


class RemoteError(DealwireError):
    """The device broke the protocol, refused a command or did not answer."""

    line: str | None = None
    """The line of the device; None where only one is in question, or the reader is shown it otherwise."""

    def __str__(self) -> str:
        text = super().__str__()
        return f"{self.line}: {text}" if self.line is not None else text


class LineError(DealwireError):
    """The connection below the protocol failed."""


@contextmanager
def naming_line(line: str) -> Iterator[None]:
    """Name the line in a RemoteError that passes."""
    try:
        yield
    except RemoteError as error:
        error.line = line
        raise


def shorten(data: bytes, limit: int = 24) -> str:
    """Return `data` as hex, cut after `limit` bytes with the number left out, so that a peer cannot flood the log."""
    text = data[:limit].hex(" ")
    return text if len(data) <= limit else f"{text} … ({len(data) - limit} more)"


class CannotEncode(LocalError):
    """A message has a value that does not fit its layout."""

    def __init__(self, message: str, why: str) -> None:
        self.message, self.why = message, why
        super().__init__(f"{message} cannot be encoded: {why}")


class SealRequired(RemoteError):
    """The device takes only sealed frames."""

    def __init__(self) -> None:
        super().__init__("the device is paired and takes only sealed frames; use its keys, or have it forget its hosts")


class BadPayload(RemoteError):
    """A frame with a valid check has a payload that does not fit the layout of its message."""

    def __init__(self, kind: int, message_id: int, payload: bytes, why: str) -> None:
        self.kind, self.message_id, self.payload, self.why = kind, message_id, payload, why
        super().__init__(f"message kind {kind} id 0x{message_id:04X}: {why}; payload {shorten(payload)}")


class BadReport(RemoteError):
    """A dialect's frame is complete but its content is impossible, so none of it is trusted."""

    def __init__(self, dialect: str, body: bytes, why: str) -> None:
        self.dialect, self.body, self.why = dialect, body, why
        super().__init__(f"{dialect}: {why}; {shorten(body)}")


class NotOpen(LocalError):
    """A person at a device asks for something that needs its power on, or its door open."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


class NotUp(LocalError):
    """A command was requested on a link that has no session."""

    def __init__(self, state: str) -> None:
        self.state = state
        super().__init__(f"no session with the device: the link is {state}")


class CannotWait(LocalError):
    """A callback requested something that only its own thread could deliver, so waiting for it would deadlock."""

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(
            f"{what} waits for the device, but an on_event callback blocks its thread; use events() instead"
        )


class NoCommands(LocalError):
    """A command was requested of a device that accepts no commands, or not this one."""

    def __init__(self, dialect: str, why: str = "the device takes no commands") -> None:
        self.dialect, self.why = dialect, why
        super().__init__(f"{dialect}: {why}")


class QueueFull(LocalError):
    """Too many commands are waiting on the link, which has one outstanding at a time."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        super().__init__(f"{limit} commands already wait for the device")


class NotPermitted(LocalError):
    """A command needs a role that this session was not granted."""

    def __init__(self, command: str, needs: str, has: str) -> None:
        self.command, self.needs, self.has = command, needs, has
        super().__init__(f"{command} needs the {needs} role; this session has {has}")


class Refused(RemoteError):
    """The device understood a command and refused it."""

    def __init__(self, command: str, reason: str, state: str) -> None:
        self.command, self.reason, self.state = command, reason, state
        super().__init__(f"{command} refused: {reason} (device state {state})")


class NotOffered(RemoteError):
    """The device does not support the request: it lacks the capability, or implements an older version."""

    def __init__(self, command: str, capability: str, why: str) -> None:
        self.command, self.capability, self.why = command, capability, why
        super().__init__(f"{command}: not supported by the device (capability {capability}): {why}")


class BadAnswer(RemoteError):
    """The data that a command returned is impossible."""

    def __init__(self, command: str, why: str) -> None:
        self.command, self.why = command, why
        super().__init__(f"{command}: {why}")


class NoAnswer(RemoteError):
    """A command got no reply after every retry. Whether the device carried it out is unknown."""

    def __init__(self, command: str, tries: int, waited_s: float) -> None:
        self.command, self.tries, self.waited_s = command, tries, waited_s
        super().__init__(f"{command}: no reply after {tries} tries in {waited_s:.2f} s")


class Unfinished(RemoteError):
    """The device accepted a command and did not finish it. Its events and its status show how far it got."""

    def __init__(self, command: str, why: str) -> None:
        self.command, self.why = command, why
        super().__init__(f"{command} started but did not finish: {why}")


class NoEvent(RemoteError):
    """An expected event did not occur in time."""

    def __init__(self, event: str, waited_s: float) -> None:
        self.event, self.waited_s = event, waited_s
        super().__init__(f"no {event} within {waited_s:g} s")


class VersionMismatch(RemoteError):
    """The two ends have no protocol version in common."""

    def __init__(self, ours: str, theirs: str) -> None:
        self.ours, self.theirs = ours, theirs
        super().__init__(f"no common protocol version: this side supports {ours}, the device {theirs}")


class WrongDevice(RemoteError):
    """The device on this line has another class than the driver needs."""

    def __init__(self, expected: str, found: str) -> None:
        self.expected, self.found = expected, found
        super().__init__(f"expected a {expected} on this line, found a {found}")


class LineClosed(LineError):
    """The line is gone: unplugged, hung up, or closed by us."""

    def __init__(self, line: str, why: str) -> None:
        self.line, self.why = line, why
        super().__init__(f"{line}: line closed: {why}")


class LineUnsealed(LineClosed):
    """The line must be sealed and cannot be: the device offers none, is not paired, or is another one."""

    def __init__(self, line: str, why: str) -> None:
        super().__init__(line, why)
        self.args = (f"{line}: not sealed: {why}",)


class LineAbsent(LineError):
    """The port does not exist, or nothing listens at the address."""

    def __init__(self, line: str, why: str) -> None:
        self.line, self.why = line, why
        super().__init__(f"{line}: not there: {why}")


class LineMute(LineAbsent):
    """The peer accepts the connection and then sends nothing."""

    def __init__(self, line: str, why: str) -> None:
        super().__init__(line, why)
        self.args = (f"{line}: no answer: {why}",)


class LineBusy(LineError):
    """Another program holds the port."""

    def __init__(self, line: str, holder: str | None = None) -> None:
        self.line, self.holder = line, holder
        super().__init__(f"{line}: in use by {holder or 'another program'}")


class LineDenied(LineError):
    """The operating system refuses access to the port."""

    def __init__(self, line: str, remedy: str) -> None:
        self.line, self.remedy = line, remedy
        super().__init__(f"{line}: permission denied; {remedy}")


class LineUnusable(LineError):
    """The port exists but cannot carry bytes as requested: it is not a serial port, or it rejects a setting."""

    def __init__(self, line: str, why: str) -> None:
        self.line, self.why = line, why
        super().__init__(f"{line}: cannot be used as a line: {why}")


class LineGarbled(LineError):
    """Bytes arrive, but no frame among them. `why` names the cause if it is known."""

    def __init__(self, line: str, noise_bytes: int, why: str = "") -> None:
        self.line, self.noise_bytes, self.why = line, noise_bytes, why
        likely = why or "wrong baud rate, or not a TDP device?"
        super().__init__(f"{line}: {noise_bytes:,} bytes, no frame: {likely}")


class LineAmbiguous(LineError):
    """More than one device matches the address, and the program must not guess."""

    def __init__(self, line: str, choices: tuple[str, ...]) -> None:
        self.line, self.choices = line, choices
        super().__init__(f"{line}: {len(choices)} devices match; specify one of them: {', '.join(choices)}")
