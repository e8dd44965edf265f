"""Why a device refuses a command, in the order in which it looks: the first reason that holds is given.

The link runs on the rows that have a `holds`; the others it finds elsewhere (its reply cache, its instruments) or its
model does. docs/protocol.md prints them all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from protocol.tdp import messages as m
from protocol.tdp.commands import role_needed
from protocol.tdp.messages import Message, Reason, Role
from protocol.tdp.packets import VERSION


class Situation(NamedTuple):
    """A command and how the device stands to its host: `role` None before a session is open."""

    request: int
    command: Message
    session: int
    previous: int
    granted: Role
    role: Role | None


class Refusal(NamedTuple):
    """One check: what it finds, the reason it gives, and how the link finds it (None: not the link's own check)."""

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
    Refusal("the request id had another command", Reason.REQUEST_ID_REUSED),
    Refusal("*OpenSession*: not the device's current session", Reason.NO_SESSION, _other_session),
    Refusal(
        "*OpenSession*: a major version it does not speak; any minor one is taken", Reason.UNKNOWN_VERSION, _other_major
    ),
    Refusal("*OpenSession*: a role above what it grants, or unknown", Reason.NOT_PERMITTED, _too_much),
    Refusal("no session is open; *OpenSession* and *ReportStatus* need none", Reason.NO_SESSION, _no_session),
    Refusal("the session's role is below the command's", Reason.NOT_PERMITTED, _low_role),
    Refusal("*ReadEvents*: neither the current session nor the one before", Reason.BAD_PARAMETER, _unknown_session),
    Refusal("*ReadMeters*, *Verify*: it has not the capability", Reason.NOT_SUPPORTED),
    Refusal("*Verify*: a region it has not", Reason.BAD_PARAMETER),
    Refusal("a command of another device class", Reason.UNKNOWN_COMMAND),
    Refusal("not in this state, and something moves or a deck is being prepared", Reason.BUSY),
    Refusal("not in this state, and nothing moves", Reason.WRONG_STATE),
    Refusal("a parameter that cannot be", Reason.BAD_PARAMETER),
    Refusal("nothing this device can do", Reason.NOT_SUPPORTED),
)
"""Every reason a command is refused for."""


def why_refused(case: Situation) -> Reason | None:
    """The first of the link's own reasons that holds."""
    return next((row.reason for row in ORDER if row.holds is not None and row.holds(case)), None)
