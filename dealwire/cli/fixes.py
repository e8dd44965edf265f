"""Fixes of `dealwire doctor --fix`: each is a list of commands that a person could type, and is checked afterwards."""

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
    """Command with its standard input."""

    command: tuple[str, ...]
    given: str = ""

    def in_words(self, *, root: bool) -> str:
        """Return the command as typed in a shell, with sudo if `root`."""
        typed = shlex.join(("sudo", *self.command) if root else self.command)
        return f"{typed} <<'END'\n{self.given}END" if self.given else typed

    def run(self) -> str | None:
        """Run the command. Return the reason that it failed, or None."""
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
    """Problem that can be fixed."""

    what: str
    """Description of the problem."""
    steps: tuple[ShellCommand, ...]
    as_root: bool
    """True if the fix needs root."""
    wrong: Callable[[], str | None]
    """Function that returns the reason that the problem exists, or None if it is fixed."""
    then: str = ""
    """Advice about what to do afterwards."""


def fixes(found: Configuration | None, ports: Sequence[Mapping[str, str]]) -> Iterator[Fix]:
    """Yield fixes for this machine and, if given, for the files that a `table.toml` names."""
    for fix in (*_group(ports), *_rules(ports), *_libusb(found), *_extras(found), *_modes(found)):
        if fix.wrong() is not None:
            yield fix


def _group(ports: Sequence[Mapping[str, str]]) -> Iterator[Fix]:
    """Yield fixes that add the user to the group of a port that cannot be opened."""
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
        yield Fix(
            f"{path} cannot be opened: permission denied", (join,), True, wrong, "log in again to get the new group"
        )


def _rules(ports: Sequence[Mapping[str, str]]) -> Iterator[Fix]:
    """Yield the fix that installs missing udev rules of attached adapters."""
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
    """Return the optional parts that a configuration needs."""
    exports = found.exports
    wanted = {
        "console": found.console is not None,
        "journal": any((found.journal.key_file, found.journal.auditor_key_file, found.journal.signing_key_file)),
        "stamp": found.journal.timestamp_url is not None,
        "mqtt": exports.mqtt is not None,
        "people": found.people is not None,
        "metrics": exports.metrics is not None,
        "usb": _has_usb(found),
        "seal": found.lines is not None,
    }
    return [name for name, is_wanted in wanted.items() if is_wanted]


def _extras(found: Configuration | None) -> Iterator[Fix]:
    missing = [name for name in needed_extras(found) if not EXTRAS[name].installed] if found is not None else []
    if not missing:
        return

    def wrong() -> str | None:
        left = [name for name in missing if not EXTRAS[name].installed]
        return f"not installed, but needed: {', '.join(left)}" if left else None

    ours = may(sysconfig.get_path("purelib"), os.W_OK)
    yield Fix(wrong() or "", (ShellCommand(tuple(install_arguments(*missing))),), not ours, wrong)


_READ: Final = 0o077
"""Permission bits that a secret must not grant to anyone but its owner."""


def _modes(found: Configuration | None) -> Iterator[Fix]:
    """Yield fixes that make token, key and password files readable only by their owner."""
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
    """Return the existing files of a configuration that only their owner may read."""
    journal, console = found.journal, found.console
    apart = console is not None and console.socket is not None  # its files are its own user's
    files = [
        journal.key_file,
        journal.signing_key_file,
        console.tokens_file if console is not None and not apart else None,
    ]
    if found.people is not None and not apart:
        files.append(found.people.passkeys_file)
        files.append(found.people.oidc.client_secret_file if found.people.oidc is not None else None)
    files += [found.lines.keys / "host.key"] if found.lines is not None else []
    if (mqtt := found.exports.mqtt) is not None:
        files += [mqtt.password_file, mqtt.key_file]
    return [file for file in files if file is not None and file.is_file()]
