"""Errors of names, steps and columns: every error with its key."""

from __future__ import annotations

from typing import Any, Final

from dealer_flow.procedure.checks.contradictions import contradictions, name_faults
from dealer_flow.procedure.checks.shoe import shoe_faults
from dealer_flow.procedure.checks.steps import step_faults
from dealer_flow.procedure.tables import (
    OptionPart,
    ShoePart,
)
from tests.support.dealing.changed_tables import (
    ANTE,
    EVERY,
    a_bet,
    a_step,
    an_option,
    and_options,
    complaints_of,
    file,
    game,
    options_of,
)


def test_the_small_games_say_nothing_wrong() -> None:
    for at in ("shows", "draw", "holdem", "stud", "named", "pai-gow", "dice", "exact"):
        assert complaints_of(contradictions, game(at)) == []


def test_each_name_once() -> None:
    on = [{"number": 1, "name": "x", "clause": "S"}, {"number": 1, "name": "x", "clause": "S"}]
    of = file(
        bet=[ANTE, a_bet(1, "ante", propositions=on), a_bet(2, "side")],
        decision=[{"number": 1, "name": "a"}, {"number": 2, "name": "a"}, {"number": 1, "name": "b"}],
        hand=[
            {"name": "left", "place": "hand 1", "side": "house"},
            {"name": "left", "place": "hand 1", "side": "house"},
            *[{"name": name, "place": f"hand {n}", "side": "house"} for n, name in
              enumerate(("seats", "dealer", "community", "remainder"), 2)],
        ],
        option=[an_option("top", "left"), an_option("top", "left") | {"default": "up"}],
        step=(a_step("collect"), a_step("collect")),
    )  # fmt: skip
    assert complaints_of(name_faults, of) == [
        ("hand.1.name", "'left' is taken; a name may occur only once"),
        ("hand.1.place", "'hand 1' is taken; a place may occur only once"),
        ("step.1.name", "'one' is taken; a name may occur only once"),
        ("bet.1.number", "1 is taken; a number may occur only once"),
        ("bet.1.name", "'ante' is taken; a name may occur only once"),
        ("decision.2.number", "1 is taken; a number may occur only once"),
        ("decision.1.name", "'a' is taken; a name may occur only once"),
        ("option.1.name", "'top' is taken; a name may occur only once"),
        ("bet.1.propositions.1.number", "1 is taken; a number may occur only once"),
        ("bet.1.propositions.1.name", "'x' is taken; a name may occur only once"),
        *[
            (f"hand.{n}.name", f"{name!r} is a place of every game; give the hand another name")
            for n, name in enumerate(("seats", "dealer", "community", "remainder"), 2)
        ],
        ("option.1.default", "'up' is not among left"),
    ]


LAST: Final = a_step("reveal", order=("seats",))


def deal(*to: str, cards: int = 3, name: str = "hands", **keys: Any) -> Any:
    return a_step("deal", name=name, to=to, cards=cards, by="packet", **keys)


def test_what_steps_may_not_be() -> None:
    hand = [{"name": "left", "place": "hand 1", "side": "house"}]
    of = file(hand=hand, step=(deal("dealer", "dealer", "bank", when={"option": "no", "is": "a"}),))
    assert complaints_of(and_options(step_faults), of) == [
        ("step.0.to", "no recipient 'bank'; allowed: seats, dealer, community, left, or the name of a [[hand]]"),
        ("step.0.to", "a place may occur only once"),
        ("hand.0.name", "no step deals to 'left'"),
        ("step", "no step deals to 'seats', nor to a [[hand]] of the players"),
        ("step", "the last step must be a reveal, and no other step may be"),
        ("step.0.when", "no option 'no'; known: top"),
    ]
    players = [hand[0] | {"side": "players"}]
    assert complaints_of(step_faults, file(hand=players, step=(deal("left"), a_step("reveal", order=("left",))))) == []


def test_the_last_step_and_no_other_is_a_reveal() -> None:
    why = "the last step must be a reveal, and no other step may be"
    assert complaints_of(step_faults, file(step=(deal("seats"), LAST))) == []
    assert complaints_of(step_faults, file(step=(deal("seats"), LAST, deal("dealer", name="more"))))[0] == (
        "step.1.do",
        why,
    )
    assert complaints_of(step_faults, file(step=(deal("seats"), LAST, LAST)))[0] == ("step.1.do", why)


def test_a_game_that_no_device_deals() -> None:
    of = file(
        device="hand", step=(deal("seats"), a_step("burn-card"), a_step("exchange", to=("dealer",), most=1), LAST)
    )
    found = [each for each in complaints_of(step_faults, of) if "no device" in each[1]]
    own = 'no device deals this game; a step that deals or burns has origin = "hand"'
    assert found == [(f"step.{each}.origin", own) for each in range(3)]
    assert (
        complaints_of(step_faults, file(device="hand", remainder=None, step=(deal("seats", origin="hand"), LAST))) == []
    )


def test_what_a_step_settles() -> None:
    settles = ("no", {"bet": "ante", "of": "call", "when": {"option": "top", "is": "up"}}, {"bet": "side", "of": "bet"})
    of = file(step=(deal("seats", settles=settles), LAST))
    assert complaints_of(and_options(step_faults), of) == [
        ("step.0.settles", f"no bet 'no'; allowed: {EVERY}"),
        ("step.0.settles.1.of", "no choice 'call'; allowed: declared, check, bet"),
        ("step.0.settles.1.when", "'up' is not a value of that option; allowed: left, right"),
    ]
    for optional, right in ((True, True), (False, False)):
        show = a_step("show", name="x", of=("seats",), optional=optional, settles=({"bet": "ante", "of": "declared"},))
        of = file(step=(deal("seats"), show, LAST))
        why = "hands are declared only at a show step with optional = true"
        assert complaints_of(step_faults, of) == ([] if right else [("step.1.settles.0.of", why)])


def test_the_deck_is_enough() -> None:
    """Four seats."""
    for cards, said_ in ((13, []), (14, [("seats.most", "4 seats need 56 cards and the deck has 52; at most 3")])):
        assert complaints_of(step_faults, file(step=(deal("seats", cards=cards), LAST))) == said_
    for cards in (12, 13):
        of = file(step=(deal("seats", cards=cards), deal("dealer", name="own", cards=1, origin="hand"), LAST))
        many = [("seats.most", f"4 seats need {4 * cards + 1} cards and the deck has 52; at most 3")]
        assert complaints_of(step_faults, of) == (many if cards == 13 else [])
    beside = (deal("dealer", cards=52), deal("seats", name="own", cards=14, origin="hand"), LAST)
    assert complaints_of(step_faults, file("stud", step=beside)) == [
        ("seats.most", "4 seats need 56 cards and the deck has 52; at most 3")
    ]
    two = (deal("seats", cards=26), deal("dealer", name="own", cards=52, origin="hand"), LAST)
    assert complaints_of(step_faults, file("stud", step=two, deck={"decks": 2})) == []
    none = file(step=(deal("community", cards=52), deal("seats", name="own", cards=1), LAST))
    assert complaints_of(step_faults, none) == [("seats.most", "4 seats need 56 cards and the deck has 52; at most 0")]


def test_as_many_are_left_as_the_text_says() -> None:
    """Four seats of three cards leave forty."""
    steps = (deal("community", cards=12), LAST)
    for of, left, wrong in ((steps, 40, False), (steps, 39, True), (steps, 41, True)):
        said_ = [("remainder.cards", f"4 seats leave 40 cards of 52, not {left}")] if wrong else []
        found = complaints_of(step_faults, file(step=of, remainder={"cards": left, "clause": "S"}))
        assert [each for each in found if each[0] == "remainder.cards"] == said_
    varies = (deal("seats"), LAST)  # fewer seats leave more
    for left, wrong in ((40, False), (39, False), (41, True)):
        found = complaints_of(step_faults, file(step=varies, remainder={"cards": left, "clause": "S"}))
        assert bool(found) is wrong
    draws = (*steps[:1], a_step("exchange", to=("community",), most=2), LAST)
    found = complaints_of(step_faults, file(step=draws, remainder={"cards": 37, "clause": "S"}))
    assert [each for each in found if each[0] == "remainder.cards"] == []


def test_what_the_columns_of_a_shoe_may_not_be() -> None:
    race = game("race-to-the-flush")
    shoe = race.shoe
    assert shoe is not None
    assert shoe.extra is not None

    def of(**update: Any) -> list[tuple[str, str]]:
        changed = shoe.model_copy(update=update)
        return complaints_of(lambda procedure: shoe_faults(procedure, changed), race)

    def ends(*rows: tuple[str, int]) -> Any:
        return tuple(shoe.end[0].model_copy(update={"when": when, "cards": cards}) for when, cards in rows)

    def columns(*names: str, by: str = "turn") -> Any:
        return shoe.columns.model_copy(update={"names": names, "by": by})

    def named(table: str, option: str) -> Any:
        return getattr(shoe, table).model_copy(update={"option": option})

    suits = "by suit they must be clubs, diamonds, hearts, spades, in any order"
    assert of() == []
    assert of(columns=columns("spades", "hearts", "diamonds", "clubs", by="suit")) == []
    assert of(columns=columns("clubs", "diamonds", "hearts", "swords", by="suit")) == [("shoe.columns.names", suits)]
    assert of(columns=columns("a", "b", "c", "a")) == [("shoe.columns.names", "a name may occur only once")]
    assert of(end=ends(("all", 16), ("all", 16))) == [("shoe.end", "at most one end by column and one by all")]
    assert of(end=ends(("column", 5))) == [("shoe.end", "an extra card follows an end by all; there is none")]
    assert of(end=ends(("column", 5)), extra=None) == []
    assert of(end=ends(("column", 5), ("all", 16))) == []
    assert of(end=ends(("column", 5), ("all", 17))) == [
        ("shoe.end", "17 cards without 5 in a column are impossible; at most 16")
    ]
    known = ", ".join(option.name for option in race.option)
    assert of(decks=named("decks", "no")) == [("shoe.decks.option", f"no option 'no'; known: {known}")]
    decks = shoe.decks.option
    wrong = shoe.unread.option
    assert of(decks=named("decks", wrong)) == [
        ("shoe.decks.option", f"option {wrong!r} must choose between numbers of decks, 1 to 16")
    ]
    allowed = {
        "unread": "supervisor, dealer, anyone",
        "overdraw": "note, unreliable",
        "cut_card": "finish-race, one-more-race, play-on",
        "extra": "when-bet, always, never",
    }
    for table, words in allowed.items():
        key = f"shoe.{table.replace('_', '-')}.option"
        why = f"option {decks!r} must choose between {words}"
        changed = shoe.model_copy(update={table: named(table, decks)})
        assert of(**{table: named(table, decks)}) == []
        assert complaints_of(options_of, race.model_copy(update={"shoe": changed})) == [(key, why)]
    early = ", ".join(bet.name for bet in race.bet if bet.placed == "before-deal")
    moves = shoe.extra.model_copy(update={"moves_from": "no"})
    assert of(extra=moves) == [("shoe.extra.moves-from", f"no bet 'no' placed before-deal; allowed: {early}")]


def test_numbers_of_decks_that_are_none() -> None:
    race = game("race-to-the-flush")
    assert race.shoe is not None
    for allowed, right in ((("1", "16"), True), (("0", "1"), False), (("1", "17"), False)):
        rows = tuple(
            OptionPart.model_validate(an_option(row.name, *allowed)) if row.name == race.shoe.decks.option else row
            for row in race.option
        )
        found = complaints_of(
            lambda of: shoe_faults(of, ShoePart.model_validate(of.shoe)), race.model_copy(update={"option": rows})
        )
        why = f"option {race.shoe.decks.option!r} must choose between numbers of decks, 1 to 16"
        assert found == ([] if right else [("shoe.decks.option", why)])


def test_tables_of_a_game_of_steps_in_a_race() -> None:
    race = game("race-to-the-flush")
    assert race.shoe is not None
    shows = game("named")
    update = {
        "hand": shows.hand,
        "decision": game("shows").decision,
        "wrong": shows.wrong,
        "remainder": shows.remainder,
    }
    why = "only for a game of steps; this one is drawn from a shoe"
    shoe = race.shoe
    found = complaints_of(lambda of: shoe_faults(of, shoe), race.model_copy(update=update))
    assert found == [(name, why) for name in ("hand", "decision", "wrong", "remainder")]


def test_steps_or_a_shoe() -> None:
    why = ("step", "give either [[step]]s or a [shoe] that cards are drawn from")
    race, steps = game("race-to-the-flush"), game("shows").step
    assert why in complaints_of(contradictions, file(step=()))
    assert why in complaints_of(contradictions, race.model_copy(update={"step": steps}))
    assert why not in complaints_of(contradictions, race)
