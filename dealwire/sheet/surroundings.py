"""What happened around a round: what people did beside the game, what became of lines, and which devices there were."""

from collections.abc import Iterable, Mapping
from typing import Final

from dealwire.journal.contents import JournalLine
from dealwire.journal.records import LINE, NOTE, OPENED, RESUMED, STARTED, STOPPED, JournalRecord
from dealwire.journal.rounds import RoundPlace, RoundReader
from dealwire.sheet.clocks import Times
from dealwire.sheet.model import SheetDevice, SheetNote
from dealwire.sheet.window import JournalledEvent, RoundWindow, fields_of

LOOK_BACK: Final = 200_000
"""Records before the round in which a device's last word about itself is looked for; before, only its first is."""
LOOK_AHEAD: Final = 200_000
"""Records after the round in which it may have come again, or what was held of it was settled by hand."""
FIRST_WORDS: Final = 5_000
"""Records after a line was registered in which its device says who it is."""

_BY_PEOPLE: Final = ("action", "access")
_OF_LINES: Final = ("line-up", "line-lost", "started", "stopped", "safe-stop", "warning", "clock-step")
_BADGES: Final[Mapping[str, str]] = {
    "BadgeSwiped": "a badge is swiped",
    "MisdealCalled": "a misdeal is called",
    "MisdealCleared": "a misdeal is cleared",
    "HandCorrected": "what was keyed for {place} is corrected",
    "ShoeErrorCleared": "the shoe's trouble {fault} is cleared",
    "Confirmed": "CONFIRM is pressed",
}
"""Reports that a person made, in words."""
_LINE_EVENTS: Final[Mapping[str, str]] = {
    "LinkLost": "its line is lost: {why}",
    "SessionChanged": "it started anew: what it did around that is not known",
    "SessionReturned": "a session that it had left is heard again",
    "EventsLost": "its events {first} to {last} cannot be had any more",
    "Booted": "it started, start number {boot_count}",
}
"""Reports about lines, in words; that a line is up and who is at its end is heard by its status and by the devices."""
_MARKS: Final[Mapping[str, str]] = {
    OPENED: "{program} opened the journal",
    STARTED: "the table begins anew",
    RESUMED: "the table goes on where it was broken off",
    STOPPED: "the table ends{why}",
}


def notes_of(records: Iterable[JournalRecord], times: Times) -> tuple[SheetNote, ...]:
    """Status lines, as notes."""
    return tuple(_status(record, times) for record in records)


def people_of(window: RoundWindow, times: Times) -> tuple[SheetNote, ...]:
    """What people did beside the game: at the console, and with a badge at a device."""
    found = [_status(record, times) for record in window.of("status") if _kind(record) in _BY_PEOPLE]
    found += [_badge(event, times) for event in window.events_of(*_BADGES)]
    return tuple(sorted(found, key=lambda note: note.at.record))


def lines_of(window: RoundWindow, times: Times, lines: Mapping[int, JournalLine]) -> tuple[SheetNote, ...]:
    """What became of lines, of the program and of the table."""
    found = [_status(record, times) for record in window.of("status") if _kind(record) in _OF_LINES]
    for event in window.events_of(*_LINE_EVENTS):
        text = _LINE_EVENTS[event.event].format_map(event.fields)
        found.append(SheetNote(times.moment(event.record), event.event, event.device, f"{event.device}: {text}"))
    for record in window.of(NOTE):
        line = lines.get(record.line)
        name = line.name if line is not None else f"line {record.line}"
        text = f"{name}: {record.payload.decode('utf-8', 'replace')}"
        found.append(SheetNote(times.moment(record), NOTE, name, text))
    found += [_mark(record, times) for record in window.of(*_MARKS)]
    return tuple(sorted(found, key=lambda note: note.at.record))


def released_of(reader: RoundReader, table: str, place: RoundPlace, times: Times) -> tuple[SheetNote, ...]:
    """What was said of the money that was held of a round, oldest first."""
    holding = {"status": f'"round":{place.number}'}
    ahead = reader.lines_back(table, holding, before=place.ends + LOOK_AHEAD, after=place.ends) if place.ends else ()
    found = [record for record in ahead if fields_of(record).get("round") == place.number]
    return notes_of(reversed(found), times)


def devices_of(reader: RoundReader, table: str, window: RoundWindow, times: Times) -> tuple[SheetDevice, ...]:
    """The devices of the table's lines, each as it last said who it is."""
    heard: dict[str, JournalledEvent] = {}
    holding = {"event": '"LinkUp"'}
    names = {line.name: line for line in reader.lines().values() if line.table == table}
    for record in reader.lines_back(table, holding, before=window.last + 1, after=window.first - LOOK_BACK):
        _hear(heard, record)
        if heard.keys() >= names.keys():
            break
    registered = reader.mark(LINE, table, window.last)
    if registered is not None and not heard.keys() >= names.keys():
        up_to = registered.sequence + FIRST_WORDS
        for record in reader.lines_back(table, holding, before=up_to, after=registered.sequence):
            _hear(heard, record)
    found = [
        _device(name, heard.get(name), names.get(name), times) for name in [*names, *(heard.keys() - names.keys())]
    ]
    return tuple(sorted(found, key=lambda each: each.name))


def _hear(heard: dict[str, JournalledEvent], record: JournalRecord) -> None:
    event = JournalledEvent.of(record)
    if event.event == "LinkUp":
        heard.setdefault(event.device, event)


def _device(name: str, event: JournalledEvent | None, line: JournalLine | None, times: Times) -> SheetDevice:
    dialect, kind = (line.dialect, line.device) if line is not None else ("", "")
    if event is None:
        return SheetDevice(name, kind, "", "", "", "", "", None, dialect, None)
    fields = event.fields
    return SheetDevice(
        name=name,
        kind=fields["device_class"] or kind,
        maker=fields["maker"],
        model=fields["model"],
        serial=fields["serial"],
        firmware=fields["firmware"],
        firmware_digest=fields.get("firmware_digest", ""),
        recognises_cards=fields["recognises_cards"],
        dialect=dialect,
        at=times.moment(event.record),
    )


def _badge(event: JournalledEvent, times: Times) -> SheetNote:
    badge, level = event.fields.get("badge"), event.fields.get("level")
    who = None if badge is None else f"badge {badge}" if badge else "no badge, at the device itself"
    words = _BADGES[event.event].format_map(event.fields)
    by = f", {who}" + (f" ({level})" if level else "") if who is not None else ""
    return SheetNote(times.moment(event.record), event.event, who, f"{event.device}: {words}{by}")


def _status(record: JournalRecord, times: Times) -> SheetNote:
    line = fields_of(record)
    return SheetNote(times.moment(record), str(line.get("kind")), line.get("device"), str(line.get("text", "")))


def _kind(record: JournalRecord) -> str:
    return str(fields_of(record).get("kind"))


def _mark(record: JournalRecord, times: Times) -> SheetNote:
    fields = fields_of(record)
    why = f": {fields['why']}" if fields.get("why") else ""
    words = _MARKS[record.kind].format(program=fields.get("program", "a program"), why=why)
    return SheetNote(times.moment(record), record.kind, None, words)
