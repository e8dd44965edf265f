"""`python -m docs._print`, which `make docs` runs."""

from docs._print import clauses, games, lines, odds, pays, protocol, write

for page in (protocol, games, pays, lines, odds, clauses):
    write(page.pages())
