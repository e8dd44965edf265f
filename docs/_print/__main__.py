"""`python -m docs._print`, which `make docs` runs."""

from docs._print import clauses, games, lines, odds, protocol, write

for page in (protocol, games, lines, odds, clauses):
    write(page.pages())
