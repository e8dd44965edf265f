"""The files in docs/odds match the computed odds, and docs/odds-json.md explains every key of an object."""

import re
from dataclasses import replace
from fractions import Fraction
from itertools import chain

import pytest

from docs._print import DOCS
from docs._print.odds import figures, findings, kept_part
from docs._print.odds_pages import all_parts
from rules.bets.bet import Bet
from rules.game.load import cards_of, game_ids, load_game
from rules.odds import NotComputed, Odds, Question, audit, odds
from rules.odds.audit.findings import PaytableFinding
from rules.odds.returns import BetOutcome
from rules.odds.solvers import answers_for

KEYS = (DOCS / "odds-json.md").read_text(encoding="utf-8")


def quick(game: str) -> list[Odds | NotComputed]:
    question = Question(load_game(game))
    slow = {bet.name for bet in answers_for(question.game)}
    bets = [bet.name for bet in question.game.bets.values() if not {bet.name, bet.tip_for} & slow and soon(game, bet)]
    return list(chain.from_iterable(odds(question, bet) for bet in bets))


def soon(game: str, bet: Bet) -> bool:
    """Return True if a bet is counted quickly: hands of more than five cards, or parts of them, take seconds unless
    only flush lengths count."""
    found = load_game(game)
    if bet.kind not in ("table", "progressive"):
        return True
    hands = [found.hand(name) for name in (bet.hand, *(each.hand for each in bet.hand_when))]
    few = all(cards_of(hand)[1] <= 5 or hand.ranking in ("longest-flush", "five-card") for hand in hands)
    return few and not any(hand.whole for hand in hands)


@pytest.mark.every(4)
@pytest.mark.parametrize("game", game_ids())
def test_every_quick_figure_is_in_the_file_of_its_game(game: str) -> None:
    kept = {each.title: each for each in kept_part(game).tables}
    if all(bet.kind in ("to-pot", "to-pool") or bet.tip_for for bet in load_game(game).bets.values()):
        assert not kept, "run `make docs`"
        return
    assert kept, "run `make docs`"
    found = quick(game)
    for each in figures(found) if found else ():
        assert each.head == kept[each.title].head
        assert not {*each.rows} - {*kept[each.title].rows}, "run `make docs`"


def test_how_many_hands_are_played_in_words() -> None:
    also = {"hands": 26_000, "hands_played": 17_500, "played_by_suits": {"4-3-0-0": [1_500, 2_000]}}
    outcome = BetOutcome("fold", Fraction(1), Fraction(0))
    played = figures([Odds("game", "ante", None, {"wild-kicker": "ace"}, (outcome,), also=also)])[-1]
    assert played.title == "Hands played, by the number of cards in each suit"
    assert played.head == ("hand", "wild-kicker: ace")
    assert played.rows == (("4-3-0-0", "1,500 of 2,000"), ("all", "17,500 of 26,000"))


@pytest.mark.slow
@pytest.mark.parametrize("game", game_ids())
def test_every_file_is_what_is_computed(game: str) -> None:
    tables = kept_part(game).tables
    assert not tables or figures(list(odds(Question(load_game(game), workers=2)))) == tables


@pytest.mark.slow
def test_what_the_audit_finds_is_in_the_files() -> None:
    games = [load_game(game) for game in game_ids()]
    kept = chain.from_iterable(each.findings for each in all_parts().values())
    assert findings(audit(games, Question(games[0], workers=2))) == tuple(kept)


def test_there_is_a_file_of_every_game_and_of_no_other() -> None:
    assert {path.stem for path in (DOCS / "odds").iterdir()} == {*game_ids()}


def test_at_least_ten_tables_that_cannot_be_meant_are_found() -> None:
    """Tables of Rule 10 whose print alone shows the error."""
    rows = [row for each in all_parts().values() for row in each.findings if ".co" in row[0]]
    assert len({row[:2] for row in rows}) >= 10


@pytest.mark.more
def test_every_key_of_an_object_is_explained() -> None:
    explained = set(re.findall(r"`(\w+)`", "\n".join(re.findall(r"^\| (`.*?) \|", KEYS, re.MULTILINE))))
    given = {key for game in game_ids() for each in quick(game) for key in each.to_dict()}
    given |= {"before_the_flop"}  # of hold'em, whose count is not quick
    assert given - {"schema", "type"} <= explained


def test_a_finding_in_an_object_has_the_names_of_its_parts() -> None:
    finding = PaytableFinding("game", "ante", None, {"rank": "high"}, "over-100", "returns 101 % of the stake")
    plain = {
        "schema": "dealwire.finding/1",
        "type": "finding",
        "game": "game",
        "bet": "ante",
        "paytable": None,
        "reading": {"rank": "high"},
        "fault": "over-100",
        "why": "returns 101 % of the stake",
    }
    assert finding.to_dict() == plain
    assert replace(finding, suspect="a misprint").to_dict() == plain | {"suspect": "a misprint"}


def test_what_a_regulation_prints_stands_beside_what_is_computed() -> None:
    odds = Odds("game", "ante", None, {}, (), printed={"house-edge-pct": "3.45", "clause": "(13)"})
    assert odds.to_dict()["printed"] == {"house-edge-pct": "3.45", "clause": "(13)"}
    assert "printed" not in Odds("game", "ante", None, {}, ()).to_dict()
