"""Checkpoints at a real broker: cosigned by witnesses that keep 89 bytes, and whatever does not only grow is found."""

import asyncio
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from dealwire.cli.exits import Exit
from dealwire.export.broker import Broker
from dealwire.export.cosigning import LogWitness, WitnessIdentity
from dealwire.export.followed import PROOF_S
from dealwire.export.log_lane import LogLane
from dealwire.export.topics import Address
from dealwire.hub.health import LogHealth
from dealwire.journal import Journal, JournalReader
from dealwire.journal.proving import newest_note
from dealwire.journal.signing import (
    WITNESS_TYPE,
    NoteVerifier,
    SignatureLine,
    SigningPair,
    TreeHead,
    cosignature,
    note_parts,
    opened_note,
    signed_checkpoint,
)
from dealwire.journal.witnessing import STATE_MOST, fork_parts, read_state
from devices.clock import SystemClock
from tests.support.rigs.brokers import Mosquitto, eventually, hang_up, needs_mosquitto, running_broker
from tests.support.rigs.export_lines import SITE, publish
from tests.support.rigs.patience import PATIENCE_S
from tests.support.rigs.serving import ORDERLY

pytestmark = needs_mosquitto
ROOT = Path(__file__).parents[3]
TABLE = SigningPair.of_seed(bytes(range(32)))
REGULATOR = SigningPair.of_seed(bytes(range(32, 64)))
NAME = "regulator.example/w1"
BASE = f"dealwire/v1/{SITE}/t1"


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    with running_broker(tmp_path / "broker", *Mosquitto.KEEPS) as made:
        yield made


def play(path: Path, count: int, pair: SigningPair = TABLE) -> None:
    """Write lines in an opening of their own, and sign at its end."""
    with Journal(path, key=None, clock=SystemClock(), signer=pair) as journal:
        for _ in publish(journal, count):
            pass
        journal.checkpoints.sign(journal.newest_ns)
        journal.commit()


def log_key(path: Path, pair: SigningPair = TABLE) -> NoteVerifier:
    with JournalReader(path) as reader:
        return NoteVerifier.parse(pair.vkey(newest_note(reader).head.origin))


def head_of(path: Path) -> TreeHead:
    with JournalReader(path) as reader:
        return newest_note(reader).head


@contextmanager
def running(*work: Callable[[asyncio.Event], Coroutine[object, object, None]]) -> Iterator[None]:
    """Run lanes and witnesses in a loop of their own thread."""
    loop, ready = asyncio.new_event_loop(), threading.Event()
    stop: list[asyncio.Event] = []
    failed: list[BaseException] = []

    async def main() -> None:
        stop.append(asyncio.Event())
        ready.set()
        ended = await asyncio.gather(*(run(stop[0]) for run in work), return_exceptions=True)
        failed.extend(each for each in ended if isinstance(each, BaseException))

    thread = threading.Thread(target=lambda: loop.run_until_complete(main()))
    thread.start()
    ready.wait()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(stop[0].set)
        thread.join()
        loop.close()
    assert failed == []


class Lane:
    """The lane of a journal that no service has open: what it would record is kept here."""

    def __init__(self, broker: Mosquitto, path: Path, pair: SigningPair = TABLE, *, file_counts: bool = False) -> None:
        self.cosigned: list[tuple[int, SignatureLine]] = []
        self.alarms: list[str] = []
        self.conflicts: list[str] = []
        self.reports: list[str] = []
        self.health = LogHealth()
        self.run = LogLane(
            Broker.parse(broker.url),
            Address(SITE, "t1"),
            path,
            witnesses=[NoteVerifier(NAME, WITNESS_TYPE, REGULATOR.public)],
            table_key=pair.public,
            health=self.health,
            cosigned=lambda size, line: self.cosigned.append((size, line)),
            alarm=self.alarms.append,
            report=self.reports.append,
            conflict=self.conflicts.append,
            file_counts=file_counts,
        ).run


class Regulator:
    """A witness in this process."""

    def __init__(
        self,
        broker: Mosquitto,
        state: Path,
        *logs: NoteVerifier,
        pair: SigningPair = REGULATOR,
        tables: tuple[str, ...] = (f"{SITE}/*",),
        patience_s: float = PROOF_S,
    ) -> None:
        self.alarms: list[str] = []
        self.reports: list[str] = []
        self.evidence: list[str] = []
        self.witness = LogWitness(
            Broker.parse(broker.url),
            tables,
            logs,
            WitnessIdentity(NAME, pair, state),
            client=f"witness/{id(self)}",
            alarm=self.alarms.append,
            report=self.reports.append,
            evidence=self.evidence.append,
            patience_s=patience_s,
        )
        self.run = self.witness.run


@contextmanager
def heard(broker: Mosquitto) -> Iterator[dict[str, bytes]]:
    """Yield the newest payload by level."""
    found: dict[str, bytes] = {}
    client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)

    def keep(_: object, __: object, message: paho.MQTTMessage) -> None:
        found[message.topic.rpartition("/")[2]] = bytes(message.payload)

    client.on_message = keep
    client.on_connect = lambda client, *_: client.subscribe(f"{BASE}/#", qos=1)
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    try:
        yield found
    finally:
        hang_up(client)


def put(broker: Mosquitto, level: str, payload: str, *, retain: bool = False) -> None:
    client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    client.publish(f"{BASE}/{level}", payload, 1, retain).wait_for_publish(PATIENCE_S)
    hang_up(client)


def cosigned_once(broker: Mosquitto, path: Path, state: Path) -> TreeHead:
    """Let the witness see the journal as it is."""
    lane, regulator = Lane(broker, path), Regulator(broker, state, log_key(path))
    with running(lane.run, regulator.run):
        size = head_of(path).size
        eventually(lambda: [each for each, _ in lane.cosigned][-1:] == [size], "nothing was cosigned")
    assert regulator.alarms == lane.alarms == []
    return head_of(path)


def test_a_checkpoint_is_cosigned_and_89_bytes_are_kept(broker: Mosquitto, tmp_path: Path) -> None:
    path, state = tmp_path / "j", tmp_path / "state"
    play(path, 40)
    with heard(broker) as found:
        head = cosigned_once(broker, path, state)
        size, _, line = found["cosigned"].decode().partition("\n")
        assert found["checkpoint"].decode() == signed_checkpoint(head, TABLE)
    assert int(size) == head.size
    keys = [log_key(path), NoteVerifier(NAME, WITNESS_TYPE, REGULATOR.public)]
    _, signers = opened_note(f"{signed_checkpoint(head, TABLE)}{line}", keys)
    assert [each.name for each in signers] == [head.origin, NAME]
    assert len(state.read_bytes()) <= STATE_MOST
    assert read_state(state) == [head]
    play(path, 100)  # it grew
    later = cosigned_once(broker, path, state)
    assert later.size > head.size
    assert read_state(state) == [later]


def test_what_the_console_shows_of_a_witness_is_noted(broker: Mosquitto, tmp_path: Path) -> None:
    """Its newest size and time; why a line in its name was refused, until a good one comes; and after a start the same
    from the journal, however many signatures of another witness came since."""
    path = tmp_path / "j"
    play(path, 20)
    lane, regulator = Lane(broker, path), Regulator(broker, tmp_path / "state", log_key(path))
    impostor = Regulator(broker, tmp_path / "other", log_key(path), pair=SigningPair.of_seed(bytes(32)))
    before = SystemClock().now_ns() // 10**9
    with running(lane.run, impostor.run):
        eventually(lambda: lane.health.refused, "the impostor is not noted")
        assert lane.health.refused[NAME].startswith(f"a cosignature of {NAME}, not of {NAME}")
    assert (lane.health.cosigned, lane.health.sizes) == ({NAME: 0}, {})
    with running(lane.run, regulator.run):
        eventually(lambda: lane.health.sizes, "nothing is cosigned")
    assert (lane.health.refused, lane.health.sizes) == ({}, {NAME: head_of(path).size})
    assert before <= lane.health.cosigned[NAME] <= SystemClock().now_ns() // 10**9
    ((size, line),) = lane.cosigned
    with Journal(path, key=None, clock=SystemClock(), signer=TABLE) as journal:
        journal.checkpoints.cosigned(size, line, journal.newest_ns)
        for _ in range(300):
            journal.checkpoints.cosigned(size, line._replace(name="another"), journal.newest_ns)
        journal.commit()
    again = Lane(broker, path)
    with running(again.run):
        eventually(lambda: again.health.size, "the lane did not begin")
    assert (again.health.cosigned[NAME], again.health.sizes) == (lane.health.cosigned[NAME], {NAME: size})


def test_a_signature_that_is_sent_again_makes_no_witness_older(broker: Mosquitto, tmp_path: Path) -> None:
    """Nor does one from a clock that is ahead last longer than others."""
    path = tmp_path / "j"
    play(path, 20)
    body, now_s = head_of(path).body, SystemClock().now_ns() // 10**9
    size = head_of(path).size
    lane = Lane(broker, path)
    with running(lane.run):
        eventually(lambda: lane.health.size, "the lane did not begin")
        put(broker, "cosigned", f"{size}\n{cosignature(body, REGULATOR, NAME, now_s + 10**8)}")
        eventually(lambda: lane.cosigned, "nothing is cosigned")
        assert now_s <= lane.health.cosigned[NAME] <= SystemClock().now_ns() // 10**9
    newest = lane.health.cosigned[NAME]
    again = Lane(broker, path)  # it has not seen any of this journal
    again.health.cosigned[NAME] = newest
    with running(again.run):
        eventually(lambda: again.health.size, "the lane did not begin")
        put(broker, "cosigned", f"{size}\n{cosignature(body, REGULATOR, NAME, now_s - 10**6)}")
        eventually(lambda: again.cosigned, "nothing is cosigned")
    assert again.health.cosigned[NAME] == newest


def test_no_signature_leaves_before_the_state_is_on_the_disk(broker: Mosquitto, tmp_path: Path) -> None:
    """A folder that takes no file is as a witness killed before it wrote."""
    path, state = tmp_path / "j", tmp_path / "gone" / "state"
    play(path, 20)
    lane, regulator = Lane(broker, path), Regulator(broker, state, log_key(path))
    with heard(broker) as found, running(lane.run, regulator.run):
        eventually(lambda: any("nothing is cosigned" in each for each in regulator.reports), "nothing is reported")
    assert "growth" in found
    assert "cosigned" not in found
    assert lane.cosigned == []
    assert regulator.witness.kept == {}


def test_a_fork_is_found_and_its_two_notes_convince_a_third(broker: Mosquitto, tmp_path: Path) -> None:
    path, state = tmp_path / "j", tmp_path / "state"
    play(path, 40)
    head = cosigned_once(broker, path, state)
    lane, regulator = Lane(broker, path), Regulator(broker, state, log_key(path))
    other = signed_checkpoint(head._replace(root=bytes(32)), TABLE)
    with heard(broker) as found, running(lane.run, regulator.run):
        eventually(lambda: regulator.witness._followed, "the checkpoint was not seen")
        put(broker, "checkpoint", other)
        eventually(lambda: "fork" in found and lane.alarms, "the fork is not found")
    why = f"{SITE}/t1: {head.origin} signed two roots of {head.size} leaves: it was forked or rewritten"
    assert regulator.alarms == [why]
    assert regulator.evidence == [found["fork"].decode()]
    one, two = fork_parts(found["fork"].decode())
    assert (one, two) == (signed_checkpoint(head, TABLE), other)
    assert lane.health.forks == 1
    assert lane.alarms[0].startswith(f"a witness proves that {head.origin} signed two roots of {head.size} leaves")
    assert read_state(state) == [head]


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A log is asked again sooner than in service."""
    monkeypatch.setattr("dealwire.export.followed.AGAIN_S", 0.2)
    monkeypatch.setattr("dealwire.export.followed.AGAIN_MOST_S", 0.2)


@pytest.mark.more
@pytest.mark.usefixtures("hurried")
def test_a_cut_end_and_a_rewrite_are_never_signed(broker: Mosquitto, tmp_path: Path) -> None:
    """Neither is proven by two signatures: a log that goes on to sign, and never shows its growth, is the alarm."""
    path, state = tmp_path / "j", tmp_path / "state"
    play(path, 40)
    older = path.with_name("older")
    shutil.copyfile(path, older)
    for _ in range(70):  # more leaves than the copy can have by then, however late the alarm is
        play(path, 1)
    head = cosigned_once(broker, path, state)
    key = log_key(path)
    lane = Lane(broker, older, file_counts=True)  # whoever owns it says so
    regulator = Regulator(broker, state, key, patience_s=0.5)

    def go_on(alarms: int) -> None:
        """Let the copy go on, with the same key and name, until there are so many alarms."""
        for _ in range(60):
            if len(regulator.alarms) >= alarms:
                return
            play(older, 1)
            time.sleep(0.5)  # the pace of its checkpoints
        pytest.fail(f"{regulator.alarms} {regulator.reports}")

    with heard(broker) as found, running(lane.run, regulator.run):
        go_on(1)
        assert "its end was cut off, or it is an older copy" in regulator.alarms[0]
        assert head_of(older).size < head.size
        while head_of(older).size <= head.size:
            play(older, 1)
        go_on(2)
        cosigned = found.get("cosigned", b"")  # what was seen before may be signed again
    assert "does not show that its" in regulator.alarms[1]
    assert "it was rewritten, or its proofs are held back" in regulator.alarms[1]
    assert cosigned.partition(b"\n")[0] in (b"", str(head.size).encode())
    assert read_state(state) == [head]


@pytest.mark.more
def test_nobody_else_is_believed(broker: Mosquitto, tmp_path: Path) -> None:
    """Of a stranger neither a checkpoint, nor a cosignature, nor a fork counts, nor does nonsense end anything."""
    path, state = tmp_path / "j", tmp_path / "state"
    play(path, 20)
    head, stranger = head_of(path), SigningPair.of_seed(bytes(32))
    lane, regulator = Lane(broker, path), Regulator(broker, state, log_key(path))
    impostor = Regulator(broker, tmp_path / "other", log_key(path), pair=stranger)
    forged = [signed_checkpoint(head._replace(root=bytes((n,)) * 32), stranger) for n in (1, 2)]
    with heard(broker) as found, running(lane.run, impostor.run):
        eventually(lambda: "cosigned" in found, "the impostor signs nothing")
        for level in ("checkpoint", "growth", "grow", "cosigned", "fork"):
            for payload in ("", "\0", "x", "-1", "9" * 5000, "\n\n", forged[0]):
                put(broker, level, payload)
        put(broker, "fork", f"fork {len(forged[0])}\n{forged[0]}{forged[1]}")
        count = impostor.witness.refused.count
        put(broker, "checkpoint", "the last")
        eventually(lambda: impostor.witness.refused.count > count, "it takes nothing more")
    assert (lane.cosigned, lane.alarms, impostor.alarms) == ([], [], [])
    with running(lane.run, regulator.run):
        eventually(lambda: lane.cosigned, f"{regulator.reports} {regulator.alarms}")
    assert [size for size, _ in lane.cosigned] == [head.size]


@pytest.mark.more
def test_a_witness_in_a_process_of_its_own(broker: Mosquitto, tmp_path: Path) -> None:
    """`dealwire witness new`, `run` and `show`, killed in between."""
    path, key, folder = tmp_path / "j", tmp_path / "w.sign", tmp_path / "memory"
    made = subprocess.run(
        [*ORDERLY, "witness", "new", str(key), "--name", NAME], cwd=ROOT, capture_output=True, text=True, check=True
    )
    pair = SigningPair.load(key)
    assert made.stdout == f"{pair.vkey(NAME, WITNESS_TYPE)}\n"
    play(path, 20)
    (tmp_path / "logs").write_text(f"{log_key(path)}\n")
    command = [*ORDERLY, "witness", "run", "--mqtt", broker.url, "--key", str(key), "--name", NAME]
    command += ["--state", str(folder), "--logs", str(tmp_path / "logs"), "--table", f"{SITE}/*"]
    lane = Lane(broker, path)
    for end in (signal.SIGKILL, signal.SIGTERM):
        play(path, 20)
        with heard(broker) as found, running(lane.run):
            process = subprocess.Popen(command, cwd=ROOT)
            try:
                eventually(lambda: "cosigned" in found, "nothing is cosigned")
                second = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
                assert (second.returncode, second.stderr.count("\n")) == (Exit.BUSY, 1), "two with one memory"
            finally:
                process.send_signal(end)
                process.wait(PATIENCE_S)
        assert int(found["cosigned"].partition(b"\n")[0]) == head_of(path).size
    assert process.returncode == 0
    assert read_state(folder / "witness.state") == [head_of(path)]
    show = [*ORDERLY, "witness", "show", "--state", str(folder)]
    head = head_of(path)
    done = subprocess.run(show, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"{head.origin} {head.size} {head.root.hex()}\n")
    assert note_parts(found["checkpoint"].decode())[0] == head.body
