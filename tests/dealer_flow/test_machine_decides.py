"""The state machine decides: with an unchecked setter in its place, which takes a way without asking for its guards,
the rounds in which a burn, a count, a reveal, a misdeal and the progressive matter come out wrong.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final

import pytest

from dealer_flow.play.machine import machine
from dealer_flow.play.machine.states import State
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.plays import may, play, refused, state
from tests.support.reading.dealt_hands import Case, cases, clean

Rows = list[Mapping[str, Any]]
MOST_TRIGGERS: Final = 1000
"""Of a short play; with a machine that always says yes a loop may have no end."""


class UncheckedSetter:
    """In place of the machine: of the ways that a trigger has from the state of the moment it takes the first, or the
    last, and says that it did."""

    def __init__(self, which: int, _: None, *, initial: State, transitions: Rows, **__: object) -> None:
        self.left, self.which, self.initial, self.transitions = MOST_TRIGGERS, which, initial, transitions

    def add_model(self, model: Any) -> None:
        self.left = MOST_TRIGGERS
        model.state = self.initial
        for trigger in {row["trigger"] for row in self.transitions}:
            rows = [row for row in self.transitions if row["trigger"] == trigger]
            setattr(model, trigger, partial(self._take, self.which, model, rows))

    def remove_model(self, model: Any) -> None:
        """It has no list of them."""

    def _take(self, which: int, model: Any, rows: Rows) -> bool:
        self.left -= 1
        assert self.left, "the setter goes in a circle"
        ways = [row for row in rows if model.state in row["source"]] or rows
        model.state = ways[which]["dest"] or model.state
        return True


# ------------------------------------------------------------------ rounds that matter


def dealt(case: Case) -> HandTable:
    """The case comes out as its file says."""
    table = HandTable(case.game, **case.options).play(list(case.lines))
    result = table.end()
    assert result.outcome == case.outcome
    assert {seat.seat: dict(seat.returned) for seat in result.seats if seat.returned} == case.back
    assert tuple(seat.status for seat in result.seats) == case.seats or case.outcome != "complete"
    assert "out-of-turn" not in table.codes
    return table


def case_of(game: str, deed: str) -> Case:
    """The first case in which this is done."""
    return next(case for case in cases(game) if case.deed == deed)


def burn() -> None:
    """Cards of the community are burned before anybody chooses, and not seen before."""
    assert dealt(clean("let-it-ride.co")).codes == []
    deal = "bets 1: ante 500, side 500 / start / packet seat 1: AH KH QH / packet community: 9S TS JS"
    table = play("let-it-ride", deal)
    assert state(table) is State.BURNING
    assert "DecisionMade" not in may(table)
    early = play("let-it-ride", f"{deal} / show community: 9S TS JS")
    assert refused(early) == [("reveal-before-burn", "burned_before", True)]


def count() -> None:
    """A seat that was dealt one card short is dead, and the others play on."""
    assert dealt(case_of("three-card.co", "short seat 1")).codes == ["seat-count-wrong"]


def reveal() -> None:
    """Hands are shown after the choices, in their order."""
    assert dealt(clean("three-card.co")).codes == []
    hand = "bets 1: ante 500 / start / packet seat 1: AH KH / packet dealer: 5D 6D"
    table = play("holdem", f"{hand} / show dealer: 5D 6D")
    assert refused(table) == [("out-of-turn", "house_shown_last", True)]
    table = play("seats-first", f"{hand} / show dealer: 5D 6D")
    assert refused(table) == [("out-of-turn", "shown_in_order", False)]


def misdeal() -> None:
    """A misdeal voids the round at once; a late call does not."""
    bets = "bets 1: ante 500 / bets 2: ante 500 / start"
    hand = f"{bets} / packet seat 1: AH KH / packet seat 2: 2C 3C / packet dealer: 5D 6D"
    assert state(play("holdem", f"{hand} / misdeal")) is State.VOID
    table = play("holdem", f"{hand} / choose 1: fold / misdeal")
    assert (state(table), table.codes) == (State.DECIDING, ["misdeal-refused"])


def progressive_only() -> None:
    """After a wrong hand of the dealer the progressive alone is played, by who bet on it."""
    table = dealt(case_of("three-card.co", "short dealer"))
    assert table.codes == ["dealer-count-wrong"]
    hand = "bets 1: ante 500, progressive 100 / start / packet seat 1: AH KH / packet dealer: 5D"
    assert state(play("returns", hand)) is State.PROGRESSIVE
    assert state(play("returns", hand.replace(", progressive 100", ""))) is State.VOID


ROUNDS: Final[Iterable[Callable[[], None]]] = (burn, count, reveal, misdeal, progressive_only)


@pytest.mark.parametrize("matters", ROUNDS)
def test_the_machine_brings_the_round_out_right(matters: Callable[[], None]) -> None:
    matters()


@pytest.fixture
def machine_made_anew() -> Iterator[None]:
    """No table of this test shares the machine of those before or after."""
    machine.table_machine.cache_clear()
    yield
    machine.table_machine.cache_clear()


@pytest.mark.usefixtures("machine_made_anew")
@pytest.mark.parametrize("which", [0, -1], ids=["the first way", "the last way"])
@pytest.mark.parametrize("matters", ROUNDS)
def test_an_unchecked_setter_does_not(monkeypatch: pytest.MonkeyPatch, matters: Callable[[], None], which: int) -> None:
    monkeypatch.setattr(machine, "GuardedMachine", partial(UncheckedSetter, which))
    with pytest.raises(AssertionError):
        matters()
