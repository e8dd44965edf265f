"""Random scripts: hosts that are right, wrong, late and silent, and hands that act at random."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from firmware.same.steps import Arrive, Do, PowerCut, Script, Step, Wait
from protocol.tdp import messages as m
from protocol.tdp.codec import encode
from protocol.tdp.framing import encode_frame
from protocol.tdp.messages import Message, Role

STEPS: Final = 14
"""Approximate number of steps in a script after its start."""
REQUESTS: Final = 40
"""Number of request ids: few, so that they are reused."""
WAITS: Final = ((0, 40), (0, 40), (40, 300), (300, 1300), (1000, 3500))

ACTS: Final[dict[str, tuple[str, ...]]] = {
    "table-controller": (
        "start-game", "start-game", "end-game", "hand-button {n}", "hand-button 7", "bet-on {seat}", "bet-off {seat}",
        "badge 1", "badge 2", "burn", "misdeal", "table-setup 1", "table-setup 0", "spot {seat}", "confirm",
        "wager {seat} 1 {n}", "decide {seat} 1", "count 64 {n}", "number {seat}", "mishandled 64 1 96",
        "stake {seat} {n}", "acted {seat} 2 0 {n}", "acted {seat} {few} 3 {n}", "take-pot {few} {seat} {n}",
    ),
    "shoe": (
        "fill 1 0", "fill 1 {n}", "fill 2 20", "begin 0", "begin {few}", "burn {few}", "draw", "draw", "draw", "draw",
        "draw", "draw-unread", "push-back", "pull-back", "end-round", "end-round", "lock-key 1", "lock-key 0",
        "clear-error", "slow-draw", "wrong-button", "empty", "shoe-setup 1", "shoe-setup 0", "limit {few}",
    ),
    "shuffler": (
        "load 0 0", "load 0 0", "load 1 0", "load 0 1", "green", "green", "green", "lift", "lift", "lift", "grab",
        "open-door", "close-door", "close-door", "open-setup", "close-setup", "clear-resume", "clear-remove",
        "block-sensor", "free-sensor", "choose-game {few} 0", "choose-game {n} {few}",
    ),
}  # fmt: skip
MISHAPS: Final = (
    "packet-count 0 -1 1", "packet-count 0 1 1", "packet-count 0 -1 0", "jam 0 2", "jam 0 4", "lost-card 0",
    "rejected-card 0 1", "remainder-short 2",
)  # fmt: skip
BEGINS: Final[dict[str, tuple[tuple[str | int, ...], ...]]] = {
    "table-controller": ((1100,), (1100, "start-game"), (200,)),
    "shoe": ((1600, "fill 1 20", "begin 1", "draw", "draw"), (1600, "fill 2 0", "begin 0"), (1600,), (300,)),
    "shuffler": (
        ("speed 7", 3600, "load 0 0", 5100, "green", 90, "lift", 90),
        ("speed 7", 3600, "load 0 0", 5100, "green", 90),
        ("speed 7", 3600, "load 0 0", 5100),
        ("speed 7", 3600, "load 0 0", "load 0 0", 5100, "green", 90, "lift", 90, "green", 200),
        ("speed 7", 3600, "load 0 0"),
        ("speed 7", 3600),
        ("speed 7", 700),
    ),
}
"""Start of a script before the host comes: milliseconds, and acts of the hands."""


def random_script(device: str, seed: int) -> Script:
    """Return the script with this number, always the same."""
    return ScriptWriter(device, Random(f"{device} {seed}")).script()


class ScriptWriter:
    """Writes one script at random."""

    def __init__(self, device: str, rng: Random) -> None:
        self._device, self._rng = device, rng
        self._first = self._session = rng.randrange(1, 1 << 32)
        self._before = 0
        self._steps: list[Step] = []
        self._sequence = self._request = 0
        self._last: tuple[Message, int] | None = None
        self._armed = False

    def script(self) -> Script:
        """Return the finished script."""
        rng = self._rng
        for each in rng.choice(BEGINS[self._device]):
            self._steps.append(Do(each) if isinstance(each, str) else Wait(each + rng.randrange(30)))
        if rng.random() < 0.9:
            self._greet()
        for _ in range(rng.randrange(3, 2 * STEPS)):
            rng.choices(self._KINDS, self._WEIGHTS)[0](self)
        return Script(self._device, self._first, tuple(self._steps))

    # ------------------------------------------------------------------ steps

    def _greet(self) -> None:
        self._say(m.HelloMessage(1, 0, 1, self._rng.choice((2, 3)), "script"))
        self._say(
            m.OpenSessionMessage(self._session, 1, 3, self._rng.choice((Role.SERVICE, Role.SERVICE, Role.OPERATE)))
        )
        if self._rng.random() < 0.7:
            self._say(m.ReadEventsMessage(self._session, 1))

    def _pass_time(self) -> None:
        self._steps.append(Wait(1 + self._rng.randrange(*self._rng.choice(WAITS))))

    def _hands(self) -> None:
        rng = self._rng
        act = rng.choice(ACTS[self._device])
        if self._device == "shuffler" and not self._armed and rng.random() < 0.15:
            act, self._armed = rng.choice(MISHAPS), True
        self._steps.append(Do(act.format(n=rng.randrange(1, 60), seat=rng.randrange(1, 9), few=rng.randrange(1, 5))))

    def _command(self) -> None:
        rng = self._rng
        if self._last is not None and rng.random() < 0.12:
            self._say(self._last[0], request=self._last[1])
            return
        request = None if rng.random() < 0.9 else rng.choice((0, self._request, rng.randrange(REQUESTS)))
        self._say(self._some_command(), request=request)

    def _some_command(self) -> Message:
        rng, session = self._rng, self._some_session()
        role = Role(rng.randrange(3))
        choices: Sequence[Callable[[], Message]] = (
            lambda: m.ReportStatusMessage(),
            lambda: m.OpenSessionMessage(session, rng.choice((1, 1, 1, 2)), rng.randrange(4), role),
            lambda: m.ReadEventsMessage(session, rng.choice((0, 1, 2, rng.randrange(40), 1 << 31))),
            lambda: m.SelfTestMessage(),
            lambda: m.ReadMetersMessage(rng.choice((0, 0, 1, 2, 5, 30))),
            lambda: m.VerifyMessage(rng.randbytes(16), rng.choice((0, 0, 1))),
            *(_OF_CLASS[self._device if rng.random() < 0.9 else rng.choice(tuple(_OF_CLASS))](rng)),
        )
        return rng.choice(choices)()

    def _acknowledge(self) -> None:
        up_to = self._rng.choice((0, 1, 2, 3, 5, 8, 13, 21, 1 << 31))
        self._say(m.AckMessage(self._some_session(), up_to))

    def _greeting(self) -> None:
        self._say(self._rng.choice((m.HelloMessage(1, 0, 1, 2, "again"), m.HeartbeatMessage(self._some_session()))))

    def _spoil(self) -> None:
        """Send an invalid frame: bits flipped, bytes missing, or an unknown flag, version, kind or message."""
        rng = self._rng
        command = encode(self._some_command(), link_sequence=self._sequence, request=1 + rng.randrange(REQUESTS))
        body = bytearray(self._on_line(command))
        way = rng.randrange(6)
        if way == 0:
            at = rng.randrange(8)
            body[at] = rng.randrange(256)
        elif way == 1:
            del body[8 + rng.randrange(max(1, len(body) - 8)) :]
        elif way == 2:
            body += bytes(rng.randrange(256) for _ in range(rng.randrange(1, 6)))
        elif way == 3:
            body[rng.randrange(len(body))] ^= 1 << rng.randrange(8)
        frame = bytearray(encode_frame(bytes(body), after_silence=rng.random() < 0.5))
        if way == 4:
            frame[rng.randrange(len(frame))] ^= 1 << rng.randrange(8)
        if way == 5:
            del frame[rng.randrange(len(frame)) :]
        self._steps.append(Arrive(bytes(frame), "spoilt"))

    def _noise(self) -> None:
        count = self._rng.choice((1, 3, 20, 300))
        self._steps.append(Arrive(self._rng.randbytes(count).replace(b"\0", b"\1"), "noise"))

    def _cut_power(self) -> None:
        self._before, self._session = self._session, self._rng.randrange(1, 1 << 32)
        self._steps.append(PowerCut(self._session))
        self._last = None
        if self._rng.random() < 0.7:
            self._steps.append(Wait(self._rng.choice((100, 1100, 1700))))
            self._come_back()
        if self._rng.random() < 0.5:
            self._say(m.ReadEventsMessage(self._before, self._rng.choice((0, 1, 3, 1000))))

    def _come_back(self) -> None:
        self._greet()

    _KINDS: Final = (_pass_time, _hands, _command, _acknowledge, _greeting, _spoil, _noise, _cut_power)
    _WEIGHTS: Final = (22, 30, 24, 9, 4, 7, 1, 3)

    # ------------------------------------------------------------------ frames

    def _some_session(self) -> int:
        return self._rng.choices((self._session, self._before, self._rng.randrange(1 << 32)), (90, 7, 3))[0]

    def _say(self, message: Message, request: int | None = None) -> None:
        command = message.__class__.__name__
        if request is None:
            self._request = self._request % REQUESTS + 1
            request = self._request
        if not isinstance(message, m.HelloMessage | m.HeartbeatMessage | m.AckMessage):
            self._last = message, request
        else:
            request = 0
        body = self._on_line(encode(message, link_sequence=self._sequence, request=request))
        self._sequence = self._sequence + 1 & 0xFF
        self._put(body, f"{command} {request} {message}")

    def _on_line(self, body: bytes) -> bytes:
        """Return header and payload as they are on the line."""
        return body

    def _put(self, body: bytes, what: str) -> None:
        frame = encode_frame(body, after_silence=self._rng.random() < 0.7)
        if self._rng.random() < 0.04:
            cut = self._rng.randrange(len(frame))
            self._steps += (Arrive(frame[:cut], f"part of {what}"), Wait(self._rng.choice((5, 49, 50, 51))))
            frame = frame[cut:]
        self._steps.append(Arrive(frame, what))


def _of_controller(rng: Random) -> Sequence[Callable[[], Message]]:
    return (
        lambda: m.SetSensorLightMessage(rng.choice((0, 1, 8, 32, 33)), rng.randrange(2)),
        lambda: m.ShowMeterMessage(rng.randrange(3), rng.randrange(1 << 40)),
        lambda: m.ShowTextMessage("text"),
    )


def _of_shoe(rng: Random) -> Sequence[Callable[[], Message]]:
    return (
        lambda: m.LockShoeMessage(rng.randrange(2)),
        lambda: m.ClearShoeErrorMessage(rng.choice((0, 401, 402, 403, 404, 408)), 7002),
        lambda: m.EndRoundMessage(),
        lambda: m.EndRoundMessage(),
    )


def _of_shuffler(rng: Random) -> Sequence[Callable[[], Message]]:
    jokers = rng.choice((0, 0, 0, 1, 2, 5))
    return (
        lambda: m.SelectGameMessage(rng.choice((0, 5, 5, 7, 14)), 52 + rng.choice((jokers, jokers, 0)), jokers, "fgw"),
        lambda: m.DispenseMessage(),
        lambda: m.DispenseMessage(),
        lambda: m.DumpMessage(),
        lambda: m.RaiseLampMessage(rng.choice((0, 505, 505, 203, 599))),
        lambda: m.ClearMisdealMessage(7002, rng.randrange(4)),
        lambda: m.ClearMisdealMessage(7002, 2),
        lambda: m.SetLockMessage(rng.randrange(3)),
    )


_OF_CLASS: Final[dict[str, Callable[[Random], Sequence[Callable[[], Message]]]]] = {
    "table-controller": _of_controller,
    "shoe": _of_shoe,
    "shuffler": _of_shuffler,
}
