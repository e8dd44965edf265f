"""A service at a table with a house: the posted rules are in every round, stay while it runs, and bind its journal."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from dealer_flow.record.result import HouseRef
from dealwire.journal import SealingKey
from dealwire.journal.settings import SettingsChanged
from dealwire.service.simulated import simulator
from docs._print import DOCS
from rules.house.load import load_house
from tests.support.rigs.serving import compared, opened, run_until

TABLE = """schema = "dealwire.table/1"
[journal]
path = "journal.sqlite"
key-file = "journal.key"
[[table]]
name = "poker"
procedure = "{procedure}"
house = "house.toml"
house-game = "{game}"
[[table.device]]
name = "shoe"
kind = "shoe"
address = "{shoe}"
[[table.device]]
name = "controller"
kind = "table-controller"
address = "{table-controller}"
"""


def files(folder: Path) -> tuple[Path, Path]:
    """Return the house's file, beside its jackpot and a key, and the place of the table's."""
    for name in ("house.toml", "jackpot-bad-beat.toml"):
        shutil.copy(DOCS / "examples" / name, folder)
    SealingKey.new(folder / "journal.key")
    return folder / "house.toml", folder / "table.toml"


def test_every_round_of_a_service_names_the_house_that_it_began_with(tmp_path: Path) -> None:
    """The no-limit game: the simulated players know no posted sizes, and are refused what is not posted."""
    house, file = files(tmp_path)
    text = house.read_text(encoding="utf-8")
    named = HouseRef("miners-card-room", load_house(house).sha256, "holdem-2-5")
    with simulator(["--procedure", "holdem.co", "--seats", "4", "--speed", "400"]) as addresses:
        file.write_text(TABLE.format(procedure="holdem.co", game="holdem-2-5", **addresses), encoding="utf-8")
        service, listener = opened(file)
        with service:
            run_until(service, lambda: len(listener.of("settlement")) >= 2)
            house.write_text(text.replace("act-seconds = 60", "act-seconds = 50"), encoding="utf-8")
            run_until(service, lambda: len(listener.of("settlement")) >= 4)
        lines = [*listener.of("round"), *listener.of("settlement")]
        assert [line["house"] for line in lines] == [
            {"id": named.id, "sha256": named.sha256, "game": named.game}
        ] * len(lines)
        posted = [line for line in listener.of("incident") if line["code"] in ("action-refused", "amount-not-posted")]
        assert any(line["code"] == "amount-not-posted" for line in posted)  # blinds of $1 and $2, and $2 and $5 posted
        service, _ = opened(file)
        with pytest.raises(SettingsChanged, match="the house is not the one it began with"), service:
            pass
        house.write_text(f"# with a comment\n{text}", encoding="utf-8")
        service, listener = opened(file)
        with service:
            run_until(service, lambda: len(listener.of("settlement")) >= 1)
    assert compared(tmp_path).difference is None


@pytest.mark.more
@pytest.mark.parametrize(
    ("procedure", "game"),
    [
        ("holdem.co", "holdem-2-4"),
        ("holdem.co", "holdem-2-5"),
        ("omaha.co", "omaha-pot"),
        ("seven-card-stud.co", "stud-2-10"),
    ],
)
def test_simulated_players_bet_as_posted_and_pots_are_awarded_less_the_rake(
    tmp_path: Path, procedure: str, game: str
) -> None:
    house, file = files(tmp_path)
    options = ("--seats", "5", "--speed", "800", "--house", str(house), "--house-game", game)
    with simulator(["--procedure", procedure, *options]) as addresses:
        file.write_text(TABLE.format(procedure=procedure, game=game, **addresses), encoding="utf-8")
        service, listener = opened(file)
        with service:
            run_until(service, lambda: len(listener.of("settlement")) >= 8)
    assert not [line for line in listener.of("incident") if line["code"] in ("action-refused", "amount-not-posted")]
    settled = listener.of("settlement")
    assert {line["status"] for line in settled} == {"settled"}, "the dealer pushed what the house's rake leaves"
    taken = sum(pot.get("rake", 0) for line in settled for pot in line["pots"])
    assert (taken > 0) == (game != "holdem-2-5")  # which pays by time
