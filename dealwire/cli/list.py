"""Command `dealwire list`: attached devices, dialects, optional parts, procedures and games."""

from collections.abc import Callable, Collection, Mapping
from importlib.metadata import entry_points
from typing import Final

import click

from dealwire.cli.terminal import echo, say_object
from dealwire.host import EXTRAS, ports, usb_devices
from devices.extras import install_command

Item = dict[str, str]


def _procedure_ids() -> Collection[str]:
    from dealer_flow.procedure.load import known_procedures

    return known_procedures()


def _game_ids() -> Collection[str]:
    from rules.game.load import game_ids

    return game_ids()


def _procedures() -> list[Item]:
    from dealer_flow.procedure.load import load_procedure

    known = [load_procedure(name) for name in _procedure_ids()]
    return [{"name": one.id, "title": one.title, "device": one.device.replace("-", " ")} for one in known]


def _games() -> list[Item]:
    return [{"name": name} for name in _game_ids()]


def _dialects() -> list[Item]:
    """Return the dialects, each with the package that adds it and its entry point. Two packages that add the same name
    are both listed."""
    from devices.dialects.known import BUILT_IN, GROUP

    own = [{"name": name, "from": "dealwire itself"} for name in BUILT_IN]
    added = [
        {"name": entry.name, "from": f"{entry.dist.name} {entry.dist.version}" if entry.dist else "", "is": entry.value}
        for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value))
        if entry.name not in BUILT_IN
    ]
    return own + added


def _extras() -> list[Item]:
    """Return the optional parts, whether each is installed, and the command that installs it."""
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
"""Kinds in the order of the JSON lines."""
FIRST: Final = ("ports", "usb", "dialects", "extras")
"""Kinds that text lists: what is attached comes first, so that it is on the screen."""
COUNTED: Final[Mapping[str, Callable[[], Collection[str]]]] = {"procedures": _procedure_ids, "games": _game_ids}
"""Kinds that text counts: they are long, and the same on every machine."""


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@click.option("-v", "--verbose", is_flag=True, help="Also list procedures and games, instead of counting them.")
@click.option(
    "--kind", type=click.Choice([*KINDS]), multiple=True, help="List only this kind; may be given more than once."
)
def command(as_json: bool, verbose: bool, kind: tuple[str, ...]) -> None:
    """List serial ports, USB devices, dialects and optional parts, and count procedures and games."""
    chosen = kind or (tuple(KINDS) if as_json else FIRST + tuple(COUNTED) * verbose)
    for item in found(chosen):
        if as_json:
            say_object("dealwire.item/1", item.pop("type"), **item)
        else:
            rest = "  ".join(f"{key} {value}" for key, value in item.items() if key not in ("type", "name") and value)
            echo(f"{item['type']:<10} {item['name']:<15} {rest}".rstrip(), hang=13)
    if not as_json and not kind and not verbose:
        for name, ids in COUNTED.items():
            echo(f"{name:<10} {len(ids())}; dealwire list --kind {name} lists them")


def found(kinds: tuple[str, ...]) -> list[Item]:
    """Return the items of each kind, in the order of `kinds`."""
    return [{"type": KINDS[kind][0], **item} for kind in kinds for item in KINDS[kind][1]()]
