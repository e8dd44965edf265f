"""Everything that `make docs` prints."""

from typing import Final

from docs._print import (
    bench,
    clauses,
    commands,
    files,
    games,
    hands,
    http_api,
    kaitai,
    lines,
    manual,
    odds,
    odds_pages,
    other_sources,
    pays,
    procedure_count,
    protocol,
    protocol_data,
    readings_dealing,
    readings_money,
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
    readings_money,
    readings_dealing,
    pays,
    games,
    lines,
    bench,
    other_sources,
    hands,
    http_api,
    files,
    manual,
    clauses,
    procedure_count,
    commands,
    terminal,
)
"""Modules with a function `pages()` that returns texts by their paths under `docs`.

A module that reads what another one wrote comes after it, such as the pages of the games after the odds. A module that
prints a part of a page comes after the one that prints the rest.
"""
