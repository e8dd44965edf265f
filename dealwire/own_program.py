"""Command that starts this program again as a separate process, as installed, never from the working folder.

With `-m` or `-c` Python searches the working folder first, and the folders in `PYTHONPATH`: a `dealwire.py` there would
run with the rights of a service. With `-I` it does neither.
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
    """Return the command that runs `dealwire` with these arguments, with this interpreter and its own modules."""
    return [sys.executable, "-I", "-c", _BEGIN, os.pathsep.join(_places()), *arguments]


def _places() -> list[str]:
    """Return this process's module folders without the working folder, unless the program itself is in it.

    They follow those of the isolated interpreter, which knows neither a user's packages nor a checkout.
    """
    own, here = Path(dealwire.__file__).resolve().parents[1], _working_folder()
    found = ((each, Path(each).resolve()) for each in sys.path if os.path.isabs(each))
    return [each for each, place in found if place == own or place != here]


def _working_folder() -> Path | None:
    try:
        return Path.cwd().resolve()
    except OSError:  # the working folder was deleted
        return None
