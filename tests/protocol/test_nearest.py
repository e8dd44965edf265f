"""Suggestions for an unknown name."""

from protocol.nearest import LISTED, did_you_mean, instead

MANY = [f"name-{letter}" for letter in "abcdefghijklmnopq"]


def test_of_many_one_that_is_near_is_named_and_no_other() -> None:
    known = [*MANY, "208.co", "three-card.co"]
    assert instead("three-cards.co", known, "known: ") == " (did you mean three-card.co?)"
    assert instead("three-cards.co", known, "known: ") == did_you_mean("three-cards.co", known)


def test_where_none_is_near_all_are_listed() -> None:
    said = instead("x", MANY, "allowed: ", ", or a .toml file")
    assert said == f"; allowed: {', '.join(MANY)}, or a .toml file"


def test_few_are_all_listed() -> None:
    assert instead("x", ["208.co", "holdem.co"], "there are ") == "; there are 208.co, holdem.co"
    assert instead("holdem.c", ["208.co", "holdem.co"], "known: ", ", or a .toml file") == (
        " (did you mean holdem.co?); known: 208.co, holdem.co, or a .toml file"
    )
    assert instead("x", MANY[:LISTED], "known: ").endswith(MANY[LISTED - 1])
    assert instead("x", [], "known: ") == "; known: none"
