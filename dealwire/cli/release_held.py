"""Command `dealwire journal release`: record the settlement of held money in a journal that no service has open."""

from pathlib import Path
from typing import Final

import click

from dealwire.cli.exits import Exit, Stop
from dealwire.cli.options import FILE
from dealwire.cli.terminal import echo
from dealwire.journal.errors import JournalBusy
from dealwire.service.actions import RELEASE, ActionRefused
from dealwire.service.offline import needs_two
from dealwire.service.releasing import Settling, release_in
from dealwire.service.timekeeping import ClockDoubtful, written

BY: Final = "dealwire journal release"
WHO_MAX: Final = 200


@click.command("release")
@click.argument("file", type=FILE)
@click.argument("entry")
@click.option("--session", required=True, metavar="S", help="Session that `obligations --open` prints.")
@click.option("--round", "number", required=True, metavar="N", help="Round that `obligations --open` prints.")
@click.option("--who", required=True, metavar="NAME", help="Name of the person who settled it.")
@click.option("--badge", required=True, metavar="N", help="Badge number of that person.")
@click.option("--why", required=True, metavar="TEXT", help="How it was settled, for the record.")
@click.option(
    "--trust-clock",
    "clock_is_right",
    is_flag=True,
    help="Accept this machine's clock, however far it is from the newest record.",
)
def release_command(
    file: Path, entry: str, session: str, number: str, who: str, badge: str, why: str, clock_is_right: bool
) -> None:
    """Record in the journal FILE that the money held under ENTRY was paid or taken by hand. It is then settled for
    good.

    Use this for a table that is no longer served; otherwise use the button in the console. Take ENTRY, session and
    round from `dealwire journal obligations FILE --open`. Nothing is paid or moved by this command. The exit code is 7
    if a service has the journal open, and 1 if nothing is held under ENTRY, if it was released before, or if session
    and round do not match.
    """
    given = {"entry": entry, "session": session, "round": number, "badge": badge, "why": why}
    if not 0 < len(who.strip()) <= WHO_MAX or not who.isprintable():
        raise click.BadParameter(f"1 to {WHO_MAX} printable characters are needed", param_hint="--who")
    if file.exists() and needs_two(file, RELEASE):
        then = f"dealwire journal request release-held {file}"
        raise Stop(Exit.CHECK_FAILED, f"{file}: release-held needs two people: {then}; nothing was released")
    try:
        noted = release_in(file, Settling.of(given), f"{who.strip()}, {BY}", clock_is_right=clock_is_right)
    except JournalBusy as error:
        why_not = "release it on the table's page in the console, or stop the service first"
        raise Stop(Exit.BUSY, f"{error}: {why_not}") from error
    except ClockDoubtful as error:
        times = f"the clock says {written(error.wall_ns)}, its newest record {written(error.newest_ns)}"
        advice = "set the clock, or accept it with --trust-clock"
        raise Stop(Exit.CHECK_FAILED, f"{file}: {times}; {advice}") from error
    except ActionRefused as error:
        raise Stop(Exit.CHECK_FAILED, f"{error.why}; nothing was released") from error
    echo(f"{noted}; noted by {who.strip()}, badge {badge}")
