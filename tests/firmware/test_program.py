"""The program around the reference device in C: the file that survives a power cut, and the names it accepts."""

import json
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from protocol.faults import Fault
from protocol.tdp import messages as m
from protocol.tdp.codec import encode
from protocol.tdp.framing import encode_frame
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
    assert "not a store of this device, which has" in refused("--line", tmp_path / "line", "--store", store)
    assert store.read_bytes() == part


def test_a_store_that_is_too_long_is_refused(tmp_path: Path) -> None:
    store = kept(tmp_path)
    store.write_bytes(store.read_bytes() + b"\0")
    assert str(store) in refused("--line", tmp_path / "line", "--store", store)


def test_a_store_whose_check_does_not_fit_is_begun_anew_and_that_is_said(tmp_path: Path) -> None:
    store = kept(tmp_path)
    store.write_bytes(bytes(len(store.read_bytes())))
    with pytest.raises(AssertionError, match="its check is wrong or it is of another device: started over"):  # noqa: SIM117
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


def test_the_store_is_not_written_through_a_link(tmp_path: Path) -> None:
    """If someone put a link where the new store is first written, it is not followed."""
    store, precious = kept(tmp_path), tmp_path / "precious"
    precious.write_text("letter")
    store.with_name("store.new").symlink_to(precious)
    before = store.read_bytes()
    assert "File exists" in refused("--line", tmp_path / "line", "--store", store)
    assert precious.read_text() == "letter"
    assert store.read_bytes() == before
    store.with_name("store.new").unlink()
    store.with_name("store.new").hardlink_to(precious)
    with program("shoe", tmp_path, "tdp-device", store) as line, Asked(line) as host:
        host.booted(host.greet().session)
    assert precious.read_text() == "letter"


@contextmanager
def on_tcp(folder: Path) -> Iterator[str]:
    """Yield the line of a table controller that listens."""
    words = [BUILD / "tdp-device", "table-controller", "--tcp", "0", "--control", folder / "control"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        try:
            yield json.loads(running.stdout.readline())["line"]
        finally:
            running.terminate()


def says_it_closed(line: str) -> bool:
    address = line.removeprefix("tcp://").split(":")
    with socket.create_connection((address[0], int(address[1])), timeout=10) as other:
        other.sendall(encode_frame(encode(m.ReadMetersMessage(0), request=9), after_silence=True))
        try:
            return other.recv(4096) == b""
        except ConnectionResetError:
            return True


def test_a_second_connection_is_closed_while_the_first_ones_host_is_heard(tmp_path: Path) -> None:
    with on_tcp(tmp_path) as line, Asked(line) as host:
        session = host.greet().session
        host.booted(session)
        for _ in range(3):
            assert says_it_closed(line)
        host.say(m.ReadMetersMessage(0))
        host.hear(m.MetersMessage)


def test_who_comes_on_the_next_connection_must_open_the_session_anew(tmp_path: Path) -> None:
    with on_tcp(tmp_path) as line:
        with Asked(line) as host:
            session = host.greet().session
            host.booted(session)
        with Asked(line) as other:
            other.say(m.SetSensorLightMessage(1, 1))
            assert other.hear(m.ReplyMessage).reason == m.Reason.NO_SESSION
            assert other.greet().session == session
            other.booted(session)
            other.say(m.SetSensorLightMessage(1, 1))
            other.hear(m.ReplyMessage, lambda reply: reply.status == m.Status.DONE)


def test_one_who_never_opened_the_session_holds_nobody_up(tmp_path: Path) -> None:
    with on_tcp(tmp_path) as line, Asked(line) as first:
        session = first.greet().session
        with Asked(line) as other:
            other.booted(session)


def test_a_host_that_fell_silent_gives_way_and_its_role_with_it(tmp_path: Path) -> None:
    """Its connection may be half open for hours."""
    with on_tcp(tmp_path) as line, Asked(line) as silent:
        session = silent.greet().session
        silent.say(m.OpenSessionMessage(session, 1, 4, m.Role.SERVICE))
        silent.hear(m.ControllerStatusMessage, lambda status: Fault.HOST_LOST in status.faults)
        with Asked(line) as other:
            other.say(m.SetSensorLightMessage(1, 1))
            assert other.hear(m.ReplyMessage).reason == m.Reason.NO_SESSION
            other.booted(session)
            other.hear(m.FaultClearedMessage)


def test_a_lost_host_is_noticed_when_its_connection_is_gone(tmp_path: Path) -> None:
    with on_tcp(tmp_path) as line:
        with Asked(line) as host:
            host.booted(host.greet().session)
        time.sleep(3.5)
        with Asked(line) as other:
            session = other.greet().session
            other.booted(session)
            other.hear(m.FaultRaisedMessage, lambda event: event.fault == Fault.HOST_LOST)


def test_what_is_not_its_own_is_not_taken_away(tmp_path: Path) -> None:
    for option in ("--line", "--control"):
        precious = tmp_path / "precious"
        precious.write_text("letter")
        words = [option, precious] if option == "--line" else ["--line", tmp_path / "line", option, precious]
        assert refused(*words) == f"tdp-device: {precious}: File exists\n"
        assert precious.read_text() == "letter"


def test_an_order_that_is_too_long_is_no_order(tmp_path: Path) -> None:
    """Nor is it the order that its beginning spells."""
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
