"""Settlement of a round: one explained line per bet, exact to the cent, with no guesses."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from operator import attrgetter
from typing import Final

from msgspec import Struct, structs

from dealer_flow.procedure.law import Law
from dealer_flow.procedure.plan import Plan
from dealer_flow.record.catalogue import may_break_a_round
from dealer_flow.record.details import DOLLAR
from dealer_flow.record.result import RoundResult, Seat
from rules.bets.bet import AgreedBet, Holds, Staked, TableResult, fold_left_open, fold_of, held, placed_bet
from rules.bets.hold import Hold
from rules.bets.outcome import Outcome
from rules.errors import SettlementRefused
from rules.facts.caps import cut
from rules.facts.contradictions import contradiction, folds_in, known_of
from rules.facts.fold_doubts import in_doubt
from rules.facts.held import broken_rules, held_at_table, over_limits, seen_too_often, unknown_bets
from rules.facts.named import named
from rules.facts.seen import View
from rules.facts.terms import Terms, agree
from rules.facts.void import line_by_record, line_of_unknown, plays
from rules.game.jackpot_spec import JackpotAward
from rules.game.load import Game, wrong_option
from rules.game.order import in_order
from rules.paytables.paytable import USUAL_ENVY_BASE_CENTS
from rules.pots.forfeits import forfeit_meter, forfeited_cents, forfeited_line
from rules.pots.main import TablePots, jackpot_meter
from rules.pots.pool import Pool, pool_of
from rules.pots.pot_kinds import any_pots
from rules.settle.jackpot import jackpot_award
from rules.settle.set_hands import by_the_set
from rules.settlement import (
    HouseRake,
    MaximumPayout,
    Meter,
    MeterTotal,
    SeatTotal,
    Settlement,
    SettlementLine,
    Totals,
    spelled,
)

_BY_NUMBER: Final = attrgetter("seat")
_SHOWN: Final = ("live", "folded")
"""Status of hands whose bets the cards decide in a round that was played out."""
_UNSEEN: Final = "whether each bet was placed in its time"
"""Fact that only the sequence of events shows, and which is therefore unknown for a round from another program."""
_NOTHING: Mapping[str, str] = {}
_NO_HOLDS: Mapping[str, Hold] = {}
_NOTHING_WAITS: Final[Holds] = {}
_NO_CENTS: Final = (0, 0, 0, 0, 0)
_NO_METERS: Mapping[str, Meter | int] = {}
_NO_RUNNERS: Mapping[int, int] = {}

_Dealt = tuple[Plan | None, Law | None]
"""The procedure that dealt a round and its rules for wagers, as far as they are known."""
Waiting = Holds | Hold
"""Bets by seat that are held for a supervisor, or the reason that the whole round is."""


class _Collector(Struct, gc=False):
    """Results collected while a round is settled."""

    lines: list[SettlementLine]
    envy: tuple[SettlementLine, ...] = ()
    meters: tuple[MeterTotal, ...] = ()
    pots: TablePots | None = None
    pool: Pool | None = None
    into: int = 0
    """Amount that meters took in other than bets on them, less their rake."""
    unseen: str | None = None
    """Facts of the round that are unknown."""


def settle(
    result: RoundResult,
    game: Game,
    *,
    paytables: Mapping[str, str] = _NOTHING,
    readings: Mapping[str, str] = _NOTHING,
    rounding: str = "down-to-token",
    token_cents: int = 25,
    envy_base_cents: int | None = None,
    meters: Mapping[str, Meter | int] | None = None,
    limit_cents: int | None = None,
    maximum: MaximumPayout | None = None,
    commission: str | int = 0,
    rake: HouseRake | None = None,
    jackpot: JackpotAward | None = None,
    house_way: str | None = None,
    accept_suspect: bool = False,
    runners: Mapping[int, int] | None = None,
) -> Settlement:
    """Settle one round of `game`.

    - `paytables` chooses a table by bet name and `readings` an option by reading; the default of the game is used
      for all others.
    - `envy_base_cents` is the progressive wager for which the printed envy amounts apply; the pay table's own
      unless given.
    - `meters` gives each progressive meter as displayed before the round, in cents.
    - `limit_cents` is the limit for one bet at this table, and `maximum` the house's maximum payouts.
    - `commission` is the house's commission on wins in percent ("2.5"), and `rake` its rake on pots.
    - `jackpot` gives the house's rules of a jackpot award, whose posted amount is among the meters.
    - `house_way` sets the dealer's hand: an id or a file.
    - `runners` are the runners by seat number, for a pool that runners win; none unless given.
    - `accept_suspect` allows pay tables and readings that appear to be misprints.

    Raises SettlementRefused for a request that is wrong in itself: a round of another game, an unknown table or
    reading. A wager or card that breaks a rule, or for which the rules are uncertain, is held in its line with the
    clause; so is a bet that the game does not have.
    """
    check_round_of_game(result, game)
    terms = agree(
        game,
        paytables=paytables,
        readings=readings,
        rounding=rounding,
        token_cents=token_cents,
        envy_base_cents=envy_base_cents,
        meters=meters or _NO_METERS,
        limit_cents=limit_cents,
        maximum=maximum,
        commission=commission,
        rake=rake,
        jackpot=jackpot,
        house_way=house_way,
        accept_suspect=accept_suspect,
        runners=runners or _NO_RUNNERS,
    )
    return settle_on(result, terms)


def check_round_of_game(result: RoundResult, game: Game) -> None:
    """Raise SettlementRefused if a round does not belong to this game."""
    if result.procedure.id not in game.spec.procedures:
        raise SettlementRefused(f"round of procedure for {game.id}", result.procedure.id, game.spec.procedures)
    if result.edition is not None and game.edition is not None and result.edition != game.edition.ref:
        theirs, ours = (f"{each.id} of hash {each.sha256[:12]}" for each in (result.edition, game.edition.ref))
        raise SettlementRefused("round of edition", theirs, [ours])


def settle_on(result: RoundResult, terms: Terms, waiting: Waiting = _NOTHING_WAITS) -> Settlement:
    """Settle one round of the game on terms agreed before.

    The bets in `waiting` are held as if they broke a rule; a Hold there holds the whole round.
    """
    game = terms.game
    seats, known = sorted(result.seats, key=_BY_NUMBER, reverse=game.descending), known_of(result, game)
    plan, law = known
    hold = _why_unsettled(result, game, plan)
    if isinstance(waiting, Hold):
        hold, waiting = hold or waiting, _NOTHING_WAITS
    books = _hold_all(result, seats, terms, law, hold) if hold else _lines(result, seats, terms, known, waiting)
    books.unseen = None if plan is not None else _UNSEEN
    return _build_settlement(result, terms, seats, books, hold.why if hold else None)


def _why_unsettled(result: RoundResult, game: Game, plan: Plan | None) -> Hold | None:
    """Return the reason that no bet of this round can be settled; `plan` is that of the procedure that dealt it, if
    known."""
    if result.outcome == "unreliable":
        causes = [each for each in result.incidents if each.unreliable]
        # A record without facts, from another program.
        causes += [each for each in result.incidents if may_break_a_round(each.code)]
        cause = next(iter([*causes, *result.incidents]), None)
        why = cause.text if cause else "it is uncertain what happened"
        return Hold(f"the round is unreliable: {why}", cause.clause if cause else "procedure")
    if game.spec.options and (option := wrong_option(game.spec.options, result.options)) is not None:
        wanted = " or ".join(game.spec.options[option])
        return Hold(f"dealt as {option} {result.options[option]}, and {game.id} settles {wanted}", "procedure")
    if len(set(map(_BY_NUMBER, result.seats))) != len(result.seats):
        return Hold("a seat appears twice in the round", "procedure")
    by_hands = result.draw is None and result.outcome in ("complete", "progressive-only")
    if by_hands and (too_often := seen_too_often(result, game.spec.decks, laid_aside=game.spec.laid_aside)):
        return Hold(f"the deck contradicts the round: {too_often}", game.spec.returns.defective_deck)
    return contradiction(result, game, plan)


def _hold_all(result: RoundResult, seats: Sequence[Seat], terms: Terms, law: Law | None, hold: Hold) -> _Collector:
    made = ((seat, of.bet) for seat in seats for of in terms.bets_of(seat, law).made.values() if of.own)
    lines = [held(bet, seat.seat, seat.wagers[bet.name], hold) for seat, bet in made]
    lines += (
        line_of_unknown(result, seat, bet, hold, None) for seat in seats for bet in unknown_bets(seat, terms.game)
    )
    return _Collector(lines, pool=pool_of(View(result, terms), seats, {}, None))


def _lines(result: RoundResult, seats: Sequence[Seat], terms: Terms, dealt: _Dealt, waits: Holds) -> _Collector:
    """Settle every bet of the table: by its cards if it plays, else by the round's record."""
    game = terms.game
    lines: list[SettlementLine] = []  # an annotation: `list[...]()` would build the type for each round
    bets, holds, played = _bets_by_seat(result, seats, terms, dealt, waits)
    view = View(result, terms)
    at_once = {bet.name: bet.settle_table(seats, holds, played, view) for bet in game.for_table}
    of_table = any_pots(view, seats, holds)
    pool = pool_of(view, seats, holds, of_table)
    known = _Known(view, at_once, of_table is not None)
    for seat in seats:
        mine, plays_here, made = holds.get(seat.seat, _NO_HOLDS), played[seat.seat], bets[seat.seat]
        # Fast path: nothing is held, and every bet of a live hand plays.
        if not mine and seat.status == "live" and len(plays_here) == len(made):
            _add_live(lines, seat, made, known)
        else:
            _add_any(lines, seat, made, plays_here, mine, known)
            strange = (bet for bet in mine if bet not in game.bets)
            lines += (line_of_unknown(result, seat, bet, mine[bet], game.spec.returns) for bet in strange)
    lines += (*(of_table.lines if of_table is not None else ()), *(pool.lines if pool is not None else ()))
    paid = lines
    # Cut first: the commission is a percentage of the pay that remains.
    if terms.maximum is not None:
        paid = cut(lines, game, terms.maximum, terms.paytables, terms.unit_cents)
    if terms.commission.text:
        paid = terms.commission.taken_of(paid, game, terms.readings, terms.unit_cents)
    award = jackpot_award(view, seats, holds)
    paid = paid if game.seat_by_seat else in_order(paid, game.spec.order)
    # Envy and awards have no stake and come after all bets, whatever the settling order is.
    envies = (*(line for found in at_once.values() for line in found.envy), *award.lines)
    meters = [meter for found in at_once.values() for meter in found.meters]
    fees, forfeited = collected(paid, game), forfeited_cents(result, seats, paid)
    if game.spec.pot is None and pool is None:
        own = None
        if terms.rake is not None:  # else no bet that is a pot of its own lists it
            own = TablePots(pots=tuple(pot for found in at_once.values() for pot in found.pots))
        return _Collector(paid, envies, (*meters, *award.meters), own, into=fees + forfeited)
    books = _Collector(paid, envies, tuple(meters), of_table, pool, fees)
    return _with_pots(books, terms, forfeited, award.meters)


class _Known(Struct, gc=False):
    """Results for the whole table by bet, and whether its pots are settled."""

    view: View
    at_once: Mapping[str, TableResult]
    of_table: bool


def _add_live(lines: list[SettlementLine], seat: Seat, made: Mapping[str, AgreedBet], known: _Known) -> None:
    """Add the lines of the most common case: a live hand whose bets all play and break no rule."""
    view, number, wagers = known.view, seat.seat, seat.wagers
    terms = view.terms
    for of in made.values():
        if of.apart:
            lines += _table_lines(of, seat, None, known)
            continue
        cents = wagers[of.on]
        staked = Staked(of, number, cents, terms, cents if of.own else 0)
        line = _line_by_choice(staked, seat, view) if of.by_choice else of.line(staked, seat, view)
        if of.others and line is not None:
            line = named(line, of, seat, view, _line)
        if line is not None:
            lines.append(line)


def _add_any(
    lines: list[SettlementLine],
    seat: Seat,
    made: Mapping[str, AgreedBet],
    plays_here: Set[str],
    mine: Mapping[str, Hold],
    known: _Known,
) -> None:
    """Add the lines of a hand that folded or died, of bets that break a rule, and of bets that do not play."""
    for of in made.values():
        hold = mine.get(of.on) if mine else None
        if of.name not in plays_here:
            line = _by_record(of, seat, hold, known)
        elif of.apart:
            lines += _table_lines(of, seat, hold, known)
            continue
        else:
            line = _line(of, seat, hold, known.view)
            if of.others and line is not None and hold is None:
                line = named(line, of, seat, known.view, _line)
        if line is not None:
            lines.append(line)


def _by_record(of: AgreedBet, seat: Seat, hold: Hold | None, known: _Known) -> SettlementLine | None:
    """Return the line of a bet that does not play, from the round's record."""
    if of.bet.among_players and known.of_table and seat.status != "out":
        return None
    result, game = known.view.result, known.view.terms.game
    found = known.at_once.get(of.name)
    line = (found.lines.get(seat.seat) if found else None) or forfeited_line(result, seat, of.bet, game)
    if line is None and of.own:
        return line_by_record(result, seat, of.bet, hold, game.spec.returns)
    return line


def _table_lines(of: AgreedBet, seat: Seat, hold: Hold | None, known: _Known) -> Iterable[SettlementLine]:
    """Return the lines of a bet that was settled for the whole table, or that has several lines."""
    if of.bet.among_players and known.of_table and seat.status != "out":
        return ()
    if of.bet.of_table:
        return (known.at_once[of.name].lines[seat.seat],)
    if hold is None and not of.bet.among_players:
        return of.bet.lines(placed_bet(of, seat, known.view.terms), seat, known.view)
    line = _line(of, seat, hold, known.view)
    return () if line is None else (line,)


def _with_pots(books: _Collector, terms: Terms, forfeited: int, award: Iterable[MeterTotal]) -> _Collector:
    """Return the books with the money moved by pots, pool and jackpot award: their meters, and the amounts taken in."""
    pots, pool = books.pots or TablePots(), books.pool
    of_pool = (pool.meter,) if pool is not None and pool.meter is not None else ()
    moved = (*jackpot_meter(terms, books.pots), *pots.meters, *award, *of_pool)
    into = pots.jackpot + pots.rolled + (pool.into if pool is not None else 0) + forfeited - pots.forfeited
    meters = (*books.meters, *moved, *forfeit_meter(terms, forfeited, pots.forfeited))
    return _Collector(books.lines, books.envy, meters, books.pots, pool, books.into + into)


def collected(lines: Iterable[SettlementLine], game: Game) -> int:
    """Return the cents of collected fees that go to a jackpot."""
    fees = game.jackpot_fees
    return sum(line.stake for line in lines if line.bet in fees and line.result == "lose") if fees else 0


def _bets_by_seat(
    result: RoundResult, seats: Iterable[Seat], terms: Terms, dealt: _Dealt, waits: Holds
) -> tuple[dict[int, Mapping[str, AgreedBet]], dict[int, dict[str, Hold]], dict[int, Set[str]]]:
    """Return three maps by seat: its bets by name; its bets that are held; and the names of its bets that the cards
    decide.

    Only the bets that the round itself holds are held for a dead hand. `waits` adds bets that are not held for another
    reason.
    """
    plan, law = dealt
    folds, all_known = folds_in(plan), terms.game.known_bets.issuperset
    bets: dict[int, Mapping[str, AgreedBet]] = {}
    holds: dict[int, dict[str, Hold]] = {}
    played: dict[int, Set[str]] = {}
    complete = result.outcome == "complete"
    for seat in seats:
        number, status, (made, names, sound) = seat.seat, seat.status, terms.bets_of(seat, law)
        bets[number] = made
        chose_to_fold = complete and status == "live" and seat.decision in folds
        if status == "dead":
            held = held_at_table(result, seat)
        elif chose_to_fold or seat.held or seat.propositions or not sound:
            held = _broken(result, seat, terms, folds, law)
        else:
            held = {}
        if not all_known(seat.wagers):
            held = unknown_bets(seat, terms.game) | held
        if held:
            holds[number] = held
        if complete and status in _SHOWN and not seat.returned:
            played[number] = names
        else:
            played[number] = {name for name, of in made.items() if plays(result, seat, of.bet, terms.game)}
    over = over_limits(result, law) if law is not None and result.actions else ()
    for number, mine in (*over, *waits.items()):
        holds[number] = {**mine, **holds.get(number, {})}
    return bets, holds, played


def _broken(result: RoundResult, seat: Seat, terms: Terms, folds: Set[str], law: Law | None) -> dict[str, Hold]:
    """Return the bets of a seat that break a rule."""
    at_table = held_at_table(result, seat) if seat.held else None
    complete = result.outcome == "complete"
    held = broken_rules(seat, terms.game, law, terms.limit_cents, at_table, complete=complete)
    return in_doubt(seat, terms, held, folds, law) if complete else held


def _line(of: AgreedBet, seat: Seat, hold: Hold | None, view: View) -> SettlementLine | None:
    """Return the line of a bet that plays; a hand is ranked only when a bet needs it."""
    bet, cents, own = of.bet, seat.wagers[of.on], of.own
    if hold is not None:
        return held(bet, seat.seat, cents, hold) if own else _line_on_held_stake(of, seat, hold, view)
    if seat.status == "folded":
        fold, clause = fold_of(of, seat)
        if fold == "lose":
            return view.terms.lost(of, seat.seat, cents if own else 0, "folded", clause, None)
        if fold == "held":
            return held(bet, seat.seat, cents if own else 0, fold_left_open(bet, clause))
        if not own and fold == "absent":
            return None
        if of.folded_hand != of.hand:
            of = replace(of, hand=of.folded_hand)
    staked = Staked(of, seat.seat, cents, view.terms, cents if own else 0)
    if of.by_choice:
        return _line_by_choice(staked, seat, view)
    return of.line(staked, seat, view)


def _line_on_held_stake(of: AgreedBet, seat: Seat, hold: Hold, view: View) -> SettlementLine | None:
    """Return the line of a pay on the stake of a held bet: held too if the hand earns it, or may earn it."""
    if seat.status == "folded" and hold.fold is None:
        return None
    staked = Staked(of, seat.seat, seat.wagers[of.on], view.terms, 0)
    earned = _line_by_choice(staked, seat, view) if of.by_choice else of.line(staked, seat, view)
    return earned and held(of.bet, seat.seat, 0, hold)


def _line_by_choice(staked: Staked, seat: Seat, view: View) -> SettlementLine | None:
    """Return the line of a bet that its player's choice or setting may decide."""
    bet = staked.of.bet
    if bet.declared is not None and bet.declared.step not in seat.choices:
        return staked.ended(Outcome("lose", bet.declared.clause), "the hand was not declared") if not bet.on else None
    if view.terms.game.spec.sets and (ruled := by_the_set(staked, seat, view)) is not None:
        return ruled
    if bet.instead is not None and bet.instead.choice in (seat.decision, *seat.decisions, *seat.choices.values()):
        instead = view.terms.agreed(view.terms.game.instead[bet.name])
        return instead.bet.by_table(Staked(instead, staked.seat, staked.cents, staked.terms, staked.stake), seat, view)
    return staked.of.line(staked, seat, view)


def _build_settlement(
    result: RoundResult, terms: Terms, seats: Sequence[Seat], books: _Collector, why: str | None
) -> Settlement:
    """Compute the totals and build the settlement."""
    lines, why = _in_currency((*books.lines, *books.envy), why, result.currency)
    totals, players, held, from_meters = _sums(lines, seats)
    all_held = why is not None or (bool(held) and len(held) == len(lines))
    why = why or (f"seat {held[0].seat} {held[0].bet}: {held[0].why}" if held else _late_chips(seats))
    way, envied, into = terms.house_way, terms.game.progressive, books.into
    return Settlement(
        table=result.table,
        session=result.session,
        round=result.round,
        currency=result.currency,
        procedure=result.procedure,
        outcome=result.outcome,
        game=terms.game.ref,
        edition=terms.game.edition.ref if terms.game.edition is not None else None,
        readings=terms.readings,
        paytables=terms.paytables,
        signed=dict(terms.signed),
        rounding=terms.rounded,
        envy_base_cents=terms.agreed(envied).envy_base if envied is not None else USUAL_ENVY_BASE_CENTS,
        limit_cents=terms.limit_cents,
        maximum=terms.maximum,
        rake=terms.rake,
        commission_percent=terms.commission.text or None,
        house_way=way.id if way is not None else None,
        house_way_sha256=way.sha256 if way is not None else None,
        status="held" if all_held else "partly-held" if why else "settled",
        why=why,
        lines=lines,
        seats=totals,
        totals=Totals(players=players, house=from_meters - players - into, meters=into - from_meters),
        meters=books.meters,
        pots=books.pots.pots if books.pots else (),
        pool=books.pool.total if books.pool else None,
        unseen=books.unseen,
    )


def _in_currency(
    lines: tuple[SettlementLine, ...], why: str | None, currency: str
) -> tuple[tuple[SettlementLine, ...], str | None]:
    """Return the lines, and the reason of a hold, with amounts written in the round's currency."""
    if currency == DOLLAR:
        return lines, why
    return tuple(structs.replace(line, why=spelled(line.why, currency)) for line in lines), why and spelled(
        why, currency
    )


def _late_chips(seats: Sequence[Seat]) -> str | None:
    """Return the reason for chips placed when no bet was open: they are not a wager of the round, no line has them, and
    a supervisor decides."""
    for seat in seats:
        for bet in seat.held:
            if not seat.wagers.get(bet):
                return f"seat {seat.seat} {bet}: it is held and not a wager of the round"
    return None


def _sums(
    lines: Iterable[SettlementLine], seats: Iterable[Seat]
) -> tuple[tuple[SeatTotal, ...], int, list[SettlementLine], int]:
    """Return the totals of each seat that bet, the net of all players, the held lines, and the cents paid by meters."""
    held: list[SettlementLine] = []
    totals: list[SeatTotal] = []
    sums: dict[int, tuple[int, int, int, int, int]] = {}
    from_meters = players = 0
    number = staked = pay = back = waits = taken = 0
    for line in lines:
        if line.seat != number:  # lines of a seat are usually adjacent, so its sums stay in locals
            sums[number] = staked, pay, back, waits, taken
            number = line.seat
            staked, pay, back, waits, taken = sums.get(number, _NO_CENTS)
        stake = line.stake
        staked += stake
        # Fast path: most lines lose their whole stake.
        if line.net == -stake and line.result == "lose":
            continue
        if line.result == "held":
            waits += stake
            held.append(line)
        elif line.returned or line.pay:
            pay += line.pay
            back += line.returned
            taken += line.commission
            if line.meter:
                from_meters += line.pay - line.from_house
    sums[number] = staked, pay, back, waits, taken
    for seat in seats:
        if seat.wagers:
            staked, pay, back, waits, taken = sums.get(seat.seat, _NO_CENTS)
            # Held stakes still belong to the player, so they count as his.
            net = pay + back + waits - staked - taken
            players += net
            totals.append(SeatTotal(seat.seat, staked, pay, back, net, waits, taken))
    return tuple(totals), players, held, from_meters
