"""The program around the reference device in C: the file of what outlives a loss of power, and the names it takes."""

import socket
import subprocess
from pathlib import Path

import pytest

from protocol.tdp import messages as m
from tests.support.rigs.firmware import BUILD, Asked, make, order, program

pytestmark = pytest.mark.firmware


@pytest.fixture(autouse=True)
def built() -> None:
    make("host")


def refused(*words: str | Path) -> str:
    done = subprocess.run([BUILD / "tdp-device", "shoe", *words], capture_output=True, text=True, timeout=20)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    return done.stderr


def kept(folder: Path) -> Path:
    """A store with a session in it."""
    store = folder / "store"
    with program("shoe", folder, "tdp-device", store) as line, Asked(line) as host:
        host.booted(host.greet().session)
        host.hear(m.StateChangedMessage)
        assert order(folder / "control", "wrong-button") == "ok"
    return store


@pytest.mark.parametrize("size", [0, 1, 600, -1])
def test_a_store_that_is_not_whole_is_refused_and_left_as_it_is(size: int, tmp_path: Path) -> None:
    store = kept(tmp_path)
    part = store.read_bytes()[:size]
    store.write_bytes(part)
    assert "no store of this device, which has" in refused("--line", tmp_path / "line", "--store", store)
    assert store.read_bytes() == part


def test_a_store_that_is_too_long_is_refused(tmp_path: Path) -> None:
    store = kept(tmp_path)
    store.write_bytes(store.read_bytes() + b"\0")
    assert str(store) in refused("--line", tmp_path / "line", "--store", store)


def test_a_store_whose_check_does_not_fit_is_begun_anew_and_that_is_said(tmp_path: Path) -> None:
    store = kept(tmp_path)
    store.write_bytes(bytes(len(store.read_bytes())))
    with pytest.raises(AssertionError, match="its check does not fit, or another firmware wrote it: begun anew"):  # noqa: SIM117
        with program("shoe", tmp_path, "tdp-device", store) as line, Asked(line) as host:
            assert host.greet().boot_count == 1
    with program("shoe", tmp_path, "tdp-device", store) as line, Asked(line) as host:
        assert host.greet().boot_count == 2


def test_the_store_is_put_in_its_place_whole(tmp_path: Path) -> None:
    store = kept(tmp_path)
    first = store.stat().st_ino
    with program("shoe", tmp_path, "tdp-device", store) as line, Asked(line) as host:
        host.booted(host.greet().session)
        assert store.stat().st_ino != first
        assert not store.with_name("store.new").exists()


def test_what_is_not_its_own_is_not_taken_away(tmp_path: Path) -> None:
    for option in ("--line", "--control"):
        precious = tmp_path / "precious"
        precious.write_text("letter")
        words = [option, precious] if option == "--line" else ["--line", tmp_path / "line", option, precious]
        assert refused(*words) == f"tdp-device: {precious}: File exists\n"
        assert precious.read_text() == "letter"


def test_an_order_that_is_too_long_is_no_order(tmp_path: Path) -> None:
    """Not the one that its beginning is."""
    with program("table-controller", tmp_path, "tdp-device") as line, Asked(line) as host:
        host.booted(host.greet().session)
        host.hear(m.StateChangedMessage)
        beginning = b"mishandled" + b" 00000000007" * 9 + b" 00000001"
        with socket.socket(socket.AF_UNIX) as control:
            control.connect(str(tmp_path / "control"))
            control.sendall(beginning + b"\n" + beginning + b"9\nnumber 7\n")
            answers = control.makefile("r")
            assert [answers.readline() for _ in range(3)] == ["ok\n", "what?\n", "ok\n"]
        assert host.hear(m.NumberDrawnMessage).drawn == 7
