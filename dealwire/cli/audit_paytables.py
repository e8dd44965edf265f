"""Command `dealwire audit-paytables`."""

import json
import os

import click

from dealwire.cli.exits import Exit
from dealwire.cli.options import cache_folder
from dealwire.cli.progress import CountProgress
from dealwire.cli.terminal import echo, say_object
from rules.game.load import game_ids, load_game
from rules.odds import Odds, PaytableFinding, Question, audit
from rules.odds.kept import KeptOdds


@click.command("audit-paytables")
@click.argument("games", nargs=-1, metavar="[GAME]...")
@click.option("--no-cache", is_flag=True, help="Compute from scratch, and store nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per finding, then a summary.")
@click.pass_context
def command(ctx: click.Context, games: tuple[str, ...], no_cache: bool, as_json: bool) -> None:
    """Compute each pay table of GAMEs (ids or files; by default all games) and report likely misprints.

    Reported are a return above 100 % or below 50 %, a printed figure that differs from the computed one, a row that no
    hand is paid by, a row that pays more than the one above it, figures far from those of the bet's other tables,
    missing or extra rows, and two names for one table. Each finding names the nearest table that would be consistent,
    and its return.

    Tables that are already marked as suspect are reported as known. The exit code is 1 only if there are other
    findings.
    """
    progress, computed, news, known = CountProgress(for_programs=as_json), 0, 0, 0
    loaded = [load_game(game) for game in games or game_ids()]
    kept = None if no_cache else KeptOdds(cache_folder())
    how = Question(loaded[0], workers=os.cpu_count() or 1, progress=progress.step, begin=progress.begin, kept=kept)
    for item in audit(loaded, how):
        progress.clear()
        if not isinstance(item, PaytableFinding):
            computed += isinstance(item, Odds)
            continue
        known, news = known + bool(item.suspect), news + (not item.suspect)
        echo(json.dumps(item.to_dict()) if as_json else _line(item))
    progress.clear()
    if as_json:
        say_object("dealwire.finding/1", "summary", computed=computed, findings=news, known=known)
    else:
        echo(f"{computed} returns computed: {news} finding{_s(news)}, {known} known suspect{_s(known)}")
    if news:
        ctx.exit(Exit.CHECK_FAILED)


def _line(finding: PaytableFinding) -> str:
    reading = "".join(f", {name} {option}" for name, option in finding.reading.items())
    suspect = f" (known: {finding.suspect})" if finding.suspect else ""
    nearest = f"; nearest table without the fault: {finding.proposal.text}" if finding.proposal else ""
    where = ": ".join(filter(None, (finding.game, finding.bet, finding.paytable))) + reading
    return f"{where}: {finding.fault}: {finding.why}{nearest}{suspect}"


def _s(count: int) -> str:
    return "" if count == 1 else "s"
