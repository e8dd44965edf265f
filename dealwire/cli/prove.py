"""Commands of `dealwire journal` that prove what a table recorded, and check such proofs."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from dealwire.cli.exits import BY_ERRNO, Exit, Stop
from dealwire.cli.options import A_FILE, FILE, FLAG, APath, WholeRange, declared, whole
from dealwire.cli.terminal import echo
from devices.clock import SystemClock
from devices.system import BINARY, CLOEXEC

if TYPE_CHECKING:
    from dealwire.journal.signing import NoteVerifier

FOLDER = APath(file_okay=False)
KEEP_PATIENCE_S: Final = 5.0
"""Seconds for which `keep` waits for another `keep`."""


def _say(text: str) -> None:
    for line in text.splitlines():
        echo(line)


@click.group("signer")
def signer_commands() -> None:
    """Make the key that signs checkpoints of a journal, and print its public half for those who check them."""


@signer_commands.command("new")
@click.argument("file", type=FILE)
def new_signer_command(file: Path) -> None:
    """Make the signing key FILE, readable only by its owner.

    Name it as `signing-key-file` in the part `[journal]` of table.toml. From its next start, the service signs the
    size and the root of a tree over its records once a minute.
    """
    from dealwire.journal.signing import SigningPair

    pair = SigningPair.new(file)
    echo(f"{file}: signing key {pair.id}, public half {pair.public.hex()}")
    echo("name it as signing-key-file in table.toml; it never leaves this machine")


@signer_commands.command("show")
@click.argument("file", type=FILE)
@declared(
    (
        "--journal",
        {"type": FILE, "metavar": "FILE"},
        "Print the key under the name of this journal, for those who check its proofs.",
    ),
    ("--name", {"metavar": "NAME"}, "Print the key of a witness under this name, such as regulator.example/w1."),
    ("--pem", FLAG, "Print the public half as PEM, for OpenSSL."),
)
def show_signer_command(file: Path, journal: Path | None, name: str | None, pem: bool) -> None:
    """Print the public half of the signing key FILE, under the name by which others know it."""
    from dealwire.journal.errors import NoteRefused
    from dealwire.journal.proving import newest_note
    from dealwire.journal.reader import JournalReader
    from dealwire.journal.signing import (
        LOG_TYPE,
        WITNESS_TYPE,
        NoteVerifier,
        SigningPair,
        is_key_name,
        opened_checkpoint,
    )

    pair = SigningPair.load(file)
    if pem:
        _say(pair.pem())
    elif name is not None:
        if not is_key_name(name):
            raise click.BadParameter(f"{name!r} has a space or a plus sign", param_hint="--name")
        echo(pair.vkey(name, WITNESS_TYPE))
    elif journal is not None:
        with JournalReader(journal) as reader:
            newest = newest_note(reader)
        key = NoteVerifier(newest.head.origin, LOG_TYPE, pair.public)
        try:
            opened_checkpoint(newest.note, [key])
        except NoteRefused as error:
            raise NoteRefused(f"{journal}: {file} is not the key that signed its newest checkpoint: {error}") from None
        echo(str(key))
    else:
        echo(f"{pair.id} {pair.public.hex()}")


@click.command("checkpoint")
@click.argument("file", type=FILE)
def checkpoint_command(file: Path) -> None:
    """Print the newest signed checkpoint of the journal FILE, with the signatures of its witnesses."""
    from dealwire.journal.proving import newest_note
    from dealwire.journal.reader import JournalReader

    with JournalReader(file) as reader:
        _say(newest_note(reader).note)


@click.command("prove")
@click.argument("number", type=WholeRange(0, 2**32 - 1), metavar="N")
@click.argument("file", type=FILE)
@declared(
    ("--to folder", {"type": FOLDER, "required": True, "metavar": "FOLDER"}, "Folder for the proof and its lines."),
    ("--table", {"metavar": "NAME"}, "Name of the table, if the journal holds several."),
    (
        "--record",
        whole(1, metavar="SEQ"),
        "Record number of the round's result, if the journal holds several rounds N.",
    ),
    ("--overwrite", FLAG, "Replace existing files."),
)
def prove_command(
    number: int, file: Path, folder: Path, table: str | None, record: int | None, overwrite: bool
) -> None:
    """Write a proof that round N is in the journal FILE as it was signed: at most 1,024 bytes.

    The proof names no card. With it go the lines that it proves, the round's and its settlement's, as they were
    published. `dealwire journal check-proof`, or any program written from docs/journal.md, checks them without the
    journal.
    """
    from dealwire.journal.errors import NotProvable
    from dealwire.journal.proving import prove
    from dealwire.journal.rounds import RoundReader
    from dealwire.sheet.gather import RoundUnknown, table_of

    with RoundReader(file) as reader:
        name = table_of(reader, table)
        places = [each for each in reader.places(name, number) if record in (None, each.ends or each.begins)]
        if not places:
            raise RoundUnknown(str(file), name, number, reader.numbers(name))
        if not places[0].ends:
            raise NotProvable(file, f"round {number}: it has not ended")
        found = prove(reader, next(reader.records(places[0].ends - 1)), f"round {number}")
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise _unusable(folder, "cannot be made", error) from error
    written = {"proof": found.proof.to_bytes()}
    written |= {f"{kind}.json": line + b"\n" for kind, line in zip(("round", "settlement"), found.lines, strict=False)}
    for end, content in written.items():
        _write(folder / f"round-{number}.{end}", content, overwrite)
    at = folder / f"round-{number}.proof"
    echo(f"{at}: {len(written['proof'])} bytes, leaf {found.proof.index} of {found.proof.size}")
    for other in places[1:] if record is None else ():
        echo(f"dealwire: another round {number} is record {other.ends}: --record {other.ends}", err=True)


def _write(path: Path, content: bytes, overwrite: bool) -> None:
    """Write a file that only its owner can read, since a line names people and money."""
    flags = os.O_WRONLY | os.O_CREAT | CLOEXEC | BINARY | (os.O_TRUNC if overwrite else os.O_EXCL)
    try:
        with os.fdopen(os.open(path, flags, 0o600), "wb") as out:
            out.write(content)
    except FileExistsError:
        raise Stop(Exit.USAGE, f"{path}: exists; --overwrite replaces it") from None
    except OSError as error:
        raise _unusable(path, "cannot be written", error) from error


def _unusable(path: Path, what: str, error: OSError) -> Stop:
    return Stop(BY_ERRNO.get(error.errno or 0, Exit.USAGE), f"{path}: {what}: {error.strerror}")


@click.command("check-proof")
@click.argument("proof", type=FILE)
@click.argument("lines", type=FILE, nargs=-1, required=True, metavar="LINE...")
@declared(
    (
        "--key key_file",
        {**A_FILE, "required": True},
        "File with the table's public key, as `signer show --journal` prints it.",
    ),
    ("--witness witness_file", A_FILE, "File with keys of witnesses, one a line; each must have signed it too."),
)
def check_proof_command(proof: Path, lines: Sequence[Path], key_file: Path, witness_file: Path | None) -> None:
    """Check the file PROOF for the published lines in the files LINE: a round's, then its settlement's.

    It prints what is shown: the kind of each line, its table and its round. The exit code is 6 if they are not what the
    table signed. No journal is needed.
    """
    from dealwire.journal.errors import ProofRefused
    from dealwire.journal.proving import RoundProof
    from dealwire.journal.signing import LOG_TYPE, read_vkeys

    keys = [each for each in read_vkeys(key_file) if each.kind == LOG_TYPE]
    witnesses = _witnesses_in(witness_file) if witness_file is not None else []
    try:
        found = RoundProof.parse(_read(proof))
        given = [_read(each).removesuffix(b"\n") for each in lines]
        key = next((each for each in keys if each.name == found.origin), None)
        if key is None:
            raise ProofRefused(f"it is of the log {found.origin}, of which {key_file} has no key")
        cosigned = found.check(given, key, witnesses)
    except ProofRefused as error:
        raise ProofRefused(f"{proof}: {error}") from None
    echo(f"{found.origin}: record {found.places[-1][0]} is leaf {found.index} of {found.size}")
    for text in found.shown(given):
        echo(text)
    for name in cosigned:
        echo(f"cosigned by {name}")


def _witnesses_in(path: Path) -> "list[NoteVerifier]":
    """Return the keys of witnesses in a file. KeyProblem if it holds none, or the key of a log."""
    from dealwire.journal.errors import KeyProblem
    from dealwire.journal.signing import WITNESS_TYPE, read_vkeys

    found = read_vkeys(path)
    for each in found:
        if each.kind != WITNESS_TYPE:
            raise KeyProblem(path, f"{each.name}: the key of a log; allowed: keys of witnesses")
    if not found:
        raise KeyProblem(path, "holds no key; allowed: keys of witnesses, one a line")
    return found


def _read(path: Path) -> bytes:
    from devices.files import open_file

    try:
        with open_file(path) as file:
            return bytes(file.read(1 << 20))
    except OSError as error:
        raise _unusable(path, "cannot be read", error) from error


@click.command("grown")
@click.argument("file", type=FILE)
@declared(
    ("--from old", whole(0, metavar="SIZE"), "Leaves of the tree that a witness saw; 0 if it saw none."),
    ("--since state", {"type": FILE, "metavar": "STATE"}, "The file that a witness keeps, in place of --from."),
    ("--to size", whole(0, metavar="SIZE"), "Leaves of the checkpoint that it leads to; by default the newest."),
)
def grown_command(file: Path, old: int | None, state: Path | None, size: int | None) -> None:
    """Print the proof that the tree of the journal FILE only grew since a witness saw it, with the signed checkpoint.

    It is the body of `add-checkpoint` of C2SP's witness protocol. The witness checks it with `dealwire journal keep`.
    """
    from dealwire.journal.proving import growth, newest_note
    from dealwire.journal.reader import JournalReader
    from dealwire.journal.witnessing import read_state

    if (old is None) == (state is None):
        raise click.UsageError("give --from or --since")
    with JournalReader(file) as reader:
        if state is not None:
            origin = newest_note(reader, size).head.origin
            kept = read_state(state) if state.exists() else []
            old = next((each.size for each in kept if each.origin == origin), 0)
        _say(growth(reader, old or 0, size))


@click.command("keep")
@click.argument("growth", type=FILE)
@click.argument("state", type=FILE)
@declared(
    (
        "--key key_file",
        {**A_FILE, "required": True},
        "File with the table's public key, as `signer show --journal` prints it.",
    ),
    ("--sign signer_file", A_FILE, "Signing key of the witness: also print its cosignature."),
    ("--name", {"metavar": "NAME"}, "Name of the witness, with --sign."),
)
def keep_command(growth: Path, state: Path, key_file: Path, signer_file: Path | None, name: str | None) -> None:
    """Check the proof in the file GROWTH, of `dealwire journal grown`, and keep its checkpoint in STATE, 89 bytes.

    The exit code is 6, and STATE stays, if the journal was rewritten, forked, cut, or replaced by an older copy since
    STATE was last kept. It is 7 while a witness or another `keep` uses the folder of STATE.
    """
    from dealwire.cli.witness import alone_with
    from dealwire.journal.errors import NoteRefused
    from dealwire.journal.signing import (
        SigningPair,
        cosignature,
        is_key_name,
        read_vkeys,
    )
    from dealwire.journal.witnessing import Growth, grown, named_of, read_state, write_state

    if (signer_file is None) != (name is None) or (name is not None and not is_key_name(name)):
        raise click.UsageError("--sign needs --name, a name without spaces and plus signs, and the reverse")
    pair = SigningPair.load(signer_file) if signer_file is not None else None
    keys, text = read_vkeys(key_file), _read(growth).decode("utf-8", "replace")
    _not_of_a_service(state)
    with alone_with(state.resolve().parent, KEEP_PATIENCE_S):
        kept = read_state(state) if state.exists() else []
        try:
            origin = named_of(Growth.parse(text).note)
            seen = next((each for each in kept if each.origin == origin), None)
            head = grown(seen, text, keys)
        except NoteRefused as error:
            raise NoteRefused(f"{growth}: {error}") from None
        write_state(state, [*(each for each in kept if each.origin != head.origin), head])
    echo(f"{state}: {head.origin} has {head.size} leaves", err=True)
    if pair is not None and name is not None:
        echo(str(cosignature(head.body, pair, name, SystemClock().now_ns() // 10**9)).rstrip("\n"))


def _not_of_a_service(state: Path) -> None:
    """Raise Stop for the memory of a service, which signs by it while it runs."""
    path = state.resolve()
    journal = path.with_suffix("")
    if path.suffix == ".cosigned" and journal.exists():
        raise Stop(Exit.USAGE, f"{state}: the service of {journal} keeps it; a witness needs a memory of its own")
