"""Bets that are divided equally over several others, and whose parts end as those do."""

from collections import Counter
from collections.abc import Collection, Iterator
from fractions import Fraction
from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field

from dealer_flow.english import dollars
from dealer_flow.record.result import Seat
from protocol.tomlfile import Key
from rules.bets.bet import Bet, RoundFacts, Staked, placed_bet
from rules.bets.bet_keys import SpecFacts, unknown
from rules.bets.hold import Hold
from rules.bets.outcome import BetFacts, Outcome
from rules.paytables.amounts import round_down
from rules.settlement import SettlementLine, make_line

_ODD_HALF: Final = "odd-half"
"""Name of the reading for a half that is not a whole number of tokens."""


class SharedBet(Bet):
    """A bet divided equally over the bets in `goes_with` that the seat made; each part ends as its bet does."""

    kind: Literal["shared"]
    by_hand: ClassVar[bool] = False
    goes_with: Annotated[tuple[str, ...], Field(min_length=1)]
    """The bets over which it is divided equally."""

    @property
    def stands_with(self) -> tuple[str, ...]:
        """The bets over which it is divided."""
        return self.goes_with

    def faults(self, spec: SpecFacts, bets: Collection[str]) -> Iterator[tuple[Key, str]]:
        """Yield errors for unknown bets."""
        yield from unknown(("goes-with",), "bet", self.goes_with, bets)

    def line(
        self,
        staked: Staked,
        seat: Seat,
        view: RoundFacts,
    ) -> SettlementLine:
        """Return one line for the sum of all its parts. The parts are not rounded, only their sum."""
        beside = [name for name in self.goes_with if seat.wagers.get(name)]
        if not beside or (away := next((name for name in beside if name in seat.held), None)):
            why = f"{away} is held" if beside else f"no bet on {' or '.join(self.goes_with)}"
            return staked.held(Hold(why, self.clauses.win))
        ends: list[SettlementLine] = []
        for name in beside:
            of = view.terms.agreed(view.terms.game.bets[name])
            line = of.line(placed_bet(of, seat, view.terms), seat, view)
            assert line is not None, "a wager of its own has a line"
            if line.result == "held":
                return staked.held(Hold(line.why, line.clause))
            ends.append(line)
        outcome = self.outcome(BetFacts(parts=tuple((line.result, line.clause) for line in ends)))
        return self._summed(outcome, staked, _facts(ends))

    def outcome(self, facts: BetFacts) -> Outcome:
        """Return the outcome of the parts together: a winning part is paid 1 to 1, and a losing part is deducted."""
        results, alone = Counter(result for result, _ in facts.parts), len(facts.parts) == 1
        net = Fraction(results["win"] - results["lose"], len(facts.parts))
        result: Literal["win", "lose", "push"] = "win" if net > 0 else "lose" if net < 0 else "push"
        clause = self.clauses.lose if net < 0 else self.clauses.win
        return Outcome(result, facts.parts[0][1] if alone else clause, share=abs(net))

    def _summed(self, outcome: Outcome, staked: Staked, facts: str) -> SettlementLine:
        """Return the parts as one line.

        Only the sum is rounded: down, except for half of an odd wager if the reading gives that half to the player or
        holds it.
        """
        net, name, stake, unit = staked.cents * outcome.share, self.name, staked.cents, staked.terms.unit_cents
        if outcome.result == "push":
            return staked.ended(outcome, facts)
        odd = _ODD_HALF if outcome.share != 1 and net % unit else ""
        option = staked.terms.readings.get(_ODD_HALF, "") if odd else ""
        if option == "held":
            why = f"{facts}, and half of {dollars(stake)} is not a whole number of tokens"
            return staked.held(Hold(why, outcome.clause, reading=odd))
        won = outcome.result == "win"
        # Round what the player gets, the win or the part that comes back: down is always in the house's favor.
        moved = Fraction(net if won else stake - net)
        cents, rest = round_down(moved.numerator, moved.denominator, unit)
        if option == "player" and rest:
            cents, rest = cents + unit, 0
        named = odd if option else ""
        if won:
            why = f"{facts}: {name} pays 1 to 1{'' if net == stake else ' on its half'}"
            return make_line(staked.seat, name, stake, "win", why, outcome.clause, pay=cents, rest=rest, reading=named)
        why = f"{facts}: {name} loses{' its half' if cents else ''}"
        lost = stake - cents
        return make_line(staked.seat, name, stake, "lose", why, outcome.clause, lost=lost, rest=rest, reading=named)


def _facts(ends: list[SettlementLine]) -> str:
    """Describe the ends of the parts; a single part keeps its own reason."""
    return ends[0].why.rpartition(": ")[0] if len(ends) == 1 else ", ".join(_how(line) for line in ends)


def _how(line: SettlementLine) -> str:
    return f"{line.bet} {({'win': 'won', 'lose': 'lost'}).get(line.result, 'pushed')}"
