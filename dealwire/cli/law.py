"""Command `dealwire law`: editions of the regulation, and the differences between two of them."""

import json
from typing import Any, Final

import click

from dealer_flow.editions import Edition, edition_ids, load_edition
from dealer_flow.editions.edition import days_in_words
from dealwire.cli.terminal import echo, say_object, say_table
from rules.game.law import LawDifference, differences

SCHEMA: Final = "dealwire.law/1"


@click.group("law", invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per edition.")
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """List the editions of the regulation that are included; show one, or compare two.

    A table names its edition in table.toml, and every round and settlement carries it. An edition is an id, or a file
    of your own with a `base` and dated changes.
    """
    if ctx.invoked_subcommand is not None:
        if as_json:
            raise click.UsageError("put --json after the subcommand")
        return
    found = [load_edition(name) for name in edition_ids()]
    if as_json:
        for each in found:
            say_object(SCHEMA, "edition", **_fields(each))
        return
    say_table([(each.id, each.jurisdiction, each.days(), each.part.title) for each in found], right=frozenset())


@command.command("show")
@click.argument("edition", metavar="EDITION")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def show(edition: str, as_json: bool) -> None:
    """Show EDITION, an id or a file: the dates when it is in force, its source, and its changes."""
    found = load_edition(edition)
    if as_json:
        changes = [change.model_dump(mode="json", by_alias=True, exclude_none=True) for change in found.part.change]
        say_object(SCHEMA, "edition", **_fields(found), change=changes)
        return
    facts = {
        "id": found.id,
        "title": found.part.title,
        "jurisdiction": found.jurisdiction,
        "holds": found.days(),
        "base": found.base.id if found.base is not None else "",
        "cited as": found.cited_as,
        "source": found.part.source,
        "SHA-256": found.ref.sha256,
    }
    for name, text in facts.items():
        if text:
            echo(f"{name + ':':<14}{text}")
    for change in found.part.change:
        was = f" from {_value(change.was)}" if change.was is not None else ""
        figure = f"{', '.join(change.keys)}{was}: {_value(change.is_)}" if change.keys else ""
        recited = f"cited as {change.cited_as}" if change.cited_as is not None else ""
        days = days_in_words(change.effective, change.until)
        parts = "; ".join(part for part in (figure, recited, days, change.because) if part)
        echo(f"{', '.join(change.clauses)}: {parts}")


@command.command("diff")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per difference.")
def diff(old: str, new: str, as_json: bool) -> None:
    """Compare the editions OLD and NEW clause by clause, and name the procedures and games that are affected."""
    before, after = load_edition(old), load_edition(new)
    if before.jurisdiction != after.jurisdiction:
        why = f"{before.id} is of {before.jurisdiction}, {after.id} of {after.jurisdiction}"
        raise click.UsageError(f"{why}: they are not editions of one regulation")
    found = differences(before, after)
    for each in found:
        if as_json:
            say_object(SCHEMA, "difference", **each._asdict())
        else:
            _say(each)
    if not as_json:
        echo(f"{len(found)} difference{'' if len(found) == 1 else 's'} from {before.id} to {after.id}", err=True)


def _say(found: LawDifference) -> None:
    days = days_in_words(found.effective, found.until)
    echo(f"{found.clause}: {found.key}: {_value(found.was)} -> {_value(found.now)}{days and f', {days}'}", bold=True)
    for what, names in (("procedure", found.procedures), ("game", found.games)):
        if names:
            echo(f"  {len(names)} {what}{'' if len(names) == 1 else 's'}: {', '.join(names)}")


def _value(value: Any) -> str:
    """Format a value as in a file; a table without its clause."""
    if value is None:
        return "none"
    if isinstance(value, dict):
        rest = [part for name, part in value.items() if name != "clause"]
        return _value(rest[0] if len(rest) == 1 else rest)
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _fields(edition: Edition) -> dict[str, Any]:
    part = edition.part
    return {
        "id": edition.id,
        "sha256": edition.ref.sha256,
        "title": part.title,
        "jurisdiction": edition.jurisdiction,
        "base": edition.base.id if edition.base is not None else None,
        "effective": part.effective,
        "until": part.until,
        "cited_as": edition.cited_as or None,
        "source": part.source,
    }
