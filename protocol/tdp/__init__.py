"""The Table Device Protocol: framing, packets, messages, codec, link. `docs/protocol.md` is its specification.

Both ends of a link are without I/O: bytes and times in, outputs out. `protocol.tdp.messages` defines the messages.
"""

from typing import TYPE_CHECKING

from protocol.lazy import lazy_exports

if TYPE_CHECKING:
    from protocol.tdp.codec import Envelope as Envelope
    from protocol.tdp.codec import Unknown as Unknown
    from protocol.tdp.codec import decode as decode
    from protocol.tdp.codec import describe as describe
    from protocol.tdp.codec import encode as encode
    from protocol.tdp.device_link import DeviceLink as DeviceLink
    from protocol.tdp.event_store import EventStore as EventStore
    from protocol.tdp.framing import Frame as Frame
    from protocol.tdp.framing import Framer as Framer
    from protocol.tdp.framing import Noise as Noise
    from protocol.tdp.framing import encode_frame as encode_frame
    from protocol.tdp.host_link import HostLink as HostLink
    from protocol.tdp.outputs import Answered as Answered
    from protocol.tdp.outputs import Brought as Brought
    from protocol.tdp.outputs import Commanded as Commanded
    from protocol.tdp.outputs import Delivered as Delivered
    from protocol.tdp.outputs import Discarded as Discarded
    from protocol.tdp.outputs import Down as Down
    from protocol.tdp.outputs import HostBack as HostBack
    from protocol.tdp.outputs import HostLost as HostLost
    from protocol.tdp.outputs import LinkState as LinkState
    from protocol.tdp.outputs import LinkStats as LinkStats
    from protocol.tdp.outputs import Lost as Lost
    from protocol.tdp.outputs import Opened as Opened
    from protocol.tdp.outputs import Output as Output
    from protocol.tdp.outputs import Progressed as Progressed
    from protocol.tdp.outputs import Returned as Returned
    from protocol.tdp.outputs import Send as Send
    from protocol.tdp.outputs import SessionRestarted as SessionRestarted
    from protocol.tdp.outputs import Standing as Standing
    from protocol.tdp.outputs import StatusSeen as StatusSeen
    from protocol.tdp.outputs import Timing as Timing
    from protocol.tdp.outputs import Unanswered as Unanswered
    from protocol.tdp.outputs import UnknownEvent as UnknownEvent
    from protocol.tdp.outputs import Up as Up

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "protocol.tdp.codec": "Envelope Unknown decode describe encode",
        "protocol.tdp.device_link": "DeviceLink",
        "protocol.tdp.event_store": "EventStore",
        "protocol.tdp.framing": "Frame Framer Noise encode_frame",
        "protocol.tdp.host_link": "HostLink",
        "protocol.tdp.outputs": (
            "Answered Brought Commanded Delivered Discarded Down HostBack HostLost LinkState LinkStats Lost Opened "
            "Output Progressed Returned Send SessionRestarted Standing StatusSeen Timing Unanswered UnknownEvent Up"
        ),
    },
)
