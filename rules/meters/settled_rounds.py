"""De-duplication of rounds: a round is settled once, regardless of how often it is received."""

from bisect import bisect_right
from typing import NamedTuple, Protocol


class SettledKey(NamedTuple):
    """Identity of one round among all that a table was ever dealt.

    `device` is text: maker, model and serial of the dealing device and of the controller that counted the round, with
    the controller's session; parts that a device does not report are empty. `session` is that of the dealing device,
    eight hex digits as in the round, and `round` is the controller's number.
    """

    device: str
    session: str
    round: int


class SettledRounds(Protocol):
    """Record of every round that was settled, for the life of the table."""

    def known(self, key: SettledKey) -> bool:
        """Return True if this round was added before."""
        ...

    def elsewhere(self, key: SettledKey) -> str:
        """Return the other table at which this round was settled; empty if none."""
        ...

    def add(self, key: SettledKey) -> None:
        """Record this round as settled."""
        ...


class SettledInMemory:
    """A record that lasts while the program runs."""

    def __init__(self) -> None:
        self._keys: set[SettledKey] = set()

    def known(self, key: SettledKey) -> bool:
        """Return True if this round was added before."""
        return key in self._keys

    def elsewhere(self, key: SettledKey) -> str:
        """Return an empty text: this record is of one table."""
        return ""

    def add(self, key: SettledKey) -> None:
        """Record this round as settled."""
        self._keys.add(key)


class RoundRuns:
    """Rounds by device and session, stored as runs of numbers: a day's rounds take no more memory than one."""

    def __init__(self) -> None:
        self._runs: dict[tuple[str, str], tuple[list[int], list[int]]] = {}

    def add(self, key: SettledKey) -> None:
        """Add a round, and merge the runs that it connects."""
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
