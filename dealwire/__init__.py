"""dealwire: a casino table's card devices, connected to the rules of the game.

The public names live in the packages below and are imported here on first use, so that importing one does not
load the others.
"""

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from dealer_flow.play.machine import DealerFlow
    from dealer_flow.procedure.load import Procedure, load_procedure
    from dealer_flow.record.incidents import Incident
    from dealer_flow.record.result import RoundResult
    from dealwire.live import Line, LiveTable
    from dealwire.table.table import Table, Terms
    from devices.capture import Capture, CaptureWriter
    from devices.events import Seen
    from devices.replay import play
    from protocol.cards import Card
    from protocol.errors import DealwireError
    from rules.game import Game, load_game
    from rules.settle import settle
    from rules.settlement import Settlement

__version__ = "0.1.0"

_HOMES: Final = {
    "Capture": "devices.capture",
    "CaptureWriter": "devices.capture",
    "Card": "protocol.cards",
    "DealerFlow": "dealer_flow.play.machine",
    "DealwireError": "protocol.errors",
    "Game": "rules.game",
    "Incident": "dealer_flow.record.incidents",
    "Line": "dealwire.live",
    "LiveTable": "dealwire.live",
    "Procedure": "dealer_flow.procedure.load",
    "RoundResult": "dealer_flow.record.result",
    "Seen": "devices.events",
    "Settlement": "rules.settlement",
    "Table": "dealwire.table.table",
    "Terms": "dealwire.table.table",
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
    "Line",
    "LiveTable",
    "Procedure",
    "RoundResult",
    "Seen",
    "Settlement",
    "Table",
    "Terms",
    "load_game",
    "load_procedure",
    "play",
    "settle",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'dealwire' has no attribute {name!r}")
    return getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
