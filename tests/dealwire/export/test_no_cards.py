"""Under `no-cards` nothing leaves from which a card could follow: evenings of many games, and a hunt in every byte.

The hunt shares no code with what leaves cards out: it knows how cards, ranks, suits and hands are written, no more.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dealer_flow.record.catalogue import INCIDENTS
from dealwire.export.broker import Broker
from dealwire.export.marks import conflict
from dealwire.export.mqtt import MqttExporter
from dealwire.export.profile import CODES, EVENTS, LINES, outgoing
from dealwire.export.topics import Mark
from dealwire.hub.lines import Publication, Topic
from dealwire.journal import Journal, JournalReader
from devices.clock import SystemClock
from devices.record.capture import Capture
from docs._print.line_schemas import LINE_TYPES, bodies, field_shapes, schema_of
from tests.dealwire.export.test_fleet import consuming, database, server
from tests.dealwire.export.test_lines import CAPTURES, followed, lines_of
from tests.support.rigs.brokers import Mosquitto, Reader, eventually, needs_mosquitto, running_broker
from tests.support.rigs.export_lines import SITE, TABLE, journalled
from tests.support.rigs.postgres import Postgres, needs_postgres

__all__ = ["database", "server"]
PLAYED = [path for path in CAPTURES if "usb" not in path.name]

CARD = re.compile(
    r"(?<![0-9A-Za-z])(?:10|[2-9TJQKA])[shdcSHDC♠♥♦♣](?![0-9A-Za-z])|(?<![0-9A-Za-z])X[1-4](?![0-9A-Za-z])"
)
NAMES = re.compile(
    r"\b(aces?|kings?|queens?|jacks?|jokers?|tens?|nines?|eights?|sevens?|sixes|fives?|fours?|threes?|twos?|deuces?"
    r"|spades?|hearts?|diamonds?|clubs?|flush(es)?|straights?|pairs?|trips|quads|full|royal|kind|high|low|suited"
    r"|qualif\w*|win|wins|won|lose|loses|push|pushed|tie|fold|folded|raise|raised)\b",
    re.IGNORECASE,
)
KEYS = {"cards", "known", "community", "hand", "hands", "bet", "bets", "pay", "paid", "net", "row", "paytable", "text"}
"""Keys under which cards, or what they were worth, stand elsewhere; `cards` of a filled shoe is a number."""


def hunt(text: str, game: str) -> list[str]:
    """Return all text that looks like a card, a rank, a suit, a hand or its result, except the game's own name."""
    bare = text.replace(game, "")
    return [found.group() for pattern in (CARD, NAMES) for found in pattern.finditer(bare)]


def keys_in(content: object) -> Iterator[tuple[str, object]]:
    if isinstance(content, dict):
        for key, value in content.items():
            yield key, value
            yield from keys_in(value)
    elif isinstance(content, list):
        for each in content:
            yield from keys_in(each)


def item_type(line: str) -> Topic:
    found: Topic = json.loads(line)["type"]
    return found


def left(line: str) -> str | None:
    found = outgoing(Publication(1, TABLE, 5, item_type(line), line), "no-cards")
    return found.line if found is not None else None


@pytest.mark.every(4)
@pytest.mark.parametrize("path", PLAYED, ids=lambda path: path.stem)
def test_no_line_of_any_recording_names_a_card(path: Path) -> None:
    game = followed(Capture.read(path))
    whole = list(lines_of(path))
    reduced = [line for one in whole if (line := left(one)) is not None]
    assert reduced
    assert any(hunt(line, game) for line in whole)  # the hunt finds them where they are
    for line in reduced:
        assert hunt(line, game) == [], line
        content = json.loads(line)
        assert content["schema"] == "dealwire.no-cards/1"
        assert not [key for key, value in keys_in(content) if key in KEYS and not isinstance(value, int)], line


def exchanged(line: str) -> str:
    """The line as it would be with other cards."""
    return CARD.sub(lambda found: "7D" if found.group() != "7D" else "QS", line)


@pytest.mark.parametrize("path", PLAYED[::4], ids=lambda path: path.stem)
def test_other_cards_make_no_other_line(path: Path) -> None:
    whole = list(lines_of(path))
    assert [left(line) for line in whole] == [left(exchanged(line)) for line in whole]


def test_every_code_that_leaves_is_one_of_an_incident() -> None:
    assert INCIDENTS.keys() >= CODES
    assert not [code for code in CODES if hunt(code, "-")]
    line = left('{"schema":"dealwire.incident/2","type":"incident","code":"stray-joker","clause":"c","cards":["X1"]}')
    assert line == '{"schema":"dealwire.no-cards/1","type":"incident","code":"other","clause":"c"}'


def test_every_key_that_leaves_is_one_of_the_lines() -> None:
    """A list that names what there is not would hide a slip of the pen."""
    for kind, kept in LINES.items():
        assert kind in LINE_TYPES
        assert kept.keys() <= schema_of(kind)["properties"].keys()
    fields = {body.__name__: field_shapes(body).keys() for body in bodies()}
    for event, kept in EVENTS.items():
        assert kept.keys() <= fields[event]


def test_what_nobody_has_thought_about_does_not_leave() -> None:
    new = {"schema": "dealwire.event/1", "type": "event", "device": "s", "event": "DeckLoaded", "fields": {"deck": 1}}
    line = left(json.dumps({**new, "tell": "AS", "fields": {"deck": 1, "top": "AS", "back": ["KD"]}}))
    assert line is not None
    assert json.loads(line) == {**new, "schema": "dealwire.no-cards/1"}
    assert left(json.dumps({**new, "event": "TopCardSeen", "fields": {"deck": 1}})) is None
    assert left(json.dumps({**new, "fields": {"deck": ["AS"]}})) == left(json.dumps({**new, "fields": {}}))
    assert left(json.dumps({"schema": "x", "type": "meter", "why": "AS"})) is None


GAMES = [
    path
    for path in PLAYED
    if re.search(r"clean-3|let-it-ride|pai-gow.co|race-11.tdp|race-5.angel|power-cycle", path.stem)
]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    with running_broker(tmp_path / "broker", "max_queued_messages 0") as made:
        yield made


def journal_of_evenings(journal: Journal) -> None:
    for path in GAMES:
        for line in lines_of(path):
            journal.publish(TABLE, item_type(line), SystemClock().now_ns(), line)
        journal.commit()


def all_bytes(reader: Reader) -> list[str]:
    """Return the whole content of every message."""
    lines = reader.copy()
    beside = [json.dumps(reader.properties[key]) for key in lines]
    return [*lines.values(), *beside, *(f"{topic} {text}" for topic, text, _ in reader.others)]


@pytest.mark.more
@needs_mosquitto
@needs_postgres
def test_nothing_on_the_wire_names_a_card_and_no_line_is_missed(
    tmp_path: Path, broker: Mosquitto, database: Postgres
) -> None:
    with (
        Journal(tmp_path / "journal", key=None, clock=SystemClock()) as journal,
        Reader(broker.port, "#") as reader,
        consuming(broker, database) as consumer,
    ):
        consumer.must_listen()
        at = Broker.parse(broker.url)
        with MqttExporter(at, journal, site=SITE, tables=[TABLE], profile="no-cards") as exporter:
            journal_of_evenings(journal)
            exporter.wake()
            lines = journalled(journal.path)
            wanted = [item for item in lines if outgoing(item, "no-cards") is not None]
            assert 50 < len(wanted) < len(lines)
            eventually(lambda: exporter.progress[TABLE].sequence == lines[-1].sequence, "not sent")
            counted = "SELECT count(*) FROM dealwire.line"
            eventually(lambda: database.rows(counted) == [(len(wanted),)], "rows are missing")
            # From the start once more: places between which nothing leaves are passed over.
            journal_id = next(iter(reader.copy()))[1]
            reader.ask(f"dealwire/v1/{SITE}/{TABLE}/again", f"{journal_id} 0")
            eventually(lambda: exporter.progress[TABLE].repeats == 1, "not sent again")
        assert [key[2] for key in reader.copy()] == [item.sequence for item in wanted]
        eventually(lambda: database.rows("SELECT count(*) FROM dealwire.gap") == [(0,)], "lines seem to be missing")
        assert database.rows("SELECT * FROM dealwire.refused") == []
        assert dict(database.rows("SELECT outcome, count(*) FROM dealwire.round GROUP BY outcome"))
        games = [followed(Capture.read(path)) for path in GAMES]
        for text in all_bytes(reader):
            for game in games:
                text = text.replace(game, "")
            assert hunt(text, SITE) == [], text
        with JournalReader(journal.path) as here:
            digests = [record.hash.hex() for record in here.records()]
            mark = next(Mark.parse(text.encode()) for topic, text, _ in reader.others[::-1] if topic.endswith("/sent"))
            assert conflict(here, mark) is None  # a journal that was put back is found all the same
    everything = "\n".join(all_bytes(reader))
    # With two places of the chain that follow each other, all faces of the card between them could be tried.
    assert not [digest for digest in digests if digest in everything]


def test_requests_badges_and_proofs_of_firmware_leave_without_their_words() -> None:
    """People type what they like into a reason, a card too."""
    step = {"of": 4, "act": "release-held", "step": "requested", "who": "a.smith", "fields": {"why": "seat 3 had AS"}}
    head = {"schema": "dealwire.status/1", "type": "status", "table": "pit-3"}
    for kind in ("request", "badge", "access", "action"):
        line = left(json.dumps({**head, "kind": kind, "device": None, "text": "paid for AS AD", "request": step}))
        assert line is not None
        assert json.loads(line) == {**head, "schema": "dealwire.no-cards/1", "kind": kind, "device": None}
    proof = [{"device": "shuffler", "sha256": "00", "version": "AS"}]
    line = left(json.dumps({"schema": "x", "type": "round", "table": "pit-3", "round": 1, "firmware": proof}))
    assert line is not None
    assert "firmware" not in json.loads(line)
    assert hunt(line, "-") == []
    event = {"schema": "x", "type": "event", "event": "FirmwareAttested", "fields": {"why": "AS"}}
    assert left(json.dumps(event)) is None
