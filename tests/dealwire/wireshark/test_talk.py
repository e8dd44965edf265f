"""The dissector's analysis of an exchange in real tshark: who answers and how late, what is idle, cut or damaged."""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from cobs import cobs

from dealwire.wireshark.extcap import block, option
from devices.record.capture import CaptureWriter
from protocol.tdp.framing import encode_frame
from tests.support.oracles.tshark import LUA, ROOT, run

pytestmark = pytest.mark.more
SECOND = 1_000_000_000
BEGAN = 1_795_000_000 * SECOND
COMMAND, REPLY, EVENT = 1, 2, 4
REPORT_STATUS, STATE_CHANGED = 0x22, 0x34
FIRST_PASS, TWO_PASSES = (), ("-2", "-R", "frame")


def wire(kind: int, message: int, sequence: int, payload: bytes = b"", request: int = 0) -> bytes:
    """Return a frame as it is on the line."""
    numbers = request.to_bytes(2, "little") + message.to_bytes(2, "little")
    return encode_frame(bytes((1, 0, kind, sequence)) + numbers + payload)


def command(sequence: int, request: int = 900) -> bytes:
    return wire(COMMAND, REPORT_STATUS, sequence, request=request)


def reply(sequence: int, request: int = 900) -> bytes:
    return wire(REPLY, REPORT_STATUS, sequence, bytes((1, 0, 0, 2)), request)


def event(sequence: int, number: int, request: int = 0) -> bytes:
    head = number.to_bytes(4, "little") + (1000 * number).to_bytes(4, "little")
    return wire(EVENT, STATE_CHANGED, sequence, head + bytes((3, 2)), request)


def recorded(path: Path, packets: Iterable[tuple[float, bool, bytes]]) -> Path:
    """A capture of packets: when, in seconds; whether the host sent it; its bytes."""
    with CaptureWriter(path) as writer:
        line = writer.interface("shuffler", device="shuffler", dialect="tdp")
        for seconds, sent, data in packets:
            writer.chunk(line, BEGAN + int(seconds * SECOND), sent, data)
    return path


def column(path: Path, name: str, *words: str) -> list[str]:
    """One field of every packet, empty where it has none."""
    return run("-r", path, "-T", "fields", "-e", name, *words).splitlines()


def numbers(path: Path, wanted: str) -> list[int]:
    return [int(each) for each in run("-r", path, "-Y", wanted, "-T", "fields", "-e", "frame.number").split()]


def test_an_answer_is_timed_once_and_what_a_command_causes_is_not_late(tmp_path: Path) -> None:
    path = recorded(
        tmp_path / "talk.pcapng",
        [
            (0.0, True, command(1)),
            (0.005, True, command(2)),
            (0.05, False, reply(1)),
            (0.055, False, reply(2)),
            (0.3, False, event(3, 1, 900)),
            (2.3, False, event(4, 2, 900)),
            (2.8, True, command(3)),
            (2.81, False, reply(5)),
            (3.0, True, command(4, 901)),
            (3.25, True, command(5, 901)),
            (3.26, False, reply(6, 901)),
        ],
    )
    assert column(path, "tdp.response_time") == [
        *("", "", "0.050000000", "", "", "", "", "0.010000000"),
        *("", "", "0.260000000"),
    ]
    assert numbers(path, "tdp.response_time > 0.1") == [11], "late for the first time that it was sent"
    assert numbers(path, "tdp.response_time.retry") == [3, 11]
    assert column(path, "tdp.response_time.retry")[10] == "0.010000000"
    assert column(path, "tdp.request_in")[2:8:5] == ["1", "7"], "the packet that the time counts from"
    assert column(path, "tdp.since_command")[4:6] == ["0.300000000", "2.300000000"]
    assert column(path, "tdp.response_in", *TWO_PASSES)[:10] == ["3", "3", "", "", "", "", "8", "", "11", "11"]


def test_idle_zeros_are_idle_and_what_is_given_up_does_not_go_on(tmp_path: Path) -> None:
    frame = event(1, 1)
    path = recorded(
        tmp_path / "idle.pcapng",
        [
            (0.0, False, bytes(40)),
            (1.0, False, b"\0"),
            (2.0, False, frame[:10]),
            (2.06, False, event(2, 2)),
            (3.0, False, frame[:10]),
            (3.02, False, frame[10:]),
        ],
    )
    info = column(path, "_ws.col.Info", *TWO_PASSES)
    assert info[:2] == ["idle", "idle"]
    assert info[2] == "10 bytes of a frame that never ended"
    assert info[4] == "10 bytes of a frame that is not whole yet"
    assert column(path, "tdp.continued_in", *TWO_PASSES) == ["", "", "", "", "6", ""]
    assert column(path, "tdp.given_up_in", *TWO_PASSES) == ["", "", "4", "", "", ""]
    assert numbers(path, "tdp.noise") == [4], "idle bytes are no noise"


def test_a_link_sequence_again_is_a_duplicate_and_no_new_count(tmp_path: Path) -> None:
    path = recorded(tmp_path / "twice.pcapng", [(0.0, False, event(3, 1)), (0.1, False, event(3, 2))])
    assert numbers(path, "tdp.expert.duplicate") == [2]
    assert numbers(path, "tdp.expert.restart") == []


def test_a_frame_with_a_bad_check_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    good = event(1, 7)
    body = bytearray(cobs.decode(good.strip(b"\0")))
    should = int.from_bytes(body[-4:], "little")
    body[-3] ^= 0x41
    stands = int.from_bytes(body[-4:], "little")
    bad = b"\0" + cobs.encode(bytes(body)) + b"\0"
    path = recorded(tmp_path / "bad.pcapng", [(0.0, False, bad), (1.0, False, event(2, 7))])
    shown = run("-r", path, "-O", "tdp", "-c", "1")
    assert f"Check (CRC-32): 0x{stands:08x} [incorrect, should be 0x{should:08x}]" in shown
    assert "Event number: 7" in shown
    assert "19 bytes of noise" not in column(path, "_ws.col.Info")[0]
    assert "bad check; taken as it is: Event 7" in column(path, "_ws.col.Info")[0]
    assert numbers(path, 'tdp.check.status == "Bad"') == [1]
    assert numbers(path, 'tdp.check.status == "Good"') == [2]
    assert numbers(path, "tdp.expert.check") == [1]
    assert column(path, "tdp.check.calculated") == [str(f"0x{should:08x}"), ""]
    assert numbers(path, "tdp.expert.again") == [], "a damaged frame takes no part in the talk"


def test_a_payload_that_does_not_fit_is_read_as_far_as_it_goes_and_its_command_is_answered(tmp_path: Path) -> None:
    long = wire(COMMAND, REPORT_STATUS, 1, b"\7\7\7\7", 900)
    short = wire(EVENT, STATE_CHANGED, 2, (5).to_bytes(4, "little") + (70).to_bytes(4, "little") + b"\3")
    path = recorded(tmp_path / "fit.pcapng", [(0.0, True, long), (0.01, False, reply(1)), (0.1, False, short)])
    assert numbers(path, "tdp.expert.unread") == [1, 3]
    assert numbers(path, "tdp.expert.unasked") == []
    assert column(path, "tdp.request_in")[1] == "1"
    assert column(path, "tdp.unread") == ["07070707", "", ""]
    assert numbers(path, "tdp.number == 5 && tdp.device_ms == 70 && tdp.state == 3") == [3]
    assert column(path, "_ws.col.Info")[2].startswith("Event 5, State changed that cannot be read: 9 bytes where")


def test_who_sent_and_which_line_are_words_to_filter_by() -> None:
    clean = ROOT / "captures" / "clean-3.pcapng"
    host, device = numbers(clean, 'tdp.sender == "host"'), numbers(clean, 'tdp.sender == "device"')
    assert host
    assert device
    assert not set(host) & set(device)
    assert numbers(clean, 'dealwire.line == "shuffler"') + numbers(clean, 'dealwire.line == "controller"')
    assert numbers(ROOT / "captures" / "race-noise.bee-tek.pcapng", "bee_tek.idle && !bee_tek.noise")


def test_a_second_dissector_beside_the_installed_one_says_nothing(tmp_path: Path) -> None:
    again = tmp_path / "again.lua"
    again.write_bytes(LUA.read_bytes())
    said = run("-X", f"lua_script:{again}", "-r", ROOT / "captures" / "clean-3.pcapng", "-c", "1")
    assert "Hello from dealwire" in said


# ------------------------------------------------------------------ TCP


def segments(path: Path, cut: Iterable[bytes]) -> Path:
    """Bytes from a serial server's port 4001, each piece a segment of IP without a link layer."""
    blocks = block(0x0A0D0D0A, bytes.fromhex("4d3c2b1a01000000") + b"\xff" * 8)
    blocks += block(1, (101).to_bytes(2, "little") + bytes(6) + option(0, b""))
    at = 1000
    for number, data in enumerate(cut):
        ports = (4001).to_bytes(2, "big") + (50000).to_bytes(2, "big")
        tcp = ports + at.to_bytes(4, "big") + bytes(4) + bytes.fromhex("5018200000000000") + data
        head = bytes.fromhex("4500") + (20 + len(tcp)).to_bytes(2, "big") + bytes.fromhex("0001000040060000")
        content = head + bytes((10, 0, 0, 1, 10, 0, 0, 2)) + tcp
        high, low = divmod(BEGAN // 1000 + number * 100_000, 1 << 32)
        sizes = b"".join(each.to_bytes(4, "little") for each in (0, high, low, len(content), len(content)))
        blocks += block(6, sizes + content + bytes(-len(content) % 4))
        at += len(data)
    path.write_bytes(blocks)
    return path


@pytest.mark.parametrize("words", [FIRST_PASS, TWO_PASSES], ids=["one pass", "two"])
def test_of_a_segment_in_which_nothing_ends_tcp_says_what_it_is(words: tuple[str, ...], tmp_path: Path) -> None:
    frame = event(1, 1)
    path = segments(tmp_path / "cut.pcapng", [frame[:5], frame[5:9], frame[9:]])
    info = column(path, "_ws.col.Info", "-o", "tdp.ports:4001", *words)
    assert all("idle" not in each and "TCP segment of a reassembled PDU" in each for each in info[:2])
    assert info[2].startswith("Event 1: State")
    assert column(path, "_ws.col.Protocol", "-o", "tdp.ports:4001", *words) == ["TCP", "TCP", "TDP"]


@pytest.mark.parametrize("words", [FIRST_PASS, TWO_PASSES], ids=["one pass", "two"])
def test_without_desegmentation_frames_are_read_all_the_same(words: tuple[str, ...], tmp_path: Path) -> None:
    whole, cut = event(1, 1), event(2, 2)
    path = segments(tmp_path / "cut.pcapng", [whole, cut[:9], cut[9:], event(3, 3)])
    off = ("-o", "tdp.ports:4001", "-o", "tcp.desegment_tcp_streams:FALSE", *words)
    assert column(path, "tdp.number", *off) == ["1", "", "2", "3"]
    assert column(path, "_ws.col.Info", *off)[1] == "9 bytes of a frame that is not whole yet"


@pytest.mark.parametrize("each", range(5))
def test_a_sealed_stream_that_is_joined_in_the_middle_is_recognised(each: int, tmp_path: Path) -> None:
    body = bytes.fromhex(
        json.loads((ROOT / "docs" / "protocol-seal-vectors.json").read_text())["frames"][each]["sealed"]
    )
    for silence in (False, True):
        path = segments(tmp_path / "joined.pcapng", [encode_frame(body, after_silence=silence)])
        assert column(path, "_ws.col.Protocol") == ["TDP"]
        assert "sealed (no key)" in column(path, "_ws.col.Info")[0]
