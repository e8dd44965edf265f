"""`python -m docs._print`, which `make docs` runs."""

from docs._print import clauses, files, games, lines, odds, pays, protocol, write

for page in (protocol, games, pays, lines, files, odds, clauses):
    write(page.pages())
