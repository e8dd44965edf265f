"""Steps that send messages, right or deliberately wrong, and check the answers."""

from collections.abc import Sequence
from random import Random
from typing import Annotated, Any, Final, Literal, Self
from zlib import crc32

from cobs import cobs
from pydantic import Field, model_validator

from dealwire.bench.record import Failed, HeardFrame, NotRun
from dealwire.bench.values import BadValue, Wanted, check_sent, check_wanted, fits, spell
from dealwire.bench.verbs.context import AnyCheckContext, CheckContext
from dealwire.bench.verbs.probe import MS
from dealwire.bench.verbs.step import RETRY_MS, STATUS_MS, Hex, PlanStep, ReasonNames, Time, Variable
from protocol.errors import CannotEncode
from protocol.message import message_name
from protocol.tdp import messages as m
from protocol.tdp.messages import Kind, Message, Reason, Role, Status
from protocol.tdp.packets import PACKETS

HEADER: Final = 8
_Form = tuple[str, dict[str, Wanted]]
"""Name of an event and its required fields."""
_COMMANDS: Final = frozenset(cls for (kind, _), (cls, _) in PACKETS.items() if kind == Kind.COMMAND)

# ------------------------------------------------------------------ sending


SEALED_BODY_MAX: Final = 236
"""Bytes of header and payload that leave room for a tag."""
NO_ROOM: Final = "a sealed line leaves no room for a frame of 256 bytes"


class Sending(PlanStep):
    """`send`: a message, right or deliberately wrong."""

    send: str
    fields: dict[str, int | str] = Field(default_factory=dict, alias="with")
    request: Literal["new", "same"] | int | Variable = "new"
    """Request id: `new`, `same` (that of the last request), a number or a variable."""
    flags: int = Field(0, ge=0, le=255)
    """Flags of the header."""
    version: int | None = Field(None, ge=0, le=255)
    """Version in the header, instead of the protocol's."""
    kind: int | None = Field(None, ge=0, le=255)
    """Kind in the header, instead of the message's own."""
    id: int | None = Field(None, ge=0, le=0xFFFF)
    """Message id in the header, instead of the message's own."""
    payload: Hex | None = None
    """Payload, instead of the message's own."""
    append: Hex = ""
    """Bytes after the payload, such as an extension."""
    sequence: int | None = Field(None, ge=0, le=255)
    """Link sequence, instead of the next one."""
    damage: Literal["check", "check-zeros", "check-ones", "cobs", "truncated", "unclosed"] | None = None
    """Damage to the frame: a bit of its check, a check of all zeros or ones, its COBS encoding, cut short, or never
    closed."""
    times: int = Field(1, ge=1, le=400)
    """Number of copies, in one write."""
    gap_ms: int | None = Field(None, ge=0, le=200)
    """Milliseconds between bytes, if sent byte by byte."""
    before: Hex = ""
    """Bytes on the line right before the frame."""
    opened: bool | None = None
    """True if a delimiter is sent first; by default it depends on the silence before."""

    @model_validator(mode="after")
    def _known(self) -> Self:
        check_sent(self.send, self.fields)
        return self

    def _run(self, context: CheckContext) -> None:
        probe, message = context.probe, context.make(self.send, self.fields)
        try:
            body = self._body(context, message)
        except CannotEncode as error:  # a number that is reckoned from what the device said
            raise Failed(str(error)) from None
        if probe.wire.sealed and len(body) > SEALED_BODY_MAX:
            raise NotRun(NO_ROOM)
        data = _damage(_encode(body), self.damage)
        silent = probe.wire.now_ns() - probe.silent_ns >= 50 * MS
        opened = silent if self.opened is None else self.opened
        data = bytes.fromhex(self.before) + (b"\0" if opened else b"") + data * self.times
        text = spell(message) + (f" damaged: {self.damage}" if self.damage else "")
        text += f" x{self.times}" if self.times > 1 else ""
        context.requested_ns = probe.wire.now_ns()
        if self.gap_ms is None:
            probe.put(data, text, bad=self._is_wrong)
            return
        probe.put(data[:1], f"{text}, byte by byte, {self.gap_ms} ms apart", bad=self._is_wrong)
        # nothing else may be said between the bytes of one frame
        manners, (probe.acks, probe.beats) = (probe.acks, probe.beats), (False, False)
        for byte in data[1:]:
            context.pause(self.gap_ms)
            probe.wire.send(bytes([byte]))
            probe.silent_ns = probe.sent_ns = probe.wire.now_ns()
        context.requested_ns = probe.wire.now_ns()
        probe.acks, probe.beats = manners

    def _body(self, context: CheckContext, message: Message) -> bytes:
        """Return header and payload, with the plan's changes."""
        is_command = type(message) in _COMMANDS or self.kind == Kind.COMMAND
        if is_command:
            context.command = message
            if self.request == "new":
                context.request = context.probe.new_request()
            elif self.request != "same":
                context.request = context.number(self.request)
        request = context.request if is_command or isinstance(self.request, int) else 0
        header: dict[str, Any] = {"flags": self.flags}
        if isinstance(message, m.NakMessage | m.ReplyMessage | m.ProgressMessage):
            header["message_id"] = self.id or 0x0022
        body = bytearray(context.probe.body(message, request, **header))
        for index, value in ((0, self.version), (2, self.kind), (3, self.sequence)):
            body[index] = body[index] if value is None else value
        if self.id is not None:
            body[6:8] = self.id.to_bytes(2, "little")
        if self.payload is not None:
            body[HEADER:] = bytes.fromhex(self.payload)
        context.probe.note_sent(message)
        return bytes(body) + bytes.fromhex(self.append)

    @property
    def _is_wrong(self) -> bool:
        changed = (self.damage, self.version, self.kind, self.id, self.payload)
        return any(value is not None for value in changed) or bool(self.flags or self.append or self.before)


def _encode(body: bytes) -> bytes:
    """Encode a frame of any length. The protocol's encoder refuses frames that a device must refuse."""
    framed: bytes = cobs.encode(body + crc32(body).to_bytes(4, "little"))
    return framed + b"\0"


def _damage(frame: bytes, damage: str | None) -> bytes:
    match damage:
        case "check":
            body = bytearray(cobs.decode(frame[:-1]))
            body[-1] ^= 0x01
            return bytes(cobs.encode(bytes(body))) + b"\0"
        case "check-zeros" | "check-ones":
            bits = b"\0" if damage == "check-zeros" else b"\xff"
            return bytes(cobs.encode(cobs.decode(frame[:-1])[:-4] + bits * 4)) + b"\0"
        case "cobs":
            return b"\xff" + frame[1:]
        case "truncated":
            return frame[:-6] + b"\0"
        case "unclosed":
            return frame[: len(frame) // 2]
    return frame


class Raw(PlanStep):
    """`raw`: these bytes (hex), or this many `random` ones that never form a whole frame."""

    raw: Hex
    full_frame: Literal["short", "long"] | None = None
    """A frame of 256 bytes that ends with a full COBS group, without or with the empty group after it."""
    random: int = Field(0, ge=0, le=5000)
    """Number of random bytes to send instead."""
    repeat: int = Field(1, ge=1, le=1000)
    """Number of repetitions."""

    def _run(self, context: CheckContext) -> None:
        random = Random(context.seed)
        if self.full_frame and context.probe.wire.sealed:
            raise NotRun(NO_ROOM)
        if self.full_frame:
            context.probe.put(_full_frame(self.full_frame == "long"), "a frame of 256 bytes, the last group full")
            return
        data = bytes.fromhex(self.raw) * self.repeat + bytes(random.randrange(1, 256) for _ in range(self.random))
        context.requested_ns = context.probe.wire.now_ns()
        context.probe.put(data, f"{len(data)} bytes that are no frame", bad=True)


def _full_frame(empty_group: bool) -> bytes:
    """Return an unknown command whose only zero byte is its flags, so that COBS ends with a group of 254."""
    head = bytes([1, 0, Kind.COMMAND, 0x11, 0x22, 0x33, 0x99, 0x01])
    for filling in range(1, 256):
        frame = _encode(head + bytes([filling]) * 244)[:-1]
        if frame[2] == 0xFF:  # else the check holds a zero
            whole = frame.removesuffix(b"\x01") if len(frame) == 258 else frame
            return whole + (b"\x01" if empty_group else b"") + b"\0"
    raise AssertionError("no filling gives a check without a zero")


class Flips(PlanStep):
    """`flips`: this many frames of a message, each with one random bit flipped (seeded). Each ends with its own
    delimiter."""

    flips: int = Field(ge=1, le=1000)
    message: str = "Hello"
    """Message to send."""

    def _run(self, context: CheckContext) -> None:
        random = Random(context.seed)
        message = context.make(self.message, {})
        for _ in range(self.flips):
            frame = bytearray(_encode(context.probe.body(message)))
            place = random.randrange(len(frame) - 1)
            frame[place] ^= 1 << random.randrange(8)
            context.probe.put(b"\0" + bytes(frame), f"{spell(message)} with a flipped bit in byte {place}", bad=True)
            context.pause(2)


# ------------------------------------------------------------------ answers


class Replying(PlanStep):
    """`reply`: the last command is answered like this, and the header names it. `measure` is the name under which its
    time is recorded.

    The step waits as long as a host does before it tries again; the protocol's 100 ms have checks of their own.
    """

    reply: Literal["done", "accepted", "refused", "any"]
    reason: ReasonNames | None = None
    """Allowed reasons of a refusal."""
    within: Time = RETRY_MS
    measure: str | None = None

    def _run(self, context: CheckContext) -> None:
        found: tuple[HeardFrame, m.ReplyMessage | m.NakMessage] | None
        found = context.probe.until(lambda heard: _answer(context, heard), self.within + context.allowance_ms)
        name = message_name(context.command)
        if found is None:
            raise Failed(f"no reply to {name} within {self.within} ms")
        heard, answer = found
        context.used.add(id(heard))
        if isinstance(answer, m.NakMessage):
            raise Failed(f"{name} was answered by {spell(answer)}, not by a reply")
        if self.measure:
            context.time(self.measure, (heard.at_ns - context.requested_ns) / MS, self.within)
        if self.reply != "any" and answer.status != Status[self.reply.upper()]:
            raise Failed(f"{name} should have been {self.reply}; came: {spell(answer)}")
        wanted = self.reason
        if wanted is not None and answer.reason not in [Reason[word] for word in wanted]:
            raise Failed(f"{name} should have been refused for {' or '.join(wanted)}; came: {spell(answer)}")


def _answer(context: CheckContext, heard: HeardFrame) -> m.ReplyMessage | m.NakMessage | None:
    message = heard.message
    if id(heard) in context.used or heard.envelope.request != context.request:
        return None
    if isinstance(message, m.NakMessage):
        return message
    return context.probe.answer_to(heard, context.request, context.command)


class Naking(PlanStep):
    """`nak`: the last frame is answered by a NAK with one of these reasons."""

    nak: ReasonNames
    within: Time = RETRY_MS

    def _run(self, context: CheckContext) -> None:
        context.need("Nak", {"reason": self.nak}, self.within)


class Expecting(PlanStep):
    """`expect`: a message arrives."""

    expect: str
    where: dict[str, Wanted] = Field(default_factory=dict)
    within: Time = STATUS_MS
    request: Literal["same", 0] | None = None
    """Request id of the message: that of the last command, or 0 for a person's action."""
    old: bool = False
    """True if the message is from the previous session."""
    names: int | None = Field(None, ge=0, le=0xFFFF)
    """Number of the message that a reply, progress or NAK names in its header."""
    not_before: Time | None = None
    """Minimum time before it comes."""
    cards: tuple[Annotated[int, Field(ge=0, le=0xFF)], ...] | None = None
    """Card codes in it, in order, if the operator knows them; the report never shows them."""
    measure: str | None = None
    limited: bool = True
    """false: the protocol sets no limit for the measured time; `within` is only the patience of the bench."""
    save: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _known(self) -> Self:
        check_wanted(self.expect, self.where)
        check_wanted(self.expect, dict.fromkeys(self.save.values(), 0))
        return self

    def _run(self, context: CheckContext) -> None:
        limit_ms = self.within + context.hands.patience_ms
        request = context.request if self.request == "same" else self.request
        heard, message = context.find(self.expect, self.where, limit_ms, request=request, old=self.old)
        named = heard.envelope.message_id
        if self.names is not None and named != self.names:
            raise Failed(f"{spell(message)} names message {named:04X}h, not {self.names:04X}h, which it answers")
        if self.cards is not None and (wrong := _other_cards(message, self.cards)):
            raise Failed(f"{spell(message)}: {wrong}")
        after_ms = (heard.at_ns - context.requested_ns) / MS
        if self.not_before is not None and after_ms < self.not_before - context.allowance_ms:
            raise Failed(f"{spell(message)} came after {after_ms:.0f} ms, before {self.not_before} ms")
        if self.measure:
            context.time(self.measure, after_ms, self.within if self.limited else None)
        for name, key in self.save.items():
            context.variables[name] = int(getattr(message, key))


def _other_cards(message: Message, wanted: tuple[int, ...]) -> str:
    """Return the error in the cards of a message, without their faces."""
    cards = next(getattr(message, key) for key in ("cards", "card", "on") if hasattr(message, key))
    found = tuple(cards) if isinstance(cards, bytes) else (int(cards),)
    if len(found) != len(wanted):
        return f"it has {len(found)} cards, {len(wanted)} were there"
    at = next((at for at, (one, other) in enumerate(zip(found, wanted, strict=True), 1) if one != other), 0)
    return f"card {at} is another than was there" if at else ""


class Never(PlanStep):
    """`never`: none of these messages arrives for this time; an empty list stands for any message."""

    never: tuple[str, ...]
    where: dict[str, Wanted] = Field(default_factory=dict)
    during: Time

    @model_validator(mode="after")
    def _known(self) -> Self:
        for name in self.never:
            check_wanted(name, self.where)
        return self

    def _run(self, context: CheckContext) -> None:
        start = len(context.probe.heard)
        context.pause(self.during)
        context.probe.look_from_here()
        for heard in context.probe.heard[start:]:
            message = heard.message
            named = not self.never or message_name(message) in self.never
            if named and fits(message, self.where, context.names):
                raise Failed(f"{spell(message)} came, which was not to come for {self.during} ms")


class Ordered(PlanStep):
    """`events`: these came since the check began, in this order; others may come between. Each is a table with the
    event's name as `event` and its fields, or a list of such tables as alternatives."""

    events: tuple[dict[str, Wanted] | tuple[dict[str, Wanted], ...], ...]
    within: Time = STATUS_MS

    @model_validator(mode="after")
    def _known(self) -> Self:
        forms = [item for items in self.events for item in (items if isinstance(items, tuple) else (items,))]
        if not all(isinstance(item.get("event"), str) for item in forms) or () in self.events:
            raise BadValue("each needs the key 'event' with an event's name")
        for name, fields in (form for forms in self._wanted for form in forms):
            check_wanted(name, fields)
        return self

    @property
    def _wanted(self) -> list[list[_Form]]:
        return [
            [(str(item["event"]), {k: v for k, v in item.items() if k != "event"}) for item in forms]
            for forms in (items if isinstance(items, tuple) else (items,) for items in self.events)
        ]

    def _run(self, context: CheckContext) -> None:
        wanted = self._wanted
        limit_ms = self.within + context.hands.patience_ms + context.allowance_ms
        end_ns = context.probe.wire.now_ns() + limit_ms * MS
        context.probe.run(end_ns, lambda: _missing(context, wanted) is None)
        missing = _missing(context, wanted)
        if missing is not None:
            names = [name for name, _ in wanted[missing]]
            forms = " or ".join(f"{name} {fields or ''}" for name, fields in wanted[missing])
            before = f" after {wanted[missing - 1][0][0]}" if missing else ""
            same = [spell(event) for event in context.probe.events() if message_name(event) in names]
            raise Failed(f"no {forms}{before}" + (f"; came: {', '.join(same)}" if same else ""))


def _missing(context: CheckContext, wanted: Sequence[Sequence[_Form]]) -> int | None:
    """Return the index of the first missing event, None if all came in order."""
    place = 0
    for event in context.probe.events():
        if place < len(wanted):
            place += any(message_name(event) == name and fits(event, of, context.names) for name, of in wanted[place])
    return place if place < len(wanted) else None


class CountMessages(PlanStep):
    """`count`: exactly this many of a message came since the check began. A repeated event counts once."""

    count: int
    of: str
    """Message to count."""
    where: dict[str, Wanted] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _known(self) -> Self:
        check_wanted(self.of, self.where)
        return self

    def _run(self, context: CheckContext) -> None:
        context.pause(1)
        events: list[Message] = [event for event in context.probe.events() if message_name(event) == self.of]
        messages = events or [heard.message for heard in context.probe.heard]
        found = sum(message_name(one) == self.of and fits(one, self.where, context.names) for one in messages)
        if found != self.count:
            raise Failed(f"{self.of} came {found} times, not {self.count}")


# ------------------------------------------------------------------ the rest


class WaitFor(PlanStep):
    """`wait`: let this much time pass. Messages received so far do not answer what follows."""

    wait: Time

    def _run(self, context: AnyCheckContext) -> None:
        context.pause(self.wait)
        context.probe.look_from_here()


class Manners(PlanStep):
    """`host`: automatic behavior of the bench from now on: "acks" and "beats"; what is not listed is off."""

    host: tuple[Literal["acks", "beats"], ...]

    def _run(self, context: CheckContext) -> None:
        context.probe.acks, context.probe.beats = "acks" in self.host, "beats" in self.host


class SessionOpening(PlanStep):
    """`open`: HELLO and OPEN-SESSION with this role. Events that the device holds count as read."""

    open: Literal["OBSERVE", "OPERATE", "SERVICE", "plan"]

    def _run(self, context: CheckContext) -> None:
        context.probe.open(None if self.open == "plan" else Role[self.open])
        context.probe.look_from_here()


class Greeting(PlanStep):
    """`greet`: HELLO, repeated until it is answered. No session is opened."""

    greet: Time

    def _run(self, context: CheckContext) -> None:
        context.probe.meet((self.greet + context.hands.patience_ms) * MS)
        context.probe.look_from_here()


class Save(PlanStep):
    """`save`: names for current values: session, last (event received), newest (event of the device), boots, request,
    acked, depth (unacknowledged events that the device promises to keep, 256 to 1024)."""

    save: dict[str, Literal["session", "last", "boots", "request", "acked", "depth", "newest"]]

    def _run(self, context: CheckContext) -> None:
        names = context.names
        context.variables.update({name: names[what] for name, what in self.save.items()})
