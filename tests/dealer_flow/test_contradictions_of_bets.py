"""Errors of bets, their rules and choices: every error with its key, and no others."""

from __future__ import annotations

from typing import Any, Final

import pytest

from dealer_flow.procedure.checks.bets import bet_faults, betting_faults, rule_faults
from dealer_flow.procedure.checks.decisions import choice_faults, decision_faults
from tests.support.dealing.changed_tables import (
    ANTE,
    DECK,
    STANDS,
    a_bet,
    a_step,
    and_options,
    complaints_of,
    file,
    game,
)

BETS: Final[dict[str, tuple[dict[str, Any], list[tuple[str, str]]]]] = {
    "nobody enters": ({"bet": [a_bet(1, "ante")]}, [("bet", "one bet placed before-deal must have enters = true")]),
    "a bet enters that comes later": (
        {"bet": [a_bet(1, "ante", "by-decision", enters=True)]},
        [("bet", "one bet placed before-deal must have enters = true")],
    ),
    "a bet enters by a reading": (
        {"bet": [a_bet(1, "ante", enters=True, when={"option": "top", "is": "left"})]},
        [("bet", "one bet placed before-deal must have enters = true")],
    ),
    "it enters, and by a reading": (
        {"bet": [a_bet(1, "ante", enters=True, enters_when={"option": "top", "is": "up"})]},
        [
            ("bet.0.enters-when", "only for a bet placed before-deal that has no enters = true"),
            ("bet.0.enters-when", "'up' is not a value of that option; allowed: left, right"),
        ],
    ),
    "a later bet enters by a reading": (
        {"bet": [ANTE, a_bet(2, "x", "by-decision", enters_when={"option": "top", "is": "left"})]},
        [("bet.1.enters-when", "only for a bet placed before-deal that has no enters = true")],
    ),
    "a bet enters by a reading alone": (
        {"bet": [ANTE, a_bet(2, "x", enters_when={"option": "top", "is": "left"})]},
        [],
    ),
    "a pot of two that comes later": (
        {"bet": [ANTE, a_bet(2, "x", "by-decision", pot={"least": 2, "clause": "S"})]},
        [("bet.1.pot", "only for a bet placed before-deal: START GAME must know who has placed it")],
    ),
    "a pot of one that comes later": (
        {"bet": [ANTE, a_bet(2, "x", "by-decision", pot={"least": 1, "clause": "S"})]},
        [],
    ),
    "a bet before an extra card": (
        {"bet": [ANTE, a_bet(2, "x", "before-extra")]},
        [("bet.1.placed", "there is no extra card: no [shoe.extra] table")],
    ),
    "until a step that deals nothing": (
        {"bet": [ANTE, a_bet(2, "x", "by-decision", until="choice")]},
        [("bet.1.until", "'choice' is not a step that deals; allowed: hands")],
    ),
    "until a deal, of a bet before it": (
        {"bet": [a_bet(1, "ante", enters=True, until="hands")]},
        [("bet.0.until", "only for a bet placed by-decision that is not a tip: a tip is closed with its bet")],
    ),
    "until a deal, of a tip": (
        {"bet": [ANTE, a_bet(2, "x", "by-decision", until="hands", tip_for="raise")]},
        [("bet.1.until", "only for a bet placed by-decision that is not a tip: a tip is closed with its bet")],
    ),
    "readings that are not there": (
        {
            "bet": [
                ANTE,
                a_bet(2, "x", when={"option": "no", "is": "a"}, must=[{"needs": ["ante"], "clause": "S"},
                    {"needs": ["ante"], "clause": "S", "when": {"option": "top", "is": "up"}}]),
            ],
            "total": [{"bets": ["ante", "x"], "at_most": "$5", "when": {"option": "never", "is": "a"}}],
        },
        [
            ("bet.1.when", "no option 'no'; known: top"),
            ("bet.1.must.1.when", "'up' is not a value of that option; allowed: left, right"),
            ("total.0.when", "no option 'never'; known: top"),
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BETS)
def test_what_a_bet_may_not_say(name: str) -> None:
    tables, complaints = BETS[name]
    assert complaints_of(and_options(bet_faults), file(**tables)) == complaints


def test_where_a_stake_enters_no_bet_need() -> None:
    holdem = game("holdem.co")
    assert not any(bet.enters for bet in holdem.bet)
    assert complaints_of(bet_faults, holdem) == []


def must(*rules: dict[str, Any], name: str = "x", placed: str = "before-deal", **keys: Any) -> dict[str, Any]:
    """The ante, and a bet with these rules."""
    return {"bet": [ANTE, a_bet(2, name, placed, must=[{"clause": "S"} | rule for rule in rules], **keys)]}


ALL_KINDS: Final = "equal, exactly, at-most, at-least, multiple-of, needs, needs-one-of, excludes, same-as"
CYCLE: Final = "needs bets that need it: none of them can be placed first"
OWN: Final = "no bet 'no' of a player's own; allowed: ante"
RULES: Final[dict[str, tuple[dict[str, Any], list[tuple[str, str]]]]] = {
    "no rule in a rule": (must({}), [("bet.1.must.0", f"give one of {ALL_KINDS}")]),
    "two rules in one": (
        must({"exactly": "$5", "needs": ["ante"]}),
        [("bet.1.must.0", f"give one of {ALL_KINDS}")],
    ),
    "as much as a bet that is not there": (
        must({"equal": "blind"}),
        [("bet.1.must.0.equal", "no bet 'blind'; allowed: ante, x")],
    ),
    "as much as itself": (must({"at_most": "2 x"}), [("bet.1.must.0.at-most", "'x' is the bet itself")]),
    "beside bets that are not there, and itself": (
        must({"excludes": ["blind", "x", "ante"]}),
        [
            ("bet.1.must.0.excludes", "no bet 'blind'; allowed: ante, x"),
            ("bet.1.must.0.excludes", "'x' is the bet itself"),
        ],
    ),
    "nothing": (must({"exactly": "$0"}), [("bet.1.must.0.exactly", "$0 is not a bet")]),
    "at most nothing": (must({"at_most": "$0"}), [("bet.1.must.0.at-most", "$0 is not a bet")]),
    "at least nothing": (must({"at_least": "$0"}), []),
    "exactly another bet": (
        must({"exactly": "ante"}),
        [("bet.1.must.0.exactly", "an amount in dollars; 'equal' compares with a bet")],
    ),
    "exactly so much": (must({"exactly": "$5"}), []),
    "with a choice that it does not go with": (
        must({"at_most": "$5", "choice": "bet"}, name="raise", placed="by-decision") | {
            "decision": [{"number": 1, "name": "check"}, {"number": 2, "name": "bet", "bet": "other"},
                {"number": 3, "name": "go", "bet": "raise"}, {"number": 4, "name": "all", "bets": ["raise"]}]},
        [("bet.1.must.0.choice", "no choice 'bet' that this bet goes with; allowed: go, all")],
    ),
    "with a choice where it goes with none": (
        must({"at_most": "$5", "choice": "bet"}) | {"decision": []},
        [("bet.1.must.0.choice", "no choice 'bet' that this bet goes with; allowed: none")],
    ),
    "a tip for nothing": (
        {"bet": [ANTE, a_bet(2, "tip", tip_for="no")]},
        [("bet.1.tip-for", OWN)],
    ),
    "a tip for a tip": (
        {"bet": [ANTE, a_bet(2, "tip", tip_for="ante"), a_bet(3, "no", tip_for="tip")]},
        [("bet.2.tip-for", OWN.replace("'no'", "'tip'"))],
    ),
    "a tip that comes later, and enters": (
        {"bet": [ANTE, a_bet(2, "tip", "by-decision", tip_for="ante", enters=True)]},
        [
            ("bet.1.placed", "must be before-deal, as the bet it is a tip for"),
            ("bet.1.enters", "a tip does not enter a seat into the deal"),
        ],
    ),
    "a tip that enters by a reading": (
        {"bet": [ANTE, a_bet(2, "tip", tip_for="ante", enters_when={"option": "top", "is": "left"})]},
        [("bet.1.enters", "a tip does not enter a seat into the deal")],
    ),
    "above the limit": (
        must({"at_most": "$101"}, {"exactly": "$100"}, {"at_least": "$102"}, {"exactly": "$103"})
        | {"limit": {"each_bet": "$100", "clause": "S"}},
        [
            ("bet.1.must.0.at-most", "at most $101 is above the limit of $100"),
            ("bet.1.must.2.at-least", "at least $102 is above the limit of $100"),
            ("bet.1.must.3.exactly", "exactly $103 is above the limit of $100"),
        ],
    ),
    "above the limit by another bet": (
        must({"at_most": "20 ante"}) | {"limit": {"each_bet": "$1", "clause": "S"}},
        [],
    ),
    "a fee above the limit": (
        must({"at_most": "$101"}, fee=True) | {"limit": {"each_bet": "$100", "clause": "S"}},
        [],
    ),
    "a limit by a bet": (
        must({"at_most": "$101"}) | {"limit": {"each_bet": "2 ante", "clause": "S"}},
        [("limit.each-bet", "an amount in dollars")],
    ),
    "totals": (
        {
            "bet": [ANTE],
            "total": [
                {"bets": ["ante", "x"]},
                {"bets": ["ante", "ante"], "at_most": "$5", "at_least": "$2"},
                {"bets": ["ante", "ante"], "at_most": "2 y"},
                {"bets": ["ante", "ante"], "at_least": "$2"},
            ],
        },
        [
            ("total.0", "give exactly one of 'at-most' and 'at-least'"),
            ("total.0.bets", "no bet 'x'; allowed: ante"),
            ("total.1", "give exactly one of 'at-most' and 'at-least'"),
            ("total.2.bets", "no bet 'y'; allowed: ante"),
        ],
    ),
    "bets that wait for each other": (
        {
            "bet": [
                ANTE,
                a_bet(2, "x", must=[{"needs": ["y"], "clause": "S"}]),
                a_bet(3, "y", must=[{"needs": ["ante", "z"], "clause": "S"}]),
                a_bet(4, "z", must=[{"needs": ["x"], "clause": "S"}]),
                a_bet(5, "w", must=[{"needs": ["x"], "clause": "S"}]),
            ]
        },
        [("bet.1.must", f"'x' {CYCLE}"), ("bet.2.must", f"'y' {CYCLE}"), ("bet.3.must", f"'z' {CYCLE}")],
    ),
    "bets that wait for each other by a reading, or for one of several": (
        {
            "bet": [
                ANTE,
                a_bet(2, "x", must=[{"needs": ["y"], "clause": "S", "when": {"option": "top", "is": "left"}}]),
                a_bet(3, "y", must=[{"needs": ["x"], "clause": "S"}]),
                a_bet(4, "z", must=[{"needs_one_of": ["w"], "clause": "S"}]),
                a_bet(5, "w", must=[{"needs_one_of": ["z"], "clause": "S"}]),
            ]
        },
        [],
    ),
    "amounts that cannot be": (
        {
            "bet": [
                a_bet(1, "ante", enters=True, must=[{"equal": "2 x", "clause": "S"}]),
                a_bet(2, "x", must=[{"equal": "y", "clause": "S"}]),
                a_bet(3, "y", must=[{"equal": "1/4 ante", "clause": "S"}]),
            ]
        },
        [
            ("bet.0.must", "'ante' is 2 x 'x', which is 1/4 x 'ante': no amounts satisfy both"),
            ("bet.1.must", "'x' is 1 x 'y', which is 1/2 x 'x': no amounts satisfy both"),
            ("bet.2.must", "'y' is 1/4 x 'ante', which is 2 x 'y': no amounts satisfy both"),
        ],
    ),
    "amounts that can be": (
        {
            "bet": [
                a_bet(1, "ante", enters=True, must=[{"equal": "2 x", "clause": "S"}]),
                a_bet(2, "x", must=[{"equal": "1/2 ante", "clause": "S"}]),
            ]
        },
        [],
    ),
    "amounts of two readings": (
        {
            "bet": [
                ANTE,
                a_bet(2, "x", must=[
                    {"equal": "2 ante", "clause": "S", "when": {"option": "top", "is": "left"}},
                    {"equal": "3 ante", "clause": "S", "when": {"option": "top", "is": "right"}}]),
            ]
        },
        [],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RULES)
def test_what_a_rule_of_a_bet_may_not_say(name: str) -> None:
    tables, complaints = RULES[name]
    assert complaints_of(rule_faults, file(**tables)) == complaints


def test_amounts_of_one_reading_that_cannot_be() -> None:
    left = {"option": "top", "is": "left"}
    x = a_bet(2, "x", must=[{"equal": "2 ante", "clause": "S"}, {"equal": "3 ante", "clause": "S", "when": left}])
    whys = [why for _, why in complaints_of(rule_faults, file(bet=[ANTE, x]))]
    assert whys == [
        "'x' is 2 x 'ante', which is 1/3 x 'x': no amounts satisfy both",
        "'x' is 3 x 'ante', which is 1/2 x 'x': no amounts satisfy both",
    ]


def test_what_the_betting_table_may_not_name() -> None:
    of = file(more_bet=[a_bet(9, "pot", "by-action")])
    assert complaints_of(betting_faults, of) == [
        ("bet.5.placed", "missing: a [betting] table, which says how players act")
    ]
    holdem = game("holdem.co")
    assert complaints_of(betting_faults, holdem) == []
    part = holdem.betting
    assert part is not None
    early = ", ".join(bet.name for bet in holdem.bet if bet.placed == "before-deal")
    acted = next(bet.name for bet in holdem.bet if bet.placed == "by-action")
    dear = part.most_bet.model_copy(update={"amount": "2 ante"})
    raises, chop = part.raises.model_copy(update={"option": "no-such"}), part.raises
    changed = part.model_copy(
        update={
            "blinds": ("b",),
            "apart": (acted,),
            "everybody": ("e",),
            "most_bet": dear,
            "most_raise": dear,
            "raises": raises,
            "check_and_raise": chop,
            "bet_or_fold": chop,
            "chop": chop,
        }
    )
    known = ", ".join(option.name for option in holdem.option)
    words = f"option {chop.option!r} must choose between yes, no"
    without = tuple(step for step in holdem.step if step.do != "bet")
    later = sorted(bet.name for bet in holdem.bet if bet.placed == "by-action")
    of = holdem.model_copy(update={"betting": changed, "step": without})
    assert complaints_of(and_options(betting_faults), of) == [
        *[(f"betting.{key}", f"no bet {name!r} placed before-deal; allowed: {early}") for key, name in
          (("blinds", "b"), ("apart", acted), ("everybody", "e"))],
        *[("betting.extra-blinds", f"no blind {name!r}; allowed: b") for name in part.extra_blinds],
        ("betting.most-bet.amount", "an amount in dollars"),
        ("betting.most-raise.amount", "an amount in dollars"),
        *[("bet", f"no step of kind 'bet' puts chips into {name!r}") for name in later],
        ("betting.raises.option", f"no option 'no-such'; known: {known}"),
        ("betting.check-and-raise.option", words),
        ("betting.bet-or-fold.option", words),
        ("betting.chop.option", words),
    ]  # fmt: skip
    unchopped = part.model_copy(update={"chop": None})
    assert complaints_of(betting_faults, holdem.model_copy(update={"betting": unchopped})) == []


# ------------------------------------------------------------------ choices


def test_what_a_choice_may_not_name() -> None:
    of = file(
        decision=[
            {"number": 1, "name": "a", "bet": "ante", "bets": ["side", "raise"]},
            {"number": 2, "name": "b", "needs": ["x"], "unless": ["y"], "takes_back": "z"},
            {"number": 3, "name": "c", "gives_up": {"bet": "raise", "as": "side", "share": "3/2", "rest": "top"}},
            {"number": 4, "name": "d", "gives_up": {"bet": "ante", "as": "lost", "share": "1/1", "rest": "no"}},
            {"number": 5, "name": "e", "bet": "raise", "takes_back": "ante"},
        ]
    )
    every, early = "ante, side, raise, fee, progressive", "ante, side, fee, progressive"
    assert complaints_of(and_options(decision_faults), of) == [
        ("decision.0.bet", "no bet 'ante' placed by-decision; allowed: raise"),
        ("decision.0.bets", "no bet 'side' placed by-decision; allowed: raise"),
        ("decision.1.needs", f"no bet 'x'; allowed: {every}"),
        ("decision.1.unless", f"no bet 'y'; allowed: {every}"),
        ("decision.1.takes-back", f"no bet 'z'; allowed: {every}"),
        ("decision.2.gives-up.bet", f"no bet 'raise' placed before-deal; allowed: {early}"),
        ("decision.2.gives-up.as", "'side' is a bet already; give the share another name"),
        ("decision.2.gives-up.share", "3/2 is not a part of a bet; allowed: less than 1"),
        ("decision.3.gives-up.share", "1/1 is not a part of a bet; allowed: less than 1"),
        ("decision.2.gives-up.rest", "option 'top' must choose between comes-back, plays-on"),
        ("decision.3.gives-up.rest", "no option 'no'; known: top"),
    ]
    none = file(bet=[ANTE], decision=[{"number": 1, "name": "a", "bet": "raise"}])
    assert complaints_of(decision_faults, none) == [
        ("decision.0.bet", "no bet 'raise' placed by-decision; allowed: none")
    ]


def test_every_choice_is_offered() -> None:
    steps = (a_step("decide", choices=("a",)), a_step("exchange", to=("dealer",), most=1, exposes=True, unless="b"))
    care = DECK | {"unburned": STANDS | {"offers": "c"}}
    rows = [{"number": n, "name": name} for n, name in enumerate("abcd", 1)]
    of = file(step=steps, care=care, decision=[*rows, {"number": 5, "name": "a", "keeps": True, "draws": 1}])
    assert complaints_of(choice_faults, of) == [
        ("decision.3.name", "no step offers 'd'; add it to a decide step's choices"),
        ("decision.4.keeps", "only for a choice by which a seat gives up: folds = true"),
        ("decision.4.draws", "no exchange step replaces cards of the seats"),
    ]
    steps = (steps[0], a_step("exchange", to=("seats",), most=1))
    whole = file(step=steps, decision=[{"number": 1, "name": "a", "keeps": True, "folds": True, "draws": 1}])
    assert complaints_of(choice_faults, whole) == []
