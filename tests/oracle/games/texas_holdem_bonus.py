"""Texas Hold'em Bonus Poker, 47.1-1017.39."""

import random
from collections.abc import Mapping

from tests.oracle import hands
from tests.oracle.deal import Layout, Player, Round
from tests.oracle.games.let_it_ride import NEXUS_5_ENVY, NEXUS_ENVY
from tests.oracle.hands import UNREAD
from tests.oracle.settling import (
    KINDS,
    LOSE,
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
    ante = player.bet("ante", player.amount(5_000))
    player.bet("bonus", chance=0.5)
    player.bet("progressive", chance=0.5)
    player.tips("ante")
    if player.folds("flop-choice", "fold"):
        return
    player.choose("flop-choice", "flop-bet")
    player.bet("flop", 2 * ante)
    for street in ("turn", "river"):
        if player.choose(f"{street}-choice", f"{street}-check", f"{street}-bet").endswith("bet"):
            player.bet(street, ante)
    if "tip-ante" in player.wagers:
        player.tips("flop", "turn", "river")


def stages(data: Round, rng: random.Random) -> list[tuple[str, str, list[str]]]:
    *flop, turn, _ = data["community"]
    return [("flop", "community", [*flop, UNREAD, UNREAD]), ("turn", "community", [*flop, turn, UNREAD])]


LAYOUT = Layout("texas-holdem-bonus.co", own=2, dealer=2, community=5, play=play, stages=stages)


def _meter(times: int) -> For:
    return For(times, from_meter=True)


_BONUS = ("AKs", "AQs", "AKo", "KK", "AQo", "TT")
_LOW = printed(_BONUS, 25, 20, 15, 10, 5, 3)
_TOP = (Share(100), Share(10))
_ROYALS = ("royal in five", "royal in six", "royal in seven", "community royal", *KINDS[1:4])
TABLES: Mapping[str, Mapping[str, Table]] = {
    "bonus": {  # (14), (23): in print "A-K (Player's hand only)" stands where A-A must
        "THB-BONUS-I": {"both AA": 1_000, "AA": 30, **_LOW},
        "THB-BONUS-II": {"AA": 30, **_LOW},
    },
    "progressive": {  # (23): so many dollars for a dollar, or for five
        "THBP-1": printed(KINDS, *_TOP, *map(_meter, (500, 100, 50))),
        "THBP-2": printed(KINDS, *_TOP, *map(_meter, (500, 100, 50))),
        "THBP-3": printed(KINDS, *_TOP, *map(_meter, (500, 100, 50, 10))),
        "THBP-4": printed(KINDS, *_TOP, *map(_meter, (500, 100, 50, 10))),
        "THBP-5": printed(KINDS, *_TOP, *map(_meter, (500, 100, 50)), For(10)),
        "THBP-6": printed(KINDS, *_TOP, *map(_meter, (500, 100, 50))),
        "THBP-7": printed(KINDS, Share(100), *map(_meter, (5_000, 500, 100, 50))),
        "THBP-8": printed(_ROYALS, Share(100), Share(25), Share(5), *map(For, (3_000, 250, 100, 10))),
        "THBP-09": printed(KINDS, *_TOP, *map(For, (300, 50, 40, 30, 9))),
    },
}


def two(cards: list[str]) -> str:
    """Name two cards as the bonus does."""
    first, second = hands.known(cards)
    low, high = sorted((hands.value(first), hands.value(second)))
    if low == high:
        return "AA" if low == 14 else "KK" if low >= 11 else "TT"
    suited = "s" if first[1] == second[1] else "o"
    if high < 14 or low < 11:
        return ""
    return f"AK{suited}" if low == 13 else f"AQ{suited}"


def progressive_row(seat: Seat, deal: Deal) -> str:
    """Return the row by the two cards and the flop; for royal flushes by the street that completes them, if the table
    says so."""
    flop, turn = deal.community[:3], deal.community[:4]
    if "royal in six" not in deal.table("progressive"):
        return hands.name(hands.poker(seat.cards + flop))
    row = hands.name(hands.poker(seat.cards + deal.community))
    if row != "royal flush":
        return row
    if hands.name(hands.poker(deal.community)) == row:
        return "community royal"
    for name, board in (("royal in five", flop), ("royal in six", turn)):
        if hands.name(hands.poker(seat.cards + board)) == row:
            return name
    return "royal in seven"


PROGRESSIVE = Progressive(
    progressive_row, envy={"THBP-09": (1, NEXUS_ENVY), "THBP-10": (5, NEXUS_5_ENVY)}, folded_lives=True
)
"""(6): a folded hand's cards are kept for it."""


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    """(6), (13): the ante is paid with a straight or better; the bonus uses the two cards, and is lost with a fold."""

    def mine() -> hands.Rank:
        return hands.poker(seat.cards + deal.community)

    def against(stake: int) -> Line:
        return LOSE if seat.folded else versus(deal, mine(), hands.poker(deal.dealer + deal.community), stake)

    def ante(stake: int) -> Line:
        line = against(stake)
        return push(stake) if line[0] == "win" and mine() < (hands.STRAIGHT,) else line

    def bonus(stake: int) -> Line:
        if seat.folded:
            return LOSE
        if "both AA" in deal.table("bonus"):
            hands.known(deal.dealer)  # schedule I looks at the dealer's two cards, too
        row = two(seat.cards)
        if row == "AA" and "both AA" in deal.table("bonus") and two(deal.dealer) == "AA":
            row = "both AA"
        return deal.pay("bonus", row, stake)

    return {"ante": ante, **dict.fromkeys(("flop", "turn", "river"), against), "bonus": bonus}
