"""Schema and loader of an edition, a strict TOML file."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from dealer_flow.record.result import EditionRef
from dealer_flow.tomlfile import TomlTable, fault_at, files_in, first_fault, locate, parse, read
from protocol.tomlfile import Key, TomlFileError

FOLDER: Final = Path(__file__).parent
DEEPEST_BASE: Final = 16
"""Most editions that may extend one another in a chain."""
Text = Annotated[str, Field(min_length=1, max_length=300)]
KeyPath = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$", max_length=200)]


def _day(value: str) -> str:
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        raise ValueError(f"not a date: {value!r}; expected one such as 2021-05-01") from None


Day = Annotated[
    str,
    Field(pattern=r"^\d{4}-\d{2}-\d{2}$"),
    AfterValidator(_day),
    BeforeValidator(lambda value: value.isoformat() if type(value) is date else value),
]
"""A day as YYYY-MM-DD, as text or as a TOML date."""
EditionId = Annotated[str, Field(pattern=r"^[a-z0-9]+([.-][a-z0-9]+)*$", max_length=64)]


class EditionError(TomlFileError):
    """Error of an edition's file, or of a change that does not fit the files it changes."""


class ChangePart(TomlTable):
    """Difference between this edition and its base: figures, by their keys and the clause that they cite.

    `keys` are written as in `limit.each-bet` or `bet.ante.must.at-most`: a row of a list is named, or all rows are
    meant. A file that does not have the key, or cites another clause for it, is not changed.
    """

    clause: Annotated[tuple[Text, ...], Field(min_length=1)] | Text
    """Clause that the figure cites, or several; figures with the same key that cite another clause do not change."""
    keys: tuple[KeyPath, ...] = ()
    """Key of the figure in a procedure's or a game's file; without one only `cited_as` counts."""
    was: Any = None
    """Figure in the base; any figure unless given. `"none"` if the base has none and one is added to the table that
    cites the clause."""
    is_: Any = None
    """Figure in this edition; without one the base's figure is removed, and with it a row that has no other key."""
    cited_as: Text | None = None
    """Citation of the clause in this edition."""
    effective: Day | None = None
    """First day on which the change is in force; the edition's own unless given."""
    until: Day | None = None
    """Last day on which the change is in force; the edition's own unless given."""
    because: Text | None = None
    """Reason, if the text does not state the change in so many words."""

    @property
    def clauses(self) -> tuple[str, ...]:
        """The clauses, one or more."""
        return (self.clause,) if isinstance(self.clause, str) else self.clause


class EditionFile(TomlTable):
    """An edition's file."""

    schema_: Literal["dealwire.edition/1"] = Field(alias="schema")
    id: EditionId
    title: Text
    base: str | None = None
    """Edition that this one changes: an id, or a file in the same folder."""
    jurisdiction: Text | None = None
    """Jurisdiction in which it is in force; the base's unless given."""
    covers: tuple[Text, ...] = ()
    """Beginnings of the `jurisdiction` of the files that it applies to; its own jurisdiction's name unless given."""
    effective: Day | None = None
    """First day on which it is in force; absent if unknown."""
    until: Day | None = None
    """Last day on which it is in force; absent while it is in force, or if unknown."""
    cited_as: Text | None = None
    """Citation of its clauses in the files; the base's unless given."""
    source: Text
    """Source of the text, and which parts of it are not available."""
    change: tuple[ChangePart, ...] = ()


@dataclass(frozen=True, eq=False)
class Edition:
    """An edition ready to be applied. `part` is the content of its file, `base` the edition that it changes."""

    part: EditionFile
    file: str
    text: str
    base: "Edition | None" = None

    @property
    def id(self) -> str:
        """Id of the edition, as in `colorado-rule-10`."""
        return self.part.id

    @cached_property
    def layers(self) -> tuple["Edition", ...]:
        """The edition and all that it is based on, lowest first."""
        return (*(self.base.layers if self.base is not None else ()), self)

    @property
    def jurisdiction(self) -> str:
        """Jurisdiction in which it is in force."""
        return next((each.part.jurisdiction for each in reversed(self.layers) if each.part.jurisdiction), "")

    @property
    def covers(self) -> tuple[str, ...]:
        """Beginnings of the `jurisdiction` of the files that it applies to."""
        found = next((each.part.covers for each in reversed(self.layers) if each.part.covers), ())
        return found or (self.jurisdiction,)

    @property
    def cited_as(self) -> str:
        """Citation of its clauses; empty if the file does not give one."""
        return next((each.part.cited_as for each in reversed(self.layers) if each.part.cited_as), "")

    @cached_property
    def ref(self) -> EditionRef:
        """Id and SHA-256 of the content of its file and of its bases; layout does not count."""
        content = [each.part.model_dump(mode="json", by_alias=True, exclude_defaults=True) for each in self.layers]
        text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        return EditionRef(id=self.id, sha256=hashlib.sha256(text.encode()).hexdigest())

    def of(self, jurisdiction: str) -> bool:
        """Return True if the edition applies to files of this jurisdiction."""
        return jurisdiction.startswith(self.covers)

    def holds_on(self, day: str) -> bool:
        """Return True if the edition is in force on a day, given as YYYY-MM-DD."""
        first, last = self.part.effective, self.part.until
        return (first is None or first <= day) and (last is None or day <= last)

    def days(self) -> str:
        """Return the edition's days as text, such as `from 2013-10-16 until 2021-04-30`."""
        return days_in_words(self.part.effective, self.part.until) or "no day printed"

    def days_of(self, number: int) -> tuple[str | None, str | None]:
        """Return the first and the last day on which one of its changes is in force; None where unknown."""
        change = self.part.change[number]
        return change.effective or self.part.effective, change.until or self.part.until

    def fault(self, key: Key, why: str) -> EditionError:
        """Return the error for a key of its file."""
        return fault_at(self.file, self.text, key, why, EditionError)


def days_in_words(first: str | None, last: str | None) -> str:
    """Return both days as in `from 2013-10-16 until 2021-04-30`; empty if neither is known."""
    return " ".join(f"{word} {day}" for word, day in (("from", first), ("until", last)) if day)


def edition_ids() -> tuple[str, ...]:
    """Return the ids of the editions in the package."""
    return tuple(_files())


@cache
def _files() -> dict[str, Path]:
    return files_in(FOLDER)


def load_edition(source: str | Path) -> Edition:
    """Load the edition with this id, or from this file.

    EditionError states in one line what is wrong and where.
    """
    path = locate(source, _files(), "edition", EditionError)
    return _of_package(path) if path.parent == FOLDER else _read(path, ())


@cache
def _of_package(path: Path) -> Edition:
    """Read an edition of the package, once per process."""
    return _read(path, ())


@cache
def printed_edition(jurisdiction: str) -> Edition | None:
    """Return the edition that the files of a jurisdiction print, which a table uses if it names none.

    None if no edition of the package is that text.
    """
    known = (load_edition(name) for name in edition_ids())
    return next((each for each in known if each.base is None and each.of(jurisdiction)), None)


def _read(path: Path, above: tuple[Path, ...]) -> Edition:
    text = read(path, EditionError)
    part = first_fault(*parse(path, text, EditionFile, _faults, EditionError))
    own = Edition(part, str(path), text)
    if part.base is None:
        return own
    if len(above) >= DEEPEST_BASE or path.resolve() in above:
        raise own.fault(("base",), "extends itself, or too many others")
    try:
        below = path.parent / part.base if part.base.endswith(".toml") else part.base
        found = _read(locate(below, _files(), "edition", EditionError), (*above, path.resolve()))
    except EditionError as fault:
        raise (own.fault(("base",), fault.why) if fault.line is None else fault) from None
    return Edition(part, str(path), text, found)


def _faults(part: EditionFile) -> Iterator[tuple[Key, str]]:
    """Yield the keys of one file that contradict each other, with the reason."""
    if part.base is None and part.jurisdiction is None:
        yield ("jurisdiction",), "missing; an edition without a base names its jurisdiction"
    if part.base is None and part.change:
        yield ("change",), "an edition without a base is the printed text and has no changes"
    if part.effective and part.until and part.until < part.effective:
        yield ("until",), f"{part.until} is before {part.effective}, when it begins"
    for number, each in enumerate(part.change):
        key: Key = ("change", number)
        if not each.keys and each.cited_as is None:
            yield (*key, "keys"), "missing; a change needs keys, or cited-as"
        if not each.keys and (each.was is not None or each.is_ is not None):
            yield (*key, "keys"), "missing; the key of the figure"
        if each.effective and part.effective and each.effective > part.effective:
            yield (*key, "effective"), f"{each.effective} is after {part.effective}, when the edition begins"
        if each.until and (part.until or each.until) > each.until:
            yield (*key, "until"), f"{each.until} is before {part.until}, when the edition ends"
