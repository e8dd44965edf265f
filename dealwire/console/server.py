"""`Console`: the web server, in a thread of its own. The owner's thread never waits for it.

uvicorn runs inside this program: it handles no signals and logs errors only. `start` opens the port in the caller's
thread, so that a port in use is an error of the caller and not of a thread.
"""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import uvicorn

from dealwire.config.schema import OidcPart
from dealwire.console.action_endpoint import ActionEndpoint
from dealwire.console.approving import ApprovalDoor
from dealwire.console.audit import Audit
from dealwire.console.board import MESSAGE_MAX, Board
from dealwire.console.connection import Connection, LiveConnection, Server
from dealwire.console.guard import HEADERS_MAX, AccessGuard, Proxies
from dealwire.console.oidc_door import OidcDoor
from dealwire.console.pages import Pages
from dealwire.console.passkey_door import PasskeyDoor
from dealwire.console.password_queue import PasswordQueue
from dealwire.console.programs import Programs
from dealwire.console.rendering import compile_all
from dealwire.console.replays import Shelf, Source
from dealwire.console.roll import Roll
from dealwire.console.sessions import IDLE_MINUTES, Ending, Sessions, SignedIn
from dealwire.console.sheets import Sheets
from dealwire.console.sign_in import PersonSignIn, SignIn
from dealwire.console.tokens import Tokens
from dealwire.hub.actions import Action, for_people
from dealwire.hub.hub import Hub
from dealwire.listening import connections_allowed, is_loopback, listening_error, listening_socket
from dealwire.people.issuer import Issuer
from dealwire.tls import ServerTls
from devices.clock import Clock, SystemClock

CONNECTIONS_MAX: Final = 160
"""Maximum number of connections at once, live connections included. More are closed at once."""
ADDRESS_MAX: Final = 48
"""Maximum number of connections of one address at once, except this machine's and a proxy's."""
START_S: Final = 10.0
"""Safety limit for the start, far above the time that it takes."""
STOP_S: Final = 1.5
"""Time for answers under way at the end; the process must be gone within two seconds."""


class Console:
    """Serves the hub's views on `host` and `port` (0: any free port).

    Bound to a loopback address, reading is open to everyone who can reach it; elsewhere it needs a token too.

    - `actions`: buttons of each table.
    - `recordings`: folder of `.pcapng` files; `sources`: other recordings.
    - `journal`: file in which rounds are looked up.
    - `names`: further host names that browsers may use, such as a proxy's.
    - `secure`: browsers connect over TLS, through a proxy.
    - `tls`: the certificate to serve with; without one, connections are plain.
    - `proxies`: addresses or networks of proxies that name the client they ask for.
    - `idle_minutes`: a session without requests for that long ends; 0: never.
    - `roll`: people and programs that may act, in place of `tokens`.
    - `oidc`: an issuer at which people of `roll` may sign in too.
    - `note_access`: writes a sentence about a sign-in or a refusal into the record of the named table, or of all
      tables if the name is empty. It is called from the server's thread and must not wait.
    """

    _passkeys: PasskeyDoor | None
    _oidc: OidcDoor | None

    def __init__(
        self,
        hub: Hub,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        tokens: Tokens | None = None,
        roll: Roll | None = None,
        oidc: OidcPart | None = None,
        actions: Mapping[str, Sequence[Action]] | None = None,
        recordings: Path | None = None,
        sources: Sequence[Source] = (),
        journal: Path | None = None,
        names: Sequence[str] = (),
        secure: bool = False,
        tls: ServerTls | None = None,
        proxies: Sequence[str] = (),
        idle_minutes: int = IDLE_MINUTES,
        clock: Clock | None = None,
        note_access: Callable[[str, str], None] = lambda _table, _text: None,
    ) -> None:
        self._host, self._port, self._names, self._tls = host, port, names, tls
        self._proxied, self._secure = bool(names) or secure, secure or tls is not None
        self._proxies = Proxies(proxies)
        self._clock = clock or SystemClock()
        self._tokens, self._roll = tokens or Tokens({}), roll
        self._programs = Programs(lambda: roll.users if roll is not None else None)
        self._passwords, self._audit = PasswordQueue(), Audit(note_access)
        self._passkeys, self._oidc = None, None
        self._issuer = Issuer(oidc, self._clock.now_ns) if oidc is not None and roll is not None else None
        self._approvals = ApprovalDoor(lambda: self._board.views, lambda: roll.users) if roll is not None else None
        self._sessions = Sessions(self._on_session_end, idle_minutes=idle_minutes)
        self._board = self._made_board(hub, actions or {})
        self._endpoint = ActionEndpoint(hub, actions or {}, self._audit, self._clock, people=roll is not None)
        self._shelf, self._sheets = Shelf(recordings, sources), Sheets(journal, self._clock)
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: Callable[[], None] = lambda: None
        self.failed: str | None = None
        """Reason why the server's thread ended on its own; None while it serves."""

    @property
    def address(self) -> str:
        """The address to open in a browser, once it listens."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http{'s' if self._tls is not None else ''}://{host}:{self._port}/"

    def start(self, listener: socket.socket | None = None) -> None:
        """Listen and serve, or serve `listener`; return when pages can be loaded. LineBusy, LineDenied or LineAbsent
        names the address."""
        compile_all()
        listener = listener or _listen(self._host, self._port)
        self._port = listener.getsockname()[1]
        ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(listener, ready), name="console", daemon=True)
        self._thread.start()
        ready.wait(START_S)

    def stop(self) -> None:
        """Tell every page to reconnect later, and release the port. May be called twice."""
        for reading in (self._shelf, self._sheets, self._passwords):
            reading.close()  # callers waiting for a job get an error, so that nothing delays the end
        for more in (self._passkeys, self._oidc):
            if more is not None:
                more.close()
        self._end()
        if self._thread is not None:
            self._thread.join(STOP_S)
            self._thread = None

    def reload(self, newer: Roll) -> None:
        """Count another users file from now on; sessions that it withdraws end. May be called from any thread."""
        if self._roll is None:
            return
        self._roll.take(newer)
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # it has already ended
                self._loop.call_soon_threadsafe(self._withdraw)

    # ------------------------------------------------------------------ in the server's thread

    def _run(self, listener: socket.socket, ready: threading.Event) -> None:
        try:
            with listener, asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
                runner.run(self._serve(listener, ready))
        except Exception as error:  # the tables continue: the owner reads `failed`
            self.failed = f"{type(error).__name__}: {error}"
        finally:
            ready.set()

    async def _serve(self, listener: socket.socket, ready: threading.Event) -> None:
        loop, stop = asyncio.get_running_loop(), asyncio.Event()
        self._loop = loop

        def end() -> None:
            with contextlib.suppress(RuntimeError):  # it has already ended
                loop.call_soon_threadsafe(stop.set)

        self._end = end
        self._board.start()
        server = Server(
            self._config(),
            listener,
            most=connections_allowed(CONNECTIONS_MAX),
            most_each=ADDRESS_MAX,
            exempt=lambda host: is_loopback(host) or host in self._proxies,
            on_beat=self._on_beat,
            tls=self._tls.context if self._tls is not None else None,
        )
        serving = asyncio.create_task(server.serve())
        while not server.started and not serving.done():
            await asyncio.sleep(0.005)
        ready.set()
        stopped = asyncio.create_task(stop.wait())
        await asyncio.wait({stopped, serving}, return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        self._board.stop()
        server.end()
        await serving

    def _config(self) -> uvicorn.Config:
        return uvicorn.Config(
            self._app(),
            loop="asyncio",
            http=Connection,
            ws=LiveConnection,
            ws_max_size=MESSAGE_MAX,
            ws_per_message_deflate=not is_loopback(self._host),
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            h11_max_incomplete_event_size=HEADERS_MAX,
            timeout_graceful_shutdown=1,
        )

    def _app(self) -> AccessGuard:
        """Return the pages behind their guard."""
        # Cookies ignore ports, and two consoles may share a machine. Browsers accept this prefix only from the very
        # host and over TLS; without TLS some would not send the cookie back.
        cookie = f"{'__Host-' if self._secure else ''}dealwire-{self._port}"
        door = self._door(cookie)
        local = is_loopback(self._host)
        return AccessGuard(
            Pages(
                self._board,
                door,
                self._endpoint,
                self._shelf,
                self._sheets,
                self._passkeys,
                self._oidc,
                self._approvals,
            ).app(),
            sessions=self._sessions,
            clock=self._clock,
            cookie=cookie,
            names=[*self._names, self._host],
            loopback_only=local,
            open_reading=local and not self._proxied,
            secure=self._secure,
            own_tls=self._tls is not None,
            proxies=self._proxies,
            programs=self._programs if self._roll is not None else None,
            on_foreign=self._on_foreign,
            on_wrong_token=self._on_wrong_token,
        )

    def _made_board(self, hub: Hub, actions: Mapping[str, Sequence[Action]]) -> Board:
        if self._roll is not None:
            actions = {name: [*map(for_people, each)] for name, each in actions.items()}
        return Board(
            hub,
            lambda session: self._is_open(session, self._sessions.is_open),
            actions,
            self._clock.now_ns,
            lambda session: self._is_open(session, self._sessions.may_watch),
        )

    def _door(self, cookie: str) -> SignIn:
        """Return the way in: for people by name, or for roles by token."""
        known = (self._sessions, self._clock, cookie, self._audit)
        roll = self._roll
        if roll is None:
            return SignIn(self._tokens, *known, secure=self._secure)
        door = PersonSignIn(
            lambda: roll.users,
            *known,
            secure=self._secure,
            passwords=self._passwords,
            has_passkeys=roll.passkeys is not None,
            issuer=self._issuer.host if self._issuer is not None else "",
        )
        self._passkeys = PasskeyDoor(door, lambda: roll.passkeys, roll.newest)
        if self._issuer is not None:
            self._oidc = OidcDoor(door, self._issuer, f"{cookie}-oidc", secure=self._secure)
        return door

    def _is_open(self, session: SignedIn, is_open: Callable[[SignedIn, int], bool]) -> bool:
        now_ns = self._clock.now_ns()
        return self._programs.is_open(session, now_ns) if session.may is not None else is_open(session, now_ns)

    def _withdraw(self) -> None:
        if self._roll is not None:
            self._sessions.withdraw(self._roll.users, self._roll.passkeys, self._clock.now_ns())
            self._board.look_again()

    def _on_beat(self) -> None:
        now_ns = self._clock.now_ns()
        self._sessions.sweep(now_ns)
        if self._roll is not None:  # an entry's last day may be over
            self._sessions.withdraw(self._roll.users, self._roll.passkeys, now_ns)
        self._audit.beat(now_ns)

    def _on_foreign(self, address: str) -> None:
        text = "someone tried to act from a page that is not this console's"
        self._audit.note("stranger", text, address, self._clock.now_ns())

    def _on_wrong_token(self, address: str) -> None:
        text = "a program came with a token that does not count"
        self._audit.note("wrong-token", text, address, self._clock.now_ns())

    def _on_session_end(self, session: SignedIn, why: Ending) -> None:
        whose = session.called if session.user else f"a {session.role}"
        self._audit.note("end", f"session {session.name} of {whose} ended: {why}", "", self._clock.now_ns())
        self._board.look_again()


def _listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; LineBusy, LineDenied or LineAbsent names the address."""
    try:
        return listening_socket(host, port, CONNECTIONS_MAX)
    except OSError as error:
        raise listening_error(f"console {host}:{port}", error) from error
