"""Procedure files of games drawn from a shoe: the printed race, what is refused, and another game by the same keys."""

import re

import pytest

from dealer_flow.games import files_of
from dealer_flow.play.flow import DealerFlow
from dealer_flow.procedure.load import ProcedureError, load_procedure, parse_procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.record.result import RoundResult
from devices import events as e
from protocol.cards import parse_cards
from tests.support.reading.refusals import check_refusal

ID = "race-to-the-flush"
TEXT = files_of("deal")[ID].read_text(encoding="utf-8")


def test_race_to_the_flush() -> None:
    """RTF 4-6 and the pay tables: five in a column, sixteen in all, a 17th card; thirteen numbers, fourteen others."""
    procedure = load_procedure(ID)
    plan = Plan(procedure, {}).shoe
    assert plan is not None
    assert (plan.column_end, plan.all_end, plan.decks, plan.loaded) == (5, 16, 1, 52)
    assert plan.columns == ("clubs", "diamonds", "hearts", "spades")
    assert (plan.extra, plan.moves_from, len(plan.moved)) == ("when-bet", "number-17", 4)
    early = [bet for bet in procedure.bet if bet.placed == "before-deal"]
    assert [bet.number for bet in early[:13]] == list(range(5, 18))
    assert len(early) == 13 + 14
    assert all(bet.enters for bet in early)
    assert Plan(procedure, {"decks-in-shoe": "8"}).shoe.loaded == 416  # type: ignore[union-attr]


def test_every_figure_of_the_text_cites_its_paragraph() -> None:
    procedure = load_procedure(ID)
    assert procedure.shoe is not None
    shoe = procedure.shoe
    clauses = [
        shoe.bets_closed,
        shoe.columns.clause,
        *(end.clause for end in shoe.end),
        *(b.clause for b in procedure.bet),
    ]
    assert all(re.match(r"RTF (\d|pay tables)", clause) for clause in clauses)


BAD = [
    ('"spades"]', '"swords"]', "shoe.columns.names", "by suit they must be clubs, diamonds, hearts, spades"),
    ('by = "suit"', 'by = "rank"', "shoe.columns.by", "'suit' or 'turn'"),
    ("cards = 16", "cards = 17", "shoe.end", "17 cards without 5 in a column are impossible; at most 16"),
    ('when = "all"', 'when = "column"', "shoe.end", "one end by column and one by all"),
    ('option = "decks-in-shoe"', 'option = "decks"', "shoe.decks.option", "no option 'decks'; known: decks-in-shoe"),
    ('option = "decks-in-shoe"', 'option = "overdraw"', "shoe.decks.option", "must choose between numbers of decks"),
    (
        'option = "overdraw"',
        'option = "after-cut-card"',
        "shoe.overdraw.option",
        "choose between note, unreliable",
    ),
    ('option = "seventeenth-card"', 'option = "overdraw"', "shoe.extra.option", "when-bet, always, never"),
    ('moves-from = "number-17"', 'moves-from = "number-18"', "shoe.extra.moves-from", "allowed: number-5, number-6"),
    ('moves-from = "number-17"', 'moves-from = "switch-clubs"', "shoe.extra.moves-from", "no bet 'switch-clubs'"),
    ('[shoe.unread]\noption = "unread-card-named-by"\nclause = "procedure"\n', "", "shoe.unread", "missing"),
    ("[shoe.overdraw]", "[shoe.over-draw]", "shoe.over-draw", "unknown key"),
    ("[shoe]\n", "[shoe]\nspeed = 1\n", "shoe.speed", "unknown key; allowed: bets-closed, decks, columns"),
    ('device = "card-shoe"', 'device = "packet-shuffler"', "device", "is drawn from a card-shoe"),
    ("[care.deck]", '[remainder]\nclause = "x"\n[care.deck]', "remainder", "only for a game of steps"),
    (
        "[care.deck]",
        '[[decision]]\nnumber = 1\nname = "go"\nclause = "x"\n[care.deck]',
        "decision",
        "only for a game of steps",
    ),
    (
        "[care.deck]",
        '[[step]]\nname = "x"\ndo = "reveal"\norder = ["seats"]\nclause = "x"\n[care.deck]',
        "step",
        "give either [[step]]s or a [shoe]",
    ),
]


@pytest.mark.parametrize(("old", "new", "key", "why"), BAD)
def test_a_mistake_is_one_line_at_the_right_place(old: str, new: str, key: str, why: str) -> None:
    assert old in TEXT
    with pytest.raises(ProcedureError) as caught:
        parse_procedure(TEXT.replace(old, new, 1), "mine.toml")
    check_refusal(caught.value)
    assert caught.value.key == key
    assert why in caught.value.why
    assert "\n" not in str(caught.value)


def test_a_bet_before_an_extra_card_needs_one() -> None:
    text = re.sub(r"\[shoe\.extra\].*?\n\n", "", TEXT, flags=re.DOTALL)
    with pytest.raises(ProcedureError, match=r"there is no extra card: no \[shoe.extra\]"):
        parse_procedure(text, "mine.toml")


DRAGON = """
schema = "dealwire.procedure/2"
id = "two-cards"
title = "Two Cards"
jurisdiction = "none"
clause = "T 1"
device = "card-shoe"
[deck]
cards = 52
jokers = 0
alternating = 1
clause = "T 1"
[seats]
most = 7
clause = "T 1"
[shoe]
bets-closed = "T 2"
decks = { option = "decks", clause = "T 1" }
columns = { names = ["dragon", "tiger"], by = "turn", clause = "T 3" }
end = [{ when = "all", cards = 2, clause = "T 3" }]
unread = { option = "named-by", clause = "T 4" }
overdraw = { option = "too-many", clause = "T 4" }
cut-card = { option = "cut", clause = "T 5" }
[[bet]]
number = 1
name = "dragon"
placed = "before-deal"
enters = true
clause = "T 2"
[care.deck]
then = "defective-deck"
clause = "T 6"
[face.duplicate]
then = "defective-deck"
clause = "T 6"
[face.foreign]
then = "misdeal"
clause = "T 6"
[misdeal]
until = "end"
clause = "T 7"
[[option]]
name = "decks"
default = "8"
allowed = ["6", "8"]
reason = "T 1"
[[option]]
name = "named-by"
default = "anyone"
allowed = ["anyone"]
reason = "T 4"
[[option]]
name = "too-many"
default = "unreliable"
allowed = ["unreliable"]
reason = "T 4"
[[option]]
name = "cut"
default = "one-more-race"
allowed = ["one-more-race"]
reason = "T 5"
"""


def two_cards(cards: str) -> RoundResult:
    flow = DealerFlow(parse_procedure(DRAGON, "two-cards.toml"))
    bodies = [e.WagerPlaced(3, 1, 100), e.GameStarted(1)]
    bodies += [e.CardDrawn(None, card, "player") for card in parse_cards(cards)]
    out = [item for body in [*bodies, e.GameEnded(1)] for item in flow.handle(e.Seen("table", 1, 1, 1, body))]
    return next(item for item in out if isinstance(item, RoundResult))


def test_another_game_drawn_from_a_shoe_needs_no_code() -> None:
    """One card to each of two places, in turn, from eight decks."""
    result = two_cards("KH KH")
    assert result.outcome == "complete"
    assert result.draw is not None
    assert result.draw.columns == {"dragon": ("KH",), "tiger": ("KH",)}
    assert result.draw.finish is not None
    assert (result.draw.finish.cards, result.draw.finish.column) == (2, None)
    assert result.shoe is not None
    assert (result.shoe.loaded, result.shoe.left) == (416, 414)
    other = two_cards("KH 2C").draw
    assert other is not None
    assert other.columns == {"dragon": ("KH",), "tiger": ("2C",)}
    assert two_cards("KH").outcome == "unreliable"
    assert two_cards("KH 2C 3C").outcome == "unreliable"
    assert two_cards("KH X1").outcome == "misdeal"
