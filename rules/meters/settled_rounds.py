"""Which rounds were settled: a round is settled once, however often it is heard."""

from bisect import bisect_right
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

    def elsewhere(self, key: SettledKey) -> str:
        """The other table at which this round was settled; empty where none did."""
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

    def elsewhere(self, key: SettledKey) -> str:
        """It remembers those of one table."""
        return ""

    def add(self, key: SettledKey) -> None:
        """This round is settled now."""
        self._keys.add(key)


class RoundRuns:
    """Rounds by device and session, as runs of numbers: a day's rounds take no more room than one."""

    def __init__(self) -> None:
        self._runs: dict[tuple[str, str], tuple[list[int], list[int]]] = {}

    def add(self, key: SettledKey) -> None:
        """Remember a round. Runs that it joins become one."""
        firsts, lasts = self._runs.setdefault(key[:2], ([], []))
        number, at = key.round, bisect_right(firsts, key.round)
        if at and number <= lasts[at - 1]:
            return
        joins_left, joins_right = at > 0 and lasts[at - 1] == number - 1, firsts[at : at + 1] == [number + 1]
        if joins_left and joins_right:
            lasts[at - 1] = lasts.pop(at)
            firsts.pop(at)
        elif joins_left:
            lasts[at - 1] = number
        elif joins_right:
            firsts[at] = number
        else:
            firsts.insert(at, number)
            lasts.insert(at, number)

    def __contains__(self, key: SettledKey) -> bool:
        firsts, lasts = self._runs.get(key[:2], ((), ()))
        at = bisect_right(firsts, key.round)
        return at > 0 and key.round <= lasts[at - 1]
