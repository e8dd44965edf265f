"""The hands of a second reader, in `tests/dealer_flow/read_hands`: a file a game.

A person who had not seen the program read the texts and dealt hands: the events, the consequences and their clauses, in
the language of `hand_table`. Only the deal is covered, not which bet wins: dead hands, returned money, held money,
findings.

`title` begins with the number of the hand in the reader's notes. `options` are readings other than the file's own;
`silent` where the text says nothing and the file's option decides. `differs` says why the program does otherwise: the
hand must then fail, so that the mark is removed once the program is fixed.
"""

import tomllib
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, convert

from dealer_flow.record.result import RoundResult
from tests.support.dealing.hand_table import HandTable

FOLDER: Final = Path(__file__).parents[2] / "dealer_flow" / "read_hands"


class Expected(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Expected end of a round. `codes`: every incident in order, as `code` or `code clause`; None: any."""

    outcome: str = "complete"
    seats: tuple[str, ...] = ()
    """Status of each seat of the result; empty: all live."""
    back: dict[str, dict[str, int]] = {}
    """Seat -> the bets that go back, in cents."""
    held: dict[str, tuple[str, ...]] = {}
    """Seat -> the bets that a supervisor has to decide."""
    wagers: dict[str, dict[str, int]] = {}
    """Seat -> its wagers on the layout, where the round states them."""
    called: bool = False
    codes: tuple[str, ...] | None = None
    dead_hands: tuple[str, ...] = ()
    """The game's own hands that are dead."""


class ReadRound(Struct, frozen=True, forbid_unknown_fields=True):
    """One hand from the reader."""

    title: str
    clause: str
    lines: str
    expect: Expected
    options: dict[str, str] = {}
    silent: bool = False
    differs: str = ""
    game: str = ""

    def __str__(self) -> str:
        return f"{self.game}: {self.title}"


def read_rounds() -> list[ReadRound]:
    """Return all hands, game after game."""
    return [each for path in sorted(FOLDER.glob("*.toml")) for each in rounds_of(path)]


def rounds_of(path: Path) -> list[ReadRound]:
    """Return the hands of one game."""
    rows: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))["round"]
    return [convert(row | {"game": path.stem}, ReadRound) for row in rows]


def played_hand(round_: ReadRound) -> tuple[HandTable, RoundResult]:
    """Deal the hand to its end."""
    table = HandTable(round_.game, **round_.options)
    lines = [line for line in round_.lines.splitlines() if line.strip()]
    table.play(lines)
    return table, table.results[-1] if lines[-1].strip() == "end" else table.end()


def outcome(table: HandTable, result: RoundResult, expect: Expected) -> Expected:
    """Return the end of the round in the form of the expectation, without the facts that it leaves open."""
    wanted = expect.codes or ()
    codes = tuple(
        f"{found.code} {found.clause}" if at < len(wanted) and " " in wanted[at] else found.code
        for at, found in enumerate(table.incidents)
    )
    seats = tuple(seat.status for seat in result.seats)
    return Expected(
        outcome=result.outcome,
        seats=seats if expect.seats or (result.outcome == "complete" and set(seats) != {"live"}) else (),
        back={str(seat.seat): dict(seat.returned) for seat in result.seats if seat.returned},
        held={str(seat.seat): tuple(sorted(seat.held)) for seat in result.seats if seat.held},
        wagers={str(seat.seat): dict(seat.wagers) for seat in result.seats if str(seat.seat) in expect.wagers},
        called=any(found.called == "supervisor" for found in table.incidents),
        codes=None if expect.codes is None else codes,
        dead_hands=tuple(hand.name for hand in result.hands if hand.status == "dead"),
    )
