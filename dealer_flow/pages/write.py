"""What is printed from the data: tables and diagrams of `docs/`, written by `python -m dealer_flow.pages.write`.

A test holds every printed page to what these functions give.
"""

import json
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Final

from dealer_flow.pages.overview import games_page
from dealer_flow.pages.readings import readings_page
from dealer_flow.pages.words import dealing, wrongs
from dealer_flow.play.guards import GUARDS
from dealer_flow.play.states import COLUMNS, LOOSE, MEANING, STEP_STATES, TRANSITIONS, WAITS, Row, State
from dealer_flow.procedure.load import Procedure, known_procedures, load_procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.record.base import field_docs, line_schema
from dealer_flow.record.incidents import INCIDENTS, Incident
from dealer_flow.record.result import RoundResult
from dealer_flow.record.sentences import SENTENCES

MARK: Final = "<!-- printed by python -m dealer_flow.pages.write -->"


def pages() -> dict[str, str]:
    """Every printed page: path under `docs/` -> text."""
    out = {
        "schema/round-2.json": json.dumps(line_schema(RoundResult), indent=2) + "\n",
        "schema/procedure-2.json": json.dumps(Procedure.model_json_schema(by_alias=True), indent=2) + "\n",
        "incidents.md": incidents_page(),
        "readings.md": readings_page(),
        "games/README.md": games_page(),
    }
    for name in known_procedures():
        out[f"games/{name}.md"] = game_page(load_procedure(name))
    return out


def incidents_page() -> str:
    """The catalogue of incidents."""
    lines = [
        "# Incidents",
        MARK,
        "",
        "An incident is something that went wrong or off procedure. It carries a `code` of this list, the clause that",
        "decides, the reports it rests on and its facts, which are listed below. It is a line of `dealwire.incident/2`",
        "on its own, and stands in the round it belongs to.",
        "A consequence only ever gets worse: complete < progressive-only < misdeal < defective-deck < unreliable, and",
        "a dead hand stays dead. A round that is `unreliable` is never settled; a person decides.",
        "",
        "What happens between two rounds is listed with the round that follows.",
        "",
        "| code | meaning | consequence | clause |",
        "| --- | --- | --- | --- |",
    ]
    lines += [f"| `{code}` | {item.meaning} | {item.consequence} | {item.clause} |" for code, item in INCIDENTS.items()]
    lines += ["", *_facts_part()]
    return "\n".join([*lines, "", *_OUT_OF_TURN, ""])


def _facts_part() -> list[str]:
    lines = [
        "## Facts",
        "",
        "A fact that does not apply is absent. `reason` says which of several cases of a code it is.",
        "",
        "| fact | meaning |",
        "| --- | --- |",
    ]
    lines += [f"| `{name}` | {meaning} |" for name, meaning in field_docs(Incident).items()]
    lines += [
        "",
        "## Sentences",
        "",
        "The line has a `text`, too: one sentence for a person, made of the facts. It may change with any release;",
        "nothing may parse it, and it is not read back. `*` stands for the fact, what follows `|` for its absence.",
        "",
        "| code | reason | sentence |",
        "| --- | --- | --- |",
    ]
    for code, found in SENTENCES.items():
        rows = {"": found} if isinstance(found, str) else found
        for reason, template in rows.items():
            lines.append("| `{}` | {} | `{}` |".format(code, reason, template.replace("|", "\\|")))
    return lines


_OUT_OF_TURN: Final = (
    "## Out of turn",
    "",
    "Money or hidden cards depend on it, so the round becomes unreliable: a packet lifted or a card drawn before START",
    "GAME or with nobody due one, a packet out of order, the remainder dumped before the deal is complete, a bet",
    "changed after bets were closed, a bet of a seat that is not live, a decision's bet after further cards of the",
    "house were shown, a choice changed or one that the step does not offer, more cards of the house shown than may",
    "lie open, a second burn, another place selected after cards were dealt, END GAME before the round is played out,",
    "the remainder counted or a supervisor's ruling made, START GAME before END GAME. In a game drawn into columns:",
    "END GAME before the race is decided, before an unread card is named or before an extra card that a bet rests on,",
    "money moved to such a bet at another time or more than there is.",
    "",
    "Recorded only, and taken into account: a packet brought (not lifted) before START GAME, a choice or its bet",
    "before its step, a burn before the deal is complete, a player's hand shown before all have chosen, the hand of a",
    "position where nobody plays, hands shown in another order than the procedure's.",
    "",
    "Recorded only, and not taken into account: the same choice reported twice, a choice of a dead hand, a count or",
    "END GAME where there is nothing to count or end, a misdeal called after substantial action (`misdeal-refused`).",
    "",
    "While a line was silent in this round, a report of the other line that is out of turn is set aside and tried",
    "again after each report, since what it answers to may still come; what never fits is judged when the next round",
    "starts or the input ends.",
)


def game_page(procedure: Procedure) -> str:
    """The dealing card of one game, what to do when something is wrong, and its states."""
    plan = Plan(procedure, {})
    parts = [
        [f"# {procedure.title}: dealing", MARK, "", f"`{procedure.id}`, {procedure.jurisdiction}, {procedure.clause}."],
        _deal_card(procedure),
        _wrong_card(procedure),
        _care(procedure),
        _options(procedure),
        _diagram(plan),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _deal_card(procedure: Procedure) -> list[str]:
    """What the dealer does, numbered."""
    deck = procedure.deck
    jokers = f", {deck.jokers} joker{'s' * (deck.jokers > 1)} among them" if deck.jokers else ""
    size = f"{deck.cards} cards{jokers}" if deck.decks == 1 else f"{deck.decks} decks of {deck.cards} cards{jokers}"
    lines = [
        "## What the dealer does",
        "",
        f"Dealt from a {procedure.device.replace('-', ' ')} with {size} [{deck.clause}], to at most"
        f" {procedure.seats.most} places [{procedure.seats.clause}].",
    ]
    if deck.alternating > 1:
        lines.append("Two decks of different backs take turns.")
    lines.append("")
    lines += [f"{number}. {text} [{clause}]" for number, (text, clause) in enumerate(dealing(procedure), 1)]
    return lines


def _wrong_card(procedure: Procedure) -> list[str]:
    lines = ["## When something is wrong", "", "| what | what follows | clause |", "| --- | --- | --- |"]
    lines += [f"| {what} | {then} | {clause} |" for what, then, clause in wrongs(procedure)]
    if shoe := procedure.shoe:
        options = {option.name: option for option in procedure.option}
        rows = {
            "a card is not read": shoe.unread,
            "a card comes after the end": shoe.overdraw,
            "cut card": shoe.cut_card,
        }
        for what, ref in rows.items():
            lines.append(
                f"| {what} | reading `{ref.option}`, by default {options[ref.option].default} | {ref.clause} |"
            )
    else:
        lines.append("| anything else happens to a card | stop and call a supervisor | procedure |")
    return lines


def _care(procedure: Procedure) -> list[str]:
    lines = ["## Devices and decks", "", "| what | what follows | clause |", "| --- | --- | --- |"]
    if every := procedure.care.count_every:
        lines.append(f"| {every.minutes} minutes without a count | the deck is counted | {every.clause} |")
    if age := procedure.care.age:
        lines.append(f"| the deck was dealt `{age.option}` rounds (0: no limit) | it is changed | {age.clause} |")
    for fault in procedure.fault:
        what = f"fault {fault.name}" if fault.name else f"any {fault.class_} fault"
        calls = f"; the {fault.calls} comes at once" if fault.calls else ""
        lines.append(f"| {what} | {_FAULT[fault.then]}{calls} | {fault.clause} |")
    return lines


_FAULT: Final = {
    "note": "recorded only",
    "count": "the cards counted decide",
    "person": "whoever clears it decides: resumed, play goes on; deck out, misdeal",
    "misdeal": "misdeal",
    "defective-deck": "defective deck",
    "unreliable": "nothing is settled, a person decides",
}


def _options(procedure: Procedure) -> list[str]:
    if not procedure.option:
        return []
    lines = ["## Readings", "", "| option | allowed, default first | why |", "| --- | --- | --- |"]
    for option in procedure.option:
        values = [option.default, *(value for value in option.allowed if value != option.default)]
        lines.append(f"| `{option.name}` | {', '.join(values)} | {option.reason} |")
    return lines


# ------------------------------------------------------------------ the states


def _diagram(plan: Plan) -> list[str]:
    """The steps under the defaults of the options, each with the state it is in, and what can interrupt them; then
    every row of the table of states that matters here, with its guards."""
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
    lines += ["```", "", "| state | meaning |", "| --- | --- |"]
    lines += [f"| {state.value} | {MEANING[state]} |" for state in State if state in used]
    lines += ["", "| trigger | from | to | when |", "| --- | --- | --- | --- |"]
    lines += [_row(row, used) for row in rows]
    named = [name for name in GUARDS if any(name in (*row.guards, *row.unless) for row in rows)]
    lines += ["", "| guard | lets pass when | clause |", "| --- | --- | --- |"]
    return [*lines, *(f"| `{name}` | {GUARDS[name].words} | {GUARDS[name].clause(plan)} |" for name in named)]


def _row(row: Row, used: set[State]) -> str:
    sources = ", ".join(state.value for state in _in_order(used.intersection(row.sources)))
    return f"| {row.trigger} | {sources} | {row.dest.value if row.dest else 'the next step'} | {_when(row) or '-'} |"


def _when(row: Row) -> str:
    return ", ".join([*row.guards, *(f"not {name}" for name in row.unless)])


def _in_order(states: Iterable[State]) -> list[State]:
    return [state for state in State if state in set(states)]


def _nodes(plan: Plan) -> list[tuple[str, str, State]]:
    """Name, label and state of every step or stage of a round."""
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


def main() -> None:
    """Write the pages into `docs/` beside the package."""
    docs = Path(__file__).parents[2] / "docs"
    for path, text in pages().items():
        (docs / path).parent.mkdir(parents=True, exist_ok=True)
        (docs / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
