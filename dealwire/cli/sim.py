"""`dealwire sim`: simulated devices as a process of their own."""

import json

import click
from click.core import ParameterSource

from dealer_flow.procedure.load import load_procedure
from dealwire.cli.terminal import echo
from dealwire.rehearsal.scenario import AnyScenario, Scenario, endless
from dealwire.rehearsal.scenario_file import clean_round, find_scenario, scenario_ids, scenario_of, shoe_scenario_ids
from dealwire.rehearsal.serve import serve
from devices.simulator.shoe_table import FRONT_ENDS

LINE = "pty|tcp:PORT"


@click.command("sim")
@click.option(
    "--scenario", metavar="ID|FILE", default="clean-3", show_default=True, help="What is dealt and what fails."
)
@click.option("--procedure", metavar="ID|FILE", help="Deal clean rounds of this procedure without end, instead.")
@click.option("--seats", type=click.IntRange(1, 32), default=3, show_default=True, help="Players of --procedure.")
@click.option("--shuffler", default="pty", show_default=True, metavar=LINE, help="The packet shuffler's line.")
@click.option("--shoe", default="pty", show_default=True, metavar=LINE, help="The card shoe's line.")
@click.option(
    "--shoe-dialect",
    type=click.Choice(list(FRONT_ENDS)),
    default="tdp",
    show_default=True,
    help="What the shoe speaks.",
)
@click.option("--controller", default="pty", show_default=True, metavar=LINE, help="The controller's line.")
@click.option("--speed", type=click.FloatRange(0.01, 1000), default=1.0, show_default=True, help="1 is real time.")
@click.option("--forever", is_flag=True, help="Stay up after the scenario.")
@click.option("--endless", "again", is_flag=True, help="Deal the scenario's rounds again and again.")
@click.option(
    "--faults",
    type=click.FloatRange(0, 1),
    default=0.0,
    help="With --endless: the share of rounds in which something goes wrong by chance.",
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), help="With --endless: other cards and faults.")
@click.option("--list", "as_list", is_flag=True, help="Name the scenarios that come with the program.")
@click.option("--json", "as_json", is_flag=True, help="Announce the lines as one JSON object.")
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
    faults: float,
    seed: int | None,
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
    chosen = _endless(ctx, procedure, seats) if procedure else find_scenario(scenario)
    _check_options(ctx, chosen)
    if again:
        chosen = _again(chosen, procedure, faults, seed)
    at_shoe = chosen.device == "shoe"
    dealing = {"shoe": {"shoe": shoe}, "shuffler": {"shuffler": shuffler}}.get(chosen.device, {})
    spoken = f" --shoe-dialect {shoe_dialect}" if at_shoe else ""
    serve(
        chosen,
        lines={**dealing, "table-controller": controller},
        ready=lambda addresses: _announce(addresses, spoken, as_json),
        speed=speed,
        shoe_dialect=shoe_dialect,
        forever=forever,
    )


def _again(chosen: AnyScenario, procedure: str | None, faults: float, seed: int | None) -> AnyScenario:
    """The scenario without an end. UsageError where it has none anyway, or is a race."""
    if procedure:
        raise click.UsageError("--procedure is dealt without an end anyway: --endless is not for it")
    if not isinstance(chosen, Scenario):
        raise click.UsageError(f"the races of scenario {chosen.id!r} are drawn once: --endless is not for it")
    return endless(chosen, faults=faults, seed=seed)


def _endless(ctx: click.Context, name: str, seats: int) -> AnyScenario:
    """Clean rounds of a procedure. UsageError when a scenario is asked for too, or for more players than it has
    seats."""
    if ctx.get_parameter_source("scenario") is ParameterSource.COMMANDLINE:
        raise click.UsageError("--scenario and --procedure exclude each other")
    procedure = load_procedure(name)
    most = procedure.seats.most
    if seats > most and ctx.get_parameter_source("seats") is ParameterSource.COMMANDLINE:
        raise click.UsageError(f"--seats: {procedure.id} has at most {most}")
    players = range(1, min(seats, most) + 1)
    return endless(scenario_of(procedure, [clean_round(procedure, players)]))


def _check_options(ctx: click.Context, scenario: AnyScenario) -> None:
    """UsageError for the option of a device that the scenario has not."""
    there = {"shoe": "a card shoe", "hand": "the dealer's hand"}.get(scenario.device, "a packet shuffler")
    options = {"shuffler": ("shuffler",), "shoe": ("shoe", "shoe_dialect")}
    for option in [name for device, names in options.items() if device != scenario.device for name in names]:
        if ctx.get_parameter_source(option) is ParameterSource.COMMANDLINE:
            name = f"--{option.replace('_', '-')}"
            raise click.UsageError(f"scenario {scenario.id!r} is dealt from {there}: {name} is not for it")


def _announce(addresses: dict[str, str], spoken: str, as_json: bool) -> None:
    """Say where the devices are; `spoken` is what else a command needs."""
    if as_json:
        click.echo(json.dumps({"schema": "dealwire.sim/1", "type": "ready", "lines": addresses}))
        return
    flags = " ".join(
        f"--{'controller' if name == 'table-controller' else name} {address}" for name, address in addresses.items()
    )
    echo(f"ready; in another terminal: dealwire monitor {flags}{spoken}")
