"""Procedure files that stand on others: `base` names shared parts and sister procedures.

How files are laid upon each other is in `dealer_flow.layers`. Here a row takes the place of the one that bears its
name; a row of `wrong` takes over what it speaks of, and steps, once given, are all of them new. An option that a part
offers and nothing names falls away. Of two parts that say what the device is, the later one takes the other's place.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Final

from dealer_flow import layers
from dealer_flow.games import files_of
from dealer_flow.layers import Layering, Row, Whole, texts_in
from dealer_flow.tomlfile import files_in
from protocol.printable import printable
from protocol.tomlfile import TomlFileError

PARTS: Final = Path(__file__).parent / "parts"
PART_SCHEMA: Final = "dealwire.procedure-part/1"


class ProcedureError(TomlFileError):
    """A procedure file, or an option asked of it, cannot be used."""


class ProcedureLayering(Layering):
    """The rules of `base` and `without` in procedures and their parts."""

    what = "procedure"
    error = ProcedureError
    own = frozenset({"schema", "id", "title"})
    rows: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "hand": ("name",),
        "bet": ("name",),
        "decision": ("name",),
        "option": ("name",),
        "fault": ("class", "name"),
        "wrong": ("of", "how", "at", "missing"),
        "step": (),
    }
    part_schema = PART_SCHEMA
    one_of = "device"

    def files(self) -> Mapping[str, Path]:
        """Procedures of the package, by id."""
        return files_of("deal")

    def parts(self) -> Mapping[str, Path]:
        """Shared parts of the package, by name."""
        return part_files()

    def unknown(self, name: str) -> str:
        """The message for a `base` that names nothing."""
        known = f"parts: {', '.join(known_parts())}; or the id of a procedure, or a .toml file"
        return f"no procedure or part {printable(repr(name))}; {known}"

    def left_over(self, kind: str, row: Row, new: Sequence[Row]) -> Row | None:
        """A row of `wrong` without the ways of which later rows, of the same cards, speak; None when that is all but
        one of them takes its place."""
        how = row.value.get("how")
        if kind != "wrong" or not isinstance(how, list):
            return row
        keys = ("of", "at", "missing")
        later = [other.value for other in new if all(other.value.get(key) == row.value.get(key) for key in keys)]
        if any(other.get("how") == how for other in later):
            return row
        spoken = [way for other in later if isinstance(other.get("how"), list) for way in other["how"]]
        left = [way for way in how if way not in spoken]
        return replace(row, value={**row.value, "how": left}) if left else None

    def names(self, kind: str, row: Mapping[str, Any]) -> Iterator[str]:
        """The names by which `without` may call a row: `wrong.seats`, `wrong.seats.exposed`, `bet.ante`."""
        if kind == "wrong":
            yield str(row.get("of"))
            yield from (f"{row.get('of')}.{way}" for way in row.get("how", ()))
        else:
            yield from super().names(kind, row)


_KIND: Final = ProcedureLayering()


def known_parts() -> tuple[str, ...]:
    """Names of the shared parts that come with the package."""
    return tuple(part_files())


def part_files() -> dict[str, Path]:
    """Name -> file of the shared parts that come with the package."""
    return files_in(PARTS)


def compose(text: str, file: str) -> Whole:
    """The procedure or part with this text upon all it stands on. ProcedureError names the file, line and key that
    cannot be used."""
    whole = layers.compose(text, file, _KIND)
    if not whole.own.is_part:
        _drop_unnamed(whole)
    return whole


def _drop_unnamed(whole: Whole) -> None:
    """Leave out the options that a file below offers and nothing names any more; one of the file itself is checked."""
    rest = {name: value for name, value in whole.content().items() if name != "option"}
    named = set(texts_in(rest))
    kept = [row for row in whole.rows.get("option", []) if row.layer is whole.own or row.value.get("name") in named]
    whole.rows["option"] = kept
