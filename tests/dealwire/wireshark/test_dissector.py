"""The dissector for Wireshark against real tshark: it shows the frames and the values that our own code reads."""

import json
import random
import re
from collections.abc import Iterable
from itertools import zip_longest
from pathlib import Path

import pytest
from cobs import cobs

from dealwire.wireshark.extcap import block, option
from devices.record.capture import CaptureWriter
from docs._print import wireshark
from protocol.tdp.framing import encode_frame
from tests.support.oracles.tshark import LUA, ROOT, Packets, plain, run, seen_by_tshark, seen_by_us, without_later

CAPTURES = sorted((ROOT / "captures").glob("*.pcapng"))
SERIAL = [path for path in CAPTURES if not path.name.startswith("usb-")]
FEW = [ROOT / "captures" / f"{name}.pcapng" for name in ("noise", "race-noise.angel-eye", "race-noise.bee-tek")]
SECOND = 1_000_000_000
BEGAN = 1_795_000_000 * SECOND


def test_it_is_printed_from_the_declarations() -> None:
    assert LUA.read_text(encoding="utf-8") == wireshark.dissector(), "stale: make docs"


def same(ours: Packets, theirs: Packets, where: str) -> int:
    """Both have the same pieces with the same values; gives how many."""
    ours, theirs = plain(ours), plain(theirs)
    assert len(ours) == len(theirs), where
    for number, (mine, other) in enumerate(zip(ours, theirs, strict=True), 1):
        if mine != other:
            first = next((pair for pair in zip_longest(mine, other) if pair[0] != pair[1]), None)
            raise AssertionError(f"{where}, packet {number}: {first}"[:2000])  # pytest would compare all of it
    return sum(map(len, ours))


def in_both_passes(path: Path) -> int:
    first, second = seen_by_tshark(path), seen_by_tshark(path, "-2", "-R", "frame")
    agree = without_later(first) == without_later(second)
    assert agree, path.name
    return same(seen_by_us(path), first, path.name)


@pytest.mark.parametrize("path", FEW, ids=lambda path: path.stem)
def test_frames_fields_and_noise_are_ours_in_one_pass_and_in_two(path: Path) -> None:
    assert in_both_passes(path) > 0


@pytest.mark.more
@pytest.mark.parametrize("path", [path for path in SERIAL if path not in FEW], ids=lambda path: path.stem)
def test_of_every_capture_too(path: Path) -> None:
    assert in_both_passes(path) > 0


def written(path: Path, packets: Iterable[bytes], dialect: str = "tdp", step_ns: int = SECOND) -> Path:
    """A capture of packets from a device, a second apart, so that none joins the one before."""
    with CaptureWriter(path) as writer:
        line = writer.interface("device", device="shuffler", dialect=dialect)
        for number, packet in enumerate(packets):
            writer.chunk(line, BEGAN + number * step_ns, False, packet)
    return path


def vectors(name: str) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = json.loads((ROOT / "docs" / name).read_text())
    return found


def tdp_wires() -> list[bytes]:
    found = vectors("protocol-vectors.json")
    return [
        bytes.fromhex(each["wire"]) for kind in ("frames", "unknown", "streams", "bad_payloads") for each in found[kind]
    ]


def test_every_vector_of_tdp(tmp_path: Path) -> None:
    wires = [wire for wire in tdp_wires() if wire]
    assert in_both_passes(written(tmp_path / "vectors.pcapng", wires)) >= len(
        vectors("protocol-vectors.json")["frames"]
    )


@pytest.mark.more
@pytest.mark.parametrize("dialect", ["angel-eye", "bee-tek"])
def test_every_vector_of_the_shoes_and_every_truncation(dialect: str, tmp_path: Path) -> None:
    found = vectors(f"dialects/{dialect}-vectors.json")
    wires = [
        bytes.fromhex(each["wire"]) if "wire" in each else each["text"].encode()
        for kind in ("frames", "items", "streams", "bad_reports")
        for each in found.get(kind, ())
    ]
    cut = [wire[:size] for wire in wires for size in range(1, len(wire) + 1)]
    assert in_both_passes(written(tmp_path / "vectors.pcapng", cut, dialect)) > len(wires)


def truncations(wires: Iterable[bytes]) -> list[bytes]:
    """Cut off on the line, and cut off before they got their check: the one is noise, the other may not fit."""
    found = []
    for wire in wires:
        found += [wire[:size] + b"\0" for size in range(1, len(wire))]
        body = cobs.decode(wire.strip(b"\0"))[:-4]
        found += [encode_frame(body[:size]) for size in range(8, len(body))]
    return found


def frames_of_vectors() -> list[bytes]:
    return [bytes.fromhex(each["wire"]) for each in vectors("protocol-vectors.json")["frames"]]


@pytest.mark.more
def test_one_truncation_in_nine_of_every_vector(tmp_path: Path) -> None:
    cut = truncations(frames_of_vectors())[::9]
    assert same(seen_by_us(path := written(tmp_path / "cut.pcapng", cut)), seen_by_tshark(path), "truncations") >= len(
        cut
    )


@pytest.mark.more
def test_every_truncation_of_every_vector(tmp_path: Path) -> None:
    cut = truncations(frames_of_vectors())
    assert len(cut) > 10_000
    assert in_both_passes(written(tmp_path / "cut.pcapng", cut)) >= len(cut)


@pytest.mark.every(3)
@pytest.mark.parametrize("dialect", ["tdp", "angel-eye", "bee-tek"])
def test_random_bytes_cut_at_random(dialect: str, tmp_path: Path) -> None:
    choose = random.Random(dialect)
    letters = {"tdp": bytes(range(256)) + bytes(60), "angel-eye": b"\2\5\6\21\3SPDd09AF\x85\xb1" + bytes(range(256))}
    alphabet = letters.get(dialect, b"[]<> GameCard:4STWx0Alarm\n\0\x80")
    pieces = [bytes(choose.choices(alphabet, k=choose.choice((1, 2, 7, 40, 300)))) for _ in range(200)]
    if dialect == "tdp":
        real = frames_of_vectors()
        pieces = [choose.choice(real)[choose.randrange(3) :] if choose.random() < 0.3 else piece for piece in pieces]
    path = written(tmp_path / "random.pcapng", pieces, dialect, step_ns=1_000_000)
    assert same(seen_by_us(path), seen_by_tshark(path, "-2"), dialect) > 200


@pytest.mark.more
def test_a_frame_cut_across_packets_is_shown_where_it_ends(tmp_path: Path) -> None:
    wires = b"".join(frames_of_vectors())
    pieces = [wires[at : at + 7] for at in range(0, len(wires), 7)]
    path = written(tmp_path / "cut.pcapng", pieces, step_ns=1_000_000)
    assert in_both_passes(path) == len(frames_of_vectors())
    assert "Goes on in packet: 2" in run("-r", path, "-2", "-R", "frame", "-O", "tdp")


def test_a_usb_capture_is_recognised_without_being_asked() -> None:
    path = ROOT / "captures" / "usb-shuffler.pcapng"
    index = (ROOT / "captures" / "index.toml").read_text()
    said = run("-r", path, "-Y", "tdp.message", "-T", "fields", "-e", "tdp.message")
    frames = sum(len(line.split(",")) for line in said.split())
    assert frames >= 15, index
    assert "Hello reply from a shuffler" in run("-r", path)


def of_link_type(path: Path, number: int, description: str, packets: Iterable[bytes]) -> Path:
    """A pcapng of another program: one interface of a link type, each packet inbound."""
    said = option(3, description.encode()) if description else b""
    blocks = block(0x0A0D0D0A, bytes.fromhex("4d3c2b1a01000000") + b"\xff" * 8)
    blocks += block(1, number.to_bytes(2, "little") + bytes(6) + said + option(0, b""))
    for at, data in enumerate(packets):
        high, low = divmod(BEGAN // 1000 + at * 1_000_000, 1 << 32)
        head = [0, high, low, len(data), len(data)]
        content = b"".join(each.to_bytes(4, "little") for each in head) + data + bytes(-len(data) % 4)
        blocks += block(6, content + option(2, (1).to_bytes(4, "little")) + option(0, b""))
    path.write_bytes(blocks)
    return path


@pytest.mark.parametrize(
    ("description", "words"),
    [
        ("dialect=tdp line=ttyUSB0", ()),
        ("", ("-o", 'uat:user_dlts:"User 0 (DLT=147)","tdp","0","","0",""')),
    ],
    ids=["the interface says the dialect", "a person says it in the preferences"],
)
def test_link_type_user_0(description: str, words: tuple[str, ...], tmp_path: Path) -> None:
    path = of_link_type(tmp_path / "user.pcapng", 147, description, frames_of_vectors())
    said = run("-r", path, "-T", "fields", "-e", "tdp.message", *words).split()
    assert len(said) == len(frames_of_vectors())


def test_a_card_is_named_wherever_a_message_has_one() -> None:
    """A wager on a card holds its code in a field that elsewhere is off or on."""
    layouts = LUA.read_text(encoding="utf-8")
    assert re.search(r'name="WagerOn".*name="on",[^}]*values="card"', layouts)
    assert re.search(r'name="SensorChanged".*name="on",[^}]*values="on"', layouts)


def test_no_name_in_the_info_column_is_a_number_or_a_programs() -> None:
    said = run("-r", ROOT / "captures" / "clean-3.pcapng", "-T", "fields", "-e", "_ws.col.Info")
    assert not re.search(r"nil|table:|\{|\}|0x", said), said
