"""Errors of the rules: a request that cannot be settled or computed.

A table that breaks a rule raises no error. Its money is held line by line, with the clause as the reason.
"""

from collections.abc import Iterable
from typing import Final

from protocol.errors import DealwireError
from protocol.nearest import did_you_mean

ACCEPT_SUSPECT: Final = "accept_suspect=True"
"""Option named in a refusal: it lets `settle` use a pay table or reading that appears to be a misprint."""


def _allowed(given: object, allowed: tuple[str, ...]) -> str:
    return f"{did_you_mean(given, allowed)}; allowed: {', '.join(allowed) or 'none'}"


class SettlementRefused(DealwireError):
    """A request that cannot be settled: a wrong game, or an unknown option, pay table or bet."""

    def __init__(self, what: str, given: object, allowed: Iterable[str]) -> None:
        self.what, self.given, self.allowed = what, given, tuple(allowed)
        super().__init__(f"not settled: {what} {given!r}{_allowed(given, self.allowed)}")

    def advising(self, accept: str) -> "SettlementRefused":
        """Return this error with `accept`, the caller's own option, in place of the keyword argument of `settle`."""
        allowed = (accept if each == ACCEPT_SUSPECT else each for each in self.allowed)
        return SettlementRefused(self.what, self.given, allowed)


class OddsRefused(DealwireError):
    """A request for odds of something that the game does not have."""

    def __init__(self, what: str, given: object, allowed: Iterable[str]) -> None:
        self.what, self.given, self.allowed = what, given, tuple(allowed)
        super().__init__(f"no odds for {what} {given!r}{_allowed(given, self.allowed)}")


class ExtraMissing(DealwireError):
    """A package that only some commands need is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        self.package, self.extra = package, extra
        from devices.extras import install_command  # local: every command imports this module

        super().__init__(f"{package} is not installed; {install_command(extra)}")
