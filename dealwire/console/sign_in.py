"""Signing in, with a role's token or as a person with a password, and signing out."""

from collections.abc import Callable
from typing import Any, Final, TypeVar
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, RedirectResponse, Response

from dealwire.console.audit import AccessKind, Audit
from dealwire.console.password_queue import PasswordQueue
from dealwire.console.rendering import as_json, page
from dealwire.console.sessions import ProofKind, Sessions, SignedIn, SignInLane
from dealwire.console.tokens import TOKEN_MAX, Tokens
from dealwire.people.passwords import PASSWORD_MAX
from dealwire.people.users import UserPart, Users
from devices.clock import Clock
from protocol.printable import printable

BODY_MAX: Final = 8 * 1024
"""Maximum size of a form in bytes."""
FIELDS_MAX: Final = 32
NAME_MAX: Final = 64

Answer = TypeVar("Answer", bound=Response)


async def read_body(http: HttpRequest, most: int, kind: str) -> bytes:
    """Read a body of at most `most` bytes; HTTPException if it is too long or of another media type."""
    body = b""
    async for piece in http.stream():
        body += piece
        if len(body) > most:
            raise HTTPException(413, f"the form is longer than {most} bytes")
    given = http.headers.get("content-type", "").partition(";")[0].strip()
    if body and given != kind:
        raise HTTPException(415, "a form is expected" if kind == FORM else f"{kind} is expected")
    return body


FORM: Final = "application/x-www-form-urlencoded"


async def read_form(http: HttpRequest) -> dict[str, str]:
    """Read the fields of a form, at most `BODY_MAX` bytes; HTTPException if it is too long or not a form."""
    body = await read_body(http, BODY_MAX, FORM)
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
        back = back_to(http.query_params.get("back", ""))
        return page(http, "sign-in.html", status, path="/", problem=problem, back=back, people=False)

    async def enter(self, http: HttpRequest) -> Response:
        """GET or HEAD: the form. POST: sign in."""
        return await self.sign_in(http) if http.method == "POST" else self.page(http)

    async def sign_in(self, http: HttpRequest) -> Response:
        """POST: start a session for a right token, at once. Only the answer to a wrong token is delayed."""
        form = await read_form(http)
        role = self._tokens.role_of(form.get("token", "")[: TOKEN_MAX + 1].strip())
        if role is None:
            self.note("wrong-token", "someone tried to sign in with a wrong token", http)
            if await self._lane.hold_back(http.state.address):
                return self._refuse(http, 403, "Unknown token.")
            text = "Unknown token. Many wrong tokens were tried; wait a moment and try again."
            return self._too_many(http, text)
        self._sessions.end(http.cookies.get(self._cookie, ""))
        answer = RedirectResponse(back_to(form.get("back", "")), 303)
        return self._begun(http, answer, self._sessions.begin(role, self.now_ns()))

    async def sign_out(self, http: HttpRequest) -> Response:
        """POST: end the session."""
        self._sessions.end(http.cookies.get(self._cookie, ""))
        answer = RedirectResponse("/", 303)
        answer.delete_cookie(self._cookie, httponly=True, samesite="strict", secure=self._secure)
        return answer

    def now_ns(self) -> int:
        """Return the time of the tables' clock."""
        return self._clock.now_ns()

    def note(self, kind: AccessKind, text: str, http: HttpRequest) -> None:
        """Record an event that this request caused."""
        self._audit.note(kind, text, http.state.address, self.now_ns())

    # ------------------------------------------------------------------ inside

    def _begun(self, http: HttpRequest, answer: Answer, begun: tuple[str, SignedIn]) -> Answer:
        secret, session = begun
        self.note("sign-in", f"{named(session)} signed in", http)
        answer.set_cookie(self._cookie, secret, httponly=True, samesite="strict", secure=self._secure)
        return answer

    def _refuse(self, http: HttpRequest, status: int, text: str) -> Response:
        return as_json(http.headers, status, text) or self.page(http, text, status)

    def _too_many(self, http: HttpRequest, text: str) -> Response:
        answer = self._refuse(http, 429, text)
        answer.headers["retry-after"], answer.headers["connection"] = "1", "close"
        return answer


class PersonSignIn(SignIn):
    """Sign-in of people by name. `users` returns the users file that counts now; `has_passkeys`: the page offers them;
    `issuer`: host of the issuer of OpenID Connect that it offers, if any.

    A password waits in line to be checked, and the answer to a wrong one is delayed besides.
    """

    def __init__(
        self,
        users: Callable[[], Users],
        sessions: Sessions,
        clock: Clock,
        cookie: str,
        audit: Audit,
        *,
        secure: bool,
        passwords: PasswordQueue,
        has_passkeys: bool,
        issuer: str = "",
    ) -> None:
        super().__init__(Tokens({}), sessions, clock, cookie, audit, secure=secure)
        self._users, self._passwords, self._has_passkeys = users, passwords, has_passkeys
        self._issuer = issuer

    def page(self, http: HttpRequest, problem: str = "", status: int = 200) -> Response:
        """Return the sign-in form."""
        back, offered = back_to(http.query_params.get("back", "")), self._has_passkeys
        known: dict[str, Any] = {
            "path": "/",
            "problem": problem,
            "back": back,
            "passkeys": offered,
            "issuer": self._issuer,
        }
        return page(http, "sign-in.html", status, people=True, **known)

    async def sign_in(self, http: HttpRequest) -> Response:
        """POST: start a session for a name and its password."""
        form = await read_form(http)
        name = form.get("name", "")[: NAME_MAX + 1].strip()
        person = self.person(name)
        digest = person.password if person is not None and person.passkey != "required" else None
        fits = await self._passwords.check(http.state.address, form.get("password", "")[: PASSWORD_MAX + 1], digest)
        if fits is None:
            return self._too_many(http, "Many passwords are waiting to be checked; wait a moment and try again.")
        person = self.person(name)  # the users file may have changed meanwhile
        if not fits or person is None or person.password != digest or person.passkey == "required":
            if await self.hold_back(http, name, "password"):
                return self._refuse(http, 403, "Unknown name or password.")
            return self._too_many(http, "Unknown name or password. Many were tried; wait a moment and try again.")
        return self.begin(http, RedirectResponse(back_to(form.get("back", "")), 303), person, "password", digest or "")

    def person(self, name: str) -> UserPart | None:
        """Return the person of that name, if the entry is in force."""
        return self._users().person(name, self.now_ns())

    def begin(
        self,
        http: HttpRequest,
        answer: Answer,
        person: UserPart,
        by: ProofKind,
        proof: str,
        proven_ns: int | None = None,
    ) -> Answer:
        """Start a session for a person, in place of the browser's former one, and put its cookie into `answer`.
        `proof` and `proven_ns` are as of `Sessions.begin`."""
        self._sessions.end(self.secret_in(http))
        begun = self._sessions.begin(person.role, self.now_ns(), person, by, proof, proven_ns)
        return self._begun(http, answer, begun)

    def secret_in(self, http: HttpRequest) -> str:
        """Return the secret of the browser's session; empty if it sends none."""
        return http.cookies.get(self._cookie, "")

    def end(self, secret: str) -> None:
        """End a session by its secret."""
        self._sessions.end(secret)

    def subject(self, subject: str) -> UserPart | None:
        """Return the person of a subject at the issuer, if the entry is in force."""
        return self._users().subject(subject, self.now_ns())

    def refuse(self, http: HttpRequest, status: int, text: str) -> Response:
        """Return the sign-in page with a refusal, or the refusal as JSON."""
        return self._refuse(http, status, text)

    async def hold_back(self, http: HttpRequest, name: str, what: str) -> bool:
        """Record a wrong secret, and delay its answer; False at once if too many wait. A name that no one has is not
        recorded: it may be a password in the wrong field."""
        whose = f" of {printable(name)}" if self.person(name) is not None else ""
        self.note("wrong-password", f"someone tried to sign in with a wrong {what}{whose}", http)
        return await self._lane.hold_back(http.state.address)

    async def refuse_json(self, http: HttpRequest, name: str, text: str) -> Response:
        """Return the refusal of a passkey, a moment later."""
        held = await self.hold_back(http, name, "passkey")
        return JSONResponse({"good": False, "text": text}, 403 if held else 429)


def back_to(path: str) -> str:
    """Return the path to go to after signing in: a path of this server, never of another."""
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable() else "/"


def named(session: SignedIn) -> str:
    """Return who it is, with the session's number, as the beginning of a sentence."""
    return f"{session.called}, session {session.name},"
