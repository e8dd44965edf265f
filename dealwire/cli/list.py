"""`dealwire list`: what is attached, what can be dealt, what can be spoken, what is installed."""

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Final

import click

from dealwire.cli.terminal import echo, say_object
from dealwire.host import EXTRAS, ports, usb_devices
from devices.extras import install_command

Item = dict[str, str]


def _procedures() -> list[Item]:
    from dealer_flow.procedure.load import known_procedures, load_procedure

    known = [load_procedure(name) for name in known_procedures()]
    return [{"name": one.id, "title": one.title, "device": one.device.replace("-", " ")} for one in known]


def _games() -> list[Item]:
    from rules.game.load import game_ids

    return [{"name": name} for name in game_ids()]


def _dialects() -> list[Item]:
    """With the package that adds one, and what of it is loaded; two that add the same name are both there."""
    from devices.dialects.known import BUILT_IN, GROUP

    own = [{"name": name, "from": "dealwire itself"} for name in BUILT_IN]
    added = [
        {"name": entry.name, "from": f"{entry.dist.name} {entry.dist.version}" if entry.dist else "", "is": entry.value}
        for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value))
        if entry.name not in BUILT_IN
    ]
    return own + added


def _extras() -> list[Item]:
    """Optional parts of this program: whether they are there, and the command that gets one."""
    return [
        {
            "name": name,
            "is": "installed" if extra.installed else "not installed",
            "for": extra.what,
            **({} if extra.installed else {"get": install_command(name)}),
        }
        for name, extra in EXTRAS.items()
    ]


KINDS: Final[dict[str, tuple[str, Callable[[], list[Item]]]]] = {
    "procedures": ("procedure", _procedures),
    "games": ("game", _games),
    "dialects": ("dialect", _dialects),
    "extras": ("extra", _extras),
    "usb": ("usb", usb_devices),
    "ports": ("port", ports),
}
"""As they are printed: what somebody has just plugged in stays on the screen, below what never changes."""


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line.")
@click.option(
    "--kind", type=click.Choice([*KINDS]), multiple=True, help="Only these kinds; may be given more than once."
)
def command(as_json: bool, kind: tuple[str, ...]) -> None:
    """List dealing procedures, games, dialects, the optional parts of this program, and last what is attached."""
    for item in found(kind or tuple(KINDS)):
        if as_json:
            say_object("dealwire.item/1", item.pop("type"), **item)
        else:
            rest = "  ".join(f"{key} {value}" for key, value in item.items() if key not in ("type", "name") and value)
            echo(f"{item['type']:<10} {item['name']:<31} {rest}".rstrip())


def found(kinds: tuple[str, ...]) -> list[Item]:
    """What there is of each kind, in the order asked for."""
    return [{"type": KINDS[kind][0], **item} for kind in kinds for item in KINDS[kind][1]()]
