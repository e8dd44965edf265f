"""Meters and measurement of the reference device in C, compared with its events, with Python's SHA-256 and with the
simulated devices."""

import subprocess
from pathlib import Path
from random import Random

import pytest

from devices.drive.driving import open_device
from devices.simulator.device_meters import CONTROLLER_METERS, SHOE_METERS, SHUFFLER_METERS
from protocol.tdp import messages as m
from protocol.tdp.instruments import measure
from protocol.tdp.messages import DeviceMeter as D
from protocol.tdp.messages import Message
from tests.support.rigs.firmware import BUILD, IMAGES, Asked, board, devices, make, order, program

pytestmark = pytest.mark.firmware

METERS = {"shuffler": SHUFFLER_METERS, "shoe": SHOE_METERS, "table-controller": CONTROLLER_METERS}
AT_ONCE = 512
"""Bytes of an image that the device measures at once."""
LENGTHS = [0, 1, 39, 40, 47, 48, 103, 104, 111, 112, AT_ONCE, AT_ONCE + 1, 2 * AT_ONCE, 5000, 100_000]
"""Lengths that, with the nonce, are around the limits of SHA-256's blocks and of one portion."""


def opened(host: Asked) -> m.HelloReplyMessage:
    hello = host.greet()
    host.booted(hello.session)
    return hello


def shown(host: Asked, session: int) -> dict[int, int]:
    host.say(m.ReadMetersMessage(0))
    said = host.hear(m.MetersMessage)
    assert isinstance(said, m.MetersMessage)
    assert (said.session, said.first, said.total) == (session, 0, len(said.meters))
    return {meter: number for meter, _, number in said.meters}


def kept(meters: dict[int, int], **grown: int) -> dict[int, int]:
    """Return the meters that a start does not reset, increased by the given counts: a shuffler tests itself at every
    start."""
    by = {D[name]: number for name, number in grown.items()}
    return {meter: number + by.get(D(meter), 0) for meter, number in meters.items() if meter != D.SELF_TESTS}


def measured(host: Asked, nonce: bytes) -> tuple[m.ReplyMessage, m.MeasuredMessage]:
    host.say(m.VerifyMessage(nonce, m.Region.FIRMWARE))
    reply, said = host.hear(m.ReplyMessage), host.hear(m.MeasuredMessage)
    assert isinstance(reply, m.ReplyMessage)
    assert isinstance(said, m.MeasuredMessage)
    assert (said.nonce, said.region, said.algorithm) == (nonce, m.Region.FIRMWARE, m.Algorithm.SHA256)
    return reply, said


def drain(host: Asked) -> None:
    """Take the replies to earlier commands."""
    host.say(m.HelloMessage(1, 0, 1, 4, "test"))
    host.hear(m.HelloReplyMessage)


@pytest.mark.parametrize("length", LENGTHS)
def test_an_image_of_any_length_is_measured_as_python_measures_it(length: int, tmp_path: Path) -> None:
    make("sanitized")
    random, image = Random(length), tmp_path / "image.bin"
    image.write_bytes(random.randbytes(length))
    with program("table-controller", tmp_path, image=image) as line, Asked(line) as host:
        hello = opened(host)
        assert hello.capabilities & m.Capability.VERIFY
        for _ in range(2):
            drain(host)
            nonce = random.randbytes(16)
            reply, said = measured(host, nonce)
            assert reply.status == (m.Status.ACCEPTED if length > AT_ONCE else m.Status.DONE)
            assert said.digest == measure(nonce, image.read_bytes())


def test_measuring_keeps_nobody_waiting_and_a_second_one_is_refused(tmp_path: Path) -> None:
    make("sanitized")
    image = tmp_path / "image.bin"
    image.write_bytes(bytes(1_000_000))
    with program("table-controller", tmp_path, image=image) as line, Asked(line) as host:
        opened(host)
        drain(host)
        host.say(m.VerifyMessage(bytes(16), 0))
        host.say(m.ReportStatusMessage())
        host.say(m.VerifyMessage(bytes(16), 0))
        said = [host.hear(m.ReplyMessage) for _ in range(3)]
        assert [(reply.status, reply.reason) for reply in said] == [
            (m.Status.ACCEPTED, m.Reason.NONE),
            (m.Status.DONE, m.Reason.NONE),
            (m.Status.REFUSED, m.Reason.BUSY),
        ]
        assert host.hear(m.MeasuredMessage).digest == measure(bytes(16), image.read_bytes())


def test_a_region_it_has_not_is_a_bad_parameter(tmp_path: Path) -> None:
    make("sanitized")
    with program("shoe", tmp_path) as line, Asked(line) as host:
        opened(host)
        drain(host)
        host.say(m.VerifyMessage(bytes(16), 1))
        reply = host.hear(m.ReplyMessage)
        assert (reply.status, reply.reason) == (m.Status.REFUSED, m.Reason.BAD_PARAMETER)


@pytest.mark.parametrize(("name", "why"), [("none", "No such file or directory"), (".", "Invalid argument")])
def test_a_file_that_is_none_is_one_clear_line(name: str, why: str, tmp_path: Path) -> None:
    make("sanitized")
    words = [str(BUILD / "tdp-device-sanitized"), "shoe", "--line", str(tmp_path / "line"), "--image"]
    done = subprocess.run([*words, str(tmp_path / name)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, f"tdp-device: {tmp_path / name}: {why}\n")


@pytest.mark.parametrize("device", devices())
def test_it_tells_the_meters_that_the_simulated_one_tells_in_the_same_order(device: str, tmp_path: Path) -> None:
    make("sanitized")
    with program(device, tmp_path) as line, Asked(line) as host:
        opened(host)
        host.say(m.ReadMetersMessage(0))
        said = host.hear(m.MetersMessage)
        assert [(meter, component) for meter, component, _ in said.meters] == [*METERS[device]]
        host.say(m.ReadMetersMessage(len(said.meters)))
        beyond = host.hear(m.MetersMessage)
        assert (beyond.total, beyond.first, beyond.meters) == (len(said.meters), len(said.meters), ())


PLAYED: dict[str, tuple[tuple[str, type[Message]], ...]] = {
    "shuffler": (
        ("speed 20", m.ShufflerStatusMessage),
        ("load 0 0", m.DeckVerifiedMessage),
        ("jam 1 1", m.ShufflerStatusMessage),
        ("packet-count 2 -1 1", m.ShufflerStatusMessage),
        ("rejected-card 3 1", m.ShufflerStatusMessage),
        ("green", m.PacketDispensedMessage),
        ("lift", m.MisdealMessage),
        ("open-door", m.DoorMovedMessage),
        ("close-door", m.DoorMovedMessage),
        ("clear-resume", m.MisdealClearedMessage),
        ("lift", m.PacketDispensedMessage),
        ("green", m.RemainderDumpedMessage),
        ("lift", m.RemainderLiftedMessage),
    ),
    "shoe": (
        ("fill 2 0", m.ShoeLoadedMessage),
        ("begin 1", m.BurnStartedMessage),
        ("draw", m.CardDrawnMessage),
        ("draw", m.CardDrawnMessage),
        ("draw-unread", m.CardUnreadableMessage),
        ("clear-error", m.ShoeErrorClearedMessage),
        ("end-round", m.StateChangedMessage),
    ),
    "table-controller": (
        ("start-game", m.GameStartedMessage),
        ("end-game", m.GameEndedMessage),
        ("start-game", m.GameStartedMessage),
        ("end-game", m.GameEndedMessage),
    ),
}
ADD_UP: dict[str, dict[D, int]] = {
    "shuffler": {
        D.ROUNDS: 1, D.PACKETS: 3, D.CARDS: 14, D.SHUFFLES_DONE: 1, D.CARDS_SHUFFLED: 52, D.DECKS: 1, D.JAMS: 1,
        D.MISDEALS: 1, D.REJECTED_CARDS: 1, D.DOOR_OPENINGS: 1, D.SELF_TESTS: 1, D.SHUFFLES_FAILED: 0,
        D.POWER_CYCLES: 1, D.COMMANDS_REFUSED: 0, D.HOURS_POWERED: 0,
    },
    "shoe": {
        D.ROUNDS: 1, D.CARDS: 3, D.UNREAD_CARDS: 1, D.DECKS: 2, D.SHOES: 1, D.FAULTS: 1, D.POWER_CYCLES: 1,
        D.COMMANDS_REFUSED: 0, D.HOURS_POWERED: 0,
    },
    "table-controller": {
        D.ROUNDS: 2, D.SELF_TESTS: 0, D.FAULTS: 0, D.POWER_CYCLES: 1, D.COMMANDS_REFUSED: 0, D.HOURS_POWERED: 0,
    },
}  # fmt: skip
"""Acts done by hand, with counts made by hand."""


@pytest.mark.parametrize("device", devices())
def test_they_are_what_was_done_and_outlive_a_power_cut(device: str, tmp_path: Path) -> None:
    make("sanitized")
    control, store = tmp_path / "control", tmp_path / "store"
    with program(device, tmp_path, store=store) as line, Asked(line) as host:
        hello = opened(host)
        host.hear(
            m.StateChangedMessage,
            lambda event: event.previous == {"shuffler": m.ShufflerState.SELF_TEST}.get(device, 0),
        )
        for act, said in PLAYED[device]:
            host.say(m.HeartbeatMessage(0))
            assert order(control, act) == "ok", act
            host.hear(said)
        before = shown(host, hello.session)
        assert {meter: before[meter] for meter in ADD_UP[device]} == ADD_UP[device]
        assert order(control, "power off") == "ok"
        assert order(control, "power on") == "ok"
        again = opened(host)
        after = shown(host, again.session)
        assert kept(after) == kept(before, POWER_CYCLES=1)
        host.say(m.ReadEventsMessage(0, 1))
        host.hear(m.ReplyMessage, lambda reply: reply.status == m.Status.REFUSED)
        assert kept(shown(host, again.session)) == kept(after, COMMANDS_REFUSED=1)
    with program(device, tmp_path, store=store) as line, Asked(line) as host:
        assert kept(shown(host, opened(host).session)) == kept(after, COMMANDS_REFUSED=1, POWER_CYCLES=1)


def test_a_power_cut_ends_a_shuffle_as_failed(tmp_path: Path) -> None:
    make("sanitized")
    control = tmp_path / "control"
    with program("shuffler", tmp_path) as line, Asked(line) as host:
        opened(host)
        assert order(control, "speed 20") == "ok"
        host.hear(m.StateChangedMessage, lambda event: event.previous == m.ShufflerState.SELF_TEST)
        assert order(control, "speed 1") == "ok"
        assert order(control, "load 0 0") == "ok"
        host.hear(m.ShuffleStartedMessage)
        assert order(control, "power off") == "ok"
        assert order(control, "power on") == "ok"
        assert shown(host, opened(host).session)[D.SHUFFLES_FAILED] == 1


@pytest.mark.parametrize("device", devices())
def test_a_handle_has_the_board_measure_its_flash(device: str) -> None:
    with board(device) as playing, open_device(str(playing.line), timeout_s=60) as handle:
        image = (BUILD / f"lm3s6965/{IMAGES[device]}.bin").read_bytes()
        said = handle.verify()
        assert said.digest == measure(said.nonce, image)
        assert {one.meter: one.shown for one in handle.meters()}[D.POWER_CYCLES] >= 1
