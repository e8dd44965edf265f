"""Note in a line's record about a device that is active on another line at the same time.

A single line cannot detect this. The code that has all lines writes the note, and a replay applies it.
"""

from typing import Final

from devices.events import DeviceElsewhere

_THERE: Final = "the same device speaks elsewhere: "
_GONE: Final = "the same device speaks nowhere else any more"


def note_text(found: DeviceElsewhere) -> str:
    """Return the note for `found`."""
    return _THERE + found.where if found.where else _GONE


def parse_note(note: str) -> DeviceElsewhere | None:
    """Return the argument of `note_text` for its note; None for any other note."""
    if note == _GONE:
        return DeviceElsewhere("")
    return DeviceElsewhere(note.removeprefix(_THERE)) if note.startswith(_THERE) else None
