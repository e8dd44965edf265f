"""Hostile messages from anyone on the broker: the fleet's reader sets them aside, says why, and continues."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
import psycopg
import pytest

from dealwire.export.topics import LINE_MAX
from dealwire.journal import Journal
from tests.dealwire.export.test_fleet import (
    Consuming,
    consuming,
    database,
    exporter_of,
    journal,
    put,
    say,
    server,
)
from tests.support.rigs.brokers import Mosquitto, eventually, needs_mosquitto, running_broker
from tests.support.rigs.export_lines import journalled
from tests.support.rigs.patience import PATIENCE_S
from tests.support.rigs.postgres import Postgres, needs_postgres

__all__ = ["database", "journal", "server"]
pytestmark = [needs_mosquitto, needs_postgres, pytest.mark.more]
TOPIC = "dealwire/v1/s/t/state"
PROPERTIES = {
    "site": "s",
    "table": "t",
    "journal": "0" * 32,
    "sequence": "1",
    "previous": "0",
    "at_ns": "5",
    "schema": "dealwire.status/1",
}
LINE = {"schema": "dealwire.status/1", "type": "status", "table": "t", "kind": "action", "device": None, "text": "a"}


def told(**more: str) -> dict[str, str]:
    return PROPERTIES | more


def line_of(kind: str, **more: object) -> bytes:
    return json.dumps({"schema": f"dealwire.{kind}/1", "type": kind, **more}).encode()


def nested(depth: int) -> bytes:
    """A status line in which something lies `depth` deep."""
    return json.dumps(LINE | {"text": 0}).encode().replace(b": 0}", b": " + b"[" * depth + b"]" * depth + b"}")


HOSTILE: list[tuple[str, bytes, dict[str, str]]] = [
    (TOPIC, b"[" * 1100, told()),
    (TOPIC, b"[" * 1100 + b"]" * 1100, told()),
    *((TOPIC, nested(depth), told()) for depth in (5_000, 100_000)),
    (TOPIC, b'{"a":' * 30_000, told()),
    (TOPIC, b"\x00", told()),
    (TOPIC, json.dumps(LINE | {"text": "\ud800"}).encode(), told()),
    (TOPIC, json.dumps(LINE | {"text": 1}).encode().replace(b": 1}", b": " + b"9" * 5_000 + b"}"), told()),
    (TOPIC, json.dumps(LINE | {"text": 1}).encode().replace(b": 1}", b": NaN}"), told()),
    (TOPIC, json.dumps(LINE | {"text": 1}).encode().replace(b": 1}", b": 1e400000}"), told()),
    (TOPIC, json.dumps(LINE | {"text": "x" * LINE_MAX}).encode(), told()),
    (TOPIC, json.dumps(LINE | {"schema": "dealwire." + "x" * 5_000}).encode(), told(schema="dealwire." + "x" * 5_000)),
    (TOPIC, json.dumps(LINE).encode(), told(journal="0" * 31 + "\u0660")),
    (TOPIC, json.dumps(LINE).encode(), told(sequence="\u0661")),
    (TOPIC, json.dumps(LINE).encode(), told(epoch="é")),
    (TOPIC, json.dumps(LINE).encode(), told(hash="0" * 4_000)),
    (TOPIC, json.dumps(LINE).encode(), told(table="x" * 65)),
    ("dealwire/v1/s/t/sent", b"0" * 32 + b" " + b"9" * 19, {}),
    ("dealwire/v1/s/t/sent", b"9" * 100_000, {}),
    ("dealwire/v1/s/t/sent", b"\xff\xfe", {}),
    ("dealwire/v1/s/" + "x" * 100 + "/sent", b"0" * 32 + b" 1", {}),
    # What the views of the database could not read: one such line would spoil the day of the whole fleet.
    ("dealwire/v1/s/t/round", line_of("round", round="x", incidents=[], procedure={}), told(schema="dealwire.round/1")),
    ("dealwire/v1/s/t/round", line_of("round", round=1, incidents=7, procedure={}), told(schema="dealwire.round/1")),
    ("dealwire/v1/s/t/incident", line_of("incident", code="x", fault="x"), told(schema="dealwire.incident/1")),
    (
        "dealwire/v1/s/t/settlement",
        line_of("settlement", round=1 << 63, game={}, totals={}, lines=[]),
        told(schema="dealwire.settlement/1"),
    ),
    (
        "dealwire/v1/s/t/settlement",
        line_of("settlement", round=1, game={"id": "g"}, totals={}, lines={"seat": 1}),
        told(schema="dealwire.settlement/1"),
    ),
    (
        "dealwire/v1/s/t/settlement",
        line_of("settlement", round=1, game={"id": "g"}, totals={}, lines=[{"seat": 1, "stake": 1.5}]),
        told(schema="dealwire.settlement/1"),
    ),
    *(
        (
            "dealwire/v1/s/t/settlement",
            line_of("settlement", round=1, game={"id": "g"}, totals={}, lines=[], pots=pots),
            told(schema="dealwire.settlement/1"),
        )
        for pots in ({"cents": 1}, [7], [{"cents": 1.5}], [{"cents": 1, "rake": 1 << 60}])
    ),
]
"""Topic, payload and user properties."""
VIEWS = ("round", "incident", "settlement", "bet", "pot", "day")


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    with running_broker(tmp_path / "broker", "max_queued_messages 0") as made:
        yield made


def count(database: Postgres, table: str) -> int:
    return int(database.rows(f"SELECT count(*) FROM dealwire.{table}")[0][0])


def must_go_on(database: Postgres, broker: Mosquitto, journal: Journal) -> None:
    with exporter_of(broker, journal) as exporter:
        put(journal, 100)
        exporter.wake()
        lines = len(journalled(journal.path))
        counted = "SELECT count(*) FROM dealwire.line WHERE site <> 's'"
        eventually(lambda: database.rows(counted) == [(lines,)], "stopped by what it cannot read")
    for view in VIEWS:
        count(database, view)


def test_what_cannot_be_read_is_kept_aside_and_nothing_stops(
    journal: Journal, database: Postgres, broker: Mosquitto
) -> None:
    with consuming(broker, database) as consumer:
        consumer.must_listen()
        for topic, payload, properties in HOSTILE:
            say(broker, topic, payload, **properties)
        must_go_on(database, broker, journal)
        eventually(lambda: count(database, "refused") == len(HOSTILE), "not every one is refused")
        assert consumer.is_alive()
    assert count(database, "line") == len(journalled(journal.path))
    whys = Counter(why for (why,) in database.rows("SELECT why FROM dealwire.refused"))
    assert all(whys), whys
    assert max(len(why) for why in whys) <= 500
    assert database.rows("SELECT max(length(payload)) <= 65536 FROM dealwire.refused") == [(True,)]


def test_what_waits_at_the_broker_does_not_end_the_next_start(
    journal: Journal, database: Postgres, broker: Mosquitto
) -> None:
    with consuming(broker, database) as consumer:
        consumer.must_listen()
        consumer.kill()
        for topic, payload, properties in HOSTILE[:6]:
            say(broker, topic, payload, **properties)
        for _ in range(2):  # it was acknowledged: the next start does not even meet it
            consumer.start()
            eventually(lambda: count(database, "refused") == 6, "not refused")
            must_go_on(database, broker, journal)
            consumer.kill()
        consumer.start()
    assert count(database, "refused") == 6


def test_it_is_told_how_many_were_refused_and_no_payload_is(database: Postgres, broker: Mosquitto) -> None:
    escape = "\x1b]0;PWN\x07AS"
    with consuming(broker, database) as consumer:
        consumer.must_listen()
        say(broker, TOPIC, json.dumps(LINE | {"schema": escape}).encode(), **told())
        eventually(lambda: "refused" in consumer.log(), "nobody says so")
        eventually(lambda: count(database, "refused") == 1, "not kept")
    line = next(line for line in consumer.log().splitlines() if "refused" in line)
    assert line.endswith("1 message refused so far, the newest unreadable; see the reasons in dealwire.refused")
    assert escape[0] not in consumer.log()


def rolled_back(database: Postgres, broker: Mosquitto, consumer: Consuming) -> None:
    consumer.must_listen()
    for text, digest in (("a", "a1"), ("b", "b2"), ("a", "c3")):
        say(broker, TOPIC, json.dumps(LINE | {"text": text}).encode(), **told(epoch="0" + digest[0], hash=digest))
    eventually(lambda: count(database, "refused") == 2, "nobody noticed")


def test_another_line_or_another_hash_under_a_known_number_is_a_roll_back(
    database: Postgres, broker: Mosquitto
) -> None:
    with consuming(broker, database) as consumer:
        rolled_back(database, broker, consumer)
    assert database.rows("SELECT epoch, hash, content ->> 'text' FROM dealwire.line") == [("0a", "a1", "a")]
    assert database.rows("SELECT DISTINCT why FROM dealwire.refused") == [
        ("another line has this journal and sequence: the journal was restored from an older copy, or forged",)
    ]


def settlement(win: int) -> bytes:
    bet = {"seat": 1, "bet": "ante", "result": "win", "stake": 100, "pay": 0, "returned": 0, "net": -win}
    totals = {"players": -win, "house": win, "meters": 0}
    return line_of("settlement", round=1, game={"id": "g"}, totals=totals, lines=[bet], pots=[])


def say_settled(broker: Mosquitto, number: int, win: int, digest: str) -> None:
    more = {"sequence": str(number), "previous": str(number - 1), "hash": digest, "schema": "dealwire.settlement/1"}
    say(broker, "dealwire/v1/s/t/settlement", settlement(win), **told(**more))


def test_a_forged_line_that_comes_first_counts_as_little_as_the_true_one(database: Postgres, broker: Mosquitto) -> None:
    """Until a person says which the journal has. The table's own line is there, and not only put aside."""

    def win() -> int:
        return int(database.rows("SELECT coalesce(sum(win_cents), 0) FROM dealwire.day")[0][0])

    with consuming(broker, database, "--metrics", "0") as consumer:
        consumer.must_listen()
        say_settled(broker, 1, 500, "a1")
        say_settled(broker, 2, -15_000_000, "f0")  # what the table has not said yet
        eventually(lambda: win() == 500 - 15_000_000, "it does not come")
        for _ in range(2):
            say_settled(broker, 2, 700, "a2")
        eventually(lambda: win() == 500, "the forger's money counts, or the true one alone")
        eventually(lambda: count(database, "refused") == 1, "it is told of once")
        address = next(line for line in consumer.log().splitlines() if "metrics: " in line).rpartition(" ")[2]

        def disputed(value: int) -> bool:
            return f"dealwire_fleet_disputed {value}.0" in httpx.get(address, timeout=PATIENCE_S).text

        eventually(lambda: disputed(1), "no alarm")
        both = "SELECT hash, (content -> 'totals' ->> 'house')::bigint FROM dealwire.contradicted ORDER BY hash"
        assert database.rows(both) == [("a2", 700), ("f0", -15_000_000)]
        assert count(database, "settlement") == count(database, "bet") == 1
        database.rows(f"SELECT dealwire.keep('s', 't', '{'0' * 32}', 2, 'a2')::text")
        assert win() == 1200
        assert database.rows("SELECT hash FROM dealwire.line ORDER BY sequence") == [("a1",), ("a2",)]
        say_settled(broker, 2, 700, "a2")  # and again: it is the one that is there
        say_settled(broker, 3, 1, "a3")
        eventually(lambda: win() == 1201, "it does not go on")
        assert (count(database, "contradiction"), count(database, "refused")) == (0, 1)


def test_a_hash_that_several_lines_carry_names_none(database: Postgres, broker: Mosquitto) -> None:
    """The hash is on the wire: a forger may copy it, and be there first when the true line is requested again."""
    with consuming(broker, database) as consumer:
        consumer.must_listen()
        for win in (-15_000_000, 700):
            say_settled(broker, 1, win, "a1")
        eventually(lambda: count(database, "contradicted") == 2, "they do not come")
        keep = f"SELECT dealwire.keep('s', 't', '{'0' * 32}', 1, '{{}}')::text"
        for named, why in (("a1", "several lines of this number have the hash a1"), ("zz", "no line of this number")):
            with pytest.raises(psycopg.Error, match=why):
                database.rows(keep.format(named))
        assert count(database, "contradicted") == 2
        database.rows(keep.format(hashlib.sha256(settlement(700)).hexdigest()))
    assert database.rows("SELECT line FROM dealwire.line") == [(settlement(700).decode(),)]
    assert database.rows("SELECT win_cents FROM dealwire.day") == [(700,)]


def test_incidents_that_contradict_each_other_are_both_seen(database: Postgres, broker: Mosquitto) -> None:
    """Forging one incident under another's number does not hide it."""
    with consuming(broker, database) as consumer:
        consumer.must_listen()
        for code in ("count", "jam"):
            say(
                broker, "dealwire/v1/s/t/incident", line_of("incident", code=code), **told(schema="dealwire.incident/1")
            )
        eventually(lambda: count(database, "incident") == 2, "one is hidden")
    assert database.rows("SELECT code, disputed FROM dealwire.incident ORDER BY code") == [
        ("count", True),
        ("jam", True),
    ]


def test_a_mark_of_a_table_that_never_was_is_refused_and_no_gap(database: Postgres, broker: Mosquitto) -> None:
    mark = f"{'0' * 32} {2**63 - 1}".encode()
    with consuming(broker, database) as consumer:
        consumer.must_listen()
        say(broker, "dealwire/v1/s/t2/sent", mark)
        eventually(lambda: count(database, "refused") == 1, "asked for ever")
        eventually(lambda: count(database, "gap") == 0, "a gap for ever")
        say(broker, "dealwire/v1/s/t2/sent", mark)
        eventually(lambda: count(database, "refused") == 2, "believed after all")
        assert count(database, "gap") == 0
        say(broker, "dealwire/v1/s/t2/state", json.dumps(LINE | {"table": "t2"}).encode(), **told(table="t2"))
        eventually(lambda: count(database, "line") == 1, "its lines do not come")
        say(broker, "dealwire/v1/s/t2/sent", b"0" * 32 + b" 3")  # now there is such a table
        eventually(lambda: count(database, "gap") == 1, "its marks are not believed")
    assert database.rows("SELECT DISTINCT topic, why FROM dealwire.refused") == [
        ("dealwire/v1/s/t2/sent", "a mark of a table that never sent a line, although it was asked")
    ]


def test_a_mark_that_the_table_s_own_ones_do_not_bear_out_is_given_up(database: Postgres, broker: Mosquitto) -> None:
    """A table that lives says its mark again and again; this one says less than somebody forged, and sends nothing."""
    with consuming(broker, database) as consumer:
        consumer.must_listen()
        say(broker, TOPIC, json.dumps(LINE).encode(), **told())
        say(broker, "dealwire/v1/s/t/sent", f"{'0' * 32} {2**63 - 1}".encode())
        eventually(lambda: count(database, "gap") == 1, "not noticed")
        say(broker, "dealwire/v1/s/t/sent", b"0" * 32 + b" 1")
        eventually(lambda: count(database, "gap") == 0, "a gap for ever")
        assert count(database, "refused") == 1
        say(broker, TOPIC, json.dumps(LINE).encode(), **told(sequence="9", previous="8"))  # a line says so: it is one
        say(broker, "dealwire/v1/s/t/sent", b"0" * 32 + b" 1")
        say(broker, TOPIC, json.dumps(LINE).encode(), **told(sequence="10", previous="9"))
        eventually(lambda: count(database, "line") == 3, "it does not go on")
        assert count(database, "gap") == 1
