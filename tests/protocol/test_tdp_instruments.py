"""Meters and the measurement of the firmware over a link: requests, refusals, losses, repeats, long answers."""

import pytest

from protocol.errors import CannotEncode
from protocol.tdp import Answered, Brought, Send
from protocol.tdp import messages as m
from protocol.tdp.codec import decode, encode
from protocol.tdp.framing import Framer
from protocol.tdp.instruments import MEANINGS, READINGS_MAX, Instruments, MeterReading, measure
from protocol.tdp.messages import Kind, Message, Reason, Role, Status
from tests.support.oracles.vectors_by_hand import head, wire
from tests.support.rigs.links import Pair

IMAGE = b"efghfghighijhijkijkljklmklmnlmnomnopnopq"
NONCE = b"abcdbcdecdefdefg"
DIGEST = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
"""SHA-256 of the two together, as printed in FIPS 180-2 (appendix B.2)."""
MANY = tuple(MeterReading(number % 256, number // 256, number) for number in range(600))
FULL = Instruments(lambda _: MANY, {0: IMAGE}.get)


def up(instruments: Instruments = FULL, role: Role = Role.OBSERVE) -> Pair:
    pair = Pair(instruments=instruments, role=role).start()
    assert pair.run(2000, lambda: pair.host.complete)
    return pair


def ask(pair: Pair, command: Message) -> tuple[m.ReplyMessage, list[Message]]:
    """Return the reply, and the messages that followed it."""
    before = len(pair.of(Brought))
    request = pair.request(command)
    assert pair.run(1000, lambda: request in pair.answers())
    pair.run(300)
    answer = pair.answers()[request]
    assert isinstance(answer, Answered)
    brought = [out for out in pair.of(Brought)[before:] if isinstance(out, Brought)]
    assert all((out.request, out.command) == (request, command) for out in brought)
    assert isinstance(answer.reply, m.ReplyMessage)
    return answer.reply, [out.message for out in brought]


def test_the_digest_is_that_of_the_standard() -> None:
    assert measure(NONCE, IMAGE).hex() == DIGEST
    reply, (said,) = ask(up(), m.VerifyMessage(NONCE, 0))
    assert reply.status == Status.DONE
    assert said == m.MeasuredMessage(0x1001, NONCE, 0, 1, bytes.fromhex(DIGEST))


def test_more_meters_than_a_frame_holds_are_asked_for_on_and_on() -> None:
    pair, found = up(), []
    while len(found) < len(MANY):
        _, (said,) = ask(pair, m.ReadMetersMessage(len(found)))
        assert isinstance(said, m.MetersMessage)
        assert (said.total, said.first) == (len(MANY), len(found))
        assert len(said.meters) == min(READINGS_MAX, len(MANY) - len(found))
        assert len(encode(said)) + 4 <= 256
        found += said.meters
    assert found == [tuple(one) for one in MANY]
    _, (beyond,) = ask(pair, m.ReadMetersMessage(len(MANY)))
    assert beyond == m.MetersMessage(0x1001, len(MANY), len(MANY), ())


def test_one_more_than_a_frame_holds_does_not_fit() -> None:
    assert READINGS_MAX == 36
    with pytest.raises(CannotEncode):
        encode(m.MetersMessage(1, 1, 0, ((255, 255, 1),) * 40))
    assert len(encode(m.MetersMessage(1, 1, 0, ((255, 255, 1),) * 39))) + 4 <= 256


@pytest.mark.parametrize("command", [m.ReadMetersMessage(0), m.VerifyMessage(NONCE, 0)])
def test_a_device_without_them_refuses(command: Message) -> None:
    reply, brought = ask(up(Instruments()), command)
    assert (reply.status, reply.reason, brought) == (Status.REFUSED, Reason.NOT_SUPPORTED, [])


def test_a_region_that_is_not_there_is_a_bad_parameter() -> None:
    reply, brought = ask(up(), m.VerifyMessage(NONCE, 1))
    assert (reply.status, reply.reason, brought) == (Status.REFUSED, Reason.BAD_PARAMETER, [])


def device_says(pair: Pair, request: int, command: Message) -> list[tuple[int, Message]]:
    """Return kind and message of the device's answers to these bytes of a host."""
    assert pair.device is not None
    number = {m.ReadMetersMessage: 0x24, m.VerifyMessage: 0x25}[type(command)]
    out = pair.device.receive(wire(head(Kind.COMMAND, number, 9, request) + encode(command)[8:]), pair.now_ns)
    sent = b"".join(output.data for output in out if isinstance(output, Send))
    pieces = [piece for piece in Framer().feed(sent) if hasattr(piece, "body")]
    found = [decode(piece.body) for piece in pieces]
    return [(one.kind, one.message) for one in found if one.request == request]


def test_a_repeated_command_gets_its_reply_and_nothing_more() -> None:
    pair = up()
    first = device_says(pair, 700, m.VerifyMessage(NONCE, 0))
    assert [kind for kind, _ in first] == [Kind.REPLY, Kind.LINK]
    assert device_says(pair, 700, m.VerifyMessage(NONCE, 0)) == first[:1]
    assert [kind for kind, _ in device_says(pair, 701, m.VerifyMessage(NONCE, 0))] == [Kind.REPLY, Kind.LINK]


def test_nothing_is_told_before_a_session_is_open() -> None:
    pair = Pair(instruments=FULL)
    pair.power_on()
    ((kind, reply),) = device_says(pair, 5, m.ReadMetersMessage(0))
    assert (kind, reply.reason) == (Kind.REPLY, Reason.NO_SESSION)  # type: ignore[attr-defined]


def test_what_nobody_asked_for_is_not_brought() -> None:
    pair = up()
    body = head(Kind.LINK, 0x0007, 0, 999) + encode(m.MeasuredMessage(0x1001, NONCE, 0, 1, bytes(32)))[8:]
    assert not [out for out in pair.host.receive(wire(body), pair.now_ns) if isinstance(out, Brought)]


def test_every_meter_has_its_meaning() -> None:
    assert set(MEANINGS) == set(m.DeviceMeter)
