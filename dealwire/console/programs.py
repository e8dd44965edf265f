"""Programs at the console: a bearer token, and what its entry in the users file lets it do."""

import secrets
from collections.abc import Callable
from typing import Final
from urllib.parse import unquote

from dealwire.console.sessions import SignedIn
from dealwire.people.users import TOKEN_STARTS, ProgramPart, Users, comes_from, is_in_force

RATE: Final = 20
"""Most requests of one program in a second."""
SECOND_NS: Final = 1_000_000_000
TOKEN_MAX: Final = 256
BEARER: Final = "bearer "
_FOR_ALL: Final = ("/openapi.json", "/static/", "/favicon.ico")

Refusal = tuple[int, str]

UNKNOWN: Final[Refusal] = (401, "this token is not known, or its time is over")


def token_in(authorization: str) -> str | None:
    """Return the program's token in a header; None if there is none. Other schemes belong to a proxy."""
    scheme, token = authorization[: len(BEARER)].lower(), authorization[len(BEARER) :].strip()
    return token if scheme == BEARER and token.startswith(TOKEN_STARTS) else None


class Programs:
    """Admits programs by their tokens. `users` returns the users file that counts now."""

    def __init__(self, users: Callable[[], Users | None]) -> None:
        self._users = users
        self._seconds: dict[str, tuple[int, int]] = {}
        """By program: a second, and the requests in it."""
        self._sessions: dict[str, SignedIn] = {}

    def admit(self, token: str, address: str, now_ns: int) -> SignedIn | Refusal:
        """Return the program as it is signed in, or the status and the reason of a refusal."""
        users = self._users()
        part = users.program(token[: TOKEN_MAX + 1], now_ns) if users is not None else None
        if part is None:
            return UNKNOWN
        if not comes_from(part, address):
            return 403, f"{part.name} may not connect from this address"
        second, count = self._seconds.get(part.name, (0, 0))
        count = count + 1 if second == now_ns // SECOND_NS else 1
        self._seconds[part.name] = now_ns // SECOND_NS, count
        if count > RATE:
            return 429, f"{part.name} sent more than {RATE} requests in a second"
        return self._session_of(part, now_ns)

    def _session_of(self, part: ProgramPart, now_ns: int) -> SignedIn:
        """Return the same session for each request of a program, until its entry changes."""
        known = self._sessions.get(part.name)
        may, tables = frozenset(part.may), part.tables
        if known is None or (known.may, known.tables) != (may, tables):
            known = SignedIn(
                secrets.token_hex(4), "dealer", now_ns, user=part.name, by="program", tables=tables, may=may
            )
            self._sessions[part.name] = known
        return known

    def is_open(self, session: SignedIn, now_ns: int) -> bool:
        """True if a live connection of a program may stay: its entry is in force and as it was."""
        users = self._users()
        if users is None or self._sessions.get(session.user) != session:
            return False
        return any(
            (part.name, frozenset(part.may), part.tables) == (session.user, session.may, session.tables)
            for part in users.file.program
            if is_in_force(part, now_ns)
        )


def why_not(session: SignedIn, kind: str, method: str, path: str) -> Refusal | None:
    """Return the refusal of a program's request by its address; None if it may go on. Actions are checked further by
    their endpoint."""
    assert session.may is not None
    table = _table_in(path)
    if session.tables is not None and table not in session.tables and not path.startswith(_FOR_ALL):
        return 403, f"{session.user} may use these tables only: {', '.join(session.tables)}"
    if kind == "websocket" or method in ("GET", "HEAD"):
        return None if "read" in session.may else (403, f"{session.user} may not read")
    if "/act/" not in path:
        return 403, "a program does not sign in or out"
    return None


def _table_in(path: str) -> str | None:
    parts = path.split("/")
    return unquote(parts[2]) if len(parts) > 2 and parts[1] in ("table", "live") else None
