"""`dealwire list`: what is attached, what can be dealt."""

import json

import click

from dealwire.cli.terminal import echo, echo_json
from dealwire.host import ports, usb_devices


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line.")
@click.option(
    "--kind",
    type=click.Choice(["ports", "usb", "procedures", "games"]),
    multiple=True,
    help="Only these kinds; may be given more than once.",
)
def command(as_json: bool, kind: tuple[str, ...]) -> None:
    """List serial ports, USB devices, dealing procedures and games."""
    for item in found(kind or ("ports", "usb", "procedures", "games")):
        if as_json:
            echo_json(json.dumps({"schema": "dealwire.item/1", **item}))
        else:
            rest = "  ".join(f"{key} {value}" for key, value in item.items() if key not in ("type", "name") and value)
            echo(f"{item['type']:<10} {item['name']:<31} {rest}".rstrip())


def found(kinds: tuple[str, ...]) -> list[dict[str, str]]:
    """What there is of each kind, in the order asked for."""
    from dealer_flow.procedure.load import known_procedures, load_procedure
    from rules.game import game_ids

    items: list[dict[str, str]] = []
    for kind in kinds:
        if kind == "ports":
            items += [{"type": "port", **port} for port in ports()]
        elif kind == "usb":
            items += [{"type": "usb", **device} for device in usb_devices()]
        elif kind == "procedures":
            known = [load_procedure(name) for name in known_procedures()]
            items += [
                {"type": "procedure", "name": one.id, "title": one.title, "device": one.device.replace("-", " ")}
                for one in known
            ]
        else:
            items += [{"type": "game", "name": name} for name in game_ids()]
    return items
