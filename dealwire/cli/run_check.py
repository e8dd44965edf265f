"""Check of everything that a start of the service needs (`dealwire run --check`)."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from dealer_flow.procedure.load import load_procedure
from dealer_flow.tomlfile import read
from dealwire.cli.exits import Exit, Stop, explain
from dealwire.cli.exporting import marks_of
from dealwire.cli.terminal import echo, say_object
from dealwire.config.build import Banks, build_terms
from dealwire.config.load import examined
from dealwire.config.schema import Configuration
from dealwire.config.table_parts import TablePart
from dealwire.service.readiness import StartOptions, readiness
from dealwire.service.start_checks import disk_ahead, journal_ahead, lines_ahead
from dealwire.service.tried import (
    Tried,
    ok,
    warning,
    wrong,
)
from dealwire.table.cautions import cautions_of
from dealwire.table.table import TableTerms
from devices.clock import SystemClock
from protocol.errors import DealwireError
from protocol.printable import printable
from protocol.tomlfile import TomlFileError, line_of, spell

SCHEMA: Final = "dealwire.run-check/1"
COLOURS: Final = {"ok": "green", "warning": "yellow", "wrong": "red"}


def check_file(file: Path, options: StartOptions, *, as_json: bool = False) -> Exit:
    """Run all checks, print each result, and return the exit code that a start would give for the first error. Raise
    TomlFileError if the file cannot be read."""
    text = read(file)
    counts = {"ok": 0, "warning": 0, "wrong": 0}
    code = Exit.GOOD
    for tried in everything(file, options):
        counts[tried.outcome] += 1
        if tried.error is not None and code == Exit.GOOD:
            code = explain(tried.error)[0]
        _say(file, text, tried, as_json)
    if as_json:
        say_object(SCHEMA, "end", file=str(file), exit=int(code), **counts)
    else:
        summary = f"{counts['wrong']} wrong" if counts["wrong"] else "nothing wrong"
        warned = f", {counts['warning']} warning{'s' * (counts['warning'] > 1)}" if counts["warning"] else ""
        echo(f"{file}: {summary}{warned}", bold=True)
    return code


def everything(file: Path, options: StartOptions) -> Iterator[Tried]:
    """Yield the checks in the order in which a start meets them."""
    found, faults = _in_file(file)
    yield from faults
    if found is None:
        return
    if not faults:
        for index in range(len(found.table)):
            yield from _of_table(found, index)
    yield ok("user", f"checked as {_user()}; repeat this as the user that will serve")
    tried = [*faults]
    for each in readiness(found, options):
        tried.append(each)
        yield each
    broken = {each.what for each in tried if each.error is not None}
    if found.exports.mqtt is not None and not broken & {"mqtt", "journal"}:
        yield from _marks(found, options.file_counts)
    if not broken & {"file", "journal", "seal"}:
        yield from journal_ahead(found, options, SystemClock().now_ns())
    yield from disk_ahead(found.journal)
    yield from lines_ahead(found)


def _in_file(file: Path) -> tuple[Configuration | None, list[Tried]]:
    """Return the configuration, and all errors in the file by line."""
    found, faults = examined(file)
    return found, [wrong("file", (), fault) for fault in sorted(faults, key=lambda fault: fault.line or 0)]


def _of_table(found: Configuration, index: int) -> Iterator[Tried]:
    part = found.table[index]
    terms = build_terms(part, load_procedure(part.procedure), Banks())
    game = part.game or "its own game"
    settled = f"settled by {game}{_unsigned(part, terms)}" if terms is not None else "dealt without settlement"
    yield ok(part.name, f"{part.procedure}, {settled}; {len(part.device)} device{'s' * (len(part.device) > 1)}")
    for caution in cautions_of(terms) if terms is not None else ():
        yield warning(part.name, caution)


def _unsigned(part: TablePart, terms: TableTerms) -> str:
    """Name the unsigned readings of the table's game, if the house signed some or lets unsigned ones wait."""
    if part.unsigned_readings == "settle" and not terms.signed_readings:
        return ""
    waits = ", which wait for a supervisor" if part.unsigned_readings == "wait" else ""
    return (
        f", unsigned: {', '.join(terms.unsigned_readings)}{waits}"
        if terms.unsigned_readings
        else ", every reading signed"
    )


def _user() -> str:
    import pwd  # not on every system, and `run` alone needs it

    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return f"user {os.geteuid()}"


def _marks(found: Configuration, file_counts: bool) -> Iterator[Tried]:
    """Compare the broker's marks with the journal, as a start does."""
    try:
        against, doubts, _ = marks_of(found, still=True)
    except DealwireError as error:
        yield wrong("broker", ("exports", "mqtt"), error)
        return
    for why in against:
        if file_counts:
            yield warning("broker", why)
        else:
            yield wrong("broker", ("exports", "mqtt"), Stop(Exit.PROTOCOL, why))
    yield from (warning("broker", doubt) for doubt in doubts)
    if not against and not doubts:
        yield ok("broker", "it answers, and knows no newer journal")


# ------------------------------------------------------------------ how it is said


def _say(file: Path, text: str, tried: Tried, as_json: bool) -> None:
    code, words = explain(tried.error) if tried.error is not None else (None, tried.text)
    line, key = line_of(text, tried.key) if tried.key else None, spell(tried.key)
    if isinstance(tried.error, TomlFileError) and not key:
        line, key = tried.error.line, tried.error.key
    if as_json:
        place = {"line": line, "key": key or None, "exit": None if code is None else int(code)}
        say_object(SCHEMA, "tried", outcome=tried.outcome, what=tried.what, text=words, **place)
        return
    if tried.error is not None and tried.key:
        words = f"{file}{f':{line}' if line else ''}: {key}: {words}"
    elif tried.error is None:
        words = f"{tried.what}: {words}"
    click.secho(f"{printable(tried.outcome):<8} ", fg=COLOURS[tried.outcome], nl=False)
    echo(words)
