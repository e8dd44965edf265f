"""Which scenarios there are, at whatever device, and the table each is played at."""

from pathlib import Path

from dealwire.rehearsal.dealt_table import DealtTable
from dealwire.rehearsal.race_scenario import RaceScenario, parse_race_scenario
from dealwire.rehearsal.scenario import HERE, Scenario, parse_scenario, read_toml, scenario_ids
from dealwire.rehearsal.shoe_tables import CardTable, RaceTable
from dealwire.rehearsal.shuffler_table import SimulatedTable
from dealwire.rehearsal.strict import ScenarioError, Section

AnyScenario = Scenario | RaceScenario


def shoe_scenario_ids() -> list[str]:
    """The scenarios at a card shoe that come with the program."""
    return sorted(path.stem for path in (HERE / "scenarios" / "shoe").glob("*.toml"))


def find_scenario(source: str | Path) -> AnyScenario:
    """A scenario by id, or from a file (a Path); its key `device` says at which device it is played.

    ScenarioError names the file, the key and what is allowed.
    """
    path = _locate(source) if isinstance(source, str) else source
    return parse_any(Section(path.name, "", read_toml(path)), path)


def parse_any(top: Section, path: Path) -> AnyScenario:
    """The scenario in `top`, read from the file `path`; its key `device` and its game say of which kind it is."""
    at_shoe = top.text("device", "shuffler", allowed=("shuffler", "shoe")) == "shoe"
    return parse_race_scenario(top, path) if at_shoe and not _has_steps(top) else parse_scenario(top, path)


def _has_steps(top: Section) -> bool:
    """Whether the scenario brings its own game that goes step by step; the races at a shoe do not."""
    game = top.either("game")
    return isinstance(game, dict) and "steps" in game


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
    return HERE / "scenarios" / folders[name] / f"{name}.toml"
