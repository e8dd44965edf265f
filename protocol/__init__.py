"""Codec between bytes and typed messages. Pure: no clock, no threads, no I/O.

Cards, places, faults and errors are shared by all dialects; `protocol.tdp` and its siblings implement one dialect each.
"""

from typing import TYPE_CHECKING

from protocol.lazy import lazy_exports

if TYPE_CHECKING:
    from protocol.cards import CARDS as CARDS
    from protocol.cards import DECK as DECK
    from protocol.cards import Card as Card
    from protocol.cards import parse_card as parse_card
    from protocol.cards import parse_cards as parse_cards
    from protocol.errors import DealwireError as DealwireError
    from protocol.errors import LineError as LineError
    from protocol.errors import LocalError as LocalError
    from protocol.errors import RemoteError as RemoteError
    from protocol.faults import Fault as Fault
    from protocol.faults import fault_text as fault_text
    from protocol.places import Place as Place
    from protocol.places import parse_place as parse_place
    from protocol.places import seat as seat

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "protocol.cards": "CARDS Card DECK parse_card parse_cards",
        "protocol.errors": "DealwireError LineError LocalError RemoteError",
        "protocol.faults": "Fault fault_text",
        "protocol.places": "Place parse_place seat",
    },
)
