"""Game Authentication Terminal: recordings and raw bytes are decoded. It is for no device of a table: it has no
events."""

from typing import Final

from devices.dialects.dialect import Dialect
from protocol.gat.codec import describe
from protocol.gat.exchange import BAUD
from protocol.gat.framing import Framer
from protocol.gat.link import GatListener

DIALECT: Final = Dialect(
    name="gat",
    about="Game Authentication Terminal 3.50, from public code and papers; asks a device for its software",
    baud=BAUD,
    drivers={},
    make_link=lambda _kind, _role, _listen: GatListener(),
    make_framer=Framer,
    explain=describe,
    says_who=False,
)
