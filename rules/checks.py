"""Facts of the table that break a rule: the bets they touch are held, with the clause; nobody's money is guessed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from dealer_flow.record.result import Hand, RoundResult, Seat
from protocol.cards import DECK, Card, parse_card
from rules.game import Bet, Game

_PLAYING: Final = frozenset(DECK)


@dataclass(frozen=True, slots=True)
class Hold:
    """Why a bet is not settled, and by which clause."""

    why: str
    clause: str


def dollars(cents: int) -> str:
    """`$5`, `$2.50`."""
    return f"${cents // 100:,}" + (f".{cents % 100:02d}" if cents % 100 else "")


def known_cards(texts: Iterable[str], wanted: int, whose: str) -> tuple[Card, ...] | str:
    """The `wanted` playing cards of a place, or a phrase that says what is missing."""
    cards = tuple(parse_card(text) for text in texts)
    if len(cards) != wanted:
        return f"{len(cards)} of {wanted} cards of {whose} were seen"
    if not _PLAYING.issuperset(cards):
        unread = " ".join(card.text for card in cards if not card.is_playing)
        return f"the faces of {whose} are not all known ({unread})"
    return cards


def wrong_count(hand: Hand | Seat, wanted: int) -> bool:
    """True when the round is told as valid though this hand was counted at another number of cards."""
    return hand.counted is not None and hand.counted != wanted


def seen_twice(result: RoundResult) -> str | None:
    """A face that stands in two places at once, as a phrase."""
    seen: set[str] = set()
    hands = [result.community, result.burned, *(seat.cards for seat in result.seats)]
    if result.dealer is not None:
        hands.append(result.dealer.cards)
    for hand in hands:
        for text in hand:
            if text in seen and parse_card(text).is_face:
                return f"{text} stands in two places"
            seen.add(text)
    return None


def held_at_table(result: RoundResult, seat: Seat) -> dict[str, Hold]:
    """The bets that the round itself holds, in the words of the incident that found it."""
    holds = {bet: Hold(f"{bet} is held", clause) for bet, clause in seat.held.items()}
    for found in reversed(result.incidents):  # the first to speak of a bet has the last word
        for bet in (found.bet, *found.bets) if found.seat == seat.seat else ():
            if bet in holds and found.code in _HOLDS and found.clause == holds[bet].clause:
                holds[bet] = Hold(found.text, found.clause)
    return holds


_HOLDS: Final = frozenset({"wager-held", "side-bet-alone", "decision-bet-differs"})
"""Incidents by which a bet is held."""


def broken_rules(
    seat: Seat, game: Game, limit_cents: int | None = None, at_table: Mapping[str, Hold] | None = None
) -> dict[str, Hold]:
    """Bet -> why it is held. A bet that breaks a rule holds every bet that is valid only together with it; of those
    held `at_table` already, each is held alone.

    `limit_cents` is the most one bet may be at this table; None leaves it to the game.
    """
    holds: dict[str, Hold] = dict(at_table or {})
    if (too_many := _too_many_games(seat, game)) is not None:
        return {bet.name: holds.get(bet.name, too_many) for bet in game.spec.bets}
    for bet in game.spec.bets:
        if bet.name in (at_table or ()):
            continue
        hold = _over_limit(seat, bet, game, limit_cents) or _fault(seat, bet)
        if hold is not None:
            for name in game.tied[bet.name]:
                holds.setdefault(name, hold)
    return holds


def _too_many_games(seat: Seat, game: Game) -> Hold | None:
    games = game.spec.limit.games if game.spec.limit else None
    played = dict.fromkeys(bet.counts_as for bet in game.spec.bets if seat.wagers.get(bet.name))
    if games is None or len(played) <= games.most:
        return None
    return Hold(f"bets in {len(played)} games ({', '.join(played)}), at most {games.most} are allowed", games.clause)


def _over_limit(seat: Seat, bet: Bet, game: Game, limit_cents: int | None) -> Hold | None:
    stake, limit = seat.wagers.get(bet.name, 0), game.spec.limit
    most = limit_cents or (limit.each_bet_cents if limit else None)
    if most is None or stake <= most:
        return None
    clause = limit.clause if limit else "house limit"
    return Hold(f"{bet.name} of {dollars(stake)} is over the limit of {dollars(most)}", clause)


def _fault(seat: Seat, bet: Bet) -> Hold | None:
    wagers, stake = seat.wagers, seat.wagers.get(bet.name, 0)
    folded_away = seat.status == "folded" and bet.fold == "absent"
    if folded_away and stake:
        return Hold(f"{bet.name} of {dollars(stake)} on a hand that folded", bet.clauses.fold)
    equals = bet.equals
    if equals is not None and not folded_away:
        other = wagers.get(equals.bet, 0)
        if stake != other * equals.times:
            times = "" if equals.times == 1 else f"{equals.times} times "
            why = f"{bet.name} of {dollars(stake)} is not equal to {times}the {equals.bet} of {dollars(other)}"
            return Hold(why, equals.clause)
    beside = bet.beside
    if beside is not None and stake and not wagers.get(beside.bet, 0):
        return Hold(f"{bet.name} of {dollars(stake)} without a bet on {beside.bet}", beside.clause)
    return None
