"""Which rounds were settled: a round is settled once, however often it is heard."""

from typing import NamedTuple, Protocol


class SettledKey(NamedTuple):
    """One round of all that a table was ever dealt.

    `device` is an identity in text: maker, model and serial of the device it was dealt from and of the controller that
    counted it, with the controller's session; empty parts where a device does not say. `session` is the dealing
    device's, eight hex digits as in the round, and `round` the controller's number.
    """

    device: str
    session: str
    round: int


class SettledRounds(Protocol):
    """Remembers every round that was settled, for as long as the table lives."""

    def known(self, key: SettledKey) -> bool:
        """True when this round was added before."""
        ...

    def add(self, key: SettledKey) -> None:
        """This round is settled now."""
        ...


class SettledInMemory:
    """Remembers while the program runs."""

    def __init__(self) -> None:
        self._keys: set[SettledKey] = set()

    def known(self, key: SettledKey) -> bool:
        """True when this round was added before."""
        return key in self._keys

    def add(self, key: SettledKey) -> None:
        """This round is settled now."""
        self._keys.add(key)
