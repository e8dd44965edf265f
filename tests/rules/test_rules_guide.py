"""The guide to settling names everything in the code: every reading with its options, every kind, every line field."""

import re
import sys
from pathlib import Path

from pydantic.json_schema import SkipJsonSchema

from dealer_flow.tomlfile import TomlTable
from rules import game_ids, load_game
from rules.bets import bet_terms
from rules.game import jackpot_spec, pot_spec
from rules.game import schema as spec
from rules.game.readings import READINGS
from rules.hands import hand_spec
from rules.kinds import KINDS
from rules.paytables import paytable
from rules.settlement import SettlementLine

FILES = (Path(__file__).parents[2] / "docs" / "game-files.md").read_text(encoding="utf-8")
GUIDE = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
DEFAULTS = {name: option for game in game_ids() for name, option in load_game(game).default_readings().items()}


def test_every_reading_stands_in_the_guide_with_its_default_first() -> None:
    assert set(DEFAULTS) == set(READINGS)
    for name, options in READINGS.items():
        (row,) = (line for line in GUIDE.splitlines() if line.startswith(f"| `{name}` |"))
        places = [row.index(f"`{option}`") for option in options]
        assert row.index(f"`{DEFAULTS[name]}`") == min(places)


def test_every_field_of_a_line_and_every_kind_of_bet_is_explained() -> None:
    for name in SettlementLine.__struct_fields__:
        assert f"`{name}`" in GUIDE, name
    for name in KINDS:
        assert f"| `{name}` |" in FILES, name


def test_every_key_of_a_file_is_explained() -> None:
    modules = (
        spec,
        hand_spec,
        bet_terms,
        paytable,
        pot_spec,
        jackpot_spec,
        *(sys.modules[k.__module__] for k in KINDS.values()),
    )
    for table in (each for module in modules for each in vars(module).values()):
        if isinstance(table, type) and issubclass(table, TomlTable) and table.__module__.startswith("rules."):
            for name, key in table.model_fields.items():
                if any(isinstance(mark, SkipJsonSchema) for mark in key.metadata):
                    continue  # the procedure says it
                spelled = key.alias or name
                assert re.search(rf"`(\[+)?{spelled}[\].`= ]", FILES), f"{table.__name__}: {spelled}"
