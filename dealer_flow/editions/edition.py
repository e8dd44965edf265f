"""An edition as a strict TOML file."""

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
"""Editions that stand upon each other."""
Text = Annotated[str, Field(min_length=1, max_length=300)]
KeyPath = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$", max_length=200)]


def _day(value: str) -> str:
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        raise ValueError(f"no day: {value!r}; expected one such as 2021-05-01") from None


Day = Annotated[
    str,
    Field(pattern=r"^\d{4}-\d{2}-\d{2}$"),
    AfterValidator(_day),
    BeforeValidator(lambda value: value.isoformat() if type(value) is date else value),
]
"""A day as YYYY-MM-DD, as text or as TOML's own date."""
EditionId = Annotated[str, Field(pattern=r"^[a-z0-9]+([.-][a-z0-9]+)*$", max_length=64)]


class EditionError(TomlFileError):
    """An edition's file cannot be used, or does not fit the files that it changes."""


class ChangePart(TomlTable):
    """What stands otherwise in this edition than in its base: figures, by their keys and the clause that they cite.

    `keys` are written as in `limit.each-bet` or `bet.ante.must.at-most`: a row of a list is named, or all rows are
    meant. Where a file has no such key, or gives another clause for it, nothing is changed.
    """

    clause: Annotated[tuple[Text, ...], Field(min_length=1)] | Text
    """The clause that the figure cites, or several: of others of the same key nothing is said."""
    keys: tuple[KeyPath, ...] = ()
    """Where the figure stands in a procedure's or a game's file; without one only `cited_as` counts."""
    was: Any = None
    """The figure in the base, any unless given; `"none"` where it has none and one is put into the table that cites
    the clause."""
    is_: Any = None
    """The figure in this edition; without one the base's is gone, and with it a row that says nothing else."""
    cited_as: Text | None = None
    """How the clause is cited in this edition."""
    effective: Day | None = None
    """From when this holds; the edition's own day unless given."""
    until: Day | None = None
    """The last day on which this holds; the edition's own unless given."""
    because: Text | None = None
    """Why, where the text does not say it in so many words."""

    @property
    def clauses(self) -> tuple[str, ...]:
        """The clauses, one or more."""
        return (self.clause,) if isinstance(self.clause, str) else self.clause


class EditionFile(TomlTable):
    """The whole file."""

    schema_: Literal["dealwire.edition/1"] = Field(alias="schema")
    id: EditionId
    title: Text
    base: str | None = None
    """The edition that this one changes: an id, or a file beside this one."""
    jurisdiction: Text | None = None
    """Where it is the law; the base's unless given."""
    covers: tuple[Text, ...] = ()
    """How the `jurisdiction` of the files begins that it is the text of; the jurisdiction's name unless given."""
    effective: Day | None = None
    """The first day on which it holds; absent where that is not at hand."""
    until: Day | None = None
    """The last day on which it holds; absent while it does, or where that is not at hand."""
    cited_as: Text | None = None
    """How its clauses are cited in the files; the base's way unless given."""
    source: Text
    """Where the text comes from, and what of it is not at hand."""
    change: tuple[ChangePart, ...] = ()


@dataclass(frozen=True, eq=False)
class Edition:
    """An edition ready to be applied. `part` is what its file says, `base` the edition that it stands on."""

    part: EditionFile
    file: str
    text: str
    base: "Edition | None" = None

    @property
    def id(self) -> str:
        """As in `colorado-rule-10`."""
        return self.part.id

    @cached_property
    def layers(self) -> tuple["Edition", ...]:
        """The editions that it stands on, lowest first, and itself."""
        return (*(self.base.layers if self.base is not None else ()), self)

    @property
    def jurisdiction(self) -> str:
        """Where it is the law."""
        return next((each.part.jurisdiction for each in reversed(self.layers) if each.part.jurisdiction), "")

    @property
    def covers(self) -> tuple[str, ...]:
        """How the jurisdiction of the files begins that it is an edition of."""
        found = next((each.part.covers for each in reversed(self.layers) if each.part.covers), ())
        return found or (self.jurisdiction,)

    @property
    def cited_as(self) -> str:
        """How its clauses are cited; empty where nothing is said of it."""
        return next((each.part.cited_as for each in reversed(self.layers) if each.part.cited_as), "")

    @cached_property
    def ref(self) -> EditionRef:
        """Id, and SHA-256 of the content of its file and of those that it stands on; layout does not count."""
        content = [each.part.model_dump(mode="json", by_alias=True, exclude_defaults=True) for each in self.layers]
        text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        return EditionRef(id=self.id, sha256=hashlib.sha256(text.encode()).hexdigest())

    def of(self, jurisdiction: str) -> bool:
        """Whether a file of this jurisdiction is one of its text."""
        return jurisdiction.startswith(self.covers)

    def holds_on(self, day: str) -> bool:
        """Whether it is in force on a day, given as YYYY-MM-DD."""
        first, last = self.part.effective, self.part.until
        return (first is None or first <= day) and (last is None or day <= last)

    def days(self) -> str:
        """`from 2013-10-16 until 2021-04-30`."""
        return days_in_words(self.part.effective, self.part.until) or "no day printed"

    def days_of(self, number: int) -> tuple[str | None, str | None]:
        """The first and the last day on which one of its changes holds."""
        change = self.part.change[number]
        return change.effective or self.part.effective, change.until or self.part.until

    def fault(self, key: Key, why: str) -> EditionError:
        """What is wrong at a key of its file."""
        return fault_at(self.file, self.text, key, why, EditionError)


def days_in_words(first: str | None, last: str | None) -> str:
    """`from 2013-10-16 until 2021-04-30`; empty where neither is known."""
    return " ".join(f"{word} {day}" for word, day in (("from", first), ("until", last)) if day)


def edition_ids() -> tuple[str, ...]:
    """Ids of the editions that come with the package."""
    return tuple(_files())


@cache
def _files() -> dict[str, Path]:
    return files_in(FOLDER)


def load_edition(source: str | Path) -> Edition:
    """The edition with this id, or in this file. EditionError says in one line what is wrong and where."""
    path = locate(source, _files(), "edition", EditionError)
    return _of_package(path) if path.parent == FOLDER else _read(path, ())


@cache
def _of_package(path: Path) -> Edition:
    """An edition that comes with the package: read once."""
    return _read(path, ())


@cache
def printed_edition(jurisdiction: str) -> Edition | None:
    """The text that the files of a jurisdiction print, by which a table deals that names none; None where no edition
    of the package is that text."""
    known = (load_edition(name) for name in edition_ids())
    return next((each for each in known if each.base is None and each.of(jurisdiction)), None)


def _read(path: Path, above: tuple[Path, ...]) -> Edition:
    text = read(path, EditionError)
    part = first_fault(*parse(path, text, EditionFile, _faults, EditionError))
    own = Edition(part, str(path), text)
    if part.base is None:
        return own
    if len(above) >= DEEPEST_BASE or path.resolve() in above:
        raise own.fault(("base",), "stands on itself, or on too many others")
    try:
        below = path.parent / part.base if part.base.endswith(".toml") else part.base
        found = _read(locate(below, _files(), "edition", EditionError), (*above, path.resolve()))
    except EditionError as fault:
        raise (own.fault(("base",), fault.why) if fault.line is None else fault) from None
    return Edition(part, str(path), text, found)


def _faults(part: EditionFile) -> Iterator[tuple[Key, str]]:
    """What does not fit together in one file."""
    if part.base is None and part.jurisdiction is None:
        yield ("jurisdiction",), "missing; an edition without a base says where it is the law"
    if part.base is None and part.change:
        yield ("change",), "changes what; an edition without a base is the text that the files print"
    if part.effective and part.until and part.until < part.effective:
        yield ("until",), f"{part.until} is before {part.effective}, when it begins"
    for number, each in enumerate(part.change):
        key: Key = ("change", number)
        if not each.keys and each.cited_as is None:
            yield (*key, "keys"), "missing; a change names a key, or how the clause is cited"
        if not each.keys and (each.was is not None or each.is_ is not None):
            yield (*key, "keys"), "missing; the key of the figure"
        if each.effective and part.effective and each.effective > part.effective:
            yield (*key, "effective"), f"{each.effective} is after {part.effective}, when the edition begins"
        if each.until and (part.until or each.until) > each.until:
            yield (*key, "until"), f"{each.until} is before {part.until}, when the edition ends"
