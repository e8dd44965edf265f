"""Command `dealwire monitor`: print device reports as they arrive."""

from collections.abc import Callable
from typing import Final

import click

from dealwire.cli.exits import Stop, explain_silence
from dealwire.cli.options import FLAG, JSON_LINES, SECONDS, declared, usually, whole
from dealwire.cli.raw_bytes import RawBytes, stamps
from dealwire.cli.table_options import line_options, reconnect_option
from dealwire.cli.terminal import echo, echo_json
from dealwire.live import LineConfig, LiveTable
from dealwire.table.event_line import event_line, fields
from dealwire.table.redaction import hidden, turned_over
from devices.clock import SystemClock
from devices.events import LinkUp, Seen
from protocol.errors import DealwireError
from protocol.printable import printable

NS: Final = 1_000_000_000


@click.command("monitor")
@line_options
@reconnect_option
@declared(
    (
        "-t --time stamp",
        usually("a", type=click.Choice(["a", "d", "z", "n"])),
        "Time stamp: a absolute, d since the last event, z since the start, n none.",
    ),
    ("-n --count", whole(1), "Stop after this many events."),
    ("-T --idle idle_s", SECONDS, "Stop after this many seconds without an event."),
    (
        "--hex as_hex",
        FLAG,
        "Print the bytes in both directions, and mark frames; works without a fitting dialect.",
    ),
    JSON_LINES,
    ("--faces", FLAG, "Print faces of cards that are not shown yet; by default they are ??."),
)
def command(
    lines: list[LineConfig],
    reconnect: bool,
    stamp: str,
    count: int | None,
    idle_s: float | None,
    as_hex: bool,
    as_json: bool,
    faces: bool,
) -> None:
    """Print every report of the devices on the given lines. Nothing is requested from them but the session.

    If the dialect has acknowledgments, the device considers a printed report as delivered. Monitor between rounds, not
    in the middle of a round that will be recorded or served.

    With --hex every read and write is printed with its time, direction and offset in the stream; -n counts them. Bytes
    are printed unchanged, so they may hold card faces that were never shown. Those of a sealed line are printed as they
    were opened.

    The exit code is 4 if no device comes up within --idle seconds. If a line fails, the code names the problem (3 to
    7).
    """
    clock = SystemClock()
    if as_hex:
        say, stamped = echo_json if as_json else echo, stamps(stamp, clock.now_ns())
        _print_bytes(lines, clock, RawBytes(say, stamped, most=count, as_json=as_json), reconnect, idle_s)
        return
    up, seen_so_far = set[str](), 0
    started_ns = last_ns = clock.now_ns()
    words_of = event_line if as_json else _text(stamp, started_ns)

    def deliver(seen: Seen) -> None:
        nonlocal last_ns, seen_so_far
        up.add(seen.device if isinstance(seen.body, LinkUp) else "")
        if count is None or seen_so_far < count:
            echo(words_of(seen if faces else turned_over(hidden(seen))))
            last_ns = clock.now_ns()
            seen_so_far += 1

    def enough() -> bool:
        return count is not None and seen_so_far >= count

    table = LiveTable(lines, deliver, clock=clock, reconnect=reconnect)
    problems = _watched(table, enough, lambda: last_ns, idle_s)
    if not enough():
        _must_be_up(lines, up, problems)


def _watched(
    table: LiveTable, enough: Callable[[], bool], last_ns: Callable[[], int], idle_s: float | None
) -> dict[str, DealwireError]:
    """Run a table until `enough`, or until `idle_s` seconds have passed since `last_ns`. Return the problems of its
    lines."""
    with table as live:
        while not enough() and not live.closed:
            left_s = None if idle_s is None else idle_s - (live.clock.now_ns() - last_ns()) / NS
            if left_s is not None and left_s <= 0:
                break
            live.run(enough, left_s)
        return live.problems


def _print_bytes(
    lines: list[LineConfig],
    clock: SystemClock,
    raw: RawBytes,
    reconnect: bool,
    idle_s: float | None,
) -> None:
    """Print bytes until enough reads and writes were printed or the lines are idle. Raise Stop if no byte came from any
    device."""
    started_ns, up = clock.now_ns(), set[str]()

    def enough() -> bool:
        return raw.full or raw.failure is not None

    def deliver(seen: Seen) -> None:
        if isinstance(seen.body, LinkUp):
            up.add(seen.device)

    table = LiveTable(lines, deliver, record=lambda: raw, clock=clock, reconnect=reconnect)
    problems = _watched(table, enough, lambda: max(raw.received_ns, started_ns), idle_s)
    raw.end()
    if raw.failure is not None:
        raise raw.failure
    if not raw.full:
        _must_be_up(lines, up, problems)


def _must_be_up(lines: list[LineConfig], up: set[str], problems: dict[str, DealwireError]) -> None:
    """Raise Stop if no device ever came up."""
    silent = [line.name for line in lines if line.name not in up]
    if len(silent) == len(lines):
        raise Stop(*explain_silence(silent, problems))


def _text(stamp: str, started_ns: int) -> Callable[[Seen], str]:
    """Return a function that formats a report with its time stamp."""
    stamped = stamps(stamp, started_ns)

    def write(seen: Seen) -> str:
        shown = "  ".join(f"{name} {_short(value)}" for name, value in fields(seen).items())
        head = f"{stamped(seen.at_ns)}{seen.device:<11} {seen.number:>5}  {type(seen.body).__name__:<18}"
        return f"{head} {shown}".rstrip()

    return write


def _short(value: object) -> str:
    return printable(" ".join(str(item) for item in value) or "-" if isinstance(value, list) else str(value))
