"""`dealwire bench`: judge a device by an acceptance plan."""

import contextlib
import select
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from dealwire.bench.hands import Hands, NoHands, PersonHands
from dealwire.bench.plan import BenchPlan, known_plans, load_plan
from dealwire.bench.probe import MS, Probe
from dealwire.bench.report import Report, summary_lines, text_lines, to_json, to_junit
from dealwire.bench.rig import SimulatedRig
from dealwire.bench.runner import BenchChoices, run_plan
from dealwire.bench.wire import LiveWire, Wire
from dealwire.cli.exits import Exit, Stop
from dealwire.cli.terminal import ProgressLine, echo, echo_json
from dealwire.rehearsal.faults import faults
from devices.address import line_at
from devices.clock import SystemClock
from protocol.errors import LineClosed
from protocol.printable import printable

OPTIONS = {"shuffler": "shuffler", "controller": "table-controller", "shoe": "shoe"}
DEFAULT = "shuffler"
"""The device of a simulated run whose plan names none."""
MakeHands = Callable[[Probe], Hands]


@click.command("bench")
@click.argument("plan", metavar="[PLAN]", required=False)
@click.option("--shuffler", metavar="ADDRESS", help="Judge the packet shuffler on this line.")
@click.option("--controller", metavar="ADDRESS", help="Judge the table controller on this line.")
@click.option("--shoe", metavar="ADDRESS", help="Judge the card shoe on this line; it speaks TDP.")
@click.option("--simulated", is_flag=True, help="Judge a simulated device instead.")
@click.option("--real-time", is_flag=True, help="The simulated device on a real pseudo-terminal, by the wall clock.")
@click.option(
    "--speed",
    type=click.FloatRange(0.01, 1000),
    default=1.0,
    show_default=True,
    help="How much faster simulated people and machines are; the protocol keeps its times.",
)
@click.option("--only", multiple=True, metavar="PATTERN", help="Only these checks, such as 'frame.*'.")
@click.option("--rounds", type=click.IntRange(1, 1_000_000), help="Rounds of the soak.")
@click.option(
    "--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True, help="Of everything by chance."
)
@click.option("--unattended", is_flag=True, help="Ask nobody: what needs a person is not run.")
@click.option("--list", "as_list", is_flag=True, help="Name the plans, or the checks of PLAN, and the faults.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a check, and one that closes.")
@click.option("--junit", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Also as JUnit XML.")
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Also as one HTML file.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    plan: str | None,
    shuffler: str | None,
    controller: str | None,
    shoe: str | None,
    simulated: bool,
    real_time: bool,
    speed: float,
    only: tuple[str, ...],
    rounds: int | None,
    seed: int,
    unattended: bool,
    as_list: bool,
    as_json: bool,
    junit: Path | None,
    html: Path | None,
) -> None:
    """Judge a device by PLAN, an id or a TOML file: what it says on its line, and how soon.

    Without PLAN the one of the device is taken. A person is asked for what only hands can do, unless --unattended. A
    check that was not run is no pass. Try: dealwire bench shuffler --simulated
    """
    if as_list:
        _list(plan)
        return
    given = {OPTIONS[name]: address for name, address in
             (("shuffler", shuffler), ("controller", controller), ("shoe", shoe)) if address}  # fmt: skip
    loaded, device, address = _choose(plan, given, simulated)
    choices = BenchChoices(only, rounds, seed)
    _check_choices(loaded, choices)
    for file in (junit, html):
        _check_writable(file)
    progress = ProgressLine()
    with _wire(device, address, real_time, speed, unattended) as (wire, make_hands):
        report = run_plan(loaded, wire, make_hands, choices, lambda one: progress.show(f"{one.outcome}: {one.id}"))
    progress.clear()
    _say(report, as_json)
    _write(report, junit, html)
    ctx.exit(Exit.GOOD if report.passed else Exit.CHECK_FAILED)


def _choose(plan: str | None, given: dict[str, str], simulated: bool) -> tuple[BenchPlan, str, str | None]:
    """The plan, the device it judges and its address, None for a simulated one. UsageError when they do not fit."""
    if len(given) + simulated != 1:
        raise click.UsageError("judge one device: --shuffler, --controller or --shoe with an ADDRESS, or --simulated")
    named = next(iter(given), None)
    loaded = load_plan(plan or named or DEFAULT)
    device = named or (loaded.device if loaded.device != "any" else DEFAULT)
    if loaded.device not in ("any", device):
        raise click.UsageError(f"the plan {loaded.id!r} is for a {loaded.device}, not for a {device}")
    return loaded, device, given.get(device)


def _check_choices(plan: BenchPlan, choices: BenchChoices) -> None:
    for pattern in choices.only:
        if not any(BenchChoices((pattern,)).takes(one) for one in plan.ids):
            raise click.UsageError(f"--only {pattern!r} names no check of the plan; dealwire bench {plan.id} --list")


def _check_writable(file: Path | None) -> None:
    """A report that cannot be written is better known before an hour's run than after it."""
    if file is not None and not file.parent.is_dir():
        raise click.UsageError(f"{file}: no such folder: {file.parent}")


@contextlib.contextmanager
def _wire(
    device: str, address: str | None, real_time: bool, speed: float, unattended: bool
) -> Iterator[tuple[Wire, MakeHands]]:
    """The line to the device, and who stands at it."""
    if address is None:
        rig = SimulatedRig(device, speed=speed, real_time=real_time)
        wire, hands = rig.wire, rig.hands
        with contextlib.closing(wire):
            yield wire, lambda _: hands
        return
    clock = SystemClock()
    wire = LiveWire(address, line_at(address, clock), clock=clock)
    by_person = not unattended and sys.stdin.isatty()
    with contextlib.closing(wire):
        yield wire, lambda probe: PersonHands(lambda text: _ask(probe, text)) if by_person else NoHands()


def _ask(probe: Probe, instruction: str) -> bool:
    """Show an instruction and keep the line alive until it was followed (True) or skipped."""
    click.secho(f"> {printable(instruction, None)}  [Enter: done, s: skip] ", fg="cyan", err=True, nl=False)
    while not select.select([sys.stdin], [], [], 0)[0]:
        try:
            probe.run(probe.wire.now_ns() + 50 * MS)
        except LineClosed:
            # the device may be off because it was asked for
            select.select([sys.stdin], [], [], 0.05)
    return not sys.stdin.readline().strip().lower().startswith("s")


def _say(report: Report, as_json: bool) -> None:
    if not as_json:
        for line in text_lines(report):
            failed = line.startswith("FAIL")
            echo(line, fg="red" if failed else "yellow" if line.startswith("----") else None)
        return
    for line in to_json(report):
        echo_json(line)
    for line in summary_lines(report):
        echo(line, err=True)


def _write(report: Report, junit: Path | None, html: Path | None) -> None:
    from dealwire.bench.report_html import to_html

    for file, render in ((junit, to_junit), (html, to_html)):
        if file is not None:
            try:
                file.write_text(render(report), encoding="utf-8")
            except OSError as error:
                raise Stop(Exit.USAGE, f"{file}: cannot be written: {error.strerror}") from None
            echo(f"wrote {file}", err=True)


def _list(plan: str | None) -> None:
    if plan is None:
        for name in known_plans():
            loaded = load_plan(name)
            echo(f"{name.ljust(18)} {len(loaded.check) + len(loaded.rule):4} checks  {loaded.title}")
        click.echo("\nfaults that a step or a button can inject:")
        for fault in faults().values():
            echo(f"  {fault.name.ljust(16)} {fault.title}")
        return
    loaded = load_plan(plan)
    for check in loaded.check:
        echo(f"{check.id.ljust(34)} {check.area.ljust(12)} {check.title}  [{check.section}]")
    for rule in loaded.rule:
        echo(f"{rule.id.ljust(34)} {'conformance'.ljust(12)} {rule.title}  [{rule.section}]")
