"""A time stamp a day, by an authority of its own: `openssl ts` behind an HTTP server. A stamp of another checkpoint, of
another request, or of an authority that is not trusted is refused."""

from __future__ import annotations

import base64
import json
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import date
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

from dealwire.cli import main
from dealwire.config.schema import JournalPart
from dealwire.journal import Journal, JournalReader
from dealwire.journal.check import verify
from dealwire.journal.errors import JournalDamaged, KeyProblem, StampRefused
from dealwire.journal.records import CHECKPOINT, STAMPED
from dealwire.journal.segments import export_segment
from dealwire.journal.signing import SigningPair
from dealwire.journal.stamping import authority_of, check_stamps, fetched, stamped_fields
from dealwire.service.day_stamps import OVERDUE_NS, DayStamps
from devices.clock import ManualClock, SystemClock
from tests.dealwire.test_journal_forged import rewrite, richer
from tests.support.rigs.patience import wait_until

CONFIGURATION = """[tsa]
default_tsa = t
[t]
serial = ./serial
crypto_device = builtin
signer_cert = ./tsa.pem
certs = ./tsa.pem
signer_key = ./tsa.key
signer_digest = sha256
default_policy = 1.2.3.4
digests = sha256
ordering = no
tsa_name = no
ess_cert_id_chain = no
[ext]
extendedKeyUsage = critical,timeStamping
basicConstraints = critical,CA:true
[req]
distinguished_name = name
[name]
"""
SIGNER = SigningPair.of_seed(bytes(range(32)))
NOW_NS = SystemClock().now_ns()
"""The authority states the real time, from which a table's clock may not be far."""
DAYS = [date.fromtimestamp(NOW_NS / 1e9 + 86400 * each).isoformat() for each in (0, 1)]
DAY_NS = 24 * 3600 * 10**9


def openssl(folder: Path, arguments: str) -> str:
    done = subprocess.run(["openssl", *arguments.split()], cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def authority(folder: Path, name: str, days: int = 3650) -> Path:
    """Make an authority's key and certificate in a folder of its own."""
    made = folder / name
    made.mkdir()
    (made / "tsa.cnf").write_text(CONFIGURATION)
    (made / "serial").write_text("01\n")
    openssl(made, f"req -x509 -newkey rsa:2048 -nodes -days {days} -subj /CN={name} -keyout tsa.key -out tsa.pem "
            "-config tsa.cnf -extensions ext")  # fmt: skip
    return made


@pytest.fixture(scope="module")
def tsa(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return authority(tmp_path_factory.mktemp("tsa"), "tsa")


@contextmanager
def serving(folder: Path, spoil: Callable[[bytes], bytes] = lambda answer: answer) -> Iterator[str]:
    """Run the authority behind HTTP; yield its address."""

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.headers["Content-Type"] == "application/timestamp-query"
            (folder / "query").write_bytes(self.rfile.read(int(self.headers["Content-Length"])))
            openssl(folder, "ts -reply -config tsa.cnf -queryfile query -out answer")
            answer = spoil((folder / "answer").read_bytes())
            self.send_response(200)
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def journal_of(path: Path) -> Journal:
    return Journal(path, key=None, clock=ManualClock(), signer=SIGNER)


def part_of(path: Path, url: str, tsa: Path) -> JournalPart:
    return JournalPart.model_validate(
        {"path": path, "signing-key-file": path, "timestamp-url": url, "timestamp-ca-file": tsa / "tsa.pem"}
    )


def beat(stamps: DayStamps, now_ns: int) -> list[str]:
    """Beat until nothing is under way; return the warnings."""
    found = [stamps.beat(now_ns)]

    def is_over() -> bool:
        if stamps.busy:
            found.append(stamps.beat(now_ns))
        return not stamps.busy

    wait_until(is_over, "the authority's answer")
    return [each for each in found if each is not None]


def test_a_day_is_stamped_and_openssl_agrees(tmp_path: Path, tsa: Path) -> None:
    path = tmp_path / "j"
    with serving(tsa) as url, journal_of(path) as journal:
        stamps = DayStamps(journal, part_of(path, url, tsa))
        assert beat(stamps, 1) == [], "no day has begun"
        for number in range(2):
            journal.begin_day(DAYS[number], NOW_NS + number)
            journal.publish("t", "round", number, "{}")
            journal.checkpoints.sign(number)
            for _ in range(2):
                assert beat(stamps, NOW_NS + number + 2) == []
            journal.commit()
        again = DayStamps(journal, part_of(path, url, tsa))
        assert again.stamped_day == DAYS[1], "after a restart it is known"
    with JournalReader(path) as reader:
        verify(reader)
        found = [json.loads(each.payload) for each in reader.all_of(STAMPED)]
        notes = {each.sequence: json.loads(each.payload)["note"] for each in reader.all_of(CHECKPOINT)}
        assert [each.day for each in check_stamps(reader, authority_of(tsa / "tsa.pem"))] == DAYS
    assert len(found) == 2, "one a day"
    (tsa / "note").write_text(notes[found[-1]["checkpoint"]])
    (tsa / "token").write_bytes(base64.b64decode(found[-1]["token"]))
    assert "Verification: OK" in openssl(tsa, "ts -verify -data note -in token -CAfile tsa.pem")
    printed = CliRunner().invoke(main, ["journal", "verify", str(path), "--stamps", str(tsa / "tsa.pem")])
    assert printed.exit_code == 0, printed.output
    assert "2 time stamps, the newest of 20" in printed.output


@pytest.mark.more
def test_a_stamp_of_another_is_refused(tmp_path: Path, tsa: Path) -> None:
    roots = authority_of(tsa / "tsa.pem")
    kept: list[bytes] = []

    def note_first(answer: bytes) -> bytes:
        kept.append(answer)
        return kept[0]

    with serving(tsa, note_first) as url:
        assert fetched(url, "a note\n", roots).token == kept[0]
        with pytest.raises(StampRefused, match="the time stamp is refused"):  # an answer to the request before
            fetched(url, "a note\n", roots)
        with pytest.raises(StampRefused, match="the time stamp is refused"):
            fetched(url, "another note\n", roots)
    with serving(tsa, lambda answer: answer[:-1] + bytes((answer[-1] ^ 1,))) as url, pytest.raises(StampRefused):
        fetched(url, "a note\n", roots)
    with serving(tsa, lambda _: b"nothing") as url, pytest.raises(StampRefused):
        fetched(url, "a note\n", roots)
    other = authority(tmp_path, "other")
    with serving(other) as url, pytest.raises(StampRefused, match="the time stamp is refused"):
        fetched(url, "a note\n", roots)
    with pytest.raises(StampRefused, match="Connection refused"):
        fetched(url, "a note\n", roots)
    (tmp_path / "empty.pem").write_text("")
    with pytest.raises(KeyProblem, match="holds no certificate in PEM"):
        authority_of(tmp_path / "empty.pem")


def test_a_stamp_in_a_journal_that_is_not_its_checkpoint_s_is_damage(tmp_path: Path, tsa: Path) -> None:
    path, roots = tmp_path / "j", authority_of(tsa / "tsa.pem")
    with serving(tsa) as url, journal_of(path) as journal:
        journal.checkpoints.sign(1)
        sequence, _ = journal.checkpoints.noted or (0, "")
        other = "another note\n"
        fields = stamped_fields(other, sequence, "2026-11-01", url, fetched(url, other, roots).token)
        journal.stamped(fields, 2)
        journal.commit()
    with JournalReader(path) as reader, pytest.raises(JournalDamaged, match="it is not of the checkpoint of record"):
        list(check_stamps(reader, roots))


def test_a_day_without_the_authority_warns_once_and_goes_on(tmp_path: Path, tsa: Path) -> None:
    path = tmp_path / "j"
    with serving(tsa) as url:
        pass
    with journal_of(path) as journal:
        journal.begin_day("2026-11-01", 1)
        journal.checkpoints.sign(1)
        stamps = DayStamps(journal, part_of(path, url, tsa))
        assert beat(stamps, 1) == []
        assert beat(stamps, OVERDUE_NS // 2) == []
        [warning] = beat(stamps, OVERDUE_NS + 2)
        assert warning.startswith(f"no time stamp for 24 h: {url} is not reached")
        assert beat(stamps, 2 * OVERDUE_NS) == []
        assert journal.is_open()
    with JournalReader(path) as reader:
        assert reader.newest_of(STAMPED) is None


ODD_STAMPS = {
    "a number beyond SQLite": b'{"sha256":"00","token":"","day":"2026-11-01","checkpoint":' + b"9" * 40 + b"}",
    "deep": b"[" * 200_000,
    "no number": b'{"sha256":"00","token":"","day":"2026-11-01","checkpoint":true}',
    "infinite": b'{"sha256":"00","token":"","day":"2026-11-01","checkpoint":1e400}',
    "text": b'{"sha256":5,"token":5,"day":5,"checkpoint":"5"}',
    "negative": b'{"sha256":"00","token":"","day":"2026-11-01","checkpoint":-5}',
    "no day": b'{"sha256":"00","token":"","day":"x","checkpoint":1}',
}


@pytest.mark.parametrize("begins", [b"HTTP/1.0 200 OK\r\n\r\n", b"HTTP/1.0 200 OK\r\nX: "], ids=["body", "headers"])
def test_an_authority_that_dribbles_is_not_waited_for(begins: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte comes long before the time is over; the whole answer would not."""
    monkeypatch.setattr("dealwire.journal.stamping.WAITS_S", 0.3)
    gone = threading.Event()

    def dribble(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection, suppress(OSError):
            connection.recv(1 << 16)
            connection.sendall(begins)
            for _ in range(30):
                connection.sendall(b"x")
                gone.wait(0.05)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=dribble, args=(listening,))
        thread.start()
        with pytest.raises(StampRefused, match=r"http://127\.0\.0\.1:\d+/: timed out"):
            fetched(f"http://127.0.0.1:{listening.getsockname()[1]}/", "note", [])
        gone.set()
        thread.join()


def test_a_record_of_a_stamp_that_cannot_be_read_is_one_line(tmp_path: Path, tsa: Path) -> None:
    for number, payload in enumerate(ODD_STAMPS.values()):
        path = tmp_path / f"j{number}"
        with journal_of(path) as journal:
            journal.checkpoints.sign(1)
            journal.add(1, 0, STAMPED, "", payload)
            journal.commit()
        printed = CliRunner().invoke(main, ["journal", "verify", str(path), "--stamps", str(tsa / "tsa.pem")])
        assert (printed.exit_code, type(printed.exception)) == (6, SystemExit), printed.output
        assert "a stamped record that cannot be read" in printed.output


def stamped_journal(path: Path, url: str, tsa: Path, *, at_ns: int = NOW_NS, day: str = DAYS[0]) -> None:
    """Write a journal of one round, whose checkpoint an authority stamped; its table's clock stands at `at_ns`."""
    with journal_of(path) as journal:
        journal.begin_day(day, at_ns)
        journal.publish("t", "round", at_ns, '{"table":"t","round":7}')
        journal.publish("t", "settlement", at_ns, '{"table":"t","round":7,"net":5}')
        journal.checkpoints.sign(at_ns)
        sequence, note = journal.checkpoints.noted or (0, "")
        stamp = fetched(url, note, authority_of(tsa / "tsa.pem"))
        journal.stamped(stamped_fields(note, sequence, day, url, stamp.token), at_ns)
        journal.commit()


def stamps_refused(path: Path, tsa: Path) -> str:
    with JournalReader(path) as reader, pytest.raises(JournalDamaged) as caught:
        list(check_stamps(reader, authority_of(tsa / "tsa.pem")))
    return str(caught.value)


def test_a_genuine_stamp_vouches_for_no_rewritten_record(tmp_path: Path, tsa: Path) -> None:
    """The note and its stamp are the genuine ones, over another tree: no key and no authority is needed for that."""
    path = tmp_path / "j"
    with serving(tsa) as url:
        stamped_journal(path, url, tsa)
    with JournalReader(path) as reader:
        [kept] = check_stamps(reader, authority_of(tsa / "tsa.pem"))
        assert kept.compared
        assert kept.late_s < OVERDUE_NS / 1e9
    rewrite(path, richer)
    assert "the journal was rewritten" in stamps_refused(path, tsa)
    printed = CliRunner().invoke(main, ["journal", "verify", str(path), "--stamps", str(tsa / "tsa.pem")])
    assert printed.exit_code == 6
    rewrite(path, richer, SIGNER)  # with the key, but without the authority
    assert "it is not of the checkpoint of record" in stamps_refused(path, tsa)


def test_a_stamp_of_no_checkpoint_counts_for_nothing(tmp_path: Path, tsa: Path) -> None:
    path, text = tmp_path / "j", "somebody's shopping list"
    with serving(tsa) as url:
        stamp = fetched(url, text, authority_of(tsa / "tsa.pem"))
        with journal_of(path) as journal:
            journal.checkpoints.sign(NOW_NS)
            journal.stamped(stamped_fields(text, 0, DAYS[0], url, stamp.token), NOW_NS)
            journal.commit()
    assert "record 0 is no checkpoint before it" in stamps_refused(path, tsa)


def test_a_stamp_of_today_is_of_no_day_long_ago(tmp_path: Path, tsa: Path) -> None:
    long_ago = NOW_NS - 1000 * DAY_NS
    day = date.fromtimestamp(long_ago / 1e9).isoformat()
    with serving(tsa) as url:
        stamped_journal(tmp_path / "clock", url, tsa, at_ns=long_ago, day=day)
        assert "more than 24 h from the time of its record" in stamps_refused(tmp_path / "clock", tsa)
        stamped_journal(tmp_path / "day", url, tsa, day=day)
        assert f"was recorded for the day {day}" in stamps_refused(tmp_path / "day", tsa)


def test_a_stamp_of_a_pruned_checkpoint_is_compared_with_the_leaves_that_stay(tmp_path: Path, tsa: Path) -> None:
    path = tmp_path / "j"
    with serving(tsa) as url:
        stamped_journal(path, url, tsa)
        stamp = fetched(url, "another text", authority_of(tsa / "tsa.pem"))
    with journal_of(path) as journal, JournalReader(path) as reader:
        [old] = reader.all_of(STAMPED)
        fields = json.loads(old.payload)
        journal.begin_day(DAYS[1], NOW_NS)
        journal.stamped(fields, NOW_NS)
        journal.commit()
        [segment] = reader.segments()
        journal.days.exported(segment, "archive/copy", "00", NOW_NS)
        journal.commit()
        [segment] = reader.segments()
        assert journal.days.prune(segment)
        journal.commit()
    with JournalReader(path) as reader:
        verify(reader)
        assert reader.anchor.sequence > fields["checkpoint"]
        [kept] = check_stamps(reader, authority_of(tsa / "tsa.pem"))
        assert kept.compared
    with journal_of(path) as journal:
        journal.stamped(stamped_fields("another text", fields["checkpoint"], DAYS[1], url, stamp.token), NOW_NS)
    assert "it is of no checkpoint" in stamps_refused(path, tsa)


def test_a_clock_that_is_far_off_gets_no_stamp(tmp_path: Path, tsa: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "j"
    with serving(tsa) as url, journal_of(path) as journal:
        journal.begin_day("2023-11-14", 1)
        journal.checkpoints.sign(1)
        assert beat(DayStamps(journal, part_of(path, url, tsa)), 2) == []
    assert "more than 24 h from this machine's time; set its clock" in caplog.text
    with JournalReader(path) as reader:
        assert reader.newest_of(STAMPED) is None


def test_a_stamp_in_the_copy_of_a_day_is_compared_with_the_copy_before_it(tmp_path: Path, tsa: Path) -> None:
    path, trusted = tmp_path / "j", str(tsa / "tsa.pem")
    with serving(tsa) as url, journal_of(path) as journal:
        journal.begin_day(DAYS[0], NOW_NS)
        journal.publish("t", "round", NOW_NS, '{"table":"t","round":7}')
        journal.checkpoints.sign(NOW_NS)
        sequence, note = journal.checkpoints.noted or (0, "")
        journal.begin_day(DAYS[1], NOW_NS)
        stamp = fetched(url, note, authority_of(tsa / "tsa.pem"))
        fields = stamped_fields(note, sequence, DAYS[1], url, stamp.token)
        journal.stamped({name: value for name, value in fields.items() if name != "note"}, NOW_NS)
        journal.begin_day(DAYS[1], NOW_NS)
        journal.commit()
        with JournalReader(path) as reader:
            first, second = (str(export_segment(reader, each, tmp_path / "a")[0]) for each in reader.segments())
    alone = CliRunner().invoke(main, ["journal", "verify", second, "--stamps", trusted])
    assert alone.exit_code == 0, alone.output
    assert "time stamps of checkpoints that are not in these files, which show nothing of them: 1" in alone.output
    both = CliRunner().invoke(main, ["journal", "verify", first, second, "--stamps", trusted])
    assert both.exit_code == 0, both.output
    assert "not in these files" not in both.output
