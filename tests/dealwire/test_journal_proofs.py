"""Proofs of rounds from an evening of simulated devices: at most 1,024 bytes, checked by a program of sixty lines that
shares no code, by pymerkle, and by OpenSSL; nothing altered is accepted."""

from __future__ import annotations

import ast
import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner
from cryptography.exceptions import InvalidSignature
from pymerkle import verify_inclusion
from pymerkle.proof import InclusionProof

from dealwire.cli import main
from dealwire.cli.doctor import _signer
from dealwire.config.load import load_configuration
from dealwire.journal import Journal, JournalReader
from dealwire.journal.errors import ProofRefused
from dealwire.journal.proving import RoundProof, prove
from dealwire.journal.records import CHECKPOINT
from dealwire.journal.segments import export_segment
from dealwire.journal.signing import WITNESS_TYPE, NoteVerifier, SigningPair, TreeHead, cosignature
from dealwire.journal.tree import leaf_hash
from devices.clock import ManualClock
from tests.dealwire.test_log_tree import sides
from tests.support.oracles import proof_verifier
from tests.support.oracles.journal_verifier import check as chain_of
from tests.support.oracles.tree_verifier import checked_roots
from tests.support.rigs.serving import opened, run_until, simulators_here, write_configuration

ORACLE = Path(proof_verifier.__file__)
WITNESS = SigningPair.of_seed(bytes(range(1, 33)))
WITNESS_NAME = "witness.example/w1"


class Evening(NamedTuple):
    """A served journal with its signing key, the table's public key as a file, and a round that was settled."""

    journal: Path
    signer: SigningPair
    vkey: Path
    number: int


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Evening:
    folder = tmp_path_factory.mktemp("evening")
    signer = SigningPair.new(folder / "table.sign")
    with simulators_here() as addresses:
        file = write_configuration(folder, addresses)
        text = file.read_text().replace(
            "[journal]\n", '[journal]\nsigning-key-file = "table.sign"\ncheckpoint-seconds = 1\n'
        )
        file.write_text(text)
        for _ in range(2):
            service, listener = opened(file)
            with service:
                run_until(service, lambda here=listener: len(here.of("settlement")) >= 3)
    journal = folder / "journal.sqlite"
    vkey = folder / "table.vkey"
    vkey.write_text(run("journal", "signer", "show", str(folder / "table.sign"), "--journal", str(journal)))
    with JournalReader(journal) as reader:
        settled = [json.loads(each.line) for each in reader.publications() if each.topic == "settlement"]
    return Evening(journal, signer, vkey, settled[1]["round"])


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == code, result.output
    return result.output


class Files(NamedTuple):
    proof: bytes
    round: bytes
    settlement: bytes


def proven(evening: Evening, folder: Path) -> Files:
    said = run("journal", "prove", str(evening.number), str(evening.journal), "--to", str(folder))
    names = [folder / f"round-{evening.number}.{end}" for end in ("proof", "round.json", "settlement.json")]
    assert said.startswith(f"{names[0]}: {names[0].stat().st_size} bytes, leaf ")
    return Files(names[0].read_bytes(), *(each.read_bytes().removesuffix(b"\n") for each in names[1:]))


def test_sixty_lines_check_a_proof_and_share_no_code(evening: Evening, tmp_path: Path) -> None:
    text = ORACLE.read_text()
    assert len(text.splitlines()) <= 60
    names = {each.name.split(".")[0] for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import)
             for each in node.names}  # fmt: skip
    names |= {str(node.module).split(".")[0] for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)}
    assert names == {"base64", "hashlib", "json", "pathlib", "struct", "sys", "cryptography"}
    found = proven(evening, tmp_path)
    assert len(found.proof) <= 1024
    assert json.loads(found.settlement)["round"] == json.loads(found.round)["round"] == evening.number
    files = [str(tmp_path / f"round-{evening.number}.{end}") for end in ("proof", "round.json", "settlement.json")]
    given = [sys.executable, str(ORACLE), *files, evening.signer.public.hex()]
    done = subprocess.run(given, capture_output=True, text=True, check=True, cwd=tmp_path)
    ours = run("journal", "check-proof", *files, "--key", str(evening.vkey))
    first, *shown = ours.splitlines()
    assert done.stdout == f"{first}\n"
    table = json.loads(found.round)["table"]
    assert shown == [f"{each} {evening.number} of table {table!r}" for each in ("round", "settlement of round")]
    assert checked_roots(str(evening.journal)), "and its roots are an independent program's"
    assert chain_of(str(evening.journal)).partition(":")[0].isdigit()


def test_the_guide_prints_the_sixty_lines() -> None:
    guide = Path(__file__).parents[2] / "docs" / "guides" / "prove-a-round.md"
    assert f"**checker.py**\n\n```python\n{ORACLE.read_text()}```\n" in guide.read_text(encoding="utf-8")


def test_a_foreign_program_checks_a_proof(evening: Evening, tmp_path: Path) -> None:
    found = proven(evening, tmp_path)
    proof = RoundProof.parse(found.proof)
    head = proof.head(found[1:])
    (places, kinds) = proof.places, (b"settlement", b"round")
    table = json.loads(found.round)["table"].encode()
    digests = [proof_verifier.record_digest(place, kind, table, line) for place, kind, line in
               zip(reversed(places), kinds, (found.settlement, found.round), strict=True)]  # fmt: skip
    leaf = leaf_hash(proof.blind + b"".join(digests))
    rule = sides(proof.index, proof.size)
    verify_inclusion(
        leaf, head.root, InclusionProof("sha256", True, proof.size, proof.index + 1, rule, [leaf, *proof.path])
    )
    (tmp_path / "key.pem").write_text(run("journal", "signer", "show", str(evening.signer.path), "--pem"))
    (tmp_path / "text").write_text(head.body)
    (tmp_path / "signature").write_bytes(proof.signature)
    given = "pkeyutl -verify -pubin -inkey key.pem -rawin -in text -sigfile signature"
    assert subprocess.run(["openssl", *given.split()], cwd=tmp_path, capture_output=True, check=False).returncode == 0


def is_refused(call: Callable[..., object], *given: object) -> bool:
    try:
        call(*given)
    except (ProofRefused, InvalidSignature, ValueError, IndexError, KeyError):
        return True
    return False


def ours(proof: bytes, lines: Sequence[bytes], key: NoteVerifier, witnesses: Sequence[NoteVerifier] = ()) -> list[str]:
    return RoundProof.parse(proof).check(lines, key, witnesses)


def test_no_altered_byte_of_a_proof_is_accepted(evening: Evening, tmp_path: Path) -> None:
    found = proven(evening, tmp_path)
    key, lines = NoteVerifier.parse(evening.vkey.read_text()), found[1:]
    assert RoundProof.parse(found.proof).check(lines, key) == []
    proof_verifier.check_proof(*found, key.public)
    for place in range(len(found.proof)):
        for bit in range(8) if place in (5, 180) else (place % 8,):
            altered = bytearray(found.proof)
            altered[place] ^= 1 << bit
            assert is_refused(ours, bytes(altered), lines, key), place
            assert is_refused(proof_verifier.check_proof, bytes(altered), *lines, key.public), place
    for length in range(len(found.proof)):
        assert is_refused(ours, found.proof[:length], lines, key), length
    assert is_refused(ours, found.proof + b"\0", lines, key)
    for which in range(2):
        for place in range(0, len(lines[which]), 3):
            spoilt = list(lines)
            spoilt[which] = lines[which][:place] + b" " + lines[which][place:]
            assert is_refused(ours, found.proof, spoilt, key), (which, place)
            assert is_refused(proof_verifier.check_proof, found.proof, *spoilt, key.public), (which, place)


def test_a_proof_that_does_not_fit_is_refused_in_one_line(evening: Evening, tmp_path: Path) -> None:
    proven(evening, tmp_path)
    proof, first, second = (str(tmp_path / f"round-{evening.number}.{end}")
                            for end in ("proof", "round.json", "settlement.json"))  # fmt: skip
    keys = ["--key", str(evening.vkey)]
    said = run("journal", "check-proof", proof, second, first, *keys, code=6)
    assert "the signature does not fit: these are not the lines that were proven, or not the key" in said
    assert "it is a proof of 2 lines; given: 1" in run("journal", "check-proof", proof, first, *keys, code=6)
    other = tmp_path / "other.vkey"
    other.write_text(WITNESS.vkey("another"))
    said = run("journal", "check-proof", proof, first, second, "--key", str(other), code=6)
    assert f"{other} has no key" in said
    other.write_text(WITNESS.vkey(WITNESS_NAME, WITNESS_TYPE))
    said = run("journal", "check-proof", proof, first, second, *keys, "--witness", str(other), code=6)
    assert f"{WITNESS_NAME} did not cosign it" in said
    said = run("journal", "prove", str(evening.number), str(evening.journal), "--to", str(tmp_path), code=2)
    assert "exists; --overwrite replaces it" in said
    nowhere = proof + "/x"
    said = run("journal", "prove", str(evening.number), str(evening.journal), "--to", nowhere, code=2)
    assert said == f"dealwire: {nowhere}: cannot be made: Not a directory\n"


def play(journal: Journal, rounds: int, first: int = 1, *, sign: bool = True) -> None:
    """Publish rounds with their settlements at table `t`, and sign at the end."""
    journal.started("t", 1, "{}")
    for number in range(first, first + rounds):
        line = json.dumps({"type": "round", "table": "t", "round": number, "seats": []}, separators=(",", ":"))
        journal.publish("t", "round", number, line)
        money = {"type": "settlement", "table": "t", "session": "s", "round": number, "seats": []}
        journal.publish("t", "settlement", number, json.dumps(money, separators=(",", ":")))
        journal.commit()
    if sign:
        journal.checkpoints.sign(first + rounds)
    journal.commit()


def test_two_journals_with_one_key_prove_nothing_for_one_another(tmp_path: Path) -> None:
    """Both have a round 1 at a table `t`. A proof of one is refused under the name of the other, whose key is the same,
    and so is a proof with the settlement of another round 1 of the same journal."""
    signer = SigningPair.new(tmp_path / "key")
    keys, proofs = [], []
    for path in (tmp_path / "a", tmp_path / "b"):
        with Journal(path, key=None, clock=ManualClock(), signer=signer) as journal:
            play(journal, 3)
            play(journal, 3)
            keys.append(NoteVerifier.parse(signer.vkey(journal.log.origin)))
        with JournalReader(path) as reader:
            rounds = [record for record in reader.records() if record.kind == "round"]
            proofs.append([prove(reader, rounds[number], "round 1") for number in (0, 3)])
    for of, found in enumerate(proofs):
        for each in found:
            assert each.proof.check(each.lines, keys[of]) == []
            with pytest.raises(ProofRefused, match="it is of the log"):
                each.proof.check(each.lines, keys[1 - of])
    first, again = proofs[0]
    swapped = replace(first.proof, places=[again.proof.places[0], first.proof.places[1]])
    with pytest.raises(ProofRefused, match="the signature does not fit"):
        swapped.check((again.lines[0], first.lines[1]), keys[0])


def test_cosignatures_ride_in_the_proof_and_are_checked(tmp_path: Path) -> None:
    path, signer = tmp_path / "j", SigningPair.new(tmp_path / "key")
    with Journal(path, key=None, clock=ManualClock(), signer=signer) as journal:
        play(journal, 50)
        with JournalReader(path) as reader:
            newest = reader.newest_of(CHECKPOINT)
            assert newest is not None
            noted = json.loads(newest.payload)
        head = TreeHead(noted["origin"], noted["size"], bytes.fromhex(noted["root"]))
        for number in range(9):
            name = f"{WITNESS_NAME}{number or ''}"
            journal.checkpoints.cosigned(head.size, cosignature(head.body, WITNESS, name, 1_796_000_000), 99)
        journal.commit()
    vkey, witnesses = tmp_path / "vkey", tmp_path / "witnesses"
    vkey.write_text(run("journal", "signer", "show", str(tmp_path / "key"), "--journal", str(path)))
    witnesses.write_text(run("journal", "signer", "show", str(key_file(tmp_path)), "--name", WITNESS_NAME))
    run("journal", "prove", "7", str(path), "--to", str(tmp_path))
    data = (tmp_path / "round-7.proof").read_bytes()
    assert 1024 - 100 < len(data) <= 1024, "as many as fit"
    files = [str(tmp_path / f"round-7.{end}") for end in ("proof", "round.json", "settlement.json")]
    said = run("journal", "check-proof", *files, "--key", str(vkey), "--witness", str(witnesses))
    assert f"cosigned by {WITNESS_NAME}" in said
    note = run("journal", "checkpoint", str(path))
    assert note.startswith(head.body)
    assert note.count("\u2014 ") == 10
    found = RoundProof.parse(data)
    key, witness = NoteVerifier.parse(vkey.read_text()), NoteVerifier.parse(witnesses.read_text())
    lines = [Path(each).read_bytes().removesuffix(b"\n") for each in files[1:]]
    name = WITNESS_NAME.encode()
    begin = data.index(bytes((len(name),)) + name)
    for place in range(begin, begin + 1 + len(name) + 72):
        altered = bytearray(data)
        altered[place] ^= 1
        assert is_refused(ours, bytes(altered), lines, key, [witness]), place
    assert found.check(lines, key, [witness]) == [WITNESS_NAME]


def key_file(folder: Path) -> Path:
    file = folder / "witness.key"
    file.write_text(f"dealwire-signing-key {WITNESS.id} {WITNESS.seed.hex()}\n")
    file.chmod(0o600)
    return file


@pytest.mark.more
def test_a_round_is_proven_from_the_copy_of_its_day(tmp_path: Path) -> None:
    path, signer = tmp_path / "j", SigningPair.new(tmp_path / "key")
    with Journal(path, key=None, clock=ManualClock(), signer=signer) as journal:
        for day in range(3):
            journal.begin_day(f"2026-11-0{day + 1}", day)
            play(journal, 100, 1 + 100 * day, sign=False)
    with JournalReader(path) as reader:
        copies = [export_segment(reader, each, tmp_path / "archive")[0] for each in reader.segments()]
    vkey = tmp_path / "vkey"
    vkey.write_text(run("journal", "signer", "show", str(tmp_path / "key"), "--journal", str(path)))
    for number, source in ((100, copies[0]), (101, copies[1]), (200, copies[1]), (150, path)):
        folder = tmp_path / f"proof-{number}"
        run("journal", "prove", str(number), str(source), "--to", str(folder), "--table", "t")
        files = [str(folder / f"round-{number}.{end}") for end in ("proof", "round.json", "settlement.json")]
        run("journal", "check-proof", *files, "--key", str(vkey))


def test_a_round_that_cannot_be_proven_says_why(tmp_path: Path) -> None:
    path, signer = tmp_path / "j", SigningPair.new(tmp_path / "key")
    with Journal(path, key=None, clock=ManualClock()) as journal:
        play(journal, 2)
    prove = ("journal", "prove")
    said = run(*prove, "1", str(path), "--to", str(tmp_path), code=1)
    assert said == f"dealwire: {path}: round 1: the journal has no tree: name signing-key-file in [journal]\n"
    said = run("journal", "checkpoint", str(path), code=1)
    assert said == f"dealwire: {path}: no checkpoint was signed: name signing-key-file in [journal]\n"
    with Journal(path, key=None, clock=ManualClock(), signer=signer) as journal:
        play(journal, 2, 3)
        play(journal, 1, 5, sign=False)
    said = run(*prove, "2", str(path), "--to", str(tmp_path), code=1)
    assert "round 2: it is from before record " in said
    assert "where the tree begins" in said
    said = run(*prove, "5", str(path), "--to", str(tmp_path), code=1)
    assert "round 5: it ended after the newest checkpoint; try again in a minute" in said
    assert "round 9 of table 't' is not in this journal" in run(*prove, "9", str(path), "--to", str(tmp_path), code=2)
    run(*prove, "4", str(path), "--to", str(tmp_path))
    other = SigningPair.new(tmp_path / "other")
    said = run("journal", "signer", "show", str(other.path), "--journal", str(path), code=6)
    assert said.startswith(
        f"dealwire: {path}: {other.path} is not the key that signed its newest checkpoint: no signature"
    )


def test_a_round_without_a_settlement_is_proven_by_its_own_leaf(tmp_path: Path) -> None:
    path, signer = tmp_path / "j", SigningPair.new(tmp_path / "key")
    with Journal(path, key=None, clock=ManualClock(), signer=signer) as journal:
        journal.started("t", 1, "{}")
        for number in (6, 7, 7):
            line = {"type": "round", "table": "t", "round": number, "seats": []}
            journal.publish("t", "round", number, json.dumps(line, separators=(",", ":")))
        journal.checkpoints.sign(9)
    vkey = tmp_path / "vkey"
    vkey.write_text(run("journal", "signer", "show", str(tmp_path / "key"), "--journal", str(path)))
    run("journal", "prove", "6", str(path), "--to", str(tmp_path))
    assert not (tmp_path / "round-6.settlement.json").exists()
    run(
        "journal",
        "check-proof",
        str(tmp_path / "round-6.proof"),
        str(tmp_path / "round-6.round.json"),
        "--key",
        str(vkey),
    )
    data, lines = (tmp_path / "round-6.proof").read_bytes(), [(tmp_path / "round-6.round.json").read_bytes()[:-1]]
    key = NoteVerifier.parse(vkey.read_text())
    for place in range(len(data)):
        altered = bytearray(data)
        altered[place] ^= 1
        assert is_refused(ours, bytes(altered), lines, key), place
    said = run("journal", "prove", "7", str(path), "--to", str(tmp_path))
    assert "another round 7 is record " in said


def test_the_worst_place_in_a_tree_of_67_million_leaves_fits_in_1024_bytes() -> None:
    """2^26 leaves, one table for sixteen years around the clock: the path has 26 hashes."""
    place = (1 << 40, 1_796_000_000_000_000_000)
    proof = RoundProof(
        bytes(16), bytes(8), 12345, 1 << 26, [place, place], "settlement", bytes(32), bytes(64), [bytes(32)] * 26, []
    )
    assert len(proof.to_bytes()) == 1007
    assert RoundProof.parse(proof.to_bytes()) == proof


def test_a_proof_names_no_face_and_helps_no_one_to_guess(tmp_path: Path) -> None:
    """The path is of hashes that commit to 32 unknown bytes: with the proof in hand, no guess of what a neighbour holds
    gives any of its hashes."""
    path, signer = tmp_path / "j", SigningPair.new(tmp_path / "key")
    faces = [rank + suit for rank in "23456789TJQKA" for suit in "SHDC"]
    with Journal(path, key=None, clock=ManualClock(), signer=signer) as journal:
        journal.begin_day(
            "2026-11-01", 1
        )  # so that the settlement's leaf has an even number, and the next is beside it
        play(journal, 1, sign=False)
        hidden = json.dumps({"type": "incident", "table": "t", "card": "7H"})
        journal.publish("t", "incident", 9, hidden)
        journal.checkpoints.sign(10)
    run("journal", "prove", "1", str(path), "--to", str(tmp_path))
    data = (tmp_path / "round-1.proof").read_bytes()
    proof = RoundProof.parse(data)
    with closing(sqlite3.connect(path)) as db:
        [(sequence, before)] = db.execute("SELECT sequence, hash FROM record WHERE kind = 'settlement'")
        [(leaf,)] = db.execute("SELECT hash FROM leaf WHERE sequence = ?", (sequence + 1,))
    assert leaf in proof.path
    guesses = [json.dumps({"type": "incident", "table": "t", "card": face}).encode() for face in faces]
    for guess in guesses:
        digest = proof_verifier.record_digest((sequence + 1, 9), b"incident", b"t", guess)
        for blind in (b"", bytes(32), proof.blind, proof_verifier.sha256(b"dealwire leaf\0", proof.blind)):
            assert leaf_hash(blind + digest) not in proof.path
    known = proof_verifier.sha256(b"dealwire leaf\0", before)
    assert (
        leaf_hash(
            known + proof_verifier.record_digest((sequence + 1, 9), b"incident", b"t", guesses[faces.index("7H")])
        )
        == leaf
    )
    assert before not in data


def test_check_and_doctor_name_the_key_that_signs(tmp_path: Path) -> None:
    signer = SigningPair.new(tmp_path / "table.sign")
    file = tmp_path / "table.toml"
    file.write_text(
        'schema = "dealwire.table/1"\n[journal]\npath = "j"\nsigning-key-file = "table.sign"\n'
        '[[table]]\nname = "t"\nprocedure = "flushes-gone-wild.co"\nsettle = false\n'
        '[[table.device]]\nname = "s"\nkind = "shuffler"\naddress = "tcp://127.0.0.1:1"\n'
        '[[table.device]]\nname = "c"\nkind = "table-controller"\naddress = "tcp://127.0.0.1:2"\n'
    )
    assert "checkpoints are signed with table.sign" in run("run", "--check", str(file))
    (found,) = _signer(load_configuration(file))
    assert found.text == f"checkpoints are signed with table.sign, key {signer.id}"
    signer.path.chmod(0o644)
    assert "table.sign" in run("run", "--check", str(file), code=5)
    (found,) = _signer(load_configuration(file))
    assert (found.verdict, "table.sign" in found.text) == ("bad", True)
    text = file.read_text()
    file.write_text(text.replace('"table.sign"\n', '"table.sign"\ntimestamp-url = "http://tsa.example/"\n'))
    result = CliRunner().invoke(main, ["run", "--check", str(file)])
    assert (result.exit_code, "timestamp-url needs timestamp-ca-file" in result.output) == (2, True)
    file.write_text(
        text.replace('signing-key-file = "table.sign"\n', 'timestamp-url = "http://t/"\ntimestamp-ca-file = "c"\n')
    )
    result = CliRunner().invoke(main, ["run", "--check", str(file)])
    assert (result.exit_code, "timestamp-url needs signing-key-file" in result.output) == (2, True)
