"""Budget of a line: bytes above it are counted and hashed, and the remaining bytes never form a false report."""

import hashlib
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devices.budget import BURST, NOISE_AN_HOUR, NOTE_NS, PROBE, RATE, Budget, note_text, parse_note
from devices.clock import ManualClock
from devices.dialects.known import dialect_named
from devices.drive.replay import Player, PlayStats
from devices.events import Body, BytesDropped, CardDrawn, EventsLost, Seen
from devices.line.session import Session
from devices.record.capture import Chunk, Interface
from devices.record.recording import CLOSED, LINE_LOST, Recorded
from devices.transport.memory import memory_pair
from protocol.bee_tek.framing import encode_frame
from protocol.tdp.messages import Role

SECOND = 1_000_000_000
PIECE = bytes(range(256)) * 16
START_NS = 1_700_000_000_000_000_000


def test_a_burst_is_kept_and_what_exceeds_it_is_counted_and_hashed() -> None:
    budget, now_ns = Budget(), START_NS
    kept = 0
    while budget.keeps(PIECE, now_ns):
        kept += len(PIECE)
    assert kept == BURST
    first = budget.take_dropped(now_ns)
    assert first == BytesDropped(len(PIECE), hashlib.sha256(PIECE).hexdigest()), "a stretch is noted as it begins"
    assert not budget.keeps(PIECE, now_ns + 1)
    assert not budget.keeps(b"more", now_ns + 2)
    assert budget.take_dropped(now_ns + 2) is None
    assert budget.due_ns == now_ns + NOTE_NS
    assert budget.keeps(b"calm", now_ns + 3 * SECOND)
    rest = budget.take_dropped(now_ns + 3 * SECOND)
    assert rest == BytesDropped(len(PIECE) + 4, hashlib.sha256(PIECE + b"more").hexdigest())
    assert (budget.dropped, budget.dropped_ns, budget.noise) == (2 * len(PIECE) + 4, now_ns + 2, False)
    assert (budget.due_ns, budget.take_dropped(now_ns + 3 * SECOND)) == (None, None)


def test_a_stretch_ends_when_the_line_gave_less_than_its_budget_for_a_second() -> None:
    budget, now_ns = Budget(), START_NS
    while budget.keeps(PIECE, now_ns):
        pass
    assert not budget.keeps(b"half a second later", now_ns + SECOND // 2)
    assert budget.keeps(b"and much later", now_ns + 2 * SECOND)


def test_a_line_that_does_not_stop_is_not_heard_again_and_is_noted_once_a_minute() -> None:
    budget, now_ns, notes = Budget(), START_NS, list[BytesDropped]()
    given = kept = 0
    for _ in range(10 * 60 * 20):  # ten minutes of 80 KB a second
        now_ns += SECOND // 20
        given += len(PIECE)
        kept += len(PIECE) * budget.keeps(PIECE, now_ns)
        budget.count_frames(0, given, now_ns)  # all of it valid
        found = budget.take_dropped(now_ns)
        notes += [found] if found is not None else []
    assert kept <= BURST + 60 * RATE
    assert 9 <= len(notes) <= 11
    last = budget.take_dropped(now_ns, ended=True)
    assert last is not None
    assert sum(each.count for each in [*notes, last]) == given - kept == budget.dropped


def test_noise_of_an_hour_is_kept_and_then_it_is_listened_to_once_a_minute() -> None:
    budget, now_ns = Budget(), START_NS
    kept = []
    for number in range(30 * 60 * 10):  # half an hour of a jabbering line of 115,200 baud
        now_ns += SECOND // 10
        if budget.keeps(PIECE[:1152], now_ns):
            kept.append(number)
            budget.count_frames(1152, 0, now_ns)
        budget.take_dropped(now_ns)
    assert budget.noise
    given = 30 * 60 * 10 * 1152
    assert NOISE_AN_HOUR <= len(kept) * 1152 <= NOISE_AN_HOUR * 1.6 < given / 10
    probes = [b for a, b in pairwise(kept) if b != a + 1]
    assert len(probes) >= 20
    assert all(400 < b - a < 700 for a, b in pairwise(probes)), "tenths of a second"
    # The noise is over: the first bytes that are read again contain a frame.
    now_ns += SECOND
    while not budget.keeps(PIECE[:50], now_ns):
        now_ns += SECOND
    budget.count_frames(50, 1, now_ns)
    before = budget.dropped
    for number in range(2, 1000):
        now_ns += SECOND
        assert budget.keeps(PIECE[:50], now_ns)
        budget.count_frames(50, number, now_ns)
    assert budget.dropped == before


def test_noise_between_frames_is_kept_and_frames_that_come_in_pieces_are_no_noise() -> None:
    budget, now_ns, frames = Budget(), START_NS, 0
    for number in range(40 * 60 * 10):
        now_ns += SECOND // 10
        assert budget.keeps(PIECE[:1152], now_ns)
        frames += number % 50 == 0
        budget.count_frames(1152, frames, now_ns)
    bytewise = Budget()
    for number in range(2 * NOISE_AN_HOUR // 8):
        now_ns += SECOND // 250
        assert bytewise.keeps(b"a frame.", now_ns)
        bytewise.count_frames(8, number // 25, now_ns)


def test_the_next_line_of_a_device_gone_mad_gets_nothing_more() -> None:
    budget, now_ns, kept = Budget(), START_NS, 0
    for _ in range(60):  # lines that are given up after ten seconds and opened again: their links start counting over
        for _ in range(100):
            now_ns += SECOND // 10
            if budget.keeps(PIECE[:1152], now_ns):
                kept += 1152
                budget.count_frames(1152, 0, now_ns)
        budget.take_dropped(now_ns, ended=True)
    assert kept < NOISE_AN_HOUR + 11 * 2 * PROBE


@given(st.lists(st.tuples(st.integers(1, 300_000), st.integers(0, 3 * SECOND), st.booleans()), max_size=60))
def test_every_byte_is_kept_or_in_a_note_and_what_is_kept_is_bounded(
    arrivals: list[tuple[int, int, bool]],
) -> None:
    budget, now_ns, kept, frames = Budget(), START_NS, 0, 0
    lost, notes = hashlib.sha256(), list[BytesDropped]()
    for size, wait_ns, valid in arrivals:
        now_ns += wait_ns
        if budget.keeps(b"z" * size, now_ns):
            kept += size
            frames += valid
            budget.count_frames(size, frames, now_ns)
        found = budget.take_dropped(now_ns)
        notes += [found] if found is not None else []
    found = budget.take_dropped(now_ns, ended=True)
    notes += [found] if found is not None else []
    total = sum(size for size, _, _ in arrivals)
    assert kept + sum(each.count for each in notes) == total
    assert budget.dropped == total - kept
    assert kept <= BURST + (now_ns - START_NS) * RATE // SECOND + RATE
    for each in notes:
        lost = hashlib.sha256(b"z" * each.count)
        assert each.sha256 == lost.hexdigest()


@pytest.mark.parametrize("note", ["", CLOSED, LINE_LOST + "line flooded: 1 bytes", "line flooded: 0 bytes not kept"])
def test_only_our_note_is_one(note: str) -> None:
    assert parse_note(note) is None
    said = BytesDropped(7, hashlib.sha256(b"1234567").hexdigest())
    assert parse_note(note_text(said)) == said


# ------------------------------------------------------------------ the result


class Kept:
    """A record of one line, with the lines as a player needs them."""

    def __init__(self, dialect: str, kind: str) -> None:
        self.chunks: list[Chunk] = []
        self.interfaces = [Interface("line", kind, dialect, "x", 9600)]
        self.path = None

    def chunk(self, interface: int, at_ns: int, sent: bool, data: bytes) -> None:
        self.chunks.append(Chunk(interface, at_ns, sent, data))

    def note(self, interface: int, at_ns: int, text: str) -> None:
        self.chunks.append(Chunk(interface, at_ns, False, b"", text))


class Table:
    """A device of this dialect on a recorded line with a budget."""

    def __init__(self, dialect: str, kind: str) -> None:
        self.clock = ManualClock(START_NS)
        self.kept, self.seen = Kept(dialect, kind), list[Seen]()
        host, self.device = memory_pair(self.clock)
        known = dialect_named(dialect)
        line = Recorded(host, self.kept, 0, self.clock, Budget(8192, 65536))
        link = known.make_link(kind, Role.OBSERVE, False)
        self.session = Session("line", line, link, known.driver(kind, where="x"), self.clock, self.seen.append)
        self.session.start()

    def hear(self, data: bytes, after_ns: int = SECOND) -> None:
        self.clock.advance(after_ns)
        while (due := self.session.next_deadline_ns) is not None and due < self.clock.now_ns():
            self.session.on_deadline(due)
            self.session.on_readable(self.clock.now_ns())
        while data:
            data = data[self.device.write(data) :]
            self.session.on_readable(self.clock.now_ns())

    def played_again(self) -> list[Seen]:
        found: list[Seen] = []
        player = Player(self.kept, lambda _: found.append, PlayStats())  # type: ignore[arg-type]
        for chunk in self.kept.chunks:
            player.take(chunk)
        player.finish()
        return found

    def bodies(self) -> list[Body]:
        return [seen.body for seen in self.seen]


CARD = encode_frame("Game", "Card:10H")


def test_what_lies_around_bytes_that_were_not_kept_is_never_one_report() -> None:
    """A shoe without checks: the head of one item and the tail of another must not become a card."""
    table = Table("bee-tek", "shoe")
    table.hear(CARD)
    table.hear(b"\xff" * 60_000)
    table.hear(b" [Game]<Card:1", SECOND // 100)
    table.hear(b"\xff" * 20_000, SECOND // 100)
    table.hear(b"0S> " + CARD, 3 * SECOND)
    table.session.close()
    cards = [body for body in table.bodies() if isinstance(body, CardDrawn)]
    assert [card.card.text for card in cards] == ["TH", "TH"]
    kinds = [type(body) for body in table.bodies()]
    assert EventsLost in kinds[kinds.index(CardDrawn) : len(kinds) - kinds[::-1].index(CardDrawn)]
    assert table.played_again() == table.seen


@pytest.mark.every(5)
@pytest.mark.parametrize(("dialect", "kind"), [("tdp", "shuffler"), ("angel-eye", "shoe"), ("bee-tek", "shoe")])
@pytest.mark.parametrize("noise", [b"\0", b"\xff", b"<", b"\x05", b"\x06", b" "])
@pytest.mark.parametrize("end", ["closed", "abandoned", "lost"])
def test_a_record_gives_again_what_a_flooded_line_gave(dialect: str, kind: str, noise: bytes, end: str) -> None:
    table = Table(dialect, kind)
    for _ in range(6):
        table.hear(noise * 30_000, SECOND // 50)
    for after_s in (1, 1, 5, 90, 1):
        table.hear(noise * 6_000, after_s * SECOND)
    if end == "closed":
        table.session.close()
    elif end == "abandoned":
        table.session.abandon("nothing valid heard")
    else:
        table.hear(noise * 90_000, 1)
        table.device.close()
        table.session.on_readable(table.clock.now_ns())
    dropped = [body for body in table.bodies() if isinstance(body, BytesDropped)]
    assert len(dropped) >= 2
    kept = sum(len(chunk.data) for chunk in table.kept.chunks if not chunk.sent)
    given = 6 * 30_000 + 5 * 6_000 + (90_000 if end == "lost" else 0)
    assert kept + sum(body.count for body in dropped) == given
    assert table.played_again() == table.seen
