"""Outcomes of each kind of bet by the facts, read from the rule texts: results, clauses, and the gain of one unit."""

from fractions import Fraction

import pytest

from rules import game_ids, load_game
from rules.bets.bet import Bet
from rules.bets.outcome import COPY, NO_CARD, ONE_COLOUR, BetFacts, Outcome
from rules.kinds import KINDS
from rules.odds.returns import gain_of


def bet(game: str, name: str) -> Bet:
    return load_game(game).bets[name]


def row(game: str, name: str, table: str, when: str) -> BetFacts:
    """Return a hand that wins by this row."""
    found = load_game(game).paytables[table].row_of(when)
    assert found is not None, f"{table} of {name} has no row {when}"
    return BetFacts(1, found)


FOLDED = BetFacts(folded=True)
THREE = "47.1-1017.24"
CASES = [
    # Three Card Poker: the dealer plays with queen high; ante and play are paid 1 to 1.
    ("three-card.co", "ante", BetFacts(1), "win", f"{THREE}(12)", 1),
    ("three-card.co", "ante", BetFacts(-1), "lose", f"{THREE}(12)", -1),
    ("three-card.co", "ante", BetFacts(0), "push", f"{THREE}(11), (12)", 0),
    ("three-card.co", "ante", BetFacts(-1, qualified=False), "win", f"{THREE}(7)", 1),
    ("three-card.co", "play", BetFacts(-1, qualified=False), "push", f"{THREE}(7)", 0),
    ("three-card.co", "ante", FOLDED, "lose", f"{THREE}(8)", -1),
    ("three-card.co", "play", FOLDED, "", "", 0),
    ("three-card.co", "pair-plus", BetFacts(), "lose", "", -1),
    # Caribbean Stud: the bet goes by a table, and a hand below its rows cannot be.
    ("caribbean-stud.co", "bet", BetFacts(1, qualified=False), "push", "", 0),
    # Three Card Split: a tie is the dealer's, unless both hands are of one colour.
    ("three-card-split.co", "low", BetFacts(0), "lose", "", -1),
    ("three-card-split.co", "low", BetFacts(0, also=frozenset({ONE_COLOUR})), "push", "", 0),
    # Prospector: gold high is on the higher of two hands of points.
    ("prospector.co", "gold-high", BetFacts(1), "win", "", 1),
    # Pai Gow: a copy is the dealer's.
    ("pai-gow.co", "wager", BetFacts(1), "win", "", 1),
    ("pai-gow.co", "wager", BetFacts(0), "push", "", 0),
    ("pai-gow.co", "wager", BetFacts(-1, also=frozenset({COPY})), "lose", "", -1),
    # Bonus Six: the card's fee is pushed back where no card came.
    ("bonus-6.co", "bonus-card", BetFacts(), "lose", "", -1),
    ("bonus-6.co", "bonus-card", BetFacts(also=frozenset({NO_CARD})), "returned", "", 0),
    # Flushes Gone Wild: the blind pays by how much longer the flush is, and pushes on a tie.
    ("flushes-gone-wild.co", "blind", BetFacts(0), "push", "", 0),
    ("flushes-gone-wild.co", "blind", BetFacts(-1), "lose", "", -1),
    ("flushes-gone-wild.co", "blind", FOLDED, "lose", "", -1),
    ("race-to-the-flush", "red", BetFacts(), "lose", "", -1),
]


@pytest.mark.parametrize(("game", "name", "facts", "result", "clause", "gain"), CASES)
def test_how_a_bet_ends(game: str, name: str, facts: BetFacts, result: str, clause: str, gain: int) -> None:
    outcome = bet(game, name).outcome(facts)
    assert (outcome.result if outcome is not None else "") == result
    assert gain_of(outcome) == gain
    if clause:
        assert outcome is not None
        assert outcome.clause == clause
    if outcome is not None and outcome.result != "win":
        assert outcome.row is None


def test_a_row_pays_by_its_own_clause_and_names_its_table() -> None:
    facts = row("three-card.co", "pair-plus", "TC-PP-1", "straight flush")
    outcome = bet("three-card.co", "pair-plus").outcome(facts)
    assert outcome is not None
    assert facts.row is not None
    assert (outcome.result, outcome.row, outcome.by_table, outcome.clause) == ("win", facts.row, True, facts.row.clause)
    assert gain_of(outcome) == facts.row.pay.amount


def test_a_part_of_a_shared_bet_that_wins_alone_wins_its_half() -> None:
    shared = bet("western-stud.co", "ante")
    won, lost, tied = ("win", "a"), ("lose", "b"), ("push", "c")
    ends = {
        parts: shared.outcome(BetFacts(parts=parts))
        for parts in ((won, won), (won, lost), (won, tied), (lost, tied), (lost, lost))
    }
    assert [(end.result, end.share) for end in ends.values() if end is not None] == [
        ("win", 1),
        ("push", 0),
        ("win", Fraction(1, 2)),
        ("lose", Fraction(1, 2)),
        ("lose", 1),
    ]
    assert gain_of(ends[lost, tied]) == Fraction(-1, 2)
    alone = shared.outcome(BetFacts(parts=(lost,)))
    assert alone is not None
    assert alone.clause == "b"


def test_stakes_that_are_lost_beside_a_pay() -> None:
    games = [load_game(game) for game in game_ids()]
    found = [
        (game, each) for game in games for each in game.bets.values() if getattr(each, "always", "") == "stake-lost"
    ]
    assert found
    for game, each in found:
        paid = game.paytables[each.paytables[0]].rows[0].when
        beaten = each.outcome(BetFacts(-1, game.paytables[each.paytables[0]].row_of(paid)))
        better = each.outcome(BetFacts(1, game.paytables[each.paytables[0]].row_of(paid)))
        assert isinstance(beaten, Outcome)
        assert (beaten.result, beaten.stake_lost) == ("win", True)
        gains = gain_of(better), gain_of(beaten)
        assert gains[0] is not None
        assert gains[1] == gains[0] - 1


def test_every_kind_in_a_file_has_its_outcome_or_is_settled_for_the_table() -> None:
    for name, kind in KINDS.items():
        assert issubclass(kind, Bet), name
        own = any("outcome" in vars(each) for each in kind.__mro__ if each is not Bet)
        assert own or kind.of_table or kind.among_players, name
