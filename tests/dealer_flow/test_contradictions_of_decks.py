"""Errors of decks and their care: every error with its key."""

from __future__ import annotations

from typing import Final

from dealer_flow.procedure.checks.decks import (
    burned_faults,
    deck_faults,
    extra_burn_faults,
    remainder_faults,
    runs_out_faults,
    shuffle_faults,
    unburned_faults,
)
from tests.support.dealing.changed_tables import (
    DECK,
    STANDS,
    a_step,
    an_option,
    and_options,
    complaints_of,
    file,
    game,
    options_of,
)


def test_what_a_deck_may_not_be() -> None:
    one, whole = "deals from one deck; several need a card-shoe", "deals each round from a whole deck: each-round"
    kept = {"decks": 2, "fresh": "until-cut-card"}
    assert complaints_of(deck_faults, file(deck=kept | {"cards": 53})) == [
        ("deck.cards", "53 cards of a deck with 0 jokers; at most 52"),
        ("deck.decks", f"a packet-shuffler {one}"),
        ("deck.fresh", f"a packet-shuffler {whole}"),
    ]
    assert complaints_of(deck_faults, file(device="hand", deck=kept)) == [
        ("deck.decks", f"a dealer's hand {one}"),
        ("deck.fresh", f"a dealer's hand {whole}"),
    ]
    assert complaints_of(deck_faults, file("stud", deck=kept | {"cards": 54, "jokers": 2})) == []
    assert complaints_of(deck_faults, file("exact", deck=kept)) == [
        ("remainder.cards", "an exact remainder needs a deck that is fresh each-round")
    ]
    race = game("race-to-the-flush")
    assert complaints_of(deck_faults, race) == []
    found = complaints_of(deck_faults, race.model_copy(update={"device": "hand"}))
    assert ("device", "a game with a [shoe] table is drawn from a card-shoe") in found


def test_how_decks_are_looked_after() -> None:
    rounds = "that chooses between numbers of rounds, 0 for no limit"
    care = DECK | {
        "age": {"option": "top", "clause": "S"},
        "least": {"option": "no", "clause": "S"},
        "alternate": {"clause": "S"},
    }
    assert complaints_of(deck_faults, file(care=care)) == [
        ("care.age.option", f"no option 'top' {rounds}"),
        ("care.least.option", f"no option 'no' {rounds}"),
        ("care.alternate", "one deck cannot take turns; needs [deck] alternating = 2"),
    ]
    numbers = DECK | {"age": {"option": "n", "clause": "S"}, "alternate": {"clause": "S"}}
    assert (
        complaints_of(deck_faults, file(care=numbers, deck={"alternating": 2}, more_option=[an_option("n", "0", "9")]))
        == []
    )


OF_NOBODY: Final = "nothing, person, misdeal, unreliable"
OFF: Final = (a_step("deal", to=("seats",), cards=2, by="single"), a_step("burn-card"))


def test_a_burn_that_cannot_be_forgotten() -> None:
    care = DECK | {"unburned": {"then": "dead-hand", "offers": "x", "clause": "S"}}
    assert complaints_of(unburned_faults, file("stud", care=care)) == [
        ("care.unburned", "no burn-card step of a card-shoe or a deck in the hand burns a card"),
        ("care.unburned.then", f"dead-hand: it concerns all hands; allowed: {OF_NOBODY}"),
        ("care.unburned.offers", "no choice 'x' that folds; allowed: fold"),
    ]
    by = DECK | {"unburned": {"option": "o", "clause": "S"}}
    words = an_option("o", "nothing", "kept", "bury")
    assert complaints_of(unburned_faults, file("stud", care=by, step=OFF, more_option=[words])) == [
        ("care.unburned.option", f"bury, kept: it concerns all hands; allowed: {OF_NOBODY}")
    ]
    assert complaints_of(unburned_faults, file(care=DECK | {"unburned": STANDS | {"offers": "x"}}, step=OFF)) == [
        ("care.unburned", "no burn-card step of a card-shoe or a deck in the hand burns a card"),
        ("care.unburned.offers", "no choice 'x' that folds; allowed: none"),
    ]
    by_hand = (OFF[0], a_step("burn-card", origin="hand"))
    assert len(complaints_of(unburned_faults, file("stud", care=DECK | {"unburned": STANDS}, step=by_hand))) == 1
    assert complaints_of(unburned_faults, file("stud", care=DECK | {"unburned": STANDS}, step=OFF)) == []


def test_care_for_cards_that_nobody_burns() -> None:
    back = "only for a card-shoe or a dealer's hand with a burn-card step"
    care = DECK | {"burned": {"then": "dead-hand", "back_on_top": True, "clause": "S"}}
    assert complaints_of(burned_faults, file("stud", care=care)) == [
        ("care.burned", "no step burns a card"),
        ("care.burned.then", f"dead-hand: a burned card is in no one's hand; allowed: {OF_NOBODY}"),
        ("care.burned.back-on-top", back),
    ]
    held = DECK | {"burned": STANDS | {"back_on_top": True}}
    assert complaints_of(burned_faults, file("stud", care=held, step=OFF)) == []
    assert complaints_of(burned_faults, file(care=held, step=OFF)) == [("care.burned.back-on-top", back)]
    by = DECK | {"burned": {"option": "o", "clause": "S"}}
    of = file("let-it-ride", care=by, more_option=[an_option("o", "kept", "bury", "person")])
    assert complaints_of(burned_faults, of) == [
        ("care.burned.option", f"bury, kept: a burned card is in no one's hand; allowed: {OF_NOBODY}")
    ]


def test_a_burn_too_many_where_nobody_burns_single_cards() -> None:
    why = "only of single cards, out of a card-shoe or a dealer's hand, can one too many be burned"
    care = DECK | {"extra_burn": STANDS}
    assert complaints_of(extra_burn_faults, file(care=care)) == [("care.extra-burn", why)]
    assert complaints_of(extra_burn_faults, file("stud", care=care)) == []
    dead = DECK | {"extra_burn": {"then": "dead-hand", "clause": "S"}}
    assert complaints_of(extra_burn_faults, file("stud", care=dead)) == [
        ("care.extra-burn.then", f"dead-hand: a burned card is in no one's hand; allowed: {OF_NOBODY}")
    ]


def test_a_deck_that_cannot_run_out() -> None:
    one = "only single cards of a deck that is fresh each-round can run out"
    words = "option 'top' must choose between scramble, scramble-or-community, person, misdeal"
    row = DECK | {"runs_out": {"option": "top", "clause": "S"}}
    assert complaints_of(and_options(runs_out_faults), file(care=row)) == [
        ("care.runs-out", one),
        ("care.runs-out.option", words),
    ]
    assert complaints_of(and_options(runs_out_faults), file("stud", care=row)) == [("care.runs-out.option", words)]
    for change in ({"deck": {"fresh": "until-cut-card"}}, {"step": ()}):
        assert complaints_of(runs_out_faults, file("stud", care=row, **change))[0] == ("care.runs-out", one)
    row = DECK | {"runs_out": {"option": "o", "clause": "S"}}
    for allowed, needs in (
        (("person", "misdeal"), None),
        (("scramble", "person"), "scramble"),
        (("scramble-or-community", "scramble"), "scramble"),
    ):
        of = file("stud", care=row, more_option=[an_option("o", *allowed)])
        why = f"{needs!r} needs burned cards, and no burn-card step of this deck burns any"
        assert complaints_of(runs_out_faults, of) == ([("care.runs-out.option", why)] if needs else [])
        assert complaints_of(runs_out_faults, of.model_copy(update={"step": OFF})) == []


def test_a_shoe_that_is_shuffled() -> None:
    row = {"rounds": 2, "identical": ["river", "dealer", "seats"], "option": "top", "clause": "S"}
    assert complaints_of(and_options(shuffle_faults), file("stud", care=DECK | {"shuffle": row})) == [
        ("care.shuffle", "a deck that is fresh each-round is dealt one round; this needs fresh = until-cut-card"),
        ("care.shuffle.identical", "no card of the shoe comes to 'river'; allowed: dealer"),
        ("care.shuffle.identical", "no card of the shoe comes to 'seats'; allowed: dealer"),
        ("care.shuffle.option", "option 'top' must choose between dealing, shuffling"),
    ]
    kept = file("stud", care=DECK | {"shuffle": row}, deck={"fresh": "until-cut-card"}, step=OFF)
    assert complaints_of(shuffle_faults, kept) == [
        ("care.shuffle.identical", f"no card of the shoe comes to {name!r}; allowed: none")
        for name in ("river", "dealer", "seats")
    ]
    by_hand = (a_step("deal", to=("dealer",), cards=2, by="single", origin="hand"),)
    assert complaints_of(shuffle_faults, kept.model_copy(update={"step": by_hand})) == complaints_of(
        shuffle_faults, kept
    )
    assert complaints_of(shuffle_faults, game("stud")) == []


def test_what_becomes_of_hands_that_were_shown() -> None:
    row = DECK | {"shown": {"option": "top", "clause": "S"}}
    assert complaints_of(options_of, file(care=row)) == [
        ("care.shown.option", "option 'top' must choose between stand, come-back")
    ]
    assert complaints_of(options_of, game("shows")) == []


def test_what_is_left_of_the_deck() -> None:
    missing = "missing: what is left of the deck is counted after every round"
    assert complaints_of(remainder_faults, file(remainder=None)) == [("remainder", missing)]
    assert complaints_of(remainder_faults, file("stud", remainder=None)) == []
    row = {"after": "flop", "explained": "top", "clause": "S"}
    assert complaints_of(and_options(remainder_faults), file(remainder=row)) == [
        ("remainder.after", "no step 'flop'; known: hands, one, choice, all, showdown"),
        ("remainder.explained", "option 'top' must choose between never, by-hands"),
    ]
    assert complaints_of(remainder_faults, file(remainder={"after": "all", "clause": "S"})) == []
