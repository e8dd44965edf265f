"""Reading TOML strictly: every key is known and of its kind, or one line says which is not and what is allowed."""

from collections.abc import Iterable
from typing import Any

from protocol.errors import LocalError


class ScenarioError(LocalError):
    """A scenario or game file of the simulator holds something that cannot be."""

    def __init__(self, file: str, key: str, why: str) -> None:
        self.file, self.key, self.why = file, key, why
        super().__init__(f"{file}: {key}: {why}" if key else f"{file}: {why}")


class Section:
    """One TOML table. Take every key; `done` complains of those nobody took."""

    def __init__(self, file: str, path: str, table: object) -> None:
        self._file, self._path = file, path
        if not isinstance(table, dict):
            raise self.error("", f"a table is needed here, not {table!r}")
        self._table: dict[str, Any] = dict(table)
        self._known: list[str] = []

    def error(self, key: str, why: str) -> ScenarioError:
        """The error for a key of this table."""
        return ScenarioError(self._file, ".".join(part for part in (self._path, key) if part), why)

    def has(self, key: str) -> bool:
        """Whether the key is there."""
        self._known.append(key)
        return key in self._table

    def integer(self, key: str, low: int, high: int, default: int | None = None) -> int:
        """A whole number from `low` to `high`."""
        value = self._take(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise self.error(key, f"{value!r} is not a whole number from {low} to {high}")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """true or false."""
        value = self._take(key, default)
        if not isinstance(value, bool):
            raise self.error(key, f"{value!r} is neither true nor false")
        return value

    def text(self, key: str, default: str | None = None, allowed: Iterable[str] = ()) -> str:
        """A text, one of `allowed` when any are given."""
        value = self._take(key, default)
        choices = list(allowed)
        if not isinstance(value, str) or (choices and value not in choices):
            raise self.error(key, f"{value!r} is not {_one_of(choices)}" if choices else f"{value!r} is not a text")
        return value

    def texts(self, key: str, allowed: Iterable[str], default: list[str] | None = None) -> tuple[str, ...]:
        """A list of different texts, each one of `allowed`."""
        value, choices = self._take(key, default), list(allowed)
        if not isinstance(value, list) or any(item not in choices for item in value) or len(set(value)) != len(value):
            raise self.error(key, f"{value!r} is not a list of different words, each {_one_of(choices)}")
        return tuple(value)

    def words(self, key: str, allowed: Iterable[str] = (), default: list[str] | None = None) -> tuple[str, ...]:
        """A list of texts in their order, each one of `allowed` when any are given."""
        value, choices = self._take(key, default), list(allowed)
        if not isinstance(value, list) or any(not isinstance(item, str) for item in value):
            raise self.error(key, f"{value!r} is not a list of words")
        if choices and (strange := [item for item in value if item not in choices]):
            raise self.error(key, f"{strange[0]!r} is not {_one_of(choices)}")
        return tuple(value)

    def integers(self, key: str, low: int, high: int) -> tuple[int, ...]:
        """A list of different whole numbers from `low` to `high`."""
        value = self._take(key, None)
        if not isinstance(value, list) or not all(type(item) is int and low <= item <= high for item in value):
            raise self.error(key, f"{value!r} is not a list of whole numbers from {low} to {high}")
        if len(set(value)) != len(value):
            raise self.error(key, f"{value!r} names a number twice")
        return tuple(value)

    def numbers(self, key: str, low: int, high: int, allowed: Iterable[str] = ()) -> dict[str, int]:
        """A table of whole numbers; its keys are among `allowed` when any are given."""
        inner, choices = self.section(key), list(allowed)
        if choices and (strange := [name for name in inner.names() if name not in choices]):
            raise inner.error(strange[0], f"no such name here; allowed: {', '.join(choices)}")
        return {name: inner.integer(name, low, high) for name in inner.names()}

    def section(self, key: str) -> "Section":
        """A table within this one."""
        return Section(self._file, ".".join(part for part in (self._path, key) if part), self._take(key, None))

    def sections(self, key: str, default: list[object] | None = None) -> list["Section"]:
        """A list of tables; their place in it counts from 1 in messages."""
        value = self._take(key, default)
        if not isinstance(value, list):
            raise self.error(key, f"a list of tables is needed here, not {value!r}")
        path = ".".join(part for part in (self._path, key) if part)
        return [Section(self._file, f"{path}[{number}]", item) for number, item in enumerate(value, 1)]

    def names(self) -> list[str]:
        """Every key of the table."""
        return list(self._table)

    def either(self, key: str) -> Any:
        """A value whose kind the caller checks; None when it is not there."""
        self._known.append(key)
        return self._table.get(key)

    def done(self) -> None:
        """Complain of the first key that nobody took."""
        for key in self._table:
            if key not in self._known:
                raise self.error(key, f"no such key; allowed: {', '.join(dict.fromkeys(self._known))}")

    def _take(self, key: str, default: Any) -> Any:
        self._known.append(key)
        if key in self._table:
            return self._table[key]
        if default is None:
            raise self.error(key, "this key is missing")
        return default


def _one_of(choices: list[str]) -> str:
    return "one of " + ", ".join(choices)
