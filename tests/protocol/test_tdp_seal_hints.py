"""Hints that anyone can send in clear on a sealed line, while it connects and while keys are renewed: each costs no
more than the frame in whose place it stands. A closed device answers, but not often."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from devices.transport.ciphers import Ciphers
from protocol.tdp import Down
from protocol.tdp import messages as m
from protocol.tdp.codec import encode
from protocol.tdp.framing import encode_frame
from protocol.tdp.messages import Capability, Kind
from protocol.tdp.seal import host_end as he
from protocol.tdp.seal.calls import Call, Calls
from protocol.tdp.seal.line_end import SealTiming
from protocol.tdp.seal.noise import Handshake, NoisePattern
from tests.support.rigs.links import CLEAN, MS, Faults, hello_reply
from tests.support.rigs.sealed_links import DEVICE_KEY, HOST_KEY, SUITE, SealedPair, bodies

HELLO, HELLO_REPLY, SEAL_CALL, SEAL_ANSWER = 0x01, 0x02, 0x0B, 0x0C
SEALED = 0x80
DEVICE = hello_reply(0x1001, capabilities=Capability.TWO_DECKS | Capability.SEALING, highest_minor=4)
CHANCE = Random(7)


def nak(reason: int, message_id: int = SEAL_CALL) -> bytes:
    """Return a NAK as docs/protocol-reference.md lays it out: header, then the reason."""
    return bytes((1, 0, Kind.NAK, 0, 0, 0, message_id, 0)) + reason.to_bytes(2, "little")


def another_hello() -> bytes:
    """Return a HELLO-REPLY of this device in another session, as no one can tell from its own: each time another."""
    return encode(replace(DEVICE, session=CHANCE.randrange(1, 1 << 32)))


HINTS = {
    "not-permitted": lambda: nak(5),
    "bad-payload": lambda: nak(11),
    "busy": lambda: nak(4),
    "not-sealed": lambda: nak(12, 0x20),
    "no-seal-offered": lambda: encode(replace(DEVICE, capabilities=0)),
    "not-a-hello": lambda: encode(DEVICE)[:30],
    "another-name": lambda: encode(replace(DEVICE, serial="SOMEONE")),
    "another-session": another_hello,
    "answer": lambda: bytes((1, 0, Kind.LINK, 0, 0, 0, SEAL_ANSWER, 0)) + CHANCE.randbytes(48),
    "answer-of-zeros": lambda: bytes((1, 0, Kind.LINK, 0, 0, 0, SEAL_ANSWER, 0)) + bytes(48),
}


class Attacked(SealedPair):
    """Before every chunk that the host hears, and at each moment at which anything happens, someone says `hint`."""

    hint = ""

    def find(self, hello: m.HelloReplyMessage) -> bytes:
        if hello.serial != DEVICE.serial:
            raise KeyError(f"{hello.serial} is not paired with this host")
        return self.pinned

    def _host_hears(self, data: bytes) -> None:
        if self.hint and data:
            super()._host_hears(encode_frame(HINTS[self.hint](), after_silence=True))
        super()._host_hears(data)


def attacked(hint: str, faults: Faults = CLEAN, seed: int = 0, **more: object) -> Attacked:
    pair = Attacked(faults, seed, **more)  # type: ignore[arg-type]
    pair.hint = hint
    return pair


def shouted(pair: Attacked, ms: int, each_ms: int = 20) -> bool:
    """Let the hint arrive every `each_ms` besides. Return True if the line was up meanwhile, and never given up."""
    up = False
    for _ in range(ms // each_ms):
        pair.to_the_host(encode_frame(HINTS[pair.hint](), after_silence=True))
        pair.run(each_ms)
        assert pair.host_end.problem == ""
        up |= pair.up
    return up


# ------------------------------------------------------------------ at the host


@pytest.mark.parametrize("hint", HINTS)
def test_a_hint_before_every_frame_does_not_keep_a_line_down_that_connects(hint: str) -> None:
    pair = attacked(hint)
    pair.start()
    assert pair.run(1_000, lambda: pair.up), pair.host_end.problem
    assert pair.host_end.stats.handshakes == 1


@pytest.mark.parametrize("hint", HINTS)
@pytest.mark.parametrize("loss", [0.0, pytest.param(0.2, marks=pytest.mark.more)])
def test_hints_all_the_time_do_not_keep_a_line_down_that_connects(hint: str, loss: float) -> None:
    pair = attacked(hint, Faults(lose_chunk=loss), 5)
    pair.start()
    assert shouted(pair, 3_000 if not loss else 10_000)


@pytest.mark.parametrize("hint", ["not-permitted", "bad-payload", "another-name", "answer"])
def test_hints_do_not_keep_a_line_down_whose_device_is_slow(hint: str) -> None:
    """A small processor needs a second for its answer, while the host repeats its call and hears everything else."""

    class Slow(Attacked):
        late: tuple[int, bytes] | None = None

        def _host_hears(self, data: bytes) -> None:
            if [body for body in bodies(data) if (body[2], body[6]) == (Kind.LINK, SEAL_ANSWER)]:
                self.late = self.late or (self.now_ns + 1_200 * MS, data)
                return
            super()._host_hears(data)
            if self.late is not None and self.now_ns >= self.late[0]:
                (_, answer), self.late = self.late, None
                super()._host_hears(answer)

        def to_the_host(self, data: bytes) -> None:
            super()._host_hears(data)  # what others say is not late

    pair = Slow()
    pair.hint = hint
    pair.start()
    assert shouted(pair, 2_900)


@pytest.mark.parametrize("hint", HINTS)
def test_hints_all_the_time_leave_a_line_sealed_whose_keys_are_renewed(hint: str) -> None:
    pair = attacked("", seal_timing=SealTiming(rekey_ns=4_000 * MS))
    pair.start()
    assert pair.run(2_000, lambda: pair.up)
    pair.hint = hint
    for _ in range(30):
        pair.emit(m.GreenButtonMessage)
        assert shouted(pair, 600, 60)
    assert pair.run(5_000, pair.whole)
    assert pair.host_end.stats.handshakes >= 4
    assert not pair.of(Down)


@pytest.mark.parametrize("hint", ["not-permitted", "no-seal-offered", "another-name", "another-session"])
def test_what_is_said_in_a_quiet_second_of_a_sealed_line_ends_nothing(hint: str) -> None:
    """First a NAK, which makes the host say HELLO again, then the answer to that before the device's own."""
    pair = attacked("")
    pair.start()
    assert pair.run(2_000, lambda: pair.up)
    pair.hint = hint
    for _ in range(10):
        pair.run(400)
        pair.to_the_host(encode_frame(nak(12, 0x20), after_silence=True))
    pair.hint = ""
    pair.emit(m.GreenButtonMessage)
    assert pair.run(2_000, pair.whole)
    assert pair.host_end.problem == ""
    assert not pair.of(Down)


@pytest.mark.parametrize("message", [HELLO_REPLY, SEAL_ANSWER])
@pytest.mark.parametrize("hint", HINTS)
def test_a_hint_in_the_place_of_a_frame_costs_that_frame_and_no_more(hint: str, message: int) -> None:
    class Replaced(Attacked):
        replaced = 0

        def _host_hears(self, data: bytes) -> None:
            if not self.replaced and [body for body in bodies(data) if body[6] == message and body[2] == Kind.LINK]:
                self.replaced, data = 1, encode_frame(HINTS[hint](), after_silence=True)
            super()._host_hears(data)

    pair = Replaced()
    pair.start()
    assert pair.run(900, lambda: pair.up), pair.host_end.problem
    assert pair.replaced


@pytest.mark.parametrize(
    ("hint", "sentence"),
    [
        ("not-permitted", he.UNKNOWN_HOST),
        ("bad-payload", he.CALL_REFUSED),
        ("answer", he.NOT_THE_KEY),
        ("no-seal-offered", he.NO_SEAL),
        ("another-name", "SOMEONE is not paired with this host"),
    ],
)
def test_hints_and_nothing_else_for_three_seconds_are_the_sentence(hint: str, sentence: str) -> None:
    pair = attacked(hint)
    pair.start()
    pair.to_host.open = False
    for at_ms in range(0, 3_000, 100):
        assert pair.host_end.problem == "", at_ms
        if hint == "answer":  # to a call, which needs a device
            pair.to_the_host(encode_frame(encode(DEVICE), after_silence=True))
        pair.to_the_host(encode_frame(HINTS[hint](), after_silence=True))
        pair.run(100)
    pair.to_the_host(encode_frame(encode(DEVICE), after_silence=True))
    pair.to_the_host(encode_frame(HINTS[hint](), after_silence=True))
    assert pair.host_end.problem == sentence
    assert "pair them" not in sentence


def test_one_hint_and_then_nothing_is_no_reason() -> None:
    pair = attacked("not-permitted")
    pair.start()
    pair.to_host.open = False
    for _ in range(5):
        pair.to_the_host(encode_frame(HINTS["not-permitted"]()))
        pair.run(2_000)
    assert pair.host_end.problem == ""


def test_the_keys_of_a_device_are_renewed_after_a_forged_hello_reply() -> None:
    """A trap: the greeting of the next renewal would be that of the last HELLO-REPLY, whoever sent it."""
    pair = attacked("", seal_timing=SealTiming(rekey_ns=6_000 * MS))
    pair.start()
    assert pair.run(2_000, lambda: pair.up)
    pair.run(400)
    pair.to_the_host(encode_frame(nak(12, 0x20)))
    pair.to_the_host(encode_frame(another_hello(), after_silence=True))
    pair.run(16_000)
    assert pair.host_end.stats.handshakes >= 3
    assert not pair.of(Down)


# ------------------------------------------------------------------ calls that take turns


def a_call(greeting: bytes) -> Call:
    remote = SUITE.public(DEVICE_KEY)
    shake = Handshake(SUITE, NoisePattern.SEAL, initiator=True, own=HOST_KEY, prologue=greeting, remote=remote)
    return Call(greeting, shake, shake.write())


def turns(calls: Calls, count: int) -> bytes:
    return b"".join(call.greeting for _ in range(count) if (call := calls.next(2)) is not None)


def test_calls_take_turns_and_those_sent_last_are_kept() -> None:
    calls = Calls()
    for letter in b"abcde":
        calls.add(a_call(bytes([letter])))
    assert b"e" not in calls  # four wait, no more
    assert turns(calls, 6) == b"abcdab"
    for letter in b"efghijkl":
        calls.add(a_call(bytes([letter])))
        assert turns(calls, 1) == bytes([letter])
    assert [letter for letter in b"abcdefghijkl" if bytes([letter]) in calls] == [*b"efghijkl"]
    assert turns(calls, 20) == b"efghijkl"


def test_a_call_that_was_just_sent_is_not_pushed_out_by_those_that_wait() -> None:
    calls = Calls()
    calls.add(a_call(b"true"))
    assert turns(calls, 1) == b"true"
    for number in range(50):
        calls.add(a_call(b"false %d" % number))
    assert b"true" in calls


class CountingSuite(Ciphers):
    """Counts the fresh keys, of which each call has one."""

    made = 0

    def generate(self) -> bytes:
        self.made += 1
        return super().generate()


def test_a_call_for_which_there_is_no_room_is_not_computed() -> None:
    suite = CountingSuite()
    end = he.HostEnd(suite, HOST_KEY, lambda _: suite.public(DEVICE_KEY))
    for _ in range(200):
        end.receive(encode_frame(another_hello(), after_silence=True), MS)
    assert suite.made == 5, "one is sent, four wait"


# ------------------------------------------------------------------ at the device


def answers(pair: SealedPair, message: int, since: int) -> int:
    found = [body for to, data in pair.tapped[since:] if to == "host" for body in bodies(data)]
    return len([body for body in found if not body[1] & SEALED and body[6] == message])


@pytest.mark.parametrize(("message", "answer"), [(HELLO, HELLO_REPLY), (SEAL_CALL, SEAL_ANSWER)])
def test_a_flood_in_clear_is_answered_ten_times_a_second_and_costs_no_session(message: int, answer: int) -> None:
    pair = SealedPair()
    pair.start()
    assert pair.run(2_000, lambda: pair.up)
    (frame, *_) = [data for to, data in pair.tapped if to == "device" and bodies(data)[0][6] == message]
    assert not bodies(frame)[0][1] & SEALED
    since = len(pair.tapped)
    for _ in range(5_000):
        pair.to_the_device(frame)
        pair.run(1)
    assert 40 <= answers(pair, answer, since) <= 51
    pair.emit(m.GreenButtonMessage)
    assert pair.run(1_000, pair.whole)
    assert (pair.host_end.stats.unopened, pair.host_end.stats.handshakes) == (0, 1)
    assert not pair.of(Down)


def test_a_host_that_comes_back_amid_a_flood_of_hello_is_let_in() -> None:
    pair = SealedPair()
    pair.start()
    assert pair.run(2_000, lambda: pair.up)
    hello = next(data for to, data in pair.tapped if to == "device" and bodies(data)[0][6] == HELLO)
    pair.start_host()
    for _ in range(700):
        pair.to_the_device(hello)
        pair.run(1)
    assert pair.up
