"""Tables of a scenario's file, and errors that depend on the procedure."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from pydantic import ConfigDict

from dealer_flow.tomlfile import TomlTable
from protocol.tomlfile import Key, TomlFileError, line_of, spell


class Part(TomlTable):
    """Table whose keys are written exactly like the fields."""

    model_config = ConfigDict(alias_generator=None)


class OpenPart(Part):
    """Table whose allowed keys depend on the procedure; see `FileKey.only`."""

    model_config = ConfigDict(extra="allow")


class FileKey(NamedTuple):
    """Key of a file and its position. Without a `text` no line is named, as for rounds that are not from a file."""

    file: str
    text: str
    key: Key = ()

    def at(self, *key: str | int) -> "FileKey":
        """Return a key below this one."""
        return self._replace(key=(*self.key, *key))

    def error(self, why: str) -> TomlFileError:
        """Return an error at this key."""
        return TomlFileError(self.file, line_of(self.text, self.key), spell(self.key), why)

    def needs(self, part: Part, *keys: str) -> None:
        """Raise TomlFileError for a key that the table lacks."""
        for key in keys:
            if key not in part.model_fields_set:
                raise self.at(key).error("missing")

    def only(self, part: Part, *keys: str) -> None:
        """Raise TomlFileError for a key of the table that is not one of these."""
        for key in sorted(part.model_fields_set - {*keys}):
            raise self.at(key).error(f"unknown key; allowed: {', '.join(keys)}")

    def among(self, names: Iterable[str], allowed: Collection[str]) -> None:
        """Raise TomlFileError for a name that is not one of these."""
        for name in names:
            if name not in allowed:
                raise self.error(f"{str(name)!r} is not one of {', '.join(allowed)}")

    def number(self, value: int | None, low: int, high: int) -> int:
        """Return the number. Raise TomlFileError if it is missing, or not from `low` to `high`."""
        if value is None:
            raise self.error("missing")
        if not low <= value <= high:
            raise self.error(f"{value} is not a whole number from {low} to {high}")
        return value
