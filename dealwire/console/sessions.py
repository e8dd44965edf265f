"""Who is signed in, for how long, and how often tokens are looked at. Time is passed in to sessions; the lane uses its
loop's.

A session lives in this process alone; whoever restarts the program signs everybody out. Wrong tokens lock
nobody out: they make everybody's wait for the next look a little longer, in turn by address. While `LANE_MAX` of them
wait, who comes from an address that would then have as many as any other is asked to come again.
"""

import asyncio
import secrets
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from dealwire.console.tokens import digest_of
from dealwire.hub.actions import Role

SESSIONS_MAX: Final = 64
"""Sessions of one role at once; the oldest of that role goes."""
SESSION_NS: Final = 12 * 3600 * 1_000_000_000
"""A session ends after a shift of twelve hours."""

PAUSE_S: Final = 0.1
"""After a wrong token, until the next one is looked at: ten a second from everybody together."""
LANE_MAX: Final = 64
"""Tokens that wait to be looked at."""

Ending = Literal["signed out", "expired", "pushed out"]


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Somebody who is signed in. `name` stands for it in the journal and says nothing of its secret."""

    name: str
    role: Role
    end_ns: int


class Sessions:
    """Who is signed in. `on_end` is called with every session that ends, and why."""

    def __init__(self, on_end: Callable[[SignedIn, Ending], None] = lambda _session, _why: None) -> None:
        self._by_secret: OrderedDict[bytes, SignedIn] = OrderedDict()
        self._on_end = on_end

    def begin(self, role: Role, now_ns: int) -> tuple[str, SignedIn]:
        """A new session, and its secret for the cookie."""
        secret = secrets.token_urlsafe(32)
        session = SignedIn(secrets.token_hex(4), role, now_ns + SESSION_NS)
        self._by_secret[digest_of(secret)] = session
        same = [digest for digest, each in self._by_secret.items() if each.role == role]
        for digest in same[:-SESSIONS_MAX]:
            self._end(digest, "pushed out")
        return secret, session

    def find(self, secret: str, now_ns: int) -> SignedIn | None:
        """The session of a secret; None when it is unknown or over. Looked up by digest: timing tells nothing of it."""
        session = self._by_secret.get(digest_of(secret[:128]))
        return session if session is not None and now_ns < session.end_ns else None

    def is_open(self, session: SignedIn, now_ns: int) -> bool:
        """Whether it still is one: neither signed out, nor expired, nor pushed out."""
        return now_ns < session.end_ns and session in self._by_secret.values()

    def end(self, secret: str) -> None:
        """Sign out."""
        self._end(digest_of(secret[:128]), "signed out")

    def sweep(self, now_ns: int) -> None:
        """End what has expired."""
        for digest in [digest for digest, each in self._by_secret.items() if now_ns >= each.end_ns]:
            self._end(digest, "expired")

    def _end(self, digest: bytes, why: Ending) -> None:
        session = self._by_secret.pop(digest, None)
        if session is not None:
            self._on_end(session, why)


class SignInLane:
    """Tokens are looked at one after the other, so that trying many at once tries none the faster. Addresses take
    turns: one that sends many waits behind itself. All of it in the loop's thread."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, deque[asyncio.Future[bool]]] = OrderedDict()
        self._free_s = 0.0
        self._timer: asyncio.TimerHandle | None = None

    async def turn(self, address: str) -> bool:
        """Wait until a token of `address` may be looked at; False when too many wait, and it must come again."""
        loop = asyncio.get_running_loop()
        if not self._waiting and loop.time() >= self._free_s:
            return True
        if not self._has_room(address):
            return False
        mine: asyncio.Future[bool] = loop.create_future()
        self._waiting.setdefault(address, deque()).append(mine)
        self._wait_for_next()
        return await mine

    def wrong(self) -> None:
        """The token that was looked at is not known: the next one waits."""
        self._free_s = asyncio.get_running_loop().time() + PAUSE_S

    def _wait_for_next(self) -> None:
        if self._timer is None and self._waiting:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_at(max(self._free_s, loop.time()), self._next)

    def _next(self) -> None:
        self._timer = None
        address, queue = self._waiting.popitem(last=False)
        mine = queue.popleft()
        if queue:
            self._waiting[address] = queue  # behind the other addresses
        if not mine.done():
            mine.set_result(True)
            self.wrong()  # until it is known to be right, for those who wait behind it
        self._wait_for_next()

    def _has_room(self, address: str) -> bool:
        if sum(map(len, self._waiting.values())) < LANE_MAX:
            return True
        crowd = max(self._waiting.values(), key=len)
        if len(crowd) <= len(self._waiting.get(address, ())) + 1:
            return False
        last = crowd.pop()
        if not last.done():
            last.set_result(False)
        return True
