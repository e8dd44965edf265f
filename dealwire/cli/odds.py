"""Command `dealwire odds`: exact odds of every bet of a game."""

import json
import os
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from dealwire.cli.amounts import CENTS, cents
from dealwire.cli.options import A_FILE, FLAG, cache_folder, declared, many, pairs, usually, whole
from dealwire.cli.progress import CountProgress
from dealwire.cli.terminal import GrowingTable, echo, echo_json
from rules.game.load import load_game
from rules.odds import Question, odds
from rules.odds.kept import Found, KeptOdds
from rules.odds.strategy.file import load_strategy


def _named(_: click.Context, option: click.Parameter, value: str | None) -> str:
    """Return the name, or an empty string if the option is not given. An explicit empty value, as from an unset shell
    variable, is a usage error."""
    if value == "":
        raise click.BadParameter("a name is required", param=option)
    return value or ""


NAME = {"callback": _named, "metavar": "NAME"}


@click.command("odds")
@click.argument("game", metavar="GAME")
@declared(
    ("--bet", NAME, "Only this bet, or bets made together: ante+blind+play."),
    ("--paytable", {**NAME, "metavar": "ID"}, "Only this pay table; by default all."),
    ("--reading readings", many("NAME=OPTION"), "Only this option of a reading; by default all."),
    ("--meter meters", many("NAME=CENTS"), "Current value of a progressive meter."),
    ("--wager", usually(100, CENTS), "Progressive wager."),
    (
        "--other-bettors others",
        {"default": 0, **whole(0, 31, "N")},
        "Other bettors of the progressive, for envy bonuses.",
    ),
    ("--decks", whole(1, 16, "N"), "Number of decks, as the procedure allows."),
    ("--strategy", A_FILE, "Play this strategy instead of the optimal one."),
    ("--no-cache", FLAG, "Compute from scratch, and store nothing."),
    ("-v --verbose", FLAG, "Also print element of risk, standard deviation and all notes."),
    ("--json as_json", FLAG, "Print one JSON object per bet, pay table and reading."),
)
def command(
    game: str,
    bet: str,
    paytable: str,
    readings: tuple[str, ...],
    meters: tuple[str, ...],
    wager: int,
    others: int,
    decks: int | None,
    strategy: Path | None,
    no_cache: bool,
    verbose: bool,
    as_json: bool,
) -> None:
    """Print the exact house edge of each bet of GAME, an id or a file, per initial unit and per unit staked.

    Nothing is sampled. Each pay table and each option of an ambiguous rule gets its own line, the default first. Bets
    with fold or play decisions assume optimal play, which takes a while to compute.
    """
    progress, loaded = CountProgress(for_programs=as_json), load_game(game)
    question = Question(
        loaded,
        pairs(readings, "--reading"),
        paytable,
        cents(meters),
        wager,
        os.cpu_count() or 1,
        others,
        decks or 0,
        progress.step,
        progress.begin,
        None if no_cache else KeptOdds(cache_folder()),
        load_strategy(strategy, loaded) if strategy else None,
    )
    try:
        follow = _print(odds(question, bet), as_json, progress, [bet] if bet else [*loaded.bets], verbose=verbose)
    finally:
        progress.clear()
    for name in question.readings.keys() - follow:
        echo(f"dealwire: note: no figure depends on the reading {name} {question.readings[name]}", err=True)


def _print(
    found: Iterable[Found], as_json: bool, progress: CountProgress, bets: Iterable[str], *, verbose: bool
) -> set[str]:
    """Print each figure as soon as it is computed, since later ones may take minutes. Return the readings that some
    figure depends on."""
    follow = set[str]()
    if as_json:
        for each in found:
            counted = each.to_dict()
            progress.clear()
            echo_json(json.dumps(counted))
            follow |= counted.get("reading", {}).keys()
        return follow
    table = GrowingTable(frozenset({3, 4, 5, 6}) if verbose else frozenset({2, 3}))
    for bet in bets:
        widest = (bet, *_HEAD[1:3], "-9.9999", "-9.9999", _HEAD[5], "99.9999", "")
        table.fit(widest if verbose else _short(widest))
    for number, each in enumerate(found):
        progress.clear()
        if not number:  # what is wrong with the question is known by now
            table.say(_HEAD if verbose else (*_short(_HEAD)[:-1], "note"))
        counted = each.to_dict()
        table.say(_row(counted) if verbose else _short_row(counted))
        follow |= counted.get("reading", {}).keys()
    return follow


_HEAD = ("bet", "pay table", "reading", "edge %", "risk %", "deviation", "hits %", "remark")


def _row(each: dict[str, Any]) -> tuple[str, ...]:
    if not each["computed"]:
        why = f"not computed: {each['why']} ({each['deals']:,} deals)"
        return each["bet"], "", "", "", "", "", "", why
    reading = ", ".join(f"{name} {option}" for name, option in each["reading"].items())
    figures = [f"{each[name]:.4f}" for name in ("house_edge_pct", "element_of_risk_pct")]
    deviation = f"{float(each['standard_deviation']):.4f}" if "standard_deviation" in each else ""
    hits = f"{each['hit_frequency_pct']:.4f}"
    return each["bet"], each["paytable"] or "", reading, *figures, deviation, hits, _remark(each)


def _short(row: tuple[str, ...]) -> tuple[str, ...]:
    """Return the columns that fit 80 characters: bet, pay table, edge, hits, note."""
    return *row[:2], row[3], row[6], row[7]


def _short_row(each: dict[str, Any]) -> tuple[str, ...]:
    row = _row(each)
    if not each["computed"]:
        return _short(row)
    notes = [row[2]] if row[2] else []
    notes += [f"per {each['unit']}"] if each["unit"] != each["bet"] else []
    notes += ["without the meter"] if "incomplete" in each else []
    notes += ["suspect"] if "suspect" in each else []
    return *_short(row)[:-1], "; ".join(notes)


def _remark(odds: dict[str, Any]) -> str:
    words = [f"played as {odds['strategy']!r}"] if "strategy" in odds else []
    if odds["unit"] != odds["bet"]:
        average = float(Fraction(odds["average_bet"]))
        words.append(f"edge per {odds['unit']}; {average:.4f} of it staked on average")
    if "hands_played" in odds:
        words.append(f"plays {odds['hands_played']:,} of {odds['hands']:,} hands")
    if "incomplete" in odds:
        words.append("without the meter")
    if "break_even_meter" in odds:
        beside = f", envy of {odds['others']} others included" if "others" in odds else ""
        words.append(f"even at a meter of {float(Fraction(odds['break_even_meter'])):,.2f} wagers{beside}")
    words += [f"{odds['decks']} decks"] if odds.get("decks", 1) > 1 else []
    words += [odds["rounding"]] if "rounding" in odds else []
    if "printed" in odds:
        words.append(f"prints an edge of {odds['printed']['house_edge_pct']} %")
    if "suspect" in odds:
        words.append(f"suspect: {odds['suspect']}")
    return "; ".join(words)
