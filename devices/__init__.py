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
    from devices.events import Seen as Seen
    from devices.loop import Owner as Owner
    from devices.recording import CaptureWriter as CaptureWriter
    from devices.recording import Recorded as Recorded
    from devices.replay import play as play
    from devices.session import Session as Session
    from devices.shoe import Shoe as Shoe
    from devices.shuffler import Shuffler as Shuffler
    from devices.supervisor import Supervisor as Supervisor
    from devices.table_controller import TableController as TableController

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
        "devices.shoe": "Shoe",
        "devices.shuffler": "Shuffler",
        "devices.supervisor": "Supervisor",
        "devices.table_controller": "TableController",
        "devices.address": "open_transport",
    },
)
