"""Options, declared by a row each of names, kind and help, and the kinds that several commands share."""

import errno
import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from protocol.printable import printable

F = TypeVar("F", bound=Callable[..., Any])
Kind = Mapping[str, Any]
"""What `click.option` takes beside names and help."""
Row = tuple[str, Kind, str]
"""`--token`, or `--meter meters` where the parameter has a name of its own; its kind; its help."""


def declared(*rows: Row) -> Callable[[F], F]:
    """The options of these rows as one decorator, to be shown in this order."""

    def decorate(command: F) -> F:
        for names, kind, text in reversed(rows):
            command = click.option(*names.split(), help=text, **kind)(command)
        return command

    return decorate


class WholeRange(click.IntRange):
    """A whole number from a range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number; a usage error, with the range, when it is none or not in it."""
        try:
            int(value)
        except ValueError:
            self.fail(
                f"{printable(repr(value), 40)} is no whole number in the range {self._describe_range()}", param, ctx
            )
        number: int = super().convert(value, param, ctx)
        return number


class DecimalRange(click.FloatRange):
    """A number from a range; `nan` lies in none, though no comparison says so."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number; a usage error, with the range, when it is none or not in it."""
        try:
            float(value)
        except ValueError:
            self.fail(f"{printable(repr(value), 40)} is no number in the range {self._describe_range()}", param, ctx)
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{number} is not in the range {self._describe_range()}.", param, ctx)
        return number


class APath(click.Path):
    """A file or a folder that is there or not."""

    def __init__(self, *, file_okay: bool = True, dir_okay: bool = True) -> None:
        super().__init__(file_okay=file_okay, dir_okay=dir_okay, readable=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Where it is; a usage error for what no system takes as a name: nothing, or more than it can hold."""
        if not os.fspath(value):
            self.fail("a name is wanted, not an empty text", param, ctx)
        try:
            os.lstat(value)
        except (OSError, ValueError) as error:
            if getattr(error, "errno", None) in (None, errno.ENAMETOOLONG):
                why = getattr(error, "strerror", None) or str(error)
                self.fail(f"{printable(repr(os.fspath(value)), 40)} is no name of a file: {why}", param, ctx)
        return Path(os.fsdecode(super().convert(value, param, ctx)))


class AFile(APath):
    """A file that is there or not, and no folder."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Where it is; a usage error for a folder."""
        if os.path.isdir(value):
            self.fail(f"{printable(repr(os.fspath(value)))} is a folder; a file is wanted", param, ctx)
        return super().convert(value, param, ctx)


class Percentage(click.types.StringParamType):
    """A percentage as it is written, `5` or `2.5`; how much a game lets the house take is the game's to say."""

    name = "percent"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text; a usage error where it is no percentage."""
        if not re.fullmatch(r"\d{1,3}(\.\d{1,4})?", str(value), re.ASCII):
            self.fail(f"{printable(repr(value), 40)} is no percentage; allowed: digits, such as 5 or 2.5", param, ctx)
        return str(value)


IMAGE_MAX_BYTES: Final = 1 << 26
"""Of a firmware's image: far above any device's flash; measuring is one turn of a simulated device."""
FILE: Final = AFile()
FLAG: Final[Kind] = {"is_flag": True}
A_FILE: Final[Kind] = {"type": FILE, "metavar": "FILE"}
ADDRESS: Final[Kind] = {"metavar": "ADDRESS"}
ID_OR_FILE: Final[Kind] = {"metavar": "ID|FILE"}
DIALECT: Final[Kind] = {"metavar": "NAME", "default": "tdp", "show_default": True}
PERCENT: Final[Kind] = {"type": Percentage(), "metavar": "PERCENT", "default": "0"}
SEED: Final[Kind] = {"type": WholeRange(0, 2**32 - 1)}
SECONDS: Final[Kind] = {"type": DecimalRange(0, min_open=True)}
JSON_LINES: Final[Row] = ("--json as_json", FLAG, "Print one JSON object per line.")
VERBOSE_BETS: Final[Row] = ("-v --verbose", FLAG, "Print each bet with its reason and clause.")


def many(metavar: str) -> Kind:
    """May be given more than once."""
    return {"multiple": True, "metavar": metavar}


def usually(default: object, kind: Kind | None = None, **more: Any) -> Kind:
    """Has a default, which its help shows."""
    return {**(kind or {}), "default": default, "show_default": True, **more}


def whole(least: int, most: int | None = None, metavar: str | None = None) -> Kind:
    """A whole number from a range."""
    return {"type": WholeRange(least, most), "metavar": metavar}


def decimal(least: float, most: float) -> Kind:
    """A number from a range."""
    return {"type": DecimalRange(least, most)}


def pairs(values: Sequence[str], option: str) -> dict[str, str]:
    """`name=value` options as a dictionary; a usage error names the one that has no `=`."""
    found = {}
    for value in values:
        name, equals, rest = value.partition("=")
        if not equals or not name or not rest:
            raise click.BadParameter(f"{value!r} is not of the form NAME=VALUE", param_hint=option)
        if name in found:
            raise click.BadParameter(f"{printable(repr(name), 40)} stands twice", param_hint=option)
        found[name] = rest
    return found


def cache_folder() -> Path:
    """Where counted odds are kept: of this user alone, and it may be deleted at any time."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(given) if Path(given).is_absolute() else Path.home() / ".cache"
    return base / "dealwire" / "odds"
