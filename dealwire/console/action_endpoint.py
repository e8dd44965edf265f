"""The actions of people and programs: requests to the owner."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from starlette.requests import Request as HttpRequest
from starlette.responses import Response

from dealwire.console.approving import proof_in
from dealwire.console.audit import AccessKind, Audit
from dealwire.console.rendering import as_json, page
from dealwire.console.sessions import SignedIn
from dealwire.console.sign_in import named, read_form
from dealwire.hub.actions import BADGE, ROLES, Action, FieldRefused, for_people, needs_badge
from dealwire.hub.hub import Hub, Request
from dealwire.hub.wire import ServiceAway
from devices.clock import Clock
from protocol.errors import DealwireError

ANSWER_S: Final = 5.0
"""Time a page waits for the owner's answer."""


class ActionEndpoint:
    """The actions of each table, and the way to request them from the owner. `people`: people act by name, with a
    reason and the badge of their entry in the users file."""

    def __init__(
        self,
        hub: Hub,
        actions: Mapping[str, Sequence[Action]],
        audit: Audit,
        clock: Clock,
        *,
        people: bool = False,
    ) -> None:
        self._hub, self._actions, self._audit, self._clock, self._people = hub, actions, audit, clock, people

    def has_bench(self, table: str) -> bool:
        """True if faults can be injected at a table."""
        return any(action.bench for action in self._actions.get(table, ()))

    def has_two_people(self, table: str) -> bool:
        """True if some acts at a table need a second person."""
        return any(action.group == "pending" for action in self._actions.get(table, ()))

    async def act(self, http: HttpRequest) -> Response:
        """POST: request the action if the role may; the answer is JSON for the page's script, else a page."""
        table, name = http.path_params["table"], http.path_params["action"]
        action = next((one for one in self._actions.get(table, ()) if one.id == name), None)
        session: SignedIn | None = http.state.session
        if action is None:
            return _answer(http, 404, "There is no such action at this table.")
        if session is None:
            self._refused(http, action, "no one is signed in")
            needs = f"a {_either(action.roles)}" if self._people else f"the token of a {_either(action.roles)}"
            return _answer(http, 401, f"Sign in first: {action.title!r} needs {needs}.")
        if (why := _why_not(session, action, table)) is not None:
            self._refused(http, action, why[0])
            return _answer(http, 403, why[1])
        try:
            form = await read_form(http)
            proof = proof_in(action, form)
            fields = _fields(action, session, form)
        except FieldRefused as refused:
            return _answer(http, 400, f"{refused.name}: {refused.why}.")
        request = replace(_request(http, table, action, session, fields), proof=proof)
        return await self._ask(http, action, request)

    async def _ask(self, http: HttpRequest, action: Action, request: Request) -> Response:
        waiting = asyncio.wrap_future(self._hub.ask(request))
        try:
            result = await asyncio.wait_for(waiting, ANSWER_S)
        except ServiceAway as away:
            return _answer(http, 503, f"{action.title}: {away}.")
        except DealwireError as error:
            self._refused(http, action, str(error))
            return _answer(http, 409, f"{action.title}: refused. {error}")
        except TimeoutError:
            return _answer(http, 504, f"{action.title}: no answer yet. Check the table before you try again.")
        except asyncio.CancelledError:
            if waiting.cancelled():
                return _answer(http, 503, f"{action.title}: too many requests are waiting. Try again.")
            raise
        sentence = f" {result}" if result else ""
        return _answer(http, 200, f"{action.title}: {action.taken}.{sentence}")

    def _refused(self, http: HttpRequest, action: Action, why: str) -> None:
        session: SignedIn | None = http.state.session
        kind: AccessKind = "refused" if session is not None else "stranger"
        who = named(session) if session is not None else "someone"
        table, now_ns = http.path_params["table"], self._clock.now_ns()
        self._audit.note(kind, f"{who} tried {action.title!r}: {why}", http.state.address, now_ns, table)


def _why_not(session: SignedIn, action: Action, table: str) -> tuple[str, str] | None:
    """Return why someone may not do this, for the record and as the answer; None if it is allowed."""
    if session.tables is not None and table not in session.tables:
        return f"not allowed at {table}", f"{session.user} may act at {', '.join(session.tables)} only."
    if session.may is not None:
        if action.does in session.may and not action.bench:
            return None
        return "not in its entry", f"{session.user} may {', '.join(sorted(session.may))} only."
    if session.role not in action.roles:
        return (
            f"not allowed for a {session.role}",
            f"A {session.role} may not do this; a {_either(action.roles)} may.",
        )
    return None


def _fields(action: Action, session: SignedIn, form: dict[str, str]) -> dict[str, int | str]:
    """Return the fields of a request. A person's badge is the one in the users file, whatever the form says."""
    if not session.user:
        return action.read(form)
    if needs_badge(action):
        given = form.pop(BADGE, "")
        if session.badge is None:
            raise FieldRefused(action.id, BADGE, f"{session.user} has no badge in the users file")
        if given and given != str(session.badge):
            raise FieldRefused(action.id, BADGE, f"the badge of {session.user} is another one")
        return {**for_people(action).read(form), BADGE: session.badge}
    return for_people(action).read(form)


def _request(http: HttpRequest, table: str, action: Action, session: SignedIn, fields: dict[str, int | str]) -> Request:
    """Return the request to the owner. A program acts as the first role that may, under its own name."""
    role = session.role if session.may is None else action.roles[0]
    kind = "program, " if session.may is not None else ""
    known = {"user": session.user, "proven_ns": session.proven_ns, "proven_by": session.by if session.user else ""}
    origin = f"{kind}session {session.name} from {http.state.address}"
    return Request(table, action.does, fields, role, origin, **known)  # type: ignore[arg-type]


def _either(roles: Sequence[str]) -> str:
    return " or ".join(role for role in ROLES if role in roles) or "nobody"


def _answer(http: HttpRequest, status: int, text: str) -> Response:
    return as_json(http.headers, status, text) or page(
        http, "answer.html", status, text=text, table=http.path_params["table"]
    )
