"""Command `dealwire journal obligations`: a ledger of money and days from the journal."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import click

from dealwire.cli.options import FILE
from dealwire.cli.terminal import echo, say_object
from dealwire.journal.entries import LedgerEntry, LedgerReader
from dealwire.journal.reader import JournalReader
from dealwire.table.held import HeldEntry
from dealwire.table.id_words import Speech
from rules.settlement import amount

LEDGER_SCHEMA = "dealwire.ledger/1"


@click.command("obligations")
@click.argument("file", type=FILE)
@click.option("--table", metavar="NAME", help="Print only this table.")
@click.option("--open", "only_open", is_flag=True, help="Print only held money that is not yet released.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
def obligations_command(file: Path, table: str | None, only_open: bool, as_json: bool) -> None:
    """Print a ledger from the journal FILE: held money and its release, settled rounds, meter steps, awards, archived
    days; then the balance of each account.

    Each entry has a unique id, the accounts it debits and credits, the cents, the reason, and the clause. The exit code
    is 6 if the hash chain is broken or the file's tables do not match its records. No key is needed.
    """
    with JournalReader(file) as reader:
        ledger, speech = LedgerReader(reader), _speeches(reader)
        for entry in ledger.entries():
            if not only_open and table in (None, entry.table):
                _say_entry(entry, as_json, speech(entry.table))
        if only_open:
            for name, held in sorted(ledger.books.obligations.open):
                if table in (None, name):
                    _say_open(name, held, as_json, speech(name))
        for (account, currency), cents in sorted(ledger.sums.items()):
            if table is not None and account.partition(":")[2].partition("/")[0] != table:
                continue
            if only_open and not account.startswith("held:"):
                continue
            if as_json:
                say_object(LEDGER_SCHEMA, "account", account=account, currency=currency, cents=cents)
            else:
                echo(f"{account}: {amount(cents, currency)}")


def _speeches(reader: JournalReader) -> Callable[[str], Speech]:
    """Return a function from a table's name to its vocabulary, given by the procedure that its lines were registered
    for."""
    procedures = {line.table: line.procedure for line in reader.lines().values()}
    return lambda table: Speech.named(procedures.get(table, ""))


def _say_entry(entry: LedgerEntry, as_json: bool, speech: Speech) -> None:
    if as_json:
        say_object(LEDGER_SCHEMA, "entry", **entry._asdict())
        return
    clause = f"  [{entry.clause}]" if entry.clause else ""
    way, cause = f"{entry.debit} -> {entry.credit}", speech.write(entry.cause)
    echo(f"{entry.sequence}  {entry.id}  {way}  {amount(entry.cents, entry.currency)}  {cause}{clause}")


def _say_open(table: str, held: HeldEntry, as_json: bool, speech: Speech) -> None:
    if as_json:
        fields = {**held._asdict(), "hash": held.hash.hex(), "readings": list(held.readings)}
        say_object(LEDGER_SCHEMA, "open", table=table, **fields)
        return
    clause = f"  [{held.clause}]" if held.clause else ""
    which = f"round {held.round} of session {held.session}"
    cents, why = amount(held.cents, held.currency), speech.write(held.why)
    echo(f"{held.entry}  {time_text(held.at_ns)}  {table}  {cents}  {which}: {why}{clause}")


def time_text(at_ns: int) -> str:
    """Format a time of a journal, to the nanosecond."""
    seconds, rest_ns = divmod(at_ns, 1_000_000_000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest_ns:09d}Z"
