"""What the steps of a file did with the cards, one after the other: what the next ones are checked against."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from dealer_flow.procedure.complaints import Complaint
from dealer_flow.procedure.tables import Name, Recipient
from protocol.tomlfile import Key


@dataclass(slots=True)
class CardsSoFar:
    """What the steps so far did with the cards, by recipient."""

    dealt: dict[Recipient, int] = field(default_factory=dict)
    """Cards of a whole hand, burned ones included."""
    burned: dict[Recipient, int] = field(default_factory=dict)
    open: dict[Recipient, int | None] = field(default_factory=dict)
    """How many may lie open, None for all. Cards dealt face up count; before the reveal nothing else of the house may
    be seen."""
    shown: dict[Recipient, int] = field(default_factory=dict)
    """How many were turned up by steps that show cards."""
    offered: set[Recipient] = field(default_factory=set)
    everywhere: bool = False
    """Whether positions got cards where nobody plays."""
    by_number: bool = False
    """Whether a number drawn says who got the first cards."""
    choices: set[Name] = field(default_factory=set)
    """What was offered."""

    def held(self, recipient: Recipient) -> int:
        """Cards that lie there and were not burned."""
        return self.dealt.get(recipient, 0) - self.burned.get(recipient, 0)

    def undealt(self, key: Key, recipients: tuple[Recipient, ...]) -> Iterator[Complaint]:
        """A complaint for each of them without cards."""
        for recipient in recipients:
            if recipient not in self.dealt:
                yield key, f"{recipient!r} has no cards at this step; allowed: {', '.join(self.dealt) or 'none'}"
