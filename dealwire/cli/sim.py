"""`dealwire sim`: simulated devices as a process of their own."""

import json
from pathlib import Path

import click

from devices.simulator.catalogue import find_scenario, shoe_scenario_ids
from devices.simulator.host import serve
from devices.simulator.scenario import scenario_ids
from devices.simulator.shoe_scenario import ShoeScenario
from devices.simulator.shoe_table import MOUTHS

LINE = "pty|tcp:PORT"


@click.command("sim")
@click.option(
    "--scenario", metavar="ID|FILE", default="clean-3", show_default=True, help="What is dealt and what fails."
)
@click.option("--shuffler", default="pty", show_default=True, metavar=LINE, help="The packet shuffler's line.")
@click.option("--shoe", default="pty", show_default=True, metavar=LINE, help="The card shoe's line.")
@click.option(
    "--shoe-dialect", type=click.Choice(list(MOUTHS)), default="tdp", show_default=True, help="What the shoe speaks."
)
@click.option("--controller", default="pty", show_default=True, metavar=LINE, help="The controller's line.")
@click.option("--speed", type=click.FloatRange(0.01, 1000), default=1.0, show_default=True, help="1 is real time.")
@click.option("--forever", is_flag=True, help="Stay up after the scenario.")
@click.option("--list", "as_list", is_flag=True, help="Name the scenarios that come with the program.")
@click.option("--json", "as_json", is_flag=True, help="Announce the lines as one JSON object.")
def command(
    scenario: str,
    shuffler: str,
    shoe: str,
    shoe_dialect: str,
    controller: str,
    speed: float,
    forever: bool,
    as_list: bool,
    as_json: bool,
) -> None:
    """Put a simulated packet shuffler or card shoe and a table controller on lines and deal a scenario on them.

    Which of the two it is, the scenario says. Dealing starts when a host has opened both lines. Try: dealwire sim,
    then in another terminal the command that it prints.
    """
    if as_list:
        for name in (*scenario_ids(), *shoe_scenario_ids()):
            click.echo(name)
        return
    chosen = find_scenario(Path(scenario) if scenario.endswith(".toml") else scenario)
    at_shoe = isinstance(chosen, ShoeScenario)

    def ready(addresses: dict[str, str]) -> None:
        if as_json:
            click.echo(json.dumps({"schema": "dealwire.sim/1", "type": "ready", "lines": addresses}))
        else:
            flags = " ".join(
                f"--{'controller' if name == 'table-controller' else name} {address}"
                for name, address in addresses.items()
            )
            spoken = f" --shoe-dialect {shoe_dialect}" if at_shoe else ""
            click.echo(f"ready; in another terminal: dealwire monitor {flags}{spoken}")

    lines = {"shoe": shoe} if at_shoe else {"shuffler": shuffler}
    serve(
        chosen,
        lines={**lines, "table-controller": controller},
        ready=ready,
        speed=speed,
        shoe_dialect=shoe_dialect,
        forever=forever,
    )
