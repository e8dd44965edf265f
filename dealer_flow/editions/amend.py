"""Application of an edition's changes to the content of a procedure's or a game's file."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from dealer_flow.editions.edition import ChangePart, Edition, EditionError
from dealer_flow.layers import json_copy
from protocol.tomlfile import Key, spell

ABSENT: Final = "none"
"""Value of `was` for a figure that the base does not have."""
_WORDS: Final = frozenset({"clause", "reason", "because", "when"})
"""Keys that decide nothing on their own: a row or table that has no other key is removed with its figure."""


class Amended(NamedTuple):
    """One figure that an edition changes: its `key` (rows by name), the clause it cites, its old and new value (`now`
    is None if the figure is removed), the edition that changes it, and the index of the change in that edition."""

    key: str
    clause: str
    was: Any
    now: Any
    by: Edition
    number: int


def amend(content: Mapping[str, Any], edition: Edition) -> tuple[dict[str, Any], list[Amended]]:
    """Return the content of a file under an edition, and every figure that differs.

    `content` is as TOML has it, with the file's own keys; it is not modified.
    """
    whole: dict[str, Any] = json_copy(content)
    found: list[Amended] = []
    for layer in edition.layers:
        for number, change in enumerate(layer.part.change):
            for key in change.keys:
                for named, clause, was in _change(whole, tuple(key.split(".")), change):
                    found.append(Amended(named, clause, was, change.is_, layer, number))
            if change.cited_as is not None:
                _recite(whole, change)
    return whole, found


def misfit(changes: Sequence[Amended], of: str, key: Key, why: str) -> EditionError:
    """Return the error for a key of the file `of` that is wrong once these changes are applied.

    It points at the change that most likely caused it.
    """
    parts = {str(part) for part in key}
    by = next((each for each in reversed(changes) if each.key.rpartition(".")[2] in parts), changes[-1])
    return by.by.fault(("change", by.number), f"{of}: {spell(key)}: {why}")


def _change(whole: dict[str, Any], path: tuple[str, ...], change: ChangePart) -> Iterator[tuple[str, str, Any]]:
    """Change each figure at a path that cites the clause; yield its key, the clause and the old value."""
    adds = change.was == ABSENT
    places = [*_places(whole, path, (), "", adds)]
    for place, clause in reversed(places):  # the last row first, so that removals do not shift the others
        holder, name = _at(whole, place[:-1]), place[-1]
        was = holder.get(name)
        clause = str(was.get("clause", clause)) if isinstance(was, dict) else clause
        cited = next((each for each in change.clauses if cites(clause, each)), None)
        if cited is None or (was is not None if adds else json_copy(change.was) not in (None, was)):
            continue
        named = ".".join(_named_key(whole, place))
        if change.is_ is None:
            _take_away(whole, place)
        else:
            holder[name] = json_copy(change.is_)
        yield named, cited, was


def _named_key(whole: Any, place: Key) -> Iterator[str]:
    """Yield the parts of a place as a change writes them: a row by its name, if it has one."""
    for part in place:
        whole = whole.get(part) if isinstance(whole, dict) else whole[part]
        if isinstance(part, str):
            yield part
        elif isinstance(whole, dict) and "name" in whole:
            yield str(whole["name"])


def _at(whole: Any, key: Key) -> Any:
    for part in key:
        whole = whole[part]
    return whole


def _take_away(whole: dict[str, Any], place: Key) -> None:
    """Remove a figure, and with it the row or table in which nothing else is left."""
    while place:
        holder = _at(whole, place[:-1])
        del holder[place[-1]]
        if holder and not (isinstance(holder, dict) and holder.keys() <= _WORDS):
            return
        place = place[:-1]


def _places(node: Any, path: tuple[str, ...], here: Key, clause: str, adds: bool) -> Iterator[tuple[Key, str]]:
    """Yield each place of a path's last key, with the clause of its table or of the nearest table around it.

    With `adds`, also yield the places where the key may be added.
    """
    if isinstance(node, list):
        for number, row in enumerate(node):
            named = isinstance(row, dict) and len(path) > 1 and row.get("name") == path[0]
            yield from _places(row, path[1:] if named else path, (*here, number), clause, adds)
    elif isinstance(node, dict) and (path[0] in node or (adds and len(path) == 1)):
        clause = str(node.get("clause", clause))
        if len(path) == 1:
            yield (*here, path[0]), clause
        else:
            yield from _places(node[path[0]], path[1:], (*here, path[0]), clause, adds)


def cites(text: str, clause: str) -> bool:
    """Return True if a citation names this clause; a citation of one of its paragraphs does not."""
    return _named(clause).search(text) is not None


@cache
def _named(clause: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.-]){re.escape(clause)}(?![\w(.-])")


def _recite(node: Any, change: ChangePart, key: str = "") -> None:
    """Replace the citation of a clause by the edition's own, in every key that holds clauses."""
    parts = node.items() if isinstance(node, dict) else enumerate(node)
    for name, part in [*parts]:
        of = name if isinstance(name, str) and ("clause" in name or key != "clauses") else key
        if isinstance(part, dict | list):
            _recite(part, change, of)
        elif isinstance(part, str) and ("clause" in of or of == "bets_closed"):
            for clause in change.clauses:
                part = _named(clause).sub(lambda _: change.cited_as or "", part)
            node[name] = part
