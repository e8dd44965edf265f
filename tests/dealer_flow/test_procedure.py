"""Procedure files: what is good loads; what is wrong is one line with file, line, key and what is allowed."""

from pathlib import Path

import pytest

from dealer_flow.procedure.load import ProcedureError, known_procedures, load_procedure, parse_procedure, whole_text
from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.steps.burn import BurnStep
from dealer_flow.procedure.steps.deal import DealStep
from protocol.places import COMMUNITY, DEALER, seat
from protocol.tomlfile import line_of
from tests.support.reading.each import of_each
from tests.support.reading.refusals import check_refusal

ID = "flushes-gone-wild.co"
TEXT = whole_text(ID)


@of_each("name", known_procedures())
def test_every_file_loads_under_its_own_name(name: str) -> None:
    assert load_procedure(name).id == name


def test_flushes_gone_wild_colorado() -> None:
    """47.1-1017.60 (4)-(6): five community cards first, five each clockwise, the dealer last; burn 1, 2 and 5."""
    procedure = load_procedure(ID)
    plan = Plan(procedure, {})
    deals = [(step.to, step.cards, step.by) for step in plan.steps if isinstance(step, DealStep)]
    assert deals == [(("community",), 5, "packet"), (("seats", "dealer"), 5, "packet")]
    assert [plan.expected(place) for place in (COMMUNITY, seat(1), DEALER)] == [5, 5, 5]
    (burn,) = [step for step in procedure.step if isinstance(step, BurnStep)]
    assert (burn.of, burn.positions, burn.spread) == ("community", (1, 2, 5), "left-to-right")
    assert [(bet.number, bet.name) for bet in procedure.bet] == [
        (1, "ante"),
        (2, "blind"),
        (3, "play"),
        (4, "flush-rush"),
        (5, "progressive"),
    ]
    assert [(choice.number, choice.name) for choice in procedure.decision] == [(1, "fold"), (2, "play")]
    thens = {
        kind: [plan.wrong(kind, how, "hands") for how in ("short", "long")] for kind in ("seats", "dealer", "community")
    }
    assert [policy and policy.then for policy in thens["seats"]] == ["dead-hand", "dead-hand"]
    assert [policy and policy.then for policy in thens["dealer"]] == ["progressive-only", "progressive-only"]
    assert [policy and policy.then for policy in thens["community"]] == ["progressive-only", "progressive-only"]
    exposed = plan.wrong("seats", "exposed", "hands")
    assert exposed is not None
    assert (exposed.then, exposed.clause) == ("person", "47.1-1021")  # to be replaced, which a packet does not allow


def test_the_hash_covers_the_content_and_nothing_else() -> None:
    plain = parse_procedure(TEXT, "a.toml").ref()
    assert parse_procedure("# a remark\n" + TEXT.replace("cards = 52", "cards  =  52  # all"), "b.toml").ref() == plain
    assert parse_procedure(TEXT.replace("most = 8", "most = 7"), "a.toml").ref().sha256 != plain.sha256
    assert len(plain.sha256) == 64


BAD = [
    ("most = 8", "most = 9", "seats.most", "9 seats need 55 cards and the deck has 52; at most 8"),
    ("cards = 52", "cards = 53", "deck.cards", "53 cards of a deck with 0 jokers; at most 52"),
    ("[1, 2, 5]", "[1, 2, 6]", "step[3].positions", "position 6 of a packet of 5; allowed: 1 to 5"),
    ("[1, 2, 5]", "[1, 2, 2]", "step[3].positions", "a position may occur only once"),
    ("[1, 2, 5]", "[1, 2, 3, 4, 5]", "step[3].positions", "fewer than the 5"),
    ("[1, 2, 5]", "[0, 2, 5]", "step[3].positions[1]", "greater than or equal to 1"),
    ('of = "community"\npositions', 'of = "seats"\npositions', "step[3].of", "not a player's"),
    ('of = "community"\npositions', 'of = "river"\npositions', "step[3].of", "allowed: seats, dealer, community"),
    ('top-card = "community-top-card"', 'top-card = "foreign-card"', "step[3].top-card", "between left, right"),
    ('to = ["seats", ', 'to = ["players", ', "step[2].to", "no recipient 'players'; allowed: seats, dealer, community"),
    ('to = ["seats", "dealer"]', 'to = ["seats", "seats"]', "step[2].to", "a place may occur only once"),
    (
        'do = "reveal"',
        'do = "display"',
        "step[5].do",
        "no such kind: 'display'; allowed: deal, burn, burn-card",
    ),
    ('do = "burn"\n', "", "step[3].do", "missing; allowed: deal, burn"),
    ('by = "packet"', 'by = "pile"', "step[1].by", "'packet' or 'single'"),
    (
        'by = "packet"',
        'by = "packet"\nsize = 5',
        "step[1].size",
        "unknown key; allowed: name, when, settles, clause, only, origin, do",
    ),
    ('name = "hands"', 'name = "community"', "step[2].name", "'community' is taken"),
    ('number = 2\nname = "blind"', 'number = 1\nname = "blind"', "bet[2].number", "1 is taken"),
    ('name = "blind"', 'name = "ante"', "bet[2].name", "'ante' is taken"),
    ("enters = true", "enters = false", "bet", "enters = true"),
    ("enters = true", "enter = true", "bet[1].enter", "unknown key; allowed: number, name, placed, enters"),
    ("jokers = 0", "jokers = 0\njoker = 1", "deck.joker", "unknown key; allowed: cards, jokers, decks, alternating"),
    ("jokers = 0", "jokers = 0\ndecks = 2", "deck.decks", "a packet-shuffler deals from one deck"),
    ("cards = 52", 'cards = "52"', "deck.cards", "whole number"),
    ("cards = 52", "cards = 52.0", "deck.cards", "whole number"),
    ("cards = 5\n", "cards = 0\n", "step[1].cards", "greater than or equal to 1"),
    ('bet = "play"', 'bet = "ante"', "decision[2].bet", "allowed: play"),
    ('bet = "play"', 'takes-back = "play-2"', "decision[2].takes-back", "no bet 'play-2'; allowed: ante, blind, play"),
    ('bet = "play"', "draws = 2", "decision[2].draws", "no exchange step"),
    ('["dealer", "community", "seats"]', '["dealer", "bank"]', "step[5].order", "no recipient 'bank'"),
    (
        'choices = ["fold", "play"]',
        'choices = ["fold", "raise"]',
        "step[4].choices",
        "no choice 'raise'; known: fold, play",
    ),
    ('choices = ["fold", "play"]', 'choices = ["play"]', "decision[1].name", "no step offers 'fold'"),
    ('then = "progressive-only"', 'then = "dead"', "wrong[2].then", "'dead-hand'"),
    ('then = "progressive-only"', 'then = "complete"', "wrong[2].then", "gives a hand its next card"),
    (
        'of = "seats"\nhow',
        'of = "river"\nhow',
        "wrong[1].of",
        "gets no cards; allowed: community, seats, dealer, remainder",
    ),
    (
        'how = ["short", "long"]',
        'how = ["short"]',
        "wrong",
        "missing: a row of 'seats' for 'long', cards of step 'hands'",
    ),
    (
        'how = ["short", "long"]',
        'how = ["short", "wide"]',
        "wrong[1].how[2]",
        "'short', 'long', 'exposed', 'off-table', 'dropped' or 'early'",
    ),
    (
        'how = ["short", "long"]',
        'how = ["short", "long"]\nat = ["flop"]',
        "wrong[1].at",
        "'flop' gives no cards to 'seats'",
    ),
    (
        'then = "progressive-only"',
        'then = "progressive-only"\nreturns = ["antes"]',
        "wrong[2].returns",
        "no bet 'antes'; allowed: ante",
    ),
    ('option = "community-count"', 'option = "community"', "wrong[3].option", "known: player-count, community-count"),
    ('option = "community-count"', 'option = "community-top-card"', "wrong[3].option", "does not choose"),
    ('then = "progressive-only"', 'then = "progressive-only"\noption = "foreign-card"', "wrong[2]", "exactly one of"),
    ('default = "left"', 'default = "up"', "option[3].default", "'up' is not among left, right"),
    ('name = "card-lost"', 'name = "card-stolen"', "fault[7].name", "known: too-few-cards"),
    ('class = "link"', 'class = "links"', "fault[6].class", "known: input"),
    ('schema = "dealwire.procedure/2"', 'schema = "dealwire.procedure/1"', "schema", "'dealwire.procedure/2'"),
    ('[remainder]\nclause = "47.1-1017.60(5)"', "", "remainder", "missing"),
    ("[remainder]\n", "[remainder]\ncards = 3\n", "remainder.cards", "8 seats leave 2 cards of 52, not 3"),
    ("[remainder]\n", "[remainder]\ncards = 2\n", "wrong", "missing: a row of 'remainder' for 'short'"),
    ("[remainder]\n", '[remainder]\nafter = "flop"\n', "remainder.after", "no step 'flop'; known: community, hands"),
    ("minutes = 30", "minutes = 0", "care.count-every.minutes", "greater than or equal to 1"),
    ('option = "deck-age-rounds"', 'option = "foreign-card"', "care.age.option", "numbers of rounds"),
    ('option = "deck-least-rounds"', 'option = "foreign-card"', "care.least.option", "numbers of rounds"),
]


@pytest.mark.parametrize(("old", "new", "key", "why"), BAD)
def test_a_mistake_is_one_line_at_the_right_place(old: str, new: str, key: str, why: str) -> None:
    assert old in TEXT
    text = TEXT.replace(old, new, 1)
    with pytest.raises(ProcedureError) as caught:
        parse_procedure(text, "mine.toml")
    check_refusal(caught.value)
    error = caught.value
    assert (error.file, error.key) == ("mine.toml", key)
    assert why in error.why
    assert "\n" not in str(error)
    assert error.line is not None
    assert str(error).startswith(f"mine.toml:{error.line}: {key}: ")
    changed = next(
        number
        for number, pair in enumerate(zip(TEXT.splitlines(), text.splitlines(), strict=False), 1)
        if pair[0] != pair[1]
    )
    headers = [at for at, line in enumerate(text.splitlines(), 1) if at <= changed and line.startswith("[")]
    first = max(headers, default=1)
    assert (
        key in ("bet", "wrong", "remainder", "step")
        or key.endswith(".name")
        or first <= error.line <= changed + new.count("\n")
    )


def test_the_line_is_the_keys_own() -> None:
    lines = TEXT.splitlines()
    assert lines[(line_of(TEXT, ("seats", "most")) or 0) - 1].startswith("most = 8")
    assert lines[(line_of(TEXT, ("step", 1, "cards")) or 0) - 1] == "cards = 5"
    assert 'to = ["seats"' in lines[(line_of(TEXT, ("step", 1, "cards")) or 0) - 2]
    assert lines[(line_of(TEXT, ("care", "deck", "nothing")) or 0) - 1].startswith("[care.deck]")
    assert line_of(TEXT, ("nothing",)) is None


def test_an_element_of_an_array_is_found_whatever_stands_in_it() -> None:
    text = """
[[check]]
steps = [
  { do = "a" },  # one [ of them

  { repeat = 2, steps = [
    { do = "b" },
    { do = "c]" },
  ] },
  { do = "d" },
]
"""
    found = {"first": ("steps", 0), "repeat": ("steps", 1), "inner": ("steps", 1, "steps", 1), "last": ("steps", 2)}
    assert {name: line_of(text, ("check", 0, *key)) for name, key in found.items()} == {
        "first": 4,
        "repeat": 6,
        "inner": 8,
        "last": 10,
    }


def test_a_missing_key_names_its_table() -> None:
    text = TEXT.replace("most = 8", "", 1)
    with pytest.raises(ProcedureError) as caught:
        parse_procedure(text, "mine.toml")
    check_refusal(caught.value)
    assert (caught.value.key, caught.value.why) == ("seats.most", "missing")
    assert text.splitlines()[(caught.value.line or 0) - 1] == "[seats]"


@pytest.mark.parametrize(
    ("text", "line"), [("a = 1\nb = = 2\n", 2), ("[x\n", 1), ("a = 1\na = 2\n", 2), ('a = "\n', 1)]
)
def test_broken_toml_names_the_line(text: str, line: int) -> None:
    with pytest.raises(ProcedureError) as caught:
        parse_procedure(text, "mine.toml")
    check_refusal(caught.value)
    assert caught.value.line == line
    assert "not TOML" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unknown_and_unreadable(tmp_path: Path) -> None:
    with pytest.raises(ProcedureError, match=r"did you mean flushes-gone-wild\.co\?"):
        load_procedure("flushes-gone-mild.co")
    with pytest.raises(ProcedureError, match=r"known: 208\.co, .* more, or a \.toml file"):
        load_procedure("baccarat")
    with pytest.raises(ProcedureError, match="cannot be read: No such file"):
        load_procedure(tmp_path / "absent.toml")
    with pytest.raises(ProcedureError, match="cannot be read: Is a directory"):
        load_procedure(tmp_path)
    (tmp_path / "bytes.toml").write_bytes(b'id = "\xff"')
    with pytest.raises(ProcedureError, match="not UTF-8 text at byte 6"):
        load_procedure(str(tmp_path / "bytes.toml"))
    (tmp_path / "mine.toml").write_text(TEXT, encoding="utf-8")
    assert load_procedure(tmp_path / "mine.toml") == load_procedure(ID)
