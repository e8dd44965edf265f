"""`dealwire monitor`: what the devices report, as it happens."""

import datetime
from collections.abc import Callable
from typing import Final

import click

from dealwire.cli.exits import Stop, explain_silence
from dealwire.cli.options import line_options, reconnect_option
from dealwire.cli.terminal import echo
from dealwire.live import LineConfig, LiveTable
from dealwire.table.event_line import event_line, fields
from dealwire.table.redaction import hidden, turned_over
from devices.clock import SystemClock
from devices.events import LinkUp, Seen
from protocol.printable import printable

NS: Final = 1_000_000_000


@click.command("monitor")
@line_options
@reconnect_option
@click.option(
    "-t",
    "--time",
    "stamp",
    type=click.Choice(["a", "d", "z", "n"]),
    default="a",
    show_default=True,
    help="Time: a absolute, d since the last event, z since the start, n none.",
)
@click.option("-n", "--count", type=click.IntRange(1), help="Stop after this many events.")
@click.option(
    "-T", "--idle", "idle_s", type=click.FloatRange(0, min_open=True), help="Stop after so many seconds without one."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line.")
@click.option(
    "--faces", is_flag=True, help="Print faces that devices read and nobody has shown; without it they are ??."
)
def command(
    lines: list[LineConfig],
    reconnect: bool,
    stamp: str,
    count: int | None,
    idle_s: float | None,
    as_json: bool,
    faces: bool,
) -> None:
    """Print every report of the devices on the lines given. Read-only: nothing but the session is asked of them.

    Where a dialect acknowledges, the device counts a report as taken once it was printed here: look on between rounds,
    not in the middle of one that is recorded or served next.

    When no device is up within --idle seconds, the exit code is 4, or says what is wrong with the line.
    """
    clock = SystemClock()
    up: set[str] = set()
    started_ns = last_ns = clock.now_ns()
    seen_so_far = 0
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

    with LiveTable(lines, deliver, clock=clock, reconnect=reconnect) as live:
        while not enough() and not live.closed:
            left_s = None if idle_s is None else idle_s - (clock.now_ns() - last_ns) / NS
            if left_s is not None and left_s <= 0:
                break
            live.run(enough, left_s)
        problems = live.problems
    silent = [line.name for line in lines if line.name not in up]
    if len(silent) == len(lines) and not enough():
        raise Stop(*explain_silence(silent, problems))


def _text(stamp: str, started_ns: int) -> Callable[[Seen], str]:
    """A writer of lines with the time in the form asked for."""
    last_ns = started_ns

    def write(seen: Seen) -> str:
        nonlocal last_ns
        if stamp == "a":
            moment = datetime.datetime.fromtimestamp(seen.at_ns / NS).astimezone()
            time = moment.strftime("%H:%M:%S.%f")[:-3] + "  "
        elif stamp == "n":
            time = ""
        else:
            time = f"{(seen.at_ns - (last_ns if stamp == 'd' else started_ns)) / NS:10.3f}  "
        last_ns = seen.at_ns
        shown = "  ".join(f"{name} {_short(value)}" for name, value in fields(seen).items())
        return f"{time}{seen.device:<11} {seen.number:>5}  {type(seen.body).__name__:<18} {shown}".rstrip()

    return write


def _short(value: object) -> str:
    return printable(" ".join(str(item) for item in value) or "-" if isinstance(value, list) else str(value))
