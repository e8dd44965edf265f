"""Facts that a game file takes from its procedures instead of repeating them."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.steps.base import DealtStep
from protocol.tomlfile import Key

PROGRESSIVE: Final = "progressive"
"""Kind of a bet that a procedure plays for the progressive."""
DEALT: Final[Mapping[tuple[str, ...], str]] = {
    ("decks",): "[deck] decks",
    ("laid-aside",): "a choice that lays-aside",
    ("race", "column"): "[[shoe.end]]",
    ("race", "most"): "[[shoe.end]]",
}
"""Keys that a game file must not repeat, with the place where its procedures say the same."""


def repeated(content: Mapping[str, Any], procedures: Collection[Procedure]) -> Iterator[tuple[Key, str]]:
    """Yield an error for each fact that a game file repeats from its procedures."""
    for key, where in DEALT.items():
        table = content.get(key[0])
        if key[-1] in (content if len(key) == 1 else table if isinstance(table, dict) else ()):
            yield key, f"a procedure defines it, by {where}; leave it out"
    spots = _progressives(procedures)
    for number, row in bets_in(content):
        if row.get("kind") == PROGRESSIVE or ("kind" in row and row.get("name") in spots):
            yield ("bets", number, "kind"), "a procedure defines it, by progressive = true of this bet; leave it out"


def as_dealt(content: dict[str, Any], at_hand: Mapping[str, Procedure]) -> dict[str, Any]:
    """Return the content of a game file completed from its available procedures, by id.

    If a procedure is missing, a bet without a kind is assumed to be played for the progressive by it.
    """
    procedures, named, found = at_hand.values(), content.get("procedures"), dict(content)
    known = isinstance(named, list) and at_hand.keys() >= {*map(str, named)}
    spots = _progressives(procedures)
    for number, row in bets_in(content):
        if "kind" not in row and (row.get("name") in spots or not known):
            found["bets"] = [*found["bets"]]
            found["bets"][number] = {**row, "kind": PROGRESSIVE}
    if procedures:
        found["decks"] = max(map(_decks, procedures))
        found["laid-aside"] = any(choice.lays_aside for each in procedures for choice in each.decision)
    ends = {end.when: end.cards for each in procedures if each.shoe for end in each.shoe.end}
    if isinstance(content.get("race"), dict):
        found["race"] = {**content["race"], "column": ends.get("column", 0), "most": ends.get("all", 0)}
    return found


def bets_in(content: Mapping[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the bets that are tables, with their index."""
    rows = content.get("bets")
    yield from ((at, row) for at, row in enumerate(rows if isinstance(rows, list) else ()) if isinstance(row, dict))


def _progressives(procedures: Collection[Procedure]) -> frozenset[str]:
    """Return the names of the bets that are played for the progressive."""
    return frozenset(bet.name for each in procedures for bet in each.bet if bet.progressive)


def _decks(procedure: Procedure) -> int:
    """Return the number of cards with the same face; cards dealt by hand in addition to a shoe come from a separate
    deck."""
    by_hand = any(isinstance(step, DealtStep) and not step.from_device for step in procedure.step)
    return procedure.deck.decks + (procedure.device == "card-shoe" and by_hand)
