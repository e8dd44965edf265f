"""House ways: hands set by a reader of the printed paragraphs, and invalid files."""

from functools import partial
from pathlib import Path

import pytest

from docs._print.clauses import single
from protocol.cards import parse_card
from protocol.tomlfile import TomlFileError
from rules import load_game
from rules.game.house_ways import HOUSEWAYS, houseway_ids, load_houseway
from tests.support.reading.each import of_each
from tests.support.reading.paragraphs import known

KNOWN = known()
EMPERORS, SPLIT = "emperors-challenge", "three-card-split"


def low_by(way: str, cards: str) -> set[str]:
    """Return the low hands that a way allows."""
    game = load_game(f"{way}.co")
    parts = game.spec.sets[0]
    held = [parse_card("X1" if card == "JK" else card) for card in cards.split()]
    low, rest = (partial(game.ranking_of(part, {}).rank, readings={}) for part in (parts.low, parts.rest))
    found = load_houseway(way).settings(held, low, rest)
    assert found is not None
    return {" ".join(card.text for card in setting.low) for setting in found[1]}


@of_each(
    "cards, low",
    [
        ("AS KD JC 9H 7D 4S 2C", "KD JC"),  # (a)
        ("JK KD JC 9H 7D 4S 2C", "KD JC"),  # (a), the joker alone is the ace
        ("QS QD AC KH 7D 4S 2C", "AC KH"),  # (b)
        ("5S 5D 3C 3H KD 9S 8C", "KD 9S"),  # (c) low and low, a king
        ("5S 5D 3C 3H QD 9S 8C", "3C 3H"),  # (c) low and low, no king
        ("9S 9D 3C 3H AD JS 8C", "AD JS"),  # (c) low and medium, an ace
        ("9S 9D 3C 3H QD JS 8C", "3C 3H"),  # (c) low and medium, no king
        ("QS QD 3C 3H KD JS 8C", "3C 3H"),  # (c) low and high: a king is not enough
        ("QS QD 3C 3H AD JS 8C", "AD JS"),  # (c) low and high, an ace
        ("TS TD 8C 8H AD JS 4C", "AD JS"),  # (c) medium and medium, an ace
        ("TS TD 8C 8H KD JS 4C", "8C 8H"),  # (c) medium and medium, a king
        ("QS QD 8C 8H AD JS 4C", "8C 8H"),  # (c) medium and high
        ("KS KD JC JH AD TS 4C", "JC JH"),  # (c) high and high
        ("AS AD 2C 2H KD JS 8C", "2C 2H"),  # (c) aces and any other pair
        ("TS TD 7C 7H 4S 4D 2C", "TS TD"),  # (d)
        ("8S 8D 8C KH QS 5D 2C", "KH QS"),  # (e)
        ("9S 9D 9C 4H 4S 4D KC", "9S 9D|9S 9C|9D 9C"),  # (f)
        ("4S 5D 6C 7H 8S KD JC", "KD JC"),  # (g)(i)
        ("3S 5S 9S JS KS QD TC", "QD TC"),  # (g)(i) flush, no straight
        ("4S 5D 6C 7H 8S 9D TC", "9D TC"),  # (g)(ii) the lower straight
        ("4S 5S 8S 9S KS QS 2D", "KS 2D"),  # (g)(ii) five of the six spades are needed behind
        ("4S 5D 6C 7H 8S KD KC", "KD KC"),  # (g)(iii)
        ("4S 5D 6C 7H 8S 8D 8H", "8S 8D|8S 8H|8D 8H"),  # (g)(vi)
        ("4S 5D 6C 7H 8S 8D 7C", "7H 7C"),  # (g)(iv) low and medium pairs go by their rule
        ("9S 9D 9C 4H 4S KD 7S", "4H 4S"),  # (h)
        ("9S 9D 9C 2H 2S KD AS", "KD AS"),  # (h) twos, an ace and a king
        ("9S 9D 9C 2H 2S KD QS", "2H 2S"),  # (h) twos, no ace
        ("9S 9D 9C 4H 4S 7D 7S", "7D 7S"),  # (i)
        ("6S 6H 6D 6C KD QH 2S", "KD QH"),  # (k)(i)
        ("8S 8H 8D 8C KD QH 2S", "KD QH"),  # (k)(ii)
        ("8S 8H 8D 8C JD QH 2S", "8S 8H|8S 8D|8S 8C|8H 8D|8H 8C|8D 8C"),  # (k)(ii)
        ("AS AH AD AC KD QH 2S", "AS AH|AS AD|AS AC|AH AD|AH AC|AD AC"),  # (k)(iv)
        ("8S 8H 8D 8C 3D 3H KS", "3D 3H"),  # (l)
        ("8S 8H 8D 8C 3D 3H 3S", "3D 3H|3D 3S|3H 3S"),  # (m)
        ("AS AH AD AC JK KD KH", "KD KH"),  # (n)
    ],
)
def test_hands_set_by_the_printed_way_of_emperors_challenge(cards: str, low: str) -> None:
    assert low_by(EMPERORS, cards) == set(low.split("|"))


@pytest.mark.parametrize(
    ("cards", "low"),
    [
        ("8S 8C 8D", "8D"),  # a: the two black ones are high
        ("8H 8C 8D", "8C"),  # a: the two red ones
        ("4S 5H 6C", "6C"),  # b, printed
        ("2H 7H 9H", "9H"),  # b, printed
        ("9H 9C TC", "TC"),  # c, printed
        ("9S KS QH", "QH"),  # c, printed
        ("2C AS KC", "KC"),  # c, printed
        ("9H TC TS", "TC"),  # c, printed
        ("4H 5H 4C", "4C"),  # d, printed
        ("7S TS 5H", "5H"),  # d, printed
        ("7C 8H 5C", "5C"),  # d, printed
        ("AS TD 6C", "TD"),  # f
        ("AH KD QH", "AH"),  # b before c: a straight
        ("AH KH TC", "TC"),  # e: ace and king suited are the highest high hand
        ("QH QD AH", "AH"),  # e: the pair, not the ace and queen suited, leaves the ace
    ],
)
def test_hands_set_by_the_printed_way_of_three_card_split(cards: str, low: str) -> None:
    assert low_by(SPLIT, cards) == {low}


@pytest.mark.parametrize("way", houseway_ids())
def test_every_way_is_a_file_whose_rules_cite_its_clause(way: str) -> None:
    spec = load_houseway(way).spec
    assert all(rule.clause.startswith(spec.clause) for rule in spec.rules)
    cited = {clause for rule in spec.rules for clause in single(rule.clause)}
    assert [clause for clause in cited if clause[1] not in KNOWN[clause[0]]] == []


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("groups = [5, 2]", "group = [5, 2]", "rules[1].group: unknown key"),
        ('ranks = ["A", "K"]', 'ranks = ["A", "1"]', "rules[1].ranks: '1' is not a rank"),
        ('ranks = ["A", "K"]', 'ranks = ["A", "K", "Q"]', "rules[1].ranks: 3 ranks of 2 groups"),
        ('rest = "five aces"', 'rest = "six aces"', "rules[1].rest: 'six aces' is not a row"),
        ("cards = 7", "cards = 2", "low: 2 of 2 cards"),
        ('rest = "five aces"', 'holds = "flush"', "rules[1].holds: needs a `ranking`"),
    ],
)
def test_a_wrong_way_is_named_with_file_line_key_and_what_is_allowed(
    tmp_path: Path, before: str, after: str, why: str
) -> None:
    text = (HOUSEWAYS / f"{EMPERORS}.toml").read_text()
    assert before in text
    file = tmp_path / f"{EMPERORS}.toml"
    file.write_text(text.replace(before, after, 1))
    with pytest.raises(TomlFileError, match=r"allowed|needs") as caught:
        load_houseway(file)
    assert why in str(caught.value)
    assert f"{EMPERORS}.toml:" in str(caught.value)


def test_a_way_that_asks_for_no_reading_keeps_the_hash_it_had() -> None:
    """Journals contain this hash, from before a rule could depend on a reading."""
    before = "ed691f96bb82276c554bb93102db4fc6f73c52789687b1c4fbbc065716eab024"
    assert load_houseway(SPLIT).sha256 == before


def test_a_way_that_nobody_wrote() -> None:
    with pytest.raises(TomlFileError, match="no such house way; allowed: emperors-challenge, three-card-split"):
        load_houseway("best")
