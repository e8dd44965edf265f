"""`dealwire law`, and tables that deal by an edition of the law: their day, their rounds, their journal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from dealer_flow.editions import edition_ids, load_edition
from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.result import EditionRef, Hand, RoundResult
from dealwire.cli import main
from dealwire.config.build import Banks, build_table
from dealwire.config.table_parts import TablePart
from dealwire.hub.view import TableView
from dealwire.journal import Journal, JournalReader
from dealwire.journal.contents import TableStart
from dealwire.journal.factory import TableFactory
from dealwire.journal.settings import SettingsChanged, configuration_of
from dealwire.table.table import Table, TableTerms
from devices.clock import ManualClock
from rules import Settlement, load_game, settle
from rules.errors import SettlementRefused
from rules.game.law import differences
from tests.support.dealing.written_rounds import ended_round, seat_of
from tests.support.rigs.serving import compared, opened, run_until, simulators_here, write_configuration

CAPTURES = Path(__file__).parents[2] / "captures"
PRINTED, SINCE_2021 = "colorado-rule-10", "colorado-2021-05-01"
HOUSE = """schema = "dealwire.edition/1"
id = "house"
title = "the house's own"
base = "colorado-2021-05-01"
effective = 2022-01-01
source = "its lawyer"
[[change]]
clause = "47.1-1017.10(2)"
keys = ["bet.ante.must.at-most"]
was = "$50"
is = "$250"
"""


def law(*arguments: str, stdin: str | None = None) -> tuple[int, list[str], list[str]]:
    done = CliRunner().invoke(main, arguments, input=stdin)
    return done.exit_code, done.stdout.splitlines(), done.stderr.splitlines()


def objects(*arguments: str, stdin: str | None = None) -> list[dict[str, Any]]:
    code, out, err = law(*arguments, stdin=stdin)
    assert code == 0, err
    return [json.loads(line) for line in out]


@pytest.fixture
def house(tmp_path: Path) -> Path:
    file = tmp_path / "house.toml"
    file.write_text(HOUSE)
    return file


# ------------------------------------------------------------------ the command


def test_editions_are_listed_with_the_days_on_which_they_hold() -> None:
    found = {each["id"]: each for each in objects("law", "--json")}
    assert [*found] == [*edition_ids()]
    assert (found[PRINTED]["effective"], found[PRINTED]["until"]) == ("2013-10-16", "2021-04-30")
    assert found[SINCE_2021]["base"] == PRINTED
    code, out, _ = law("law")
    assert code == 0
    assert any(PRINTED in line and "from 2013-10-16 until 2021-04-30" in line for line in out)


def test_one_edition_is_shown_with_its_changes(house: Path) -> None:
    code, out, _ = law("law", "show", str(house))
    assert code == 0
    assert "holds:        from 2022-01-01" in out
    assert "47.1-1017.10(2): bet.ante.must.at-most from $50: $250" in out
    (shown,) = objects("law", "show", SINCE_2021, "--json")
    assert shown["change"][0]["clause"] == ["47.1-1002(2)", "47.1-1002(27)"]
    assert shown["sha256"] == load_edition(SINCE_2021).ref.sha256


def test_a_difference_names_clause_key_both_figures_and_whom_it_touches(house: Path) -> None:
    found = {(each["clause"], each["key"]): each for each in objects("law", "diff", PRINTED, SINCE_2021, "--json")}
    raised = found["47.1-1002(27)", "betting.most-raise"]
    assert (raised["was"]["amount"], raised["now"]) == ("$100", None)
    assert "holdem.co" in raised["procedures"]
    assert "longhorn.co" not in raised["procedures"]
    limit = found["47.1-1002(2)", "limit.each-bet"]
    assert (limit["was"], limit["now"], limit["effective"]) == ("$100", None, "2021-05-01")
    assert {"three-card.co", "three-card.co-single", "champion.co", "holdem.co"} <= {*limit["procedures"]}
    assert {"three-card.co", "champion.co-seven", "holdem.co"} <= {*limit["games"]}
    assert found["47.1-1017.49(4)", "bet.primary.must.at-most"]["procedures"] == [
        *("emperors-challenge.co", "emperors-challenge.co-hand")
    ]
    assert {key for _, key in found} == {
        *("betting.most-raise", "betting.most-bet", "limit.each-bet"),
        *("bet.ante.must.at-most", "bet.optional-bonus.must.at-most", "bet.primary.must.at-most"),
    }
    code, out, err = law("law", "diff", SINCE_2021, str(house))
    assert (code, out) == (
        0,
        [
            "47.1-1017.10(2): bet.ante.must.at-most: $50 -> $250, from 2022-01-01",
            "  2 procedures: caribbean-stud.co, caribbean-stud.co-single",
            "  1 game: caribbean-stud.co",
        ],
    )
    assert err == [f"1 difference from {SINCE_2021} to house"]
    assert law("law", "diff", str(house), str(house))[1] == []


def test_a_figure_that_two_editions_changed_is_compared_with_what_came_before(tmp_path: Path, house: Path) -> None:
    later = tmp_path / "later.toml"
    text = HOUSE.replace('"house"', '"later"').replace("colorado-2021-05-01", "house.toml")
    later.write_text(text.replace('was = "$50"', 'was = "$250"').replace('is = "$250"', 'is = "$300"'))
    (found,) = differences(load_edition(SINCE_2021), load_edition(later))
    assert (found.was, found.now) == ("$50", "$300")
    (found,) = differences(load_edition(later), load_edition(house))
    assert (found.was, found.now) == ("$300", "$250")


def test_a_clause_that_is_cited_otherwise_is_a_difference(tmp_path: Path) -> None:
    file = tmp_path / "cited.toml"
    head = HOUSE.partition("keys")[0]
    file.write_text(f'{head}cited-as = "30-1099.10(2)"\n')
    (found,) = differences(load_edition(SINCE_2021), load_edition(file))
    assert (found.clause, found.key, found.was, found.now) == (
        *("47.1-1017.10(2)", "cited-as"),
        *("47.1-1017.10(2)", "30-1099.10(2)"),
    )
    assert found.games == ("caribbean-stud.co",)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("law", "show", "colorado"), "dealwire: colorado: no such edition"),
        (("law", "diff", PRINTED, "no.toml"), "dealwire: no.toml: cannot be read: No such file or directory"),
        (("law", "diff", PRINTED, "south-dakota-2015"), "they are not editions of one regulation"),
        (("law", "diff", PRINTED), "missing argument 'NEW'"),
        (("law", "--json", "show", PRINTED), "put --json after the subcommand"),
    ],
)
def test_what_cannot_be_is_one_line_and_exit_code_2(arguments: tuple[str, ...], why: str) -> None:
    code, out, err = law(*arguments)
    assert (code, out, len(err)) == (2, [], 1)
    assert why in err[0]


@pytest.mark.more
def test_an_edition_is_checked_against_all_that_it_changes(house: Path) -> None:
    assert law("check", str(house)) == (0, [f"{house}: an edition, valid"], [])
    house.write_text(HOUSE.replace("bet.ante", "bet.anti"))
    code, _, err = law("check", str(house))
    assert code == 2
    assert err == [f"{house}:9: change[1].keys: no procedure or game has this key with this clause"]
    (house.parent / "mine.toml").write_text(
        'schema = "dealwire.procedure/2"\nbase = ["caribbean-stud.co"]\nid = "mine"\n'
        'title = "Mine"\n[[bet]]\nname = "anti"\nnumber = 9\nplaced = "before-deal"\nclause = "47.1-1017.10(2)"\n'
        'must = [{ at-most = "$50", clause = "47.1-1017.10(2)" }]\n'
    )
    code, _, err = law("check", str(house), str(house.parent / "mine.toml"))
    assert (code, err) == (0, [])
    house.write_text(HOUSE.replace('is = "$250"', "is = 250"))
    code, _, err = law("check", str(house))
    assert code == 2
    assert err == [f"{house}:7: change[1]: caribbean-stud.co: bet[1].must[1].at-most: must be a text, not 250"]


# ------------------------------------------------------------------ the day of a table


ABSENT = {"shuffler": "tcp://127.0.0.1:1", "table-controller": "tcp://127.0.0.1:2"}


def configured(folder: Path, edition: str) -> Path:
    named = f'edition = "{edition}"' if edition else ""
    return write_configuration(folder, [ABSENT], more=named)


@pytest.mark.parametrize("command", [("check",), ("run", "--check"), ("run", "--no-console")])
def test_a_table_whose_day_is_outside_its_edition_is_refused(tmp_path: Path, command: tuple[str, ...]) -> None:
    file = configured(tmp_path, PRINTED)
    code, out, err = law(*command, str(file))
    assert code == 2
    said = [line for line in (*out, *err) if "edition" in line]
    assert len(said) == 1
    line = file.read_text().splitlines().index(f'edition = "{PRINTED}"') + 1
    assert f"{file}:{line}: table[1].edition: table table-1: the gaming day " in said[0]
    assert f"is outside its edition {PRINTED}, which is in force from 2013-10-16 until 2021-04-30" in said[0]
    assert not (tmp_path / "journal.sqlite").exists()


def test_a_table_in_its_edition_is_in_order_and_one_that_names_none_is_warned_of(tmp_path: Path) -> None:
    file = configured(tmp_path, SINCE_2021)
    assert law("check", str(file)) == (0, [f"{file}: a table, valid"], [])
    file = configured(tmp_path, "")
    assert law("check", str(file))[0] == 0
    code, out, _ = law("run", "--check", str(file))
    assert code == 0
    (warned,) = [line for line in out if line.startswith("warning")]
    assert f"is outside its edition {PRINTED}" in warned
    assert "name one in force with `edition`" in warned


def test_an_edition_of_the_house_stands_beside_its_table(tmp_path: Path, house: Path) -> None:
    file = configured(tmp_path, house.name)
    assert law("check", str(file)) == (0, [f"{file}: a table, valid"], [])
    house.write_text(HOUSE.replace("$250", "$x"))
    code, _, err = law("check", str(file))
    assert code == 0, "Flushes Gone Wild has none of it"
    file.write_text(file.read_text().replace("flushes-gone-wild.co", "caribbean-stud.co"))
    code, _, err = law("check", str(file))
    assert code == 2
    assert "table[1].edition" in err[0]
    assert "caribbean-stud.co: bet[1].must[1].at-most" in err[0]


# ------------------------------------------------------------------ rounds and settlements


def part_of(**more: Any) -> TablePart:
    device = {"name": "device-1", "kind": "shuffler", "address": "tcp:host:1"}
    return TablePart.model_validate({"name": "a", "procedure": "flushes-gone-wild.co", "device": (device,)} | more)


def test_a_table_and_its_view_name_the_edition() -> None:
    for named, ref in ((None, PRINTED), (SINCE_2021, SINCE_2021)):
        table = build_table(part_of(edition=named), Banks(), Table)
        assert table.flow.plan.edition == load_edition(ref).ref
        assert table.terms is not None
        assert table.terms.game.edition is load_edition(ref)
    assert "edition" in TableView.model_fields


def test_procedure_and_game_of_a_table_are_of_one_edition() -> None:
    terms = TableTerms(load_game("three-card.co"))
    with pytest.raises(SettlementRefused, match=f"edition for three-card.co '{PRINTED}'"):
        Table(load_procedure("three-card.co", load_edition(SINCE_2021)), terms)


def rich_round(edition: EditionRef | None, number: int = 1) -> RoundResult:
    """Three Card Poker: 500 dollars on pair plus, and a pair."""
    seats = [seat_of(1, "QH QD 4C", pair_plus=50_000)]
    return ended_round("three-card.co", seats, round=number, edition=edition)


def settled_by(*rounds: RoundResult, options: tuple[str, ...] = ()) -> list[Settlement]:
    text = "".join(f"{each.to_json()}\n" for each in rounds)
    code, out, err = law("settle", *options, stdin=text)
    assert code == 0, err
    return [Settlement.from_json(line) for line in out]


def test_a_round_is_settled_by_its_own_edition_whoever_sends_it() -> None:
    since, printed = load_edition(SINCE_2021).ref, load_edition(PRINTED).ref
    rounds = [rich_round(since), rich_round(printed, 2), rich_round(None, 3)]
    found = settled_by(*rounds)
    assert [(each.status, each.edition) for each in found] == [
        *(("settled", since), ("held", printed), ("held", printed))
    ]
    assert settled_by(*rounds, options=("--game", "three-card.co")) == found
    (named,) = settled_by(rich_round(None), options=("--edition", SINCE_2021))
    assert (named.status, named.edition) == ("settled", since)


def test_a_round_of_another_edition_is_refused_with_one_line() -> None:
    since = load_edition(SINCE_2021).ref
    for edition, options, why in (
        (since, ("--edition", PRINTED), "round of edition"),
        (EditionRef("house", "0" * 64), (), "round of edition 'house'"),
        (EditionRef(SINCE_2021, "0" * 64), (), "of hash 000000000000"),
    ):
        code, out, err = law("settle", *options, stdin=rich_round(edition).to_json())
        assert (code, out, len(err)) == (2, [], 1), err
        assert why in err[0]
    with pytest.raises(SettlementRefused, match="round of edition"):
        settle(rich_round(since), load_game("three-card.co"))


def test_meters_go_on_from_a_round_of_one_edition_to_one_of_the_next() -> None:
    """47.1-1017.10(10)(i): a straight flush is paid a tenth of the meter."""
    seats = [seat_of(1, "5S 6S 7S 8S 9S", ante=500, bet=1000, progressive=100)]
    dealer = Hand(cards=("AH", "KD", "7C", "4D", "2H"), counted=5, expected=5)
    dealt = ended_round("caribbean-stud.co", seats, dealer=dealer)
    rounds = [
        replace(dealt, round=number, edition=load_edition(name).ref)
        for number, name in enumerate((PRINTED, SINCE_2021, PRINTED), 1)
    ]
    for game in ((), ("--game", "caribbean-stud.co")):
        found = settled_by(*rounds, options=("--meter", "meter=1000000", *game))
        assert [[(meter.before, meter.after) for meter in each.meters] for each in found] == [
            [(1_000_000, 900_000)],
            [(900_000, 810_000)],
            [(810_000, 729_000)],
        ]


def test_a_recording_is_judged_by_its_own_day() -> None:
    file = str(CAPTURES / "three-card.co.pcapng")
    rounds = [each for each in objects("replay", file, "--json") if each["type"] in ("round", "settlement")]
    assert {each["edition"]["id"] for each in rounds} == {PRINTED}, "as printed, where none is named"
    rounds = objects("replay", file, "--json", "--edition", SINCE_2021)
    assert {each["edition"]["id"] for each in rounds if each["type"] in ("round", "settlement")} == {SINCE_2021}
    code, out, err = law("replay", file, "--edition", PRINTED)
    assert code == 2
    assert "recorded on the gaming day 20" in err[-1]
    assert f"outside the edition {PRINTED}, which holds from 2013-10-16 until 2021-04-30" in err[-1]
    assert not [line for line in out if "Round" in line]


# ------------------------------------------------------------------ the journal


def begun(journal: Journal, part: TablePart, facts: dict[str, Any]) -> TableStart:
    return TableStart("a", 1, configuration_of(part), facts)


def test_a_journal_keeps_the_edition_and_one_of_before_has_none(tmp_path: Path) -> None:
    with Journal(tmp_path / "j", key=None, clock=ManualClock()) as journal, TableFactory(journal.path) as maker:
        part = part_of(edition=SINCE_2021)
        facts = maker.facts(part)
        assert facts["files"]["edition"] == load_edition(SINCE_2021).ref.sha256
        assert json.loads(configuration_of(part))["edition"] == SINCE_2021
        assert "edition" not in json.loads(configuration_of(part_of()))
        table = maker(begun(journal, part, facts)).table
        assert table.flow.plan.edition == load_edition(SINCE_2021).ref
        older = {key: value for key, value in facts["files"].items() if key != "edition"}
        table = maker(begun(journal, part_of(), {**facts, "files": older})).table
        assert table.flow.plan.edition is None
        assert table.terms is not None
        assert table.terms.game.edition is None
        facts["files"]["edition"] = "0" * 64
        with pytest.raises(SettingsChanged, match="the edition is not the one it began with"):
            maker(begun(journal, part, facts))


def test_a_served_table_deals_settles_and_is_dealt_again_in_its_edition(tmp_path: Path) -> None:
    with simulators_here() as addresses:
        file = write_configuration(tmp_path, addresses, more=f'edition = "{SINCE_2021}"')
        service, listener = opened(file)
        with service:
            run_until(service, lambda: len(listener.of("settlement")) >= 1)
            assert {view.edition for view in service.hub.views().values()} == {SINCE_2021}
    with JournalReader(tmp_path / "journal.sqlite") as reader:
        lines = [json.loads(each.line) for each in reader.publications() if each.topic in ("round", "settlement")]
    assert {each["edition"]["id"] for each in lines} == {SINCE_2021}
    assert compared(tmp_path).difference is None
    code, out, err = law("journal", "rebuild", str(tmp_path / "journal.sqlite"), "--key", str(tmp_path / "journal.key"))
    assert code == 0, err
    number = str(next(each["round"] for each in lines if each["type"] == "round"))
    key = ("--key", str(tmp_path / "journal.key"))
    code, out, err = law("journal", "round", number, str(tmp_path / "journal.sqlite"), *key)
    assert code == 0, err
    assert any("edition" in line and SINCE_2021 in line for line in out)
