"""`dealwire sim`: simulated devices as a process of their own."""

import json
from pathlib import Path

import click

from devices.simulator.host import serve
from devices.simulator.scenario import load_scenario, scenario_ids


@click.command("sim")
@click.option(
    "--scenario", metavar="ID|FILE", default="clean-3", show_default=True, help="What is dealt and what fails."
)
@click.option("--shuffler", "shuffler", default="pty", show_default=True, metavar="pty|tcp:PORT", help="Its line.")
@click.option("--controller", default="pty", show_default=True, metavar="pty|tcp:PORT", help="The controller's line.")
@click.option("--speed", type=click.FloatRange(0.01, 1000), default=1.0, show_default=True, help="1 is real time.")
@click.option("--forever", is_flag=True, help="Stay up after the scenario.")
@click.option("--list", "as_list", is_flag=True, help="Name the scenarios that come with the program.")
@click.option("--json", "as_json", is_flag=True, help="Announce the lines as one JSON object.")
def command(
    scenario: str, shuffler: str, controller: str, speed: float, forever: bool, as_list: bool, as_json: bool
) -> None:
    """Put a simulated packet shuffler and table controller on lines and deal a scenario on them.

    Dealing starts when a host has opened both. Try: dealwire sim, then in another terminal dealwire monitor with
    the addresses it prints.
    """
    if as_list:
        for name in scenario_ids():
            click.echo(name)
        return

    def ready(addresses: dict[str, str]) -> None:
        if as_json:
            click.echo(json.dumps({"schema": "dealwire.sim/1", "type": "ready", "lines": addresses}))
        else:
            flags = " ".join(
                f"--{'controller' if name == 'table-controller' else name} {address}"
                for name, address in addresses.items()
            )
            click.echo(f"ready; in another terminal: dealwire monitor {flags}")

    chosen = load_scenario(Path(scenario) if scenario.endswith(".toml") else scenario)
    serve(
        chosen, lines={"shuffler": shuffler, "table-controller": controller}, ready=ready, speed=speed, forever=forever
    )
