"""Bets that stand in equal parts beside several others, and end as each of them does."""

from collections import Counter
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import Field

from dealer_flow.record.result import Seat
from rules.bets.bet import Bet, RoundFacts, Staked, lies
from rules.bets.hold import Hold
from rules.paytables.amounts import round_down
from rules.settlement import SettlementLine, make_line


class SharedBet(Bet):
    """A bet that stands in equal parts beside those of `goes_with` that the seat made, and ends as each of them."""

    kind: Literal["shared"]
    goes_with: Annotated[tuple[str, ...], Field(min_length=1)]
    """The bets beside which it stands in equal parts."""

    def line(
        self,
        staked: Staked,
        seat: Seat,
        view: RoundFacts,
    ) -> SettlementLine:
        """One line for all its parts: what they come to together. A part is not rounded, their sum is."""
        beside = [name for name in self.goes_with if seat.wagers.get(name)]
        if not beside or (away := next((name for name in beside if name in seat.held), None)):
            why = f"{away} is held" if beside else f"no bet on {' or '.join(self.goes_with)}"
            return staked.held(Hold(why, self.clauses.win))
        ends: list[SettlementLine] = []
        for name in beside:
            of = view.terms.agreed(view.terms.game.bets[name])
            line = of.line(lies(of, seat, view.terms), seat, view)
            assert line is not None, "a wager of its own has a line"
            if line.result == "held":
                return staked.held(Hold(line.why, line.clause))
            ends.append(line)
        results = Counter(line.result for line in ends)
        each = Fraction(staked.cents, len(ends))
        return self._summed(staked, ends, each * results["win"], each * results["lose"])

    def _summed(self, staked: Staked, ends: list[SettlementLine], won: Fraction, lost: Fraction) -> SettlementLine:
        """The parts as one line: a part that wins is paid 1 to 1 and what another loses goes off it."""
        facts, clause = _facts(ends), ends[0].clause if len(ends) == 1 else self.clauses.win
        net, unit = won - lost, staked.terms.unit_cents
        make: Any = {"seat": staked.seat, "bet": self.name}
        if net == 0:
            return make_line(
                **make, stake=staked.cents, result="push", why=f"{facts}: {self.name} pushes", clause=clause
            )
        if net > 0:
            pay, rest = round_down(net.numerator, net.denominator, unit)
            why = f"{facts}: {self.name} pays 1 to 1{'' if net == staked.cents else ' on its half'}"
            return make_line(**make, stake=staked.cents, result="win", why=why, clause=clause, pay=pay, rest=rest)
        kept = staked.cents + net
        back, rest = round_down(kept.numerator, kept.denominator, unit)
        clause = self.clauses.lose if len(ends) > 1 else clause
        why = f"{facts}: {self.name} loses{' its half' if back else ''}"
        gone = staked.cents - back
        return make_line(**make, stake=staked.cents, result="lose", why=why, clause=clause, lost=gone, rest=rest)


def _facts(ends: list[SettlementLine]) -> str:
    """One alone ends for its own reason."""
    return ends[0].why.rpartition(": ")[0] if len(ends) == 1 else ", ".join(_how(line) for line in ends)


def _how(line: SettlementLine) -> str:
    return f"{line.bet} {({'win': 'won', 'lose': 'lost'}).get(line.result, 'pushed')}"
