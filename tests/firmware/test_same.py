"""The reference device in C and the simulated one in Python send the same bytes for all hosts, hands and times."""

import pytest

from firmware.same.comparing import compared, differs, shortened, told
from firmware.same.in_python import play_in_python
from firmware.same.random_scripts import random_script
from firmware.same.sealed_device import Pool
from firmware.same.sealed_scripts import sealed_script
from firmware.same.steps import Arrive, Do, Look, Script, Wait, devices_of
from protocol.tdp import messages as m
from protocol.tdp.codec import decode, encode
from protocol.tdp.framing import Frame, Framer, encode_frame
from tests.support.rigs.firmware import devices, make

pytestmark = pytest.mark.firmware

SCRIPTS = 700
"""Scripts for each device; `make test-same` runs any number."""
SEALED_SCRIPTS = 150
"""The same over sealed lines. They take longer to write: the simulated device plays them meanwhile."""


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    make("host")


@pytest.mark.parametrize("device", devices())
def test_random_scripts_bring_the_same_bytes(device: str) -> None:
    seed, steps = compared((device, 0, SCRIPTS))
    assert seed is None, told(shortened(device, seed))
    assert steps > 10 * SCRIPTS


@pytest.mark.parametrize("device", devices())
def test_random_scripts_over_sealed_lines_bring_the_same_bytes(device: str) -> None:
    """The same keys and random bytes in: pairing, service, signed measurements, replays, garbage, power cuts."""
    seed, steps = compared((device, 0, SEALED_SCRIPTS), sealed=True)
    assert seed is None, told(shortened(device, seed, sealed=True))
    assert steps > 10 * SEALED_SCRIPTS


def test_the_sealed_scripts_reach_what_they_are_about() -> None:
    """Handshakes of both kinds, refusals for each reason, signatures; events, replies and statuses that are sealed."""
    answers, refusals, sealed, shown = set(), set(), set(), set()
    longest = 0
    for device in devices():
        for seed in range(40):
            script = sealed_script(device, seed)
            for step, said in zip((None, *script.steps), play_in_python(script), strict=True):
                if isinstance(step, Look):
                    shown |= {*said.split(b"|")}
                    continue
                for body in (piece.body for piece in Framer().feed(said) if isinstance(piece, Frame)):
                    if body[1] & m.FrameFlag.SEALED:
                        sealed.add((body[2], body[6]))
                        longest = max(longest, len(body))
                    elif body[2] == m.Kind.NAK:
                        refusals.add(m.Reason(body[8]))
                    elif body[2] == m.Kind.LINK:
                        answers.add(type(decode(body).message))
    assert {m.PairAnswerMessage, m.SealAnswerMessage, m.HelloReplyMessage} <= answers
    assert {m.Reason.NOT_SEALED, m.Reason.NOT_PERMITTED, m.Reason.BAD_PAYLOAD, m.Reason.BUSY} <= refusals
    assert {m.Kind.REPLY, m.Kind.EVENT, m.Kind.LINK} <= {kind for kind, _ in sealed}
    assert (m.Kind.LINK, 7) in sealed  # Measured
    assert longest >= 8 + 188 + 16  # with its signature
    assert {len(each) for each in shown} >= {0, 9, 16}


def test_a_difference_in_one_random_byte_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    script = next(each for each in (sealed_script("shoe", seed) for seed in range(20)) if _pairs(each))
    assert not differs(script)
    draw = Pool.draw
    monkeypatch.setattr(Pool, "draw", lambda self, count: bytes([draw(self, count)[0] ^ 1]) + draw(self, count)[1:])
    assert differs(script)


def _pairs(script: Script) -> bool:
    return any(b"|" in said and len(said) > 2 for said in play_in_python(script))


def test_the_program_has_every_device() -> None:
    assert sorted(devices_of()) == sorted(devices())


def test_the_scripts_reach_what_they_are_about() -> None:
    """Each command is carried out somewhere, not only refused, and each kind of answer occurs."""
    seen = set()
    for device in devices():
        for seed in range(500):
            for said in play_in_python(random_script(device, seed)):
                bodies = [piece.body for piece in Framer().feed(said) if isinstance(piece, Frame)]
                for message in (decode(body).message for body in bodies):
                    seen.add(type(message))
    events = {m.PacketDispensedMessage, m.RemainderDumpedMessage, m.MisdealClearedMessage, m.CardDrawnMessage}
    events |= {m.CardReportedAgainMessage, m.OverdrawMessage, m.GameEndedMessage, m.WagerPlacedMessage}
    assert {
        m.ReplyMessage,
        m.NakMessage,
        m.GapMessage,
        m.HelloReplyMessage,
        m.MetersMessage,
        m.MeasuredMessage,
        *events,
    } <= seen


def test_progress_of_a_jam_comes_in_its_place() -> None:
    """Random scripts reach this too rarely: a command is carried out, and a jam delays it."""

    def said(message: m.Message, request: int) -> Arrive:
        return Arrive(encode_frame(encode(message, request=request), after_silence=True), str(message))

    opened = said(m.OpenSessionMessage(77, 1, 2, m.Role.OPERATE), 1)
    ready = (Do("speed 7"), Wait(3600), Do("load 0 0"), Wait(5200))
    script = Script("shuffler", 77, (*ready, opened, Do("jam 0 2"), said(m.DispenseMessage(), 2), Wait(400)))
    assert not differs(script)
    assert "ProgressMessage(percent=50" in told(script)


def test_a_difference_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another name in HELLO-REPLY is enough."""
    from firmware.same import in_python

    hello = Arrive(encode_frame(encode(m.HelloMessage(1, 0, 1, 4, "test"))), "HELLO")
    script = Script("shoe", 77, (hello,))
    assert not differs(script)
    plain = in_python.Bench.capabilities
    monkeypatch.setattr(in_python.ShoeBench, "capabilities", lambda self, said: plain(self, said) | 1 << 20)
    assert differs(script)
    assert "C       " in told(script)
