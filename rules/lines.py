"""The line of a bet in words and cents, whatever kind of bet it is."""

from dataclasses import dataclass

from rules.checks import Hold
from rules.paytable import PaidRow
from rules.settlement import SettlementLine, make_line
from rules.spec import Bet
from rules.terms import Terms


@dataclass(slots=True)
class Staked:
    """A bet of a seat: how much lies there, and the terms it is settled on. Not frozen, which would cost a round of
    many bets a tenth of its time."""

    bet: Bet
    seat: int
    cents: int
    terms: Terms

    @property
    def paytable(self) -> str | None:
        """The pay table chosen for it; None for a bet without one."""
        return self.terms.chosen(self.bet)

    def row(self, key: object) -> PaidRow | None:
        """The row of its table that pays a hand of this key."""
        return self.terms.table(self.bet)[key]

    def held(self, hold: Hold) -> SettlementLine:
        """It is not settled."""
        return held(self.bet, self.seat, self.cents, hold)

    def push(self, facts: str, clause: str) -> SettlementLine:
        """It comes back."""
        return make_line(self.seat, self.bet.name, self.cents, "push", f"{facts}: {self.bet.name} pushes", clause)

    def lose(self, facts: str, clause: str, paytable: str | None = None) -> SettlementLine:
        """It is lost; `paytable` where none of its rows was reached."""
        why = f"{facts}: {self.bet.name} loses"
        return make_line(self.seat, self.bet.name, self.cents, "lose", why, clause, paytable=paytable)

    def won(self, facts: str, row: PaidRow, paytable: str | None = None, *, stake_lost: bool = False) -> SettlementLine:
        """It wins as `row` pays it; a row that says push gives the stake back. `stake_lost`: of "to 1" the stake goes
        all the same."""
        bet, when, stake = self.bet, row.when or None, 0 if self.bet.on else self.cents
        if row.pay.unit == "push":
            why = f"{facts}: {bet.name} pushes"
            return make_line(self.seat, bet.name, stake, "push", why, row.clause, paytable=paytable, row=when)
        pay, rest = self.terms.paid(self.cents, row)
        return make_line(
            self.seat,
            bet.name,
            stake,
            "win",
            f"{facts}: {bet.name} pays {row.words}{', the stake is lost' if stake_lost else ''}",
            row.clause,
            pay=pay,
            keeps_stake=row.pay.keeps_stake and not stake_lost,
            paytable=paytable,
            row=when,
            rest=rest,
        )


def held(bet: Bet, seat: int, stake: int, hold: Hold) -> SettlementLine:
    """The line of a bet that is not settled."""
    return make_line(seat, bet.name, stake, "held", hold.why, hold.clause)
