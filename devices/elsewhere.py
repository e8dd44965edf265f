"""What the record of a line says of a device that is on another line at the same time.

One line cannot know it: whoever has all of them notes it, and from the note all that follows can be dealt again.
"""

from typing import Final

from devices.events import DeviceElsewhere

_THERE: Final = "the same device speaks elsewhere: "
_GONE: Final = "the same device speaks nowhere else any more"


def note_of(found: DeviceElsewhere) -> str:
    """What is written of it."""
    return _THERE + found.where if found.where else _GONE


def noted(note: str) -> DeviceElsewhere | None:
    """What `note_of` was given; None for any other note."""
    if note == _GONE:
        return DeviceElsewhere("")
    return DeviceElsewhere(note.removeprefix(_THERE)) if note.startswith(_THERE) else None
