"""The line of a table that is read first."""

from typing import Final, Literal, NamedTuple

LEAD_LONG: Final = 34
"""Characters of a prompt that is readable across the pit; a longer one is written smaller."""


class Prompt(NamedTuple):
    """The prompt: who acts next, or that the state is unknown. `more` is the line below it."""

    kind: Literal["unknown", "stopped", "bets", "wait", "none"]
    lead: str
    more: str = ""

    @property
    def long(self) -> bool:
        """True if it needs smaller type."""
        return len(self.lead) > LEAD_LONG
