"""3-5-7 Poker, 47.1-1017.37."""

from collections.abc import Callable, Mapping

from tests.oracle import hands
from tests.oracle.deal import Layout, Player
from tests.oracle.hands import Unseen
from tests.oracle.settling import HELD, KINDS, LOSE, THREE, Deal, Line, Lines, Seat, Settle, Table, printed

GAMES = (("three-card", "pot-3"), ("five-card", "pot-5"), ("seven-card", "pot-7"))


def play(player: Player) -> None:
    """Play any of the three games; the pots have one amount for all. A player of all three may surrender half of the
    last."""
    for bet, _ in player.rng.sample(GAMES, player.rng.randint(1, 3)):
        player.bet(bet)
    player.tips("three-card", "five-card", "seven-card")
    for bet, pot in GAMES:
        if bet in player.wagers:
            player.bet(pot, 500, chance=0.5)
    seven = player.wagers.get("seven-card", 0)
    if len([bet for bet, _ in GAMES if bet in player.wagers]) == 3 and seven % 2 == 0 and player.rng.random() < 0.3:
        player.choose("surrender", "surrender-half")
        player.wagers["surrendered"] = seven // 2
        if player.rng.random() < 0.5:
            for bet in (
                "seven-card",
                "tip-seven-card",
                "pot-7",
            ):  # the text says nothing about these two then
                player.wagers.pop(bet, None)
        else:
            player.wagers["seven-card"] = seven // 2


HANDS = {"community-first": 2, "community-second": 2}
LAYOUT = Layout(
    "3-5-7.co", own=3, hands=HANDS, burns=(("community-first", 3), ("community-second", 3)), play=play,
)  # fmt: skip

TABLES: Mapping[str, Mapping[str, Table]] = {  # (10)
    "three-card": {"357-1": printed(THREE, 40, 30, 6, 4, 1), "357-2": printed(THREE, 40, 25, 6, 4, 1)},
    "five-card": {
        "357-3": printed((*KINDS[:8], "sixes"), 500, 100, 40, 15, 8, 6, 4, 3, 1),
        "357-4": printed((*KINDS[:8], "sixes"), 500, 100, 40, 12, 9, 6, 4, 3, 1),
    },
    "seven-card": {
        "357-5": printed((*KINDS[:7], "tens up"), 100, 20, 7, 5, 4, 3, 2, 1),
        "357-6": printed((*KINDS[:7], "jacks up"), 100, 25, 15, 6, 4, 3, 2, 1),
    },
}


def cards(seat: Seat, deal: Deal, groups: int) -> list[str]:
    """Return the seat's three cards and this many groups of two."""
    board = [card for name in tuple(HANDS)[:groups] for card in deal.named(name)["cards"]]
    return seat.cards + board


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    """(7), (10): two pair pay if the higher pair is at least the one that the schedule prints."""

    def three(stake: int) -> Line:
        return deal.pay("three-card", hands.THREE[hands.three_card(seat.cards)[0]], stake)

    def five(stake: int) -> Line:
        rank = hands.poker(cards(seat, deal, 1))
        name = hands.name(rank)
        return deal.pay("five-card", ("sixes" if rank[1] >= 6 else "") if name == "pair" else name, stake)

    def seven(stake: int) -> Line:
        rank = hands.poker(cards(seat, deal, 2))
        name = hands.name(rank)
        if name == "two pair":
            least, name = (11, "jacks up") if "jacks up" in deal.table("seven-card") else (10, "tens up")
            name = name if rank[1] >= least else ""
        return deal.pay("seven-card", name, stake)

    waiting: dict[str, Settle] = {pot: lambda stake: HELD for _, pot in GAMES}
    waiting["surrendered"] = lambda stake: LOSE
    return {"three-card": three, "five-card": five, "seven-card": seven, **waiting}


_RANKED: Mapping[str, Callable[[Seat, Deal], hands.Rank]] = {
    "pot-3": lambda seat, deal: hands.three_card(seat.cards),
    "pot-5": lambda seat, deal: hands.poker(cards(seat, deal, 1)),
    "pot-7": lambda seat, deal: hands.poker(cards(seat, deal, 2)),
}


def pots(deal: Deal, lines: Lines, void: set[tuple[int, str]]) -> None:
    """(8): the best hand wins the pot, equal ones share it, odd chips from the dealer's left (47.1-1035). The wager of
    a sole bettor comes back; a held wager, or one of a dead hand, holds all."""
    for pot, rank in _RANKED.items():
        bettors = [seat for seat in deal.seats if pot in seat.wagers]
        bettors = [
            seat for seat in bettors if (seat.number, pot) not in void or lines[seat.number, pot] in (HELD, LOSE)
        ]
        if not bettors:
            continue
        if len(bettors) == 1:
            lines[bettors[0].number, pot] = ("returned", 0, bettors[0].wagers[pot])
            continue
        if any((seat.number, pot) in void for seat in bettors):
            lines |= {(seat.number, pot): HELD for seat in bettors}
            continue
        try:
            ranks = {seat.number: rank(seat, deal) for seat in bettors}
        except Unseen:
            continue
        best = [seat for seat in bettors if ranks[seat.number] == max(ranks.values())]
        whole = sum(seat.wagers[pot] for seat in bettors)
        for seat in bettors:
            lines[seat.number, pot] = ("lose", 0, 0)
        token = deal.terms.token_cents
        chips, odd = divmod(whole // token, len(best))
        for place, seat in enumerate(sorted(best, key=lambda seat: seat.number)):
            stake, share = seat.wagers[pot], (chips + (place < odd)) * token
            lines[seat.number, pot] = ("win" if share > stake else "push", share - stake, stake)
