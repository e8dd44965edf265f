"""What a game file leaves to its procedures, which say it already: the loader takes it from there."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.steps.base import DealtStep
from protocol.tomlfile import Key

PROGRESSIVE: Final = "progressive"
"""The kind of a bet that a procedure plays for the progressive."""
DEALT: Final[Mapping[tuple[str, ...], str]] = {
    ("decks",): "[deck] decks",
    ("laid-aside",): "a choice that lays-aside",
    ("race", "column"): "[[shoe.end]]",
    ("race", "most"): "[[shoe.end]]",
}
"""A key of a game, and where its procedures say the same."""


def repeated(content: Mapping[str, Any], procedures: Collection[Procedure]) -> Iterator[tuple[Key, str]]:
    """Everything that a game file says, though its procedures do."""
    for key, where in DEALT.items():
        table = content.get(key[0])
        if key[-1] in (content if len(key) == 1 else table if isinstance(table, dict) else ()):
            yield key, f"a procedure says it, by {where}; leave it out"
    spots = _progressives(procedures)
    for number, row in bets_in(content):
        if row.get("kind") == PROGRESSIVE or ("kind" in row and row.get("name") in spots):
            yield ("bets", number, "kind"), "a procedure says it, by progressive = true of this bet; leave it out"


def as_dealt(content: dict[str, Any], at_hand: Mapping[str, Procedure]) -> dict[str, Any]:
    """The content of a game file with what its procedures say of it, by id, as far as they are at hand. Where one is
    not, a bet of no kind may be played for the progressive by that one."""
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
    """The bets, as far as they are tables."""
    rows = content.get("bets")
    yield from ((at, row) for at, row in enumerate(rows if isinstance(rows, list) else ()) if isinstance(row, dict))


def _progressives(procedures: Collection[Procedure]) -> frozenset[str]:
    """The bets that are played for the progressive."""
    return frozenset(bet.name for each in procedures for bet in each.bet if bet.progressive)


def _decks(procedure: Procedure) -> int:
    """How often one face is in the cards: what is dealt by hand beside a shoe comes from a deck of its own."""
    by_hand = any(isinstance(step, DealtStep) and not step.from_device for step in procedure.step)
    return procedure.deck.decks + (procedure.device == "card-shoe" and by_hand)
