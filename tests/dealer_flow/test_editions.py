"""Editions of the law: what a file of one may say, what it changes, and hands dealt in two of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dealer_flow.editions import Edition, EditionError, amend, edition_ids, load_edition, printed_edition
from dealer_flow.games import files_of
from dealer_flow.procedure.load import Procedure, known_procedures, load_procedure
from dealer_flow.tomlfile import TOML_MAX_BYTES
from rules import Settlement, load_game, settle
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.plays import go_on

PRINTED = load_edition("colorado-rule-10")
SINCE_2021 = load_edition("colorado-2021-05-01")
OF_COLORADO = [name for name in known_procedures() if PRINTED.of(load_procedure(name).jurisdiction)]

HEAD = """schema = "dealwire.edition/1"
id = "house"
title = "a house's own"
base = "colorado-2021-05-01"
source = "its lawyer"
"""


def edition_of(folder: Path, text: str, head: str = HEAD) -> Edition:
    file = folder / "house.toml"
    file.write_text(head + text, encoding="utf-8")
    return load_edition(file)


# ------------------------------------------------------------------ what holds when


def test_a_day_is_in_one_edition_of_colorado_alone() -> None:
    days = {"2013-10-15": [], "2013-10-16": [PRINTED], "2021-04-30": [PRINTED], "2021-05-01": [SINCE_2021]}
    for day, in_force in days.items():
        assert [each for each in (PRINTED, SINCE_2021) if each.holds_on(day)] == in_force


def test_every_text_of_the_package_has_its_printed_edition() -> None:
    found = {name: load_procedure(name).edition for name in known_procedures()}
    assert {each.id for each in found.values() if each is not None} == {
        *("colorado-rule-10", "south-dakota-2015", "washington-rule-sheet", "race-to-the-flush")
    }
    assert all(found.values())
    assert printed_edition("Nevada, a house's own rules") is None


def test_the_edition_of_2021_is_a_file_of_at_most_twenty_lines() -> None:
    assert len(SINCE_2021.text.splitlines()) <= 20 < TOML_MAX_BYTES


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ('effective = "2021-13-01"', 6, "effective: not a date: '2021-13-01'; expected one such as 2021-05-01"),
        ('effective = 2022-01-01\nuntil = "2021-12-31"', 7, "until: 2021-12-31 is before 2022-01-01, when it begins"),
        ('[[change]]\nclause = "47.1-1002(2)"', 6, "change[1].keys: missing; a change needs keys, or cited-as"),
        ('[[change]]\nclause = "x"\ncited-as = "y"\nis = 5', 6, "change[1].keys: missing; the key of the figure"),
        ('[[change]]\nkeys = ["limit"]', 6, "change[1].clause: missing"),
        ('change = [{ clause = "x", keys = ["limit."] }]', 6, "change[1].keys[1]: must be a key, with dots"),
        (
            'effective = 2022-01-01\n[[change]]\nclause = "x"\nkeys = ["y"]\neffective = 2023-01-01',
            10,
            "is after 2022-",
        ),
        ('until = 2022-01-01\n[[change]]\nclause = "x"\nkeys = ["y"]\nuntil = 2021-12-31', 10, "is before 2022-01-01"),
    ],
)
def test_a_file_that_cannot_be_meant_is_one_line(tmp_path: Path, text: str, line: int, why: str) -> None:
    with pytest.raises(EditionError) as refused:
        edition_of(tmp_path, text)
    assert str(refused.value).startswith(f"{tmp_path / 'house.toml'}:{line}: ")
    assert why in str(refused.value)


def test_what_an_edition_stands_on_is_there_and_is_not_itself(tmp_path: Path) -> None:
    for base, why in (("no-such", "base: no such edition"), ("house.toml", "base: extends itself")):
        with pytest.raises(EditionError, match=why):
            edition_of(tmp_path, "", HEAD.replace("colorado-2021-05-01", base))
    alone = HEAD.replace('base = "colorado-2021-05-01"\n', "")
    with pytest.raises(EditionError, match="jurisdiction: missing"):
        edition_of(tmp_path, "", alone)
    with pytest.raises(EditionError, match="change: an edition without a base is the printed text"):
        edition_of(tmp_path, 'jurisdiction = "Nevada"\n[[change]]\nclause = "x"\nkeys = ["y"]', alone)
    with pytest.raises(EditionError, match=r"no such edition.*known: colorado-2021-05-01"):
        load_edition("colorado")


# ------------------------------------------------------------------ what it changes


@pytest.mark.every(4)
@pytest.mark.parametrize("name", OF_COLORADO)
def test_a_procedure_keeps_its_hash_and_loses_the_limit_of_a_bet(name: str) -> None:
    printed, since = load_procedure(name), load_procedure(name, SINCE_2021)
    assert since.ref() == printed.ref()
    assert (printed.edition, since.edition) == (PRINTED, SINCE_2021)
    assert printed.limit is not None
    assert since.limit is None
    for bet in since.bet:
        assert all(must.at_most != "$100" for must in bet.must), bet.name
    if since.betting is not None and printed.betting is not None:
        assert printed.betting.most_bet is not None
        assert since.betting.most_bet is since.betting.most_raise is None
        assert "at most $100" in printed.betting.words()
        assert since.betting.words() == "No one bets more than the seat's stake at the start of the hand."


def test_what_a_section_asks_beyond_the_limit_stands() -> None:
    ante = next(bet for bet in load_procedure("caribbean-stud.co", SINCE_2021).bet if bet.name == "ante")
    assert [must.at_most for must in ante.must] == ["$50"]
    assert [each.at_most for each in load_procedure("home-run.co", SINCE_2021).total] == ["$100"] * 3


def test_a_game_keeps_its_hash_and_its_law_loses_the_limit() -> None:
    for name in files_of("pays"):
        printed = load_game(name)
        if PRINTED.of(printed.spec.jurisdiction):
            since = load_game(name, edition=SINCE_2021)
            assert (since.sha256, since.edition) == (printed.sha256, SINCE_2021)
            assert printed.law is not None
            assert since.law is not None
            assert (printed.law.most_cents, since.law.most_cents) == (10_000, None)


def test_a_figure_is_found_by_key_clause_and_value_and_cited_anew(tmp_path: Path) -> None:
    change = """
    [[change]]
    clause = "47.1-1017.10(2)"
    keys = ["bet.ante.must.at-most"]
    was = "$50"
    is = "$250"
    cited-as = "30-1099.10(2)"
    """
    house = edition_of(tmp_path, change)
    ante = next(bet for bet in load_procedure("caribbean-stud.co", house).bet if bet.name == "ante")
    assert [(must.at_most, must.clause) for must in ante.must] == [("$250", "30-1099.10(2)")]
    for was, becomes in (('"$50"', '"$60"'), ("1017.10(2)", "1017.10(2)(a)"), ("bet.ante", "bet.blind")):
        other = edition_of(tmp_path, change.replace(was, becomes))
        ante = next(bet for bet in load_procedure("caribbean-stud.co", other).bet if bet.name == "ante")
        assert [must.at_most for must in ante.must] == ["$50"], becomes


def test_a_figure_that_the_base_lacks_is_put_where_the_clause_is_cited(tmp_path: Path) -> None:
    """South Dakota's section prints no limit of a bet."""
    head = HEAD.replace("colorado-2021-05-01", "south-dakota-2015")
    change = """
    [[change]]
    clause = "CLAUSE"
    keys = ["limit"]
    was = "none"
    is = { each-bet = "$1000", clause = "a law of South Dakota" }
    """
    printed = load_procedure("flushes-gone-wild.sd")
    change = change.replace("CLAUSE", printed.clause)
    found = load_procedure("flushes-gone-wild.sd", edition_of(tmp_path, change, head))
    assert printed.limit is None
    assert found.limit is not None
    assert (found.limit.each_bet, found.limit.clause) == ("$1000", "a law of South Dakota")
    limits = load_game("flushes-gone-wild.sd", edition=edition_of(tmp_path, change, head)).law
    assert limits is not None
    assert limits.most_cents == 100_000
    other = edition_of(tmp_path, change.replace('"none"', '"$5"'), head)
    assert load_procedure("flushes-gone-wild.sd", other).limit is None


def test_an_option_may_be_another_one(tmp_path: Path) -> None:
    """Its citation is the section of its file."""
    change = """
    [[change]]
    clause = "SECTION"
    keys = ["option.raises-per-round.allowed"]
    is = ["3", "4"]

    [[change]]
    clause = "SECTION"
    keys = ["option.raises-per-round.default"]
    is = "4"
    """
    edition = edition_of(tmp_path, change.replace("SECTION", load_procedure("holdem.co").clause))
    options = {each.name: each for each in load_procedure("holdem.co", edition).option}
    option = options["raises-per-round"]
    assert (option.allowed, option.default) == (("3", "4"), "4")


def test_a_row_that_says_nothing_else_goes_with_its_figure_and_others_stay() -> None:
    content = {
        "limit": {"each-bet": "$100", "clause": "1(2)"},
        "other": {"clause": "1(2)"},
        "bet": [
            {"name": "a", "must": [{"at-most": "$100", "clause": "2(1)"}, {"at-least": "$1", "clause": "2(1)"}]},
            {"name": "b", "must": [{"at-most": "$100", "clause": "1(2)(a)"}]},
            {"name": "c", "must": [{"at-most": "$100", "clause": "3, 1(2), (4)"}]},
        ],
    }
    part = SINCE_2021.part.change[0].model_copy(
        update={"clause": ("1(2)", "2(1)"), "keys": ("limit.each-bet", "bet.must.at-most")}
    )
    edition = Edition(PRINTED.part.model_copy(update={"change": (part,)}), "made.toml", "")
    found, changes = amend(content, edition)
    assert found == {
        "other": {"clause": "1(2)"},
        "bet": [
            {"name": "a", "must": [{"at-least": "$1", "clause": "2(1)"}]},
            {"name": "b", "must": [{"at-most": "$100", "clause": "1(2)(a)"}]},
            {"name": "c"},
        ],
    }
    assert [(each.key, each.clause, each.was, each.now) for each in changes] == [
        ("limit.each-bet", "1(2)", "$100", None),
        ("bet.c.must.at-most", "1(2)", "$100", None),
        ("bet.a.must.at-most", "2(1)", "$100", None),
    ]
    assert content["limit"] == {"each-bet": "$100", "clause": "1(2)"}


def test_an_edition_that_asks_for_what_cannot_be_names_its_change(tmp_path: Path) -> None:
    house = edition_of(tmp_path, '[[change]]\nclause = "47.1-1017.10(2)"\nkeys = ["bet.ante.must.at-most"]\nis = 5')
    with pytest.raises(EditionError) as refused:
        load_procedure("caribbean-stud.co", house)
    assert str(refused.value).startswith(f"{tmp_path / 'house.toml'}:")
    assert "caribbean-stud.co: bet[1].must[1].at-most: must be a text" in str(refused.value)


# ------------------------------------------------------------------ hands dealt in both


THREE_CARD = """bets 1: ante 50000, pair-plus 100 / bets 2: ante 500 / start / packet seat 1: QH QD 4C
 / packet seat 2: 9C TC 2C / packet dealer: KS TH 3D / dump / choose 1: play, play 50000 / choose 2: play, play 500
 / show dealer: KS TH 3D / show seat 2: 9C TC 2C / show seat 1: QH QD 4C / end""".replace("\n", "")


def dealt(procedure: Procedure, lines: str) -> HandTable:
    return go_on(HandTable(procedure), lines)


def settled_in(edition: Edition) -> Settlement:
    table = dealt(load_procedure("three-card.co", edition), THREE_CARD)
    (result,) = table.results
    assert result.edition == edition.ref
    return settle(result, load_game("three-card.co", edition=edition))


def test_an_ante_of_500_dollars_is_held_as_printed_and_settled_since_2021() -> None:
    """47.1-1002(2): queens against a dealer who qualifies; the next seat bets five dollars in both."""
    before, since = settled_in(PRINTED), settled_in(SINCE_2021)
    assert (before.edition, since.edition) == (PRINTED.ref, SINCE_2021.ref)
    assert before.game == since.game
    held = {(line.seat, line.bet): line.clause for line in before.lines if line.result == "held"}
    assert held == {(1, "ante"): "47.1-1002(2)", (1, "play"): "47.1-1002(2)"}
    assert (before.status, since.status) == ("partly-held", "settled")
    won = {line.bet: (line.result, line.pay) for line in since.lines if line.seat == 1}
    assert won == {"ante": ("win", 50_000), "play": ("win", 50_000), "pair-plus": ("win", 100)}
    assert [line for line in before.lines if line.seat == 2] == [line for line in since.lines if line.seat == 2]
    assert (before.limit_cents, since.limit_cents) == (10_000, None)


def test_a_house_sets_a_limit_of_its_own_since_2021() -> None:
    table = dealt(load_procedure("three-card.co", SINCE_2021), THREE_CARD)
    game = load_game("three-card.co", edition=SINCE_2021)
    limited = settle(table.results[0], game, limit_cents=20_000)
    held = {line.bet: line.clause for line in limited.lines if line.result == "held"}
    assert held == {"ante": "house limit", "play": "house limit"}


HOLDEM = (
    "stakes 1: 200000, 2: 200000, 3: 200000, 4: 200000 / bets 1: small-blind 100 / bets 2: big-blind 200 / start at 4"
    " / draw seat 1 AH KH | seat 2 2C 3C | seat 3 4D 5D | seat 4 6S 7S / acts 3: raise 60000 / acts 4: call 60000"
    " / acts 1: fold / acts 2: call 60000 / burn-card 9S / draw community 9C TC JC / acts 2: bet 50000 / acts 3: fold"
)


def test_players_bet_no_cap_between_them_since_2021() -> None:
    since = dealt(load_procedure("holdem.co", SINCE_2021), HOLDEM)
    assert since.codes == []
    lies = {seat.seat: sum(seat.wagers.values()) for seat in since.end().seats}
    assert lies == {1: 100, 2: 110_000, 3: 60_000, 4: 60_000}


def test_as_printed_a_raise_and_a_bet_of_more_than_a_hundred_dollars_are_refused() -> None:
    """47.1-1002(2) and (27)."""
    table = dealt(load_procedure("holdem.co"), HOLDEM.partition(" / acts 4")[0])
    assert [(each.code, each.reason, each.clause) for each in table.incidents] == [
        ("action-refused", "raise_within_limit", "47.1-1002(27)")
    ]


def test_a_stake_bounds_a_bet_in_every_edition() -> None:
    table = dealt(load_procedure("holdem.co", SINCE_2021), HOLDEM.partition(" / acts 4")[0].replace("60000", "200001"))
    assert [each.reason for each in table.incidents] == ["stake_covers"]


def test_emperors_wager_loses_the_figure_that_repeats_the_limit() -> None:
    """47.1-1017.49(4)."""
    lines = "bets 1: primary 50000 / start at 1"
    printed, since = (dealt(load_procedure("emperors-challenge.co", each), lines) for each in (PRINTED, SINCE_2021))
    assert {each.clause for each in printed.incidents} == {"47.1-1017.49(4)"}
    assert since.codes == []


def test_a_house_without_a_known_jurisdiction_names_no_edition() -> None:
    procedure = load_procedure("three-card.co").model_copy(update={"jurisdiction": "Nevada"}).standing_in(None)
    assert dealt(procedure, THREE_CARD).results[0].edition is None


def test_every_edition_of_the_package_can_be_read() -> None:
    assert [load_edition(name).id for name in edition_ids()] == [*edition_ids()]
