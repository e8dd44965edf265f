"""Emperor's Challenge, 47.1-1017.49: two and five of seven cards; a joker as in pai gow."""

import random
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations

from tests.oracle import hands
from tests.oracle.deal import Layout, Player, Round
from tests.oracle.games import pai_gow
from tests.oracle.hands import Unseen
from tests.oracle.settling import HELD, LOSE, PUSH, Deal, Line, Lines, Seat, Settle, Table, may_bring, printed, push

_STRAIGHTS = (hands.STRAIGHT, hands.STRAIGHT_FLUSH)


@lru_cache(maxsize=400_000)
def ranked(cards: tuple[str, ...]) -> hands.Rank:
    """Rank five cards, one of them perhaps the joker; ace to five is the second highest straight, (35)(o)."""
    plain = tuple(card for card in cards if card[0] != "X")
    if len(plain) == len(cards):
        return _placed(hands.five(cards))
    suits = {card[1] for card in plain}
    stands = [rank + "*" for rank in hands.RANKS]
    stands += [card for card in hands.DECK if suits == {card[1]} and card not in plain]
    made = [(card, hands.five((*plain, card))) for card in stands]
    complete = (*_STRAIGHTS, hands.FLUSH)
    return max(_placed(rank) for card, rank in made if card == "A*" or rank[0] in complete)


def _placed(rank: hands.Rank) -> hands.Rank:
    if rank[0] not in _STRAIGHTS:
        return rank
    return rank[0], {14: 15, 5: 14}.get(rank[1], rank[1])


def rank_of(card: str) -> int:
    """Return the rank of a card, the joker as an ace."""
    return 14 if card[0] == "X" else hands.value(card)


def is_run(rank: hands.Rank) -> bool:
    """Return True if five cards are a hand of (35)(g)."""
    return rank[0] in (hands.STRAIGHT, hands.FLUSH, hands.STRAIGHT_FLUSH)


def house_way(cards: Sequence[str]) -> tuple[str, ...]:
    """Return the two cards in front by (35).

    If the joker is one of several aces: by (e) two natural ones stay as a pair in back; by (k)(iv) the ones in back
    make it higher.
    """
    held = sorted(hands.known(cards), key=rank_of, reverse=True)
    of: dict[int, list[str]] = {}
    for card in held:
        of.setdefault(rank_of(card), []).append(card)
    single, pairs, trips, quads, fives = ([rank for rank in of if len(of[rank]) == count] for count in range(1, 6))

    def pair(rank: int) -> tuple[str, ...]:
        return tuple(of[rank][:2])

    def highest_singles() -> tuple[str, ...]:
        return tuple(of[rank][0] for rank in single[:2])

    if fives:
        return pair(13) if pairs == [13] else pair(14)
    if quads:
        if trips or pairs:
            return pair((trips or pairs)[0])
        kept = 2 <= quads[0] <= 6 or (quads[0] <= 10 and single[0] >= 13) or (quads[0] <= 13 and single[0] == 14)
        return highest_singles() if kept else max(combinations(of[quads[0]], 2), key=lambda front: _back(held, front))
    if len(trips) == 2:
        return pair(trips[0])
    if trips and pairs:
        return highest_singles() if pairs == [2] and single[:2] == [14, 13] else pair(pairs[0])
    if len(pairs) == 3:
        return pair(pairs[0])
    if len(pairs) == 2:
        return highest_singles() if _both_in_back(pairs, single) else pair(pairs[1])
    ways = [front for front in combinations(held, 2) if is_run(_back(held, front))]
    paired = [front for front in ways if rank_of(front[0]) == rank_of(front[1])]
    if paired or trips:  # (g)(vi) knows no other way: three aces of which the joker completes a run are set by (e)
        ways = paired
    if ways:
        return max(ways, key=lambda front: (pai_gow.two(front), _back(held, front)))
    if trips == [14]:
        return min(of[14], key=lambda card: card[0] != "X"), of[single[0]][0]
    if trips or pairs:
        return highest_singles()
    return tuple(held[1:3])


def _back(held: Sequence[str], front: Sequence[str]) -> hands.Rank:
    return ranked(tuple(sorted(card for card in held if card not in front)))


def _both_in_back(pairs: list[int], single: list[int]) -> bool:
    """Apply (35)(c); low pairs are up to six, medium ones up to ten, high ones up to kings."""
    high, low = pairs
    if high == 14 or (high >= 11 and low >= 7):
        return False
    if high <= 10 and low <= 6:
        return single[0] >= 13
    return single[0] == 14


def play(player: Player) -> None:
    """Play the primary wager in steps of five dollars, (31); the insurance is on one hand, (19)."""
    player.bet("primary", 500 * player.rng.randint(1, 20))
    player.bet("emperors-treasure", chance=0.7)
    player.bet(player.rng.choice(("insurance-player", "insurance-dealer")), chance=0.7)
    player.tips("primary", "emperors-treasure", "insurance-player", "insurance-dealer")
    player.split = pai_gow.set_hand(player.rng, player.cards, "player")


def finish(data: Round, rng: random.Random) -> None:
    cards = data["dealer"]["cards"]
    data["dealer"]["split"] = pai_gow.set_hand(rng, cards, "dealer", foul=0.2)
    if data["dealer"]["split"]["low"] and rng.random() < 0.95:
        low = house_way(cards)
        data["dealer"]["split"] |= {"low": list(low), "rest": [card for card in cards if card not in low]}


LAYOUT = Layout("emperors-challenge.co", own=7, dealer=7, jokers=1, seats=6, play=play, finish=finish)

_ROWS = (
    *("seven straight flush", "royal and match", "seven straight flush with joker", "five aces", "royal flush"),
    *("straight flush", "four of a kind", "full house", "flush", "three of a kind", "straight", "three pair"),
)
_LAST = (5, 4, 3, 2)
_TREASURE: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "ECT-A": ((5000, 1000, 750, 250, 100, 50, 20), (1000, 250, 100, 50, 25, 10, 5)),
    "ECT-B": ((8000, 2000, 1000, 400, 150, 50, 25), (5000, 1000, 500, 250, 50, 20, 5)),
    "ECT-C": ((5000, 2000, 1000, 400, 150, 50, 25), (3000, 1000, 500, 250, 50, 20, 5)),
    "ECT-D": ((2500, 1000, 750, 250, 125, 50, 25), (1000, 750, 250, 100, 50, 20, 5)),
    "ECT-E": ((5000, 2000, 2000, 400, 150, 50, 25), (2500, 500, 250, 150, 55, 25, 6)),
    "ECT-F": ((5000, 1000, 500, 300, 110, 45, 25), (2500, 500, 250, 150, 55, 25, 6)),
    "ECT-G": ((5000, 2000, 1000, 400, 150, 50, 25), (5000, 1000, 500, 250, 50, 220, 5)),
}
_HIGH = ("nine high", "ten high", "jack high", "queen high", "king high", "ace high")
TABLES: Mapping[str, Mapping[str, Table]] = {  # Appendix A
    "emperors-treasure": {
        name: printed(_ROWS, *pays, *_LAST, *([PUSH] if name == "ECT-A" else []))
        for name, (pays, _) in _TREASURE.items()
    },
    "insurance-player": {
        "ECI-J": printed(_HIGH, 400, 40, 20, 5, 3, 2),
        "ECI-K": printed(_HIGH, 250, 75, 25, 5, 3, 2),
        "ECI-L": printed(_HIGH, 100, 50, 25, 10, 5, 1),
        "ECI-M": printed(_HIGH, 100, 25, 15, 6, 5, 3),
        "ECI-N": printed(_HIGH, 100, 25, 15, 7, 5, 3),
    },
}
COMMISSION = (("primary",), ("0", "5"))  # (2), (38)


def all_seven(cards: Sequence[str]) -> bool:
    """Return True if the seven cards are a straight flush, with the joker as any card of it."""
    plain = [card for card in cards if card[0] != "X"]
    if len({card[1] for card in plain}) > 1:
        return False
    values = [hands.value(card) for card in plain]
    stands: list[list[int]] = [[]] if len(plain) == len(cards) else [[rank] for rank in range(2, 15)]
    return any(hands.run_top([*values, *each]) for each in stands)


def treasure(cards: Sequence[str]) -> str:
    """Return the best row of the seven cards, (17), (18); a straight is the lowest listed."""
    seven = tuple(sorted(hands.known(cards)))
    if all_seven(seven):
        return _ROWS[2] if hands.jokers(seven) else _ROWS[0]
    fives = {each: ranked(each) for each in combinations(seven, 5)}
    royals = [each for each, rank in fives.items() if rank == (hands.STRAIGHT_FLUSH, 15)]
    for royal in royals:
        left = [card for card in seven if card not in royal]
        if {card[0] for card in left} == {"A", "K"} and left[0][1] == left[1][1]:
            return _ROWS[1]
    names = {hands.NAMES[rank[0]] for rank in fives.values()} | ({"royal flush"} if royals else set())
    shape, _ = hands.grouped([rank_of(card) for card in seven])
    names |= {"three pair"} if shape[:3] == (2, 2, 2) else set()
    return next((name for name in _ROWS if name in names), "")


def insured(cards: Sequence[str]) -> str:
    """Return the row of the insurance: seven cards without a pair, a straight or a flush, (19)."""
    seven = tuple(sorted(hands.known(cards)))
    if max(ranked(each) for each in combinations(seven, 5)) >= (hands.PAIR,):
        return ""
    return _HIGH[max(rank_of(card) for card in seven) - 9]


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    """(10), (27): two higher parts win, one is a push; the dealer wins ties. (11): his hand is set the house way.

    The insurance on either hand is paid by the one table that is posted, (19).
    """

    def primary(stake: int) -> Line:
        mine = pai_gow.parts(seat.data, ranked)
        if pai_gow.is_foul(mine):
            return LOSE
        dealers = pai_gow.parts(deal.data["dealer"], ranked)
        front = house_way(deal.dealer)
        if dealers != (pai_gow.two(front), _back(deal.dealer, front)):
            raise Unseen
        higher = sum(own > other for own, other in zip(mine, dealers, strict=True))
        return (LOSE, push(stake), deal.win(stake))[higher]

    return {
        "primary": primary,
        "emperors-treasure": lambda stake: deal.pay("emperors-treasure", treasure(seat.cards), stake),
        "insurance-player": lambda stake: deal.pay("insurance-player", insured(seat.cards), stake),
        "insurance-dealer": lambda stake: deal.pay("insurance-player", insured(deal.dealer), stake),
    }


def pots(deal: Deal, lines: Lines, void: set[tuple[int, str]]) -> None:
    """Envy, (18): for bettors of five dollars on the treasure, by the hands of other bettors on it."""
    amounts = dict(zip(_ROWS, _TREASURE[deal.terms.tables.get("emperors-treasure", "ECT-A")][1], strict=False))
    hits, doubtful = {}, set()
    for seat in deal.seats:
        if seat.dead or "emperors-treasure" not in seat.wagers:
            continue
        try:
            hits[seat.number] = amounts.get(treasure(seat.cards), 0)
            if hits[seat.number] and lines.get((seat.number, "emperors-treasure")) == HELD:
                doubtful.add(seat.number)  # whether he placed the bet is in doubt
        except Unseen:
            if may_bring(seat, deal, amounts, treasure):
                doubtful.add(seat.number)
    for seat in deal.seats:
        key = (seat.number, "emperors-treasure")
        line = lines.get(key, LOSE) if key in void else None
        if seat.wagers.get("emperors-treasure", 0) < 500 or line not in (None, HELD):
            continue
        dollars = sum(amount for number, amount in hits.items() if number not in (seat.number, *doubtful))
        open_ = bool(doubtful - {seat.number})
        if dollars or open_:
            lines[seat.number, "envy"] = line or ("held" if open_ else "win", dollars * 100, 0)
