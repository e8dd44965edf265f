"""The fast engine gives what the flow gives: the same rounds and incidents, byte for byte, and the same memory of the
decks; and it says which procedures it does not know."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from dealer_flow.express import ExpressFlow, Unmodelled
from dealer_flow.machine import DealerFlow
from dealer_flow.procedure import FOLDER, Procedure, known_procedures, load_procedure, parse_procedure
from dealer_flow.result import Incident, RoundResult
from devices.capture import LINE_LOST, Capture, Chunk, Interface
from devices.express import play_express
from devices.replay import PlayStats, play
from tests.support.evenings import Remembered, evening

CAPTURES = Path(__file__).parent.parent.parent / "captures"
MODELLED = {name for name in known_procedures() if name.startswith("flushes-gone-wild") and "single" not in name}
"""At least these; the files of other games say which of them are dealt as simply."""


def ordinary(capture: Capture, flow: DealerFlow) -> tuple[list[RoundResult | Incident], PlayStats]:
    told: list[RoundResult | Incident] = []
    stats = play(capture, lambda seen: told.extend(flow.handle(seen)))
    return told, stats


def express(capture: Capture, flow: DealerFlow) -> tuple[list[RoundResult | Incident], PlayStats, ExpressFlow]:
    told: list[RoundResult | Incident] = []
    desk = ExpressFlow(flow, told.append)
    stats = play_express(capture, desk)
    return told, stats, desk


def refusal(procedure: str) -> str | None:
    """Why the fast engine does not know this procedure."""
    try:
        ExpressFlow(DealerFlow(load_procedure(procedure)), print)
    except Unmodelled as why:
        return str(why)
    return None


def agree(capture: Capture, procedure: Procedure | None = None) -> ExpressFlow:
    reference, fast = (DealerFlow(procedure or load_procedure("flushes-gone-wild.co")) for _ in range(2))
    expected, counted = ordinary(capture, reference)
    told, stats, desk = express(capture, fast)
    assert stats == counted
    assert [item.to_json() for item in told] == [item.to_json() for item in expected]
    assert told == expected
    assert fast.decks == reference.decks
    assert fast.state is reference.state
    assert fast.finish() == reference.finish()
    return desk


@pytest.mark.parametrize("path", sorted(CAPTURES.glob("*.pcapng")), ids=lambda path: path.stem)
def test_on_every_recording(path: Path) -> None:
    capture = Capture.read(path)
    procedure = capture.procedure or "flushes-gone-wild.co"
    if refusal(procedure) is None:
        agree(Capture.read(path), load_procedure(procedure))


def test_a_clean_evening_is_judged_whole_but_for_its_first_round() -> None:
    desk = agree(evening(7, 40))
    assert (desk.taken, desk.refused) == (39, 0)


@pytest.mark.parametrize("seed", range(3))
def test_a_round_in_which_something_is_wrong_is_left_to_the_flow(seed: int) -> None:
    desk = agree(evening(seed, 25, troubles=0.4))
    assert 5 <= desk.taken < 25


@pytest.mark.parametrize("seed", range(2))
def test_however_the_bytes_are_cut(seed: int) -> None:
    random = Random(seed)
    chunks: list[Chunk] = []
    for chunk in evening(seed, 12, troubles=0.2).chunks:
        cut = random.randint(0, len(chunk.data))
        chunks += [chunk._replace(data=data) for data in (chunk.data[:cut], chunk.data[cut:]) if data]
    agree(Remembered(chunks, "flushes-gone-wild.co"))


@pytest.mark.parametrize(("reads", "waiting"), [(1, 4096), (30, 4096), (50, 10), (512, 4096)])
def test_however_much_is_read_at_once(monkeypatch: pytest.MonkeyPatch, reads: int, waiting: int) -> None:
    monkeypatch.setattr("devices.express.READS", reads)
    monkeypatch.setattr("devices.express.WAITING_MAX", waiting)
    agree(evening(3, 12, troubles=0.3))


def test_what_was_written_and_a_line_that_went_and_came_back() -> None:
    chunks = list(evening(11, 12).chunks)
    mixed: list[Chunk] = []
    for index, chunk in enumerate(chunks):
        mixed.append(chunk)
        if index % 3 == 0:
            mixed.append(Chunk(1 - chunk.interface, chunk.at_ns, True, b"\0to the device\0"))
        if index in (len(chunks) // 3, len(chunks) // 2):
            mixed.append(Chunk(chunk.interface, chunk.at_ns + 1, False, b"", LINE_LOST + "unplugged"))
    desk = agree(Remembered(mixed, "flushes-gone-wild.co"))
    assert 4 <= desk.taken < 11


class Growing(Remembered):
    """A recording in which another line is declared in the middle of a round."""

    @property
    def chunks(self) -> Iterator[Chunk]:
        self.interfaces = self.interfaces[:2]
        for index, chunk in enumerate(self._kept):
            yield chunk
            if index == len(self._kept) // 2:
                self.interfaces = [*self.interfaces, Interface("shoe", "shoe", "tdp", "", 115200, "")]
                yield Chunk(2, chunk.at_ns, False, b"\0")


def test_another_line_that_is_declared_in_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("devices.express.READS", 30)
    chunks = list(evening(2, 12).chunks)
    desk = agree(Growing(chunks, "flushes-gone-wild.co"))
    assert 4 <= desk.taken <= 7


@pytest.mark.parametrize("seed", range(4))
def test_bytes_that_were_lost_and_spoiled(seed: int) -> None:
    random = Random(seed)
    chunks: list[Chunk] = []
    for chunk in evening(seed, 12).chunks:
        data = bytearray(chunk.data)
        if random.random() < 0.02:
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        if random.random() > 0.005:
            chunks.append(chunk._replace(data=bytes(data)))
    agree(Remembered(chunks, "flushes-gone-wild.co"))


def test_a_deck_that_is_due_to_be_counted_is_asked_for_the_same_way() -> None:
    text = (FOLDER / "flushes-gone-wild.co.toml").read_text().replace("minutes = 30", "minutes = 1")
    procedure = parse_procedure(text, "one-minute.toml")
    capture = evening(3, 6, speed=0.7)
    desk = agree(capture, procedure)
    told, _ = ordinary(capture, DealerFlow(procedure))
    assert "deck-count-due" in [item.code for item in told if isinstance(item, Incident)]
    assert desk.refused


def test_cards_that_the_device_reads_are_left_to_the_flow() -> None:
    assert agree(evening(5, 5, recognition=True)).taken == 0


@pytest.mark.parametrize("procedure", known_procedures())
def test_every_procedure_is_known_or_refused_by_its_name(procedure: str) -> None:
    why = refusal(procedure)
    assert why is None or (procedure not in MODELLED and why.startswith(procedure))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_ten_thousand_rounds(seed: int) -> None:
    desk = agree(evening(1000 + seed, 100, troubles=0.0 if seed % 2 else 0.1))
    assert desk.taken > 60
