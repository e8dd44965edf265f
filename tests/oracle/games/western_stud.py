"""Western Stud, 47.1-1017.18: five cards against the dealer's high hand, his low hand or both."""

from collections.abc import Mapping
from fractions import Fraction

from tests.oracle import hands
from tests.oracle.deal import Layout, Player
from tests.oracle.settling import KINDS, LOSE, Deal, Line, Seat, Settle, Table, printed, push, versus

ACE_KING = (hands.HIGH, 14, 13)


def low(cards: list[str]) -> hands.Rank:
    """Rank a low hand: smaller is better, pairs are bad, straights and flushes do not count, the ace is low, (5) and
    47.1-1004."""
    shape, ranks = hands.grouped([1 if card[0] == "A" else hands.value(card) for card in hands.known(cards)])
    return *shape, *ranks


def is_eight(cards: list[str]) -> bool:
    return low(cards)[:5] == (1,) * 5 and low(cards)[5] <= 8


def play(player: Player) -> None:
    """Play further wagers equal to the ante; the river bet is at most that, (5), (6)."""
    ante = player.bet("ante")
    player.tips("ante")
    if player.folds("choice", "fold"):
        return
    chosen = player.choose("choice", "high", "low", "both")
    for bet in ("high", "low"):
        if chosen in (bet, "both"):
            player.bet(bet, ante)
            if "tip-ante" in player.wagers and player.rng.random() < 0.5:
                player.wagers[f"tip-{bet}"] = player.wagers["tip-ante"]
    if player.choose("river-choice", "no-river-bet", "river-bet") == "river-bet":
        player.bet("river", player.amount(ante))


LAYOUT = Layout("western-stud.co", own=5, hands={"dealer-first": 5, "dealer-second": 5}, seats=7, play=play, shoe=True)
TABLES: Mapping[str, Mapping[str, Table]] = {
    "river": {"WS-RIVER": printed((*KINDS[:6], "8 low"), 25, 15, 5, 5, 2, 2, 1)}
}


def broken(seat: Seat, deal: Deal) -> set[str]:
    """Return the held bets: the ante depends on the bet it is placed against and is held with it."""
    return {"ante"} if {"high", "low"} & set(seat.data.get("held", {})) else set()


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    """(6), (8), (9): settle the bets against the high hand, the low hand or both."""
    chosen = seat.chose("choice")

    def dealers() -> tuple[list[str], list[str]]:
        """Return the dealer's high and low hand."""
        pair = [list(deal.named(name)["cards"]) for name in ("dealer-first", "dealer-second")]
        pair.sort(key=hands.poker, reverse=True)
        return pair[0], pair[1]

    def high(stake: int) -> Line:
        best = hands.poker(dealers()[0])
        return push(stake) if best < ACE_KING else versus(deal, hands.poker(seat.cards), best, stake)

    def lowest(stake: int) -> Line:
        return versus(deal, low(dealers()[1]), low(seat.cards), stake)

    def ante(stake: int) -> Line:
        if seat.folded:
            return LOSE
        if chosen != "both":
            return high(stake) if chosen == "high" else lowest(stake)
        return both(high(stake), lowest(stake), stake)

    def both(first: Line, second: Line, stake: int) -> Line:
        """Settle half the ante on each side, (5)(c)."""
        worth = {"win": 1, "push": 0, "lose": -1}
        halves = worth[first[0]] + worth[second[0]]
        if halves > 0:
            return deal.win(stake, Fraction(halves, 2))
        return push(stake) if halves == 0 else ("lose", 0, deal.terms.down(Fraction(stake * (2 + halves), 2)))

    def river(stake: int) -> Line:
        if seat.folded:
            return LOSE
        name = hands.name(hands.poker(seat.cards))
        return deal.pay("river", name if name in KINDS[:6] else "8 low" if is_eight(seat.cards) else "", stake)

    return {"ante": ante, "high": high, "low": lowest, "river": river}
