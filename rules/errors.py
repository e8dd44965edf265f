"""What the rules refuse: a request that cannot be settled, or counted.

A table that breaks a rule is no exception: its money is held, line by line, with the clause that says so.
"""

from collections.abc import Iterable

from protocol.errors import DealwireError


class SettlementRefused(DealwireError):
    """A request the engine will not settle: the wrong game, or an option, pay table or bet it does not know."""

    def __init__(self, what: str, given: object, allowed: Iterable[str]) -> None:
        self.what, self.given, self.allowed = what, given, tuple(allowed)
        super().__init__(f"not settled: {what} {given!r}; allowed: {', '.join(self.allowed) or 'none'}")


class OddsRefused(DealwireError):
    """Odds asked of something the game does not have."""

    def __init__(self, what: str, given: object, allowed: Iterable[str]) -> None:
        self.what, self.given, self.allowed = what, given, tuple(allowed)
        super().__init__(f"no odds for {what} {given!r}; allowed: {', '.join(self.allowed) or 'none'}")


class ExtraMissing(DealwireError):
    """A package that only some commands need is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        self.package, self.extra = package, extra
        super().__init__(f"{package} is not installed; pip install 'dealwire[{extra}]'")
