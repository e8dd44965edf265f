"""How things are written out: NDJSON for programs, sentences for people. Nothing else prints results."""

import json
from collections.abc import Callable
from typing import Any

import click

from dealer_flow.result import Hand, Incident, RoundResult, Seat
from dealwire.table import Outcome, Table
from rules.settlement import Settlement

INCIDENT_SCHEMA = "dealwire.incident/1"
SUMMARY_SCHEMA = "dealwire.summary/1"

Say = Callable[[Outcome], None]


def json_line(item: Outcome) -> str:
    """One object on one line, with `schema` and `type` first."""
    if isinstance(item, Incident):
        return json.dumps({"schema": INCIDENT_SCHEMA, "type": "incident", **item.model_dump(mode="json")})
    return item.to_json()


def say_json(item: Outcome) -> None:
    """Write one object, flushed, so that a reader at the other end of a pipe sees it at once."""
    click.echo(json_line(item))


def say_summary(summary: dict[str, Any]) -> None:
    """Write the closing object."""
    click.echo(json.dumps({"schema": SUMMARY_SCHEMA, "type": "summary", **summary}))


def counts(table: Table) -> dict[str, Any]:
    """How many rounds a table dealt, by outcome, and how many incidents, by code: part of every summary."""
    return {
        "rounds": sum(table.outcomes.values()),
        "outcomes": dict(table.outcomes),
        "incidents": dict(table.incidents),
    }


def money(cents: int) -> str:
    """`$12.50`, `-$3`: dollars without needless zeros."""
    sign, whole, rest = "-" if cents < 0 else "", abs(cents) // 100, abs(cents) % 100
    return f"{sign}${whole:,}" + (f".{rest:02d}" if rest else "")


def say_text(item: Outcome) -> None:
    """Write one item for a person."""
    if isinstance(item, Incident):
        click.secho(f"  ! {item.text}  [{item.clause}]", fg="yellow")
    elif isinstance(item, RoundResult):
        for line in round_lines(item):
            click.echo(line)
    else:
        for line in settlement_lines(item):
            click.echo(line)


OUTCOME_COLOUR = {"complete": "green", "unreliable": "red", "defective-deck": "red"}


def _cards(cards: tuple[str, ...]) -> str:
    return " ".join(cards) or "(not shown)"


def _count(hand: Hand | Seat) -> str:
    return "" if hand.counted == hand.expected else f"  {hand.counted} cards instead of {hand.expected}"


def round_lines(result: RoundResult) -> list[str]:
    """The deal: community, burned, every hand."""
    colour = OUTCOME_COLOUR.get(result.outcome, "yellow")
    lines = [
        "",
        click.style(f"Round {result.round} at {result.table}: ", bold=True)
        + click.style(result.outcome, fg=colour, bold=True),
        f"  community  {_cards(result.community)}" + (f"   burned {_cards(result.burned)}" if result.burned else ""),
    ]
    if result.dealer is not None:
        lines.append(f"  dealer     {_cards(result.dealer.cards)}{_count(result.dealer)}")
    for seat in result.seats:
        choice = f"  {seat.decision}" if seat.decision else ""
        status = f"  {seat.status}" if seat.status == "dead" else ""
        lines.append(f"  seat {seat.seat:<6}{_cards(seat.cards)}{choice}{status}{_count(seat)}")
    if result.remainder is not None:
        lines.append(f"  remainder  {result.remainder.counted} of {result.remainder.expected} expected")
    return lines


def settlement_lines(settlement: Settlement) -> list[str]:
    """The money: every bet with its reason and clause."""
    if settlement.status == "held":
        return [click.style(f"  held: {settlement.why}", fg="red")]
    rows = [
        (f"seat {line.seat}", line.bet, money(line.stake), f"{line.result}", money(line.net), line.why, line.clause)
        for line in settlement.lines
    ]
    widths = [max(len(row[column]) for row in rows) if rows else 0 for column in range(5)]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0]), row[1].ljust(widths[1]), row[2].rjust(widths[2]), row[3].ljust(widths[3])]
        cells.append(row[4].rjust(widths[4]))
        lines.append("  " + "  ".join(cells) + f"  {row[5]}  [{row[6]}]")
    return lines
