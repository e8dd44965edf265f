"""Ranking files: every error is one line with file, line, key and allowed values."""

import re
from pathlib import Path

import pytest

from protocol.cards import parse_cards
from protocol.tomlfile import TomlFileError
from rules.hands import UnknownRanking, ranking, ranking_ids
from rules.hands.poker import RANKINGS, PokerRanking, load_ranking, ranking_files
from rules.paytables.conditions import CONDITIONS
from tests.support.reading.each import of_each

GOOD = """\
schema = "dealwire.ranking/1"
id = "mine"
title = "Mine"
clause = "house rules"
cards = [3, 7]
uses = 3
order = [
    "straight flush",
    "pair",
    "high card",
]
"""


def test_a_file_of_a_users_own_ranks(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(GOOD)
    found = load_ranking(path)
    assert found.rank(parse_cards("2S 3S 4S KD KC KH"), {}).text == "straight flush, four high"
    assert found.rank(parse_cards("2S 3S 5S KD KC KH"), {}).text == "pair of kings"


@pytest.mark.parametrize(
    ("was", "now", "line", "why"),
    [
        ('id = "mine"', 'id = "yours"', 2, "id: is 'yours'; the file's name requires 'mine'"),
        ("cards = [3, 7]", "cards = [7, 3]", 5, "cards: the minimum 7 is above the maximum 3"),
        ("uses = 3", "uses = 8", 6, "uses: 8 cards make a hand, and it takes at most 7"),
        ("uses = 3", "uses = 10", 6, "uses: "),
        ("uses = 3", 'uses = 3\njokers = "tame"', 7, "jokers: "),
        ("uses = 3", "uses = 3\nwild = 2", 7, "wild: unknown key; allowed: "),
        ('    "pair"', '    "pear"', 9, "order[2]: no category 'pear'; allowed: 'natural ', 'N-card '"),
        ('    "pair"', '    "6-card pair"', 9, "order[2]: no category '6-card pair'; allowed: "),
        ('    "pair"', '    "straight flush"', 9, "order[2]: 'straight flush' appears twice"),
        ('    "high card",\n', "", 7, "order: some hands would have no rank; the last category must be 'high card'"),
        ("uses = 3", 'uses = 3\nalso = ["five queens"]', 7, "also[1]: no category 'five queens'; allowed: "),
        (
            "]\n",
            ']\n[words]\n"flush" = "colour"\n',
            13,
            "words.flush: is not a category of this file; allowed: straight",
        ),
        ("]\n", ']\n[by-reading.x]\ny = "mine"\n', 13, "by-reading.x.y: no other ranking 'mine' next to this file"),
        ("]\n", ']\n[by-reading.x]\ny = "poker"\n', 13, "by-reading.x.y: no other ranking 'poker' next to this file"),
        ("]\n", ']\n[places]\n"royal flush in the first 9" = [0, 9]\n', 12, "no category at cards 0 to 9 of 7; "),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path: Path, was: str, now: str, line: int, why: str) -> None:
    path = tmp_path / "mine.toml"
    assert was in GOOD
    head, _, tail = GOOD.rpartition(was)
    path.write_text(head + now + tail)
    with pytest.raises(TomlFileError, match=re.escape(why)) as caught:
        load_ranking(path)
    assert caught.value.line == line
    assert "\n" not in str(caught.value)


def test_another_file_ranks_under_a_reading() -> None:
    cards = parse_cards("X1 KH QH JH TH AS KS")
    fortune = ranking("fortune")
    assert fortune.rank(cards, {}).text == "royal flush and royal match"
    assert fortune.rank(cards, {"royal-match": "ace-king"}).text == "royal flush and royal match"
    assert fortune.rank(cards, {"royal-match": "king-queen"}).text == "royal flush"
    assert fortune.rank(parse_cards("X1 KH QH JH TH QS KS"), {"royal-match": "king-queen"}).text.endswith("royal match")
    wheel, king = parse_cards("AS 2D 3C 4H 5S 9D 8C"), parse_cards("KS QD JC TH 9S 2D 3C")
    high = ranking("poker-bug")
    assert high.rank(wheel, {}).strength < high.rank(king, {}).strength
    second = {"ace-low": "second"}
    assert high.rank(wheel, second).strength > high.rank(king, second).strength
    low, two = ranking("pai-gow-low"), parse_cards("X1 KS")
    assert low.rank(two, {}).text == "ace high"
    assert low.rank(two, {"joker-use": "fully-wild"}).text == "pair of kings"


def test_files_that_name_each_other_are_refused(tmp_path: Path) -> None:
    mine, yours = tmp_path / "mine.toml", tmp_path / "yours.toml"
    mine.write_text(GOOD + '[by-reading.x]\ny = "yours"\n')
    yours.write_text(GOOD.replace("mine", "yours") + '[by-reading.x]\ny = "mine"\n')
    with pytest.raises(TomlFileError, match=r"yours\.toml:13: by-reading: a file that ranks instead of another"):
        load_ranking(mine)


def test_a_name_that_is_no_ranking_is_answered_with_those_that_are() -> None:
    with pytest.raises(
        UnknownRanking,
        match=r"^unknown ranking 'piquet'; allowed: longest-flush, five-card, last-card, ",
    ):
        ranking("piquet")


@of_each("name", ranking_ids())
def test_every_ranking_is_what_a_ranking_is(name: str) -> None:
    found = ranking(name)
    assert found.id == name
    assert found.vocabulary in CONDITIONS
    least, most = found.sizes
    assert 1 <= least <= most <= 9
    assert found.uses is None or found.uses <= most
    assert 0 <= found.jokers <= 2


@pytest.mark.parametrize("name", ranking_files())
def test_every_category_of_a_file_is_a_row_of_its_vocabulary(name: str) -> None:
    """A pay table can name every hand, and the clause exists in the regulation."""
    found = ranking(name)
    assert isinstance(found, PokerRanking)
    conditions = CONDITIONS[found.vocabulary]
    assert [each for each in (*found.spec.order, *found.spec.also) if conditions.check(each) is None] == []
    assert re.fullmatch(r"47\.1-10\d\d(\.\d+)?(\(\w+\))*", found.spec.clause)
    assert (RANKINGS / f"{name}.toml").read_text().startswith("# ")


@pytest.mark.parametrize("cards", ["AS KS QS JS", "AS KS QS JS ??", "AS KS QS JS X1", "2C 3C 4C 5C 6C 7C 8C 9C TC JC"])
def test_cards_that_are_no_hand_are_refused(cards: str) -> None:
    takes = "poker ranks 5 to 9 cards, at most 0 of them a joker"
    with pytest.raises(ValueError, match=f"^{takes}, not {re.escape(cards)}$"):
        ranking("poker").rank(parse_cards(cards), {})
