"""One card, one byte, one text."""

import pytest

from protocol import cards
from protocol.cards import CARDS, DECK, Card, parse_card, parse_cards, spell_cards


@pytest.mark.parametrize(
    ("code", "text", "suit", "rank"),
    [
        (0x11, "AC", "C", 1), (0x1D, "KC", "C", 13), (0x22, "2D", "D", 2), (0x2A, "TD", "D", 10),
        (0x31, "AH", "H", 1), (0x3C, "QH", "H", 12), (0x41, "AS", "S", 1), (0x4B, "JS", "S", 11), (0x49, "9S", "S", 9),
    ],
)  # fmt: skip
def test_codes_of_the_deck(code: int, text: str, suit: str, rank: int) -> None:
    card = CARDS[code]
    assert (card, card.text, str(card), card.suit, card.rank) == (code, text, text, suit, rank)
    assert card.is_playing
    assert card.is_face
    assert not card.is_joker
    assert parse_card(text) is card


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (0x00, "--"), (0x51, "X1"), (0x54, "X4"), (0x60, "??"), (0x61, "?^"), (0x62, "?#"), (0x63, "||"), (0x64, "__"),
        (0x65, "=="), (0x10, "0x10"), (0x1E, "0x1E"), (0x50, "0x50"), (0x55, "0x55"), (0x66, "0x66"), (0xFF, "0xFF"),
    ],
)  # fmt: skip
def test_codes_beside_the_deck(code: int, text: str) -> None:
    card = CARDS[code]
    assert card.text == text
    assert (card.suit, card.rank, card.is_playing) == (None, None, False)
    assert card.is_joker == card.is_face == text.startswith("X")
    assert parse_card(text) is card


def test_every_code_has_one_text_and_back() -> None:
    assert len({card.text for card in CARDS}) == 256
    for code in range(256):
        assert parse_card(CARDS[code].text) == code


def test_the_deck_is_every_rank_in_every_suit() -> None:
    assert len(DECK) == len(set(DECK)) == 52
    assert {(card.suit, card.rank) for card in DECK} == {(suit, rank) for suit in "CDHS" for rank in range(1, 14)}
    assert [card for card in CARDS if card.is_playing] == list(DECK)
    assert [card.text for card in CARDS if card.is_joker] == ["X1", "X2", "X3", "X4"]


def test_lists_of_cards() -> None:
    hand = parse_cards("AS TD 2C ??")
    assert hand == (0x41, 0x2A, 0x12, 0x60)
    assert parse_cards(["AS", "TD", "2C", "??"]) == hand
    assert spell_cards(bytes(hand)) == ["AS", "TD", "2C", "??"]
    assert parse_cards("") == ()
    assert bytes(hand) == b"\x41\x2a\x12\x60"


@pytest.mark.parametrize("text", ["", "10S", "1S", "SA", "as", "A", "ASS", "ZZ", "0x11"])
def test_what_is_no_card_is_refused_with_what_is(text: str) -> None:
    with pytest.raises(ValueError, match="not a card") as caught:
        parse_card(text)
    assert repr(text) in str(caught.value)
    assert "rank (A23456789TJQK) then a suit (CDHS)" in str(caught.value)


def test_a_card_shows_itself() -> None:
    assert repr(Card(0x41)) == "Card('AS')"
    assert (cards.NONE, cards.UNREAD, cards.CUT_CARD, cards.DUPLICATE) == (0, 0x60, 0x63, 0x65)
    assert f"{cards.FOREIGN_BACK} {cards.FACE_UP} {cards.BLANK}" == "?# ?^ __"
