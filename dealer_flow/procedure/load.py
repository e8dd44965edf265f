"""A game's dealing procedure: read from TOML, strict, every figure with the clause it comes from.

Code knows no game by name: what differs between games stands in `procedures/*.toml`. Whatever is wrong with a
file comes out as one `ProcedureError` that names file, line, key and what is allowed.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from dealer_flow.procedure.checks import contradictions
from dealer_flow.procedure.layers import FILES, ProcedureError, compose
from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.tomlfile import first_fault, locate, named_faults, names_in, read, validated

__all__ = [
    "FOLDER",
    "Procedure",
    "ProcedureError",
    "check_procedure",
    "known_procedures",
    "load_procedure",
    "parse_procedure",
]

FOLDER: Final = FILES


def known_procedures() -> tuple[str, ...]:
    """Ids of the procedures that come with the package."""
    return names_in(FOLDER)


def load_procedure(source: str | Path) -> Procedure:
    """The procedure with this id, or in this file. ProcedureError says in one line what is wrong and where."""
    path = locate(source, FOLDER, "procedure", ProcedureError)
    return parse_procedure(read(path, ProcedureError), str(path))


def check_procedure(source: str | Path) -> list[ProcedureError]:
    """Everything that is wrong with the file: what its keys may not hold, or else what does not fit together."""
    try:
        path = locate(source, FOLDER, "procedure", ProcedureError)
        return [*_examined(read(path, ProcedureError), str(path))[1]]
    except ProcedureError as fault:
        return [fault]


def parse_procedure(text: str, file: str) -> Procedure:
    """As `load_procedure`, from the text; `file` is the name that errors carry."""
    return first_fault(*_examined(text, file))


def _examined(text: str, file: str) -> tuple[Procedure | None, Iterator[ProcedureError]]:
    """What the file says upon all it stands on, and everything that is wrong with it, looked for as it is asked."""
    try:
        whole = compose(text, file)
    except ProcedureError as fault:
        return None, iter([fault])
    found, wrong = validated(whole.content(), Procedure, contradictions)
    return found, named_faults(iter(wrong), whole.fault)
