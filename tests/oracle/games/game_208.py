"""208 Poker, 47.1-1017.32: two cards from a single deck, three from a shoe of three decks."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence

from tests.oracle import hands
from tests.oracle.deal import Layout, Player, Round
from tests.oracle.settling import LOSE, PUSH, Deal, Line, Seat, Settle, Table, printed

_CARDS = ("card-1", "card-2", "card-3")
_ROWS = (
    *("royal flush", "straight flush", "three identical", "four of a kind", "flush", "two identical pairs"),
    *("full house", "straight", "three of a kind", "two pair", "two identical", "pair"),
)
_JACKPOT = ("five, four identical", "four identical", "five of a kind", "full house identical")
TABLES: Mapping[str, Mapping[str, Table]] = {
    "ante": {"208-ANTE": printed(_ROWS, 1000, 250, 25, 20, 10, 8, 6, 6, 2, 1, 1, PUSH)},
    "jackpot": {"208-JACKPOT": printed(_JACKPOT, 5000, 3000, 2500, 1500)},
}


def play(player: Player) -> None:
    """Place each wager on a card on one outcome."""
    player.bet("ante")
    player.bet("jackpot", 25 * player.rng.randint(1, 4), chance=0.5)
    player.tips("ante")
    for bet in _CARDS:
        if player.choose(f"{bet}-choice", f"no-{bet}", bet) == bet:
            cents = player.bet(bet, 25 * player.rng.randint(1, 20))
            rank, suit = player.rng.choice(hands.RANKS), player.rng.choice(hands.SUITS)
            ranks = f"rank:{rank}" if rank != "7" else "under-7"
            chosen = player.rng.choice((f"card:{rank}{suit}", ranks, f"suit:{suit}", "over-7", "under-7"))
            player.propositions[bet] = {chosen: cents}


def finish(data: Round, rng: random.Random) -> None:
    """Deal from two decks: a card is in one hand at most once, on the board up to three times."""
    one = list(hands.DECK)
    few = rng.sample(one, rng.choice((5, 8, 12))) if rng.random() < 0.5 else one
    shoe = few * 3
    rng.shuffle(shoe)
    rng.shuffle(one)
    one.sort(key=lambda card: card not in few)
    for seat in data["seats"]:
        seat["cards"][:] = [one.pop(0), one.pop(0)]
    data["community"][:] = shoe[:3]
    data["stages"] = [
        {"step": bet, "place": "community", "cards": shoe[: number + 1]} for number, bet in enumerate(_CARDS[:2])
    ]
    data["shoe"] |= {"loaded": 156, "drawn": 6, "left": 150}


LAYOUT = Layout("208.co", own=2, community=3, decks=4, play=play, finish=finish, shoe=True)


def on_card(deal: Deal, card: str, chosen: str, stake: int) -> Line:
    """(13); the ace counts one."""
    (seen,) = hands.known([card])
    rank, suit = seen[0], seen[1]
    kind, _, of = chosen.partition(":")
    if kind in ("over-7", "under-7"):
        number = 1 if rank == "A" else hands.value(card)
        return deal.win(stake) if (number > 7 if kind == "over-7" else number < 7) else LOSE
    won = {"card": card == of, "rank": rank == of, "suit": suit == of and rank != "7"}[kind]
    return deal.win(stake, {"card": 48, "rank": 11, "suit": 3}[kind]) if won else LOSE


def rows(cards: Sequence[str]) -> set[str]:
    """Return all rows that five cards satisfy."""
    rank = hands.five(tuple(sorted(hands.known(cards))))
    same = sorted(Counter(cards).values(), reverse=True)
    shape, _ = hands.grouped([hands.value(card) for card in cards])
    suited = len({card[1] for card in cards}) == 1
    held = {hands.name(rank)} | ({"flush"} if suited else set())
    of_a_rank = (shape[0], shape[1] if len(shape) > 1 else 0)
    for name, count in (("pair", 2), ("three of a kind", 3), ("four of a kind", 4), ("five of a kind", 5)):
        held |= {name} if shape[0] >= count else set()
    held |= {"two pair"} if of_a_rank[0] >= 2 and of_a_rank[1] >= 2 else set()
    held |= {"full house"} if of_a_rank == (3, 2) else set()
    for name, count in (("two identical", 2), ("three identical", 3), ("four identical", 4)):
        held |= {name} if same[0] >= count else set()
    held |= {"two identical pairs"} if len(same) > 1 and same[1] >= 2 else set()
    held |= {"five, four identical"} if shape[0] == 5 and same[0] >= 4 else set()
    held |= {"full house identical"} if same[:2] == [3, 2] else set()
    return held


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    """(13) to (17)."""

    def paid(bet: str, stake: int) -> Line:
        held = rows([*seat.cards, *deal.community])
        return deal.pay(bet, next((row for row in deal.table(bet) if row in held), ""), stake)

    def card(bet: str, index: int, stake: int) -> Line:
        (chosen,) = seat.data["propositions"][bet]
        return on_card(deal, hands.known(deal.community[: index + 1])[-1], chosen, stake)

    return {
        "ante": lambda stake: paid("ante", stake),
        "jackpot": lambda stake: paid("jackpot", stake),
        "card-1": lambda stake: card("card-1", 0, stake),
        "card-2": lambda stake: card("card-2", 1, stake),
        "card-3": lambda stake: card("card-3", 2, stake),
    }
