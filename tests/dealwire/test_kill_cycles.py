"""The harness of the kills: its witness reads the wire as the protocol's page says, and every wrong it looks for is
found when it is done on purpose."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from protocol.tdp.framing import encode_frame
from tests.support.oracles.wire_witness import Frames, Witness
from tests.support.programs import kill_cycles

VECTORS = json.loads((Path(__file__).parents[2] / "docs" / "protocol-vectors.json").read_text())


def test_the_witness_reads_every_example_of_the_protocol() -> None:
    for each in VECTORS["frames"]:
        found = list(Frames().feed(b"\0" + bytes.fromhex(each["wire"])))
        assert found == [(each["kind"], each["message_id"], bytes.fromhex(each["payload"]))], each["name"]
    for stream in VECTORS["streams"]:
        good = [bytes.fromhex(piece["body"]) for piece in stream["pieces"] if piece["reading"] == "frame"]
        frames, data = Frames(), bytes.fromhex(stream["wire"])
        read = [payload for at in range(len(data)) for _, _, payload in frames.feed(data[at : at + 1])]
        assert read == [body[8:] for body in good], stream["name"]


def made(kind: int, message: int, *numbers: int, extension: bytes = b"") -> bytes:
    """A frame on the wire, by the product's own encoder."""
    body = struct.pack("<BBBBHH", 1, 0, kind, 0, 0, message) + struct.pack(f"<{len(numbers)}I", *numbers) + extension
    return encode_frame(body)


def test_the_witness_counts_what_a_host_acknowledges() -> None:
    witness = Witness()
    assert witness.to_device(made(5, 0x05, 0xAA, 3)) == [("acknowledged", 0xAA, 3)]
    assert witness.to_device(made(5, 0x05, 0xAA, 3) + made(5, 0x05, 0xAA, 2)) == [], "nothing new"
    assert witness.to_device(made(1, 0x21, 0xAA, 7)) == [("acknowledged", 0xAA, 6)], "what is not asked for is there"
    assert witness.to_device(made(5, 0x05, 0xBB, 1)) == [("acknowledged", 0xBB, 1)]


def test_the_witness_notes_what_is_gone_and_which_ended_rounds_were_acknowledged() -> None:
    witness = Witness()
    assert witness.to_host(made(7, 0x04, 0xAA, 2, 5, 9)) == [("gone", 0xAA, number) for number in (2, 3, 4)]
    assert witness.to_host(made(7, 0x310, 0xAA, 9, 1000)) == []
    assert witness.to_host(made(4, 0x341, 8, 1000, 4) + made(4, 0x341, 9, 2000, 5)) == []
    old = bytes([1, 4]) + struct.pack("<I", 0x99)
    assert witness.to_host(made(4, 0x341, 30, 900, 3, extension=old)) == []
    assert witness.to_device(made(5, 0x05, 0xAA, 8)) == [("acknowledged", 0xAA, 8), ("ended", 0xAA, 4)]
    assert witness.to_device(made(5, 0x05, 0x99, 30)) == [("acknowledged", 0x99, 30), ("ended", 0x99, 3)]
    assert witness.to_device(made(5, 0x05, 0xAA, 9)) == [("acknowledged", 0xAA, 9), ("ended", 0xAA, 5)]


def test_an_end_of_a_round_that_is_gone_is_not_what_a_later_word_is_about() -> None:
    witness = Witness()
    assert witness.to_host(made(7, 0x310, 0xAA, 9, 1000)) == []
    assert witness.to_host(made(4, 0x341, 8, 1000, 4) + made(4, 0x341, 20, 2000, 5)) == []
    assert len(witness.to_host(made(7, 0x04, 0xAA, 1, 10, 20))) == 9
    assert witness.to_device(made(5, 0x05, 0xAA, 20)) == [("acknowledged", 0xAA, 20), ("ended", 0xAA, 5)]


@pytest.mark.more
def test_a_dozen_kills_lose_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert kill_cycles.main(["12", "--seed", "3"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["killed"] == 12
    assert found["acknowledged"] > 100
    assert (found["looks"], found["evenings"]) == (1, 1)
    assert found["dealt_again"] == found["rounds"]


@pytest.mark.more
@pytest.mark.parametrize("wrong", kill_cycles.SABOTAGE)
def test_a_wrong_done_on_purpose_is_found(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    for cycles in ("10", "40"):  # on a busy machine ten kills may all come before a first round
        if kill_cycles.main([cycles, "--seed", "2", "--sabotage", wrong]) == 1:
            break
    else:
        pytest.fail("nothing was found")
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["violations"] >= 1
