"""Bets on a race of columns: who won is worked out again from the cards, and nothing is settled where that differs."""

from collections.abc import Iterable, Iterator, Mapping

from dealer_flow.record.result import Drawn, RoundResult, Seat
from protocol.cards import Card, parse_card
from rules.facts.held import Hold, broken_rules, held_at_table
from rules.facts.line import Staked, held
from rules.facts.terms import Terms
from rules.facts.void import line_by_record
from rules.game.conditions import SUITS, RaceEnd
from rules.game.schema import Bet, RaceSpec
from rules.hands.five_card import five_card
from rules.settlement import SettlementLine


def race_lines(seats: Iterable[Seat], result: RoundResult, race: RaceSpec, terms: Terms) -> Iterator[SettlementLine]:
    """The lines of the seats, those of each in the order of the game file."""
    end = _ended(result.draw, race, terms.readings)
    for seat in seats:
        yield from _of_seat(seat, result, end, race, terms)


def _of_seat(
    seat: Seat, result: RoundResult, end: RaceEnd | str, race: RaceSpec, terms: Terms
) -> Iterator[SettlementLine]:
    broken = broken_rules(seat, terms.game, terms.limit_cents, held_at_table(result, seat))
    for bet in terms.game.bets.values():
        stake = seat.wagers.get(bet.name, 0)
        if not stake:
            continue
        hold = broken.get(bet.name)
        if seat.status == "out":
            hold = hold or Hold(f"seat {seat.seat} was not dealt in", bet.clauses.win)
        if bet.name in seat.returned or seat.status == "dead":
            yield line_by_record(result, seat, bet, hold, terms.game.spec.returns)
        elif isinstance(end, str):
            yield held(bet, seat.seat, stake, hold or Hold(end, bet.clauses.win))
        elif hold := hold or _undrawn(end, bet):
            yield held(bet, seat.seat, stake, hold)
        else:
            yield _settled(bet, stake, seat.seat, end, race, terms)


def _undrawn(end: RaceEnd, bet: Bet) -> Hold | None:
    """A bet on the extra card when none was drawn."""
    if not end.suit and not end.extra and any(row.startswith("extra card") for row in bet.rows):
        return Hold("the extra card was not drawn", bet.clauses.win)
    return None


def _settled(bet: Bet, stake: int, seat: int, end: RaceEnd, race: RaceSpec, terms: Terms) -> SettlementLine:
    staked, facts = Staked(terms.agreed(bet), seat, stake, terms, stake), _in_words(end, race)
    row = staked.row(end)
    if row is None:
        return staked.lose(facts, bet.clauses.lose, staked.paytable)
    return staked.won(facts, row, staked.paytable)


def _in_words(end: RaceEnd, race: RaceSpec) -> str:
    if end.suit:
        flush = "royal flush" if end.royal else "straight flush" if end.straight else "flush"
        return f"{flush} in {end.suit} after {end.cards} cards{', with the ace' if end.ace else ''}"
    none = f"no flush in {race.most} cards"
    return f"{none}, the extra card is of {end.extra}" if end.extra else none


def _ended(draw: Drawn | None, race: RaceSpec, readings: Mapping[str, str]) -> RaceEnd | str:
    """How the race ended, from its cards; a phrase when that is not known or not what the round says."""
    if draw is None or draw.finish is None:
        return "the race was not decided"
    cards = [parse_card(text) for text in draw.cards]
    unknown = next((number for number, card in enumerate(cards, 1) if not card.is_playing), None)
    if unknown is not None:
        return f"the face of card {unknown} is not known ({cards[unknown - 1]})"
    end, used = _run(cards, race, readings)
    if end is None:
        return f"no suit won and {len(cards)} cards of {race.most} were drawn"
    reported = draw.finish
    stated = (reported.cards, reported.column, draw.extra is not None)
    if stated != (used, end.suit or end.extra or None, end.extra != "") or len(cards) != used:
        return (
            f"the round tells of {reported.cards} cards and {reported.column or 'no column'}, its cards of {used} and "
            + (end.suit or end.extra or "none")
        )
    if draw.extra is not None and draw.extra != draw.cards[-1]:
        return f"the extra card is {draw.extra} in the round, and the last one drawn is {draw.cards[-1]}"
    return _misplaced(draw) or end


def _misplaced(draw: Drawn) -> str | None:
    """A column that does not hold the cards of its suit in the order they were drawn, where the round tells any."""
    columns: dict[str, list[str]] = {name: [] for name in SUITS.values()}
    for text in draw.cards:
        columns[SUITS[parse_card(text).suit or ""]].append(text)
    for name, cards in draw.columns.items() if any(draw.columns.values()) else ():
        if list(cards) != columns.get(name, []):
            return f"the column of {name} is {' '.join(cards) or 'empty'} in the round, its cards drawn are other ones"
    return None


def _run(cards: list[Card], race: RaceSpec, readings: Mapping[str, str]) -> tuple[RaceEnd | None, int]:
    """Run the race again: how it ended, None while it is open, and how many cards it took with the extra one."""
    columns: dict[str, list[Card]] = {name: [] for name in SUITS.values()}
    for position, card in enumerate(cards, 1):
        if position == race.most + 1:
            return RaceEnd(extra=SUITS[card.suit or ""]), position
        column = columns[SUITS[card.suit or ""]]
        column.append(card)
        if len(column) == race.column:
            return flush_end(position, SUITS[card.suit or ""], column, readings), position
    return (RaceEnd() if len(cards) == race.most else None), len(cards)


def flush_end(position: int, suit: str, cards: list[Card], readings: Mapping[str, str]) -> RaceEnd:
    """How a race ended that `suit` won with `cards` at `position`, as the readings take its flush."""
    name = five_card(cards) if len(set(cards)) == len(cards) == 5 else "flush"
    ranks = {card.rank for card in cards}
    ace = 1 in ranks and not (readings.get("ace-high") == "not-five-high" and ranks == {1, 2, 3, 4, 5})
    royal = name == "royal flush"
    straight = name == "straight flush" or (royal and readings.get("royal-as-straight") != "apart")
    return RaceEnd(position, suit, ace, straight, royal)
