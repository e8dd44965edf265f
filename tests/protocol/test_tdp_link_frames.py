"""Reactions of both ends to single frames, valid and invalid. The frames are built here with `struct` and by the
independent oracle, not by the code under test."""

import struct

import pytest

from protocol.errors import CannotEncode
from protocol.tdp import (
    Answered,
    Commanded,
    Delivered,
    DeviceLink,
    Discarded,
    EventStore,
    HostLink,
    Lost,
    Output,
    Progressed,
    Send,
    SessionRestarted,
    Timing,
    UnknownEvent,
    Up,
)
from protocol.tdp.messages import (
    CardsCountedMessage,
    DispenseMessage,
    GreenButtonMessage,
    PacketLiftedMessage,
    ProgressMessage,
    Reason,
    ReplyMessage,
    Role,
    ShowTextMessage,
    Status,
)
from tests.support.oracles.vectors_by_hand import head, wire
from tests.support.rigs.links import MS, START_NS, Pair, hello_reply, report

SESSION = 0x1001
COMMAND, REPLY, PROGRESS, EVENT, ACK, NAK, LINK = range(1, 8)


def hello_bytes(session: int = SESSION, sequence: int = 0) -> bytes:
    names = b"".join(name.ljust(16, b"\0") for name in (b"Test", b"Pair", b"1", b"1.0"))
    fixed = struct.pack("<IBBBBBIIHH", session, 1, 0, 1, 0, 1, 2, 1, 256, 256)
    return wire(head(LINK, 2, sequence) + fixed + names + bytes(32))


def open_host(now_ns: int = START_NS) -> tuple[HostLink, int]:
    """Return a host whose session was opened by frames made here, and the sequence number of the next."""
    host = HostLink(role=Role.OPERATE)
    host.start(now_ns)
    out = host.receive(hello_bytes(), now_ns)
    host.receive(wire(head(REPLY, 0x20, 1, request_of(out)) + bytes((1, 0, 0, 6))), now_ns)
    assert host.state == "up"
    host.receive(wire(head(REPLY, 0x21, 2, request_of(out) + 1) + bytes((1, 0, 0, 6))), now_ns)
    return host, 3


def unstuff(data: bytes) -> bytes:
    out, place = bytearray(), 0
    while place < len(data):
        code = data[place]
        out += data[place + 1 : place + code]
        place += code
        if code < 255 and place < len(data):
            out.append(0)
    return bytes(out)


def sent(outputs: list[Output]) -> list[bytes]:
    """Return header and payload of every frame sent."""
    return [unstuff(out.data.strip(b"\0"))[:-4] for out in outputs if isinstance(out, Send)]


def request_of(outputs: list[Output]) -> int:
    (body,) = sent(outputs)
    return int.from_bytes(body[4:6], "little")


def event(number: int, sequence: int, message_id: int = 0x140, more: bytes = b"", **header: int) -> bytes:
    return wire(head(EVENT, message_id, sequence, **header) + struct.pack("<II", number, 10 * number) + more)


def device(**options: object) -> DeviceLink:
    link = DeviceLink(hello_reply(SESSION), report=report, **options)  # type: ignore[arg-type]
    link.start(START_NS)
    return link


def opened(link: DeviceLink, role: int = 1, request: int = 1) -> list[Output]:
    return link.receive(command(0x20, request, struct.pack("<IBBB", SESSION, 1, 0, role)), START_NS)


def command(message_id: int, request: int, payload: bytes = b"", **header: int) -> bytes:
    return wire(head(COMMAND, message_id, 0, request, **header) + payload)


# ------------------------------------------------------------------ the host's frames


def test_the_first_bytes_of_a_host_are_a_delimiter_and_its_hello() -> None:
    (hello,) = HostLink(host="abc").start(START_NS)
    assert isinstance(hello, Send)
    assert hello.data == b"\0" + wire(head(LINK, 1) + bytes((1, 0, 1, 4)) + b"abc".ljust(16, b"\0"))


def test_events_are_acknowledged_once_for_each_read() -> None:
    host, sequence = open_host()
    chunk = b"".join(event(n, sequence + n) for n in range(1, 6))
    out = host.receive(chunk, START_NS + MS)
    assert [item.message for item in out if isinstance(item, Delivered)] == [
        GreenButtonMessage(n, 10 * n) for n in range(1, 6)
    ]
    (ack,) = sent(out)
    assert ack[2] == ACK
    assert ack[8:] == struct.pack("<II", SESSION, 5)


def test_a_repeated_event_is_dropped_and_acknowledged_again() -> None:
    host, sequence = open_host()
    host.receive(event(1, sequence), START_NS)
    out = host.receive(event(1, sequence + 1), START_NS)
    assert not [item for item in out if isinstance(item, Delivered)]
    assert sent(out)[0][8:] == struct.pack("<II", SESSION, 1)
    assert host.stats.repeats == 1


def test_a_hole_is_asked_for() -> None:
    host, sequence = open_host()
    host.receive(event(1, sequence), START_NS + MS)
    host.receive(event(4, sequence + 1), START_NS + 2 * MS)
    out = host.tick(START_NS + 200 * MS)
    read = [body for body in sent(out) if body[6:8] == b"\x21\x00"]
    assert [body[8:] for body in read] == [struct.pack("<II", SESSION, 2)]
    out = host.receive(event(2, sequence + 2) + event(3, sequence + 3), START_NS + 201 * MS)
    assert [item.message.number for item in out if isinstance(item, Delivered)] == [2, 3, 4]


def test_an_unknown_event_is_delivered_in_its_place_and_acknowledged() -> None:
    host, sequence = open_host()
    chunk = event(1, sequence) + event(2, sequence + 1, 0x7ABC, b"new") + event(3, sequence + 2)
    out = host.receive(chunk, START_NS)
    assert [item.message for item in out if isinstance(item, Delivered)] == [
        GreenButtonMessage(1, 10),
        UnknownEvent(2, 20, 0x7ABC, b"new"),
        GreenButtonMessage(3, 30),
    ]
    assert sent(out)[0][8:] == struct.pack("<II", SESSION, 3)


def test_an_unknown_event_may_say_nothing_but_its_number_and_time() -> None:
    host, sequence = open_host()
    out = host.receive(event(1, sequence, 0x7FF), START_NS)
    assert [item.message for item in out if isinstance(item, Delivered)] == [UnknownEvent(1, 10, 0x7FF, b"")]


def test_an_event_too_short_for_its_layout_keeps_its_place_too() -> None:
    host, sequence = open_host()
    out = host.receive(event(1, sequence, 0x145, b"\1\2"), START_NS)  # PacketDispensed cut short
    assert [item.message for item in out if isinstance(item, Delivered)] == [UnknownEvent(1, 10, 0x145, b"\1\2")]


@pytest.mark.parametrize(("number", "size"), [(0x0009, 96), (0x000C, 48)])
@pytest.mark.parametrize("listen", [False, True])
def test_a_device_s_part_of_a_handshake_in_clear_is_discarded(number: int, size: int, listen: bool) -> None:
    host = HostLink(listen=True) if listen else open_host()[0]
    if listen:
        host.start(START_NS)
    out = host.receive(wire(head(LINK, number, 3) + bytes(size)), START_NS)
    assert [item.why for item in out if isinstance(item, Discarded)] == [
        f"kind 7 message 0x{number:04X} is unknown or does not fit its layout"
    ]
    assert not [item for item in out if isinstance(item, Delivered | Lost)]


@pytest.mark.parametrize(
    ("header", "said"),
    [({"flags": 0x10}, "flags 0x10"), ({"version": 2}, "protocol version 2; this side supports 1")],
)
def test_an_event_that_must_not_be_interpreted_is_dropped_with_the_reason(header: dict[str, int], said: str) -> None:
    host, sequence = open_host()
    out = host.receive(event(1, sequence, **header), START_NS)
    assert not [item for item in out if isinstance(item, Delivered)]
    (dropped,) = [item for item in out if isinstance(item, Discarded)]
    assert said in dropped.why
    assert host.stats.unusable == 1


def test_flags_that_may_be_ignored_are_ignored() -> None:
    host, sequence = open_host()
    out = host.receive(event(1, sequence, flags=0x0F), START_NS)
    assert [item.message.number for item in out if isinstance(item, Delivered)] == [1]


def test_an_event_without_a_number_is_dropped() -> None:
    host, sequence = open_host()
    out = host.receive(event(0, sequence), START_NS)
    assert [type(item) for item in out if not isinstance(item, Send)] == [Discarded]


def test_the_echo_of_a_line_is_no_sign_of_life() -> None:
    host = HostLink()
    (hello,) = host.start(START_NS)
    assert isinstance(hello, Send)
    for turn in range(20):
        host.receive(hello.data, START_NS + turn * 100 * MS)
    assert host.stats.frames == 0
    assert host.stats.unusable == 20


def test_a_nak_refuses_the_command_it_names() -> None:
    host, sequence = open_host()
    request, _ = host.request(DispenseMessage(), START_NS)
    out = host.receive(wire(head(NAK, 0x121, sequence, request) + struct.pack("<H", 1)), START_NS)
    assert [item for item in out if isinstance(item, Answered)] == [
        Answered(request, DispenseMessage(), ReplyMessage(Status.REFUSED, Reason.UNKNOWN_COMMAND, 0))
    ]


def test_a_reply_to_another_request_or_another_command_is_no_answer() -> None:
    host, sequence = open_host()
    request, _ = host.request(DispenseMessage(), START_NS)
    done = bytes((1, 0, 0, 6))
    out = host.receive(wire(head(REPLY, 0x121, sequence, request + 1) + done), START_NS)
    out += host.receive(wire(head(REPLY, 0x122, sequence + 1, request) + done), START_NS)
    assert not [item for item in out if isinstance(item, Answered)]
    assert host.stats.late_replies == 2
    out = host.receive(wire(head(REPLY, 0x121, sequence + 2, request) + done), START_NS)
    assert [item.request for item in out if isinstance(item, Answered)] == [request]


def test_events_still_to_come_are_asked_for_when_none_came_for_a_while() -> None:
    host, sequence = open_host()
    retry_ns = Timing().retry_ns
    host.receive(status(SESSION, sequence, last_event=2), START_NS)
    host.receive(event(1, sequence + 1), START_NS + 100 * MS)
    assert not [body for body in sent(host.tick(START_NS + retry_ns)) if body[6:8] == b"\x21\x00"]
    read = [body for body in sent(host.tick(START_NS + 100 * MS + retry_ns)) if body[6:8] == b"\x21\x00"]
    assert [body[8:] for body in read] == [struct.pack("<II", SESSION, 2)]


@pytest.mark.parametrize("top", [2**32 - 3, 2**32 - 2])
def test_events_up_to_the_highest_number(top: int) -> None:
    host, sequence = open_host()
    gap = wire(head(LINK, 4, sequence) + struct.pack("<IIII", SESSION, 1, top, 2**32 - 1))
    out = host.receive(gap, START_NS)
    for number in range(top, 2**32):
        sequence += 1
        more = wire(head(EVENT, 0x140, sequence) + struct.pack("<II", number, 0))
        out += host.receive(more, START_NS)
    assert [item for item in out if isinstance(item, Lost)] == [Lost(SESSION, 1, top - 1)]
    assert [item.message.number for item in out if isinstance(item, Delivered)] == list(range(top, 2**32))


@pytest.mark.parametrize("gap", [(5, 3, 9), (1, 12, 9)])
def test_a_gap_that_cannot_be_is_dropped(gap: tuple[int, int, int]) -> None:
    host, sequence = open_host()
    out = host.receive(wire(head(LINK, 4, sequence) + struct.pack("<IIII", SESSION, *gap)), START_NS)
    assert not [item for item in out if isinstance(item, Lost)]
    assert host.stats.unusable == 1


def test_a_gap_further_on_does_not_lose_what_may_still_come() -> None:
    host, sequence = open_host()
    out = host.receive(wire(head(LINK, 4, sequence) + struct.pack("<IIII", SESSION, 5, 8, 9)), START_NS)
    out += host.receive(event(1, sequence + 1), START_NS)
    assert [item for item in out if isinstance(item, Delivered | Lost)] == [
        Delivered(SESSION, 0, GreenButtonMessage(1, 10))
    ]


def test_a_gap_of_what_has_arrived_is_none() -> None:
    host, sequence = open_host()
    for number in (1, 2, 3):
        host.receive(event(number, sequence + number - 1), START_NS)
    host.receive(wire(head(LINK, 4, sequence + 3) + struct.pack("<IIII", SESSION, 1, 4, 9)), START_NS)
    assert host.stats.gaps == 0


def test_what_is_held_ahead_of_a_hole_is_bounded() -> None:
    host, sequence = open_host()
    out: list[Output] = []
    for number in range(2, 300):
        out += host.receive(event(number, sequence + number & 0xFF), START_NS)
    assert [item for item in out if isinstance(item, Lost)] == [Lost(SESSION, 1, 1)]
    assert [item.message.number for item in out if isinstance(item, Delivered)] == list(range(2, 300))


def status(session: int, sequence: int, last_event: int = 0) -> bytes:
    return wire(head(LINK, 0x110, sequence) + struct.pack("<III", session, last_event, 0) + bytes(14))


@pytest.mark.parametrize("echo", [status(SESSION, 9), hello_bytes(SESSION, 9)], ids=["status", "hello reply"])
def test_a_session_that_ended_may_echo_for_a_while_and_then_counts_as_come_back(echo: bytes) -> None:
    host, sequence = open_host()
    out = host.receive(status(0x2002, sequence), START_NS)
    out += host.receive(echo, START_NS + 500 * MS)
    assert host.session == 0x2002
    out += host.receive(status(0x2002, sequence + 2), START_NS + 2_900 * MS)
    out += host.receive(echo, START_NS + 3_000 * MS)
    assert host.session == SESSION
    changes = [(item.previous, item.session) for item in out if isinstance(item, SessionRestarted)]
    assert changes == [(SESSION, 0x2002)]  # the way back waits for what the second session may still give


def test_an_unknown_event_of_the_session_before_is_put_there() -> None:
    host, sequence = open_host()
    out = host.receive(event(1, sequence), START_NS)
    out += host.receive(status(0x2002, sequence + 1), START_NS)
    out += host.receive(wire(head(LINK, 4, sequence + 2) + struct.pack("<IIII", SESSION, 2, 2, 2)), START_NS)
    mark = b"\x01\x04" + struct.pack("<I", SESSION)
    out += host.receive(event(2, sequence + 3, 0x7ABC, b"new" + mark), START_NS)
    seen = [item for item in out if isinstance(item, Delivered | Lost | SessionRestarted)]
    assert seen[1:] == [
        Delivered(SESSION, 0, UnknownEvent(2, 20, 0x7ABC, b"new" + mark)),
        SessionRestarted(SESSION, 0x2002, whole=True),
    ]


def test_a_late_listener_holds_no_more_than_it_may() -> None:
    link = HostLink(listen=True)
    link.start(START_NS)
    out: list[Output] = []
    for number in range(100, 400):
        out += link.receive(event(number, number & 0xFF), START_NS)
    assert [item for item in out if isinstance(item, Lost)] == [Lost(0, 1, 99)]
    assert [item.message.number for item in out if isinstance(item, Delivered)] == list(range(100, 400))


def test_half_a_frame_is_noise_after_silence_and_the_next_frame_is_whole() -> None:
    host, sequence = open_host()
    whole = event(1, sequence)
    out = host.receive(whole[:9], START_NS + MS)
    assert host.next_deadline_ns == START_NS + 51 * MS
    assert not [item for item in host.tick(START_NS + 50 * MS) if isinstance(item, Discarded)]
    out = host.tick(START_NS + 51 * MS)
    assert [(item.data, item.why) for item in out if isinstance(item, Discarded)] == [(whole[:9], "cut off")]
    out = host.receive(whole, START_NS + 52 * MS)
    assert [item.message.number for item in out if isinstance(item, Delivered)] == [1]


def test_a_frame_delayed_in_the_middle_for_less_than_the_silence_is_whole() -> None:
    host, sequence = open_host()
    whole = event(1, sequence)
    out = host.receive(whole[:9], START_NS)
    out += host.receive(whole[9:], START_NS + 49 * MS)
    assert [item.message.number for item in out if isinstance(item, Delivered)] == [1]


def test_who_is_there_is_announced_once_however_often_it_is_said() -> None:
    host = HostLink()
    now_ns = START_NS
    request = request_of(host.start(now_ns)[:0] + host.receive(hello_bytes() * 3, now_ns))
    reply = wire(head(REPLY, 0x20, 1, request) + bytes((1, 0, 0, 6)))
    out = host.receive(reply * 3 + hello_bytes(sequence=2), now_ns)
    assert len([item for item in out if isinstance(item, Up)]) == 1


def test_half_a_frame_is_noise_when_the_line_ends() -> None:
    host, sequence = open_host()
    half = event(1, sequence)[:9]
    host.receive(half, START_NS + MS)
    assert [item.data for item in host.close(START_NS + 2 * MS) if isinstance(item, Discarded)] == [half]


@pytest.mark.parametrize(("after_ns", "late"), [(Timing().reply_ns, 0), (Timing().reply_ns + 1, 1)])
def test_a_reply_is_late_when_it_took_longer_than_a_device_may(after_ns: int, late: int) -> None:
    host, sequence = open_host()
    request, _ = host.request(DispenseMessage(), START_NS)
    host.receive(wire(head(REPLY, 0x121, sequence, request) + bytes((1, 0, 0, 6))), START_NS + after_ns)
    assert host.stats.late_replies == late


# ------------------------------------------------------------------ the device's frames


def test_what_no_host_says_is_counted_and_no_sign_of_one() -> None:
    link = device()
    opened(link)
    out = link.receive(event(1, 1), START_NS)
    assert [type(item) for item in out] == [Discarded]
    assert (link.stats.unusable, link.stats.frames) == (1, 1)


def test_a_status_asked_for_is_the_links_own_work() -> None:
    out = device().receive(command(0x22, 5), START_NS)
    assert not [item for item in out if isinstance(item, Commanded)]
    assert sent(out)[0][4:] == struct.pack("<HHBHB", 5, 0x22, Status.DONE, 0, 6)


def test_hello_is_answered_in_any_version_and_the_layout_is_the_published_one() -> None:
    link = device()
    out = link.receive(wire(head(LINK, 1, version=9) + bytes((9, 0, 9, 0)) + bytes(16)), START_NS)
    (reply,) = [item for item in out if isinstance(item, Send)]
    assert reply.data == hello_bytes(sequence=1)


@pytest.mark.parametrize(
    ("message_id", "payload", "header", "reason"),
    [
        (0x7777, b"", {}, Reason.UNKNOWN_COMMAND),
        (0x121, b"", {"flags": 0x80}, Reason.UNKNOWN_FLAG),
        (0x121, b"", {"version": 2}, Reason.UNKNOWN_VERSION),
        (0x123, b"\1", {}, Reason.BAD_PAYLOAD),
    ],
)
def test_a_command_that_cannot_be_used_gets_a_nak_and_is_not_carried_out(
    message_id: int, payload: bytes, header: dict[str, int], reason: Reason
) -> None:
    link = device()
    opened(link)
    out = link.receive(command(message_id, 7, payload, **header), START_NS)
    (nak,) = sent(out)
    assert nak[2] == NAK
    assert nak[4:] == struct.pack("<HHH", 7, message_id, reason)
    assert not [item for item in out if isinstance(item, Commanded)]


@pytest.mark.parametrize(
    ("message_id", "payload", "reason"),
    [
        (0x20, struct.pack("<IBBB", 0xBAD, 1, 0, 0), Reason.NO_SESSION),
        (0x20, struct.pack("<IBBB", SESSION, 2, 0, 0), Reason.UNKNOWN_VERSION),
        (0x20, struct.pack("<IBBB", SESSION, 1, 0, 2), Reason.NOT_PERMITTED),
        (0x21, struct.pack("<II", SESSION, 1), Reason.NO_SESSION),
        (0x121, b"", Reason.NO_SESSION),
    ],
)
def test_what_a_device_refuses_before_a_session(message_id: int, payload: bytes, reason: Reason) -> None:
    out = device().receive(command(message_id, 3, payload), START_NS)
    (reply,) = sent(out)
    assert reply[2] == REPLY
    assert reply[4:] == struct.pack("<HHBHB", 3, message_id, Status.REFUSED, reason, 6)


@pytest.mark.parametrize(("role", "message_id"), [(0, 0x121), (1, 0x23)])
def test_a_role_does_not_reach_further_than_it_was_granted(role: int, message_id: int) -> None:
    link = device(granted=Role.SERVICE)
    opened(link, role)
    (reply,) = sent(link.receive(command(message_id, 9), START_NS))
    assert reply[8:] == struct.pack("<BHB", Status.REFUSED, Reason.NOT_PERMITTED, 6)


def test_events_of_a_session_nobody_ever_had_are_refused() -> None:
    link = device()
    opened(link)
    (reply,) = sent(link.receive(command(0x21, 5, struct.pack("<II", 0xBAD, 1)), START_NS))
    assert reply[8:] == struct.pack("<BHB", Status.REFUSED, Reason.BAD_PARAMETER, 6)


def test_nothing_is_kept_behind_the_last_event_of_the_session_before() -> None:
    store = EventStore()
    link = device(store=store)
    for _ in range(3):
        link.emit(GreenButtonMessage, START_NS)
    again = DeviceLink(hello_reply(SESSION + 1), report=report, store=store)
    again.start(START_NS)
    again.receive(command(0x20, 1, struct.pack("<IBBB", SESSION + 1, 1, 0, 1)), START_NS)
    out = sent(again.receive(command(0x21, 2, struct.pack("<II", SESSION, 99)), START_NS))
    assert [body[8:] for body in out if body[2] != REPLY] == [struct.pack("<IIII", SESSION, 4, 4, 3)]


def test_a_request_id_with_another_body_is_refused_and_the_first_still_answered() -> None:
    link = device()
    opened(link)
    out = link.receive(command(0x121, 8), START_NS)
    assert [item for item in out if isinstance(item, Commanded)] == [Commanded(8, DispenseMessage())]
    (refusal,) = sent(link.receive(command(0x122, 8), START_NS))
    assert refusal[4:] == struct.pack("<HHBHB", 8, 0x122, Status.REFUSED, Reason.REQUEST_ID_REUSED, 6)
    assert link.receive(command(0x121, 8), START_NS) == []  # still at work: no second Commanded, no reply yet
    first = sent(link.reply(8, ReplyMessage(Status.DONE, 0, 7), START_NS))
    again = sent(link.receive(command(0x121, 8), START_NS))
    assert first[0][4:] == again[0][4:] == struct.pack("<HHBHB", 8, 0x121, Status.DONE, 0, 7)
    assert link.stats.retries == 1
    with pytest.raises(ValueError, match="request 8 does not wait"):
        link.reply(8, ReplyMessage(Status.DONE, 0, 7), START_NS)


def test_request_zero_is_refused() -> None:
    link = device()
    opened(link)
    (reply,) = sent(link.receive(command(0x121, 0), START_NS))
    assert reply[8:] == struct.pack("<BHB", Status.REFUSED, Reason.BAD_PARAMETER, 6)


def test_no_event_flows_before_the_session_and_then_a_window_of_sixteen() -> None:
    link = device()
    for _ in range(40):
        assert link.emit(GreenButtonMessage, START_NS) == []
    assert (link.store.last, link.stats.events) == (40, 40)
    opened(link)
    read = command(0x21, 2, struct.pack("<II", SESSION, 1))
    numbers = [int.from_bytes(body[8:12], "little") for body in sent(link.receive(read, START_NS)) if body[2] == EVENT]
    assert numbers == list(range(1, 17))
    out = link.receive(wire(head(ACK, 5) + struct.pack("<II", SESSION, 10)), START_NS)
    assert [int.from_bytes(body[8:12], "little") for body in sent(out)] == list(range(17, 27))
    out = link.tick(START_NS + 250 * MS)
    assert [int.from_bytes(body[8:12], "little") for body in sent(out) if body[2] == EVENT] == list(range(11, 27))


@pytest.mark.parametrize(("session", "up_to"), [(0xBAD, 3), (SESSION, 99)])
def test_an_acknowledgement_of_what_was_never_sent_is_ignored(session: int, up_to: int) -> None:
    link = device()
    opened(link)
    for _ in range(5):
        link.emit(GreenButtonMessage, START_NS)
    link.receive(wire(head(ACK, 5) + struct.pack("<II", session, up_to)), START_NS)
    assert link.store.acknowledged == 0


def test_a_status_every_second_and_on_change() -> None:
    link = device()
    statuses = []
    for ms in range(0, 3_500, 10):
        statuses += [(ms, body) for body in sent(link.tick(START_NS + ms * MS)) if body[6:8] == b"\x10\x01"]
    assert [ms for ms, _ in statuses] == [1_000, 2_000, 3_000]
    assert struct.unpack_from("<III", statuses[1][1], 8) == (SESSION, 0, 2_000)
    assert sent(link.status_changed(START_NS + 3_200 * MS))[0][6:8] == b"\x10\x01"


def test_an_event_that_does_not_fit_is_refused_and_no_number_is_used_up() -> None:
    link = device()
    with pytest.raises(CannotEncode):
        link.emit(CardsCountedMessage, START_NS, place=0x41, counted=300)
    link.emit(CardsCountedMessage, START_NS, place=0x41, counted=5)
    assert link.store.last == 1


def test_event_numbers_end_and_do_not_wrap() -> None:
    store = EventStore()
    link = device(store=store)
    store.last = 2**32 - 2
    link.emit(GreenButtonMessage, START_NS)
    with pytest.raises(CannotEncode, match="number is 4294967296"):
        link.emit(GreenButtonMessage, START_NS)
    with pytest.raises(ValueError, match="at least 256 events"):
        EventStore(10)


def test_progress_and_the_final_event_carry_the_request() -> None:
    pair = Pair(answer=lambda commanded: ReplyMessage(Status.ACCEPTED, Reason.NONE, 7)).start()
    pair.run(100)
    request = pair.request(DispenseMessage())
    pair.run(5)
    pair.progress(request, 40)
    pair.run(5)
    pair.emit(PacketLiftedMessage, request=request, ordinal=1)
    pair.run(5)
    assert pair.answers()[request].reply.status == Status.ACCEPTED
    assert pair.of(Progressed) == [Progressed(request, DispenseMessage(), ProgressMessage(40, 6))]
    assert [item.request for item in pair.of(Delivered)] == [request]


def test_a_text_too_long_is_refused_before_it_is_queued() -> None:
    pair = Pair().start()
    pair.run(100)
    with pytest.raises(CannotEncode):
        pair.request(ShowTextMessage("x" * 41))
    request = pair.request(ShowTextMessage("x" * 39))
    pair.run(20)
    assert list(pair.answers()) == [request]


def test_a_command_is_counted_once_at_both_ends() -> None:
    pair = Pair().start()
    pair.run(5_000)
    before = pair.host.stats.commands, pair.device.stats.commands
    pair.request(DispenseMessage())
    pair.run(100)
    assert (pair.host.stats.commands, pair.device.stats.commands) == (before[0] + 1, before[1] + 1)


def test_a_command_sent_again_is_counted_apart() -> None:
    host, _ = open_host()
    commands, retries = host.stats.commands, host.stats.retries
    host.request(DispenseMessage(), START_NS)
    host.tick(START_NS + Timing().retry_ns)
    assert (host.stats.commands, host.stats.retries) == (commands + 1, retries + 1)


def test_a_store_of_events_begins_empty() -> None:
    store = EventStore()
    assert (store.last, store.acknowledged) == (0, 0)
    store.begin(SESSION)
    assert (store.previous_session, store.previous_last) == (0, 0)
