"""A house's posted rules in one file: what the loader refuses, in the words of 47.1-1018, 1038 to 1041 and 1062."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from docs._print import DOCS
from protocol.tomlfile import TomlFileError
from rules.house.load import examined_house, load_house
from rules.settlement import HouseRake, MaximumPayout, RakeStep

EXAMPLES = DOCS / "examples"
EXAMPLE = EXAMPLES / "house.toml"
Edit = Callable[[str], str]


def changed(old: str, new: str) -> Edit:
    """Return an edit of the example that replaces its first `old`."""

    def edit(text: str) -> str:
        assert old in text, old
        return text.replace(old, new, 1)

    return edit


PRINTED = (
    changed('edition = "colorado-2021-05-01"', 'edition = "colorado-rule-10"'),
    changed('effective = "2024-03-01"', 'effective = "2020-03-01"'),
    changed('"holdem-2-5"', '"holdem-2-100"'),
    changed(
        'structure = "none"\nleast-bet-cents = 500',
        'structure = "spread"\nleast-bet-cents = 200\nmost-bet-cents = 10000',
    ),
    changed(
        'structure = "pot"\nleast-bet-cents = 500',
        'structure = "pot"\nleast-bet-cents = 500\nmost-bet-cents = 10000',
    ),
)
"""Edits that take the example back to the printed text, with its limit of $100."""


def written(folder: Path, *edits: Edit, printed: bool = True) -> Path:
    """Write the edited example beside its jackpot."""
    shutil.copy(EXAMPLES / "jackpot-bad-beat.toml", folder)
    text = EXAMPLE.read_text(encoding="utf-8")
    for edit in (*(PRINTED if printed else ()), *edits):
        text = edit(text)
    file = folder / "house.toml"
    file.write_text(text, encoding="utf-8")
    return file


def faults(file: Path) -> list[str]:
    return [str(fault).removeprefix(f"{file}:") for fault in examined_house(file)[1]]


def test_the_example_is_sound_and_says_what_is_posted() -> None:
    house = load_house(EXAMPLE)
    assert house.names() == ("holdem-2-4", "holdem-2-5", "omaha-pot", "stud-2-10", "three-card")
    low, by_time = house.spec.game[:2]
    steps = RakeStep(2000, 100), RakeStep(4000, 200), RakeStep(6000, 300)
    # The jackpot's own file sets the drop of a dollar; this file says when it is taken.
    posted = HouseRake("10", None, None, 0, "0", steps, True, 2000, 4)
    assert house.rake(low) == posted
    assert house.rake(by_time) == HouseRake()
    assert house.maximum(low) == MaximumPayout()
    bets = house.posted(low).bets
    assert bets is not None
    assert bets.words() == "bets and raises of $2 before the flop and on the flop, $4 on the turn and on the river"


def test_the_hash_is_of_the_content_and_of_its_jackpots(tmp_path: Path) -> None:
    known = load_house(EXAMPLE).sha256
    commented = written(tmp_path, lambda text: f"# a comment\n{text}", printed=False)
    assert load_house(commented).sha256 == known
    longer = written(tmp_path, changed("act-seconds = 60", "act-seconds = 61"), printed=False)
    assert load_house(longer).sha256 != known
    file = written(tmp_path, printed=False)
    jackpot = tmp_path / "jackpot-bad-beat.toml"
    jackpot.write_text(jackpot.read_text().replace('"60 %"', '"50 %"').replace('"30 %"', '"40 %"'))
    assert load_house(file).sha256 != known


LIMIT = "$100 or less (47.1-1002(2))"
CHIPS = "allowed: multiples of the smallest chip, $1 (token-cents)"
LESS = ("game[5].most-bet-cents", "$100 is less than the least bet")
RAKE = "0 to 10 percent (47.1-1018(1), 47.1-1040(3))"


@pytest.mark.parametrize(
    ("edit", "key", "why"),
    [
        # amounts beyond the edition's
        (changed("turn = 400", "turn = 10001"), "game[1].sizes-cents.turn", f"$100.01; allowed: {LIMIT}"),
        (changed("most-bet-cents = 10000", "most-bet-cents = 10100"), "game[2].most-bet-cents", LIMIT),
        (changed('structure = "spread"', 'structure = "none"'), "game[2].structure", "allowed: fixed, spread, pot"),
        (
            changed("least-bet-cents = 500\nmost-bet-cents = 10000\nforced", "least-bet-cents = 500\nforced"),
            "game[3].most-bet-cents",
            "missing; a pot may hold more than $100",
        ),
        # rake and jackpot
        (changed('percent = "10"\ncap', 'percent = "10.5"\ncap'), "game[3].rake", f"rake '10.5'; allowed: {RAKE}"),
        (changed("take-cents = 100", "take-cents = 201"), "game[1].rake", "allowed: 200 cents or less, 10 percent of"),
        (changed('jackpot = "bad-beat"\n', ""), "game[1].jackpot-rake-cents", "(47.1-1018(2))"),
        (changed("jackpot-rake-cents = 100\n", ""), "game[1].jackpot-rake-cents", "missing; allowed: 100, the drop"),
        (changed("jackpot-rake-cents = 100", "jackpot-rake-cents = 150"), "game[1].jackpot-rake-cents", "allowed: 100"),
        (changed('rake = "by-time"', 'rake = "by-time"\njackpot = "bad-beet"'), "game[2].jackpot", "allowed: bad-beat"),
        (changed('rake = "low"', 'rake = "high"'), "game[1].rake", "allowed: low, ten-percent, by-time"),
        (changed("time = {", 'percent = "5"\ntime = {'), "rake.by-time.time", "give either the time or a rake"),
        (changed("time = {", 'pool-percent = "5"\ntime = {'), "rake.by-time.time", "give either the time or a rake"),
        (
            changed('procedure = "omaha.co"', 'jackpot = "bad-beat"\njackpot-rake-cents = 100\nprocedure = "omaha.co"'),
            "game[3].jackpot",
            "bad-beat is not offered in omaha.co; allowed: holdem.co",
        ),
        # games
        (changed('procedure = "omaha.co"', 'procedure = "omahaa.co"'), "game[3].procedure", "no such procedure"),
        (
            changed('procedure = "three-card.co"', 'procedure = "flushes-gone-wild.wa"'),
            "game[5].procedure",
            "colorado-rule-10 is for Colorado",
        ),
        (changed('name = "omaha-pot"', 'name = "holdem-2-4"'), "game[3].name", "'holdem-2-4' is offered twice"),
        (changed("seats = 10", "seats = 23"), "game[1].seats", "23; allowed: at most 22 (47.1-1041)"),
        (changed('structure = "fixed"\n', ""), "game[1].structure", "missing; allowed: fixed, spread, pot, none"),
        (
            changed('title = "Three Card Poker"', 'title = "Three Card Poker"\nstructure = "spread"'),
            "game[5].structure",
            "three-card.co is against the house",
        ),
        # structure
        (changed(", river = 400", ""), "game[1].sizes-cents", "missing: the size of a bet for river"),
        (changed(", river = 400", ", rivers = 400"), "game[1].sizes-cents.rivers", "allowed: pre-flop, flop, turn"),
        (changed("least-bet-cents = 200\nmost-bet-cents = 10000", "least-bet-cents = 200"), "game[2].most", "missing"),
        (changed("least-bet-cents = 500", "least-bet-cents = 10001"), "game[3].most-bet-cents", "less than the least"),
        (
            changed("forced-cents = { small", "forced-cents = { ante = 100, small"),
            "game[1].forced-cents.ante",
            "unless the option ante is yes; allowed: small-blind, big-blind, third-blind, straddle, post, dead-post",
        ),
        (changed("forced-cents = { ante = 100 }\n", ""), "game[4].forced-cents", "missing: the amount of the ante"),
        (changed("bring-in-cents = 100\n", ""), "game[4].bring-in-cents", "missing: the amount of the bring-in"),
        (
            changed("seats = 7\nleast-bet-cents = 500", "seats = 7\nleast-bet-cents = 10100"),
            *LESS,
        ),
        (changed("seats = 10", "seats = 1"), "game[1].seats", "allowed: 2 to 22, since players bet against each other"),
        (changed('rake = "low"', 'rake = "low"\ngame = "omaha.co"'), "game[1].game", "it settles: omaha.co"),
        # blinds and the bring-in are bets, 47.1-1002(4), in their order, and made of chips
        (changed("big-blind = 200", "big-blind = 10100"), "game[1].forced-cents.big-blind", f"$101; allowed: {LIMIT}"),
        (changed("bring-in-cents = 100", "bring-in-cents = 10100"), "game[4].bring-in-cents", f"allowed: {LIMIT}"),
        (
            changed("bring-in-cents = 100", "bring-in-cents = 300"),
            "game[4].bring-in-cents",
            "$2, the least bet, or less",
        ),
        (
            changed("small-blind = 100", "small-blind = 300"),
            "game[1].forced-cents.big-blind",
            "$2; allowed: $3, the small-blind, or more",
        ),
        (changed("small-blind = 100", "small-blind = 150"), "game[1].forced-cents.small-blind", f"$1.50; {CHIPS}"),
        (changed("turn = 400", "turn = 450"), "game[1].sizes-cents.turn", f"$4.50; {CHIPS}"),
        (changed("least-bet-cents = 500", "least-bet-cents = 550"), "game[3].least-bet-cents", f"$5.50; {CHIPS}"),
        (changed("take-cents = 100", "take-cents = 150"), "rake.low.steps[1].take-cents", f"$1.50; {CHIPS}"),
        (changed("step-cents = 100", "step-cents = 50"), "rake.ten-percent.step-cents", f"$0.50; {CHIPS}"),
        (changed("cap-cents = 400", "cap-cents = 450"), "rake.ten-percent.cap-cents", f"$4.50; {CHIPS}"),
        (changed("cap-cents = 400", "cap-cents = 50"), "rake.ten-percent.cap-cents", "$1 or more, else nothing"),
        (changed("least-players = 4", "least-players = 11"), "game[1].jackpot", "needs 11 players, and there are 10"),
        # options, readings and who signed them
        (changed('raises-per-round = "3"', 'raises-per-round = "6"'), "options.raises-per-round", "'6'; allowed in"),
        (
            changed('percent"\noptions = { ante', 'percent"\noptions = { anti'),
            "game[4].options.anti",
            "no option 'anti'",
        ),
        (
            changed('[readings]\ngiven-up-side-pot = "last"', '[readings]\ngiven-up-side-pot = "first"'),
            "readings.given-up-side-pot",
            "'first'; allowed: ",
        ),
        (
            changed('rake = "low"', 'rake = "low"\nreadings = { high-qualifier = "queens" }'),
            "game[1].readings.high-qualifier",
            "'queens'; allowed: ",
        ),
        (changed("[readings]", '[readings]\nnatural = "own-suit"'), "readings.natural", "no game of this file"),
        (changed('readings = { given-up-side-pot = "last" }\n', ""), "", ""),
        (changed('on = "2024-02-10"', 'on = "2024-02-31"'), "signed[1].on", "not a date"),
        # time to act, and the edition's days
        (changed("warning-seconds = 10", "warning-seconds = 60"), "warning-seconds", "allowed: less than act-seconds"),
        (changed("act-seconds = 60\n", ""), "warning-seconds", "allowed: none without act-seconds (47.1-1038)"),
        (changed("warning-seconds = 10\n", ""), "act-seconds", "60 without warning-seconds; the dealer warns before"),
        (changed('effective = "2020-03-01"', 'effective = "2021-05-01"'), "effective", "is after 2021-04-30"),
        (changed('effective = "2020-03-01"', 'effective = "2013-10-15"'), "effective", "is before 2013-10-16, when"),
        (changed('edition = "colorado-rule-10"', 'edition = "colorado-1990"'), "edition", "no such edition"),
        (changed("act-seconds", "act-secs"), "act-secs", "did you mean 'act-seconds'?"),
    ],
)
def test_a_fault_names_its_key_and_what_is_allowed(tmp_path: Path, edit: Edit, key: str, why: str) -> None:
    found = faults(written(tmp_path, edit))
    if not key:
        assert found == []
        return
    assert any(key in fault and why in fault for fault in found), found
    assert all("\n" not in fault for fault in found)


def test_a_rake_that_several_games_take_is_one_fault(tmp_path: Path) -> None:
    edits = changed('rake = "by-time"', 'rake = "ten-percent"'), changed('percent = "10"\ncap', 'percent = "11"\ncap')
    (found,) = faults(written(tmp_path, *edits))
    assert "game[2].rake: rake '11'; allowed: 0 to 10 percent" in found


def test_without_its_limit_the_edition_allows_no_limit(tmp_path: Path) -> None:
    assert faults(written(tmp_path, printed=False)) == []
    limited = faults(written(tmp_path, *PRINTED[:2], printed=False))
    assert [fault.partition(": ")[2] for fault in limited] == [
        "game[2].structure: 'none'; a bet and a raise are at most $100 (47.1-1002(2)); allowed: fixed, spread, pot",
        "game[3].most-bet-cents: missing; a pot may hold more than $100 (47.1-1002(2))",
    ]


def test_a_jackpot_that_cannot_be_read_is_one_fault(tmp_path: Path) -> None:
    file = written(tmp_path)
    (tmp_path / "jackpot-bad-beat.toml").unlink()
    (found,) = faults(file)
    assert "jackpot.bad-beat.file" in found
    assert "cannot be read" in found


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (changed('hand = "player"', 'hand = "table"'), "hand of the jackpot award 'table'; allowed: "),
        (lambda text: text[: text.index("[award]")] + text[text.index("[posted]") :], "bad-beat has no [award]"),
    ],
)
def test_a_jackpot_whose_award_does_not_fit_the_game_is_a_fault(tmp_path: Path, edit: Edit, why: str) -> None:
    file, jackpot = written(tmp_path), tmp_path / "jackpot-bad-beat.toml"
    jackpot.write_text(edit(jackpot.read_text(encoding="utf-8")), encoding="utf-8")
    (found,) = faults(file)
    assert f"game[1].jackpot: {why}" in found


def test_the_game_of_a_table_is_named_or_the_only_one() -> None:
    house = load_house(EXAMPLE)
    assert house.game("omaha.co").name == "omaha-pot"
    assert house.game("holdem.co", "holdem-2-5").name == "holdem-2-5"
    for procedure, named, why in (
        ("holdem.co", None, "2 games are dealt by holdem.co; name one: holdem-2-4, holdem-2-5"),
        ("draw.co", None, "no game is dealt by draw.co; offered: holdem-2-4"),
        ("holdem.co", "holdem-3-6", "no game 'holdem-3-6'; offered: holdem-2-4"),
        ("omaha.co", "holdem-2-4", "'holdem-2-4' is dealt by holdem.co, not by omaha.co"),
    ):
        with pytest.raises(TomlFileError) as refused:
            house.game(procedure, named)
        assert why in str(refused.value)
