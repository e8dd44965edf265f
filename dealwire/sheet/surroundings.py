"""Events around a round: actions of people, events of lines, devices present."""

from collections.abc import Iterable, Mapping
from typing import Final

from dealwire.journal.contents import JournalLine
from dealwire.journal.records import LINE, NOTE, OPENED, RESUMED, STARTED, STOPPED, JournalRecord
from dealwire.journal.rounds import RoundPlace, RoundReader
from dealwire.sheet.clocks import Times
from dealwire.sheet.model import SheetDevice, SheetNote
from dealwire.sheet.window import JournalledEvent, RoundWindow, fields_of
from devices.listed import parse_note

LOOK_BACK: Final = 200_000
"""Records before the round in which a device's last identification is searched; beyond them, only its first is."""
LOOK_AHEAD: Final = 200_000
"""Records after the round in which a repetition, or the settlement of its held money, is searched."""
FIRST_WORDS: Final = 5_000
"""Records after the registration of a line in which its device identifies itself."""

_BY_PEOPLE: Final = ("action", "access")
_OF_LINES: Final = ("line-up", "line-lost", "started", "stopped", "safe-stop", "warning", "clock-step")
_BADGES: Final[Mapping[str, str]] = {
    "BadgeSwiped": "badge swiped",
    "MisdealCalled": "misdeal called",
    "MisdealCleared": "misdeal cleared",
    "HandCorrected": "entry for {place} corrected",
    "ShoeErrorCleared": "shoe error {fault} cleared",
    "Confirmed": "CONFIRM pressed",
}
"""Reports that a person made, in words."""
_LINE_EVENTS: Final[Mapping[str, str]] = {
    "LinkLost": "connection lost: {why}",
    "SessionChanged": "it restarted: what it did around the restart is unknown",
    "SessionReturned": "it reports in a session that it had left",
    "EventsLost": "events {first} to {last} are lost",
    "Booted": "it started, start number {boot_count}",
}
"""Reports about lines, in words; that a line is up and who is at its end is heard by its status and by the devices."""
_MARKS: Final[Mapping[str, str]] = {
    OPENED: "{program} opened the journal",
    STARTED: "the table starts a new record",
    RESUMED: "the table resumes where it was interrupted",
    STOPPED: "the table ends{why}",
}


def notes_of(records: Iterable[JournalRecord], times: Times) -> tuple[SheetNote, ...]:
    """Return status lines as notes."""
    return tuple(_status(record, times) for record in records)


def people_of(window: RoundWindow, times: Times) -> tuple[SheetNote, ...]:
    """Return the actions of people outside the game: at the console, and with a badge at a device."""
    found = [_status(record, times) for record in window.of("status") if _kind(record) in _BY_PEOPLE]
    found += [_badge(event, times) for event in window.events_of(*_BADGES)]
    return tuple(sorted(found, key=lambda note: note.at.record))


def lines_of(window: RoundWindow, times: Times, lines: Mapping[int, JournalLine]) -> tuple[SheetNote, ...]:
    """Return the events of lines, program and table."""
    found = [_status(record, times) for record in window.of("status") if _kind(record) in _OF_LINES]
    for event in window.events_of(*_LINE_EVENTS):
        text = _LINE_EVENTS[event.event].format_map(event.fields)
        found.append(SheetNote(times.moment(event.record), event.event, event.device, f"{event.device}: {text}"))
    for record in window.of(NOTE):
        line = lines.get(record.line)
        name = line.name if line is not None else f"line {record.line}"
        text = f"{name}: {_note_words(record.payload.decode('utf-8', 'replace'))}"
        found.append(SheetNote(times.moment(record), NOTE, name, text))
    found += [_mark(record, times) for record in window.of(*_MARKS)]
    return tuple(sorted(found, key=lambda note: note.at.record))


def released_of(reader: RoundReader, table: str, place: RoundPlace, times: Times) -> tuple[SheetNote, ...]:
    """Return the reports that held money of a round was settled, oldest first."""
    holding = {"status": f'"round":{place.number}'}
    ahead = reader.lines_back(table, holding, before=place.ends + LOOK_AHEAD, after=place.ends) if place.ends else ()
    found = [record for record in ahead if fields_of(record).get("round") == place.number]
    return notes_of(reversed(found), times)


def devices_of(reader: RoundReader, table: str, window: RoundWindow, times: Times) -> tuple[SheetDevice, ...]:
    """Return the devices of the table's lines, each as it last identified itself."""
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
    if refused := event.fields.get("refused"):
        by += f", which does not count: {refused}"
    return SheetNote(times.moment(event.record), event.event, who, f"{event.device}: {words}{by}")


def _note_words(note: str) -> str:
    """Return a note as a sheet prints it: without the house's list of badges."""
    found = parse_note(note)
    return note if found is None else found.words


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
