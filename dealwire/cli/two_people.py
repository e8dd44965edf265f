"""Commands `dealwire journal request` and `dealwire journal approve`: acts of two people, without a service."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from dealwire.cli.exits import Exit, Stop
from dealwire.cli.options import FILE, WholeRange, declared
from dealwire.cli.terminal import echo
from dealwire.cli.users import typed_password
from dealwire.hub.actions import FieldRefused
from dealwire.journal.errors import JournalBusy
from dealwire.service.actions import RELEASE, START_OVER, ActionRefused
from dealwire.service.offline import OfflinePerson, approve_in, request_in, users_of
from dealwire.service.timekeeping import ClockDoubtful, written

_WHO = (
    ("--users", {"type": FILE, "required": True, "metavar": "FILE"}, "Users file that the service read last."),
    ("--who", {"required": True, "metavar": "NAME"}, "Name of the person in the users file."),
    ("--stdin from_input", {"is_flag": True}, "Read the password from the first line of standard input."),
    ("--trust-clock clock_is_right", {"is_flag": True}, "Accept this machine's clock, however far it is."),
)


@click.command("request")
@click.argument("act", type=click.Choice((RELEASE, START_OVER)))
@click.argument("file", type=FILE)
@declared(
    *_WHO,
    ("--why", {"required": True, "metavar": "TEXT"}, "Reason, for the record."),
    ("--entry", {"metavar": "N"}, "For release-held: entry that `obligations --open` prints."),
    ("--session", {"metavar": "S"}, "For release-held: session that it prints."),
    ("--round number", {"metavar": "N"}, "For release-held: round that it prints."),
)
def request_command(
    act: str,
    file: Path,
    users: Path,
    who: str,
    from_input: bool,
    clock_is_right: bool,
    why: str,
    entry: str | None,
    session: str | None,
    number: str | None,
) -> None:
    """Request ACT in the journal FILE; another person approves it with `dealwire journal approve`.

    release-held records money as settled by hand; start-over lets `dealwire run --start-over` start a new record at
    every table. Use this while no service has the journal open; otherwise use the console. The exit code is 1 if the
    request is refused.
    """
    given = {"entry": entry, "session": session, "round": number}
    missing = [f"--{name}" for name, value in given.items() if value is None]
    if act == RELEASE and missing:
        raise click.UsageError(f"release-held needs {', '.join(missing)}")
    fields = {**(given if act == RELEASE else {}), "why": why}
    with _refusals(file):
        signer = _signer(file, users, who, from_input=from_input)
        echo(request_in(file, act, fields, signer, clock_is_right=clock_is_right))


def _signer(file: Path, users: Path, who: str, *, from_input: bool) -> OfflinePerson:
    """Return the person with a password, for which nobody is asked in vain: both files are there, and fit."""
    found = users_of(file, users)
    return OfflinePerson(found, who, typed_password(who, from_input=from_input))


@click.command("approve")
@click.argument("file", type=FILE)
@click.argument("number", type=WholeRange(1), metavar="REQUEST")
@declared(*_WHO)
def approve_command(file: Path, number: int, users: Path, who: str, from_input: bool, clock_is_right: bool) -> None:
    """Approve the REQUEST of another person in the journal FILE, by the number that `journal request` printed.

    Held money is then released under both names; a start over counts for an hour. The exit code is 1 if the approval is
    refused, such as that of one's own request.
    """
    with _refusals(file):
        signer = _signer(file, users, who, from_input=from_input)
        echo(approve_in(file, number, signer, clock_is_right=clock_is_right))


@contextmanager
def _refusals(file: Path) -> Iterator[None]:
    try:
        yield
    except JournalBusy as error:
        raise Stop(Exit.BUSY, f"{error}: use the console, or stop the service first") from error
    except ClockDoubtful as error:
        times = f"the clock says {written(error.wall_ns)}, its newest record {written(error.newest_ns)}"
        raise Stop(Exit.CHECK_FAILED, f"{file}: {times}; set the clock, or accept it with --trust-clock") from error
    except FieldRefused as error:
        raise Stop(Exit.USAGE, f"{error.name}: {error.why}") from error
    except ActionRefused as error:
        raise Stop(Exit.CHECK_FAILED, f"{file}: {error.why}; nothing was done") from error
