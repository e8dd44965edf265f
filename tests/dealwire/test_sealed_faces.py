"""No unshown face leaves a table whose lines are sealed: not by the cable, a page for programs, a broker that may know
no card, or a file beside the journal. The tap is opened with the key log, by a cipher that shares no code with the
program: so the faces were there, and no one on the cable could read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptography.exceptions import InvalidTag

from dealwire.cli import main
from protocol.cards import Card
from protocol.tdp.codec import decode
from protocol.tdp.framing import Framer, encode_frame
from protocol.tdp.messages import Kind, PacketDispensedMessage
from tests.dealwire.test_faces_leave_nowhere import OUTLETS, SILENT
from tests.support.evenings.reported_table import reading
from tests.support.rigs.attested import write_trust
from tests.support.rigs.brokers import Mosquitto, needs_mosquitto, running_broker
from tests.support.rigs.face_hunt import FaceHunt, without_base64
from tests.support.rigs.hidden_faces import faces_in
from tests.support.rigs.sealed_host import SEALED, SealedDirection

pytestmark = [needs_mosquitto, pytest.mark.more]

IN_CLEAR = {0x01, 0x02, 0x08, 0x09, 0x0A, 0x0B, 0x0C}
"""Messages that a sealed line sends in clear: the greeting, and the handshakes."""
LEAST = 4
"""Cards in a row that do not stand in sealed bytes by chance."""


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mosquitto]:
    with running_broker(tmp_path_factory.mktemp("broker")) as made:
        yield made


def keys_in(folder: Path) -> list[tuple[bytes, bytes]]:
    """Return the keys of each handshake in the key log: from the host, and to it."""
    words = [line.split() for line in (folder / "lines.log").read_text().splitlines()]
    return [(bytes.fromhex(out), bytes.fromhex(into)) for _, _, out, into in words]


def opened(stream: bytes, keys: Sequence[bytes]) -> tuple[list[bytes], list[bytes]]:
    """Return the frames in a direction that are in clear, and the sealed ones, opened. AssertionError if one does not
    open with any key."""
    clear, plain = [], []
    directions = [SealedDirection(key) for key in keys]
    for body in Framer().bodies(stream):
        assert isinstance(body, bytes), body
        if not body[1] & SEALED:
            clear.append(body)
            continue
        for direction in directions:
            try:
                plain.append(direction.open(body))
                break
            except InvalidTag:
                continue
        else:
            raise AssertionError(f"no key opens {body.hex()}")
    return clear, plain


def packets_in(stream: bytes, keys: Sequence[bytes]) -> list[tuple[bytes, bytes]]:
    """Return the opened frames that report a packet, each with its cards as the frame has them."""
    found = []
    for body in opened(stream, keys)[1]:
        message = decode(body).message
        if isinstance(message, PacketDispensedMessage) and len(message.cards) >= LEAST:
            found.append((body, message.cards))
    return found


@pytest.fixture(scope="module")
def hunt(tmp_path_factory: pytest.TempPathFactory, broker: Mosquitto) -> tuple[FaceHunt, Path]:
    folder = tmp_path_factory.mktemp("pit")
    hunt = FaceHunt(folder, broker, reading("recognition"), sealed=True)
    hunt.run()
    return hunt, folder


def test_no_outlet_of_a_sealed_table_names_an_unshown_face(hunt: tuple[FaceHunt, Path]) -> None:
    """The pages of a program too; to the broker goes `no-cards`, which never names one."""
    found, _ = hunt
    assert len(found.truth.hidden) >= 15, "hardly a face was hidden, so nothing was hunted"
    assert {outlet for outlet, faces in found.named.items() if faces} >= {"hub", "ndjson", "journal"}, found.named
    assert all(found.searched[outlet] for outlet in (OUTLETS - {"mqtt"}) | {"program"}), found.searched
    silent = SILENT | {"mqtt"}
    assert all(found.searched[outlet] for outlet in silent), found.searched
    assert not any(found.named[outlet] for outlet in silent)
    assert not found.leaks, found.leaks[0]


def test_no_face_can_be_read_on_the_cable(hunt: tuple[FaceHunt, Path]) -> None:
    found, folder = hunt
    assert found.wire is not None
    outs, intos = zip(*keys_in(folder), strict=True)
    wire = bytes(found.wire.to_host["shuffler"])
    packets = packets_in(wire, intos)
    read = {Card(code).text for _, cards in packets for code in cards}
    assert len(read & found.truth.hidden) >= 15, "the faces were in these frames"
    for body, cards in packets:
        assert cards in encode_frame(body), "the search finds them on a plain line"
        assert cards not in wire
    both = [(stream, intos) for stream in found.wire.to_host.values()]
    both += [(stream, outs) for stream in found.wire.to_device.values()]
    for stream, keys in both:
        clear, plain = opened(bytes(stream), keys)
        assert {body[2] for body in clear} == {Kind.LINK}
        assert {body[6] for body in clear} <= IN_CLEAR
        assert plain


def test_the_length_of_a_sealed_frame_depends_on_no_face(hunt: tuple[FaceHunt, Path]) -> None:
    """As many cards have one length, whichever they are."""
    found, folder = hunt
    assert found.wire is not None
    intos = [into for _, into in keys_in(folder)]
    packets = packets_in(bytes(found.wire.to_host["shuffler"]), intos)
    assert len({cards for _, cards in packets}) >= 3
    assert len({len(body) - len(cards) for body, cards in packets}) == 1


def test_no_file_beside_the_journal_has_a_face_or_a_key_of_a_line(hunt: tuple[FaceHunt, Path]) -> None:
    """The raw record, which the links saw in clear, is sealed with the journal's key. Keys of the lines stand in the
    key log alone, which is private and was asked for."""
    found, folder = hunt
    assert found.wire is not None
    keys = keys_in(folder)
    packets = packets_in(bytes(found.wire.to_host["shuffler"]), [into for _, into in keys])
    assert packets
    named = {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert {"journal.sqlite", "host.key", "lines.log"} <= named.keys()
    log = named.pop("lines.log")
    secrets = {form for pair in keys for key in pair for form in (key, key.hex().encode())}
    assert any(secret in log for secret in secrets)
    for name, data in named.items():
        assert not [secret for secret in secrets if secret in data], name
        assert not [cards for _, cards in packets if cards in data], name
    assert (folder / "lines.log").stat().st_mode & 0o777 == 0o600


COMMANDS = (
    ("journal", "verify", "FILE"),
    ("journal", "checkpoint", "FILE"),
    ("journal", "grown", "FILE", "--from", "1"),
    ("journal", "prove", "1", "FILE", "--to", "OUT"),
    ("device", "attest", "journal", "FILE", "--makers", "MAKERS"),
    ("device", "keys", "list", "--keys", "KEYS", "--json"),
    ("users", "list", "USERS", "--json"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_command_about_keys_proofs_or_people_names_a_face(
    hunt: tuple[FaceHunt, Path], command: tuple[str, ...], tmp_path: Path
) -> None:
    _, folder = hunt
    named = {"FILE": "journal.sqlite", "KEYS": "line-keys", "USERS": "users.toml", "OUT": "proofs"}
    given = [str(folder / named[each]) if each in named else each for each in command]
    write_trust(tmp_path)
    done = CliRunner().invoke(main, [str(tmp_path / "makers.pub") if each == "MAKERS" else each for each in given])
    assert done.output
    assert "no such" not in done.output.lower()
    assert not faces_in(without_base64(done.output))
