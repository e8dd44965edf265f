"""Count of every showdown, and the best decision, compared with plain enumeration of small decks."""

from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from protocol.cards import DECK, Card, parse_cards
from rules.game.load import load_game
from rules.odds import Odds, Question
from rules.odds.against import flush_cases
from rules.odds.against.choices import Option, play
from rules.odds.against.endings import PlayerHand
from rules.odds.against.flush_cases import count_all
from rules.odds.against.showdown import DealShape, Pattern, Showdowns, patterns, showdowns
from rules.odds.against.solver import against_dealer
from rules.odds.joint import Ending
from rules.odds.question import OneDeck
from tests.support.oracles.hands_by_lookup import PLACES, flush_strength_of
from tests.support.oracles.small_decks import Outcomes, by_hand, place_of
from tests.support.reading.game_files import flat_games

SMALL = DealShape(own=2, community=2, ranks=(8, 13, 14))


def counted(found: Showdowns, index: tuple[int, ...], deal: DealShape) -> Outcomes:
    outcomes: Outcomes = Counter({margin: ways for margin, ways in enumerate(found.by_length) if ways})
    outcomes[0], outcomes["tie"] = int(found.by_kickers[index]), int(found.ties[index])
    outcomes["lose"] = deal.completions - outcomes.total()
    return +outcomes


@pytest.mark.every(5)
@pytest.mark.parametrize(
    ("deal", "wild_kicker"),
    [
        (SMALL, "highest-absent"),
        (SMALL, "ace"),
        (SMALL, "lowest"),
        (DealShape(own=3, community=1, ranks=(4, 14)), "ace"),
        (DealShape(own=4, community=1, ranks=(4, 14)), "highest-absent"),
        pytest.param(DealShape(own=3, community=2, ranks=(5, 9, 14)), "highest-absent", marks=pytest.mark.slow),
        pytest.param(DealShape(own=2, community=2, ranks=(3, 8, 13, 14)), "ace", marks=pytest.mark.slow),
    ],
)
def test_every_deal_of_a_small_deck(deal: DealShape, wild_kicker: str) -> None:
    table = {pattern: showdowns(deal, pattern, wild_kicker) for pattern in patterns(deal)}
    seen: Counter[Pattern] = Counter()
    for hand, outcomes in by_hand(deal, wild_kicker).items():
        pattern, index = place_of(hand, deal)
        seen[pattern] += 1
        assert counted(table[pattern], index, deal) == outcomes, sorted(hand)
    assert seen == {pattern: found.ties.size * pattern.copies for pattern, found in table.items()}
    assert seen.total() == deal.hands


@pytest.mark.parametrize("workers", [1, 2])
def test_every_pattern_is_counted_by_any_number_of_processes(workers: int) -> None:
    found = count_all(SMALL, "ace", workers=workers)
    assert [(each.pattern, each.by_length) for each in found] == [
        (pattern, showdowns(SMALL, pattern, "ace").by_length) for pattern in patterns(SMALL)
    ]


def test_a_wild_kicker_moves_only_showdowns_of_equal_length() -> None:
    for pattern in patterns(SMALL):
        one, two, three = (showdowns(SMALL, pattern, kicker) for kicker in ("highest-absent", "ace", "lowest"))
        assert one.by_length == two.by_length == three.by_length


def bets(margin_pays: Sequence[str]) -> list[Option]:
    """Return an ante and a blind, and two more units to play on; the blind pays a win by its margin."""
    fold = Ending((1, 1, 0), (-1, -1, 0), "fold")

    def settle(kind: Hashable, state: str) -> Ending:
        assert isinstance(kind, PlayerHand)
        (_, margin), *_ = kind.keys
        sign = {"lose": -1, "win": 1}.get(state, 0)
        assert isinstance(margin, int)
        blind = Fraction(margin_pays[margin]) - 1 if sign > 0 else sign
        return Ending((1, 1, 2), (sign, blind, 2 * sign), dict(kind.words).get(state, ""))

    return [Option("fold", lambda kind, state: fold), Option("play", settle)]


@pytest.mark.parametrize("margin_pays", [("1", "1", "4", "9"), ("1", "3/2", "5/3", "2")])
def test_each_hand_is_played_when_that_is_better_than_folding(margin_pays: Sequence[str]) -> None:
    ways, best = Counter[str](), Fraction(0)
    for outcomes in by_hand(SMALL, "highest-absent").values():
        net = sum(
            number * (-4 if out == "lose" else 0 if out == "tie" else 2 * 1 + 1 + Fraction(margin_pays[int(out)]) - 1)
            for out, number in outcomes.items()
        )
        if net >= -2 * SMALL.completions:
            for out, number in outcomes.items():
                ways[out if isinstance(out, str) else f"win by {out}" if out else "win on the kickers"] += number
            best += net
        else:
            ways["fold"] += SMALL.completions
            best -= 2 * SMALL.completions
    found = flush_cases.flush_cases(SMALL, [showdowns(SMALL, pattern) for pattern in patterns(SMALL)])
    played = play(found, bets(margin_pays))
    ends = Counter[str]()
    for end, number in played.joint.items():
        ends[end.what] += number
    assert ends == ways
    assert found.total == sum(ways.values()) == SMALL.hands * SMALL.completions
    assert ways["fold"] > 0
    told = found.by_suits(played.chosen > 0)
    assert told["hands"] == SMALL.hands
    assert told["hands_played"] * SMALL.completions == found.total - ways["fold"]
    assert sum(sum(end.nets) * number for end, number in played.joint.items()) == best


def test_the_patterns_of_five_cards_cover_every_hand() -> None:
    sizes = {pattern: pattern.copies for pattern in patterns(DealShape())}
    assert len(sizes) == 17
    ways = (1, 12, 66, 220, 495, 792)  # 12 ranks a suit, taken 0 to 5 at a time
    hands = sum(copies * int(np.prod([ways[n] for n in pattern.suits])) for pattern, copies in sizes.items())
    assert hands == DealShape().hands == 2_598_960
    assert DealShape().completions == 1081 * 1_221_759


def one_by_one(hand: Sequence[Card], deal: DealShape, wild_kicker: str) -> Outcomes:
    """Enumerate every community and every dealer of the whole deck against one hand."""
    strength, outcomes = flush_strength_of(wild_kicker, deal.own + deal.community), Counter[str | int]()
    shift = 4 * (deal.own + deal.community)
    left = np.array([PLACES[card] for card in DECK if card not in hand], np.uint8)
    chosen = np.array(list(combinations(range(len(left) - deal.community), deal.own)), np.uint8).T
    own = [np.array([PLACES[card]], np.uint8) for card in hand]
    for community in combinations(left, deal.community):
        shared = [np.full(chosen.shape[1], place, np.uint8) for place in community]
        mine = int(strength([*own, *(column[:1] for column in shared)])[0])
        theirs = strength([*np.setdiff1d(left, community)[chosen], *shared])
        outcomes["tie"] += int((theirs == mine).sum())
        outcomes["lose"] += int((theirs > mine).sum())
        for margin, ways in enumerate(np.bincount((mine >> shift) - (theirs[theirs < mine] >> shift)).tolist()):
            outcomes[margin] += ways
    return +outcomes


@pytest.mark.parametrize("wild_kicker", ["highest-absent", "ace", "lowest"])
def test_hands_of_two_cards_from_the_whole_deck(wild_kicker: str) -> None:
    deal = DealShape(own=2, community=1)
    table = {pattern: showdowns(deal, pattern, wild_kicker) for pattern in patterns(deal)}
    for hand in list(combinations(DECK, 2))[::83]:
        pattern, index = place_of(frozenset(hand), deal)
        assert counted(table[pattern], index, deal) == one_by_one(hand, deal, wild_kicker), hand


@pytest.mark.slow
@pytest.mark.parametrize(("hand", "wild_kicker"), [("KH 9H 4S 7C JS", "highest-absent"), ("AD 2C 8D QS 3H", "ace")])
def test_one_hand_of_the_game_against_1_320_721_479_deals(hand: str, wild_kicker: str) -> None:
    cards, deal = parse_cards(hand), DealShape()
    pattern, index = place_of(frozenset(cards), deal)
    outcomes = one_by_one(cards, deal, wild_kicker)
    assert outcomes.total() == 1_320_721_479
    assert counted(showdowns(deal, pattern, wild_kicker), index, deal) == outcomes


@pytest.mark.slow
def test_the_best_play_in_words() -> None:
    """The page about odds describes hands without a deuce and with at most two of a suit."""
    deal = DealShape()
    pairs = list(combinations(range(3, 15), 2))
    for pattern, always, never in (
        (Pattern(0, (2, 1, 1, 1)), (14, 10), (11, 10)),
        (Pattern(0, (2, 2, 1, 0)), (13, 11), (10, 9)),
    ):
        found = showdowns(deal, pattern)
        won = [3 * found.by_length[1], 6 * found.by_length[2], 8 * found.by_length[3], 28 * found.by_length[4]]
        lost = deal.completions - sum(found.by_length) - found.by_kickers - found.ties
        play = sum(won) + 3 * found.by_kickers - 4 * lost >= -2 * deal.completions
        assert found.by_length[5:] == (0, 0, 0)
        for first, one in enumerate(pairs):
            for second, other in enumerate(pairs if pattern.suits[1] == 2 else [(0, 0)]):
                hands = play[first, second] if pattern.suits[1] == 2 else play[first]
                best = max(one[::-1], other[::-1])
                if best >= always:
                    assert hands.all(), (pattern.text, best)
                elif best <= never:
                    assert not hands.any(), (pattern.text, best)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (Pattern(0, (2, 1, 1, 1)), "2-1-1-1"),
        (Pattern(1, (3, 1, 0, 0)), "3-1 + deuce"),
        (Pattern(2, (2, 1, 0, 0)), "2-1 + 2 deuces"),
    ],
)
def test_a_pattern_in_words(pattern: Pattern, text: str) -> None:
    assert pattern.text == text


def test_a_game_that_leaves_no_reading_of_the_kicker_open(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A deuce then ranks by the default: as the highest absent rank."""
    kickers = []

    def count(deal: DealShape, wild_kicker: str, **how: object) -> list[Showdowns]:
        kickers.append(wild_kicker)
        return count_all(SMALL, wild_kicker)

    flat_games(tmp_path)
    path = tmp_path / "flushes-gone-wild.co.toml"
    before, _, rest = path.read_text().partition("[readings.wild-kicker]")
    path.write_text(before + rest[rest.index("[readings.") :])
    monkeypatch.setattr(flush_cases, "_KEPT", {})
    monkeypatch.setattr(flush_cases, "count_all", count)
    question = Question(load_game(path), one=OneDeck((8, 1), 4))
    list(against_dealer(question, [question.game.bets[name] for name in ("ante", "blind", "play")]))
    assert set(kickers) == {"highest-absent"}


BLIND = {5: 200, 4: 25, 3: 5, 2: 3}
"""Pay of the blind by the margin of the win, as printed; a win by one card or on the kickers pushes."""


def test_the_bets_of_a_game_on_a_small_deck(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fold for two units or play on with four, hand by hand, over every way to complete the deal."""
    deal = DealShape(own=3, community=1, ranks=(4, 14))
    monkeypatch.setattr(flush_cases, "DealShape", lambda own, community, ranks: deal)
    monkeypatch.setattr(flush_cases, "_KEPT", {})
    question = Question(load_game("flushes-gone-wild.co"), readings={"wild-kicker": "ace"})
    bets = [question.game.bets[name] for name in ("ante", "blind", "play")]
    found = [each for each in against_dealer(question, bets) if isinstance(each, Odds)]
    assert [(each.bet, each.paytable) for each in found] == [
        ("ante+blind+play", "FGW-BLIND"), ("ante", None), ("blind", "FGW-BLIND"), ("play", None),
    ]  # fmt: skip
    total, played, ends = 0, 0, Counter[str]()
    for outcomes in by_hand(deal, "ace").values():
        gains = {"tie": 0, "lose": -4} | {margin: 3 + BLIND.get(int(margin), 0) for margin in range(6)}
        gain = sum(gains[outcome] * ways for outcome, ways in outcomes.items())
        fold = -2 * deal.completions
        total += max(gain, fold)
        if gain >= fold:
            played += 1
            for outcome, ways in outcomes.items():
                won = "win on the kickers" if outcome == 0 else f"win by {outcome}"
                ends[outcome if isinstance(outcome, str) else won] += ways
        else:
            ends["fold"] += deal.completions
    together, ante, blind, play = found
    deals = deal.hands * deal.completions
    assert -together.house_edge * deals == total
    assert {each.what: each.probability * deals for each in together.outcomes} == dict(ends)
    assert sum(each.house_edge for each in (ante, blind, play)) == together.house_edge
    assert (together.also["hands"], together.also["hands_played"]) == (deal.hands, played)
    assert sum(hands for _, hands in together.also["played_by_suits"].values()) == deal.hands
    staked = {each.what: each.staked for each in together.outcomes}
    assert staked == {what: 2 if what == "fold" else 4 for what in ends}
    rows = {each.what: each.row for each in blind.outcomes if each.what.startswith("win")}
    assert {what: row for what, row in rows.items() if row} == {
        what: what.removeprefix("win by ") for what in rows if what in ("win by 2", "win by 3", "win by 4")
    } | {what: "0 or 1" for what in rows if what in ("win on the kickers", "win by 1")}
