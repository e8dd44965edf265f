"""High Five Poker, 47.1-1017.45, with a joker as 47.1-1005(1) has it."""

from collections.abc import Mapping
from itertools import combinations

from tests.oracle import hands
from tests.oracle.deal import Layout, Player
from tests.oracle.games.pai_gow import semi_wild
from tests.oracle.settling import KINDS, LOSE, Deal, Line, Seat, Settle, Table, printed, push, versus


def play(player: Player) -> None:
    """Play the trips bet, which may be the only one; the play bet may be made before the cards, (9), (10)."""
    ante = player.bet("ante", chance=0.85)
    player.bet("trips", chance=0.6 if ante else 1)
    player.tips("ante", "trips")
    if not ante:
        return
    if player.bet("play-blind", ante, chance=0.3):
        player.blind.append("play-blind")
        player.choose("choice", "played-blind")
    elif not player.folds("choice", "fold"):
        player.choose("choice", "play")
        player.bet("play", ante)
        player.tips("play")


LAYOUT = Layout("high-five.co", own=7, dealer=7, seats=6, jokers=1, play=play)

_ROWS = ("five aces", *KINDS[:3], "aces up", *KINDS[3:7])
TABLES: Mapping[str, Mapping[str, Table]] = {  # (16)
    "trips": {
        f"H5-TRIPS-{number:02}": printed(_ROWS, 200, 100, 50, 40, aces, 7, 4, 2, 1)
        for number, aces in enumerate((20, 25, 15), 1)
    }
}


def best(cards: list[str]) -> hands.Rank:
    return max(semi_wild(each) for each in combinations(sorted(hands.known(cards)), 5))


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    """(7), (12) to (15): below a pair of sixes the dealer pays the ante; the play wins with a straight or better.

    (8) forfeits the ante and collects the cards unseen, and with them the pay of (15) for a hand.
    """

    def against(stake: int, bet: str) -> Line:
        if seat.folded:
            return LOSE
        dealer = best(deal.dealer)
        if dealer >= (hands.PAIR, 6):
            return versus(deal, best(seat.cards), dealer, stake)
        if bet == "ante":
            return deal.win(stake)
        return deal.win(stake) if best(seat.cards) >= (hands.STRAIGHT,) else push(stake)

    def trips(stake: int) -> Line:
        if seat.folded:
            return LOSE
        rank = best(seat.cards)
        name = hands.name(rank)
        return deal.pay("trips", "aces up" if name == "full house" and rank[1] == 14 else name, stake)

    played = dict.fromkeys(("play", "play-blind"), lambda stake: against(stake, "play"))
    return {**played, "ante": lambda stake: against(stake, "ante"), "trips": trips}
