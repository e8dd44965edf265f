"""No unshown face leaves by what a table gives as evidence: to a witness at the broker, to an authority that stamps, to
a subscriber who comes later, by a command about the round in play or the one before, or into the memory of the
console's process. Each hunt is shown to find what is planted."""

from __future__ import annotations

import io
import logging
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import paho.mqtt.client as paho
import pytest
from click.testing import CliRunner
from paho.mqtt.enums import CallbackAPIVersion

from dealwire.cli import main
from dealwire.cli.terminal import log_lines
from dealwire.export import cosigning, log_lane
from dealwire.journal import JournalReader, SealingKey, proving
from dealwire.journal.errors import NotProvable
from dealwire.journal.records import RAW, STAMPED
from dealwire.journal.signing import WITNESS_TYPE, NoteVerifier
from dealwire.service import day_stamps
from dealwire.service.service import Service
from protocol.cards import Card
from protocol.tdp.codec import decode
from protocol.tdp.framing import Framer
from protocol.tdp.messages import PacketDispensedMessage
from tests.dealwire.export.test_cosigning import NAME, REGULATOR, Regulator, running
from tests.dealwire.test_console_apart import CONSOLE, address_of, console_process, held
from tests.dealwire.test_day_stamps import authority, serving
from tests.support.evenings.reported_table import reading
from tests.support.rigs.brokers import Mosquitto, eventually, hang_up, needs_mosquitto, running_broker
from tests.support.rigs.face_hunt import SITE, TABLE, FaceHunt, Watcher, without_base64
from tests.support.rigs.hidden_faces import faces_in
from tests.support.rigs.patience import PATIENCE_S
from tests.support.rigs.people import PASSWORDS, person_entry, users_file
from tests.support.rigs.serving import Program, published, rounds_in, simulators_here, write_configuration

pytestmark = [needs_mosquitto, pytest.mark.more]

ACES = "AC AD AH AS"
"""Planted faces: at least one of them is hidden at some time."""
COMMANDS = {
    "prove in play": ("prove", "{now}", "{journal}", "--to", "{folder}", "--overwrite"),
    "prove after": ("prove", "{before}", "{journal}", "--to", "{folder}", "--overwrite"),
    "checkpoint": ("checkpoint", "{journal}"),
    "grown": ("grown", "{journal}", "--from", "1"),
    "round in play": ("round", "{now}", "{journal}"),
    "show": ("show", "{journal}"),
    "request": ("request", "start-over", "{journal}", "--users", "{users}", "--who", "a.smith", "--why", "a reason",
                "--stdin"),
}  # fmt: skip
SILENT = {"time-stamp request", "retained", "prove in play", "proof after", "checkpoint", "grown", "request",
          "witness's memory"}  # fmt: skip
"""Outlets that never name a face."""


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    """One for each hunt: what another left there is not its own."""
    with running_broker(tmp_path / "broker") as made:
        yield made


def retained_at(broker: Mosquitto) -> dict[str, bytes]:
    """Return what a subscriber who comes now is given at once."""
    found: dict[str, bytes] = {}
    client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
    client.on_message = lambda _, __, each: found.update({each.topic: bytes(each.payload)}) if each.retain else None
    client.on_connect = lambda client, *_: client.subscribe("#", qos=1)
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    eventually(lambda: any(topic.endswith("/checkpoint") for topic in found), "no checkpoint is retained")
    hang_up(client)
    return found


def without_randomness(query: bytes) -> str:
    """Return a time-stamp request without its imprint and nonce, as text: in random bytes a face stands by chance."""
    at = query.index(b"\x04\x20") + 2  # an octet string of 32 bytes
    assert query[at + 32] == 2, "an integer follows, the nonce"
    return (query[:at] + query[at + 34 + query[at + 33] :]).decode("latin-1")


class EvidenceOutlets:
    """A witness at the broker, an authority, a late subscriber and a person with a terminal."""

    def __init__(self, folder: Path, broker: Mosquitto, tsa: Path, url: str) -> None:
        self._folder, self._broker, self._tsa = folder, broker, tsa
        self.settings = f'timestamp-url = "{url}"\ntimestamp-ca-file = "{tsa / "tsa.pem"}"\n'
        self.settings += f'[[journal.witness]]\nkey = "{REGULATOR.vkey(NAME, WITNESS_TYPE)}"\nneeded = true\n'
        self.regulator: Regulator
        self._service: Service
        self._records = 0
        users_file(folder, person_entry("a.smith", badge=4711))
        self.refusals: set[str] = set()
        self._proven: set[str] = set()

    @contextmanager
    def served(self, service: Service, journal: Path) -> Iterator[None]:
        self._service, self._journal = service, journal
        log = service.journal.checkpoints
        assert log.pair is not None
        key = NoteVerifier.parse(log.pair.vkey(log.log.origin))
        self.regulator = Regulator(self._broker, self._folder / "memory", key, tables=(f"{SITE}/*",))
        with running(self.regulator.run):
            yield

    def new(self) -> Iterator[tuple[str, str]]:
        if (query := self._tsa / "query").exists():
            data = query.read_bytes()
            yield "time-stamp request", without_randomness(data) if b"\x04\x20" in data else data.decode("latin-1")
        if (memory := self._folder / "memory").exists():
            yield "witness's memory", without_base64(memory.read_text())
        for topic, payload in retained_at(self._broker).items():
            yield "retained", f"{topic} {without_base64(payload.decode('utf-8', 'replace'))}"
        yield from self._commands()

    def _commands(self) -> Iterator[tuple[str, str]]:
        view = self._service.hub.shown()[TABLE]
        proofs = self._folder / "proofs"
        words = {"now": view.round, "before": max(view.round - 1, 0), "journal": self._journal, "folder": proofs}
        words["users"] = self._folder / "users.toml"
        for outlet, command in COMMANDS.items():
            given = [each.format(**words) for each in command]
            done = CliRunner().invoke(main, ["journal", *given], input=f"{PASSWORDS['a.smith'][0]}\n")
            assert not isinstance(done.exception, Exception), (outlet, done.exception)
            if done.exit_code:
                self.refusals.add(f"{outlet}: {done.output.splitlines()[-1]}")
            lines = done.output.splitlines(keepends=True)
            if outlet == "show":  # what was shown in an earlier round stays there
                lines, self._records = lines[self._records :], len(lines)
            yield outlet, without_base64("".join(lines))
        for path in proofs.glob("*.proof"):
            yield "proof after", path.read_bytes().hex()
        for path in proofs.glob("*.json"):
            if (line := path.read_text()) not in self._proven:  # what was shown in an earlier round stays there
                self._proven.add(line)
                yield "proven line", line


@pytest.fixture
def outlets(tmp_path: Path, broker: Mosquitto) -> Iterator[EvidenceOutlets]:
    tsa = authority(tmp_path, "tsa")
    with serving(tsa) as url:
        yield EvidenceOutlets(tmp_path, broker, tsa, url)


def hunted(folder: Path, broker: Mosquitto, outlets: EvidenceOutlets) -> FaceHunt:
    hunt = FaceHunt(folder, broker, reading("two-rounds"), beside=outlets)
    hunt.run()
    assert len(hunt.truth.hidden) >= 15, "hardly a face was hidden, so nothing was hunted"
    return hunt


def test_no_evidence_names_an_unshown_face(tmp_path: Path, broker: Mosquitto, outlets: EvidenceOutlets) -> None:
    hunt = hunted(tmp_path, broker, outlets)
    assert not hunt.leaks, hunt.leaks[0]
    assert all(hunt.searched[each] for each in SILENT | COMMANDS.keys() | {"proven line"}), hunt.searched
    assert not any(hunt.named[each] for each in SILENT), hunt.named
    assert hunt.named["proven line"], "a line names what was shown"
    assert any("it has not ended" in each for each in outlets.refusals if each.startswith("prove in play")), (
        outlets.refusals
    )
    assert outlets.regulator.alarms == []
    assert outlets.regulator.witness.kept, "nothing was cosigned"
    with JournalReader(tmp_path / "journal.sqlite") as reader:
        assert reader.newest_of(STAMPED) is not None


def test_the_hunt_finds_a_face_in_each_kind_of_evidence(
    tmp_path: Path, broker: Mosquitto, outlets: EvidenceOutlets, monkeypatch: pytest.MonkeyPatch
) -> None:
    growth, cosignature, newest = log_lane.growth, cosigning.cosignature, proving.newest_note

    def careless_newest(reader: JournalReader, size: int | None = None) -> Any:
        found = newest(reader) if size is None else newest(reader, size)
        return found._replace(note=f"{found.note}{ACES}\n")

    def careless_stamp(url: str, note: str, _: object) -> Any:
        httpx.post(url, content=ACES.encode(), headers={"content-type": "application/timestamp-query"})
        raise day_stamps.StampRefused("none")

    def careless_refusal(self: NotProvable, path: object, why: str) -> None:
        Exception.__init__(self, f"{why}: {ACES}")

    monkeypatch.setattr(log_lane, "growth", lambda *given: f"{growth(*given)}{ACES}\n")
    monkeypatch.setattr(cosigning, "cosignature", lambda *given: f"{cosignature(*given)}{ACES}\n")
    monkeypatch.setattr(proving, "newest_note", careless_newest)
    monkeypatch.setattr(log_lane, "newest_note", careless_newest)
    monkeypatch.setattr(day_stamps, "fetched", careless_stamp)
    monkeypatch.setattr(NotProvable, "__init__", careless_refusal)
    hunt = hunted(tmp_path, broker, outlets)
    found = {outlet for outlet, _, _ in hunt.leaks}
    assert found >= {"mqtt, no line", "retained", "time-stamp request", "prove in play", "checkpoint"}, found


# ------------------------------------------------------------------ the memory of the console's process

LEAST = 5
"""Cards in a row that do not stand in a process's memory by chance."""
MOST = 12
"""Packets that are looked for: the newest."""
PAGES = ("", "wall", *(f"table/table-1{each}" for each in ("", "/rounds", "/round/1", "/round/2.json", "/replay")),
         "replay/journal%20of%20table-1")  # fmt: skip
PLANTED = bytes([0x11, 0x25, 0x33, 0x01, 0x0C])


def spellings(codes: Sequence[int]) -> set[bytes]:
    """Return cards in their order as they might be kept: as on the line, in a line of JSON, in text."""
    texts = [Card(code).text for code in codes]
    return {bytes(codes), *(between.join(texts).encode() for between in ("", " ", ",", ", ", '","', '", "', "', '"))}


def packets_read(folder: Path) -> list[bytes]:
    """Return the cards of each packet that the shuffler read, from the raw record, oldest first."""
    framers, found = defaultdict[int, Framer](Framer), list[bytes]()
    with JournalReader(folder / "journal.sqlite", SealingKey.load(folder / "journal.key")) as reader:
        passed = (each for record in reader.records() if record.kind in RAW for each in reader.passed(record))
        for each in passed:
            for body in framers[each.line].bodies(each.data) if not each.sent else ():
                message = decode(body).message if isinstance(body, bytes) else None
                if isinstance(message, PacketDispensedMessage) and len(message.cards) >= LEAST:
                    found.append(bytes(message.cards))
    return found


def hidden_in(folder: Path, packets: Sequence[bytes]) -> list[bytes]:
    """Return the packets that no published line names."""
    lines = "".join(item.line for item in published(folder))
    return [one for one in packets if not any(each.decode("latin-1") in lines for each in spellings(one))]


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="not here: /proc")
def test_the_console_s_process_holds_no_packet_as_it_was_read(tmp_path: Path) -> None:
    """Neither in its views, nor in what it read of the journal. What is planted in its environment is found there."""
    planted = {f"PLANTED_{n}": os.fsdecode(each) for n, each in enumerate(sorted(spellings(PLANTED)))}
    with (
        simulators_here(scenario="recognition") as addresses,
        Program(write_configuration(tmp_path, addresses, top=CONSOLE), environment=planted) as program,
    ):
        here = address_of(program)
        watchers = [Watcher(here, path) for path in ("/wall/live", "/live/table-1")]
        try:
            program.wait_for(lambda: rounds_in(tmp_path) >= 3)
            for path in PAGES:
                httpx.get(here + path, timeout=PATIENCE_S)
            child = console_process(program)
            packets = packets_read(tmp_path)
            found = held(child, {*spellings(PLANTED), *(each for one in packets[-MOST:] for each in spellings(one))})
            hidden = hidden_in(tmp_path, packets[-MOST:])
        finally:
            for watcher in watchers:
                watcher.close()
        assert program.end() == 0
    assert len(hidden) >= 3, "hardly a packet was hidden, so nothing was hunted"
    assert found >= spellings(PLANTED), "the search does not find what is there"
    assert not [one for one in hidden if found & spellings(one)]
    assert all(watcher.messages for watcher in watchers)


# ------------------------------------------------------------------ a crash

CARELESS = """
import sys
from dealwire.cli import ending, main
from dealwire.service.disk import DiskWatch
from dealwire.service.table_session import TableSession
from devices.events import PacketDispensed
from protocol.cards import spell_cards

where = sys.argv.pop(1)
deliver, cards = TableSession.deliver, []

def delivered(self, seen):
    deliver(self, seen)
    if isinstance(seen.body, PacketDispensed):
        cards.append(spell_cards(seen.body.cards))
        print("dealt", len(cards), file=sys.stderr)
        if where == "table":
            raise KeyError(cards[-1])

def looked(self, now_ns):
    if cards:
        raise ValueError(f"the disk is full of {cards[-1]}")

TableSession.deliver = delivered
if where == "service":
    DiskWatch.look = looked
main(prog_name="dealwire")
"""


@pytest.mark.parametrize(("where", "why"), [("table", "KeyError"), ("service", "ValueError")])
def test_a_crash_names_its_place_and_no_card(tmp_path: Path, where: str, why: str) -> None:
    """An internal error with a hidden packet in its message, at one table and in the service. No core file is left,
    and no card in the log, in a line, or in any file in clear."""
    assert faces_in(f"{ValueError('the disk is full of QH 2C')}"), "so would a traceback name them"
    with simulators_here(scenario="recognition", speed=20) as addresses:  # the service looks once a second
        file = write_configuration(tmp_path, addresses)
        command = [sys.executable, "-c", CARELESS, where, "run", str(file)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 1, done.stderr
    assert "dealt 1" in done.stderr
    assert f"internal error: {why} at " in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert not faces_in(done.stdout + done.stderr)
    packets = hidden_in(tmp_path, packets_read(tmp_path))
    assert packets, "a packet was hidden"
    hidden = {each for one in packets for each in spellings(one)}
    for path in tmp_path.rglob("*"):
        assert not path.name.startswith("core")
        if path.is_file():
            data = path.read_bytes()
            assert not [each for each in hidden if each in data], path
    with JournalReader(tmp_path / "journal.sqlite") as reader:
        assert not [item.line for item in reader.publications() if item.topic == "status" and faces_in(item.line)]


def test_a_traceback_in_the_log_has_no_message() -> None:
    """Such as that of a page: the server logs what it did not expect."""
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(log_lines("%(message)s"))
    logger = logging.getLogger("careless")
    logger.addHandler(handler)
    try:
        raise KeyError("QH 2C")
    except KeyError:
        logger.exception("in a page")
    finally:
        logger.removeHandler(handler)
    first, *frames, last = out.getvalue().splitlines()
    assert (first, last) == ("in a page", "    KeyError")
    assert "test_evidence_faces.py" in frames[0]
    assert not faces_in(last)
