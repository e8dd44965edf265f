"""Note in a line's record about the attestation of its device.

The one who asks holds the keys and the list of allowed firmware, which a replay has not: the verdict is written down,
and a replay applies it.
"""

from typing import Final

import msgspec

from devices.events import FirmwareAttested

_BEGINS: Final = "attestation: "
_DECODER: Final = msgspec.json.Decoder(FirmwareAttested)
_STATES: Final = ("awaited", "proved", "failed")


def note_text(found: FirmwareAttested) -> str:
    """Return the note for `found`."""
    return _BEGINS + msgspec.json.encode(found).decode()


def parse_note(note: str) -> FirmwareAttested | None:
    """Return the argument of `note_text` for its note; None for any other note."""
    if not note.startswith(_BEGINS):
        return None
    try:
        found = _DECODER.decode(note.removeprefix(_BEGINS))
    except msgspec.DecodeError:
        return None
    return found if found.state in _STATES else None
