"""The dealt hands in `tests/dealer_flow/hands`: a file a game, a clean round and the consequences of trouble by its
clauses.

A case changes the clean round: `do` is what happens, several things separated by `; `. Each item of a list is a case of
its own with the same end:

    short seat 1, long dealer        a card too few or too many; the device counts it, or a person after a shoe's deal,
                                     out of which one card more or fewer is drawn
    exposed seat 1, off-table seat 1 a person saw it happen, right after the cards came there
    fault card-lost after packet X   the device says so after that line
    LINE after|before|instead of X   this line after, before or instead of the first line that begins with X
    swap X with Y                    the first lines that begin so change places

`then` follows at once. A round that is void ends there; where the progressive is still played, or with `rest of the
deal`, the other cards come out first. From there on, lines are left out for a seat that the case expects to be dead or
folded, and so are lines that begin as those of `without` do. `like`: the game is dealt as another one is.
"""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from protocol.cards import DECK

FOLDER: Final = Path(__file__).parents[2] / "dealer_flow" / "hands"


@dataclass(frozen=True)
class Case:
    """A hand with its expected result, written by hand from the text."""

    game: str
    lines: tuple[str, ...]
    what: str = "a clean round"
    deed: str = ""
    clause: str | None = None
    options: dict[str, str] = field(default_factory=dict)
    outcome: str = "complete"
    seats: tuple[str, ...] = ()
    """Status of each seat."""
    back: dict[int, dict[str, int]] = field(default_factory=dict)
    """Seat -> the bets that the clause gives back, in cents."""
    held: dict[int, dict[str, str]] = field(default_factory=dict)
    """Seat -> the bets that are held, each with its clause."""
    called: bool = False
    wagers: dict[int, dict[str, int]] = field(default_factory=dict)
    packets: tuple[str, ...] = ()
    remainder: int | None = None
    hands: dict[str, tuple[str, ...]] = field(default_factory=dict)
    community: tuple[str, ...] = ()
    """The community cards as they lie from the first to the last."""
    cards: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Cards at the named places at the end: `seat 1`, `community`, `dealer`."""
    dead_hands: frozenset[str] = frozenset()
    """The game's own hands that are dead."""
    record: dict[str, Any] = field(default_factory=dict)
    """Values that the round's line has at a path such as `seats.0.split.by`; `absent` where it has none."""

    def __str__(self) -> str:
        return f"{self.game}: {self.deed}: {self.what}"


def games() -> tuple[str, ...]:
    """Return the ids of the procedures that have a file."""
    return tuple(sorted(path.name.removesuffix(".toml") for path in FOLDER.glob("*.toml")))


def clean(game: str) -> Case:
    """Return the clean round of this game."""
    return _case(game, {}, _read(game))


def cases(game: str) -> list[Case]:
    """Return the other cases in the file of this game."""
    content = _read(game)
    each = [(case, deed) for case in content["case"] for deed in _listed(case["do"])]
    return [_case(game, case | {"do": deed}, content) for case, deed in each]


def _listed(deeds: str | list[str]) -> list[str]:
    return [deeds] if isinstance(deeds, str) else deeds


@cache
def _read(game: str) -> dict[str, Any]:
    """Return the file of a game. A game that is dealt as another is has that game's hand and cases, and its own after
    them."""
    content = tomllib.loads((FOLDER / f"{game}.toml").read_text(encoding="utf-8"))
    if "like" not in content:
        return content
    other = _read(content["like"])
    return other | content | {"case": [*other["case"], *content.get("case", ())]}


def _case(game: str, case: dict[str, Any], content: dict[str, Any]) -> Case:
    """Return a case of the file, or its clean round if there is none."""
    lines = [line.partition("#")[0].strip() for line in content["hand"].splitlines() if line.strip()]
    seats = tuple(case.get("seats", content.get("seats", ())))
    if not seats:
        seats = ("live",) * sum(line.startswith("bets ") for line in lines)
    source = case or content
    return Case(
        game=game,
        lines=tuple(_changed(lines, case, _gone(seats, content.get("seats", ()))) if case else lines),
        what=case.get("what", "a clean round"),
        deed=case.get("do", ""),
        clause=case.get("clause"),
        options=case.get("options", {}),
        outcome=case.get("outcome", "complete"),
        seats=seats,
        back={int(seat): bets for seat, bets in case.get("back", {}).items()},
        held={int(seat): bets for seat, bets in case.get("held", {}).items()},
        called=case.get("called", False),
        wagers={int(seat): bets for seat, bets in source.get("wagers", {}).items()},
        packets=tuple(source.get("packets", ())),
        remainder=source.get("remainder"),
        hands={name: tuple(cards) for name, cards in source.get("hands", {}).items()},
        community=tuple(case.get("community", ())),
        cards={place: tuple(cards) for place, cards in case.get("cards", {}).items()},
        dead_hands=frozenset(case.get("dead-hands", ())),
        record=source.get("record", {}),
    )


def _gone(seats: tuple[str, ...], clean_seats: Sequence[str]) -> list[str]:
    """Return the seats that are out of the round because of the case."""
    changed = {
        number for number, status in enumerate(seats, 1) if status not in (*clean_seats[number - 1 : number], "live")
    }
    return [f"seat {number}" for number in sorted(changed)]


def _changed(lines: list[str], case: dict[str, Any], gone: list[str]) -> list[str]:
    """Return the round with the case's trouble in it."""
    last = 0
    for deed in case["do"].split("; "):
        lines, at = _with(lines, deed)
        last = max(last, at)
    then = list(case.get("then", ()))
    outcome = case.get("outcome", "complete")
    whole_deal = "rest of the deal" in then or outcome == "progressive-only"
    without = tuple(case.get("without", ()))
    rest = [line for line in lines[last + 1 :] if not without or not line.startswith(without)]
    if outcome not in ("complete", "unreliable"):
        rest = [line for line in rest if whole_deal and line.split()[0] in ("packet", "draw", "dump")]
    rest = [kept for line in rest if (kept := _without(line, gone))]
    then = [line for line in then if line != "rest of the deal"]
    return [*lines[: last + 1], *rest, *then] if outcome == "progressive-only" else [*lines[: last + 1], *then, *rest]


def _with(lines: list[str], deed: str) -> tuple[list[str], int]:
    """Return the lines with one change, and the place of the change."""
    word, _, place = deed.partition(" ")
    if match := re.fullmatch(r"swap (.*) with (.*)", deed):
        first, second = (_find(lines, prefix) for prefix in match.groups())
        lines = [*lines]
        lines[first], lines[second] = lines[second], lines[first]
        return lines, max(first, second)
    if match := re.fullmatch(r"(.*) (after|before|instead of) (.*)", deed):
        line, how, prefix = match.groups()
        at = _find(lines, prefix)
        if how == "instead of":
            return [*lines[:at], line, *lines[at + 1 :]], at
        at += how == "after"
        return [*lines[:at], line, *lines[at:]], at
    if word in ("exposed", "off-table"):
        at = _gives(lines, place) + 1
        return [*lines[:at], f"mishap {place}: {word}", *lines[at:]], at
    return _miscounted(lines, place, 1 if word == "long" else -1)


def _miscounted(lines: list[str], place: str, more: int) -> tuple[list[str], int]:
    at = _gives(lines, place)
    if lines[at].startswith("draw "):
        pile = next(pile for pile in lines[at].removeprefix("draw ").split(" | ") if pile.startswith(f"{place} "))
        cards = pile.removeprefix(f"{place} ").split()
        spare = next(card.text for card in DECK if card.text not in " ".join(lines))
        laid = [*cards[:-1], f"{cards[-1]}+{spare}"] if more > 0 else [*cards[:-1], "-"]
        drawn = lines[at].replace(pile, f"{place} {' '.join(laid)}")
        return [*lines[:at], drawn, f"count {place}: {len(cards) + more}", *lines[at + 1 :]], at + 1
    cards = lines[at].partition(": ")[2].split()
    spare = next(card.text for card in DECK if card.text not in " ".join(lines))
    laid = [*cards, spare] if more > 0 else cards[:-1]
    return [*lines[:at], f"packet {place} should be {len(cards)}: {' '.join(laid)}", *lines[at + 1 :]], at


def _find(lines: list[str], prefix: str) -> int:
    return next(at for at, line in enumerate(lines) if line.startswith(prefix))


def _gives(lines: list[str], place: str) -> int:
    """Return the first line that brings cards to this place."""
    for at, line in enumerate(lines):
        if line.startswith(f"packet {place}:") or (line.startswith("draw ") and f"{place} " in line):
            return at
    raise ValueError(f"nothing is dealt to {place}")


def _without(line: str, gone: list[str]) -> str:
    """Return the line without the actions and cards of these seats; empty if nothing is left."""
    for place in gone:
        number = place.removeprefix("seat ")
        if line.startswith(
            (
                f"acts {number}:",
                f"choose {number}:",
                f"wager {number}:",
                f"show {place}:",
                f"set {place} ",
                f"lay away {place}:",
            )
        ):
            return ""
    if line.startswith("draw "):
        piles = line.removeprefix("draw ").split(" | ")
        kept = [pile for pile in piles if not any(pile.startswith(f"{place} ") for place in gone)]
        return f"draw {' | '.join(kept)}" if kept else ""
    return line
