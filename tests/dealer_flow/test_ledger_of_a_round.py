"""Every card accounted for: what was dealt and must be left, which cards play and which were burned."""

import pytest

from dealer_flow.procedure.load import load_procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.steps.due import Due
from dealer_flow.record.incidents import Incident
from dealer_flow.table.ledger import Dispensed, Ledger
from protocol.cards import Card, parse_card, parse_cards
from protocol.places import BURN, COMMUNITY, DEALER, NOWHERE, REJECT_TRAY, REMAINDER, Place, seat
from tests.support.dealing.transcript_games import BURN_THEN_DEAL

ONE, TWO = seat(1), seat(2)
FLUSHES = "flushes-gone-wild.co"
"""Packets of five, of which cards 1, 2 and 5 from the left of the community's are burned; 52 cards."""


def ledger(procedure: str = FLUSHES, **options: str) -> Ledger:
    named = {name.replace("_", "-"): value for name, value in options.items()}
    return Ledger(Plan(load_procedure(procedure), named))


def lift(at: Ledger, place: Place | None, cards: str = "", counted: int | None = None, due: int = 5) -> list[Incident]:
    """Count the next packet and lift it to this place, which is due so many cards; None: no place is due one."""
    faces = parse_cards(cards)
    packet = Dispensed(len(at.packets) + 1, len(faces) if counted is None else counted, faces)
    at.packets[packet.ordinal] = packet
    return at.lift(packet, Due(place, due, "hands") if place is not None else None)


def draw(at: Ledger, cards: str, place: Place) -> None:
    for card in parse_cards(cards):
        at.draw(card, Due(place, 1, "hands"))


def spelled(cards: tuple[Card, ...]) -> str:
    return " ".join(card.text for card in cards)


def told(found: list[Incident]) -> list[tuple[str, str, str | None, str, str]]:
    """Code, reason, place, cards, and those known."""
    return [(each.code, each.reason, each.place, " ".join(each.cards), " ".join(each.known)) for each in found]


# ------------------------------------------------------------------ counts


def test_a_packet_goes_to_whom_it_is_due() -> None:
    at = ledger()
    assert lift(at, ONE, "AH KD 9C 8C 7C") == []
    (packet,) = at.lifted
    assert (packet.lifted, packet.place, packet.expected, packet.counted) == (True, ONE, 5, 5)
    assert (at.hands[ONE].expected, at.hands[ONE].counted, spelled(at.hands[ONE].cards)) == (5, 5, "AH KD 9C 8C 7C")
    assert spelled(tuple(at.faces.places)) == "AH KD 9C 8C 7C"
    assert told(lift(at, TWO, "AH 2C 3C 4C 5C")) == [("duplicate-face", "two-places", "seat 2", "AH", "")]
    lift(at, DEALER, counted=4)
    assert (at.lifted[-1].expected, at.off(DEALER), at.dealt, at.remainder_expected) == (5, -1, 14, 38)


def test_a_packet_of_at_most_so_many() -> None:
    for counted, expected in ((2, 2), (3, 3), (4, 3)):
        at = ledger()
        packet = Dispensed(1, counted, ())
        at.lift(packet, Due(DEALER, 3, "change", "exchange", at_most=True))
        assert packet.expected == expected


def test_packets_that_nobody_was_due() -> None:
    at = ledger()
    assert lift(at, None, counted=5) == []
    assert (at.astray, at.unplaced, at.dealt, at.hands, at.lifted[0].place) == (5, 5, 5, {}, NOWHERE)
    assert at.astray_packets == at.lifted
    at.place(at.lifted[0], Due(ONE, 5, "hands"))
    assert (at.astray, at.dealt, at.off(ONE), at.astray_packets, len(at.lifted)) == (0, 5, 0, [], 1)
    lift(at, None, counted=4)
    at.shuffled_in = 4
    assert (at.unplaced, at.astray_packets) == (0, [])


@pytest.mark.parametrize(
    ("expected", "counted", "apart", "left"),
    [(47, 47, 0, 47), (42, 42, 5, 47), (42, 41, 5, 46), (41, 41, 0, 41), (43, 43, 0, 43)],
)
def test_a_packet_that_nobody_lifted_is_part_of_what_is_left(
    expected: int, counted: int, apart: int, left: int
) -> None:
    """The device has counted it with the rest, or it has left it a packet: then it expects so many fewer."""
    at = ledger()
    lift(at, ONE, counted=5)
    at.packets[2] = Dispensed(2, 5, ())
    at.dump(expected, counted)
    assert (at.apart, at.remainder) == (apart, left)


def test_what_a_device_loaded_and_rejected_is_reckoned_with() -> None:
    at = ledger()
    at.loaded = 50
    at.reject(parse_card("AH"))
    lift(at, ONE, counted=5)
    at.packets[2] = Dispensed(2, 5, ())
    at.dump(50 - 10 - 1, 39)
    assert (at.apart, at.remainder, at.remainder_expected, at.conserved) == (5, 44, 44, True)


def test_a_rejected_card_is_seen_in_its_tray() -> None:
    at = ledger()
    lift(at, ONE, "AH KD 9C 8C 7C")
    assert at.reject(parse_card("--")) == []
    assert told(at.reject(parse_card("AH"))) == [("duplicate-face", "two-places", "reject tray", "AH", "")]
    assert (at.rejected, at.faces.places[parse_card("AH")]) == (2, (ONE, REJECT_TRAY))


def test_a_persons_count_of_a_hand() -> None:
    at = ledger()
    lift(at, ONE, counted=5)
    assert at.count(ONE, 5) == []
    (found,) = at.count(ONE, 4)
    assert (found.code, found.reason, found.counted, found.expected) == ("counts-differ", "person", 4, 5)
    assert (at.hands[ONE].person_count, at.off(ONE), at.off(TWO)) == (4, -1, 0)
    lift(at, COMMUNITY, counted=5)
    at.confirm_burn(COMMUNITY, frozenset({1, 2, 5}))
    assert at.count(COMMUNITY, 2) == [], "the burned ones lie apart"
    assert at.hands[COMMUNITY].person_count == 5


def test_a_persons_count_of_a_hand_from_a_shoe() -> None:
    """Another count than was thought: what was read does not say where it lies."""
    at = ledger("holdem.co")
    draw(at, "AH KD", ONE)
    draw(at, "2C 3C", TWO)
    at.count(ONE, 2)
    assert spelled(at.hands[TWO].recognised) == "2C 3C"
    at.count(ONE, 3)
    assert (at.hands[ONE].recognised, at.hands[TWO].recognised) == ((), ())
    packets = ledger()
    lift(packets, ONE, "AH KD 9C 8C 7C")
    packets.count(ONE, 4)
    assert spelled(packets.hands[ONE].recognised) == "AH KD 9C 8C 7C"


def test_a_persons_count_of_what_is_left() -> None:
    at = ledger()
    lift(at, ONE, counted=5)
    assert (at.count(REMAINDER, 46), at.remainder, at.conserved) == ([], 46, False)
    (found,) = at.count(REMAINDER, 47)
    assert (found.counted, found.expected, at.remainder, at.conserved) == (47, 46, 47, True)


@pytest.mark.parametrize(("counted", "stands"), [(43, False), (44, True), (52, True), (53, False)])
def test_what_is_left_of_a_deck_that_was_shuffled_by_hand_and_dealt_from(counted: int, stands: bool) -> None:
    """Five cards of seat 1 went back among the 47 that were left; eight at most were dealt by hand since."""
    at = ledger()
    lift(at, ONE, counted=5)
    at.take_away(at.hands[ONE])
    assert (at.astray, at.shuffled_in, at.remainder_expected) == (5, 5, 47)
    assert at.count(REMAINDER, counted) == []
    assert (at.remainder, at.conserved) == (47, True) if stands else (counted, False)


def test_a_packet_that_goes_back_and_is_dealt_anew() -> None:
    at = ledger()
    lift(at, ONE, "AH KD 9C 8C 7C")
    lift(at, TWO, "2C 3C 4C 5C 6C")
    at.hands[ONE].by_hand = 1
    at.take_away(at.hands[ONE])
    hand = at.hands[ONE]
    assert (hand.place, hand.step, hand.anew, hand.mucked, hand.expected, hand.counted) == (
        ONE,
        "hands",
        True,
        4,
        0,
        None,
    )
    assert (at.astray, at.shuffled_in) == (4, 4)
    assert spelled(tuple(at.faces.places)) == "2C 3C 4C 5C 6C"
    at.by_hand(Due(ONE, 5, "hands"))
    assert (hand.counted, hand.by_hand, hand.expected, at.dealt) == (5, 5, 5, 9)


def test_hands_move_and_their_packets_with_them() -> None:
    at = ledger()
    lift(at, ONE, "AH KD 9C 8C 7C")
    lift(at, TWO, counted=5)
    at.hands[ONE].judged = 2
    at.move(ONE, DEALER)
    at.rename({ONE: DEALER})
    assert (ONE in at.hands, at.hands[DEALER].place, at.hands[DEALER].judged) == (False, DEALER, 0)
    assert [packet.place for packet in at.lifted] == [DEALER, TWO]
    assert at.faces.places[parse_card("AH")] == (DEALER,)


def test_what_was_dealt_and_what_must_be_left() -> None:
    at = ledger()
    lift(at, ONE, counted=5)
    assert (at.dealt, at.remainder_expected, at.conserved) == (5, 47, None)
    at.hands[ONE].discarded = 2
    assert at.dealt == 7
    at.hands[ONE].person_count = 4
    assert at.dealt == 6
    at.by_hand(Due(ONE, 1, "hands", "complete"))
    assert (at.hands[ONE].by_hand, at.dealt) == (1, 6), "dealt by hand, it came off no deck that is kept account of"
    at.hand(TWO)
    lift(at, None, counted=3)
    assert (at.dealt, at.remainder_expected) == (9, 43)
    at.rejected = 2
    at.remainder = 41
    assert (at.remainder_expected, at.conserved) == (41, True)
    at.loaded = 51
    assert (at.remainder_expected, at.conserved) == (40, False)


def test_the_sum_that_does_not_come_out() -> None:
    at = ledger()
    lift(at, ONE, counted=5)
    at.rejected, at.remainder = 1, 47
    found = at.unbalanced()
    assert (found.code, found.reason, found.counted, found.expected) == ("cards-not-conserved", "deck", 53, 52)
    assert (found.dealt, found.left, found.rejected) == (5, 47, 1)
    at.remainder, at.loaded = None, 54
    assert (at.unbalanced().counted, at.unbalanced().expected, at.unbalanced().left) == (6, 54, None)


def test_a_shoe_keeps_its_own_books() -> None:
    at = ledger("holdem.co")
    at.remainder = 3
    assert at.conserved is None


def test_hands_dealt_by_hand_of_which_somebody_counts_what_is_left() -> None:
    """Pai Gow leaves four of 53 cards: another number is not wrong before every hand was counted or shown."""
    at = ledger("pai-gow.co-hand")
    at.by_hand(Due(ONE, 7, "hands"))
    at.by_hand(Due(TWO, 7, "hands"))
    at.remainder = 39
    assert (at.dealt, at.conserved) == (14, True)
    at.remainder = 38
    assert at.conserved is None
    at.count(ONE, 7)
    assert at.conserved is None
    at.reveal(TWO, parse_cards("AH KD 9C 8C 7C 6C 5C"))
    assert at.conserved is False
    other = ledger("3-5-7.co-hand")  # the text names no number
    other.by_hand(Due(ONE, 3, "hands"))
    other.remainder = 48
    assert other.conserved is False


# ------------------------------------------------------------------ faces


def test_some_cards_lie_open() -> None:
    at = ledger()
    lift(at, DEALER, "AH KD 9C 8C 7C")
    assert at.open(DEALER, parse_cards("AH")) == []
    assert spelled(at.hands[DEALER].opened) == "AH"
    assert told(at.open(DEALER, parse_cards("2C"))) == [
        ("faces-disagree", "lay-open", "dealer", "2C", "AH"),
        ("faces-disagree", "dispensed", "dealer", "2C", "AH KD 9C 8C 7C"),
    ]
    assert told(at.open(ONE, parse_cards("AH"))) == [("duplicate-face", "two-places", "seat 1", "AH", "")]


def test_a_hand_is_shown_without_what_was_laid_aside() -> None:
    at = ledger()
    lift(at, ONE, counted=5)
    hand = at.hands[ONE]
    hand.opened, hand.declared, hand.unseen = parse_cards("AH"), parse_cards("AH KD"), 3
    assert at.play(ONE, parse_cards("KD 9C 8C 7C")) == [], "shown before its turn and taken up again"
    assert spelled(hand.played) == "KD 9C 8C 7C"
    other = ledger()
    lift(other, ONE, counted=5)
    other.hands[ONE].opened, other.hands[ONE].declared = parse_cards("2C"), parse_cards("AH KD")
    other.hands[ONE].unseen = 3
    assert told(other.play(ONE, parse_cards("KD 9C 8C 7C"))) == [
        ("faces-disagree", "lay-open", "seat 1", "KD 9C 8C 7C", "2C")
    ]


def test_cards_that_were_shown_and_taken_up_again_are_declared() -> None:
    at = ledger()
    lift(at, ONE, counted=5)
    assert at.recall(ONE, parse_cards("AH KD")) == []
    hand = at.hands[ONE]
    assert (hand.opened, spelled(hand.declared), hand.unseen) == ((), "AH KD", 3)


@pytest.mark.parametrize(
    ("read", "shown", "named", "found"),
    [
        ("AH KD 9C 8C 7C", "", "AH 9C", []),
        ("AH KD 9C 8C 7C", "", "AH ?? 2C 3C", [("faces-disagree", "set", "seat 1", "2C 3C", "AH KD 9C 8C 7C")]),
        ("AH KD 9C 8C ??", "", "2C", []),
        ("", "", "2C", []),
        ("", "AH KD 9C 8C 7C", "2C", [("faces-disagree", "set", "seat 1", "2C", "AH KD 9C 8C 7C")]),
    ],
)
def test_the_cards_of_a_hand_that_is_arranged_are_its_own(
    read: str, shown: str, named: str, found: list[object]
) -> None:
    at = ledger()
    lift(at, ONE, read, counted=5)
    if shown:
        at.reveal(ONE, parse_cards(shown))
    assert told(at.arranged(ONE, parse_cards(named))) == found
    assert at.arranged(TWO, parse_cards(named)) == []


def test_faces_shown_are_cards_that_are_there() -> None:
    at = ledger()
    lift(at, ONE, counted=5)
    (found,) = at.reveal(ONE, parse_cards("AH KD 9C 8C"))
    assert (found.code, found.reason, found.counted, found.expected) == ("counts-differ", "shown", 4, 5)
    assert (at.hands[ONE].device_count, spelled(at.hands[ONE].cards)) == (4, "AH KD 9C 8C")
    lift(at, TWO, counted=5)
    at.count(TWO, 5)
    assert at.reveal(TWO, parse_cards("2C 3C 4C 5C")) == [], "a person's count holds"
    assert (at.hands[TWO].device_count, at.hands[TWO].person_count) == (5, 5)
    assert told(at.reveal(DEALER, parse_cards("2C"))) == [("duplicate-face", "two-places", "dealer", "2C", "")]


def test_a_packet_of_which_cards_were_burned_is_shown_without_them() -> None:
    at = ledger()
    lift(at, COMMUNITY, counted=5)
    assert at.reveal(COMMUNITY, parse_cards("AH KD 9C 8C 7C")) == []
    at.confirm_burn(COMMUNITY, frozenset({1, 2, 5}))
    assert at.reveal(COMMUNITY, parse_cards("9C 8C")) == []
    (found,) = at.reveal(COMMUNITY, parse_cards("9C"))
    assert (found.code, found.place, found.counted, found.expected) == ("reveal-count-wrong", "community", 1, 2)


def test_cards_on_numbered_spots_lie_as_they_came() -> None:
    """Vegas Double Action lays the community's on spots, the top card on the first."""
    at = ledger("vegas-double-action.co")
    (place,) = at.plan.spots
    read, turned = "AH KD 9C", "KD AH 9C"
    lift(at, place, read, due=3)
    assert at.reveal(place, parse_cards(read)) == []
    (found,) = at.reveal(place, parse_cards(turned))
    assert (found.code, found.place, found.cards, found.known) == (
        "board-order-differs",
        place.text,
        tuple(turned.split()),
        tuple(read.split()),
    )
    for came, shown in (("AH KD ??", "KD AH 9C"), ("", "KD AH 9C")):
        beside = ledger("vegas-double-action.co")
        lift(beside, place, came, counted=3, due=3)
        assert beside.reveal(place, parse_cards(shown)) == []
    seats = ledger("vegas-double-action.co")
    lift(seats, ONE, read, due=3)
    assert seats.reveal(ONE, parse_cards(turned)) == []


def test_faces_that_were_keyed_wrong_were_never_seen_there() -> None:
    at = ledger()
    lift(at, ONE, counted=5)
    at.reveal(ONE, parse_cards("AH KD 9C 8C 7C"))
    assert at.correct(ONE, parse_cards("AH KD 9C 8C 2S")) == []
    assert spelled(at.hands[ONE].cards) == "AH KD 9C 8C 2S"
    assert sorted(spelled(tuple(at.faces.places)).split()) == ["2S", "8C", "9C", "AH", "KD"]
    lift(at, DEALER, counted=5)
    at.open(DEALER, parse_cards("3C"))
    assert at.correct(DEALER, parse_cards("4C")) == []
    assert (spelled(at.hands[DEALER].opened), at.hands[DEALER].revealed) == ("4C", None)


def test_cards_that_were_laid_away() -> None:
    at = ledger()
    lift(at, ONE, "AH KD 9C 8C 7C")
    assert at.lay_away(ONE, parse_cards("AH ??")) == []
    assert spelled(at.hands[ONE].laid_away) == "AH ??"
    assert at.lay_away(ONE, parse_cards("AH")) == [], "only reported again"
    assert spelled(at.hands[ONE].laid_away) == "AH ??"
    assert told(at.lay_away(ONE, parse_cards("2C KD"))) == [
        ("faces-disagree", "laid-away", "seat 1", "2C", "AH KD 9C 8C 7C")
    ]
    unread = ledger()
    lift(unread, ONE, "AH KD 9C 8C ??")
    assert unread.lay_away(ONE, parse_cards("2C")) == []
    assert unread.faces.places[parse_card("2C")] == (ONE,)
    lift(unread, TWO, counted=5)
    assert told(unread.lay_away(TWO, parse_cards("AH"))) == [("duplicate-face", "two-places", "seat 2", "AH", "")]
    several = ledger("texas-shootout.co")
    draw(several, "?? ??", ONE)
    several.lay_away(ONE, parse_cards("AH"))
    several.lay_away(ONE, parse_cards("AH"))
    assert spelled(several.hands[ONE].laid_away) == "AH AH"


def test_cards_that_left_a_place_for_the_deck() -> None:
    at = ledger("holdem.co")
    draw(at, "AH KD", ONE)
    hand = at.hands[ONE]
    hand.opened, hand.revealed = parse_cards("AH KD"), parse_cards("AH KD")
    at.forget_faces(ONE, parse_cards("AH"))
    assert (spelled(hand.opened), hand.revealed) == ("KD", None)
    at.forget_faces(TWO, parse_cards("AH"))


# ------------------------------------------------------------------ burned cards


def test_which_cards_of_a_spread_packet_play() -> None:
    """Its top card lies at the dealer's left, or at the right, as the option has it."""
    for top, play, burned in (("left", "9C 8C", "AH KD 7C"), ("right", "9C KD", "7C 8C AH")):
        at = ledger(community_top_card=top)
        lift(at, COMMUNITY, "AH KD 9C 8C 7C")
        assert at.community() == (), "before the burn nobody knows"
        assert at.confirm_burn(COMMUNITY, frozenset({1, 2, 5})) == []
        assert (spelled(at.community()), spelled(at.burned_cards())) == (play, burned)
        at.reveal(COMMUNITY, parse_cards(play))
        assert spelled(at.community()) == play


def test_cards_that_came_after_a_burn_all_play() -> None:
    """One of three is burned before the last two come."""
    at = Ledger(Plan(BURN_THEN_DEAL, {}))
    lift(at, COMMUNITY, "AH KD 9C", due=3)
    at.confirm_burn(COMMUNITY, frozenset({1}))
    lift(at, COMMUNITY, "8C 7C", due=2)
    assert (spelled(at.community()), spelled(at.burned_cards())) == ("KD 9C 8C 7C", "AH")


def test_which_cards_play_where_none_were_read() -> None:
    at = ledger()
    assert at.playing(ONE) == ()
    lift(at, ONE, counted=5)
    assert spelled(at.playing(ONE)) == "?? ?? ?? ?? ??"
    lift(at, COMMUNITY, counted=5)
    at.confirm_burn(COMMUNITY, frozenset({1, 2, 5}))
    assert (spelled(at.community()), spelled(at.burned_cards())) == ("?? ??", "?? ?? ??")
    at.hands[COMMUNITY].opened = parse_cards("9C")
    assert spelled(at.community()) == "9C ??"
    at.hands[COMMUNITY].person_count = 3
    assert spelled(at.community()) == "9C"
    at.reveal(BURN, parse_cards("AH KD 7C"))
    assert spelled(at.burned_cards()) == "AH KD 7C"
    late = ledger()
    lift(late, COMMUNITY, counted=5)
    late.reveal(COMMUNITY, parse_cards("9C 8C"))
    assert late.community() == (), "shown before the burn"


@pytest.mark.parametrize(("came", "burned"), [("AH KD 9C 8C", "?? ?? ??"), ("AH KD 9C 8C 7C 6C", "?? ?? ??")])
def test_of_a_packet_of_another_size_nobody_knows_which_were_burned(came: str, burned: str) -> None:
    at = ledger()
    lift(at, COMMUNITY, came)
    at.confirm_burn(COMMUNITY, frozenset({1, 2, 5}))
    assert spelled(at.burned_cards()) == burned


def test_a_burned_face_that_lies_elsewhere() -> None:
    at = ledger()
    lift(at, COMMUNITY, "AH KD 9C 8C 7C")
    lift(at, TWO, counted=5)
    lift(at, ONE, counted=5)
    for place in (TWO, ONE):
        at.faces.places[parse_card("KD")] = (*at.faces.places[parse_card("KD")], place)
    found = at.confirm_burn(COMMUNITY, frozenset({1, 2, 5}))
    assert [(each.code, each.place, each.cards) for each in found] == [("burned-card-in-play", "seat 1", ("KD",))]
    assert told(at.reveal(DEALER, parse_cards("AH"))) == [("burned-card-in-play", "", "dealer", "AH", "")]
    at.scrambled = True
    assert at.reveal(DEALER, parse_cards("7C")) != [], "it was seen at the community's place"


def test_cards_burned_off_the_deck() -> None:
    at = ledger("holdem.co")
    assert (at.burned_left, at.burned_cards()) == (0, ())
    draw(at, "AH KD", BURN)
    draw(at, "9C", ONE)
    assert (at.burned_left, spelled(at.burned_cards())) == (2, "AH KD")
    assert told(at.reveal(ONE, parse_cards("AH")))[-1:] == [("burned-card-in-play", "", "seat 1", "AH", "")]
    at.scrambled = True
    at.hands[ONE].by_hand = 1
    assert (at.burned_left, spelled(at.burned_cards())) == (1, "??")
    assert told(at.reveal(TWO, parse_cards("KD"))) == [], "what was burned may lie in a hand"
