"""Procedure files that extend others: `base` names shared parts and other procedures.

`dealer_flow.layers` has the merge itself. Here a row replaces the row of the same name; a row of `wrong` takes over the
cases it names, and steps, once given, replace all steps below. An option that a part offers and nothing uses is
dropped. Of two parts that set the device, the later one replaces the other.
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
    """Error of a procedure file, or of an option given for it."""


class ProcedureLayering(Layering):
    """Rules of `base` and `without` in procedures and their parts."""

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
        """Return the procedures of the package, by id."""
        return files_of("deal")

    def parts(self) -> Mapping[str, Path]:
        """Return the shared parts of the package, by name."""
        return part_files()

    def unknown(self, name: str) -> str:
        """Return the message for a `base` that names nothing."""
        known = f"parts: {', '.join(known_parts())}; or the id of a procedure, or a .toml file"
        return f"no procedure or part {printable(repr(name))}; {known}"

    def left_over(self, kind: str, row: Row, new: Sequence[Row]) -> Row | None:
        """Return a row of `wrong` without the cases that later rows on the same cards take over.

        None if no case is left and no later row replaces it as a whole.
        """
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
        """Yield the names by which `without` may refer to a row: `wrong.seats`, `wrong.seats.exposed`, `bet.ante`."""
        if kind == "wrong":
            yield str(row.get("of"))
            yield from (f"{row.get('of')}.{way}" for way in row.get("how", ()))
        else:
            yield from super().names(kind, row)


_KIND: Final = ProcedureLayering()


def known_parts() -> tuple[str, ...]:
    """Return the names of the shared parts in the package."""
    return tuple(part_files())


def part_files() -> dict[str, Path]:
    """Return name -> file of the shared parts in the package."""
    return files_in(PARTS)


def compose(text: str, file: str) -> Whole:
    """Merge the procedure or part with this text onto everything that it extends.

    ProcedureError names the file, line and key that cannot be used.
    """
    whole = layers.compose(text, file, _KIND)
    if not whole.own.is_part:
        _drop_unnamed(whole)
    return whole


def _drop_unnamed(whole: Whole) -> None:
    """Drop the options that a file below offers and nothing uses; those of the file itself stay, to be checked."""
    rest = {name: value for name, value in whole.content().items() if name != "option"}
    named = set(texts_in(rest))
    kept = [row for row in whole.rows.get("option", []) if row.layer is whole.own or row.value.get("name") in named]
    whole.rows["option"] = kept
