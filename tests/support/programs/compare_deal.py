"""Program that deals written inputs in one tree and writes the answers, for `compare_commits`.

    PYTHONPATH=TREE python -P compare_deal.py INPUTS ANSWERS

It must run in trees whose modules are elsewhere, so it names few of them, each with the places where it may be, and
reads results by their JSON only. An input is a line of JSON, reports or the arguments of a command:

    {"id", "procedure", "options", "terms", "reports": [[device, session, number, at_ns, class, fields], ...]}
    the same with "game", what settles it, or null; without it the procedure's own game does
    {"id", "command": ["replay", FILE, "--json"]}

An answer is a line, too: `said` holds [index of the report, object] in order, `legal` after each report the number of a
set of legal reports. The sets are the last line.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import Any

Json = dict[str, Any]


def found(name: str, *modules: str) -> Any:
    """Return `name` from the first of these modules that has it."""
    why = []
    for module in modules:
        try:
            return getattr(import_module(module), name)
        except (ImportError, AttributeError) as error:
            why.append(str(error))
    raise ImportError(f"no {name}: {'; '.join(why)}")


DealerFlow = found("DealerFlow", "dealer_flow", "dealer_flow.machine")
load_procedure = cache(found("load_procedure", "dealer_flow", "dealer_flow.procedure", "dealer_flow.procedure.load"))
settle = found("settle", "rules", "rules.settle.rounds", "rules.settle")
game_id_of = cache(found("game_id_of", "rules.game.load", "rules.game", "rules"))
load_game_of = cache(found("load_game_of", "rules.game.load", "rules.game", "rules"))
load_game = cache(found("load_game", "rules.game.load", "rules.game", "rules"))
events = import_module("devices.events")
parse_card: Callable[[str], Any] = cache(found("parse_card", "protocol.cards"))
parse_place: Callable[[str], Any] = cache(found("parse_place", "protocol.places"))


def body_of(kind: str, fields: Json) -> Any:
    """Return the report of this class; cards and places are spelled as text."""
    return getattr(events, kind)(**{name: _value(name, value) for name, value in fields.items()})


def _value(name: str, value: Any) -> Any:
    if name == "card":
        return parse_card(value)
    if name == "cards" and isinstance(value, list):
        return tuple(map(parse_card, value))
    if name == "place":
        return parse_place(value)
    return _tuples(value)


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


class LegalSets:
    """Every set of legal reports that occurred, each once. None if a tree lists them in another way."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[Any, ...], int] = {}

    def number(self, flow: Any) -> int | None:
        try:
            items = {(item.actor, item.event, str(item.place), item.value) for item in flow.legal()}
        except AttributeError:
            return None
        return self.numbers.setdefault(tuple(sorted(items)), len(self.numbers))


def dealt(item: Json, legal: LegalSets) -> Json:
    """Return the flow's answers to these reports, and the settlements of its rounds."""
    said: list[tuple[int, Json]] = []
    after: list[int | None] = []
    try:
        for index, line in _told(item, legal, after):
            said.append((index, json.loads(line)))
    except Exception as error:  # whatever it is, the other tree must say the same
        said.append((len(after), {"type": "error", "error": type(error).__name__, "text": str(error)[:500]}))
    return {"id": item["id"], "said": said, "legal": after}


def _told(item: Json, legal: LegalSets, after: list[int | None]) -> Iterator[tuple[int, str]]:
    procedure = load_procedure(item["procedure"])
    flow = DealerFlow(procedure, options=item["options"])
    game = game_of(item)
    terms = terms_of(item, game)
    for index, (device, session, number, at_ns, kind, fields) in enumerate(item["reports"]):
        for found_ in flow.handle(events.Seen(device, session, number, at_ns, body_of(kind, fields))):
            yield from ((index, line) for line in _settled(game, found_, terms))
        after.append(legal.number(flow))
    for found_ in flow.finish():
        yield from ((len(after), line) for line in _settled(game, found_, terms))


def game_of(item: Json) -> Any:
    """Return the game that settles the rounds of this input; None if none does."""
    if "game" in item:
        return None if item["game"] is None else load_game(item["game"])
    return None if game_id_of(item["procedure"]) is None else load_game_of(item["procedure"])


def terms_of(item: Json, game: Any) -> Json:
    """Return the terms of the rounds, in this tree's own types. A tip's pay table is its bet's, and in later trees no
    choice of its own."""
    terms: Json = {**item["terms"], "meters": dict(item["terms"].get("meters", {}))}
    if (chosen := terms.get("paytables")) and "game" not in item:
        choices = game.default_paytables()
        terms["paytables"] = {bet: table for bet, table in chosen.items() if bet in choices}
    if "rake" in terms:
        terms["rake"] = found("HouseRake", "rules.settlement")(**terms["rake"])
    return terms


def _settled(game: Any, item: Any, terms: Json) -> Iterator[str]:
    """Yield the line of an incident or a round; for a round also that of its settlement, which moves the meters."""
    line = item.to_json()
    yield line
    if json.loads(line)["type"] != "round" or game is None:
        return
    settled = settle(item, game, **terms).to_json()
    for meter in json.loads(settled)["meters"]:
        if meter["after"] is None:
            terms["meters"].pop(meter["name"], None)
        else:
            terms["meters"][meter["name"]] = meter["after"]
    yield settled


def commanded(item: Json) -> Json:
    """Return the output of a command and its exit code."""
    main = found("main", "dealwire.cli")
    out, code = io.TextIOWrapper(io.BytesIO(), "utf-8"), 0
    with contextlib.redirect_stdout(out), open(os.devnull, "w") as nothing, contextlib.redirect_stderr(nothing):
        try:
            main(item["command"], prog_name="dealwire")
        except SystemExit as end:
            code = int(end.code or 0)
        out.flush()
    lines = out.buffer.getvalue().decode().splitlines()  # type: ignore[attr-defined]
    said = [(number, json.loads(line)) for number, line in enumerate(lines)]
    return {"id": item["id"], "said": [*said, (len(said), {"type": "exit", "code": code})], "legal": []}


def main(inputs: str, answers: str) -> None:
    """Deal every input."""
    legal = LegalSets()
    with open(inputs, encoding="utf-8") as source, open(answers, "w", encoding="utf-8") as target:
        for line in source:
            item = json.loads(line)
            answer = commanded(item) if "command" in item else dealt(item, legal)
            target.write(json.dumps(answer, separators=(",", ":")) + "\n")
        target.write(json.dumps({"sets": list(legal.numbers)}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
