"""Signed notes, cosignatures and key files: vectors from public knowledge and from a program of ten lines, OpenSSL, and
the forms that C2SP refuses."""

import base64
import hashlib
import os
import struct
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from dealwire.config.load import load_configuration
from dealwire.export.fleet.trust import TrustedKeys
from dealwire.journal.errors import KeyProblem, KeyUnsafe
from dealwire.journal.signing import (
    LOG_TYPE,
    WITNESS_TYPE,
    BadVkey,
    NoteRefused,
    NoteVerifier,
    SigningPair,
    TreeHead,
    cosignature,
    cosigned_at,
    note_of,
    note_parts,
    opened_checkpoint,
    opened_note,
    parsed_line,
    read_log_keys,
    read_vkeys,
    signature_line,
    signed_checkpoint,
)
from dealwire.service.readiness import StartOptions, readiness
from tests.support.rigs.serving import write_configuration

ORIGIN = "dealwire/4be1f702000000000000000000000000/a1a1a1a1a1a1a1a1"
HEAD = TreeHead(ORIGIN, 1234567, bytes(32))
LOG, WITNESS = SigningPair.of_seed(bytes(range(32))), SigningPair.of_seed(bytes(range(1, 33)))
LOG_VKEY = f"{ORIGIN}+4c71a951+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4"
WITNESS_VKEY = "witness.example/w1+468d99bb+BHm1Vi6P5lT5QHixEuipi6eQH4U65pW+1+DjkQutBJZk"
NOTE = f"""{ORIGIN}
1234567
AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=

\u2014 {ORIGIN} THGpUaEMsXAo/yb2HIYPggoU64C37vxoH14tPto7ffe4vF5Wftu4tcFvVWRRYo1yayNrk3vvKSQrhz3AD5jA6KaUFQU=
\u2014 witness.example/w1 Ro2ZuwAAAABrDMkABLSqbvvcJ9aLwPQVLhIYHBFE6sESGDf7JtryriGFsTJcjw9lMmwuIEB8NPB07RsIj6fGiih80ZFR\
S1rgEHi7BQ==
"""
"""Made by ten lines of another program from the specification, with the seeds 00..1f and 01..20."""
TIME = 1_796_000_000


def test_a_note_is_the_specification_s_byte_for_byte() -> None:
    body = HEAD.body
    line = cosignature(body, WITNESS, "witness.example/w1", TIME)
    assert note_of(body, [signature_line(body, LOG, ORIGIN), line]) == NOTE
    assert (LOG.vkey(ORIGIN), WITNESS.vkey("witness.example/w1", WITNESS_TYPE)) == (LOG_VKEY, WITNESS_VKEY)
    log, witness = NoteVerifier.parse(LOG_VKEY), NoteVerifier.parse(WITNESS_VKEY)
    assert opened_note(NOTE, [log, witness]) == (body, [log, witness])
    assert opened_checkpoint(NOTE, [log]) == HEAD
    assert cosigned_at(body, note_parts(NOTE)[1][1], witness) == TIME
    assert signed_checkpoint(HEAD, LOG) == "".join(NOTE.splitlines(keepends=True)[:5])


def test_the_id_of_a_key_is_that_of_a_log_all_know() -> None:
    """The key of the checksum database of Go: name, id and key stand in its tools."""
    key = NoteVerifier.parse("sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8")
    assert (key.name, key.kind, key.key_id.hex()) == ("sum.golang.org", LOG_TYPE, "033de0ae")


def test_a_cosignature_is_made_and_read_as_the_specification_says() -> None:
    line = cosignature(HEAD.body, WITNESS, "w", TIME)
    assert line.signature[:8] == struct.pack(">Q", TIME)
    said = f"cosignature/v1\ntime {TIME}\n{HEAD.body}".encode()
    assert line.signature[8:] == Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33))).sign(said)
    assert line.key_id == hashlib.sha256(b"w\n\x04" + WITNESS.public).digest()[:4]
    assert signature_line(HEAD.body, WITNESS, "w").key_id == hashlib.sha256(b"w\n\x01" + WITNESS.public).digest()[:4]
    witness = NoteVerifier("w", WITNESS_TYPE, WITNESS.public)
    assert parsed_line(str(line)) == line
    other_time = line._replace(signature=struct.pack(">Q", TIME + 1) + line.signature[8:])
    for wrong in (other_time, line._replace(signature=line.signature[:-1]), line._replace(name="x")):
        with pytest.raises(NoteRefused):
            cosigned_at(HEAD.body, wrong, witness)
    with pytest.raises(NoteRefused, match="does not fit"):
        cosigned_at(HEAD._replace(size=1).body, line, witness)


def test_unknown_signatures_are_ignored_and_a_wrong_known_one_refuses() -> None:
    log, lines = NoteVerifier.parse(LOG_VKEY), note_parts(NOTE)[1]
    strangers = [signature_line(HEAD.body, WITNESS, f"stranger-{number}") for number in range(15)]
    assert opened_note(note_of(HEAD.body, [*strangers, lines[0]]), [log]) == (HEAD.body, [log])
    with pytest.raises(NoteRefused, match="no signature by a known key"):
        opened_note(note_of(HEAD.body, strangers), [log])
    wrong = lines[0]._replace(signature=bytes(64))
    with pytest.raises(NoteRefused, match="does not fit"):
        opened_note(note_of(HEAD.body, [*strangers, wrong]), [log])
    with pytest.raises(NoteRefused, match="does not fit"):
        opened_note(NOTE.replace("1234567", "1234568"), [log])
    renamed = NoteVerifier("another", LOG_TYPE, LOG.public)
    with pytest.raises(NoteRefused, match="no signature by a known key of dealwire/"):
        opened_checkpoint(note_of(HEAD.body, [signature_line(HEAD.body, LOG, "another")]), [renamed])


@pytest.mark.parametrize(
    "text",
    [
        NOTE.removesuffix("\n"),
        NOTE.replace("\n\n", "\n"),
        NOTE.replace("\n", "\r\n"),
        NOTE.replace("1234567", "1234567\t"),
        NOTE.replace("\u2014 dealwire", "- dealwire"),
        NOTE.replace("\u2014 dealwire", "\u2014  dealwire"),
        NOTE.replace("UFQU=\n", "UFQU\n"),
        NOTE.replace("UFQU=\n", "UFQV=\n"),
        NOTE + "\n",
        NOTE + "\u2014 name AAAA\n",
        "\n\n" + NOTE.partition("\n\n")[2],
        "",
        NOTE + "\u2014 x AAAAAAAA\n" * 64,
        NOTE.replace("1234567", "1" * 70_000),
    ],
)
def test_a_note_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(NoteRefused):
        opened_note(text, [NoteVerifier.parse(LOG_VKEY)])


@pytest.mark.parametrize(
    "body",
    ["", "x\n", "x\n1\n", "x\n01\nAAAA\n", f"x\n-1\n{'A' * 43}=\n", f"x\n1\n{'A' * 40}\n", f"x\n1\n{'A' * 43}="],
)
def test_a_text_that_is_no_checkpoint_is_refused(body: str) -> None:
    with pytest.raises(NoteRefused, match="not a checkpoint"):
        TreeHead.parse(body)


@pytest.mark.parametrize(
    "text",
    ["", "name", "name+12", LOG_VKEY.replace("4c71", "4c72"), LOG_VKEY[:-4], LOG_VKEY.replace("AQOh", "AQOi"),
     "a b+" + LOG_VKEY.partition("+")[2], WITNESS_VKEY.replace("+BHm1", "+BXm1")],
)  # fmt: skip
def test_a_text_that_is_no_vkey_is_refused(text: str) -> None:
    with pytest.raises(BadVkey):
        NoteVerifier.parse(text)


def test_a_key_file_is_private_and_whole(tmp_path: Path) -> None:
    file = tmp_path / "table.sign"
    pair = SigningPair.new(file)
    assert SigningPair.load(file) == pair
    assert file.stat().st_mode & 0o777 == 0o600
    assert pair.seed.hex() not in repr(pair)
    assert file.read_text() == f"dealwire-signing-key {pair.id} {pair.seed.hex()}\n"
    with pytest.raises(KeyProblem, match="already exists"):
        SigningPair.new(file)
    file.chmod(0o644)
    with pytest.raises(KeyUnsafe):
        SigningPair.load(file)
    file.write_text(f"dealwire-signing-key {pair.id} {bytes(32).hex()}\n")
    file.chmod(0o600)
    with pytest.raises(KeyProblem, match="does not fit its id"):
        SigningPair.load(file)
    file.write_text("dealwire-journal-key 00 11\n")
    with pytest.raises(KeyProblem, match="not a signing key; allowed: one line 'dealwire-signing-key ID KEY'"):
        SigningPair.load(file)


def test_a_file_of_vkeys_names_the_line_that_is_none(tmp_path: Path) -> None:
    file = tmp_path / "logs.vkeys"
    file.write_text(f"# our tables\n{LOG_VKEY}\n\n{WITNESS_VKEY}\n")
    assert [each.name for each in read_vkeys(file)] == [ORIGIN, "witness.example/w1"]
    file.write_text(f"{LOG_VKEY}\nnonsense\n")
    with pytest.raises(KeyProblem, match=r"logs.vkeys:2: 'nonsense' is not a key; allowed: NAME\+ID\+KEY"):
        read_vkeys(file)


@pytest.mark.parametrize("mode", [0o666, 0o664, 0o646])
def test_a_list_of_keys_that_others_may_change_is_refused(mode: int, tmp_path: Path) -> None:
    logs, fleet = tmp_path / "logs.vkeys", tmp_path / "fleet.vkeys"
    logs.write_text(f"{LOG_VKEY}\n")
    fleet.write_text(f"here/* {LOG_VKEY}\n")
    for file, read in ((logs, read_vkeys), (logs, read_log_keys), (fleet, TrustedKeys.read)):
        file.chmod(0o644)
        assert read(file)
        file.chmod(mode)
        with pytest.raises(KeyUnsafe) as raised:
            read(file)
        assert f"others may change it (mode {mode:04o}); allowed: 0644 (chmod go-w {file})" in str(raised.value)


@pytest.mark.skipif(os.geteuid() != 0, reason="not here: only root may give a file away")
def test_a_list_of_keys_of_another_user_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "logs.vkeys"
    file.write_text(f"{LOG_VKEY}\n")
    os.chown(file, 12345, -1)
    with pytest.raises(KeyUnsafe, match="it belongs to user 12345; allowed: user 0 or root"):
        read_vkeys(file)


def test_openssl_checks_the_signature_of_a_note(tmp_path: Path) -> None:
    (tmp_path / "key.pem").write_text(LOG.pem())
    body, lines = note_parts(NOTE)
    (tmp_path / "signature").write_bytes(lines[0].signature)

    def openssl(text: str) -> int:
        (tmp_path / "text").write_text(text)
        given = "pkeyutl -verify -pubin -inkey key.pem -rawin -in text -sigfile signature"
        return subprocess.run(["openssl", *given.split()], cwd=tmp_path, capture_output=True, check=False).returncode

    assert openssl(body) == 0
    assert openssl(body.replace("1234567", "1234568")) != 0
    assert base64.b64decode("".join(LOG.pem().splitlines()[1:-1]))[-32:] == LOG.public


@pytest.mark.parametrize(
    ("keys", "outcome"),
    [
        ((WITNESS_VKEY,), ("wrong", "no key of a log")),
        ((WITNESS_VKEY, LOG_VKEY), ("ok", "1 log is cosigned")),
        ((LOG_VKEY, LOG_VKEY.replace("dealwire", "x").replace("4c71a951", "")), ("wrong", "logs:2: ")),
    ],
)
def test_a_check_says_of_the_logs_what_a_start_does(
    tmp_path: Path, keys: tuple[str, ...], outcome: tuple[str, str]
) -> None:
    broker = '[exports.mqtt]\nurl = "mqtt://127.0.0.1:1"\nsite = "north"\ncosigns = ["south/*"]\n'
    lines = [{"shuffler": "tcp://127.0.0.1:1", "table-controller": "tcp://127.0.0.1:2"}]
    file = write_configuration(tmp_path, lines, top=f'signing-key-file = "s"\n{broker}cosign-keys = "logs"\n')
    SigningPair.new(tmp_path / "s")
    (tmp_path / "logs").write_text("".join(f"{key}\n" for key in keys))
    found = [each for each in readiness(load_configuration(file), StartOptions()) if each.what == "signing"]
    assert (found[-1].outcome, outcome[1] in found[-1].text) == (outcome[0], True), found
