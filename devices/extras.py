"""Installation of an optional part of this program, from the same source as the program itself.

pip records the source of a distribution (PEP 610). It records nothing for one installed by name, which is then
installed by name again.
"""

import json
import shlex
import sys
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

DISTRIBUTION: Final = "dealwire"


def install_command(*extras: str) -> str:
    """Return the shell command that installs these extras (`console`, `journal`, ...) in this program's environment."""
    came = origin()
    if came is None:
        return f"pip install {shlex.quote(requirement(came, *extras))}"
    return shlex.join(_pip(came, *extras))


def install_arguments(*extras: str) -> list[str]:
    """Return the same command as an argument list, always with this interpreter."""
    return _pip(origin(), *extras)


def requirement(came: Mapping[str, Any] | None, *extras: str) -> str:
    """Return the requirement that names this program to pip: its folder, file or address of origin, else its name.

    `came` is pip's record of the origin.
    """
    named = f"[{','.join(extras)}]" if extras else ""
    url = str(came.get("url", "")) if came is not None else ""
    if came is None or not url:
        return DISTRIBUTION + named
    parts = urlsplit(url)
    path = Path(unquote(parts.path))
    if parts.scheme == "file" and "vcs_info" not in came:
        return f"{path}{named}" if path.exists() else DISTRIBUTION + named
    vcs = came.get("vcs_info", {})
    at = f"{vcs.get('vcs')}+{url}@{vcs.get('commit_id')}" if vcs else url
    return f"{DISTRIBUTION}{named} @ {at}"


def is_editable(came: Mapping[str, Any] | None) -> bool:
    """Return True if the program runs from a checkout, so that edits there change it."""
    return came is not None and bool(came.get("dir_info", {}).get("editable"))


@cache
def origin() -> Mapping[str, Any] | None:
    """Return pip's record of this program's origin; None if it was installed by name or the origin is unknown."""
    try:
        text = metadata.distribution(DISTRIBUTION).read_text("direct_url.json")
        found = json.loads(text) if text else None
    except (metadata.PackageNotFoundError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _pip(came: Mapping[str, Any] | None, *extras: str) -> list[str]:
    editable = ["--editable"] if is_editable(came) else []
    # -P: do not run a `pip.py` from the working folder.
    return [sys.executable, "-P", "-m", "pip", "install", *editable, requirement(came, *extras)]
