"""Keys from production in the reference device in C: a page of flash on the boards, a file for the program. No unit has
keys that it was not given or did not make."""

from __future__ import annotations

import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from protocol.tdp import messages as m
from tests.firmware.test_signed_measurements import CERTIFIED, HOST, MAKER, OWN, SEED, holds, identity, measured
from tests.support.rigs.firmware import BOARDS, BUILD, IMAGES, PATIENCE_S, ROOT, Asked, board, make, order, program
from tests.support.rigs.sealed_host import SealedHost, public_key

pytestmark = pytest.mark.firmware

PAGE_AT = 0x3FC00
FIXED = 117
"""Bytes of HELLO-REPLY before its extensions."""


def written(identity_file: Path, page: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "firmware.production", str(identity_file), str(page)]
    return subprocess.run(words, capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE_S)


def signature() -> bytes:
    texts = struct.pack("<B16s16s16s", m.DeviceClass.TABLE_CONTROLLER, b"dealwire", b"tdp-controller", b"TDP-0001")
    return Ed25519PrivateKey.from_private_bytes(MAKER).sign(b"TDP device" + texts + CERTIFIED)


# ------------------------------------------------------------------ the page


def test_the_page_is_what_the_readme_says_and_private(tmp_path: Path) -> None:
    page = tmp_path / "page"
    done = written(identity(tmp_path), page)
    assert done.returncode == 0, done.stderr
    assert "3FC00h" in done.stdout
    keys = b"TDP key1" + OWN + SEED + signature() + b"\1"
    assert page.read_bytes() == (keys + struct.pack("<I", zlib.crc32(keys))).ljust(1024, b"\xff")
    assert page.stat().st_mode & 0o777 == 0o600
    assert OWN.hex() not in done.stdout


def test_a_page_that_exists_and_an_identity_that_others_may_read_are_refused_in_one_line(tmp_path: Path) -> None:
    page, own = tmp_path / "page", identity(tmp_path)
    page.write_bytes(b"")
    done = written(own, page)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "exists" in done.stderr.lower()
    page.unlink()
    own.chmod(0o644)
    done = written(own, page)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "chmod 600" in done.stderr
    assert not page.exists()


# ------------------------------------------------------------------ on the boards


@pytest.mark.parametrize("name", BOARDS)
def test_a_board_proves_itself_with_the_keys_of_its_page(name: str, tmp_path: Path) -> None:
    page = tmp_path / "page"
    assert written(identity(tmp_path), page).returncode == 0
    with board("table-controller", name, keys=page) as playing:
        image = (BUILD / name / "controller.bin").read_bytes()
        with SealedHost(str(playing.line), HOST) as host:
            introduction = host.introduced()
            assert introduction[FIXED + 2 : FIXED + 34] == CERTIFIED
            assert introduction[FIXED + 34 :] == signature()
            session = host.greet().session
            host.booted(session)
            host.hear(m.StateChangedMessage)
            holds(measured(host, bytes(range(16))), session, bytes(range(16)), image)
        assert playing.keys("table-setup 1") == "ok"
        with SealedHost(str(playing.line), HOST) as host:
            assert host.pair(playing.keys("pair 2")) == public_key(OWN)


@pytest.mark.parametrize(
    "spoilt", [range(1024), [0], [8], [136], [140]], ids=["erased", "mark", "key", "flag", "check"]
)
def test_a_page_that_is_not_whole_gives_no_keys(spoilt: list[int], tmp_path: Path) -> None:
    """The device makes a key of its own, and has no certificate: a house that asks for one refuses it."""
    page = tmp_path / "page"
    assert written(identity(tmp_path), page).returncode == 0
    content = bytearray(page.read_bytes())
    for at in spoilt:
        content[at] = 0xFF if len(spoilt) > 1 else content[at] ^ 1
    page.write_bytes(content)
    with board("table-controller", keys=page) as playing, SealedHost(str(playing.line), HOST) as host:
        assert len(host.introduced()) == FIXED
        assert not host.greet().capabilities & m.Capability.ATTESTATION


# ------------------------------------------------------------------ no key that everybody has


def own_key(line: str, act: object) -> bytes:
    """Pair, and return the device's X25519 key."""
    assert callable(act)
    with Asked(line) as host:
        host.booted(host.greet().session)
        host.hear(m.StateChangedMessage)
    assert act("table-setup 1") == "ok"
    with SealedHost(line, HOST) as sealed:
        assert len(sealed.introduced()) == FIXED
        return bytes(sealed.pair(act("pair 2")))


def test_two_new_units_without_keys_from_production_make_two(tmp_path: Path) -> None:
    make("sanitized")
    found = set()
    for number in range(2):
        (folder := tmp_path / str(number)).mkdir()
        with program("table-controller", folder) as line:
            found.add(own_key(line, lambda words, at=folder / "control": order(at, words)))
    for _ in range(2):
        with board("table-controller", BOARDS[1]) as playing:
            found.add(own_key(str(playing.line), playing.keys))
    assert len(found) == 4


@pytest.mark.parametrize("name", BOARDS)
def test_the_page_lies_behind_every_image_and_in_none(name: str) -> None:
    make("cross")
    for image in IMAGES.values():
        content = (BUILD / name / f"{image}.bin").read_bytes()
        assert len(content) < PAGE_AT
        assert content.count(b"TDP key1") == 1  # what the program looks for, and no page
