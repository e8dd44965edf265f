"""The sealed line of the reference device in C, over its real line: pairing, service, what it refuses."""

import hashlib
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from protocol.tdp import messages as m
from protocol.tdp.codec import encode
from tests.support.rigs.firmware import BOARDS, PATIENCE_S, ROOT, Asked, board, make, order, program
from tests.support.rigs.sealed_host import SealedHost, public_key

pytestmark = pytest.mark.firmware

APART_S = 0.3
"""Seconds after which a device may refuse again in clear."""
SECRET, OTHER = bytes(range(1, 33)), bytes(range(101, 133))


@pytest.fixture(autouse=True)
def built() -> None:
    make("sanitized")


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    """The line of a table controller in setup, where hosts may be paired."""
    with program("table-controller", tmp_path) as line:
        with Asked(line) as host:
            host.booted(host.greet().session)
            host.hear(m.StateChangedMessage)
        assert order(tmp_path / "control", "table-setup 1") == "ok"
        yield line


def shown(folder: Path, role: int = m.Role.SERVICE) -> str:
    code = order(folder / "control", f"pair {role}")
    assert len(code) == 16
    return code


def paired(line: str, folder: Path, secret: bytes = SECRET, role: int = m.Role.SERVICE) -> bytes:
    with SealedHost(line, secret) as host:
        device = host.pair(shown(folder, role))
        host.hear(m.ControllerStatusMessage)
        return bytes(device)


def test_a_host_pairs_by_the_code_and_both_ends_show_the_same(device: str, tmp_path: Path) -> None:
    with SealedHost(device, SECRET) as host:
        assert host.greet().capabilities & m.Capability.SEALING
        assert order(tmp_path / "control", "compare") == "no"
        key = host.pair(shown(tmp_path))
        assert len(key) == 32
        host.hear(m.ControllerStatusMessage)  # sealed: the device knows the code, too
        assert order(tmp_path / "control", "compare") == host.compare
        host.booted(host.greet().session)
        host.say(m.SetSensorLightMessage(1, 1))
        host.hear(m.ReplyMessage, lambda reply: reply.status == m.Status.DONE)
        assert order(tmp_path / "control", "table-setup 0") == "ok"
        host.hear(m.StateChangedMessage)
        assert order(tmp_path / "control", "start-game") == "ok"
        host.hear(m.GameStartedMessage)
        assert host.clear == []
        assert host.dropped == 0


def test_a_paired_host_comes_back_with_its_key_alone(device: str, tmp_path: Path) -> None:
    key = paired(device, tmp_path)
    for _ in range(2):
        with SealedHost(device, SECRET) as host:
            assert isinstance(host.seal(key, times=3), m.SealAnswerMessage)
            session = host.greet().session
            host.booted(session)
            assert host.clear == []


def test_a_wrong_code_pairs_nobody_and_ends_the_attempt(device: str, tmp_path: Path) -> None:
    code = shown(tmp_path)
    with SealedHost(device, SECRET) as host:
        host.pair("0000-0000-0000-0")
        host.to_device = host.to_host = None
        assert host.hear(m.NakMessage).reason == m.Reason.NOT_PERMITTED
        again = host.pair(code)
        assert again.reason == m.Reason.NOT_PERMITTED
        host.booted(host.greet().session)  # it is a plain device still


def test_nobody_pairs_without_a_person_at_an_open_device(device: str, tmp_path: Path) -> None:
    control = tmp_path / "control"
    with SealedHost(device, SECRET) as host:
        assert host.pair("0000-0000-0000-0").reason == m.Reason.NOT_PERMITTED
        assert order(control, "table-setup 0") == "ok"
        assert order(control, "pair 2") == "no"
        assert order(control, "forget") == "no"
        assert order(control, "table-setup 1") == "ok"
        code = shown(tmp_path)
        assert order(control, "table-setup 0") == "ok"  # closed again: the pairing is over
        assert host.pair(code).reason == m.Reason.NOT_PERMITTED
        assert order(control, "table-setup 1") == "ok"
        assert host.pair(code).reason == m.Reason.NOT_PERMITTED


def test_a_paired_device_refuses_a_plain_host(device: str, tmp_path: Path) -> None:
    """In clear it is answered HELLO, and that it must seal; it hears no STATUS and no event."""
    paired(device, tmp_path)
    with SealedHost(device, OTHER) as host:
        session = host.greet().session
        host.say(m.OpenSessionMessage(session, 1, 4, m.Role.OBSERVE))
        assert host.hear(m.NakMessage).reason == m.Reason.NOT_SEALED
        for message in (m.ReadEventsMessage(session, 1), m.SetSensorLightMessage(1, 1), m.ReportStatusMessage()):
            host.say(message)
        host.say(m.HeartbeatMessage(0))
        with pytest.raises(AssertionError, match="no Message within"):
            host.hear(m.Message, lambda each: not isinstance(each, m.NakMessage), within=1.5)


def test_a_stranger_with_a_key_of_his_own_is_refused(device: str, tmp_path: Path) -> None:
    key = paired(device, tmp_path)
    with SealedHost(device, OTHER) as host:
        answer = host.seal(key)
        assert answer.reason == m.Reason.NOT_PERMITTED
    with SealedHost(device, OTHER) as host:
        _, call = host.call(key)
        named = m.SealCallMessage(hashlib.sha256(public_key(SECRET)).digest()[:8], call.ephemeral, call.tag)
        assert host.answered(named, m.SealAnswerMessage).reason == m.Reason.BAD_PAYLOAD


def test_what_was_recorded_is_worth_nothing(device: str, tmp_path: Path) -> None:
    """Replayed to the same session, every frame of it; reflected; and to the device after it started again."""
    key = paired(device, tmp_path)
    with SealedHost(device, SECRET) as host:
        host.seal(key)
        host.booted(host.greet().session)
        host.hear(m.StateChangedMessage)
        host.say(m.SetSensorLightMessage(1, 1))
        host.hear(m.ReplyMessage)
        last = host.to_host.top  # type: ignore[union-attr]
        for body in [*host.sent]:
            host.send(body)
        heard = [body for _ in range(4) for body in host.bodies()]
        kinds = {(body[1], body[2]) for body in heard}
        assert all(kind == m.Kind.LINK for _, kind in kinds), (
            heard
        )  # STATUS, the answer to HELLO and to the call: no reply
        assert last >= 0
    assert order(tmp_path / "control", "power off") == "ok"
    assert order(tmp_path / "control", "power on") == "ok"
    with SealedHost(device, SECRET) as later:
        assert later.introduced()
        for body in host.sent:
            later.send(body)
        answers = [body for _ in range(20) for body in later.bodies()]
        assert answers
        assert not any(body[1] & 0x80 for body in answers)


def test_a_device_that_started_again_says_that_its_keys_are_gone(device: str, tmp_path: Path) -> None:
    key = paired(device, tmp_path)
    with SealedHost(device, SECRET) as host:
        host.seal(key)
        session = host.greet().session
        host.booted(session)
        assert order(tmp_path / "control", "power off") == "ok"
        assert order(tmp_path / "control", "power on") == "ok"
        for _ in range(20):
            host.say(m.HeartbeatMessage(0))
        end = time.monotonic() + 20
        while not host.clear and time.monotonic() < end:
            for body in host.bodies():
                host._take(body)
        naks = [each for each in host.clear if isinstance(each, m.NakMessage)]
        assert [each.reason for each in naks] == [m.Reason.NOT_SEALED]
        assert host.seal(key)
        assert host.greet().session != session


def test_new_keys_take_over_in_the_running_session(device: str, tmp_path: Path) -> None:
    """The old ones are good until a frame opens under the new ones; the session stays open."""
    key = paired(device, tmp_path)
    with SealedHost(device, SECRET) as host:
        host.seal(key)
        host.booted(host.greet().session)
        old = host.to_device
        noise, call = host.call(key)
        answer = host.answered(call, m.SealAnswerMessage)
        host.say(m.SetSensorLightMessage(1, 1))
        host.hear(m.ReplyMessage)  # under the old keys
        noise.read_message(answer.ephemeral + answer.tag)
        host.use(noise)
        host.say(m.SetSensorLightMessage(2, 1))
        host.hear(m.ReplyMessage, lambda reply: reply.status == m.Status.DONE)  # without another OPEN-SESSION
        assert old is not None
        host.send(old.seal(encode(m.SetSensorLightMessage(3, 1), request=9)))
        with pytest.raises(AssertionError):
            host.hear(m.ReplyMessage, within=0.5)


def test_the_role_of_a_host_is_the_one_that_the_person_allowed(device: str, tmp_path: Path) -> None:
    key = paired(device, tmp_path, role=m.Role.OBSERVE)
    with SealedHost(device, SECRET) as host:
        host.seal(key)
        session = host.greet().session
        host.say(m.OpenSessionMessage(session, 1, 4, m.Role.OPERATE))
        assert host.hear(m.ReplyMessage).reason == m.Reason.NOT_PERMITTED
        host.say(m.OpenSessionMessage(session, 1, 4, m.Role.OBSERVE))
        assert host.hear(m.ReplyMessage).status == m.Status.DONE


def test_four_hosts_have_room_and_a_person_forgets_them(device: str, tmp_path: Path) -> None:
    for number in range(4):
        key = paired(device, tmp_path, bytes([number + 1]) * 32)
    assert order(tmp_path / "control", "pair 2") == "no"
    assert order(tmp_path / "control", "forget") == "ok"
    with Asked(device) as host:
        host.booted(host.greet().session)
    with SealedHost(device, bytes([1]) * 32) as sealed:
        assert sealed.seal(key).reason == m.Reason.NOT_PERMITTED


def test_the_keys_and_the_hosts_outlive_the_power(tmp_path: Path) -> None:
    """Both are in the store; so a new program with the same store knows the host, and has the key that it had."""
    store = tmp_path / "store"
    with program("table-controller", tmp_path, store=store) as line:
        with Asked(line) as host:
            host.booted(host.greet().session)
            host.hear(m.StateChangedMessage)
        assert order(tmp_path / "control", "table-setup 1") == "ok"
        key = paired(line, tmp_path)
    assert store.stat().st_mode & 0o077 == 0
    with program("table-controller", tmp_path, store=store) as line, SealedHost(line, SECRET) as host:
        assert isinstance(host.seal(key), m.SealAnswerMessage)
        host.booted(host.greet().session)


def test_short_handshakes_are_refused(device: str) -> None:
    with SealedHost(device, SECRET) as host:
        host.greet()
        for message, length in ((8, 47), (10, 80), (11, 55)):
            host.send(bytes([1, 0, m.Kind.LINK, 0, 0, 0, message, 0]) + bytes(length))
            assert host.hear(m.NakMessage).reason == m.Reason.BAD_PAYLOAD
            time.sleep(APART_S)
        host.send(bytes([1, 0, m.Kind.LINK, 0, 0, 0, 10, 0]) + bytes(81))
        assert host.hear(m.NakMessage).reason == m.Reason.NOT_PERMITTED
        time.sleep(APART_S)
        host.send(bytes([1, 0x80, m.Kind.LINK, 0, 0, 0, 3, 0]) + bytes(30))
        assert host.hear(m.NakMessage).reason == m.Reason.NOT_SEALED


# ------------------------------------------------------------------ floods in clear


def link_body(message: int, payload: bytes, flags: int = 0) -> bytes:
    return bytes([1, flags, m.Kind.LINK, 0, 0, 0, message, 0]) + payload


def forged(call: m.SealCallMessage, number: int) -> bytes:
    """Return a call in the name of its host, each with another key: it costs the device work to find out."""
    fresh = hashlib.sha256(number.to_bytes(4)).digest()
    return encode(m.SealCallMessage(call.key_id, fresh, call.tag))


FLOODS: dict[str, Callable[[list[m.SealCallMessage], int], bytes]] = {
    "hello": lambda calls, number: encode(m.HelloMessage(1, 0, 1, 4, f"host {number}")),
    "short-hello": lambda calls, number: link_body(1, bytes(19)),
    "hello-with-a-flag": lambda calls, number: link_body(1, bytes(20), flags=0x10),
    "the-last-call": lambda calls, number: encode(calls[-1]),
    "recorded-calls": lambda calls, number: encode(calls[number % 2]),
    "forged-calls": lambda calls, number: forged(calls[0], number),
    "calls-of-nobody": lambda calls, number: link_body(11, number.to_bytes(56)),
    "short-calls": lambda calls, number: link_body(11, bytes(55)),
    "pair-calls": lambda calls, number: link_body(8, number.to_bytes(48)),
    "proofs": lambda calls, number: link_body(10, number.to_bytes(81)),
    "commands": lambda calls, number: encode(m.SetSensorLightMessage(1, 1), request=number + 1),
    "sealed-by-nobody": lambda calls, number: link_body(3, number.to_bytes(30), flags=0x80),
}
UNANSWERED = {"short-hello", "hello-with-a-flag", "sealed-by-nobody"}
HELLO_REPLY, SEAL_ANSWER = 2, 12


def heard_in_clear(host: SealedHost, bodies: Iterable[bytes]) -> tuple[Counter[int], float]:
    """Send these; return how often the device said what in clear, a NAK under 0, and how many seconds it took."""
    said, began = Counter[int](), time.monotonic()

    def take() -> None:
        for body in host.bodies():
            host._take(body)
            if not body[1] & 0x80:
                said[0 if body[2] == m.Kind.NAK else body[6]] += 1

    for number, body in enumerate(bodies):
        host.send(body)
        if number % 25 == 24:
            take()
    for _ in range(4):
        take()
    return said, time.monotonic() - began


def session_with_two_calls(host: SealedHost, key: bytes) -> list[m.SealCallMessage]:
    """Open a session, renew its keys, and return both calls."""
    calls = []
    for _ in range(2):
        noise, call = host.call(key)
        answer = host.answered(call, m.SealAnswerMessage)
        noise.read_message(answer.ephemeral + answer.tag)
        host.use(noise)
        calls.append(call)
        host.booted(host.greet().session)
    return calls


@pytest.mark.parametrize("flood", FLOODS)
def test_a_flood_in_clear_is_answered_seldom_and_costs_no_session(flood: str, device: str, tmp_path: Path) -> None:
    """HELLO and a call that is repeated at most each 100 ms; a new call and a NAK at most each 250 ms."""
    key = paired(device, tmp_path)
    with SealedHost(device, SECRET) as host:
        calls = session_with_two_calls(host, key)
        said, seconds = heard_in_clear(host, (FLOODS[flood](calls, number) for number in range(400)))
        assert said[HELLO_REPLY] <= 10 * seconds + 2
        assert said[SEAL_ANSWER] <= 14 * seconds + 2
        assert said[0] <= 4 * seconds + 2
        assert set(said) <= {0, HELLO_REPLY, SEAL_ANSWER}
        assert bool(said) == (flood not in UNANSWERED)
        host.say(m.SetSensorLightMessage(1, 1))
        assert host.hear(m.ReplyMessage).status == m.Status.DONE  # in the session that was open
        assert host.dropped == 0
        assert isinstance(host.seal(key), m.SealAnswerMessage)


def test_hello_that_is_not_understood_takes_nobody_the_answer(device: str, tmp_path: Path) -> None:
    paired(device, tmp_path)
    with SealedHost(device, SECRET) as host:
        bad, good = link_body(1, bytes(19)), FLOODS["hello"]([], 0)
        said, _ = heard_in_clear(host, ([bad] * 5 + [good]) * 10)
        assert said[HELLO_REPLY]


def test_a_proof_that_was_recorded_brings_a_status_seldom(device: str, tmp_path: Path) -> None:
    with SealedHost(device, SECRET) as host:
        host.pair(shown(tmp_path))
        host.hear(m.ControllerStatusMessage)
        proof, before = host.sent[-1], host.to_host.top  # type: ignore[union-attr]
        assert proof[6] == 10
        said, seconds = heard_in_clear(host, [proof] * 400)
        assert not said
        assert 1 <= host.to_host.top - before <= 5 * seconds + 3  # type: ignore[union-attr]


def test_a_call_of_nobody_does_not_take_the_host_its_answer(device: str, tmp_path: Path) -> None:
    """The answer may be lost on the way: then the same call has the same answer, whoever called in between."""
    key = paired(device, tmp_path)
    with SealedHost(device, SECRET) as host:
        _, call = host.call(key)
        answer = host.answered(call, m.SealAnswerMessage)
        heard_in_clear(host, (FLOODS["calls-of-nobody"]([], number) for number in range(250)))
        again = host.answered(call, m.SealAnswerMessage)
        while isinstance(again, m.NakMessage):  # of a call before
            again = host.answered(call, m.SealAnswerMessage)
        assert again == answer


# ------------------------------------------------------------------ on the processor


@pytest.mark.parametrize("name", BOARDS)
def test_forged_calls_keep_a_small_processor_busy_for_a_moment_and_end_nothing(name: str, tmp_path: Path) -> None:
    """It takes two multiplications to refuse one. The session goes on meanwhile; and the host's own call, sent right
    behind a forged one, is taken when it is repeated."""
    with board("table-controller", name, tmp_path) as playing:
        with Asked(str(playing.line)) as host:
            host.booted(host.greet().session)
            host.hear(m.StateChangedMessage)
        assert playing.keys("table-setup 1") == "ok"
        with SealedHost(str(playing.line), SECRET) as host:
            key = host.pair(playing.keys("pair 2"))
            host.hear(m.ControllerStatusMessage)
        with SealedHost(str(playing.line), SECRET) as host:
            calls = session_with_two_calls(host, key)
            said, seconds = heard_in_clear(host, (forged(calls[0], number) for number in range(60)))
            assert 1 <= said[0] <= 4 * seconds + 2
            assert set(said) == {0}
            host.say(m.SetSensorLightMessage(1, 1))
            assert host.hear(m.ReplyMessage).status == m.Status.DONE
            assert host.dropped == 0
            noise, call = host.call(key)
            host.send(forged(call, 1_000))
            answer = host.answered(call, m.SealAnswerMessage)
            while isinstance(answer, m.NakMessage):  # of a forged call
                answer = host.answered(call, m.SealAnswerMessage)
            noise.read_message(answer.ephemeral + answer.tag)
            host.use(noise)
            host.booted(host.greet().session)


@pytest.mark.parametrize("name", BOARDS)
def test_a_small_processor_pairs_and_serves_and_keeps_its_hosts(name: str, tmp_path: Path) -> None:
    """Handshakes in steps of a millisecond, on the emulated boards; their stack stays within what was computed."""
    with board("table-controller", name, tmp_path) as playing:
        with Asked(str(playing.line)) as host:
            host.booted(host.greet().session)
            host.hear(m.StateChangedMessage)
        assert playing.keys("table-setup 1") == "ok"
        with SealedHost(str(playing.line), SECRET) as host:
            key = host.pair(playing.keys("pair 2"))
            host.hear(m.ControllerStatusMessage)
            assert playing.keys("compare") == host.compare
        playing.power(False)
        playing.power(True)
        with SealedHost(str(playing.line), SECRET) as host:
            assert isinstance(host.seal(key), m.SealAnswerMessage)
            host.booted(host.greet().session)
            assert host.clear == []
            host.say(m.ReportStatusMessage())
            host.hear(m.ReplyMessage)
        used = int(playing.keys("stack"))
        assert int(playing.keys("lost")) == 0
    computed = int(re.search(rf"^{name} controller: (?:.*\n){{2}}.* \+ (\d+) stack", make("cross"), re.MULTILINE)[1])
    print(f"{name}: {used} bytes of stack used, {computed} computed")
    assert 0 < used <= computed


# ------------------------------------------------------------------ with the project's own host


def ran(*words: str | Path, cwd: Path) -> str:
    """Run the program, and return what it printed."""
    command = [sys.executable, "-m", "dealwire", *map(str, words)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=PATIENCE_S, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("checks", ["roles.*", "verify.*"])
def test_the_bench_passes_over_a_sealed_line(checks: str, device: str, tmp_path: Path) -> None:
    """Paired by `dealwire device pair`, with the string that the device shows; the checks pass as in clear."""
    control = tmp_path / "control"
    code = shown(tmp_path)
    said = ran("device", "pair", device, "--code", code, "--role", "service", "--sas", "none", cwd=tmp_path)
    assert f"short string {order(control, 'compare')}" in said
    assert order(control, "table-setup 0") == "ok"
    hands = f"{sys.executable} -m firmware.qemu.hands {control}"
    report = tmp_path / "report.json"
    words = ["bench", "table-controller", "--controller", device, "--sealed-keys", "line-keys", "--only", checks]
    command = [sys.executable, "-m", "dealwire", *words, "--operator-program", hands, "--report", report]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE_S, env=environment)
    assert "none failed" in done.stdout, done.stdout + done.stderr
    with SealedHost(device, OTHER) as plain:
        plain.say(m.ReportStatusMessage())
        assert plain.hear(m.NakMessage).reason == m.Reason.NOT_SEALED  # it was sealed all the time
