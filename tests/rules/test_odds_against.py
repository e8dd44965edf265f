"""Odds of games of one hand against the dealer's: the solver's value of a bet is the settled one, and figures match
print."""

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from dealer_flow.games import files_of
from protocol.cards import Card, parse_card
from rules import game_ids
from rules.game.load import load_game
from rules.odds import NotComputed, Odds, Question, odds
from rules.odds.against.endings import PlayerHand, Wagers
from rules.odds.against.solver import AgainstTable
from rules.odds.against.versus import LOSE, NO_HAND, TIE, WIN
from rules.odds.cards.placed_sets import Pack
from rules.odds.solvers import answers_for
from tests.support.reading.game_files import flat_paytables
from tests.support.reading.paper import Paper

GAMES = [
    game for game in game_ids() if (spec := load_game(game).spec.odds) is not None and spec.solver == "against-dealer"
]
ANTE_CENTS = 2000


@pytest.mark.every(3)
@pytest.mark.parametrize("game", GAMES)
def test_a_bet_comes_to_what_it_is_settled_at(game: str) -> None:
    """Random rounds with every pay table, folded and played at each stake."""
    question = Question(load_game(game), wager_cents=ANTE_CENTS)
    table, dealt = AgainstTable(question, answers_for(question.game)), random.Random(game)
    for way in table.settings.ways:
        for chosen in question.tables_together(way.bets):
            wagers = Wagers(question, way.bets, chosen, way.stakes)
            for _ in range(60):
                own, dealer = two_hands(dealt, table.cards, jokers=table.deck.jokers)
                met = table.rank(own).key
                assert isinstance(met, PlayerHand)
                for raised in table.raises:
                    if raised.at_least and raised.at_least not in met.reaches:
                        continue
                    end = wagers.played(met, state(table, own, dealer), raised.times)
                    assert list(end.nets) == settled(game, way.bets, chosen, end.stakes, own, dealer)
                end = wagers.folded(met)
                assert list(end.nets) == settled(game, way.bets, chosen, end.stakes, own, dealer, folds=True)


def two_hands(dealt: random.Random, cards: int, *, jokers: int) -> tuple[list[Card], list[Card]]:
    """Return two hands; half of them from few ranks, where hands are high and ties frequent."""
    ranks = dealt.choice((range(1, 14), (1, 10, 11, 12, 13), (1, 12, 13, *range(2, 4))))
    deck = [Card(suit << 4 | rank) for suit in range(1, 5) for rank in ranks] + [Card(0x51)] * jokers
    chosen = dealt.sample(deck, 2 * cards)
    return chosen[:cards], chosen[cards:]


def state(table: Any, own: Sequence[Card], dealer: Sequence[Card]) -> str:
    mine, theirs = table.rank(own), table.rank(dealer)
    if not table.qualifies(theirs):
        return NO_HAND
    return WIN if mine.strength > theirs.strength else TIE if mine.strength == theirs.strength else LOSE


def settled(
    game: str,
    bets: Sequence[Any],
    chosen: dict[str, str],
    stakes: Sequence[Fraction],
    own: Sequence[Card],
    dealer: Sequence[Card],
    *,
    folds: bool = False,
) -> list[Fraction]:
    """Return the settled result of each bet, in antes."""
    wagers = {bet.name: int(stake * ANTE_CENTS) for bet, stake in zip(bets, stakes, strict=True) if stake}
    seat = {"seat": 1, "cards": " ".join(map(str, own)), "bets": wagers, "status": "folded" if folds else "live"}
    paper = Paper(game, {"seat": [seat], "dealer": " ".join(map(str, dealer))})
    found = paper.settle(paytables=dict(chosen))
    nets = {line.bet: Fraction(line.net, ANTE_CENTS) for line in found.lines if line.result != "held"}
    assert len(nets) == len(found.lines), [line.why for line in found.lines]
    return [nets.get(bet.name, Fraction(0)) for bet in bets]


def figure(game: str, bet: str, table: str) -> Odds:
    found = [each for each in odds(Question(load_game(game), paytable=table), bet) if isinstance(each, Odds)]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(("table", "edge"), [("TC-AB-1", "3.3730"), ("TC-AB-2", "3.8255")])
def test_three_card_as_in_print(table: str, edge: str) -> None:
    found = figure("three-card.co", "ante+play+ante-bonus", table)
    assert f"{float(found.house_edge * 100):.4f}" == edge
    assert found.also["deals"] == 407_170_400
    assert found.also["highest"]["fold"] == "queen high, QS 6H 3D"
    assert found.also["lowest"]["play"] == "queen high, QS 6H 4D"


@pytest.mark.more
def test_a_bet_that_a_fold_loses_is_also_counted_beside_the_others() -> None:
    """No player folds a pair, so the loss of both together is the sum of their losses."""
    found = {
        (each.bet, each.paytable): each for each in odds(Question(load_game("three-card.co"))) if isinstance(each, Odds)
    }
    for number in (1, 4, 10):
        main = found["ante+play+ante-bonus", f"TC-AB-{number}"].house_edge
        pair_plus = found["pair-plus", f"TC-PP-{number}"].house_edge
        both = found["ante+play+ante-bonus+pair-plus", f"TC-AB-{number}+TC-PP-{number}"]
        assert both.house_edge == main + pair_plus
    assert ("ante+play+ante-bonus+pair-plus", "TC-AB-1+TC-PP-2") not in found


def test_a_tie_that_wins_is_paid_as_a_win_is(tmp_path: Path) -> None:
    flat_paytables(tmp_path / "paytables")
    text = files_of("pays")["three-card.co"].read_text(encoding="utf-8")
    name, pays = 'name = "play"\nkind = "against"', 'pays = "1 to 1"'
    at = text.index(name)
    text = text[:at] + text[at:].replace(name, f'{name}\ntie = "win"', 1).replace(pays, 'pays = "3 to 2"', 1)
    (tmp_path / "three-card.co.toml").write_text(text, encoding="utf-8")
    question = Question(load_game(tmp_path / "three-card.co.toml"))
    bets = answers_for(question.game)
    table = AgainstTable(question, bets)
    way = next(iter(table.settings.ways))
    wagers = Wagers(question, way.bets, next(iter(question.tables_together(way.bets))), way.stakes)
    met = table.rank([parse_card(text) for text in ("AS", "KD", "9C")]).key
    assert isinstance(met, PlayerHand)
    assert dict(zip((bet.name for bet in way.bets), wagers.played(met, TIE).nets, strict=True))["play"] == Fraction(
        3, 2
    )


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ('then = "push"', 'then = "acts"', "play acts against a hand that does not qualify"),
        ('fold = "lose"\nunq', 'fold = "stands"\nunq', "ante stands when the hand is folded"),
        (
            'name = "play"\nkind = "against"',
            'name = "play"\nkind = "against"\nwins = "lower"',
            "depends on more than",
        ),
    ],
)
def test_what_needs_more_than_the_better_hand_is_not_computed(
    tmp_path: Path, before: str, after: str, why: str
) -> None:
    flat_paytables(tmp_path / "paytables")
    text = files_of("pays")["three-card.co"].read_text(encoding="utf-8")
    assert before in text
    (tmp_path / "three-card.co.toml").write_text(text.replace(before, after, 1), encoding="utf-8")
    (found,) = odds(Question(load_game(tmp_path / "three-card.co.toml")), "ante+play+ante-bonus")
    assert isinstance(found, NotComputed)
    assert why in found.why
    assert found.deals == 407_170_400


@pytest.mark.slow
def test_five_cards_with_one_of_the_dealers_seen_as_in_print() -> None:
    found = figure("caribbean-stud.co", "ante+bet", "CS-BET")
    assert f"{float(found.house_edge * 100):.4f}" == "5.2243"
    assert f"{float(found.element_of_risk * 100):.2f}" == "2.56"
    assert found.also["deals"] == 2_598_960 * 1_533_939 * 5
    assert set(found.also["by_hand"]["pair"]) == {"play"}


@pytest.mark.slow
@pytest.mark.parametrize("game", ["boston-5.co", "boston-7.co"])
def test_equal_hands_give_nobody_an_edge_without_a_bonus(game: str) -> None:
    found = {each.bet: each for each in odds(Question(load_game(game))) if isinstance(each, Odds)}
    together = found["first-wager+second-wager"]
    assert together.house_edge == 0
    assert together.average_bet == 2


@pytest.mark.slow
def test_four_of_five_with_a_raise_for_aces_as_in_print() -> None:
    found = figure("crazy-4.co", "ante+play+super-bonus", "C4-SB-09")
    assert f"{float(found.house_edge * 100):.2f}" == "3.42"
    assert f"{float(found.element_of_risk * 100):.2f}" == "1.09"
    assert found.also["lowest"]["play 3 x"].startswith("pair of aces")
    assert found.also["highest"]["play"].startswith("pair of kings")


@pytest.mark.slow
def test_seven_cards_with_a_joker_make_what_is_in_print() -> None:
    """Brian Alspach, 7-Card Poker Hands with Joker (2003)."""
    found = {each.bet: each for each in odds(Question(load_game("high-five.co")), "ante+play")}["ante+play"]
    assert isinstance(found, Odds)
    assert found.also["deals"] == 154_143_080 * 53_524_680
    made = {name: sum(hands.values()) for name, hands in found.also["by_hand"].items()}
    assert made.pop("straight flush") + made.pop("royal flush") == 210_964
    assert made == {
        "five aces": 1_128, "four of a kind": 307_472, "full house": 4_188_528, "flush": 6_172_088,
        "straight": 11_236_028, "three of a kind": 7_470_676, "two pair": 35_553_816, "pair": 64_221_960,
        "high card": 24_780_420,
    }  # fmt: skip


SMALL = {
    "three-card.co": (Pack((7, 12, 13, 1), 3), "TC-AB-1"),
    "caribbean-stud.co": (Pack((2, 8, 12, 13, 1), 2), "CS-BET"),
    "crazy-4.co": (Pack((2, 8, 12, 13, 1), 2), "C4-SB-09"),
    "boston-5.co": (Pack((2, 8, 12, 13, 1), 2), ""),
    "boston-7.co": (Pack((7, 8, 9, 10, 11, 12, 13), 2), "B7-01"),
}
"""Decks so small that every deal of two hands can be examined, and the pay table to use."""


@pytest.mark.parametrize("game", [*list(SMALL)[:-1], pytest.param("boston-7.co", marks=pytest.mark.more)])
def test_a_whole_game_of_a_small_deck_is_the_best_of_every_deal(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same deals one by one: for each state of knowledge, the best of the stakes' average results."""
    deck, paytable = SMALL[game]
    monkeypatch.setattr(AgainstTable, "deck", deck)
    question = Question(load_game(game), paytable=paytable)
    table = AgainstTable(question, answers_for(question.game))
    found = [each for each in odds(question, of=[bet.name for bet in table.bets]) if isinstance(each, Odds)]
    by_hand = deals_by_knowledge(table)
    ways = list(table.settings.ways)
    joint = [each for each in found if "+" in each.bet and not each.bet.endswith(("queens-up", "pair-plus"))]
    tables = [(way, chosen) for way in ways for chosen in question.tables_together(way.bets)]
    assert len(joint) == len(tables)
    for odd, (way, chosen) in zip(joint, tables, strict=True):
        names = [bet.name for bet in way.bets]
        assert odd.bet == "+".join(names)
        assert odd.paytable == ("+".join(dict.fromkeys(chosen.values())) or None)
        assert dict(odd.reading) == dict(way.words)
        wagers = Wagers(question, way.bets, chosen, way.stakes)
        total, count = Fraction(0), 0
        for deals in by_hand.values():
            options = options_of(table, wagers, deals)
            best = max(options.values())
            total, count = total + best, count + deals.total()
        assert odd.house_edge == -total / count, names
        assert odd.also["deals"] == count
        decided = odd.also["decisions"]["choice"]
        assert sum(decided.values()) == len(by_hand)
        made = [Counter(options) for options in odd.also.get("by_hand", {}).values()]
        assert not made or sum(made, Counter()) == Counter(decided)
        assert {*decided} <= {"fold", "play", *(f"play {each.times} x" for each in table.raises[1:])}
        parts = [
            each
            for each in found
            if each.bet in names and dict(each.reading) == dict(way.words) and each.paytable in (None, *chosen.values())
        ]
        assert {each.bet for each in parts} <= {*names}
        if len(ways) == 1:
            assert sum((each.house_edge for each in parts), Fraction(0)) == odd.house_edge


def deals_by_knowledge(table: AgainstTable) -> dict[Any, Counter[tuple[int, str]]]:
    """Count the deals by the player's knowledge at the decision, the kind of his hand, and the comparison."""
    seen, up = table.settings.seen, table.settings.dealer_up
    found: dict[Any, Counter[tuple[int, str]]] = {}
    hands = [frozenset(hand) for hand in combinations(range(table.deck.size), table.cards)]
    ranked = {hand: table.rank(table.deck.cards(sorted(hand))) for hand in hands}
    plays = {hand: table.qualifies(ranked[hand]) for hand in hands}
    for own, mine in ranked.items():
        met: dict[tuple[int, ...], Counter[tuple[int, str]]] = {}
        for dealer in filter(own.isdisjoint, hands):
            theirs = ranked[dealer]
            state = WIN if mine.strength > theirs.strength else TIE if mine.strength == theirs.strength else LOSE
            for shown in combinations(sorted(dealer), up):
                met.setdefault(shown, Counter())[
                    KINDS.setdefault(mine.key, len(KINDS)), state if plays[dealer] else NO_HAND
                ] += 1
        for first in combinations(sorted(own), seen):
            for shown, deals in met.items():
                found.setdefault((first, shown), Counter()).update(deals)
    return found


KINDS: dict[Any, int] = {}
"""Numbers of the kinds of hands, which are slow to compare."""


def options_of(table: AgainstTable, wagers: Wagers, met: Counter[tuple[int, str]]) -> dict[str, Fraction]:
    """Return the total gain over all deals of a fold, and of each stake that all these hands may play."""
    kinds = list(KINDS)
    folded = (sum(wagers.folded(kinds[kind]).nets) * number for (kind, _), number in met.items())
    found = {"fold": sum(folded, Fraction(0))}
    for raised in table.raises:
        if not raised.at_least or all(raised.at_least in kinds[kind].reaches for kind, _ in met):
            name = "play" if raised.times == 1 else f"play {raised.times} x"
            ends = (sum(wagers.played(kinds[kind], state, raised.times).nets) * n for (kind, state), n in met.items())
            found[name] = sum(ends, Fraction(0))
    return found
