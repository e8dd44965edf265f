"""A pot that losers pay after the hands are compared: no loser pays more than the winner has bet."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from dealer_flow.english import dollars
from dealer_flow.record.result import Seat
from rules.bets.hold import Hold
from rules.facts.rake import RakeBox, RakeTaken
from rules.facts.seen import View
from rules.game.pot_spec import POT, UNCALLED, MatchedPot, PotSpec
from rules.pots.awarded import as_awarded
from rules.pots.main import Holds, TablePots, all_held, given_back, held_bets, in_pot
from rules.pots.pot_hands import Share, by_the_cards, words_of
from rules.pots.shares import OddChipOpen, shared
from rules.settlement import PotTotal, PotWinner, SettlementLine, make_line


class _MatchedAmounts(NamedTuple):
    """Amounts paid by each loser and won by each winner, and the rake."""

    paid: Mapping[int, int]
    won: Mapping[int, int]
    taken: RakeTaken


def matched_pot(view: View, seats: Sequence[Seat], holds: Holds, spec: PotSpec, rule: MatchedPot) -> TablePots:
    """Settle the pot of a round that was played out."""
    bets = view.terms.game.into_pot
    inside = [seat for seat in seats if seat.status != "out"]
    if waiting := next(held_bets(view, inside, holds, spec), None):
        return all_held(inside, bets, waiting)
    put = {seat.seat: cents for seat in inside if (cents := in_pot(seat, bets))}
    live = sorted((seat for seat in inside if seat.status == "live" and seat.seat in put), key=lambda seat: seat.seat)
    best = by_the_cards(view, live, 0, spec) if live else Hold("no hand is left that could win", rule.clause)
    if isinstance(best, Hold):
        return all_held(inside, bets, best)
    found = _collected(view, put, [*best], spec, rule)
    if isinstance(found, Hold):
        return all_held(inside, bets, found)
    by_seat = {seat.seat: seat for seat in inside}
    won = {seat: each._replace(cents=found.won[seat]) for seat, each in best.items()}
    if as_awarded(view.result.awards, 1, sum(found.won.values()), won, by_seat, spec) != won:
        return all_held(
            inside, bets, Hold("it was taken in differently from what the cards decide", spec.clauses.taken)
        )
    lines = [*given_back(view, inside, bets), *_lines(view, by_seat, put, best, found, spec)]
    winners = tuple(PotWinner(seat, found.won[seat], each.won_with, each.clause) for seat, each in best.items())
    contenders = tuple(seat.seat for seat in live)
    total = PotTotal(POT, sum(found.paid.values()), contenders, found.taken.rake, found.taken.jackpot, winners=winners)
    return TablePots(tuple(lines), (total,), found.taken.jackpot)


def _collected(
    view: View, put: Mapping[int, int], winners: Sequence[int], spec: PotSpec, rule: MatchedPot
) -> _MatchedAmounts | Hold:
    """Compute the payments of the losers and their division.

    If the winners' bets differ, the losers pay in layers up to each winner's bet, or up to the lowest, depending on the
    reading.
    """
    losers = {seat: cents for seat, cents in put.items() if seat not in winners}
    bets = sorted({put[seat] for seat in winners})
    if len(bets) > 1 and any(cents > bets[0] for cents in losers.values()):
        reading = view.terms.readings.get("unequal-winners", "held")
        if reading == "held":
            why = (
                f"winners bet {' and '.join(map(dollars, bets))}, and the regulation "
                "does not say what a loser pays above the lowest"
            )
            return Hold(why, rule.clause)
        bets = bets if reading == "layers" else bets[:1]
    else:
        bets = bets[:1] if len(bets) > 1 else bets
    box, below = RakeBox(view.terms.rake, view.terms.unit_cents), 0
    paid, won = dict.fromkeys(losers, 0), dict.fromkeys(winners, 0)
    rake = jackpot = 0
    for level in bets:
        layer = {seat: min(cents, level) - below for seat, cents in losers.items() if cents > below}
        taken = box.of(sum(layer.values()))
        have = [seat for seat in winners if put[seat] >= level]
        try:
            parts = shared(sum(layer.values()) - sum(taken), have, view.terms.unit_cents, view.result.button)
        except OddChipOpen:
            why = "an odd chip goes to the left of the button, and the position of the button is not known"
            return Hold(why, spec.clauses.odd_chip)
        for into, more in ((paid, layer), (won, parts)):
            for seat, cents in more.items():
                into[seat] += cents
        rake, jackpot, below = rake + taken.rake, jackpot + taken.jackpot, level
    return _MatchedAmounts(paid, won, RakeTaken(rake, jackpot))


def _lines(
    view: View,
    seats: Mapping[int, Seat],
    put: Mapping[int, int],
    best: Mapping[int, Share],
    found: _MatchedAmounts,
    spec: PotSpec,
) -> Iterator[SettlementLine]:
    assert spec.matched is not None, "only such a pot asks"
    of, whose = dollars(sum(found.paid.values())), " and ".join(f"seat {seat}" for seat in best)
    clause = spec.matched.clause
    for seat, stake in sorted(put.items()):
        if seat in best:
            share, odd = best[seat], len({*found.won.values()}) > 1
            clauses = dict.fromkeys(filter(None, (share.clause, clause, spec.clauses.odd_chip if odd else "")))
            why = f"{share.facts}: {dollars(found.won[seat])} of the {of} that losers pay"
            won, by = found.won[seat], ", ".join(clauses)
            yield make_line(seat, POT, stake, "win" if won else "push", why, by, pay=won)
            continue
        paid, words = found.paid[seat], words_of(view, seats[seat], spec) or "dead hand"
        if paid:
            yield make_line(seat, POT, paid, "lose", f"{words}: {dollars(paid)} goes to {whose}", clause)
        if stake > paid:
            why = f"{dollars(stake - paid)} is above the bet of {whose} and comes back"
            yield make_line(seat, UNCALLED, stake - paid, "returned", why, spec.matched.kept)
