"""Sheets of rounds that were corrected, held, called a misdeal, broken off, heard again, or are still being dealt."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pypdf
import pytest
from msgspec.structs import replace

from dealwire.hub.lines import ClockSet, StatusLine
from dealwire.journal import Journal
from dealwire.journal.rounds import RoundReader
from dealwire.sheet.clocks import ClockReading
from dealwire.sheet.gather import MadeWith, RoundUnknown, TableUnknown, gather, table_of
from dealwire.sheet.model import RoundSheet
from dealwire.sheet.pdf import pdf_of
from dealwire.sheet.sections import paper_of
from dealwire.sheet.text import text_of
from devices import events as e
from devices.clock import ManualClock
from devices.events import Seen
from tests.support.dealing.hand_table import CONTROLLER, DEVICE, HandTable
from tests.support.dealing.plays import go_on
from tests.support.dealing.round_journals import TABLE, exported, write_rounds

GAME = "flushes-gone-wild.co"
BEGIN = ["bets 1: ante 500, blind 500", "bets 2: ante 500, blind 500", "start"]
PACKETS = [
    "packet community: 7H KD 2C 9S 4D",
    "packet seat 1: AH KH QH JH TH",
    "packet seat 2: AD 3D QD JD TD",
    "packet dealer: 2S 3S 4S 5S 7C",
    "dump",
]
PLAY = ["burn community: 1 2 5", "choose 1: play, play 1000", "choose 2: play, play 1000"]
SHOW = ["show dealer: 2S 3S 4S 5S 7C", "show community: 2C 9S", "show seat 1: AH KH QH JH TH"]
END = ["show seat 2: AD 3D QD JD TD", "end"]
SECOND = 1_000_000_000


def told(*lines: str) -> list[Seen]:
    return go_on(HandTable(GAME), " / ".join(lines)).seen


def sheet_of(path: Path, number: int = 1, record: int | None = None) -> RoundSheet:
    with RoundReader(path) as reader:
        return gather(reader, table_of(reader, None), number, MadeWith(1_800_000_000 * SECOND), record=record)


def sheet(folder: Path, seen: Sequence[Seen], *, ends: bool = True, number: int = 1) -> RoundSheet:
    write_rounds(folder / "j", GAME, seen, ends=ends)
    return sheet_of(folder / "j", number)


def text(found: RoundSheet) -> str:
    return " ".join("\n".join(text_of(paper_of(found), 500)).split())


def test_a_correction_shows_both_readings_the_badge_and_what_it_undid(tmp_path: Path) -> None:
    found = sheet(
        tmp_path, told(*BEGIN, *PACKETS, "count seat 1: 4", "correct seat 1: ?? ?? ?? ?? ??", *PLAY, *SHOW, *END)
    )
    (corrected,) = [each for each in found.incidents if each.incident.code == "hand-corrected"]
    assert (corrected.incident.counted, corrected.incident.expected, corrected.incident.badge) == (5, 4, 77)
    assert corrected in found.corrections
    assert found.outcome == "complete"
    said = text(found)
    assert "badge 77 (supervisor)" in said
    assert corrected.text in said
    assert f"Earlier finding: {corrected.cause}" in said
    assert any("badge 77" in note.text for note in found.people)


def test_a_bet_that_is_held_stands_apart_with_whoever_may_decide(tmp_path: Path) -> None:
    found = sheet(tmp_path, told(*BEGIN, *PACKETS, *PLAY, *SHOW, "end"))  # nobody showed seat 2
    (settled,) = exported(tmp_path / "j", "settlement")
    held = [each for each in settled["lines"] if each["result"] == "held"]
    assert held
    assert [(line.seat, line.bet, line.stake) for line in found.held] == [
        (x["seat"], x["bet"], x["stake"]) for x in held
    ]
    said = text(found)
    assert "After END GAME, this program neither pays nor takes a held bet" in said
    assert f"${sum(each['stake'] for each in held) / 100:,.2f}" in said
    assert "Signature: ____" in said


def test_that_held_money_was_settled_by_hand_stands_on_the_sheet_of_its_round_alone(tmp_path: Path) -> None:
    write_rounds(tmp_path / "j", GAME, told(*BEGIN, *PACKETS, *PLAY, *SHOW, "end"))
    with Journal(tmp_path / "j", key=None, clock=ManualClock(1_800_000_000 * SECOND)) as journal:
        for number in (12, 1):
            line = StatusLine(table=TABLE, kind="action", text=f"supervisor: round {number}", round=number)
            journal.publish(TABLE, "status", 1_800_000_000 * SECOND, line.to_json())
        journal.commit()
    found = sheet_of(tmp_path / "j")
    assert [note.text for note in found.released] == ["supervisor: round 1"]
    assert "supervisor: round 1 (record" in text(found)


def test_a_misdeal_says_who_called_it_and_what_goes_back(tmp_path: Path) -> None:
    found = sheet(tmp_path, told(*BEGIN, *PACKETS[:3], "misdeal", "end"))
    assert found.outcome == "misdeal"
    (called,) = [each for each in found.corrections if each.incident.code == "misdeal-called"]
    (line,) = exported(tmp_path / "j", "round")
    assert called.text in [each["text"] for each in line["incidents"]]
    assert "returned: ante $5.00, blind $5.00" in text(found)
    assert all(each.result == "returned" for each in found.versions[0].settlement.lines)  # type: ignore[union-attr]


def test_a_round_that_was_broken_off_has_no_end_game(tmp_path: Path) -> None:
    found = sheet(tmp_path, told(*BEGIN, *PACKETS, *PLAY))
    assert (found.state, found.outcome, found.over) == ("ended", "unreliable", None)
    said = text(found)
    assert "ended without END GAME" in said
    assert "Nothing is settled" in said
    assert "TH" not in said.replace("THE", ""), "a face that nobody has shown"


def test_a_round_that_is_being_dealt_is_marked_and_names_no_hidden_face(tmp_path: Path) -> None:
    table = HandTable(GAME, reads=True)
    go_on(table, " / ".join([*BEGIN, *PACKETS, "burn community: 1 2 5", "choose 1: play, play 1000", SHOW[0]]))
    found = sheet(tmp_path, table.seen, ends=False)
    assert (found.state, found.outcome, found.versions, found.over) == ("under-way", None, (), None)
    assert found.began is not None
    places = {hand.place: hand for hand in (found.so_far.hands if found.so_far else ())}
    assert places["seat 1"].wagers == {"ante": 500, "blind": 500, "play": 1000}
    assert places["seat 1"].choices == ("play",)
    assert places["dealer"].cards == ("2S", "3S", "4S", "5S", "7C")
    assert [packet.counted for packet in found.so_far.packets] == [5, 5, 5, 5]  # type: ignore[union-attr]
    said = text(found)
    assert "not ended" in said
    for face in ("AH", "KH", "QH", "JH", "AD", "3D", "QD", "JD"):
        assert face not in said
        assert face not in found.to_json()


def test_a_round_that_never_ended_is_found_all_the_same(tmp_path: Path) -> None:
    seen = told(*BEGIN, *PACKETS)
    write_rounds(tmp_path / "j", GAME, seen, ends=False)
    with Journal(tmp_path / "j", key=None, clock=ManualClock(seen[-1].at_ns + SECOND)) as journal:
        journal.started(TABLE, seen[-1].at_ns + SECOND, "{}")
        journal.commit()
    assert sheet_of(tmp_path / "j").state == "given-up"


def test_a_round_that_is_heard_again_shows_both_and_the_money_of_one(tmp_path: Path) -> None:
    seen = told(*BEGIN, *PACKETS, *PLAY, *SHOW, *END)
    later = seen[-1].at_ns + 60 * SECOND - seen[0].at_ns
    again = [replace(each, at_ns=each.at_ns + later) for each in seen]
    changed = e.SessionChanged(0x0C0FFEE0, 0x0C0FFEE0)
    between = [Seen(CONTROLLER, 0x0C0FFEE0, 0, again[0].at_ns, changed)]
    found = sheet(tmp_path, [*seen, *between, *again])
    assert len(exported(tmp_path / "j", "settlement")) == 1
    assert [(each.settled, each.newest) for each in found.versions] == [(True, False), (False, True)]
    said = text(found)
    assert "no: already settled newest" in said
    assert "The result of record" in said


def test_of_two_rounds_with_one_number_the_newest_and_the_other_by_its_record(tmp_path: Path) -> None:
    seen = told(*BEGIN, *PACKETS, *PLAY, *SHOW, *END)
    later = seen[-1].at_ns + 60 * SECOND - seen[0].at_ns
    other = [
        replace(each, at_ns=each.at_ns + later, session=each.session + 1 if each.device in (CONTROLLER, DEVICE) else 0)
        for each in seen
    ]
    newest = sheet(tmp_path, [*seen, *other])
    (first,) = newest.others
    older = sheet_of(tmp_path / "j", record=first.record)
    assert older.versions[0].at.record == first.record
    assert older.versions[0].result.session != newest.versions[0].result.session
    assert f"(record {first.record})" in text(newest)
    with pytest.raises(RoundUnknown, match=f"it is at {newest.versions[0].at.record}, {first.record}"):
        sheet_of(tmp_path / "j", record=2)


def test_what_is_not_there_names_what_is(tmp_path: Path) -> None:
    write_rounds(tmp_path / "j", GAME, told(*BEGIN, *PACKETS, *PLAY, *SHOW, *END))
    with pytest.raises(
        RoundUnknown, match="round 9 of table 'table-1' is not in this journal; there are rounds 1 to 1"
    ):
        sheet_of(tmp_path / "j", 9)
    with Journal(tmp_path / "j", key=None, clock=ManualClock(1_800_000_000 * SECOND)) as journal:
        journal.started("table-2", 1_800_000_000 * SECOND, "{}")
        journal.commit()
    with pytest.raises(
        TableUnknown, match="it holds several tables; name one with --table; there are table-1, table-2"
    ):
        sheet_of(tmp_path / "j", 1)


# ------------------------------------------------------------------ two clocks


def test_a_camera_finds_the_moment_by_the_wall_clock(tmp_path: Path) -> None:
    """The host's clock was a quarter of a second ahead when the journal was opened, and was set since."""
    seen = told(*BEGIN, *PACKETS, *PLAY, *SHOW, *END)
    write_rounds(tmp_path / "j", GAME, seen)
    found = sheet_of(tmp_path / "j")
    (ended,) = [each for each in exported(tmp_path / "j", "event") if each["event"] == "GameEnded"]
    assert found.over is not None
    assert found.over.at_ns == ended["at_ns"]
    assert found.over.wall_ns == ended["at_ns"] + 250_000_000
    assert (found.clock.offset_ns, found.clock.within_ns) == (250_000_000, SECOND)
    assert "0.250 s ahead of the journal's" in text(found)
    assert found.over.local[-10:-6].startswith(".")


def test_a_clock_that_was_set_is_named_and_gone_by(tmp_path: Path) -> None:
    seen = told(*BEGIN, *PACKETS, *PLAY, *SHOW, *END)
    write_rounds(tmp_path / "j", GAME, seen, ends=False)
    at_ns = seen[-1].at_ns
    told_then = ClockSet(-3600 * SECOND, at_ns - 3600 * SECOND, at_ns, False)
    line = StatusLine(table=TABLE, kind="clock-step", text="the host's clock was set back", clock=told_then)
    with Journal(tmp_path / "j", key=None, clock=ManualClock(at_ns)) as journal:
        journal.publish(TABLE, "status", at_ns, line.to_json())
        for each in told(*BEGIN):
            moved = replace(each, at_ns=each.at_ns + at_ns - seen[0].at_ns + 900 * SECOND)
            body = replace(moved.body, round=2) if isinstance(moved.body, e.GameStarted) else moved.body
            if isinstance(body, e.GameStarted):
                fields = {"device": each.device, "event": "GameStarted", "fields": {"round": 2}}
                journal.publish(TABLE, "event", moved.at_ns, json.dumps(fields))
        journal.commit()
    found = sheet_of(tmp_path / "j", 2)
    assert [note.text for note in found.clock.steps] == ["the host's clock was set back"]
    assert found.began is not None
    assert found.began.wall_ns is not None
    passed_ns = found.began.at_ns - at_ns
    assert found.began.wall_ns == at_ns - 3600 * SECOND + passed_ns * 10 // 9


@pytest.mark.parametrize(
    ("reading", "at_s", "wall_s"),
    [
        (ClockReading(1, 100 * SECOND, 100 * SECOND), 150, 150),
        (ClockReading(1, 400 * SECOND, 100 * SECOND), 150, 450),
        (ClockReading(1, 400 * SECOND, 100 * SECOND, followed=True), 450, 450),
        (ClockReading(1, 91 * SECOND, 100 * SECOND), 118, 111),
        (ClockReading(1, 91 * SECOND, 100 * SECOND), 500, 500),
        (ClockReading(1, None, 100 * SECOND), 500, None),
    ],
)
def test_the_wall_clock_follows_from_the_journals(reading: ClockReading, at_s: int, wall_s: int | None) -> None:
    assert reading.wall_at(at_s * SECOND) == (wall_s * SECOND if wall_s is not None else None)


# ------------------------------------------------------------------ on paper


def test_every_bet_and_card_is_in_the_pdf(tmp_path: Path) -> None:
    found = sheet(tmp_path, told(*BEGIN, *PACKETS, *PLAY, *SHOW, *END))
    content = pdf_of(paper_of(found))
    assert pdf_of(paper_of(found)) == content, "one sheet, one file"
    (tmp_path / "sheet.pdf").write_bytes(content)
    pages = [page.extract_text() for page in pypdf.PdfReader(tmp_path / "sheet.pdf").pages]
    said = " ".join(" ".join(pages).split())
    (settled,) = exported(tmp_path / "j", "settlement")
    for line in settled["lines"]:
        assert f"{line['why']} [{line['clause']}]" in said
        assert f"{line['seat']} {line['bet']} ${line['stake'] / 100:,.2f} {line['result']}" in said
    assert all(f"page {at} of {len(pages)}" in page for at, page in enumerate(pages, 1))
    assert all("Dispute sheet: table table-1, round 1" in page for page in pages)
    assert "♥" in said


def test_a_name_that_the_fonts_have_not_is_written_by_its_letters_numbers(tmp_path: Path) -> None:
    found = sheet(tmp_path, told(*BEGIN, *PACKETS, *PLAY, *SHOW, *END))
    content = pdf_of(paper_of(replace(found, table="Стол <b>5</b> é")))
    (tmp_path / "sheet.pdf").write_bytes(content)
    said = pypdf.PdfReader(tmp_path / "sheet.pdf").pages[0].extract_text()
    assert "\\u0421\\u0442\\u043e\\u043b <b>5</b> é" in said
