"""Reasons for which a device refuses a command, in the order in which it checks them: the first that holds is returned.

The link evaluates the rows that have a `holds`. It finds the others elsewhere (in its reply cache, its instruments), or
its model does. docs/protocol.md lists them all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from protocol.tdp import messages as m
from protocol.tdp.commands import role_needed
from protocol.tdp.messages import Message, Reason, Role
from protocol.tdp.packets import VERSION


class Situation(NamedTuple):
    """A command and the device's state towards its host. `role` is None before a session is open."""

    request: int
    command: Message
    session: int
    previous: int
    granted: Role
    role: Role | None


class Refusal(NamedTuple):
    """One check: its condition, the reason it gives, and the function that evaluates it (None if the link does not)."""

    what: str
    reason: Reason
    holds: Callable[[Situation], bool] | None = None


def _no_session(case: Situation) -> bool:
    return case.role is None and not isinstance(case.command, m.OpenSessionMessage | m.ReportStatusMessage)


def _low_role(case: Situation) -> bool:
    return role_needed(type(case.command)) > (case.role or Role.OBSERVE)


def _other_session(case: Situation) -> bool:
    return isinstance(case.command, m.OpenSessionMessage) and case.command.session != case.session


def _other_major(case: Situation) -> bool:
    return isinstance(case.command, m.OpenSessionMessage) and case.command.major != VERSION


def _too_much(case: Situation) -> bool:
    return isinstance(case.command, m.OpenSessionMessage) and case.command.role > case.granted


def _unknown_session(case: Situation) -> bool:
    known = {case.session, case.previous} - {0}
    return isinstance(case.command, m.ReadEventsMessage) and case.command.session not in known


ORDER: Final = (
    Refusal("the request id is 0", Reason.BAD_PARAMETER, lambda case: case.request == 0),
    Refusal("the request id was used for another command", Reason.REQUEST_ID_REUSED),
    Refusal("*OpenSession*: a session other than the device's current one", Reason.NO_SESSION, _other_session),
    Refusal(
        "*OpenSession*: an unsupported major version; any minor version is accepted",
        Reason.UNKNOWN_VERSION,
        _other_major,
    ),
    Refusal("*OpenSession*: an unknown role, or one above what the device grants", Reason.NOT_PERMITTED, _too_much),
    Refusal("no session is open (*OpenSession* and *ReportStatus* need none)", Reason.NO_SESSION, _no_session),
    Refusal("the session's role is below the command's", Reason.NOT_PERMITTED, _low_role),
    Refusal("*ReadEvents*: neither the current session nor the previous one", Reason.BAD_PARAMETER, _unknown_session),
    Refusal("*ReadMeters*, *Verify*: the device lacks the capability", Reason.NOT_SUPPORTED),
    Refusal("*Verify*: an unknown region", Reason.BAD_PARAMETER),
    Refusal("a command of another device class", Reason.UNKNOWN_COMMAND),
    Refusal("not allowed in this state, while something moves or a deck is being prepared", Reason.BUSY),
    Refusal("not allowed in this state, while nothing moves", Reason.WRONG_STATE),
    Refusal("an impossible parameter", Reason.BAD_PARAMETER),
    Refusal("not supported by this device", Reason.NOT_SUPPORTED),
)
"""Every reason for refusing a command."""


def why_refused(case: Situation) -> Reason | None:
    """Return the first of the link's own reasons that holds, or None."""
    return next((row.reason for row in ORDER if row.holds is not None and row.holds(case)), None)
