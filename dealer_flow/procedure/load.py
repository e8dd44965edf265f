"""A game's dealing procedure: read from TOML, strict, every figure with the clause it comes from.

Code knows no game by name: what differs between games stands in `procedures/*.toml`. Whatever is wrong with a
file comes out as one `ProcedureError` that names file, line, key and what is allowed.
"""

import tomllib
from pathlib import Path
from typing import Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from dealer_flow.procedure.checks import contradictions
from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.steps import STEPS
from dealer_flow.procedure.tomlfile import keys_at, tuples
from protocol.errors import LocalError
from protocol.tomlfile import Key, line_of, spell, syntax_fault

__all__ = [
    "FOLDER",
    "Procedure",
    "ProcedureError",
    "check_procedure",
    "known_procedures",
    "load_procedure",
    "parse_procedure",
]

FOLDER: Final = Path(__file__).parent / "files"


class ProcedureError(LocalError):
    """A procedure file, or an option asked of it, cannot be used."""

    def __init__(self, file: str, line: int | None, key: str, why: str) -> None:
        self.file, self.line, self.key, self.why = file, line, key, why
        place = file if line is None else f"{file}:{line}"
        super().__init__(f"{place}: {key}: {why}" if key else f"{place}: {why}")


def known_procedures() -> tuple[str, ...]:
    """Ids of the procedures that come with the package."""
    return tuple(sorted(path.name.removesuffix(".toml") for path in FOLDER.glob("*.toml")))


def load_procedure(source: str | Path) -> Procedure:
    """The procedure with this id, or in this file. ProcedureError says in one line what is wrong and where."""
    return parse_procedure(*_read(source))


def check_procedure(source: str | Path) -> list[ProcedureError]:
    """Everything that is wrong with the file: what its keys may not hold, or else what does not fit together."""
    try:
        text, file = _read(source)
        procedure = _parse(text, file)
    except ExceptionGroup as faults:
        return [fault for fault in faults.exceptions if isinstance(fault, ProcedureError)]
    except ProcedureError as fault:
        return [fault]
    return [_error(file, text, key, why) for key, why in contradictions(procedure)]


def parse_procedure(text: str, file: str) -> Procedure:
    """As `load_procedure`, from the text; `file` is the name that errors carry."""
    try:
        procedure = _parse(text, file)
    except ExceptionGroup as faults:
        raise faults.exceptions[0] from None
    for key, why in contradictions(procedure):
        raise _error(file, text, key, why)
    return procedure


def _read(source: str | Path) -> tuple[str, str]:
    """Text and name of the file."""
    path = _locate(source)
    try:
        return path.read_text(encoding="utf-8"), str(path)
    except UnicodeDecodeError as error:
        raise ProcedureError(str(path), None, "", f"not UTF-8 text at byte {error.start}") from None
    except OSError as error:
        raise ProcedureError(str(path), None, "", f"cannot be read: {error.strerror}") from None


def _parse(text: str, file: str) -> Procedure:
    """The file's keys by themselves; every ProcedureError of them in an ExceptionGroup."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line, why = syntax_fault(error, text)
        raise ProcedureError(file, line, "", why) from None
    try:
        return Procedure.model_validate(tuples(content))
    except ValidationError as error:
        found = [_fault(fault) for fault in error.errors(include_url=False)]
        raise ExceptionGroup(file, [_error(file, text, key, why) for key, why in found]) from None


def _error(file: str, text: str, key: Key, why: str) -> ProcedureError:
    """What is not there at all is missed at the end of the file."""
    return ProcedureError(file, line_of(text, key) or len(text.splitlines()), spell(key), why)


def _locate(source: str | Path) -> Path:
    if isinstance(source, Path) or source.endswith(".toml") or "/" in source or "\\" in source:
        return Path(source)
    if source in known_procedures():
        return FOLDER / f"{source}.toml"
    raise ProcedureError(
        source, None, "", f"no such procedure; known: {', '.join(known_procedures())}, or a .toml file"
    )


def _fault(fault: ErrorDetails) -> tuple[Key, str]:
    key = _as_written(fault["loc"])
    if fault["type"] == "extra_forbidden":
        return key, f"unknown key; allowed: {', '.join(_allowed_keys(fault['loc'][:-1]))}"
    if fault["type"] == "missing":
        return key, "missing"
    if fault["type"] == "union_tag_not_found":
        return (*key, "do"), f"missing; allowed: {', '.join(STEPS)}"
    if fault["type"] == "union_tag_invalid":
        return (*key, "do"), f"{fault['ctx']['tag']!r} is nothing a step does; allowed: {', '.join(STEPS)}"
    why = fault["msg"].removeprefix("Input should be ").replace("\n", " ")
    return key, f"must be {why}, not {fault['input']!r}" if why != fault["msg"] else f"{why}, not {fault['input']!r}"


def _as_written(loc: Key) -> Key:
    """The key as it stands in the file: without what the step does, which the validator puts after its number."""
    if len(loc) > 2 and loc[0] == "step" and loc[2] in STEPS:
        return (*loc[:2], *loc[3:])
    return loc


def _allowed_keys(key: Key) -> list[str]:
    if len(key) > 2 and key[0] == "step" and key[2] in STEPS:
        return keys_at(STEPS[str(key[2])], key[3:])
    return keys_at(Procedure, key)
