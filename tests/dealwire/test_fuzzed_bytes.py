"""Fuzzed bytes: a little of each part here, and proof that the fuzzer finds what it is there for.
`make test-fuzz` passes 10^9 bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from dealwire.attest.firmware import FirmwareList
from dealwire.journal.errors import KeyProblem, StampRefused
from dealwire.journal.stamping import authority_of, stamp_in
from dealwire.tls import end_of
from dealwire.tls_errors import TlsUnusable
from devices.transport.ciphers import Ciphers
from protocol.cutting import Noise
from protocol.tdp.framing import NoiseReason
from tests.support.fuzzing import fuzz_units
from tests.support.fuzzing.fuzz_parts import PARTS
from tests.support.fuzzing.fuzz_units import FuzzPart, FuzzTally, TilingCheck, Unaccounted, Undeclared, run_unit
from tests.support.fuzzing.fuzzed_certificates import DIGEST, HERE, STAMP, bytes_of_pem, pem_like
from tests.support.programs.fuzz_bytes import main, units_of
from tests.support.programs.hostile_proofs import KINDS, attack_pairing


@pytest.mark.parametrize("part", PARTS)
def test_only_declared_errors_come_out(part: str) -> None:
    assert run_unit(PARTS[part], 1, 0, 30_000).bytes >= 30_000


@pytest.mark.more
@pytest.mark.parametrize("part", PARTS)
def test_only_declared_errors_come_out_of_many_bytes(part: str) -> None:
    tally = run_unit(PARTS[part], 2, 0, 3_000_000)
    assert tally.frames > 100
    assert tally.errors.total() > 100 or part in ("tdp, device's end", "gat, recorded", "sealed host, pairing")


def test_a_unit_is_the_same_again() -> None:
    one, two = (run_unit(PARTS["sealed device, changeover"], 3, 7, 100_000) for _ in range(2))
    assert (one.bytes, one.frames, one.noise_bytes, one.errors) == (two.bytes, two.frames, two.noise_bytes, two.errors)
    assert run_unit(PARTS["sealed device, changeover"], 3, 8, 100_000).frames != one.frames


def test_every_part_has_its_share_at_any_time() -> None:
    given = dict.fromkeys(PARTS, 0)
    shares = sum(part.share for part in PARTS.values())
    units = list(units_of(300_000_000))
    for name, number, size in units:
        given[name] += size
        assert number >= 0
    assert 300_000_000 <= sum(given.values()) <= 300_000_000 + len(PARTS)
    first = dict.fromkeys(PARTS, 0)
    for name, _, size in units[: len(units) // 2]:
        first[name] += size
    for name, part in PARTS.items():
        assert abs(first[name] - given[name] / 2) <= part.unit, name
        assert abs(given[name] - 300_000_000 * part.share / shares) <= 1


# ------------------------------------------------------------------ what the fuzzer must find


def test_an_end_that_opens_what_is_not_genuine_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ciphers, "opener", lambda _self, _key: lambda _nonce, data, _head: data[:-16])
    with pytest.raises(Undeclared, match="sealed device, sealed, seed 1, unit 0: Unaccounted"):
        run_unit(PARTS["sealed device, sealed"], 1, 0, 100_000)


def test_a_byte_of_nobody_is_found() -> None:
    check = TilingCheck(10)
    check.book([Noise(0, b"ab", NoiseReason.COBS)], 3, 1, FuzzTally())
    with pytest.raises(Unaccounted, match="byte 2 of the stream is in no piece"):
        check.book([Noise(3, b"c", NoiseReason.COBS)], 1, 0, FuzzTally())
    with pytest.raises(Unaccounted, match="6 bytes came, 2 are in pieces, 1 pending"):
        check.book([], 3, 1, FuzzTally())


class Broken:
    """A target that does with the third input what a test wants."""

    def __init__(self, act: Callable[[], object]) -> None:
        self.act, self.count = act, 0

    def inputs(self, chance: Random) -> Iterator[bytes]:
        while True:
            yield chance.randbytes(10)

    def take(self, data: bytes, chance: Random, tally: FuzzTally) -> None:
        self.count += 1
        if self.count == 3:
            self.act()


def endless() -> None:
    while True:
        pass


@pytest.mark.parametrize(
    ("act", "why"),
    [
        (lambda: int("x"), "ValueError: invalid literal"),
        (endless, "Endless: one input takes more than"),
        (lambda: bytearray(1 << 20) * 200, "Unaccounted: it took"),
    ],
)
def test_what_a_target_must_not_do_is_found(
    act: Callable[[], object], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuzz_units, "CPU_S", 0.1)
    kept: list[object] = []
    part = FuzzPart("broken", lambda _: Broken(lambda: kept.append(act())), 1)
    with pytest.raises(Undeclared, match=f"broken, seed 5, unit 6: {why}") as found:
        run_unit(part, 5, 6, 1000)
    assert len(found.value.data) == 10


def test_a_finding_is_a_file_and_exit_code_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(FirmwareList, "read", lambda path: int("x"))
    assert main(["--part", "keys, proofs, lists", "--seed", "4", "--into", str(tmp_path)]) == 1
    (kept,) = tmp_path.iterdir()
    assert kept.name == "keys--proofs--lists-4-0.bin"
    assert "--part 'keys, proofs, lists' --unit 0 --seed 4" in capsys.readouterr().err


# ------------------------------------------------------------------ what it found


def test_a_certificate_of_no_version_is_refused(tmp_path: Path) -> None:
    path, text = tmp_path / "one.pem", (HERE / "time-stamp.pem").read_bytes()
    data = bytes_of_pem(text)
    assert data[12:13] == b"\x02"  # version 3
    path.write_bytes(pem_like(text, data[:12] + b"\x06" + data[13:]))
    with pytest.raises(KeyProblem, match="holds no certificate in PEM"):
        authority_of(path)
    with pytest.raises(TlsUnusable, match="no certificate in PEM"):
        end_of(path)


def test_a_time_stamp_with_a_certificate_of_no_version_is_refused() -> None:
    roots, data = authority_of(HERE / "time-stamp.pem"), STAMP.read_bytes()
    assert stamp_in(data, DIGEST, roots).token == data
    at = data.rindex(bytes_of_pem((HERE / "time-stamp.pem").read_bytes())) + 12
    with pytest.raises(StampRefused, match="the time stamp is refused: 6 is not a valid X509 version"):
        stamp_in(data[:at] + b"\x06" + data[at + 1 :], DIGEST, roots)


# ------------------------------------------------------------------ pairing


def test_no_one_pairs_without_the_code() -> None:
    sent = attack_pairing(70, 1)
    assert sent.total() == 70
    assert set(sent) == set(KINDS)


@pytest.mark.more
def test_no_one_pairs_without_the_code_in_many_attempts() -> None:
    assert attack_pairing(5_000, 30).total() == 5_000
