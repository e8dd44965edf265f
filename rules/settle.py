"""A round and a game in, a settlement out: one explained line per bet, exact to the cent, never a guess."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from dealer_flow.record.catalogue import may_break_a_round
from dealer_flow.record.result import RoundResult, Seat
from protocol.cards import Card
from rules import bets
from rules.bets import Showdown
from rules.checks import Hold, broken_rules, held_at_table, known_cards, seen_twice, wrong_count
from rules.errors import SettlementRefused
from rules.game import Bet, Game
from rules.hands.longest_flush import Flush
from rules.progressive import Progressive
from rules.progressive import resolve as resolve_progressive
from rules.race import race_lines
from rules.settlement import GameRef, MeterTotal, Rounding, SeatTotal, Settlement, SettlementLine, Totals, make_line
from rules.terms import Meter, Terms, agree

_Hand = tuple[Flush | str, tuple[Card, ...]]

_NOTHING: Mapping[str, str] = {}
_NO_METERS: Mapping[str, Meter | int] = {}


@dataclass(frozen=True, slots=True)
class _Books:
    """What is written down while a round is settled."""

    lines: list[SettlementLine]
    envy: tuple[SettlementLine, ...] = ()
    meters: tuple[MeterTotal, ...] = ()


def settle(
    result: RoundResult,
    game: Game,
    *,
    paytables: Mapping[str, str] = _NOTHING,
    readings: Mapping[str, str] = _NOTHING,
    rounding: str = "down-to-token",
    token_cents: int = 25,
    envy_base_cents: int = 100,
    meters: Mapping[str, Meter | int] | None = None,
    limit_cents: int | None = None,
    accept_suspect: bool = False,
) -> Settlement:
    """Settle one round of `game`.

    `paytables` chooses a table by bet name, `readings` an option by reading; what is not chosen takes the game's
    default. `meters` gives each progressive meter as shown before the round, in cents. `limit_cents` is the most one
    bet may be at this table. `accept_suspect` settles by a print that cannot be meant, too. SettlementRefused when the
    request itself is wrong (another game's round, an unknown bet, table, reading); a wager or a card that breaks or
    leaves open a rule is held in its line, with the clause.
    """
    if result.procedure.id not in game.spec.procedures:
        raise SettlementRefused(f"round of procedure for {game.id}", result.procedure.id, game.spec.procedures)
    for seat in result.seats:
        for bet in seat.wagers:
            if bet not in game.bets:
                raise SettlementRefused(f"bet of seat {seat.seat}", bet, game.bets)
    terms = agree(
        game,
        paytables=paytables,
        readings=readings,
        rounding=rounding,
        token_cents=token_cents,
        envy_base_cents=envy_base_cents,
        meters=meters or _NO_METERS,
        limit_cents=limit_cents,
        accept_suspect=accept_suspect,
    )
    seats = sorted(result.seats, key=lambda seat: seat.seat, reverse=game.spec.order.seats == "descending")
    held = _nothing_settles(result, game)
    books = _hold_all(seats, game, held) if held else _OUTCOMES[result.outcome](result, seats, terms)
    return _close(result, terms, seats, books, held.why if held else None)


def _nothing_settles(result: RoundResult, game: Game) -> Hold | None:
    """Why no bet of this round can be settled at all."""
    if result.outcome == "unreliable":
        causes = [each for each in result.incidents if each.unreliable]
        causes += [each for each in result.incidents if may_break_a_round(each.code)]  # of a line without facts
        cause = next(iter([*causes, *result.incidents]), None)
        why = cause.text if cause else "what happened is not known for certain"
        return Hold(f"the round is unreliable: {why}", cause.clause if cause else "procedure")
    numbers = [seat.seat for seat in result.seats]
    if len(set(numbers)) != len(numbers):
        return Hold("a seat stands twice in the round", "procedure")
    one_deck = result.draw is None  # a shoe may hold several, and its bookkeeping knows how many
    if one_deck and result.outcome in ("complete", "progressive-only") and (twice := seen_twice(result)):
        return Hold(f"the deck is not what the round says: {twice}", game.spec.returns.defective_deck)
    return None


def _hold_all(seats: Sequence[Seat], game: Game, hold: Hold) -> _Books:
    return _Books(
        [bets.held(bet, seat.seat, seat.wagers[bet.name], hold) for seat in seats for bet in _made(seat, game)]
    )


def _made(seat: Seat, game: Game) -> list[Bet]:
    return [bet for bet in game.spec.bets if seat.wagers.get(bet.name)]


def _returned(result: RoundResult, seat: Seat, bet: Bet, why: str, clause: str) -> SettlementLine:
    """The bet comes back, unless the round says that it was settled before, or that the hand recovers nothing."""
    stake = seat.wagers[bet.name]
    if bet.name in seat.settled:
        settled = f"{why}: {bet.name} was settled before and stays as the table settled it"
        return bets.held(bet, seat.seat, stake, Hold(settled, clause))
    if foul := _fouled(result, seat, bet):
        return make_line(seat.seat, bet.name, stake, "lose", f"fouled hand: {bet.name} loses", foul)
    return make_line(seat.seat, bet.name, seat.wagers[bet.name], "returned", f"{why}: {bet.name} comes back", clause)


def _fouled(result: RoundResult, seat: Seat, bet: Bet) -> str | None:
    """The clause by which a hand that its player fouled does not recover this bet; None when it was not so."""
    if seat.status != "dead" or result.outcome != "complete" or bet.name in seat.returned:
        return None
    place = f"seat {seat.seat}"
    return next((each.clause for each in result.incidents if (each.code, each.place) == ("hand-fouled", place)), None)


def _all_back(result: RoundResult, seats: Sequence[Seat], terms: Terms, why: str, clause: str) -> _Books:
    return _Books([_returned(result, seat, bet, why, clause) for seat in seats for bet in _made(seat, terms.game)])


def _progressive_only(result: RoundResult, seats: Sequence[Seat], terms: Terms) -> _Books:
    """The misdeal gives every bet back but the progressive, which each live hand plays for."""
    game, lines = terms.game, list[SettlementLine]()
    returns = game.spec.returns
    holds = _broken(result, seats, terms)
    progressive = _progressive(result, seats, terms, holds, alone=True)
    for seat in seats:
        for bet in _made(seat, game):
            if seat.status == "out" and bet.name in seat.held:
                lines.append(bets.held(bet, seat.seat, seat.wagers[bet.name], holds[seat.seat][bet.name]))
            elif seat.status == "dead":
                lines.append(_returned(result, seat, bet, "dead hand", returns.dead_hand))
            elif bet.kind == "progressive":
                lines.append(progressive.lines[seat.seat])
            else:
                lines.append(_returned(result, seat, bet, "misdeal", returns.misdeal))
    return _Books(lines, progressive.envy, progressive.meters)


def _complete(result: RoundResult, seats: Sequence[Seat], terms: Terms) -> _Books:
    game, lines = terms.game, list[SettlementLine]()
    if game.spec.race is not None:
        return _Books([line for seat in seats for line in race_lines(seat, result, game.spec.race, terms)])
    holds = _broken(result, seats, terms)
    progressive = _progressive(result, seats, terms, holds, alone=False)
    community = known_cards(result.community, game.hand.community, "the community")
    dealer = _dealer(result, community, terms)
    for seat in seats:
        if seat.status == "dead":
            why, clause = "dead hand", game.spec.returns.dead_hand
            lines.extend(_returned(result, seat, bet, why, clause) for bet in _made(seat, game))
        elif seat.status == "out":
            lines.extend(_alone(seat, game, holds[seat.seat]))
        else:
            lines.extend(_played(seat, community, dealer, holds[seat.seat], progressive, terms))
    return _Books(lines, progressive.envy, progressive.meters)


def _alone(seat: Seat, game: Game, holds: Mapping[str, Hold]) -> Iterator[SettlementLine]:
    """A seat that got no cards has nothing to settle its bets by."""
    for bet in _made(seat, game):
        hold = holds.get(bet.name) or Hold(f"seat {seat.seat} was not dealt in", bet.clauses.win)
        yield bets.held(bet, seat.seat, seat.wagers[bet.name], hold)


def _played(
    seat: Seat,
    community: tuple[Card, ...] | str,
    dealer: Flush | str,
    holds: Mapping[str, Hold],
    progressive: Progressive,
    terms: Terms,
) -> Iterator[SettlementLine]:
    """Every bet of a seat that played or folded; its hand is ranked only when a bet needs it."""
    showdown: Showdown | None = None
    for bet in _made(seat, terms.game):
        stake, hold = seat.wagers[bet.name], holds.get(bet.name)
        if bet.kind == "progressive":
            yield progressive.lines[seat.seat]
        elif hold is not None:
            yield bets.held(bet, seat.seat, stake, hold)
        elif seat.status == "folded" and bet.fold == "lose":
            yield make_line(seat.seat, bet.name, stake, "lose", f"folded: {bet.name} loses", bet.clauses.fold)
        else:
            showdown = showdown or _showdown(seat, community, dealer, terms)
            yield bets.resolve(bet, stake, showdown, terms)


_OUTCOMES: Final[Mapping[str, Callable[[RoundResult, Sequence[Seat], Terms], _Books]]] = {
    "complete": _complete,
    "misdeal": lambda result, seats, terms: _all_back(result, seats, terms, "misdeal", terms.game.spec.returns.misdeal),
    "progressive-only": _progressive_only,
    "defective-deck": lambda result, seats, terms: _all_back(
        result, seats, terms, "defective deck", terms.game.spec.returns.defective_deck
    ),
}


def _broken(result: RoundResult, seats: Sequence[Seat], terms: Terms) -> dict[int, dict[str, Hold]]:
    """Seat -> its bets that break a rule. A dead hand's bets come back whatever they are."""
    return {
        seat.seat: broken_rules(seat, terms.game, terms.limit_cents, held_at_table(result, seat))
        for seat in seats
        if seat.status != "dead"
    }


def _progressive(
    result: RoundResult, seats: Sequence[Seat], terms: Terms, broken: Mapping[int, Mapping[str, Hold]], *, alone: bool
) -> Progressive:
    """The progressive bet, resolved for the whole table at once; without lines where the game has none."""
    bet = terms.game.progressive
    if bet is None:
        return Progressive()
    alive = [seat for seat in seats if seat.seat in broken and seat.status != "out" and seat.wagers.get(bet.name)]
    holds = {seat.seat: broken[seat.seat].get(bet.name) for seat in alive}
    return resolve_progressive(bet, alive, terms, holds, community=result.community, alone=alone)


def _hand(own: Sequence[str], whose: str, community: tuple[Card, ...] | str, terms: Terms) -> _Hand:
    """A place's cards with the community's, ranked; or what is not known of them."""
    cards = known_cards(own, terms.game.hand.own, whose)
    if isinstance(cards, str):
        return cards, ()
    if isinstance(community, str):
        return community, ()
    return terms.rank(cards + community, terms.readings), cards + community


def _dealer(result: RoundResult, community: tuple[Card, ...] | str, terms: Terms) -> Flush | str:
    if result.dealer is None:
        return "the dealer's hand was not seen"
    if wrong_count(result.dealer, terms.game.hand.own):
        return f"the dealer's hand was counted at {result.dealer.counted} cards"
    return _hand(result.dealer.cards, "the dealer", community, terms)[0]


def _showdown(seat: Seat, community: tuple[Card, ...] | str, dealer: Flush | str, terms: Terms) -> Showdown:
    if wrong_count(seat, terms.game.hand.own):
        why = f"seat {seat.seat} is {seat.status} with {seat.counted} cards counted"
        return Showdown(seat.seat, (), why, why)
    hand, cards = _hand(seat.cards, f"seat {seat.seat}", community, terms)
    return Showdown(seat.seat, cards, hand, bets.compare(hand, dealer))


def _close(result: RoundResult, terms: Terms, seats: Sequence[Seat], books: _Books, why: str | None) -> Settlement:
    """Add up and sign."""
    lines = (*books.lines, *books.envy)
    held = [line for line in lines if line.result == "held"]
    all_held = why is not None or (bool(held) and len(held) == len(lines))
    from_meters = sum(line.pay for line in lines if line.meter)
    players = sum(line.net for line in lines)
    return Settlement(
        table=result.table,
        session=result.session,
        round=result.round,
        procedure=result.procedure,
        outcome=result.outcome,
        game=GameRef(id=terms.game.id, sha256=terms.game.sha256),
        readings=terms.readings,
        paytables=terms.paytables,
        rounding=Rounding(name=terms.rounding, unit_cents=terms.unit_cents),
        envy_base_cents=terms.envy_base_cents,
        limit_cents=terms.limit_cents,
        status="held" if all_held else "partly-held" if held else "settled",
        why=why or (f"seat {held[0].seat} {held[0].bet}: {held[0].why}" if held else None),
        lines=lines,
        seats=tuple(_seat_total(seat.seat, lines) for seat in seats if seat.wagers),
        totals=Totals(players=players, house=from_meters - players, meters=-from_meters),
        meters=books.meters,
    )


def _seat_total(number: int, lines: Iterable[SettlementLine]) -> SeatTotal:
    mine = [line for line in lines if line.seat == number]
    return SeatTotal(
        seat=number,
        staked=sum(line.stake for line in mine),
        pay=sum(line.pay for line in mine),
        returned=sum(line.returned for line in mine),
        net=sum(line.net for line in mine),
        held=sum(line.stake for line in mine if line.result == "held"),
    )
