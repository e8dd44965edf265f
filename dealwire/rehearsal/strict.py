"""Reading TOML strictly: every key is known and of its kind, or one line says which is not and what is allowed."""

from collections.abc import Callable, Collection, Iterable
from typing import Any, TypeVar

from protocol.errors import LocalError

T = TypeVar("T")


class ScenarioError(LocalError):
    """A scenario holds something that cannot be."""

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
        return ScenarioError(self._file, self._at(key), why)

    def has(self, key: str) -> bool:
        """Whether the key is there."""
        self._known.append(key)
        return key in self._table

    def integer(self, key: str, low: int, high: int, default: int | None = None) -> int:
        """A whole number from `low` to `high`."""
        what = f"a whole number from {low} to {high}"
        return int(self._take(key, lambda value: type(value) is int and low <= value <= high, what, default))

    def flag(self, key: str, default: bool) -> bool:
        """true or false."""
        return bool(self._take(key, lambda value: isinstance(value, bool), "true or false", default))

    def text(self, key: str, default: str | None = None, allowed: Iterable[str] = ()) -> str:
        """A text, one of `allowed` when any are given."""
        choices = list(allowed)
        what = _one_of(choices) if choices else "a text"
        return str(self._take(key, lambda v: isinstance(v, str) and (not choices or v in choices), what, default))

    def words(self, key: str, allowed: Iterable[str]) -> tuple[str, ...]:
        """A list of texts in their order, each one of `allowed`; empty when it is not there."""
        choices = list(allowed)
        what = f"a list of words, each {_one_of(choices)}"
        return tuple(self._take(key, lambda v: isinstance(v, list) and all(item in choices for item in v), what, []))

    def integers(self, key: str, low: int, high: int) -> tuple[int, ...]:
        """A list of different whole numbers from `low` to `high`."""

        def fits(value: Any) -> bool:
            if not isinstance(value, list) or any(type(item) is not int for item in value):
                return False
            return len(set(value)) == len(value) and all(low <= item <= high for item in value)

        return tuple(self._take(key, fits, f"a list of different whole numbers from {low} to {high}"))

    def numbers(self, key: str, low: int, high: int, allowed: Collection[str]) -> dict[str, int]:
        """A table of whole numbers; its keys are among `allowed`."""
        inner = self.section(key)
        if strange := [name for name in inner.names() if name not in allowed]:
            raise inner.error(strange[0], f"no such name here; allowed: {', '.join(allowed)}")
        return {name: inner.integer(name, low, high) for name in inner.names()}

    def section(self, key: str) -> "Section":
        """A table within this one."""
        return Section(self._file, self._at(key), self._take(key))

    def each(self, key: str, read: "Callable[[Section], T]", default: list[object] | None = None) -> tuple[T, ...]:
        """What `read` makes of each of a list of tables, of which it takes every key; messages count them from 1."""
        value = self._take(key, lambda value: isinstance(value, list), "a list of tables", default)
        items = [Section(self._file, f"{self._at(key)}[{number}]", item) for number, item in enumerate(value, 1)]
        found = []
        for item in items:
            found.append(read(item))
            item.done()
        return tuple(found)

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

    def _at(self, key: str) -> str:
        return ".".join(part for part in (self._path, key) if part)

    def _take(
        self, key: str, fits: Callable[[Any], bool] = lambda _: True, what: str = "", default: object = None
    ) -> Any:
        """The value of `key`, or `default` unless it is None; `what` says in words which values fit."""
        self._known.append(key)
        value = self._table.get(key, default)
        if value is None:
            raise self.error(key, "this key is missing")
        if not fits(value):
            raise self.error(key, f"{value!r} is not {what}")
        return value


def _one_of(choices: list[str]) -> str:
    return "one of " + ", ".join(choices)
