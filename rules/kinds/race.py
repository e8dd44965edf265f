"""Bets on a race of columns. The winner is recomputed from the cards, and nothing is settled if the round disagrees."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from dealer_flow.record.result import Drawn, Seat
from protocol.cards import Card, parse_card
from rules.bets.bet import RoundFacts, Staked, TabledBet
from rules.bets.bet_terms import RaceSpec
from rules.bets.hold import Hold
from rules.hands.five_card import five_card
from rules.paytables.conditions import SUITS, RaceEnd
from rules.settlement import SettlementLine


class RaceBet(TabledBet):
    """A bet paid by the rows of a race table named in `rows`: one printed table serves many bets."""

    kind: Literal["race"]
    on_race: ClassVar[bool] = True
    by_hand: ClassVar[bool] = False
    table_kind: ClassVar[str] = "race"

    def line(self, staked: Staked, seat: Seat, view: RoundFacts) -> SettlementLine:
        """Return the line by the result of the race, which is the same for every seat and computed once."""
        race = view.terms.game.spec.race
        assert race is not None, "the file was examined"
        if _END not in view.found:
            view.found[_END] = _ended(view.result.draw, race, view.terms.readings)
        end: RaceEnd | str = view.found[_END]
        if isinstance(end, str):
            return staked.held(Hold(end, self.clauses.win))
        if not end.suit and not end.extra and any(row.startswith("extra card") for row in self.rows):
            return staked.held(Hold("the extra card was not drawn", self.clauses.win))
        outcome = staked.of.by_row[end]
        assert outcome is not None, "it is a wager of its own"
        return staked.ended(outcome, _in_words(end, race))


_END = "how the race ended"


def _in_words(end: RaceEnd, race: RaceSpec) -> str:
    if end.suit:
        flush = "royal flush" if end.royal else "straight flush" if end.straight else "flush"
        return f"{flush} in {end.suit} after {end.cards} cards{', with the ace' if end.ace else ''}"
    none = f"no flush in {race.most} cards"
    return f"{none}, the extra card is of {end.extra}" if end.extra else none


def _ended(draw: Drawn | None, race: RaceSpec, readings: Mapping[str, str]) -> RaceEnd | str:
    """Return the result of the race from its cards; a phrase if it is unknown or differs from the round's record."""
    if draw is None or draw.finish is None:
        return "the race was not decided"
    cards = [parse_card(text) for text in draw.cards]
    unknown = next((number for number, card in enumerate(cards, 1) if not card.is_playing), None)
    if unknown is not None:
        return f"the face of card {unknown} is not known ({cards[unknown - 1]})"
    # Recomputed from the cards: a controller that misjudged the race must not decide money.
    end, used = _run(cards, race, readings)
    if end is None:
        return f"no suit won and {len(cards)} cards of {race.most} were drawn"
    reported = draw.finish
    stated = (reported.cards, reported.column, draw.extra is not None)
    if stated != (used, end.suit or end.extra or None, end.extra != "") or len(cards) != used:
        return (
            f"the round reports {reported.cards} cards and {reported.column or 'no column'}, its cards show {used} and "
            + (end.suit or end.extra or "none")
        )
    if draw.extra is not None and draw.extra != draw.cards[-1]:
        return f"the extra card is {draw.extra} in the round, and the last one drawn is {draw.cards[-1]}"
    return _misplaced(draw) or end


def _misplaced(draw: Drawn) -> str | None:
    """Return a phrase for a column that does not hold the cards of its suit in the order drawn, if the round lists
    columns."""
    columns: dict[str, list[str]] = {name: [] for name in SUITS.values()}
    for text in draw.cards:
        columns[SUITS[parse_card(text).suit or ""]].append(text)
    for name, cards in draw.columns.items() if any(draw.columns.values()) else ():
        if list(cards) != columns.get(name, []):
            return f"the column of {name} is {' '.join(cards) or 'empty'} in the round, and the cards drawn differ"
    return None


def _run(cards: list[Card], race: RaceSpec, readings: Mapping[str, str]) -> tuple[RaceEnd | None, int]:
    """Run the race again; return its result, None while it is open, and the number of cards it took, including the
    extra one."""
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
    """Return the result of a race that `suit` won with `cards` at `position`; the readings classify its flush."""
    name = five_card(cards) if len(set(cards)) == len(cards) == 5 else "flush"
    ranks = {card.rank for card in cards}
    ace = 1 in ranks and not (readings.get("ace-high") == "not-five-high" and ranks == {1, 2, 3, 4, 5})
    royal = name == "royal flush"
    straight = name == "straight flush" or (royal and readings.get("royal-as-straight") != "apart")
    return RaceEnd(position, suit, ace, straight, royal)
