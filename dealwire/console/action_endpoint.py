"""Signing in, and requests to the owner."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request as HttpRequest
from starlette.responses import RedirectResponse, Response

from dealwire.console.audit import AccessKind, Audit
from dealwire.console.rendering import as_json, page
from dealwire.console.sessions import Sessions, SignedIn, SignInLane
from dealwire.console.tokens import TOKEN_MAX, Tokens
from dealwire.hub.actions import ROLES, Action, FieldRefused
from dealwire.hub.hub import Hub, Request
from dealwire.hub.wire import ServiceAway
from devices.clock import Clock
from protocol.errors import DealwireError

BODY_MAX: Final = 8 * 1024
"""Maximum size of a form in bytes."""
FIELDS_MAX: Final = 32
ANSWER_S: Final = 5.0
"""Time a page waits for the owner's answer."""


async def read_form(http: HttpRequest) -> dict[str, str]:
    """Read the fields of a form, at most `BODY_MAX` bytes; HTTPException if it is too long or not a form."""
    body = b""
    async for piece in http.stream():
        body += piece
        if len(body) > BODY_MAX:
            raise HTTPException(413, f"the form is longer than {BODY_MAX} bytes")
    kind = http.headers.get("content-type", "").partition(";")[0].strip()
    if body and kind != "application/x-www-form-urlencoded":
        raise HTTPException(415, "a form is expected")
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=FIELDS_MAX, errors="strict")
    except (UnicodeDecodeError, ValueError) as error:
        raise HTTPException(400, "this is not a form") from error
    if len(dict(pairs)) != len(pairs):
        raise HTTPException(400, "a field is given twice")
    return dict(pairs)


class SignIn:
    """Sign-in with a role's token, and sign-out. `secure`: browsers reach this over TLS only."""

    def __init__(
        self, tokens: Tokens, sessions: Sessions, clock: Clock, cookie: str, audit: Audit, *, secure: bool
    ) -> None:
        self._tokens, self._sessions, self._clock, self._cookie = tokens, sessions, clock, cookie
        self._audit, self._secure = audit, secure
        self._lane = SignInLane()

    def page(self, http: HttpRequest, problem: str = "", status: int = 200) -> Response:
        """Return the sign-in form."""
        back = _back(http.query_params.get("back", ""))
        return page(http, "sign-in.html", status, path="/", problem=problem, back=back)

    async def enter(self, http: HttpRequest) -> Response:
        """GET or HEAD: the form. POST: sign in."""
        return await self.sign_in(http) if http.method == "POST" else self.page(http)

    async def sign_in(self, http: HttpRequest) -> Response:
        """POST: start a session for a right token, at once. Only the answer to a wrong token is delayed."""
        address: str = http.state.address
        form = await read_form(http)
        role, now_ns = self._tokens.role_of(form.get("token", "")[: TOKEN_MAX + 1].strip()), self._clock.now_ns()
        if role is None:
            self._audit.note("wrong-token", "someone tried to sign in with a wrong token", address, now_ns)
            if await self._lane.hold_back(address):
                return self._refuse(http, 403, "Unknown token.")
            text = "Unknown token. Many wrong tokens were tried; wait a moment and try again."
            answer = self._refuse(http, 429, text)
            answer.headers["retry-after"], answer.headers["connection"] = "1", "close"
            return answer
        self._sessions.end(http.cookies.get(self._cookie, ""))
        answer = RedirectResponse(_back(form.get("back", "")), 303)
        secret, session = self._sessions.begin(role, now_ns)
        self._audit.note("sign-in", f"{_named(session)} signed in", address, now_ns)
        answer.set_cookie(self._cookie, secret, httponly=True, samesite="strict", secure=self._secure)
        return answer

    def _refuse(self, http: HttpRequest, status: int, text: str) -> Response:
        return as_json(http.headers, status, text) or self.page(http, text, status)

    async def sign_out(self, http: HttpRequest) -> Response:
        """POST: end the session."""
        self._sessions.end(http.cookies.get(self._cookie, ""))
        answer = RedirectResponse("/", 303)
        answer.delete_cookie(self._cookie, httponly=True, samesite="strict", secure=self._secure)
        return answer


def _back(path: str) -> str:
    """Return the path to go to after signing in: a path of this server, never of another."""
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable() else "/"


def _named(session: SignedIn) -> str:
    return f"{session.role}, session {session.name},"


class ActionEndpoint:
    """The actions of each table, and the way to request them from the owner."""

    def __init__(self, hub: Hub, actions: Mapping[str, Sequence[Action]], audit: Audit, clock: Clock) -> None:
        self._hub, self._actions, self._audit, self._clock = hub, actions, audit, clock

    def has_bench(self, table: str) -> bool:
        """True if faults can be injected at a table."""
        return any(action.bench for action in self._actions.get(table, ()))

    async def act(self, http: HttpRequest) -> Response:
        """POST: request the action if the role may; the answer is JSON for the page's script, else a page."""
        table, name = http.path_params["table"], http.path_params["action"]
        action = next((one for one in self._actions.get(table, ()) if one.id == name), None)
        session: SignedIn | None = http.state.session
        if action is None:
            return _answer(http, 404, "There is no such action at this table.")
        if session is None:
            self._refused(http, action, "no one is signed in")
            return _answer(http, 401, f"Sign in first: {action.title!r} needs the token of a {_either(action.roles)}.")
        role = session.role
        if role not in action.roles:
            self._refused(http, action, f"not allowed for a {role}")
            return _answer(http, 403, f"A {role} may not do this; a {_either(action.roles)} may.")
        try:
            fields = action.read(await read_form(http))
        except FieldRefused as refused:
            return _answer(http, 400, f"{refused.name}: {refused.why}.")
        origin = f"session {session.name} from {http.state.address}"
        return await self._ask(http, action, Request(table, action.does, fields, role, origin))

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
        who = _named(session) if session is not None else "someone"
        table, now_ns = http.path_params["table"], self._clock.now_ns()
        self._audit.note(kind, f"{who} tried {action.title!r}: {why}", http.state.address, now_ns, table)


def _either(roles: Sequence[str]) -> str:
    return " or ".join(role for role in ROLES if role in roles) or "nobody"


def _answer(http: HttpRequest, status: int, text: str) -> Response:
    return as_json(http.headers, status, text) or page(
        http, "answer.html", status, text=text, table=http.path_params["table"]
    )
