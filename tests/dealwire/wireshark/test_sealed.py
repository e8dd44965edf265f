"""A tapped sealed line in real tshark: opened with the host's key log, and what is said of frames that do not open."""

from __future__ import annotations

import json
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from dealwire.journal.export import export_capture
from dealwire.service.line_keys import key_log
from devices.record.capture import Capture, CaptureWriter
from protocol.tdp import messages as m
from protocol.tdp.attestation import Certificate, Statement
from protocol.tdp.codec import encode
from protocol.tdp.framing import Frame, Framer, encode_frame
from protocol.tdp.seal.device_end import DeviceEnd
from protocol.tdp.seal.host_end import HostEnd
from protocol.tdp.seal.line_end import SealTiming
from tests.dealwire.test_sealed_tables import LINES, dealing, keyed, sealed_configuration
from tests.support.oracles.tshark import ROOT, Piece, plain, run, seen_by_tshark, tdp_fields
from tests.support.rigs.links import CLEAN, LOSSY, MS, REORDERING, START_NS, Faults
from tests.support.rigs.patience import PATIENCE_S
from tests.support.rigs.ports import free_port
from tests.support.rigs.sealed_links import SealedPair, bodies
from tests.support.rigs.serving import journal_reader, run_until
from tests.support.rigs.serving import opened as opened_service

FLAG_REFUSED = 0x40
OPENED, NO_KEY, UNOPENED, SENT_AGAIN, REFUSED = "12345"
TWO_PASSES = ("-2", "-R", "frame")


class Tapped(NamedTuple):
    """Bytes on a line: when, by whom, and which."""

    at_ns: int
    from_host: bool
    data: bytes


class TappedPair(SealedPair):
    """A sealed line with a tap, and with what each link was given by its end of the seal."""

    def __post_init__(self) -> None:
        self.tap: list[Tapped] = []
        self.given: dict[bool, list[bytes]] = {True: [], False: []}
        """Frames in clear that opened, by whether the host sent them."""
        super().__post_init__()

    def power_on(self, session: int | None = None, **hello: object) -> None:
        super().power_on(session, **hello)
        assert self.device_end is not None
        self._listen(self.device_end, True)

    def start_host(self) -> None:
        super().start_host()
        self._listen(self.host_end, False)

    def _listen(self, end: HostEnd | DeviceEnd, from_host: bool) -> None:
        """Note what an end passes up of the sealed frames that it is given."""
        take = end._open

        def open_(body: bytes, now_ns: int) -> None:
            before = len(end._up)
            take(body, now_ns)
            passed = [each for data in end._up[before:] for each in bodies(data)]
            self.given[from_host] += [each for each in passed if not each[1] & FLAG_REFUSED]

        end._open = open_  # type: ignore[method-assign]

    def _to_line(self, target: str, data: bytes) -> None:
        before = len(self.tapped)
        super()._to_line(target, data)
        self.tap += [Tapped(self.now_ns, to == "device", piece) for to, piece in self.tapped[before:]]


def started(keys: Path, faults: Faults = CLEAN, **more: object) -> TappedPair:
    pair = TappedPair(faults, log=key_log(keys), **more)  # type: ignore[arg-type]
    pair.start()
    assert pair.run(60_000, lambda: pair.up)
    return pair


def emitted(pair: TappedPair, count: int, each_ms: int = 40) -> TappedPair:
    for _ in range(count):
        pair.emit(m.CardDrawnMessage, ordinal=1, card=0x41, place=1, confidence=99, reader=1)
        pair.run(each_ms)
    return pair


def recorded(path: Path, tap: list[Tapped], *, two_adapters: bool = False) -> Path:
    with CaptureWriter(path) as writer:
        line = writer.interface("shuffler", device="shuffler", dialect="tdp")
        other = writer.interface("other", device="shuffler", dialect="tdp") if two_adapters else line
        for each in tap:
            writer.chunk(line if each.from_host else other, each.at_ns, each.from_host, each.data)
    return path


def log_option(keys: Path) -> tuple[str, str]:
    return ("-o", f"tdp.keylog:{keys}")


def statuses(path: Path, *options: str) -> list[str]:
    """The status of each sealed frame, in order."""
    said = run("-r", path, "-Y", "tdp.seal.status", "-T", "fields", "-e", "tdp.seal.status", *options)
    return said.replace(",", " ").split()


def infos(path: Path, *options: str) -> list[str]:
    return run("-r", path, "-T", "fields", "-e", "_ws.col.Info", *options).splitlines()


def fields_in_clear(body: bytes) -> tuple[tuple[str, str], ...]:
    """The fields of a frame without those of the seal."""
    (frame,) = (each for each in Framer().feed(encode_frame(body)) if isinstance(each, Frame))
    return tuple(each for each in tdp_fields(frame) if not each[0].startswith("flags"))


def opened(path: Path, *options: str) -> tuple[list[Piece], list[Piece]]:
    """The sealed frames that tshark opens, the host's and the device's, as fields in clear."""
    sides: tuple[list[Piece], list[Piece]] = ([], [])
    for packet in seen_by_tshark(path, *options):
        for piece in packet:
            facts = dict(piece.fields)
            if facts.get("seal.status") == OPENED:
                sides[facts["sender"] == "0"].append(piece)
    return sides


def without_flags(pieces: list[Piece]) -> list[tuple[tuple[str, str], ...]]:
    return [tuple(each for each in piece.fields if not each[0].startswith("flags")) for piece in plain([pieces])[0]]


def differences(path: Path, pair: TappedPair, *options: str) -> int:
    """Number of frames that tshark opens otherwise than the two ends did; frames that stayed on the way are opened by
    tshark alone."""
    found = 0
    for side, from_host in zip(opened(path, *options), (True, False), strict=True):
        seen = without_flags(side)
        for body in pair.given[from_host]:
            try:
                seen.remove(fields_in_clear(body))
            except ValueError:
                found += 1
    return found


# ------------------------------------------------------------------ opened


@pytest.mark.parametrize("options", [(), TWO_PASSES], ids=["one pass", "two"])
def test_tshark_opens_what_the_two_ends_opened(options: tuple[str, ...], tmp_path: Path) -> None:
    pair = emitted(started(tmp_path / "keys.log"), 30)
    path = recorded(tmp_path / "tap.pcapng", pair.tap)
    words = (*log_option(tmp_path / "keys.log"), *options)
    assert set(statuses(path, *words)) == {OPENED}
    assert len(pair.given[False]) > 30
    assert differences(path, pair, *words) == 0
    host, device = opened(path, *words)
    assert without_flags(host) == [fields_in_clear(body) for body in pair.given[True]]
    assert without_flags(device) == [fields_in_clear(body) for body in pair.given[False]]


def test_an_opened_frame_reads_as_one_in_clear_and_its_links_are_found(tmp_path: Path) -> None:
    pair = emitted(started(tmp_path / "keys.log"), 2)
    path = recorded(tmp_path / "tap.pcapng", pair.tap)
    words = log_option(tmp_path / "keys.log")
    said = infos(path, *words)
    assert said[0] == "Hello from dealwire, which speaks versions 1.0 to 1.4"
    assert said[1].startswith("Hello reply from a shuffler: Test Pair")
    assert said[2].startswith("Call to seal the line, by the host of key ")
    assert said[3] == "Answer to the call to seal the line"
    assert said[4] == said[0]
    assert "Event 2: Card 1 drawn, AS, for seat 1" in said
    shown = run("-r", path, "-O", "tdp", "-Y", "tdp.number == 2 && tdp.kind == 4", *words)
    for line in ("= Sealed: yes", "[Seal: Opened (1)]", "[Counter: ", "Tag: ", "Card: AS (0x41)", "[correct]"):
        assert line in shown
    assert "Event it caused" not in shown
    assert run("-r", path, "-Y", "tdp.seal.status == 1 && tdp.kind == 2 && tdp.request_in", *words)
    calls = run("-r", path, "-Y", "tdp.message == 0x0b", "-T", "fields", "-e", "tdp.sender", "-e", "tdp.flags", *words)
    assert calls.split() == ["1", "0x00"]


@pytest.mark.more
def test_a_key_change_in_mid_stream_is_followed_in_both_directions(tmp_path: Path) -> None:
    pair = started(tmp_path / "keys.log", seal_timing=SealTiming(rekey_ns=1_000 * MS))
    emitted(pair, 80)
    keys = (tmp_path / "keys.log").read_text().splitlines()
    assert len(keys) >= 3
    path = recorded(tmp_path / "tap.pcapng", pair.tap)
    assert set(statuses(path, *log_option(tmp_path / "keys.log"))) == {OPENED}
    assert differences(path, pair, *log_option(tmp_path / "keys.log")) == 0
    (tmp_path / "first.log").write_text(keys[0] + "\n")
    some = statuses(path, *log_option(tmp_path / "first.log"))
    assert set(some) == {OPENED, NO_KEY}
    assert some[0] == OPENED
    assert some[-1] == NO_KEY


@pytest.mark.more
@pytest.mark.parametrize("faults", [LOSSY, REORDERING], ids=["lossy", "reordered"])
def test_nothing_that_an_end_opened_is_missing_on_a_bad_line(faults: Faults, tmp_path: Path) -> None:
    pair = started(tmp_path / "keys.log", faults, seal_timing=SealTiming(rekey_ns=2_000 * MS))
    emitted(pair, 150)
    path = recorded(tmp_path / "tap.pcapng", pair.tap)
    assert len(pair.given[False]) > 100
    assert differences(path, pair, *log_option(tmp_path / "keys.log")) == 0


@pytest.mark.more
def test_a_restart_of_either_end_is_followed(tmp_path: Path) -> None:
    pair = emitted(started(tmp_path / "keys.log"), 10)
    pair.power_off()
    pair.run(500)
    pair.power_on(0x2002)
    assert pair.run(20_000, lambda: pair.up)
    emitted(pair, 10)
    path = recorded(tmp_path / "tap.pcapng", pair.tap)
    assert differences(path, pair, *log_option(tmp_path / "keys.log")) == 0
    assert statuses(path, *log_option(tmp_path / "keys.log"))[-1] == OPENED


@pytest.mark.more
def test_a_capture_that_begins_in_the_middle_is_opened_and_so_is_a_tap_of_two_adapters(tmp_path: Path) -> None:
    pair = emitted(started(tmp_path / "keys.log"), 300, 5)
    late = pair.tap[-40:]
    words = log_option(tmp_path / "keys.log")
    path = recorded(tmp_path / "late.pcapng", late)
    assert len(pair.given[False]) > 256, "the counter is beyond what one byte says"
    assert set(statuses(path, *words)) == {OPENED}
    assert differences(path, pair, *words) == len(pair.given[True]) + len(pair.given[False]) - 40
    two = recorded(tmp_path / "two.pcapng", pair.tap, two_adapters=True)
    assert set(statuses(two, *words)) == {OPENED}
    assert differences(two, pair, *words) == 0


def test_the_messages_of_both_handshakes_are_shown_by_name(tmp_path: Path) -> None:
    handshakes = json.loads((ROOT / "docs" / "protocol-seal-vectors.json").read_text())["handshakes"]
    ids, tap = {"XXpsk3": (0x08, 0x09, 0x0A), "KK": (0x0B, 0x0C)}, []
    for pattern in ids:
        shake = next(each for each in handshakes if each["pattern_name"]["text"] == pattern)
        for at, (number, message) in enumerate(zip(ids[pattern], shake["messages"], strict=True)):
            key_id = b"host key" if number == 0x0B else b""
            body = bytes((1, 0, 7, at, 0, 0, number, 0)) + key_id + bytes.fromhex(message["bytes"])
            tap.append(Tapped(START_NS + number * MS, at != 1, encode_frame(body)))
    path = recorded(tmp_path / "shakes.pcapng", tap)
    assert infos(path) == [
        *("Call to pair with a code", "Answer to the call to pair", "Proof of the code"),
        *(f"Call to seal the line, by the host of key {b'host key'.hex()}", "Answer to the call to seal the line"),
    ]
    assert run("-r", path, "-T", "fields", "-e", "tdp.sender").split() == ["1", "0", "1", "1", "0"]
    assert not run("-r", path, "-Y", "tdp.payload || tdp.expert.unread || tdp.expert.unknown")
    words = [word for name in ("ephemeral", "static", "granted", "tag", "key_id") for word in ("-e", f"tdp.{name}")]
    sizes = [[len(each) // 2 for each in line.split()] for line in run("-r", path, "-T", "fields", *words).splitlines()]
    assert sizes == [[32, 16], [32, 48, 16], [48, 33], [32, 16, 8], [32, 16]]


def test_frames_that_another_program_sealed_are_opened(tmp_path: Path) -> None:
    """Each with its own key, on a line of its own that begins in the middle."""
    frames = json.loads((ROOT / "docs" / "protocol-seal-vectors.json").read_text())["frames"]
    keys = [each["key"] for each in frames]
    (tmp_path / "keys.log").write_text("".join(f"TDP-SEAL {'00' * 32} {key} {key}\n" for key in keys))
    path = tmp_path / "vectors.pcapng"
    with CaptureWriter(path) as writer:
        for number, each in enumerate(frames):
            line = writer.interface(f"line {number}", device="shuffler", dialect="tdp")
            from_host = each["clear"][4:6] == "01"
            writer.chunk(line, START_NS + number, from_host, encode_frame(bytes.fromhex(each["sealed"])))
    words = (
        "-r",
        path,
        *log_option(tmp_path / "keys.log"),
        "-T",
        "fields",
        "-e",
        "tdp.seal.status",
        "-e",
        "tdp.seal.counter",
    )
    assert [line.split() for line in run(*words).splitlines()] == [[OPENED, str(each["counter"])] for each in frames]


# ------------------------------------------------------------------ not opened


def test_without_a_key_a_frame_shows_its_header_and_that_it_is_sealed(tmp_path: Path) -> None:
    pair = emitted(started(tmp_path / "keys.log"), 3)
    path = recorded(tmp_path / "tap.pcapng", pair.tap)
    assert set(statuses(path)) == {NO_KEY}
    said = infos(path)
    assert "Event: Card drawn, sealed (no key)" in said
    assert any(each.startswith("Command ") and each.endswith(", Open session, sealed (no key)") for each in said)
    assert any(
        each.startswith("Reply to command ") and each.endswith(", Open session, sealed (no key)") for each in said
    )
    shown = run("-r", path, "-O", "tdp", "-Y", "tdp.message == 0x242")
    assert "no key log is set in the preferences" in shown
    assert "Card: " not in shown
    assert "Tag: " in shown
    assert not run("-r", path, "-Y", "tdp.card")


def wrong(line: str) -> str:
    """The same call with keys of nothing."""
    head, call, out, into = line.split()
    return f"{head} {call} {Random(1).randbytes(32).hex()} {into[::-1] if out else into}"


@pytest.mark.every(5)
@pytest.mark.parametrize(
    ("made", "status", "why"),
    [
        (wrong, UNOPENED, "the keys that the key log has for this line's call are wrong"),
        (lambda line: line.replace(line.split()[1], "ab" * 32), NO_KEY, "the key log has no keys of this line's call"),
        (
            lambda line: line[:-1],
            NO_KEY,
            "line 1 of the key log is not TDP-SEAL and three keys of 64 hexadecimal digits",
        ),
        (lambda _: "CLIENT_RANDOM 00 00", NO_KEY, "the key log has no key of a sealed line"),
        (lambda _: None, NO_KEY, "the key log cannot be read: "),
    ],
    ids=["wrong keys", "another call", "a line cut off", "another program's", "no such file"],
)
def test_a_key_log_of_no_use_says_so(made: object, status: str, why: str, tmp_path: Path) -> None:
    pair = emitted(started(tmp_path / "keys.log"), 3)
    path, log = recorded(tmp_path / "tap.pcapng", pair.tap), tmp_path / "other.log"
    text = made((tmp_path / "keys.log").read_text().strip())  # type: ignore[operator]
    if text is not None:
        log.write_text(text + "\n")
    assert set(statuses(path, *log_option(log))) == {status}
    assert why in run("-r", path, "-V", "-Y", "tdp.seal.status", *log_option(log))
    assert not run("-r", path, "-Y", "tdp.card", *log_option(log))


@pytest.mark.more
def test_frames_sent_again_reflected_altered_or_forged_are_not_shown_as_genuine(tmp_path: Path) -> None:
    pair = emitted(started(tmp_path / "keys.log"), 12)
    cards = [each for each in pair.tap if not each.from_host and bodies(each.data)[0][6] == 0x42]
    (body,) = bodies(cards[3].data)
    altered = encode_frame(body[:12] + bytes([body[12] ^ 1]) + body[13:])
    header = encode_frame(body[:6] + b"\x43" + body[7:])
    in_clear = pair.given[False][-1]
    last_ns = pair.tap[-1].at_ns
    later = [cards[3].data, altered, header, cards[-1].data]
    tap = [*pair.tap, *(Tapped(last_ns + (at + 1) * 100 * MS, False, data) for at, data in enumerate(later))]
    tap.append(Tapped(last_ns + 600 * MS, True, cards[-1].data))
    tap.append(Tapped(last_ns + 700 * MS, False, encode_frame(bytes([1, 0x40]) + in_clear[2:])))
    tap.append(Tapped(last_ns + 800 * MS, False, encode_frame(bytes([1, 0xC0]) + body[2:])))
    path = recorded(tmp_path / "tap.pcapng", tap)
    words = log_option(tmp_path / "keys.log")
    assert statuses(path, *words)[-7:] == [SENT_AGAIN, *(2 * [UNOPENED]), *(2 * [SENT_AGAIN]), *(2 * [REFUSED])]
    assert set(statuses(path, *words)[:-7]) == {OPENED}
    said = infos(path, *words)[-7:]
    assert said[0] == "Event: Card drawn, sealed, sent again"
    assert said[1] == "Event: Card drawn, sealed, does not open"
    assert said[-2].startswith("Refused on the sealed line: ")
    assert said[-1] == "Refused on the sealed line: Event: Card drawn, sealed"
    assert len(run("-r", path, "-Y", "tdp.expert.sealed_again", *words).splitlines()) == 3
    assert len(run("-r", path, "-Y", "tdp.expert.unopened", *words).splitlines()) == 2
    assert len(run("-r", path, "-Y", "tdp.expert.not_taken", *words).splitlines()) == 2


def test_a_call_sent_again_begins_no_new_window(tmp_path: Path) -> None:
    """Someone plays a whole session again, call and all: nothing of it opens a second time."""
    pair = emitted(started(tmp_path / "keys.log"), 12)
    shift_ns = pair.tap[-1].at_ns - pair.tap[0].at_ns + 1_000 * MS
    again = [Tapped(each.at_ns + shift_ns, each.from_host, each.data) for each in pair.tap]
    path = recorded(tmp_path / "tap.pcapng", [*pair.tap, *again])
    found = statuses(path, *log_option(tmp_path / "keys.log"))
    assert found == [OPENED] * (len(found) // 2) + [SENT_AGAIN] * (len(found) // 2)


@pytest.mark.more
def test_an_earlier_session_sent_again_takes_nothing_from_the_one_that_goes_on(tmp_path: Path) -> None:
    """Its keys are in the log too, and calls of no one come between. Neither end takes them."""
    pair = started(tmp_path / "keys.log", seal_timing=SealTiming(rekey_ns=1_000 * MS))
    emitted(pair, 40)
    heads = [bodies(each.data)[0] for each in pair.tap]
    call = next(at for at, head in enumerate(heads) if head[6:8] == b"\x0b\0" and at > 10)
    answer = next(at for at, head in enumerate(heads) if head[6:8] == b"\x0c\0" and at > call)
    earlier, later = pair.tap[2:call], [pair.tap[call], *pair.tap[answer:]]
    shift_ns = later[0].at_ns - pair.tap[0].at_ns
    choose = Random(5)
    calls = [encode_frame(b"\1\0\7\0\0\0\x0b\0" + choose.randbytes(56)) for _ in range(12)]
    tap = [later[0], *(Tapped(later[0].at_ns, True, call) for call in calls), *later[1:30]]
    tap += [Tapped(each.at_ns + shift_ns, each.from_host, each.data) for each in earlier]
    path = recorded(tmp_path / "tap.pcapng", [*tap, *later[30:]])
    found = statuses(path, *log_option(tmp_path / "keys.log"))
    in_earlier = sum(head[1] >> 7 for head in heads[2:call])
    assert in_earlier > 20
    assert found.count(UNOPENED) == in_earlier
    assert found.count(OPENED) == sum(head[1] >> 7 for head in heads[answer:])


# ------------------------------------------------------------------ certificates and signed measurements


def test_a_certificate_and_a_signed_measurement_are_shown_by_field(tmp_path: Path) -> None:
    choose = Random(3)
    certificate = Certificate(choose.randbytes(32), choose.randbytes(64))
    statement = Statement(262_144, choose.randbytes(32), choose.randbytes(32), choose.randbytes(64))
    texts = ("Example", "PS-1", "00017", "1.4.2", bytes(32))
    hello = m.HelloReplyMessage(0x1001, 1, 0, 1, 4, 1, 0x3CF, 1, 42, 256, *texts)
    measured = m.MeasuredMessage(0x1001, choose.randbytes(16), 1, 1, choose.randbytes(32))
    tap = [
        Tapped(START_NS, False, encode_frame(encode(hello, extensions=(certificate.extension(),)))),
        Tapped(START_NS + MS, False, encode_frame(encode(measured, extensions=(statement.extension(),)))),
    ]
    path = recorded(tmp_path / "attested.pcapng", tap)
    names = ("certificate.key", "certificate.signature", "signed.length", "signed.sha256", "signed.line_key")
    words = [word for name in (*names, "signed.signature") for word in ("-e", f"tdp.extension.{name}")]
    first, second = run("-r", path, "-T", "fields", *words).rstrip("\n").split("\n")
    assert first.strip("\t").split("\t") == [certificate.key.hex(), certificate.signature.hex()]
    sha256, line_key, signature = (each.hex() for each in (statement.sha256, statement.line_key, statement.signature))
    assert second.strip("\t").split("\t") == ["262144", sha256, line_key, signature]
    shown = run("-r", path, "-O", "tdp")
    assert "Type: certificate of the maker (0x03)" in shown
    assert "Type: signed measurement (0x02)" in shown


# ------------------------------------------------------------------ a table, its devices in another process


class Tap(threading.Thread):
    """A serial server between host and device that notes what passes."""

    def __init__(self, device_port: int) -> None:
        super().__init__(daemon=True)
        self.tap: list[Tapped] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self._device_port = device_port

    def run(self) -> None:
        host, _ = self._server.accept()
        device = socket.create_connection(("127.0.0.1", self._device_port), PATIENCE_S)
        back = threading.Thread(target=self._one_way, args=(device, host, False), daemon=True)
        back.start()
        self._one_way(host, device, True)
        back.join(PATIENCE_S)
        for each in (host, device, self._server):
            each.close()

    def _one_way(self, source: socket.socket, target: socket.socket, from_host: bool) -> None:
        with suppress(OSError):  # the other end is gone
            while data := source.recv(65536):
                self.tap.append(Tapped(time.time_ns(), from_host, data))
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)


def as_the_link_has_them(pieces: list[Piece]) -> list[tuple[tuple[str, str], ...]]:
    """The fields of frames without flags and link sequence, which the seal writes; and without HELLO, which it
    repeats."""
    kept = [piece for piece in plain([pieces])[0] if ("message", "1") not in piece.fields]
    own = ("flags", "flags.sealed", "link_sequence")
    return [tuple(each for each in piece.fields if each[0] not in own) for piece in kept]


def in_journal(folder: Path, from_host: bool) -> list[Piece]:
    """The frames of the shuffler's line as the journal's export has them."""
    journal, framer = Capture.read(folder / "journal.pcapng"), Framer()
    chunks = [each for each in journal.chunks if journal.interfaces[each.interface].device == "shuffler"]
    pieces = [piece for each in chunks if each.sent is from_host for piece in framer.feed(each.data)]
    return [Piece("tdp", tuple(tdp_fields(piece))) for piece in pieces if isinstance(piece, Frame)]


@pytest.mark.more
def test_what_tshark_opens_of_a_table_is_what_its_journal_has(tmp_path: Path) -> None:
    keyed(tmp_path)
    inner = free_port()
    tap = Tap(inner)
    tap.start()
    words = ("--identity", str(tmp_path / "ids"), "--shuffler", f"tcp:{inner}", "--controller", "pty")
    with dealing(tmp_path, *words) as addresses:
        file = sealed_configuration(tmp_path, {**addresses, "shuffler": f"tcp://127.0.0.1:{tap.port}"})
        file.write_text(file.read_text().replace(LINES, f'{LINES}key-log = "keys.log"\n'))
        service, listener = opened_service(file)
        with service:
            run_until(service, lambda: len(listener.of("settlement")) >= 2)
    tap.join(PATIENCE_S)
    with journal_reader(tmp_path) as reader:
        export_capture(reader, "table-1", tmp_path / "journal.pcapng")
    path, options = recorded(tmp_path / "tap.pcapng", tap.tap), log_option(tmp_path / "keys.log")
    assert set(statuses(path, *options)) == {OPENED}
    for side, from_host in zip(opened(path, *options), (True, False), strict=True):
        theirs, mine = as_the_link_has_them(side), as_the_link_has_them(in_journal(tmp_path, from_host))
        both = min(len(mine), len(theirs))  # at the end something was on its way
        assert both > 20
        assert theirs[:both] == mine[:both]
