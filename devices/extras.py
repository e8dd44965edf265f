"""How a part of this program that is not installed yet is got: by the way in which the program itself came here.

pip notes where a distribution came from (PEP 610). What it fetched by name says nothing, and is fetched by name again.
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
    """What to type at a shell to get these extras (`console`, `journal`, ...) into the environment of this program."""
    came = origin()
    if came is None:
        return f"pip install {shlex.quote(requirement(came, *extras))}"
    return shlex.join(_pip(came, *extras))


def install_arguments(*extras: str) -> list[str]:
    """The same as a program's arguments, always with this interpreter."""
    return _pip(origin(), *extras)


def requirement(came: Mapping[str, Any] | None, *extras: str) -> str:
    """What names this program to pip: the folder, the file or the address that it came from, else its name. `came` is
    the note of its origin."""
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
    """Whether the program runs from a checkout: what is changed there changes it."""
    return came is not None and bool(came.get("dir_info", {}).get("editable"))


@cache
def origin() -> Mapping[str, Any] | None:
    """What pip noted of where this program came from; None when it was fetched by its name, or nobody knows."""
    try:
        text = metadata.distribution(DISTRIBUTION).read_text("direct_url.json")
        found = json.loads(text) if text else None
    except (metadata.PackageNotFoundError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _pip(came: Mapping[str, Any] | None, *extras: str) -> list[str]:
    editable = ["--editable"] if is_editable(came) else []
    # -P: a `pip.py` in the working folder is not meant.
    return [sys.executable, "-P", "-m", "pip", "install", *editable, requirement(came, *extras)]
