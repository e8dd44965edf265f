"""Pays in files, and the effect of newer keys on a table without them."""

from fractions import Fraction
from pathlib import Path

import pytest

from dealer_flow.games import paytable_files
from rules.hands.ranked import Made
from rules.paytables.paytable import Pay, flatten, load_paytable, parse_pay

TABLE = """\
schema = "dealwire.paytable/1"
id = "T"
title = "t"
kind = "poker"
[[rows]]
when = "four of a kind"
pays = "20 to 1"
clause = "c"
"""


@pytest.mark.parametrize(
    ("written", "pay"),
    [
        ("3 to 2", Pay("to", Fraction(3, 2))),
        ("25,000 for 1", Pay("for", Fraction(25_000))),
        ("$5,000", Pay("flat", Fraction(500_000))),
        ("$25 and the stake", Pay("flat-to", Fraction(2_500))),
        ("$2,500 from meter", Pay("flat", Fraction(250_000), "meter")),
        ("500 for 1 from meter", Pay("for", Fraction(500), "meter")),
        ("25 % of meter", Pay("percent", Fraction(1, 4), "meter")),
        ("25 % of meter and 1,000 to 1", Pay("percent", Fraction(1, 4), "meter", Pay("to", Fraction(1000)))),
    ],
)
def test_a_pay_is_read_and_written(written: str, pay: Pay) -> None:
    assert parse_pay(written) == pay
    assert pay.text == written
    assert parse_pay(pay.text) == pay


@pytest.mark.parametrize(
    "written", ["$0", "$1.50", "$", "$5 from", "0 % of meter", "5 % of meter and $5", "5 to 1 from meter", "3/2", 0]
)
def test_what_is_no_pay_is_refused_with_what_is(written: object) -> None:
    with pytest.raises(ValueError, match=r"not a pay; allowed: an integer, 'A to B', .*'\$D'"):
        parse_pay(written)


def test_a_share_of_a_meter_is_worth_more_than_dollars_and_dollars_as_much_as_times_the_stake() -> None:
    written = ["1 % of meter", "$5,000", "1,000 to 1", "$500 from meter", "150 to 1"]
    assert sorted(written, key=lambda each: parse_pay(each).rank, reverse=True) == written


def test_the_best_row_of_each_group_pays(tmp_path: Path) -> None:
    path = tmp_path / "T.toml"
    group = 'group = "jackpot"\n[[rows]]\nwhen = "three of a kind"\npays = "2 to 1"\nclause = "c"\ngroup = "ante"\n'
    path.write_text(TABLE + group)
    table = load_paytable(path)
    four = Made("four of a kind", "four of a kind", 5, (9,), 5)
    assert table.groups == ("jackpot", "ante")
    paid = {name: flatten(table, group=name)[four] for name in table.groups}
    assert {name: row and row.when for name, row in paid.items()} == {
        "jackpot": "four of a kind",
        "ante": "three of a kind",
    }
    best = flatten(table)[four]
    assert best is not None
    assert best.when == "four of a kind"


def test_a_key_that_a_table_does_not_use_leaves_its_hash_alone(tmp_path: Path) -> None:
    path = tmp_path / "T.toml"
    path.write_text(TABLE)
    bare = load_paytable(path).content()
    assert not {"label", "envy_base_cents", "group", "plus"} & {*bare, *bare["rows"][0], *bare["rows"][0]["pays"]}
    path.write_text(TABLE.replace('title = "t"', 'title = "t"\nlabel = "2"\nenvy-base-cents = 500'))
    named = load_paytable(path).content()
    assert (named.pop("label"), named.pop("envy_base_cents")) == ("2", 500)
    assert named == bare


def test_a_hand_is_looked_up_once() -> None:
    rows = flatten(load_paytable(paytable_files()["FGWP-01"]))
    known = len(rows)
    four = Made("four of a kind", "four of a kind", 5, (9,), 5)
    assert rows[four] == rows["four of a kind"]
    assert rows[four] is rows[four]
    assert len(rows) == known + 1
