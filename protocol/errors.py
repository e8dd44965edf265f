"""Three families of error: ours, theirs, the wire's. Facts are fields; the class writes the sentence.

A time-out is not a closed line, and bad bytes on the wire are no exception at all: framers return them
as noise. What is raised here is misuse by our own code (`LocalError`), a peer that breaks or refuses the
protocol (`RemoteError`), or a line that no longer carries bytes (`LineError`, raised by `devices`).
"""


class DealwireError(Exception):
    """Base of every error this project raises on purpose."""


class LocalError(DealwireError):
    """Our side asked for something the protocol does not allow."""


class RemoteError(DealwireError):
    """The device broke the protocol, refused, or did not answer."""


class LineError(DealwireError):
    """The line under the protocol failed."""


def shorten(data: bytes, limit: int = 24) -> str:
    """Hex of `data`, cut after `limit` bytes with the number left out: a peer must not fill our logs."""
    text = data[:limit].hex(" ")
    return text if len(data) <= limit else f"{text} … ({len(data) - limit} more)"


class CannotEncode(LocalError):
    """A message holds a value its layout has no room for."""

    def __init__(self, message: str, why: str) -> None:
        self.message, self.why = message, why
        super().__init__(f"{message} cannot be encoded: {why}")


class BadPayload(RemoteError):
    """A frame with a good check whose payload does not fit its message's layout."""

    def __init__(self, kind: int, message_id: int, payload: bytes, why: str) -> None:
        self.kind, self.message_id, self.payload, self.why = kind, message_id, payload, why
        super().__init__(f"message kind {kind} id 0x{message_id:04X}: {why}; payload {shorten(payload)}")


class BadReport(RemoteError):
    """A whole frame of a dialect whose content cannot be: nothing in it is to be believed."""

    def __init__(self, dialect: str, body: bytes, why: str) -> None:
        self.dialect, self.body, self.why = dialect, body, why
        super().__init__(f"{dialect}: {why}; {shorten(body)}")


class NotUp(LocalError):
    """A command was asked of a link that has no session."""

    def __init__(self, state: str) -> None:
        self.state = state
        super().__init__(f"no session with the device: the link is {state}")


class CannotWait(LocalError):
    """A callback asked for something that its own thread would have to bring."""

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(f"{what} waits for the device, which a callback of on_event holds up; use events() instead")


class NoCommands(LocalError):
    """A command was asked of a device that takes none, or not this one."""

    def __init__(self, dialect: str, why: str = "the device takes no commands") -> None:
        self.dialect, self.why = dialect, why
        super().__init__(f"{dialect}: {why}")


class QueueFull(LocalError):
    """More commands wait than the link keeps; one is outstanding at a time."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        super().__init__(f"{limit} commands already wait for the device")


class NotPermitted(LocalError):
    """A command needs a role this session was not granted."""

    def __init__(self, command: str, needs: str, has: str) -> None:
        self.command, self.needs, self.has = command, needs, has
        super().__init__(f"{command} needs the {needs} role; this session has {has}")


class Refused(RemoteError):
    """The device understood a command and would not do it."""

    def __init__(self, command: str, reason: str, state: str) -> None:
        self.command, self.reason, self.state = command, reason, state
        super().__init__(f"{command} refused: {reason} (device state {state})")


class NotOffered(RemoteError):
    """The device cannot do what was asked: its capabilities lack it, or it is older than that."""

    def __init__(self, command: str, capability: str, why: str) -> None:
        self.command, self.capability, self.why = command, capability, why
        super().__init__(f"{command}: the device does not offer it (capability {capability}): {why}")


class BadAnswer(RemoteError):
    """What a command brought cannot be."""

    def __init__(self, command: str, why: str) -> None:
        self.command, self.why = command, why
        super().__init__(f"{command}: {why}")


class NoAnswer(RemoteError):
    """A command got no reply after every retry. What the device did with it is unknown."""

    def __init__(self, command: str, tries: int, waited_s: float) -> None:
        self.command, self.tries, self.waited_s = command, tries, waited_s
        super().__init__(f"{command}: no reply after {tries} tries in {waited_s:.2f} s")


class Unfinished(RemoteError):
    """The device took on a command and did not bring it to its end. What it did of it, its events and status say."""

    def __init__(self, command: str, why: str) -> None:
        self.command, self.why = command, why
        super().__init__(f"{command} was begun and not ended: {why}")


class NoEvent(RemoteError):
    """What was waited for did not happen in time."""

    def __init__(self, event: str, waited_s: float) -> None:
        self.event, self.waited_s = event, waited_s
        super().__init__(f"no {event} within {waited_s:g} s")


class VersionMismatch(RemoteError):
    """No protocol version is spoken by both ends."""

    def __init__(self, ours: str, theirs: str) -> None:
        self.ours, self.theirs = ours, theirs
        super().__init__(f"no common protocol version: we speak {ours}, the device {theirs}")


class WrongDevice(RemoteError):
    """The device on this line is of another class than the driver needs."""

    def __init__(self, expected: str, found: str) -> None:
        self.expected, self.found = expected, found
        super().__init__(f"expected a {expected} on this line, found a {found}")


class LineClosed(LineError):
    """The line is gone: unplugged, hung up, or closed by us."""

    def __init__(self, line: str, why: str) -> None:
        self.line, self.why = line, why
        super().__init__(f"{line}: line closed: {why}")


class LineAbsent(LineError):
    """There is no such port or nobody listens there."""

    def __init__(self, line: str, why: str) -> None:
        self.line, self.why = line, why
        super().__init__(f"{line}: not there: {why}")


class LineMute(LineAbsent):
    """Somebody takes the connection and answers nothing on it."""

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
    """The port exists but cannot carry bytes as asked: not a serial port, or a setting it refuses."""

    def __init__(self, line: str, why: str) -> None:
        self.line, self.why = line, why
        super().__init__(f"{line}: cannot be used as a line: {why}")


class LineGarbled(LineError):
    """Bytes come, but not one frame among them; `why` names what is wrong with them, where that is known."""

    def __init__(self, line: str, noise_bytes: int, why: str = "") -> None:
        self.line, self.noise_bytes, self.why = line, noise_bytes, why
        likely = why or "wrong baud rate, or not a TDP device?"
        super().__init__(f"{line}: {noise_bytes:,} bytes, no frame: {likely}")


class LineAmbiguous(LineError):
    """More than one device answers to the address, and which one is meant must not be guessed."""

    def __init__(self, line: str, choices: tuple[str, ...]) -> None:
        self.line, self.choices = line, choices
        super().__init__(f"{line}: {len(choices)} devices match; name one of them: {', '.join(choices)}")
