"""Where Wireshark looks for what a person adds to it, and putting our files there."""

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
"""Stands near the beginning of each file of ours; one without it is another's."""
_PATIENCE_S: Final = 20
_LONGEST_START: Final = 127


class ForeignFile(LocalError):
    """A file of that name is there and is not ours."""

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(f"{path}: not a file of dealwire, so it stays as it is; move it away or name another folder")


class NotWritten(LocalError):
    """The system did not let us write there."""

    def __init__(self, path: Path, cause: OSError) -> None:
        self.path, self.why = path, cause.strerror or str(cause)
        super().__init__(f"{path}: {self.why}")


class Installed(StrEnum):
    """What lies at a place."""

    ABSENT = "not installed"
    CURRENT = "installed"
    OLDER = "another version"
    """Or of another Python, which the interfaces are started with."""
    FOREIGN = "not ours"


class InstalledFile(Struct, frozen=True):
    """One file to install: what it is, where it goes, what it holds, whether it is a program."""

    what: str
    path: Path
    content: bytes
    program: bool = False

    @property
    def state(self) -> Installed:
        """What lies there now."""
        try:
            now = self.path.read_bytes()
        except OSError:
            return Installed.FOREIGN if self.path.exists() else Installed.ABSENT
        if now == self.content:
            return Installed.CURRENT
        return Installed.OLDER if MARK in now[:2000] else Installed.FOREIGN

    def install(self) -> Installed:
        """Put it there; gives what was there. ForeignFile and NotWritten."""
        with self._ours() as before:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if before is not Installed.CURRENT:
                self.path.write_bytes(self.content)
            if self.program:
                self.path.chmod(self.path.stat().st_mode | stat.S_IXUSR)
        return before

    def remove(self) -> Installed:
        """Take it away; gives what was there. ForeignFile and NotWritten."""
        with self._ours() as before:
            self.path.unlink(missing_ok=True)
        return before

    @contextmanager
    def _ours(self) -> Iterator[Installed]:
        """What lies there, to be changed."""
        before = self.state
        if before is Installed.FOREIGN:
            raise ForeignFile(self.path)
        try:
            yield before
        except OSError as cause:
            raise NotWritten(self.path, cause) from cause


def pieces(folder: Path | None = None) -> list[InstalledFile]:
    """What is installed, and where: below `folder`, else where Wireshark of this machine looks."""
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
    """What starts a script with that Python, alone. The system cuts a first line at a blank and after 127 bytes: a
    shell is started there, to which the second line is a command and to Python a text that nobody uses."""
    plain = f"#!{python} -IS\n".encode()
    if len(plain) < _LONGEST_START and not re.search(r"\s", python):
        return plain
    return f"#!/bin/sh\n'''exec' {shlex.quote(python)} -IS \"$0\" \"$@\"\n' '''\n".encode()


def personal(system: str = sys.platform, environment: Mapping[str, str] = os.environ) -> Path:
    """Wireshark's personal folder, as its manual gives it for each system."""
    if system == "win32":
        return Path(environment.get("APPDATA", str(Path.home() / "AppData" / "Roaming"))) / "Wireshark"
    home = Path(environment.get("HOME", str(Path.home())))
    old = home / ".wireshark"
    new = Path(environment.get("XDG_CONFIG_HOME", str(home / ".config"))) / "wireshark"
    return old if old.is_dir() and not new.is_dir() else new


def _folders() -> dict[str, Path]:
    """Folders as tshark names them; nothing where there is no tshark."""
    program = shutil.which("tshark")
    if program is None:
        return {}
    try:
        done = subprocess.run([program, "-G", "folders"], capture_output=True, text=True, timeout=_PATIENCE_S)
    except (OSError, subprocess.TimeoutExpired):
        return {}
    return {name: Path(path) for name, path in re.findall(r"^([^:\n]+):\s+(\S.*)$", done.stdout, re.MULTILINE)}
