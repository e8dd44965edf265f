"""The one line of a table that is read first."""

from typing import Final, Literal, NamedTuple

LEAD_LONG: Final = 34
"""Characters of a line that is read from across the pit; a longer one is written smaller."""


class Prompt(NamedTuple):
    """The one line that is read first: who does what next, or that nobody can say; `more` is what goes with it."""

    kind: Literal["unknown", "stopped", "bets", "wait", "none"]
    lead: str
    more: str = ""

    @property
    def long(self) -> bool:
        """Whether it has to be written smaller."""
        return len(self.lead) > LEAD_LONG
