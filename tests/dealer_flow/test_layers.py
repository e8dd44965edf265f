"""Procedures that extend others: the merged content, and the source of each of its lines."""

import json
import os
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_flow.games import GAMES, files_of
from dealer_flow.layers import DEEPEST_BASE, MOST_LAYERS, Whole
from dealer_flow.procedure.layers import (
    PART_SCHEMA,
    PARTS,
    ProcedureError,
    compose,
    known_parts,
)
from dealer_flow.procedure.load import (
    check_part,
    check_procedure,
    known_procedures,
    load_procedure,
    parse_procedure,
    whole_text,
)
from dealer_flow.written_out import plain, written_out
from dealwire.cli import main
from tests.support.reading.each import of_each
from tests.support.reading.guides import ROOT, GuideReader, blocks
from tests.support.reading.refusals import check_refusal

SISTER = """
schema = "dealwire.procedure/2"
base = ["three-card.co"]
id = "mine"
title = "Mine"
"""


def laid(text: str) -> Whole:
    """Merge a file in the folder of the package's files."""
    return compose(text, str(GAMES / "mine.toml"))


def rows(whole: Whole, kind: str) -> list[str]:
    return [row.get("name") or row.get("class") for row in whole.content()[kind]]


# ------------------------------------------------------------------ one upon the other


def test_a_sister_says_only_what_differs() -> None:
    base, sister = load_procedure("three-card.co"), parse_procedure(SISTER, str(GAMES / "mine.toml"))
    assert (sister.id, sister.title) == ("mine", "Mine")
    assert sister.model_copy(update={"id": base.id, "title": base.title}) == base


def test_tables_are_merged_and_rows_take_the_place_of_their_name() -> None:
    whole = laid(
        SISTER + "[seats]\nmost = 5\n[care.count-every]\nminutes = 20\n"
        '[[bet]]\nnumber = 2\nname = "pair-plus"\nplaced = "before-deal"\nclause = "mine"\n'
        '[[option]]\nname = "mine"\ndefault = "a"\nallowed = ["a"]\nreason = "b"\n'
        '[[option]]\nname = "foreign-card"\ndefault = "a"\nallowed = ["a"]\nreason = "b"\n'
    )
    content = whole.content()
    assert content["seats"] == {"most": 5, "clause": "procedure"}
    assert content["care"]["count-every"] == {"minutes": 20, "clause": "47.1-1036"}
    bets = [name for name in rows(whole, "bet") if not name.startswith("tip-")]
    assert bets == ["ante", "pair-plus", "six-card-bonus", "progressive", "play"]
    assert "enters" not in content["bet"][1]
    options = ["dealer-count", "mine", "foreign-card", "card-off-table", "house-card-off-table"]
    assert rows(whole, "option") == [
        *options,
        "lost-by-fold",
        "won-before-defect",
        "misdeal-until",
        "deck-least-rounds",
        "deck-age-rounds",
    ]


def test_steps_once_given_are_all_of_them_new() -> None:
    whole = laid(SISTER + '[[step]]\nname = "only"\ndo = "reveal"\n')
    assert rows(whole, "step") == ["only"]
    assert rows(laid(SISTER), "step") == ["hands", "choice", "showdown"]


def test_a_row_of_wrong_takes_over_what_it_speaks_of() -> None:
    """The first of two rows for one case decides, so the one below must no longer cover it."""
    whole = laid(SISTER + '[[wrong]]\nof = "seats"\nhow = ["short"]\nthen = "misdeal"\nclause = "mine"\n')
    found = [(row["of"], row["how"], row.get("then")) for row in whole.content()["wrong"]]
    assert ("seats", ["long"], "dead-hand") in found
    assert ("seats", ["short"], "misdeal") in found
    assert ("dealer", ["short", "long"], None) in found
    assert len(found) == 7


def test_the_part_of_another_device_takes_the_place_of_the_first() -> None:
    """The game's own rows stay above it: here a joker is a card of its deck."""
    whole = laid(SISTER.replace("three-card.co", "high-five.co").replace('"]', '", "card-shoe"]'))
    assert [layer.named for layer in whole.layers] == ["rule-10", "card-shoe", "high-five.co", ""]
    content = whole.content()
    assert content["device"] == "card-shoe"
    assert (content["face"]["boxed"]["then"], "joker" in content["face"]) == ("replace", False)
    assert "remainder" not in content
    assert {"overdraw", "link"} <= set(rows(whole, "fault"))
    assert "sensor-failed" not in rows(whole, "fault")


def test_what_is_taken_away() -> None:
    without = '["remainder", "option.dealer-count", "wrong.seats.exposed", "wrong.dealer", "fault", "care.age.clause"]'
    whole = laid(SISTER.replace("id =", f"without = {without}\nid ="))
    content = whole.content()
    assert "remainder" not in content
    assert "fault" not in content
    assert content["care"]["age"] == {"option": "deck-age-rounds"}
    assert [(row["of"], row["how"]) for row in content["wrong"]] == [
        ("seats", ["short", "long"]),
        ("seats", ["off-table"]),
    ]
    assert rows(whole, "option") == [
        "card-off-table",
        "lost-by-fold",
        "won-before-defect",
        "foreign-card",
        "misdeal-until",
        "deck-least-rounds",
        "deck-age-rounds",
    ]


def test_an_option_below_that_nothing_names_any_more_falls_away() -> None:
    row = '[[wrong]]\nof = "dealer"\nhow = ["short", "long"]\nthen = "misdeal"\nclause = "mine"\n'
    whole = laid(SISTER + row)
    assert "dealer-count" in rows(laid(SISTER), "option")
    assert "dealer-count" not in rows(whole, "option")
    assert "community-count" not in [each.name for each in load_procedure("colorado-holdem.co-single").option]


def test_two_rows_of_one_name_in_one_file_stay_a_fault(tmp_path: Path) -> None:
    row = '[[option]]\nname = "mine"\ndefault = "a"\nallowed = ["a"]\nreason = "b"\n'
    (tmp_path / "mine.toml").write_text(SISTER + row + row, encoding="utf-8")
    (fault,) = check_procedure(tmp_path / "mine.toml")
    assert str(fault) == f"{tmp_path}/mine.toml:12: option[2].name: 'mine' is taken; a name may occur only once"


# ------------------------------------------------------------------ which files


def written(folder: Path, name: str, base: list[str], schema: str = PART_SCHEMA, rest: str = "") -> Path:
    path = folder / f"{name}.toml"
    path.write_text(f'schema = "{schema}"\nbase = {json.dumps(base)}\n{rest}', encoding="utf-8")
    return path


def refused(path: Path) -> ProcedureError:
    (fault,) = check_part(path)
    check_refusal(fault)
    return fault


def test_files_that_go_round_are_named(tmp_path: Path) -> None:
    first = written(tmp_path, "a", ["b.toml"])
    written(tmp_path, "b", [f"../{tmp_path.name}/a.toml"])
    assert str(refused(first)) == f"{tmp_path}/b.toml:2: base[1]: '../{tmp_path.name}/a.toml' extends this file itself"


def test_so_many_files_upon_each_other_and_no_more(tmp_path: Path) -> None:
    for number in range(DEEPEST_BASE + 1):
        written(tmp_path, f"p{number}", [f"p{number + 1}.toml"] if number < DEEPEST_BASE else [])
    assert check_part(tmp_path / "p1.toml") == []
    assert refused(tmp_path / "p0.toml").why == f"more than {DEEPEST_BASE} files in a chain"


def test_so_many_files_together_and_no_more(tmp_path: Path) -> None:
    names = [written(tmp_path, f"p{number}", []).name for number in range(MOST_LAYERS + 1)]
    assert check_part(written(tmp_path, "all", names[:-1])) == []
    assert refused(written(tmp_path, "all", names)).why == f"more than {MOST_LAYERS} files together"


def test_what_is_below_is_named_where_it_is_wrong(tmp_path: Path) -> None:
    part = written(tmp_path, "part", [], rest="[deck\n")
    mine = written(tmp_path, "mine", ["part.toml"])
    assert str(refused(mine)).startswith(f"{part}:3: not TOML: ")
    part.write_bytes(b"\xff")
    assert str(refused(mine)) == f"{mine}:2: base[1]: part.toml: not UTF-8 text at byte 0"
    part.unlink()
    os.mkfifo(part)
    assert str(refused(mine)) == f"{mine}:2: base[1]: part.toml: cannot be read: a pipe, not a file"


def test_a_part_stands_on_parts_alone(tmp_path: Path) -> None:
    assert refused(written(tmp_path, "mine", ["three-card.co"])).why == (
        "'three-card.co' is a procedure; a part extends only parts"
    )


def test_a_part_has_a_name_of_its_own_and_is_no_procedure() -> None:
    assert not set(known_parts()) & set(known_procedures())
    with pytest.raises(ProcedureError, match="schema"):
        load_procedure(PARTS / "rule-10.toml")


@pytest.mark.parametrize("name", known_parts())
def test_every_part_is_in_order_and_stood_upon(name: str) -> None:
    assert check_part(name) == []
    assert any(
        name in [layer.named for layer in laid(SISTER.replace("three-card.co", game)).layers]
        for game in known_procedures()
    )


def test_what_is_wrong_in_a_part(tmp_path: Path) -> None:
    rest = 'id = "mine"\nspeed = 1\n[deck]\ncards = 99\n[[option]]\nname = "a"\n'
    path = written(tmp_path, "mine", [], rest=rest)
    assert [(str(fault).removeprefix(f"{path}:")[:2], fault.key) for fault in check_part(path)] == [
        ("3:", "id"),
        ("6:", "deck.cards"),
        ("7:", "option[1].default"),
        ("7:", "option[1].allowed"),
        ("7:", "option[1].reason"),
        ("4:", "speed"),
    ]
    done = CliRunner().invoke(main, ["check", str(path), "rule-10"])
    assert (done.exit_code, done.stdout) == (2, "rule-10: a procedure part, valid\n")
    assert check_part(written(tmp_path, "other", [], schema="dealwire.game/1"))[0].key == "schema"


# ------------------------------------------------------------------ one file of all


@pytest.mark.more
@of_each("name", known_procedures())
def test_written_out_it_is_the_same_and_stands_alone(name: str) -> None:
    text = whole_text(name)
    assert parse_procedure(text, "mine.toml").ref() == load_procedure(name).ref()
    assert "base" not in tomllib.loads(text)
    lines = files_of("deal")[name].read_text("utf-8").splitlines()
    comments = [line.partition("#")[2] for line in lines if not line.startswith(("base", "without"))]
    assert [each for each in comments if each not in text] == []


def test_the_command_writes_it_out() -> None:
    done = CliRunner().invoke(main, ["games", "--flatten", "boston-7.co"])
    assert (done.exit_code, done.stdout) == (0, whole_text("boston-7.co"))
    assert "# ---- the part card-shoe\n\n[face.joker]\n" in done.stdout
    assert "# ---- the procedure boston-5.co\n" in done.stdout
    assert CliRunner().invoke(main, ["games", "--flatten"]).exit_code == 2
    assert CliRunner().invoke(main, ["games", "--flatten", "--json", "boston-7.co"]).exit_code == 2
    assert CliRunner().invoke(main, ["games", "--flatten", "boston-9.co"]).exit_code == 2


@pytest.mark.more
def test_the_sister_of_the_page_works_as_it_is_written(tmp_path: Path) -> None:
    page = (ROOT / "docs/procedures.md").read_text(encoding="utf-8")
    found = blocks(page)
    followed = [each for at, block in enumerate(found) if block.use == "file" for each in found[at : at + 3]]
    assert [block.use for block in followed] == ["file", "run", "output"] * 2
    with GuideReader(tmp_path) as reader:
        for block in followed:
            assert not (wrong := reader.follow(block)), f"{block.line}: {wrong}"


# ------------------------------------------------------------------ whatever the layers hold

NAMES = st.sampled_from("abcd")
VALUES = st.one_of(
    st.integers(-9, 9), st.booleans(), st.text('xy "#=[]\n\x7f', max_size=4), st.lists(NAMES, max_size=2)
)
TABLES = st.dictionaries(NAMES, st.one_of(VALUES, st.dictionaries(NAMES, VALUES, max_size=3)), max_size=3)
ROWS = st.lists(
    st.builds(lambda name, row: {"name": name, "v": row}, NAMES, VALUES), max_size=4, unique_by=lambda r: r["name"]
)
LAYERS = st.lists(
    st.fixed_dictionaries({}, optional={"deck": TABLES, "face": TABLES, "device": NAMES, "bet": ROWS, "step": ROWS}),
    min_size=2,
    max_size=4,
)


def toml(content: dict[str, Any]) -> Iterator[str]:
    """TOML of our own making: every value inline."""

    def inline(value: Any) -> str:
        if isinstance(value, dict):
            return f"{{{', '.join(f'{key} = {inline(part)}' for key, part in value.items())}}}"
        if isinstance(value, list):
            return f"[{', '.join(map(inline, value))}]"
        return json.dumps(value).replace("\x7f", "\\u007f")

    for name, value in content.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            yield from (
                line for row in value for line in (f"[[{name}]]", *(f"{k} = {inline(v)}" for k, v in row.items()))
            )
    for name, value in content.items():
        if isinstance(value, dict):
            yield from (f"[{name}]", *(f"{key} = {inline(part)}" for key, part in value.items()))


def merged(below: Any, above: Any) -> Any:
    """The plain rule, of tables."""
    if isinstance(below, dict) and isinstance(above, dict):
        return {**below, **{key: merged(below.get(key), part) for key, part in above.items()}}
    return above


@settings(max_examples=150, deadline=None)
@given(LAYERS)
def test_later_layers_decide_and_each_line_is_found(layers: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        want: dict[str, Any] = {"schema": "dealwire.procedure/2", "bet": {}, "step": []}
        for number, layer in enumerate(layers):
            base = [f"l{number - 1}.toml"] if number else []
            tables = {name: value for name, value in layer.items() if name in ("deck", "face")}
            head = f"device = {json.dumps(layer['device'])}\n" if "device" in layer else ""
            written(Path(folder), f"l{number}", base, "dealwire.procedure/2", head + "\n".join(toml(layer)))
            want = merged(want, tables | {name: layer[name] for name in ("device",) if name in layer})
            want["bet"] |= {row["name"]: row for row in layer.get("bet", [])}
            want["step"] = layer.get("step") or want["step"]
        last = Path(folder) / f"l{len(layers) - 1}.toml"
        text = last.read_text(encoding="utf-8")
        whole = compose(text, str(last))
        found = whole.content()
        assert {row["name"]: row for row in found.get("bet", [])} == want.pop("bet")
        assert found.get("step", []) == want.pop("step")
        assert {name: value for name, value in found.items() if name not in ("bet", "step")} == want
        for kind in ("bet", "step"):
            for number, row in enumerate(found.get(kind, [])):
                at, there = whole.place((kind, number))
                assert at.content[kind][there[1]] == row
        assert tomllib.loads(written_out(whole)) == found


def test_a_text_with_a_letter_that_toml_does_not_allow_is_written_out_as_it_is() -> None:
    text = 'schema = "dealwire.procedure/2"\nid = "mine"\nbase = ["three-card.co"]\ntitle = """a\\u007f\nb"""\n'
    out = written_out(compose(text, str(GAMES / "mine.toml")))
    assert tomllib.loads(out)["title"] == "a\x7f\nb"
    assert 'title = """a\\u007f\nb"""' in out
    assert [*plain({"title": "a\x7f\nb"})] == ['title = "a\\u007f\\nb"']
