"""Fortune Pai Gow Poker, 47.1-1017.50, with a joker that is an ace or completes a straight or a flush."""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import combinations

from tests.oracle import hands
from tests.oracle.deal import Layout, Player
from tests.oracle.games import pai_gow
from tests.oracle.hands import Unseen
from tests.oracle.settling import (
    HELD,
    LOSE,
    PUSH,
    Deal,
    For,
    Line,
    Lines,
    Progressive,
    Seat,
    Settle,
    Share,
    Table,
    may_bring,
    printed,
)

_ORDER = (
    *(hands.HIGH, hands.PAIR, hands.TWO_PAIR, hands.STRAIGHT, hands.TRIPS, hands.FLUSH, hands.FULL_HOUSE),
    *(hands.QUADS, hands.STRAIGHT_FLUSH, hands.FIVE_KIND, hands.FIVE_ACES),
)


@lru_cache(maxsize=400_000)
def ranked(cards: tuple[str, ...]) -> hands.Rank:
    """Rank a set hand in the order that (1) prints, with three of a kind above a straight."""
    plain = tuple(card for card in cards if card[0] != "X")
    if len(plain) == len(cards):
        return _placed(hands.five(cards))
    suits = {card[1] for card in plain}
    stands = [rank + "*" for rank in hands.RANKS]
    stands += [card for card in hands.DECK if suits == {card[1]} and card not in plain]
    made = [(card, hands.five((*plain, card))) for card in stands]
    complete = (hands.STRAIGHT, hands.FLUSH, hands.STRAIGHT_FLUSH)
    return max(_placed(rank) for card, rank in made if card == "A*" or rank[0] in complete)


def _placed(rank: hands.Rank) -> hands.Rank:
    return _ORDER.index(rank[0]), *rank[1:]


_ROWS = (
    *("seven straight flush", "royal and match", "seven straight flush with joker", "five aces", "royal flush"),
    *("straight flush", "four of a kind", "full house", "flush", "three of a kind", "straight", "three pair"),
)


def seven_run(cards: list[str]) -> bool:
    """Return True if all seven are a straight flush, with the joker as any card of it."""
    plain = [card for card in cards if card[0] != "X"]
    if len({card[1] for card in plain}) > 1:
        return False
    values = [hands.value(card) for card in plain]
    if len(plain) == len(cards):
        return bool(hands.run_top(values))
    return any(hands.run_top([*values, each]) for each in range(2, 15))


def row(cards: list[str]) -> str:
    """Return the best row of the seven cards."""
    all_seven = tuple(sorted(hands.known(cards)))
    if seven_run(cards):
        return _ROWS[2] if hands.jokers(cards) else _ROWS[0]
    fives = [(each, ranked(each)) for each in combinations(all_seven, 5)]
    royals = [each for each, rank in fives if rank[:2] == (_ORDER.index(hands.STRAIGHT_FLUSH), 14)]
    for royal in royals:
        left = [card for card in all_seven if card not in royal]
        if {card[0] for card in left} == {"K", "Q"} and left[0][1] == left[1][1]:
            return _ROWS[1]
    best = max(rank for _, rank in fives)
    name = "royal flush" if royals and best[0] < _ORDER.index(hands.FIVE_ACES) else hands.NAMES[_ORDER[best[0]]]
    if name == "two pair":
        values = Counter("A" if card[0] == "X" else card[0] for card in all_seven)
        return "three pair" if sorted(values.values())[-3:] == [2, 2, 2] else ""
    return name


def play(player: Player) -> None:
    player.bet("ante")
    for bet in ("fortune-bonus", "pai-gowd", "progressive"):
        player.bet(bet, chance=0.6)
    player.tips("ante", "fortune-bonus", "pai-gowd")
    player.split = pai_gow.set_hand(player.rng, player.cards, "player")


LAYOUT = Layout("fortune-pai-gow.co", own=7, dealer=7, jokers=1, seats=6, play=play, finish=pai_gow.finish)

_LAST = (5, 4, 3, 2)
_BONUS: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "FPG-01": ((5000, 1000, 750, 250, 100, 50, 20), (1000, 250, 100, 50, 25, 10, 5)),
    "FPG-02": ((8000, 2000, 1000, 400, 150, 50, 25), (5000, 1000, 500, 250, 50, 20, 5)),
    "FPG-03": ((5000, 2000, 1000, 400, 150, 50, 25), (3000, 1000, 500, 250, 50, 20, 5)),
    "FPG-04": ((2500, 1000, 750, 250, 125, 50, 25), (1000, 750, 250, 100, 50, 20, 5)),
    "FPG-LEFT-OF-07": ((5000, 1000, 500, 300, 110, 45, 25), (2500, 500, 250, 150, 55, 25, 6)),
    "FPG-07": ((5000, 2000, 1000, 400, 150, 50, 25), (2500, 500, 250, 50, 55, 25, 6)),
}
_HIGH = ("nine high", "ten high", "jack high", "queen high", "king high", "ace high")
_FIXED = {
    "seven straight flush": Share(100),
    "five aces": Share(10),
    **printed(_ROWS[4:8], For(500), For(100), For(75), For(4)),
}
TABLES: Mapping[str, Mapping[str, Table]] = {
    "fortune-bonus": {
        name: printed(_ROWS, *pays, *_LAST, *([PUSH] if name == "FPG-01" else [])) for name, (pays, _) in _BONUS.items()
    },
    "pai-gowd": {
        f"FPG-GOWD-0{number}": printed(_HIGH, 100, ten, 10, queen, king, 3)
        for number, ten, queen, king in ((1, 40, 7, 6), (2, 50, 7, 5), (3, 40, 7, 5))
    },
    "progressive": {"FPG-PROG-01": _FIXED, "FPG-PROG-03": _FIXED},
}
COMMISSION = (("ante",), ("0", "5", "5", "2.5", "3"))
"""(8) allows a commission on all winning bets, up to this."""
PROGRESSIVE = Progressive(lambda seat, deal: _progressive_row(row(seat.cards)), shared=True)


def _progressive_row(name: str) -> str:
    """Return the row for a hand; a hand that its table does not print is paid as a row it also satisfies."""
    return {"royal and match": "royal flush", "seven straight flush with joker": "seven straight flush"}.get(name, name)


def dealers_rest(deal: Deal) -> hands.Rank:
    rest = deal.data["dealer"]["split"]["rest"]
    if not rest:
        raise Unseen
    return pai_gow.back(rest, ranked)


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    """(9) to (11)."""

    def fortune(stake: int) -> Line:
        won = row(seat.cards)
        line = deal.pay("fortune-bonus", won, stake)
        noted = deal.terms.tables.get("fortune-bonus", "FPG-01") in ("FPG-01", "FPG-02")
        if line[0] == "win" and noted and dealers_rest(deal)[0] == hands.HIGH:
            raise Unseen  # the note on the table's pays cannot be read
        return line

    def gowd(stake: int) -> Line:
        rank = dealers_rest(deal)
        low = deal.data["dealer"]["split"]["low"]
        if hands.UNREAD not in low and pai_gow.two(low) > rank:
            raise Unseen
        if rank[0] != hands.HIGH:
            return LOSE
        return deal.pay("pai-gowd", _HIGH[rank[1] - 9] if rank[1] >= 9 else "", stake)

    return {
        "ante": lambda stake: pai_gow.even(deal, pai_gow.parts(seat.data, ranked), stake, ranked),
        "fortune-bonus": fortune,
        "pai-gowd": gowd,
    }


def pots(deal: Deal, lines: Lines, void: set[tuple[int, str]]) -> None:
    """Envy, (12): for bettors of five dollars on the bonus, by others' four of a kind and better."""
    printed_envy = _BONUS[deal.terms.tables.get("fortune-bonus", "FPG-01")][1]
    amounts = dict(zip(_ROWS, printed_envy, strict=False))
    hits, doubtful = {}, set()
    for seat in deal.seats:
        if seat.dead:
            continue
        try:
            hits[seat.number] = amounts.get(row(seat.cards), 0)
        except Unseen:
            if may_bring(seat, deal, amounts, row):
                doubtful.add(seat.number)
    for seat in deal.seats:
        line = lines.get((seat.number, "fortune-bonus"), LOSE) if (seat.number, "fortune-bonus") in void else None
        if seat.wagers.get("fortune-bonus", 0) < 500 or line not in (None, HELD):
            continue
        dollars = sum(amount for number, amount in hits.items() if number != seat.number)
        open_ = bool(doubtful - {seat.number})
        if dollars or open_:
            result = "held" if open_ else "win"
            lines[seat.number, "envy"] = line or (result, deal.terms.down(Fraction(dollars * 100)), 0)
