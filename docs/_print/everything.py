"""All that `make docs` prints."""

from typing import Final

from docs._print import (
    bench,
    beside,
    clauses,
    commands,
    counts,
    files,
    games,
    hands,
    kaitai,
    ledger,
    lines,
    odds,
    pays,
    protocol,
    protocol_data,
    registry,
    terminal,
    wireshark,
)

PRINTED: Final = (
    protocol,
    protocol_data,
    kaitai,
    registry,
    wireshark,
    games,
    pays,
    lines,
    bench,
    beside,
    hands,
    files,
    odds,
    clauses,
    commands,
    counts,
    ledger,
    commands,
    terminal,
)
"""Modules with `pages()`: path under `docs` -> text. A part of a page is printed after the rest of it."""
