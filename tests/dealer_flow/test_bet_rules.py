"""Rules of bets as data: each kind kept and broken, what is held, what goes back, and what a file may not say."""

from collections.abc import Mapping

import pytest

from dealer_flow.procedure.bets import amount_of
from dealer_flow.procedure.load import Procedure, ProcedureError
from dealer_flow.record.result import RoundResult
from docs._print.words import bet_rules
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.step_games import PACKETS, rows, small, wrong

STEPS = [
    rows(
        "step",
        'name = "hands"\ndo = "deal"\nto = ["seats"]\ncards = 3\nby = "packet"',
        'name = "choice"\ndo = "decide"\nchoices = ["fold", "go"]',
        'name = "showdown"\ndo = "reveal"\norder = ["seats"]',
    ),
    rows("decision", 'number = 1\nname = "fold"\nfolds = true', 'number = 2\nname = "go"\nbet = "raise"'),
    wrong("seats"),
    PACKETS,
]
TIP = '[[bet]]\nnumber = 6\nname = "tip"\nplaced = "before-deal"\ntip-for = "side"\nclause = "S tip"\n'


def game(must: str = "", more: str = "", *, of: str = "side", **changes: str) -> Procedure:
    """The small game with a rule of one of its bets, and more tables."""
    spot = f'name = "{of}"'
    text = {spot: f'{spot}\nmust = [{{ {must}, clause = "S rule" }}]'} if must else {}
    return small(*STEPS, more, replaced=text, **changes)


def played(procedure: Procedure, raised: int | None = 500, **bets: int) -> tuple[HandTable, RoundResult]:
    """Play one seat with these bets; it raises by so many cents, or folds."""
    table = HandTable(procedure, filled=False).bet(1, **bets).start().deal("AH KH QH").dump()
    if raised is None:
        return table, table.choose(1, 1).end()
    table.choose(1, 2)
    return table, table.bet(1, raise_=raised).show("seat 1", "AH KH QH").end()


KEPT_AND_BROKEN: list[tuple[str, dict[str, int], dict[str, int], str]] = [
    ('equal = "2 ante"', {"ante": 500, "side": 1000}, {"ante": 500, "side": 500}, "equal"),
    ('equal = "1/2 ante"', {"ante": 500, "side": 250}, {"ante": 500, "side": 500}, "equal"),
    ('exactly = "$1"', {"ante": 500, "side": 100}, {"ante": 500, "side": 125}, "exactly"),
    ('at-most = "$2.50"', {"ante": 500, "side": 250}, {"ante": 500, "side": 251}, "at-most"),
    ('at-most = "ante"', {"ante": 500, "side": 500}, {"ante": 500, "side": 501}, "at-most"),
    ('at-least = "ante"', {"ante": 500, "side": 500}, {"ante": 500, "side": 499}, "at-least"),
    ('multiple-of = "ante"', {"ante": 500, "side": 1500}, {"ante": 500, "side": 750}, "multiple-of"),
    ('needs = ["fee", "progressive"]', {"side": 5, "fee": 5, "progressive": 5}, {"side": 5, "fee": 5}, "needs"),
    ('needs-one-of = ["fee", "progressive"]', {"ante": 5, "side": 5, "fee": 5}, {"ante": 5, "side": 5}, "needs-one-of"),
    ('same-as = ["fee", "progressive"]', {"side": 5, "fee": 5}, {"side": 5, "fee": 6}, "same-as"),
    ('excludes = ["progressive"]', {"ante": 5, "side": 5}, {"ante": 5, "side": 5, "progressive": 5}, "excludes"),
]  # fmt: skip


@pytest.mark.parametrize(("must", "kept", "broken", "reason"), KEPT_AND_BROKEN)
def test_each_kind_of_rule(must: str, kept: dict[str, int], broken: dict[str, int], reason: str) -> None:
    """It holds the bet, and at once: at START GAME somebody can still see it."""
    procedure = game(must)
    kept, broken = {"ante": 5} | kept, {"ante": 5} | broken
    table, result = played(procedure, **kept)
    assert (result.outcome, table.codes, result.seats[0].held) == ("complete", [], {})
    at_start = HandTable(procedure, filled=False).bet(1, **broken).start()
    assert [(found.code, found.reason) for found in at_start.incidents] == [("wager-held", reason)]
    table, result = played(procedure, **broken)
    assert (result.outcome, table.codes) == ("complete", ["wager-held"])
    names = {"side", "progressive"} if reason == "excludes" else {"side"}
    assert result.seats[0].held == dict.fromkeys(names, "S rule")
    assert "unreliable" not in result.to_json()


@pytest.mark.parametrize("must", [must for must, *_ in KEPT_AND_BROKEN])
def test_a_rule_is_asked_where_its_bet_lies(must: str) -> None:
    table, result = played(game(must), ante=500)
    assert (table.codes, result.seats[0].held) == ([], {})


def test_a_bet_by_decision_is_judged_at_end_game() -> None:
    procedure = game('equal = "2 ante"', of="raise")
    table, result = played(procedure, raised=1000, ante=500)
    assert table.codes == []
    table, result = played(procedure, raised=700, ante=500)
    assert [(found.reason, found.cents, found.wanted) for found in table.incidents] == [("equal", 700, 1000)]
    assert result.seats[0].held == {"raise": "S rule"}
    assert played(procedure, raised=None, ante=500)[0].codes == []


def test_only_the_seat_that_broke_it() -> None:
    table = HandTable(game('exactly = "$1"'), filled=False).bet(1, ante=500, side=100).bet(2, ante=500, side=200)
    table.start().deal("AH KH QH", "AC KC QC").dump().choose(1, 1).choose(2, 1)
    result = table.end()
    assert [[*seat.held] for seat in result.seats] == [[], ["side"]]
    assert (table.incidents[0].seat, table.incidents[0].bet) == (2, "side")


def test_the_limit_of_each_bet_and_totals() -> None:
    limit = '[limit]\neach-bet = "$100"\nclause = "S limit"\n'
    total = '[[total]]\nbets = ["ante", "side"]\nat-most = "$20"\nclause = "S total"\n'
    least = '[[total]]\nbets = ["ante", "side"]\nat-least = "$3"\nclause = "S least"\n'
    assert played(game(more=limit), raised=10_000, ante=10_000)[0].codes == []
    table, result = played(game(more=limit), raised=10_001, ante=10_000)
    assert (table.incidents[0].reason, result.seats[0].held) == ("limit", {"raise": "S limit"})
    assert played(game(more=total), ante=1000, side=1000)[0].codes == []
    table, result = played(game(more=total), ante=1000, side=1001)
    assert (table.incidents[0].reason, table.incidents[0].cents) == ("total-over", 2001)
    assert result.seats[0].held == {"ante": "S total", "side": "S total"}
    table, result = played(game(more=least), ante=200)
    assert (table.incidents[0].reason, result.seats[0].held) == ("total-under", {"ante": "S least"})


TIPS: list[tuple[Mapping[str, int], str]] = [
    ({"ante": 500, "side": 500, "tip": 500}, ""),
    ({"ante": 500, "side": 500, "tip": 501}, ""),
    ({"ante": 500, "tip": 100}, "tip-alone"),
]


@pytest.mark.parametrize(("bets", "reason"), TIPS)
def test_a_tip_goes_with_its_bet(bets: Mapping[str, int], reason: str) -> None:
    table, result = played(game(more=TIP), **bets)
    assert [found.reason for found in table.incidents] == [reason] * bool(reason)
    assert result.seats[0].held == ({"tip": "S tip"} if reason else {})
    assert result.seats[0].wagers["tip"] == bets["tip"]


def test_a_tip_is_held_where_its_bet_is() -> None:
    table, result = played(game('exactly = "$1"', TIP), ante=500, side=200, tip=100)
    assert [found.reason for found in table.incidents] == ["exactly", "tip-held"]
    assert result.seats[0].held == {"side": "S rule", "tip": "S rule"}


def test_a_tip_enters_nobody_and_goes_back_with_its_bet() -> None:
    more = TIP.replace('"side"', '"ante"')
    alone = HandTable(game(more=more), filled=False).bet(1, ante=500).bet(2, tip=100).start()
    assert [found.code for found in alone.incidents] == ["side-bet-alone"]
    back = game(more=more, misdeal='{ until = "first-decision", returns = ["ante"], clause = "S" }')
    table = HandTable(back, filled=False).bet(1, ante=500, side=500, tip=100).start().misdeal()
    assert table.end().seats[0].returned == {"ante": 500, "tip": 100}


def test_a_tip_is_never_more_than_its_bet_where_a_rule_says_so() -> None:
    tip = TIP.replace("clause", 'must = [{ at-most = "side", clause = "S most" }]\nclause')
    assert played(game(more=tip), ante=500, side=500, tip=500)[0].codes == []
    table, result = played(game(more=tip), ante=500, side=500, tip=501)
    assert [found.reason for found in table.incidents] == ["tip-over"]
    assert result.seats[0].held == {"tip": "S most"}
    table, result = played(game(more=tip), ante=500, tip=100)
    assert [found.reason for found in table.incidents] == ["tip-alone"]
    assert result.seats[0].held == {"tip": "S tip"}


def test_a_tip_may_be_more_where_a_rule_says_how_much() -> None:
    tip = TIP.replace("clause", 'must = [{ at-most = "$10", clause = "S most" }]\nclause')
    assert played(game(more=tip), ante=500, side=500, tip=1000)[0].codes == []
    assert played(game(more=tip), ante=500, side=500, tip=1001)[1].seats[0].held == {"tip": "S most"}


def test_a_bet_and_a_rule_may_depend_on_a_reading() -> None:
    left, right = ('{ option = "top", is = "left" }', '{ option = "top", is = "right" }')
    ruled = game(f'exactly = "$1", when = {left}')
    assert played(ruled, ante=500, side=200)[0].codes == ["wager-held"]
    assert played(game(f'exactly = "$1", when = {right}'), ante=500, side=200)[0].codes == []
    there = f'[[bet]]\nnumber = 7\nname = "more"\nplaced = "before-deal"\nwhen = {right}\nclause = "S"\n'
    table, result = played(game(more=there), ante=500, more=100)
    assert (table.codes, [*result.seats[0].wagers]) == (["unknown-bet"], ["ante", "raise"])


def test_the_card_says_where_a_bet_of_a_choice_is_there_under_one_reading() -> None:
    late = (
        '[[bet]]\nnumber = 7\nname = "more"\nplaced = "by-decision"\n'
        'when = { option = "top", is = "right" }\nclause = "S more"\n'
    )
    found = [*bet_rules(game(more=late))]
    assert ("more", "only if `top` is right", "S more") in found
    assert not [bet for bet, _, _ in bet_rules(game(more=late.replace("when", "# when"))) if bet == "more"]


def test_a_held_bet_that_was_taken_back_or_void_is_no_longer_held() -> None:
    table = HandTable(game('exactly = "$1"'), filled=False).bet(1, ante=500, side=200).start().misdeal()
    seat = table.end().seats[0]
    assert (seat.returned, seat.held) == ({"ante": 500, "side": 200}, {})


BAD = {
    'equal = "antee"': "no bet 'antee'; allowed: ante, side, raise, fee, progressive",
    'equal = "side"': "'side' is the bet itself",
    'equal = "two ante"': "must be",
    'needs = ["nobody"]': "no bet 'nobody'",
    'exactly = "ante"': "an amount in dollars",
    'at-most = "$0"': "$0 is not a bet",
    'at-most = "$5", at-least = "$1"': "give one of equal",
    'when = { option = "top", is = "left" }': "give one of equal",
    'exactly = "$1", when = { option = "nothing", is = "left" }': "no option 'nothing'",
}


@pytest.mark.parametrize(("must", "why"), BAD.items())
def test_a_rule_that_cannot_be(must: str, why: str) -> None:
    with pytest.raises(ProcedureError, match=r"small\.toml:.*bet") as refused:
        game(must)
    assert why in str(refused.value)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ('[limit]\neach-bet = "ante"\nclause = "S"\n', "an amount in dollars"),
        ('[[total]]\nbets = ["ante", "sidee"]\nat-most = "$5"\nclause = "S"\n', "no bet 'sidee'"),
        ('[[total]]\nbets = ["ante", "side"]\nclause = "S"\n', "give exactly one of 'at-most' and 'at-least'"),
        (TIP.replace('"side"', '"sidee"'), "no bet 'sidee' of a player's own"),
        (TIP.replace("before-deal", "by-decision"), "must be before-deal, as the bet it is a tip for"),
        (TIP.replace("clause", "enters = true\nclause"), "a tip does not enter a seat into the deal"),
    ],
)
def test_tables_that_cannot_be(more: str, why: str) -> None:
    with pytest.raises(ProcedureError) as refused:
        game(more=more)
    assert why in str(refused.value)


def test_bets_that_wait_for_each_other_and_amounts_that_go_round() -> None:
    second = (
        '[[bet]]\nnumber = 7\nname = "more"\nplaced = "before-deal"\nmust = [{ RULE, clause = "S" }]\nclause = "S"\n'
    )
    with pytest.raises(ProcedureError, match="needs bets that need it"):
        game('needs = ["more"]', second.replace("RULE", 'needs = ["side"]'))
    with pytest.raises(ProcedureError, match="no amounts satisfy both"):
        game('equal = "2 more"', second.replace("RULE", 'equal = "2 side"'))
    assert game('equal = "2 more"', second.replace("RULE", 'equal = "1/2 side"')).bet[1].must


RING = """
[[bet]]
number = 7
name = "more"
placed = "before-deal"
must = [{ equal = "2 last", clause = "S" }]
clause = "S"

[[bet]]
number = 8
name = "last"
placed = "before-deal"
must = [{ CLOSES, clause = "S" }]
clause = "S"
"""
"""`side` is so much of `more`, `more` of `last`, and `last` closes the ring."""


@pytest.mark.parametrize(
    ("closes", "first"),
    [
        ('equal = "1/8 side"', 'equal = "2 more"'),
        ('equal = "1/8 side", when = { option = "top", is = "left" }', 'equal = "2 more"'),
        ('equal = "1/8 side"', 'equal = "2 more", when = { option = "top", is = "left" }'),
    ],
)
def test_three_bets_whose_amounts_go_round(closes: str, first: str) -> None:
    with pytest.raises(ProcedureError, match="'side' is 2 x 'more', which is 1/4 x 'side': no amounts satisfy both"):
        game(first, RING.replace("CLOSES", closes))


@pytest.mark.parametrize(
    "closes",
    [
        'equal = "1/4 side"',
        'at-least = "1/8 side"',
        'equal = "1/8 side", when = { option = "top", is = "right" }',
    ],
)
def test_amounts_that_go_round_and_can_be(closes: str) -> None:
    """So much of each other as they are, or not under one reading: one rule counts where the other does not."""
    first = 'equal = "2 more"' + (', when = { option = "top", is = "left" }' if "right" in closes else "")
    assert game(first, RING.replace("CLOSES", closes)).bet[1].must


ABOVE = ['exactly = "$101"', 'at-most = "$101"', 'at-most = "$101", when = { option = "top", is = "left" }']


@pytest.mark.parametrize("must", ABOVE)
def test_a_rule_above_the_limit(must: str) -> None:
    limit = '[limit]\neach-bet = "$100"\nclause = "S"\n'
    with pytest.raises(ProcedureError, match=r"\$101 is above the limit of \$100"):
        game(must, limit)
    assert game(must.replace("101", "100"), limit).bet[1].must
    assert game(must).bet[1].must


def test_a_rule_of_one_reading_lifts_the_limit_under_that_reading_alone() -> None:
    """A section's own amount in dollars replaces the limit under the reading that it applies to, and so do its rules on
    tips."""
    limit = '[limit]\neach-bet = "$100"\nclause = "S limit"\n'
    for reading, reason in (("left", ["at-most"]), ("right", ["limit"])):
        own = game(f'at-most = "$100", when = {{ option = "top", is = "{reading}" }}', limit)
        assert [found.reason for found in played(own, ante=500, side=10_001)[0].incidents] == reason
        most = (
            f'must = [{{ at-most = "$10", when = {{ option = "top", is = "{reading}" }}, clause = "S most" }}]\nclause'
        )
        tip = game(more=TIP.replace("clause", most))
        reason = ["at-most"] * (reading == "left")
        assert [found.reason for found in played(tip, ante=500, side=500, tip=1001)[0].incidents] == reason
    without = game('at-most = "$100", when = { option = "top", is = "right" }', limit)
    assert played(without, ante=500, side=10_000)[0].codes == []


@pytest.mark.parametrize(
    ("text", "cents"),
    [("$5", 500), ("$2.50", 250), ("ante", 300), ("2 ante", 600), ("1/2 ante", 150), ("3/2 ante", 450)],
)
def test_amounts(text: str, cents: int) -> None:
    assert amount_of(text).cents({"ante": 300}) == cents
