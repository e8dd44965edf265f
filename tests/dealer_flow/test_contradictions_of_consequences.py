"""Errors of consequences: every error with its key."""

from __future__ import annotations

from typing import Any, Final

import pytest

from dealer_flow.procedure.checks.consequences import consequence_faults, fault_rows, wrong_faults
from dealer_flow.procedure.checks.steps import dealt_to
from tests.support.dealing.changed_tables import (
    DECK,
    EVERY,
    FACE,
    a_step,
    an_option,
    and_options,
    complaints_of,
    file,
    game,
    kebab,
)

THENS: Final = (
    "nothing, dead-hand, progressive-only, misdeal, replace, complete, reshuffle, set-aside, kept, bury, stays-open,"
    " person, defective-deck, unreliable"
)
ALIVE: Final = THENS.replace("dead-hand, ", "")
NEXT: Final = "takes the next card, which only a card-shoe or a dealer's hand gives"
BETTORS: Final = "is for players who bet against each other: of = 'seats', and [betting]"


def a_row(
    of: str = "seats", how: tuple[str, ...] = ("short", "long"), then: str | None = "misdeal", **keys: Any
) -> Any:
    return {"of": of, "how": how} | ({"then": then} if then else {}) | keys


WRONG: Final[dict[str, tuple[str, list[Any], list[tuple[str, str]]]]] = {
    "a row for each": ("shows", [], []),
    "a row of a place without cards": (
        "shows",
        [a_row("river", at=["x"])],
        [("wrong.3.of", "'river' gets no cards; allowed: seats, dealer, community, remainder")],
    ),
    "a row of the remainder where there is none": (
        "stud",
        [a_row("remainder")],
        [("wrong.5.of", "'remainder' gets no cards; allowed: seats, dealer")],
    ),
    "a row by steps that give no cards there": (
        "shows",
        [a_row(at=["hands", "one"])],
        [("wrong.3.at", "'one' gives no cards to 'seats'; allowed: hands")],
    ),
    "a row of the remainder by a step": (
        "shows",
        [a_row("remainder", at=["hands"])],
        [("wrong.3.at", "'hands' gives no cards to 'remainder'; allowed: none")],
    ),
    "a hand of the house that is dead": (
        "shows",
        [a_row("dealer", then="dead-hand")],
        [("wrong.3.then", f"'dealer' is not a player's hand that could be dead; allowed: {ALIVE}")],
    ),
    "a hand of the players that is dead": ("named", [a_row("left", then="dead-hand")], []),
    "a named hand of the house that is dead": (
        "named",
        [a_row("right", then="dead-hand")],
        [("wrong.3.then", f"'right' is not a player's hand that could be dead; allowed: {ALIVE}")],
    ),
    "cards that are missing of a long hand": (
        "shows",
        [a_row(how=("long",), missing=2)],
        [("wrong.3.missing", 'only for a hand that is short: how = ["short"]')],
    ),
    "a long hand that gets another card": (
        "shows",
        [a_row(then="replace")],
        [("wrong.3.then", "'replace' gives a hand its next card, but a long hand has too many")],
    ),
    "a short hand that gets another card": ("shows", [a_row(how=("short",), then="complete")], []),
    "a hand dealt out by a reading that is not there": (
        "shows",
        [a_row(then="dead-hand", dealt_out=True, dealt_out_when={"option": "no", "is": "a"})],
        [("wrong.3.dealt-out-when", "no option 'no'; known: top")],
    ),
    "a reading by which a hand is not dealt out": (
        "shows",
        [a_row(then="dead-hand", dealt_out_when={"option": "top", "is": "left"})],
        [("wrong.3.dealt-out-when", "only for a hand that is dealt out: give 'dealt-out', too")],
    ),
    "a hand dealt out that is not dead": (
        "shows",
        [a_row(dealt_out=True)],
        [("wrong.3.dealt-out", "only for a hand that is dead")],
    ),
    "a card kept that was not dealt too early": (
        "shows",
        [a_row(how=("exposed",), then="kept"), a_row(how=("early",), then="kept"),
         a_row(how=("early", "exposed"), then="set-aside")],
        [(f"wrong.{n}.then", 'only for a card that is dealt too early: how = ["early"]') for n in (3, 5)],
    ),
    "a card buried where nobody bets": (
        "shows",
        [a_row(how=("early",), then="bury")],
        [("wrong.3.then", f"'bury' {BETTORS}")],
    ),
    "a card that stays open and was not seen": (
        "holdem.co",
        [a_row(how=("off-table",), then="stays-open"), a_row(how=("exposed",), then="stays-open"),
         a_row("community", how=("exposed",), then="stays-open")],
        [("wrong.{}.then", 'only for a card that was seen: how = ["exposed"]'),
         ("wrong.{2}.then", f"'stays-open' {BETTORS}")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_a_row_of_a_wrong_hand_may_not_say(name: str) -> None:
    at, rows, complaints = WRONG[name]
    first = len(game(at).wrong)
    where = [(key.replace("{}", str(first)).replace("{2}", str(first + 2)), why) for key, why in complaints]
    assert complaints_of(and_options(wrong_faults), file(at, more_wrong=rows)) == where


def test_a_row_for_too_few_and_too_many_wherever_cards_go() -> None:
    of = file(wrong=[a_row("seats", ("short",)), a_row("dealer", missing=2), a_row("community", at=["other"])])
    assert [found for found in complaints_of(wrong_faults, of) if found[0] == "wrong"] == [
        ("wrong", "missing: a row of 'seats' for 'long', cards of step 'hands'"),
        ("wrong", "missing: a row of 'dealer' for 'short', cards of step 'hands'"),
        ("wrong", "missing: a row of 'dealer' for 'long', cards of step 'hands'"),
        ("wrong", "missing: a row of 'community' for 'short', cards of step 'hands'"),
        ("wrong", "missing: a row of 'community' for 'long', cards of step 'hands'"),
    ]
    exact = file("exact", wrong=[a_row("seats"), a_row("remainder", ("long",))])
    assert complaints_of(wrong_faults, exact) == [
        ("wrong", "missing: a row of 'remainder' for 'short', since its number is exact")
    ]
    assert dealt_to(game("holdem")) == {"seats": ["hands"], "dealer": ["hands"], "community": ["flop", "turn"]}


NO_OPTION: Final = "no option 'no'; known: top, size"
ONE_OF: Final = "give exactly one of 'then' and 'option'"


def test_every_consequence_is_looked_at() -> None:
    """Bets that are not there go back by each of them."""
    back = {"then": "misdeal", "returns": ["no"], "clause": "S"}
    exchange = a_step("exchange", to=("dealer",), most=1, otherwise=kebab(back), discards=kebab(back))
    of = file(
        wrong=[a_row(returns=["no"])],
        face=dict.fromkeys(("duplicate", "foreign", "joker", "boxed", "by_player"), back),
        fouled=back | dict.fromkeys(("player", "others", "reconstructed"), back),
        step=(exchange,),
        foul_set=back | {"house": back},
        care=dict.fromkeys(("deck", "burned", "unburned"), back),
        misdeal={"until": "end", "returns": ["no"], "clause": "S"},
    )
    assert sorted(complaints_of(consequence_faults, of)) == sorted(
        (f"{key}.returns", f"no bet 'no'; allowed: {EVERY}")
        for key in (
            *("wrong.0", "face.duplicate", "face.foreign", "face.joker", "face.boxed", "face.by-player"),
            *("fouled", "fouled.player", "fouled.others", "fouled.reconstructed"),
            *("step.0.otherwise", "step.0.discards", "foul-set", "foul-set.house"),
            *("care.deck", "care.burned", "care.unburned", "misdeal"),
        )
    )
    bare = file(wrong=[], face=FACE, fouled=None, step=(), foul_set=None, care=DECK)
    assert complaints_of(consequence_faults, bare) == []


CONSEQUENCES: Final[dict[str, tuple[dict[str, Any], list[tuple[str, str]]]]] = {
    "neither a word nor a reading": ({}, [("face.boxed", ONE_OF)]),
    "a word and a reading": ({"then": "misdeal", "option": "top"}, [("face.boxed", ONE_OF)]),
    "a reading that is not there": ({"option": "no"}, [("face.boxed.option", "no option 'no'; known: top, read")]),
    "a reading of other words": (
        {"option": "top"},
        [("face.boxed.option", f"option 'top' does not choose between consequences; allowed: {THENS}")],
    ),
    "a reading of these words": ({"option": "read"}, []),
    "a next card of a shuffler": ({"then": "replace"}, [("face.boxed.then", f"'replace' {NEXT}")]),
    "more goes back of nothing": (
        {"then": "misdeal", "also": ["side"]},
        [("face.boxed.also", "in addition to the bets of 'returns': give it, too")],
    ),
    "more goes back by a reading of nothing": (
        {"then": "misdeal", "also_when": {"option": "top", "is": "left"}},
        [("face.boxed.also-when", "only for further bets that go back: give 'also', too")],
    ),
    "more goes back": ({"then": "misdeal", "returns": ["ante"], "also": ["side"]}, []),
    "more goes back by a reading": (
        {"then": "misdeal", "returns_when": {"option": "top", "is": "up"}, "also": ["no"],
         "also_when": {"option": "no", "is": "a"}},
        [
            ("face.boxed.also", f"no bet 'no'; allowed: {EVERY}"),
            ("face.boxed.returns-when", "'up' is not a value of that option; allowed: left, right"),
            ("face.boxed.also-when", "no option 'no'; known: top, read"),
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CONSEQUENCES)
def test_what_a_consequence_may_not_say(name: str) -> None:
    row, complaints = CONSEQUENCES[name]
    of = file(face=FACE | {"boxed": row | {"clause": "S"}}, more_option=[an_option("read", "misdeal", "dead-hand")])
    assert complaints_of(and_options(consequence_faults), of) == complaints


def test_a_next_card_by_a_reading() -> None:
    of = file(face=FACE | {"boxed": {"option": "read", "clause": "S"}}, more_option=[an_option("read", "kept", "bury")])
    assert complaints_of(consequence_faults, of) == [("face.boxed.option", f"'bury' {NEXT}")]
    shoe = file("stud", face=FACE | {"boxed": {"then": "replace", "clause": "S"}})
    assert complaints_of(consequence_faults, shoe) == []


def test_what_was_given_up_may_go_back() -> None:
    part = {"bet": "ante", "as": "lost", "share": "1/2", "rest": "top"}
    of = file(decision=[{"number": 1, "name": "a", "gives_up": part}], wrong=[a_row(returns=["lost"])])
    assert complaints_of(consequence_faults, of) == []


def test_a_joker_that_is_replaced_after_a_round() -> None:
    joker = {"then": "misdeal", "after": "top", "clause": "S"}
    of = file(face=FACE | {"joker": joker})
    why = "option 'top' must choose between deal, lap"
    assert complaints_of(and_options(consequence_faults), of) == [("face.joker.after", why)]


def test_until_when_a_misdeal_may_be_called() -> None:
    for row, complaints in (
        ({"until": "end"}, []),
        ({}, [("misdeal", "give exactly one of 'until' and 'option'")]),
        ({"until": "end", "option": "until"}, [("misdeal", "give exactly one of 'until' and 'option'")]),
        ({"option": "no"}, [("misdeal.option", "no option 'no'; known: top, until")]),
        (
            {"option": "top"},
            [
                (
                    "misdeal.option",
                    "option 'top' must choose between end, settlement, first-decision, substantial-action",
                )
            ],
        ),
    ):
        assert (
            complaints_of(
                and_options(consequence_faults),
                file(misdeal=row | {"clause": "S"}, more_option=[an_option("until", "end")]),
            )
            == complaints
        )


def test_what_a_row_of_a_fault_may_not_say() -> None:
    of = file(
        fault=[
            {"then": "note"},
            {"then": "note", "class": "jam", "name": "feed-jam"},
            {"then": "note", "name": "feed-jam"},
            {"then": "note", "name": "feed-jams"},
            {"then": "note", "class": "no-class"},
        ]
    )
    found = complaints_of(fault_rows, of)
    assert found[:2] == [(f"fault.{n}", "give exactly one of 'class' and 'name'") for n in (0, 1)]
    assert [key for key, _ in found[2:]] == ["fault.3.name", "fault.4.class"]
    assert found[2][1].startswith("no fault 'feed-jams'; known: ")
    assert ", feed-jam, " in found[2][1]
    assert found[3][1].startswith("no class 'no-class'; known: ")
