"""`python -m docs._print`, which `make docs` runs."""

from docs._print import clauses, files, games, hands, lines, odds, pays, protocol, registry, write

for page in (protocol, registry, games, pays, lines, hands, files, odds, clauses):
    write(page.pages())
