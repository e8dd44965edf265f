"""Ends of two minor versions on one line; the additions of 1.3, chips of players who bet against each other; those of
1.4, messages of the sealed line."""

import struct
from typing import Any

import pytest

from protocol.tdp import Delivered, DeviceLink, HostLink, Output, Send, UnknownEvent, Up, codec, host_link, vetting
from protocol.tdp import messages as m
from protocol.tdp.bounds import bounds_of
from protocol.tdp.codec import decode, encode
from protocol.tdp.framing import Frame, Framer
from protocol.tdp.reception import Reception
from protocol.tdp.since import message_since
from tests.support.oracles.vectors_by_hand import EVENT, head, wire
from tests.support.reading.vectors import FRAMES, body_of, message_of, name_of
from tests.support.rigs.links import CLEAN, START_NS, Pair, hello_reply, report

SESSION = 0x1001
CHIPS = (0x0353, 0x0354, 0x0355)
VECTORS = [vector for vector in FRAMES if vector["message_id"] in CHIPS]
STAKE = m.StakeShownMessage(1, 10, seat=3, cents=45_000)


@pytest.fixture
def older_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the host's end 1.2, without layouts of 1.3. The device's end, which only writes those, does not change."""
    for module in (host_link, vetting):
        monkeypatch.setattr(module, "MINOR", 2)
    for number in CHIPS:
        monkeypatch.delitem(codec._LAYOUTS, EVENT << 16 | number)
        for decoders in (codec.FAST_DECODERS, Reception._usual):
            monkeypatch.delitem(decoders, number)


def sent(outputs: list[Output]) -> list[m.Message]:
    framer = Framer()
    data = b"".join(out.data for out in outputs if isinstance(out, Send))
    return [decode(piece.body).message for piece in framer.feed(data) if isinstance(piece, Frame)]


def acknowledged(pair: Pair) -> list[m.AckMessage]:
    return [each for each in sent(pair.host_out) if isinstance(each, m.AckMessage)]


def opening(minor: int) -> m.OpenSessionMessage:
    """Return the host's OPEN-SESSION for a device whose newest minor is this."""
    host = HostLink()
    host.start(START_NS)
    device = DeviceLink(hello_reply(SESSION, highest_minor=minor), report=report)
    said = device.start(START_NS) + device.receive(wire(head(7, 1) + bytes((1, 0, 1, 9)) + bytes(16)), START_NS)
    out = host.receive(b"".join(each.data for each in said if isinstance(each, Send)), START_NS)
    (command,) = [each for each in sent(out) if isinstance(each, m.OpenSessionMessage)]
    return command


# ------------------------------------------------------------------ one end is older


@pytest.mark.parametrize(("device", "spoken"), [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 4)])
def test_a_host_speaks_the_newest_that_both_speak(device: int, spoken: int) -> None:
    command = opening(device)
    assert (command.major, command.minor) == (1, spoken)


@pytest.mark.usefixtures("older_host")
def test_a_host_of_1_2_meets_a_device_of_1_3() -> None:
    assert (opening(3).major, opening(3).minor) == (1, 2)


@pytest.mark.usefixtures("older_host")
def test_a_host_of_1_2_keeps_and_acknowledges_what_1_3_brought() -> None:
    pair = Pair(CLEAN)
    pair.power_on(highest_minor=3)
    pair.start_host()
    assert pair.run(1_000, lambda: pair.host.state == "up")
    assert any(isinstance(out, Up) for out in pair.host_out)
    pair.emit(m.GreenButtonMessage)
    pair.emit(m.StakeShownMessage, seat=3, cents=45_000)
    pair.emit(m.GreenButtonMessage)
    pair.run(100)
    found = [out.message for out in pair.host_out if isinstance(out, Delivered)]
    assert [type(message) for message in found] == [m.GreenButtonMessage, UnknownEvent, m.GreenButtonMessage]
    unknown = found[1]
    assert isinstance(unknown, UnknownEvent)
    assert (unknown.number, unknown.message_id, unknown.payload) == (2, 0x0353, struct.pack("<BI", 3, 45_000))
    assert pair.numbers() == [1, 2, 3]
    assert [each.up_to for each in acknowledged(pair)][-1] == 3


# ------------------------------------------------------------------ the new events


def test_1_3_brought_three_events() -> None:
    assert {vector["message"] for vector in VECTORS} == {"StakeShown", "PlayerActed", "PotTaken"}
    assert {message_since(type(message_of(vector))) for vector in VECTORS} == {"1.3"}
    assert len(VECTORS) == 9


@pytest.mark.parametrize("vector", VECTORS, ids=name_of)
def test_each_vector_is_read_and_written(vector: dict[str, object]) -> None:
    envelope = decode(body_of(vector))
    assert envelope.message == message_of(vector)
    written = encode(
        envelope.message, link_sequence=envelope.link_sequence, request=envelope.request, flags=envelope.flags
    )
    assert written == body_of(vector)


@pytest.mark.parametrize("size", [1, 7, 1 << 16])
def test_they_are_the_same_however_the_line_cuts_them(size: int) -> None:
    data = b"".join(bytes.fromhex(vector["wire"]) for vector in VECTORS)
    framer = Framer()
    pieces = [piece for at in range(0, len(data), size) for piece in framer.feed(data[at : at + size])]
    assert all(isinstance(piece, Frame) for piece in pieces)
    assert [decode(piece.body).message for piece in pieces if isinstance(piece, Frame)] == [
        message_of(vector) for vector in VECTORS
    ]


@pytest.mark.parametrize(("action", "manner"), [(0, 0), (8, 4), (99, 200), (255, 255)])
def test_a_number_that_names_nothing_is_a_value(action: int, manner: int) -> None:
    message = m.PlayerActedMessage(1, 10, seat=3, action=action, manner=manner, cents=900)
    assert decode(encode(message)).message == message


def test_a_host_is_told_of_an_action_it_does_not_know() -> None:
    pair = Pair(CLEAN).start()
    assert pair.run(1_000, lambda: pair.host.state == "up")
    pair.emit(m.PlayerActedMessage, seat=3, action=99, manner=9, cents=900)
    pair.run(50)
    (found,) = [out.message for out in pair.host_out if isinstance(out, Delivered)]
    assert isinstance(found, m.PlayerActedMessage)
    assert (found.action, found.manner, found.cents) == (99, 9, 900)


@pytest.mark.parametrize("message", [m.StakeShownMessage, m.PlayerActedMessage, m.PotTakenMessage])
def test_seats_that_a_sender_writes_are_1_to_32_and_a_receiver_reads_any(message: type) -> None:
    assert bounds_of(message, "seat", 0xFF) == (1, 32)
    others = dict.fromkeys(set(message.__struct_fields__) - {"number", "device_ms", "seat"}, 1)
    for seat in (0, 33, 255):
        body = encode(message(number=1, device_ms=10, seat=seat, **others))
        read: Any = decode(body).message
        assert type(read) is message
        assert read.seat == seat


def test_a_pot_counts_from_1() -> None:
    assert bounds_of(m.PotTakenMessage, "pot", 0xFF) == (1, 32)


@pytest.mark.parametrize("cents", [0, 0xFFFF_FFFF])
def test_cents_are_32_bits(cents: int) -> None:
    body = encode(m.StakeShownMessage(1, 10, 3, cents))
    assert body[-4:] == struct.pack("<I", cents)
    assert decode(body).message == m.StakeShownMessage(1, 10, 3, cents)


# ------------------------------------------------------------------ 1.4: messages of the sealed line

SEALING = {"PairCall": 48, "PairAnswer": 96, "PairProof": 81, "SealCall": 56, "SealAnswer": 48}
"""Messages of 1.4 and the bytes of their payloads, as the handshakes of the Noise framework give them."""
OF_1_4 = [vector for vector in FRAMES if vector["message"] in SEALING]


def test_1_4_brought_five_messages_of_fixed_length() -> None:
    assert {vector["message"] for vector in OF_1_4} == set(SEALING)
    assert {message_since(type(message_of(vector))) for vector in OF_1_4} == {"1.4"}
    for vector in OF_1_4:
        assert len(bytes.fromhex(vector["payload"])) == SEALING[vector["message"]]


@pytest.mark.parametrize("vector", OF_1_4, ids=name_of)
def test_a_plain_device_knows_no_message_of_the_sealed_line(vector: dict[str, object]) -> None:
    device = DeviceLink(hello_reply(SESSION), report=report)
    device.start(START_NS)
    answers = sent(device.receive(bytes.fromhex(str(vector["wire"])), START_NS))
    from_host = vector["message"] in ("PairCall", "PairProof", "SealCall")
    assert answers == ([m.NakMessage(m.Reason.UNKNOWN_COMMAND)] if from_host else [])


def test_what_is_sealed_is_no_sign_of_life_to_a_plain_host() -> None:
    host = HostLink(listen=True)
    host.start(START_NS)
    for flags in (0x80, 0x40, 0xC0):
        host.receive(wire(head(EVENT, 0x0140, 7, flags=flags) + bytes(24)), START_NS)
    assert not host.alive
    assert (host.stats.unusable, host.stats.frames, host.stats.missed_frames) == (3, 0, 0)
