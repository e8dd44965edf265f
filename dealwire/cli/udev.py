"""udev rules for serial adapters, in one file of the system's."""

from collections.abc import Mapping, Sequence
from typing import Final

from dealwire.cli.unit import shipped
from dealwire.host import ports as attached_ports

RULES: Final = "70-dealwire.rules"
"""After the rules that name a device, before those that give it to whoever sits there (73) or to ModemManager (77)."""
RULES_PATH: Final = f"/etc/udev/rules.d/{RULES}"
GROUP: Final = "dialout"
FTDI: Final = "0403"

_EXAMPLE: Final = {"usb": f"{FTDI}:6001", "serial": "A10KZW3X"}


def udev_rules(ports: Sequence[Mapping[str, str]]) -> str:
    """Rules for each USB adapter in `ports` (as `dealwire.host.ports` gives them): its group, ModemManager told to
    leave it alone, and no waiting in an FTDI adapter. Without any adapter a comment with an example."""
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
    """The rules of one port; none when it is not on USB."""
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
    """Rules for the kinds of adapters that devices come with, and for those attached that are of no such kind: the file
    loses nothing when it takes the place of the one that `udev_rules` gives."""
    text = shipped(RULES)
    others = [port for port in (attached_ports() if ports is None else ports) if not _covers(text, port)]
    return text + "".join(f"{line}\n" for port in others for line in rules_of(port))


def _covers(text: str, port: Mapping[str, str]) -> bool:
    vendor = port.get("usb", "").partition(":")[0]
    return f'"{vendor}|' in text or f"|{vendor}|" in text or f'|{vendor}"' in text
