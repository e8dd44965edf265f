"""Signing in, and asking the owner to do something."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, RedirectResponse, Response

from dealwire.console.rendering import page
from dealwire.console.tokens import TOKEN_MAX, Sessions, Tokens, WrongTokens
from dealwire.hub.actions import ROLES, Action, FieldRefused
from dealwire.hub.hub import Hub, Request
from devices.clock import Clock
from protocol.errors import DealwireError

BODY_MAX: Final = 8 * 1024
"""Bytes of a form."""
FIELDS_MAX: Final = 32
ANSWER_S: Final = 5.0
"""How long a page waits for the owner's answer."""


async def read_form(http: HttpRequest) -> dict[str, str]:
    """The fields of a form, read no further than `BODY_MAX`; HTTPException when it is too long or no form."""
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
        raise HTTPException(400, "this is no form") from error
    if len(dict(pairs)) != len(pairs):
        raise HTTPException(400, "a field is given twice")
    return dict(pairs)


class SignIn:
    """Sign in with a role's token, sign out. `secure` says that browsers reach this over TLS only."""

    def __init__(self, tokens: Tokens, sessions: Sessions, clock: Clock, cookie: str, *, secure: bool) -> None:
        self._tokens, self._sessions, self._clock, self._cookie = tokens, sessions, clock, cookie
        self._secure = secure
        self._wrong = WrongTokens()

    def page(self, http: HttpRequest, problem: str = "", status: int = 200) -> Response:
        """The form."""
        back = _back(http.query_params.get("back", ""))
        return page(http, "sign-in.html", status, path="/", problem=problem, back=back)

    async def show(self, http: HttpRequest) -> Response:
        """GET: the form."""
        return self.page(http)

    async def sign_in(self, http: HttpRequest) -> Response:
        """POST: a session for a right token, once few enough wrong ones came from that address."""
        address, now_ns = http.client.host if http.client else "", self._clock.now_ns()
        form = await read_form(http)
        wait_s = self._wrong.wait_s(address, now_ns)
        if wait_s:
            answer = self.page(http, f"Too many wrong tokens. Try again in {wait_s} seconds.", 429)
            answer.headers["retry-after"] = str(wait_s)
            return answer
        role = self._tokens.role_of(form.get("token", "")[: TOKEN_MAX + 1].strip())
        if role is None:
            self._wrong.note(address, now_ns)
            return self.page(http, "This token is not known.", 403)
        self._wrong.forget(address)
        self._sessions.end(http.cookies.get(self._cookie, ""))
        answer = RedirectResponse(_back(form.get("back", "")), 303)
        secret = self._sessions.begin(role, now_ns)
        answer.set_cookie(self._cookie, secret, httponly=True, samesite="strict", secure=self._secure)
        return answer

    async def sign_out(self, http: HttpRequest) -> Response:
        """POST: the session is over."""
        self._sessions.end(http.cookies.get(self._cookie, ""))
        answer = RedirectResponse("/", 303)
        answer.delete_cookie(self._cookie)
        return answer


def _back(path: str) -> str:
    """Where to go after signing in: a path of this server, never another one's."""
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable() else "/"


class ActionEndpoint:
    """The actions of each table, and the way to the owner."""

    def __init__(self, hub: Hub, actions: Mapping[str, Sequence[Action]]) -> None:
        self._hub, self._actions = hub, actions

    def of(self, table: str, *, bench: bool) -> dict[str, list[Action]]:
        """The buttons of a table's page, or of its bench, by group."""
        found: dict[str, list[Action]] = {}
        for action in self._actions.get(table, ()):
            if action.bench == bench:
                found.setdefault(action.group, []).append(action)
        return found

    async def act(self, http: HttpRequest) -> Response:
        """POST: do it, if the role may; the answer as JSON for the page's script, else as a page."""
        table, name = http.path_params["table"], http.path_params["action"]
        action = next((one for one in self._actions.get(table, ()) if one.id == name), None)
        role = http.state.role
        if action is None:
            return _answer(http, 404, "There is no such action at this table.")
        if role is None:
            return _answer(http, 401, f"Sign in first: {action.title!r} needs the token of a {_either(action.roles)}.")
        if role not in action.roles:
            return _answer(http, 403, f"A {role} may not do this; a {_either(action.roles)} may.")
        try:
            fields = action.read(await read_form(http))
        except FieldRefused as refused:
            return _answer(http, 400, f"{refused.name}: {refused.why}.")
        return await self._ask(http, action, Request(table, action.does, fields, role))

    async def _ask(self, http: HttpRequest, action: Action, request: Request) -> Response:
        waiting = asyncio.wrap_future(self._hub.ask(request))
        try:
            result = await asyncio.wait_for(waiting, ANSWER_S)
        except DealwireError as error:
            return _answer(http, 409, f"{action.title}: refused. {error}")
        except TimeoutError:
            return _answer(http, 504, f"{action.title}: no answer yet. Look at the table before you try again.")
        except asyncio.CancelledError:
            if waiting.cancelled():
                return _answer(http, 503, f"{action.title}: too much is waiting. Try again.")
            raise
        sentence = f" {result}" if result else ""
        return _answer(http, 200, f"{action.title}: done.{sentence}")


def _either(roles: Sequence[str]) -> str:
    return " or ".join(role for role in ROLES if role in roles) or "nobody"


def _answer(http: HttpRequest, status: int, text: str) -> Response:
    if "application/json" in http.headers.get("accept", ""):
        return JSONResponse({"good": status == 200, "text": text}, status)
    return page(http, "answer.html", status, text=text, table=http.path_params["table"])
