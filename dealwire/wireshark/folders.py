"""Installation of files where Wireshark looks for extensions."""

import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Final

from msgspec import Struct

from protocol.errors import LocalError

HERE: Final = Path(__file__).parent
DISSECTOR: Final = "dealwire.lua"
EXTCAP: Final = "dealwire-extcap"
COLOURS: Final = "dealwire.colorfilters"
MARK: Final = b"dealwire"
"""Text near the beginning of each file from dealwire. A file without it is not overwritten."""
_PATIENCE_S: Final = 20
_LONGEST_START: Final = 127


class ForeignFile(LocalError):
    """Error: the file exists and is not from dealwire."""

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(f"{path}: not a file from dealwire; move it away or name another folder")


class NotWritten(LocalError):
    """Error: the system refused to write."""

    def __init__(self, path: Path, cause: OSError) -> None:
        self.path, self.why = path, cause.strerror or str(cause)
        super().__init__(f"{path}: {self.why}")


class Installed(StrEnum):
    """State of an installed file."""

    ABSENT = "not installed"
    CURRENT = "installed"
    OLDER = "another version"
    """Also a file for another Python, which starts the interfaces."""
    FOREIGN = "not ours"


class InstalledFile(Struct, frozen=True):
    """File to install: description, path, content, and True if it is a program."""

    what: str
    path: Path
    content: bytes
    program: bool = False

    @property
    def state(self) -> Installed:
        """State of the installed file: absent, current, outdated, or not installed by dealwire."""
        try:
            now = self.path.read_bytes()
        except OSError:
            return Installed.FOREIGN if self.path.exists() else Installed.ABSENT
        if now == self.content:
            return Installed.CURRENT
        return Installed.OLDER if MARK in now[:2000] else Installed.FOREIGN

    def install(self) -> Installed:
        """Install the file, and return its former state. Raise ForeignFile or NotWritten."""
        with self._ours() as before:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if before is not Installed.CURRENT:
                self.path.write_bytes(self.content)
            if self.program:
                self.path.chmod(self.path.stat().st_mode | stat.S_IXUSR)
        return before

    def remove(self) -> Installed:
        """Remove the file, and return its former state. Raise ForeignFile or NotWritten."""
        with self._ours() as before:
            self.path.unlink(missing_ok=True)
        return before

    @contextmanager
    def _ours(self) -> Iterator[Installed]:
        """Yield the current state for a change, and convert its errors."""
        before = self.state
        if before is Installed.FOREIGN:
            raise ForeignFile(self.path)
        try:
            yield before
        except OSError as cause:
            raise NotWritten(self.path, cause) from cause


def pieces(folder: Path | None = None) -> list[InstalledFile]:
    """Return the files to install, below `folder` or where the installed Wireshark looks."""
    named = {} if folder else _folders()
    own = folder or personal()
    lua = named.get("Personal Lua Plugins", own / "plugins")
    extcap = named.get("Personal Extcap path", own / "extcap")
    script = (HERE / "extcap.py").read_bytes()
    found = [InstalledFile("dissector", lua / DISSECTOR, (HERE / DISSECTOR).read_bytes())]
    if os.name == "nt":
        batch = f'@echo off\r\nrem dealwire\r\n"{sys.executable}" -IS "%~dp0{EXTCAP}.py" %*\r\n'.encode()
        found.append(InstalledFile("interfaces", extcap / f"{EXTCAP}.py", script))
        found.append(InstalledFile("interfaces, for Windows", extcap / f"{EXTCAP}.bat", batch))
    else:
        found.append(
            InstalledFile(
                "interfaces", extcap / EXTCAP, _first_lines(sys.executable) + script.partition(b"\n")[2], program=True
            )
        )
    return found


def _first_lines(python: str) -> bytes:
    """Return the first lines of a script that start it with this Python in isolated mode. The system cuts a first line
    at a space and after 127 bytes: in that case a shell is started, for which the second line is a command and for
    Python an unused string."""
    plain = f"#!{python} -IS\n".encode()
    if len(plain) < _LONGEST_START and not re.search(r"\s", python):
        return plain
    return f"#!/bin/sh\n'''exec' {shlex.quote(python)} -IS \"$0\" \"$@\"\n' '''\n".encode()


def personal(system: str = sys.platform, environment: Mapping[str, str] = os.environ) -> Path:
    """Return Wireshark's personal folder, as its manual gives it for each system."""
    if system == "win32":
        return Path(environment.get("APPDATA", str(Path.home() / "AppData" / "Roaming"))) / "Wireshark"
    home = Path(environment.get("HOME", str(Path.home())))
    old = home / ".wireshark"
    new = Path(environment.get("XDG_CONFIG_HOME", str(home / ".config"))) / "wireshark"
    return old if old.is_dir() and not new.is_dir() else new


def _folders() -> dict[str, Path]:
    """Return the folders that tshark reports, empty without tshark."""
    program = shutil.which("tshark")
    if program is None:
        return {}
    try:
        done = subprocess.run([program, "-G", "folders"], capture_output=True, text=True, timeout=_PATIENCE_S)
    except (OSError, subprocess.TimeoutExpired):
        return {}
    return {name: Path(path) for name, path in re.findall(r"^([^:\n]+):\s+(\S.*)$", done.stdout, re.MULTILINE)}
