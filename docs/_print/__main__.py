"""Print the generated parts of `docs/`: all of them, as `make docs` does, or the named ones. Odds of a game that
changed since they were counted on this machine are counted again, which takes minutes."""

import argparse
import inspect
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill
from types import ModuleType
from typing import Final, NoReturn

from docs._print import DOCS, write
from docs._print.everything import PRINTED
from protocol.nearest import instead

PARTS: Final[Mapping[str, ModuleType]] = {part.__name__.rpartition(".")[2]: part for part in PRINTED}
"""Parts by the name that the command line takes, in the order of printing."""


class _OneLine(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Exit with a one-line message."""
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def main(arguments: Sequence[str], docs: Path = DOCS) -> None:
    """Print the named parts, or all. Exit with code 2, without printing anything, if a name is unknown."""
    parser = _OneLine(
        prog="python -m docs._print",
        description=fill(inspect.cleandoc(__doc__ or ""), 100),
        epilog="parts:\n" + "\n".join(map(_line, PARTS)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("part", nargs="*", help="what to print; all of it unless one is named")
    named = parser.parse_args(arguments).part
    for name in named:
        if name not in PARTS:
            parser.error(f"no part {name!r}{instead(name, PARTS, 'parts: ')}")
    for name, part in PARTS.items():
        if name in named or not named:
            write(part.pages(), docs)


def _line(name: str) -> str:
    """Return a part with the first sentence of its module's docstring."""
    said = " ".join(inspect.cleandoc(PARTS[name].__doc__ or "").partition("\n\n")[0].split())
    return fill(f"{name:<18}{said}", 100, initial_indent="  ", subsequent_indent=" " * 20, break_on_hyphens=False)


if __name__ == "__main__":
    main(sys.argv[1:])
