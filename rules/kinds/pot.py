"""Pots that players contribute to. The house has no money in them, apart from a rake."""

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from dealer_flow.english import dollars
from dealer_flow.record.result import Seat
from rules.bets.bet import Bet, Holds, Played, RoundFacts, TableResult, held
from rules.bets.bet_terms import Charge
from rules.bets.hold import Hold
from rules.hands import Ranked
from rules.settlement import PotTotal, PotWinner, make_line


class PotBet(Bet):
    """A pot that players contribute to: the best hand among them wins it, and equal hands share it.

    `least`: the number of players that must have bet; fewer get their wagers back (`clauses.tie`).
    """

    kind: Literal["pot"]
    apart: ClassVar[bool] = True
    of_table: ClassVar[bool] = True
    least: Annotated[int, Field(ge=2)] = 2
    rake: Charge | None = None
    """The house's rake on the pot; none may be taken if absent."""
    alike: str = ""
    """Clause by which the wager is the same at every seat; the pot is held if it is not."""

    def settle_table(self, seats: Sequence[Seat], holds: Holds, played: Played, view: RoundFacts) -> TableResult:
        """Settle the pot; a dead hand whose stake is in it has a line too."""
        inside = [seat for seat in seats if self.name in played[seat.seat] or _has_dead_stake(seat, self.name, view)]
        stakes = {seat.seat: seat.wagers[self.name] for seat in inside}
        if len(inside) < self.least:
            why = f"{len(inside)} of at least {self.least} made the bet: {self.name} comes back"
            back = (make_line(seat, self.name, of, "returned", why, self.clauses.tie) for seat, of in stakes.items())
            return TableResult({line.seat: line for line in back})
        hands = _hands(self, inside, holds, view)
        if isinstance(hands, Hold):
            return TableResult({seat: held(self, seat, cents, hands) for seat, cents in stakes.items()})
        return _shared(self, stakes, hands, view)


def _has_dead_stake(seat: Seat, name: str, view: RoundFacts) -> bool:
    """Return True if a dead hand's stake is in the pot: the round was played on and did not give all of it back."""
    stake = seat.wagers.get(name)
    return (
        bool(stake) and seat.status == "dead" and view.result.outcome == "complete" and seat.returned.get(name) != stake
    )


def _hands(bet: PotBet, inside: Sequence[Seat], holds: Holds, view: RoundFacts) -> Mapping[int, Ranked] | Hold:
    """Return the hands that may win a pot.

    An unknown hand, a dead hand or a wager that breaks a rule holds the whole pot, because all hands together decide
    who wins it.
    """
    broken = next((hold for seat in inside if (hold := holds.get(seat.seat, {}).get(bet.name))), None)
    if bet.alike and broken is None and (why := unequal(bet.name, inside)):
        broken = Hold(why, bet.alike)
    if dead := next((seat for seat in inside if seat.status == "dead"), None):
        why = (
            f"the hand of seat {dead.seat} is dead, and the regulation does not say whether its stake stays in the pot"
        )
        broken = Hold(why, bet.clauses.win)
    hands = {seat.seat: view.hand(view.terms.agreed(bet).hand, seat) for seat in inside if seat.status == "live"}
    unknown = next((hand for hand in hands.values() if isinstance(hand, str)), None)
    if broken is None and (unknown is not None or not hands):
        broken = Hold(unknown or "no hand is left that could win the pot", bet.clauses.win)
    return broken or {seat: hand for seat, hand in hands.items() if not isinstance(hand, str)}


def unequal(bet: str, made: Sequence[Seat]) -> str:
    """Describe the first difference between the bets of these seats, which must be the same; empty if they are."""
    for seat in made:
        first, cents = made[0].wagers[bet], seat.wagers[bet]
        if cents != first:
            return f"{bet} is {dollars(first)} at seat {made[0].seat} and {dollars(cents)} at seat {seat.seat}"
    return ""


def _shared(bet: PotBet, stakes: Mapping[int, int], hands: Mapping[int, Ranked], view: RoundFacts) -> TableResult:
    """Pay the pot, less the house's rake, to the best hand. Equal hands each get the same number of whole tokens;
    leftover tokens go one by one starting at the dealer's left (47.1-1035)."""
    pot, best = sum(stakes.values()), max(hand.strength for hand in hands.values())
    winners = sorted(seat for seat, hand in hands.items() if hand.strength == best)
    unit, rake = view.terms.unit_cents, _rake_of(bet, pot, view)
    tokens, cents = divmod(pot - rake, unit)
    share, over = divmod(tokens, len(winners))
    parts = {seat: (share + (place < over)) * unit for place, seat in enumerate(winners)}
    # An amount below a token goes to the first winner, so that the pot is paid out to the cent.
    parts[winners[0]] += cents
    lines, whose = {}, " and ".join(f"seat {seat}" for seat in winners)
    clause = bet.clauses.win if len(winners) == 1 else f"{bet.clauses.win}, 47.1-1006, 47.1-1035"
    less = f", less a rake of {dollars(rake)}" if rake else ""
    for seat, stake in stakes.items():
        facts = f"{hands[seat].text}: " if seat in hands else ""
        if seat not in parts:
            why = f"{facts}the pot of {dollars(pot)}{less} goes to {whose}: {bet.name} loses"
            lines[seat] = make_line(seat, bet.name, stake, "lose", why, bet.clauses.lose)
        elif parts[seat] == stake:
            why = f"{facts}an equal share of the pot of {dollars(pot)}{less}: {bet.name} comes back"
            lines[seat] = make_line(seat, bet.name, stake, "push", why, bet.clauses.tie)
        else:
            why = f"{facts}{dollars(parts[seat])} of the pot of {dollars(pot)}{less}"
            won, kept = max(parts[seat] - stake, 0), parts[seat] >= stake
            pay = won if kept else parts[seat]
            lines[seat] = make_line(seat, bet.name, stake, "win", why, clause, pay=pay, keeps_stake=kept)
    won_by = tuple(PotWinner(seat, of, "high", clause) for seat, of in parts.items())
    total = PotTotal(bet.name, pot, tuple(sorted(hands)), rake, winners=won_by)
    return TableResult(lines, pots=(total,) if rake else ())


def _rake_of(bet: PotBet, pot: int, view: RoundFacts) -> int:
    """Return the house's rake of this pot: the cap is of each pot, and no higher than the regulation's."""
    rake = view.terms.rake
    if rake is None or bet.rake is None:
        return 0
    caps = [cents for cents in (rake.cap_cents, bet.rake.most_cents) if cents is not None]
    return min([rake.of(pot, view.terms.unit_cents), *caps])
