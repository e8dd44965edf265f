"""Random races: the money equals an independent engine's, adds up to zero, and depends on suits only through the
bets."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_flow.record.result import RoundResult
from protocol.cards import DECK
from rules import settle
from tests.support.dealing.races import GAME, race_money, race_table

TEXTS = [card.text for card in DECK]
SUITS = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
INSIDE = {5: 400, 6: 100, 7: 40, 8: 20, 9: 12, 10: 9, 11: 7, 12: 5, 13: 5, 14: 5, 15: 7, 16: 12}
BETS = [bet.name for bet in GAME.spec.bets if not bet.name.startswith("switch")]


@st.composite
def races(draw: st.DrawFn) -> tuple[list[str], dict[str, int]]:
    """The cards of a race to its end, and bets in quarters whose pays are whole numbers of tokens."""
    cards = draw(st.permutations(TEXTS))
    if draw(st.booleans()):  # long races are rare: take the suits in turn, as far as sixteen
        by_suit = [[card for card in cards if card[1] == suit] for suit in SUITS]
        cards = [card for four in zip(*by_suit, strict=True) for card in four]
    used, columns = 0, dict.fromkeys(SUITS, 0)
    while used < 16 and max(columns.values()) < 5:
        columns[cards[used][1]] += 1
        used += 1
    bets = draw(st.dictionaries(st.sampled_from(BETS), st.integers(1, 20).map(lambda n: 1000 * n), min_size=1))
    return cards[:used], bets


def dealt(cards: list[str], bets: dict[str, int]) -> RoundResult:
    return race_table().bet(1, **bets).start().draw(" ".join(cards)).end()


def expected(cards: list[str], bets: dict[str, int]) -> dict[str, int]:
    """Return the net cents of each bet, computed directly from the pay tables."""
    suit = next((letter for letter in SUITS if sum(card[1] == letter for card in cards) == 5), None)
    ranks = {"A23456789TJQK".index(card[0]) for card in cards if card[1] == suit}
    royal = ranks == {0, 9, 10, 11, 12}
    straight = royal or (suit is not None and max(ranks) - min(ranks) == 4)
    number = len(cards)
    halves = {  # odds in halves of the stake
        "red": 2 * (suit in ("D", "H")),
        "black": 2 * (suit in ("C", "S")),
        "odd": 2 * (number % 2),
        "even": 1 if number == 10 else 2 * (number % 2 == 0),
        "ace-high-flush": 3 * (0 in ranks),
        "straight-flush": 200 * straight,
        "royal-flush": 2000 * royal,
        "range-5-10": 6 * (number <= 10),
        "range-14-16": 4 * (number >= 14),
        **{name: 6 * (suit == letter) for letter, name in SUITS.items()},
        **{f"number-{n}": 2 * odds * (n == number) for n, odds in INSIDE.items()},
    }
    fifths = {"range-11-13": 6 * (11 <= number <= 13)}
    if suit is None:
        halves, fifths = {"number-17": 70}, {}
    net = {}
    for bet, stake in bets.items():
        pay = stake * halves.get(bet, 0) // 2 + stake * fifths.get(bet, 0) // 5
        net[bet] = pay or -stake
    return net


@pytest.mark.more
@given(races())
@settings(max_examples=150)
def test_the_money_is_what_an_engine_written_apart_says(found: tuple[list[str], dict[str, int]]) -> None:
    cards, bets = found
    settlement = settle(dealt(cards, bets), GAME)
    assert settlement.status == "settled"
    assert {bet: net for bet, (_, net) in race_money(settlement).items()} == expected(cards, bets)
    totals = settlement.totals
    assert totals.players + totals.house == totals.meters == 0
    assert totals.players == sum(line.net for line in settlement.lines)
    assert {line.bet: line.stake for line in settlement.lines} == bets
    for line in settlement.lines:
        assert line.net == line.pay + line.returned - line.stake


SWAPS = {"C": "S", "S": "C", "D": "H", "H": "D"}
TURNS = {"C": "D", "D": "C", "H": "S", "S": "H"}


@given(races(), st.sampled_from([SWAPS, TURNS]))
@settings(max_examples=60)
def test_a_swap_of_suits_swaps_their_bets_and_no_others(
    found: tuple[list[str], dict[str, int]], swap: dict[str, str]
) -> None:
    cards, bets = found
    names = {SUITS[letter]: SUITS[swap[letter]] for letter in SUITS}
    if swap is TURNS:
        names |= {"red": "black", "black": "red"}
    other = dealt([card[0] + swap[card[1]] for card in cards], {names.get(bet, bet): c for bet, c in bets.items()})
    one = race_money(settle(dealt(cards, bets), GAME))
    assert race_money(settle(other, GAME)) == {names.get(bet, bet): value for bet, value in one.items()}
