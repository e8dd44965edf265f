"""`dealwire decode` tiles any input."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
VECTORS = json.loads((ROOT / "docs/protocol-vectors.json").read_text())


def decode(data: bytes, *options: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "dealwire", "decode", "--dialect", "tdp", *options],
        input=data,
        capture_output=True,
        cwd=ROOT,
        timeout=60,
    )


def wires() -> list[bytes]:
    return [bytes.fromhex(vector["wire"]) for vector in VECTORS["frames"]]


def tiled(output: bytes, length: int) -> list[dict[str, object]]:
    found = [json.loads(line) for line in output.splitlines()]
    at = 0
    for item in found:
        assert item["offset"] == at
        at += int(item["length"])  # type: ignore[call-overload]
    assert at == length
    return found


def test_every_vector_is_one_frame_with_its_name() -> None:
    data = b"".join(wires())
    found = tiled(decode(data).stdout, len(data))
    assert [item["message"] for item in found] == [vector["message"] for vector in VECTORS["frames"]]


def test_the_extensions_of_the_protocol_are_shown_by_name_and_field() -> None:
    """As docs/protocol-reference.md lays them out, and as it does not: then there is no name."""
    vectors = [vector for vector in VECTORS["frames"] if vector["extensions"]]
    found = decode(b"".join(bytes.fromhex(vector["wire"]) for vector in vectors))
    named = set()
    for vector, line in zip(vectors, found.stdout.splitlines(), strict=True):
        for given, shown in zip(vector["extensions"], json.loads(line)["extensions"], strict=True):
            number, value = given["type"], given["value"]
            assert (shown["type"], shown["value"]) == (number, value)
            if (number, len(value)) == (1, 8):
                assert shown["fields"] == {"session": int.from_bytes(bytes.fromhex(value), "little")}
            elif (number, vector["message"]) == (3, "HelloReply"):
                assert shown["fields"] == {"key": value[:64], "signature": value[64:]}
            elif (number, vector["message"]) == (2, "Measured"):
                length = int.from_bytes(bytes.fromhex(value[:8]), "little")
                parts = {"sha256": value[8:72], "line_key": value[72:136], "signature": value[136:]}
                assert shown["fields"] == {"length": length} | parts
            else:
                assert set(shown) == {"type", "value"}
            named.add(shown.get("name"))
    assert named == {None, "session of an old event", "certificate of the maker", "signed measurement"}


@pytest.mark.parametrize("seed", range(4))
def test_noise_and_frames_tile_the_input(seed: int) -> None:
    chance = random.Random(seed)
    data = b""
    for wire in chance.choices(wires(), k=60):
        data += wire if chance.random() < 0.6 else chance.randbytes(chance.randrange(40))
        if chance.random() < 0.2:
            data = data[: -chance.randrange(1, 5)]
    done = decode(data)
    assert (done.returncode, done.stderr) == (0, b"")
    found = tiled(done.stdout, len(data))
    assert {"noise"} < {item["kind"] for item in found}


def test_hexadecimal_says_the_same() -> None:
    data = b"".join(wires()[:5]) + b"\x01\x02\x03"
    text = " ".join(f"{byte:02X}" for byte in data) + "\n"
    assert decode(text.encode(), "--hex").stdout == decode(data).stdout


@pytest.mark.parametrize(("text", "says"), [(b"00 1G", "character 5"), (b"00 1", "odd number")])
def test_bad_hexadecimal_is_one_line(text: bytes, says: str) -> None:
    done = decode(text, "--hex")
    assert done.returncode == 2
    assert says in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


def test_nothing_in_nothing_out() -> None:
    done = decode(b"")
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.every(3)
@pytest.mark.parametrize("data", [bytes(range(256)) * 2, random.Random(7).randbytes(400), b"\xff"])
def test_noise_without_a_frame_is_no_success(data: bytes) -> None:
    """As `monitor` has it: wrong speed, wrong dialect, or no device of this kind."""
    done = decode(data)
    assert done.returncode == 6
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith(f"dealwire: {len(data)} bytes, no frame: ".encode())
    assert {item["kind"] for item in tiled(done.stdout, len(data))} == {"noise"}
    empty = decode(b"")
    assert (empty.returncode, empty.stderr) == (0, b"")
