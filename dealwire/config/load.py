"""Reading a `table.toml`: strict, and checked as a whole before anything is opened.

Whatever is wrong comes out as one `TomlFileError` that names file, line, key and what is allowed.
"""

from pathlib import Path
from typing import TypeVar

from dealer_flow.procedure.tomlfile import TomlTable, load
from dealwire.config.checks import contradictions
from dealwire.config.schema import (
    Configuration,
    ConsolePart,
    ExportsPart,
    JournalPart,
    MqttPart,
    TablePart,
)
from protocol.tomlfile import TomlFileError, line_of, spell

P = TypeVar("P", bound=TomlTable)


def load_configuration(path: str | Path) -> Configuration:
    """The file at `path`, its own paths taken from its folder. TomlFileError says in one line what is wrong."""
    file = Path(path)
    found = _settle_paths(load(file, Configuration), file.absolute().parent)
    for key, why in contradictions(found):
        raise TomlFileError(file, line_of(file.read_text(encoding="utf-8"), key), spell(key), why)
    return found


def _settle_paths(found: Configuration, folder: Path) -> Configuration:
    exports = found.exports
    if exports.mqtt is not None:
        exports = exports.model_copy(update={"mqtt": _under(exports.mqtt, folder, MqttPart)})
    return found.model_copy(
        update={
            "table": tuple(_table(part, folder) for part in found.table),
            "journal": _under(found.journal, folder, JournalPart),
            "console": _under(found.console, folder, ConsolePart) if found.console is not None else None,
            "exports": _under(exports, folder, ExportsPart),
        }
    )


def _table(part: TablePart, folder: Path) -> TablePart:
    part = _under(part, folder, TablePart)
    named = {key: value for key in ("procedure", "game") if (value := getattr(part, key)) and value.endswith(".toml")}
    return part.model_copy(update={key: str(folder / value) for key, value in named.items()})


def _under(part: P, folder: Path, kind: type[P]) -> P:
    """`part` with its paths taken from `folder`."""
    paths = {name: getattr(part, name) for name in kind.model_fields}
    return part.model_copy(update={name: folder / path for name, path in paths.items() if isinstance(path, Path)})
