"""Printed procedures as text, to be changed by a test."""

from functools import cache

from dealer_flow.procedure.load import FOLDER
from dealer_flow.procedure.whole import written_out


@cache
def whole_text(name: str) -> str:
    """The procedure with all that it stands on, as one file."""
    path = FOLDER / f"{name}.toml"
    return written_out(path.read_text(encoding="utf-8"), str(path))
