"""Players' choices in a game, read from its procedure, compared with the text of each figure."""

from collections.abc import Mapping
from fractions import Fraction

import pytest

from rules.game.load import load_game
from rules.odds.decide.decisions import Decisions, DifferentDecisions, OpenChoice, StakeRange, decisions


def decided(game_id: str, options: Mapping[str, str] | None = None) -> Decisions:
    return decisions(load_game(game_id)).under(options or {})


def written(game_id: str, options: Mapping[str, str] | None = None) -> list[str]:
    """Describe each decision, such as `own 2, community 1: fold-1 | bet-2 (second 1)`."""
    return [
        f"{', '.join(f'{place} {cards}' for place, cards in point.seen.items())}: "
        + (" | ".join(_choice(each) for each in point.choices) or f"sets {point.sets}")
        for point in decided(game_id, options).points
    ]


def _choice(choice: OpenChoice) -> str:
    part = choice.part
    said = [f"{bet} {'/'.join(map(str, stake.sizes))}" for bet, stake in choice.stakes.items()]
    said += [f"back {part.takes_back}"] * bool(part.takes_back)
    said += [f"gives up {part.gives_up.share} of {part.gives_up.bet}"] if part.gives_up else []
    cards = part.draws + part.discards + part.lays_aside
    said += [f"cards {cards}"] * bool(cards)
    return part.name + (f" ({', '.join(said)})" if said else "")


READ_IN_THE_RULES = {
    # .46(6)-(8): one to three times the ante before each of the three community cards, or the hand is folded
    "mississippi-stud.co": [
        "own 2: fold-1 | third-street (third-street 1/2/3)",
        "own 2, community 1: fold-2 | fourth-street (fourth-street 1/2/3)",
        "own 2, community 2: fold-3 | fifth-street (fifth-street 1/2/3)",
    ],
    # .47(8)-(10): four or three times the ante, then twice after the flop, then once on the whole board or a fold
    "ultimate-texas-holdem.co": [
        "own 2: check-1 | play-4x (play 4) | play-3x (play 3)",
        "own 2, community 3: check-2 | play-2x (play 2)",
        "own 2, community 5: fold | play-1x (play 1)",
    ],
    # .39(6), (8), (10): twice the ante or a fold; then once, or not, after the flop and after the turn
    "texas-holdem-bonus.co": [
        "own 2: fold | flop-bet (flop 2)",
        "own 2, community 3: turn-check | turn-bet (turn 1)",
        "own 2, community 4: river-check | river-bet (river 1)",
    ],
    # .40(6): once the ante-blind or a fold, then as much again after the flop, or not
    "champion.co": ["own 2: fold | play (play 1)", "own 2, community 3: check | raise (raise 1)"],
    # .10(5), (7)(b): one card of the dealer's lies open; twice the ante
    "caribbean-stud.co": ["own 5, dealer 1: fold | bet (bet 2)"],
    # .44(9): as much as the ante, or up to three times; between the two nothing can be best
    "crazy-4.co": ["own 5: fold | play (play 1/3)"],
    # .34(8): the second wager, as much as the first, after three of the five cards
    "boston-5.co": ["own 3: fold | second-wager (second-wager 1)"],
    "boston-7.co": ["own 3: fold | second-wager (second-wager 1)"],
    # .45(10), (11): as much as the ante, unless it was placed in the blind
    "high-five.co": ["own 7: fold | play (play 1) | played-blind"],
    # .14(6)-(7): the first two of three bets may be taken back, before and after the first community card
    "let-it-ride.co": [
        "own 3: let-it-ride-1 | take-back-1 (back bet-1)",
        "own 3, community 1: let-it-ride-2 | take-back-2 (back bet-2)",
    ],
    # .28(7)-(9): one ante to go on with two cards and with three; who paid the insurance may pay an ante for a card
    "bonus-6.co": [
        "own 2, community 1: fold-1 | bet-2 (second 1)",
        "own 3, community 1: fold-2 | bet-3 (third 1)",
        "own 4, community 1: fold-3 | winning-hand | bonus-card (bonus-card 1, cards 1)",
    ],
    # .16(6): a fold, or as much as the ante and one card laid down; a hand that wins by itself is shown
    "colorado-holdem.co": ["own 3: fold | bet (bet 1, cards 1) | declare"],
    # .16(7): nobody folds
    "colorado-holdem.co-2": ["own 3: stay (cards 1) | bet (bet 1, cards 1) | declare"],
    # .20(5): any of the five cards are laid down
    "vegas-double-action.co": ["own 5: discard-0 | " + " | ".join(f"discard-{n} (cards {n})" for n in range(1, 6))],
    # .42(7)-(9): a card is laid aside, unless the first five win at once
    "wild-six.co": ["own 5: lay-aside (cards 1) | automatic-winner"],
    # .48 7: one card in front
    "three-card-split.co": ["own 3: sets 1"],
    # .60(7)(b): twice the ante, and no community card is seen
    "flushes-gone-wild.co": ["own 5: fold | play (play 2)"],
    # .24(9): as much as the ante
    "three-card.co": ["own 3: fold | play (play 1)"],
    # .37(6): the licensee need not let half of the seven-card wager be given up
    "3-5-7.co": [],
    "3-5-7.co-hand": [],
    # .22(4): nobody chooses anything
    "prospector.co": [],
}


@pytest.mark.parametrize("game_id", READ_IN_THE_RULES)
def test_what_players_may_choose_is_what_the_rules_say(game_id: str) -> None:
    assert written(game_id) == READ_IN_THE_RULES[game_id]


@pytest.mark.parametrize("game_id", ["3-5-7.co", "3-5-7.co-hand"])
def test_a_choice_that_a_house_may_leave_out_is_there_where_it_is_offered(game_id: str) -> None:
    assert written(game_id, {"surrender": "offered"}) == ["own 3: keep | surrender-half (gives up 1/2 of seven-card)"]


def test_bets_are_measured_in_the_unit_whatever_is_chosen() -> None:
    assert decided("bonus-6.co").stakes["insurance"] == Fraction(1, 2)  # .28(4)
    assert decided("caribbean-stud.co").stakes == {"ante": 1, "bet": 2}  # .10(7)(b)
    assert decided("let-it-ride.co").stakes == {"bet-1": 1, "bet-2": 1, "bet-dollar": 1}  # .14(2)


def test_a_bet_that_no_rule_asks_for_may_be_left_out() -> None:
    assert decided("boston-5.co").optional == {"ante-bonus", "optional-bonus"}
    assert decided("crazy-4.co").optional == {"queens-up", "progressive"}  # .44(2): the super bonus goes with the ante
    assert decided("high-five.co").optional == {"play-blind", "trips"}


def test_any_amount_between_is_as_good_as_its_two_ends() -> None:
    between = decided("mississippi-stud.co", {"street-wagers": "any-between"}).points[0]
    assert [stake.sizes for choice in between.choices for stake in choice.stakes.values()] == [(1, 3)]


@pytest.mark.parametrize(
    ("stake", "why"),
    [
        (StakeRange(least=Fraction(1), clauses=("(6)",)), r"\(6\): a stake has no maximum"),
        (StakeRange(most=Fraction(2), clauses=("(6)",)), r"\(6\): a stake has no minimum"),
        (StakeRange(), "no rule: a stake has no maximum"),
        (StakeRange(Fraction(2), Fraction(1), clauses=("(6)", "(7)")), r"\(6\), \(7\): no stake is allowed"),
        (StakeRange(clauses=("(9)",), hangs_on="blind"), r"\(9\): a stake depends on blind"),
    ],
)
def test_a_stake_without_bounds_is_refused_with_its_clause(stake: StakeRange, why: str) -> None:
    with pytest.raises(DifferentDecisions, match=why):
        _ = stake.sizes
