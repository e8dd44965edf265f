"""Printed tables that appear to be misprints are found, and the nearest consistent table is proposed."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from rules.game.load import load_game
from rules.odds import PaytableFinding, audit
from rules.odds.audit.proposals import PayReckoner, nearest
from rules.odds.audit.sisters import (
    are_sisters,
    not_scaled,
    number_lost,
    out_of_line,
    out_of_order,
    same_pays,
    wager_in,
)
from rules.paytables.paytable import PayTable


def table(name: str, *rows: tuple[str, Any], envy: Sequence[int] = (), **more: Any) -> PayTable:
    envies = [*envy, *[0] * len(rows)]
    found = {
        "schema": "dealwire.paytable/1",
        "id": name,
        "title": name,
        "kind": "five-card",
        "bare": "to",
        "rows": tuple(
            {"when": when, "pays": pays, "clause": "(1)", "envy-cents": cents}
            for (when, pays), cents in zip(rows, envies, strict=False)
        ),
    }
    return PayTable.model_validate(found | {"kind": "poker"} | more)


ONE = table("ONE", ("straight flush", 40), ("three of a kind", 30), ("straight", 6), ("flush", 4), ("pair", 1))
TWO = table("TWO", ("straight flush", 40), ("three of a kind", 30), ("straight", 5), ("flush", 4), ("pair", 1))
THREE = table("THREE", ("straight flush", 35), ("three of a kind", 25), ("straight", 6), ("flush", 4), ("pair", 1))


def faults(slips: Any) -> list[str]:
    return [fault for fault, _ in slips]


def test_rows_and_envy_run_down() -> None:
    assert faults(out_of_order(ONE)) == []
    wrong = table("WRONG", ("flush", 4), ("straight", 6), ("pair", 1), envy=(500, 600))
    assert list(out_of_order(wrong)) == [
        ("row-out-of-order", "'straight' pays 6 to 1, more than 'flush' above it"),
        ("envy-out-of-order", "the envy of 'straight', $6, is more than that of 'flush' above it"),
    ]


def test_a_figure_is_in_line_up_to_twice_the_highest_of_the_others() -> None:
    for pays, expected in ((12, []), (13, ["out-of-line"]), (3, []), (2, ["out-of-line"])):
        other = table(
            "X", ("straight flush", 40), ("three of a kind", 30), ("straight", pays), ("flush", 4), ("pair", 1)
        )
        assert faults(out_of_line(other, [ONE, TWO])) == expected, pays
    assert faults(out_of_line(table("X", ("straight", 100)), [ONE])) == []  # one sister shows no line


def test_envy_is_compared_at_the_wager_it_is_printed_for() -> None:
    ones = [table(name, ("flush", 4), envy=(1000,)) for name in "AB"]
    fives = table("FIVE", ("flush", 4), envy=(5000,), **{"envy-base-cents": 500})
    assert faults(out_of_line(fives, ones)) == []
    assert faults(out_of_line(table("ODD", ("flush", 4), envy=(5000,)), ones)) == ["out-of-line"]
    assert not same_pays(ones[0], table("ODD", ("flush", 4), envy=(5000,)))


def test_a_table_stops_where_the_others_go_on() -> None:
    short = table("SHORT", ("straight flush", 40), ("three of a kind", 30), ("straight", 6))
    assert list(out_of_line(short, [ONE, TWO, THREE])) == [
        ("table-stops", "it stops after 'straight'; the other tables continue with 'flush', 'pair'")
    ]
    holed = table("HOLED", ("straight flush", 40), ("straight", 6), ("flush", 4), ("pair", 1))
    assert faults(out_of_line(holed, [ONE, TWO])) == ["row-missing"]
    without_the_first = table("FIRST", ("three of a kind", 30), ("straight", 6), ("flush", 4), ("pair", 1))
    assert faults(out_of_line(without_the_first, [ONE, TWO])) == []  # a table may be without its highest pay


def test_amounts_of_another_wager_are_those_of_another_wager() -> None:
    dollar = table("D", ("flush", "$40"), ("straight", "$30"), heading="$1 Pays")
    assert faults(not_scaled(table("F", ("flush", "$200"), ("straight", "$150"), heading="$5 Pays"), [dollar])) == []
    assert list(not_scaled(table("F", ("flush", "$40"), ("straight", "$150"), heading="$5 Pays"), [dollar])) == [
        ("not-scaled", "headed for a wager of $5, and 'flush' pay the dollars that D pays for $1")
    ]
    assert [wager_in(text) for text in ("$1 Pays", "Pays", "$25 and more")] == [1, 0, 25]


def test_pays_for_a_higher_wager_that_are_the_dollars_of_a_lower_one() -> None:
    one = table("ONE-D", ("full house", 50), ("flush", 40), ("straight", 30), envy=(1000,))
    five = table("FIVE-D", ("full house", 10), ("flush", 8), ("straight", 6), envy=(5000,), **{"envy-base-cents": 500})
    assert list(not_scaled(five, [one])) == [
        ("not-scaled", "for 5 times the wager of ONE-D it pays the same dollars, and 5 times the envy")
    ]
    assert list(not_scaled(one, [five])) == []


def test_three_rows_that_are_far_off_are_another_table() -> None:
    rich = table("RICH", ("straight flush", 90), ("three of a kind", 70), ("straight", 20), ("flush", 4), ("pair", 1))
    assert faults(out_of_line(rich, [ONE, TWO])) == []
    half = table("HALF", ("straight flush", 90), ("three of a kind", 70), ("straight", 6), ("flush", 4), ("pair", 1))
    assert faults(out_of_line(half, [ONE, TWO])) == ["out-of-line"] * 2


def test_a_number_that_is_lost() -> None:
    named = [each.model_copy(update={"label": label}) for label, each in (("1", ONE), ("2", TWO))]
    assert faults(number_lost(THREE, named)) == ["no-number"]
    assert faults(number_lost(THREE.model_copy(update={"label": "left of 2"}), named)) == ["no-number"]
    assert faults(number_lost(THREE.model_copy(update={"label": "3"}), named)) == []
    assert faults(number_lost(THREE, [ONE, TWO])) == []


def test_tables_of_another_make_are_no_sisters() -> None:
    assert are_sisters(ONE, TWO)
    assert not are_sisters(ONE, ONE)
    assert not are_sisters(ONE, table("X", ("royal flush", 100), ("straight flush", 40), ("full house", 30)))


# ------------------------------------------------------------------ the nearest table


def test_one_figure_is_changed_where_one_will_do() -> None:
    wrong = table("W", ("straight flush", 40), ("three of a kind", 30), ("straight", 25), ("flush", 3), ("pair", 1))
    found = nearest(wrong, [ONE, TWO, THREE], PayReckoner(None, (), 100))
    assert found is not None
    assert (set(found.changes), found.returned) == ({"straight"}, None)


def test_pays_that_slipped_a_row_are_set_back() -> None:
    low = table("LOW", ("three of a kind", 40), ("straight", 30), ("flush", 6), ("pair", 4))
    found = nearest(low, [ONE, TWO, THREE], PayReckoner(None, (), 100))
    assert found is not None
    assert found.changes == {
        "straight flush": "40 to 1",
        "three of a kind": "30 to 1",
        "straight": "6 to 1",
        "flush": "4 to 1",
        "pair": "1 to 1",
    }


def test_a_slip_of_the_envy_alone_leaves_the_pays() -> None:
    sisters = [table(name, ("flush", 50), ("straight", 25), envy=(5000, 2000)) for name in "AB"]
    wrong = table("G", ("flush", 55), ("straight", 25), envy=(5000, 22000))
    found = nearest(wrong, sisters, PayReckoner(None, (), 100))
    assert found is not None
    assert found.changes == {"straight": "envy $20"}


# ------------------------------------------------------------------ the games' own files


def findings(game: str) -> dict[tuple[str | None, str], PaytableFinding]:
    found = audit([load_game(game)])
    return {(each.paytable, each.fault): each for each in found if isinstance(each, PaytableFinding)}


@pytest.mark.slow
def test_a_printed_advantage_that_its_own_payback_contradicts() -> None:
    """B7S-03: 44 of 22,100 hands are a straight flush at 40 to 1, and so on: the house keeps 1,232."""
    found = findings("boston-5.co")["B7S-03", "printed-differs"]
    assert "prints 5.5765 %, computes 5.574661 %" in found.why
    kept = 22_100 - (48 * 41 + 52 * 31 + 720 * 6 + 1_096 * 5 + 3_744 * 2)
    assert round(Fraction(100 * kept, 22_100), 4) == Fraction("5.5747")


def test_a_table_without_its_lowest_row_returns_more_than_it_takes() -> None:
    found = findings("players-choice.co-five")["PC-5", "over-100"]
    assert found.proposal is not None
    assert found.proposal.changes == {"pair of 8s or better": "1 to 1", "pair": None}
    assert found.proposal.returned is not None
    assert found.proposal.returned < 1


@pytest.mark.slow
def test_a_table_for_one_use_of_the_joker_is_no_fault_under_the_other() -> None:
    found = findings("fortune-pai-gow.co")
    assert all(each.suspect for (_, fault), each in found.items() if fault == "over-100")
    assert ("FPG-01", "over-100") in found
    assert "is more than" in found["FPG-07", "envy-out-of-order"].why


@pytest.mark.slow
def test_three_cards_and_their_tables_that_slipped() -> None:
    found = findings("three-card.co")
    over = {paytable for paytable, fault in found if fault == "over-100"}
    assert {each for each in over if each and "AB" not in each} == {
        f"TC-PP-{number}" for number in (12, 14, 15, 16, 17)
    }
    assert {f"TC-AB-{number}" for number in (14, 15, 16, 17)} <= over  # ante and play by the best play
    moved = found["TC-PP-14", "over-100"].proposal
    assert moved is not None
    assert moved.changes["pair"] == "1 to 1"
    assert moved.returned == 1 - Fraction(22_100 - (48 * 41 + 52 * 31 + 720 * 7 + 1_096 * 5 + 3_744 * 2), 22_100)
    for number in (5, 6, 7, 8):
        assert "straight" in found[f"TC-AB-{number}", "table-stops"].why
