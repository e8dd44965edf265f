"""The 45 games that Colorado authorizes: each is dealt and settled by an existing file, and no file is left out."""

from dealer_flow.procedure.load import known_procedures, load_procedure
from docs._print.games import authorized
from rules.game.load import game_ids, load_game

COLORADO = "Colorado"
OWN_SECTION = "47.1-1017.60"
"""Section of Flushes Gone Wild, which no list of the other games in the text has."""


def test_all_forty_five_stand_there_once() -> None:
    rows = authorized()
    assert [row["number"] for row in rows] == list(range(1, 46))
    assert len({row["name"] for row in rows}) == 45


def test_each_is_dealt_by_its_section_and_settled() -> None:
    for row in authorized():
        assert row["dealt"], row
        assert row["settled"], row
        for name in row["dealt"]:
            assert load_procedure(name).clause == row["clause"], name
        settled = {procedure for name in row["settled"] for procedure in load_game(name).spec.procedures}
        assert settled == set(row["dealt"]), row


def test_no_game_of_colorado_is_left_out() -> None:
    rows = authorized()
    dealt, settled = {name for row in rows for name in row["dealt"]}, {name for row in rows for name in row["settled"]}
    of_rule_10 = {
        name
        for name in known_procedures()
        if (procedure := load_procedure(name)).jurisdiction.startswith(COLORADO) and procedure.clause != OWN_SECTION
    }
    assert dealt == of_rule_10
    games = {name for name in game_ids() if set(load_game(name).spec.procedures) & of_rule_10}
    assert settled == games
    assert sum(len(row["settled"]) for row in rows) == len(games), "each settles one of them"
