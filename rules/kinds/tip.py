"""Tips: settled as the bets that they are for, the money is the dealer's."""

from typing import Literal

from dealer_flow.tomlfile import TomlTable


class TipBet(TomlTable):
    """A tip: settled as the bet it is `for`, the money is the dealer's. `on`: the tip on whose stake it is paid, where
    that bet is paid on another's."""

    name: str
    """As the procedure calls the spot."""
    kind: Literal["tip"]
    for_: str
    """The bet as which it is settled."""
    on: str = ""
    clause: str
