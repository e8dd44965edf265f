"""Command `dealwire doctor`: check that this machine is ready to talk to devices."""

import dataclasses
import importlib
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import click

from dealwire.cli.exits import BY_ERRNO, Exit, Stop
from dealwire.cli.fixes import Fix, fixes, needed_extras, secrets_of
from dealwire.cli.options import FILE, FLAG, JSON_LINES, declared
from dealwire.cli.program_findings import of_opening, of_program, of_release
from dealwire.cli.system_files import RECORDER, advice, printed, shipped, udev_rules
from dealwire.cli.terminal import echo, say_object
from dealwire.config.load import load_configuration
from dealwire.config.private_file import why_unsafe
from dealwire.config.schema import Configuration, TlsPart
from dealwire.host import EXTRAS, HostFinding, Verdict, check_all, ports
from dealwire.journal.errors import KeyProblem, KeyUnsafe
from dealwire.service.seals import load_seal, load_signer, seal_in_words
from dealwire.service.server_checks import files_of
from devices.clock import SystemClock
from devices.extras import install_command
from devices.system import user_id
from protocol.errors import DealwireError
from protocol.printable import printable

TO_FIX = "dealwire doctor TABLE.TOML --fix"
COLOURS = {"good": "green", "note": None, "warning": "yellow", "bad": "red"}


@click.command("doctor")
@click.argument("file", required=False, type=FILE, metavar="[TABLE.TOML]")
@declared(
    JSON_LINES,
    ("--udev", FLAG, "Print udev rules for the attached adapters, then exit."),
    (
        "--systemd",
        FLAG,
        "Print a systemd unit that only records a table, then exit; see `dealwire run --print-unit` to serve one.",
    ),
    ("--fix", FLAG, "Fix what can be fixed; each fix is shown and confirmed first."),
    ("--yes", FLAG, "With --fix: apply every fix without asking."),
    (
        "--release",
        {"type": FILE, "metavar": "SHA256SUMS"},
        "Check the signature of a release's SHA256SUMS, with SHA256SUMS.sig beside it, and that this program is that "
        "release; check nothing else.",
    ),
)
@click.pass_context
def command(
    ctx: click.Context,
    /,
    file: Path | None,
    as_json: bool,
    udev: bool,
    systemd: bool,
    fix: bool,
    yes: bool,
    release: Path | None,
) -> None:
    """Check Python, packages, extras, dialects, name collisions, libusb, ports and their permissions, latency timers,
    ModemManager, and the Wireshark plug-ins.

    The program's digest is compared with what was installed and, with TABLE.TOML, with what opened the journal last.

    With TABLE.TOML, also check the journal's keys, required extras, and the permissions of token and key files. --fix
    asks before each command; without a terminal and without --yes it only prints the commands. Commands that need root
    are printed, unless you are root. Each fix is checked after it was applied.

    The exit code is 1 if something is bad; warnings do not count.
    """
    if udev:
        click.echo(udev_rules(ports()), nl=False)
    if systemd:
        click.echo(systemd_unit(ports()), nl=False)
        for line in advice(shipped(RECORDER)):
            echo(line, err=True)
    if udev or systemd:
        return
    if (yes and not fix) or (fix and as_json):
        raise click.UsageError("--yes needs --fix, and --fix excludes --json")
    if release is not None:
        if file is not None or fix:
            raise click.UsageError("--release excludes TABLE.TOML and --fix")
        try:
            finding = of_release(release)
        except OSError as error:
            code = BY_ERRNO.get(error.errno or 0, Exit.USAGE)
            raise Stop(code, f"--release: {release}: cannot be read: {error.strerror}") from None
        _say(finding, as_json)
        ctx.exit(Exit.CHECK_FAILED if finding.verdict == "bad" else Exit.GOOD)
    found = load_configuration(file) if file is not None else None
    for finding in (findings := [*check_all(), *of_program(), *_of_file(found)]):
        _say(finding, as_json)
    if fix:
        put_right(list(fixes(found, ports())), yes=yes)
        findings = [*check_all(), *of_program(), *_of_file(found)]
    if any(finding.verdict == "bad" for finding in findings):
        ctx.exit(Exit.CHECK_FAILED)


def _say(finding: HostFinding, as_json: bool) -> None:
    if as_json:
        say_object("dealwire.finding/1", "finding", **dataclasses.asdict(finding))
        return
    click.secho(f"{printable(finding.verdict):<8} ", fg=COLOURS[finding.verdict], nl=False)
    echo(f"{finding.check:<13} {finding.text}")
    if finding.remedy:
        echo(f"{'':<23}{finding.remedy}")


def put_right(wanted: Sequence[Fix], *, yes: bool) -> None:
    """Show each fix, apply it if wanted and possible, and print the result."""
    asks = sys.stdin is not None and sys.stdin.isatty()
    if not wanted:
        echo("nothing to fix")
    for fix in wanted:
        echo(fix.what, bold=True)
        root = fix.as_root and user_id() != 0
        for step in fix.steps:
            for line in step.in_words(root=root).splitlines():
                echo(f"    {line}")
        if root:
            echo("  not done: this needs root; type the commands above")
        elif not (yes or (asks and click.confirm("  apply this fix?", default=False))):
            echo("  not done")
        else:
            _do(fix)


def _do(fix: Fix) -> None:
    failed = next((why for step in fix.steps if (why := step.run()) is not None), None)
    importlib.invalidate_caches()  # a package may be there now
    wrong = fix.wrong()
    if failed is None and wrong is None:
        echo(f"  done and checked{f'; {fix.then}' if fix.then else ''}")
    else:
        echo(f"  failed: {failed}" if failed is not None else f"  done, but the problem remains: {wrong}")


def _of_file(found: Configuration | None) -> Iterator[HostFinding]:
    """Yield findings about what a `table.toml` needs from this machine."""
    if found is None:
        return
    yield from _seal(found)
    yield from of_opening(found)
    yield from _certificates(found)
    yield from _signer(found)
    for name in needed_extras(found):
        if not EXTRAS[name].installed:
            why = f"{name} is not installed, but the file needs it: {EXTRAS[name].what}"
            yield HostFinding("extra", "bad", why, install_command(name))
    for file in secrets_of(found):
        if (why_not := why_unsafe(file)) is not None:
            yield HostFinding("secret", "bad", f"{file}: {why_not}", TO_FIX)
        else:
            yield HostFinding("secret", "good", f"{file} is readable only by its owner")


def _certificates(found: Configuration) -> Iterator[HostFinding]:
    """Yield a finding about the certificate of each server and each `tls://` line."""
    from dealwire.tls import day, ending_soon

    now_ns = SystemClock().now_ns()
    for name, end in _ends(found):
        try:
            ends_ns = end()
        except DealwireError as error:
            yield HostFinding("certificate", "bad", f"{name}: {error}", "dealwire authority --help")
            continue
        soon = ending_soon(ends_ns, now_ns)
        verdict: Verdict = "good" if soon is None else "bad" if ends_ns <= now_ns else "warning"
        yield HostFinding("certificate", verdict, f"{name}: {soon or f'ends on {day(ends_ns)}'}")


def _ends(found: Configuration) -> Iterator[tuple[str, Callable[[], int]]]:
    """Yield what has a certificate, and the function that finds its end."""
    from dealwire.tls import end_of_line

    for server, part in (("console", found.console), ("metrics", found.exports.metrics)):
        if part is not None and part.tls is not None:
            yield server, partial(_end_of_server, part.tls)
    for table in found.table:
        for device in table.device:
            if device.address.startswith("tls:"):
                yield f"{table.name}/{device.name}", partial(end_of_line, device.address)


def _end_of_server(part: TlsPart) -> int:
    from dealwire.tls import load

    return load(files_of(part)).ends_ns


def _seal(found: Configuration) -> Iterator[HostFinding]:
    """Yield a finding about the keys that seal card faces in the journal."""
    try:
        seal = load_seal(found.journal)
    except KeyProblem as problem:
        unsafe = isinstance(problem, KeyUnsafe)
        remedy = TO_FIX if unsafe else "dealwire journal auditor new PRIVATE.key PUBLIC.key"
        yield HostFinding("journal", "bad", str(problem), remedy)
        return
    remedy = "" if seal is not None else "name auditor-key-file or key-file in [journal]"
    yield HostFinding("journal", "warning" if seal is None else "good", seal_in_words(found.journal), remedy)


def _signer(found: Configuration) -> Iterator[HostFinding]:
    """Yield a finding about the key that signs checkpoints, if one is named."""
    try:
        pair = load_signer(found.journal)
    except KeyProblem as problem:
        remedy = TO_FIX if isinstance(problem, KeyUnsafe) else "dealwire journal signer new FILE"
        yield HostFinding("signing", "bad", str(problem), remedy)
        return
    if pair is not None:
        yield HostFinding("signing", "good", f"checkpoints are signed with {pair.path.name}, key {pair.id}")


def systemd_unit(ports: Sequence[Mapping[str, str]]) -> str:
    """Return a systemd template unit, `dealwire-record@TABLE.service`, that records one table from the first adapter
    with a serial number."""
    serials = (port.get("serial", "") for port in ports)
    # A device's serial number must not add a line to the unit, nor have a meaning in it.
    serial = next((each for each in serials if re.fullmatch(r"[A-Za-z0-9._:-]+", each)), "SERIAL")
    return printed(RECORDER).replace("serial-id:SERIAL", f"serial-id:{serial}")
