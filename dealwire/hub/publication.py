"""One thing the service made known, after it was journalled: a line for whoever listens."""

from dataclasses import dataclass
from typing import Literal

Topic = Literal["event", "incident", "round", "settlement", "meter", "award", "status"]


@dataclass(frozen=True, slots=True)
class Publication:
    """One line of NDJSON on its way out. It holds no face of a card before its reveal.

    `sequence` is its number in the journal: it rises, with gaps, and names the line for ever, so a reader that meets
    it twice knows. `table` is the table's name; `line` one JSON object with `schema` and `type`, without a newline.
    """

    sequence: int
    table: str
    at_ns: int
    topic: Topic
    line: str
