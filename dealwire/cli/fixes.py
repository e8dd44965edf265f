"""What `dealwire doctor --fix` puts right: each fix as the commands that a person would type, and tried again after."""

import getpass
import os
import shlex
import shutil
import subprocess
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from dealwire.cli.system_files import RULES_PATH, udev_rules
from dealwire.config.private_file import why_unsafe
from dealwire.config.schema import Configuration
from dealwire.host import EXTRAS, GET_LIBUSB, has_libusb
from devices.extras import install_arguments
from devices.files import may


class ShellCommand(NamedTuple):
    """One command, and what it is given on standard input."""

    command: tuple[str, ...]
    given: str = ""

    def in_words(self, *, root: bool) -> str:
        """As a person types it; `root`: with sudo before it."""
        typed = shlex.join(("sudo", *self.command) if root else self.command)
        return f"{typed} <<'END'\n{self.given}END" if self.given else typed

    def run(self) -> str | None:
        """Do it; why it failed, None when it did not."""
        try:
            done = subprocess.run(self.command, input=self.given, capture_output=True, text=True)
        except OSError as error:
            return f"{self.command[0]}: {error.strerror}"
        if not done.returncode:
            return None
        output = (done.stderr or done.stdout).strip().splitlines()
        return output[-1] if output else f"{self.command[0]} ended with {done.returncode}"


@dataclass(frozen=True, slots=True)
class Fix:
    """Something that can be put right."""

    what: str
    """What is wrong."""
    steps: tuple[ShellCommand, ...]
    as_root: bool
    """Only root can do it."""
    wrong: Callable[[], str | None]
    """Why it is not right now; None when it is."""
    then: str = ""
    """What a person has to do besides."""


def fixes(found: Configuration | None, ports: Sequence[Mapping[str, str]]) -> Iterator[Fix]:
    """What can be put right on this machine, and with the files that a `table.toml` names, where one is given."""
    for fix in (*_group(ports), *_rules(ports), *_libusb(found), *_extras(found), *_modes(found)):
        if fix.wrong() is not None:
            yield fix


def _group(ports: Sequence[Mapping[str, str]]) -> Iterator[Fix]:
    """Ports that this user may not open belong to a group that may."""
    closed = [Path(port["name"]) for port in ports if Path(port["name"]).exists()]
    user = getpass.getuser()
    for path in (each for each in closed if not may(each, os.R_OK | os.W_OK)):
        try:
            group = path.group()
        except KeyError:
            continue
        if group == "root":
            continue  # who joins it may do far more than open a port

        def wrong(group: str = group) -> str | None:
            import grp

            return None if user in grp.getgrnam(group).gr_mem else f"{user} is not in the group {group}"

        join = ShellCommand(("usermod", "-aG", group, user))
        yield Fix(f"{path} may not be opened", (join,), True, wrong, "log in again: a session keeps its groups")


def _rules(ports: Sequence[Mapping[str, str]]) -> Iterator[Fix]:
    """The adapters that are attached have their rule."""
    path = Path(RULES_PATH)

    def missing() -> list[Mapping[str, str]]:
        text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        return [port for port in ports if (vendor := port.get("usb", "").partition(":")[0]) and vendor not in text]

    def wrong() -> str | None:
        names = ", ".join(port["name"] for port in missing())
        return f"no udev rule in {path} is for {names}" if names else None

    write = ShellCommand(("tee", "-a", str(path)), udev_rules(missing()))
    reload = (ShellCommand(("udevadm", "control", "--reload")), ShellCommand(("udevadm", "trigger")))
    yield Fix(wrong() or "", (ShellCommand(("mkdir", "-p", str(path.parent))), write, *reload), True, wrong)


def _libusb(found: Configuration | None) -> Iterator[Fix]:
    if EXTRAS["usb"].installed and shutil.which("apt-get") and (found is None or _has_usb(found)):
        yield Fix(
            "libusb was not found: no USB bulk devices",
            (ShellCommand((*GET_LIBUSB[1:3], "-y", *GET_LIBUSB[3:])),),
            True,
            lambda: None if has_libusb() else "libusb was not found",
        )


def _has_usb(found: Configuration) -> bool:
    return any(device.address.startswith("usb:") for table in found.table for device in table.device)


def needed_extras(found: Configuration) -> list[str]:
    """The parts of this program that a file asks for."""
    exports = found.exports
    wanted = {
        "console": found.console is not None,
        "journal": (found.journal.key_file or found.journal.auditor_key_file) is not None,
        "mqtt": exports.mqtt is not None,
        "metrics": exports.metrics is not None,
        "usb": _has_usb(found),
    }
    return [name for name, is_wanted in wanted.items() if is_wanted]


def _extras(found: Configuration | None) -> Iterator[Fix]:
    missing = [name for name in needed_extras(found) if not EXTRAS[name].installed] if found is not None else []
    if not missing:
        return

    def wrong() -> str | None:
        left = [name for name in missing if not EXTRAS[name].installed]
        return f"not installed, and asked for: {', '.join(left)}" if left else None

    ours = may(sysconfig.get_path("purelib"), os.W_OK)
    yield Fix(wrong() or "", (ShellCommand(tuple(install_arguments(*missing))),), not ours, wrong)


_READ: Final = 0o077
"""What nobody but the owner of a secret may do."""


def _modes(found: Configuration | None) -> Iterator[Fix]:
    """Tokens, keys and passwords are for their owner alone."""
    for file in secrets_of(found) if found is not None else ():
        facts = file.stat()
        ours = facts.st_uid == os.geteuid()
        steps = []
        if not ours and os.geteuid() != 0 and facts.st_uid != 0:
            steps.append(ShellCommand(("chown", getpass.getuser(), str(file))))
        if facts.st_mode & _READ:
            steps.append(ShellCommand(("chmod", "600", str(file))))

        def wrong(file: Path = file) -> str | None:
            return why_unsafe(file)

        if steps:
            yield Fix(f"{file}: {wrong()}", tuple(steps), not ours and os.geteuid() != 0, wrong)


def secrets_of(found: Configuration) -> list[Path]:
    """Files of a configuration that nobody else may read; only those that are there."""
    files = [found.journal.key_file, found.console.tokens_file if found.console is not None else None]
    if (mqtt := found.exports.mqtt) is not None:
        files += [mqtt.password_file, mqtt.key_file]
    return [file for file in files if file is not None and file.is_file()]
