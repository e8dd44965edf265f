"""A table of simulated devices on pseudo-terminals: endless rounds, some with faults."""

import contextlib
import importlib.util
import json
import secrets
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from dealer_flow.procedure.load import load_procedure
from dealwire.config.schema import Configuration, ConsolePart, JournalPart
from dealwire.config.table_parts import DevicePart, RakePart, TablePart
from dealwire.hub.actions import ROLES, Role
from dealwire.own_program import own_program
from dealwire.rehearsal.scenario import AnyScenario, HousePart, Scenario, endless
from dealwire.rehearsal.scenario_file import find_scenario
from dealwire.rehearsal.tables import set_up
from dealwire.table.viewer import usual_seats
from devices.simulator.host import SimulatorHost
from protocol.errors import LocalError
from rules.game.load import game_id_of, load_game

METER_CENTS: Final = 1_000_000
RATE_PERCENT: Final = 21
"""Percent of each progressive bet that goes to the meters, in total."""


@contextlib.contextmanager
def simulator(arguments: Sequence[str]) -> Iterator[dict[str, str]]:
    """Run `dealwire sim` with these arguments; yield the addresses it announced, by device."""
    command = own_program("sim", *arguments, "--json")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout is not None
        try:
            announced = process.stdout.readline()
            if not announced:
                raise LocalError("the simulator did not start; see its output above")
            yield json.loads(announced)["lines"]
        finally:
            process.terminate()


class Simulated(NamedTuple):
    """A simulated table: its configuration, the token of each role, and the devices, which the service must run."""

    configuration: Configuration
    tokens: dict[Role, str]
    bench: SimulatorHost


@contextlib.contextmanager
def simulated_table(scenario: str, faults: float | None, speed: float) -> Iterator[Simulated]:
    """Yield a simulated table that deals `scenario` endlessly, stored in a temporary folder. With a rate `faults` (0 to
    1), that share of its rounds has one fault, in place of the scenario's own."""
    loaded = find_scenario(scenario)
    table = set_up(endless(loaded, faults=faults, seed=secrets.randbits(32)), speed=speed)
    with tempfile.TemporaryDirectory(prefix="dealwire-") as folder:
        bench = SimulatorHost(table, dict.fromkeys(table.units, "pty"))
        try:
            tokens = {role: secrets.token_urlsafe(12) for role in ROLES}
            yield Simulated(_configuration(loaded, bench.addresses, Path(folder), tokens), tokens, bench)
        finally:
            bench.close()


def _configuration(
    scenario: AnyScenario, addresses: dict[str, str], folder: Path, tokens: Mapping[Role, str]
) -> Configuration:
    """Return the configuration of one table on these lines. The raw record is sealed if possible, with a key next to
    it."""
    tokens_file = folder / "tokens.toml"
    tokens_file.touch(mode=0o600)
    tokens_file.write_text("".join(f'{role} = "{token}"\n' for role, token in tokens.items()), encoding="utf-8")
    key = None
    if importlib.util.find_spec("cryptography") is not None:
        from dealwire.journal import SealingKey

        key = SealingKey.new(folder / "journal.key").path
    options = dict(scenario.procedure.plan.options) if isinstance(scenario, Scenario) else {}
    house = scenario.house if isinstance(scenario, Scenario) else HousePart()
    procedure = load_procedure(scenario.dealt_by)
    game_id = game_id_of(procedure.id, options)
    game = load_game(game_id) if game_id else None
    meters = game.meters() if game else []
    linked = game is not None and game.progressive is not None
    table = TablePart(
        name="simulated",
        procedure=scenario.dealt_by,
        settle=game is not None,
        seats=max(usual_seats(procedure), *(player.seat for each in scenario.rounds for player in each.players)),
        options=options,
        readings=house.readings,
        progressive=_progressive(folder, meters) if linked else None,
        meters={} if linked else dict.fromkeys(meters, 0),  # meters that players fill start empty
        **_house(house),
        device=tuple(
            DevicePart(name=name, kind=name, address=address, role="control")  # type: ignore[arg-type]
            for name, address in addresses.items()
        ),
    )
    return Configuration.model_construct(
        schema_="dealwire.table/1",
        table=(table,),
        journal=JournalPart.model_validate({"path": folder / "journal.sqlite", "key-file": key}),
        console=ConsolePart.model_validate({"port": _port(), "tokens-file": tokens_file}),
    )


def _house(house: HousePart) -> dict[str, Any]:
    """Return the house's share in a scenario, by the keys of a table's settings."""
    figures = {"cap-cents": house.rake_cap, "step-cents": house.rake_step, "jackpot-cents": house.jackpot_rake or None}
    return {"token-cents": house.token, "rake": RakePart.model_validate({"percent": house.rake, **figures})}


def _progressive(folder: Path, meters: Sequence[str]) -> Path:
    """Write a setup with rates and seeds. The rules of a game state none, and without it no bet would move a meter."""
    file = folder / "progressive.toml"
    head = 'schema = "dealwire.progressive/1"\nid = "simulated"\nexecutive-from-cents = 100000\nsensor-cents = 100\n'
    part = '[[meters]]\nname = "{}"\nseed-cents = {}\ncontribution = "{} %"\n'
    share = RATE_PERCENT // max(len(meters), 1)
    file.write_text(head + "".join(part.format(name, METER_CENTS, share) for name in meters), encoding="utf-8")
    return file


def _port() -> int:
    """Return the default port, or 0 if it is in use."""
    usual = ConsolePart().port
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind(("127.0.0.1", usual))
        except OSError:
            return 0
    return usual
