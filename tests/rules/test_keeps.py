"""Keep rules, compared with results that readers of the regulation worked out, and by enumeration."""

import random
from pathlib import Path

import pytest

from protocol.cards import DECK, parse_cards
from protocol.tomlfile import TomlFileError
from rules.game import keep_rules as keeps
from rules.game.keep_rules import keep, keep_ids, load_keep
from tests.support.reading.each import of_each
from tests.support.reading.paper import cards_of, paper_cases

SHOOTOUT = load_keep("texas-shootout")
DEALT = [case for case in paper_cases("texas-shootout.co") if "dealer_kept" in case]


@of_each("case", DEALT, ids=lambda case: case["name"])
def test_the_dealer_keeps_what_the_text_has_him_keep(case: dict[str, str]) -> None:
    dealt, kept = parse_cards(case["dealer"]), cards_of(case["dealer_kept"])
    found = keep(SHOOTOUT, dealt)
    assert sorted(card.text for card in found.cards) == sorted(kept), found.rule.does


@pytest.mark.parametrize(
    ("dealt", "kept", "by"),
    [
        ("8C 8S 8S 8C", "8C 8C", "the highest pair, eights or better"),  # (17), its own example
        ("9H 9D 9C 2S", "9C 9D", "the highest pair, eights or better"),  # (18)
        ("TD TC TD 3S", "TD TD", "the highest pair, eights or better"),  # not of all different suits: (17)
        ("8C 8D 8D 8S", "8D 8D", "the highest pair, eights or better"),
        ("7C 7D AS JD", "AS JD", "ace-jack or better"),
        ("7C 7C TS JD", "7C 7C", "any pair, suited"),
        ("7C 7D AS TS", "7C 7D", "any pair, unsuited"),
        ("AS 3S TD 9D", "AS 3S", "ace high, suited"),
        ("TD JD 8S 3C", "TD JD", "ten-jack or better, suited"),
        ("TD JC 8S 3C", "TD JC", "ten-jack or better, unsuited"),
        ("AS 4D 9C 7H", "AS 9C", "ace high, unsuited"),
        ("KS 2S 8D 5H", "KS 2S", "face card high, suited"),
        ("KS 2D 8D 5H", "8D KS", "face card high, unsuited"),
        ("8D 7D 2C 4S", "7D 8D", "connected cards, suited"),
        ("8D 7C 2D 4S", "7C 8D", "connected cards, unsuited"),
        ("9D 7D 2C 5S", "7D 9D", "the two highest cards, suited"),
        ("9D 7C 2S 5H", "7C 9D", "the two highest cards, unsuited"),
    ],
)
def test_each_line_of_the_house_way(dealt: str, kept: str, by: str) -> None:
    found = keep(SHOOTOUT, parse_cards(dealt))
    assert (" ".join(sorted(card.text for card in found.cards)), found.rule.does) == (
        " ".join(sorted(kept.split())),
        by,
    )


def test_the_order_of_the_cards_changes_nothing_and_every_hand_is_spoken_of() -> None:
    shoe, order = [*DECK] * 6, random.Random(1)
    for _ in range(500):
        dealt = order.sample(shoe, 4)
        kept = sorted(keep(SHOOTOUT, dealt).cards)
        order.shuffle(dealt)
        assert sorted(keep(SHOOTOUT, dealt).cards) == kept
    with pytest.raises(ValueError, match="keeps 2 of 4 cards, not of 3"):
        keep(SHOOTOUT, DECK[:3])


def test_a_wrong_file_names_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert keep_ids() == ("texas-shootout",)
    text = (keeps.KEEPS / "texas-shootout.toml").read_text()
    (tmp_path / "mine.toml").write_text(text.replace("kept = 2", "kept = 4"))
    monkeypatch.setattr(keeps, "KEEPS", tmp_path)
    with pytest.raises(TomlFileError, match=r"mine\.toml:8: kept: 4 of 4 cards; allowed: fewer"):
        load_keep("mine")
