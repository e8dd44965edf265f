"""Games that extend others: the merged content, the place of each error, and the merged file."""

import json
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_flow.games import files_of, paytable_files
from dealer_flow.layers import DEEPEST_BASE
from dealwire.cli import main
from protocol.tomlfile import TomlFileError
from rules.game.layers import compose
from rules.game.load import game_ids, load_game
from rules.game.whole import whole_game_text
from tests.support.reading.each import of_each

HEAD = """schema = "dealwire.game/3"
base = "three-card.co"
id = "mine"
"""
VARIANT = (
    HEAD
    + """name = "Three Card Poker, our pair plus"
without = ["bets.ante-bonus.pairs-with"]

[[bets]]
name = "pair-plus"
paytables = ["OURS"]

[paytables.OURS]
base = "TC-PP-1"
rows = [{ when = "flush", pays = "3 to 1", clause = "procedure" }]
"""
)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(VARIANT, encoding="utf-8")
    return path


# ------------------------------------------------------------------ what differs, and nothing else


def test_a_variant_of_fifteen_lines_is_its_base_but_for_what_it_says(mine: Path) -> None:
    assert len(VARIANT.splitlines()) <= 15
    base, game = load_game("three-card.co"), load_game(mine)
    assert game.bets["pair-plus"].paytables == ("OURS",)
    rows = {row.when: row.pays.text for row in game.paytables["OURS"].rows}
    printed = {row.when: row.pays.text for row in base.paytables["TC-PP-1"].rows}
    assert rows == printed | {"flush": "3 to 1"}
    assert [*rows] == [*printed]
    assert (game.paytables["OURS"].title, game.paytables["OURS"].label) == ("Three Card Poker, our pair plus, OURS", "")
    same = {"bets", "paytables", "id", "name"}
    assert game.spec.model_dump(exclude=same) == base.spec.model_dump(exclude=same)
    assert [bet for bet in game.spec.bets if bet.name not in ("pair-plus", "ante-bonus")] == [
        bet for bet in base.spec.bets if bet.name not in ("pair-plus", "ante-bonus")
    ]
    changed = {"pairs_with": None, "paytables": base.bets["ante-bonus"].paytables}
    assert game.bets["ante-bonus"] == base.bets["ante-bonus"].model_copy(update=changed)
    assert [bet.name for bet in game.spec.bets] == [bet.name for bet in base.spec.bets]
    assert game.sha256 != base.sha256


def test_a_house_stands_on_its_own_file_in_another_folder(mine: Path, tmp_path: Path) -> None:
    folder = tmp_path / "floor"
    folder.mkdir()
    row = '[paytables.OURS]\nrows = [{ when = "pair", pays = "2 to 1", clause = "procedure" }]\n'
    text = HEAD.replace("three-card.co", "../mine.toml").replace('"mine"', '"second"')
    (folder / "second.toml").write_text(text + row, encoding="utf-8")
    game = load_game(folder / "second.toml")
    pays = {each.when: each.pays.text for each in game.paytables["OURS"].rows}
    assert (pays["flush"], pays["pair"], pays["straight"]) == ("3 to 1", "2 to 1", "6 to 1")
    assert game.spec.name == "Three Card Poker, our pair plus"


def test_rows_and_keys_of_a_pay_table_are_taken_away(tmp_path: Path) -> None:
    text = VARIANT.replace('base = "TC-PP-1"', 'base = "TC-PP-1"\nwithout = ["rows.pair", "label"]').replace(
        '"label"', '"rows.straight"'
    )
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    rows = [row.when for row in load_game(path).paytables["OURS"].rows]
    assert rows == ["straight flush", "three of a kind", "flush"]


def test_a_table_written_in_the_file_counts_as_one_in_its_own_file(tmp_path: Path) -> None:
    """The same content, in any file, makes the same game by its hash."""
    own = paytable_files()["TC-PP-2"].read_text().replace("TC-PP-2", "OURS")
    head = VARIANT.partition("[paytables.OURS]")[0]
    inline = "\n".join(line for line in own.splitlines() if not line.startswith(("schema", "id")))
    (tmp_path / "inline.toml").write_text(f"{head}[paytables.OURS]\n{inline}\n", encoding="utf-8")
    (tmp_path / "beside.toml").write_text(head, encoding="utf-8")
    (tmp_path / "paytables").mkdir()
    (tmp_path / "paytables" / "OURS.toml").write_text(own, encoding="utf-8")
    inlined, beside = load_game(tmp_path / "inline.toml"), load_game(tmp_path / "beside.toml")
    assert (inlined.sha256, inlined.paytables) == (beside.sha256, beside.paytables)


def test_a_new_bet_stands_where_its_file_has_it(tmp_path: Path) -> None:
    new = '[[bets]]\nname = "NEW"\nkind = "table"\npaytables = ["TC-PP-1"]\nclauses = { win = "a", lose = "a" }\n'
    known = '[[bets]]\nname = "ante-bonus"\nfold = "stands"\n'
    own = ["play", "ante-bonus", "ante", "pair-plus", "six-card-bonus", "progressive"]
    for rows, at in ((f"{known}{new}", 2), (f"{new}{known}", 1), (new, 6)):
        path = tmp_path / "mine.toml"
        path.write_text(HEAD + rows, encoding="utf-8")
        names = [bet.name for bet in load_game(path).spec.bets]
        assert names == [*own[:at], "NEW", *own[at:]]
    two = new.replace("NEW", "NEW-2")
    path.write_text(HEAD + known + new + two, encoding="utf-8")
    assert [bet.name for bet in load_game(path).spec.bets][1:4] == ["ante-bonus", "NEW", "NEW-2"]


# ------------------------------------------------------------------ where a fault is


WAYS_WRONG = [
    ('"three-card.co"', '"three-card.ca"', "2: base: no game 'three-card.ca' (did you mean three-card.co?); allowed: "),
    ('"three-card.co"', '["three-card.co", 7]', "2: base[2]: must be a text"),
    ('"three-card.co"', '"mine.toml"', "2: base: 'mine.toml' extends this file itself"),
    ('"three-card.co"', '"nix.toml"', "2: base: nix.toml: cannot be read: No such file or directory"),
    (
        '"bets.ante-bonus.pairs-with"',
        '"bets.tip"',
        "5: without[1]: 'bets.tip' removes nothing; the files ",
    ),
    (
        '"bets.ante-bonus.pairs-with"',
        '"bets.ante-bonus.pairs"',
        "5: without[1]: 'bets.ante-bonus.pairs' removes nothing (did you mean pairs-with?); the files below give "
        "bets.ante-bonus.name, bets.ante-bonus.kind, ",
    ),
    ('"bets.ante-bonus.pairs-with"', '"bounds"', "5: without[1]: 'bounds' removes nothing; the files below give "),
    (
        'name = "pair-plus"',
        'name = "pair-pluss"',
        (
            "8: bets[1].name: the base has no bet 'pair-pluss' (did you mean "
            "pair-plus?), and a new bet needs a kind; known bets: "
        ),
    ),
    ('base = "TC-PP-1"', 'base = "TC-PP-99"', "12: paytables.OURS.base: no pay table 'TC-PP-99'; allowed: one "),
    ('"flush"', '"flushh"', "13: paytables.OURS.rows[1].when: 'flushh' is not for a poker table; allowed: "),
    ('"3 to 1"', '"3 too 1"', "13: paytables.OURS.rows[1].pays: not a pay; allowed: "),
    (
        'base = "TC-PP-1"',
        'base = "TC-PP-1"\nwithout = ["rows.pairs"]',
        "13: paytables.OURS.without[1]: 'rows.pairs' removes nothing (did you mean pair?); the files below give ",
    ),
    (
        '"bets.ante-bonus.pairs-with"',
        '"bets.ante-bonus.pairs-with", "returns.dead"',
        "5: without[2]: 'returns.dead' removes nothing (did you mean dead-hand?); the files below give ",
    ),
    ('paytables = ["OURS"]', 'paytables = ["TC-PP-2"]', "11: paytables.OURS: pays no bet; allowed: "),
    ('paytables = ["OURS"]', 'paytables = ["OUR"]', "9: bets[1].paytables: no pay table 'OUR' in this file, in "),
    ("game/3", "game/2", "1: schema: dealwire.game/2 is an earlier version; `dealwire convert FILE"),
    ("rows = [{ when", "rows = 7\nnotes = [{ when", "13: paytables.OURS.rows: must be a list, not 7"),
]


@pytest.mark.parametrize(("old", "new", "why"), WAYS_WRONG, ids=[each[1][:40] for each in WAYS_WRONG])
def test_a_mistake_is_one_line_of_the_layer_that_says_it(old: str, new: str, why: str, mine: Path) -> None:
    assert old in VARIANT
    mine.write_text(VARIANT.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(TomlFileError) as refused:
        load_game(mine)
    said = str(refused.value)
    assert said.startswith(f"{mine}:{why}")
    assert "\n" not in said


def test_pay_tables_that_are_none(mine: Path) -> None:
    for tables, key in (("paytables = 7\n", "paytables"), ("[paytables]\nOURS = 7\n", "paytables.OURS")):
        mine.write_text(HEAD + tables, encoding="utf-8")
        with pytest.raises(TomlFileError, match=rf"{key}: must be a table$"):
            load_game(mine)


def test_what_the_base_says_is_wrong_at_its_own_line(mine: Path) -> None:
    """Seventeen ante bonuses are printed in pairs with as many tables of pair plus."""
    mine.write_text(VARIANT.replace('without = ["bets.ante-bonus.pairs-with"]\n', ""), encoding="utf-8")
    base = files_of("pays")["three-card.co"]
    line = next(
        number
        for number, text in enumerate(base.read_text().splitlines(), 1)
        if text.startswith('pairs-with = { bet = "pair-plus"')
    )
    with pytest.raises(TomlFileError) as refused:
        load_game(mine)
    assert str(refused.value) == (
        f"{base}:{line}: bets[2].pairs-with: 17 tables of 'ante-bonus' and 1 of 'pair-plus' do not form pairs"
    )


def test_a_fault_below_names_the_file_below(mine: Path, tmp_path: Path) -> None:
    above = tmp_path / "above.toml"
    above.write_text(HEAD.replace("three-card.co", "mine.toml"), encoding="utf-8")
    mine.write_text(VARIANT.replace('"3 to 1"', '"3 too 1"'), encoding="utf-8")
    with pytest.raises(TomlFileError) as refused:
        load_game(above)
    assert str(refused.value).startswith(f"{mine}:13: paytables.OURS.rows[1].pays: not a pay; ")
    mine.write_text(paytable_files()["TC-PP-1"].read_text(), encoding="utf-8")
    with pytest.raises(TomlFileError) as refused:
        load_game(above)
    assert str(refused.value).endswith(":2: schema: must be 'dealwire.game/3', because a game extends this file")


def test_so_many_files_upon_each_other(tmp_path: Path) -> None:
    for number in range(DEEPEST_BASE + 1):
        below = "three-card.co" if number == DEEPEST_BASE else f"g{number + 1}.toml"
        text = HEAD.replace("three-card.co", below).replace('"mine"', f'"g{number}"')
        (tmp_path / f"g{number}.toml").write_text(text, encoding="utf-8")
    assert load_game(tmp_path / "g2.toml").spec.name == "Three Card Poker"
    with pytest.raises(TomlFileError, match=f"base: more than {DEEPEST_BASE} files in a chain"):
        load_game(tmp_path / "g0.toml")


# ------------------------------------------------------------------ one file of all


@pytest.mark.more
@of_each("name", game_ids())
def test_a_game_written_out_is_the_same_by_its_hash(name: str) -> None:
    text, game = whole_game_text(name), load_game(name)
    assert tomllib.loads(text).keys().isdisjoint({"base", "without"})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "whole.toml"
        path.write_text(text, encoding="utf-8")
        again = load_game(path)
    assert (again.sha256, again.paytables, again.tables.keys()) == (game.sha256, game.paytables, game.tables.keys())
    lines = files_of("pays")[name].read_text("utf-8").splitlines()
    comments = [line.partition("#")[2] for line in lines if not line.startswith(("base", "without"))]
    assert [each for each in comments if each not in text] == []


def test_the_command_writes_a_game_out(mine: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["games", "--flatten", str(mine)])
    assert (done.exit_code, done.stdout) == (0, whole_game_text(mine))
    assert "# ---- the game three-card.co\n" in done.stdout
    (tmp_path / "alone.toml").write_text(done.stdout, encoding="utf-8")
    assert load_game(tmp_path / "alone.toml").sha256 == load_game(mine).sha256
    assert CliRunner().invoke(main, ["games", "--flatten", "champion.co-seven"]).stdout == whole_game_text(
        "champion.co-seven"
    )
    done = CliRunner().invoke(main, ["games", "--flatten", "--as-game", "three-card.co"])
    assert (done.exit_code, done.stdout) == (0, whole_game_text("three-card.co"))
    assert 'schema = "dealwire.procedure' in CliRunner().invoke(main, ["games", "--flatten", "three-card.co"]).stdout
    assert CliRunner().invoke(main, ["games", "--as-game", "three-card.co"]).exit_code == 2


# ------------------------------------------------------------------ whatever the layers hold

NAMES = st.sampled_from("abc")
KEYS = st.sampled_from(["kind", "fold", "clauses"])
ROW = st.dictionaries(KEYS, st.one_of(st.integers(0, 9), st.dictionaries(NAMES, st.integers(0, 9), max_size=2)))
LAYERS = st.lists(st.dictionaries(NAMES, ROW, max_size=3), min_size=2, max_size=4)


def upon(below: Any, above: Any) -> Any:
    """Merge tables key by key."""
    if isinstance(below, dict) and isinstance(above, dict):
        return {**below, **{key: upon(below.get(key), part) for key, part in above.items()}}
    return above


@settings(max_examples=100, deadline=None)
@given(LAYERS)
def test_rows_are_merged_key_by_key_and_each_key_is_found_in_its_layer(layers: list[dict[str, Any]]) -> None:
    layers[0] = {name: {"kind": 0, **layers[0].get(name, {})} for name in "abc"}
    with tempfile.TemporaryDirectory() as folder:
        want: dict[str, Any] = {}
        for number, rows in enumerate(layers):
            base = f'base = "l{number - 1}.toml"\n' if number else ""
            text = f'schema = "dealwire.game/3"\n{base}'
            for name, row in rows.items():
                text += f'[[bets]]\nname = "{name}"\n' + "".join(
                    f"{key} = {json.dumps(value).replace(':', ' =')}\n" for key, value in row.items()
                ).replace('{"', '{ "')
            (Path(folder) / f"l{number}.toml").write_text(text, encoding="utf-8")
            want = {**want, **{name: upon(want.get(name, {}), row) for name, row in rows.items()}}
        last = Path(folder) / f"l{len(layers) - 1}.toml"
        whole = compose(last.read_text(encoding="utf-8"), str(last))
        found = whole.content().get("bets", [])
        assert {row["name"]: {key: value for key, value in row.items() if key != "name"} for row in found} == want
        for number, row in enumerate(found):
            for key, value in row.items():
                layer, there = whole.place(("bets", number, key))
                top = max(at for at, rows in enumerate(layers) if key == "name" or key in rows.get(row["name"], {}))
                if not isinstance(value, dict) and key != "name":
                    assert Path(layer.file).name == f"l{top}.toml"
                    assert layer.content["bets"][there[1]][key] == value


# ------------------------------------------------------------------ a variant is a game


def test_a_variant_settles_rounds_and_is_served_at_a_table(mine: Path, tmp_path: Path) -> None:
    run = CliRunner()
    capture = Path(__file__).parents[2] / "captures" / "three-card.co.pcapng"
    dealt = run.invoke(main, ["replay", str(capture), "--procedure", "three-card.co", "--no-settle", "--json"]).stdout
    rounds = "".join(line for line in dealt.splitlines(keepends=True) if json.loads(line)["type"] == "round")
    done = run.invoke(main, ["settle", "--game", str(mine)], input=rounds)
    assert done.exit_code == 0
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert {line["game"]["sha256"] for line in lines if line["type"] == "settlement"} == {load_game(mine).sha256}
    assert any("in OURS" in line for line in done.stdout.splitlines())
    (tmp_path / "table.toml").write_text(
        'schema = "dealwire.table/1"\n[journal]\npath = "mine.journal"\n[[table]]\nname = "mine-1"\nseats = 3\n'
        'procedure = "three-card.co"\ngame = "mine.toml"\npaytables = { pair-plus = "OURS" }\n'
        'device = [{ name = "shuffler", kind = "shuffler", address = "tcp://127.0.0.1:7001" },\n'
        '{ name = "controller", kind = "table-controller", address = "tcp://127.0.0.1:7002" }]\n',
        encoding="utf-8",
    )
    done = run.invoke(main, ["run", "--check", str(tmp_path / "table.toml")])
    assert done.exit_code == 0, done.output
    assert f"mine-1: three-card.co, settled by {mine}; 2 devices" in done.stdout
