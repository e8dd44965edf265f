"""Loader of a game's dealing procedure: strict TOML, every figure with the clause it comes from.

Code knows no game by name: the differences between games are in `games/*/*.deal.toml`. Any error in a file is raised as
one `ProcedureError` that names the file, line and key, and what is allowed.
"""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from dealer_flow import written_out
from dealer_flow.editions import Edition, amend, misfit, printed_edition
from dealer_flow.games import GAMES, files_of
from dealer_flow.layers import Whole
from dealer_flow.procedure.checks.contradictions import contradictions
from dealer_flow.procedure.layers import PART_SCHEMA, ProcedureError, compose, known_parts, part_files
from dealer_flow.procedure.schema import Procedure
from dealer_flow.tomlfile import first_fault, locate, named_faults, read, validated
from protocol.tomlfile import Key, TomlFileError

__all__ = [
    "Procedure",
    "ProcedureError",
    "check_part",
    "check_procedure",
    "fault_of",
    "in_edition",
    "known_parts",
    "known_procedures",
    "load_procedure",
    "parse_procedure",
    "whole_text",
]

_ORDER: Final = (
    *("schema", "id", "title", "jurisdiction", "clause", "device"),
    *(field.alias or name for name, field in Procedure.model_fields.items()),
)
"""Keys of a procedure in the order in which a file has them."""

_DEALING: Final = ("deal", "burn-card", "exchange")
"""Kinds of steps whose cards come out of a device or out of the hand."""


def known_procedures() -> tuple[str, ...]:
    """Return the ids of the procedures in the package."""
    return tuple(files_of("deal"))


def load_procedure(source: str | Path, edition: Edition | None = None) -> Procedure:
    """Load the procedure with this id, or from this file, in an edition of the regulation, or as it is printed.

    ProcedureError or EditionError states in one line what is wrong and where.
    """
    path = locate(source, files_of("deal"), "procedure", ProcedureError)
    text = read(path, ProcedureError)
    found = _of_package if path.is_relative_to(GAMES) else _of_house
    return found(text, str(path), edition)


def _of_house(text: str, file: str, edition: Edition | None) -> Procedure:
    return in_edition(first_fault(*_examined(text, file)), edition)


@lru_cache(maxsize=256)
def _of_package(text: str, file: str, edition: Edition | None) -> Procedure:
    """Load a procedure of the package, all of whose bases are in the package, too: checked once per edition."""
    return _of_house(text, file, edition)


def in_edition(procedure: Procedure, edition: Edition | None = None) -> Procedure:
    """Return a printed procedure in an edition of the regulation, by default the edition that its file prints.

    EditionError if the edition's changes do not fit the procedure.
    """
    edition = edition or printed_edition(procedure.jurisdiction)
    if edition is None:
        return procedure
    if edition.base is None:
        return procedure.standing_in(edition)
    content, changes = amend(procedure.model_dump(by_alias=True, exclude_unset=True), edition)
    if not changes:
        return procedure.standing_in(edition)
    found, wrong = validated(content, Procedure, contradictions)
    for key, why in wrong:
        raise misfit(changes, procedure.id, key, why)
    assert found is not None
    return found.standing_in(edition, procedure.ref())


def check_procedure(source: str | Path) -> list[TomlFileError]:
    """Return every error of the file: in its keys, or else in what its keys say together."""
    try:
        path = locate(source, files_of("deal"), "procedure", ProcedureError)
        return [*_examined(read(path, ProcedureError), str(path))[1]]
    except ProcedureError as fault:
        return [fault]


def fault_of(source: str | Path, key: Key, why: str) -> TomlFileError:
    """Return an error that other code found at a key of the procedure with this id or file, at the place where it is
    written."""
    path = locate(source, files_of("deal"), "procedure", ProcedureError)
    return compose(read(path, ProcedureError), str(path)).fault(key, why)


def check_part(source: str | Path) -> list[TomlFileError]:
    """Return every error in the keys of a shared part. Only the procedures that extend it can be checked as a whole."""
    try:
        path = locate(source, part_files(), "part", ProcedureError)
        whole = compose(read(path, ProcedureError), str(path))
    except ProcedureError as fault:
        return [fault]
    return [*named_faults(_of_a_part(whole), whole.fault)]


def _of_a_part(whole: Whole) -> Iterator[tuple[Key, str]]:
    """Yield the errors of a part. What it leaves to others may be missing, but not a key of a row."""
    content = whole.content()
    if content.get("schema") != PART_SCHEMA:
        yield ("schema",), f"must be {PART_SCHEMA!r}"
    yield from (((name,), "for a procedure only; a part has none") for name in ("id", "title") if name in content)
    for key, why in validated(content, Procedure, contradictions)[1]:
        if key != ("schema",) and (why != "missing" or any(isinstance(step, int) for step in key)):
            yield key, why


def whole_text(source: str | Path) -> str:
    """Return the procedure with this id or file, merged with all that it extends, as the text of one file with
    comments.

    ProcedureError for files that cannot be merged.
    """
    path = locate(source, files_of("deal"), "procedure", ProcedureError)
    whole = compose(text := read(path, ProcedureError), str(path))
    return text if len(whole.layers) == 1 else written_out.written_out(whole, _ORDER)


def parse_procedure(text: str, file: str) -> Procedure:
    """Parse a procedure from its text, as `load_procedure` does; `file` is the name in errors."""
    return _of_house(text, file, None)


def _examined(text: str, file: str) -> tuple[Procedure | None, Iterator[TomlFileError]]:
    """Merge the file with its bases and validate it; errors are looked for as the iterator is consumed."""
    try:
        whole = compose(text, file)
    except ProcedureError as fault:
        return None, iter([fault])
    found, wrong = validated(_dealt_by_hand(whole.content()), Procedure, contradictions)
    return found, named_faults(iter(wrong), whole.fault)


def _dealt_by_hand(content: dict[str, Any]) -> dict[str, Any]:
    """Return the content with `origin = "hand"` in every step that takes cards off the deck, if no device deals.

    So a game out of a shoe is dealt by hand if its file has the part `pitched`, or `by-hand`, without a step written
    again.
    """
    if content.get("device") != "hand":
        return content
    steps = [{"origin": "hand"} | step if step.get("do") in _DEALING else step for step in content["step"]]
    return content | {"step": steps}
