"""Reading a `table.toml`: strict, and checked as a whole before anything is opened.

Whatever is wrong comes out as one `TomlFileError` that names file, line, key and what is allowed.
"""

from pathlib import Path

from dealer_flow.procedure.tomlfile import load
from dealwire.config.checks import contradictions
from dealwire.config.schema import Configuration
from protocol.tomlfile import TomlFileError, line_of, spell


def load_configuration(path: str | Path) -> Configuration:
    """The file at `path`, its own paths taken from its folder. TomlFileError says in one line what is wrong."""
    file = Path(path)
    found = load(file, Configuration, context={"folder": file.absolute().parent})
    for key, why in contradictions(found):
        raise TomlFileError(file, line_of(file.read_text(encoding="utf-8"), key), spell(key), why)
    return found
