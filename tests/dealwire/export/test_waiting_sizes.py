"""Sizes at which witnesses wait that a table does not name: no flood of requests keeps one of them waiting for ever."""

from collections import Counter

from dealwire.export.waiting_sizes import OTHERS_MOST, SIGNED_MOST, WaitingSizes

WITNESS = 7


def taken(waiting: WaitingSizes, most: int) -> list[int]:
    found = (waiting.take() for _ in range(most))
    return [each for each in found if each is not None]


def test_a_size_waits_once_however_often_it_is_asked_for() -> None:
    waiting = WaitingSizes()
    for _ in range(100):
        waiting.add(WITNESS, signed=True)
        waiting.add(8, signed=False)
    assert WITNESS in waiting
    assert 8 in waiting
    assert taken(waiting, 10) == [WITNESS, 8]
    assert WITNESS not in waiting
    assert waiting.take() is None


def test_the_size_of_a_checkpoint_comes_before_every_invented_one() -> None:
    waiting = WaitingSizes()
    for size in range(1000, 5000):
        waiting.add(size, signed=False)
    waiting.add(WITNESS, signed=True)
    assert waiting.take() == WITNESS


def test_the_sizes_of_checkpoints_take_turns_although_all_of_them_are_asked_for_all_the_time() -> None:
    waiting, recorded = WaitingSizes(), range(100, 350)
    for size in recorded:
        waiting.add(size, signed=True)
    waiting.add(WITNESS, signed=True)
    found = []
    while WITNESS not in found:
        found += taken(waiting, 1)
        for size in recorded:
            waiting.add(size, signed=True)
    assert len(found) == len(recorded) + 1


def test_no_number_of_sizes_fills_the_memory() -> None:
    waiting = WaitingSizes()
    for size in range(SIGNED_MOST + 1000):
        waiting.add(size, signed=True)
    for size in range(10**6, 10**6 + 3000):
        waiting.add(size, signed=False)
    assert len(taken(waiting, SIGNED_MOST + 5000)) == SIGNED_MOST + OTHERS_MOST


def test_one_of_the_invented_sizes_is_drawn_and_not_the_first() -> None:
    """With 256 places, the first that came is drawn first once in 256 times: 20 times in 40 is no chance."""
    first = Counter[int]()
    for _ in range(40):
        waiting = WaitingSizes()
        for size in range(OTHERS_MOST):
            waiting.add(size, signed=False)
        size = waiting.take()
        assert size is not None
        first[size] += 1
    assert first.most_common(1)[0][1] < 20


def test_an_invented_size_that_comes_late_takes_the_place_of_another() -> None:
    waiting = WaitingSizes()
    for size in range(1, 2 * OTHERS_MOST):
        waiting.add(size, signed=False)
    waiting.add(0, signed=False)
    found = taken(waiting, 2 * OTHERS_MOST)
    assert 0 in found
    assert len(found) == len(set(found)) == OTHERS_MOST
