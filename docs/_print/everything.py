"""Everything that `make docs` prints."""

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
    manual,
    odds,
    odds_pages,
    pays,
    protocol,
    protocol_data,
    readings,
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
    odds,
    odds_pages,
    ledger,
    readings,
    pays,
    games,
    lines,
    bench,
    beside,
    hands,
    files,
    manual,
    clauses,
    counts,
    commands,
    terminal,
)
"""Modules with a function `pages()` that returns texts by their paths under `docs`.

A module that reads what another one wrote comes after it, such as the pages of the games after the odds. A module that
prints a part of a page comes after the one that prints the rest.
"""
