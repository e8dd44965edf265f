"""Command `dealwire journal rounds`: find rounds by time, seat, amount and other facts of a complaint."""

import re
import shlex
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dealwire.cli.exits import Exit, Stop
from dealwire.cli.options import FILE, FLAG, JSON_LINES, decimal, declared, many, usually, whole
from dealwire.cli.terminal import GrowingTable, echo, say_object, say_table
from protocol.nearest import did_you_mean
from protocol.printable import printable

if TYPE_CHECKING:
    from dealwire.journal.finding import FoundRound, RoundQuery
    from dealwire.journal.rounds import RoundReader

SCHEMA = "dealwire.journal-rounds/1"
A_TIME = {"metavar": "TIME"}
DAY_AHEAD_NS = 23 * 3600 * 1_000_000_000 - 1
"""Together with the hour that a time may be ahead, the length of the day after a moment."""


@click.command("rounds")
@click.argument("file", type=FILE)
@declared(
    (
        "--at at",
        A_TIME,
        "Rounds in progress around this time: 21:05, 21:05:30 or 2026-11-28 21:05; without a date, the latest such "
        "time in the journal.",
    ),
    ("--around", usually(2, decimal(0, 1440), metavar="MINUTES"), "How far --at may be off."),
    ("--from begin", A_TIME, "Rounds in progress at this time or later."),
    ("--to end", A_TIME, "Rounds in progress at this time or earlier."),
    ("--table tables", many("NAME"), "Only rounds at this table."),
    ("--seat", whole(1, 32, "N"), "Only rounds with this seat; --amount, --bet and --result then refer to this seat."),
    (
        "--amount",
        {"metavar": "AMOUNT"},
        "Only rounds with this amount, such as 25 or 25.50, as a bet, a payout, a returned bet or a pot.",
    ),
    ("--bet", {"metavar": "NAME"}, "Only rounds in which this bet was settled, such as ante."),
    ("--result", {"metavar": "RESULT"}, "Only rounds with a bet of this result: win, lose, push, returned or held."),
    ("--outcome", {"metavar": "OUTCOME"}, "Only rounds with this outcome, such as complete, misdeal or unreliable."),
    ("--held", FLAG, "Only rounds with held money."),
    (
        "--incident",
        {"metavar": "CODE"},
        "Only rounds with this incident, such as seat-count-wrong; `any` for any incident.",
    ),
    ("--limit most", usually(50, whole(1, metavar="N")), "Print at most this many rounds, newest first."),
    JSON_LINES,
    ("-v --verbose", FLAG, "Also print when each round ended, and name its incidents."),
)
def rounds_command(file: Path, as_json: bool, verbose: bool, most: int, **known: Any) -> None:
    """Find rounds in the journal FILE, newest first: one line each with stakes, payouts and held money.

    All conditions must hold. Times are in this machine's time zone unless they end in Z or an offset such as +01:00. To
    see all of a round, use `dealwire journal round N FILE`. The exit code is 1 if no round is found.
    """
    from dealwire.journal.finding import find_rounds
    from dealwire.journal.rounds import RoundReader

    with RoundReader(file) as reader:
        query = query_of(reader, **known)
        found = find_rounds(reader, query, most + 1)
        if not found:
            raise Stop(Exit.CHECK_FAILED, f"{file}: no such round; {_there(reader, query)}")
        opens = _opens(reader, found[0], file)
    shown, more = found[:most], len(found) > most
    for each in shown if as_json else ():
        say_object(SCHEMA, "round", **_fields(each))
    if not as_json:
        (_say_all if verbose else _say)(shown, known["seat"])
        echo(f"dealwire: to see all of the first round: {opens}", err=True, hang=2)
    if more:
        echo(f"dealwire: there are more rounds; use --limit {most * 2}", err=True)


def _opens(reader: "RoundReader", found: "FoundRound", file: Path) -> str:
    """Return the command that shows a round."""
    table = ["--table", shlex.quote(found.table)] if len(reader.tables()) > 1 else []
    record = ["--record", str(found.record)] if len(reader.places(found.table, found.number)) > 1 else []
    return " ".join(["dealwire journal round", str(found.number), shlex.quote(str(file)), *table, *record])


def query_of(
    reader: "RoundReader",
    *,
    at: str | None,
    around: float,
    begin: str | None,
    end: str | None,
    tables: Sequence[str],
    amount: str | None,
    **known: Any,
) -> "RoundQuery":
    """Return the query for these options. Raise a usage error that names an impossible value, and what is allowed."""
    from dealer_flow.record.catalogue import INCIDENTS
    from dealwire.journal.finding import ANY, OUTCOMES, RESULTS, RoundQuery

    for option, values in (("outcome", OUTCOMES), ("result", RESULTS), ("incident", [ANY, *INCIDENTS])):
        if known[option] is not None:
            _one_of(known[option], values, option)
    for table in tables:
        _one_of(table, reader.tables(), "table")
    begin_ns, end_ns = _times(reader, at, around, begin, end)
    cents = _cents(amount) if amount is not None else None
    return RoundQuery(tables=tables, begin_ns=begin_ns, end_ns=end_ns, cents=cents, **known)


def _one_of(given: str, known: Collection[str], option: str) -> None:
    if given not in known:
        meant = did_you_mean(given, known)
        allowed = "" if meant or len(known) > 12 else f"; allowed: {', '.join(known) or 'none'}"
        where = "" if allowed or meant else "; docs/incidents.md lists them"
        why = f"{printable(repr(given), 60)} is not a known {option}{meant}{allowed}{where}"
        raise click.BadParameter(why, param_hint=f"--{option}")


def _times(
    reader: "RoundReader", at: str | None, around: float, begin: str | None, end: str | None
) -> tuple[int | None, int | None]:
    """Return the first and last nanosecond, since 1970, of the time range."""
    from dealwire.journal.times import SECOND_NS, NoSuchTime, span_of

    if at is not None and (begin is not None or end is not None):
        raise click.UsageError("--at excludes --from and --to")
    newest_ns, option = reader.newest_ns, "--at"
    try:
        if at is not None:
            span, margin_ns = span_of(at, newest_ns), int(around * 60) * SECOND_NS
            return span.begin_ns - margin_ns, span.end_ns + margin_ns
        option = "--from"
        begin_ns = span_of(begin, newest_ns).begin_ns if begin is not None else None
        option = "--to"
        if begin_ns is not None:  # the first such time after it
            newest_ns = begin_ns + DAY_AHEAD_NS
        end_ns = span_of(end, newest_ns).end_ns if end is not None else None
    except NoSuchTime as error:
        raise click.BadParameter(str(error), param_hint=option) from None
    if begin_ns is not None and end_ns is not None and begin_ns > end_ns:
        raise click.BadParameter(f"earlier than --from, {_local(begin_ns)}", param_hint="--to")
    return begin_ns, end_ns


def _cents(text: str) -> int:
    """Parse an amount as pages show it: `25`, `25.50`, `$1,250`."""
    found = re.fullmatch(r"[$€£]?(\d{1,12})(?:\.(\d{2}))?", text.replace(",", ""), re.ASCII)
    if found is None:
        why = f"{printable(repr(text), 40)} is not an amount; write it such as 25 or 25.50"
        raise click.BadParameter(why, param_hint="--amount")
    return int(found[1]) * 100 + int(found[2] or 0)


# ------------------------------------------------------------------ how it is shown_day


def _say(found: "Sequence[FoundRound]", seat: int | None) -> None:
    """Print one line per round, under a line for its day. The table is shown only if there are several."""
    whose = f" of seat {seat}" if seat is not None else ""
    tables = len({each.table for each in found}) > 1
    rows = [("round", *(["table"] if tables else []), "began", f"staked{whose}", "out", "outcome")]
    days = [""]
    for each in found:
        begin = _local(each.begin_ns if each.begin_ns is not None else each.end_ns or 0)
        staked, out, held = _money(each, seat)
        incidents = len(each.incidents)
        notes = [
            _outcome(each),
            *([f"{held} held"] if held not in ("", "-") else []),
            *([f"{incidents} incident{'s' * (incidents != 1)}"] if incidents else []),
        ]
        table = [each.table] if tables else []
        began = begin[11:] if each.begin_ns is not None else "not seen"
        rows.append((str(each.number), *table, began, staked, out, ", ".join(notes)))
        days.append(begin[:10])
    wide = GrowingTable(frozenset({0, len(rows[0]) - 3, len(rows[0]) - 2}))
    for row in rows:
        wide.fit(row)
    shown_day = ""
    for day, row in zip(days, rows, strict=True):
        if day and day != shown_day:
            echo(day)
            shown_day = day
        wide.say(row)


def _outcome(each: "FoundRound") -> str:
    from dealwire.table.id_words import id_words

    return "came again" if each.repeated else id_words(each.outcome or "did not end")


def _say_all(found: "Sequence[FoundRound]", seat: int | None) -> None:
    """Print each round with everything that is known of it."""
    from dealwire.table.id_words import id_words

    whose = f" of seat {seat}" if seat is not None else ""
    rows = [("round", "table", "began", "ended", "outcome", f"staked{whose}", "out", "held", "incidents")]
    for each in found:
        begin = _local(each.begin_ns) if each.begin_ns is not None else "not seen"
        end = _local(each.end_ns)[11:] if each.end_ns is not None else "never"
        incidents = ", ".join(map(id_words, dict.fromkeys(each.incidents))) or "-"
        rows.append((str(each.number), each.table, begin, end, _outcome(each), *_money(each, seat), incidents))
    say_table(rows, frozenset({0, 5, 6, 7}))


def _money(each: "FoundRound", seat: int | None) -> tuple[str, str, str]:
    """Return stakes, payouts and held money of the given seat, or of all seats."""
    from rules.settlement import amount

    if not each.settled:
        return "not settled", "", ""
    seats = [one for one in each.seats if seat in (None, one.seat)]
    staked, out, held = (sum(cents) for cents in zip(*((one.staked, one.out, one.held) for one in seats), strict=True))
    return amount(staked, each.currency), amount(out, each.currency), amount(held, each.currency) if held else "-"


def _local(at_ns: int) -> str:
    return f"{datetime.fromtimestamp(at_ns // 1_000_000_000, UTC).astimezone():%Y-%m-%d %H:%M:%S}"


def _fields(each: "FoundRound") -> dict[str, Any]:
    seats = [one._asdict() for one in each.seats]
    return {**each._asdict(), "seats": seats, "staked": each.staked, "out": each.out, "held": each.held}


def _there(reader: "RoundReader", query: "RoundQuery") -> str:
    """Describe the rounds that exist: numbers and times, for each table of the query."""
    found = []
    for table in query.tables or reader.tables():
        numbers = reader.numbers(table)
        if numbers is None:
            found.append(f"{table} has no rounds")
            continue
        (oldest,) = reader.publications(reader.next_round(table, 0) - 1, 1, table)
        newest = next(reader.lines_back(table, {"round": ""}))
        times = f"{_local(oldest.at_ns)} to {_local(newest.at_ns)}"
        found.append(f"{table} has rounds {numbers[0]} to {numbers[1]}, {times}")
    return "; ".join(found) or "the journal has no tables"
