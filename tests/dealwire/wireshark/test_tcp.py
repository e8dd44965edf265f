"""TDP over TCP: tshark listens on loopback between our driver and a simulated device, segments cut at odd places."""

import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from dealwire import open_device
from protocol.cutting import Noise
from protocol.errors import Refused
from protocol.tdp.framing import Framer
from tests.support.oracles.tshark import Piece, needs_tshark, plain, run, tdp_fields
from tests.support.oracles.tshark import seen_by_tshark as seen
from tests.support.rigs.patience import PATIENCE_S, wait_until
from tests.support.rigs.ports import free_port

pytestmark = pytest.mark.more

PROGRAM = Path(sys.executable).with_name("dealwire")
KEY = "tdp.message"


class Talk(NamedTuple):
    """A capture, the ports of the two ends, and what passed: the host's bytes, the device's bytes."""

    path: Path
    port: int
    sent: bytes
    received: bytes


class Cutter(threading.Thread):
    """A serial server between host and device that hands bytes on one to nine at a time, each time a segment."""

    def __init__(self, host: socket.socket, device: socket.socket) -> None:
        super().__init__(daemon=True)
        self.passed = {host: bytearray(), device: bytearray()}
        self.ends = [(host, device), (device, host)]
        for each in self.passed:
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def run(self) -> None:
        ways = [threading.Thread(target=self._one_way, args=end, daemon=True) for end in self.ends]
        for way in ways:
            way.start()
        for way in ways:
            way.join()
        for each in self.passed:
            each.close()

    def has_enough(self) -> bool:
        """Return True if a reply has passed, and reports of the device after it."""
        return all(len(frames(bytes(data))) > 8 for data in self.passed.values())

    def _one_way(self, source: socket.socket, target: socket.socket) -> None:
        choose = random.Random(11)
        try:
            while data := source.recv(65536):
                while data:
                    size = choose.randint(1, 9)
                    target.sendall(data[:size])
                    self.passed[source] += data[:size]
                    data = data[size:]
                    time.sleep(0.0005)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            return  # the other end is gone


def _knock_until_written(path: Path, port: int) -> None:
    """Wait until the capture has all that passed: the connections made here carry no byte, and come after it."""

    def written() -> bool:
        with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as knock:
            ports.append(struct.pack(">HH", knock.getsockname()[1], port))
        found = path.read_bytes()
        return any(each in found for each in ports)

    ports: list[bytes] = []
    wait_until(written, "the end of the talk in the capture", pause_s=0.05)


@contextmanager
def listening(path: Path, port: int) -> Iterator[None]:
    """tshark captures on loopback meanwhile; skips where this user may not."""
    program = needs_tshark()
    command = [program, "-Q", "-i", "lo", "-f", f"tcp port {port}", "-w", str(path)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        until = time.monotonic() + PATIENCE_S
        while not (path.exists() and path.stat().st_size):
            if process.poll() is not None or time.monotonic() > until:
                process.kill()
                why = (process.communicate()[1] or "").strip()
                if "permission" in why.lower():
                    pytest.skip(f"not here: this user may not listen on loopback: {why[:200]}")
                raise AssertionError(f"tshark does not listen: {why}")
            time.sleep(0.05)
        yield
        _knock_until_written(path, port)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE_S)


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Talk:
    path = tmp_path_factory.mktemp("tcp") / "loopback.pcapng"
    inner = free_port()
    words = [PROGRAM, "sim", "--shuffler", f"tcp:{inner}", "--controller", "pty", "--forever", "--json"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        with socket.create_server(("127.0.0.1", 0)) as server, listening(path, port := server.getsockname()[1]):
            opened: list[Cutter] = []

            def accept() -> None:
                host, _ = server.accept()
                opened.append(Cutter(host, socket.create_connection(("127.0.0.1", inner), PATIENCE_S)))
                opened[0].start()

            threading.Thread(target=accept, daemon=True).start()
            with open_device(f"tcp://127.0.0.1:{port}", role="service") as shuffler:
                with suppress(Refused):  # as long as it starts: refused it is as good to look at
                    shuffler.self_test()
                wait_until(lambda: bool(opened) and opened[0].has_enough(), "frames of both sides")
            opened[0].join(PATIENCE_S)
            host, device = (bytes(each) for each in opened[0].passed.values())
    finally:
        process.kill()
        process.communicate()
    return Talk(path, port, host, device)


def frames(data: bytes) -> list[Piece]:
    return [Piece("tdp", tuple(tdp_fields(each))) for each in Framer().feed(data) if not isinstance(each, Noise)]


def by_way(talk: Talk, *options: str) -> tuple[list[Piece], list[Piece]]:
    """The frames that tshark shows, the host's and the device's."""
    sides = []
    for way in ("dstport", "srcport"):
        packets = seen(talk.path, *options, "-2", "-R", f"tcp.{way} == {talk.port}")
        sides.append([piece for packet in plain(packets) for piece in packet])
    return sides[0], sides[1]


def test_a_stream_cut_anywhere_shows_every_frame_of_both_sides(talk: Talk) -> None:
    sent, received = frames(talk.sent), frames(talk.received)
    assert len(sent) > 3
    assert len(received) > 5
    host, device = by_way(talk, "-o", f"tdp.ports:{talk.port}")
    assert host == plain([sent])[0]
    assert device == plain([received])[0]


def test_a_second_pass_makes_the_same_of_the_talk(talk: Talk) -> None:
    """Wireshark hands the bytes on in other parts the second time: no reply is one sent again for that."""
    words = ("-r", talk.path, "-o", f"tdp.ports:{talk.port}", "-Y", "tdp", "-T", "fields", "-e", "frame.number")
    names = ("tdp.message", "tdp.request_in", "tdp.repeat_of", "_ws.expert.message")
    fields = [each for name in names for each in ("-e", name)]
    once = run(*words, *fields)
    assert once == run(*words, *fields, "-2") == run(*words, *fields, "-2", "-R", "frame")
    assert len(once.splitlines()) > 8


def test_decode_as_does_the_same_as_the_ports_of_the_preferences(talk: Talk) -> None:
    assert by_way(talk, "-d", f"tcp.port=={talk.port},tdp") == by_way(talk, "-o", f"tdp.ports:{talk.port}")


def test_whole_frames_in_a_segment_are_recognised_without_being_asked(talk: Talk, tmp_path: Path) -> None:
    """The same bytes as a serial server hands them on that does not cut: nothing is set."""
    path = tmp_path / "whole.pcap"
    lines = [f"{'O' if out else 'I'} {data.hex()}" for out, data in ((True, talk.sent), (False, talk.received))]
    text = tmp_path / "hex"
    text.write_text("\n".join(lines) + "\n")
    text2pcap = shutil.which("text2pcap")
    if text2pcap is None:
        pytest.skip("text2pcap is not installed (apt install tshark wireshark-common)")
    form = r"^(?<dir>[IO]) (?<data>[0-9a-f]+)$"
    command = [text2pcap, "-q", "-r", form, "-T", "50000,50001", str(text), str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = run("-r", path, "-Y", "tdp", "-T", "fields", "-e", KEY)
    assert len(said.replace(",", " ").split()) == len(frames(talk.sent)) + len(frames(talk.received))
    assert "Hello from dealwire" in run("-r", path)
