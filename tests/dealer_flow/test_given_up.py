"""Chips of hands that were given up, beyond what an all-in hand could match: 47.1-1023(2), 1026, 1028."""

import pytest

from dealer_flow.table.pots import GivenUp, goes_back, pots, uncalled

ALL_IN = {2}
NOTHING = GivenUp()


def cut(put: dict[int, int], live: set[int], given_up: GivenUp = NOTHING) -> list[tuple[dict[int, int], set[int]]]:
    return [(dict(pot.shares), {*pot.contenders}) for pot in pots(put, live, given_up)]


@pytest.mark.parametrize(("order", "owner"), [([1, 3], 3), ([3, 1], 1)])
def test_what_two_put_in_beyond_an_all_in_hand_is_theirs_who_gave_up_last(order: list[int], owner: int) -> None:
    found = cut({1: 50, 2: 30, 3: 50}, {2}, GivenUp(order, ALL_IN))
    assert found == [({1: 30, 2: 30, 3: 30}, {2}), ({1: 20, 3: 20}, {owner})]


def test_each_layer_beyond_it_is_by_itself() -> None:
    """Seat 4 put in less than the others, and is the last of the three to give up."""
    found = cut({1: 90, 2: 30, 3: 90, 4: 60}, {2}, GivenUp([1, 3, 4], ALL_IN))
    assert found == [
        ({1: 30, 2: 30, 3: 30, 4: 30}, {2}),
        ({1: 30, 3: 30, 4: 30}, {4}),
        ({1: 30, 3: 30}, {3}),
    ]


def test_one_of_them_is_dead_and_nobody_knows_since_when() -> None:
    assert cut({1: 50, 2: 30, 3: 50}, {2}, GivenUp([1], ALL_IN))[1:] == [({1: 20, 3: 20}, set())]


def test_who_could_have_matched_it_has_it() -> None:
    """Seat 2 has chips left: the others gave up before it had to call, and what they bet lies in the pot."""
    assert cut({1: 50, 2: 30, 3: 50}, {2}, GivenUp([1, 3])) == [({1: 50, 2: 30, 3: 50}, {2})]


@pytest.mark.parametrize(
    ("live", "given_up", "back"),
    [
        ({1}, GivenUp(), 20),
        ({2}, GivenUp([1], ALL_IN), 20),
        ({2}, GivenUp([1]), 0),
        ({2}, GivenUp([1, 3], ALL_IN), 0),
        ({2}, GivenUp([3, 1], ALL_IN), 20),
        ({2}, GivenUp([1, 3, 1], ALL_IN), 20),
        ({2}, GivenUp([1], ALL_IN, {1}), 0),
        (set(), GivenUp([1, 2], ALL_IN), 0),
    ],
)
def test_what_goes_back(live: set[int], given_up: GivenUp, back: int) -> None:
    put = {1: 50, 2: 30}
    found = goes_back(put, live, given_up)
    assert (found.cents if found is not None else 0) == back
    assert found in (None, uncalled(put))


def test_nobody_has_anything_in() -> None:
    assert (pots({}, set()), goes_back({}, set())) == ([], None)


def test_a_hand_without_a_cent_in_the_pot_has_no_part_in_it() -> None:
    """All that lay before seat 2 is in a bet that is kept apart."""
    assert cut({1: 50, 3: 50}, {2}, GivenUp([1, 3], ALL_IN)) == [({1: 50, 3: 50}, {3})]
