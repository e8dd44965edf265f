"""The table's pot: the best hands win what players put in, the main pot and each side pot separately.

The house takes nothing of it but a rake. The unmatched part of a bet goes back, and chips of a dead or folded hand
stay. A pot that a seat with an unknown hand could win is held, and no other.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from dealer_flow.english import dollars
from dealer_flow.record.details import TakenPot
from dealer_flow.record.result import RoundResult, Seat
from dealer_flow.table.pots import GivenUp, Pot, uncalled
from rules.bets.bet import held
from rules.bets.hold import Hold
from rules.facts.rake import RakeBox, RakeTaken
from rules.facts.seen import View
from rules.facts.terms import Terms
from rules.facts.void import why_void
from rules.game.pot_spec import POT, SIDE_POT, UNCALLED, PotSpec
from rules.kinds.pot import unequal
from rules.kinds.to_pot import ToPotBet
from rules.pots.awarded import all_taken, as_awarded
from rules.pots.cut import NOT_AS_PUT_IN, as_cut, both, by_hands
from rules.pots.forfeits import waiting_cents
from rules.pots.pot_hands import Share, Shares, by_the_cards, words_of
from rules.settlement import MeterTotal, PotTotal, PotWinner, SettlementLine, make_line

Holds = Mapping[int, Mapping[str, Hold]]
"""Reasons that bets are held, by seat and bet."""


_GIVEN_UP: Final = "given-up-side-pot"


class TablePots(NamedTuple):
    """Result of the pots.

    - `lines`: a line for each seat and pot. `pots`: the pots.
    - `jackpot`: cents taken for a jackpot.
    - `rolled`: the increase of a pot that rolls over, on its meter. `meters`: its meter.
    - `forfeited`: chips forfeited before that are in the main pot.
    """

    lines: tuple[SettlementLine, ...] = ()
    pots: tuple[PotTotal, ...] = ()
    jackpot: int = 0
    rolled: int = 0
    meters: tuple[MeterTotal, ...] = ()
    forfeited: int = 0


def table_pots(view: View, seats: Sequence[Seat], holds: Holds, spec: PotSpec) -> TablePots:
    """Settle the main pot and the side pots of a round."""
    bets = view.terms.game.into_pot
    inside = [seat for seat in seats if seat.status != "out"]
    if waiting := next(held_bets(view, inside, holds, spec), None):
        return all_held(inside, bets, waiting)
    lines = [*given_back(view, inside, bets)]
    dead = dead_money(view, inside)
    if dead:
        bets = view.terms.game.matched
    put = {seat.seat: cents for seat in inside if (cents := in_pot(seat, bets))}
    live = {seat.seat for seat in inside if seat.status == "live"}
    given_up = GivenUp.by(view.result.actions, (seat.seat for seat in inside if _all_in(seat)))
    recorded = view.result.pots if spec.clauses.uncalled else ()
    if recorded:
        found = as_cut(recorded, both(put, dead) if dead else put, {seat.seat for seat in inside})
    else:
        found = by_hands(put, dead, live, given_up, spec)
    if found is None:
        return all_held(inside, view.terms.game.into_pot, Hold(NOT_AS_PUT_IN, spec.clauses.alone))
    if (over := found.over) is not None:
        why = f"no player matched {dollars(over.cents)} of it: it comes back"
        lines.append(make_line(over.seat, UNCALLED, over.cents, "returned", why, spec.clauses.uncalled))
    elif spec.clauses.uncalled and (why := _uncalled_doubt(inside, bets, put, given_up)):
        # The regulation does not say who owns an uncalled part of a bet that was given up.
        return all_held(inside, view.terms.game.into_pot, Hold(why, f"{spec.clauses.uncalled}, {spec.clauses.folded}"))
    left = found.left_in(live, given_up)
    shared = _share_pots(view, seats, left, lines, spec, view.result.awards)
    if any(pot.held for pot in shared.pots) and view.result.awards:
        as_one = _share_pots(view, seats, left, lines, spec, ())
        return as_one if all_taken(view.result.awards, as_one.pots) else shared
    return shared


def dead_money(view: View, seats: Sequence[Seat]) -> dict[int, int]:
    """Return what seats put into the pot beside their bets, cents by seat."""
    found = dict[int, int]()
    for bet in view.terms.game.dead_money:
        for seat in seats:
            if bet.name in seat.wagers:
                found[seat.seat] = found.get(seat.seat, 0) + in_pot(seat, (bet,))
    return found


def _uncalled_doubt(seats: Sequence[Seat], bets: Sequence[ToPotBet], put: Mapping[int, int], given_up: GivenUp) -> str:
    """Describe the doubt about a bet that was given up before it was called and exceeds what the remaining seats could
    call; empty if there is no such bet."""
    over = uncalled(put)
    if over is None or over.seat not in given_up.order or over.seat in given_up.forfeited:
        return ""
    left = [seat for seat in seats if seat.status == "live" or seat.seat in given_up.after(over.seat)]
    reach = [seat.stake - sum(seat.wagers.values()) + in_pot(seat, bets) for seat in left if seat.stake is not None]
    if over.seat in (seat.seat for seat in left) or not left or len(reach) < len(left) or put[over.seat] <= max(reach):
        return ""
    why = f"seat {over.seat} gave up before its bet was called"
    return f"{why}, which is more than the others have, and the regulation does not say whose that part is"


def _all_in(seat: Seat) -> bool:
    """Return True if a seat is all in: it has bet everything it had when the hand began."""
    return seat.stake is not None and sum(seat.wagers.values()) >= seat.stake


def _share_pots(
    view: View,
    seats: Sequence[Seat],
    cut: Mapping[int, Pot],
    before: Sequence[SettlementLine],
    spec: PotSpec,
    awards: Sequence[TakenPot],
) -> TablePots:
    """Share each pot in turn, by its number and the `awards` reported of it. `before` are the lines before them."""
    lines = [*before]
    box, totals, jackpot, forfeited = RakeBox(view.terms.rake, view.terms.unit_cents), list[PotTotal](), 0, 0
    by_seat = {seat.seat: seat for seat in seats}
    for number, pot in cut.items():
        name = POT if number == 1 else f"{SIDE_POT}{number - 1}"
        if not pot.contenders and spec.clauses.nobody and all(each.status in ("folded", "out") for each in seats):
            lines += _forfeited(name, pot, spec.clauses.nobody)
            totals.append(PotTotal(name, pot.cents, (), to_house=pot.cents))
            continue
        more = waiting_cents(view.terms) if number == 1 else 0
        taken = box.of(pot.cents + more)
        shares = _shares(view, by_seat, number, pot, pot.cents + more - sum(taken), awards)
        if isinstance(shares, Hold):
            # A held pot pays no rake, so the cap is still available to the next pot.
            box.give_back(taken)
            lines += (make_line(seat, name, cents, "held", shares.why, shares.clause) for seat, cents in _by_seat(pot))
            totals.append(PotTotal(name, pot.cents, tuple(sorted(pot.contenders)), held=shares.why))
            continue
        jackpot += taken.jackpot
        forfeited += more
        lines += _lines_of(name, pot, taken, more, shares, by_seat, view)
        totals.append(_total(name, pot, taken, more, shares))
    return TablePots(tuple(lines), tuple(totals), jackpot, forfeited=forfeited)


def jackpot_meter(terms: Terms, pots: TablePots | None) -> Iterator[MeterTotal]:
    """Yield the meter that receives the jackpot drop, if its amount is known."""
    charge = terms.game.spec.pot.jackpot_rake if terms.game.spec.pot is not None else None
    cents = pots.jackpot if pots is not None else 0
    if charge is not None and cents and charge.meter in terms.meters:
        before = terms.meters[charge.meter].cents
        yield MeterTotal(charge.meter, before, 0, None, before + cents, contributed=cents)


def in_pot(seat: Seat, bets: Sequence[ToPotBet]) -> int:
    """Return the sum of a seat's wagers to the pot that did not go back."""
    wagers, returned = seat.wagers, seat.returned
    put = sum([wagers[bet.name] for bet in bets if bet.name in wagers])
    return put - sum([returned.get(bet.name, 0) for bet in bets]) if returned else put


def kept_when_defective(result: RoundResult) -> bool:
    """Return True if pots stay with their winners although the deck was defective (47.1-1036)."""
    back = any(seat.returned for seat in result.seats)
    return result.outcome == "defective-deck" and bool(result.awards) and not back


def held_bets(view: View, seats: Sequence[Seat], holds: Holds, spec: PotSpec) -> Iterator[Hold]:
    """Yield the reasons that wagers to the pot are held: a rule, the record itself, or that bets differ which must be
    alike. A bet that the game does not have may be one of them under another name."""
    bets, known = view.terms.game.into_pot, view.terms.game.bets
    for seat in seats:
        mine = holds.get(seat.seat, {})
        yield from (hold for bet, hold in mine.items() if bet not in known)
        for bet in bets if mine or seat.returned else ():
            if bet.name in mine and seat.wagers.get(bet.name):
                yield mine[bet.name]
            if seat.returned.get(bet.name, 0) > seat.wagers.get(bet.name, 0):
                yield Hold(f"seat {seat.seat} got back more of {bet.name} than it bet", bet.clause)
    for bet in bets if spec.alike else ():
        made = [seat for seat in seats if seat.wagers.get(bet.name)]
        if bet.name in spec.all_in and made:
            most = max(seat.wagers[bet.name] for seat in made)
            made = [seat for seat in made if seat.wagers[bet.name] == most or not _all_in(seat)]
        if why := unequal(bet.name, made):
            yield Hold(why, spec.alike)


def all_held(seats: Sequence[Seat], bets: Sequence[ToPotBet], why: Hold) -> TablePots:
    """Hold every wager to the pot: while one is held, it is unknown how the pot is divided."""
    lines = [
        held(bet, seat.seat, seat.wagers[bet.name], why) for seat in seats for bet in bets if seat.wagers.get(bet.name)
    ]
    live = tuple(sorted(seat.seat for seat in seats if seat.status == "live"))
    return TablePots(tuple(lines), (PotTotal(POT, sum(line.stake for line in lines), live, held=why.why),))


def given_back(view: View, seats: Sequence[Seat], bets: Sequence[ToPotBet]) -> Iterator[SettlementLine]:
    """Yield the lines of wagers to the pot that the round gives back, before the pot is divided."""
    for seat in seats:
        for bet in bets if seat.returned else ():
            if back := seat.returned.get(bet.name, 0):
                why, clause = why_void(view.result, seat, view.terms.game.spec.returns)
                part = "" if back == seat.wagers[bet.name] else f"{dollars(back)} of "
                why = f"{why}: {part}{bet.name} comes back"
                yield make_line(seat.seat, bet.name, back, "returned", why, clause)


def _shares(
    view: View, seats: Mapping[int, Seat], number: int, pot: Pot, cents: int, awards: Sequence[TakenPot]
) -> Shares | Hold:
    """Return the shares of a pot of `cents`: as awarded where that applies, else by the cards."""
    spec = spec_of(view)
    if view.result.outcome == "defective-deck":
        found: Shares | Hold = Hold("the deck was defective", view.terms.game.spec.returns.defective_deck)
    elif not pot.contenders:
        found = Hold("no hand is left that could win the pot", spec.clauses.alone)
    elif len(pot.contenders) == 1:
        (seat,) = pot.contenders
        alone = seats[seat].status == "live"
        if not alone and view.terms.readings.get(_GIVEN_UP) == "held":
            return Hold(
                "every player in it gave it up, and the regulation does not say whose it is", spec.clauses.alone
            )
        facts = "the last hand left for it" if alone else "gave up when the others in it had given up"
        found = {seat: Share(cents, "last-hand", spec.clauses.alone, facts)}
    else:
        found = by_the_cards(view, [seats[seat] for seat in sorted(pot.contenders)], cents, spec)
    shares = as_awarded(awards, number, cents, found, seats, spec)
    if isinstance(shares, Hold) or not cents:
        return shares
    # With fewer chips than winners, some tie for nothing.
    return {seat: each for seat, each in shares.items() if each.cents}


def _forfeited(name: str, pot: Pot, clause: str) -> Iterator[SettlementLine]:
    """Yield the lines of a pot that goes to the house because every player folded, including the last one."""
    why = f"every player folded: the {name.replace('-', ' ')} of {dollars(pot.cents)} goes to the house"
    for seat, cents in _by_seat(pot):
        yield make_line(seat, name, cents, "lose", why, clause)


def _by_seat(pot: Pot) -> list[tuple[int, int]]:
    return sorted(pot.shares.items())


def _lines_of(
    name: str, pot: Pot, taken: RakeTaken, more: int, shares: Shares, seats: Mapping[int, Seat], view: View
) -> Iterator[SettlementLine]:
    """Yield a line for each seat that has chips in the pot or wins some of it; `more` of it was forfeited before."""
    before = f" with {dollars(more)} forfeited before" if more else ""
    of = f"{'the ' * (name == POT)}{name.replace('-', ' ')} of {dollars(pot.cents + more)}{before}{_less(taken)}"
    whose = " and ".join(f"seat {seat}" for seat in shares)
    for seat, stake in _by_seat(Pot({**dict.fromkeys(shares, 0), **pot.shares}, pot.contenders)):
        share = shares.get(seat)
        if share is not None:
            yield won_line(seat, name, stake, share, f"{share.facts}: {dollars(share.cents)} of {of}")
        else:
            facts, clause = why_lost(view, seats[seat], next(iter(shares.values())).clause)
            yield make_line(seat, name, stake, "lose", f"{facts}{of} goes to {whose}", clause)


def won_line(seat: int, name: str, stake: int, share: Share, why: str) -> SettlementLine:
    """Make the line of a seat that wins part of a pot to which it contributed `stake`."""
    if share.cents == stake:
        return make_line(seat, name, stake, "push", why, share.clause)
    keeps = share.cents > stake
    pay = share.cents - stake if keeps else share.cents
    return make_line(seat, name, stake, "win", why, share.clause, pay=pay, keeps_stake=keeps)


def why_lost(view: View, seat: Seat, won: str) -> tuple[str, str]:
    """Return the reason that a seat wins nothing of a pot, as the beginning of a sentence, and its clause; `won` is the
    winner's clause."""
    spec = spec_of(view)
    if seat.status == "folded":
        return "folded: ", spec.clauses.folded
    if seat.status == "dead":
        return "dead hand: ", spec.clauses.dead
    words = words_of(view, seat, spec)
    return (f"{words}: " if words else ""), won


def spec_of(view: View) -> PotSpec:
    """Return the rules of the pot, in a game that has one."""
    spec = view.terms.game.spec.pot
    assert spec is not None, "only a game with a pot asks"
    return spec


def _less(taken: RakeTaken) -> str:
    parts = [f"a rake of {dollars(taken.rake)}"] if taken.rake else []
    parts += [f"{dollars(taken.jackpot)} for the jackpot"] if taken.jackpot else []
    return f", less {' and '.join(parts)}" if parts else ""


def _total(name: str, pot: Pot, taken: RakeTaken, more: int, shares: Shares) -> PotTotal:
    return PotTotal(
        name=name,
        cents=pot.cents + more,
        forfeited=more,
        contenders=tuple(sorted(pot.contenders)),
        rake=taken.rake,
        jackpot_rake=taken.jackpot,
        winners=tuple(PotWinner(seat, each.cents, each.won_with, each.clause) for seat, each in shares.items()),
    )
