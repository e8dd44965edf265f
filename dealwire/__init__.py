"""dealwire: a casino table's card devices, connected to the rules of the game.

The public names by job. Each name is imported on first use, so that importing one does not import the others.
"""

import importlib
from typing import TYPE_CHECKING, Any

from dealwire.version import __version__ as __version__
from protocol.lazy import lazy_exports

if TYPE_CHECKING:
    from dealer_flow.play.flow import DealerFlow as DealerFlow
    from dealer_flow.play.seen.legal import Legal as Legal
    from dealer_flow.play.seen.snapshot import Snapshot as Snapshot
    from dealer_flow.procedure.load import Procedure as Procedure
    from dealer_flow.procedure.load import check_procedure as check_procedure
    from dealer_flow.procedure.load import known_procedures as known_procedures
    from dealer_flow.procedure.load import load_procedure as load_procedure
    from dealer_flow.record.incidents import Incident as Incident
    from dealer_flow.record.result import RoundResult as RoundResult
    from dealwire.live import LineConfig as LineConfig
    from dealwire.live import LiveTable as LiveTable
    from dealwire.rehearsal.simulate import simulate as simulate
    from dealwire.table.replay import replay as replay
    from dealwire.table.table import Table as Table
    from dealwire.table.table import TableTerms as TableTerms
    from devices import events as events
    from devices.drive.driving import Shoe as Shoe
    from devices.drive.driving import Shuffler as Shuffler
    from devices.drive.driving import TableController as TableController
    from devices.drive.driving import open_device as open_device
    from devices.drive.replay import play as play
    from devices.events import Seen as Seen
    from devices.record.capture import Capture as Capture
    from devices.record.recording import CaptureWriter as CaptureWriter
    from protocol.cards import Card as Card
    from protocol.errors import DealwireError as DealwireError
    from protocol.errors import LineError as LineError
    from protocol.errors import LocalError as LocalError
    from protocol.errors import NoAnswer as NoAnswer
    from protocol.errors import NoEvent as NoEvent
    from protocol.errors import NotPermitted as NotPermitted
    from protocol.errors import NotUp as NotUp
    from protocol.errors import Refused as Refused
    from protocol.errors import RemoteError as RemoteError
    from protocol.errors import Unfinished as Unfinished
    from protocol.errors import WrongDevice as WrongDevice
    from protocol.tdp.messages import Role as Role
    from rules.game.load import Game as Game
    from rules.game.load import load_game as load_game
    from rules.settle.rounds import settle as settle
    from rules.settlement import Settlement as Settlement

JOBS = {
    "drive": {
        "devices.drive.driving": "open_device Shuffler Shoe TableController",
        "protocol.tdp.messages": "Role",
        "devices": "events",
        "devices.events": "Seen",
        "dealwire.live": "LiveTable LineConfig",
        "protocol.errors": (
            "DealwireError LocalError NotPermitted NotUp RemoteError Refused NoAnswer Unfinished NoEvent WrongDevice "
            "LineError"
        ),
    },
    "replay": {
        "dealwire.table.replay": "replay",
        "devices.drive.replay": "play",
        "devices.record.capture": "Capture",
        "devices.record.recording": "CaptureWriter",
    },
    "deal": {
        "dealer_flow.play.flow": "DealerFlow",
        "dealer_flow.procedure.load": "Procedure load_procedure known_procedures check_procedure",
        "dealer_flow.record.incidents": "Incident",
        "dealer_flow.record.result": "RoundResult",
        "dealer_flow.play.seen.snapshot": "Snapshot",
        "dealer_flow.play.seen.legal": "Legal",
        "protocol.cards": "Card",
    },
    "settle": {
        "dealwire.table.table": "Table TableTerms",
        "rules.game.load": "Game load_game",
        "rules.settle.rounds": "settle",
        "rules.settlement": "Settlement",
    },
    "simulate": {
        "dealwire.rehearsal.simulate": "simulate",
    },
}
"""The public names: job, module, names, in the order of `docs/api.md`."""

__all__, _get, __dir__ = lazy_exports(
    __name__, {module: names for job in JOBS.values() for module, names in job.items()}
)


def __getattr__(name: str) -> Any:
    return importlib.import_module("devices.events") if name == "events" else _get(name)
