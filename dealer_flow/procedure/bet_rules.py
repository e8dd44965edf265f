"""The rules of bets under one choice of options, and how a seat's bets break them."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final, NamedTuple

from dealer_flow.procedure.bets import Amount, BetPart, MustPart, amount_of
from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.tables import chosen


class BetRule(NamedTuple):
    """One rule as it is asked: of one bet, or of several together. `kind` of AMOUNTS, BESIDE, or `limit`, `total-over`,
    `total-under`, `tip-alone`, `tip-over`."""

    kind: str
    bets: tuple[str, ...]
    clause: str
    amount: Amount | None = None
    others: tuple[str, ...] = ()
    choice: str | None = None

    @property
    def named(self) -> frozenset[str]:
        """Every bet it looks at."""
        bet = (self.amount.bet,) if self.amount is not None and self.amount.bet else ()
        return frozenset((*self.bets, *self.others, *bet))

    def breach(self, wagers: Mapping[str, int]) -> "Breach | None":
        """How these bets of a seat break it; None when they do not."""
        cents, there = 0, tuple[str, ...]()
        for bet in self.bets:
            if wagers.get(bet):
                cents, there = cents + wagers[bet], (*there, bet)
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
        short = not present if self.kind == "needs-one-of" else len(present) < len(self.others)
        return Breach(self, there, cents, 0) if short else None


class Breach(NamedTuple):
    """A rule that is broken: by these bets of a seat, `cents` together where `wanted` cents are allowed."""

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


def rules_of(procedure: Procedure, options: Mapping[str, str]) -> tuple[BetRule, ...]:
    """Every rule of the bets under these options, in the order of the file."""
    found: list[BetRule] = []
    for bet in spots(procedure, options):
        found += [
            BetRule(_kind(bet, must), (bet.name,), must.clause, must.amount, must.others, must.choice)
            for must in bet.rules(options)
        ]
        if bet.tip_for is not None:
            found.append(BetRule("tip-alone", (bet.name,), bet.clause, others=(bet.tip_for,)))
        if procedure.limit is not None and bet.capped(options):
            limit = procedure.limit
            found.append(BetRule("limit", (bet.name,), limit.clause, amount_of(limit.each_bet)))
    for total in procedure.total:
        if chosen(total.when, options):
            for kind, text in (("total-over", total.at_most), ("total-under", total.at_least)):
                if text is not None:
                    found.append(BetRule(kind, total.bets, total.clause, amount_of(text)))
    return tuple(found)


def _kind(bet: BetPart, must: MustPart) -> str:
    """What a rule is called: a tip that is more than its own bet is a case of its own."""
    return "tip-over" if bet.tip_for is not None and must.at_most == bet.tip_for else must.kinds[0]


def spots(procedure: Procedure, options: Mapping[str, str]) -> list[BetPart]:
    """The bets there are under these options."""
    return [bet for bet in procedure.bet if chosen(bet.when, options)]
