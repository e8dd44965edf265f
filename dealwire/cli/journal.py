"""Command `dealwire journal`: inspect, verify and rebuild the journal of a table service."""

from collections import Counter
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from dealwire.cli.archive import known_procedure
from dealwire.cli.exits import Exit, Stop
from dealwire.cli.find_rounds import rounds_command
from dealwire.cli.obligations import obligations_command, time_text
from dealwire.cli.options import FILE, APath, HashText, WholeRange
from dealwire.cli.prove import (
    check_proof_command,
    checkpoint_command,
    grown_command,
    keep_command,
    prove_command,
    signer_commands,
)
from dealwire.cli.release_held import release_command
from dealwire.cli.round_sheet import round_command
from dealwire.cli.table_options import make_table, table_options
from dealwire.cli.terminal import echo, echo_json, say_object
from dealwire.cli.two_people import approve_command, request_command
from dealwire.journal.auditing import AuditorPrivateKey, named
from dealwire.journal.check import JournalVerdict, verify
from dealwire.journal.compare import DERIVED, compare
from dealwire.journal.contents import TableStart
from dealwire.journal.continued import ContinuedCheck
from dealwire.journal.export import export_capture
from dealwire.journal.factory import TableFactory
from dealwire.journal.reader import JournalReader
from dealwire.journal.rebuilding import OutcomePublisher, Publishes
from dealwire.journal.records import KEY, RAW, SNAPSHOT, Head, JournalRecord
from dealwire.journal.salvage import salvage
from dealwire.journal.sealing import SealingKey, load_key
from dealwire.journal.segments import export_segment
from dealwire.journal.settings import edition_in, named_edition
from dealwire.journal.stamping import KeptStamp, authority_of, check_stamps, noted_digests
from dealwire.journal.witnessing import read_state
from devices.clock import SystemClock

SCHEMA = "dealwire.journal-check/1"
STAMPED_LATE_S = 2 * 24 * 3600
FOLDER = APath(file_okay=False)
key_option = partial(click.option, "--key", "key_file", type=FILE, metavar="FILE")


@click.group("journal")
def command() -> None:
    """Verify, search, export or rebuild the journal of a table service, and make its keys."""


command.add_command(round_command)
command.add_command(rounds_command)
command.add_command(release_command)
command.add_command(request_command)
command.add_command(approve_command)
command.add_command(obligations_command)
for _each in (signer_commands, checkpoint_command, prove_command, check_proof_command, grown_command, keep_command):
    command.add_command(_each)


def opened(file: Path, key_file: Path | None) -> JournalReader:
    """Open the journal, with a key file if one is given."""
    return JournalReader(file, load_key(key_file) if key_file is not None else None)


@command.command("verify")
@click.argument("files", type=FILE, nargs=-1, required=True, metavar="FILE...")
@key_option(help="Also open every seal with the keys in FILE.")
@click.option("--expect", metavar="SEQ:HASH", help="Record that was noted elsewhere; it must be in the journal.")
@click.option("--head", type=HashText(), metavar="HASH", help="Hash that the newest record must have.")
@click.option("--stamps", "authority", type=FILE, metavar="CA.pem", help="Also check time stamps by these authorities.")
@click.option("--witness", "state", type=FILE, metavar="STATE", help="What a witness kept of the journal's tree.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def verify_command(
    files: tuple[Path, ...],
    key_file: Path | None,
    expect: str | None,
    head: str | None,
    authority: Path | None,
    state: Path | None,
    as_json: bool,
) -> None:
    """Verify every record of the journal FILE: the hash chain, the numbering, and the file itself. No key is needed.

    Several FILEs are archived segments of one journal, oldest first, followed by the journal; each must continue where
    the one before it ends. The last line of the output is the number and hash of the newest record. Note it elsewhere:
    with --expect you can later prove that nothing before it was removed or rewritten, which a journal alone cannot
    show; --witness does the same with the line that a witness kept. The exit code is 6 if the journal is damaged.
    """
    check = ContinuedCheck(read_state(state), state.name) if state is not None else ContinuedCheck()
    noted, stamps, whole = _noted(expect) if expect is not None else None, list[KeptStamp](), check.whole
    signed: dict[int, bytes] = {}
    for file in files:
        with opened(file, key_file) as reader:
            due = noted is not None and (file == files[-1] or noted.sequence <= reader.head.sequence)
            found = verify(reader, open_seals=key_file is not None, expect=noted if due else None)
            noted = None if due else noted  # found there, or it would have raised
            check.take(reader, found)
            if authority is not None:
                stamps += check_stamps(reader, authority_of(authority), signed)
                signed |= noted_digests(reader)
    if state is not None and not check.compared:
        raise Stop(Exit.PROTOCOL, f"{files[-1]}: {state} has no line of this journal")
    newest, records = whole[-1].head, sum(found.records for found in whole)
    if head is not None and head != newest.hash.hex():
        raise Stop(Exit.PROTOCOL, f"{files[-1]}: the newest record is {newest}, not the one with hash {head}")
    _say_limits(whole, stamps)
    sealed, clear = sum(found.sealed for found in whole), sum(found.clear for found in whole)
    unsealed, after = sum(found.opened for found in whole), whole[0].anchor
    if as_json:
        kinds = sum((found.kinds for found in whole), Counter[str]())
        fields = {"records": records, "kinds": dict(kinds), "head": str(newest), "after": str(after)}
        say_object(SCHEMA, "verified", **fields, sealed=sealed, clear=clear, opened=unsealed)
        return
    words = f"raw records and snapshots: {sealed} sealed, "
    words += f"{unsealed} of them opened, " if key_file is not None else "not opened without a key, "
    _print_verdict(whole, f"{words}{clear} in clear text", stamps if authority is not None else None)


def _print_verdict(whole: list[JournalVerdict], words: str, stamps: list[KeptStamp] | None) -> None:
    records, after = sum(found.records for found in whole), whole[0].anchor
    first_ns, last_ns = whole[0].first_ns, whole[-1].last_ns
    echo(f"{records} records, {time_text(first_ns)} to {time_text(last_ns)}, in one unbroken chain")
    if after.sequence:
        echo(f"begins after record {after}; earlier records are in archived segments")
    echo(words)
    if stamps is not None:
        echo(f"{len(stamps)} time stamps" + (f", the newest of {stamps[-1].stamp.at.isoformat()}" if stamps else ""))
    echo(f"head {whole[-1].head}")


def _say_limits(whole: list[JournalVerdict], stamps: list[KeptStamp]) -> None:
    """Print what was not checked, or shows less than it seems to."""
    if any(found.unchecked for found in whole):
        echo("no signature of a checkpoint was checked: cryptography is not installed", err=True)
    for each in stamps:
        if each.late_s > STAMPED_LATE_S:
            at = each.stamp.at.isoformat()
            echo(f"the checkpoint of {each.day} was stamped at {at}, {each.late_s / 86400:.0f} days after it", err=True)
    if gone := sum(not each.compared for each in stamps):
        echo(f"time stamps of checkpoints that are not in these files, which show nothing of them: {gone}", err=True)


def _noted(text: str) -> Head:
    number, _, digest = text.partition(":")
    try:
        head = Head(int(number), bytes.fromhex(digest))
    except ValueError:
        head = Head(0, b"")
    if head.sequence < 1 or len(head.hash) != 32:
        why = f"{text!r} is not of the form SEQ:HASH, a number and 64 hex digits"
        raise click.BadParameter(why, param_hint="--expect")
    return head


@command.command("show")
@click.argument("file", type=FILE)
@click.option("--table", metavar="NAME", help="Print only this table.")
@click.option("--after", type=WholeRange(0), default=0, metavar="SEQ", help="Print only records after this one.")
@click.option("--raw", is_flag=True, help="Also print reads and writes; with --key their bytes.")
@key_option(help="Open seals with the keys in FILE; this shows faces of cards that were never shown.")
def show_command(file: Path, table: str | None, after: int, raw: bool, key_file: Path | None) -> None:
    """Print the records of the journal FILE, one per line: number, time, table, kind, content."""
    with opened(file, key_file) as reader:
        for record in reader.records(after):
            if (table is None or record.table in (table, "")) and (raw or record.kind not in RAW):
                content = _content(reader, record, key_file is not None)
                place = f"{record.table}/{record.line}" if record.line else record.table
                head = f"{record.sequence}  {time_text(record.at_ns)}  {place or '-'}  {record.kind}"
                echo_json(f"{head}  {content}")


def _content(reader: JournalReader, record: JournalRecord, has_key: bool) -> str:
    if record.kind == KEY:
        root, auditor = named(record.payload)
        return f"root {root}, sealed to auditor {auditor}"
    if record.kind == SNAPSHOT:
        found = reader.snapshot_of(record, state=False)
        return f"state of the table, {len(found.lines)} lines, {len(record.payload)} bytes"
    if record.kind not in RAW:
        return record.payload.decode("utf-8", "replace")
    if reader.is_sealed(record) and not has_key:
        return f"sealed, {len(record.payload)} bytes"
    passed = reader.passed(record)
    return "; ".join(f"{each.line} {'sent' if each.sent else 'received'} {each.data.hex(' ')}" for each in passed)


@command.command("export")
@click.argument("file", type=FILE)
@click.option("--capture", type=FILE, metavar="OUTPUT", help="Write the raw bytes to this pcapng file instead.")
@click.option("--overwrite", is_flag=True, help="Replace an existing file.")
@click.option("--table", metavar="NAME", help="Export only this table; a capture holds one table.")
@key_option(help="Keys that open the raw record, for --capture.")
def export_command(file: Path, capture: Path | None, overwrite: bool, table: str | None, key_file: Path | None) -> None:
    """Print the published lines in the journal FILE as NDJSON, or write its raw bytes to a capture.

    Published lines hold no card face before its reveal. A capture is not sealed and may hold faces.
    """
    with opened(file, key_file) as reader:
        if capture is not None:
            count = export_capture(reader, _only(reader, table), capture, overwrite=overwrite)
            echo(f"{count} reads and writes in {capture}, in clear text", err=True)
            return
        after = 0
        while found := reader.publications(after, 1000, table):
            for item in found:
                echo_json(item.line)
            after = found[-1].sequence


def _only(reader: JournalReader, table: str | None) -> str:
    known = sorted({line.table for line in reader.lines().values()})
    if table in known:
        return str(table)
    if table is None and len(known) == 1:
        return known[0]
    why = f"{table!r} is not in the journal" if table is not None else "a capture holds one table"
    raise click.BadParameter(f"{why}; there are {', '.join(known) or 'none'}", param_hint="--table")


@command.command("rebuild")
@click.argument("file", type=FILE)
@key_option(help="Keys that open the raw record.")
@click.option("--check-snapshots", is_flag=True, help="Also compare every snapshot with the replayed table.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@table_options
@click.pass_context
def rebuild_command(
    ctx: click.Context, /, file: Path, key_file: Path | None, check_snapshots: bool, as_json: bool, **options: Any
) -> None:
    """Replay the raw record of the journal FILE and compare the results with the published lines, byte for byte.

    Each table is made from its own configuration in the journal; table options given here override it. The exit code is
    1 at the first difference, which is reported with its record. The chain of hashes is not checked: `journal verify`
    does that.
    """
    with opened(file, key_file) as reader:
        make, topics = publisher_maker(ctx, reader, options)
        found = compare(reader, make, topics, check_snapshots=check_snapshots)
    if as_json:
        counts = {"reworded": found.reworded, "pending": len(found.pending), "given_up": len(found.given_up)}
        why = None if found.difference is None else str(found.difference)
        say_object(SCHEMA, "rebuilt", equal=found.equal, snapshots=found.snapshots, **counts, difference=why)
    elif found.difference is None:
        echo(f"{found.equal} published lines match the raw record, byte for byte")
        if found.reworded:
            echo(f"{found.reworded} of them state the same facts in the sentences of another version")
        if check_snapshots:
            echo(f"{found.snapshots} snapshots match the raw record, byte for byte")
        if found.pending:
            echo(f"{len(found.pending)} more lines follow from it; the service publishes them when it resumes")
        if found.given_up:
            echo(
                f"{len(found.given_up)} more lines follow from it and were never published: the table started over",
                err=True,
            )
    if found.difference is not None:
        raise Stop(Exit.CHECK_FAILED, f"{file}: {found.difference}")


def publisher_maker(
    ctx: click.Context, reader: JournalReader, options: dict[str, Any]
) -> tuple[Callable[[TableStart], Publishes], Collection[str]]:
    """Return the function that makes a table from its start, and the topics that it publishes again.

    The service's own factory is used if the journal is a service's and no table option was given.
    """
    given = {name for name in options if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE}
    of_service = all(start.configuration.startswith("{") for start in reader.starts(stopped=True).values())
    if of_service and not given:
        return TableFactory(reader.path), DERIVED if reader.version == 1 else DERIVED | {"event"}
    if reader.anchor.sequence:
        why = "its beginning was pruned, so its tables resume from snapshots and no table option can be given"
        raise Stop(Exit.USAGE, f"{reader.path}: {why}")
    procedures = {line.table: line.procedure for line in reader.lines().values()}

    def make(start: TableStart) -> Publishes:
        chosen = dict(options, table_name=start.table)
        chosen["procedure"] = options["procedure"] or known_procedure(reader.path, procedures.get(start.table, ""))
        if of_service and "edition" not in given:
            chosen |= {"edition": edition_in(start), "names_edition": named_edition(start)}
        if not given & {"meters", "progressive", "jackpot"}:
            chosen["meters"] = [f"{name}={cents}" for name, cents in start.facts.get("meters", {}).items()]
        if "runners" not in given:
            chosen["runners"] = [f"{seat}={number}" for seat, number in start.facts.get("runners", {}).items()]
        return OutcomePublisher(make_table(**chosen))

    return make, DERIVED


@command.command("archive")
@click.argument("file", type=FILE)
@click.option("--to", "folder", type=FOLDER, required=True, metavar="FOLDER", help="Folder to write to.")
@click.option("--first", type=WholeRange(1), metavar="SEQ", help="Archive only the day that begins with this record.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per day.")
def archive_command(file: Path, folder: Path, first: int | None, as_json: bool) -> None:
    """Write each finished gaming day of the journal FILE to a file of its own, and verify it there.

    Each file is a journal too, and continues where the one before it ends. The service does this by itself if
    table.toml names a folder, and prunes old days; this command only reads FILE.
    """
    with JournalReader(file) as reader:
        whole = [segment for segment in reader.segments() if segment.first > reader.anchor.sequence]
        if first is not None and first not in (begins := [segment.first for segment in whole]):
            allowed = ", ".join(map(str, begins)) or "none: the journal holds no finished day in full"
            raise Stop(Exit.USAGE, f"{file}: no day begins with record {first}; allowed: {allowed}")
        if not whole:
            echo(f"dealwire: {file}: nothing to archive: the journal holds no finished day in full", err=True)
        for segment in whole:
            if first is not None and segment.first != first:
                continue
            target, sha256 = export_segment(reader, segment, folder)
            if as_json:
                fields = {"first": segment.first, "last": segment.last, "day": segment.day, "file": str(target)}
                say_object(SCHEMA, "archived", **fields, sha256=sha256)
            else:
                echo(f"{target}: records {segment.first} to {segment.last}, day {segment.day}, SHA-256 {sha256}")


@command.command("salvage")
@click.argument("file", type=FILE)
@click.argument("output", type=FILE)
def salvage_command(file: Path, output: Path) -> None:
    """Write the readable part of the damaged journal FILE to the new journal OUTPUT.

    OUTPUT holds every record before the first damaged one. Readable records after it count for money only: their rounds
    are not settled again, and meters keep the values they had there. Every table starts over with OUTPUT. FILE is not
    changed: keep it.
    """
    found = salvage(file, output, SystemClock())
    echo(f"{output}: holds records up to {found.kept}")
    for low, high in found.lost[:20]:
        echo(f"{f'record {low}' if low == high else f'records {low} to {high}'}: lost or damaged", err=True)
    if len(found.lost) > 20:
        echo(f"and {len(found.lost) - 20} more ranges", err=True)
    if found.beyond:
        echo(
            f"{found.beyond} later records can be read; their rounds count as settled, and meters keep their values",
            err=True,
        )


@command.group("key")
def key_commands() -> None:
    """Make, rotate or list the key that seals raw bytes in the journal. Keep the key away from the journal."""


@key_commands.command("new")
@click.argument("file", type=FILE)
def new_command(file: Path) -> None:
    """Make the key FILE, readable only by its owner. Without it no one can read a sealed record."""
    echo(f"{file}: key {SealingKey.new(file).id}; keep a copy in a safe place")


@key_commands.command("rotate")
@click.argument("file", type=FILE)
def rotate_command(file: Path) -> None:
    """Add a newer key to the key FILE. It seals records from the next start of the service; older keys still open
    theirs."""
    key = SealingKey.load(file).rotated()
    echo(f"{file}: key {key.id} seals from the next start; {len(key.keys) - 1} older keys still open their records")


@key_commands.command("list")
@click.argument("file", type=FILE)
def list_command(file: Path) -> None:
    """Print the key ids in the key FILE, oldest first. An id reveals nothing about its key."""
    for key_id, _ in SealingKey.load(file).keys:
        echo(key_id.hex())


@command.group("auditor")
def auditor_commands() -> None:
    """Make the key pair with which a table seals records that only an auditor can open."""


@auditor_commands.command("new")
@click.argument("private_file", type=FILE, metavar="PRIVATE.key")
@click.argument("public_file", type=FILE, metavar="PUBLIC.key")
def new_pair_command(private_file: Path, public_file: Path) -> None:
    """Make a key pair: PRIVATE.key opens what is sealed with PUBLIC.key.

    Give PRIVATE.key to the auditor and keep it away from the table; without it every raw record is lost. Name
    PUBLIC.key as `auditor-key-file` in the part `[journal]` of table.toml.
    """
    key = AuditorPrivateKey.new(private_file, public_file)
    echo(f"{private_file}: private key {key.id}; give it to the auditor; keep a copy in a safe place")
    echo(f"{public_file}: public key {key.id}; name it as auditor-key-file in table.toml")
