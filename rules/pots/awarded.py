"""A pot that was awarded and taken in stays so, regardless of the cards (47.1-1034)."""

from collections import Counter
from collections.abc import Mapping, Sequence

from dealer_flow.english import dollars
from dealer_flow.record.details import TakenPot
from dealer_flow.record.result import Seat
from rules.bets.hold import Hold
from rules.game.pot_spec import PotSpec
from rules.pots.pot_hands import Share, Shares
from rules.settlement import PotTotal


def as_awarded(
    awards: Sequence[TakenPot],
    number: int,
    cents: int,
    found: Shares | Hold,
    seats: Mapping[int, Seat],
    spec: PotSpec,
) -> Shares | Hold:
    """Return the shares of pot `number`, of which `cents` are left to win.

    They are `found`, the shares by the cards, unless awards were reported that differ; then the awards count. The pot
    is held if the awards add up to another amount, or went to a seat that is not in the round.
    """
    taken: dict[int, int] = {}
    for award in awards:
        if award.pot == number and award.cents:
            taken[award.seat] = taken.get(award.seat, 0) + award.cents
    if not taken or (not isinstance(found, Hold) and _awards_match(taken, found)):
        return found
    clause, total = spec.clauses.taken, sum(taken.values())
    whose = " and ".join(f"seat {seat} took in {dollars(part)}" for seat, part in sorted(taken.items()))
    stranger = next((seat for seat in sorted(taken) if seat not in seats or not seats[seat].wagers), None)
    if stranger is not None:
        return Hold(f"{whose}, and seat {stranger} has nothing in this round", clause)
    if total != cents:
        return Hold(f"{whose}, and {dollars(cents)} is to be won", clause)
    if isinstance(found, Hold):
        clause = f"{clause}, {found.clause}"
    facts = f"awarded and taken in, which stands; {_result_by_cards(found)}"
    return {seat: Share(part, "award", clause, facts) for seat, part in sorted(taken.items()) if part}


def all_taken(awards: Sequence[TakenPot], pots: Sequence[PotTotal]) -> bool:
    """Return True if the awards come to what each seat wins of these pots: several may be pushed, and reported, as
    one."""
    taken, won = Counter[int](), Counter[int]()
    for award in awards:
        taken[award.seat] += award.cents
    for pot in pots:
        won.update({winner.seat: winner.cents for winner in pot.winners})
    return +taken == +won and not any(pot.held for pot in pots)


def _awards_match(taken: Mapping[int, int], found: Shares) -> bool:
    """Return True if every reported award matches the cards; other awards may not have been reported."""
    return all(seat in found and found[seat].cents == cents for seat, cents in taken.items())


def _result_by_cards(found: Shares | Hold) -> str:
    """Describe the result of the cards for the pot."""
    if isinstance(found, Hold):
        return f"by the cards it was undecided: {found.why}"
    shares = " and ".join(
        f"{dollars(share.cents)} to seat {seat} ({share.facts})" for seat, share in sorted(found.items())
    )
    return f"by the cards it was {shares}"
