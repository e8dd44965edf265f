"""Editions of the regulation: the dates on which a text is in force, and the figures in which it differs.

The files of procedures and games state what one text prints. An edition is that text, or names another edition as its
`base` and lists the differences in dated `[[change]]` tables. `amend` applies them to a procedure or a game when it is
read for a table.

    colorado-rule-10.toml     Rule 10 as printed
    colorado-2021-05-01.toml  its limits since Amendment 77
"""

from dealer_flow.editions.amend import Amended, amend, misfit
from dealer_flow.editions.edition import (
    ChangePart,
    Edition,
    EditionError,
    EditionFile,
    edition_ids,
    load_edition,
    printed_edition,
)

__all__ = [
    "Amended",
    "ChangePart",
    "Edition",
    "EditionError",
    "EditionFile",
    "amend",
    "edition_ids",
    "load_edition",
    "misfit",
    "printed_edition",
]
