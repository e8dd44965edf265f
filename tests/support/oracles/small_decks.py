"""Every deal of a small deck, one after the other, with the ranking that settles bets: an oracle for exact counts."""

from collections import Counter
from itertools import combinations

from protocol.cards import CARDS, Card
from rules.hands.longest_flush import longest_flush
from rules.odds.against.showdown import DealShape, Pattern

Outcomes = Counter[str | int]
Hand = frozenset[Card]


def deck_of(deal: DealShape) -> list[Card]:
    return [CARDS[suit << 4 | (1 if rank == 14 else rank)] for suit in (1, 2, 3, 4) for rank in (2, *deal.ranks)]


def by_hand(deal: DealShape, wild_kicker: str) -> dict[Hand, Outcomes]:
    """Return, by player's hand, the number of ways to each outcome: "tie", "lose", and the margin of a win in cards, 0
    on the kickers."""
    deck, readings = deck_of(deal), {"wild-kicker": wild_kicker}
    strengths = {
        frozenset(cards): longest_flush(cards, readings).strength
        for cards in combinations(deck, deal.own + deal.community)
    }
    found: dict[Hand, Outcomes] = {}
    for own in map(frozenset, combinations(deck, deal.own)):
        outcomes: Outcomes = Counter()
        for community in map(frozenset, combinations([card for card in deck if card not in own], deal.community)):
            mine = strengths[own | community]
            rest = [card for card in deck if card not in own and card not in community]
            for dealer in combinations(rest, deal.own):
                theirs = strengths[community.union(dealer)]
                if mine == theirs:
                    outcomes["tie"] += 1
                elif mine < theirs:
                    outcomes["lose"] += 1
                else:
                    outcomes[mine[0] - theirs[0]] += 1
        found[own] = outcomes
    return found


def place_of(hand: Hand, deal: DealShape) -> tuple[Pattern, tuple[int, ...]]:
    """Return the pattern of a hand and its place in the pattern: the set of ranks of each suit, most cards first."""
    suits = [
        tuple(sorted(14 if card.rank == 1 else card.rank or 0 for card in hand if card.suit == suit and card.rank != 2))
        for suit in "CDHS"
    ]
    suits.sort(key=len, reverse=True)
    index = tuple(list(combinations(deal.ranks, len(ranks))).index(ranks) for ranks in suits)
    return Pattern(sum(card.rank == 2 for card in hand), tuple(map(len, suits))), index
