"""Lines are signed by their opening's key, and a fleet with keys believes nothing else: attack S2-6 and its kin."""

import base64
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import paho.mqtt.client as paho
import psycopg
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from dealwire.cli import main
from dealwire.cli.exits import Exit
from dealwire.export.broker import Broker
from dealwire.export.fleet.scripts import all_sql
from dealwire.export.line_signing import LineSigner
from dealwire.export.mqtt import MqttExporter
from dealwire.journal import Journal, JournalReader
from dealwire.journal.checkpoints import RESTORED
from dealwire.journal.signing import SigningPair
from devices.clock import SystemClock
from tests.dealwire.export.test_fleet import consuming
from tests.support.rigs.brokers import Mosquitto, eventually, hang_up, needs_mosquitto, running_broker
from tests.support.rigs.export_lines import SITE, journalled, publish
from tests.support.rigs.patience import PATIENCE_S
from tests.support.rigs.postgres import Postgres, needs_postgres, running_postgres

pytestmark = needs_mosquitto
TABLE = "t1"
BASE = f"dealwire/v1/{SITE}/{TABLE}"


@pytest.fixture
def key(tmp_path: Path) -> SigningPair:
    return SigningPair.new(tmp_path / "table.sign")


def opened(path: Path, key: SigningPair | None) -> Journal:
    return Journal(path, key=None, clock=SystemClock(), signer=key)


def put(journal: Journal, count: int) -> None:
    for _ in publish(journal, count, tables=(TABLE,)):
        pass


def exporting(broker: Mosquitto, journal: Journal, *, signed: bool = True, site: str = SITE) -> MqttExporter:
    signer = LineSigner.of(journal, site) if signed else None
    return MqttExporter(Broker.parse(broker.url), journal, site=SITE, tables=(TABLE,), signer=signer)


def sent_all(exporter: MqttExporter, count: int) -> None:
    eventually(lambda: exporter.progress[TABLE].sent >= count, "not everything was sent")


class Ear:
    """All messages below the table's topics, by level, as they came."""

    def __init__(self, broker: Mosquitto) -> None:
        self.messages: list[paho.MQTTMessage] = []
        self._client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
        self._client.on_message = lambda _, __, message: self.messages.append(message)
        self._client.on_connect = lambda client, *_: client.subscribe(f"{BASE}/#", qos=1)
        self._client.connect("127.0.0.1", broker.port)
        self._client.loop_start()

    def of(self, *levels: str) -> list[paho.MQTTMessage]:
        return [each for each in list(self.messages) if each.topic.rpartition("/")[2] in levels]

    def lines(self) -> list[paho.MQTTMessage]:
        return self.of("event", "incident", "round", "settlement", "meter", "award", "state")

    def close(self) -> None:
        hang_up(self._client)


def properties(message: paho.MQTTMessage) -> dict[str, str]:
    return dict(message.properties.UserProperty)  # type: ignore[union-attr]


def test_what_is_signed_is_what_the_page_says(key: SigningPair, tmp_path: Path) -> None:
    """Checked with the text put together here, and `cryptography` alone."""
    with running_broker(tmp_path / "broker") as broker, opened(tmp_path / "journal", key) as journal:
        ear = Ear(broker)
        put(journal, 30)
        with exporting(broker, journal):
            eventually(lambda: len(ear.lines()) == 30 and ear.of("sent") and ear.of("opening"), "nothing came")
        ear.close()
        identity, epoch = journal.identity.hex(), journal.epoch
        origin = journal.log.origin
    body, _, line = ear.of("opening")[0].payload.decode().partition("\n\n")
    word, site, file, opening, coded = body.split("\n")
    assert (word, site, file, opening) == ("dealwire.opening/1", SITE, identity, epoch)
    assert [each.topic for each in ear.messages].index(f"{BASE}/opening") < min(map(ear.messages.index, ear.lines()))
    dash, name, data = line.removesuffix("\n").split(" ")
    assert (dash, name) == ("\u2014", origin)
    table = Ed25519PublicKey.from_public_bytes(key.public)
    table.verify(base64.b64decode(data)[4:], f"{body}\n".encode())
    public = base64.b64decode(coded)
    label = hashlib.sha256(b"dealwire opening key\x00" + public).hexdigest()[:16]
    names = ("site", "table", "journal", "sequence", "previous", "at_ns", "schema", "epoch", "hash")
    for each in ear.lines():
        has = properties(each)
        text = "\n".join(["dealwire.line/1", *(has[name] for name in names), each.payload.decode()])
        assert has["signed"] == label
        Ed25519PublicKey.from_public_bytes(public).verify(base64.b64decode(has["signature"]), text.encode())
    mark = ear.of("sent")[-1]
    assert properties(mark)["log"] == origin
    text = f"dealwire.mark/1\n{SITE}\n{TABLE}\n{mark.payload.decode()}\n{origin}"
    Ed25519PublicKey.from_public_bytes(public).verify(base64.b64decode(properties(mark)["signature"]), text.encode())
    with JournalReader(tmp_path / "journal") as reader:
        record = reader.newest_of("opened")
    assert record is not None
    assert json.loads(record.payload)["line_key"] == public.hex()


def test_the_key_of_an_opening_is_never_on_the_disk(key: SigningPair, tmp_path: Path) -> None:
    with opened(tmp_path / "journal", key) as journal:
        put(journal, 10)
        assert journal.line_key is not None
        seed = journal.line_key.seed
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert seed not in file.read_bytes()
            assert seed.hex().encode() not in file.read_bytes()


def test_without_a_signing_key_lines_are_as_before(tmp_path: Path) -> None:
    with running_broker(tmp_path / "broker") as broker, opened(tmp_path / "journal", None) as journal:
        ear = Ear(broker)
        put(journal, 5)
        with exporting(broker, journal):
            eventually(lambda: len(ear.lines()) == 5, "nothing came")
        ear.close()
    assert ear.of("opening") == []
    assert all("signature" not in properties(each) for each in ear.lines())


# ------------------------------------------------------------------ marks


def forged_mark(broker: Mosquitto, text: str, *, opening: bool = False) -> None:
    client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    client.publish(f"{BASE}/sent", text, 1, retain=True).wait_for_publish(PATIENCE_S)
    if opening:
        client.publish(f"{BASE}/opening", b"", 1, retain=True).wait_for_publish(PATIENCE_S)
    hang_up(client)


@pytest.mark.parametrize("opening", [False, True], ids=["mark", "mark and certificate"])
def test_a_forged_mark_stops_no_table(key: SigningPair, tmp_path: Path, opening: bool) -> None:
    conflicts: list[str] = []
    with running_broker(tmp_path / "broker") as broker:
        with opened(tmp_path / "journal", key) as journal:
            put(journal, 10)
            with exporting(broker, journal) as exporter:
                eventually(lambda: exporter.progress[TABLE].sent == 10, "nothing was sent")
            identity = journal.identity.hex()
        forged_mark(broker, f"{identity} 99999999 - {'00' * 32}", opening=opening)
        with opened(tmp_path / "journal", key) as journal:
            put(journal, 10)
            reports: list[str] = []
            exporter = MqttExporter(
                Broker.parse(broker.url),
                journal,
                site=SITE,
                tables=(TABLE,),
                signer=LineSigner.of(journal, SITE),
                report=reports.append,
                conflict=lambda _, why: conflicts.append(why),
            )
            with exporter:
                eventually(lambda: exporter.progress[TABLE].sent >= 10, "the forged mark stopped it")
    assert conflicts == []
    assert reports == [f"{BASE}/sent: a mark that this journal did not sign is ignored"]


def test_a_signed_mark_still_finds_an_older_copy(key: SigningPair, tmp_path: Path) -> None:
    """The older copy does not know the opening that signed the mark; the certificate beside the mark names it."""
    conflicts: list[str] = []
    path = tmp_path / "journal"
    with running_broker(tmp_path / "broker") as broker:
        with opened(path, key) as journal:
            put(journal, 10)
        older = path.read_bytes()
        with opened(path, key) as journal:
            put(journal, 10)
            with exporting(broker, journal) as exporter:
                eventually(lambda: exporter.progress[TABLE].sent == 20, "nothing was sent")
        for each in path.parent.glob("journal-*"):
            each.unlink()
        path.write_bytes(older)
        with opened(path, key) as journal:
            exporter = MqttExporter(
                Broker.parse(broker.url),
                journal,
                site=SITE,
                tables=(TABLE,),
                signer=LineSigner.of(journal, SITE),
                conflict=lambda _, why: conflicts.append(why),
            )
            with exporter:
                eventually(lambda: conflicts, "the older copy is not found")
    assert "but the broker has taken" in conflicts[0]


class Broken:
    """A journal of which older copies are put back, at a broker whose retained messages somebody keeps."""

    def __init__(self, broker: Mosquitto, path: Path, key: SigningPair) -> None:
        self.broker, self.path, self._key = broker, path, key

    def serve(self, *, counts: bool = False, gives_up: tuple[str, ...] = ()) -> str:
        """Write and send ten lines; return why the broker's mark stops that, empty if it does not. `counts`: the
        operator accepts this journal, as a start with --trust-journal does."""
        conflicts: list[str] = []
        with opened(self.path, self._key) as journal:
            if counts:
                journal.checkpoints.begin(journal.newest_ns, RESTORED, gives_up)
            put(journal, 10)
            exporter = MqttExporter(
                Broker.parse(self.broker.url),
                journal,
                site=SITE,
                tables=(TABLE,),
                signer=LineSigner.of(journal, SITE),
                conflict=lambda _, why: conflicts.append(why),
                file_counts=counts,
            )
            with exporter:
                last = journalled(self.path)[-1].sequence
                eventually(lambda: conflicts or exporter.progress[TABLE].sequence == last, "nothing happens")
        return conflicts[0] if conflicts else ""

    def copy(self) -> bytes:
        with opened(self.path, self._key):  # its end writes everything to the file itself
            pass
        return self.path.read_bytes()

    def put_back(self, copy: bytes) -> None:
        for each in self.path.parent.glob(f"{self.path.name}-*"):
            each.unlink()
        self.path.write_bytes(copy)

    def kept(self) -> list[paho.MQTTMessage]:
        """Return the retained certificate and mark."""
        ear = Ear(self.broker)
        eventually(lambda: ear.of("sent") and ear.of("opening"), "the broker keeps none")
        ear.close()
        return [*ear.of("opening")[:1], *ear.of("sent")[:1]]

    def again(self, kept: list[paho.MQTTMessage], **instead: str) -> None:
        """Send a genuine mark again, with its certificate; `instead` are properties in place of the mark's."""
        client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
        client.connect("127.0.0.1", self.broker.port)
        client.loop_start()
        for message in kept:
            level = message.topic.rpartition("/")[2]
            carried = properties(message) | instead if level == "sent" else {}
            say(client, level, message.payload, carried, retain=True)
        hang_up(client)


@pytest.fixture
def broken(key: SigningPair, tmp_path: Path) -> Iterator[Broken]:
    with running_broker(tmp_path / "broker") as broker:
        yield Broken(broker, tmp_path / "journal", key)


def test_a_mark_of_before_a_restore_that_was_accepted_stops_nothing(broken: Broken) -> None:
    broken.serve()
    older = broken.copy()
    broken.serve()
    lost = broken.kept()
    broken.put_back(older)
    assert "but the broker has taken" in broken.serve()
    assert broken.serve(counts=True) == ""
    for _ in range(2):
        broken.again(lost)
        assert broken.serve() == ""
    broken.again(lost, log="another")
    assert broken.serve() == "", "its signature does not fit"


def test_a_copy_that_is_put_back_after_that_or_from_before_is_still_found(broken: Broken) -> None:
    broken.serve()
    before = broken.copy()
    broken.serve()
    broken.put_back(before)
    assert broken.serve(counts=True) == ""
    after = broken.copy()
    broken.serve()
    genuine = broken.kept()
    for copy in (after, before):
        broken.put_back(copy)
        broken.again(genuine)
        assert "but the broker has taken" in broken.serve()


def test_a_log_that_the_accepted_copy_never_had_is_given_up_by_name(broken: Broken) -> None:
    """A copy from before the first restore is put back: it does not know the log that began then."""
    broken.serve()
    before = broken.copy()
    broken.serve()
    broken.put_back(before)
    assert broken.serve(counts=True) == ""
    lost = broken.kept()
    (name,) = {properties(each)["log"] for each in lost if each.topic.endswith("/sent")}
    broken.put_back(before)
    assert broken.serve(counts=True, gives_up=(name,)) == ""
    broken.again(lost)
    assert broken.serve() == ""


# ------------------------------------------------------------------ the fleet


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    with running_postgres() as made:
        yield made


@pytest.fixture
def database(server: Postgres) -> Iterator[Postgres]:
    with psycopg.connect(server.dsn) as connection:
        connection.execute("DROP SCHEMA IF EXISTS dealwire CASCADE")
        connection.execute(all_sql().encode())
    yield server
    server.forget()


def keys_file(folder: Path, *lines: str) -> Path:
    path = folder / "keys"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def say(
    client: paho.Client, level: str, payload: bytes | bytearray, more: dict[str, str], *, retain: bool = False
) -> None:
    carried = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
    carried.UserProperty = list(more.items())
    client.publish(f"{BASE}/{level}", payload, 1, retain, carried).wait_for_publish(PATIENCE_S)


@pytest.fixture
def forger() -> Iterator[paho.Client]:
    client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
    yield client
    hang_up(client)


def made_up(journal: str, sequence: int) -> tuple[bytes, dict[str, str]]:
    """Return a settlement that no table made, and its properties: the attack's form."""
    bet = {"seat": 1, "bet": "ante", "result": "win", "stake": 0, "pay": 10**9, "returned": 0, "net": 10**9}
    line = {"schema": "dealwire.settlement/7", "type": "settlement", "table": TABLE, "round": sequence}
    content = {**line, "game": {"id": "flushes-gone-wild.co"}, "status": "complete", "lines": [bet]}
    numbers = {"sequence": str(sequence), "previous": str(sequence - 1), "at_ns": "1700000000000000000"}
    about = {"site": SITE, "table": TABLE, "journal": journal, **numbers, "schema": "dealwire.settlement/7"}
    return json.dumps(content).encode(), about


REASONS = {
    ("unsigned", f"no signature, and this consumer has keys of {SITE}/{TABLE}"),
    ("unsigned", "signed by an opening that no trusted key certifies (00112233aabbccdd)"),
    ("forged", "the signature does not fit the line"),
    ("forged", f"an opening certified by a key that is not of {SITE}/{TABLE}"),
}


def money(database: Postgres) -> list[tuple[object, ...]]:
    return database.rows("SELECT game, handle_cents, win_cents FROM dealwire.day")


@pytest.mark.more
@needs_postgres
def test_a_forged_line_is_refused_by_the_fleet(
    key: SigningPair, database: Postgres, forger: paho.Client, tmp_path: Path
) -> None:
    """300 settlements made up first, and under the numbers of lines to come; then each other way to forge. The day's
    win is the journal's, to the cent."""
    stranger = SigningPair.of_seed(bytes(range(32)))
    keys = keys_file(tmp_path, "# the site", f"{SITE}/* {key.vkey('any/name')}")
    with (
        running_broker(tmp_path / "broker", "max_queued_messages 0") as broker,
        opened(tmp_path / "journal", key) as journal,
        consuming(broker, database, "--keys", str(keys)) as consumer,
    ):
        consumer.must_listen()
        forger.connect("127.0.0.1", broker.port)
        forger.loop_start()
        identity = journal.identity.hex()
        for number in range(1, 301):
            say(forger, "settlement", *made_up(identity, number))
        refused = "SELECT count(*) FROM dealwire.refused"
        eventually(lambda: database.rows(refused) == [(300,)], "the forged lines are not refused")
        assert database.rows("SELECT count(*) FROM dealwire.line") == [(0,)]
        ear = Ear(broker)
        put(journal, 200)
        with exporting(broker, journal):
            total = len(journalled(journal.path))
            rows = "SELECT count(*) FROM dealwire.line"
            eventually(lambda: database.rows(rows) == [(total,)], "lines are missing")
            payload, about = made_up(identity, 5000)
            unknown = {"signed": "00112233aabbccdd", "signature": base64.b64encode(bytes(64)).decode()}
            say(forger, "settlement", payload, {**about, **unknown})
            true = ear.lines()[7]
            level, has = true.topic.rpartition("/")[2], properties(true)
            say(forger, level, true.payload, {**has, "sequence": "5001"})
            say(forger, level, true.payload.replace(b"{", b"{ ", 1), has)
            with opened(tmp_path / "other", stranger) as other:
                forged = LineSigner.of(other, SITE)
            assert forged is not None
            say(forger, "opening", forged.certificate.encode(), {}, retain=True)
            eventually(lambda: database.rows(refused) >= [(304,)], "not refused")
        ear.close()
        found = set(database.rows("SELECT kind, why FROM dealwire.refused"))
        assert found == REASONS
        lines = journalled(journal.path)
    got = database.rows("SELECT sequence, line FROM dealwire.line ORDER BY sequence")
    assert got == [(item.sequence, item.line) for item in lines]
    bets = [bet for item in lines if item.topic == "settlement" for bet in json.loads(item.line)["lines"]]
    stake, net = (sum(bet[name] for bet in bets if bet["result"] != "held") for name in ("stake", "net"))
    assert money(database) == [("flushes-gone-wild.co", stake, -net)]


@pytest.mark.more
@needs_postgres
def test_lines_of_many_openings_are_believed_and_repeated_lines_signed_again(
    key: SigningPair, database: Postgres, tmp_path: Path
) -> None:
    keys = keys_file(tmp_path, f"{SITE}/{TABLE} {key.vkey('any/name')}")
    with running_broker(tmp_path / "broker", "max_queued_messages 0") as broker:
        for _ in range(3):
            with opened(tmp_path / "journal", key) as journal:
                put(journal, 50)
                with exporting(broker, journal) as exporter:
                    sent_all(exporter, 50)
        with (
            opened(tmp_path / "journal", key) as journal,
            exporting(broker, journal),
            consuming(broker, database, "--keys", str(keys)),
        ):
            put(journal, 1)
            rows = "SELECT count(*), count(DISTINCT signed) FROM dealwire.line"
            eventually(lambda: database.rows(rows) == [(151, 1)], "what was sent before is not asked for")
    assert database.rows("SELECT why FROM dealwire.refused") == []


@pytest.mark.more
@needs_postgres
def test_a_key_that_is_no_longer_in_the_list_vouches_for_nothing_and_stops_nothing(
    key: SigningPair, database: Postgres, tmp_path: Path
) -> None:
    """The table's key is replaced. Its lines of before wait at the broker, and their opening is stored: the next
    consumer refuses both, and takes the lines of the new key."""
    other = SigningPair.new(tmp_path / "other.sign")
    refused, rows = ("SELECT kind FROM dealwire.refused", "SELECT count(*) FROM dealwire.line")
    with running_broker(tmp_path / "broker", "max_queued_messages 0") as broker:
        with opened(tmp_path / "journal", key) as journal, exporting(broker, journal) as exporter:
            with consuming(broker, database, "--keys", str(keys_file(tmp_path, f"{SITE}/* {key.vkey('a')}"))):
                put(journal, 5)
                eventually(lambda: database.rows(rows) == [(5,)], "the lines are missing")
            put(journal, 5)  # while no consumer is there
            sent_all(exporter, 10)
        with (
            consuming(broker, database, "--keys", str(keys_file(tmp_path, f"{SITE}/* {other.vkey('a')}"))),
            opened(tmp_path / "journal", other) as journal,
        ):
            eventually(lambda: len(database.rows(refused)) >= 5, "the lines of the key of before are not refused")
            put(journal, 1)
            with exporting(broker, journal):
                eventually(lambda: database.rows(rows) == [(11,)], "the lines of the new key are missing")
    assert {("unsigned",), ("forged",)} >= set(database.rows(refused))


@needs_postgres
@pytest.mark.parametrize("line", ["other/* {key}", "here/t2 {key}"])
def test_a_table_without_a_key_is_not_believed(line: str, key: SigningPair, database: Postgres, tmp_path: Path) -> None:
    keys = keys_file(tmp_path, line.format(key=key.vkey("any/name")))
    with (
        running_broker(tmp_path / "broker") as broker,
        opened(tmp_path / "journal", key) as journal,
        consuming(broker, database, "--keys", str(keys)) as consumer,
    ):
        consumer.must_listen()
        put(journal, 3)
        with exporting(broker, journal):
            why = "SELECT DISTINCT kind, why FROM dealwire.refused"
            expected = [("unsigned", f"no key of {SITE}/{TABLE} is in the list of keys")]
            eventually(lambda: database.rows(why) == expected, "not refused")
    assert database.rows("SELECT count(*) FROM dealwire.line") == [(0,)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it has no key"),
        ("here/t1 nonsense\n", "is not a key; allowed: NAME+ID+KEY"),
        ("here {key}\n", "allowed: SITE/TABLE KEY"),
        ("here/t1 {witness}\n", "the key of a witness; lines are signed with a table's key"),
    ],
)
def test_a_list_of_keys_that_is_none_is_refused_in_one_line(
    text: str, why: str, key: SigningPair, tmp_path: Path
) -> None:
    path = tmp_path / "keys"
    path.write_text(text.format(key=key.vkey("a"), witness=key.vkey("a", 4)))
    where = ("--mqtt", "mqtt://127.0.0.1:1", "--postgres", "host=/nowhere")
    result = CliRunner().invoke(main, ["fleet", "consume", *where, "--keys", str(path)])
    assert result.exit_code == Exit.USAGE
    assert why in result.output
    assert result.output.count("\n") == 1
