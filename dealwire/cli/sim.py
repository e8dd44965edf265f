"""`dealwire sim`: simulated devices as a process of their own."""

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from dealer_flow.procedure.load import load_procedure
from dealwire.cli.options import (
    A_FILE,
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
from dealwire.rehearsal.dealt_table import DealtTable
from dealwire.rehearsal.scenario import AnyScenario, endless
from dealwire.rehearsal.scenario_file import clean_scenario, find_scenario, scenario_ids, shoe_scenario_ids
from dealwire.rehearsal.serve import serve
from devices.clock import SystemClock
from devices.files import read_file
from devices.simulator.host import SimulatorHost
from devices.simulator.shoe_table import FRONT_ENDS
from devices.simulator.unit import Unit

if TYPE_CHECKING:
    from dealwire.bench.hands.simulated_port import HandsPort

LINE = usually("pty", metavar="pty|tcp:PORT")


@click.command("sim")
@declared(
    ("--scenario", usually("clean-3", ID_OR_FILE), "What is dealt and what fails."),
    ("--procedure", ID_OR_FILE, "Deal clean rounds of this procedure without end, instead."),
    ("--seats", usually(3, whole(1, 32)), "Players of --procedure."),
    ("--shuffler", LINE, "The packet shuffler's line."),
    ("--shoe", LINE, "The card shoe's line."),
    ("--shoe-dialect", usually("tdp", type=click.Choice(list(FRONT_ENDS))), "What the shoe speaks."),
    ("--controller", LINE, "The controller's line."),
    ("--speed", usually(1.0, decimal(0.01, 1000)), "1 is real time."),
    ("--forever", FLAG, "Stay up after the scenario."),
    ("--endless again", FLAG, "Deal the scenario's rounds again and again."),
    (
        "--faults",
        decimal(0, 1),
        "Without end: the share of rounds in which one thing goes wrong by chance, instead of what the scenario has go"
        " wrong.",
    ),
    ("--seed", SEED, "Without end: other cards and faults."),
    (
        "--hands",
        {"type": FILE, "metavar": "PATH"},
        "Nobody deals: a Unix socket at PATH takes what hands are to do at the devices. For `dealwire bench --hands`.",
    ),
    (
        "--firmware",
        {**A_FILE, "callback": lambda _ctx, _param, file: _image(file)},
        "What the devices measure as their firmware; otherwise the text of its version. For `dealwire device verify`.",
    ),
    ("--list as_list", FLAG, "Name the scenarios that come with the program."),
    ("--json as_json", FLAG, "Announce the lines as one JSON object."),
)
@click.pass_context
def command(
    ctx: click.Context,
    /,
    scenario: str,
    procedure: str | None,
    seats: int,
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
    as_list: bool,
    as_json: bool,
) -> None:
    """Put a simulated packet shuffler or card shoe and a table controller on lines and deal a scenario on them.

    Which of the two it is, the scenario says. Dealing starts when a host has opened both lines. Try: dealwire sim,
    then in another terminal the command that it prints.
    """
    if as_list:
        for name in (*scenario_ids(), *shoe_scenario_ids()):
            echo(name)
        return
    chosen = _fitting(ctx, _clean(ctx, procedure, seats) if procedure else find_scenario(scenario))
    if again or procedure:
        chosen = endless(chosen, faults=faults, seed=seed)
    elif faults is not None or seed is not None:
        raise click.UsageError("--faults and --seed are for rounds without end: --endless or --procedure")
    spoken = f" --shoe-dialect {shoe_dialect}" * (chosen.device == "shoe")
    serve(
        chosen,
        lines={**_dealing(chosen, shuffler, shoe), "table-controller": controller},
        ready=lambda addresses: _announce(addresses, spoken, hands, as_json),
        speed=speed,
        shoe_dialect=shoe_dialect,
        forever=forever,
        beside=lambda host, table: _hands_port(hands, host, _flashed(table, firmware)),
    )


def _image(firmware: Path | None) -> bytes | None:
    """The bytes of the file; UsageError when they cannot be read, or are more than a device's flash holds."""
    if firmware is None:
        return None
    try:
        return read_file(firmware, IMAGE_MAX_BYTES)
    except OSError as error:
        raise click.UsageError(f"--firmware: {firmware}: {error.strerror}") from None


def _flashed(table: DealtTable, image: bytes | None) -> DealtTable:
    """The table, with this image in each of its devices that measure one."""
    for unit in table.units.values():
        if image is not None and isinstance(unit, Unit):
            unit.image = image
    return table


def _hands_port(path: Path | None, host: SimulatorHost, table: DealtTable) -> "list[HandsPort]":
    """Hands at a table where nobody deals, when there is a path for their socket."""
    table.deserted = path is not None
    if path is None:
        return []
    from dealwire.bench.hands.simulated_port import HandsPort, SimulatorHands  # devices alone need no bench

    return [HandsPort(path, SimulatorHands(host, table, SystemClock()))]


def _dealing(scenario: AnyScenario, shuffler: str, shoe: str) -> dict[str, str]:
    """The line of the device that deals, by its name; none where the dealer's hand does."""
    return {"shoe": {"shoe": shoe}, "shuffler": {"shuffler": shuffler}}.get(scenario.device, {})


def _clean(ctx: click.Context, name: str, seats: int) -> AnyScenario:
    """A clean round of a procedure. UsageError when a scenario is asked for too, or for more players than it has
    seats."""
    if ctx.get_parameter_source("scenario") is ParameterSource.COMMANDLINE:
        raise click.UsageError("--scenario and --procedure exclude each other")
    procedure = load_procedure(name)
    most = procedure.seats.most
    if seats > most and ctx.get_parameter_source("seats") is ParameterSource.COMMANDLINE:
        raise click.UsageError(f"--seats: {procedure.id} has at most {most}")
    return clean_scenario(procedure, range(1, min(seats, most) + 1), source=name)


def _fitting(ctx: click.Context, scenario: AnyScenario) -> AnyScenario:
    """The scenario; UsageError for the option of a device that it has not."""
    there = {"shoe": "a card shoe", "hand": "the dealer's hand"}.get(scenario.device, "a packet shuffler")
    options = {"shuffler": ("shuffler",), "shoe": ("shoe", "shoe_dialect")}
    for option in [name for device, names in options.items() if device != scenario.device for name in names]:
        if ctx.get_parameter_source(option) is ParameterSource.COMMANDLINE:
            name = f"--{option.replace('_', '-')}"
            raise click.UsageError(f"scenario {scenario.id!r} is dealt from {there}: {name} is not for it")
    return scenario


def _announce(addresses: dict[str, str], spoken: str, hands: Path | None, as_json: bool) -> None:
    """Say where the devices are; `spoken` is what else a command needs."""
    if as_json:
        say_object("dealwire.sim/1", "ready", lines=addresses, **({"hands": str(hands)} if hands else {}))
        return
    options = [
        f"--{'controller' if name == 'table-controller' else name} {address}" for name, address in addresses.items()
    ]
    if hands is not None:
        echo("ready, and nobody deals; in another terminal:")
        for option in options:
            echo(f"  dealwire bench {option} --hands 'dealwire hands socket {hands}'")
        return
    flags = " ".join(options)
    echo(f"ready; in another terminal: dealwire monitor {flags}{spoken}")
