"""Which bets go back to the players, by what a finding's clause says."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Key = tuple[str, int | str]


@dataclass(slots=True)
class Returns:
    """What goes back, by what it follows from: (`dead-hand`, seat), (`hand`, its name), or an outcome with 0.

    None stands for every bet. Where two clauses follow from the same thing, what either gives back goes back.
    """

    rows: dict[Key, tuple[str, ...] | None] = field(default_factory=dict)

    def add(self, follows: str, whose: int | str, bets: tuple[str, ...] | None) -> None:
        """These bets go back for that reason."""
        key = (follows, whose)
        known = self.rows.get(key, ())
        both = None if known is None or bets is None else (*known, *(bet for bet in bets if bet not in known))
        self.rows[key] = both

    def of(self, follows: str, whose: int | str, wagers: Mapping[str, int], keeps: frozenset[str]) -> dict[str, int]:
        """The bets of a seat that go back, cents by name; all but those in `keeps` where no clause names any."""
        bets = self.rows.get((follows, whose))
        return {name: cents for name, cents in wagers.items() if (name not in keeps if bets is None else name in bets)}
