"""`dealwire odds` and `dealwire audit-paytables`, end to end: their figures by hand, their words, their exit codes."""

import json
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from dealer_flow.games import files_of, paytable_files
from dealwire.cli import main
from dealwire.cli.exits import Exit
from devices.extras import install_command

GAME = "flushes-gone-wild.co"
ROOT = Path(__file__).parent.parent.parent
Edit = Callable[[str], str]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def answered(*arguments: str) -> list[dict[str, Any]]:
    done = run("odds", *arguments, "--json")
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


TIPS = """
[[bets]]
name = "tip"
kind = "against"
pays = "3 to 1"
fold = "lose"
clauses = { win = "house", lose = "house", fold = "house" }

[[bets]]
name = "blind-tip"
kind = "margin"
paytables = ["FGW-BLIND"]
fold = "lose"
clauses = { win = "house", lose = "house", fold = "house" }
"""


DEALT_SMALL = (
    ('id = "flushes-gone-wild.co"', 'id = "dealt-small"'),
    ('to = ["community"]\ncards = 5', 'to = ["community"]\ncards = 4'),
    ("positions = [1, 2, 5]", "positions = [1, 2, 4]"),
    ("cards = 5", "cards = 2"),
)


def small_game(folder: Path, **edits: Edit) -> str:
    """The game dealt small, two cards each and one for the community, so that its showdowns are soon counted; a pay
    table named in `edits`, with `_` for `-`, is changed."""
    (folder / "paytables").mkdir()
    text = files_of("pays")[GAME].read_text()
    text = (
        text.replace("own = 5,", "own = 2,")
        .replace("dealer = 5", "dealer = 2")
        .replace("community = 2", "community = 1")
        .replace('procedures = ["flushes-gone-wild.co", "flushes-gone-wild.co-single"]', 'procedures = ["dealt-small"]')
    )
    assert "dealt-small" in text
    deal = files_of("deal")["flushes-gone-wild.co"].read_text()
    for old, new in DEALT_SMALL:
        assert old in deal
        deal = deal.replace(old, new)
    (folder / "dealt-small.toml").write_text(deal)
    (folder / "small.toml").write_text(text[: text.index('[[bets]]\nname = "progressive"')])
    for table in paytable_files().values():
        before = table.read_text()
        after = edits.get(table.stem.replace("-", "_"), str)(before)
        assert (after != before) == (table.stem.replace("-", "_") in edits)
        (folder / "paytables" / table.name).write_text(after)
    return str(folder / "small.toml")


def test_every_object_says_what_it_is_and_its_probabilities_add_up(tmp_path: Path) -> None:
    found = answered("race-to-the-flush") + answered(GAME, "--bet", "flush-rush") + answered(small_game(tmp_path))
    assert len(found) > 50
    for each in found:
        assert (each["schema"], each["type"], each["computed"]) == ("dealwire.odds/2", "odds", True)
        assert {"game", "bet", "paytable", "reading", "return", "house_edge", "house_edge_pct"} <= each.keys()
        assert sum(Fraction(outcome["probability"]) for outcome in each["outcomes"]) == 1
        edge, average = Fraction(each["house_edge"]), Fraction(each["average_bet"])
        assert Fraction(each["element_of_risk"]) == edge / average == 1 - Fraction(each["return"])
        assert abs(Fraction(each["house_edge_pct"]) - edge * 100) < Fraction(1, 10**6)
        ends = [[Fraction(outcome[key]) for key in ("probability", "staked", "back")] for outcome in each["outcomes"]]
        assert average == sum(chance * staked for chance, staked, _ in ends)
        assert edge == sum(chance * (staked - back) for chance, staked, back in ends)
        assert Fraction(each["hit_frequency"]) == sum(chance for chance, staked, back in ends if back > staked)
        variance = Fraction(each["variance"])
        assert variance == sum(chance * (back - staked + edge) ** 2 for chance, staked, back in ends)
        assert abs(Fraction(each["standard_deviation"]) ** 2 - variance) <= variance / 10**28


def test_flush_rush_by_hand() -> None:
    """Seven of one suit: 13 cards a suit where a deuce may stand as itself, 12 where it may not."""
    (own_suit, no_deuce) = answered(GAME, "--bet", "flush-rush", "--paytable", "FGW-02")
    assert [own_suit["reading"], no_deuce["reading"]] == [{"natural": "own-suit"}, {"natural": "no-deuce"}]
    assert own_suit["outcomes"][0] == {
        "what": "7-card natural flush",
        "probability": str(Fraction(4 * comb(13, 7), comb(52, 7))),
        "staked": "1",
        "back": "201",
    }
    assert no_deuce["outcomes"][0]["probability"] == str(Fraction(4 * comb(12, 7), comb(52, 7)))


def test_the_progressive_by_hand() -> None:
    hands, meter = 2_598_960, Fraction(1_234_567, 100)
    fixed = Fraction(624 * 300 + 3744 * 50 + 5108 * 40 + 10200 * 30 + 54912 * 9, hands)
    share = Fraction(4, hands) + Fraction(36, 10 * hands)
    without, of_five_dollars = answered(GAME, "--bet", "progressive")
    assert "incomplete" in without
    assert of_five_dollars["envy_from_each_other"] == without["envy_from_each_other"]
    assert Fraction(without["return"]) == Fraction(without["fixed_return"]) == fixed
    assert without["meter_share"] == {"meter": str(share)}
    assert Fraction(without["break_even_meter"]) == (1 - fixed) / share
    assert Fraction(without["envy_from_each_other"]) == Fraction(4 * 1000 + 36 * 300, hands)
    with_meter, _ = answered(GAME, "--bet", "progressive", "--meter", "meter=1234567")
    assert "incomplete" not in with_meter
    assert Fraction(with_meter["return"]) == fixed + share * meter
    among_six, _ = answered(GAME, "--bet", "progressive", "--other-bettors", "5")
    envy = Fraction(4 * 1000 + 36 * 300, hands)
    assert (among_six["others"], Fraction(among_six["break_even_meter"])) == (5, (1 - fixed - 5 * envy) / share)
    assert "standard_deviation" not in without
    doubled, _ = answered(GAME, "--bet", "progressive", "--meter", "meter=1234567", "--wager", "200")
    assert Fraction(doubled["return"]) == fixed + share * meter / 2


def test_a_race_by_hand() -> None:
    found = {(each["bet"], each["paytable"]): each for each in answered("race-to-the-flush")}
    none = Fraction(comb(13, 4) ** 4, comb(52, 16))
    assert Fraction(found["number-5", "RTF-INSIDE"]["return"]) == 401 * Fraction(4 * comb(13, 5), comb(52, 5))
    assert Fraction(found["number-17", "RTF-INSIDE"]["return"]) == 36 * none
    assert Fraction(found["red", "RTF-OUTSIDE"]["return"]) == 1 - none
    assert Fraction(found["clubs", "RTF-OUTSIDE"]["return"]) == 1 - none
    assert Fraction(found["royal-flush", "RTF-OUTSIDE"]["return"]) == 1001 * (1 - none) / 1287
    assert Fraction(found["switch-hearts", "RTF-SWITCH"]["return"]) == 151 * none / 4
    ten = Fraction(found["number-10", "RTF-INSIDE"]["return"]) / 10
    halves = [Fraction(found["even", table]["return"]) for table in ("RTF-EVEN", "RTF-EVEN-HALF-BACK")]
    assert halves[0] - halves[1] == ten  # 3/2 back against 1/2


def test_a_reading_changes_only_the_bets_it_speaks_of(tmp_path: Path) -> None:
    game = small_game(tmp_path)
    told = {(each["bet"], *each["reading"]) for each in answered(game) + answered("race-to-the-flush")}
    assert {
        reading for bet, *reading in told if bet in {"red", "odd", "number-17", "royal-flush"} for reading in reading
    } == set()
    assert {bet for bet, *readings in told if "natural" in readings} == {"flush-rush"}
    assert {bet for bet, *readings in told if "wild-kicker" in readings} == {"ante", "blind", "play", "ante+blind+play"}
    assert {bet for bet, *readings in told if "ace-high" in readings} == {"ace-high-flush"}
    assert {bet for bet, *readings in told if "royal-as-straight" in readings} == {"straight-flush"}
    both = answered(game, "--bet", "flush-rush", "--paytable", "FGW-01")
    assert [each["reading"] for each in both] == [{"natural": "own-suit"}, {"natural": "no-deuce"}]
    assert both[1:] == answered(game, "--bet", "flush-rush", "--paytable", "FGW-01", "--reading", "natural=no-deuce")


def test_bets_made_together_are_the_sum_of_their_parts(tmp_path: Path) -> None:
    given = "--paytable", "FGW-BLIND", "--reading", "wild-kicker=ace"
    whole, *parts = answered(game := small_game(tmp_path), *given)
    assert [each["bet"] for each in (whole, *parts)] == ["ante+blind+play", "ante", "blind", "play"]
    assert [each["unit"] for each in (whole, *parts)] == ["ante", "ante", "blind", "ante"]
    for figure in ("average_bet", "house_edge"):
        assert Fraction(whole[figure]) == sum(Fraction(each[figure]) for each in parts)
    assert Fraction(parts[2]["average_bet"]) == 2 * Fraction(whole["hands_played"], whole["hands"])
    assert whole["hands"] == comb(52, 2)
    assert answered(game, *given, "--bet", "ante+blind+play") == [whole]
    done = run("odds", game, "--bet", "ante+play")
    assert (done.exit_code, done.stderr) == (
        Exit.USAGE,
        "dealwire: no odds for bets 'ante+play' (did you mean ante+blind+play?); allowed: ante+blind+play\n",
    )


def test_a_race_from_several_decks_by_hand() -> None:
    for decks in (1, 2, 4, 6, 8):
        (found,) = answered("race-to-the-flush", "--bet", "number-5", "--decks", str(decks))
        assert Fraction(found["return"]) == 401 * Fraction(4 * comb(13 * decks, 5), comb(52 * decks, 5))
        assert found["decks"] == decks
    (royal,) = answered("race-to-the-flush", "--bet", "royal-flush", "--decks", "2")
    none = Fraction(comb(26, 4) ** 4, comb(104, 16))
    assert Fraction(royal["hit_frequency"]) == Fraction(2**5, comb(26, 5)) * (1 - none)


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_reading_by_which_nothing_is_counted_is_named(more: tuple[str, ...]) -> None:
    """No hand that is paid is folded, so the rule for a folded hand does not matter."""
    pair_plus = ("odds", "three-card.co", "--bet", "pair-plus", "--paytable", "TC-PP-1", *more)
    said = "dealwire: note: no figure depends on the reading folded-pair-plus stands\n"
    done = run(*pair_plus, "--reading", "folded-pair-plus=stands")
    assert (done.exit_code, done.stderr) == (0, said)
    assert done.stdout == run(*pair_plus).stdout
    assert (
        run(
            "odds",
            "flushes-gone-wild.co",
            "--bet",
            "flush-rush",
            "--paytable",
            "FGW-01",
            "--reading",
            "natural=no-deuce",
        ).stderr
        == ""
    )


def test_a_tip_rides_on_the_decision_and_has_no_part_in_it(tmp_path: Path) -> None:
    game = small_game(tmp_path)
    without = answered(game, "--reading", "wild-kicker=ace")
    Path(game).write_text(Path(game).read_text() + TIPS)
    found = {each["bet"]: each for each in answered(game, "--reading", "wild-kicker=ace")}
    assert [each for bet, each in found.items() if "tip" not in bet] == [
        *{each["bet"]: each for each in without}.values()
    ]
    assert {**found["blind-tip"], "bet": "blind", "unit": "blind"} == found["blind"]
    won = {o["what"]: Fraction(o["probability"]) for o in found["tip"]["outcomes"]}
    wins = sum((chance for what, chance in won.items() if what.startswith("win")), Fraction(0))
    assert Fraction(found["tip"]["return"]) == 4 * wins + won["tie"]
    assert answered(game, "--bet", "tip", "--reading", "wild-kicker=ace") == [found["tip"]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--bet", "pair-plus"), "no odds for bet 'pair-plus'; allowed: ante, blind, play, flush-rush, progressive"),
        (("--paytable", "FGW-09"), "no odds for pay table 'FGW-09'; allowed: FGW-01, FGW-02"),
        (("--reading", "natural=none"), "no odds for reading natural 'none'; allowed: own-suit, no-deuce"),
        (
            ("--reading", "kicker=ace"),
            "no odds for reading 'kicker' (did you mean wild-kicker?); allowed: natural, wild-kicker",
        ),
        (("--meter", "mega=100"), "no odds for meter 'mega'; allowed: meter"),
        (("--decks", "2"), "no odds for number of decks 2; allowed: 1"),
        (("--bet", "ante+flush"), "no odds for bet 'flush' (did you mean flush-rush?); allowed: ante"),
    ],
)
def test_what_the_game_does_not_have_is_named(arguments: tuple[str, ...], said: str) -> None:
    done = run("odds", GAME, *arguments)
    assert done.exit_code == Exit.USAGE
    assert said in done.stderr


def test_the_text_is_a_table_with_remarks(tmp_path: Path) -> None:
    done = run("odds", small_game(tmp_path), "-v")
    assert done.exit_code == 0
    assert "bet" in done.stdout.splitlines()[0]
    assert "of 1,326 hands" in done.stdout
    assert "even at a meter of 160,530.53 wagers" in run("odds", GAME, "--bet", "progressive", "-v").stdout


@pytest.mark.more
def test_without_numpy_only_the_showdowns_are_missing() -> None:
    code = "import sys; sys.modules['numpy'] = None; from dealwire.cli import main; main()"
    command = [sys.executable, "-c", code, "odds", GAME, "--bet"]
    done = subprocess.run([*command, "flush-rush"], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout.count("FGW-0")) == (0, 8), done.stderr
    done = subprocess.run([*command, "ante"], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == Exit.USAGE
    assert done.stderr.strip() == f"dealwire: numpy is not installed; {install_command('odds')}"


def findings(game: str) -> tuple[int, list[dict[str, Any]], dict[str, Any]]:
    done = run("audit-paytables", game, "--json")
    *found, summary = (json.loads(line) for line in done.stdout.splitlines())
    assert summary["type"] == "summary"
    return done.exit_code, found, summary


def test_tables_that_are_sound_are_passed(tmp_path: Path) -> None:
    code, found, summary = findings("race-to-the-flush")
    assert (code, found, summary["findings"]) == (0, [], 0)
    assert summary["computed"] > 30


@pytest.mark.parametrize(
    ("edits", "fault", "why"),
    [
        ({"FGW_01": lambda text: text.replace("= 1, clause", "= 9, clause")}, "row-out-of-order",
         "'4-card natural flush' pays 9 to 1, more than '5-card wild flush' above it"),
        ({"FGW_02": lambda text: text.replace("7-card natural", "8-card natural")}, "unreachable-row",
         "the row '8-card natural flush' pays no hand"),
        ({"FGW_03": lambda text: text.replace("4-card natural", "2-card natural")}, "over-100", "% of the stake"),
        ({"FGW_04": lambda text: text.replace("title", 'printed = {house-edge-pct="3.45", clause="(13)"}\ntitle')},
         "printed-differs", "prints 3.45 %, computes 100.0 %"),
        ({"FGW_02": lambda text: text.replace("wild flush\", pays = 3", "wild flush\", pays = 9")},
         "out-of-line", "'5-card wild flush' pays 9 to 1, and 3 to 4 in the other tables"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_named(tmp_path: Path, edits: dict[str, Edit], fault: str, why: str) -> None:
    ((table, edit),) = edits.items()
    code, found, _ = findings(small_game(tmp_path, **{table: edit}))
    ours = [each for each in found if each["paytable"] == table.replace("_", "-") and each["fault"] == fault]
    assert code == Exit.CHECK_FAILED
    assert ours
    assert why in ours[0]["why"]


@pytest.mark.parametrize("option", ["--bet", "--paytable"])
def test_an_empty_name_is_no_question_about_everything(option: str) -> None:
    """As of a variable that is not set: the whole game would be counted for minutes."""
    done = run("odds", "three-card.co", option, "")
    assert (done.exit_code, done.stdout) == (Exit.USAGE, "")
    assert f"invalid value for '{option}': a name is required" in done.stderr


def test_bets_that_are_not_made_together_are_refused_with_those_that_there_are() -> None:
    done = run("odds", "three-card.co", "--bet", "six-card-bonus+pair-plus")
    assert done.exit_code == Exit.USAGE
    assert (
        "no odds for bets 'six-card-bonus+pair-plus' (did you mean six-card-bonus?); allowed: play, ante-bonus"
        in done.stderr
    )


def test_a_pay_table_of_another_bet_is_refused_with_those_of_this_one() -> None:
    done = run("odds", "three-card.co", "--bet", "pair-plus", "--paytable", "TC-6CB-1", "--no-cache")
    assert (done.exit_code, done.stdout) == (Exit.USAGE, "")
    assert done.stderr.startswith(
        "dealwire: no odds for pay table of pair-plus 'TC-6CB-1'; allowed: TC-PP-1, TC-PP-2, "
    )


JOINT = "ante+play+ante-bonus+pair-plus"


def test_bets_made_together_are_suspect_by_the_table_of_any() -> None:
    """The pair plus of schedule 12 appears to be a misprint; its ante bonus does not."""
    (found,) = answered("three-card.co", "--bet", JOINT, "--paytable", "TC-PP-12", "--no-cache")
    assert "a straight pays 25 to 1" in found["suspect"]
