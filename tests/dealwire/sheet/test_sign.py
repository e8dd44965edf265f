"""The sign of a house: every posted fact in words (47.1-1039, 47.1-1040, 47.1-1061, 47.1-1062), as a page and a PDF."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dealwire.cli import main
from dealwire.sheet.sign import sign_html, sign_of
from docs._print import DOCS
from rules.house.load import load_house
from tests.support.rigs.browser import TEST_S, at_most, chromium, needs_browser

EXAMPLE = DOCS / "examples" / "house.toml"


def sign(*options: str | Path) -> Result:
    return CliRunner().invoke(main, ["house", "sign", *map(str, options)])


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page.split("<body", 1)[1].split(">", 1)[1]).split())


@pytest.mark.parametrize(
    "posted",
    [
        "The Miners&#x27; Card Room House rules of poker, in force from March 1, 2024",
        # 47.1-1040(1), (2), (4)
        "Bet or fold not in use",
        "Check and raise allowed",
        "Raises three in a betting round",
        "Heads-up blinds the button has the small blind",
        "Short all-in lets players who have acted raise again only if it is a full raise",
        # 47.1-1034, 47.1-1035, 47.1-1038
        "Chopping the blinds allowed, when all others have folded",
        "Odd chip to the first of the tied hands left of the button",
        "Time to act 60 seconds. The dealer warns 10 seconds before. Then a player who faces a bet is out of the hand,",
        # 47.1-1040(3), and the rules of play of each game
        "$2-$4 Texas Hold&#x27;em Limits Bets and raises of $2 before the flop and on the flop",
        "$4 on the turn and on the river Before the deal",
        "Before the deal small blind $1, big blind $2 Players at most 10",
        "Rake $1 once the pot holds $20, $2 once the pot holds $40, $3 once the pot holds $60;",
        "once the pot holds $60; never over 10 % of the pot; nothing if there is no flop",
        "Rake none; each player pays $6 every 30 minutes",
        "Rake 10 % of the pot, in steps of $1, at most $4 a hand",
        "Limits Bets and raises from $5 to the pot Least raise the bet or raise before it",
        "$2-$5 no-limit Texas Hold&#x27;em Limits Bets and raises from $5 to the player&#x27;s stake",
        "Before the deal ante $1, bring-in $1, by the low card",
        "Three Card Poker Bets from $5 to $100 Players at most 7",
        # 47.1-1061(1)-(4)
        "Jackpot: bad beat Present amount Games $2-$4 Texas Hold&#x27;em",
        "Who wins it Aces full of tens or better, in which both of the player&#x27;s cards play, must be beaten",
        "Division Half of the posted amount to the beaten hand",
        "No award is paid where the deck is fouled",
        "Jackpot $1 from each hand with a flop in which the pot holds at least $20 and",
        "Only from a hand in which the pot holds at least $20 and at least 4 players are dealt in.",
        "4 players are dealt in. At most $1 from one hand.",
        # readings, and who signed them
        "How the house reads the rules A side pot that every player in it gave up goes to the last one to do so.",
        "Decided for the house by M. Ortega, poker room manager on February 10, 2024: raises per round,",
        "approved: Director, 2024-02-12; miners-card-room ",
    ],
)
def test_everything_posted_is_on_the_sign(posted: str) -> None:
    assert posted in words(sign_html(load_house(EXAMPLE)))


@pytest.mark.parametrize(("schedule", "cap"), [("by-five", "$5"), ("ten-percent", "$4")])
def test_the_most_of_a_rake_is_of_each_pot_where_bets_have_pots_of_their_own(
    tmp_path: Path, schedule: str, cap: str
) -> None:
    """47.1-1017.37(8): ten percent or five dollars of each pot, whichever is less, is posted."""
    (tmp_path / "jackpot-bad-beat.toml").write_text((DOCS / "examples" / "jackpot-bad-beat.toml").read_text())
    file = tmp_path / "house.toml"
    game = f'[[game]]\nname = "three-five-seven"\nprocedure = "3-5-7.co"\nrake = "{schedule}"\n'
    file.write_text(f'{EXAMPLE.read_text()}\n{game}\n[rake.by-five]\npercent = "10"\n')
    page = words(sign_html(load_house(file)))
    assert re.search(rf"Rake 10 % of the pot(, in steps of \$1)?, at most {re.escape(cap)} a pot", page)


def test_a_sentence_of_the_house_has_an_end(tmp_path: Path) -> None:
    text = (DOCS / "examples" / "jackpot-bad-beat.toml").read_text(encoding="utf-8")
    text = text.replace('at the showdown."', 'at the showdown"')
    (tmp_path / "jackpot-bad-beat.toml").write_text(text, encoding="utf-8")
    (tmp_path / "house.toml").write_text(EXAMPLE.read_text(encoding="utf-8"), encoding="utf-8")
    assert "beaten at the showdown. Only from a hand" in words(sign_html(load_house(tmp_path / "house.toml")))


def test_maximum_payouts_and_differences_of_a_game_are_on_the_sign(tmp_path: Path) -> None:
    """47.1-1062(5): at the table; a game with other options than the rest names them itself."""
    (tmp_path / "jackpot-bad-beat.toml").write_text((DOCS / "examples" / "jackpot-bad-beat.toml").read_text())
    text = EXAMPLE.read_text()
    games = 'procedure = "bonus-6.co"\nleast-bet-cents = 500\nmaximum = { round-cents = 50000000 }'
    text += f'\n[[game]]\nname = "bonus-6"\n{games}\n'
    text = text.replace('rake = "by-time"', 'rake = "by-time"\noptions = { raises-per-round = "unlimited" }')
    file = tmp_path / "house.toml"
    file.write_text(text)
    page = words(sign_html(load_house(file)))
    assert "Maximum payout $500,000 for all players in a round, of bets that pay 50 to 1 or more" in page
    assert page.count("Raises no limit") == 1
    assert page.count("Raises three in a betting round") == 3


def test_a_qualifier_is_on_the_sign_and_a_low_hand_without_one_too(tmp_path: Path) -> None:
    """47.1-1040(5): a restriction of high or low hands is posted."""
    (tmp_path / "jackpot-bad-beat.toml").write_text((DOCS / "examples" / "jackpot-bad-beat.toml").read_text())
    file = tmp_path / "house.toml"
    text = EXAMPLE.read_text().replace('"omaha.co"', '"omaha-hi-lo.co"')
    file.write_text(text)
    page = words(sign_html(load_house(file)))
    assert "Low hand any low hand may win low" in page
    assert "High hand" not in page
    restricted = '[readings]\nlow-qualifier = "eight-or-better"\nhigh-qualifier = "jacks-or-better"\n'
    file.write_text(text.replace("[readings]\n", restricted))
    page = words(sign_html(load_house(file)))
    assert page.count("Low hand a low hand needs five ranks, none above eight, to win low") == 1
    assert page.count("High hand a high hand needs a pair of jacks or better to win high") == 4  # of the poker games
    assert "any low hand" not in page


def test_the_command_writes_a_page_and_a_pdf(tmp_path: Path) -> None:
    pytest.importorskip("reportlab", reason="not here: reportlab")
    for name, begins in (("sign.html", b"<!doctype html>"), ("sign.pdf", b"%PDF-")):
        done = sign(EXAMPLE, "-o", tmp_path / name)
        assert (done.exit_code, "the sign of The Miners' Card Room" in done.stderr) == (0, True), done.output
        assert (tmp_path / name).read_bytes().startswith(begins)
    assert b"/MediaBox [ 0 0 1190.5" in (tmp_path / "sign.pdf").read_bytes()  # 420 mm: A2
    assert (sign(EXAMPLE, "-o", tmp_path / "sign.pdf").exit_code, len(sign_of(load_house(EXAMPLE)).blocks) > 9) == (
        *(2, True),
    )
    assert sign(EXAMPLE, "-o", tmp_path / "sign.pdf", "--overwrite").exit_code == 0


@pytest.mark.parametrize(
    ("name", "why"), [("sign.txt", "must end in .html or .pdf"), ("no/such/folder/sign.html", "No such file")]
)
def test_a_wrong_output_is_one_line(tmp_path: Path, name: str, why: str) -> None:
    done = sign(EXAMPLE, "-o", tmp_path / name)
    assert done.exit_code == 2
    assert why in done.stderr
    assert "Traceback" not in done.output


def test_show_lists_the_games_and_the_hash() -> None:
    done = CliRunner().invoke(main, ["house", "show", str(EXAMPLE)])
    assert done.stdout.splitlines()[1] == "holdem-2-5: holdem.co, bets and raises from $5 to the player's stake"
    assert load_house(EXAMPLE).sha256 in done.stderr
    listed = CliRunner().invoke(main, ["house", "show", "--json", str(EXAMPLE)])
    assert listed.stdout.count('"schema": "dealwire.house-games/1"') == 5


@pytest.mark.every(2)
@needs_browser
@pytest.mark.parametrize("width", [390, 1920])
def test_nothing_is_cut_off_in_a_browser(tmp_path: Path, width: int) -> None:
    page_file = tmp_path / "sign.html"
    page_file.write_text(sign_html(load_house(EXAMPLE)), encoding="utf-8")
    with at_most(TEST_S), chromium() as browser:
        page = browser.new_page(viewport={"width": width, "height": 1080})
        page.goto(page_file.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        sizes = page.evaluate("[...document.querySelectorAll('dd')].map(e => parseFloat(getComputedStyle(e).fontSize))")
        assert min(sizes) >= (18 if width < 1000 else 45)
