"""Facts of the table that break a rule: the bets they touch are held, with the clause; nobody's money is guessed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Final

from dealer_flow.english import dollars
from dealer_flow.record.result import RoundResult, Seat
from protocol.cards import DECK, UNREAD, Card, parse_card
from rules.bets.bet import Bet
from rules.bets.bet_terms import Equals
from rules.bets.hold import Hold
from rules.game.hand_spec import Cards
from rules.game.load import Game
from rules.kinds.to_pot import ToPotBet

_PLAYING: Final = frozenset(DECK)
_UNREAD: Final = UNREAD.text
FACES: Final = {card.text: card for card in DECK}
"""The 52 cards by their text."""


def faces(texts: Sequence[str]) -> tuple[Card, ...]:
    """The playing cards that these texts are; KeyError where one is none. `map` takes three times as long."""
    return itemgetter(*texts)(FACES) if len(texts) > 1 else tuple(map(FACES.__getitem__, texts))


def known_cards(texts: Sequence[str], wanted: Cards, whose: str, *, jokers: bool = False) -> tuple[Card, ...] | str:
    """The `wanted` playing cards of a place, or a phrase that says what is missing; `jokers` where one may be there."""
    try:
        cards = faces(texts)
        if len(cards) == wanted:
            return cards
    except KeyError:  # a joker, or a card that was not read
        cards = tuple(parse_card(text) for text in texts)
    least, most = (wanted, wanted) if isinstance(wanted, int) else wanted
    if not least <= len(cards) <= most:
        number = str(most) if least == most else f"{least} to {most}"
        return f"{len(cards)} of {number} cards of {whose} were seen"
    if not (_PLAYING.issuperset(cards) or (jokers and all(card.is_face for card in cards))):
        unread = " ".join(card.text for card in cards if not (card.is_playing or (jokers and card.is_face)))
        return f"the faces of {whose} are not all known ({unread})"
    return cards


def seen_too_often(result: RoundResult, decks: int, *, laid_aside: bool = False) -> str | None:
    """A face that stands in more places at once than the decks hold of it, as a phrase. `laid_aside`: what was laid
    away may lie with its hand."""
    lying = [*result.community, *result.burned]
    for hand in (*result.seats, result.dealer, *result.hands):
        if hand is not None:
            lying += hand.cards
            if hand.discards:
                lying += (Counter(hand.discards) - Counter(hand.cards)).elements() if laid_aside else hand.discards
    more = len(lying) - len(set(lying))
    if more == max(result.burned.count(_UNREAD) - 1, 0) or more == lying.count(_UNREAD) - 1:
        return None  # mostly burned cards alone are unread
    seen = Counter(lying)
    found = next((text for text, times in seen.items() if times > decks and parse_card(text).is_face), None)
    return f"{found} stands in {'two' if decks == 1 else decks + 1} places" if found else None


def held_at_table(result: RoundResult, seat: Seat) -> dict[str, Hold]:
    """The bets that the round itself holds, in the words of the incident that found it."""
    if not seat.held:
        return {}
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
    if not at_table and all_right(seat, game, limit_cents):
        return {}
    holds: dict[str, Hold] = dict(at_table or {})
    if (too_many := _too_many_games(seat, game)) is not None:
        return {bet.name: holds.get(bet.name, too_many) for bet in game.bets.values()}
    for bet in game.bets.values():
        if bet.name in (at_table or ()):
            continue
        hold = _over_limit(seat, bet, game, limit_cents) or _fault(seat, bet)
        if hold is not None:
            for name in game.tied[bet.name]:
                holds.setdefault(name, hold)
    for bet in game.bets.values():
        if bet.tip_for in holds:
            holds.setdefault(bet.name, holds[bet.tip_for])
    return holds


def all_right(seat: Seat, game: Game, limit_cents: int | None) -> bool:
    """True when no rule can be broken, as most of the time: found without looking at each bet for a reason."""
    wagers, limit = seat.wagers, game.spec.limit
    most = limit_cents or (limit.each_bet_cents if limit else None)
    if (most is not None and wagers and max(wagers.values()) > most) or (limit is not None and limit.games is not None):
        return False
    rules, folded = game.rules, seat.status == "folded"
    for bet, other, times, third in rules.equal_folded if folded else rules.equal:
        if wagers.get(bet, 0) != wagers.get(other, 0) * times or (third and wagers.get(third)):
            return False
    for bet, other in rules.beside:
        if wagers.get(bet) and not wagers.get(other):
            return False
    return not folded or not any(map(wagers.get, rules.absent))


def _too_many_games(seat: Seat, game: Game) -> Hold | None:
    games = game.spec.limit.games if game.spec.limit else None
    played = dict.fromkeys(bet.counts_as for bet in game.bets.values() if seat.wagers.get(bet.name))
    if games is None or len(played) <= games.most:
        return None
    return Hold(f"bets in {len(played)} games ({', '.join(played)}), at most {games.most} are allowed", games.clause)


def _over_limit(seat: Seat, bet: Bet, game: Game, limit_cents: int | None) -> Hold | None:
    stake, limit = seat.wagers.get(bet.name, 0), game.spec.limit
    if isinstance(bet, ToPotBet) and bet.raised:
        return None  # the limit is on each bet and each raise, not on all that a betting round comes to
    most = limit_cents or (limit.each_bet_cents if limit else None)
    if most is None or stake <= most:
        return None
    clause = limit.clause if limit else "house limit"
    return Hold(f"{bet.name} of {dollars(stake)} is over the limit of {dollars(most)}", clause)


def _fault(seat: Seat, bet: Bet) -> Hold | None:
    wagers, stake = seat.wagers, seat.wagers.get(bet.name, 0)
    folded_away = seat.status == "folded" and bet.fold == "absent"
    if folded_away and stake:
        return Hold(f"{bet.name} of {dollars(stake)} on a hand that folded", bet.clauses.fold, fold_in_doubt=True)
    if bet.equals is not None and not folded_away and (wrong := _unequal(wagers, bet.name, bet.equals)):
        return Hold(wrong, bet.equals.clause, fold_in_doubt=bet.fold == "absent" and not stake)
    beside = bet.beside
    if beside is not None and stake and not wagers.get(beside.bet, 0):
        return Hold(f"{bet.name} of {dollars(stake)} without a bet on {beside.bet}", beside.clause)
    return None


def _unequal(wagers: Mapping[str, int], name: str, equals: Equals) -> str:
    """How a bet differs from what another asks of it; empty where it does not."""
    stake, other = wagers.get(name, 0), wagers.get(equals.bet, 0)
    together = stake + wagers.get(equals.with_, 0)
    most = equals.raised.up_to if equals.raised else equals.times
    if other * equals.times <= together <= other * most or (equals.optional and not stake):
        return ""
    of = f"the {equals.bet} of {dollars(other)}"
    if most != equals.times:
        return f"{name} of {dollars(stake)} is not {equals.times} to {most} times {of}"
    times = "" if equals.times == 1 else f"{equals.times} times "
    return f"{name} of {dollars(stake)} is not equal to {times}{of}"
