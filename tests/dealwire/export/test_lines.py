"""Every line that leaves fits its published schema, and the guide says what the models say."""

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dealer_flow.procedure.load import load_procedure
from dealwire.cli.demo import deal_live, new_table
from dealwire.hub.lines import StatusLine
from dealwire.table.event_line import event_line
from dealwire.table.table import Table, TableTerms
from devices.drive.replay import play
from devices.events import PacketDispensed, Seen
from devices.record.capture import Capture
from docs._print.line_schemas import LINE_TYPES, bodies
from docs._print.lines import pages
from protocol.cards import parse_card
from rules.game.load import game_ids, load_game
from tests.support.reading.each import of_each

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
CAPTURES = sorted((ROOT / "captures").glob("*.pcapng"))


PROCEDURE, GAME, printed = cache(load_procedure), cache(load_game), cache(pages)
GOOD: set[str] = set()
"""Lines that were already checked against their schema; the recordings repeat many lines at other times."""


@cache
def validator(schema: str) -> Callable[[dict[str, Any]], None]:
    """Return the check of a line against its published schema."""
    kind, version = schema.removeprefix("dealwire.").split("/")
    content = json.loads((DOCS / "schema" / f"{kind}-{version}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(content)
    found: Callable[[dict[str, Any]], None] = jsonschema.Draft202012Validator(content).validate
    return found


def check(lines: Iterator[str] | list[str]) -> set[str]:
    """Hold every line to its schema; the types that were met."""
    met = set()
    for line in lines:
        content = json.loads(line)
        assert "\n" not in line
        assert list(content)[:2] == ["schema", "type"]
        assert content["schema"] == LINE_TYPES[content["type"]].schema
        met.add(content["type"])
        what = json.dumps(content | {"at_ns": 0, "number": 0, "session": ""} if "at_ns" in content else content)
        if what not in GOOD:
            validator(content["schema"])(content)
            GOOD.add(what)
    return met


def followed(capture: Capture) -> str:
    """The procedure that was dealt; recordings made before there was another do not say."""
    return capture.procedure or "flushes-gone-wild.co"


def lines_of(path: Path) -> Iterator[str]:
    """Every line a recording gives: reports, and what they led to."""
    capture = Capture.read(path)
    procedure = followed(capture)
    table = Table(PROCEDURE(procedure), TableTerms(GAME(procedure)) if procedure in game_ids() else None)
    said: list[str] = []

    def deliver(seen: Seen) -> None:
        said.append(event_line(seen))
        said.extend(item.to_json() for item in table.handle(seen))

    play(capture, deliver)
    yield from said
    yield from (item.to_json() for item in table.finish())


@pytest.mark.every(24)
@pytest.mark.parametrize("path", [p for p in CAPTURES if "usb" not in p.name], ids=lambda path: path.stem)
def test_every_line_of_every_recording_fits_its_schema(path: Path) -> None:
    met = check(lines_of(path))
    assert {"event", "round"} <= met
    assert ("settlement" in met) == (followed(Capture.read(path)) in game_ids())


def test_every_line_of_the_demo_fits_its_schema(tmp_path: Path) -> None:
    recording = tmp_path / "demo.pcapng"
    assert check(deal_live(recording, 100.0, new_table())) == {"incident", "round", "settlement"}
    assert "event" in check(lines_of(recording))


def test_a_status_fits_its_schema() -> None:
    line = StatusLine(table="t1", kind="line-lost", device="shuffler", text="the line is silent").to_json()
    assert check([line]) == {"status"}


CARD = parse_card("AH")
DISPENSED = Seen("shuffler", 7, 3, 1, PacketDispensed(1, 2, 5, 5, (CARD,)))


@pytest.mark.parametrize(
    "change",
    [
        {"event": "Nothing"},
        {"fields": {"deck": 1}},
        {"fields": json.loads(event_line(DISPENSED))["fields"] | {"tip": 5}},
        {"fields": json.loads(event_line(DISPENSED))["fields"] | {"cards": [7]}},
        {"session": "7"},
        {"seat": 1},
    ],
)
def test_a_line_that_says_something_else_is_refused(change: dict[str, Any]) -> None:
    content = json.loads(event_line(DISPENSED))
    validator(content["schema"])(content)
    with pytest.raises(jsonschema.ValidationError):
        validator("dealwire.event/1")(content | change)


def test_every_kind_of_report_has_its_row_in_the_guide() -> None:
    text = (DOCS / "events.md").read_text(encoding="utf-8")
    assert len(bodies()) >= 40
    for kind in bodies():
        row = next(line for line in text.splitlines() if line.startswith(f"| `{kind.__name__}`"))
        assert all(f"`{name}`" in row for name in kind.__struct_fields__)


@of_each("path", lambda: sorted(printed()))
def test_what_is_printed_is_current(path: str) -> None:
    assert (DOCS / path).read_text(encoding="utf-8") == printed()[path], "run make docs"
