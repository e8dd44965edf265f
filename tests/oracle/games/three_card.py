"""Three Card Poker, 47.1-1017.24."""

from collections.abc import Mapping

from tests.oracle import hands
from tests.oracle.deal import Layout, Player
from tests.oracle.settling import (
    KINDS,
    LOSE,
    THREE,
    Deal,
    For,
    Line,
    Progressive,
    Seat,
    Settle,
    Share,
    Table,
    printed,
    push,
    versus,
)


def play(player: Player) -> None:
    ante = player.bet("ante", chance=0.8)
    player.bet("pair-plus", chance=0.6 if ante else 1)
    player.bet("six-card-bonus", chance=0.4)
    player.bet("progressive", chance=0.5)
    player.tips("ante", "pair-plus", "six-card-bonus")
    if ante and not player.folds("choice", "fold"):
        player.choose("choice", "play")
        player.bet("play", ante)
        player.tips("play")


LAYOUT = Layout("three-card.co", own=3, dealer=3, play=play)


_WITH_ROYAL = ("mini royal", *THREE)


def _bonus(*pays: int) -> Table:
    """Return an ante bonus table: mini royal, straight flush, three of a kind, straight; 0 for an empty column."""
    return printed(_WITH_ROYAL, *(0,) * (4 - len(pays)), *pays)


def _plus(*pays: int) -> Table:
    """Return a pair plus table: the same rows, then flush and pair."""
    return printed(_WITH_ROYAL, *(0,) * (6 - len(pays)), *pays)


_BONUS = (
    *(_bonus(5, 4, 1), _bonus(4, 3, 1), _bonus(5, 4, 1), _bonus(5, 4, 1)),
    *[_bonus(50, 8, 6, 0)] * 4,
    *(_bonus(5, 5, 4, 1), _bonus(4, 4, 3, 1), _bonus(5, 5, 4, 1), _bonus(5, 5, 4, 1), _bonus(5, 5, 4, 1)),
    *[_bonus(50, 10, 4, 3)] * 4,
)
_FOUR = (_plus(40, 30, 6, 4, 1), _plus(40, 25, 6, 4, 1), _plus(40, 30, 5, 4, 1), _plus(40, 30, 6, 3, 1))
_PLUS = (
    *(*_FOUR, *_FOUR),
    *(_plus(50, 40, 25, 6, 4, 1), _plus(50, 35, 25, 6, 4, 1), _plus(50, 40, 25, 5, 4, 1)),
    *(_plus(50, 40, 25, 25, 3, 1), _plus(50, 35, 30, 5, 4, 1)),
    *(_plus(40, 30, 6, 4), _plus(40, 25, 6, 4), _plus(40, 30, 5, 4), _plus(40, 30, 6, 3)),
)
"""Tables 14 to 17 as printed: nothing for a straight flush, and its pays one row below."""

_PROGRESSIVE = ("spades", "mini royal", "straight flush", "three of a kind", "straight")

PRINTED_IN_PAIRS = (("ante-bonus", "pair-plus"),)

TABLES: Mapping[str, Mapping[str, Table]] = {
    "ante-bonus": {f"TC-AB-{number}": table for number, table in enumerate(_BONUS, 1)},
    "pair-plus": {f"TC-PP-{number}": table for number, table in enumerate(_PLUS, 1)},
    "six-card-bonus": {
        "TC-6CB-1": printed(KINDS, 1000, 200, 50, 25, 20, 10, 5),
        "TC-6CB-2": printed(KINDS, 1000, 200, 50, 25, 15, 10, 5),
        "TC-6CB-3": printed(KINDS, 1000, 200, 100, 20, 15, 9, 8),
        "TC-6CB-4": printed(KINDS, 1000, 200, 100, 20, 15, 10, 7),
    },
    "progressive": {
        "TC-PROG-1": printed(_PROGRESSIVE, Share(100), For(500), For(70), For(60), For(6)),
        "TC-PROG-2": printed(_PROGRESSIVE, Share(100), For(500), For(100), For(90)),
    },
}


def name(cards: list[str]) -> str:
    return hands.three_name(hands.three_card(cards))


def progressive_row(seat: Seat, deal: Deal) -> str:
    """Return the row of the progressive, with ace, king and queen of spades separate."""
    row = name(seat.cards)
    return "spades" if row == "mini royal" and seat.cards[0][1] == "S" else row


_ENVY = (1, {"spades": 100, "mini royal": 25})
PROGRESSIVE = Progressive(progressive_row, envy={"TC-PROG-1": _ENVY, "TC-PROG-2": _ENVY})

PAID_ON = {"ante-bonus": "ante", "tip-ante-bonus": "tip-ante"}
"""(13) pays it on the ante, and a tip is on the ante, (3)."""


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    """(7) to (15): a fold loses ante and pair plus; the 6 card bonus stays in action."""

    def against(stake: int, bet: str) -> Line:
        if seat.folded:
            return LOSE
        dealer = hands.three_card(deal.dealer)
        if dealer < (0, 12):
            return deal.win(stake) if bet == "ante" else push(stake)
        return versus(deal, hands.three_card(seat.cards), dealer, stake)

    def bonus(stake: int) -> Line:
        return LOSE if seat.folded else deal.pay("ante-bonus", name(seat.cards), stake)

    def plus(stake: int) -> Line:
        return LOSE if seat.folded else deal.pay("pair-plus", name(seat.cards), stake)

    def six(stake: int) -> Line:
        return deal.pay("six-card-bonus", hands.name(hands.poker(seat.cards + deal.dealer)), stake)

    return {
        "ante": lambda stake: against(stake, "ante"),
        "play": lambda stake: against(stake, "play"),
        "ante-bonus": bonus,
        "pair-plus": plus,
        "six-card-bonus": six,
    }
