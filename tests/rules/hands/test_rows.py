"""Rows of a pay table and the hands they match: which of several rows pays."""

from pathlib import Path

import pytest

from protocol.cards import parse_cards
from protocol.tomlfile import TomlFileError
from rules.hands import ranking
from rules.paytables.paytable import flatten, load_paytable


def paid(folder: Path, ranked_by: str, cards: str, *rows: str, kind: str = "") -> str | None:
    """Return the row of a table with these rows that pays these cards; a row is `WHEN = PAYS`, with its group after a
    bar."""
    found = ranking(ranked_by)
    lines = [
        'schema = "dealwire.paytable/1"',
        'id = "T"',
        'title = "t"',
        f'kind = "{kind or found.vocabulary}"',
        'bare = "to"',
    ]
    for row in rows:
        when, pays = row.rsplit(" = ", 1)
        lines += ["[[rows]]", f'when = "{when}"', f"pays = {pays}", 'clause = "c"']
    file = folder / "T.toml"
    file.write_text("\n".join(lines))
    row_paid = flatten(load_paytable(file))[found.rank(parse_cards(cards), {}).key]
    return row_paid.when if row_paid else None


SIX_CARD = (  # 47.1-1017.22(8), as printed
    "six of a kind = 1000",
    "royal flush = 500",
    "straight flush = 100",
    "five of a kind = 25",
    "6-card flush = 10",
    "four of a kind = 7",
    "full house = 7",
    "6-card straight = 6",
    "flush = 5",
    "three pairs = 4",
    "straight = 3",
    'three of a kind = "3 to 2"',
    "two pair = 1",
    'pair of aces or kings = "push"',
)
FOUR_CARD_BONUS = (  # 47.1-1017.48(15), table 2b
    "four aces = 1000",
    "four of a kind = 200",
    "straight flush = 100",
    "3-card straight flush = 20",
    "three of a kind = 10",
    "straight or flush = 4",
    "two pair = 2",
    "3-card straight or 3-card flush = 1",
)
ANTE_208 = (  # 47.1-1017.32(17)(b)
    "royal flush = 1000",
    "straight flush = 250",
    "three identical = 25",
    "four of a kind = 20",
    "flush = 10",
    "two identical pairs = 8",
    "full house = 6",
    "straight = 6",
    "three of a kind = 2",
    "two pair = 1",
    "two identical = 1",
    'pair = "push"',
)
JACKPOT_208 = (  # (17)(a)
    "five of a kind with four identical = 5000",
    "four identical = 3000",
    "five of a kind = 2500",
    "full house identical = 1500",
)
FORTUNE_11 = (  # 47.1-1017.50(14), fully wild, schedule 11
    "five aces = 500",
    "five of a kind = 200",
    "royal flush = 100",
    "straight flush = 50",
    "straight flush with joker = 30",
    "four of a kind = 10",
    "full house = 5",
    "flush = 4",
    "straight = 2",
)
TREASURE = (  # 47.1-1017.49 Appendix A, table A
    "natural 7-card straight flush = 5000",
    "royal flush and suited ace-king = 1000",
    "7-card straight flush with joker = 750",
    "five aces = 250",
    "royal flush = 100",
    "straight flush = 50",
    "four of a kind = 20",
    "full house = 5",
    "flush = 4",
    "three of a kind = 3",
    "straight = 2",
    'three pairs = "push"',
)
INSURANCE = tuple(
    f"{rank} high = {pay}"
    for rank, pay in zip(("nine", "ten", "jack", "queen", "king", "ace"), (400, 40, 20, 5, 3, 2), strict=False)
)
HOLE_CARDS = (  # 47.1-1017.39(23), schedule I
    "A-A and dealer's A-A = 1000",
    "A-A = 30",
    "A-K suited = 25",
    "A-Q suited or A-J suited = 20",
    "A-K unsuited = 15",
    "K-K to J-J = 10",
    "A-Q unsuited or A-J unsuited = 5",
    "10-10 to 2-2 = 3",
)
WILD_SIX = (  # 47.1-1017.42(12)(b)
    "natural royal flush = 500",
    "five of a kind = 100",
    "wild royal flush = 80",
    "straight flush = 50",
    "four of a kind = 20",
    "three of a kind = 3",
    "pair of queens or better = 1",
)
BOSTON_7 = (  # 47.1-1017.34(13)(b)
    '7-card royal flush = "$25,000"',
    '6-card royal flush = "$5,000"',
    "royal flush = 500",
    "straight flush = 100",
)
BONUS_6 = (  # 47.1-1017.28(11), option C
    "royal flush = 500",
    "straight flush = 100",
    "four aces = 100",
    "four 2s to 4s = 75",
    "four 5s to kings = 50",
    "full house = 20",
    "flush = 6",
    "straight = 4",
    "three of a kind = 3",
    "two pair = 2",
    "pair of 6s or better = 1",
)
COLORADO = (  # 47.1-1017.16(6)(e)
    "royal flush = 1000",
    "straight flush = 200",
    "three of a kind on the deal = 5",
    "3-card straight flush on the deal = 5",
    "three of a kind = 3",
    "two pair = 2",
    "pair of 10s or better = 1",
    'pair of 7s to 9s = "push"',
)
HIGH_FIVE = (  # 47.1-1017.45(16)
    "five aces = 200",
    "royal flush = 100",
    "four of a kind = 40",
    "full house, aces full = 20",
    "full house = 7",
    "three of a kind = 1",
)
QUICK_DRAW = (  # 47.1-1017.51
    "four of a kind suited = 200",
    "royal flush = 100",
    "straight flush = 50",
    "four of a kind = 20",
    "straight = 5",
    "flush = 4",
    "three of a kind = 3",
    "two pair = 2",
    "suited pair = 1",
    "pair of jacks or better = 1",
    "pair of 8s or better = 1",
    "pair = 1",
)
PROGRESSIVE = (  # 47.1-1017.24(17)
    'mini royal in spades = "100 % of meter"',
    'mini royal in hearts, diamonds or clubs = "500 for 1"',
    'straight flush = "70 for 1"',
    'three of a kind = "60 for 1"',
    'straight = "6 for 1"',
)
UTH = (  # 47.1-1017.47(14), progressive 1
    'royal flush in the first 5 = "100 % of meter"',
    'royal flush = "5 % of meter"',
    'community royal flush = "3000 for 1"',
    'straight flush = "250 for 1"',
)
RIVER = (  # 47.1-1017.18(6)
    "royal flush = 25",
    "straight flush = 15",
    "four of a kind = 5",
    "full house = 5",
    "flush = 2",
    "straight = 2",
    "8 or better low = 1",
)
SEVEN = ("three of a kind = 2", "two pair, tens or better = 1")  # 47.1-1017.37(10), schedule 5


@pytest.mark.parametrize(
    ("rows", "ranked_by", "cards", "row"),
    [
        (SIX_CARD, "six-card", "AS AS AS AH AH AD", "six of a kind"),
        (SIX_CARD, "six-card", "AS KS QS JS TS 9S", "royal flush"),
        (SIX_CARD, "six-card", "8S KS QS JS TS 9S", "straight flush"),
        (SIX_CARD, "six-card", "8S KS QS JS 4S 9S", "6-card flush"),
        (SIX_CARD, "six-card", "8S KD QH JS TS 9D", "6-card straight"),
        (SIX_CARD, "six-card", "8S 8D 8H JS JC JS", "full house"),
        (SIX_CARD, "six-card", "8S 8D 7H 7S JC JS", "three pairs"),
        (SIX_CARD, "six-card", "KS KD 7H 2S JC 4S", "pair of aces or kings"),
        (SIX_CARD, "six-card", "QS QD 7H 2S JC 4S", None),
        (FOUR_CARD_BONUS, "four-card-bonus", "AS AD AC AH", "four aces"),
        (FOUR_CARD_BONUS, "four-card-bonus", "5S 6S 7S 7H", "3-card straight flush"),
        (FOUR_CARD_BONUS, "four-card-bonus", "5S 6S 7S 8H", "3-card straight flush"),
        (FOUR_CARD_BONUS, "four-card-bonus", "5S 6S 7H 8H", "straight or flush"),
        (FOUR_CARD_BONUS, "four-card-bonus", "5S 6D 7H 7C", "3-card straight or 3-card flush"),
        (FOUR_CARD_BONUS, "four-card-bonus", "5S 9S KS 7C", "3-card straight or 3-card flush"),
        (FOUR_CARD_BONUS, "four-card-bonus", "7S 7D 7H KC", "three of a kind"),
        (ANTE_208, "208", "9H 9H 9H 9D 9S", "three identical"),
        (ANTE_208, "208", "9H 9H 9D 9D 9S", "four of a kind"),
        (ANTE_208, "208", "9H 9H KD KD 9S", "two identical pairs"),
        (ANTE_208, "208", "9H 9H 2H 3H KH", "flush"),
        (ANTE_208, "208", "9H 9H 2C 3H KH", "two identical"),
        (ANTE_208, "208", "9H 9D 2C 3H KH", "pair"),
        (JACKPOT_208, "208", "9H 9H 9H 9H 9S", "five of a kind with four identical"),
        (JACKPOT_208, "208", "9H 9H 9H 9H KS", "four identical"),
        (JACKPOT_208, "208", "9H 9H 9H KS KS", "full house identical"),
        (JACKPOT_208, "208", "9H 9H 9H KS KD", None),
        (FORTUNE_11, "fortune-wild", "AS AD AC AH X1 2C 3D", "five aces"),
        (FORTUNE_11, "fortune-wild", "KS KD KC KH X1 2C 3D", "five of a kind"),
        (FORTUNE_11, "fortune-wild", "5S 6S 7S 8S 9S KD 2C", "straight flush"),
        (FORTUNE_11, "fortune-wild", "5S 6S 7S X1 9S KD 2C", "straight flush with joker"),
        (FORTUNE_11, "fortune-wild", "5S 6S 7S 8S 9S X1 2C", "straight flush"),
        (FORTUNE_11, "fortune-wild", "5S 6S 7S 8S 9S TS JS", "straight flush"),
        (TREASURE, "emperors-treasure", "X1 KH QH JH TH AS KS", "royal flush and suited ace-king"),
        (TREASURE, "emperors-treasure", "5S 6S 7S 8S 9S TS JS", "natural 7-card straight flush"),
        (TREASURE, "emperors-treasure", "5S 6S 7S 8S X1 TS JS", "7-card straight flush with joker"),
        (TREASURE, "emperors-treasure", "5S 5D 5H 6C 7D 8S 9C", "three of a kind"),
        (TREASURE, "emperors-treasure", "5S 5D 6H 6C 7D 7S 9C", "three pairs"),
        (TREASURE, "emperors-treasure", "AS AD AC AH X1 2C 3D", "five aces"),
        (INSURANCE, "emperors", "2S 3D 4H 6C 7D 8S 9C", "nine high"),
        (INSURANCE, "emperors", "2S 3D 4H X1 7D 8S 9C", "ace high"),
        (INSURANCE, "emperors", "2S 3D 4H X1 6D 8S 9C", None),  # the joker completes 2-3-4-5-6
        (INSURANCE, "emperors", "2S 3S 4S X1 7S 9S KC", None),  # and a flush
        (INSURANCE, "emperors", "2S 2D 4H 6C 7D 8S JC", None),
        (HOLE_CARDS, "hole-cards", "AS AD AC AH", "A-A and dealer's A-A"),
        (HOLE_CARDS, "hole-cards", "AS AD AC KH", "A-A"),
        (HOLE_CARDS, "hole-cards", "AS KS", "A-K suited"),
        (HOLE_CARDS, "hole-cards", "JS AS", "A-Q suited or A-J suited"),
        (HOLE_CARDS, "hole-cards", "JD AS", "A-Q unsuited or A-J unsuited"),
        (HOLE_CARDS, "hole-cards", "JD JS", "K-K to J-J"),
        (HOLE_CARDS, "hole-cards", "TD TS", "10-10 to 2-2"),
        (HOLE_CARDS, "hole-cards", "TD 9S", None),
        (WILD_SIX, "wild-six", "AS KS QS JS TS X1", "natural royal flush"),
        (WILD_SIX, "wild-six", "AS KS QS JS X1", "wild royal flush"),
        (WILD_SIX, "wild-six", "KS KD KC X1 X2", "five of a kind"),
        (WILD_SIX, "wild-six", "QS 2D 3C 7C X2", "pair of queens or better"),
        (WILD_SIX, "wild-six", "JS 2D 3C 7C X2", None),
        (BOSTON_7, "boston-7", "AS KS QS JS TS 9S 8S", "7-card royal flush"),
        (BOSTON_7, "boston-7", "AS KS QS JS TS 9S 8D", "6-card royal flush"),
        (BOSTON_7, "boston-7", "AS KS QS JS TS 9D 8S", "royal flush"),
        (BOSTON_7[2:], "boston-7", "AS KS QS JS TS 9S 8S", "royal flush"),
        (BONUS_6, "poker", "3S 3D 3H 3C KD", "four 2s to 4s"),
        (BONUS_6, "poker", "AS AD AH AC KD 2C", "four aces"),
        (BONUS_6, "poker", "6S 6D AH KC QD 2C", "pair of 6s or better"),
        (BONUS_6, "poker", "5S 5D AH KC QD 2C", None),
        (BONUS_6, "poker", "5S 5D AH AC QD 2C", "two pair"),
        (COLORADO, "three-card", "5S 6S 7S", "3-card straight flush on the deal"),
        (COLORADO, "three-card", "AS KS QS", "3-card straight flush on the deal"),
        (COLORADO, "three-card", "7D 7H 7S", "three of a kind on the deal"),
        (COLORADO, "poker", "7D 7H 7S KD 2D", "three of a kind"),
        (COLORADO, "poker", "7D 7H QS KD 2D", "pair of 7s to 9s"),
        (COLORADO, "poker", "TD TH QS KD 2D", "pair of 10s or better"),
        (COLORADO, "poker", "5S 6S 7S 8S 9S", "straight flush"),
        (HIGH_FIVE, "poker-bug", "AS AD X1 9S 9D 4C 3D", "full house, aces full"),
        (HIGH_FIVE, "poker-bug", "9C AD X1 9S 9D 4C 3D", "full house"),
        (QUICK_DRAW, "quick-draw", "8S 8S QD 2C", "suited pair"),
        (QUICK_DRAW, "quick-draw", "JS JD QD 2C", "pair of jacks or better"),
        (QUICK_DRAW, "quick-draw", "8S 8D QD 2C", "pair of 8s or better"),
        (QUICK_DRAW, "quick-draw", "7S 7D QD 2C", "pair"),
        (QUICK_DRAW, "quick-draw", "AS KS QS JS", "royal flush"),
        (QUICK_DRAW, "quick-draw", "7S 7S 7S 7S", "four of a kind suited"),
        (PROGRESSIVE, "three-card", "AS KS QS", "mini royal in spades"),
        (PROGRESSIVE, "three-card", "AH KH QH", "mini royal in hearts, diamonds or clubs"),
        (PROGRESSIVE, "three-card", "JH KH QH", "straight flush"),
        (UTH, "poker-in-order", "AS KS QS JS TS 2D 3D", "royal flush in the first 5"),
        (UTH, "poker-in-order", "AS KS QS JS 2D TS 3D", "royal flush"),
        (UTH, "poker-in-order", "2D 3D AS KS QS JS TS", "community royal flush"),
        (RIVER, "poker-western", "AS 2D 4H 6C 8D", "8 or better low"),
        (RIVER, "poker-western", "AS 2D 4H 3C 5D", "straight"),
        (RIVER, "poker-western", "AS 2S 4S 6S 8S", "flush"),
        (RIVER, "poker-western", "AS 2D 4H 6C 9D", None),
        (SEVEN, "poker", "TS TD 4H 4C 9D 2S AS", "two pair, tens or better"),
        (SEVEN, "poker", "9S 9D 4H 4C TD 2S AS", None),
        (("mini royal = 50", "straight flush = 40"), "three-card", "AS KS QS", "mini royal"),
        (("straight flush = 40", "straight = 6"), "three-card", "AS KS QS", "straight flush"),
        (("royal flush = 100", "straight flush = 40"), "three-card", "AS KS QS", "royal flush"),
        (("10 to 12 = 2", "20 or more = 3"), "points", "AS KS QD", "20 or more"),
        (("21 = 9", "20 or more = 3"), "points", "AS KS QD TD", "20 or more"),
    ],
)
def test_the_row_that_pays(tmp_path: Path, rows: tuple[str, ...], ranked_by: str, cards: str, row: str | None) -> None:
    assert paid(tmp_path, ranked_by, cards, *rows) == row


def test_a_row_that_means_nothing_is_named_with_what_is_allowed(tmp_path: Path) -> None:
    with pytest.raises(TomlFileError, match="'five jacks' is not for a poker table; allowed: 'royal flush'"):
        paid(tmp_path, "poker", "AS KS QS JS TS", "five jacks = 3")
