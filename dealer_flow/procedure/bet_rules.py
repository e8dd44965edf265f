"""Rules on wagers: one rule as it is evaluated, its breach by stakes, and all rules of a procedure."""

from collections.abc import Callable, Collection, Iterator, Mapping
from fractions import Fraction
from typing import Final, NamedTuple

from dealer_flow.procedure.bets import Amount, BetPart, MustPart, amount_of
from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.tables import chosen


class BetRule(NamedTuple):
    """One rule on one bet, or on several together.

    `kind` is one of AMOUNTS or BESIDE, or `limit`, `total-over`, `total-under`, `tip-alone`, `tip-over`. In a finished
    round also `entry` (the seat has none of `others`, which enter it), `due` (a live hand lacks the bets of a choice),
    `left` (the bet goes with no choice made), `taken-back` (a choice took it back), `offered` (the house's options do
    not include it).
    """

    kind: str
    bets: tuple[str, ...]
    clause: str
    amount: Amount | None = None
    others: tuple[str, ...] = ()
    choice: str | None = None

    @property
    def named(self) -> frozenset[str]:
        """All bets that the rule looks at."""
        bet = (self.amount.bet,) if self.amount is not None and self.amount.bet else ()
        return frozenset((*self.bets, *self.others, *bet))

    def breach(self, wagers: Mapping[str, int], due: Collection[str] = ()) -> "Breach | None":
        """Return the breach of the rule by these bets of a seat, or None. Bets that are `due` count as placed."""
        cents, there = 0, tuple[str, ...]()
        for bet in self.bets:
            if wagers.get(bet):
                cents, there = cents + wagers[bet], (*there, bet)
            elif bet in due:
                there = (*there, bet)
        if not there:
            return None
        if self.amount is not None:
            wanted = self.amount.cents(wagers)
            return Breach(self, there, cents, int(wanted)) if _BROKEN[self.kind](cents, wanted) else None
        present = [bet for bet in self.others if wagers.get(bet)]
        if self.kind == "same-as":
            return Breach(self, there, cents, 0) if any(wagers[bet] != cents for bet in present) else None
        if self.kind == "excludes":
            return Breach(self, (*there, *present), cents, 0) if present else None
        of_any = self.kind in ("needs-one-of", "entry", "offered")
        short = not present if of_any else len(present) < len(self.others)
        return Breach(self, there, cents, 0) if short else None


class Breach(NamedTuple):
    """A broken rule: the bets of a seat that break it, their `cents` together, and the `wanted` cents."""

    rule: BetRule
    bets: tuple[str, ...]
    cents: int
    wanted: int


_BROKEN: Final[Mapping[str, Callable[[int, int | Fraction], bool]]] = {
    "equal": lambda cents, wanted: cents != wanted,
    "exactly": lambda cents, wanted: cents != wanted,
    "at-most": lambda cents, wanted: cents > wanted,
    "at-least": lambda cents, wanted: cents < wanted,
    "multiple-of": lambda cents, wanted: not wanted or cents % wanted != 0,
    "limit": lambda cents, wanted: cents > wanted,
    "total-over": lambda cents, wanted: cents > wanted,
    "total-under": lambda cents, wanted: cents < wanted,
    "tip-over": lambda cents, wanted: 0 < wanted < cents,
}


ALONE: Final = ("needs", "needs-one-of", "tip-alone")
"""Rules on what a bet needs."""


def rules_of(procedure: Procedure, spots: Collection[BetPart], options: Mapping[str, str]) -> Iterator[BetRule]:
    """Yield every rule on these bets, in the order of the file."""
    for bet in spots:
        for must in bet.rules(options):
            yield BetRule(_kind(bet, must), (bet.name,), must.clause, must.amount, must.others, must.choice)
        if bet.tip_for is not None:
            yield BetRule("tip-alone", (bet.name,), bet.clause, others=(bet.tip_for,))
        if procedure.limit is not None and bet.capped(options):
            yield BetRule("limit", (bet.name,), procedure.limit.clause, amount_of(procedure.limit.each_bet))
    for total in procedure.total:
        if chosen(total.when, options):
            for kind, text in (("total-over", total.at_most), ("total-under", total.at_least)):
                if text is not None:
                    yield BetRule(kind, total.bets, total.clause, amount_of(text))


def _kind(bet: BetPart, must: MustPart) -> str:
    """Return the kind of a rule; a tip that may not exceed its own bet has a kind of its own."""
    return "tip-over" if bet.tip_for is not None and must.at_most == bet.tip_for else must.kinds[0]


def tied(rules: Collection[BetRule], tips: Collection[str]) -> dict[str, frozenset[str]]:
    """Return bet -> the bets that some rule compares it with, itself included."""
    groups: dict[str, frozenset[str]] = {}
    for rule in rules:
        if rule.amount is not None and rule.amount.bet and rule.bets[0] not in tips:
            pair = frozenset((*rule.bets, rule.amount.bet))
            merged = pair.union(*(groups.get(bet, ()) for bet in pair))
            groups.update(dict.fromkeys(merged, merged))
    return groups
