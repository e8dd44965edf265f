"""Files for the system, as they are printed: with the path of this program in them, and with a word where it stands so
that a service could not reach it.
"""

import os
import shlex
import shutil
import stat
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Final

import dealwire
from dealwire.host import EXTRAS
from devices.extras import origin, requirement

SERVICE: Final = "dealwire@.service"
RECORDER: Final = "dealwire-record@.service"
INSTALLED: Final = "/usr/local/bin/dealwire"
"""Where the files look for the program, until they are printed."""
HOME: Final = "/opt/dealwire"
"""Where a service's program stands best: of root, for everybody, hidden by nothing."""

_WANTED: Final = ("console", "journal", "mqtt", "metrics", "usb")
"""Extras that a service may ask for."""
_HIDES: Final = (
    ("ProtectHome=yes", ("/home", "/root", "/run/user")),
    ("PrivateTmp=yes", ("/tmp", "/var/tmp")),
    ("DynamicUser=yes", ("/tmp", "/var/tmp")),
)
"""What a unit says -> the folders that are empty, or others, to its service."""


def printed(name: str) -> str:
    """A file for the system, with the path of this program in it. A unit says at its head what keeps its service from
    the program."""
    text = shipped(name)
    # What begins with a percent sign means something in a unit.
    named = text.replace(INSTALLED, str(program()).replace("%", "%%"))
    return "".join(f"# {line}\n" for line in advice(text)) + named


def shipped(name: str) -> str:
    """The same as it comes with this program."""
    return resources.files("dealwire.service").joinpath("files", name).read_text(encoding="utf-8")


def program() -> Path:
    """This program, as a service has to start it: by the name that a shell finds, where that is this one."""
    ours = Path(sysconfig.get_path("scripts")) / "dealwire"
    found = shutil.which("dealwire")
    if found is not None and (not ours.exists() or Path(found).resolve() == ours.resolve()):
        return Path(found)
    return ours if ours.exists() else Path(INSTALLED)


def parts() -> list[Path]:
    """All that has to be reached for this program to run: itself, its interpreter, what is installed with it, its own
    modules, which an editable installation leaves in the checkout."""
    script = program()
    found = [script, script.resolve(), Path(sys.executable), Path(os.path.realpath(sys.executable)), Path(sys.prefix)]
    return list(dict.fromkeys([*found, Path(dealwire.__file__).parent]))


def advice(unit: str, needed: Sequence[Path] | None = None) -> list[str]:
    """Lines for a person: which of `needed` the protections of a unit hide from its service, and what to type so that
    it can be started; none where all of it can be reached."""
    hidden = list(_hidden(unit, parts() if needed is None else needed))
    if not hidden:
        return []
    # What is installed from a checkout is copied: a service must not change with what somebody edits.
    extras = [name for name in _WANTED if EXTRAS[name].installed] or ["console", "journal"]
    named = shlex.quote(requirement(origin(), *extras))
    return [
        f"WARNING: a service cannot start this program: {hidden[0]}. Install it where it can:",
        f"  sudo python3 -m venv {HOME}",
        f"  sudo {HOME}/bin/python -m pip install {named}",
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
