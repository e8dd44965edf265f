"""Commands with an output that fails: each in a process of its own, forked from one that has loaded the program.

As a program: reads a list of commands as JSON, each with kinds of output, and writes how the command ended with each.
"""

import json
import os
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

KINDS: Final = ("full", "gone", "closed")
"""A full disk, a pipe whose reader has gone, no output at all."""


def main() -> None:
    """Run the commands on standard input."""
    from dealwire.cli import COMMANDS
    from dealwire.cli import main as dealwire

    for name in COMMANDS:  # once, and not in every process
        dealwire.get_command(click.Context(dealwire), name)
    asked: list[tuple[list[str], list[str]]] = json.load(sys.stdin)
    ended: list[dict[str, Any]] = []
    for arguments, kinds in asked:
        for kind in kinds:
            with tempfile.TemporaryFile() as said:
                child = os.fork()
                if not child:
                    _take(kind, said.fileno())
                    os._exit(_ended(dealwire, arguments))
                code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
                said.seek(0)
                text = said.read().decode()
            ended.append({"arguments": arguments, "output": kind, "code": code, "said": text.splitlines()})
    json.dump(ended, sys.stdout)


def _ended(run: Callable[..., object], arguments: list[str]) -> int:
    """Return the exit code of a program that ends so, with its output flushed, and without the tenth of a second that
    Python takes to unload."""
    code: object = None
    try:
        run(arguments, prog_name="dealwire")
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        return 1
    sys.stderr.flush()
    try:
        sys.stdout.flush()
    except Exception:
        return 120
    return code if isinstance(code, int) else 0


def _take(kind: str, errors: int) -> None:
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(errors, 2)
    if kind == "full":
        os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
    elif kind == "gone":
        reader, writer = os.pipe()
        os.close(reader)
        os.dup2(writer, 1)
    else:
        os.close(1)
        sys.stdout = None  # type: ignore[assignment]  # as Python has it then


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[3]))
    main()
