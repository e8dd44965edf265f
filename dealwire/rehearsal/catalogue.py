"""Which scenarios there are, at whatever device, the table each is played at, and one made of any procedure."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from dealer_flow.procedure.load import Procedure
from dealwire.rehearsal.dealt_table import DealtTable
from dealwire.rehearsal.race_scenario import RaceScenario, read_race_scenario
from dealwire.rehearsal.scenario import HERE, Scenario, read_procedure, read_scenario, read_toml, scenario_ids
from dealwire.rehearsal.strict import ScenarioError, Section
from dealwire.rehearsal.tables import CardTable, RaceTable, SimulatedTable

AnyScenario = Scenario | RaceScenario

CENTS: Final = 500
"""What a player bets on a spot in a round made of a procedure."""
FIRST_SEAT: Final = 2
"""Who gets cards first in it, where a number is drawn for it."""


def shoe_scenario_ids() -> list[str]:
    """The scenarios at a card shoe that come with the program."""
    return sorted(path.stem for path in (HERE / "shoe").glob("*.toml"))


def find_scenario(source: str | Path) -> AnyScenario:
    """A scenario by id, or from a file (a Path); its procedure says at which device it is played.

    ScenarioError names the file, the key and what is allowed.
    """
    path = _locate(source) if isinstance(source, str) else source
    top = Section(path.name, "", read_toml(path))
    procedure = read_procedure(top)
    read = read_race_scenario if procedure.shoe else read_scenario
    return read(top, path.stem, procedure)


def clean_round(procedure: Procedure, seats: Sequence[int], *, progressive: bool = True) -> dict[str, Any]:
    """A round as in a scenario file: players at these seats with a bet on every spot that is bet before the deal."""
    bets = [bet for bet in procedure.bet if bet.placed == "before-deal" and (progressive or not bet.progressive)]
    wagers = {bet.name: CENTS for bet in bets}
    table: dict[str, Any] = {"players": [{"seat": number, "wagers": wagers} for number in seats]}
    if any(step.selects_first for step in procedure.step):
        table["number"] = min(FIRST_SEAT, procedure.seats.most)
    return table


def scenario_of(
    procedure: Procedure,
    rounds: Sequence[Mapping[str, Any]],
    *,
    seed: int = 1,
    options: Mapping[str, str] | None = None,
    **more: Any,
) -> Scenario:
    """The scenario of these rounds, as if read from a file."""
    table = {"title": procedure.title, "seed": seed, "options": dict(options or {}), "rounds": list(rounds), **more}
    return read_scenario(Section(f"{procedure.id}.toml", "", table), procedure.id, procedure)


def set_up(scenario: AnyScenario, *, speed: float = 1.0, shoe_dialect: str = "tdp") -> DealtTable:
    """The table a scenario is played at."""
    if isinstance(scenario, RaceScenario):
        return RaceTable(scenario, speed=speed, dialect=shoe_dialect)
    if scenario.device == "shoe":
        return CardTable(scenario, speed=speed, dialect=shoe_dialect)
    return SimulatedTable(scenario, speed=speed)


def _locate(name: str) -> Path:
    folders = {**dict.fromkeys(scenario_ids(), ""), **dict.fromkeys(shoe_scenario_ids(), "shoe")}
    if name not in folders:
        raise ScenarioError(name, "", f"no such scenario; there are {', '.join(folders)}")
    return HERE / folders[name] / f"{name}.toml"
