"""Printed pages agree with the data."""

import json
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import dealer_flow
from dealer_flow.procedure.load import known_procedures, whole_text
from dealer_flow.record.catalogue import INCIDENTS
from docs._print import write
from docs._print.games import pages
from tests.support.dealing.hand_table import dealt
from tests.support.reading.each import of_each

DOCS = Path(__file__).parents[2] / "docs"


def test_every_page_is_current() -> None:
    printed = pages()
    games = {f"games/{name}.md" for name in known_procedures()}
    assert printed.keys() - games == {
        "schema/round-2.json",
        "schema/procedure-2.json",
        "incidents.md",
        "games/README.md",
    }
    assert games <= printed.keys()
    stale = [path for path, text in printed.items() if (DOCS / path).read_text(encoding="utf-8") != text]
    assert not stale, "run make docs"


def test_pages_are_written_as_utf_8(tmp_path: Path) -> None:
    write({"one.md": "10 \u00a2\n", "two.md": "two\n"}, tmp_path)
    assert (tmp_path / "two.md").read_bytes() == b"two\n"
    assert (tmp_path / "one.md").read_bytes() == b"10 \xc2\xa2\n"


def test_every_code_that_is_reported_is_in_the_catalogue_and_the_other_way_round() -> None:
    source = "".join(part.read_text(encoding="utf-8") for part in Path(dealer_flow.__file__).parent.rglob("*.py"))
    written = set(re.findall(r'"([a-z]+(?:-[a-z]+)+|jam)"', source)) | {
        f"{kind}-count-wrong" for kind in ("seat", "dealer", "community", "hand", "burn")
    }
    assert set(INCIDENTS) <= written
    page = (DOCS / "incidents.md").read_text(encoding="utf-8")
    assert all(f"| `{code}` |" in page for code in INCIDENTS)


def test_a_round_fits_the_published_schema() -> None:
    schema = json.loads((DOCS / "schema" / "round-2.json").read_text(encoding="utf-8"))
    table = dealt(3).burn().bet(1, play=1000).choose(1, 2).choose(2, 1).bet(3, play=1000).choose(3, 2)
    line = json.loads(table.end().to_json())
    jsonschema.validate(line, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(line | {"outcome": "perhaps"}, schema)


@cache
def of_procedures() -> Any:
    schema = json.loads((DOCS / "schema" / "procedure-2.json").read_text(encoding="utf-8"))
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(schema)


@pytest.mark.every(4)
@of_each("name", known_procedures(), shares=4)
def test_a_procedure_fits_the_published_schema(name: str) -> None:
    content = tomllib.loads(whole_text(name))
    of_procedures().validate(content)
    with pytest.raises(jsonschema.ValidationError):
        of_procedures().validate(content | {"speed": 1})


def test_every_field_is_explained() -> None:
    page = (DOCS / "round-result.md").read_text(encoding="utf-8")
    schema = json.loads((DOCS / "schema" / "round-2.json").read_text(encoding="utf-8"))
    for name in set(schema["properties"]) - {"type"}:
        assert f"`{name}`" in page, name
    for name in schema["$defs"]["Seat"]["properties"]:
        assert f"`{name}`" in page, name


@pytest.mark.every(4)
@of_each("name", known_procedures(), shares=4)
def test_a_page_has_every_rule_of_every_bet(name: str) -> None:
    """Each `must` row, limit, total and tip of the file is a row of the page, with its clause."""
    content = tomllib.loads(whole_text(name))
    page = (DOCS / "games" / f"{name}.md").read_text(encoding="utf-8")
    _, found, part = page.partition("## Rules for bets\n")
    rows = [line.strip("| ").split(" | ") for line in part.partition("\n## ")[0].splitlines() if line.startswith("| ")]
    by_bet = [(bet, clause) for bet, _, clause in rows[2:]]  # below the head
    for bet in content["bet"]:
        wanted = [must["clause"] for must in bet.get("must", ())] + [bet["clause"]] * ("tip-for" in bet)
        wanted += [bet["pot"]["clause"]] if "pot" in bet else []
        wanted += [step["clause"] for step in content.get("step", ()) if step["name"] == bet.get("until")]
        assert sorted(clause for name_, clause in by_bet if name_ == bet["name"]) == sorted(wanted), bet["name"]
    for total in content.get("total", ()):
        assert any(set(total["bets"]) <= set(re.findall(r"[\w-]+", bet)) for bet, _ in by_bet), total
    limit = content.get("limit")
    assert bool(limit) == any(bet.startswith("every bet") for bet, _ in by_bet)
    assert not limit or f"at most {limit['each-bet']} | {limit['clause']}" in part
    assert bool(found) == bool(rows)


def test_the_words_of_a_rule_name_all_it_says() -> None:
    """Read off the page, in the words of the section."""
    page = (DOCS / "games" / "western-stud.co.md").read_text(encoding="utf-8")
    assert "| low | equals the ante with the choice `both` | 47.1-1017.18(5)(c) |" in page
    assert "| tip-ante | a tip for an ante: only with it | 47.1-1017.18(3) |" in page
    assert "| tip-low | a tip for a low: only with it | 47.1-1017.18(3) |" in page
    ride = (DOCS / "games" / "let-it-ride.co.md").read_text(encoding="utf-8")
    assert "| bonus | exactly $1 | 47.1-1017.14(2) |" in ride
    assert "| bet-dollar and bonus together | at most $100 | 47.1-1017.14(2)(a) |" in ride


@of_each("page", sorted(DOCS.glob("games/*.md")), ids=lambda page: page.stem)
def test_articles_fit_the_word_behind_them(page: Path) -> None:
    assert not re.findall(
        r"(?<![-\w])[Aa] (?:[aeio]\w|un\w)[\w-]*|\b[Aa]n [b-df-hj-np-tv-z][\w-]*", page.read_text(encoding="utf-8")
    )
