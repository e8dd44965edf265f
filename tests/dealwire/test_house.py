"""The house's posted rules at tables, on the command line and in journals: they apply, and a table contradicts none."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import dealer_flow
from dealer_flow.editions import load_edition
from dealer_flow.record.result import HouseRef, RoundResult
from dealwire.cli import main
from dealwire.config.build import Banks, build_table
from dealwire.config.house import at_house
from dealwire.config.load import examined, load_configuration
from dealwire.config.table_parts import TablePart
from dealwire.journal.contents import TableStart
from dealwire.journal.factory import TableFactory
from dealwire.journal.journal import Journal
from dealwire.journal.settings import SettingsChanged, configuration_of
from dealwire.table.redaction import PublishedTable
from devices.clock import ManualClock
from docs._print import DOCS
from rules.house.load import load_house
from rules.settlement import HouseRake, RakeStep
from tests.support.dealing.written_rounds import ended_round, seat_of

EXAMPLES = DOCS / "examples"
EXAMPLE = EXAMPLES / "house.toml"
HEAD = (EXAMPLES / "table.toml").read_text(encoding="utf-8").split("[[table]]")[0]
TABLE = """
[[table]]
name = "poker"
procedure = "{procedure}"
house = "house.toml"
{more}

[[table.device]]
name = "shoe"
kind = "shoe"
address = "tcp://127.0.0.1:1"

[[table.device]]
name = "controller"
kind = "table-controller"
address = "tcp://127.0.0.1:2"
"""
BOARD = "2C 5D 7H 9S JC"
FOUR = [
    seat_of(1, "AS AH", river=1000),
    seat_of(2, "KS KH", river=1000),
    seat_of(3, "4S 4H", status="folded", pre_flop=100),
    seat_of(4, "3S 3H", status="folded", pre_flop=100),
]
"""Four players, a pot of $22: $1 by the schedule, and $1 for the jackpot."""


def table_toml(folder: Path, more: str = "", procedure: str = "holdem.co") -> Path:
    for name in ("house.toml", "jackpot-bad-beat.toml"):
        shutil.copy(EXAMPLES / name, folder)
    file = folder / "table.toml"
    file.write_text(HEAD + TABLE.format(procedure=procedure, more=more), encoding="utf-8")
    return file


def part_of(folder: Path, more: str = 'house-game = "holdem-2-4"', procedure: str = "holdem.co") -> TablePart:
    (part,) = load_configuration(table_toml(folder, more, procedure)).table
    return part


def test_a_table_has_what_its_house_has_posted(tmp_path: Path) -> None:
    part = part_of(tmp_path)
    table = build_table(part, Banks(), PublishedTable)
    assert table.flow.plan.options["chop-blinds"] == "yes"  # the procedure's own default is no
    assert table.terms is not None
    assert table.terms.token_cents == 100
    assert table.terms.rake == HouseRake(
        "10",
        steps=(RakeStep(2000, 100), RakeStep(4000, 200), RakeStep(6000, 300)),
        no_flop_no_drop=True,
        jackpot_least_pot_cents=2000,
        jackpot_least_players=4,
    )
    assert table.terms.signed_readings == {"given-up-side-pot": "M. Ortega, poker room manager, 2024-02-10"}
    assert table.terms.jackpot is not None
    posted = table.flow.procedure.posted
    assert posted is not None
    assert posted.ref == HouseRef("miners-card-room", load_house(EXAMPLE).sha256, "holdem-2-4")
    assert at_house(part) == (part, [])  # applied again, it changes nothing


def test_a_house_banked_game_has_its_limit(tmp_path: Path) -> None:
    devices = 'kind = "shuffler"'
    file = table_toml(tmp_path, procedure="three-card.co")
    file.write_text(file.read_text().replace('kind = "shoe"', devices))
    (part,) = load_configuration(file).table
    assert part.limit_cents == 10000
    assert build_table(part, Banks(), PublishedTable).flow.plan.posted is None


NAMED = 'house-game = "holdem-2-4"\n'


@pytest.mark.parametrize(
    ("more", "key", "why"),
    [
        ("", "house", "2 games are dealt by holdem.co; name one: holdem-2-4, holdem-2-5"),
        ('house-game = "holdem-9"', "house-game", "no game 'holdem-9'; offered: holdem-2-4"),
        (f'{NAMED}options = {{ raises-per-round = "4" }}', "options.raises-per-round", "not as posted in miners-card"),
        (f'{NAMED}options = {{ chop-blinds = "no" }}', "options.chop-blinds", "allowed: 'yes'"),
        (f"{NAMED}token-cents = 25", "token-cents", "not as posted in miners-card-room; leave it out"),
        (f'{NAMED}rake = {{ percent = "5" }}', "rake", "not as posted in miners-card-room; leave it out"),
        (f'{NAMED}edition = "colorado-rule-10"', "edition", "not as posted in miners-card-room; leave it out"),
        (f"{NAMED}seats = 11", "seats", "11; allowed: at most 10, as posted in miners-card-room"),
    ],
)
def test_a_table_that_contradicts_its_house_is_refused(tmp_path: Path, more: str, key: str, why: str) -> None:
    found = [str(fault) for fault in examined(table_toml(tmp_path, more))[1]]
    assert len(found) == 1, found
    assert re.search(rf"table\[1\]\.{re.escape(key)}:", found[0]), found
    assert why in found[0]


def test_a_table_may_repeat_its_house_and_choose_what_is_not_posted(tmp_path: Path) -> None:
    part = part_of(tmp_path, f'{NAMED}options = {{ raises-per-round = "3", ante = "no" }}\ntoken-cents = 100')
    assert part.options["ante"] == "no"
    assert part.options["chop-blinds"] == "yes"


def test_a_house_that_is_wrong_is_one_line_of_the_table(tmp_path: Path) -> None:
    file = table_toml(tmp_path, NAMED)
    house = tmp_path / "house.toml"
    house.write_text(house.read_text().replace('structure = "fixed"', 'structure = "spread"'))
    (found,) = [str(fault) for fault in examined(file)[1]]
    assert "table[1].house: " in found
    assert "house.toml" in found
    assert "game[1].sizes-cents" in found


def test_rules_that_are_not_in_force_yet_keep_a_table_from_starting(tmp_path: Path) -> None:
    file = table_toml(tmp_path, NAMED)
    assert CliRunner().invoke(main, ["check", str(file)]).exit_code == 0
    house = tmp_path / "house.toml"
    house.write_text(house.read_text().replace('effective = "2024-03-01"', 'effective = "2999-01-01"'))
    done = CliRunner().invoke(main, ["check", str(file)])
    assert done.exit_code == 2
    assert "table[1].house: table poker: the gaming day " in done.stderr
    assert "is before 2999-01-01, when miners-card-room comes into force" in done.stderr


def test_an_edition_that_is_over_is_a_fault_of_the_house_that_posted_it(tmp_path: Path) -> None:
    file = table_toml(tmp_path, NAMED)
    house = tmp_path / "house.toml"
    text = house.read_text().replace("colorado-2021-05-01", "colorado-rule-10").replace("2024-03-01", "2020-03-01")
    house.write_text(
        text.replace('"none"\n', '"spread"\nmost-bet-cents = 10000\n').replace(
            '"pot"\n', '"pot"\nmost-bet-cents = 10000\n'
        )
    )
    done = CliRunner().invoke(main, ["check", str(file)])
    assert done.exit_code == 2
    assert "table[1].house: table poker: the gaming day " in done.stderr
    assert "in force from 2013-10-16 until 2021-04-30; miners-card-room has posted it" in done.stderr


def test_a_jackpot_rake_needs_a_jackpot(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    plain = TABLE.replace('house = "house.toml"\n', "")
    for more, faults in (
        ("rake = { jackpot-cents = 100 }", 1),
        ("rake = { jackpot-cents = 100 }\nmeters = { jackpot = 0 }", 0),
    ):
        file.write_text(HEAD + plain.format(procedure="holdem.co", more=more))
        found = [str(fault) for fault in examined(file)[1]]
        assert len(found) == faults, found
        assert all("a jackpot rake needs a jackpot award that the house offers (47.1-1018(2)" in each for each in found)


def test_settings_in_a_journal_keep_their_form_without_a_house(tmp_path: Path) -> None:
    kept = json.loads(configuration_of(part_of(tmp_path)))
    assert kept["house-game"] == "holdem-2-4"
    assert kept["rake"]["jackpot-least-players"] == 4
    (plain,) = load_configuration(EXAMPLES / "table.toml").table[:1]
    assert not {"house", "house-game"} & json.loads(configuration_of(plain)).keys()
    raked = plain.model_copy(update={"rake": type(plain.rake).model_validate({"percent": "5"})})
    assert set(json.loads(configuration_of(raked))["rake"]) == {
        *("percent", "cap-cents", "step-cents", "jackpot-cents", "pool-percent"),
    }


def test_a_journal_names_the_house_and_refuses_another(tmp_path: Path) -> None:
    part = part_of(tmp_path)
    sha256 = load_house(tmp_path / "house.toml").sha256
    with Journal(tmp_path / "j", key=None, clock=ManualClock()) as journal:
        with TableFactory(journal.path) as maker:
            facts = maker.facts(part)
        assert facts["files"]["house"] == sha256
        start = TableStart(part.name, 1, configuration_of(part), facts)
        with TableFactory(journal.path) as maker:
            table = maker(start).table
        assert table.flow.plan.house_rules == HouseRef("miners-card-room", sha256, "holdem-2-4")
        assert table.terms is not None
        assert table.terms.rake == build_terms_of(part)
        house = tmp_path / "house.toml"
        house.write_text(house.read_text().replace("turn = 400", "turn = 600"))
        with TableFactory(journal.path) as maker, pytest.raises(SettingsChanged) as caught:
            maker(start)
        assert "table poker: the house is not the one it began with" in str(caught.value)


def build_terms_of(part: TablePart) -> HouseRake | None:
    terms = build_table(part, Banks(), PublishedTable).terms
    return terms.rake if terms is not None else None


# ------------------------------------------------------------------ on the command line


def settle(*options: str, rounds: RoundResult) -> Result:
    return CliRunner().invoke(main, ["settle", *options], input=rounds.to_json() + "\n")


def at(game: str, **more: Any) -> RoundResult:
    sha256 = more.pop("sha256", load_house(EXAMPLE).sha256)
    return ended_round("holdem.co", FOUR, BOARD, house=HouseRef("miners-card-room", sha256, game), **more)


def test_settle_takes_the_game_that_a_round_names() -> None:
    done = settle("--house", str(EXAMPLE), rounds=at("holdem-2-4"))
    assert done.exit_code == 0, done.output
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    (found,) = [line for line in lines if line["type"] == "settlement"]
    assert [(pot["cents"], pot["rake"], pot["jackpot_rake"]) for pot in found["pots"]] == [(2200, 100, 100)]
    assert sum(line["to_meter"] for line in lines if line["type"] == "meter" and line["kind"] != "opened") == 100
    assert found["signed"] == {"given-up-side-pot": "M. Ortega, poker room manager, 2024-02-10"}
    by_time = settle("--house", str(EXAMPLE), rounds=at("holdem-2-5"))
    assert by_time.exit_code == 0, by_time.output
    (pot,) = json.loads(by_time.stdout.splitlines()[-1])["pots"]
    assert "rake" not in pot


def test_a_round_of_other_posted_rules_is_refused() -> None:
    done = settle("--house", str(EXAMPLE), rounds=at("holdem-2-4", sha256="0" * 64))
    assert done.exit_code == 2
    assert "round of house 'miners-card-room of hash 000000000000'; allowed: miners-card-room of hash" in done.stderr


def test_a_round_is_settled_by_no_other_game_than_it_names() -> None:
    done = settle("--house", str(EXAMPLE), "--house-game", "holdem-2-5", rounds=at("holdem-2-4"))
    assert done.exit_code == 2
    assert "--house-game 'holdem-2-5'; allowed: holdem-2-4, which the round names" in done.stderr
    done = settle("--house", str(EXAMPLE), "--house-game", "holdem-2-4", rounds=at("holdem-2-4"))
    assert done.exit_code == 0, done.output


def test_a_round_that_names_no_house_is_settled_by_a_named_game() -> None:
    old = ended_round("holdem.co", FOUR, BOARD)
    assert "2 games are dealt by holdem.co" in settle("--house", str(EXAMPLE), rounds=old).stderr
    done = settle("--house", str(EXAMPLE), "--house-game", "holdem-2-5", rounds=old)
    assert done.exit_code == 0, done.output
    without = settle(rounds=at("holdem-2-4"))
    assert without.exit_code == 0, without.output


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--game", "omaha.co"), "--game and --house exclude each other: the house posts it"),
        (("--rake", "5"), "--rake and --house exclude each other: the house posts it"),
        (("--token", "25", "--limit", "100"), "--limit and --house exclude each other"),
        (("--edition", "colorado-rule-10"), "--edition: the house has posted colorado-2021-05-01; leave it out"),
        (("--reading", "given-up-side-pot=held"), "--reading given-up-side-pot: the house has posted 'last'"),
    ],
)
def test_an_option_that_contradicts_the_house_is_a_usage_error(options: tuple[str, ...], why: str) -> None:
    done = settle("--house", str(EXAMPLE), *options, rounds=at("holdem-2-4"))
    assert done.exit_code == 2
    assert why in done.stderr
    assert "Traceback" not in done.output


HOLDEM = """
schema = "dealwire.house/1"
id = "one-table"
title = "One Table"
effective = "2024-03-01"
token-cents = 100
[[game]]
name = "holdem"
procedure = "{procedure}"
structure = "spread"
least-bet-cents = 200
most-bet-cents = 10000
"""


def test_a_house_with_a_procedure_of_its_own_settles_its_rounds(tmp_path: Path) -> None:
    shutil.copy(Path(dealer_flow.__file__).parent / "games" / "holdem" / "co.deal.toml", tmp_path / "ours.toml")
    house = tmp_path / "house.toml"
    house.write_text(HOLDEM.format(procedure="ours.toml"), encoding="utf-8")
    ref = HouseRef("one-table", load_house(house).sha256, "holdem")
    done = settle("--house", str(house), rounds=ended_round("holdem.co", FOUR, BOARD, house=ref))
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["house"]["game"] == "holdem"


def test_a_house_that_posts_no_edition_settles_by_that_of_the_round_or_the_given_one(tmp_path: Path) -> None:
    house = tmp_path / "house.toml"
    house.write_text(HOLDEM.format(procedure="holdem.co"), encoding="utf-8")
    edition = load_edition("colorado-2021-05-01").ref
    by_round = ended_round("holdem.co", FOUR, BOARD, edition=edition)
    named = settle("--house", str(house), rounds=by_round)
    given = settle("--house", str(house), "--edition", edition.id, rounds=ended_round("holdem.co", FOUR, BOARD))
    for done in (named, given):
        assert done.exit_code == 0, done.output
        assert json.loads(done.stdout)["edition"]["id"] == "colorado-2021-05-01"


def test_a_house_game_needs_a_house() -> None:
    done = settle("--house-game", "holdem-2-4", rounds=at("holdem-2-4"))
    assert (done.exit_code, "--house-game needs --house" in done.stderr) == (2, True)


def test_a_jackpot_rake_alone_is_refused() -> None:
    done = settle("--jackpot-rake", "100", rounds=ended_round("holdem.co", FOUR, BOARD))
    assert done.exit_code == 2
    assert "--jackpot-rake needs a jackpot award that the house offers (47.1-1018(2), 47.1-1002(19))" in done.stderr


def test_the_guide_shows_the_whole_example() -> None:
    assert f"```toml\n{EXAMPLE.read_text(encoding='utf-8')}```\n" in (DOCS / "house.md").read_text(encoding="utf-8")


def test_check_says_what_is_wrong(tmp_path: Path) -> None:
    table_toml(tmp_path)
    done = CliRunner().invoke(main, ["check", str(tmp_path / "house.toml")])
    assert (done.exit_code, done.stdout) == (0, f"{tmp_path / 'house.toml'}: a house, valid\n")
    assert done.stderr == ""
    house = tmp_path / "house.toml"
    house.write_text(
        house.read_text().replace('ante = "yes", bring-in = "low-card" }\n\n[rake', 'ante = "no" }\n\n[rake')
    )
    done = CliRunner().invoke(main, ["check", str(house)])
    assert done.exit_code == 0
    assert done.stderr.endswith("house.toml: warning: nobody has signed: ante, bring-in\n")
    house.write_text(house.read_text().replace('percent = "10"\ncap', 'percent = "11"\ncap'))
    done = CliRunner().invoke(main, ["check", str(house)])
    assert done.exit_code == 2
    assert re.search(r"house\.toml:\d+: game\[3\]\.rake: rake '11'; allowed: 0 to 10 percent", done.stderr)


def test_sim_takes_a_house_with_a_procedure_only() -> None:
    done = CliRunner().invoke(main, ["sim", "--house", str(EXAMPLE)])
    assert (done.exit_code, "--house needs --procedure" in done.stderr) == (2, True)
    done = CliRunner().invoke(main, ["sim", "--procedure", "holdem.co", "--house", str(EXAMPLE)])
    assert done.exit_code == 2
    assert "2 games are dealt by holdem.co; name one: holdem-2-4, holdem-2-5" in done.stderr
