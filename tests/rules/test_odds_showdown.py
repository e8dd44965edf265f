"""The count of every showdown, beside plain enumeration of small decks with the ranking that settles bets."""

from collections import Counter
from itertools import combinations

import pytest

np = pytest.importorskip("numpy", reason="pip install 'dealwire[odds]'")

from protocol.cards import CARDS, Card  # noqa: E402
from rules.hands.longest_flush import longest_flush  # noqa: E402
from rules.odds.showdown import Deal, Pattern, Showdowns, patterns, showdowns  # noqa: E402

Outcomes = Counter[str | int]


def deck_of(deal: Deal) -> list[Card]:
    return [CARDS[suit << 4 | (1 if rank == 14 else rank)] for suit in (1, 2, 3, 4) for rank in (2, *deal.ranks)]


def by_hand(deal: Deal, wild_kicker: str) -> dict[frozenset[Card], Outcomes]:
    """Every deal of the deck, one after the other."""
    deck, readings = deck_of(deal), {"wild-kicker": wild_kicker}
    strengths = {
        frozenset(cards): longest_flush(cards, readings).strength
        for cards in combinations(deck, deal.own + deal.community)
    }
    found: dict[frozenset[Card], Outcomes] = {}
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
                    outcomes["kickers" if mine[0] == theirs[0] else mine[0] - theirs[0]] += 1
        found[own] = outcomes
    return found


def place_of(hand: frozenset[Card], deal: Deal) -> tuple[Pattern, tuple[int, ...]]:
    """The pattern of a hand, and where in it the hand stands: the set of ranks of each suit, most cards first."""
    suits = sorted(
        (tuple(sorted(14 if card.rank == 1 else card.rank or 0 for card in hand if card.suit == suit and card.rank != 2)))
        for suit in "CDHS"
    )
    suits.sort(key=len, reverse=True)
    index = tuple(list(combinations(deal.ranks, len(ranks))).index(ranks) for ranks in suits)
    return Pattern(sum(card.rank == 2 for card in hand), tuple(map(len, suits))), index


def counted(found: Showdowns, index: tuple[int, ...], deal: Deal) -> Outcomes:
    outcomes: Outcomes = Counter({margin: ways for margin, ways in enumerate(found.by_length) if ways})
    outcomes["kickers"], outcomes["tie"] = int(found.by_kickers[index]), int(found.ties[index])
    outcomes["lose"] = deal.completions - outcomes.total()
    return +outcomes


@pytest.mark.parametrize(
    ("deal", "wild_kicker"),
    [
        pytest.param(Deal(own=3, community=2, ranks=(5, 9, 14)), "highest-absent", marks=pytest.mark.slow),
        pytest.param(Deal(own=2, community=2, ranks=(3, 8, 13, 14)), "ace", marks=pytest.mark.slow),
        (Deal(own=2, community=2, ranks=(8, 13, 14)), "highest-absent"),
        (Deal(own=2, community=2, ranks=(8, 13, 14)), "ace"),
        (Deal(own=2, community=2, ranks=(8, 13, 14)), "lowest"),
        (Deal(own=3, community=1, ranks=(4, 14)), "ace"),
        (Deal(own=4, community=1, ranks=(4, 14)), "highest-absent"),
    ],
)
def test_every_deal_of_a_small_deck(deal: Deal, wild_kicker: str) -> None:
    table = {pattern: showdowns(deal, pattern, wild_kicker) for pattern in patterns(deal)}
    seen: Counter[Pattern] = Counter()
    for hand, outcomes in by_hand(deal, wild_kicker).items():
        pattern, index = place_of(hand, deal)
        seen[pattern] += 1
        assert counted(table[pattern], index, deal) == outcomes, sorted(hand)
    assert seen == {pattern: found.ties.size * pattern.copies for pattern, found in table.items()}
    assert seen.total() == deal.hands


def test_the_patterns_of_five_cards_cover_every_hand() -> None:
    sizes = {pattern: pattern.copies for pattern in patterns(Deal())}
    assert len(sizes) == 17
    ways = (1, 12, 66, 220, 495, 792)  # 12 ranks a suit, taken 0 to 5 at a time
    hands = sum(copies * int(np.prod([ways[n] for n in pattern.suits])) for pattern, copies in sizes.items())
    assert hands == Deal().hands == 2_598_960
    assert Deal().completions == 1081 * 1_221_759
