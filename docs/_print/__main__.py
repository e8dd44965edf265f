"""`python -m docs._print`, which `make docs` runs."""

from docs._print import (
    bench,
    clauses,
    files,
    games,
    hands,
    kaitai,
    lines,
    odds,
    pays,
    protocol,
    protocol_data,
    registry,
    wireshark,
    write,
)

for page in (
    protocol,
    protocol_data,
    kaitai,
    registry,
    wireshark,
    games,
    pays,
    lines,
    bench,
    hands,
    files,
    odds,
    clauses,
):
    write(page.pages())
