"""The ledger of a shoe, report by report: the cards out, the cards left, whether they add up, and the counters."""

from fractions import Fraction

import pytest

from dealer_flow.record.incidents import UNJUDGED, Incident
from dealer_flow.table.shoe import ShoeLedger, Shoes
from devices.events import CardDrawn, CardUnread, LinkUp, ReaderFlag
from protocol.cards import DECK, Card, parse_card, parse_cards

FOUR = parse_cards("AC AD AH AS")
"""A deck small enough to be dealt out on paper."""


def shoe(decks: int = 1, faces: tuple[Card, ...] = FOUR, loaded: int | None = None) -> ShoeLedger:
    return ShoeLedger(1, decks, faces, decks * len(faces) if loaded is None else loaded)


def taken(at: ShoeLedger, cards: str) -> list[tuple[str, str]]:
    """Code and reason of what is found as these leave the shoe."""
    return [(found.code, found.reason) for card in parse_cards(cards) for found in at.take(card)]


def facts(found: list[Incident]) -> dict[str, object]:
    """Return the facts of the only finding."""
    (one,) = found
    assert (one.place, one.clause) == ("shoe", UNJUDGED)
    names = ("code", "reason", "cards", "counted", "expected", "dealt", "left", "limit")
    return {name: value for name in names if (value := getattr(one, name)) not in (None, "", ())}


# ------------------------------------------------------------------ one shoe


def test_what_left_a_shoe_and_what_is_left_in_it() -> None:
    at = shoe(2)
    assert (at.left, at.penetration, at.composition(), at.came) == (8, Fraction(0), {}, ())
    assert taken(at, "AH AC AH") == []
    assert (at.drawn, at.left, at.penetration, at.came) == (3, 5, Fraction(3, 8), parse_cards("AH AC AH"))
    assert at.composition() == {"AC": 1, "AH": 2}
    at.forget()
    assert (at.left, at.drawn) == (None, 3)


def test_an_empty_shoe_has_no_share_that_was_dealt() -> None:
    assert shoe(loaded=0).penetration == 0
    assert shoe(loaded=1).penetration == 0


def test_more_cards_than_were_loaded() -> None:
    """It is said of the first; there are never fewer than none left."""
    at = shoe(loaded=2)
    assert taken(at, "AC AD") == []
    assert facts(at.take(parse_card("AH"))) == {
        "code": "cards-not-conserved",
        "reason": "shoe-overdrawn",
        "expected": 2,
    }
    assert at.left == 0
    assert taken(at, "AS") == []
    doubted = shoe(loaded=2)
    doubted.forget()
    assert taken(doubted, "AC AD AH") == []


@pytest.mark.parametrize(
    ("card", "found"),
    [
        ("??", None),
        ("AC", None),
        ("X1", {"code": "stray-joker", "reason": "device", "cards": ("X1",)}),
        ("KD", {"code": "foreign-card", "reason": "shoe", "cards": ("KD",)}),
        ("?^", {"code": "foreign-card", "reason": "shoe", "cards": ("?^",)}),
    ],
)
def test_a_face_that_is_none_of_the_deck(card: str, found: dict[str, object] | None) -> None:
    said = shoe(2).take(parse_card(card))
    assert facts(said) == found if found else said == []


def test_a_joker_of_the_deck_is_a_card_like_any_other() -> None:
    assert taken(shoe(faces=parse_cards("AC AD X1 X2")), "X1 X2") == []


def test_a_face_more_often_than_there_are_decks() -> None:
    at = shoe(2)
    assert taken(at, "AC AC") == []
    found = {"code": "duplicate-face", "reason": "drawn-too-often", "cards": ("AC",), "counted": 3, "limit": 2}
    assert facts(at.take(parse_card("AC"))) == found
    assert facts(at.take(parse_card("AC"))) == found | {"counted": 4}


def test_when_all_cards_are_out_each_face_was_there() -> None:
    assert taken(shoe(), "AC AD AH AS") == []
    assert taken(shoe(), "AC AD ?? AS") == []
    at = shoe()
    assert taken(at, "AC AD AD") == [("duplicate-face", "drawn-too-often")]
    assert facts(at.take(parse_card("AS"))) == {"code": "cards-not-conserved", "reason": "shoe-empty", "counted": 1}
    beside = shoe()
    assert taken(beside, "AC AD ?? ??") == []
    assert facts(beside.name(parse_card("AC"))[1:]) == {
        "code": "cards-not-conserved", "reason": "shoe-empty", "counted": 1,
    }  # fmt: skip
    assert taken(shoe(loaded=3), "AC ?? AH") == [], "a shoe that was not whole lacks what it lacks"
    doubted = shoe()
    doubted.forget()
    assert taken(doubted, "AC AD AD AS") == [("duplicate-face", "drawn-too-often")]


def test_a_card_that_is_named_is_no_longer_unread() -> None:
    at = shoe()
    taken(at, "?? AD")
    assert at.name(parse_card("AC")) == []
    assert (at.composition(), at.drawn) == ({"AC": 1, "AD": 1}, 2)
    assert [found.code for found in at.name(parse_card("AD"))] == ["duplicate-face"]


def test_cards_that_were_not_reported_count_as_unread() -> None:
    at = shoe()
    taken(at, "AC")
    at.miss(2)
    assert (at.drawn, at.left, at.composition()) == (3, 1, {"??": 2, "AC": 1})


def test_the_last_card_is_pushed_back() -> None:
    at = shoe()
    taken(at, "AC AD")
    at.put_back()
    assert (at.drawn, at.whole, at.came, at.composition()) == (1, False, parse_cards("AC"), {"AC": 1})
    at.put_back()
    assert (at.drawn, at.came, at.composition()) == (0, (), {}), "the one before it"
    at.put_back()
    assert (at.drawn, at.composition()) == (0, {}), "which card that was nobody knows"
    many = shoe(20)
    taken(many, "AC " * 9 + "AD")
    for _ in range(9):
        many.put_back()
    assert (many.drawn, many.composition()) == (2, {"AC": 2}), "of eight it is known"
    again = shoe()
    taken(again, "AC")
    again.take_back(parse_cards("AC"))
    again.put_back()
    assert (again.drawn, again.composition(), again.came) == (0, {}, ()), "it was back already"


def test_cards_are_shuffled_into_what_is_left() -> None:
    at = shoe()
    taken(at, "AC AD AH")
    at.take_back(parse_cards("AD AH"))
    assert (at.drawn, at.back, at.left, at.composition()) == (1, 2, 3, {"AC": 1})
    at = shoe()
    taken(at, "AC AD AH")
    at.take_back(parse_cards("AD"), among=parse_cards("AD AH"))  # one of the two
    assert (at.drawn, at.back, at.composition()) == (2, 1, {"??": 1, "AC": 1})


def test_a_shoe_that_shuffles_itself_has_all_cards_again() -> None:
    at = shoe()
    taken(at, "AC AD")
    at.mix()
    assert (at.whole, at.drawn, at.came, at.composition(), at.left) == (False, 0, (), {}, None)


def test_a_shoe_filled_with_what_is_left_counts_anew() -> None:
    at = shoe()
    taken(at, "AC AD")
    at.take_back(parse_cards("AD"))
    at.over = True
    at.refill(7)
    assert (at.id, at.announced, at.over, at.before, at.back, at.drawn) == (7, True, False, 1, 0, 1)
    taken(at, "AH")
    assert at.device_count(1) == []


def test_the_device_counts_what_left_since_it_was_filled() -> None:
    at = shoe()
    taken(at, "AC AD AH")
    assert at.device_count(3) == []
    for counted in (2, 4):
        found = facts(at.device_count(counted))
        assert found == {"code": "cards-not-conserved", "reason": "shoe-count", "counted": counted, "expected": 3}
    at.take_back(parse_cards("AH"))
    assert at.device_count(3) == [], "it came out all the same"
    at.refill(2)
    assert at.device_count(0) == []
    at.forget()
    assert at.device_count(9) == []


def test_a_person_counts_what_is_left() -> None:
    at = shoe()
    taken(at, "AC AD AH")
    assert at.person_count(1) == []
    for left in (0, 2):
        found = facts(at.person_count(left)) | {"left": left}
        assert found == {
            "code": "cards-not-conserved", "reason": "shoe-left", "expected": 4, "dealt": 3, "left": left,
        }  # fmt: skip
    at.forget()
    assert at.person_count(9) == []


# ------------------------------------------------------------------ the shoe on the table


def shoes(**facts: object) -> Shoes:
    return Shoes(1, DECK, 90, **facts)  # type: ignore[arg-type]


ACE, KING = parse_cards("AH KD")


@pytest.mark.parametrize(
    ("confidence", "flags", "why"),
    [
        (None, (), ""),
        (90, (), ""),
        (89, (), "unsure"),
        (0, (), "unsure"),
        (100, (ReaderFlag.DISAGREE,), "readers-disagree"),
        (0, (ReaderFlag.DISAGREE,), "readers-disagree"),
    ],
)
def test_a_reading_that_is_not_to_be_believed(confidence: int | None, flags: tuple[ReaderFlag, ...], why: str) -> None:
    body = CardDrawn(1, ACE, None, confidence=confidence, reader=flags)
    at = shoes()
    assert (at.doubt(body), at.face(body).text) == (why, "??" if why else "AH")


def test_what_is_no_reading_is_not_doubted() -> None:
    at = shoes()
    assert (at.doubt(CardUnread(1, None)), at.face(CardUnread(1, None)).text) == ("", "??")
    assert at.doubt(LinkUp(1, "", "", "", "", "", False, False)) == ""


def test_a_shoe_of_another_line_is_another_shoe() -> None:
    at = shoes()
    assert at.change("left") is False
    at.load(3, 52)
    at.count(1, None, ACE)
    assert at.change("left") is False
    assert (at.current is not None, at.reported(1, None)) == (True, ACE)
    assert at.change("right") is True
    assert (at.device, at.current, at.reported(1, None)) == ("right", None, None)


def test_a_shoe_that_was_filled() -> None:
    at = shoes(burns_due=2)
    at.count(1, None, ACE)
    made = at.load(3, 50)
    assert made is at.current
    assert (made.id, made.decks, made.loaded, made.announced, made.whole) == (3, 1, 50, True, True)
    assert (at.burns_due, at.reported(1, None), at.repeats(1, None, ACE)) == (0, None, False)


def test_a_shoe_that_was_filled_with_what_is_left_of_it() -> None:
    at = shoes()
    made = at.load(3, 52)
    at.burns_due = 2
    made.take(ACE)
    at.count(1, None, ACE)
    assert at.refill(4) is made
    assert (made.id, made.before, made.drawn, at.burns_due, at.reported(1, None)) == (4, 1, 1, 2, None)


def test_the_shoe_that_a_card_comes_from() -> None:
    at = shoes()
    first = at.on_table(1)
    assert (first.id, first.loaded, first.announced, first.whole) == (1, 52, False, True)
    assert at.on_table(9) is first
    first.over = True
    second = at.on_table(2)
    assert (second.id, second.whole) == (2, False)
    told = at.load(8, 52)
    told.over = True
    assert at.on_table() is told, "the device says when there is another"
    at.replace()
    assert (told.over, told.announced, at.on_table().id) == (True, False, 9)
    for ordinal, whole in ((None, True), (0, True), (1, True), (2, False)):
        assert shoes().on_table(ordinal).whole is whole
    none = shoes()
    none.replace()
    assert none.current is None


def test_the_last_report_once_more() -> None:
    at = shoes()
    at.count(4, "a", ACE)
    assert at.repeats(4, "a", ACE)
    assert [at.repeats(*other) for other in ((5, "a", ACE), (4, "b", ACE), (4, "a", KING), (None, "a", ACE))] == [
        False
    ] * 4
    at.begin_round()
    assert not at.repeats(4, "a", ACE), "from here on it is another card"


@pytest.mark.parametrize(
    ("ordinals", "missing"),
    [
        ([1, 2, 3], [0, 0, 0]),
        ([0, 1], [0, 0]),
        ([1, 3], [0, 1]),
        ([2], [1]),
        ([5], [4]),
        ([1, 2, 2], [0, 0, -1]),
        ([1, 2, 3, 2], [0, 0, 0, -1]),
        ([1, 2, 3, 1], [0, 0, 0, 0]),  # the count starts over
        ([1, 2, 3, 1, 2], [0, 0, 0, 0, 0]),
        ([1, None, 2], [0, 0, 0]),
    ],
)
def test_how_many_cards_were_not_reported(ordinals: list[int | None], missing: list[int]) -> None:
    at = shoes()
    assert [at.count(ordinal, None, ACE) for ordinal in ordinals] == missing


def test_a_device_may_count_in_the_hand_that_it_deals_to() -> None:
    at = shoes()
    drawn = [(1, "a"), (1, "b"), (2, "a"), (2, "b"), (3, "a"), (5, "b")]
    assert [at.count(number, where, ACE) for number, where in drawn] == [0, 0, 0, 0, 0, 1]


def test_a_device_may_count_a_card_that_belongs_to_no_game() -> None:
    for follows, missing in ((2, 0), (3, 0), (4, 1)):
        at = shoes()
        at.count(1, None, ACE)
        at.outside()
        assert at.count(follows, None, ACE) == missing
        assert at.count(follows + 2, None, ACE) == 1, "it is counted once"
    two = shoes()
    two.count(1, None, ACE)
    two.outside()
    two.outside()
    assert two.count(4, None, ACE) == 0


def test_a_device_may_count_a_card_that_was_pushed_back_again() -> None:
    for follows, missing in ((2, 0), (3, 0), (4, 1), (1, 0)):
        at = shoes()
        made = at.load(1, 52)
        for card in (ACE, KING):
            made.take(card)
        at.count(1, None, ACE)
        at.count(2, None, KING)
        at.push_back()
        assert (at.pushed_back, made.drawn, at.repeats(2, None, KING)) == (1, 1, False)
        assert at.count(follows, None, KING) == missing
        assert at.pushed_back == 0
    none = shoes()
    none.push_back()
    assert (none.pushed_back, none.current) == (1, None)


@pytest.mark.parametrize(
    "ordinals", [(2, 3), (4, 5), (None, None)], ids=["counted again", "counted on", "without a count"]
)
def test_two_cards_that_were_pushed_back_come_out_one_after_the_other(ordinals: tuple[int | None, ...]) -> None:
    at = shoes()
    made = at.load(1, 52)
    for number, card in enumerate((ACE, KING, parse_card("QS")), 1):
        made.take(card)
        at.count(number, None, card)
    at.push_back()
    at.push_back()
    assert (at.pushed_back, made.drawn, made.composition()) == (2, 1, {"AH": 1})
    for left, (ordinal, card) in zip((1, 0), zip(ordinals, (KING, parse_card("QS")), strict=True), strict=True):
        assert at.count(ordinal, None, card) == 0
        assert (made.take(card), at.pushed_back) == ([], left)


def test_what_was_reported_as_a_card() -> None:
    at = shoes()
    at.count(1, None, ACE)
    at.count(1, "a", KING)
    assert [at.reported(1, None), at.reported(1, "a"), at.reported(2, None), at.reported(None, None)] == [
        ACE,
        KING,
        None,
        None,
    ]


def test_the_order_of_the_reports_begins_anew() -> None:
    at = shoes()
    at.count(1, None, ACE)
    at.count(2, "a", KING)
    at.outside()
    at.push_back()
    at.lose_count()
    state = at.state()
    assert (state.last, state.last_card, state.in_place, state.reported) == (None, None, (), ())
    assert (state.outside, state.pushed_back) == (0, 0)
    assert at.count(3, None, ACE) == 2


# ------------------------------------------------------------------ kept on disk


def test_the_shoe_as_it_is_kept() -> None:
    at = shoes()
    at.change("left")
    made = at.load(3, 52)
    for card in (ACE, KING):
        made.take(card)
    made.miss(1)
    made.cut_card, made.rounds_since_cut, made.over, made.rounds = True, 1, True, 4
    made.back, made.before, made.alike, at.burns_due = 5, 6, 7, 8
    at.count(1, "b", ACE)
    at.count(2, "a", KING)
    at.count(3, None, KING)
    at.outside()
    at.pushed_back = 2
    state, kept = at.state(), made.state()
    assert (state.device, state.current, state.pushed_back, state.burns_due) == ("left", kept, 2, 8)
    assert (state.last, state.last_card, state.outside) == ((None, 3), "KD", 1)
    assert state.in_place == ((None, 3), ("a", 2), ("b", 1))
    assert state.reported == ((None, 3, "KD"), ("a", 2, "KD"), ("b", 1, "AH"))
    assert (kept.id, kept.loaded, kept.announced, kept.whole, kept.drawn) == (3, 52, True, True, 3)
    assert (list(kept.out.items()), kept.came) == ([("??", 1), ("AH", 1), ("KD", 1)], ("AH", "KD"))
    assert (kept.cut_card, kept.rounds_since_cut, kept.over, kept.rounds) == (True, 1, True, 4)
    assert (kept.back, kept.before, kept.alike) == (5, 6, 7)
    again = shoes()
    again.restore(state)
    assert again == at
    nothing = shoes(pushed_back=1)
    nothing.restore(shoes().state())
    assert nothing == shoes()
