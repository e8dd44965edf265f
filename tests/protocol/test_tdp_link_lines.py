"""Both ends of the link over good and bad lines: every event once and in order, every command carried out at most once,
and a listener with the same output for the same bytes."""

from collections import Counter
from itertools import pairwise

import pytest

from protocol.tdp import Answered, Delivered, Lost, SessionRestarted, Unanswered
from protocol.tdp.messages import DispenseMessage, GreenButtonMessage, PacketLiftedMessage, ShowMeterMessage, Status
from tests.support.rigs.links import CLEAN, LINES, MS, Faults, Pair, listen, stream

SEEDS = range(4)
OVER_EVERY_LINE = pytest.mark.parametrize("faults", LINES.values(), ids=LINES.keys())


def talk(pair: Pair, events: int = 60) -> list[tuple[int, ShowMeterMessage]]:
    """Exchange events and, between them, distinguishable commands; return the commands sent."""
    asked = []
    for turn in range(events):
        pair.emit(PacketLiftedMessage, ordinal=turn % 200)
        if turn % 6 == 0 and pair.host.state == "up":
            command = ShowMeterMessage(1, 1000 + turn)
            asked.append((pair.request(command), command))
        pair.run(35)
    pair.run(15_000)
    return asked


@OVER_EVERY_LINE
@pytest.mark.parametrize("seed", SEEDS)
def test_every_event_once_in_order_and_every_command_at_most_once(faults: Faults, seed: int) -> None:
    pair = Pair(faults, seed).start()
    assert pair.run(20_000, lambda: pair.host.state == "up")
    asked = talk(pair)

    assert pair.numbers() == list(range(1, 61))
    assert [event.message.ordinal for event in pair.of(Delivered)] == list(range(60))
    assert not pair.of(Lost, SessionRestarted)

    ends = pair.answers()
    assert set(ends) == {request for request, _ in asked}
    carried_out = Counter(pair.executed)
    assert all(times == 1 for times in carried_out.values()), carried_out
    for request, command in asked:
        assert ends[request].command == command
        if isinstance(ends[request], Answered):
            assert ends[request].reply.status == Status.DONE
            assert carried_out[command] == 1


@pytest.mark.parametrize("name", ["clean", "byte at a time", "delayed", "chunks doubled", "reordered"])
def test_a_line_that_loses_nothing_answers_everything(name: str) -> None:
    pair = Pair(LINES[name], seed=9).start()
    pair.run(5_000)
    asked = talk(pair)
    assert len(asked) == 10
    assert all(isinstance(end, Answered) for end in pair.answers().values())
    assert pair.executed == [command for _, command in asked]


@OVER_EVERY_LINE
@pytest.mark.parametrize("cut", [0, 1, 7])
def test_a_listener_makes_the_same_of_the_same_bytes(faults: Faults, cut: int) -> None:
    pair = Pair(faults, seed=100 + cut).start()
    pair.run(6_000)
    talk(pair, 30)
    pair.power_off()
    pair.run(4_000)
    pair.power_on(0x2002)
    pair.run(3_000)
    talk(pair, 20)
    pair.close()
    assert stream(listen(pair.heard, pair.now_ns, cut=cut, expects=pair.expects)) == stream(pair.host_out)


@OVER_EVERY_LINE
def test_a_backlog_deeper_than_the_window_is_delivered_whole(faults: Faults) -> None:
    pair = Pair(faults, seed=5)
    pair.power_on()
    for _ in range(200):
        pair.emit(GreenButtonMessage)
    pair.start_host()
    assert pair.run(60_000, lambda: len(pair.numbers()) == 200)
    assert pair.numbers() == list(range(1, 201))


def test_a_reply_lost_on_the_way_does_not_eject_a_second_packet() -> None:
    pair = Pair(CLEAN).start()
    pair.run(100)
    pair.to_host.open = False
    request = pair.request(DispenseMessage())
    pair.run(260)  # the first reply is lost, the command sent again, and that reply lost too
    assert pair.executed == [DispenseMessage()]
    pair.to_host.open = True
    pair.run(260)
    assert pair.executed == [DispenseMessage()]
    assert isinstance(pair.answers()[request], Answered)
    assert pair.host.stats.retries == 2


def test_endless_noise_fails_a_request_at_its_deadline() -> None:
    pair = Pair(CLEAN, seed=3).start()
    pair.run(100)
    pair.to_host.open = False
    asked_ns = pair.now_ns
    request = pair.request(DispenseMessage())
    for turn in range(200):
        pair.to_host.inject(bytes((turn * 37 + n) % 256 for n in range(50)), pair.now_ns)
        pair.run(5, lambda: request in pair.answers())
        if request in pair.answers():
            break
    end = pair.answers()[request]
    assert isinstance(end, Unanswered)
    assert end.error.tries == 3
    assert 750 * MS <= pair.now_ns - asked_ns <= 800 * MS


@pytest.mark.parametrize("waiting", [1, 5, 17])
def test_no_request_outlives_the_deadline_of_the_one_before_it(waiting: int) -> None:
    pair = Pair(CLEAN).start()
    pair.run(100)
    pair.power_off()
    asked_ns = pair.now_ns
    requests = [pair.request(ShowMeterMessage(1, n)) for n in range(waiting)]
    assert pair.run(800, lambda: len(pair.answers()) == waiting)
    assert pair.now_ns - asked_ns <= 800 * MS
    assert [end.error.tries for end in pair.answers().values()] == [3] + [0] * (waiting - 1)
    assert list(pair.answers()) == requests


def test_only_one_command_is_outstanding() -> None:
    pair = Pair(CLEAN).start()
    pair.run(100)
    pair.answer = lambda commanded: None
    first, second = pair.request(ShowMeterMessage(1, 1)), pair.request(ShowMeterMessage(1, 2))
    pair.run(90)
    assert pair.executed == [ShowMeterMessage(1, 1)]
    assert pair.device is not None
    pair.reply(first)
    pair.run(10)
    assert pair.executed == [ShowMeterMessage(1, 1), ShowMeterMessage(1, 2)]
    pair.reply(second)
    pair.run(10)
    assert list(pair.answers()) == [first, second]


def test_request_ids_wrap_without_ever_being_zero() -> None:
    pair = Pair(CLEAN)
    pair.now_ns = 65_520 * MS  # the first id is taken from the time
    pair.start()
    pair.run(100)
    requests = []
    for n in range(40):
        requests.append(pair.request(ShowMeterMessage(1, n)))
        pair.run(5)
    assert 65_535 in requests
    assert 1 in requests
    assert 0 not in requests
    assert all(after == before % 65_535 + 1 for before, after in pairwise(requests))
    assert pair.executed == [ShowMeterMessage(1, n) for n in range(40)]
    assert all(isinstance(end, Answered) for end in pair.answers().values())


def test_a_request_id_met_again_much_later_is_a_new_request() -> None:
    pair = Pair(CLEAN).start()
    pair.run(100)
    first = pair.request(ShowMeterMessage(1, 1))
    pair.run(65_535 - 100)
    pair.start_host()  # its ids start where those of the first did
    pair.run(100)
    again = pair.request(ShowMeterMessage(1, 2))
    pair.run(100)
    assert again == first
    assert pair.executed == [ShowMeterMessage(1, 1), ShowMeterMessage(1, 2)]


def test_a_new_program_whose_ids_clash_with_the_last_one_is_not_answered_from_the_cache() -> None:
    pair = Pair(CLEAN).start()
    pair.run(1)
    requests = []
    for n in range(8):
        requests.append(pair.request(ShowMeterMessage(1, n)))
        pair.run(0)
    pair.run(2)
    pair.start_host()  # three milliseconds later, so that its first id is one the device remembers
    assert pair.run(600, lambda: pair.host.state == "up")
    pair.run(50)
    assert pair.request(DispenseMessage()) not in requests
    pair.run(100)
    assert pair.executed[-1] == DispenseMessage()
