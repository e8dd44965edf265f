"""Proofs, notes, proofs of growth and files of witnesses that anyone may send: whatever their bytes, they are read or
refused with an error of their own, and never accepted by luck."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from dealwire.journal.errors import KeyProblem, NoteRefused, ProofRefused
from dealwire.journal.proving import RoundProof
from dealwire.journal.signing import BadVkey
from dealwire.journal.witnessing import read_state, state_line
from tests.support.fuzzing.fuzzed_files import HEAD, KEY, ONE, READERS


def mutated(data: bytes, draw: Random) -> bytes:
    """Return other bytes: some changed, cut out, doubled or put in."""
    found = bytearray(data)
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(found) + 1)
        kind = draw.randrange(4)
        if kind == 0 and at < len(found):
            found[at] = draw.randrange(256)
        elif kind == 1:
            del found[at : at + draw.randint(1, 40)]
        elif kind == 2:
            found[at:at] = found[at : at + draw.randint(1, 40)]
        else:
            found[at:at] = draw.randbytes(draw.randint(1, 8))
    return bytes(found)


def is_accepted(read: Callable[[bytes], object], data: bytes) -> bool:
    try:
        read(data)
    except (ProofRefused, NoteRefused, BadVkey):
        return False
    return True


@pytest.mark.parametrize("what", READERS)
def test_whatever_is_sent_is_read_or_refused(what: str) -> None:
    data, read = READERS[what]
    draw = Random(what)
    accepted = [other for _ in range(1500) if is_accepted(read, other := mutated(data, draw)) and other != data]
    harmless = {"a note", "growth", "a vkey", "a cosignature"}  # a newline more or less at an end, a doubled signature
    assert what in harmless or not accepted
    for other in accepted:
        assert read(other) == read(data), other
    for _ in range(500):
        assert not is_accepted(read, draw.randbytes(draw.randrange(1200)))


def test_lines_that_name_no_table_are_refused() -> None:
    for line in (b"[" * 100_000, b'{"table":"\\ud800"}', b'{"table":"' + b"a" * 70_000 + b'"}', b"[]", b"\xff", b"1"):
        with pytest.raises(ProofRefused, match="a line that names no table"):
            RoundProof.parse(ONE).check([line], KEY)


def test_a_witness_s_file_is_read_or_refused(tmp_path: Path) -> None:
    draw, file = Random(89), tmp_path / "state"
    data = state_line(HEAD).encode()
    for _ in range(200):
        file.write_bytes(mutated(data, draw))
        with suppress(KeyProblem):
            assert all(state_line(each) for each in read_state(file))
