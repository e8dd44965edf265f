"""`python -m docs._print`, which `make docs` runs."""

from docs._print import clauses, files, games, lines, odds, pays, protocol, wireshark, write

for page in (protocol, wireshark, games, pays, lines, files, odds, clauses):
    write(page.pages())
