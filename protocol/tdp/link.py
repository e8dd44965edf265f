"""Both ends of a TDP link, without I/O: bytes and times in, outputs out. The public names, in one place."""

from protocol.tdp.device_link import DeviceLink as DeviceLink
from protocol.tdp.event_store import EventStore as EventStore
from protocol.tdp.host_link import HostLink as HostLink
from protocol.tdp.outputs import Answered as Answered
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
from protocol.tdp.outputs import Send as Send
from protocol.tdp.outputs import SessionChanged as SessionChanged
from protocol.tdp.outputs import Standing as Standing
from protocol.tdp.outputs import StatusSeen as StatusSeen
from protocol.tdp.outputs import Timing as Timing
from protocol.tdp.outputs import Unanswered as Unanswered
from protocol.tdp.outputs import UnknownEvent as UnknownEvent
from protocol.tdp.outputs import Up as Up
