"""The guide to settling names what the code knows: every reading with its options, every kind, every line field."""

from pathlib import Path

from rules import game_ids, load_game
from rules.game import Bet
from rules.readings import READINGS
from rules.settlement import SettlementLine

GUIDE = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
DEFAULTS = {name: option for game in game_ids() for name, option in load_game(game).default_readings().items()}


def test_every_reading_stands_in_the_guide_with_its_default_first() -> None:
    assert set(DEFAULTS) == set(READINGS)
    for name, options in READINGS.items():
        (row,) = (line for line in GUIDE.splitlines() if line.startswith(f"| `{name}` |"))
        places = [row.index(f"`{option}`") for option in options]
        assert row.index(f"`{DEFAULTS[name]}`") == min(places)


def test_every_field_of_a_line_and_every_kind_of_bet_is_explained() -> None:
    kinds = Bet.model_fields["kind"].annotation.__args__  # type: ignore[union-attr]
    for name in (*SettlementLine.__struct_fields__, *kinds):
        assert f"`{name}`" in GUIDE, name
