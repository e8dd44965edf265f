"""Pages of the games, the catalogue of incidents, and the schemas of the flow."""

import json
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from dealer_flow.play.machine.guards import GUARDS
from dealer_flow.play.machine.states import COLUMNS, LOOSE, MEANING, STEP_STATES, TRANSITIONS, WAITS, Row, State
from dealer_flow.procedure.load import Procedure, known_procedures, load_procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.record.base import field_docs, line_schema
from dealer_flow.record.catalogue import INCIDENTS
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from docs._print import MARK, printed, table
from docs._print.odds_pages import section as odds_of
from docs._print.pays import section as pays_of
from docs._print.readings_dealing import sentence, values
from docs._print.readings_money import section as readings_of
from docs._print.words import bet_rules, dealing, wrongs
from rules.game.load import Game, game_ids, load_game

_AUTHORIZED: Final = Path(__file__).parents[1] / "authorized.toml"


def pages() -> dict[str, str]:
    """Return every page and schema by its path under `docs/`. On a page with prose, only the marked part is printed."""
    out = {
        "schema/round-2.json": json.dumps(line_schema(RoundResult), indent=2) + "\n",
        "schema/procedure-2.json": json.dumps(Procedure.model_json_schema(by_alias=True), indent=2) + "\n",
    }
    procedures = [load_procedure(name) for name in known_procedures()]
    parts = {
        "incidents.md": _incidents(),
        "games/README.md": _games(procedures),
    }
    out |= {path: printed(path, lines) for path, lines in parts.items()}
    return out | {f"games/{procedure.id}.md": game_page(procedure) for procedure in procedures}


def _incidents() -> Iterator[str]:
    """Yield the catalogue of incidents, their facts and their sentences."""
    rows = ((f"`{code}`", item.meaning, item.consequence, item.clause) for code, item in INCIDENTS.items())
    yield from table(("code", "meaning", "consequence", "clause"), rows)
    yield from ("", "## Facts", "")
    yield "A fact that does not apply is absent. `reason` tells the cases of a code apart."
    yield from ("", *table(("fact", "meaning"), ((f"`{name}`", text) for name, text in field_docs(Incident).items())))
    yield from ("", "## Sentences", "")
    yield "The line also has a `text`: one sentence for a reader, built from the facts. It may change with any release:"
    yield "do not parse it. It is not read back. `*` stands for the fact; the text after `|` for its absence."
    sentences = (
        (f"`{code}`", reason, f"`{template}`")
        for code, item in INCIDENTS.items()
        for reason, template in ({"": item.sentence} if isinstance(item.sentence, str) else item.sentence).items()
    )
    yield from ("", *table(("code", "reason", "sentence"), sentences))


# ------------------------------------------------------------------ games


def _games(procedures: list[Procedure]) -> Iterator[str]:
    """Yield every procedure in one line, in the order of their ids, then the authorized games of Rule 10."""
    yield from table(("game", "id", "clause", "dealt from", "seats", "settled by"), map(_game_row, procedures))
    yield from ("", "## The 45 games of 47.1-1003", "")
    yield "In the order of the regulation. A game that can be dealt in several ways has a procedure for each."
    rows = (_authorized_row(row) for row in authorized())
    yield from ("", *table(("number", "game", "section", "dealt by", "settled by"), rows), "")


def authorized() -> list[dict[str, Any]]:
    """Return the rows of `docs/authorized.toml`, each with the games that settle it."""
    rows: list[dict[str, Any]] = tomllib.loads(_AUTHORIZED.read_text(encoding="utf-8"))["game"]
    games = {name: load_game(name).spec.procedures for name in game_ids()}
    for row in rows:
        row["settled"] = [name for name, procedures in games.items() if not {*procedures}.isdisjoint(row["dealt"])]
    return rows


def _authorized_row(row: dict[str, Any]) -> tuple[str, ...]:
    dealt = ", ".join(f"[{name}]({name}.md)" for name in row["dealt"])
    return str(row["number"]), row["name"], row["clause"], dealt, ", ".join(f"`{name}`" for name in row["settled"])


def _game_row(procedure: Procedure) -> tuple[str, ...]:
    deck = procedure.deck
    size = f"{deck.cards} cards" if deck.decks == 1 else f"{deck.decks} x {deck.cards} cards"
    game = f"[{procedure.title}]({procedure.id}.md)"
    source = f"{procedure.device.replace('-', ' ')}, {size}"
    settled = ", ".join(f"`{each.id}`" for each in _settled_by()[procedure.id])
    return game, f"`{procedure.id}`", procedure.clause, source, f"{procedure.seats.most}", settled


def _deal_in_words(procedure: Procedure) -> str:
    """Return the steps that move cards and the choices between them: `5 at once to seats, dealer; choice`."""
    if procedure.shoe is not None:
        return f"one card at a time to the column of its {procedure.shoe.columns.by}"
    defaults = {option.name: option.default for option in procedure.option}
    words: list[str] = []
    for step in procedure.step:
        if step.when is not None and defaults[step.when.option] != step.when.is_:
            continue
        words += filter(None, [step.brief()])
    rest = procedure.remainder
    words += [f"{rest.cards} remain"] if rest is not None and rest.cards is not None else []
    return "; ".join(words)


def game_page(procedure: Procedure) -> str:
    """Return a game's own page: how it is dealt, what it pays, odds, readings, what may go wrong, states."""
    parts = [
        _deal_card(procedure),
        _bet_card(procedure),
        *_money(procedure),
        _options(procedure),
        _wrong_card(procedure),
        _care(procedure),
        _diagram(Plan(procedure, {})),
    ]
    titles = [part[0].removeprefix("## ") for part in parts if part]
    contents = " · ".join(f"[{title}](#{title.lower().replace(' ', '-')})" for title in titles)
    head = [f"# {procedure.title}", MARK, "", f"`{procedure.id}`, {procedure.jurisdiction}, {procedure.clause}.", ""]
    return "\n\n".join("\n".join(part) for part in ([*head, contents], *parts) if part) + "\n"


def _money(procedure: Procedure) -> list[list[str]]:
    """Return the sections on pays and odds, or links to them where another way of dealing the same game has them."""
    games = _settled_by()[procedure.id]
    own = [game for game in games if game.spec.procedures[0] == procedure.id]
    if not own:
        homes = {game.spec.procedures[0]: load_procedure(game.spec.procedures[0]).title for game in games}
        return [
            [f"## {title}", "", *(f"The same as for [{name}]({home}.md#{anchor})." for home, name in homes.items())]
            for title, anchor in (("What it pays", "what-it-pays"), ("Odds", "odds"))
        ]
    pays, odds = ["## What it pays"], ["## Odds"]
    for game in own:
        heading = ["", f"### {game.id}"] if len(own) > 1 else []
        pays += [*heading, "", *pays_of(game)]
        odds += [*heading, "", *odds_of(game.id)]
    return [pays, odds]


@cache
def _settled_by() -> dict[str, list[Game]]:
    """Return the games that settle the rounds of each procedure."""
    games = [load_game(name) for name in game_ids()]
    return {name: [game for game in games if name in game.spec.procedures] for name in known_procedures()}


def _deal_card(procedure: Procedure) -> list[str]:
    """Return the section on the deal: source of the cards, the deal in short, and the numbered steps of the dealer."""
    deck = procedure.deck
    jokers = f", {deck.jokers} joker{'s' * (deck.jokers > 1)} among them" if deck.jokers else ""
    size = f"{deck.cards} cards{jokers}" if deck.decks == 1 else f"{deck.decks} decks of {deck.cards} cards{jokers}"
    source = "by hand from" if procedure.device == "hand" else f"from a {procedure.device.replace('-', ' ')} with"
    lines = [
        "## How it is dealt",
        "",
        f"Dealt {source} {size} [{deck.clause}], to at most {procedure.seats.most} places [{procedure.seats.clause}].",
    ]
    if procedure.care.alternate is not None:
        lines.append(f"Two decks with different backs take turns [{procedure.care.alternate.clause}].")
    elif deck.alternating > 1:
        lines.append("Two decks with different backs are ready and may take turns.")
    lines += ["", f"In short: {_deal_in_words(procedure)}.", ""]
    lines += [f"{number}. {text} [{clause}]" for number, (text, clause) in enumerate(dealing(procedure), 1)]
    return lines


def _bet_card(procedure: Procedure) -> list[str]:
    found = [*bet_rules(procedure)]
    if not found:
        return []
    return [
        "## Rules for bets",
        "",
        "A bet that breaks a rule is held.",
        "",
        *table(("bet", "must be", "clause"), found),
    ]


def _wrong_card(procedure: Procedure) -> list[str]:
    found = [*wrongs(procedure)]
    if shoe := procedure.shoe:
        options = {option.name: option for option in procedure.option}
        rows = {
            "a card is not read": shoe.unread,
            "a card comes after the end": shoe.overdraw,
            "cut card": shoe.cut_card,
        }
        for what, ref in rows.items():
            found.append((what, f"reading `{ref.option}`, by default {options[ref.option].default}", ref.clause))
    else:
        found.append(("anything else happens to a card", "stop and call a supervisor", "procedure"))
    return ["## When something is wrong", "", *table(("event", "consequence", "clause"), found)]


def _care(procedure: Procedure) -> list[str]:
    rows = []
    if every := procedure.care.count_every:
        rows.append((f"{every.minutes} minutes without a count", "the deck is counted", every.clause))
    if age := procedure.care.age:
        rows.append((f"the deck was dealt `{age.option}` rounds (0: no limit)", "it is changed", age.clause))
    if least := procedure.care.least:
        rows.append((f"dealt fewer than `{least.option}` rounds (0: no limit)", "the deck stays", least.clause))
    for fault in procedure.fault:
        what = f"fault {fault.name}" if fault.name else f"any {fault.class_} fault"
        calls = f"; the {fault.calls} comes at once" if fault.calls else ""
        rows.append((what, f"{_FAULT[fault.then]}{calls}", fault.clause))
    return ["## Devices and decks", "", *table(("event", "consequence", "clause"), rows)]


_FAULT: Final = {
    "note": "recorded only",
    "count": "the cards counted decide",
    "person": "the person who clears it decides: resume, or remove the deck for a misdeal",
    "misdeal": "misdeal",
    "defective-deck": "defective deck",
    "unreliable": "nothing is settled, a supervisor decides",
}


def _options(procedure: Procedure) -> list[str]:
    """Return the section on readings: those of the dealing, then those of each game that settles it."""
    lines = ["## Readings"]
    if procedure.option:
        rows = ((f"`{option.name}`", values(option, "**{}**"), sentence(option.reason)) for option in procedure.option)
        lines += ["", "Of the dealing:", "", *table(("reading", "values (default in bold)", "reason"), rows)]
    for game in _settled_by()[procedure.id]:
        if game.spec.readings and game.spec.procedures[0] == procedure.id:
            lines += ["", f"Of the money, in the game `{game.id}`:", "", *readings_of(game)]
    return lines if len(lines) > 1 else []


# ------------------------------------------------------------------ the states


def _diagram(plan: Plan) -> list[str]:
    """Return the section on states: the steps under the default options with what can interrupt them, then every row of
    the state table that applies to this game, with its guards."""
    nodes = _nodes(plan)
    lines = ["## States", "", "```mermaid", "stateDiagram-v2", "    [*] --> betting", "    state round {"]
    lines += [f'        state "{label}" as {name}' for name, label, _ in nodes]
    lines += [f"        {line}" for line in _ways(plan, nodes)]
    lines += ["    }", f"    betting --> {nodes[0][0]}: START GAME"]
    inside = {state for _, _, state in nodes}
    used = inside | {State.BETTING, *(LOOSE if plan.shoe is None else LOOSE - {State.PROGRESSIVE})}
    rows = [
        row
        for row in TRANSITIONS
        if used.intersection(row.sources) and (row.dest is None or row.dest in used) and row.trigger != "begin_step"
    ]
    for row in rows:
        if row.trigger in ("judge", "end_game") and row.dest is not None:
            by = row.guards[0] if row.trigger == "judge" else "END GAME"
            sources = ["round"] * bool(inside.intersection(row.sources))
            sources += [state.value for state in _in_order((used - inside).intersection(row.sources))]
            ways = [f"    {source} --> {row.dest.value}: {by}" for source in sources]
            lines += [way for way in ways if way not in lines]
    meanings = ((state.value, MEANING[state]) for state in State if state in used)
    lines += ["```", "", *table(("state", "meaning"), meanings), ""]
    lines += [*table(("trigger", "from", "to", "when"), (_row(row, used) for row in rows)), ""]
    named = [name for name in GUARDS if any(name in (*row.guards, *row.unless) for row in rows)]
    guards = ((f"`{name}`", GUARDS[name].words, GUARDS[name].clause(plan)) for name in named)
    return [*lines, *table(("guard", "holds when", "clause"), guards)]


def _row(row: Row, used: set[State]) -> tuple[str, ...]:
    sources = ", ".join(state.value for state in _in_order(used.intersection(row.sources)))
    return row.trigger, sources, row.dest.value if row.dest else "the next step", _when(row) or "-"


def _when(row: Row) -> str:
    return ", ".join([*row.guards, *(f"not {name}" for name in row.unless)])


def _in_order(states: Iterable[State]) -> list[State]:
    return [state for state in State if state in set(states)]


def _nodes(plan: Plan) -> list[tuple[str, str, State]]:
    """Return name, label and state of every step or stage of a round."""
    if plan.shoe is not None:
        extra = plan.procedure.shoe is not None and plan.procedure.shoe.extra is not None
        stages = [state for state in COLUMNS if extra or state is not State.EXTRA]
        return [(stage.value, stage.value, stage) for stage in stages]
    return [
        (f"step{number}", f"{step.name} ({STEP_STATES[step.do].value})", STEP_STATES[step.do])
        for number, step in enumerate(plan.steps, 1)
    ]


def _ways(plan: Plan, nodes: list[tuple[str, str, State]]) -> list[str]:
    if plan.shoe is not None:
        states = {state for _, _, state in nodes}
        return [
            f"{source.value} --> {row.dest.value}: {_when(row)}"
            for row in TRANSITIONS
            for source in row.sources
            if row.trigger == "draw_on" and source in states and row.dest is not None and row.dest in states
        ]
    return [f"{name} --> {then}: {WAITS[state]}" for (name, _, state), (then, _, _) in pairwise(nodes)]
