"""This program, to be started once more as a process of its own: as it is installed, whatever lies in the folder that
somebody happens to stand in.

Python looks for modules in the working folder first when it is started with `-m` or `-c`, and in what `PYTHONPATH`
names: a `dealwire.py` there would run with the rights of a service. With `-I` it does neither.
"""

import os
import sys
from pathlib import Path
from typing import Final

import dealwire

_BEGIN: Final = (
    "import os, sys; sys.path += sys.argv.pop(1).split(os.pathsep); "
    "from dealwire.cli import main; main(prog_name='dealwire')"
)


def own_program(*arguments: str) -> list[str]:
    """The command that runs `dealwire` with these arguments by this interpreter, with its own modules."""
    return [sys.executable, "-I", "-c", _BEGIN, os.pathsep.join(_places()), *arguments]


def _places() -> list[str]:
    """Where this process finds modules, but for the working folder: there only where the program itself lies in it.
    They come behind those of the isolated interpreter, which knows neither a user's own packages nor a checkout."""
    own, here = Path(dealwire.__file__).resolve().parents[1], _working_folder()
    found = ((each, Path(each).resolve()) for each in sys.path if os.path.isabs(each))
    return [each for each, place in found if place == own or place != here]


def _working_folder() -> Path | None:
    try:
        return Path.cwd().resolve()
    except OSError:  # it was deleted
        return None
