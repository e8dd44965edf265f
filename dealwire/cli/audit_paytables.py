"""`dealwire audit-paytables`: compute every printed table, name what cannot be meant."""

import json
import os

import click

from dealwire.cli.exits import Exit
from dealwire.cli.terminal import ProgressLine, echo
from rules.game import game_ids, load_game
from rules.odds import PaytableFinding, audit


@click.command("audit-paytables")
@click.argument("games", nargs=-1, metavar="[GAME]...")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per finding, then a summary.")
@click.pass_context
def command(ctx: click.Context, games: tuple[str, ...], as_json: bool) -> None:
    """Compute each pay table of GAMEs, ids or files; all games unless given.

    Named are a return above 100 %, a printed figure that differs from the computed one, a row no hand is paid by, a row
    that pays more than the one above it. A table whose file already says why it is suspect is named, too, but only
    other findings make the exit code 1.
    """
    progress, computed, news, known = ProgressLine(), 0, 0, 0
    for item in audit([load_game(game) for game in games or game_ids()], workers=os.cpu_count() or 1):
        if not isinstance(item, PaytableFinding):
            computed += 1
            progress.show(f"{computed} computed, the last {item.game} {item.bet}")
            continue
        known, news = known + bool(item.suspect), news + (not item.suspect)
        progress.clear()
        echo(json.dumps(item.to_dict()) if as_json else _line(item))
    progress.clear()
    if as_json:
        summary = {"computed": computed, "findings": news, "known": known}
        click.echo(json.dumps({"schema": "dealwire.finding/1", "type": "summary", **summary}))
    else:
        echo(f"{computed} returns computed: {news} findings, {known} known suspects")
    if news:
        ctx.exit(Exit.CHECK_FAILED)


def _line(finding: PaytableFinding) -> str:
    reading = "".join(f", {name} {option}" for name, option in finding.reading.items())
    suspect = f" (known: {finding.suspect})" if finding.suspect else ""
    return f"{finding.game}: {finding.bet}: {finding.paytable}{reading}: {finding.fault}: {finding.why}{suspect}"
