"""Hands of which something is seen or laid away before they are compared: declared cards, a card laid aside, a hand
turned up for a card, a draw that is forced, wagers in the blind, acting in turn."""

from typing import Final

import pytest

from dealer_flow.procedure.must_draw import DrawPart, must_draw
from dealer_flow.procedure.schema import Procedure
from protocol.cards import parse_cards, spell_cards
from protocol.places import seat
from tests.support.dealing.flow_points import round_of
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.step_games import rows, small, small_table, wrong


def step(name: str, do: str, rest: str) -> str:
    return rows("step", f'name = "{name}"\ndo = "{do}"\n{rest}')


def stud(*parts: str, cards: int = 4, dealer: bool = False) -> Procedure:
    """Single cards to the seats, and to the dealer, and what follows."""
    to = '["seats", "dealer"]' if dealer else '["seats"]'
    hands = step("hands", "deal", f'to = {to}\ncards = {cards}\nby = "single"')
    judged = wrong("seats", "dealer", then="misdeal") if dealer else wrong("seats", then="misdeal")
    return small(hands, *parts, judged, device='"card-shoe"')


def at(procedure: Procedure, seats: int = 1) -> HandTable:
    return small_table(procedure, seats, start=False).fresh_deck().start()


DECLARED: Final = stud(
    step("declared", "show", 'of = ["seats"]\noptional = true'),
    step("choice", "decide", 'choices = ["two"]'),
    step("showdown", "reveal", 'order = ["seats"]'),
    rows("decision", 'number = 1\nname = "two"\ndiscards = 2'),
)


@pytest.mark.parametrize("declared", ["AC AD 9H 2S", "AC AD", "AC"])
def test_a_hand_is_declared_and_then_loses_cards(declared: str) -> None:
    """All its cards or some are shown; afterwards what is left of it."""
    table = at(DECLARED).draw("AC AD 9H 2S").show("seat 1", declared).choose(1, 1).show("seat 1", "AC AD")
    assert (table.end().outcome, table.codes) == ("complete", [])
    assert table.results[-1].seats[0].cards == ("AC", "AD")


def test_what_is_left_was_among_the_cards_declared() -> None:
    table = at(DECLARED).draw("?? ?? ?? ??").show("seat 1", "AC AD 9H 2S").choose(1, 1).show("seat 1", "AC KD")
    assert table.codes == ["faces-disagree"]
    some = at(DECLARED).draw("?? ?? ?? ??").show("seat 1", "AC AD").choose(1, 1).show("seat 1", "9H 2S")
    assert some.codes == []


BLIND: Final = stud(
    step("first", "decide", 'choices = ["fold-1", "go-on"]\nblind = ["raise"]'),
    step("second", "decide", 'choices = ["fold-2", "raise"]'),
    step("showdown", "reveal", 'order = ["seats"]'),
    rows(
        "decision",
        'number = 1\nname = "fold-1"\nfolds = true',
        'number = 2\nname = "go-on"',
        'number = 3\nname = "fold-2"\nfolds = true',
        'number = 4\nname = "raise"\nbet = "raise"',
    ),
)


@pytest.mark.parametrize("fold", [1, 3])
def test_a_wager_in_the_blind_is_lost_with_the_hand(fold: int) -> None:
    table = at(BLIND, 2).draw("AC KC AD KD 9H 8H 2S 3S").bet(1, raise_=700)
    table.choose(1, 2 if fold == 3 else 1).choose(2, 2)
    if fold == 3:
        table.choose(1, 3)
    table.choose(2, 4).bet(2, raise_=500).show("seat 2", "KC KD 8H 3S")
    result = table.end()
    assert (result.outcome, table.codes) == ("complete", [])
    assert result.seats[0].status == "folded"
    assert dict(result.seats[0].wagers) == {"ante": 500, "raise": 700}
    assert [each.blind for each in result.seats] == [("raise",), ()]


def test_a_wager_left_by_who_folds_was_no_wager_in_the_blind() -> None:
    table = at(BLIND, 1).draw("AC AD 9H 2S").choose(1, 2).bet(1, raise_=500).choose(1, 3)
    assert table.end().outcome == "complete"
    assert table.codes == ["decision-bet-differs"]


TURNS: Final = stud(
    step("choice", "decide", 'choices = ["go-on", "more"]\norder = "clockwise"'),
    step("showdown", "reveal", 'order = ["seats"]'),
    rows("decision", 'number = 1\nname = "go-on"', 'number = 2\nname = "more"\nunless = ["side"]'),
    cards=1,
)


def test_players_act_in_turn() -> None:
    """Out of turn is recorded, no more: the choice stands."""
    table = at(TURNS, 2).draw("AC KC")
    assert table.may("DecisionMade") == ["player at seat 1: go-on", "player at seat 1: more"]
    table.choose(2, 2).choose(1, 1).show("seat 2", "KC").show("seat 1", "AC")
    result = table.end()
    assert (result.outcome, [found.reason for found in table.incidents]) == ("complete", ["acts_in_order"])
    assert [each.decision for each in result.seats] == ["go-on", "more"]
    assert at(TURNS, 2).draw("AC KC").choose(1, 1).choose(2, 2).codes == []


def test_a_choice_that_is_not_for_who_has_a_bet() -> None:
    table = small_table(TURNS, 1, start=False).bet(1, side=100).fresh_deck().start().draw("AC").choose(1, 2)
    assert [found.reason for found in table.incidents] == ["choice_has_its_bets"]
    assert table.choose(1, 1).show("seat 1", "AC").end().outcome == "complete"


ASIDE: Final = stud(
    step("declared", "show", 'of = ["seats"]\noptional = true'),
    step("discard", "decide", 'choices = ["lay-aside"]'),
    step("sixth", "deal", 'to = ["seats"]\ncards = 1\nby = "single"'),
    step("showdown", "reveal", 'order = ["seats"]'),
    rows("decision", 'number = 1\nname = "lay-aside"\nlays-aside = 1'),
    cards=5,
)


def aside() -> HandTable:
    return at(ASIDE).draw("QC QD 9H 4S 2H").show("seat 1", "QC QD 9H 4S 2H").choose(1, 1).draw("QH")


def test_a_card_is_laid_aside_and_comes_back() -> None:
    table = aside().show("seat 1", "QC QD 9H 4S QH").show("seat 1", "QC QD 9H 4S QH 2H")
    assert (table.codes, spell_cards(round_of(table.flow).ledger.hands[seat(1)].laid_aside)) == ([], ["2H"])
    result = table.end()
    assert (result.outcome, result.seats[0].cards) == ("complete", ("QC", "QD", "9H", "4S", "QH", "2H"))


def test_which_card_was_laid_aside_is_hidden() -> None:
    table = aside().show("seat 1", "QC QD 9H 4S 2H QH")
    assert table.codes == ["laid-aside-unknown"]
    assert spell_cards(round_of(table.flow).ledger.hands[seat(1)].laid_aside) == ["??"]
    assert table.end().outcome == "complete"


@pytest.mark.parametrize("five", ["QC QD 9H QH", "QC QD 9H 4S KD"])
def test_the_hand_without_it_is_four_of_the_first_and_the_new_one(five: str) -> None:
    assert aside().show("seat 1", five).codes != []


MUST: Final = """must = [
  { holds = ["straight-flush", "four-of-a-kind", "full-house", "flush", "straight"], draws = 0, clause = "a" },
  { holds = ["two-pair"], draws = 1, clause = "b" },
  { holds = ["three-of-a-kind", "pair"], draws = 2, clause = "c" },
  { holds = ["four-flush"], draws = 1, clause = "b" },
  { holds = ["four-straight"], draws = 1, clause = "b" },
  { holds = ["nothing"], draws = 2, clause = "c" },
]
otherwise = { then = "person", clause = "o" }
"""
DRAWS: Final = stud(
    step("shown", "show", 'of = ["dealer"]\ncards = 5'),
    step("draw", "exchange", f'to = ["dealer"]\nmost = 2\n{MUST}'),
    step("showdown", "reveal", 'order = ["dealer", "seats"]'),
    cards=5,
    dealer=True,
)
MINE: Final = "AH AC AD KH 2C"


def drawing(first: str, drawn: str, last: str) -> HandTable:
    """The dealer's five, what is drawn, and the five shown at the end."""
    mixed = " ".join(f"{mine} {theirs}" for mine, theirs in zip(MINE.split(), first.split(), strict=True))
    table = at(DRAWS).draw(mixed).show("dealer", first).draw(drawn)
    return table.show("dealer", last).show("seat 1", MINE)


@pytest.mark.parametrize(
    ("first", "drawn", "last"),
    [
        ("5S TC 6D 7C 8S", "2D", "5S 6D 7C 8S 2D"),  # four in a row
        ("8C 8D 3H 4C TS", "2D JH", "8C 8D TS 2D JH"),
        ("8C 8D 3H 3C TS", "2D", "8C 8D 3H 3C 2D"),
        ("8C 8D 8H 4C TS", "2D JH", "8C 8D 8H 2D JH"),
        ("2S 3S 4S 5S 9S", "", "2S 3S 4S 5S 9S"),
        ("2S 9D 5C JH KC", "3D 4D", "9D JH KC 3D 4D"),
    ],
)
def test_the_house_draws_as_it_must(first: str, drawn: str, last: str) -> None:
    table = drawing(first, drawn, last)
    assert (table.codes, table.end().outcome) == ([], "complete")


@pytest.mark.parametrize(
    ("first", "drawn", "last", "reason"),
    [
        ("2S 3S 4S 5S 9S", "2D", "2S 3S 4S 5S 2D", "number"),  # a flush stands
        ("5S TC 5D QC 6S", "", "5S TC 5D QC 6S", "number"),  # a pair draws two
        ("8C 8D 3H 4C TS", "2D JH", "8C 8D 4C 2D JH", "kept"),  # the ten is the highest of the others
        ("2S 9D 5C JH KC", "3D 4D", "5C JH KC 3D 4D", "kept"),
    ],
)
def test_a_draw_against_the_rules_is_a_supervisors(first: str, drawn: str, last: str, reason: str) -> None:
    table = drawing(first, drawn, last)
    assert [(found.code, found.reason, found.called) for found in table.incidents] == [
        ("forced-draw-wrong", reason, "supervisor")
    ]
    assert table.confirm().end().outcome == "complete"


@pytest.mark.parametrize(
    ("hand", "draws", "keeps"),
    [
        ("AS 2D 3C 4H 9S", 1, [{"AS", "2D", "3C", "4H"}]),
        ("AS KD QC JH 9S", 1, [{"AS", "KD", "QC", "JH"}, {"KD", "QC", "JH", "9S"}]),  # neither end is open
        ("4S 5D 6C 7H 9S", 1, [{"4S", "5D", "6C", "7H"}]),  # the open end before the inside
        ("4S 5S 6S 7H KS", 1, [{"4S", "5S", "6S", "KS"}]),  # the flush before the straight
        ("4S 5S 6S 5H KS", 2, [{"5S", "5H", "KS"}]),  # the pair before the four flush
        ("AS 2S 3S 4S 5S", 0, [{"AS", "2S", "3S", "4S", "5S"}]),
        ("AS 2D 3C 4H 5S", 0, [{"AS", "2D", "3C", "4H", "5S"}]),
        ("TS JD QC KH AS", 0, [{"TS", "JD", "QC", "KH", "AS"}]),
        ("QS KD AC 2H 3S", 2, [{"AC", "KD", "QS"}]),  # no straight goes round the corner
        ("9S 9D 9C 4H 4S", 0, [{"9S", "9D", "9C", "4H", "4S"}]),
        ("9S 9D 9C 9H 4S", 0, [{"9S", "9D", "9C", "9H", "4S"}]),
        ("9S 9D 4C 4H AS", 1, [{"9S", "9D", "4C", "4H"}]),
        ("2S 7D 9C JH AS", 2, [{"AS", "JH", "9C"}]),
    ],
)
def test_what_a_hand_must_draw(hand: str, draws: int, keeps: list[set[str]]) -> None:
    step_ = next(step for step in DRAWS.step if step.do == "exchange")
    assert step_.do == "exchange"
    must = must_draw(step_.must, parse_cards(hand))
    assert must is not None
    assert must.row.draws == draws
    assert [set(spell_cards(kept)) for kept in must.keeps] == keeps


def test_a_card_that_was_not_read_says_nothing() -> None:
    row = DrawPart.model_validate({"holds": ("nothing",), "draws": 2, "clause": "c"})
    assert must_draw([row], parse_cards("2S 9D 5C JH ??")) is None
    assert must_draw([row], parse_cards("2S 9D 5C JH")) is None


EXPOSED: Final = stud(
    step("middle", "deal", 'to = ["community"]\ncards = 1\nby = "single"\nface = "up"'),
    step("choice", "decide", 'choices = ["stay", "one-more"]'),
    step(
        "more",
        "exchange",
        'to = ["seats"]\nmost = 1\nadds = true\nexposes = true\nunless = "has-won"\ncounting = ["community"]\n'
        'must = [{ holds = ["two-pair", "three-of-a-kind"], draws = 0, clause = "m" },'
        ' { holds = ["pair"], least = "6", draws = 0, clause = "m" },'
        ' { holds = ["nothing"], draws = 1, clause = "m" }]\notherwise = { then = "person", clause = "o" }',
    ),
    step("showdown", "reveal", 'order = ["seats"]'),
    rows(
        "decision",
        'number = 1\nname = "stay"',
        'number = 2\nname = "one-more"\ndraws = 1\nbet = "raise"',
        'number = 3\nname = "has-won"\ntakes-back = "raise"',
    ),
    wrong("community", then="misdeal"),
)


def exposing(middle: str = "KD") -> HandTable:
    table = at(EXPOSED, 2).draw(f"AC 4H AD 8S 9H 9D 2S QC {middle}")
    return table.choose(1, 2).bet(1, raise_=500).choose(2, 2).bet(2, raise_=500)


def test_a_hand_is_turned_up_before_its_card_and_a_winning_one_gets_none() -> None:
    table = exposing()
    assert table.may("HandRevealed") == ["dealer: turn up seat 1"]
    table.show("seat 1", "AC AD 9H 2S").choose(1, 3).bet(1, raise_=0)
    table.show("seat 2", "4H 8S 9D QC").draw("QD").show("seat 2", "4H 8S 9D QC QD").show("seat 1", "AC AD 9H 2S")
    result = table.end()
    assert (result.outcome, table.codes) == ("complete", [])
    assert [dict(each.wagers) for each in result.seats] == [{"ante": 500}, {"ante": 500, "raise": 500}]
    assert result.seats[0].decisions == ("one-more", "has-won")


def test_a_card_to_a_hand_that_has_won_is_a_supervisors() -> None:
    table = exposing().show("seat 1", "AC AD 9H 2S").draw("QD").show("seat 2", "4H 8S 9D QC").draw("3C")
    assert table.show("seat 2", "4H 8S 9D QC 3C").codes == ["forced-draw-wrong"]


def test_a_card_to_a_hand_that_was_not_turned_up() -> None:
    table = exposing().draw("QD")
    assert [(found.reason, found.unreliable) for found in table.incidents] == [("shown_before_card", False)]


def test_a_hand_that_was_not_turned_up_has_not_won_yet() -> None:
    table = exposing().choose(1, 3)
    assert [(found.reason, found.unreliable) for found in table.incidents] == [("found_when_shown", False)]


def test_hands_are_shown_from_the_side_the_procedure_says() -> None:
    for side, first in (("dealer-left", 1), ("dealer-right", 2)):
        game = stud(step("showdown", "reveal", f'order = ["seats"]\nfrom = "{side}"'), cards=1)
        assert at(game, 2).draw("AC KC").may("HandRevealed")[0] == f"dealer: show seat {first}"
        assert f"from your {side.removeprefix('dealer-')}" in game.step[-1].words(game)
