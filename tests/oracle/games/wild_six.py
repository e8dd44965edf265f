"""Wild Six Card Draw Poker, 47.1-1017.42, with two wild jokers."""

from collections.abc import Mapping
from functools import lru_cache
from itertools import combinations

from tests.oracle import hands
from tests.oracle.deal import Layout, Player
from tests.oracle.settling import KINDS, LOSE, Deal, Line, Seat, Settle, Table, printed, versus

_ORDER = (
    *(hands.HIGH, hands.PAIR, hands.TWO_PAIR, hands.TRIPS, hands.STRAIGHT, hands.FLUSH, hands.FULL_HOUSE),
    *(hands.QUADS, hands.STRAIGHT_FLUSH, hands.FIVE_KIND),
)


@lru_cache(maxsize=200_000)
def wild(cards: tuple[str, ...]) -> hands.Rank:
    """Rank five cards by (2): a royal flush, five of a kind, a straight flush and so on."""
    return hands.with_jokers(cards, _ranked) if hands.jokers(cards) else _ranked(cards)


def _ranked(cards: tuple[str, ...]) -> hands.Rank:
    rank = hands.five(cards)
    if rank[0] in (hands.FIVE_KIND, hands.FIVE_ACES):
        return (9, *rank[1:])
    return (10, 14) if rank[:2] == (hands.STRAIGHT_FLUSH, 14) else (_ORDER.index(rank[0]), *rank[1:])


def best(cards: list[str]) -> hands.Rank:
    return max(wild(each) for each in combinations(sorted(hands.known(cards)), 5))


def natural(cards: list[str]) -> bool:
    """Return True for a royal flush without a joker."""
    plain = [card for card in cards if card[0] != "X"]
    return len(plain) >= 5 and hands.name(hands.poker(plain)) == "royal flush"


def name(cards: list[str]) -> str:
    rank = best(cards)
    if rank[0] == 10:
        return "natural royal" if natural(cards) else "wild royal"
    return "five of a kind" if rank[0] == 9 else hands.NAMES[_ORDER[rank[0]]]


def play(player: Player) -> None:
    """Discard one of the first five for the sixth; a player who shows the first five may win at once."""
    player.bet("poker")
    player.bet("queens-or-better", chance=0.6)
    player.bet("draw-bonus", chance=0.6)
    player.tips("poker", "queens-or-better", "draw-bonus")
    first = player.cards[:5]
    shows = "queens-or-better" in player.wagers and player.rng.random() < 0.7
    if best(first) >= (hands.STRAIGHT,) and player.rng.random() < 0.9:
        player.declares(first)
        player.choose("discard", "automatic-winner")
        return
    if shows:
        player.declares(first)
    player.choose("discard", "lay-aside")
    player.discards = [player.rng.choice(first)]


LAYOUT = Layout("wild-six.co", own=6, dealer=6, jokers=2, play=play)

_ROWS = ("natural royal", "five of a kind", "wild royal", "straight flush", *KINDS[2:8])
_QUEENS = (*_ROWS, "queens")
TABLES: Mapping[str, Mapping[str, Table]] = {
    "queens-or-better": {  # (12)(b): of A2 to A5 cells are lost
        "W6-A1": printed(_QUEENS, 500, 100, 80, 50, 20, 15, 10, 7, 3, 2, 1),
        "W6-A6": printed(_QUEENS, 500, 100, 80, 50, 20, 14, 10, 6, 3, 2, 1),
    },
    "draw-bonus": {  # (12)(c)
        "W6-B1": printed(_ROWS, 250, 50, 40, 20, 7, 5, 4, 3, 2, 1),
        "W6-B2": printed(_ROWS, 250, 60, 50, 20, 6, 5, 4, 3, 2, 1),
        "W6-B3": printed(_ROWS, 250, 60, 50, 15, 6, 5, 4, 3, 2, 1),
        "W6-B4": printed(_ROWS, 250, 50, 30, 15, 6, 5, 4, 3, 2, 1),
    },
}


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    """(7) to (11)."""
    automatic = seat.chose("discard") == "automatic-winner"

    def poker(stake: int) -> Line:
        if automatic:
            first = deal.stage("declared", f"seat {seat.number}")
            return deal.win(stake) if best(first) >= (hands.STRAIGHT,) else LOSE
        kept = list(seat.cards)
        for card in hands.known(seat.data.get("discards", ("??",))):
            hands.known(kept)
            kept.remove(card)
        return versus(deal, best(kept), best(deal.dealer), stake)

    def queens(stake: int) -> Line:
        if "declared" not in seat.data.get("choices", {}):
            return LOSE
        first = deal.stage("declared", f"seat {seat.number}")
        row = name(first)
        return deal.pay("queens-or-better", ("queens" if best(first)[1] >= 12 else "") if row == "pair" else row, stake)

    return {
        "poker": poker,
        "queens-or-better": queens,
        "draw-bonus": lambda stake: deal.pay("draw-bonus", name(seat.cards), stake),
    }
