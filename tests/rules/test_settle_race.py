"""Every bet of Race to the Flush won and lost, to the cent, with its paragraph; and the reasons that hold a bet.

The money is worked out by hand from the printed pay tables: 4 dollars win 4 x the odds, 5 dollars 5 x.
"""

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from dealer_flow.record.result import Drawn, Finish, RoundResult
from rules import TomlFileError, load_game, settle
from rules.paytables.conditions import CONDITIONS, RaceEnd
from tests.support.dealing.races import (
    AT_5,
    AT_10,
    AT_11,
    AT_16,
    GAME,
    NEVER,
    race,
    race_money,
    race_table,
    settled_race,
)
from tests.support.reading.each import of_each
from tests.support.reading.game_files import flat_games

WHEEL = "AS 2S 3S 4S 5S"  # the ace is low
STEEL = "9C TC JC QC KC"
ROYAL = "TD JD QD KD AD"
PLAIN = "2S 4S 6S 8S TS"
AT_6 = "2H " + PLAIN
AT_7 = "2H 3H " + PLAIN
AT_8 = "2H 3H 4C " + PLAIN
AT_9 = "2H 3H 4C 5C " + PLAIN
AT_12 = "2H 3H 4C 5C 6D 7D 8D " + PLAIN
AT_13 = "2H 3H 4C 5C 6D 7D 8D 9H " + PLAIN
AT_14 = "2H 3H 4C 5C 6D 7D 8D 9H JC " + PLAIN
AT_15 = "2H 3H 4C 5C 6D 7D 8D 9H JC QC " + PLAIN
SEVENTEEN = NEVER + " KH"

INSIDE = {5: 400, 6: 100, 7: 40, 8: 20, 9: 12, 10: 9, 11: 7, 12: 5, 13: 5, 14: 5, 15: 7, 16: 12}
RACES = dict(
    zip(range(5, 17), (AT_5, AT_6, AT_7, AT_8, AT_9, AT_10, AT_11, AT_12, AT_13, AT_14, AT_15, AT_16), strict=True)
)


@pytest.mark.parametrize("number", range(5, 17))
def test_inside_bets(number: int) -> None:
    """RTF pay tables, inside bets."""
    won = race(RACES[number], **{f"number_{n}": 400 for n in range(5, 18)})
    lines = {line.bet: line for line in settle(won, GAME).lines}
    for bet, line in lines.items():
        if bet == f"number-{number}":
            assert (line.result, line.pay, line.net) == ("win", 400 * INSIDE[number], 400 * INSIDE[number])
            assert (line.clause, line.row) == ("RTF pay tables, inside bets", f"{number} cards")
            words = rf"[\w ]+ in \w+ after {number} cards(, with the ace)?: {bet} pays {INSIDE[number]} to 1"
            assert re.fullmatch(words, line.why)
        else:
            assert (line.result, line.net) == ("lose", -400)


@pytest.mark.parametrize("cards", [NEVER, SEVENTEEN])
def test_after_16_cards_everything_but_17_loses(cards: str) -> None:
    """RTF 5: 35 to 1 on 17, with or without a 17th card."""
    table = race_table(seventeenth_card="always" if cards == SEVENTEEN else "when-bet")
    bets = {bet.name: 400 for bet in GAME.spec.bets if not bet.name.startswith("switch")}
    result = table.bet(1, **bets).start().draw(cards).end()
    lines = {line.bet: line for line in settle(result, GAME).lines}
    assert len(lines) == 27
    assert (lines["number-17"].net, lines["number-17"].clause) == (400 * 35, "RTF pay tables, inside bets")
    for bet in set(lines) - {"number-17"}:
        assert (lines[bet].result, lines[bet].net) == ("lose", -400), bet
        assert lines[bet].clause.startswith("RTF 5")


OUTSIDE = [
    ("red", AT_5, 500),
    ("red", ROYAL, 500),
    ("red", PLAIN, -500),
    ("black", PLAIN, 500),
    ("black", STEEL, 500),
    ("black", AT_5, -500),
    ("odd", AT_5, 500),
    ("odd", AT_15, 500),
    ("odd", AT_6, -500),
    ("odd", NEVER, -500),
    ("even", AT_6, 500),
    ("even", AT_16, 500),
    ("even", AT_10, 250),
    ("even", AT_11, -500),
    ("even", NEVER, -500),
    ("clubs", STEEL, 1_500),
    ("clubs", PLAIN, -500),
    ("diamonds", AT_16, 1_500),
    ("diamonds", AT_5, -500),
    ("hearts", AT_11, 1_500),
    ("hearts", AT_16, -500),
    ("spades", PLAIN, 1_500),
    ("spades", STEEL, -500),
    ("ace-high-flush", AT_5, 750),
    ("ace-high-flush", ROYAL, 750),
    ("ace-high-flush", WHEEL, 750),
    ("ace-high-flush", PLAIN, -500),
    ("ace-high-flush", "AD " + PLAIN, -500),
    ("straight-flush", STEEL, 50_000),
    ("straight-flush", WHEEL, 50_000),
    ("straight-flush", ROYAL, 50_000),
    ("straight-flush", "3H 9C KD TC JC QC KC", 50_000),
    ("straight-flush", AT_5, -500),
    ("royal-flush", ROYAL, 500_000),
    ("royal-flush", "AH AS AC 2S KD QD AD TD JD", 500_000),
    ("royal-flush", STEEL, -500),
    ("royal-flush", AT_5, -500),
    ("range-5-10", AT_5, 1_500),
    ("range-5-10", AT_10, 1_500),
    ("range-5-10", AT_11, -500),
    ("range-11-13", AT_11, 600),
    ("range-11-13", AT_13, 600),
    ("range-11-13", AT_10, -500),
    ("range-11-13", AT_14, -500),
    ("range-14-16", AT_14, 1_000),
    ("range-14-16", AT_16, 1_000),
    ("range-14-16", AT_13, -500),
    ("range-14-16", NEVER, -500),
]


@of_each("bet, cards, net", OUTSIDE)
def test_outside_bets(bet: str, cards: str, net: int) -> None:
    """RTF pay tables, outside bets; RTF 5 after 16 cards."""
    extra = " KH" if cards == NEVER else ""
    assert settled_race(cards + extra, **{bet: 500}) == {bet: ("win" if net > 0 else "lose", net)}


def test_every_bet_is_won_and_lost_here() -> None:
    known = {bet.name for bet in GAME.spec.bets if bet.name.split("-")[0] not in ("number", "switch")}
    for wanted in (True, False):
        assert {bet for bet, _, net in OUTSIDE if (net > 0) == wanted} == known


SWITCHES = [
    ("KH", {"number-17": ("win", 35 * 150), "switch-hearts": ("win", 150 * 250)}),
    ("KC", {"number-17": ("win", 35 * 150), "switch-hearts": ("lose", -250)}),
]


@pytest.mark.parametrize(("card", "wanted"), SWITCHES)
def test_a_switched_17(card: str, wanted: dict[str, tuple[str, int]]) -> None:
    """RTF 6: of 4 dollars on 17, $2.50 moved: 150 to 1 or lost; $1.50 stays and is paid 35 to 1."""
    table = race_table().bet(1, number_17=400).start().draw(NEVER).bet(1, switch_hearts=250).draw(card)
    settlement = settle(table.end(), GAME)
    assert race_money(settlement) == wanted
    assert {line.clause for line in settlement.lines if line.bet == "switch-hearts"} == {"RTF 6"}
    assert sum(line.stake for line in settlement.lines) == 400


def test_all_of_it_may_be_switched() -> None:
    table = race_table().bet(1, number_17=400).start().draw(NEVER).bet(1, switch_clubs=400).draw("KC")
    assert race_money(settle(table.end(), GAME)) == {"switch-clubs": ("win", 60_000)}


# ------------------------------------------------------------------ readings and rounding


def test_half_of_even_on_10_may_be_half_the_stake() -> None:
    result = race(AT_10, even=400)
    assert race_money(settle(result, GAME)) == {"even": ("win", 200)}
    other = settle(result, GAME, paytables={"even": "RTF-EVEN-HALF-BACK"})
    assert race_money(other) == {"even": ("win", -200)}
    assert other.paytables["even"] == "RTF-EVEN-HALF-BACK"
    won = settle(race(AT_6, even=400), GAME, paytables={"even": "RTF-EVEN-HALF-BACK"})
    assert race_money(won) == {"even": ("win", 400)}


def test_readings_of_the_ace_and_of_the_royal() -> None:
    low = settle(race(WHEEL, ace_high_flush=400), GAME, readings={"ace-high": "not-five-high"})
    assert race_money(low) == {"ace-high-flush": ("lose", -400)}
    high = settle(race(ROYAL, ace_high_flush=400), GAME, readings={"ace-high": "not-five-high"})
    assert race_money(high) == {"ace-high-flush": ("win", 600)}
    apart = settle(race(ROYAL, straight_flush=400, royal_flush=400), GAME, readings={"royal-as-straight": "apart"})
    assert race_money(apart) == {"straight-flush": ("lose", -400), "royal-flush": ("win", 400_000)}
    assert apart.readings == {"ace-high": "holds-ace", "royal-as-straight": "apart"}


def test_a_pay_is_rounded_down_to_the_token() -> None:
    """6 to 5 on $1.25 is $1.50; on $1.10 it is $1.32, of which 7 cents are kept."""
    assert settled_race(AT_11, range_11_13=125) == {"range-11-13": ("win", 150)}
    settlement = settle(race(AT_11, range_11_13=110), GAME)
    assert (settlement.lines[0].pay, settlement.lines[0].rest) == (125, "7")
    assert settle(race(AT_11, range_11_13=110), GAME, rounding="down-to-cent").lines[0].pay == 132


# ------------------------------------------------------------------ what is not settled


def changed(dealt: str, **draw: object) -> RoundResult:
    result = race(dealt, red=400)
    assert result.draw is not None
    return replace(result, draw=replace(result.draw, **draw))


@pytest.mark.parametrize(
    ("result", "why"),
    [
        (changed(AT_5, cards=("AH", "??", "9H", "JH", "KH")), "the face of card 2 is not known"),
        (changed(AT_5, finish=None), "the race was not decided"),
        (
            changed(AT_5, finish=Finish(cards=5, column="spades")),
            "reports 5 cards and spades, its cards show 5 and hearts",
        ),
        (changed(AT_5, finish=Finish(cards=6, column="hearts")), "reports 6 cards"),
        (changed(AT_5, cards=(*AT_5.split(), "2C")), "reports 5 cards"),
        (changed(AT_5, cards=("AH", "5H", "9H")), "no suit won and 3 cards of 16 were drawn"),
        (replace(race(AT_5, red=400), draw=None), "the race was not decided"),
        (changed(NEVER + " KH", extra=None), "the round reports 17 cards and hearts"),
    ],
)
def test_a_round_that_contradicts_its_cards_is_held(result: RoundResult, why: str) -> None:
    settlement = settle(result, GAME)
    assert settlement.status == "held"
    assert settlement.totals.players == settlement.totals.house == 0
    assert why in settlement.lines[0].why


def test_a_switch_without_a_17th_card_is_held() -> None:
    table = race_table().bet(1, number_17=400).start().draw(NEVER).bet(1, switch_hearts=100).draw("KH")
    result = table.end()
    assert result.draw is not None
    short = Drawn(cards=tuple(NEVER.split()), columns={}, finish=Finish(cards=16, column=None))
    lines = {line.bet: line for line in settle(replace(result, draw=short), GAME).lines}
    assert (lines["switch-hearts"].result, lines["number-17"].result) == ("held", "win")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('rows = ["red"]', 'rows = ["crimson"]', "unknown row 'crimson'; allowed: red, black, odd"),
        ('rows = ["red"]\n', "", "a race bet must name the rows that pay it, and no other bet may"),
        ('[race]\nclause = "RTF 4-5"\n', "", "give either [hands.NAME] or [race]"),
        ('paytables = ["RTF-SWITCH"]', 'paytables = ["FGW-01"]', "needs a race table"),
    ],
)
def test_a_wrong_race_file_is_named_in_one_line(tmp_path: Path, old: str, new: str, why: str) -> None:
    flat_games(tmp_path)
    path = tmp_path / "race-to-the-flush.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(TomlFileError) as caught:
        load_game(path)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_race_without_a_flush_ends_neither_odd_nor_even() -> None:
    rows = {when: CONDITIONS["race"].check(when) for when in ("odd", "even", "even but 10", "no flush")}
    assert [when for when, holds in rows.items() if holds is not None and holds(RaceEnd())] == ["no flush"]
