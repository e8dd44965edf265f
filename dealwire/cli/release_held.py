"""`dealwire journal release`: held money that was settled by hand, in a journal that no service has open."""

from pathlib import Path
from typing import Final

import click

from dealwire.cli.exits import Exit, Stop
from dealwire.cli.options import FILE
from dealwire.cli.terminal import echo
from dealwire.journal.errors import JournalBusy
from dealwire.service.actions import ActionRefused
from dealwire.service.releasing import Settling, release_in
from dealwire.service.timekeeping import ClockDoubtful, written

BY: Final = "dealwire journal release"
WHO_MAX: Final = 200


@click.command("release")
@click.argument("file", type=FILE)
@click.argument("entry")
@click.option("--session", required=True, metavar="S", help="The session that `obligations --open` names.")
@click.option("--round", "number", required=True, metavar="N", help="The round that it names.")
@click.option("--who", required=True, metavar="NAME", help="Who says so.")
@click.option("--badge", required=True, metavar="N", help="The badge number of that person.")
@click.option("--why", required=True, metavar="TEXT", help="How it was settled.")
@click.option("--clock-is-right", is_flag=True, help="The clock is right, however far it is from the newest record.")
def release_command(
    file: Path, entry: str, session: str, number: str, who: str, badge: str, why: str, clock_is_right: bool
) -> None:
    """Note in the journal FILE that what is held under ENTRY was paid or taken by hand: it is open no more, for good.

    For a table that nobody serves any more; one that is served has a button in the console. ENTRY, session and round
    are as `dealwire journal obligations FILE --open` prints them. Nothing is paid or moved by it. While a service has
    the journal open it gives 7, and 1 where nothing is held under ENTRY, where that was released before, or where
    session and round are not its own.
    """
    given = {"entry": entry, "session": session, "round": number, "badge": badge, "why": why}
    if not 0 < len(who.strip()) <= WHO_MAX or not who.isprintable():
        raise click.BadParameter(f"1 to {WHO_MAX} printable characters are needed", param_hint="--who")
    try:
        noted = release_in(file, Settling.of(given), f"{who.strip()}, {BY}", clock_is_right=clock_is_right)
    except JournalBusy as error:
        why_not = "release it at its table's page in the console, or end the service first: it goes on where it was"
        raise Stop(Exit.BUSY, f"{error}: {why_not}") from error
    except ClockDoubtful as error:
        times = f"the clock says {written(error.wall_ns)}, its newest record {written(error.newest_ns)}"
        mend = "set the clock, or say that it is right: --clock-is-right"
        raise Stop(Exit.CHECK_FAILED, f"{file}: {times}; {mend}") from error
    except ActionRefused as error:
        raise Stop(Exit.CHECK_FAILED, f"{error.why}; nothing was released") from error
    echo(f"{noted}; noted by {who.strip()}, badge {badge}")
