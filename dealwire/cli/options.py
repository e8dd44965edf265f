"""Option declarations as rows of names, kind and help, and kinds of option that several commands share."""

import errno
import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from click.core import ParameterSource

from protocol.printable import printable

F = TypeVar("F", bound=Callable[..., Any])
Kind = Mapping[str, Any]
"""Keyword arguments of `click.option` other than names and help."""
Row = tuple[str, Kind, str]
"""Row of an option: names such as `--token`, or `--meter meters` if the parameter has another name; kind; help."""


def declared(*rows: Row) -> Callable[[F], F]:
    """Return a decorator that adds the options of these rows, shown in this order."""

    def decorate(command: F) -> F:
        for names, kind, text in reversed(rows):
            command = click.option(*names.split(), help=text, **kind)(command)
        return command

    return decorate


def given(ctx: click.Context, *fitting: str) -> list[str]:
    """Return the options on the command line, except those with these names of parameters."""
    return [
        max(each.opts, key=len)
        for each in ctx.command.params
        if each.name is not None
        and each.name not in fitting
        and ctx.get_parameter_source(each.name) is ParameterSource.COMMANDLINE
    ]


class WholeRange(click.IntRange):
    """Integer from a range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number. Raise a usage error with the range if it is not an integer or out of range."""
        try:
            int(value)
        except ValueError:
            self.fail(
                f"{printable(repr(value), 40)} is not a whole number in the range {self._describe_range()}", param, ctx
            )
        number: int = super().convert(value, param, ctx)
        return number


class DecimalRange(click.FloatRange):
    """Number from a range. `nan` is rejected, though no comparison does so."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number. Raise a usage error with the range if it is not a number or out of range."""
        try:
            float(value)
        except ValueError:
            self.fail(f"{printable(repr(value), 40)} is not a number in the range {self._describe_range()}", param, ctx)
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{number} is not in the range {self._describe_range()}.", param, ctx)
        return number


class APath(click.Path):
    """Path of a file or folder, which need not exist."""

    def __init__(self, *, file_okay: bool = True, dir_okay: bool = True) -> None:
        super().__init__(file_okay=file_okay, dir_okay=dir_okay, readable=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the path. Raise a usage error for a name that no file can have: empty, too long, or with a null
        byte."""
        if not os.fspath(value):
            self.fail("a file name is required, not an empty string", param, ctx)
        try:
            os.lstat(value)
        except (OSError, ValueError) as error:
            if getattr(error, "errno", None) in (None, errno.ENAMETOOLONG):
                why = getattr(error, "strerror", None) or str(error)
                self.fail(f"{printable(repr(os.fspath(value)), 40)} is not a file name: {why}", param, ctx)
        return Path(os.fsdecode(super().convert(value, param, ctx)))


class AFile(APath):
    """Path of a file, which need not exist. A folder is rejected."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the path. Raise a usage error for a folder."""
        if os.path.isdir(value):
            self.fail(f"{printable(repr(os.fspath(value)))} is a folder, not a file", param, ctx)
        return super().convert(value, param, ctx)


class Percentage(click.types.StringParamType):
    """Percentage as text, such as `5` or `2.5`. The game sets its limits."""

    name = "percent"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text. Raise a usage error if it is not a percentage."""
        if not re.fullmatch(r"\d{1,3}(\.\d{1,4})?", str(value), re.ASCII):
            self.fail(f"{printable(repr(value), 40)} is not a percentage; write digits, such as 5 or 2.5", param, ctx)
        return str(value)


class HashText(click.types.StringParamType):
    """SHA-256 hash as text: 64 hex digits, returned in lower case."""

    name = "hash"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text. Raise a usage error if it is not a hash."""
        if not re.fullmatch(r"[0-9A-Fa-f]{64}", str(value)):
            self.fail(f"{printable(repr(value), 70)} is not a hash of 64 hex digits", param, ctx)
        return str(value).lower()


IMAGE_MAX_BYTES: Final = 1 << 26
"""Maximum size of a firmware image. It is far above any device's flash; a simulated device measures the whole image in
one step."""
FILE: Final = AFile()
FLAG: Final[Kind] = {"is_flag": True}
A_FILE: Final[Kind] = {"type": FILE, "metavar": "FILE"}
A_FOLDER: Final[Kind] = {"type": APath(), "metavar": "FOLDER"}
LINE_KEYS: Final[Kind] = {**A_FOLDER, "metavar": "FOLDER|FILE", "callback": lambda _ctx, _param, path: _of_lines(path)}
"""Kind of an option for the keys of sealed lines: their folder, or the table.toml that names it."""
ADDRESS: Final[Kind] = {"metavar": "ADDRESS"}
ID_OR_FILE: Final[Kind] = {"metavar": "ID|FILE"}
DIALECT: Final[Kind] = {"metavar": "NAME", "default": "tdp", "show_default": True}
PERCENT: Final[Kind] = {"type": Percentage(), "metavar": "PERCENT", "default": "0"}
SEED: Final[Kind] = {"type": WholeRange(0, 2**32 - 1)}
SECONDS: Final[Kind] = {"type": DecimalRange(0, min_open=True)}
JSON_LINES: Final[Row] = ("--json as_json", FLAG, "Print one JSON object per line.")
VERBOSE_BETS: Final[Row] = ("-v --verbose", FLAG, "Print each bet with its reason and clause.")


def many(metavar: str) -> Kind:
    """Return the settings of an option that may be given more than once."""
    return {"multiple": True, "metavar": metavar}


def usually(default: object, kind: Kind | None = None, **more: Any) -> Kind:
    """Kind of an option with a default that its help shows."""
    return {**(kind or {}), "default": default, "show_default": True, **more}


def whole(least: int, most: int | None = None, metavar: str | None = None) -> Kind:
    """Kind of an option that takes an integer from a range."""
    return {"type": WholeRange(least, most), "metavar": metavar}


def decimal(least: float, most: float) -> Kind:
    """Kind of an option that takes a number from a range."""
    return {"type": DecimalRange(least, most)}


def pairs(values: Sequence[str], option: str) -> dict[str, str]:
    """Parse `name=value` options into a dictionary. Raise a usage error that names an option without `=`, or a name
    that is given twice."""
    found = {}
    for value in values:
        name, equals, rest = value.partition("=")
        if not equals or not name or not rest:
            raise click.BadParameter(f"{value!r} is not of the form NAME=VALUE", param_hint=option)
        if name in found:
            raise click.BadParameter(f"{printable(repr(name), 40)} is given twice", param_hint=option)
        found[name] = rest
    return found


def _of_lines(path: Path | None) -> Path | None:
    """Return the folder of keys: `path`, or the one that the table.toml at `path` names. Raise a usage error if that
    names none."""
    if path is None or not path.is_file():
        return path
    from dealwire.config.load import load_configuration  # few runs of a command need it

    lines = load_configuration(path).lines
    if lines is None:
        raise click.UsageError(f"{path}: names no keys of sealed lines; allowed: keys in [lines]")
    return lines.keys


def cache_folder() -> Path:
    """Return the folder where computed odds are cached. It belongs to this user alone, and may be deleted at any
    time."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(given) if Path(given).is_absolute() else Path.home() / ".cache"
    return base / "dealwire" / "odds"
