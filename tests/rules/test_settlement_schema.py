"""A settlement as published data: the schema on disk is current, and a written settlement can be read again."""

import json
from pathlib import Path

import jsonschema
import pytest
from msgspec import ValidationError

from dealer_flow.record.base import line_schema
from dealer_flow.record.result import RoundResult
from rules import Settlement, settle
from tests.support.dealing.flushes import GAME, deal, seat

PUBLISHED = Path(__file__).parents[2] / "docs" / "schema" / "settlement-1.json"
HAND = "AH QH JH 7C 4S"
ROUNDS = [
    deal("KH 9H", "3C 4D 5S 6S 8C", seat(1, HAND, flush_rush=525, progressive=100), seat(2, "5H 6H 7H 8H TS", play=1)),
    deal("", None, seat(1, ""), outcome="misdeal"),
    deal("KH 9H", None, seat(1, HAND), outcome="unreliable"),
]


def test_the_published_schema_is_current() -> None:
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == line_schema(Settlement)


@pytest.mark.parametrize("round_", ROUNDS)
def test_every_settlement_fits_the_published_schema(round_: RoundResult) -> None:
    line = settle(round_, GAME).to_json()
    assert "\n" not in line
    jsonschema.Draft202012Validator(json.loads(PUBLISHED.read_text(encoding="utf-8"))).validate(json.loads(line))


@pytest.mark.parametrize("round_", ROUNDS)
def test_what_is_written_reads_back_equal(round_: RoundResult) -> None:
    settlement = settle(round_, GAME)
    assert Settlement.from_json(settlement.to_json()) == settlement


def test_schema_and_type_come_first() -> None:
    assert settle(ROUNDS[0], GAME).to_json().startswith('{"schema":"dealwire.settlement/1","type":"settlement",')


@pytest.mark.parametrize("change", [{"tip": 5}, {"status": "paid"}, {"round": "7"}])
def test_a_foreign_key_or_value_is_refused(change: dict[str, object]) -> None:
    content = json.loads(settle(ROUNDS[0], GAME).to_json()) | change
    with pytest.raises(ValidationError):
        Settlement.from_json(json.dumps(content))


def test_the_same_round_gives_the_same_bytes() -> None:
    assert settle(ROUNDS[0], GAME).to_json() == settle(ROUNDS[0], GAME).to_json()
