"""What is printed is what the data says."""

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
from tests.support.hand_table import dealt

DOCS = Path(__file__).parents[2] / "docs"


def test_every_page_is_current() -> None:
    printed = pages()
    games = {f"games/{name}.md" for name in known_procedures()}
    assert printed.keys() - games == {
        "schema/round-2.json",
        "schema/procedure-2.json",
        "incidents.md",
        "readings.md",
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


@pytest.mark.parametrize("name", known_procedures())
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
