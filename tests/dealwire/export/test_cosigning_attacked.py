"""Attacks on witnesses and on a journal's log by somebody at the broker who has no key: nothing of it is believed."""

import asyncio
import base64
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from dealwire.config.schema import MqttPart
from dealwire.export.broker import PACKET_MAX, Broker
from dealwire.export.cosigning import WAITING_BYTES, LogWitness, WitnessIdentity
from dealwire.export.cosigning import WAITING_MOST as WITNESS_WAITING_MOST
from dealwire.export.log_lane import GROWTHS_MOST, WAITING_MOST
from dealwire.export.mqtt import MqttExporter
from dealwire.export.refused_messages import WaitingMessages
from dealwire.export.topics import CHECKPOINT, COSIGNED, GROW, GROWTH
from dealwire.journal import Journal, JournalReader
from dealwire.journal.checkpoints import RESTORED
from dealwire.journal.proving import growth, newest_note
from dealwire.journal.signing import SignatureLine, SigningPair, cosignature, signed_checkpoint
from dealwire.journal.witnessing import fork_parts, fork_text, read_state
from devices.clock import SystemClock
from tests.dealwire.export.test_cosigning import (
    BASE,
    NAME,
    REGULATOR,
    ROOT,
    TABLE,
    Lane,
    Regulator,
    broker,
    cosigned_once,
    head_of,
    heard,
    log_key,
    play,
    put,
    running,
)
from tests.support.rigs.brokers import Mosquitto, eventually, hang_up, needs_mosquitto, running_broker
from tests.support.rigs.export_lines import SITE
from tests.support.rigs.patience import PATIENCE_S
from tests.support.rigs.serving import ORDERLY

__all__ = ["broker"]
pytestmark = [needs_mosquitto, pytest.mark.more]


def note_of_newest(path: Path) -> str:
    with JournalReader(path) as reader:
        return newest_note(reader).note


@contextmanager
def someone(broker: Mosquitto, *topics: str) -> Iterator[tuple[paho.Client, list[paho.MQTTMessage]]]:
    """Yield a client of anyone's, and what came on these topics."""
    client, came = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5), list[paho.MQTTMessage]()
    subscribed = threading.Event()
    client.on_message = lambda _, __, message: came.append(message)
    client.on_subscribe = lambda *_: subscribed.set()
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    for topic in topics:
        client.subscribe(topic, qos=1)
    if topics:
        assert subscribed.wait(PATIENCE_S)
    try:
        yield client, came
    finally:
        hang_up(client)


def test_an_altered_path_is_refused_and_the_true_one_cosigned(broker: Mosquitto, tmp_path: Path) -> None:
    path, state = tmp_path / "j", tmp_path / "state"
    play(path, 30)
    head = cosigned_once(broker, path, state)
    play(path, 60)
    with JournalReader(path) as reader:
        lines = growth(reader, head.size).split("\n")
    lines[1] = base64.b64encode(bytes(32)).decode()
    regulator, lane = Regulator(broker, state, log_key(path)), Lane(broker, path)
    with running(regulator.run):
        eventually(lambda: regulator.witness._followed, "the checkpoint was not seen")
        put(broker, "growth", "\n".join(lines))
        eventually(lambda: regulator.witness.refused.count, "the path is not refused")
        with running(lane.run):
            eventually(lambda: lane.cosigned, "the true proof is not cosigned")
    assert regulator.alarms == []
    assert any("the path was altered, or the journal" in each for each in regulator.reports)
    assert read_state(state) == [head_of(path)]


def test_a_broker_that_forgot_half_an_hour_accuses_no_table(broker: Mosquitto, tmp_path: Path) -> None:
    """Its retained checkpoint is older than what the witness saw. The table's next answer ends the doubt."""
    path, state = tmp_path / "j", tmp_path / "state"
    play(path, 30)
    cosigned_once(broker, path, state)
    broker.save()
    shutil.copyfile(broker.folder / "mosquitto.db", tmp_path / "saved")
    play(path, 60)
    cosigned_once(broker, path, state)
    broker.kill()
    shutil.copyfile(tmp_path / "saved", broker.folder / "mosquitto.db")
    broker.start()
    regulator, lane = Regulator(broker, state, log_key(path), patience_s=0), Lane(broker, path)
    with running(regulator.run):
        eventually(lambda: any(log.newest for log in regulator.witness._followed.values()), "nothing was remembered")
        with running(lane.run):
            eventually(
                lambda: all(log.newest is None for log in regulator.witness._followed.values()), "still in doubt"
            )
    assert regulator.alarms == []


def test_a_checkpoint_sent_again_at_many_tables_accuses_none_and_costs_little(
    broker: Mosquitto, tmp_path: Path
) -> None:
    path, state = tmp_path / "j", tmp_path / "state"
    play(path, 30)
    cosigned_once(broker, path, state)
    old = note_of_newest(path)
    play(path, 60)
    regulator = Regulator(broker, state, log_key(path), tables=("+/+",), patience_s=0)
    lane = Lane(broker, path)
    with someone(broker, "dealwire/v1/+/+/grow") as (client, asked), running(regulator.run):
        eventually(lambda: regulator.witness._followed, "the checkpoint was not seen")
        new = note_of_newest(path)
        for number in range(500):
            for note in (old, new):
                client.publish(f"dealwire/v1/x/y{number}/checkpoint", note, 1)
        client.publish("dealwire/v1/x/y/checkpoint", "the last", 1)
        eventually(lambda: regulator.witness.refused.count, "it takes nothing more")
        with running(lane.run):
            eventually(lambda: read_state(state) == [head_of(path)], "the newest size is not kept")
            count = len(asked)
            put(broker, "checkpoint", old)
            eventually(lambda: len(asked) > count, "the older one needs an answer")
            eventually(
                lambda: all(log.newest is None for log in regulator.witness._followed.values()), "still in doubt"
            )
    assert len(asked) < 500  # and not for each of 1,000, however slow the machine
    assert regulator.alarms == []


def test_nonsense_costs_few_lines_of_the_log(broker: Mosquitto, tmp_path: Path) -> None:
    path = tmp_path / "j"
    play(path, 5)
    regulator, lane = Regulator(broker, tmp_path / "state", log_key(path), tables=("+/+",)), Lane(broker, path)
    with someone(broker) as (client, _), running(regulator.run, lane.run):
        eventually(lambda: lane.cosigned, "it does not listen")
        for number in range(300):
            client.publish("dealwire/v1/x/y/checkpoint", f"a\n\n{number}\x1b\n", 1)
            client.publish(f"{BASE}/cosigned", f"{number}\nx", 1)
        eventually(
            lambda: regulator.witness.refused.count >= 300 and lane.health.refusals >= 300, "not all are refused"
        )
    assert len([each for each in regulator.reports if "refused" in each]) < 10
    assert len(lane.reports) < 10
    assert all(each.isprintable() and len(each) < 300 for each in [*regulator.reports, *lane.reports])


def test_a_fork_after_a_restart_has_its_evidence(broker: Mosquitto, tmp_path: Path) -> None:
    """The note of what is kept is on the disk; without it, the other half is kept until the first comes again."""
    path, state = tmp_path / "j", tmp_path / "state"
    play(path, 30)
    head = cosigned_once(broker, path, state)
    good, forked = note_of_newest(path), signed_checkpoint(head._replace(root=bytes(32)), TABLE)
    put(broker, "checkpoint", forked, retain=True)
    regulator = Regulator(broker, state, log_key(path))
    with heard(broker) as found, running(regulator.run):
        eventually(lambda: found.get("fork"), "no evidence after a restart")
    assert fork_parts(found["fork"].decode()) == (good, forked)
    put(broker, "fork", "", retain=True)
    shutil.rmtree(tmp_path / "state.notes")
    regulator = Regulator(broker, state, log_key(path))
    with heard(broker) as found, running(regulator.run):
        eventually(lambda: regulator.alarms, "no alarm without the note")
        assert not found.get("fork")
        put(broker, "checkpoint", good)
        eventually(lambda: found.get("fork"), "no evidence, though both notes were there")
    assert fork_parts(found["fork"].decode()) == (good, forked)
    assert regulator.evidence == [fork_text(good, forked)]
    assert len(regulator.alarms) == 1


def test_a_broker_that_refuses_the_evidence_does_not_end_the_cosigning(tmp_path: Path) -> None:
    """One log that forked would take the witness from all others, where the access rights forgot the topic."""
    rights, levels = tmp_path / "rights", (CHECKPOINT, GROW, GROWTH, COSIGNED)
    rights.write_text("".join(f"topic readwrite dealwire/v1/+/+/{level}\n" for level in levels))
    path = tmp_path / "j"
    play(path, 20)
    with running_broker(tmp_path / "broker", f"acl_file {rights}") as broker:
        regulator = Regulator(broker, tmp_path / "state", log_key(path))
        with running(Lane(broker, path).run), running(regulator.run):
            eventually(lambda: regulator.witness.kept, "nothing is kept")
            put(broker, "checkpoint", signed_checkpoint(head_of(path)._replace(root=bytes(32)), TABLE))
            eventually(lambda: regulator.alarms, "no alarm")
            play(path, 20)
            eventually(lambda: read_state(tmp_path / "state") == [head_of(path)], "it cosigns no more")
    assert regulator.evidence
    assert any("the broker refuses the evidence of a fork" in each for each in regulator.reports)


def test_two_roots_of_a_size_that_was_never_kept_are_a_fork(broker: Mosquitto, tmp_path: Path) -> None:
    path = tmp_path / "j"
    play(path, 30)
    one = note_of_newest(path)
    other = signed_checkpoint(head_of(path)._replace(root=bytes(32)), TABLE)
    regulator = Regulator(broker, tmp_path / "state", log_key(path))
    put(broker, "checkpoint", one, retain=True)
    with heard(broker) as found, running(regulator.run):
        eventually(lambda: regulator.witness._followed, "the checkpoint was not seen")
        put(broker, "checkpoint", other)
        eventually(lambda: found.get("fork"), "the fork is not found")
    assert fork_parts(found["fork"].decode()) == (one, other)


def test_a_fork_is_published_though_no_alarm_can_be_written(broker: Mosquitto, tmp_path: Path) -> None:
    path, key, folder = tmp_path / "j", tmp_path / "w.sign", tmp_path / "memory"
    play(path, 20)
    SigningPair.new(key)
    (folder / "alarms").mkdir(parents=True)
    (tmp_path / "logs").write_text(f"{log_key(path)}\n")
    command = [*ORDERLY, "witness", "run", "--mqtt", broker.url, "--key", str(key), "--name", NAME]
    command += ["--state", str(folder), "--logs", str(tmp_path / "logs")]
    lane = Lane(broker, path)
    with heard(broker) as found, running(lane.run):
        process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
        try:
            eventually(lambda: "cosigned" in found, "nothing is cosigned")
            put(broker, "checkpoint", signed_checkpoint(head_of(path)._replace(root=bytes(32)), TABLE))
            eventually(lambda: "fork" in found and lane.alarms, "the fork is not published")
            play(path, 20)
            eventually(lambda: read_state(folder / "witness.state") == [head_of(path)], "it ended")
        finally:
            process.terminate()
            _, text = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert "the alarm cannot be kept" in text
    assert "Traceback" not in text
    [evidence] = folder.glob("fork-*")
    assert evidence.read_bytes() == found["fork"]


@pytest.mark.parametrize("cosigns", ["south", "a/b/c", "", "south/*/*", "so+th/t", "/t", "*/t"])
def test_cosigns_of_no_table_is_refused(broker: Mosquitto, tmp_path: Path, cosigns: str) -> None:
    part = {"url": broker.url, "site": "here", "cosign-keys": "keys"}
    assert MqttPart.model_validate({**part, "cosigns": ("south/*", "south/pit-1")}).cosigns == (
        "south/*",
        "south/pit-1",
    )
    with pytest.raises(ValueError, match="cosigns"):
        MqttPart.model_validate({**part, "cosigns": (cosigns,)})
    if cosigns != "*/t":  # which a witness by command may follow
        identity = WitnessIdentity("w", REGULATOR, tmp_path / "state")
        with pytest.raises(ValueError, match="allowed are SITE/TABLE"):
            LogWitness(Broker.parse(broker.url), [cosigns], [], identity, client="w", alarm=print, report=print)


def test_what_runs_beside_the_lines_never_ends_without_a_word(broker: Mosquitto, tmp_path: Path) -> None:
    reports: list[str] = []
    begun: list[int] = []

    async def work(stop: asyncio.Event) -> None:
        begun.append(len(begun))
        if len(begun) < 3:
            raise IndexError(begun)
        await stop.wait()

    with (
        Journal(tmp_path / "j", key=None, clock=SystemClock()) as journal,
        MqttExporter(
            Broker.parse(broker.url), journal, site=SITE, tables=("t1",), report=reports.append, beside=[work]
        ) as exporter,
    ):
        eventually(lambda: len(begun) == 3, "it is not begun again")
    assert exporter.progress["t1"].failures == 2
    assert [each.partition(" at ")[0] for each in reports] == ["internal error: IndexError"]


def test_anyone_s_requests_hold_no_named_witness_up(broker: Mosquitto, tmp_path: Path) -> None:
    path = tmp_path / "j"
    play(path, 400)
    head = head_of(path)
    record(path, head.size, cosignature(head.body, REGULATOR, NAME, 1_700_000_000))
    play(path, 400)
    lane = Lane(broker, path)
    with (
        JournalReader(path) as reader,
        someone(broker, f"{BASE}/growth", f"{BASE}/checkpoint") as (client, came),
        running(lane.run),
    ):
        eventually(lambda: lane.health.size, "no checkpoint")
        began_s = time.monotonic()
        for size in range(300):
            client.publish(f"{BASE}/grow", f"w {size}", 1)
        client.publish(f"{BASE}/grow", f"{NAME} {head.size}", 1)
        wanted = growth(reader, head.size).encode()
        eventually(lambda: any(each.payload == wanted for each in list(came)), "the witness gets no answer")
        seconds = time.monotonic() - began_s
        answers = [each for each in came if each.topic.endswith("/growth")]
    assert len(answers) <= (seconds + 2) * GROWTHS_MOST + 1  # per second, whatever the machine


def test_a_flood_of_requests_starves_no_witness_that_the_table_does_not_name(broker: Mosquitto, tmp_path: Path) -> None:
    """It asks once, in the middle of a flood at sizes that no checkpoint had; its own is the size of one."""
    path = tmp_path / "j"
    play(path, 400)
    stands = head_of(path).size
    with Journal(path, key=None, clock=SystemClock(), signer=TABLE) as journal:
        for _ in range(WAITING_MOST):
            journal.publish("t1", "meter", journal.newest_ns, "{}")
        journal.checkpoints.sign(journal.newest_ns)
        journal.commit()
    lane = Lane(broker, path)
    with (
        JournalReader(path) as reader,
        someone(broker, f"{BASE}/growth") as (client, came),
        running(lane.run),
    ):
        eventually(lambda: lane.health.size, "no checkpoint")
        invented = [size for size in range(1, WAITING_MOST) if size != stands]
        for size in invented[:500]:
            client.publish(f"{BASE}/grow", f"w {size}", 1)
        client.publish(f"{BASE}/grow", f"unknown.example/w {stands}", 1)
        for size in [*invented[500:900], lane.health.size + 1, 10**30, -1]:  # so many wait at once
            client.publish(f"{BASE}/grow", f"w {size}", 1)
        wanted = growth(reader, stands).encode()
        eventually(lambda: any(each.payload == wanted for each in list(came)), "the witness gets no answer")
        eventually(lambda: lane.health.refusals >= 3, "sizes that the tree never had are not refused")
    assert lane.reports == [f"{BASE}/grow: no tree of that size was signed; refused"]


def record(path: Path, size: int, line: SignatureLine) -> None:
    """Record a cosignature, as the service does."""
    with Journal(path, key=None, clock=SystemClock(), signer=TABLE) as journal:
        journal.checkpoints.cosigned(size, line, journal.newest_ns)
        journal.commit()


def test_cosignatures_of_no_published_checkpoint_are_not_looked_up(broker: Mosquitto, tmp_path: Path) -> None:
    """Each would be a search through all checkpoints of the journal."""
    path = tmp_path / "j"
    play(path, 20)
    lane = Lane(broker, path)
    line = cosignature(head_of(path).body, SigningPair.of_seed(bytes(32)), NAME, 5)
    searched: list[int | None] = []
    with pytest.MonkeyPatch.context() as patch, someone(broker) as (client, _), running(lane.run):
        eventually(lambda: lane.health.size, "no checkpoint")
        patch.setattr("dealwire.export.log_lane.growth", lambda *given: searched.append(given[1]))
        patch.setattr("dealwire.journal.proving.newest_note", lambda _, size=None: searched.append(size))
        for number in range(50):
            client.publish(f"{BASE}/cosigned", f"{10**15 + number}\n{line}", 1)
        client.publish(f"{BASE}/cosigned", f"{head_of(path).size}\n{line}", 1)
        eventually(lambda: lane.health.refusals, "the forged one is not refused")
    assert searched == []
    assert lane.cosigned == []


def test_a_witness_of_the_future_is_overdue_and_nothing_is_recorded_twice(broker: Mosquitto, tmp_path: Path) -> None:
    path = tmp_path / "j"
    play(path, 30)
    body = head_of(path).body
    size = head_of(path).size
    of_2099 = 4_070_908_800
    line = cosignature(body, REGULATOR, NAME, of_2099)
    lane = Lane(broker, path)
    with running(lane.run):
        eventually(lambda: lane.health.size, "no checkpoint")
        put(broker, "cosigned", f"{size}\n{line}")
        eventually(lambda: lane.cosigned, "it is not taken")
    assert lane.health.cosigned[NAME] <= time.time_ns() // 10**9, "or it would not be overdue before 2099"
    record(path, size, line)
    again = Lane(broker, path)
    with running(again.run):
        eventually(lambda: again.health.size, "no checkpoint")
        for seconds in (1_700_000_000, of_2099):
            put(broker, "cosigned", f"{size}\n{cosignature(body, REGULATOR, NAME, seconds)}")
        put(broker, "cosigned", "the last")
        eventually(lambda: again.health.refusals, "it takes nothing more")
    assert again.cosigned == []
    assert again.health.cosigned[NAME] <= time.time_ns() // 10**9


def test_the_checkpoint_of_a_log_that_was_given_up_stops_no_table(broker: Mosquitto, tmp_path: Path) -> None:
    """The operator accepted an older copy; whoever kept the retained checkpoint of before sends it again."""
    path, old = tmp_path / "j", tmp_path / "old"
    play(path, 30)
    shutil.copyfile(path, old)
    play(path, 60)
    before = note_of_newest(path)
    shutil.copyfile(old, path)
    put(broker, "checkpoint", before, retain=True)
    lane = Lane(broker, path)
    with running(lane.run):
        eventually(lambda: lane.conflicts, "the older copy is not found")
    with Journal(path, key=None, clock=SystemClock(), signer=TABLE) as journal:
        journal.checkpoints.begin(journal.newest_ns, RESTORED)
        journal.publish("t1", "meter", journal.newest_ns, "{}")
        journal.checkpoints.sign(journal.newest_ns)
        journal.commit()
    after = note_of_newest(path)
    lane = Lane(broker, path)
    with running(lane.run):
        eventually(lambda: lane.health.size or lane.conflicts, "no checkpoint")
    assert lane.conflicts == []
    put(broker, "checkpoint", after, retain=True)
    lane = Lane(broker, old)  # a copy from before the decision is still found
    with running(lane.run):
        eventually(lambda: lane.conflicts, "the copy from before is not found")


def test_what_waits_is_bounded_in_number_and_in_bytes() -> None:
    """Anyone who may publish can send messages as large as the broker lets through."""

    def message(size: int) -> paho.MQTTMessage:
        found = paho.MQTTMessage(topic=b"dealwire/1/here/t1/growth")
        found.payload = bytes(size)
        return found

    waiting = WaitingMessages(WITNESS_WAITING_MOST, WAITING_BYTES)
    large = sum(waiting.add(message(PACKET_MAX)) for _ in range(WITNESS_WAITING_MOST))
    assert large == WAITING_BYTES // PACKET_MAX
    assert len(waiting.take().payload) == PACKET_MAX
    assert [waiting.add(message(size)) for size in (PACKET_MAX - 1, 1, 1)] == [True, True, False]
    waiting = WaitingMessages(WITNESS_WAITING_MOST, WAITING_BYTES)
    assert sum(waiting.add(message(100)) for _ in range(2 * WITNESS_WAITING_MOST)) == WITNESS_WAITING_MOST
