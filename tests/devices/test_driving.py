"""Devices driven through the handles of `open_device`: simulated ones in this program, and on real lines."""

import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from devices import events as e
from devices.clock import SystemClock
from devices.drive import handle
from devices.drive.driving import Shoe, Shuffler, TableController, open_device
from devices.drive.replay import play
from devices.line.loop import Owner
from devices.record.capture import Capture
from devices.record.recording import CaptureWriter
from devices.simulator.host import DeviceLine, DeviceTcpLine, SimulatorHost
from devices.simulator.line import KINDS, SimulatedDevice
from protocol.errors import (
    CannotWait,
    DealwireError,
    LineAbsent,
    LineClosed,
    LineUnusable,
    LocalError,
    NoAnswer,
    NoCommands,
    NoEvent,
    NotPermitted,
    NotUp,
    Refused,
    Unfinished,
    WrongDevice,
)
from protocol.tdp.messages import Role, ShufflerStatusMessage

FAST = "sim:shuffler?speed=50"


def bodies(device: Shuffler | Shoe | TableController, timeout_s: float = 0.3) -> list[e.Body]:
    return [seen.body for seen in device.events(timeout_s)]


# ------------------------------------------------------------------ in this program


def test_a_packet_is_dispensed_and_reported() -> None:
    heard: list[e.Seen] = []
    with open_device(FAST, role="operate") as shuffler:
        assert isinstance(shuffler, Shuffler)
        assert (shuffler.state, shuffler.role, shuffler.identity.model) == ("READY", Role.OPERATE, "sim-shuffler")
        assert isinstance(shuffler.status, ShufflerStatusMessage)
        assert shuffler.status.loaded == 52
        shuffler.on_event(heard.append)
        packet = shuffler.dispense()
        assert packet == e.PacketDispensed(1, 1, 5, 5, ())
        assert packet in [seen.body for seen in heard], "who listens has seen it when who waits goes on"
        assert shuffler.wait_for(e.PacketDispensed) == packet
        assert shuffler.wait_for(e.PacketLifted) == e.PacketLifted(1)
        assert shuffler.wait_for(e.PacketDispensed).ordinal == 2
    assert {seen.device for seen in heard} == {"shuffler"}
    assert [seen.number for seen in heard] == sorted({seen.number for seen in heard})


def test_a_whole_round_and_the_next() -> None:
    with open_device("sim:shuffler?speed=200&players=2&seed=7&recognition=1", role="operate") as shuffler:
        for _ in range(2):
            faces = list(shuffler.dispense().cards)
            assert len(faces) == 5
            while shuffler.wait_for(e.PacketDispensed).ordinal != 3:
                pass
            remainder = shuffler.dump()
            assert remainder == e.RemainderDumped(1, 42, 42)
            while shuffler.wait_for(e.StateChanged).state != "READY":
                pass


def test_what_a_device_did_before_is_no_event() -> None:
    with open_device(FAST) as shuffler:
        assert bodies(shuffler) == []
        assert shuffler.status.last_event > 0


def test_the_settings_give_the_same_cards_again() -> None:
    def faces(seed: int) -> tuple[object, ...]:
        with open_device(f"sim:shuffler?speed=100&cards=7&recognition=1&seed={seed}", role="operate") as shuffler:
            return shuffler.dispense().cards

    assert len(faces(1)) == 7
    assert faces(1) == faces(1)
    assert faces(1) != faces(2)


def test_to_observe_is_not_to_command() -> None:
    with open_device(FAST) as shuffler:
        with pytest.raises(NotPermitted, match="Dispense needs the operate role; this session has observe"):
            shuffler.dispense()
        assert bodies(shuffler) == []
    with open_device(FAST, role=Role.OPERATE) as shuffler, pytest.raises(NotPermitted, match="service"):
        shuffler.self_test()


def test_a_refusal_says_why() -> None:
    with open_device(FAST, role="service") as shuffler:
        with pytest.raises(Refused) as caught:
            shuffler.dump()
        assert (caught.value.command, caught.value.reason, caught.value.state) == ("Dump", "wrong state", "READY")
        shuffler.lock()
        with pytest.raises(Refused, match="LOCKED"):
            shuffler.dispense()
        shuffler.lock(False)
        with pytest.raises(Refused, match="bad parameter"):
            shuffler.select_game(14)
        shuffler.select_game(2, game="two cards")
        shuffler.self_test()
        assert shuffler.wait_for(e.StateChanged).state == "LOCKED"


def test_a_jam_ends_the_command_and_a_person_goes_on() -> None:
    with open_device("sim:shuffler?speed=50&fault=jam", role="operate") as shuffler:
        with pytest.raises(Unfinished, match=r"the red lamp was lit: .*\(203\)"):
            shuffler.dispense()
        assert shuffler.state == "MISDEAL"
        shuffler.clear_misdeal(badge=77, resume=True)
        assert shuffler.wait_for(e.MisdealCleared) == e.MisdealCleared(203, 77, True)
        assert shuffler.wait_for(e.PacketDispensed).ordinal == 1


@pytest.mark.parametrize(
    ("fault", "packet", "alarm"), [("short", (5, 4), 301), ("long", (5, 6), 302), ("lost", (5, 5), 204)]
)
def test_every_fault_of_a_packet(fault: str, packet: tuple[int, int], alarm: int) -> None:
    with open_device(f"sim:shuffler?speed=50&fault={fault}", role="operate") as shuffler:
        found = shuffler.dispense()
        assert (found.expected, found.counted) == packet
        assert shuffler.wait_for(e.RedLamp) == e.RedLamp(True, alarm)


def test_a_shoe_is_drawn_from_until_the_round_is_ended() -> None:
    with open_device("sim:shoe?speed=10&cards=4&fault=unread", role="operate") as shoe:
        assert isinstance(shoe, Shoe)
        assert (shoe.state, shoe.status.loaded) == ("STANDBY", 416)
        trouble = shoe.wait_for(e.ShoeError)
        assert shoe.wait_for(e.CardUnread).ordinal == 3
        shoe.clear_error(trouble.fault, badge=5)
        assert shoe.wait_for(e.CardDrawn).ordinal == 4
        shoe.end_round()
        assert shoe.wait_for(e.CardDrawn).ordinal == 5
        shoe.lock()
        assert shoe.wait_for(e.ShoeLocked).locked


def test_two_devices_at_once() -> None:
    with (
        open_device("sim:table-controller?speed=20", role="operate", device="table-controller") as controller,
        open_device(FAST, role="operate", device="shuffler") as shuffler,
    ):
        assert isinstance(controller, TableController)
        controller.show_text("SEAT 3: DEAD HAND")
        controller.show_meter(1, 123_456)
        controller.sensor_light(3, True)
        assert [controller.wait_for(e.SensorChanged).seat for _ in range(3)] == [1, 2, 3]
        started = controller.wait_for(e.GameStarted)
        assert shuffler.dispense().ordinal == 1
        assert controller.wait_for(e.GameEnded).round == started.round
        with pytest.raises(Refused, match="bad parameter"):
            controller.sensor_light(33, True)


# ------------------------------------------------------------------ behind real lines


class Alone:
    """A simulated device as the only device of a table, for use on a real line."""

    finished = False

    def __init__(self, address: str) -> None:
        self.device = SimulatedDevice(address)
        self.units = {"it": self.device}

    @property
    def next_deadline_ns(self) -> int | None:
        return self.device.next_deadline_ns

    def power_on(self, now_ns: int) -> None:
        """Do nothing: it is already on."""

    def receive(self, device: str, data: bytes, now_ns: int) -> None:
        self.device.receive(data)

    def tick(self, now_ns: int) -> None:
        self.device.tick(now_ns)

    def take_output(self, device: str, now_ns: int) -> bytes:
        return self.device.take_output()


class Attached:
    """A simulated device on a real line, run by its own thread; it can be unplugged."""

    def __init__(self, address: str, line: str) -> None:
        self._owner = Owner(SystemClock())
        self._bench = SimulatorHost(Alone(address), {"it": line})
        self.line: DeviceLine = self._bench.lines["it"]
        self.address, self._done = self.line.address, False
        for member in (self._bench, self.line):
            self._owner.add(member)
        self._thread = threading.Thread(target=self._owner.run, args=(lambda: self._done,))
        self._thread.start()

    def unplug(self) -> None:
        self.call(self.line.close)

    def call(self, function: Callable[[], None]) -> None:
        self._owner.call_soon(function)

    def close(self) -> None:
        self._done = True
        self._owner.call_soon(lambda: None)
        self._thread.join()
        self._owner.close()


@contextmanager
def attached(address: str, line: str) -> Iterator[Attached]:
    device = Attached(address, line)
    try:
        yield device
    finally:
        device.close()


@pytest.mark.parametrize("line", ["pty", "tcp:0"])
def test_a_device_on_a_real_line(line: str) -> None:
    with attached(FAST, line) as device, open_device(device.address, role="operate") as shuffler:
        assert isinstance(shuffler, Shuffler), "its greeting says what it is"
        assert shuffler.dispense() == e.PacketDispensed(1, 1, 5, 5, ())
        assert shuffler.wait_for(e.PacketLifted).ordinal == 1
        with pytest.raises(Refused):
            shuffler.dispense()


@pytest.mark.parametrize("line", ["pty", "tcp:0"])
def test_a_device_that_is_unplugged_in_mid_command(line: str) -> None:
    with attached("sim:shuffler", line) as device, open_device(device.address, role="operate") as shuffler:
        shuffler.on_event(lambda seen: device.unplug() if isinstance(seen.body, e.StateChanged) else None)
        with pytest.raises(LineClosed):
            shuffler.dispense()
        assert shuffler.wait_for(e.LinkLost)
        # A TCP line that is reopened before the listener is gone waits for the device, not for its line.
        with pytest.raises(NotUp, match=r"waiting for (its line|a device)"):
            shuffler.dispense()
        with pytest.raises(NotUp):
            shuffler.status  # noqa: B018
        assert shuffler.identity.serial == "SIM-0001", "what it was is still known"


def test_a_line_that_comes_back_is_gone_on_with() -> None:
    """The same device behind a port that goes and returns: its events in between arrive afterwards."""
    with attached(FAST, "tcp:0") as device, open_device(device.address, role="operate") as shuffler:
        shuffler.dispense()
        host = device.line
        assert isinstance(host, DeviceTcpLine)
        device.call(host._hang_up)
        assert shuffler.wait_for(e.LinkLost)
        assert shuffler.wait_for(e.LinkUp).resumed
        while shuffler.wait_for(e.PacketDispensed).ordinal < 4:
            pass
        assert shuffler.dump().counted == 37


def test_a_line_without_an_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        address = f"tcp://127.0.0.1:{deaf.getsockname()[1]}"
        with pytest.raises(NoAnswer, match=f"^{address}: Hello: no reply after 3 tries in 0.60 s$"):
            open_device(address, timeout_s=0.6)


def test_another_kind_of_device_on_the_line_ends_the_handle(tmp_path: Path) -> None:
    port = tmp_path / "port"
    with attached("sim:shoe", "pty") as shoe, attached(FAST, "pty") as shuffler:
        port.symlink_to(shoe.address)
        with open_device(str(port)) as handle:
            port.unlink()
            port.symlink_to(shuffler.address)
            shoe.unplug()
            with pytest.raises(WrongDevice, match="expected a shoe on this line, found a shuffler"):
                list(handle.events())
            with pytest.raises(WrongDevice):
                handle.status  # noqa: B018


def test_every_byte_is_recorded_and_deals_the_same_events(tmp_path: Path) -> None:
    heard: list[e.Seen] = []
    path = tmp_path / "shuffler.pcapng"
    with open_device(FAST, role="operate", device="shuffler", record=path) as shuffler:
        shuffler.on_event(heard.append)
        shuffler.dispense()
    again: list[e.Seen] = []
    play(Capture.read(path), again.append)
    assert [seen for seen in again if seen.number >= heard[0].number][: len(heard)] == heard
    with pytest.raises(DealwireError, match="the kind of device is missing"):
        open_device(FAST, record=tmp_path / "other.pcapng")


def test_a_recording_that_was_begun_in_vain_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[None] = []
    close = CaptureWriter.close
    monkeypatch.setattr(CaptureWriter, "close", lambda writer: closed.append(close(writer)))
    monkeypatch.setattr("devices.drive.driving.OwnedLine", lambda *_, **settings: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        open_device(FAST, device="shuffler", record=tmp_path / "shuffler.pcapng")
    assert closed


@pytest.mark.parametrize("dialect", ["bee-tek", "angel-eye"])
def test_a_shoe_of_another_dialect_is_heard_not_asked(dialect: str) -> None:
    with attached("sim:shoe", "pty") as device, open_device(device.address, dialect=dialect, role="operate") as shoe:
        assert isinstance(shoe, Shoe)
        with pytest.raises(NoCommands, match=f"^{dialect}: the commands of this handle need tdp$"):
            shoe.lock()
        with pytest.raises(NotUp):
            shoe.identity  # noqa: B018


# ------------------------------------------------------------------ callbacks and waiting


def test_what_a_callback_raises_reaches_the_program_once() -> None:
    shuffler = open_device(FAST, role="operate")

    @shuffler.on_event
    def fail(seen: e.Seen) -> None:
        if isinstance(seen.body, e.PacketDispensed) and seen.body.ordinal == 1:
            raise ZeroDivisionError

    assert shuffler.dispense().ordinal == 1
    with pytest.raises(ZeroDivisionError):
        shuffler.wait_for(e.PacketLifted)
    assert shuffler.wait_for(e.PacketLifted).ordinal == 1, "the line went on"
    shuffler.close()


def test_what_the_last_callback_raised_is_raised_at_the_end() -> None:
    def program() -> None:
        with open_device(FAST, role="operate") as shuffler:
            shuffler.on_event(lambda seen: 1 / 0)
            shuffler.dispense()

    with pytest.raises(ZeroDivisionError):
        program()


def test_the_programs_own_error_is_not_hidden_by_a_callbacks() -> None:
    def program() -> None:
        with open_device(FAST, role="operate") as shuffler:
            shuffler.on_event(lambda seen: 1 / 0)
            shuffler.dispense()
            raise KeyError

    with pytest.raises(KeyError):
        program()


def test_a_callback_may_look_but_not_wait() -> None:
    states: list[str] = []
    with open_device(FAST, role="operate") as shuffler:

        def look(seen: e.Seen) -> None:
            states.append(shuffler.state)
            with pytest.raises(CannotWait, match="use events"):
                shuffler.dump()
            with pytest.raises(CannotWait):
                shuffler.wait_for(e.PacketLifted)

        shuffler.on_event(look)
        shuffler.dispense()
    assert states


def test_waiting_ends() -> None:
    with open_device(FAST) as shuffler:
        with pytest.raises(NoEvent, match=r"no PacketDispensed within 0\.05 s"):
            shuffler.wait_for(e.PacketDispensed, timeout_s=0.05)
        threading.Timer(0.1, shuffler.close).start()
        assert list(shuffler.events()) == []
    for late in (lambda: shuffler.status, lambda: shuffler.wait_for(e.Booted), lambda: shuffler.on_event(print)):
        with pytest.raises(LineClosed, match="closed by this program"):
            late()
    shuffler.close()


def test_an_answer_that_comes_while_the_caller_gives_up_breaks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    gave_up = threading.Event()

    class Slow(Future[Any]):
        def done(self) -> bool:
            found = super().done()
            if not found and threading.current_thread() is shuffler._line._thread:
                gave_up.wait(300)
            return found

    with open_device(FAST, role="operate") as shuffler:
        assert isinstance(shuffler, Shuffler)
        monkeypatch.setattr(handle, "_Question", partial(handle._Question, future=Slow()))
        shuffler._line.timeout_s = 0.2
        with pytest.raises(Unfinished, match=r"no result within 0\.2 s"):
            shuffler.lock()
        gave_up.set()
        assert shuffler.state == "LOCKED", "the line goes on"


# ------------------------------------------------------------------ addresses


def test_the_page_lists_every_setting_of_every_simulated_device() -> None:
    page = (Path(__file__).parents[2] / "docs" / "simulator.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\w -]+) \| `(\w+)` \| (\d*) ?\| ([^|]+) \|", page, re.MULTILINE)
    listed = {(device, name): (usual, allowed) for device, name, usual, allowed in rows}
    expected = {}
    for device, kind in KINDS.items():
        for name, (usual, bounds) in kind.numbers.items():
            of = "every one" if name in ("seed", "speed") else device
            expected[of, name] = str(usual), f"{bounds[0]} to {bounds[-1]}"
        if kind.faults:
            expected[device, "fault"] = "", ", ".join(kind.faults)
    assert listed == expected


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("sim:roulette", "choose from shuffler, shoe, table-controller"),
        ("sim:shuffler?pace=3", "pace=3; allowed: seed=0..4294967295, speed=1..1000, players=0..32"),
        ("sim:shuffler?seed=x", "seed=x"),
        ("sim:shuffler?speed=0", "speed=1..1000"),
        ("sim:shoe?fault=jam", "fault=unread"),
    ],
)
def test_a_simulated_device_says_what_it_knows(address: str, says: str) -> None:
    with pytest.raises(LineUnusable) as caught:
        open_device(address)
    assert says in str(caught.value)


def test_what_cannot_be_opened_is_one_clear_error() -> None:
    with pytest.raises(WrongDevice, match="expected a shoe on this line, found a shuffler"):
        open_device(FAST, device="shoe")
    with pytest.raises(DealwireError, match="no kind of device is called 'wheel'"):
        open_device(FAST, device="wheel")  # type: ignore[call-overload]
    with pytest.raises(LocalError, match="role 'boss'; allowed: observe, operate, service"):
        open_device(FAST, role="boss")  # type: ignore[call-overload]
    with pytest.raises(LineUnusable, match="it uses tdp"):
        open_device("sim:shoe", dialect="angel-eye")
    with pytest.raises(LineUnusable, match="a recording is not a device"):
        open_device("replay:captures/clean-1.pcapng#shuffler")
    with pytest.raises(LineAbsent, match="ttyNOWHERE7"):
        open_device("/dev/ttyNOWHERE7")


# ------------------------------------------------------------------ the program's end


def program(text: str) -> subprocess.Popen[str]:
    # Tests in the background ignore Ctrl-C, and so does every program that they start.
    begin = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    begin += f"from dealwire import events, open_device\nshuffler = open_device('{FAST}', role='operate')\n"
    command = [sys.executable, "-c", f"{begin}print('up', flush=True)\n{text}"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("waits", ["list(shuffler.events())", "shuffler.wait_for(events.DoorMoved, 99)"])
def test_ctrl_c_ends_a_program_that_waits(waits: str) -> None:
    with program(waits) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=300)
    assert complaint.endswith("KeyboardInterrupt\n")


def test_a_program_that_forgets_to_close_ends() -> None:
    with program("print(shuffler.dispense().counted)") as process:
        said, complaint = process.communicate(timeout=300)
    assert (process.returncode, said, complaint) == (0, "up\n5\n", "")
