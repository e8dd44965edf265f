"""Both links, unchanged, behind the two ends of a sealed line: lines that lose, repeat and reorder, reboots of either
end, new keys, and what someone on the line can send."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from devices.dialects.known import dialect_named
from protocol.tdp import Answered, Delivered, Down
from protocol.tdp import messages as m
from protocol.tdp.codec import encode
from protocol.tdp.framing import Frame, Framer, encode_frame
from protocol.tdp.messages import Capability, Kind, Role
from protocol.tdp.outputs import Discarded
from protocol.tdp.seal import host_end as he
from protocol.tdp.seal.device_end import PairedHost
from protocol.tdp.seal.keyset import KeySet
from protocol.tdp.seal.line_end import SealTiming
from tests.support.rigs.links import AWFUL, BYTEWISE, CLEAN, DUPLICATING, LINES, MS, REORDERING, Faults, listen, stream
from tests.support.rigs.sealed_links import HOST_KEY, OTHER_KEY, SUITE, SealedPair, bodies

SEALED = 0x80
CLEAR_TO_DEVICE = {(Kind.LINK, 0x0001), (Kind.LINK, 0x000B)}
"""HELLO and SealCall: the frames that a host may send in clear."""
CLEAR_TO_HOST = {(Kind.LINK, 0x0002), (Kind.LINK, 0x000C), (Kind.NAK, 0x000B), (Kind.NAK, 0x0020)}


def started(faults: Faults = CLEAN, seed: int = 0, **more: object) -> SealedPair:
    pair = SealedPair(faults, seed, **more)  # type: ignore[arg-type]
    pair.start()
    assert pair.run(60_000, lambda: pair.up), pair.host.state
    return pair


def emitted(pair: SealedPair, count: int, each_ms: int = 40) -> None:
    for _ in range(count):
        pair.emit(m.GreenButtonMessage)
        pair.run(each_ms)


def clear_frames(pair: SealedPair, target: str) -> set[tuple[int, int]]:
    return {
        (body[2], body[6] | body[7] << 8)
        for to, data in pair.tapped
        if to == target
        for body in bodies(data)
        if not body[1] & SEALED
    }


# ------------------------------------------------------------------ lines


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("seed", range(2))
def test_every_event_arrives_once_and_in_order_over_any_line(name: str, seed: int) -> None:
    pair = started(LINES[name], seed)
    emitted(pair, 60)
    assert pair.run(60_000, pair.whole)
    assert pair.numbers() == list(range(1, pair.store.last + 1))
    assert clear_frames(pair, "device") <= CLEAR_TO_DEVICE
    assert clear_frames(pair, "host") <= CLEAR_TO_HOST
    assert pair.host_end.sealed


@pytest.mark.parametrize("loss", [0.1, 0.2, pytest.param(0.3, marks=pytest.mark.more)])
def test_commands_are_carried_out_once_over_a_line_that_loses(loss: float) -> None:
    pair = started(Faults(lose_chunk=loss), 7)
    sent = 0
    for _ in range(20):
        if pair.host.state == "up":
            pair.request(m.DispenseMessage())
            sent += 1
        pair.run(1_500)
    assert len(pair.executed) <= sent
    assert len([each for each in pair.answers().values() if isinstance(each, Answered)]) <= len(pair.executed)
    assert len(pair.executed) >= sent - 3


@pytest.mark.parametrize("faults", [CLEAN, BYTEWISE, AWFUL, DUPLICATING, REORDERING])
def test_a_listener_on_what_was_passed_up_delivers_what_the_link_delivered(faults: Faults) -> None:
    pair = started(faults, 3)
    emitted(pair, 30)
    pair.run(20_000, pair.whole)
    pair.close()
    assert stream(listen(pair.heard, pair.now_ns, expects=pair.expects)) == stream(pair.host_out)


def test_without_faults_nothing_is_refused_and_one_handshake_is_enough() -> None:
    pair = started()
    emitted(pair, 50)
    assert pair.whole()
    assert pair.device_end is not None
    assert (pair.host_end.stats.unopened, pair.host_end.stats.clear, pair.host_end.stats.handshakes) == (0, 0, 1)
    assert (pair.device_end.stats.unopened, pair.device_end.stats.clear, pair.device_end.stats.handshakes) == (0, 0, 1)


# ------------------------------------------------------------------ reboots, losses, new keys


def test_a_device_that_rebooted_is_sealed_again_and_its_events_go_on() -> None:
    pair = started()
    emitted(pair, 5)
    pair.power_off()
    pair.run(300)
    pair.power_on(0x2002)
    assert pair.run(10_000, lambda: pair.up and pair.host.session == 0x2002)
    pair.emit(m.GreenButtonMessage)
    pair.run(200)
    assert pair.numbers(0x2002)
    assert pair.host_end.stats.handshakes == 2


def test_a_host_that_restarted_is_let_in_at_once() -> None:
    pair = started()
    emitted(pair, 5)
    before_ns = pair.now_ns
    pair.start_host()
    assert pair.run(5_000, lambda: pair.up)
    assert pair.now_ns - before_ns < 600 * MS


@pytest.mark.parametrize("frames", [126, 128, 200, 300])
def test_frames_lost_in_a_row_are_survived_whatever_their_number(frames: int) -> None:
    pair = started()
    emitted(pair, 3)
    pair.to_host.open = False
    assert pair.device is not None
    for _ in range(frames):
        pair._from_device(pair.device.status_changed(pair.now_ns))
        pair.run(5)
    pair.to_host.open = True
    pair.emit(m.GreenButtonMessage)
    assert pair.run(20_000, pair.whole)


def test_keys_are_made_new_after_a_day_and_no_link_notices() -> None:
    pair = started(seal_timing=SealTiming(rekey_ns=30_000 * MS))
    assert pair.device_end is not None
    for _ in range(300):
        pair.emit(m.GreenButtonMessage)
        pair.run(400)
    assert pair.whole()
    assert pair.host_end.stats.handshakes == pair.device_end.stats.handshakes == 5
    assert (pair.host_end.stats.unopened, pair.device_end.stats.unopened) == (0, 0)
    assert not pair.of(Down)


def test_keys_are_made_new_after_so_many_frames() -> None:
    pair = started(seal_timing=SealTiming(rekey_frames=50))
    emitted(pair, 120)
    assert pair.whole()
    assert pair.host_end.stats.handshakes >= 3


@pytest.mark.parametrize("seed", range(3))
def test_new_keys_over_a_line_that_loses(seed: int) -> None:
    pair = started(Faults(lose_chunk=0.2, reorder=0.2), seed, seal_timing=SealTiming(rekey_ns=3_000 * MS))
    emitted(pair, 200, 100)
    assert pair.run(30_000, pair.whole)
    assert pair.numbers() == list(range(1, pair.store.last + 1))
    assert pair.host_end.stats.handshakes > 3


# ------------------------------------------------------------------ someone on the line


def test_everything_recorded_and_sent_again_both_ways_changes_nothing() -> None:
    pair = started()
    emitted(pair, 20)
    pair.request(m.DispenseMessage())
    pair.run(500)
    executed, numbers = list(pair.executed), pair.numbers()
    for _, data in list(pair.tapped):
        pair.to_the_device(data)
        pair.to_the_host(data)  # the half that the device sent is a replay, the other half a reflection
        pair.run(1)
    emitted(pair, 3)
    assert pair.run(10_000, pair.whole)
    assert pair.executed == executed
    assert pair.numbers() == [*numbers, *range(len(numbers) + 1, pair.store.last + 1)]


def test_a_recorded_call_of_another_session_makes_no_keys() -> None:
    pair = started()
    calls = [data for to, data in pair.tapped if to == "device" and bodies(data)[0][6] == 0x0B]
    assert calls
    pair.power_off()
    pair.power_on(0x3003)
    assert pair.device_end is not None
    pair.to_the_device(calls[0])
    assert pair.device_end.stats.handshakes == 0
    assert pair.device_end._new is None


def test_a_recorded_call_of_this_session_is_answered_alike_and_makes_no_keys() -> None:
    pair = started()
    calls = [data for to, data in pair.tapped if to == "device" and bodies(data)[0][6] == 0x0B]
    for _ in range(20):
        pair.to_the_device(calls[0])
        pair.run(300)
    emitted(pair, 5)
    assert pair.whole()
    assert pair.device_end is not None
    assert pair.device_end.stats.handshakes == 1


@pytest.mark.parametrize(
    "body",
    [
        encode(m.OpenSessionMessage(0x1001, 1, 4, Role.OPERATE), request=9),
        encode(m.DispenseMessage(), request=10),
        encode(m.AckMessage(0x1001, 1000)),
        encode(m.HeartbeatMessage(0x1001)),
        encode(m.VerifyMessage(bytes(16), 0), request=11),
    ],
    ids=lambda body: f"{body[2]}-{body[6]:02X}",
)
def test_a_closed_device_takes_nothing_in_clear(body: bytes) -> None:
    pair = started()
    assert pair.device_end is not None
    assert pair.device is not None
    before, role = pair.store.acknowledged, pair.device.role
    pair.to_the_device(encode_frame(body, after_silence=True))
    assert pair.device_end.stats.clear == 1
    assert not pair.executed
    assert (pair.store.acknowledged, pair.device.role) == (before, role)
    naks = [body for to, data in pair.tapped if to == "host" for body in bodies(data) if body[2] == Kind.NAK]
    assert [nak[8] for nak in naks] == ([12] if body[2] == Kind.COMMAND else [])


@pytest.mark.parametrize(
    "body",
    [
        encode(m.GreenButtonMessage(1, 0), link_sequence=9),
        encode(m.ShufflerStatusMessage(0x1001, 5, 60_000, 6, 0, 0, 1, 52, 0, 0, 0, 0, 0, ())),
        encode(m.ReplyMessage(1, 0, 6), request=3, message_id=0x121),
        encode(m.GapMessage(0x1001, 1, 5, 6)),
    ],
    ids=lambda body: f"{body[2]}-{body[6]:02X}",
)
def test_a_host_takes_nothing_in_clear(body: bytes) -> None:
    pair = started()
    emitted(pair, 2)
    outputs, heard_ns = len(pair.host_out), pair.host.heard_ns
    pair.run(100)
    pair.to_the_host(encode_frame(body, after_silence=True))
    found = pair.host_out[outputs:]
    assert [each for each in found if isinstance(each, Delivered | Answered)] == []
    assert [each.why for each in found if isinstance(each, Discarded)] == [
        f"kind {body[2]} message 0x{body[6] | body[7] << 8:04X} was refused on the sealed line"
    ]
    assert pair.host_end.stats.clear == 1
    assert pair.host.heard_ns <= heard_ns + 100 * MS


def test_a_clear_frame_without_its_end_is_not_completed_by_what_follows() -> None:
    """The trap: noise that is passed up unfinished becomes a frame when the next frame's delimiter closes it."""
    pair = started()
    emitted(pair, 2)
    forged = encode_frame(encode(m.PacketLiftedMessage(3, 5, ordinal=1), link_sequence=9), after_silence=True)
    pair.to_the_host(forged[:-1])
    pair.run(60)
    pair.emit(m.GreenButtonMessage)
    assert pair.run(5_000, pair.whole)
    kinds = {type(each.message) for each in pair.host_out if isinstance(each, Delivered)}
    assert m.PacketLiftedMessage not in kinds
    assert [each for each in pair.of(Discarded) if "refused" in str(each.why)]  # type: ignore[attr-defined]


def test_forged_naks_cost_no_event() -> None:
    pair = started()
    nak = encode_frame(bytes((1, 0, Kind.NAK, 0, 0, 0, 3, 0, 12, 0)), after_silence=True)
    for _ in range(50):
        pair.to_the_host(nak)
        pair.emit(m.GreenButtonMessage)
        pair.run(100)
    assert pair.run(5_000, pair.whole)
    assert pair.numbers() == list(range(1, pair.store.last + 1))


def test_a_forged_hello_reply_does_not_end_a_sealed_line() -> None:
    pair = started()
    plain = encode(replace_hello(pair, capabilities=0), link_sequence=1)
    for _ in range(20):
        pair.to_the_host(encode_frame(plain, after_silence=True))
        pair.run(100)
    assert pair.up
    assert pair.host_end.problem == ""


def replace_hello(pair: SealedPair, **changes: object) -> m.HelloReplyMessage:
    assert pair.device is not None
    return replace(pair.device.hello, **changes)


# ------------------------------------------------------------------ refusals


def problem_of(pair: SealedPair, ms: int = 5_000) -> str:
    pair.start()
    pair.run(ms, lambda: bool(pair.host_end.problem))
    assert not pair.up
    assert not [each for each in pair.host_out if isinstance(each, Delivered)]
    assert clear_frames(pair, "device") <= CLEAR_TO_DEVICE
    return pair.host_end.problem


class PlainDevice(SealedPair):
    """A device that offers no sealed line."""

    def power_on(self, session: int | None = None, **hello: object) -> None:
        super().power_on(session, capabilities=Capability.TWO_DECKS, **hello)


def test_a_plain_device_is_refused_and_never_spoken_to_in_clear() -> None:
    assert problem_of(PlainDevice(hosts=())) == he.NO_SEAL


class Altered(SealedPair):
    """Someone changes a letter of the serial number in each HELLO-REPLY."""

    def _host_hears(self, data: bytes) -> None:
        for body in bodies(data):
            if (body[2], body[6]) == (Kind.LINK, 0x02):
                data = encode_frame(body[:-1] + bytes([body[-1] ^ 1]), after_silence=True)
        super()._host_hears(data)


def test_a_hello_reply_that_was_altered_seals_no_line() -> None:
    pair = Altered()
    assert problem_of(pair) == he.CALL_REFUSED
    assert pair.device_end is not None
    assert pair.device_end.stats.handshakes == 0


def test_a_device_that_does_not_know_the_host_is_named() -> None:
    others = (PairedHost(SUITE.public(OTHER_KEY), Role.OPERATE, "other"),)
    assert problem_of(SealedPair(hosts=others)) == he.UNKNOWN_HOST


def test_a_device_with_another_key_is_refused() -> None:
    assert problem_of(SealedPair(device_key=OTHER_KEY)) == he.CALL_REFUSED


def test_a_device_that_answers_without_its_key_is_refused() -> None:
    pair = SealedPair(pinned=SUITE.public(OTHER_KEY))
    pair.start()
    pair.run(4_000)
    assert not pair.up
    assert pair.device_end is not None
    assert pair.device_end.stats.handshakes == 0


def test_a_device_grants_no_more_than_the_role_of_its_pairing() -> None:
    observer = (PairedHost(SUITE.public(HOST_KEY), Role.OBSERVE, "viewer"),)
    pair = started(hosts=observer)
    assert pair.host.role == Role.OBSERVE
    assert pair.device is not None
    assert pair.device.role == Role.OBSERVE


def test_the_keys_of_each_handshake_can_be_logged_and_open_what_was_tapped() -> None:
    logged: list[tuple[bytes, bytes, bytes]] = []
    pair = started(log=lambda *keys: logged.append(keys))
    emitted(pair, 5)
    ((ephemeral, out, into),) = logged
    call = next(bodies(data)[0] for to, data in pair.tapped if to == "device" and bodies(data)[0][6] == 0x0B)
    assert call[16:48] == ephemeral
    ear = {"host": KeySet(SUITE, out, into), "device": KeySet(SUITE, into, out)}
    for to, data in pair.tapped:
        for body in bodies(data):
            assert not body[1] & SEALED or ear[to].open(body) is not None


# ------------------------------------------------------------------ the device's memory of hosts


def test_an_open_device_takes_frames_in_clear_until_it_is_paired() -> None:
    pair = SealedPair(hosts=())
    pair.power_on()
    assert pair.device_end is not None
    pair.to_the_device(encode_frame(encode(m.OpenSessionMessage(0x1001, 1, 4, Role.OPERATE), request=9)))
    assert pair.device is not None
    assert pair.device.role == Role.OPERATE
    pair.device_end.hosts = [PairedHost(SUITE.public(HOST_KEY), Role.OPERATE, "pit-3")]
    pair.to_the_device(encode_frame(encode(m.DispenseMessage(), request=10)))
    assert not pair.executed
    pair.device_end.forget_hosts()
    pair.to_the_device(encode_frame(encode(m.DispenseMessage(), request=11)))
    assert len(pair.executed) == 1


def test_a_host_that_a_person_made_the_device_forget_is_refused() -> None:
    pair = started()
    assert pair.device_end is not None
    pair.device_end.forget_hosts()
    pair.run(6_000, lambda: bool(pair.host_end.problem))
    assert pair.host_end.problem == he.UNKNOWN_HOST


def test_of_a_sealed_frame_anyone_sees_the_header_and_the_length() -> None:
    pair = started()
    emitted(pair, 3)
    frames = [piece for _, data in pair.tapped for piece in Framer().feed(data) if isinstance(piece, Frame)]
    buttons = [frame for frame in frames if frame.body[1] & SEALED and frame.body[6:8] == b"\x40\x01"]
    assert buttons
    shown = dialect_named("tdp").explain(buttons[0])
    assert (shown["kind"], shown["message"], shown["message_id"], shown["sealed"]) == (
        "EVENT",
        "GreenButton",
        "0x0140",
        24,
    )
    assert "fields" not in shown
