"""Every recording in `captures/` gives the results of its index, however its bytes are cut."""

import hashlib
import itertools
import json
import random
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

from dealer_flow.procedure.load import known_procedures, load_procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.table.replay import replay
from dealwire.table.table import Table, TableTerms
from devices.drive.replay import PlayStats, play
from devices.events import Seen
from devices.record.capture import Capture, Chunk
from rules.game.load import game_id_of, game_ids, load_game_of
from rules.settlement import Settlement
from tests.support.evenings.race_evenings import unsigned
from tests.support.oracles.wire_count import angel_eye_frames, count_wire
from tests.support.programs.record_captures import received_by_line
from tests.support.reading.each import of_each

CAPTURES = Path(__file__).parent.parent / "captures"
ENTRIES: list[dict[str, Any]] = tomllib.loads((CAPTURES / "index.toml").read_text())["capture"]
INDEX = [entry for entry in ENTRIES if entry.get("link") != "usb"]
"""Recordings of serial lines, which `dealwire replay` replays. USB has its own test, in `tests/devices/rigs`."""
PACKETS, RACE = "flushes-gone-wild.co", "race-to-the-flush"
PROCEDURES = {name: load_procedure(name) for name in known_procedures()}
TERMS = {name for name in PROCEDURES if game_id_of(name)}
"""Procedures with pay tables; the recordings of others are dealt and not settled."""


def of(procedure: str) -> pytest.MarkDecorator:
    """Return a mark with every recording of one procedure."""
    entries = [entry for entry in INDEX if entry.get("procedure", PACKETS) == procedure]
    return pytest.mark.parametrize("entry", entries, ids=[entry["file"] for entry in entries])


each = of_each("entry", INDEX, ids=itemgetter("file"), shares=2)


class Recut(Capture):
    """The recording with its chunks cut another way."""

    def __init__(self, source: Capture, cut: Callable[[list[Chunk]], Iterator[Chunk]]) -> None:
        super().__init__(source.path)
        chunks = list(source.chunks)
        self.interfaces = source.interfaces
        self._recut = list(cut(chunks))

    @property
    def chunks(self) -> Iterator[Chunk]:
        return iter(self._recut)


def piece(chunk: Chunk, data: bytes) -> Chunk:
    return Chunk(chunk.interface, chunk.at_ns, chunk.sent, data, chunk.comment)


def byte_by_byte(chunks: list[Chunk]) -> Iterator[Chunk]:
    for chunk in chunks:
        if chunk.data:
            yield from (piece(chunk, chunk.data[i : i + 1]) for i in range(len(chunk.data)))
        else:
            yield chunk


def at_random(chunks: list[Chunk]) -> Iterator[Chunk]:
    chance = random.Random(7)
    for chunk in chunks:
        rest = chunk.data
        while len(rest) > 1 and chance.random() < 0.8:
            size = chance.randrange(1, len(rest))
            yield piece(chunk, rest[:size])
            rest = rest[size:]
        yield piece(chunk, rest)


def received_only(chunks: list[Chunk]) -> Iterator[Chunk]:
    """Yield the received chunks alone. Our own frames decide nothing: a recording of one direction gives the same
    rounds."""
    return (chunk for chunk in chunks if not chunk.sent)


def dealt(capture: Capture) -> tuple[list[RoundResult], list[str], PlayStats]:
    """Return rounds, all output as JSON, and the counters."""
    name = capture.procedure or PACKETS
    terms = TableTerms(load_game_of(name)) if name in TERMS else None  # fresh: a pool and runners move on
    table, rounds, said = Table(PROCEDURES[name], terms), list[RoundResult](), list[str]()

    def take(items: list[Any]) -> None:
        said.extend(item.to_json() for item in items)
        rounds.extend(item for item in items if isinstance(item, RoundResult))

    def deliver(seen: Seen) -> None:
        take(table.handle(seen))

    stats = play(capture, deliver)
    take(table.finish())
    return rounds, said, stats


@each
def test_the_file_is_the_one_the_index_describes(entry: dict[str, Any]) -> None:
    assert hashlib.sha256((CAPTURES / entry["file"]).read_bytes()).hexdigest() == entry["sha256"]


@each
def test_rounds_seats_and_incidents(entry: dict[str, Any]) -> None:
    rounds, _, _ = dealt(Capture.read(CAPTURES / entry["file"]))
    assert [each.outcome for each in rounds] == entry["outcomes"]
    assert [{str(seat.seat): seat.status for seat in each.seats} for each in rounds] == entry["seats"]
    found = {incident.code for each in rounds for incident in each.incidents}
    assert set(entry["incidents"]) <= found
    if not entry["incidents"]:
        assert not found


@each
def test_the_recording_names_what_was_dealt(entry: dict[str, Any]) -> None:
    """Recordings made before they named their procedure are of the one game that existed."""
    assert (Capture.read(CAPTURES / entry["file"]).procedure or PACKETS) == entry.get("procedure", PACKETS)


@of(PACKETS)
def test_every_card_of_a_complete_round_is_somewhere(entry: dict[str, Any]) -> None:
    for each in dealt(Capture.read(CAPTURES / entry["file"]))[0]:
        if each.outcome == "complete":
            assert each.remainder is not None
            seats = sum(seat.counted or 0 for seat in each.seats)
            community, dealer = each.packets[0].counted, each.dealer and each.dealer.counted
            assert (community or 0) + seats + (dealer or 0) + (each.remainder.counted or 0) + each.rejected == 52
            faces = [face for hand in (*each.seats, each.dealer) if hand for face in hand.cards if face != "??"]
            faces += [face for face in each.community if face != "??"]
            assert len(faces) == len(set(faces))


@of(RACE)
def test_races_end_where_their_columns_say(entry: dict[str, Any]) -> None:
    """The columns are counted again here, card by card."""
    finish = []
    for each in dealt(Capture.read(CAPTURES / entry["file"]))[0]:
        assert each.draw is not None
        cards, held = each.draw.cards, dict.fromkeys("CDHS", 0)
        end = 0
        for number, card in enumerate(cards, 1):
            held[card[1]] = held.get(card[1], 0) + 1
            if max(held.values()) == 5 and not end:
                end = number
        finish.append(end)
        assert (each.draw.finish.cards if each.draw.finish else 0) == end
        assert end in (0, len(cards))
        assert len(set(cards)) == len(cards)
        assert each.draw.extra == (cards[16] if end == 17 else None)
        assert [number for column in each.draw.columns.values() for number in column if number not in cards] == []
    assert finish == entry["finish"]


@of(RACE)
def test_an_unread_card_is_named_by_a_badge_or_nothing_is_settled(entry: dict[str, Any]) -> None:
    (first, *_), said, _ = dealt(Capture.read(CAPTURES / entry["file"]))
    assert first.draw is not None
    if "card-named" in entry["incidents"]:
        (naming,) = first.draw.named
        # the third card in the scenario's order of the shoe
        assert (naming.position, naming.card, naming.badge, naming.level) == (3, "4H", 7001, "supervisor")
    elif first.outcome == "unreliable":
        assert first.draw.named == ()
        settlements = [found for text in said if (found := json.loads(text))["type"] == "settlement"]
        assert settlements[0]["status"] == "held"
        assert settlements[0]["totals"]["players"] == 0


@of(RACE)
def test_a_shoe_nobody_answers_says_each_report_three_times(entry: dict[str, Any]) -> None:
    """Each card is dealt once. Copies that the scenario's noise has spoiled are missing."""
    for dialect, data in received_by_line(Capture.read(CAPTURES / entry["file"])):
        if dialect == "angel-eye":
            runs = [len(list(copies)) for _, copies in itertools.groupby(angel_eye_frames(data))]
            # the first may have begun before the line was opened
            assert set(runs[1:]) <= {3} if not entry["noise_bytes"] else set(runs[1:]) <= {2, 3}
            assert max(runs) == 3


@pytest.mark.parametrize("scenario", ["race-5", "race-11", "race-17", "race-unread", "race-unnamed", "race-overdraw"])
def test_the_same_race_in_three_dialects_is_the_same_round(scenario: str) -> None:
    told = [
        [unsigned(found).to_json() for found in dealt(Capture.read(CAPTURES / f"{scenario}.{dialect}.pcapng"))[0]]
        for dialect in ("tdp", "angel-eye", "bee-tek")
    ]
    assert told[0] == told[1] == told[2]
    assert told[0]


@pytest.mark.parametrize("scenario", ["race-cut-card", "race-error", "race-noise"])
def test_what_two_dialects_can_say_is_the_same_round(scenario: str) -> None:
    told = [
        [unsigned(found).to_json() for found in dealt(Capture.read(CAPTURES / f"{scenario}.{dialect}.pcapng"))[0]]
        for dialect in ("tdp", "angel-eye")
    ]
    assert told[0] == told[1]


@each
def test_frames_and_noise(entry: dict[str, Any]) -> None:
    """The index was counted by another decoder; the replay must find the same frames."""
    capture = Capture.read(CAPTURES / entry["file"])
    counts = [count_wire(data, dialect) for dialect, data in received_by_line(capture)]
    assert (sum(f for f, _ in counts), sum(n for _, n in counts)) == (entry["frames"], entry["noise_bytes"])
    stats = dealt(capture)[2]
    assert stats.frames == entry["frames"]
    assert (stats.noise_bytes > 0) == (entry["noise_bytes"] > 0)


@pytest.mark.every(18)
@pytest.mark.parametrize("entry", INDEX, ids=itemgetter("file"))
@pytest.mark.parametrize("cut", [byte_by_byte, at_random, received_only], ids=lambda cut: cut.__name__)
def test_cuts_change_nothing(entry: dict[str, Any], cut: Callable[[list[Chunk]], Iterator[Chunk]]) -> None:
    whole = Capture.read(CAPTURES / entry["file"])
    assert dealt(Recut(whole, cut))[1] == said_of(entry["file"])


@cache
def said_of(file: str) -> list[str]:
    """Return all output for a recording as it was received."""
    return dealt(Capture.read(CAPTURES / file))[1]


def test_the_index_lists_every_recording() -> None:
    assert {entry["file"] for entry in ENTRIES} == {path.name for path in CAPTURES.glob("*.pcapng")}
    assert len(INDEX) >= 8


@pytest.mark.every(72)
@pytest.mark.parametrize("entry", INDEX, ids=itemgetter("file"))
def test_stock_tshark_reads_it(entry: dict[str, Any]) -> None:
    """A foreign reader sees the payloads and directions that we read."""
    tshark = shutil.which("tshark")
    if tshark is None:
        pytest.skip("tshark is not installed (apt install tshark)")
    fields = ["-T", "fields", "-e", "frame.interface_name", "-e", "frame.packet_flags_direction", "-e", "rtacser.data"]
    # Fields of the dissector vary with the version; the raw bytes do not, so they are asked for as well.
    done = subprocess.run(
        [tshark, "-r", str(CAPTURES / entry["file"]), *fields[:-2]], capture_output=True, text=True, check=True
    )
    capture = Capture.read(CAPTURES / entry["file"])
    ours = [
        [capture.interfaces[chunk.interface].name, "0x00000002" if chunk.sent else "0x00000001"]
        for chunk in capture.chunks
        if chunk.data
    ]
    theirs = [line.split("\t") for line in done.stdout.splitlines()]
    assert [row for row in theirs if row[1] not in ("", "0x00000000")] == ours


def test_a_finding_is_said_when_it_happens_and_again_in_its_round() -> None:
    """Incidents on the stream are those of the rounds, in the same order."""
    table, streamed, rounds = Table(PROCEDURES[PACKETS], None), list[Incident](), list[RoundResult]()

    def deliver(seen: Seen) -> None:
        for item in table.handle(seen):
            (streamed if isinstance(item, Incident) else rounds).append(item)  # type: ignore[arg-type]

    play(Capture.read(CAPTURES / "power-cycle.pcapng"), deliver)
    told = [incident for each in rounds for incident in each.incidents]
    assert told
    assert streamed == told


def terms_of(entry: dict[str, Any]) -> TableTerms:
    """Return the terms of the table in a recording: the default ones, except for those that a house must set."""
    readings, meters = entry.get("readings", {}), dict(entry.get("meters", {}))
    return TableTerms(load_game_of(entry["procedure"]), readings=readings, meters=meters)


CHIPS = [entry for entry in INDEX if "chips" in entry]


@pytest.mark.parametrize("entry", CHIPS, ids=[entry["file"] for entry in CHIPS])
def test_the_chips_of_an_evening_are_where_its_dealer_left_them(entry: dict[str, Any]) -> None:
    """Each hand starts with what the one before left, or more where a player bought chips; nothing is held."""
    table, left, bought = Table(PROCEDURES[entry["procedure"]], terms_of(entry)), dict[str, int](), 0
    said = [*replay(CAPTURES / entry["file"], table)]
    rounds = [each for each in said if isinstance(each, RoundResult)]
    settled = [each for each in said if isinstance(each, Settlement)]
    assert not any(line.result == "held" for each in settled for line in each.lines)
    for each, settlement in zip(rounds, settled, strict=True):
        nets = {seat.seat: seat.net for seat in settlement.seats}
        if settlement.pool is not None and settlement.pool.winner is not None:  # paid beside the chips of the game
            nets[settlement.pool.winner] -= settlement.pool.cents
            bought -= settlement.pool.cents
        for seat in each.seats:
            stake = seat.stake or 0
            assert stake >= left.get(str(seat.seat), 0)
            bought += stake - left.get(str(seat.seat), 0)
            left[str(seat.seat)] = stake + nets.get(seat.seat, 0)
    assert left == entry["chips"]
    taken = sum(settlement.totals.house + settlement.totals.meters for settlement in settled)
    assert sum(left.values()) + taken == bought
    assert any(len(settlement.pots) > 1 for settlement in settled)
    assert any(round_.awards for round_ in rounds)


SETTLED = [entry for entry in INDEX if entry.get("procedure", PACKETS) in TERMS and ".co" in entry["file"]]


@pytest.mark.every(4)
@pytest.mark.parametrize("entry", SETTLED, ids=[entry["file"] for entry in SETTLED])
def test_every_bet_of_a_recorded_round_ends_by_a_clause(entry: dict[str, Any]) -> None:
    """A round of each game is dealt, settled and printed; only a meter of unknown amount leads to held bets."""
    procedure = entry["procedure"]
    table = Table(PROCEDURES[procedure], terms_of(entry))
    settled = [each for each in replay(CAPTURES / entry["file"], table) if isinstance(each, Settlement)]
    assert len(settled) == len(entry["outcomes"])
    for settlement in settled:
        assert settlement.lines or not settlement.seats
        for line in settlement.lines:
            assert re.match(r"47\.1-10\d\d|procedure$", line.clause), line
            assert line.result != "held" or line.why.endswith("no amount was given for the meter"), line


def test_every_house_banked_game_has_a_recorded_round_that_settles() -> None:
    recorded = {game_id_of(entry["procedure"]) for entry in SETTLED}
    assert recorded >= {game for game in game_ids() if game.endswith(".co")} - {"flushes-gone-wild.co"}
