"""Sessions: who is signed in and for how long; and the delay for wrong tokens, of people and of programs.

Sessions take the time as an argument; the delay uses its loop's clock. Sessions live in this process only: a restart
signs everyone out. A right token never waits. Every token is checked at once, and only the answer to a wrong one is
delayed, which keeps anyone from trying many.
"""

import asyncio
import secrets
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal

from dealwire.console.tokens import digest_of
from dealwire.hub.actions import Role
from dealwire.listening import neighbourhood

if TYPE_CHECKING:
    from dealwire.people.passkeys import Passkeys
    from dealwire.people.users import UserPart, Users

SESSIONS_MAX: Final = 64
"""Maximum number of sessions of one person, or of one role's token, at once; one more ends the oldest of them."""
SESSION_NS: Final = 12 * 3600 * 1_000_000_000
"""A session ends after a shift of twelve hours."""

IDLE_MINUTES: Final = 30
"""Minutes without a request after which a session ends, unless configured otherwise."""
MINUTE_NS: Final = 60 * 1_000_000_000

PAUSE_S: Final = 0.1
"""Time between two answers to wrong tokens from one address: ten a second."""
LANE_MAX: Final = 40
"""Maximum number of delayed answers of one lane at once. Each occupies a connection, and the other connections are for
pages: half of them, as people and programs have a lane each."""
EACH_MAX: Final = 16
"""Maximum number of delayed answers for one address at a time."""

Ending = Literal["signed out", "expired", "idle", "pushed out", "withdrawn"]
"""`withdrawn`: the users file no longer lets the person do what the session may."""

ProofKind = Literal["token", "password", "passkey", "oidc", "program"]
"""Proof of who someone is."""


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A signed-in user. `name` identifies the session in the journal and reveals nothing about its secret.

    `user` is the person or program, empty for a role's token; `tables` are those at which it may act, None for all;
    `badge` is the person's; `may` are the verbs of a program, None for a person. It proved who it is at `proven_ns`.
    """

    name: str
    role: Role
    end_ns: int
    user: str = ""
    by: ProofKind = "token"
    proven_ns: int = 0
    tables: tuple[str, ...] | None = None
    badge: int | None = None
    may: frozenset[str] | None = None
    proof: str = field(default="", repr=False)
    """The hash of the password, the id of the passkey, or the subject at the issuer, with which a person signed in."""

    @property
    def called(self) -> str:
        """Its name in sentences: `supervisor`, `a.smith (supervisor)` or `grafana (program)`."""
        kind = "program" if self.may is not None else self.role
        return f"{self.user} ({kind})" if self.user else kind


class Sessions:
    """Open sessions. `on_end` is called with every session that ends, and the reason."""

    def __init__(
        self,
        on_end: Callable[[SignedIn, Ending], None] = lambda _session, _why: None,
        *,
        idle_minutes: int = IDLE_MINUTES,
    ) -> None:
        self._by_secret: OrderedDict[bytes, SignedIn] = OrderedDict()
        self._used_ns: dict[bytes, int] = {}
        self._idled: set[SignedIn] = set()
        """Sessions that ended as idle: a wall that they display may stay connected."""
        self._on_end, self._idle_ns = on_end, idle_minutes * MINUTE_NS

    def begin(
        self,
        role: Role,
        now_ns: int,
        person: "UserPart | None" = None,
        by: ProofKind = "token",
        proof: str = "",
        proven_ns: int | None = None,
    ) -> tuple[str, SignedIn]:
        """Start a session. Return the secret for its cookie, and the session.

        `proof` is as of `SignedIn`; `proven_ns` is when an issuer saw the person's own proof, and now unless given.
        """
        secret = secrets.token_urlsafe(32)
        session = SignedIn(secrets.token_hex(4), role, now_ns + SESSION_NS)
        if person is not None:
            session = replace(session, user=person.name, by=by, proven_ns=now_ns if proven_ns is None else proven_ns)
            session = replace(session, tables=person.tables, badge=person.badge, proof=proof)
        self._by_secret[digest_of(secret)] = session
        self._used_ns[digest_of(secret)] = now_ns
        whose = session.user, session.role
        same = [digest for digest, each in self._by_secret.items() if (each.user, each.role) == whose]
        for digest in same[:-SESSIONS_MAX]:
            self._end(digest, "pushed out")
        return secret, session

    def find(self, secret: str, now_ns: int, *, used: bool = True) -> SignedIn | None:
        """Return the session of a secret; None if it is unknown or over. The lookup is by digest, so that timing
        reveals nothing. `used`: a person requested something, so the session is not idle."""
        digest = digest_of(secret[:128])
        if digest not in self._by_secret or self._over(digest, now_ns) is not None:
            return None
        if used:
            self._used_ns[digest] = now_ns
        return self._by_secret[digest]

    def is_open(self, session: SignedIn, now_ns: int) -> bool:
        """True if the session is still open: neither signed out, expired, idle nor pushed out."""
        return now_ns < session.end_ns and session in self._by_secret.values()

    def may_watch(self, session: SignedIn, now_ns: int) -> bool:
        """True if the session may display a wall. A wall makes no requests, so idling does not end it."""
        return self.is_open(session, now_ns) or (now_ns < session.end_ns and session in self._idled)

    def end(self, secret: str) -> None:
        """Sign out."""
        self._end(digest_of(secret[:128]), "signed out")

    def sweep(self, now_ns: int) -> None:
        """End the sessions that are expired or idle."""
        for digest in list(self._by_secret):
            if (why := self._over(digest, now_ns)) is not None:
                self._end(digest, why)
        self._idled = {session for session in self._idled if now_ns < session.end_ns}

    def withdraw(self, users: "Users", passkeys: "Passkeys | None", now_ns: int) -> None:
        """End the sessions whose person may no longer do what the session may, by the users file, or who signed in with
        a password or passkey that does not count now."""
        for digest, session in list(self._by_secret.items()):
            if not _still(session, users, passkeys, now_ns):
                self._end(digest, "withdrawn")
        self._idled = {session for session in self._idled if _still(session, users, passkeys, now_ns)}

    def _over(self, digest: bytes, now_ns: int) -> Ending | None:
        if now_ns >= self._by_secret[digest].end_ns:
            return "expired"
        return "idle" if self._idle_ns and now_ns - self._used_ns[digest] >= self._idle_ns else None

    def _end(self, digest: bytes, why: Ending) -> None:
        session = self._by_secret.pop(digest, None)
        if session is not None:
            del self._used_ns[digest]
            if why == "idle":
                self._idled.add(session)
            self._on_end(session, why)


def _still(session: SignedIn, users: "Users", passkeys: "Passkeys | None", now_ns: int) -> bool:
    person = users.person(session.user, now_ns)
    if person is None or (person.passkey == "required" and session.by != "passkey"):
        return False
    if session.by == "passkey" and (passkeys is None or passkeys.find(session.proof) is None):
        return False
    if session.by == "password" and session.proof != person.password:
        return False
    if session.by == "oidc" and session.proof != person.oidc:
        return False
    return (person.role, person.tables, person.badge) == (session.role, session.tables, session.badge)


class SignInLane:
    """Delays the answers to wrong tokens: those to one address go out one after the other. Loop thread only."""

    def __init__(self) -> None:
        self._waiting: Counter[str] = Counter()
        self._free_s: dict[str, float] = {}

    async def hold_back(self, address: str) -> bool:
        """Wait until a wrong token from `address` may be answered; return False at once if too many wait."""
        key, loop = neighbourhood(address), asyncio.get_running_loop()
        if self._waiting.total() >= LANE_MAX or self._waiting[key] >= EACH_MAX:
            return False
        at_s = self._free_s[key] = max(loop.time(), self._free_s.get(key, 0.0)) + PAUSE_S
        self._waiting[key] += 1
        try:
            await asyncio.sleep(at_s - loop.time())
        finally:
            self._waiting[key] -= 1
            if not self._waiting[key]:
                del self._waiting[key], self._free_s[key]
        return True
