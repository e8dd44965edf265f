"""Findings about a printed pay table, and the nearest consistent table."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple

from rules.odds.returns import percent

Fault = Literal[
    "over-100",
    "under-50",
    "printed-differs",
    "unreachable-row",
    "row-out-of-order",
    "envy-out-of-order",
    "out-of-line",
    "row-missing",
    "table-stops",
    "two-numbers",
    "no-number",
    "not-scaled",
]


class ExplainedFault(NamedTuple):
    """A fault with its explanation."""

    fault: Fault
    why: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """A consistent table.

    `changes`: the new pay by row, None for a removed row. `returned`: the return of the table, None if the cards alone
    do not give it.
    """

    changes: Mapping[str, str | None]
    returned: Fraction | None

    @property
    def text(self) -> str:
        """The proposal in words: `straight 6 to 1, no pair, returns 97.6833 %`."""
        rows = [f"no {row}" if pays is None else f"{row} {pays}" for row, pays in self.changes.items()]
        known = [] if self.returned is None else [f"returns {percent(self.returned, 4)} %"]
        return ", ".join([*rows, *known])

    def to_dict(self) -> dict[str, Any]:
        """Return the object that `--json` prints."""
        found: dict[str, Any] = {"changes": dict(self.changes)}
        if self.returned is not None:
            found |= {"return": str(self.returned), "return_pct": percent(self.returned, 6)}
        return found


@dataclass(frozen=True, slots=True)
class PaytableFinding:
    """One fault of one table. `suspect` is the reason that the table's file already gives; a fault without one is
    new."""

    game: str
    bet: str
    paytable: str | None
    reading: dict[str, str]
    fault: Fault
    why: str
    suspect: str = ""
    proposal: Proposal | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the object that `--json` prints."""
        found: dict[str, Any] = {"schema": "dealwire.finding/1", "type": "finding"}
        found |= {name: getattr(self, name) for name in ("game", "bet", "paytable", "reading", "fault", "why")}
        found |= {"suspect": self.suspect} if self.suspect else {}
        return found | ({"proposal": self.proposal.to_dict()} if self.proposal else {})
