"""Device layer: everything between bytes and `devices.events` - lines, sessions, drivers and simulators."""

from typing import TYPE_CHECKING

from protocol.lazy import lazy_exports

if TYPE_CHECKING:
    from devices.clock import ManualClock as ManualClock
    from devices.clock import SystemClock as SystemClock
    from devices.dialects.known import dialect_named as dialect_named
    from devices.dialects.known import dialect_names as dialect_names
    from devices.drive.address import open_transport as open_transport
    from devices.drive.driving import Shoe as Shoe
    from devices.drive.driving import Shuffler as Shuffler
    from devices.drive.driving import TableController as TableController
    from devices.drive.driving import open_device as open_device
    from devices.drive.replay import play as play
    from devices.events import Seen as Seen
    from devices.line.loop import Owner as Owner
    from devices.line.session import Session as Session
    from devices.line.supervisor import Supervisor as Supervisor
    from devices.record.capture import Capture as Capture
    from devices.record.recording import CaptureWriter as CaptureWriter
    from devices.record.recording import Recorded as Recorded

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "devices.record.capture": "Capture",
        "devices.clock": "ManualClock SystemClock",
        "devices.dialects.known": "dialect_named dialect_names",
        "devices.events": "Seen",
        "devices.line.loop": "Owner",
        "devices.record.recording": "CaptureWriter Recorded",
        "devices.drive.replay": "play",
        "devices.line.session": "Session",
        "devices.drive.driving": "Shoe Shuffler TableController open_device",
        "devices.line.supervisor": "Supervisor",
        "devices.drive.address": "open_transport",
    },
)
