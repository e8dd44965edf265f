"""Boston 5 Stud Poker, 47.1-1017.34."""

from collections.abc import Callable, Mapping

from tests.oracle import hands
from tests.oracle.deal import Layout, Player
from tests.oracle.settling import KINDS, LOSE, THREE, Deal, Line, Seat, Settle, Table, printed, push, versus


def play(player: Player) -> None:
    """Play three cards first, which may be declared; then a fold, or the second wager for the rest."""
    first = player.bet("first-wager")
    player.bet("ante-bonus", chance=0.6)
    player.bet("optional-bonus", 100 * player.rng.randint(1, 100), chance=0.6)
    player.tips("first-wager", "ante-bonus", "optional-bonus")
    three = player.cards[:3]
    player.stages["hands"] = list(three)
    if "optional-bonus" in player.wagers and player.rng.random() < 0.7:
        player.declares(three)
    if player.folds("choice", "fold"):
        player.cards = three
        return
    player.choose("choice", "second-wager")
    player.bet("second-wager", first)
    if "tip-first-wager" in player.wagers:
        player.tips("second-wager")


LAYOUT = Layout("boston-5.co", own=5, dealer=5, play=play, shoe=True)

_ROWS = ("mini royal", *THREE)
OPTIONAL: Mapping[str, Table] = {  # (7)
    "B7S-01": printed(_ROWS, 0, 40, 30, 6, 4, 1),
    "B7S-02": printed(_ROWS, 0, 40, 30, 6, 3, 1),
    "B7S-03": printed(_ROWS, 0, 40, 30, 5, 4, 1),
    "B7S-04": printed(_ROWS, 100, 40, 30, 5, 4, 1),
    "B7S-05": printed(_ROWS, 50, 40, 30, 6, 3, 1),
    "B7S-06": printed(_ROWS, 100, 40, 30, 6, 3, 1),
    "B7S-07": printed(_ROWS, 100, 50, 30, 6, 3, 1),
    "B7S-08": printed(_ROWS, 100, 40, 25, 6, 4, 1),
}
TABLES: Mapping[str, Mapping[str, Table]] = {
    "ante-bonus": {"B5-ANTE": printed(KINDS, 1000, 200, 100, 25, 15, 8, 5, 2)},  # (13)(a)
    "optional-bonus": OPTIONAL,
}


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    return settled(seat, deal, lambda cards: hands.name(hands.poker(cards)))


def settled(seat: Seat, deal: Deal, listed: Callable[[list[str]], str]) -> Mapping[str, Settle]:
    """(7) to (13): the ante bonus pays a listed hand regardless of the winner; its stake stays with the winner."""

    def against(stake: int) -> Line:
        return LOSE if seat.folded else versus(deal, hands.poker(seat.cards), hands.poker(deal.dealer), stake)

    def ante_bonus(stake: int) -> Line:
        if seat.folded:
            return LOSE
        mine = hands.poker(seat.cards)
        paid = deal.pay("ante-bonus", listed(seat.cards), stake)
        beaten = mine < hands.poker(deal.dealer)
        if paid == LOSE:
            return LOSE if beaten else push(stake)
        return paid[0], paid[1], 0 if beaten else stake

    def optional(stake: int) -> Line:
        if "declared" not in seat.data.get("choices", {}):
            return LOSE
        three = deal.stage("declared", f"seat {seat.number}")
        return deal.pay("optional-bonus", hands.three_name(hands.three_card(three)), stake)

    wagers = dict.fromkeys(("first-wager", "second-wager"), against)
    return {**wagers, "ante-bonus": ante_bonus, "optional-bonus": optional}
