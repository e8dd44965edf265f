"""What each verb of a step does on the line: sending, right or wrong on purpose, and looking at what comes back."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Final
from zlib import crc32

from cobs import cobs

from dealwire.bench import plan_device as d
from dealwire.bench import plan_steps as p
from dealwire.bench.probe import MS
from dealwire.bench.record import Failed, HeardFrame
from dealwire.bench.rules import is_old
from dealwire.bench.stand import Stand
from dealwire.bench.values import Wanted, fits, milliseconds, spell
from protocol.message import message_name
from protocol.tdp import messages as m
from protocol.tdp.messages import Kind, Message, Reason, Role, Status
from protocol.tdp.packets import PACKETS

HEADER: Final = 8
_COMMANDS: Final = frozenset(cls for (kind, _), (cls, _) in PACKETS.items() if kind == Kind.COMMAND)

# ------------------------------------------------------------------ sending


def send(stand: Stand, step: p.Sending) -> None:
    """`send`."""
    message = stand.make(step.send, step.fields)
    body = _body(stand, step, message)
    data = _damage(_encode(body), step.damage)
    opened = step.opened
    if opened is None:
        opened = stand.probe.wire.now_ns() - stand.probe.silent_ns >= 50 * MS
    data = bytes.fromhex(step.before) + (b"\0" if opened else b"") + data * step.times
    text = (
        spell(message)
        + (f" damaged: {step.damage}" if step.damage else "")
        + (f" x{step.times}" if step.times > 1 else "")
    )
    stand.requested_ns = stand.probe.wire.now_ns()
    if step.gap_ms is None:
        stand.probe.put(data, text, bad=_is_wrong(step))
        return
    stand.probe.put(data[:1], f"{text}, byte by byte, {step.gap_ms} ms apart", bad=_is_wrong(step))
    # nothing else may be said between the bytes of one frame
    manners, (stand.probe.acks, stand.probe.beats) = (stand.probe.acks, stand.probe.beats), (False, False)
    for byte in data[1:]:
        stand.pause(step.gap_ms)
        stand.probe.wire.send(bytes([byte]))
        stand.probe.silent_ns = stand.probe.sent_ns = stand.probe.wire.now_ns()
    stand.requested_ns = stand.probe.wire.now_ns()
    stand.probe.acks, stand.probe.beats = manners


def _body(stand: Stand, step: p.Sending, message: Message) -> bytes:
    """Header and payload, with what the plan wants changed."""
    is_command = isinstance(message, tuple(_COMMANDS))
    if is_command or step.kind == Kind.COMMAND:
        stand.command = message
        if step.request == "new":
            stand.request = stand.probe.new_request()
        elif step.request != "same":
            stand.request = stand.number(step.request)
    request = stand.request if is_command or step.kind == Kind.COMMAND or isinstance(step.request, int) else 0
    header: dict[str, Any] = {"flags": step.flags}
    if isinstance(message, m.NakMessage | m.ReplyMessage | m.ProgressMessage):
        header["message_id"] = step.id or 0x0022
    body = bytearray(stand.probe.body(message, request, **header))
    for index, value in ((0, step.version), (2, step.kind), (3, step.sequence)):
        body[index] = body[index] if value is None else value
    if step.id is not None:
        body[6:8] = step.id.to_bytes(2, "little")
    if step.payload is not None:
        body[HEADER:] = bytes.fromhex(step.payload)
    if isinstance(message, m.ReadEventsMessage) and message.session == stand.probe.known.session:
        stand.probe.known.acked, stand.probe.known.read_from = message.first - 1, message.first
    if isinstance(message, m.AckMessage) and message.session == stand.probe.known.session:
        stand.probe.known.acked = max(stand.probe.known.acked, message.up_to)
    return bytes(body) + bytes.fromhex(step.append)


def _encode(body: bytes) -> bytes:
    """A frame of any length: the protocol's own encoder refuses those that a device must refuse."""
    framed: bytes = cobs.encode(body + crc32(body).to_bytes(4, "little"))
    return framed + b"\0"


def _damage(frame: bytes, damage: str | None) -> bytes:
    match damage:
        case "check":
            body = bytearray(cobs.decode(frame[:-1]))
            body[-1] ^= 0x01
            return bytes(cobs.encode(bytes(body))) + b"\0"
        case "cobs":
            return b"\xff" + frame[1:]
        case "truncated":
            return frame[:-6] + b"\0"
        case "unclosed":
            return frame[: len(frame) // 2]
    return frame


def _is_wrong(step: p.Sending) -> bool:
    changed = (step.damage, step.version, step.kind, step.id, step.payload)
    return any(value is not None for value in changed) or bool(step.flags or step.append or step.before)


def raw(stand: Stand, step: p.Raw) -> None:
    """`raw`."""
    random = Random(stand.seed)
    if step.full_frame:
        stand.probe.put(_full_frame(step.full_frame == "long"), "a frame of 256 bytes that ends with a full group")
        return
    data = bytes.fromhex(step.raw) * step.repeat + bytes(random.randrange(1, 256) for _ in range(step.random))
    stand.requested_ns = stand.probe.wire.now_ns()
    stand.probe.put(data, f"{len(data)} bytes that are no frame", bad=True)


def _full_frame(empty_group: bool) -> bytes:
    """An unknown command whose only zero is its flags: COBS then ends with a group of 254."""
    head = bytes([1, 0, Kind.COMMAND, 0x11, 0x22, 0x33, 0x99, 0x01])
    for filling in range(1, 256):
        frame = _encode(head + bytes([filling]) * 244)[:-1]
        if frame[2] == 0xFF:  # else the check holds a zero
            whole = frame.removesuffix(b"\x01") if len(frame) == 258 else frame
            return whole + (b"\x01" if empty_group else b"") + b"\0"
    raise AssertionError("no filling gives a check without a zero")


def flips(stand: Stand, step: p.Flips) -> None:
    """`flips`: each damaged frame ends with its own delimiter, so that it stands alone."""
    random = Random(stand.seed)
    message = stand.make(step.message, {})
    for _ in range(step.flips):
        frame = bytearray(_encode(stand.probe.body(message)))
        place = random.randrange(len(frame) - 1)
        frame[place] ^= 1 << random.randrange(8)
        stand.probe.put(b"\0" + bytes(frame), f"{spell(message)} with a bit turned over in byte {place}", bad=True)
        stand.pause(2)


# ------------------------------------------------------------------ answers


def reply(stand: Stand, step: p.Replying) -> None:
    """`reply`."""
    limit_ms = milliseconds(step.within)
    found: tuple[HeardFrame, m.ReplyMessage | m.NakMessage] | None
    found = stand.probe.until(lambda heard: _answer(stand, heard), limit_ms + stand.allowance_ms)
    name = message_name(stand.command)
    if found is None:
        raise Failed(f"no reply to {name} within {limit_ms} ms")
    heard, answer = found
    stand.used.add(id(heard))
    if isinstance(answer, m.NakMessage):
        raise Failed(f"{name} was answered by {spell(answer)}, not by a reply")
    if step.measure:
        stand.time(step.measure, (heard.at_ns - stand.requested_ns) / MS, step.within)
    if step.reply != "any" and answer.status != Status[step.reply.upper()]:
        raise Failed(f"{name} should have been {step.reply}; came: {spell(answer)}")
    wanted = [step.reason] if isinstance(step.reason, str) else step.reason
    if wanted is not None and answer.reason not in [Reason[word] for word in wanted]:
        raise Failed(f"{name} should have been refused for {' or '.join(wanted)}; came: {spell(answer)}")


def _answer(stand: Stand, heard: HeardFrame) -> m.ReplyMessage | m.NakMessage | None:
    message = heard.envelope.message
    if id(heard) in stand.used or heard.envelope.request != stand.request:
        return None
    if isinstance(message, m.NakMessage):
        return message
    return stand.probe.answer_to(heard, stand.request, stand.command)


def nak(stand: Stand, step: p.Naking) -> None:
    """`nak`."""
    wanted = [step.nak] if isinstance(step.nak, str) else step.nak
    stand.need("Nak", {"reason": list(wanted)}, milliseconds(step.within))


def expect(stand: Stand, step: p.Expecting) -> None:
    """`expect`."""
    limit_ms = milliseconds(step.within) + stand.hands.patience_ms
    request = stand.request if step.request == "same" else None
    found = stand.wait_for(step.expect, step.where, limit_ms, request=request, old=step.old)
    if found is None:
        raise stand.missed(step.expect, step.where, limit_ms)
    heard, message = found
    after_ms = (heard.at_ns - stand.requested_ns) / MS
    if step.not_before is not None and after_ms < milliseconds(step.not_before) - stand.allowance_ms:
        raise Failed(f"{spell(message)} came after {after_ms:.0f} ms, before {milliseconds(step.not_before)} ms")
    if step.measure:
        stand.time(step.measure, after_ms, step.within)
    for name, key in step.save.items():
        stand.variables[name] = int(getattr(message, key))


def never(stand: Stand, step: p.Never) -> None:
    """`never`."""
    start = len(stand.probe.heard)
    stand.pause(milliseconds(step.during))
    stand.probe.mark = len(stand.probe.heard)
    for heard in stand.probe.heard[start:]:
        message = heard.envelope.message
        named = not step.never or message_name(message) in step.never
        if named and fits(message, step.where, stand.names):
            raise Failed(f"{spell(message)} came, which was not to come for {milliseconds(step.during)} ms")


def events(stand: Stand, step: p.Ordered) -> None:
    """`events`."""
    wanted = [(str(item["event"]), {k: v for k, v in item.items() if k != "event"}) for item in step.events]
    limit_ms = milliseconds(step.within) + stand.hands.patience_ms + stand.allowance_ms
    end_ns = stand.probe.wire.now_ns() + limit_ms * MS
    stand.probe.run(end_ns, lambda: _missing(stand, wanted) is None)
    missing = _missing(stand, wanted)
    if missing is not None:
        name, fields = wanted[missing]
        before = f" after {wanted[missing - 1][0]}" if missing else ""
        same = [spell(event) for event in distinct(stand) if message_name(event) == name]
        raise Failed(f"no {name} {fields or ''}{before}" + (f"; came: {', '.join(same)}" if same else ""))


def _missing(stand: Stand, wanted: Sequence[tuple[str, dict[str, Wanted]]]) -> int | None:
    """Which of `wanted`, in this order, is the first that did not come."""
    place = 0
    for event in distinct(stand):
        if place < len(wanted):
            name, fields = wanted[place]
            place += message_name(event) == name and fits(event, fields, stand.names)
    return place if place < len(wanted) else None


def distinct(stand: Stand) -> list[m.Event]:
    """The events of this session that came since the check began, each once, in the order of their numbers."""
    found = {
        heard.envelope.message.number: heard.envelope.message
        for heard in stand.probe.heard
        if isinstance(heard.envelope.message, m.Event) and not is_old(heard.envelope)
    }
    return [found[number] for number in sorted(found)]


def count(stand: Stand, step: p.CountMessages) -> None:
    """`count`."""
    stand.pause(1)
    if any(message_name(event) == step.of for event in distinct(stand)):
        messages: list[Message] = [*distinct(stand)]
    else:
        messages = [heard.envelope.message for heard in stand.probe.heard]
    found = sum(message_name(one) == step.of and fits(one, step.where, stand.names) for one in messages)
    if found != step.count:
        raise Failed(f"{step.of} came {found} times, not {step.count}")


# ------------------------------------------------------------------ the rest


def wait(stand: Stand, step: d.WaitFor) -> None:
    """`wait`: what came before it is no answer to what follows."""
    stand.pause(milliseconds(step.wait))
    stand.probe.mark = len(stand.probe.heard)


def host(stand: Stand, step: d.Manners) -> None:
    """`host`."""
    stand.probe.acks, stand.probe.beats = "acks" in step.host, "beats" in step.host


def open_session(stand: Stand, step: d.SessionOpening) -> None:
    """`open`."""
    stand.probe.open(None if step.open == "plan" else Role[step.open])
    stand.probe.mark = len(stand.probe.heard)


def save(stand: Stand, step: d.Save) -> None:
    """`save`."""
    names = stand.names
    stand.variables.update({name: names[what] for name, what in step.save.items()})
