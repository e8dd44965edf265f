"""A round and a game in, a settlement out: one explained line per bet, exact to the cent, never a guess."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from dealer_flow.record.catalogue import may_break_a_round
from dealer_flow.record.result import RoundResult, Seat
from protocol.cards import Card
from protocol.places import COMMUNITY, DEALER
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
from rules.stages import at_stage, lay_there
from rules.terms import Meter, Terms, agree
from rules.void import line_by_record, plays

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
    books = _hold_all(seats, game, held) if held else _lines(result, seats, terms)
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


def _lines(result: RoundResult, seats: Sequence[Seat], terms: Terms) -> _Books:
    """Every bet of the table: by its cards where it plays, else as the round says."""
    game, lines = terms.game, list[SettlementLine]()
    if game.spec.race is not None and result.outcome == "complete":
        return _Books([line for seat in seats for line in race_lines(seat, result, game.spec.race, terms)])
    holds = _broken(result, seats, terms)
    played = {seat.seat: [bet for bet in _made(seat, game) if plays(result, seat, bet)] for seat in seats}
    progressive = _progressive(result, seats, terms, holds, played)
    table = _Table(result, progressive, terms)
    for seat in seats:
        held = holds.get(seat.seat, {})
        for bet in _made(seat, game):
            if bet in played[seat.seat]:
                lines.append(table.line(seat, bet, held.get(bet.name)))
            else:
                lines.append(line_by_record(result, seat, bet, held.get(bet.name), game.spec.returns))
    return _Books(lines, progressive.envy, progressive.meters)


def _broken(result: RoundResult, seats: Sequence[Seat], terms: Terms) -> dict[int, dict[str, Hold]]:
    """Seat -> its bets that break a rule. What a dead hand's bets are does not matter."""
    return {
        seat.seat: broken_rules(seat, terms.game, terms.limit_cents, held_at_table(result, seat))
        for seat in seats
        if seat.status != "dead"
    }


def _progressive(
    result: RoundResult,
    seats: Sequence[Seat],
    terms: Terms,
    broken: Mapping[int, Mapping[str, Hold]],
    played: Mapping[int, Sequence[Bet]],
) -> Progressive:
    """The progressive bet, resolved for the whole table at once; without lines where the game has none."""
    bet = terms.game.progressive
    alive = [at_stage(result, seat, bet) for seat in seats if bet in played[seat.seat]] if bet is not None else []
    if bet is None or (not alive and result.outcome in ("misdeal", "defective-deck")):
        return Progressive()
    holds = {seat.seat: broken.get(seat.seat, {}).get(bet.name) for seat in alive}
    alone, community = result.outcome == "progressive-only", lay_there(result, COMMUNITY, bet, result.community)
    return resolve_progressive(bet, alive, terms, holds, community=community, alone=alone)


@dataclass(slots=True)
class _Table:
    """The cards of a round, and what they decide."""

    result: RoundResult
    progressive: Progressive
    terms: Terms
    _showdowns: dict[tuple[object, ...], Showdown] = field(default_factory=dict)

    def line(self, seat: Seat, bet: Bet, hold: Hold | None) -> SettlementLine:
        """The line of a bet that plays; a hand is ranked only when a bet needs it."""
        stake = seat.wagers[bet.name]
        if bet.kind == "progressive":
            return self.progressive.lines[seat.seat]
        if hold is not None:
            return bets.held(bet, seat.seat, stake, hold)
        if seat.status == "folded" and bet.fold == "lose":
            return make_line(seat.seat, bet.name, stake, "lose", f"folded: {bet.name} loses", bet.clauses.fold)
        key = (seat.seat, *sorted(bet.stage.items()))
        if key not in self._showdowns:
            self._showdowns[key] = self._showdown(at_stage(self.result, seat, bet), bet)
        return bets.resolve(bet, stake, self._showdowns[key], self.terms)

    def _showdown(self, seat: Seat, bet: Bet) -> Showdown:
        hand = self.terms.game.hand
        texts = lay_there(self.result, COMMUNITY, bet, self.result.community)
        community = known_cards(texts, hand.community, "the community")
        if wrong_count(seat, hand.own):
            why = f"seat {seat.seat} is {seat.status} with {seat.counted} cards counted"
            return Showdown(seat.seat, (), why, why)
        player, cards = self._hand(seat.cards, f"seat {seat.seat}", community)
        return Showdown(seat.seat, cards, player, bets.compare(player, self._dealer(bet, community)))

    def _dealer(self, bet: Bet, community: tuple[Card, ...] | str) -> Flush | str:
        dealer = self.result.dealer
        if dealer is None:
            return "the dealer's hand was not seen"
        if wrong_count(dealer, self.terms.game.hand.own):
            return f"the dealer's hand was counted at {dealer.counted} cards"
        return self._hand(lay_there(self.result, DEALER, bet, dealer.cards), "the dealer", community)[0]

    def _hand(self, own: Sequence[str], whose: str, community: tuple[Card, ...] | str) -> _Hand:
        """A place's cards with the community's, ranked; or what is not known of them."""
        cards = known_cards(own, self.terms.game.hand.own, whose)
        if isinstance(cards, str):
            return cards, ()
        if isinstance(community, str):
            return community, ()
        return self.terms.rank(cards + community, self.terms.readings), cards + community


def _close(result: RoundResult, terms: Terms, seats: Sequence[Seat], books: _Books, why: str | None) -> Settlement:
    """Add up and sign."""
    lines = (*books.lines, *books.envy)
    held = [line for line in lines if line.result == "held"]
    all_held = why is not None or (bool(held) and len(held) == len(lines))
    why = why or (f"seat {held[0].seat} {held[0].bet}: {held[0].why}" if held else _laid_late(seats))
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
        status="held" if all_held else "partly-held" if why else "settled",
        why=why,
        lines=lines,
        seats=tuple(_seat_total(seat.seat, lines) for seat in seats if seat.wagers),
        totals=Totals(players=players, house=from_meters - players, meters=-from_meters),
        meters=books.meters,
    )


def _laid_late(seats: Sequence[Seat]) -> str | None:
    """Chips laid down when no bet could be are no wager of the round: no line has them, a person sees about them."""
    late = ((seat.seat, bet) for seat in seats for bet in seat.held if not seat.wagers.get(bet))
    return next((f"seat {seat} {bet}: it is held and no wager of the round" for seat, bet in late), None)


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
