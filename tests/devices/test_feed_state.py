"""The state of a line is complete: a feed that resumes from it delivers what the first would have delivered."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devices.dialects.known import dialect_named
from devices.drive.replay import Player, PlayStats
from devices.events import LinkLost, LinkUp, Seen, SessionChanged
from devices.feed_state import FeedState, LineStanding
from devices.line.session import Feed
from devices.record.capture import CLOSED, LINE_LOST, Capture, Chunk, Interface
from protocol.bee_tek.heard import BeeTekHeard
from protocol.link import Send
from protocol.tdp import encode, encode_frame
from protocol.tdp import messages as m
from protocol.tdp.messages import DeviceClass, Role
from tests.support.evenings.faulty_rounds import plan_of
from tests.support.evenings.handed_over import (
    Kept,
    check_handed_over,
    evening_beside_its_record,
    states_of,
    tdp_line,
    troubled_shoe,
    whole,
)
from tests.support.evenings.simulated_shoe import DIALECTS, START_NS, ShoeEvening
from tests.support.rigs.links import hello_reply

CAPTURES = sorted((Path(__file__).parents[2] / "captures").glob("[!u]*.pcapng"))
"""All except the USB recording, which is not a recording of a line."""
MS = 1_000_000


@pytest.mark.every(36)
@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: path.stem)
def test_a_capture_can_be_handed_over_at_every_rest(path: Path) -> None:
    assert check_handed_over(Kept.of(Capture.read(path)), restarts=2) > 10


@pytest.mark.every(4)
@pytest.mark.parametrize("seed", range(32))
def test_a_live_line_stands_where_the_player_of_its_record_says(seed: int) -> None:
    record, compared = evening_beside_its_record(plan_of(seed))
    assert compared > 100
    assert check_handed_over(record, restarts=2) > 10


def test_the_evenings_hold_what_they_are_for() -> None:
    seen: list[Seen] = []
    for seed in range(32):
        record, _ = evening_beside_its_record(plan_of(seed))
        player = Player(record, lambda _: seen.append, PlayStats())
        for chunk in record.chunks:
            player.take(chunk)
    bodies = {type(entry.body) for entry in seen}
    assert {LinkLost, LinkUp, SessionChanged} <= bodies


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=40)
@given(seed=st.integers(0, 2**32))
def test_a_troubled_shoe_can_be_handed_over_at_every_rest(dialect: str, seed: int) -> None:
    assert check_handed_over(troubled_shoe(dialect, seed), restarts=2) > 5


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_shoe_heard_live_and_listened_to_stand_alike(dialect: str) -> None:
    acts = ["fill", "begin 2", *["draw"] * 5, "draw unread", "clear", "draw", "end round"]
    heard = ShoeEvening(acts, dialect).run().heard
    feeds = []
    for role, listens in ((Role.OPERATE, False), (Role.OBSERVE, True)):
        link = dialect_named(dialect).make_link("shoe", role, listens)
        feeds.append(Feed("shoe-1", link, dialect_named(dialect).driver("shoe", where="test"), lambda _: None))
        feeds[-1].settle = lambda _: None
        feeds[-1].start(START_NS)
    rests = 0
    for at_ns, data in heard:
        for feed in feeds:
            feed.receive(data, at_ns)
        states = [feed.state() for feed in feeds]
        assert msgspec.json.encode(states[0]) == msgspec.json.encode(states[1])
        rests += states[0] is not None
    assert rests > len(heard) / 2


def test_nothing_came_a_line_lost_and_one_that_ended_for_good() -> None:
    record = Kept([tdp_line("shuffler")])
    player = Player(record, lambda _: lambda _: None, PlayStats())
    never = LineStanding(False, None)
    assert player.state(0) == never
    player.take(Chunk(0, 1, True, b"who is there"))
    assert player.state(0) == never, "to ask is not to hear"
    player.take(Chunk(0, 2, False, b"noise\0"))
    state = player.state(0)
    assert state is not None
    assert state.open
    player.take(Chunk(0, 3, False, b"", LINE_LOST + "unplugged"))
    state = player.state(0)
    assert state is not None
    assert not state.open
    assert state.feed is not None
    assert state.feed.lost == "unplugged"
    player.take(Chunk(0, 4, True, b"who is there"))
    assert player.state(0) == state, "the next line stands where this one did until it is heard"
    player.take(Chunk(0, 5, False, b"", CLOSED))
    assert player.state(0) == never


def test_half_a_frame_and_a_report_on_its_way_are_no_rest() -> None:
    record = Kept([tdp_line("shuffler")])
    inside: list[LineStanding | None] = []
    player = Player(record, lambda _: lambda _: inside.append(player.state(0)), PlayStats())
    player.take(Chunk(0, 1, False, b"half a fra"))
    assert player.state(0) is None
    player.take(Chunk(0, 2, False, b"", LINE_LOST + "unplugged"))
    assert inside == [None]
    assert player.state(0) is not None


def test_a_device_that_was_refused_stays_refused() -> None:
    """Its loss was reported; a feed that resumes neither reports it again nor accepts its events."""
    stranger = hello_reply(7, device_class=DeviceClass.SHOE)
    messages = [stranger, m.GreenButtonMessage(1, 5), stranger, m.GreenButtonMessage(2, 9)]
    wires = [encode_frame(encode(message), after_silence=True) for message in messages]
    record = Kept([tdp_line("shuffler")], [Chunk(0, at * MS, False, wire) for at, wire in enumerate(wires, 1)])
    assert check_handed_over(record) == 4
    reports, _ = whole(record)
    assert [seen.body for group in reports for seen in group] == [
        LinkLost("expected a shuffler on this line, found a shoe")
    ]


def test_what_was_heard_in_another_dialect_is_refused() -> None:
    record = Kept([tdp_line("shuffler")])
    player = Player(record, lambda _: lambda _: None, PlayStats())
    with pytest.raises(ValueError, match="state of another dialect, not TDP: BeeTekHeard"):
        player.resume(0, LineStanding(True, FeedState(0, None, BeeTekHeard())))


def test_a_dialect_that_cannot_say_it_is_never_at_rest() -> None:
    class Mute:
        next_deadline_ns = None

        def receive(self, data: bytes, now_ns: int) -> list[Send]:
            return []

    feed = Feed("x", Mute(), dialect_named("tdp").driver("shoe", where="test"), lambda _: None)  # type: ignore[arg-type]
    feed.receive(b"x", 1)
    assert feed.state() is None


def test_of_two_lines_due_at_once_the_first_is_first_whoever_opened_it() -> None:
    """A player that resumes does not know which line was opened first."""
    heard = ShoeEvening(["fill", "begin 2", "draw"], "tdp").run().heard
    lines = [Interface(name, "shoe", "tdp", "", 9600, "") for name in ("one", "two")]
    chunks = [Chunk(index, at_ns, False, data) for at_ns, data in heard for index in (1, 0)]
    chunks.append(Chunk(0, chunks[-1].at_ns + 10_000 * MS, False, b"", LINE_LOST + "unplugged"))
    record = Kept(lines, chunks)
    reports, _ = whole(record)
    lost = [seen.device for group in reports for seen in group if isinstance(seen.body, LinkLost)]
    assert lost == ["one", "two"]
    assert check_handed_over(record) > 0
    assert states_of(Player(record, lambda _: lambda _: None, PlayStats()), 2)
