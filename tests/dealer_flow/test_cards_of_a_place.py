"""The cards at one place: which count holds, which faces are known, what a report of them changes and contradicts."""

from typing import Any

import pytest

from dealer_flow.procedure.load import load_procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.steps.due import Due
from dealer_flow.record.incidents import Incident
from dealer_flow.table.findings import compare, differ, disagree, of_card
from dealer_flow.table.hand import Hand, corrected
from dealer_flow.table.sightings import Sightings
from protocol.cards import Card, parse_cards
from protocol.places import BURN, COMMUNITY, DEALER, MUCK, Place, seat

ONE, TWO = seat(1), seat(2)


def a_hand(place: Place = ONE, **facts: Any) -> Hand:
    """A hand with these facts; cards in words."""
    cards = ("recognised", "opened", "declared", "revealed", "laid_away", "played")
    return Hand(place, **{name: parse_cards(each) if name in cards else each for name, each in facts.items()})


def spelled(cards: tuple[Card, ...] | None) -> str | None:
    return None if cards is None else " ".join(card.text for card in cards)


# ------------------------------------------------------------------ counts


def test_a_persons_count_holds_over_the_devices() -> None:
    assert a_hand().counted is None
    assert a_hand(device_count=5).counted == 5
    assert a_hand(device_count=5, person_count=4).counted == 4
    assert a_hand(device_count=5, person_count=0).counted == 0


def test_how_many_cards_were_burned() -> None:
    assert a_hand().set_aside == 0
    assert a_hand(burned=frozenset({1, 2, 5})).set_aside == 3


# ------------------------------------------------------------------ faces


@pytest.mark.parametrize(
    ("facts", "lie"),
    [
        ({}, ""),
        ({"device_count": 3}, "?? ?? ??"),
        ({"device_count": 3, "opened": "AH"}, "AH ?? ??"),
        ({"device_count": 3, "person_count": 2, "opened": "AH"}, "AH ??"),
        ({"device_count": 2, "recognised": "AH KD"}, "AH KD"),
        ({"device_count": 2, "recognised": "AH KD", "revealed": "2C 3C"}, "2C 3C"),
        ({"device_count": 2, "recognised": "AH KD 9C", "discarded": 1, "laid_away": "KD"}, "AH 9C"),
        ({"device_count": 2, "recognised": "AH KD 9C", "discarded": 1}, "?? ??"),
        ({"device_count": 2, "recognised": "AH KD 9C 8C", "discarded": 2, "laid_away": "KD"}, "?? ??"),
        ({"device_count": 2, "recognised": "AH KD 9C", "discarded": 1, "laid_away": "2C"}, "?? ??"),
        ({"device_count": 2, "recognised": "AH KD 9C 9C", "discarded": 2, "laid_away": "KD KD"}, "?? ??"),
        ({"device_count": 2, "recognised": "AH AH KD 9C", "discarded": 2, "laid_away": "AH KD"}, "AH 9C"),
        ({"device_count": 2, "discarded": 1, "laid_away": "KD"}, "?? ??"),
    ],
)
def test_what_lies_there(facts: dict[str, Any], lie: str) -> None:
    """As shown, else as recognised without what was laid away, else unread."""
    assert spelled(a_hand(**facts).cards) == lie


@pytest.mark.parametrize(
    ("read", "said", "may"),
    [
        ("", "AH", True),
        ("AH ??", "KD", True),
        ("AH KD", "KD AH", True),
        ("AH KD", "AH ??", True),
        ("AH KD", "AH 9C", False),
        ("AH KD", "9C KD", False),
    ],
)
def test_what_a_hand_may_be_that_a_device_read(read: str, said: str, may: bool) -> None:
    assert a_hand(recognised=read).may_be(parse_cards(said)) is may


@pytest.mark.parametrize(
    ("facts", "apart"),
    [
        ({}, ""),
        ({"aside": 2}, "?? ??"),
        ({"aside": 1, "revealed": "AH KD 9C"}, "??"),
        ({"aside": 1, "played": "KD 9C"}, "??"),
        ({"aside": 1, "played": "KD 9C", "revealed": "AH KD 9C"}, "AH"),
        ({"aside": 1, "played": "KD AH", "revealed": "AH KD AH"}, "AH"),
        ({"aside": 1, "played": "2C 9C", "revealed": "AH KD 9C"}, "AH KD"),
    ],
)
def test_what_was_laid_aside(facts: dict[str, Any], apart: str) -> None:
    assert spelled(a_hand(**facts).laid_aside) == apart


def test_what_was_shown_last() -> None:
    assert spelled(a_hand(opened="AH").shown) == "AH"
    assert spelled(a_hand(opened="AH", revealed="KD 9C").shown) == "KD 9C"
    assert spelled(a_hand(opened="AH", revealed="").shown) == ""


def test_a_correction_goes_through_all_that_was_shown() -> None:
    hand = a_hand(opened="AH KD", declared="KD 9C")
    hand.correct(parse_cards("2S KD"))
    assert (spelled(hand.opened), spelled(hand.declared)) == ("2S KD", "KD 9C")
    hand = a_hand(opened="AH KD", declared="KD 9C", revealed="AH KD 9C")
    hand.correct(parse_cards("AH 3S 4S"))
    assert (spelled(hand.opened), spelled(hand.declared), spelled(hand.revealed)) == ("AH 3S", "3S 4S", "AH KD 9C")


@pytest.mark.parametrize(
    ("seen", "keyed", "right", "now"),
    [
        ("AH KD", "AH KD", "2C 3C", "2C 3C"),
        ("KD AH", "AH KD", "2C 3C", "3C 2C"),
        ("AH", "AH KD", "AH 3C", "AH"),
        ("9C", "AH KD", "2C 3C", "9C"),
        ("AH AH", "AH AH", "2C 3C", "2C 3C"),
        ("AH AH", "AH KD", "2C 3C", "2C AH"),
        ("AH KD", "AH KD", "2C", "AH KD"),
        ("AH KD", "AH", "2C 3C", "AH KD"),
    ],
)
def test_cards_that_were_keyed_wrong_are_others_card_for_card(seen: str, keyed: str, right: str, now: str) -> None:
    assert spelled(corrected(parse_cards(seen), parse_cards(keyed), parse_cards(right))) == now


# ------------------------------------------------------------------ what is done with the cards


@pytest.mark.parametrize(
    ("facts", "declared", "unseen"),
    [
        ({"device_count": 5, "opened": "AH ??"}, "AH", 4),
        ({"device_count": 5, "revealed": "AH KD"}, "AH KD", 3),
        ({"device_count": 5, "opened": "2C", "revealed": "AH KD"}, "AH KD", 3),
        ({"device_count": 5, "person_count": 4, "opened": "AH"}, "AH", 3),
        ({"opened": "AH KD"}, "AH KD", 0),
        ({"device_count": 5, "opened": "?? ??", "declared": "9C", "unseen": 2}, "9C", 2),
        ({"device_count": 5, "declared": "9C", "unseen": 2}, "9C", 2),
    ],
)
def test_what_was_shown_is_kept_as_declared(facts: dict[str, Any], declared: str, unseen: int) -> None:
    hand = a_hand(**facts)
    hand.remember()
    assert (spelled(hand.declared), hand.unseen, hand.opened, hand.revealed) == (declared, unseen, (), None)


def test_cards_laid_aside_stay_the_hands() -> None:
    hand = a_hand(expected=5, device_count=5, aside=1, opened="AH")
    hand.lay_aside(2)
    assert (hand.aside, hand.expected, hand.device_count, spelled(hand.declared)) == (3, 5, 5, "AH")


@pytest.mark.parametrize(
    ("device", "person", "now"), [(5, None, (3, None)), (5, 4, (3, 2)), (None, None, (-2, None)), (5, 0, (3, -2))]
)
def test_cards_laid_down_leave_the_hand(device: int | None, person: int | None, now: tuple[int, int | None]) -> None:
    hand = a_hand(expected=5, device_count=device, person_count=person, discarded=1, revealed="AH KD")
    hand.lay_down(2)
    assert (hand.device_count, hand.person_count) == now
    assert (hand.expected, hand.discarded, spelled(hand.declared), hand.revealed) == (3, 3, "AH KD", None)


@pytest.mark.parametrize(
    ("device", "person", "now"), [(5, None, (4, None)), (5, 4, (4, 3)), (None, None, (-1, None)), (5, 0, (4, -1))]
)
def test_a_dead_card_leaves_a_place_for_the_next(
    device: int | None, person: int | None, now: tuple[int, int | None]
) -> None:
    hand = a_hand(expected=5, device_count=device, person_count=person, discarded=1, judged=2)
    hand.kill()
    assert (hand.device_count, hand.person_count, hand.expected, hand.discarded, hand.judged) == (*now, 5, 2, 1)


@pytest.mark.parametrize(
    ("due", "sign", "since", "now"),
    [
        (Due(ONE, 1, "next"), +1, True, ("next", 3, 0, 3, 4)),
        (Due(ONE, 1, "next"), +1, False, ("next", 3, 0, 3, 3)),
        (Due(ONE, 1, "next"), -1, True, ("next", 1, 0, 1, 2)),
        (Due(ONE, 1, ""), +1, True, ("hands", 3, 0, 3, 4)),
        (Due(ONE, 1, "next", "complete"), +1, True, ("next", 2, 0, 3, 4)),
        (Due(ONE, 1, "next", "extra"), -1, True, ("next", 2, 0, 1, 2)),
        (Due(ONE, 1, "next", "exchange"), +1, True, ("next", 2, 1, 2, 3)),
        (Due(ONE, 1, "next", "exchange"), -1, True, ("next", 2, -1, 2, 3)),
    ],
)
def test_a_card_lies_there_more_or_fewer(due: Due, sign: int, since: bool, now: tuple[str, int, int, int, int]) -> None:
    """The step, how many should lie there, how many were exchanged, the device's count and a person's."""
    hand = a_hand(expected=2, device_count=2, person_count=3, step="hands")
    hand.lay(due, sign, since_count=since)
    assert (hand.step, hand.expected, hand.discarded, hand.device_count, hand.person_count) == now


def test_a_card_that_joins_a_hand_shown_leaves_the_others_open() -> None:
    for why, sign, shown in (("deal", 1, ("AH KD", None)), ("deal", -1, ("", "AH KD")), ("complete", 1, ("", "AH KD"))):
        hand = a_hand(expected=2, device_count=2, revealed="AH KD")
        hand.lay(Due(ONE, 1, "next", why), sign, since_count=True)  # type: ignore[arg-type]
        assert (spelled(hand.opened), spelled(hand.revealed)) == shown
    fresh = a_hand()
    fresh.lay(Due(ONE, 1, "next"), +1, since_count=True)
    assert (fresh.device_count, fresh.person_count, fresh.opened, fresh.revealed) == (1, None, (), None)


def test_the_last_card_was_laid_back_on_the_deck() -> None:
    hand = a_hand(BURN, expected=3, device_count=3, recognised="AH KD 9C")
    hand.put_back()
    assert (hand.expected, hand.device_count, spelled(hand.recognised)) == (2, 2, "AH KD")
    none = a_hand(BURN)
    none.put_back()
    assert (none.expected, none.device_count) == (-1, -1)


@pytest.mark.parametrize(
    ("due", "counted", "now"),
    [
        (Due(ONE, 3, "next"), 3, (5, 0, 5, 6)),
        (Due(ONE, 3, "next"), 2, (5, 0, 4, 5)),  # one is missing
        (Due(ONE, 3, "next", at_most=True), 2, (4, 0, 4, 5)),
        (Due(ONE, 3, "next", at_most=True), 4, (5, 0, 6, 7)),
        (Due(ONE, 1, "next", "complete"), 1, (2, 0, 3, 4)),
        (Due(ONE, 2, "next", "exchange"), 2, (2, 2, 2, 3)),
        (Due(ONE, 2, "next", "exchange"), 3, (2, 2, 3, 4)),  # one too many
        (Due(ONE, 3, "next", "exchange", at_most=True), 1, (2, 1, 2, 3)),
    ],
)
def test_cards_came_for_what_was_due(due: Due, counted: int, now: tuple[int, int, int, int]) -> None:
    """Compares the expected number, the number exchanged, the device's count and a person's."""
    hand = a_hand(expected=2, device_count=2, person_count=3, step="hands")
    hand.take(counted, (), due)
    assert (hand.expected, hand.discarded, hand.device_count, hand.person_count) == now
    assert (hand.step, hand.recognised) == ("next", ())
    first = a_hand()
    first.take(3, (), Due(ONE, 3, "hands"))
    assert (first.expected, first.device_count, first.person_count) == (3, 3, None)


@pytest.mark.parametrize(
    ("facts", "came", "read"),
    [
        ({}, "AH KD", "AH KD"),
        ({}, "", ""),
        ({"device_count": 2}, "AH KD", "?? ?? AH KD"),
        ({"device_count": 2, "person_count": 3}, "AH KD", "?? ?? ?? AH KD"),
        ({"device_count": 2, "recognised": "2C 3C"}, "AH KD", "2C 3C AH KD"),
        ({"device_count": 2, "recognised": "2C 3C"}, "", "2C 3C ?? ??"),
    ],
)
def test_what_a_device_read_is_kept_in_the_order_dealt(facts: dict[str, Any], came: str, read: str) -> None:
    hand = a_hand(**facts)
    hand.take(2, parse_cards(came), Due(ONE, 2, "next"))
    assert spelled(hand.recognised) == read


@pytest.mark.parametrize(
    ("place", "facts", "now"),
    [
        (ONE, {"device_count": 2, "revealed": "AH KD"}, ("AH KD", None, "AH KD", 2)),
        (ONE, {"device_count": 2, "opened": "AH"}, ("AH", None, "AH", 3)),
        (ONE, {"device_count": 2, "person_count": 4, "opened": "AH"}, ("AH", None, "AH", 5)),
        (ONE, {"device_count": 2, "opened": "AH", "declared": "9C", "unseen": 1}, ("AH", None, "9C", 3)),
        (ONE, {"device_count": 2}, ("", None, "", 0)),
        (DEALER, {"device_count": 2, "revealed": "AH KD"}, ("AH KD", None, "", 0)),
    ],
)
def test_cards_that_join_a_hand_of_which_some_was_shown(place: Place, facts: dict[str, Any], now: object) -> None:
    """Compares the cards that lie open, those shown as a whole, those declared, and the number that may be others."""
    hand = a_hand(place, **facts)
    hand.take(2, (), Due(place, 2, "next"))
    assert (spelled(hand.opened), spelled(hand.revealed), spelled(hand.declared), hand.unseen) == now


def test_cards_exchanged_make_what_was_shown_declared() -> None:
    hand = a_hand(device_count=3, expected=3, revealed="AH KD 9C")
    hand.take(2, (), Due(ONE, 2, "next", "exchange"))
    now = (spelled(hand.opened), spelled(hand.revealed), spelled(hand.declared), hand.unseen)
    assert now == ("", None, "AH KD 9C", 2)


# ------------------------------------------------------------------ what contradicts what


def said(found: list[Incident]) -> list[tuple[str, str, str | None, str, str]]:
    """Code, reason, place, cards, and those known."""
    return [(each.code, each.reason, each.place, " ".join(each.cards), " ".join(each.known)) for each in found]


def test_two_counts_of_a_place() -> None:
    assert (differ(ONE, None, 5, "person"), differ(ONE, 5, 5, "person")) == ([], [])
    (found,) = differ(ONE, 4, 5, "shown")
    assert (found.code, found.reason, found.place, found.counted, found.expected) == (
        "counts-differ",
        "shown",
        "seat 1",
        5,
        4,
    )


def test_faces_that_are_not_those_known() -> None:
    found = disagree(DEALER, "dispensed", parse_cards("AH"), parse_cards("KD ??"))
    assert said([found]) == [("faces-disagree", "dispensed", "dealer", "AH", "KD ??")]


def test_what_is_wrong_with_one_card() -> None:
    (card,) = parse_cards("AH")
    found = of_card("duplicate-face", card, ONE, reason="two-places", before=TWO)
    assert (found.code, found.reason, found.place, found.cards, found.other_place) == (
        "duplicate-face",
        "two-places",
        "seat 1",
        ("AH",),
        "seat 2",
    )
    assert (of_card("x", card, ONE).reason, of_card("x", card, ONE).other_place) == ("", None)


@pytest.mark.parametrize(
    ("facts", "shown", "found"),
    [
        ({}, "AH KD", []),
        ({"revealed": "AH KD"}, "KD AH", []),
        ({"revealed": "AH KD"}, "AH 9C", [("shown-before", "AH 9C", "AH KD")]),
        ({"revealed": "AH KD"}, "AH", [("shown-before", "AH", "AH KD")]),
        ({"opened": "AH ??"}, "AH KD", []),
        ({"opened": "AH 2C"}, "AH KD", [("lay-open", "AH KD", "2C")]),
        ({"opened": "AH 2C"}, "AH ??", []),
        ({"opened": "AH 2C", "discarded": 1}, "AH KD", []),
        ({"declared": "AH KD", "unseen": 1}, "AH 9C", []),
        ({"declared": "AH KD", "unseen": 1}, "9C 8C", [("declared", "9C 8C", "AH KD")]),
        ({"declared": "AH KD"}, "AH ??", []),
        ({"declared": "AH KD"}, "AH AH", [("declared", "AH AH", "AH KD")]),
        ({"recognised": "AH KD 9C"}, "AH KD", []),
        ({"recognised": "AH KD"}, "AH ??", []),
        ({"recognised": "AH KD"}, "AH 9C", [("dispensed", "9C", "AH KD")]),
        ({"recognised": "AH ??"}, "AH 9C", []),
        ({"revealed": "AH KD", "opened": "2C", "declared": "3C", "recognised": "4C"}, "5C",
         [("shown-before", "5C", "AH KD"), ("lay-open", "5C", "2C"), ("declared", "5C", "3C"),
          ("dispensed", "5C", "4C")]),
    ],
)  # fmt: skip
def test_faces_shown_beside_all_that_is_known(facts: dict[str, Any], shown: str, found: list[object]) -> None:
    told = said(compare(a_hand(**facts), parse_cards(shown), spread=False))
    assert told == [("faces-disagree", reason, "seat 1", cards, known) for reason, cards, known in found]  # type: ignore[misc]


@pytest.mark.parametrize(("shown", "right"), [("AH KD", True), ("AH", True), ("AH 2C", False), ("AH KD 9C 2C", False)])
def test_of_a_packet_spread_for_a_burn_fewer_may_be_shown_later(shown: str, right: bool) -> None:
    hand = a_hand(COMMUNITY, revealed="AH KD 9C")
    assert (compare(hand, parse_cards(shown), spread=True) == []) is right


# ------------------------------------------------------------------ where each face was seen


def sightings(procedure: str = "flushes-gone-wild.co") -> Sightings:
    return Sightings(Plan(load_procedure(procedure), {}))


def see(at: Sightings, cards: str, place: Place, burned: str = "", **hands: Hand) -> list[tuple[str, str, str, str]]:
    """Code, reason, card, and the other place, of what is found when these are seen here."""
    there = {hand.place: hand for hand in hands.values()}
    found = at.see(parse_cards(cards), place, there, parse_cards(burned))
    return [(each.code, each.reason, " ".join(each.cards), each.other_place or "") for each in found]


def places(at: Sightings) -> dict[str, list[str]]:
    """Each face and where it was seen."""
    return {card.text: [place.text for place in there] for card, there in at.places.items()}


def test_faces_seen_once_are_where_they_were_seen() -> None:
    at = sightings()
    assert see(at, "AH KD", ONE) == []
    assert see(at, "AH ?? KD", ONE) == []
    assert see(at, "9C", TWO) == []
    assert places(at) == {"AH": ["seat 1"], "KD": ["seat 1"], "9C": ["seat 2"]}


def test_a_face_at_two_places() -> None:
    at = sightings()
    see(at, "AH KD", ONE)
    assert see(at, "9C AH", TWO) == [("duplicate-face", "two-places", "AH", "seat 1")]
    assert see(at, "AH", TWO) == []
    assert see(at, "2C 2C", DEALER) == [("duplicate-face", "two-places", "2C", "dealer")]
    assert places(at)["AH"] == ["seat 1", "seat 2"]
    assert places(at)["2C"] == ["dealer", "dealer"]


def test_a_face_as_often_as_there_are_decks() -> None:
    """Texas Shootout is dealt from six decks."""
    at = sightings("texas-shootout.co")
    for number in range(1, 7):
        assert see(at, "AH", seat(number)) == []
    assert see(at, "AH", DEALER) == [("duplicate-face", "two-places", "AH", "seat 1")]
    two = sightings("texas-shootout.co")
    assert see(two, "AH AH", ONE) == []
    assert see(two, "AH", ONE) == []
    assert see(two, "AH AH AH", ONE) == []
    assert places(two) == {"AH": ["seat 1", "seat 1", "seat 1"]}


def test_a_burned_card_is_nowhere_else() -> None:
    at = sightings()
    assert see(at, "AH KD", ONE, burned="KD") == [("burned-card-in-play", "", "KD", "")]
    assert see(at, "KD", MUCK, burned="KD") == [("burned-card-in-muck", "lies-there", "KD", "")]
    assert see(at, "KD", BURN, burned="KD") == []
    assert places(at) == {"AH": ["seat 1"], "KD": ["burn"]}


def test_cards_of_a_packet_that_is_burned_lie_among_the_burned_ones() -> None:
    """Unless the packet was shown without them."""
    at = sightings()
    see(at, "AH KD 9C", COMMUNITY)
    assert see(at, "KD 2C", BURN, community=a_hand(COMMUNITY)) == []
    assert places(at) == {"AH": ["community"], "KD": ["burn"], "9C": ["community"], "2C": ["burn"]}
    for facts in ({"revealed": "AH KD 9C"}, {"opened": "KD"}):
        at = sightings()
        see(at, "AH KD 9C", COMMUNITY)
        found = at.see(parse_cards("KD"), BURN, {COMMUNITY: a_hand(COMMUNITY, **facts)}, ())
        assert [(each.code, each.place, each.cards) for each in found] == [
            ("burned-card-in-play", "community", ("KD",))
        ]
        assert places(at)["KD"] == ["burn"]
    at = sightings()
    see(at, "AH", ONE)
    assert see(at, "AH", BURN) == [("duplicate-face", "two-places", "AH", "seat 1")]


@pytest.mark.parametrize(("card", "code"), [("X1", "stray-joker"), ("?^", "boxed-card")])
def test_a_card_that_another_takes_the_place_of_is_found_once(card: str, code: str) -> None:
    at, hand = sightings(), a_hand(recognised=f"AH {card} {card}")
    assert see(at, f"AH {card}", ONE, one=hand) == [(code, "device", card, "")]
    assert spelled(hand.recognised) == "AH ?? ??"
    assert see(at, f"AH {card}", ONE, one=hand) == []
    assert see(at, card, TWO) == [(code, "device", card, "")]
    assert places(at) == {"AH": ["seat 1"], card: ["seat 1", "seat 2"]}


def test_a_card_of_no_deck_is_found_each_time() -> None:
    at, hand = sightings(), a_hand(recognised="AH __")
    for _ in range(2):
        assert see(at, "AH __", ONE, one=hand) == [("foreign-card", "deck", "__", "")]
    assert (places(at), spelled(hand.recognised)) == ({"AH": ["seat 1"]}, "AH __")


def test_a_face_of_the_deck_that_is_dealt_by_hand_is_there_once() -> None:
    """208 Poker: the community's cards come from a shoe of three decks, the players' from one in the dealer's hand."""
    at = sightings("208.co")
    assert see(at, "AH AH AH", COMMUNITY) == []
    assert see(at, "AH", ONE) == []
    assert see(at, "AH", TWO) == [("duplicate-face", "two-places", "AH", "community")]
    two = sightings("208.co")
    assert see(two, "KD", ONE) == []
    assert see(two, "KD", COMMUNITY) == []
    assert see(two, "KD", TWO) == [("duplicate-face", "two-places", "KD", "seat 1")]


def test_cards_that_move_with_their_place() -> None:
    at = sightings()
    see(at, "AH KD", ONE)
    see(at, "9C", TWO)
    at.move(ONE, DEALER)
    assert places(at) == {"AH": ["dealer"], "KD": ["dealer"], "9C": ["seat 2"]}


def test_cards_that_left_a_place_may_be_seen_anywhere() -> None:
    at = sightings()
    see(at, "AH KD", ONE)
    see(at, "AH", TWO)
    at.forget(ONE, parse_cards("AH KD 2C"))
    assert places(at) == {"AH": ["seat 2"]}
    at.forget(ONE, parse_cards("AH"))
    assert places(at) == {"AH": ["seat 2"]}
    see(at, "3C 3C", DEALER)
    at.forget(DEALER, parse_cards("3C"))
    assert places(at)["3C"] == ["dealer"]


def test_of_cards_of_a_place_that_went_back_nothing_is_known() -> None:
    at = sightings()
    see(at, "AH KD", ONE)
    see(at, "9C AH", TWO)
    at.forget_place(ONE)
    assert places(at) == {"9C": ["seat 2"]}


def test_cards_that_were_never_at_a_place() -> None:
    at = sightings()
    see(at, "AH KD 9C", ONE)
    see(at, "AH", TWO)
    at.never_seen(ONE, parse_cards("AH KD 2C"))
    assert places(at) == {"AH": ["seat 2"], "9C": ["seat 1"]}
