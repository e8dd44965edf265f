"""Reports as plain data, changed reports and drawn options: the common part of both makers of inputs for
`compare_commits`.

It runs in trees of other commits, so it names only what all of them have in its present place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from random import Random
from typing import Any

from devices import events as e
from protocol.cards import Card
from protocol.places import Place

Options = dict[str, str]
FIGURES = ("counted", "expected", "cents", "seat", "decision", "ordinal", "round", "bet", "loaded", "cards")


def plain(value: Any) -> Any:
    """Return a field of a report without classes of this tree: cards and places as text."""
    if isinstance(value, Card | Place):
        return value.text
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    if isinstance(value, bool) or value is None:
        return value
    return int(value) if isinstance(value, int) else str(value)


def report(seen: e.Seen) -> list[Any]:
    """Return a report as a line of an input; bodies are dataclasses in old trees and structs in later ones."""
    names = getattr(seen.body, "__struct_fields__", None)
    names = [field.name for field in fields(seen.body)] if names is None else names
    named = {name: plain(getattr(seen.body, name)) for name in names}
    return [seen.device, seen.session, seen.number, seen.at_ns, type(seen.body).__name__, named]


def changed(told: list[list[Any]], random: Random) -> list[list[Any]]:
    """Return the same evening with some reports dropped, doubled, swapped with the next, or changed in one figure."""
    out = list(told)
    for _ in range(random.choice((1, 1, 2, 3, 1 + len(out) // 30))):
        at = random.randrange(len(out) - 1)
        match random.choice(("drop", "double", "swap", "swap", "change")):
            case "drop":
                del out[at]
            case "double":
                out.insert(random.randint(at, min(at + 3, len(out))), out[at])
            case "swap":
                out[at], out[at + 1] = out[at + 1], out[at]
            case _:
                out[at] = _other_figure(out[at], random)
    return out


def _other_figure(line: list[Any], random: Random) -> list[Any]:
    named = dict(line[5])
    for name in FIGURES:
        if isinstance(named.get(name), int):
            named[name] = max(named[name] + random.choice((-1, 1)), 0)
            break
    else:
        if isinstance(named.get("card"), str):
            named["card"] = random.choice(("??", "AS", "2H"))
        elif named.get("cards"):
            named["cards"] = [*named["cards"][1:], *random.choice(([], ["??"], ["AS"], named["cards"][-1:]))]
        elif named.get("positions"):
            named["positions"] = [at % 5 + 1 for at in named["positions"]]
    return [*line[:5], named]


class Readings:
    """Options for evening after evening: the defaults in every fourth, else values that were not taken yet."""

    def __init__(self, procedure: Any, random: Random) -> None:
        self._procedure, self._random = procedure, random
        self._left = {option.name: list(option.allowed) for option in procedure.option}

    def next(self, number: int) -> Options:
        if number % 4 == 1:
            return {}
        return {option.name: self._value(option.name, option.allowed) for option in self._procedure.option}

    def _value(self, name: str, allowed: Sequence[str]) -> str:
        left = self._left[name]
        return left.pop(self._random.randrange(len(left))) if left else self._random.choice(allowed)


def recordings(tree: Path) -> Iterator[dict[str, Any]]:
    """Yield every recording of a tree as the command replays it, under options of its procedure; paths are relative to
    the folder that holds the tree."""
    for path in sorted((tree / "captures").glob("*.pcapng")):
        name = f"{tree.name}/captures/{path.name}"
        yield {"id": name, "command": ["replay", name, "--json"]}
        yield {"id": f"{name} no-settle", "command": ["replay", name, "--json", "--no-settle"]}
    wa = ["replay", f"{tree.name}/captures/flushes-gone-wild.wa.pcapng", "--json"]
    wa += ["--progressive", f"{tree.name}/docs/examples/progressive-ml03.toml"]
    yield {"id": f"{tree.name}/captures/wa linked", "command": wa}
    yield {"id": f"{tree.name}/captures/wa awards", "command": [*wa, "--awards"]}
