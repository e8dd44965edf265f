"""Print what of `docs/` is printed from the program: all of it, as `make docs` does, or the parts that are named. Odds
of a game that are not kept yet are counted, which takes minutes."""

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
"""What may be named, in the order in which all is printed."""


class _OneLine(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Say in one line what cannot be."""
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def main(arguments: Sequence[str], docs: Path = DOCS) -> None:
    """Print the parts that are named, or all; SystemExit 2, and nothing is printed, where one is no part."""
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
    """A part and what it is, by the first sentence of its module."""
    said = " ".join(inspect.cleandoc(PARTS[name].__doc__ or "").partition("\n\n")[0].split())
    return fill(f"{name:<16}{said}", 100, initial_indent="  ", subsequent_indent=" " * 18, break_on_hyphens=False)


if __name__ == "__main__":
    main(sys.argv[1:])
