"""The published conversations, played at one end: the output of that end is checked against the conversation.

The host's end is our link; the device's is any program that plays a script of `firmware.same`.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import Any, Final

from firmware.same.steps import Arrive, Do, PowerCut, Script, Step, Wait
from protocol.tdp import Delivered, HostLink, Lost, Output, Send
from protocol.tdp import messages as m
from protocol.tdp.codec import Envelope, decode, describe
from protocol.tdp.framing import Frame, Framer
from protocol.tdp.messages import Kind, Role
from protocol.tdp.predecessor import named_session
from tests.support.reading.vectors import VECTORS

CONVERSATIONS: Final[list[dict[str, Any]]] = VECTORS["conversations"]
WAYS: Final = ("whole", "byte by byte", "at random")
"""Ways in which bytes sent at one moment arrive."""
MS: Final = 1_000_000
_FRAMES: Final = re.compile(rb"\0?[^\0]+\0")
_OWN: Final = (m.OpenSessionMessage, m.ReadEventsMessage)


def cut(data: bytes, way: str, random: Random) -> list[bytes]:
    """Return the same bytes in pieces."""
    if way == "whole":
        return [data]
    places = [*range(1, len(data))]
    if way == "at random":
        places = sorted(random.sample(places, min(len(places), random.randrange(6))))
    ends = [0, *places, len(data)]
    return [data[start:end] for start, end in pairwise(ends)]


def frames_of(data: bytes) -> list[bytes]:
    """Return the frames that were sent, each with the zeros around it."""
    found = _FRAMES.findall(data)
    assert b"".join(found) == data, data.hex()
    return found


def read(wire: bytes) -> Envelope:
    """Return the content of one frame."""
    (piece,) = (piece for piece in Framer().feed(wire) if isinstance(piece, Frame))
    return decode(piece.body)


def wire_of(step: dict[str, Any]) -> bytes:
    """Return the bytes that one end sent."""
    return bytes.fromhex(step["bytes"])


def arriving(step: dict[str, Any]) -> bytes:
    """Return the bytes that reach the other end."""
    return b"" if step.get("lost") else bytes.fromhex(step.get("arrives", step["bytes"]))


def meaning(wire: bytes, free: Sequence[str] = ()) -> dict[str, Any]:
    """Describe a frame, without the fields that another correct end may fill differently."""
    said = describe(read(wire))
    for name in free:
        del said["fields"][name]
    return said


def same(step: dict[str, Any], wire: bytes) -> bool:
    """Return True if the frames are equal in all bytes, or in all fields that the page does not leave to the sender."""
    free = step.get("free", ())
    return wire == wire_of(step) or (bool(free) and meaning(wire, free) == meaning(wire_of(step), free))


def hold(expected: list[dict[str, Any]], sent: list[bytes], where: str) -> None:
    """Check that these frames were sent, and no others."""
    words = [step["what"] for step in expected]
    assert len(sent) == len(expected), f"{where}: {words}, but {[str(read(one).message) for one in sent]}"
    for step, one in zip(expected, sent, strict=True):
        assert same(step, one), f"{where}: {step['what']}\n{meaning(wire_of(step))}\n{meaning(one)}"


# ---------------------------------------------------------------------- the device's end


def script_of(conversation: dict[str, Any], way: str) -> tuple[Script, list[list[dict[str, Any]]], list[int]]:
    """Return the conversation as a device's script, the expected frames, and the steps of the script.

    The script starts at the first power-up. The frames are those that the device sends after each step of the
    conversation, and the numbers say how many steps of the script each of those is.
    """
    random = Random(conversation["name"] + way)
    steps = conversation["steps"]
    first = next(at for at, step in enumerate(steps) if step["from"] == "power")
    script, expected, sizes = list[Step](), [list[dict[str, Any]]()], [1]
    for step in steps[first + 1 :]:
        if step["from"] == "device":
            expected[-1].append(step)
            continue
        made = _made(step, way, random)
        script += made
        expected.append([])
        sizes.append(len(made))
    return Script(conversation["device"], steps[first]["session"], tuple(script)), expected, sizes


def _made(step: dict[str, Any], way: str, random: Random) -> list[Step]:
    match step["from"]:
        case "time":
            return [Wait(step["ms"])]
        case "hands":
            return [Do(step["do"])] * int(step["times"])
        case "power":
            return [PowerCut(step["session"])]
    data = arriving(step)
    return [Arrive(piece, step["what"]) for piece in cut(data, way, random)] if data else []


def hold_device(conversation: dict[str, Any], way: str, said: list[bytes]) -> None:
    """Check the output of a device at the start and in each step of the script."""
    _, expected, sizes = script_of(conversation, way)
    at = 0
    for number, (frames, size) in enumerate(zip(expected, sizes, strict=True)):
        sent = b"".join(said[at : at + size])
        at += size
        hold(frames, frames_of(sent), f"{conversation['name']}, {way}, what follows step {number} of the device's")
    assert at == len(said)


# ---------------------------------------------------------------------- the host's end


class HostEnd:
    """Our link in a conversation. Its clock is set so that its request ids and its silences are those of the
    conversation's host: both are the host's own choice."""

    def __init__(self, conversation: dict[str, Any], way: str) -> None:
        self.conversation, self._way = conversation, way
        self._random = Random(conversation["name"] + way)
        self._link = HostLink(role=Role.OPERATE)
        self._ms = 0
        self._origin_ms = _origin_of(conversation)
        self._asked: set[int] = set()
        self.sent: list[tuple[int, bytes]] = []
        """Time in milliseconds, and frame."""
        self.given: list[Output] = []
        """Outputs of the link to its caller."""

    def play(self) -> None:
        """Play the whole conversation."""
        steps, at = self.conversation["steps"], 0
        while at < len(steps):
            step = steps[at]
            at += 1
            if step["from"] == "time":
                self._wait(step["ms"])
            elif step["from"] == "host" and not step.get("other"):
                self._ask(step)
            elif step["from"] == "device":
                data = arriving(step)
                while at < len(steps) and steps[at]["from"] == "device":
                    data += arriving(steps[at])
                    at += 1
                for piece in cut(data, self._way, self._random) if data else []:
                    self._take(self._link.receive(piece, self._now_ns))

    @property
    def _now_ns(self) -> int:
        return (self._origin_ms + self._ms) * MS

    def _ask(self, step: dict[str, Any]) -> None:
        """Start what the host's program starts: the link itself, or a new command."""
        frame = read(wire_of(step))
        if not self.sent:
            self._take(self._link.start(self._now_ns))
        elif frame.kind == Kind.COMMAND and not isinstance(frame.message, _OWN) and frame.request not in self._asked:
            self._take(self._link.request(frame.message, self._now_ns)[1])
        self._asked.add(frame.request)

    def _wait(self, ms: int) -> None:
        end_ms = self._ms + ms
        while (due := self._link.next_deadline_ns) is not None and -(-due // MS) - self._origin_ms <= end_ms:
            self._ms = max(self._ms, -(-due // MS) - self._origin_ms)
            self._take(self._link.tick(self._now_ns))
        self._ms = end_ms

    def _take(self, outputs: list[Output]) -> None:
        self.sent += [(self._ms, output.data) for output in outputs if isinstance(output, Send)]
        self.given += [output for output in outputs if not isinstance(output, Send)]

    def hold(self) -> None:
        """Check that the frames sent and the outputs are those of the conversation."""
        expected = _timed(self.conversation)
        name = f"{self.conversation['name']}, {self._way}"
        if self._way == "whole":
            assert [at for at, _ in self.sent] == [at for at, _ in expected], name
            hold([step for _, step in expected], [wire for _, wire in self.sent], name)
        else:
            wanted = [(at, wire_of(step), tuple(step.get("free", ()))) for at, step in expected]
            assert _gist(wanted) == _gist([(at, wire, ()) for at, wire in self.sent], wanted), name
        given = [(each.session, each.message.number) for each in self.given if isinstance(each, Delivered)]
        assert given == _heard(self.conversation), name

    @property
    def lost(self) -> list[Lost]:
        """Return the events that the link reported as gone for ever."""
        return [each for each in self.given if isinstance(each, Lost)]


def _timed(conversation: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    """Return the frames of the conversation's own host, each with its time."""
    now, found = 0, []
    for step in conversation["steps"]:
        now += step.get("ms", 0)
        if step["from"] == "host" and not step.get("other"):
            found.append((now, step))
    return found


def _origin_of(conversation: dict[str, Any]) -> int:
    """Return a moment, in milliseconds, at which such a conversation may have started."""
    frames = [(at, read(wire_of(step))) for at, step in _timed(conversation)]
    start = frames[0][0]
    request = next(frame.request for _, frame in frames if frame.request)
    beat = next(at for at, frame in frames if isinstance(frame.message, m.HeartbeatMessage))
    moments = range(request - 1 - start, 1 << 40, 0xFFFF)
    return next(at for at in moments if at > 0 and (at + beat) % 1000 == 0)


ToldEnd = tuple[int, bytes, tuple[str, ...]]


def _gist(frames: list[ToldEnd], free: list[ToldEnd] | None = None) -> list[tuple[int, dict[str, Any]]]:
    """Return the frames and their times, without what changes if pieces arrive one by one: the link sequence, and the
    number of ACKs before the one that counts."""
    leave = sorted({name for _, _, names in free or frames for name in names})
    told = [(at, read(wire)) for at, wire, _ in frames]
    kept = []
    for number, (at, frame) in enumerate(told):
        after = told[number + 1] if number + 1 < len(told) else (-1, frame)
        if frame.kind == Kind.ACK and after[1].kind == Kind.ACK and after[0] == at:
            continue
        said = describe(frame)
        said.pop("link_sequence", None)
        said["fields"] = {name: value for name, value in said["fields"].items() if name not in leave}
        kept.append((at, said))
    return kept


def _heard(conversation: dict[str, Any]) -> list[tuple[int, int]]:
    """Return the events that arrive whole, each once, by session and number."""
    session, found = 0, dict[tuple[int, int], None]()
    for step in conversation["steps"]:
        session = step.get("session", session)
        if step["from"] == "device" and arriving(step) == wire_of(step):
            frame = read(wire_of(step))
            if isinstance(frame.message, m.Event):
                found[named_session(frame.extensions) or session, frame.message.number] = None
    return [*found]
