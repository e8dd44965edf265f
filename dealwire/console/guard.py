"""What stands before every page: whose name is asked for, who sent it, who may read, and what a browser is told.

Host: a page of another name must not reach a server on this machine by pointing its name here (DNS rebinding). An
address written as numbers cannot be pointed anywhere, so only names are held against the list.
Origin: what acts, and the live line, must come from a page of this very server.
"""

import ipaddress
from collections.abc import Collection
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dealwire.console.tokens import Sessions
from devices.clock import Clock

SECURITY_HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with no-referrer a form of our own page would come with `Origin: null`
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), usb=(), serial=()",
}

OPEN_PATHS: Final = ("/static/", "/sign-in")
"""What a browser must be able to load in order to sign in."""

HEADERS_MAX: Final = 16 * 1024
"""Bytes of all headers of a request, names and values."""

NOT_SIGNED_IN: Final = 4401
"""Close code of a live line that needs a token first; the page then offers to sign in."""


def is_loopback(host: str) -> bool:
    """True when `host` can only be reached from this machine."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def host_name(header: str) -> str:
    """The name or address of a Host header, without its port; empty when it is none."""
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.rpartition(":")[0] if header.count(":") == 1 else header


class PageGuard:
    """Wraps the pages. `names` are host names a browser may ask for; `open_reading` lets anybody read.

    It puts `role` into the scope's state: None when nobody is signed in.
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
    ) -> None:
        self._app, self._sessions, self._clock, self._cookie = app, sessions, clock, cookie
        self._names = frozenset(name.lower() for name in names) | {"localhost"}
        self._loopback_only, self._open_reading = loopback_only, open_reading

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or pass on with the headers every answer has."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        why = self._refusal(scope, connection.headers)
        if why is not None:
            await self._refuse(scope, receive, send, why)
            return
        role = self._sessions.role(connection.cookies.get(self._cookie, ""), self._clock.now_ns())
        scope.setdefault("state", {})["role"] = role
        if role is None and not self._open_reading and not scope["path"].startswith(OPEN_PATHS):
            await self._ask_to_sign_in(scope, receive, send)
            return
        await self._app(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        if sum(len(name) + len(value) for name, value in scope["headers"]) > HEADERS_MAX:
            return 431, "the request's headers are too long"
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._known(host_name(hosts[0]).lower()):
            return 421, "this console does not answer to that host name"
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD"):
            return None
        origin = headers.get("origin", "")
        if origin.partition("://")[2].lower() != hosts[0].lower() or not origin.startswith(("http://", "https://")):
            return 403, "this was not asked from a page of this console"
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return 403, "this was not asked from a page of this console"
        return None

    def _known(self, name: str) -> bool:
        if name in self._names:
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or not self._loopback_only

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, why: tuple[int, str]) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        await PlainTextResponse(f"{why[1]}\n", why[0])(scope, receive, _with_headers(send))

    async def _ask_to_sign_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept"})
            await send({"type": "websocket.close", "code": NOT_SIGNED_IN})
        elif scope["method"] in ("GET", "HEAD") and "text/html" in Headers(scope=scope).get("accept", ""):
            await RedirectResponse("/sign-in", 303)(scope, receive, _with_headers(send))
        else:
            await PlainTextResponse("sign in first\n", 401)(scope, receive, _with_headers(send))


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers[name] = value
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return sending
