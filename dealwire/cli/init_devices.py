"""The questions of `dealwire init` about lines and devices: what is plugged in, and what each line is used for."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from dealwire.cli.asking import Asker, Unfit, say
from dealwire.cli.exits import Exit, Stop
from dealwire.cli.init_questions import Answers, heading
from dealwire.cli.options import pairs
from dealwire.config.load import BESIDE, DEALING_DEVICES
from dealwire.setup.attached import FoundLine, attached_lines, best_for, probed
from dealwire.setup.choices import Choice
from devices.dialects.known import dialect_named, dialect_names
from devices.drive.address import check_address
from protocol.errors import DealwireError, LineUnusable
from protocol.printable import printable

SIMULATED: Final = {
    "shuffler": "tcp://127.0.0.1:7001",
    "shoe": "tcp://127.0.0.1:7001",
    "table-controller": "tcp://127.0.0.1:7002",
}


def lines_of_machine(ask: Asker, probe: bool | None) -> list[FoundLine]:
    """List what is plugged in, and ask each line what it is where that disturbs nothing and is wanted."""
    heading("Devices")
    found = attached_lines()
    free = [line for line in found if not line.why]
    if free and probe is None:
        say(
            f"{len(free)} port{'s' * (len(free) > 1)} can be queried. A TDP device answers, and nothing changes on it."
            " A device of another dialect receives a few bytes that it ignores. Ports in use are not touched."
        )
        probe = ask.confirm("probe", "Query them?", True)
    if probe:
        found = [probed(line) for line in found]
    for line in found:
        say(f"{line.address}  {line.about}".rstrip(), indent="  ")
        say(line.text or "not queried", indent="      ")
    if not found:
        say("No serial port and no USB device was found. Type an address below, such as tcp://HOST:PORT.", indent="  ")
    return found


def the_devices(ask: Asker, answers: Answers, lines: Sequence[FoundLine], simulated: bool) -> None:
    """Ask for the line of every device that the procedure needs."""
    device = answers.procedure.device
    given = ask.given("device")
    wanted = pairs(given, "--device") if isinstance(given, tuple) else {}
    beside = [kind for kind in BESIDE.get(device, ()) if kind in wanted]
    kinds = [*DEALING_DEVICES[device], *beside, "table-controller"]
    for name in wanted:
        if name not in kinds:
            raise Stop(
                Exit.USAGE,
                f"--device: {printable(repr(name), 40)}; {answers.procedure.id} is dealt with {' and '.join(kinds)}",
            )
    devices: list[dict[str, Any]] = []
    for kind in kinds:
        taken = [device["address"] for device in devices]
        default = SIMULATED[kind] if simulated else best_for(kind, lines, taken)
        if kind in wanted:
            address = _checked(wanted[kind], taken, f"--device {kind}")
        elif simulated:
            address = SIMULATED[kind]
        else:
            address = ask.text(f"device {kind}=ADDRESS", f"Line of the {kind}", default, partial(_address, taken=taken))
        devices.append(_device(ask, kind, address, lines, simulated))
    answers.table["device"] = devices


def _checked(typed: str, taken: Sequence[str], where: str) -> str:
    try:
        return _address(typed, taken)
    except Unfit as error:
        raise Stop(Exit.USAGE, f"{where}: {error}") from None


def _address(typed: str, taken: Sequence[str]) -> str:
    if typed in taken:
        raise Unfit(f"{typed} is the line of another device of this table")
    try:
        check_address(typed)
    except LineUnusable as error:
        raise Unfit(str(error)) from None
    return typed


def _device(ask: Asker, kind: str, address: str, lines: Sequence[FoundLine], simulated: bool) -> dict[str, Any]:
    """Return one device's table: its dialect, its role, and whether only this very device may be used."""
    line = next((each for each in lines if each.address == address and each.reply is not None), None)
    if line is None and not simulated and ask.given("probe") is not False:
        line = probed(FoundLine(address))
        say(line.text, indent="  ")
    made: dict[str, Any] = {"name": kind.replace("table-", ""), "kind": kind, "address": address}
    dialect = _dialect(ask, kind, line)
    if dialect != "tdp":
        return {**made, "dialect": dialect}
    listed = [
        Choice("observe", "nothing can be asked of it from the console"),
        Choice("control", "supervisors and technicians may have commands sent to it"),
    ]
    made["role"] = ask.choice("role", f"Role of the {kind}", listed, "control" if simulated else "observe")
    if line is not None and line.reply is not None and not simulated:
        if line.kind and line.kind != kind:
            say(f"WARNING: this device says that it is a {line.kind}.", indent="  ")
        if ask.confirm(
            "pin", f"Only {line.reply.maker} {line.reply.model} {line.reply.serial} may be on this line?", False
        ):
            made["pin"] = {key: value for key in ("maker", "model", "serial") if (value := getattr(line.reply, key))}
    return made


def _dialect(ask: Asker, kind: str, line: FoundLine | None) -> str:
    """The dialect of a device: asked only where several can be, and the device has not answered in TDP."""
    fitting = [name for name in dialect_names() if _speaks(name, kind)]
    if len(fitting) == 1 or (line is not None and line.reply is not None):
        return "tdp"
    listed = [Choice(name, dialect_named(name).about) for name in fitting]
    return ask.choice("dialect", f"Dialect of the {kind}", listed, "tdp")


def _speaks(dialect: str, kind: str) -> bool:
    try:
        return kind in dialect_named(dialect).drivers
    except DealwireError:
        return False
