"""System files: systemd units with the path of this program, with a warning if a service could not reach it; udev rules
for serial adapters."""

import os
import shlex
import shutil
import stat
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Final

import dealwire
from dealwire.host import EXTRAS
from dealwire.host import ports as attached_ports
from devices.extras import origin, requirement

SERVICE: Final = "dealwire@.service"
RECORDER: Final = "dealwire-record@.service"
CONSOLE: Final = "dealwire-console@.service"
CONSOLE_DROP_IN: Final = "dealwire-console.conf"
"""Settings that the tables' unit needs in addition if a console has a user of its own."""
INSTALLED: Final = "/usr/local/bin/dealwire"
"""Path of the program in the unmodified files."""
HOME: Final = "/opt/dealwire"
"""Recommended folder for a service: owned by root, readable by everyone, hidden by no protection of systemd."""

RULES: Final = "70-dealwire.rules"
"""Name of the rules file. Its number sorts it after the rules that name a device, and before those that grant access to
the seat's user (73) or to ModemManager (77)."""
RULES_PATH: Final = f"/etc/udev/rules.d/{RULES}"
GROUP: Final = "dialout"
FTDI: Final = "0403"

_EXAMPLE: Final = {"usb": f"{FTDI}:6001", "serial": "A10KZW3X"}

_WANTED: Final = ("console", "journal", "mqtt", "metrics", "usb")
"""Extras that a service may need."""
_HIDES: Final = (
    ("ProtectHome=yes", ("/home", "/root", "/run/user")),
    ("PrivateTmp=yes", ("/tmp", "/var/tmp")),
    ("DynamicUser=yes", ("/tmp", "/var/tmp")),
)
"""Settings of a unit, each with the folders that it hides from the service."""


def printed(name: str) -> str:
    """Return a system file with the path of this program. A unit begins with a warning if the service could not start
    it."""
    text = shipped(name)
    # A percent sign starts a specifier in a unit.
    named = text.replace(INSTALLED, str(program()).replace("%", "%%"))
    return "".join(f"# {line}\n" for line in advice(text)) + named


def shipped(name: str) -> str:
    """Return the file as it is included."""
    return resources.files("dealwire.service").joinpath("files", name).read_text(encoding="utf-8")


def program() -> Path:
    """Return the path of this program for a service: the name that a shell finds if it is this installation."""
    ours = Path(sysconfig.get_path("scripts")) / "dealwire"
    found = shutil.which("dealwire")
    if found is not None and (not ours.exists() or Path(found).resolve() == ours.resolve()):
        return Path(found)
    return ours if ours.exists() else Path(INSTALLED)


def parts() -> list[Path]:
    """Return all paths that must be readable to run this program: script, interpreter, environment, and its modules,
    which an editable installation leaves in the checkout."""
    script = program()
    found = [script, script.resolve(), Path(sys.executable), Path(os.path.realpath(sys.executable)), Path(sys.prefix)]
    return list(dict.fromkeys([*found, Path(dealwire.__file__).parent]))


def advice(unit: str, needed: Sequence[Path] | None = None) -> list[str]:
    """Return a warning and installation commands if the protections of a unit hide any of `needed` from its service;
    empty if all can be reached."""
    hidden = list(_hidden(unit, parts() if needed is None else needed))
    if not hidden:
        return []
    # An installation from a checkout is copied: a service must not change with edits in the checkout.
    extras = [name for name in _WANTED if EXTRAS[name].installed] or ["console", "journal"]
    named = shlex.quote(requirement(origin(), *extras))
    return [
        f"WARNING: a service cannot start this program: {hidden[0]}. Install it where it can:",
        f"  sudo python3 -m venv {HOME}",
        f"  sudo {HOME}/bin/pip install {named}",
        f"  sudo ln -sf {HOME}/bin/dealwire {INSTALLED}",
        f"and print this with {INSTALLED}.",
    ]


def _hidden(unit: str, needed: Sequence[Path]) -> Iterator[str]:
    settings = unit.splitlines()
    folders = {folder: setting for setting, hides in _HIDES if setting in settings for folder in hides}
    for path in needed:
        for folder, setting in folders.items():
            if path.is_relative_to(folder):
                yield f"{path} is below {folder}, which {setting} hides"
        closed = next((each for each in reversed(path.parents) if not _others_enter(each)), None)
        if closed is not None:
            yield f"{path} is below {closed}, which other users may not enter"


def _others_enter(folder: Path) -> bool:
    try:
        return bool(folder.stat().st_mode & stat.S_IXOTH)
    except OSError:
        return True  # it is not there, which is not said here


# ------------------------------------------------------------------ udev rules


def udev_rules(ports: Sequence[Mapping[str, str]]) -> str:
    """Return rules for each USB adapter in `ports` (from `dealwire.host.ports`): group, ignored by ModemManager, low
    latency of FTDI adapters. Without an adapter it is a comment with an example."""
    head = f"# Written by `dealwire doctor --udev`. Save as {RULES_PATH}, then:\n"
    head += "#   udevadm control --reload && udevadm trigger"
    lines = [line for port in ports for line in rules_of(port)]
    if not lines:
        lines = [
            "# No USB adapter is attached, so here is no rule. Attach one and print this again, or take the rules for",
            "# all usual kinds: dealwire run --print-udev. For an FTDI adapter with the number A10KZW3X it would be:",
            *(f"#   {line}" for line in rules_of(_EXAMPLE)),
        ]
    return "\n".join([head, *lines]) + "\n"


def rules_of(port: Mapping[str, str]) -> list[str]:
    """Return the rules of one port, empty if it is not on USB."""
    vendor, _, product = port.get("usb", "").partition(":")
    if not product:
        return []
    match = [f'ATTRS{{idVendor}}=="{vendor}"', f'ATTRS{{idProduct}}=="{product}"']
    # A serial number from a device must not end the rule it is written into.
    serial = port.get("serial", "")
    if serial and serial.isprintable() and '"' not in serial and "\\" not in serial:
        match.append(f'ATTRS{{serial}}=="{serial}"')
    rule = ", ".join(['SUBSYSTEM=="tty"', *match, f'GROUP="{GROUP}"', 'MODE="0660"', 'TAG+="uaccess"'])
    lines = [f'{rule}, ENV{{ID_MM_DEVICE_IGNORE}}="1"']
    if vendor == FTDI:
        lines.append('SUBSYSTEM=="usb-serial", DRIVER=="ftdi_sio", ' + ", ".join(match) + ', ATTR{latency_timer}="1"')
    return lines


def udev_rules_of_all(ports: Sequence[Mapping[str, str]] | None = None) -> str:
    """Return rules for all usual kinds of adapters, and for attached adapters of other kinds. The file can replace the
    one from `udev_rules`."""
    text = shipped(RULES)
    others = [port for port in (attached_ports() if ports is None else ports) if not _covers(text, port)]
    return text + "".join(f"{line}\n" for port in others for line in rules_of(port))


def _covers(text: str, port: Mapping[str, str]) -> bool:
    vendor = port.get("usb", "").partition(":")[0]
    return f'"{vendor}|' in text or f"|{vendor}|" in text or f'|{vendor}"' in text
