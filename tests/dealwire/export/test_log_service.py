"""Services whose logs are at a real broker: they cosign one another, a regulator cosigns both, and an older copy that
was put back does not begin."""

import asyncio
import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import httpx
import paho.mqtt.client as paho
import pytest
from click.testing import CliRunner
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from dealwire.cli import main
from dealwire.cli.exits import Exit
from dealwire.export.broker import Broker, BrokerUnusable
from dealwire.export.marks import fetch_note
from dealwire.export.topics import Address
from dealwire.journal import JournalReader
from dealwire.journal.errors import JournalError
from dealwire.journal.proving import newest_note
from dealwire.journal.records import COSIGNED, LOG
from dealwire.journal.signing import (
    LOG_TYPE,
    WITNESS_TYPE,
    NoteVerifier,
    SigningPair,
    TreeHead,
    note_parts,
    opened_note,
)
from dealwire.journal.witnessing import named_of
from tests.dealwire.export.test_cosigning import NAME, REGULATOR, Regulator, running
from tests.dealwire.export.test_marks import copied, put_back
from tests.support.rigs.brokers import Mosquitto, hang_up, needs_mosquitto, running_broker
from tests.support.rigs.patience import PATIENCE_S, wait_until
from tests.support.rigs.serving import Program, simulators_here, write_configuration

pytestmark = [needs_mosquitto, pytest.mark.more]
SITES = ("north", "south")


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    with running_broker(tmp_path / "broker", *Mosquitto.KEEPS) as made:
        yield made


class Pit:
    """A service's folder: configuration, signing key, journal."""

    def __init__(self, folder: Path, site: str, broker: Mosquitto, addresses: dict[str, str]) -> None:
        folder.mkdir()
        self.folder, self.site, self._broker, self._addresses = folder, site, broker, addresses
        self.pair = SigningPair.new(folder / "table.sign")
        self.journal = folder / "journal.sqlite"
        self.name = f"{site}/table-1"

    def file(self, witnesses: tuple[str, ...] = (), cosigns: str = "") -> Path:
        top = 'signing-key-file = "table.sign"\ncheckpoint-seconds = 1\n'
        top += "".join(f'[[journal.witness]]\nkey = "{each}"\nneeded = true\n' for each in witnesses)
        top += "[console]\nport = 0\n" if cosigns else ""
        top += f'[exports.mqtt]\nurl = "{self._broker.url}"\nsite = "{self.site}"\n{cosigns}'
        return write_configuration(self.folder, [self._addresses], top=top)

    def note(self) -> str:
        at = Address(self.site, "table-1")
        try:
            return asyncio.run(fetch_note(Broker.parse(self._broker.url), at, PATIENCE_S)) or ""
        except BrokerUnusable:  # it was busy; whoever waits looks again
            return ""

    def origin(self) -> str:
        """Return the name of the log of which the broker has a checkpoint; empty while the broker is busy."""
        return named_of(note) if (note := self.note()) else ""

    def log(self) -> NoteVerifier:
        return NoteVerifier(named_of(self.note()), LOG_TYPE, self.pair.public)

    def cosigners(self) -> set[str]:
        try:
            with JournalReader(self.journal) as reader:
                return {str(json.loads(record.payload)["by"]) for record in reader.all_of(COSIGNED)}
        except JournalError:  # it is being made
            return set()


def states_shown(program: Program) -> dict[str, str]:
    """Return the state of each witness that the console's process of a service shows; nothing before it answers."""
    address = re.findall(r"console: (http://\S+)", program.text)[-1:]
    try:
        found = httpx.get(f"{address[0]}log.json", timeout=PATIENCE_S).json()
    except (IndexError, httpx.HTTPError):
        return {}
    assert found.get("checkpoint", 0) <= found.get("leaves", 0)
    return {each["name"]: each["state"] for each in found.get("witnesses", ()) if each["size"]}


def test_two_services_and_a_regulator_cosign(broker: Mosquitto, tmp_path: Path) -> None:
    with simulators_here(2, speed=100) as addresses, ExitStack() as stack:
        pits = [Pit(tmp_path / site, site, broker, at) for site, at in zip(SITES, addresses, strict=True)]
        for pit in pits:
            with Program(pit.file()) as program:
                program.wait_for(lambda: bool(pit.note()))  # noqa: B023
                assert program.end() == Exit.GOOD
        logs = [pit.log() for pit in pits]
        regulator = Regulator(broker, tmp_path / "state", *logs, tables=("+/+",))
        stack.enter_context(running(regulator.run))
        programs = []
        for pit, other, log in zip(pits, reversed(pits), reversed(logs), strict=True):
            (pit.folder / "logs").write_text(f"{log}\n")
            witnesses = (REGULATOR.vkey(NAME, WITNESS_TYPE), other.pair.vkey(other.name, WITNESS_TYPE))
            cosigns = f'cosigns = ["{other.site}/*"]\ncosign-keys = "logs"\n'
            programs.append(stack.enter_context(Program(pit.file(witnesses, cosigns))))
        for pit, other, program in zip(pits, reversed(pits), programs, strict=True):
            program.wait_for(lambda: pit.cosigners() == {NAME, other.name})  # noqa: B023
            program.wait_for(lambda: states_shown(program) == {NAME: "fresh", other.name: "fresh"})  # noqa: B023
        for program in programs:
            assert program.end() == Exit.GOOD
        assert regulator.alarms == []
        for pit, other in zip(pits, reversed(pits), strict=True):
            assert len((pit.folder / "journal.sqlite.cosigned").read_bytes()) <= 89
            keys = [pit.log(), NoteVerifier(NAME, WITNESS_TYPE, REGULATOR.public)]
            with JournalReader(pit.journal) as reader:
                record = reader.newest_of(COSIGNED)
                assert record is not None
                note = newest_note(reader, json.loads(record.payload)["size"]).note
            _, signers = opened_note(note, [*keys, NoteVerifier(other.name, WITNESS_TYPE, other.pair.public)])
            assert {each.name for each in signers} > {pit.log().name}


def test_an_older_copy_put_back_is_found_at_the_start(broker: Mosquitto, tmp_path: Path) -> None:
    """By the checkpoint that the broker remembers, though its mark was deleted."""
    with simulators_here(speed=100) as addresses:
        pit = Pit(tmp_path / "north", "north", broker, addresses[0])
        file, old = pit.file(), tmp_path / "old.sqlite"
        with Program(file) as program:
            program.wait_for(lambda: bool(pit.note()))
            assert program.end() == Exit.GOOD
        copied(pit.journal, old)
        with JournalReader(old) as reader:
            size = newest_note(reader).head.size  # the last checkpoint of a service may be published by the next
        with Program(file) as program:
            program.wait_for(lambda: bool(note := pit.note()) and TreeHead.parse(note_parts(note)[0]).size > size)
            assert program.end() == Exit.GOOD
        newest, origin = pit.note(), pit.log().name
        lost = retained(broker)
        say(broker, lost[SENT]._replace(payload=b""))
        put_back(old, pit.journal)
        with Program(file) as program:
            assert program.process.wait(300) == Exit.PROTOCOL
            line = program.text.splitlines()[-1]
        assert "the end was cut off, or it is an older copy" in line
        assert "--trust-journal" in line
        checked = CliRunner().invoke(main, ["run", "--check", str(file)])
        assert checked.exit_code == Exit.PROTOCOL
        assert pit.note() == newest
        with Program(file, "--trust-journal") as program:
            program.wait_for(lambda: pit.origin() not in ("", origin))  # another name: no size is signed twice
            assert program.end() == Exit.GOOD
        serves_with(file, pit, broker, lost)
        second = retained(broker)
        put_back(old, pit.journal)  # it does not know the log that began with that decision
        with Program(file) as program:
            assert program.process.wait(300) == Exit.PROTOCOL
        with Program(file, "--trust-journal") as program:
            program.wait_for(lambda: pit.origin() not in ("", second_name(second)))
            assert program.end() == Exit.GOOD
        with JournalReader(pit.journal) as reader:
            record = reader.newest_of(LOG)
            assert record is not None
            assert json.loads(record.payload)["gives_up"] == [second_name(second)]
        for each in (lost, second):
            serves_with(file, pit, broker, each)


SENT, OPENING, CHECKPOINT = (f"dealwire/v1/north/table-1/{level}" for level in ("sent", "opening", "checkpoint"))


class Kept(NamedTuple):
    """A retained message."""

    topic: str
    payload: bytes
    properties: list[tuple[str, str]]


def second_name(kept: dict[str, Kept]) -> str:
    return named_of(kept[CHECKPOINT].payload.decode())


def retained(broker: Mosquitto) -> dict[str, Kept]:
    """Return mark, certificate and checkpoint, as anyone who reads them at the broker can keep them."""
    found: dict[str, Kept] = {}
    client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)

    def keep(_: object, __: object, message: paho.MQTTMessage) -> None:
        carried = list(getattr(message.properties, "UserProperty", ()))
        found[message.topic] = Kept(message.topic, bytes(message.payload), carried)

    client.on_message = keep
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    for topic in (SENT, OPENING, CHECKPOINT):
        client.subscribe(topic, qos=1)
    wait_until(lambda: len(found) == 3)
    hang_up(client)
    return found


def say(broker: Mosquitto, *messages: Kept) -> None:
    client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    for each in messages:
        carried = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        carried.UserProperty = each.properties
        client.publish(each.topic, each.payload, 1, True, carried).wait_for_publish(PATIENCE_S)
    hang_up(client)


def serves_with(file: Path, pit: Pit, broker: Mosquitto, kept: dict[str, Kept]) -> None:
    """Retain genuine messages of before again; the tables are served all the same."""
    say(broker, *kept.values())
    assert CliRunner().invoke(main, ["run", "--check", str(file)]).exit_code != Exit.PROTOCOL
    with Program(file) as program:
        program.wait_for(lambda: pit.note() not in ("", kept[CHECKPOINT].payload.decode()))
        assert program.end() == Exit.GOOD
    assert "is of a log that was given up, and is ignored" in program.text
