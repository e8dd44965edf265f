"""What is printed from the data: the tables and diagrams under `docs/`. `python -m dealer_flow.published` writes them.

A test holds every printed page to what these functions give.
"""

import json
from pathlib import Path
from typing import Final

from dealer_flow.incidents import INCIDENTS
from dealer_flow.plan import Plan
from dealer_flow.procedure import Procedure, known_procedures, load_procedure
from dealer_flow.result import json_schema
from dealer_flow.schema import ShoePart
from dealer_flow.states import LOOSE, MEANING, TRANSITIONS, State

MARK: Final = "<!-- printed by python -m dealer_flow.published -->"


def pages() -> dict[str, str]:
    """Every printed page: path under `docs/` -> text."""
    out = {
        "schema/round-1.json": json.dumps(json_schema(), indent=2) + "\n",
        "incidents.md": incidents_page(),
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
        "An incident is something that went wrong or off procedure. It carries a `code` of this list, a sentence,",
        "the clause that decides, the place, the device's fault number if there is one, and the events it rests on.",
        "A consequence only ever gets worse: complete < progressive-only < misdeal < defective-deck < unreliable, and",
        "a dead hand stays dead. A round that is `unreliable` is never settled; a person decides.",
        "",
        "What happens between two rounds is listed with the round that follows.",
        "",
        "| code | meaning | consequence | clause |",
        "| --- | --- | --- | --- |",
    ]
    lines += [f"| `{code}` | {item.meaning} | {item.consequence} | {item.clause} |" for code, item in INCIDENTS.items()]
    return "\n".join([*lines, "", *_OUT_OF_TURN, ""])


_OUT_OF_TURN: Final = (
    "## Out of turn",
    "",
    "Money or hidden cards depend on it, so the round becomes unreliable: a packet lifted before START GAME or with",
    "nobody due one, a packet out of order, the remainder dumped before the deal is complete, a bet changed after",
    "bets were closed, a bet of a seat that is not live, a decision's bet after the house's cards were shown, a",
    "choice changed, the dealer's or the community cards shown before every player has chosen, a second burn, END",
    "GAME before the round is played out or the remainder counted, START GAME before END GAME. In a game drawn from a",
    "shoe: a card drawn before bets are closed, END GAME before the race is decided, before an unread card is named or",
    "before an extra card that a bet rests on, money moved to such a bet at another time or more than there is.",
    "",
    "Recorded only, and taken into account: a packet brought (not lifted) before START GAME, a choice or its bet",
    "before the burn, a burn before the deal is complete, a player's hand shown before all have chosen, hands shown",
    "in another order than the procedure's.",
    "",
    "Recorded only, and not taken into account: the same choice reported twice, a choice of a dead hand, a count or",
    "END GAME where there is nothing to count or end, a misdeal called after substantial action (`misdeal-refused`).",
    "",
    "While a line was silent in this round, a report of the other line that is out of turn is set aside and tried",
    "again after each report, since what it answers to may still come; what never fits is judged when the next round",
    "starts or the input ends.",
)


def game_page(procedure: Procedure) -> str:
    """The dealing card of one game, and its states."""
    plan = Plan(procedure, {})
    parts = [
        [f"# {procedure.title}: dealing", MARK, "", f"`{procedure.id}`, {procedure.jurisdiction}, {procedure.clause}."],
        _deal_card(procedure),
        _policies(procedure, plan),
        _diagram(plan),
    ]
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _deal_card(procedure: Procedure) -> list[str]:
    deck = procedure.deck
    lines = [
        "## Dealing card",
        "",
        "| step | what | clause |",
        "| --- | --- | --- |",
        f"| deck | {deck.cards} cards, {deck.jokers} jokers, {deck.alternating} decks in turn | {deck.clause} |",
        f"| seats | at most {procedure.seats.most} | {procedure.seats.clause} |",
    ]
    for bet in procedure.bet:
        marks = "".join([", enters the seat" if bet.enters else "", ", the progressive" if bet.progressive else ""])
        lines.append(f"| bet {bet.number} | {bet.name}, {bet.placed}{marks} | {bet.clause} |")
    for number, packet in enumerate(procedure.packet, 1):
        who = "each seat that entered, clockwise from the dealer's left" if packet.to == "seats" else packet.to
        lines.append(f"| deal {number} | {packet.cards} cards to {who} | {packet.clause} |")
    if burn := procedure.burn:
        what = f"cards {', '.join(map(str, burn.positions))} of {burn.of}, counted {burn.spread}"
        lines.append(f"| burn | {what} | {burn.clause} |")
    for choice in procedure.decision:
        stake = f", with the {choice.bet} bet" if choice.bet else ""
        lines.append(f"| decision {choice.number} | {choice.name}{stake} | {choice.clause} |")
    if reveal := procedure.reveal:
        lines.append(f"| reveal | {', then '.join(reveal.order)} | {reveal.clause} |")
    if procedure.shoe:
        lines += _shoe_card(procedure.shoe)
    return lines


def _shoe_card(shoe: ShoePart) -> list[str]:
    columns, extra = shoe.columns, shoe.extra
    to = "the column of its suit" if columns.by == "suit" else "the next column"
    lines = [
        f"| shoe | decks: option `{shoe.decks.option}` | {shoe.decks.clause} |",
        f"| bets closed | before the first card | {shoe.bets_closed} |",
        f"| draw | one card at a time, each to {to}: {', '.join(columns.names)} | {columns.clause} |",
    ]
    for end in shoe.end:
        what = "in one column" if end.when == "column" else "in all"
        lines.append(f"| end | {end.cards} cards {what} | {end.clause} |")
    if extra:
        what = f"one more card after an end in all: option `{extra.option}`; money moves from {extra.moves_from}"
        lines.append(f"| extra | {what} | {extra.clause} |")
    return lines


def _policies(procedure: Procedure, plan: Plan) -> list[str]:
    lines = ["## When something is wrong", "", "| what | consequence | clause |", "| --- | --- | --- |"]
    rows = {f"count of {kind}": getattr(procedure.count, kind) for kind in (*plan.sizes, "deck")}
    rows |= {"face seen twice": procedure.face.duplicate, "card not of this deck": procedure.face.foreign}
    for what, row in rows.items():
        then = row.then or f"option `{row.option}`, default {plan.options[row.option]}"
        lines.append(f"| {what} | {then} | {row.clause} |")
    lines.append(
        f"| misdeal called by a person | misdeal, until {procedure.misdeal.until} | {procedure.misdeal.clause} |"
    )
    if shoe := procedure.shoe:
        rows_of_shoe = {"card not read": shoe.unread, "card after the end": shoe.overdraw, "cut card": shoe.cut_card}
        for what, ref in rows_of_shoe.items():
            lines.append(f"| {what} | option `{ref.option}`, default {plan.options[ref.option]} | {ref.clause} |")
    for fault in procedure.fault:
        what = f"fault {fault.name}" if fault.name else f"any {fault.class_} fault"
        lines.append(f"| {what} | {fault.then} | {fault.clause} |")
    lines += ["", "| option | allowed, default first | why |", "| --- | --- | --- |"]
    for option in procedure.option:
        values = [option.default, *(value for value in option.allowed if value != option.default)]
        lines.append(f"| `{option.name}` | {', '.join(values)} | {option.reason} |")
    return lines


def _diagram(plan: Plan) -> list[str]:
    loose = LOOSE if plan.shoe is None else LOOSE - {State.PROGRESSIVE}
    used = {State.BETTING, *plan.stages, *loose} | ({State.NAMING} if plan.shoe else set())
    lines = ["## States", "", "```mermaid", "stateDiagram-v2", "    [*] --> betting"]
    for row in TRANSITIONS:
        sources = [source for source in row.sources if source in used and not _skips(plan, source, row.dest)]
        lines += [f"    {source.value} --> {row.dest.value}: {row.trigger}" for source in sources if row.dest in used]
    lines += ["```", "", "| state | meaning |", "| --- | --- |"]
    return [*lines, *(f"| {state.value} | {MEANING[state]} |" for state in State if state in used)]


def _skips(plan: Plan, source: State, dest: State) -> bool:
    """A way past a stage that this procedure has."""
    if source not in plan.stages or dest not in plan.stages:
        return False
    return plan.stages.index(dest) != plan.stages.index(source) + 1


def main() -> None:
    """Write the pages into `docs/` beside the package."""
    docs = Path(__file__).parent.parent / "docs"
    for path, text in pages().items():
        (docs / path).parent.mkdir(parents=True, exist_ok=True)
        (docs / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
