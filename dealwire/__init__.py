"""dealwire: a casino table's card devices, connected to the rules of the game.

The public names live in the packages below and are imported here on first use, so that importing one does not
load the others.
"""

import importlib
from typing import TYPE_CHECKING, Any, Final

from dealwire.version import __version__ as __version__
from devices.transport.further import FURTHER

if TYPE_CHECKING:
    from dealer_flow.play.machine import DealerFlow
    from dealer_flow.procedure.load import Procedure, load_procedure
    from dealer_flow.record.result import Incident, RoundResult
    from dealwire.live import LineConfig, LiveTable
    from dealwire.table.table import Table, TableTerms
    from devices.capture import Capture, CaptureWriter
    from devices.events import Seen
    from devices.replay import play
    from protocol.cards import Card
    from protocol.errors import DealwireError
    from rules.game import Game, load_game
    from rules.settle import settle
    from rules.settlement import Settlement

_HOMES: Final = {
    "Capture": "devices.capture",
    "CaptureWriter": "devices.capture",
    "Card": "protocol.cards",
    "DealerFlow": "dealer_flow.play.machine",
    "DealwireError": "protocol.errors",
    "Game": "rules.game",
    "Incident": "dealer_flow.record.result",
    "LineConfig": "dealwire.live",
    "LiveTable": "dealwire.live",
    "Procedure": "dealer_flow.procedure.load",
    "RoundResult": "dealer_flow.record.result",
    "Seen": "devices.events",
    "Settlement": "rules.settlement",
    "Table": "dealwire.table.table",
    "TableTerms": "dealwire.table.table",
    "load_game": "rules.game",
    "load_procedure": "dealer_flow.procedure.load",
    "play": "devices.replay",
    "settle": "rules.settle",
}

__all__ = [
    "Capture",
    "CaptureWriter",
    "Card",
    "DealerFlow",
    "DealwireError",
    "Game",
    "Incident",
    "LineConfig",
    "LiveTable",
    "Procedure",
    "RoundResult",
    "Seen",
    "Settlement",
    "Table",
    "TableTerms",
    "load_game",
    "load_procedure",
    "play",
    "settle",
]


def _open_simulated(address: str, clock: Any) -> Any:
    from dealwire.rehearsal.line import open_simulated

    return open_simulated(address, clock)


FURTHER["sim"] = _open_simulated


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'dealwire' has no attribute {name!r}")
    return getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
