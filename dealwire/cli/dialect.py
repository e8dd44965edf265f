"""Command `dealwire dialect`: list dialects, and check one against the contract of all dialects."""

import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import click

from dealwire.cli.exits import Exit
from dealwire.cli.options import APath
from dealwire.cli.terminal import echo, say_object
from devices.contract import CONTRACT, ContractBroken, DialectSample
from devices.dialects.drivers import DRIVERS
from devices.dialects.known import BUILT_IN, BadDialect, dialect_named, dialect_names
from devices.record.heard import heard_in

SCHEMA: Final = "dealwire.dialect/1"


@click.group("dialect")
def command() -> None:
    """List dialects, or check one that you add."""


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per dialect.")
@click.pass_context
def list_(ctx: click.Context, as_json: bool) -> None:
    """List dialects: first the ones that are included, then those of installed packages.

    The exit code is 1 if one cannot be used.
    """
    bad = False
    for name in dialect_names():
        item = {"name": name, "built_in": name in BUILT_IN}
        try:
            found = dialect_named(name)
        except BadDialect as error:
            bad, item = True, {**item, "fault": str(error)}
        else:
            item |= {"kinds": [*found.drivers], "baud": found.baud, "about": found.about}
        if as_json:
            say_object(SCHEMA, "dialect", **item)
        elif "fault" in item:
            echo(str(item["fault"]), err=True)
        else:
            echo(f"{name:<12} {', '.join(found.drivers):<35} {found.baud:>7} baud  {found.about}")
    ctx.exit(Exit.CHECK_FAILED if bad else Exit.GOOD)


@command.command("check")
@click.argument("name")
@click.argument("heard", metavar="DATA", type=APath())
@click.option("--kind", type=click.Choice([*DRIVERS]), help="Kind of device that DATA is from.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per check.")
@click.pass_context
def check(ctx: click.Context, name: str, heard: Path, kind: str | None, as_json: bool) -> None:
    """Check that the dialect NAME meets the contract of all dialects.

    DATA is from a device: a recording (pcapng), or text with the bytes of one read per line as hexadecimal
    digits, and comments after #. The dialect gets it whole, in other pieces, and damaged.

    One line per check. The exit code is 1 if a check fails.
    """
    sample = _sample(name, heard, kind)
    verdicts = [*_judge(sample)]
    for one in verdicts:
        if as_json:
            say_object(SCHEMA, "check", **one._asdict())
        elif one.passed:
            echo(f"pass  {one.check:<10} {one.asks}: {one.says}")
        else:
            echo(f"FAIL  {one.check:<10} {one.asks}: {one.says}", fg="red")
    failed = sum(not one.passed for one in verdicts)
    echo(f"{len(verdicts) - failed} passed, {failed} failed", err=as_json)
    ctx.exit(Exit.CHECK_FAILED if failed else Exit.GOOD)


class DialectVerdict(NamedTuple):
    """Result of one check, with an observation or the reason that it failed."""

    check: str
    asks: str
    passed: bool
    says: str


def _sample(name: str, file: Path, kind: str | None) -> DialectSample:
    dialect = dialect_named(name)
    chunks, recorded = heard_in(file, name, kind or "")
    kinds = [*dialect.drivers]
    found = kind or recorded or (kinds[0] if len(kinds) == 1 else "")
    if found not in kinds and kinds:
        what = f"a {found}" if found else "it does not name the kind of device"
        raise click.UsageError(f"{file}: {what}; --kind is needed: {', '.join(kinds)}")
    return DialectSample(dialect, chunks, found)


def _judge(sample: DialectSample) -> Iterator[DialectVerdict]:
    for one in CONTRACT:
        try:
            says, passed = one.hold(sample), True
        except ContractBroken as broken:
            says, passed = str(broken), False
        except Exception as error:  # whatever an added dialect raises is what is wrong with it
            at = traceback.extract_tb(error.__traceback__)[-1]
            says, passed = f"{type(error).__name__}: {error} ({Path(at.filename).name}, line {at.lineno})", False
        yield DialectVerdict(one.name, one.asks, passed, says)
