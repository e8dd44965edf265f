"""Requirements of a command on its machine and its installation: a POSIX system, a part of this program.

A command that lacks one of them ends in one line. Two things may be missing: modules of POSIX systems (`fcntl`,
`termios`), which Windows does not have, and parts of this program that an installation for tables alone leaves out.
"""

from typing import Final

from devices.extras import install_command
from devices.system import IS_POSIX
from protocol.errors import DealwireError

POSIX_COMMANDS: Final = frozenset(
    {
        *("demo", "init", "run", "console", "record", "monitor", "sim", "journal", "fleet", "witness"),
        *("device", "bench", "operator", "authority", "users"),
    }
)
"""Commands that open lines, lock files or serve: they need file locks, terminals, signals and modes of POSIX."""

PARTS: Final = {
    "dealwire.bench": "bench",
    "dealwire.rehearsal": "rehearsal",
    "devices.simulator": "rehearsal",
    "rules.odds": "odds",
}
"""Packages that a table does not use -> the extra that brings each."""

POSIX_MODULES: Final = frozenset({"fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"})


class NeedsPosix(DealwireError):
    """A command was used on a system that cannot run it."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} needs Linux or macOS; docs/systems.md says which commands work on this system")


class PartMissing(DealwireError):
    """A command needs a part of this program that is not in this installation."""

    def __init__(self, package: str, extra: str) -> None:
        self.package, self.extra = package, extra
        super().__init__(f"{package} is not in this installation; {install_command(extra)}")


def check_system(command: str) -> None:
    """Raise NeedsPosix for a command that this system cannot run."""
    if not IS_POSIX and command in POSIX_COMMANDS:
        raise NeedsPosix(f"dealwire {command}")


def explained(error: ModuleNotFoundError) -> DealwireError | None:
    """Return the error to show for a module that could not be found; None for one that no one left out on purpose."""
    name = error.name or ""
    for package, extra in PARTS.items():
        if name == package or name.startswith(f"{package}."):
            return PartMissing(package, extra)
    if not IS_POSIX and name in POSIX_MODULES:
        return NeedsPosix(f"the module {name}, which this command uses,")
    return None
