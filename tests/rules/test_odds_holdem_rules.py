"""Strategy files in hold'em: each condition on many boards compared with single hands, and a game played by rules."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from protocol.cards import CARDS, Card
from rules.errors import OddsRefused
from rules.game.load import load_game
from rules.odds.compute import odds
from rules.odds.holdem import solver as holdem_game
from rules.odds.holdem.count import class_names, count_holdem
from rules.odds.holdem.deck import HoldemDeck, Places, folded_sets
from rules.odds.holdem.deck import board_cards as cards_of
from rules.odds.holdem.rules import SeenHoles, bets_by, codes, holdem_strategy
from rules.odds.holdem.strength import CATEGORIES, by_ranks, by_suit, ladder
from rules.odds.question import OneDeck, Question
from rules.odds.returns import Odds
from rules.odds.strategy.file import load_strategy
from rules.odds.strategy.seen_hands import RankedHands, codes_of, holds
from rules.odds.strategy.words import RuleWhen
from tests.rules.test_odds_holdem import SUITS, ULTIMATE, deck_of
from tests.support.oracles.holdem_by_hand import ByHand, Cards, category, rank
from tests.support.oracles.odds_summed import deals, joint

WHOLE = HoldemDeck()
UTH = "ultimate-texas-holdem.co"
SAMPLES: list[tuple[dict[str, object], tuple[int, ...]]] = [
    ({"at-least": "9S 9H 5D 4C 3S"}, (3, 4, 5)),
    ({"at-least": "KS QH 9D 4C 3S"}, (3, 5)),
    ({"makes": ("two pair",)}, (3, 4, 5)),
    ({"makes": ("pair of tens or better", "straight")}, (3, 5)),
    ({"makes": ("full house, aces full", "flush")}, (5,)),
    ({"holds": "A"}, (3, 5)),
    ({"holds": "77"}, (3, 4)),
    ({"suited": 4}, (3, 4, 5)),
    ({"suited": 3, "spread": 5}, (3, 4)),
    ({"high": {"rank": "Q", "cards": 2}}, (3, 5)),
    ({"hole": ("A2s+", "QTo+", "55+", "K9")}, (3,)),
    ({"hidden-pair": True}, (3, 4, 5)),
    ({"hidden-pair": False, "makes": ("pair",)}, (3, 5)),
    ({"hidden-draw": "T"}, (3, 4, 5)),
    ({"outs-below": 21}, (4, 5)),
    ({"without": {"hidden-pair": True, "holds": "K"}}, (3,)),
    ({"any": ({"holds": "A"}, {"hidden-draw": "2", "makes": ("pair",)})}, (3, 5)),
]


def cards(numbers: Places) -> tuple[Card, ...]:
    return tuple(CARDS[code] for code in codes(WHOLE)[numbers].tolist())


@pytest.mark.every(3)
@pytest.mark.parametrize(("when", "boards"), SAMPLES)
def test_a_word_on_many_boards_is_what_it_asks_of_one_hand(when: dict[str, object], boards: tuple[int, ...]) -> None:
    asked, game, seen = RuleWhen.model_validate(when), load_game(UTH), set[bool]()
    for number in boards:
        sets = folded_sets(WHOLE, number)
        picked = cards_of(WHOLE, sets.masks[number :: sets.count // 29])
        found = holds(asked, SeenHoles(WHOLE, picked))
        for board, row in zip(picked, found, strict=True):
            for place in range(number, WHOLE.holes.shape[1], 97):
                hole = WHOLE.holes[:, place]
                if not set(hole.tolist()) & set(board.tolist()):
                    hand = RankedHands(game, codes_of(cards(hole)), codes_of(cards(board)))
                    assert row[place] == holds(asked, hand)[0], (hole, board)
                    seen.add(bool(row[place]))
    assert seen == {True, False}


def test_a_card_of_the_dealer_never_lies_open() -> None:
    picked = cards_of(WHOLE, folded_sets(WHOLE, 3).masks[:1])
    for when in ({"dealer": "A"}, {"dealer-matches": True}):
        assert not holds(RuleWhen.model_validate(when), SeenHoles(WHOLE, picked)).any()


def test_every_hand_has_its_number() -> None:
    hands = [frozenset(card.text for card in hand.cards) for hand in ladder().hands]
    assert [rank(hand) for hand in hands] == list(range(7462, 0, -1))
    assert list(ladder().numbers.values()) == list(range(1, 7463))
    assert [CATEGORIES[at] for at in ladder().category[1:-1]] == [category(rank(hand)) for hand in hands]
    best_of_seven = np.unique([*by_ranks(7)[1], *by_suit()])
    assert len(best_of_seven[best_of_seven > 0]) == 4824


STRATEGY = """
schema = "dealwire.strategy/1"
title = "a way to play"
[[rule]]
step = "first-choice"
when = { hole = ["A7+", "JJ+"] }
choose = "play-4x"
[[rule]]
step = "first-choice"
when = { hole = ["J7s"] }
choose = "play-3x"
[[rule]]
step = "second-choice"
when = { holds = "7", without = { hidden-pair = true } }
choose = "check-2"
[[rule]]
step = "second-choice"
when = { makes = ["two pair"] }
choose = "play-2x"
[[rule]]
step = "third-choice"
when = { hidden-pair = true }
choose = "play-1x"
[otherwise]
first-choice = "check-1"
second-choice = "check-2"
third-choice = "fold"
"""


def hidden(hole: Cards, board: Cards) -> bool:
    return len({card[0] for card in hole}) == 1 or any(card[0] == other[0] for card in hole for other in board)


def bets_at_flop(hole: Cards, flop: Cards) -> bool:
    if any(card[0] == "7" for card in hole | flop) and not hidden(hole, flop):
        return False
    return category(rank(hole | flop)) in ("two pair", "full house")


@pytest.mark.parametrize(("ranks", "suits"), [("27TJA", 2), pytest.param("27JA", 3, marks=pytest.mark.more)])
def test_a_game_is_played_by_a_file(ranks: str, suits: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "play.toml"
    path.write_text(STRATEGY)
    game = load_game(UTH)
    question = Question(game, paytable="UTH-BLIND-1", strategy=load_strategy(path, game))
    small = deck_of(ranks, suits)
    played = holdem_strategy(question, ULTIMATE.raises)
    assert played.before is not None
    units = dict(zip(class_names(small), played.before(small).tolist(), strict=True))
    four = {"JJ", "AA", "A7s", "A7o", "ATs", "ATo", "AJs", "AJo"} & units.keys()
    assert units == dict.fromkeys(units, 0) | dict.fromkeys(four, 4) | {"J7s": 3}
    found = count_holdem(ULTIMATE, deck=small, strategy=played)
    one = OneDeck(tuple("..23456789TJQKA".index(rank) % 14 or 1 for rank in ranks), suits)
    by_hand = ByHand(ULTIMATE, ranks, SUITS[:suits], flop=bets_at_flop, stays=hidden, before=units.__getitem__)
    assert (found.before, found.ways) == by_hand.count()

    monkeypatch.setattr(holdem_game, "_KEPT", {})
    together = next(each for each in odds(replace(question, one=one), "ante+blind+play") if isinstance(each, Odds))
    gained = sum(sum(nets) * number for (_, nets), number in joint(found).items())
    assert together.house_edge == -gained / deals(found)
    assert together.also["strategy"] == "a way to play"


def test_outs_are_not_seen_on_the_flop() -> None:
    rules = ((RuleWhen.model_validate({"outs-below": 21}), True),)
    with pytest.raises(OddsRefused, match="outs-below"):
        bets_by(rules, WHOLE, cards_of(WHOLE, folded_sets(WHOLE, 3).masks[:2]))


def test_times_where_only_one_bet_can_be_made_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "play.toml"
    path.write_text(STRATEGY.replace('choose = "play-2x"', 'choose = "play-2x"\ntimes = 3'))
    game = load_game(UTH)
    with pytest.raises(OddsRefused, match="times at second-choice '3'; allowed: 1"):
        holdem_strategy(Question(game, strategy=load_strategy(path, game)), ULTIMATE.raises)


def test_what_a_file_does_not_speak_of_is_played_best(tmp_path: Path) -> None:
    path = tmp_path / "play.toml"
    path.write_text(STRATEGY.split("[[rule]]")[0] + '[otherwise]\nsecond-choice = "check-2"\n')
    game = load_game(UTH)
    played = holdem_strategy(Question(game, strategy=load_strategy(path, game)), ULTIMATE.raises)
    assert (played.before, played.turn, played.stays) == (None, None, None)
    assert played.flop is not None
    assert not played.flop(WHOLE, cards_of(WHOLE, folded_sets(WHOLE, 3).masks[:3])).any()
