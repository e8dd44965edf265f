"""Command `dealwire bench`: test a device against an acceptance plan."""

import contextlib
import dataclasses
import select
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource

from dealwire.attest.keys import trusted
from dealwire.bench.hands.command import OperatorChannel, ProgramOperator
from dealwire.bench.hands.operator import NoOperator, Operator, PersonOperator
from dealwire.bench.plan.plan import BenchPlan, checks_for_hands, dialect_plans, load_plan, packaged_plans
from dealwire.bench.record import BenchOutcome, NotRunCause
from dealwire.bench.report.about import program_facts
from dealwire.bench.report.conditions import MOST_INSTRUMENTS, load_conditions
from dealwire.bench.report.report import BenchVerdict, Report
from dealwire.bench.report.signing import ReportSignature, beside
from dealwire.bench.report.text import summary_lines, text_lines
from dealwire.bench.run.reporting import ReportHead, report_of
from dealwire.bench.run.rig import GAT, SimulatedRig
from dealwire.bench.run.runner import BenchChoices, BenchRun, run_plan
from dealwire.bench.run.watching import await_return, take_over, to_make_again
from dealwire.bench.verbs.probe import MS, Listener
from dealwire.bench.verbs.wire import LiveWire, Wire
from dealwire.cli.bench_reports import (
    ReportFiles,
    doubt,
    need_to_draw,
    new_key,
    read_earlier,
    refuse,
    verify,
    write_forms,
)
from dealwire.cli.device import read_image
from dealwire.cli.device_keys import seal_of
from dealwire.cli.ending import LastResort, Terminated
from dealwire.cli.exits import Exit
from dealwire.cli.options import A_FILE, ADDRESS, FILE, FLAG, LINE_KEYS, SEED, decimal, declared, many, usually, whole
from dealwire.cli.progress import ProgressLine
from dealwire.cli.terminal import echo, echo_json
from dealwire.rehearsal.faults import faults
from devices.clock import Clock, SystemClock
from devices.dialects.known import dialect_named
from devices.drive.address import baud_of, line_at
from devices.transport.base import Transport
from protocol.errors import LineClosed, LineGarbled, NoAnswer, WrongDevice
from protocol.printable import TEXT_MAX, printable
from protocol.tdp.packets import VERSION_TEXT

OPTIONS = {"shuffler": "shuffler", "controller": "table-controller", "shoe": "shoe", "gat": "gat"}
DEFAULT = "shuffler"
"""Device of a simulated run if the plan names none."""
MakeOperator = Callable[[Listener], Operator]
OnLine = contextlib.AbstractContextManager[tuple[Wire, MakeOperator, ProgressLine]]
MakeRun = Callable[[tuple[str, ...]], BenchRun]
"""Function that runs those checks of the plan that match the patterns."""
INTERRUPTIONS: Final = {Terminated: "SIGTERM", KeyboardInterrupt: "SIGINT"}
REPORT_S: Final = 30.0
"""Seconds that writing the report may take after SIGTERM ended a run."""
NOBODY: Final = "run it at a terminal, or use --operator-program or --unattended"
"""Advice for a run in which no one can be prompted."""
HEAD: Final = ("laboratory", "operator", "ticket", "number", "sample", "environment")
"""Text entries of the report's head."""
WITH_VERIFY: Final = frozenset({"plan", "verify_file", "key_file", "against", "junit", "html", "pdf", "overwrite"})
"""Options that may be combined with --verify."""


def _head_text(_ctx: click.Context, param: click.Parameter, value: str) -> str:
    """Check a text for the head of a report."""
    if not value.isprintable() or len(value) > TEXT_MAX:
        raise click.BadParameter(f"must be printable, at most {TEXT_MAX} characters", param=param)
    return value.strip()


def _head_texts(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_head_text(ctx, param, value) for value in values)


def _head_of(options: dict[str, Any]) -> ReportHead:
    """Return the head of the report, from options and the --conditions file, and remove those entries from
    `options`."""
    file: Path | None = options.pop("conditions")
    lab = load_conditions(file) if file is not None else None
    named = {name: options.pop(name) or (getattr(lab, name) if lab else "") for name in HEAD}
    instruments = options.pop("instruments") or (tuple(each.words for each in lab.instrument) if lab else ())
    if len(instruments) > MOST_INSTRUMENTS:
        raise click.UsageError(
            f"--instrument is given {len(instruments)} times; a report holds at most {MOST_INSTRUMENTS}"
        )
    return ReportHead(**named, instruments=instruments)


_SEALED_SIMULATED: Final = (
    "--sealed-keys and --simulated exclude each other; give --shuffler 'sim:shuffler?identity=FILE', after "
    "dealwire device pair --role service with that address"
)

line_options = declared(
    ("--shuffler", ADDRESS, "Test the packet shuffler on this line."),
    ("--controller", ADDRESS, "Test the table controller on this line."),
    ("--shoe", ADDRESS, "Test the card shoe on this line."),
    ("--gat", ADDRESS, "Test the GAT line of any device."),
    ("--simulated", FLAG, "Test a simulated device instead."),
    (
        "--sealed-keys sealed_keys",
        LINE_KEYS,
        "Test the device over a sealed line, with the keys in this folder, or of a table.toml; see `dealwire device "
        "pair`.",
    ),
    ("--real-time", FLAG, "Put the simulated device on a pseudo-terminal, in real time."),
    (
        "--speed",
        usually(1.0, decimal(0.01, 1000)),
        "Speed of simulated people and machines; times of the protocol are unchanged.",
    ),
)
run_options = declared(
    (
        "--allowance allowance_ms",
        whole(0, 1000, "MS"),
        "Time that the line and this machine may add to every limit; by default the plan's.",
    ),
    ("--only", many("PATTERN"), "Run only these checks, such as 'frame.*'."),
    ("--rounds", whole(1, 1_000_000), "Number of rounds in the soak test."),
    ("--seed", usually(1, SEED), "Seed of everything random."),
    ("--makers", A_FILE, "Public keys of makers, to judge the certificate of a device that attests."),
    ("--image", A_FILE, "Firmware image from the maker, to compare with the device's answer to VERIFY."),
    ("--unattended", FLAG, "Do not prompt; checks that need an operator are not run."),
    (
        "--operator-program hands",
        {"metavar": "COMMAND"},
        "Program that performs the manual steps; see `dealwire operator`.",
    ),
    ("--watch", FLAG, "Repeat failed checks each time the device is reconnected."),
    (
        "--limit limit_min",
        {**decimal(0.01, 100_000), "metavar": "MINUTES"},
        "End the run after this many minutes, and report the checks made so far.",
    ),
    ("--strict", FLAG, "Also exit with code 1 if any check was not run."),
)
_TEXT = {"default": "", "metavar": "TEXT", "callback": _head_text}
head_options = declared(
    ("--laboratory", _TEXT, "Name of the laboratory, for the head of the report."),
    ("--operator", _TEXT, "Name of the operator."),
    ("--ticket", _TEXT, "Order, case or other reference of the test."),
    ("--number", _TEXT, "Report number."),
    ("--sample", _TEXT, "Description of the sample: hardware revision, seals."),
    ("--environment", _TEXT, "Environment: temperature, humidity, supply voltage."),
    (
        "--instrument instruments",
        {"multiple": True, "metavar": "TEXT", "callback": _head_texts},
        "Instrument and its calibration; may be given more than once.",
    ),
    ("--conditions", A_FILE, "TOML file with all of these; an option overrides its entry."),
)
report_options = declared(
    ("--json as_json", FLAG, "Print the report as one JSON object."),
    ("--report", A_FILE, "Also write the report as JSON, which --verify can check."),
    ("--sign", {**A_FILE, "metavar": "KEYFILE"}, "Sign the --report file; the signature goes to FILE.sig."),
    ("--junit", A_FILE, "Also write the report as JUnit XML."),
    ("--html", A_FILE, "Also write the report as one HTML file."),
    ("--pdf", A_FILE, "Also write the report as a PDF with page numbers and room for signatures."),
    ("--overwrite", FLAG, "Replace existing files and their signature."),
    ("--against", A_FILE, "Compare with the report in this file."),
)
other_options = declared(
    ("--list as_list", FLAG, "List the plans and faults, or the checks of PLAN."),
    ("--verify verify_file", A_FILE, "Verify this report instead of testing a device."),
    ("--key key_file", A_FILE, "With --verify: public key of the signer."),
    ("--new-key key_pair", {"type": FILE, "nargs": 2, "metavar": "PRIVATE PUBLIC"}, "Make a key pair for --sign."),
)


@click.command("bench")
@click.argument("plan", metavar="[PLAN]", required=False)
@line_options
@run_options
@head_options
@report_options
@other_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    plan: str | None,
    as_list: bool,
    verify_file: Path | None,
    key_file: Path | None,
    key_pair: tuple[Path, Path] | None,
    **options: Any,
) -> None:
    """Test a device against PLAN, an id or a TOML file. By default the plan of the device is used.

    The plan checks the device's messages and their timing. You are prompted for manual steps, unless --unattended. A
    check that was not run does not count as passed.

    Try: dealwire bench shuffler --simulated
    """
    if as_list:
        _list(plan)
    elif key_pair:
        new_key(*key_pair)
    elif verify_file is not None:
        _verify(ctx, plan, verify_file, key_file, **options)
    elif key_file is not None:
        raise click.UsageError("--key needs --verify FILE")
    else:
        _judge(ctx, plan, **options)


def _verify(
    ctx: click.Context,
    plan: str | None,
    file: Path,
    key_file: Path | None,
    *,
    against: Path | None,
    junit: Path | None,
    html: Path | None,
    pdf: Path | None,
    overwrite: bool,
    **_: Any,
) -> None:
    for param in ctx.command.params:
        name = param.name or ""
        if name not in WITH_VERIFY and ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{param.opts[-1]} does not go with --verify, which tests no device")
    read = {"the report": file, "its signature": beside(file), "--key": key_file, "--against": against}
    need_to_draw(pdf)
    refuse({"--junit": junit, "--html": html, "--pdf": pdf}, read, overwrite=overwrite)
    report, holds = verify(file, load_plan(plan) if plan else None, key_file, against)
    if holds:
        write_forms(report, ReportSignature.of(file), junit, html, pdf)
    ctx.exit(Exit.GOOD if holds else Exit.CHECK_FAILED)


def _judge(
    ctx: click.Context,
    plan: str | None,
    *,
    simulated: bool,
    hands: str | None,
    watch: bool,
    as_json: bool,
    against: Path | None,
    sealed_keys: Path | None,
    **others: Any,
) -> None:
    seal = seal_of(sealed_keys)
    if seal is not None and simulated:
        raise click.UsageError(_SEALED_SIMULATED)
    given = {name: at for option, name in OPTIONS.items() if (at := others.pop(option))}
    others["makers"] = trusted(makers, "maker") if (makers := others["makers"]) else ()
    others["image"] = read_image(image) if (image := others["image"]) else None
    choices = BenchChoices(**{each.name: others.pop(each.name) for each in dataclasses.fields(BenchChoices)})
    if watch and (simulated or as_json or against or any(others.values())):
        raise click.UsageError("--watch needs an attached device, and writes no report")
    head = _head_of(others)
    files = ReportFiles(**others)
    entries, device, address = _choose(plan, given, simulated)
    _check_choices(entries, choices, hands, simulated)
    signer, before = files.signer(), read_earlier(against) if against else None
    program_facts()  # known before somebody ends the run
    if resort := ctx.find_object(LastResort):
        resort.patience_s = REPORT_S
    line = _wire(device, address, choices, hands, ProgressLine(silent=as_json), entries.dialect, seal)
    run = _run(entries, device, choices, line, watch)
    report = report_of(run, head, before)
    _say(report, as_json)
    if against is not None and before is not None:
        doubt(against, before[0])
    files.write(report, signer)
    if run.ended_by is not None:
        raise run.ended_by  # of which this process ends as any other does
    ctx.exit(_exit_code(report, choices.strict, run.hands))


def _exit_code(report: Report, strict: bool, hands: Operator) -> Exit:
    causes = report.counts.causes
    if isinstance(hands, ProgramOperator) and hands.gone is not None:
        echo(f"dealwire: {hands.gone}", err=True)
    if failed := causes.get(NotRunCause.HANDS_FAILED, 0):
        echo(f"dealwire: {failed} checks were not run because the operator program failed", err=True)
    missed = 0 if report.options.unattended else causes.get(NotRunCause.UNATTENDED, 0)
    if missed:
        echo(f"dealwire: {missed} checks need an operator and were not run; {NOBODY}", err=True)
    if ended := causes.get(NotRunCause.ENDED, 0):
        echo(f"dealwire: the run was ended by {report.ended_early}; {ended} checks were not run", err=True)
    if report.verdict in (BenchVerdict.FAILED, BenchVerdict.NOTHING_RUN) or failed or missed or ended:
        return Exit.CHECK_FAILED
    if strict and report.counts.not_run:
        echo(f"dealwire: --strict: {report.counts.not_run} checks were not run", err=True)
        return Exit.CHECK_FAILED
    return Exit.GOOD


def _watch(progress: ProgressLine) -> Callable[[int, int, str], None]:
    """Return a function that reports the start of a check: its number, the total, and its name."""
    return lambda number, of, name: progress.say(f"{number}/{of}  {name}")


def _announce_nobody(plan: BenchPlan, choices: BenchChoices) -> None:
    """Warn in advance if checks need an operator, no one can be prompted, and the user did not say --unattended."""
    needy = [name for name in checks_for_hands(plan) if choices.takes(name)]
    if needy and not choices.unattended and not sys.stdin.isatty():
        of = sum(map(choices.takes, plan.ids))
        echo(f"dealwire: {len(needy)} of {of} checks need an operator, and there is no terminal; {NOBODY}", err=True)


def _run(plan: BenchPlan, device: str, choices: BenchChoices, line: OnLine, watch: bool) -> BenchRun:
    if watch and plan.dialect != "tdp":
        raise click.UsageError(f"--watch does not go with the plan {plan.id!r}")
    with line as (wire, make_hands, progress):

        def make(ids: tuple[str, ...]) -> BenchRun:
            chosen, ends = dataclasses.replace(choices, only=ids), {} if watch else INTERRUPTIONS
            return run_plan(plan, wire, make_hands, chosen, _watch(progress), device, ends)

        run = make(tuple(choices.only))
        if watch:
            _watched(run, wire, make, progress)
        progress.clear()
    return run


def _watched(run: BenchRun, wire: Wire, make: MakeRun, progress: ProgressLine) -> None:
    """Repeat failed checks each time the device was reconnected, until none fails."""
    while again := to_make_again(run):
        progress.clear()
        _make_again(run, again, wire, make)


def _make_again(run: BenchRun, again: tuple[str, ...], wire: Wire, make: MakeRun) -> None:
    """Wait for the device to come back, repeat these checks, and print the ones whose result changed."""
    for result in run.of(BenchOutcome.FAILED):
        echo(f"FAIL  {result.id}: {result.why}", fg="red")
    echo(f"reconnect the device to repeat {len(again)} checks; Ctrl-C ends", err=True)
    assert run.hello is not None
    found = await_return(wire, run.hello)
    echo(f"back: firmware {found.firmware}, power-up {found.boot_count}", err=True)
    try:
        later = make(again)
    except (NoAnswer, LineClosed, LineGarbled, WrongDevice) as error:
        echo(f"dealwire: {error}", err=True)
        return
    for line in take_over(run, later):
        echo(line)


def _choose(plan: str | None, given: dict[str, str], simulated: bool) -> tuple[BenchPlan, str, str | None]:
    """Return the plan, the device to test, and its address (None if simulated). Raise UsageError if they do not fit
    together."""
    one = len(given) + simulated == 1
    wanted = GAT if plan == GAT else "shoe"
    if plan in dialect_plans() and not (one and {*given} <= {wanted}):
        what = "a GAT line" if plan == GAT else "a shoe"
        raise click.UsageError(f"the plan {plan!r} is for {what}: --{wanted} ADDRESS, or --simulated")
    if not one:
        raise click.UsageError(
            "name one device: --shuffler, --controller, --shoe or --gat with an ADDRESS, or --simulated"
        )
    named = next(iter(given), None)
    loaded = load_plan(plan or named or DEFAULT)
    device = named or (loaded.device if loaded.device != "any" else DEFAULT)
    if loaded.device not in ("any", device) or (device == GAT and loaded.dialect != GAT):
        names = [f"a {each}" if each != GAT else "a GAT line" for each in (loaded.device, device)]
        raise click.UsageError(f"the plan {loaded.id!r} is for {names[0]}, not for {names[1]}")
    return loaded, device, given.get(device)


def _check_choices(plan: BenchPlan, choices: BenchChoices, hands: str | None, simulated: bool) -> None:
    if choices.image is not None and (simulated or plan.dialect != "tdp"):
        own = "an attached device; a simulated device has its own image"
        raise click.UsageError(f"--image is for {own if simulated else 'a device that uses TDP'}")
    if hands is not None and (simulated or choices.unattended):
        excluded = "and --unattended exclude each other"
        why = "is for an attached device; a simulated device needs none" if simulated else excluded
        raise click.UsageError(f"--operator-program {why}")
    if plan.dialect != "tdp":
        _check_no_limits(plan, choices)
    if choices.allowance_ms is not None and simulated and not choices.real_time:
        raise click.UsageError("--allowance needs a real line or --real-time; on the simulated clock it is 0")
    for pattern in choices.only:
        if not any(BenchChoices((pattern,)).takes(one) for one in plan.ids):
            raise click.UsageError(
                f"--only {pattern!r} matches no check of the plan; see dealwire bench {plan.id} --list"
            )
    if hands is None and not simulated and plan.dialect == "tdp":
        _announce_nobody(plan, choices)


def _check_no_limits(plan: BenchPlan, choices: BenchChoices) -> None:
    """Raise UsageError for options that a plan of another dialect has no use for."""
    for option, given, why in (
        ("--allowance", choices.allowance_ms, "sets no time limits"),
        ("--rounds", choices.rounds, "has no soak test"),
    ):
        if given is not None:
            raise click.UsageError(f"{option} does not apply: the plan {plan.id!r} {why}")


@contextlib.contextmanager
def _wire(
    device: str,
    address: str | None,
    choices: BenchChoices,
    command: str | None,
    progress: ProgressLine,
    dialect: str,
    seal: Callable[[Transport, Clock], Transport] | None,
) -> Iterator[tuple[Wire, MakeOperator, ProgressLine]]:
    """Open the line to the device. Yield it with a function that makes the operator, and the progress line."""
    if address is None:
        rig = SimulatedRig(device, speed=choices.speed, real_time=choices.real_time, dialect=dialect)
        wire, hands = rig.wire, rig.hands
        with contextlib.closing(wire):
            yield wire, lambda _: hands, progress
        return
    clock = SystemClock()
    with contextlib.ExitStack() as stack:
        make_hands: MakeOperator = lambda _: NoOperator()  # noqa: E731
        if command is not None:
            channel = stack.enter_context(contextlib.closing(OperatorChannel(command)))
            program = ProgramOperator(channel, device, address)
            make_hands = lambda probe: _listening(program, channel, probe)  # noqa: E731
        elif not choices.unattended and sys.stdin.isatty():
            make_hands = lambda probe: PersonOperator(lambda text: _ask(probe, text, progress))  # noqa: E731
        baud = dialect_named(dialect).baud
        opener = line_at(address, clock, baud=baud)
        if seal is not None:
            opener = opener.wrapped(lambda inner: seal(inner, clock))
        wire = LiveWire(address, opener, baud=baud_of(address, baud=baud), clock=clock)
        wire.sealed = seal is not None
        stack.enter_context(contextlib.closing(wire))
        yield wire, make_hands, progress


def _listening(program: ProgramOperator, channel: OperatorChannel, probe: Listener) -> Operator:
    """Keep the device's line alive while the operator program's answers are awaited."""
    channel.while_waiting = lambda output, ms: _keep_line(probe, output, ms)
    return program


def _keep_line(probe: Listener, awaited: int, ms: int) -> None:
    """Service the device's line for a moment. If the line is closed, wait for input on `awaited` alone."""
    try:
        probe.run(probe.wire.now_ns() + ms * MS)
    except LineClosed:
        # the device may be off because it was asked for
        select.select([awaited], [], [], ms / 1000)


def _ask(probe: Listener, instruction: str, progress: ProgressLine) -> bool:
    """Show an instruction and keep the line alive. Return True if it was followed, False if it was skipped."""
    progress.clear()
    click.secho(f"> {printable(instruction, None)}  [Enter: done, s: skip] ", fg="cyan", err=True, nl=False)
    while not select.select([sys.stdin], [], [], 0)[0]:
        _keep_line(probe, sys.stdin.fileno(), 50)
    return not sys.stdin.readline().strip().lower().startswith("s")


def _say(report: Report, as_json: bool) -> None:
    if as_json:
        echo_json(report.to_bytes().decode().rstrip("\n"))
    for line in summary_lines(report) if as_json else text_lines(report):
        failed = line.startswith(("FAIL", "NOTE"))
        echo(line, fg="red" if failed else "yellow" if line.startswith("----") else None, err=as_json)


def _list(plan: str | None) -> None:
    if plan is None:
        for name in packaged_plans():
            loaded = load_plan(name)
            echo(f"{name.ljust(18)} {len(loaded.ids):4} checks  {loaded.title}")
        echo("")
        echo(f"The plans test for the Table Device Protocol {VERSION_TEXT}.")
        echo("")
        echo("Faults that a step or a button can inject:")
        for fault in faults().values():
            echo(f"  {fault.name.ljust(16)} {fault.title}")
        return
    whole = load_plan(plan)
    for check in whole.check:
        echo(f"{check.id.ljust(34)} {check.area.ljust(12)} {check.title}  [{check.section}]")
    for rule in whole.rule:
        echo(f"{rule.id.ljust(34)} {'conformance'.ljust(12)} {rule.title}  [{rule.section}]")
