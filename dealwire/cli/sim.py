"""Command `dealwire sim`: simulated devices in a process of their own."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from dealer_flow.procedure.load import load_procedure
from dealwire.cli.house_options import HouseTerms
from dealwire.cli.options import (
    A_FILE,
    A_FOLDER,
    FILE,
    FLAG,
    ID_OR_FILE,
    IMAGE_MAX_BYTES,
    SEED,
    decimal,
    declared,
    usually,
    whole,
)
from dealwire.cli.terminal import echo, say_object
from dealwire.rehearsal.at_house import scenario_at_house
from dealwire.rehearsal.dealt_table import DealtTable
from dealwire.rehearsal.scenario import AnyScenario, Scenario, endless
from dealwire.rehearsal.scenario_file import clean_scenario, find_scenario, scenario_ids, shoe_scenario_ids
from dealwire.rehearsal.serve import serve
from devices.clock import SystemClock
from devices.files import read_file
from devices.line.loop import Member
from devices.simulator.gat import FAULTS, GatTable, SimulatedGat, software
from devices.simulator.host import SimulatorHost
from devices.simulator.shoe_table import FRONT_ENDS
from devices.simulator.unit import Unit

if TYPE_CHECKING:
    from dealwire.bench.hands.simulated_port import HandsPort
    from dealwire.rehearsal.doors import Doors

LINE = usually("pty", metavar="pty|tcp:PORT")


@click.command("sim")
@declared(
    ("--scenario", usually("clean-3", ID_OR_FILE), "Scenario to deal, with its faults."),
    ("--procedure", ID_OR_FILE, "Deal clean rounds of this procedure without end, instead of a scenario."),
    ("--house", A_FILE, "With --procedure: the house's posted rules, by which players bet and pots are awarded."),
    ("--house-game", {"metavar": "NAME"}, "Game of --house, if it offers several by one procedure."),
    ("--seats", usually(3, whole(1, 32)), "Number of players, with --procedure."),
    ("--shuffler", LINE, "Where to put the packet shuffler's line."),
    ("--shoe", LINE, "Where to put the card shoe's line."),
    ("--shoe-dialect", usually("tdp", type=click.Choice(list(FRONT_ENDS))), "Dialect of the shoe."),
    ("--controller", LINE, "Where to put the table controller's line."),
    ("--speed", usually(1.0, decimal(0.01, 1000)), "Speed; 1 is real time."),
    ("--forever", FLAG, "Keep the devices running after the scenario."),
    ("--endless again", FLAG, "Repeat the scenario's rounds."),
    (
        "--faults",
        decimal(0, 1),
        "With --endless or --procedure: share of rounds with one random fault, from 0 to 1, instead of the scenario's "
        "faults.",
    ),
    ("--seed", SEED, "With --endless or --procedure: seed of cards and faults."),
    (
        "--operator-socket hands",
        {"type": FILE, "metavar": "PATH"},
        "Do not deal; take the operator's actions from a Unix socket at PATH (see `dealwire operator socket`).",
    ),
    (
        "--firmware",
        {**A_FILE, "callback": lambda _ctx, _param, file: _image(file)},
        "Firmware image of the devices, for `dealwire device verify`; by default the text of the firmware version.",
    ),
    (
        "--identity identities",
        A_FOLDER,
        "Give the devices keys from files in this folder, which are made if absent, so that their lines can be sealed "
        "and, once a maker has certified them, their measurements are signed. "
        "Then `pair DEVICE`, `forget DEVICE` and `close DEVICE` on standard input are a person at its door.",
    ),
    ("--gat gat_line", {"metavar": "pty|tcp:PORT"}, "Also answer GAT on this line, for the first of the devices."),
    ("--gat-fault", {"type": click.Choice(list(FAULTS))}, "With --gat: fault of that line."),
    ("--list as_list", FLAG, "List the scenarios that are included."),
    ("--json as_json", FLAG, "Print the addresses as one JSON object."),
)
@click.pass_context
def command(
    ctx: click.Context,
    /,
    procedure: str | None,
    shuffler: str,
    shoe: str,
    shoe_dialect: str,
    controller: str,
    speed: float,
    forever: bool,
    again: bool,
    faults: float | None,
    seed: int | None,
    hands: Path | None,
    firmware: bytes | None,
    identities: Path | None,
    as_list: bool,
    as_json: bool,
    **dealt: Any,
) -> None:
    """Simulate a packet shuffler or a card shoe, and a table controller, and deal a scenario on them. The scenario
    decides which device deals.

    Dealing starts when a host has opened both lines. Try `dealwire sim`, then run the command that it prints in another
    terminal.
    """
    if as_list:
        for name in (*scenario_ids(), *shoe_scenario_ids()):
            echo(name)
        return
    gat, chosen = GatPort(dealt.pop("gat_line"), dealt.pop("gat_fault")), _chosen(ctx, **dealt)
    if again or procedure:
        chosen = endless(chosen, faults=faults, seed=seed)
    else:
        _without_end(faults, seed)
    spoken = f" --shoe-dialect {shoe_dialect}" * (chosen.device == "shoe")
    serve(
        chosen,
        lines={**_dealing(chosen, shuffler, shoe), "table-controller": controller},
        ready=lambda addresses: _announce(addresses, spoken, hands, as_json, gat.address),
        speed=speed,
        shoe_dialect=shoe_dialect,
        forever=forever,
        beside=lambda host, table: _beside_lines(host, _flashed(table, firmware), hands, identities, as_json, gat),
    )


def _beside_lines(
    host: SimulatorHost, table: DealtTable, hands: Path | None, identities: Path | None, as_json: bool, gat: "GatPort"
) -> list[Member]:
    """Return what runs beside the devices' lines: the operator's socket, their doors, a GAT line."""
    return [*_hands_port(hands, host, table), *_doors(identities, host, table, as_json), *gat.members(table)]


class GatPort:
    """GAT line of the first device of a simulated table that has an image; none without a `line`."""

    def __init__(self, line: str | None, fault: str | None) -> None:
        if fault and not line:
            raise click.UsageError("--gat-fault needs --gat")
        self._line, self._fault = line, fault or ""
        self.address = ""

    def members(self, table: DealtTable) -> list[Member]:
        """Open the line. Return the members that run it."""
        if self._line is None:
            return []
        name, unit = next((name, unit) for name, unit in table.units.items() if isinstance(unit, Unit))
        host = SimulatorHost(GatTable(SimulatedGat(software(name, unit.image), self._fault)), {"gat": self._line})
        self.address = host.addresses["gat"]
        return [host, *host.lines.values()]


def _without_end(faults: float | None, seed: int | None) -> None:
    """Raise UsageError for options of endless dealing."""
    if faults is not None or seed is not None:
        raise click.UsageError("--faults and --seed need --endless or --procedure")


def _chosen(ctx: click.Context, scenario: str, seats: int, house: Path | None, house_game: str | None) -> AnyScenario:
    """Return the scenario to deal. Raise UsageError for options that do not go together."""
    procedure: str | None = ctx.params["procedure"]
    if house is not None and procedure is None:
        raise click.UsageError("--house needs --procedure")
    posted = HouseTerms.of(house, house_game, {})
    return _fitting(ctx, _clean(ctx, procedure, seats, posted) if procedure else find_scenario(scenario))


def _image(firmware: Path | None) -> bytes | None:
    """Read the firmware image. Raise UsageError if it cannot be read or is larger than any device's flash."""
    if firmware is None:
        return None
    try:
        return read_file(firmware, IMAGE_MAX_BYTES)
    except OSError as error:
        raise click.UsageError(f"--firmware: {firmware}: {error.strerror}") from None


def _flashed(table: DealtTable, image: bytes | None) -> DealtTable:
    """Put this image into each device of the table that can measure its firmware."""
    for unit in table.units.values():
        if image is not None and isinstance(unit, Unit):
            unit.image = image
    return table


def _doors(folder: Path | None, host: SimulatorHost, table: DealtTable, as_json: bool) -> "list[Doors]":
    """Return the doors of the table's devices, if they have keys."""
    if folder is None:
        return []
    from dealwire.rehearsal.doors import Doors
    from dealwire.service.line_keys import ciphers

    units = {name: unit for name, unit in table.units.items() if isinstance(unit, Unit)}
    shown = (lambda name, text: say_object("dealwire.sim/1", "face", device=name, shows=text)) if as_json else None
    show = shown or (lambda name, text: echo(f"{name}: {text}"))
    return [Doors(units, folder, ciphers(), host.pump, show, SystemClock().now_ns())]


def _hands_port(path: Path | None, host: SimulatorHost, table: DealtTable) -> "list[HandsPort]":
    """Return the operator's socket of a table without a dealer, if a path is given."""
    table.deserted = path is not None
    if path is None:
        return []
    from dealwire.bench.hands.simulated_port import HandsPort, SimulatorHands  # devices alone need no bench

    return [HandsPort(path, SimulatorHands(host, table, SystemClock()))]


def _dealing(scenario: AnyScenario, shuffler: str, shoe: str) -> dict[str, str]:
    """Return the line of the dealing device, by its name; empty if the dealer deals by hand."""
    return {"shoe": {"shoe": shoe}, "shuffler": {"shuffler": shuffler}}.get(_beside(scenario), {})


def _beside(scenario: AnyScenario) -> str:
    """Return the device at the table beside the controller; `hand` if there is none."""
    return scenario.beside if isinstance(scenario, Scenario) else scenario.device


def _clean(ctx: click.Context, name: str, seats: int, house: HouseTerms | None) -> AnyScenario:
    """Return a clean round of a procedure, as a house has posted it. UsageError if a scenario is requested too, or more
    players than the procedure has seats."""
    if ctx.get_parameter_source("scenario") is ParameterSource.COMMANDLINE:
        raise click.UsageError("--scenario and --procedure exclude each other")
    procedure = load_procedure(name, house.edition if house is not None else None)
    most = procedure.seats.most
    if seats > most and ctx.get_parameter_source("seats") is ParameterSource.COMMANDLINE:
        raise click.UsageError(f"--seats: {procedure.id} has at most {most} seats")
    there = range(1, min(seats, most) + 1)
    if house is None:
        return clean_scenario(procedure, there, source=name)
    return scenario_at_house(procedure, there, name, house.house, house.part(name))


def _fitting(ctx: click.Context, scenario: AnyScenario) -> AnyScenario:
    """Return the scenario. Raise UsageError for an option of a device that it does not have."""
    there = {"shoe": "a card shoe", "hand": "the dealer's hand"}.get(_beside(scenario), "a packet shuffler")
    options = {"shuffler": ("shuffler",), "shoe": ("shoe", "shoe_dialect")}
    for option in [name for device, names in options.items() if device != _beside(scenario) for name in names]:
        if ctx.get_parameter_source(option) is ParameterSource.COMMANDLINE:
            name = f"--{option.replace('_', '-')}"
            raise click.UsageError(f"scenario {scenario.id!r} is dealt from {there}; {name} does not apply")
    return scenario


def _announce(addresses: dict[str, str], spoken: str, hands: Path | None, as_json: bool, gat: str) -> None:
    """Print the addresses of the devices; `spoken` is the dialect option that the command needs, too. `gat` is the
    address of the GAT line, or empty."""
    if as_json:
        beside = ({"hands": str(hands)} if hands else {}) | ({"gat": gat} if gat else {})
        say_object("dealwire.sim/1", "ready", lines=addresses, **beside)
        return
    if gat:
        echo(f"GAT line: dealwire device verify --gat {gat}")
    options = [
        f"--{'controller' if name == 'table-controller' else name} {address}" for name, address in addresses.items()
    ]
    if hands is not None:
        echo("ready; the devices wait for an operator. In another terminal:")
        for option in options:
            echo(f"  dealwire bench {option} --operator-program 'dealwire operator socket {hands}'")
        return
    flags = " ".join(options)
    echo(f"ready; in another terminal: dealwire monitor {flags}{spoken}")
