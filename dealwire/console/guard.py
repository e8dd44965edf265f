"""Access control before every page: host name, origin, reading rights, security headers.

- Host: a foreign page must not reach this server by pointing its own name here (DNS rebinding). A numeric address
  cannot be pointed anywhere, so only names are checked against the list.
- Origin: requests that act, and the live connection, must come from a page of this server.
"""

import asyncio
import contextlib
import ipaddress
from collections.abc import Callable, Collection, Mapping
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dealwire.console.programs import UNKNOWN, Programs, token_in, why_not
from dealwire.console.rendering import as_json
from dealwire.console.sessions import Sessions, SignedIn, SignInLane
from dealwire.listening import HostNames, framed_doubtfully
from devices.clock import Clock

SECURITY_HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # no-referrer would make our own forms send `Origin: null`
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), usb=(), serial=()",
}

TLS_HEADERS: Final = {"strict-transport-security": "max-age=31536000"}

OPEN_PATHS: Final = ("/static/", "/sign-in", "/enrol")
"""Paths a browser must load in order to sign in."""

HEADERS_MAX: Final = 16 * 1024
"""Maximum size of all headers of a request in bytes, names and values."""

DOUBTFUL: Final = (400, "this request states its length in two ways")
"""Refusal against request smuggling: a proxy may have framed the request the other way, so its end could be the start
of another request."""

TWO_WAYS: Final = (400, "this request says in two ways who sends it: a cookie and a program's token")

FOREIGN: Final = (403, "this request did not come from a page of this console")

TOO_MANY: Final = (429, "many unknown tokens were tried; wait a moment and try again")

PROXY_HEADERS: Final = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")
"""Headers that proxies add. Anyone at this machine may read; a request with one of these comes from elsewhere."""

NOT_SIGNED_IN: Final = 4401
"""Close code of a live connection that needs a token first; the page then offers to sign in."""


class Proxies:
    """Proxies whose `X-Forwarded-For` header is trusted: addresses or networks."""

    def __init__(self, proxies: Collection[str] = ()) -> None:
        self._networks = tuple(ipaddress.ip_network(proxy) for proxy in proxies)

    def __contains__(self, host: str) -> bool:
        try:
            address = ipaddress.ip_address(host)
        except ValueError:
            return False
        return any(address in network for network in self._networks)

    def address_of(self, client: tuple[str, int] | None, headers: Headers) -> str:
        """Return the client's address: the nearest hop that is not a trusted proxy."""
        found = client[0] if client is not None else ""
        way = [hop.strip() for line in headers.getlist("x-forwarded-for") for hop in line.split(",")]
        while found in self and way:
            try:
                found = str(ipaddress.ip_address(way.pop()))
            except ValueError:
                break
        return found


class AccessGuard:
    """ASGI middleware in front of the pages.

    - `names`: host names a browser may use.
    - `open_reading`: anyone may read without signing in.
    - `secure`: browsers connect over TLS, maybe through a proxy under one of `names`, and only such pages may act.
    - `own_tls`: this server ends TLS itself, so it tells browsers to come by TLS alone.
    - `proxies`: proxies whose word about the client's address is trusted.
    - `programs`: admits programs by their tokens; None: no program has one.
    - `on_foreign`: called with the address that sent a request which only pages of this server may send.
    - `on_wrong_token`: called with the address that sent a program's token which does not count. The answer is delayed,
      as that to a wrong token of a person; a right one never waits.

    It sets `session`, `role` and `address` in the scope's state; the first two are None without a sign-in.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        sessions: Sessions,
        clock: Clock,
        cookie: str,
        names: Collection[str],
        loopback_only: bool,
        open_reading: bool,
        secure: bool = False,
        own_tls: bool = False,
        proxies: Proxies | None = None,
        programs: Programs | None = None,
        on_foreign: Callable[[str], None] = lambda _: None,
        on_wrong_token: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._app, self._sessions, self._clock, self._cookie = app, sessions, clock, cookie
        self._names, self._open_reading = HostNames(names, loopback_only=loopback_only), open_reading
        self._schemes = ("https",) if secure else ("http", "https")
        self._places = frozenset(name.lower() for name in names) if secure else frozenset()
        self._headers = {**SECURITY_HEADERS, **(TLS_HEADERS if own_tls else {})}
        self._proxies, self._on_foreign, self._programs = proxies or Proxies(), on_foreign, programs
        self._on_wrong_token, self._lane = on_wrong_token, SignInLane()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or pass it on and add the security headers to its answer."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        token = token_in(connection.headers.get("authorization", "")) if self._programs is not None else None
        why = self._refusal(scope, connection.headers, is_program=token is not None)
        if why is not None:
            if why == FOREIGN and scope["type"] == "http":
                self._on_foreign(self._proxies.address_of(scope["client"], connection.headers))
            await self._refuse(scope, receive, send, why)
            return
        if token is not None:
            with contextlib.suppress(ClientDisconnect, asyncio.CancelledError):
                await self._admit(scope, receive, send, token)
            return
        # A page reopens its live connection on its own, so only HTTP requests count as activity.
        used = scope["type"] == "http"
        session = self._sessions.find(connection.cookies.get(self._cookie, ""), self._clock.now_ns(), used=used)
        scope.setdefault("state", {}).update(
            session=session,
            role=session.role if session is not None else None,
            address=self._proxies.address_of(scope["client"], connection.headers),
        )
        open_reading = self._open_reading and not any(name in connection.headers for name in PROXY_HEADERS)
        if session is None and not open_reading and not scope["path"].startswith(OPEN_PATHS):
            await self._ask_to_sign_in(scope, receive, send)
            return
        # The client left before its request was complete, or the server stops before the answer is.
        with contextlib.suppress(ClientDisconnect, asyncio.CancelledError):
            await self._app(scope, receive, self._with_headers(send))

    async def _admit(self, scope: Scope, receive: Receive, send: Send, token: str) -> None:
        """Let a program do what its entry says. It has no cookie, and no page whose origin could be checked."""
        assert self._programs is not None
        connection, now_ns = HTTPConnection(scope), self._clock.now_ns()
        address = self._proxies.address_of(scope["client"], connection.headers)
        if self._cookie in connection.cookies:
            await self._refuse(scope, receive, send, TWO_WAYS)
            return
        found = self._programs.admit(token, address, now_ns)
        of_path = scope["type"], scope.get("method", ""), scope["path"]
        why = why_not(found, *of_path) if isinstance(found, SignedIn) else found
        if found == UNKNOWN:
            self._on_wrong_token(address)
            why = UNKNOWN if await self._lane.hold_back(address) else TOO_MANY
        if why is not None:
            await self._refuse(scope, receive, send, why)
            return
        scope.setdefault("state", {}).update(session=found, role=None, address=address)
        await self._app(scope, receive, self._with_headers(send))

    def _refusal(self, scope: Scope, headers: Headers, *, is_program: bool) -> tuple[int, str] | None:
        if framed_doubtfully(scope["http_version"], (name for name, _ in scope["headers"])):
            return DOUBTFUL
        if sum(len(name) + len(value) for name, value in scope["headers"]) > HEADERS_MAX:
            return 431, "the request's headers are too long"
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._names.answers_to(hosts[0]):
            return 421, "this console does not answer to that host name"
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD"):
            return None
        if is_program and "origin" not in headers:
            return None
        origin = headers.get("origin", "")
        scheme, _, place = origin.lower().partition("://")
        if scheme not in self._schemes or (place != hosts[0].lower() and place not in self._places):
            return FOREIGN
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return FOREIGN
        return None

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, why: tuple[int, str]) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = {DOUBTFUL: {"connection": "close"}, TOO_MANY: {"connection": "close", "retry-after": "1"}}.get(why)
        if why[0] == 401:
            headers = {"www-authenticate": "Bearer"}
        await _short(scope, *why, headers)(scope, receive, self._with_headers(send))

    async def _ask_to_sign_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept"})
            await send({"type": "websocket.close", "code": NOT_SIGNED_IN})
        elif scope["method"] in ("GET", "HEAD") and "text/html" in Headers(scope=scope).get("accept", ""):
            await RedirectResponse("/sign-in", 303)(scope, receive, self._with_headers(send))
        else:
            await _short(scope, 401, "sign in first")(scope, receive, self._with_headers(send))

    def _with_headers(self, send: Send) -> Send:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
            await send(message)

        return sending


def _short(scope: Scope, status: int, text: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return an error without a page, which would need a session: JSON for a client that asks for it, else one line."""
    return as_json(Headers(scope=scope), status, text, headers) or PlainTextResponse(f"{text}\n", status, headers)
