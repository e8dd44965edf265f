"""Places of cards and faults: one number and one phrase each."""

import pytest

from protocol import places
from protocol.faults import CLASSES, Fault, fault_class, fault_text
from protocol.places import PLACES, Place, parse_place, seat


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (0x00, "nowhere"), (0x01, "seat 1"), (0x20, "seat 32"), (0x21, "0x21"), (0x40, "community"), (0x41, "dealer"),
        (0x42, "burn"), (0x43, "remainder"), (0x44, "muck"), (0x45, "reject tray"), (0x46, "shuffler"), (0x47, "shoe"),
        (0x48, "0x48"), (0x50, "hand 1"), (0x57, "hand 8"), (0x58, "pile 1"), (0x5F, "pile 8"),
        (0x60, "0x60"), (0xFF, "0xFF"),
    ],
)  # fmt: skip
def test_place_codes(code: int, text: str) -> None:
    assert (PLACES[code].text, str(PLACES[code])) == (text, text)
    assert parse_place(text) is PLACES[code]


def test_every_place_has_one_text_and_back() -> None:
    assert len({place.text for place in PLACES}) == 256
    assert [parse_place(place.text) for place in PLACES] == list(range(256))


def test_seats() -> None:
    assert [seat(number) for number in range(1, 33)] == list(range(1, 33))
    assert [place.seat for place in PLACES[:34]] == [None, *range(1, 33), None]
    assert places.DEALER.seat is None
    assert repr(seat(3)) == "Place('seat 3')"
    assert Place(0x41) == places.DEALER


@pytest.mark.parametrize("number", [0, -1, 33, 255])
def test_a_seat_that_no_table_has(number: int) -> None:
    with pytest.raises(ValueError, match=f"not a seat: {number}; seats are 1 to 32"):
        seat(number)


@pytest.mark.parametrize("text", ["", "Seat 1", "seat 0", "seat 33", "table", "seat  1"])
def test_what_is_no_place_is_refused_with_what_is(text: str) -> None:
    with pytest.raises(ValueError, match="not a place") as caught:
        parse_place(text)
    assert str(caught.value) == (
        f"not a place: {text!r}; allowed: 'seat 1' to 'seat 32', nowhere, community, dealer, burn, remainder, muck, "
        "reject tray, shuffler, shoe, hand 1, hand 2, hand 3, hand 4, hand 5, hand 6, hand 7, hand 8, "
        "pile 1, pile 2, pile 3, pile 4, pile 5, pile 6, pile 7, pile 8"
    )


@pytest.mark.parametrize(
    ("number", "class_", "text"),
    [
        (101, "input", "too few cards (101)"),
        (204, "card transport", "card lost (204)"),
        (301, "dispensing", "packet short (301)"),
        (405, "shoe reading", "draw while locked (405)"),
        (502, "integrity", "power lost mid round (502)"),
        (603, "link", "version mismatch (603)"),
        (199, "input", "input fault 199"),
        (250, "card transport", "card transport fault 250"),
        (0, "unclassified", "none (0)"),
        (99, "unclassified", "unclassified fault 99"),
        (700, "unclassified", "unclassified fault 700"),
        (65535, "unclassified", "unclassified fault 65535"),
    ],
)
def test_fault_numbers(number: int, class_: str, text: str) -> None:
    assert (fault_class(number), fault_text(number)) == (class_, text)


def test_every_fault_is_in_a_class_and_fits_its_field() -> None:
    assert all(fault // 100 in CLASSES for fault in Fault if fault)
    assert {fault // 100 for fault in Fault if fault} == set(CLASSES)
    assert max(Fault) <= 0xFFFF
