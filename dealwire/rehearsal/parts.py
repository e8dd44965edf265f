"""The tables of a scenario's file, and what is wrong at a place in it that only the procedure tells."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from pydantic import ConfigDict

from dealer_flow.tomlfile import TomlTable
from protocol.tomlfile import Key, TomlFileError, line_of, spell


class Part(TomlTable):
    """A table whose keys are written as they are named here."""

    model_config = ConfigDict(alias_generator=None)


class OpenPart(Part):
    """A table of which the procedure tells what keys it takes: `FileKey.only`."""

    model_config = ConfigDict(extra="allow")


class FileKey(NamedTuple):
    """A key of a file and where it stands. Without a `text` no line is named, as for rounds that stand in no file."""

    file: str
    text: str
    key: Key = ()

    def at(self, *key: str | int) -> "FileKey":
        """A place within this one."""
        return self._replace(key=(*self.key, *key))

    def error(self, why: str) -> TomlFileError:
        """What is wrong here."""
        return TomlFileError(self.file, line_of(self.text, self.key), spell(self.key), why)

    def needs(self, part: Part, *keys: str) -> None:
        """TomlFileError for a key that the table here lacks."""
        for key in keys:
            if key not in part.model_fields_set:
                raise self.at(key).error("missing")

    def only(self, part: Part, *keys: str) -> None:
        """TomlFileError for a key of the table here that is none of these."""
        for key in sorted(part.model_fields_set - {*keys}):
            raise self.at(key).error(f"unknown key; allowed: {', '.join(keys)}")

    def among(self, names: Iterable[str], allowed: Collection[str]) -> None:
        """TomlFileError for a name that is none of these."""
        for name in names:
            if name not in allowed:
                raise self.error(f"{str(name)!r} is not one of {', '.join(allowed)}")

    def number(self, value: int | None, low: int, high: int) -> int:
        """The number here; TomlFileError when it is missing, or not from `low` to `high`."""
        if value is None:
            raise self.error("missing")
        if not low <= value <= high:
            raise self.error(f"{value} is not a whole number from {low} to {high}")
        return value
