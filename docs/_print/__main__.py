"""`python -m docs._print`, which `make docs` runs."""

from docs._print import write
from docs._print.everything import PRINTED

for page in PRINTED:
    write(page.pages())
