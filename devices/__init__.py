"""Lines, sessions, drivers and simulators: everything between bytes and `devices.events`."""

from typing import TYPE_CHECKING

from protocol.lazy import face

if TYPE_CHECKING:
    from devices.address import open_transport as open_transport
    from devices.capture import Capture as Capture
    from devices.clock import ManualClock as ManualClock
    from devices.clock import SystemClock as SystemClock
    from devices.dialects import dialect_named as dialect_named
    from devices.dialects import dialect_names as dialect_names
    from devices.driving import Shoe as Shoe
    from devices.driving import Shuffler as Shuffler
    from devices.driving import TableController as TableController
    from devices.driving import open_device as open_device
    from devices.events import Seen as Seen
    from devices.loop import Owner as Owner
    from devices.recording import CaptureWriter as CaptureWriter
    from devices.recording import Recorded as Recorded
    from devices.replay import play as play
    from devices.session import Session as Session
    from devices.supervisor import Supervisor as Supervisor

__all__, __getattr__, __dir__ = face(
    __name__,
    {
        "devices.capture": "Capture",
        "devices.clock": "ManualClock SystemClock",
        "devices.dialects": "dialect_named dialect_names",
        "devices.events": "Seen",
        "devices.loop": "Owner",
        "devices.recording": "CaptureWriter Recorded",
        "devices.replay": "play",
        "devices.session": "Session",
        "devices.driving": "Shoe Shuffler TableController open_device",
        "devices.supervisor": "Supervisor",
        "devices.address": "open_transport",
    },
)
