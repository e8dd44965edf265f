"""The usual mistakes of a new device, each made by an independent encoder."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from protocol.tdp.framing import NoiseReason
from protocol.tdp.misframed import CHECKS, LOOKED_AT, check_of, examine

VECTORS = json.loads((Path(__file__).parents[2] / "docs/protocol-vectors.json").read_text())

# ------------------------------------------------------------------ encoders, bit by bit


def reversed_bits(value: int, width: int) -> int:
    out = 0
    for _ in range(width):
        out, value = out << 1 | value & 1, value >> 1
    return out


def by_bits(data: bytes, width: int, polynomial: int, start: int, final: int, reflected: bool) -> int:
    """Compute a CRC by division, bit by bit, as in the textbook."""
    register = start
    for byte in data:
        for bit in range(8):
            incoming = byte >> bit & 1 if reflected else byte >> 7 - bit & 1
            outgoing = register >> width - 1
            register = register << 1 & (1 << width) - 1
            if incoming ^ outgoing:
                register ^= polynomial
    return (reversed_bits(register, width) if reflected else register) ^ final


def stuffed(data: bytes) -> bytes:
    """Encode with COBS, group by group; the data here has no group of 254."""
    return b"".join(bytes([len(group) + 1]) + group for group in data.split(b"\0"))


def on_the_line(content: bytes) -> bytes:
    return b"\0" + stuffed(content) + b"\0"


def bodies() -> list[bytes]:
    """Return header and payload of a device's frames in the published vectors."""
    frames = [it for it in VECTORS["frames"] if it["kind"] in (2, 4, 7) and it["name"].endswith("typical")]
    return [bytes.fromhex(it["decoded"])[:-4] for it in frames if len(it["decoded"]) < 200][:14]


Z, C = 0x04C11DB7, 0x1EDC6F41
ONES = 0xFFFFFFFF


def good(body: bytes) -> int:
    return by_bits(body, 32, Z, ONES, ONES, True)


def with_check(value: Callable[[bytes], int], size: int = 4, order: str = "little") -> Callable[[bytes], bytes]:
    return lambda body: on_the_line(body + value(body).to_bytes(size, order))  # type: ignore[arg-type]


def as_slip(body: bytes) -> bytes:
    content = body + good(body).to_bytes(4, "little")
    return b"".join({0xC0: b"\xdb\xdc", 0xDB: b"\xdb\xdd"}.get(byte, bytes([byte])) for byte in content) + b"\xc0"


def as_hdlc(body: bytes) -> bytes:
    content = body + by_bits(body, 16, 0x1021, 0xFFFF, 0xFFFF, True).to_bytes(2, "little")
    return (
        b"\x7e" + b"".join(bytes([0x7D, it ^ 0x20]) if it in (0x7D, 0x7E) else bytes([it]) for it in content) + b"\x7e"
    )


MISTAKES = {
    "CRC-32C": (with_check(lambda b: by_bits(b, 32, C, ONES, ONES, True)), "the check is CRC-32C (Castagnoli"),
    "high byte first": (with_check(good, 4, "big"), "the check is CRC-32 of zlib, high byte first"),
    "no final XOR": (with_check(lambda b: by_bits(b, 32, Z, ONES, 0, True)), "CRC-32 without the final XOR (JAMCRC)"),
    "start value 0": (with_check(lambda b: by_bits(b, 32, Z, 0, ONES, True)), "CRC-32 with the start value 0"),
    "start value 0, no final XOR": (with_check(lambda b: by_bits(b, 32, Z, 0, 0, True)), "start value 0 and no final"),
    "not reflected": (with_check(lambda b: by_bits(b, 32, Z, ONES, ONES, False)), "not reflected (BZIP2)"),
    "STM32's own": (with_check(lambda b: by_bits(b, 32, Z, ONES, 0, False)), "without the final XOR (MPEG-2)"),
    "header left out": (with_check(lambda b: good(b[8:])), "the payload alone, the header left out"),
    "over the encoded bytes": (with_check(lambda b: good(stuffed(b))), "CRC-32 of zlib over the encoded bytes"),
    "with the delimiter": (with_check(lambda b: good(b + b"\0")), "header, payload and the closing delimiter"),
    "CRC-32C, high byte first": (
        with_check(lambda b: by_bits(b, 32, C, ONES, ONES, True), 4, "big"), "6F41h), high byte first"),
    "CCITT": (with_check(lambda b: by_bits(b, 16, 0x1021, 0xFFFF, 0, False), 2, "big"), "CRC-16 (CCITT, start"),
    "XMODEM": (with_check(lambda b: by_bits(b, 16, 0x1021, 0, 0, False), 2), "CRC-16 (XMODEM)"),
    "X-25": (with_check(lambda b: by_bits(b, 16, 0x1021, 0xFFFF, 0xFFFF, True), 2), "CRC-16 (X-25)"),
    "KERMIT": (with_check(lambda b: by_bits(b, 16, 0x1021, 0, 0, True), 2), "CRC-16 (KERMIT)"),
    "MODBUS": (with_check(lambda b: by_bits(b, 16, 0x8005, 0xFFFF, 0, True), 2), "CRC-16 (MODBUS)"),
    "ARC": (with_check(lambda b: by_bits(b, 16, 0x8005, 0, 0, True), 2), "CRC-16 (ARC)"),
    "a sum": (with_check(lambda b: sum(b) % 256, 1), "the check is a sum of one byte"),
    "a sum that makes zero": (with_check(lambda b: -sum(b) % 256, 1), "the check is a sum of one byte"),
    "no check": (lambda b: on_the_line(b), "it has no known check"),
    "no COBS": (lambda b: b + good(b).to_bytes(4, "little") + b"\0", "without COBS"),
    "no COBS, no delimiter": (lambda b: b + good(b).to_bytes(4, "little"), "without COBS"),
    "SLIP": (as_slip, "it is framed as SLIP (C0h), not COBS"),
    "HDLC with its own check": (as_hdlc, "it is framed as HDLC (7Eh), not COBS; the check is CRC-16 (X-25)"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_the_mistake_is_named(name: str) -> None:
    encode, says = MISTAKES[name]
    found = examine(b"".join(map(encode, bodies())))
    assert says in found.sentence, found.sentence
    assert found.fits * 2 >= found.pieces > 0
    assert found.sentence.startswith(f"{found.length:,} bytes, no frame (")


@pytest.mark.parametrize("name", [name for name in MISTAKES if "no COBS" not in name])
def test_it_is_named_in_the_middle_of_a_stream_too(name: str) -> None:
    """The line was opened in the middle of a frame, and one frame was damaged."""
    encode, says = MISTAKES[name]
    stream = bytearray(b"".join(map(encode, bodies())))[7:]
    stream[len(stream) // 2] ^= 0x20
    assert says in examine(bytes(stream)).sentence


@pytest.mark.parametrize("name", ["CRC-32C", "no final XOR", "high byte first", "SLIP", "no COBS"])
def test_a_single_frame_is_enough_where_chance_is_excluded(name: str) -> None:
    encode, says = MISTAKES[name]
    assert says in examine(encode(bodies()[0])).sentence


def test_what_is_right_is_not_called_wrong() -> None:
    stream = b"".join(on_the_line(body + good(body).to_bytes(4, "little")) for body in bodies())
    assert examine(stream).mistake == ""
    assert not examine(stream).reasons


@pytest.mark.parametrize("seed", range(20))
def test_noise_is_no_mistake_of_a_device(seed: int) -> None:
    """Random bytes, and bytes as from a wrong baud rate: few values, many with their low bits clear."""
    import random

    random_ = random.Random(seed)
    some = examine(random_.randbytes(3000))
    assert some.sentence.endswith("wrong baud rate, or not a TDP device?"), some.sentence
    slow = examine(bytes(random_.choice(b"\x00\x80\xf8\xfe\xc0\x78\xf0") for _ in range(3000)))
    assert slow.sentence.endswith("wrong baud rate, or not a TDP device?"), slow.sentence


@pytest.mark.parametrize("piece", [bytes(16), b"\xff" * 16, b"U" * 20, bytes(16) + b"\x80"])
def test_the_same_byte_again_and_again_has_no_check(piece: bytes) -> None:
    """Many checks over nothing but zeros are zero."""
    assert "the check is" not in examine(on_the_line(piece) * 50).mistake.replace("the check is none", "")


def test_text_is_called_text() -> None:
    found = examine(b"U-Boot 2023.04 (Apr 01 2023)\r\nDRAM: 256 MiB\r\n" * 4)
    assert "it is text, such as 'U-Boot 2023.04 (Apr 01 2023)'" in found.sentence


def test_a_stream_without_a_delimiter_is_told() -> None:
    assert "no delimiter 00h in 900 bytes" in examine(bytes(range(1, 10)) * 100).sentence


def test_a_check_that_nobody_knows_is_told_as_one() -> None:
    odd = with_check(lambda body: good(body) ^ 0x12345678)
    found = examine(b"".join(map(odd, bodies())))
    assert found.mistake.startswith("the stuffing is right but ") or found.mistake.endswith("no known check")


def test_how_many_bytes_were_dropped_for_which_reason() -> None:
    found = examine(MISTAKES["CRC-32C"][0](bodies()[0]) + b"\x05\x01\0")
    assert set(found.reasons) == {NoiseReason.CHECK, NoiseReason.COBS}
    assert sum(found.reasons.values()) == found.length
    assert examine(b"").sentence == "0 bytes, no frame: wrong baud rate, or not a TDP device?"


def test_no_more_is_looked_at_than_helps() -> None:
    assert examine(bytes(10 * LOOKED_AT)).length == LOOKED_AT


@pytest.mark.parametrize("kind", CHECKS, ids=lambda kind: kind.name)
def test_a_check_is_what_division_bit_by_bit_gives(kind: object) -> None:
    assert isinstance(kind, type(CHECKS[0]))
    for data in (b"", b"\0", b"123456789", bytes(range(256))):
        wanted = by_bits(data, kind.width, kind.polynomial, kind.start, kind.final, kind.reflected)
        assert check_of(kind, data) == wanted


def test_the_catalogue_values_of_the_checks() -> None:
    """Values in Greg Cook's catalogue of CRC algorithms for the digits 1 to 9."""
    known = {
        "CRC-32 of zlib": 0xCBF43926, "CRC-32C (Castagnoli, polynomial 1EDC6F41h)": 0xE3069283,
        "CRC-32 without the final XOR (JAMCRC)": 0x340BC6D9, "CRC-32 with its bits not reflected (BZIP2)": 0xFC891918,
        "CRC-32 not reflected and without the final XOR (MPEG-2)": 0x0376E6E7,
        "CRC-32 not reflected with the start value 0 (POSIX cksum)": 0x765E7680,
        "CRC-16 (CCITT, start value FFFFh)": 0x29B1, "CRC-16 (XMODEM)": 0x31C3, "CRC-16 (X-25)": 0x906E,
        "CRC-16 (KERMIT)": 0x2189, "CRC-16 (MODBUS)": 0x4B37, "CRC-16 (ARC)": 0xBB3D,
    }  # fmt: skip
    found = {kind.name: check_of(kind, b"123456789") for kind in CHECKS}
    assert {name: found[name] for name in known} == known
