"""The line of a bet in words and cents, whatever kind of bet it is."""

import msgspec

from dealer_flow.record.result import Seat
from rules.facts.held import Hold
from rules.facts.terms import Agreed, Terms
from rules.game.paytable import PaidRow
from rules.game.schema import Bet
from rules.settlement import SettlementLine, make_line


class Staked(msgspec.Struct, gc=False):
    """A bet of a seat: what the terms make of it, how much lies there, and the terms. A struct, since a dataclass takes
    three times as long to make."""

    of: Agreed
    seat: int
    cents: int
    terms: Terms
    stake: int
    """What lies there as this bet's own: nothing of a pay on another's stake."""

    @property
    def bet(self) -> Bet:
        """The bet as the game's file has it."""
        return self.of.bet

    @property
    def paytable(self) -> str | None:
        """The pay table chosen for it; None for a bet without one."""
        return self.of.paytable

    def row(self, key: object) -> PaidRow | None:
        """The row of its table that pays a hand of this key."""
        assert self.of.rows is not None, "only a bet with a table asks"
        return self.of.rows[key]

    def held(self, hold: Hold) -> SettlementLine:
        """It is not settled."""
        return held(self.of.bet, self.seat, self.stake, hold)

    def push(self, facts: str, clause: str) -> SettlementLine:
        """It comes back."""
        name = self.of.bet.name
        return make_line(self.seat, name, self.stake, "push", f"{facts}: {name} pushes", clause)

    def lose(self, facts: str, clause: str, paytable: str | None = None) -> SettlementLine:
        """It is lost; `paytable` where none of its rows was reached. Made without `make_line` and in the order of the
        fields, since most lines are lost ones: by their names they take half as long again."""
        of, cents = self.of, self.stake
        why = facts + of.loses
        return SettlementLine(self.seat, of.name, cents, "lose", 0, 0, -cents, why, clause, paytable, None, None, "0")

    def won(self, facts: str, row: PaidRow, paytable: str | None = None, *, stake_lost: bool = False) -> SettlementLine:
        """It wins as `row` pays it; a row that says push gives the stake back. `stake_lost`: of "to 1" the stake goes
        all the same."""
        name, stake, when = self.of.name, self.stake, row.when or None
        if row.pay.unit == "push":
            why = f"{facts}: {name} pushes"
            return make_line(self.seat, name, stake, "push", why, row.clause, paytable=paytable, row=when)
        pay, rest = self.terms.paid(self.cents, row)
        back = stake if row.keeps_stake and not stake_lost else 0
        why = f"{facts}: {name} pays {row.words}{', the stake is lost' if stake_lost else ''}"
        net, left = pay + back - stake, str(rest) if rest else "0"
        return SettlementLine(
            self.seat, name, stake, "win", pay, back, net, why, row.clause, paytable, when, None, left
        )


def lies(of: Agreed, seat: Seat, terms: Terms) -> Staked:
    """A bet that lies before a seat, or is paid on one that does."""
    cents = seat.wagers[of.on]
    return Staked(of, seat.seat, cents, terms, cents if of.own else 0)


def held(bet: Bet, seat: int, stake: int, hold: Hold) -> SettlementLine:
    """The line of a bet that is not settled."""
    return make_line(seat, bet.name, stake, "held", hold.why, hold.clause)
