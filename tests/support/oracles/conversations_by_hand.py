"""Whole exchanges for `docs/protocol-vectors.json`, written down from the protocol's page, without any code under test.

A conversation is typed as the page has it: the sender, the message, the time, and the bytes that the line loses. This
file keeps only what counting by hand gets wrong: link sequences, the zero after silence, event numbers, the device's
clock.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from tests.support.oracles.vectors_by_hand import COMMAND, TABLE, head, layout_of, pack, wire

PARTIAL_MS: Final = 50
ROWS: Final = {row[0]: row for row in TABLE}
OLD, NEW = 0x1A2B3C4D, 0x5EED0001
FIRST_REQUEST: Final = 0x1005
EXAMPLE: Final = ["Example Gaming", "TC-1", "00017", "1.4.2", "00" * 32]
IDENTITY: Final = (
    "lowest_minor", "highest_minor", "capabilities", "boot_count", "event_depth", "max_frame", "maker", "model",
    "serial", "firmware", "digest",
)  # fmt: skip
OPERATE, DONE, POWER_ON = 1, 1, 1
UNKNOWN_FLAG, HOST_LOST = 9, 601
BOOT, BETS_OPEN, GAME, SAFE = 0, 1, 2, 4
EMPTY, LOCKED = 1, 9
SHOE, CONTROLLER = 2, 3

Step = dict[str, Any]


class Talk:
    """One conversation while it is written. Times are milliseconds from its start."""

    def __init__(self, name: str, about: str, device: str) -> None:
        self.name, self.about, self.device = name, about, device
        self.steps: list[Step] = []
        self.now = self.powered_at = 0
        self.session = self.boots = 0
        self.events: list[tuple[str, list[Any], int]] = []
        """Events that the device kept: message, fields from the number on, and the request that caused the event."""
        self._sequence = {"host": 0, "device": 0}
        self._sent: dict[str, int | None] = {"host": None, "device": None}
        self.request = FIRST_REQUEST - 1

    # ------------------------------------------------------------------ steps

    def wait(self, ms: int, what: str = "time passes") -> None:
        self.now += ms
        self.steps.append({"from": "time", "ms": ms, "what": what})

    def hands(self, do: str, what: str, times: int = 1) -> None:
        self.steps.append({"from": "hands", "do": do, "times": times, "what": what})

    def power(self, session: int, what: str, mid_round: int = 0) -> None:
        """Start the device under this session; events, clock and frames count from the start."""
        previous = self.session
        self.session, self.boots, self.powered_at = session, self.boots + 1, self.now
        self.events = []
        self._sequence["device"], self._sent["device"] = 0, None
        self.steps.append({"from": "power", "session": session, "what": what})
        self.happened("Booted", self.boots, previous, POWER_ON, mid_round)

    # ------------------------------------------------------------------ frames

    def frame(self, end: str, message: str, values: Sequence[Any], what: str, *, request: int = 0, flags: int = 0,
              answers: str = "", tail: bytes = b"", lost: bool = False, flip: int = 0, other: bool = False,
              free: Sequence[str] = ()) -> None:  # fmt: skip
        """Write one frame.

        - `flip`: one bit arrives wrong, so many bytes from the end.
        - `other`: another program is at the host's end.
        """
        _, kind, number, layout, _ = ROWS[message]
        number = ROWS[answers][2] if answers else number
        types = [type_ for _, type_ in layout_of(kind, layout)]
        payload = b"".join(pack(type_, value) for type_, value in zip(types, values, strict=True)) + tail
        sent, silent = wire(head(kind, number, self._sequence[end], request, flags) + payload), self._is_silent(end)
        data = b"\0" + sent if silent else sent
        step: Step = {"from": end, "message": message, "what": what, "bytes": data.hex()}
        if lost:
            step["lost"] = True
        if flip:
            arrives = bytearray(data)
            arrives[-1 - flip] ^= 0x10
            assert arrives[-1 - flip] != 0
            step["arrives"] = arrives.hex()
        if other:
            step["other"] = True
        else:
            self._sequence[end] = self._sequence[end] + 1 & 0xFF
            self._sent[end] = self.now
        self.steps.append(step | ({"free": list(free)} if free else {}))

    def _is_silent(self, end: str) -> bool:
        sent = self._sent[end]
        return sent is None or self.now - sent >= PARTIAL_MS

    def host(self, message: str, *values: Any, what: str, again: bool = False, **more: Any) -> None:
        """Send from the host; a command gets the next request id, or the same one with `again`."""
        if ROWS[message][1] == COMMAND and "request" not in more:
            if not again:
                self.request += 1
            more["request"] = self.request
        self.frame("host", message, values, what, **more)

    def reply(self, to: str, state: int, what: str = "done", **more: Any) -> None:
        self.frame("device", "Reply", [DONE, 0, state], what, answers=to, request=self.request, **more)

    def happened(self, message: str, *values: Any, request: int = 0) -> None:
        """Add an event that the device numbers and keeps; `event` sends it."""
        number, device_ms = len(self.events) + 1, self.now - self.powered_at
        self.events.append((message, [number, device_ms, *values], request))

    def event(self, number: int, what: str, **more: Any) -> None:
        message, values, request = self.events[number - 1]
        self.frame("device", message, values, what, request=request, **more)

    def status(self, state: int, what: str, *, round_: int = 0, faults: Sequence[int] = (), **more: Any) -> None:
        name = "ShoeStatus" if self.device == "shoe" else "ControllerStatus"
        rest = [int(state == LOCKED), 0, 0, 0, 0, 0, 0, 0] if self.device == "shoe" else [round_, 0]
        self.frame("device", name, [self.session, len(self.events), self.now - self.powered_at, state, *rest, faults],
                   what, **more)  # fmt: skip

    def beat(self, **more: Any) -> None:
        self.host("Heartbeat", self.session, what="HEARTBEAT: the host has nothing else to say", **more)

    # ------------------------------------------------------------------ common exchanges

    def hello(self, what: str = "HELLO", **more: Any) -> None:
        self.host("Hello", 1, 0, 1, 4, "dealwire", what=what, free=["host"], **more)

    def hello_reply(self) -> None:
        class_, bits = (SHOE, 0xC1) if self.device == "shoe" else (CONTROLLER, 0xF0)
        values = [self.session, 1, 0, 1, 4, class_, bits, self.boots, 256, 256, *EXAMPLE]
        self.frame("device", "HelloReply", values, "HELLO-REPLY: identification and session id", free=IDENTITY)

    def open(self, state: int, what: str = "OPEN-SESSION: version 1.4, role OPERATE") -> None:
        """Write the exchange from HELLO to the open session."""
        self.hello()
        self.hello_reply()
        self.host("OpenSession", self.session, 1, 4, OPERATE, what=what)
        self.reply("OpenSession", state)

    def read(self, session: int, first: int, state: int) -> None:
        self.host("ReadEvents", session, first, what=f"READ-EVENTS from {first}, the first event that the host lacks")
        self.reply("ReadEvents", state)

    def ack(self, up_to: int, what: str = "", **more: Any) -> None:
        self.host("Ack", self.session, up_to, what=what or f"ACK: every event up to {up_to} has arrived", **more)

    def started(self) -> None:
        """Switch the device on; no host is there yet."""
        boot, state = (1500, EMPTY) if self.device == "shoe" else (1000, BETS_OPEN)
        self.power(OLD, "the device is switched on")
        self.status(BOOT, "STATUS: booting; *Booted* is stored, because no session is open")
        if boot > 1000:
            self.wait(1000)
            self.status(BOOT, "STATUS, every second")
        self.wait(boot % 1000 or 1000, "the device has booted")
        self.happened("StateChanged", state, BOOT)
        self.status(state, "STATUS: the state changed, and its event is stored")

    def up(self) -> None:
        """Write the exchange up to an open session in which every event was reported."""
        self.started()
        shoe = self.device == "shoe"
        state = EMPTY if shoe else BETS_OPEN
        self.wait(200 if shoe else 500, "the host program starts")
        self.open(state)
        self.read(self.session, 1, state)
        self.event(1, "EVENT 1: *Booted*")
        self.event(2, "EVENT 2: *StateChanged*")
        self.ack(2)

    def document(self) -> dict[str, Any]:
        return {"name": self.name, "device": self.device, "about": self.about, "steps": self.steps}


def _handshake(talk: Talk) -> None:
    talk.hello("HELLO: no device answers", lost=True)
    talk.wait(250)
    talk.hello("HELLO, every 250 ms until a device answers", lost=True)
    talk.wait(250)
    talk.hello("HELLO", lost=True)
    talk.wait(100)
    talk.power(OLD, "the device is switched on")
    talk.status(BOOT, "STATUS: booting")
    talk.wait(150)
    talk.open(BOOT)
    talk.read(OLD, 1, BOOT)
    talk.event(1, "EVENT 1: *Booted*")
    talk.ack(1)
    talk.wait(50)
    talk.beat()
    talk.wait(800, "the device has booted")
    talk.happened("StateChanged", BETS_OPEN, BOOT)
    talk.event(2, "EVENT 2: *StateChanged*, before the STATUS that includes it")
    talk.status(BETS_OPEN, "STATUS, because the state changed")
    talk.ack(2)
    talk.wait(200)
    talk.beat()
    talk.wait(800)
    talk.status(BETS_OPEN, "STATUS, every second")


def _lost_reply(talk: Talk) -> None:
    talk.up()
    talk.wait(100)
    talk.beat()
    talk.wait(200)
    talk.host("LockShoe", 1, what="LockShoe: the host locks the shoe")
    talk.reply("LockShoe", LOCKED, "done, with the new state; the line loses this reply", lost=True)
    talk.happened("ShoeLockMoved", 1, request=talk.request)
    talk.happened("StateChanged", LOCKED, EMPTY, request=talk.request)
    talk.event(3, "EVENT 3: *ShoeLockMoved*, with the command's request id")
    talk.event(4, "EVENT 4: *StateChanged*")
    talk.status(LOCKED, "STATUS, because the state changed")
    talk.ack(4)
    talk.wait(250)
    talk.host("LockShoe", 1, what="the same command under the same request id", again=True)
    talk.reply("LockShoe", LOCKED, "the same reply; the command is not carried out again, and no event follows")
    talk.wait(550)
    talk.beat()


def _resend(talk: Talk) -> None:
    talk.up()
    talk.wait(300)
    talk.beat()
    talk.wait(200)
    talk.status(BETS_OPEN, "STATUS, every second")
    talk.wait(100)
    talk.hands("start-game", "START GAME is pressed")
    talk.happened("GameStarted", 1)
    talk.happened("StateChanged", GAME, BETS_OPEN)
    talk.event(3, "EVENT 3: *GameStarted*")
    talk.event(4, "EVENT 4: *StateChanged*")
    talk.status(GAME, "STATUS, because the state changed", round_=1)
    talk.ack(4, "ACK: the line loses it", lost=True)
    talk.wait(250)
    talk.event(3, "EVENT 3 again, after 250 ms without an ACK, with the same payload")
    talk.event(4, "EVENT 4 again")
    talk.ack(4, "ACK again, although both events had arrived: it stops the resending")
    talk.wait(450, "no event is sent again")
    talk.beat()
    talk.wait(300)
    talk.status(GAME, "STATUS, every second", round_=1)


def _window(talk: Talk) -> None:
    talk.started()
    talk.wait(400)
    talk.hands("confirm", "CONFIRM is pressed 20 times: events 3 to 22", 20)
    for _ in range(20):
        talk.happened("Confirmed")
    talk.wait(100, "the host program starts")
    talk.open(BETS_OPEN)
    talk.read(OLD, 1, BETS_OPEN)
    for number in range(1, 17):
        talk.event(number, f"EVENT {number}" + (": the sixteenth in transit, and the last for now" * (number == 16)))
    talk.ack(16)
    for number in range(17, 23):
        talk.event(number, f"EVENT {number}")
    talk.ack(22)
    talk.wait(300)
    talk.beat()
    talk.wait(200)
    talk.status(BETS_OPEN, "STATUS, every second")


def _gap(talk: Talk) -> None:
    talk.started()
    talk.wait(400)
    talk.hands("confirm", "CONFIRM is pressed 298 times: events 3 to 300, more than the 256 that are stored", 298)
    for _ in range(298):
        talk.happened("Confirmed")
    talk.wait(100, "the host program starts")
    talk.open(BETS_OPEN)
    talk.read(OLD, 1, BETS_OPEN)
    talk.frame("device", "Gap", [OLD, 1, 45, 300], "GAP: events 1 to 44 are lost; the oldest stored is 45")
    for first in range(45, 301, 16):
        for number in range(first, first + 16):
            talk.event(number, f"EVENT {number}")
        talk.ack(first + 15)
    talk.wait(300)
    talk.beat()
    talk.wait(200)
    talk.status(BETS_OPEN, "STATUS, every second")


def _power_cut(talk: Talk) -> None:
    talk.up()
    talk.wait(300)
    talk.beat()
    talk.wait(200)
    talk.status(BETS_OPEN, "STATUS, every second")
    talk.wait(100)
    talk.hands("start-game", "START GAME is pressed")
    talk.happened("GameStarted", 1)
    talk.happened("StateChanged", GAME, BETS_OPEN)
    talk.event(3, "EVENT 3: *GameStarted*; the line loses it, and the next frames", lost=True)
    talk.event(4, "EVENT 4: *StateChanged*", lost=True)
    talk.status(GAME, "STATUS", round_=1, lost=True)
    talk.wait(50)
    old = talk.events
    talk.power(NEW, "the power fails and returns: another session id", mid_round=1)
    talk.status(BOOT, "STATUS of a session that is new to the host", round_=1)
    talk.open(BOOT, "OPEN-SESSION of the new session")
    talk.read(OLD, 3, BOOT)
    talk.frame("device", "Gap", [OLD, 3, 3, 4], "GAP: nothing of the old session is missing; its last event is 4")
    for number in (3, 4):
        message, values, _ = old[number - 1]
        named = bytes((1, 4)) + OLD.to_bytes(4, "little")
        talk.frame("device", message, values, f"EVENT {number}, and extension 01h names the old session", tail=named)
    talk.read(NEW, 1, BOOT)
    talk.event(1, "EVENT 1: *Booted* names the old session and reports a round in progress")
    talk.ack(1, "ACK of the new session only")
    talk.wait(650)
    talk.beat()
    talk.wait(350, "the device has booted")
    talk.happened("StateChanged", GAME, BOOT)
    talk.event(2, "EVENT 2: *StateChanged*: the game is still in progress")
    talk.status(GAME, "STATUS, because the state changed", round_=1)
    talk.ack(2)


def _host_silent(talk: Talk) -> None:
    talk.up()
    for after_ms in (300, 800, 800):
        talk.wait(after_ms)
        talk.beat(lost=True)
        talk.wait(200)
        talk.status(BETS_OPEN, "STATUS, every second")
    talk.wait(500, "3 s have passed since the device last received the host")
    talk.happened("FaultRaised", HOST_LOST, 0, 0)
    talk.happened("StateChanged", SAFE, BETS_OPEN)
    talk.event(3, "EVENT 3: *FaultRaised* 601, the host is lost")
    talk.event(4, "EVENT 4: *StateChanged*: SAFE")
    talk.status(SAFE, "STATUS: SAFE, with 601 among its faults", faults=[HOST_LOST])
    talk.ack(4, "ACK: the line still loses the host's frames", lost=True)
    talk.wait(250)
    talk.event(3, "EVENT 3 again: resending continues while the host is lost")
    talk.event(4, "EVENT 4 again")
    talk.ack(4, "ACK: the host is back")
    talk.happened("FaultCleared", HOST_LOST)
    talk.happened("StateChanged", BETS_OPEN, SAFE)
    talk.event(5, "EVENT 5: *FaultCleared* 601")
    talk.event(6, "EVENT 6: *StateChanged*: back to the earlier state")
    talk.status(BETS_OPEN, "STATUS, because the state changed")
    talk.ack(6)
    talk.wait(50)
    talk.beat()


def _bad_check(talk: Talk) -> None:
    talk.up()
    talk.wait(300)
    talk.beat()
    talk.wait(200)
    talk.status(BETS_OPEN, "STATUS, every second")
    talk.wait(100)
    talk.host("SetSensorLight", 3, 1, what="SetSensorLight; one bit arrives wrong, and the device drops it", flip=1)
    talk.wait(250)
    talk.host("SetSensorLight", 3, 1, what="the same command under the same request id", again=True)
    talk.reply("SetSensorLight", BETS_OPEN)
    talk.wait(50)
    talk.hands("confirm", "CONFIRM is pressed")
    talk.happened("Confirmed")
    talk.event(3, "EVENT 3: one bit arrives wrong, and the host drops it", flip=1)
    talk.wait(250)
    talk.event(3, "EVENT 3 again, after 250 ms without an ACK")
    talk.ack(3)


def _unanswered(talk: Talk) -> None:
    talk.up()
    talk.wait(300)
    talk.beat()
    talk.wait(200)
    talk.status(BETS_OPEN, "STATUS, every second")
    talk.wait(30)
    talk.host("SetSensorLight", 3, 1, what="SetSensorLight; the line loses it", lost=True)
    for what in ("the same again after 250 ms", "the same for the third time"):
        talk.wait(250)
        talk.host("SetSensorLight", 3, 1, what=what, lost=True, again=True)
    talk.wait(250, "no answer: the result of the command is unknown")
    talk.open(BETS_OPEN, "OPEN-SESSION: the same session is reopened")
    talk.read(OLD, 3, BETS_OPEN)
    talk.wait(20)
    talk.beat()


def _unknown_flag(talk: Talk) -> None:
    talk.up()
    talk.wait(300)
    talk.beat()
    talk.wait(200)
    talk.status(BETS_OPEN, "STATUS, every second")
    talk.wait(100)
    later = "from a program with a later version"
    talk.host("SetSensorLight", 3, 1, what=f"SetSensorLight {later}: a flag that must be understood",
              request=0x7001, flags=0x20, other=True)  # fmt: skip
    talk.frame("device", "Nak", [UNKNOWN_FLAG], "NAK: UNKNOWN_FLAG, with the command's request id and message",
                answers="SetSensorLight", request=0x7001)  # fmt: skip
    talk.host("SetSensorLight", 3, 1, what=f"SetSensorLight {later}: the same id, which the NAK left free",
              request=0x7001, flags=0x01, other=True)  # fmt: skip
    talk.frame("device", "Reply", [DONE, 0, BETS_OPEN], "done: a flag that may be ignored is ignored",
                answers="SetSensorLight", request=0x7001)  # fmt: skip


WRITTEN: Final[tuple[tuple[str, str, str, Callable[[Talk], None]], ...]] = (
    ("handshake", "The host sends HELLO until the device answers, opens its session and reads its events.",
     "table-controller", _handshake),
    ("a lost reply", "The reply to a command is lost. The host repeats the command with the same request id; the "
     "device carries it out once.", "shoe", _lost_reply),
    ("sent again without an ACK", "An ACK is lost, so the device sends its events again.",
     "table-controller", _resend),
    ("window", "16 of 22 events are sent at once; the ACK releases the others.",
     "table-controller", _window),
    ("gap", "The device stores the newest 256 of 300 events, and reports which are lost.",
     "table-controller", _gap),
    ("power cut", "Power fails in a game before the host has all its events. The host reads them under the old "
     "session's id before any event of the new session.", "table-controller", _power_cut),
    ("silent host", "The host's frames are lost for three seconds. The device raises 601 and goes to SAFE until the "
     "host is back.", "table-controller", _host_silent),
    ("bad check", "A bit flips in a command, then in an event: each frame is dropped and sent again.",
     "table-controller", _bad_check),
    ("no answer", "A command gets no answer three times; the host reopens the session and checks.",
     "table-controller", _unanswered),
    ("unknown flag", "A flag that must be understood, then one that may be ignored.",
     "table-controller", _unknown_flag),
)  # fmt: skip


def conversations() -> list[dict[str, Any]]:
    """Return each conversation as its steps in the order of time; see protocol-data.md."""
    found = []
    for name, about, device, write in WRITTEN:
        talk = Talk(name, about, device)
        write(talk)
        found.append(talk.document())
    return found
