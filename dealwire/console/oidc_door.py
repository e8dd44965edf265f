"""Signing in at an issuer of OpenID Connect: the code flow with PKCE.

Two cookies take part. The session's is SameSite=Strict: no browser sends it, and none sends one just set, along a way
that began at the issuer. So the answer to the issuer is a page that goes on by itself, which is a way of our own; and
the session that a sign-in replaces is remembered when it begins. The attempt's cookie is Lax, because the issuer leads
the browser back, and lasts five minutes. Who has none began no attempt here.
"""

import asyncio
import hmac
import secrets
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Final, TypeVar

from starlette.requests import Request as HttpRequest
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from dealwire.console.rendering import page
from dealwire.console.sign_in import PersonSignIn, back_to
from dealwire.console.worker import Worker, WorkerBusy
from dealwire.listening import neighbourhood
from dealwire.people.id_token import IdTokenRefused, SubjectProof
from dealwire.people.issuer import WAIT_S, Issuer, OidcAttempt
from dealwire.people.users import digest_of
from protocol.errors import LocalError

ATTEMPT_S: Final = 300
ATTEMPTS_MAX: Final = 1024
EACH_MAX: Final = 2
"""Most requests of one address that wait for the issuer."""
CODE_MAX: Final = 2048
PATH: Final = "/sign-in/oidc"

Result = TypeVar("Result")


class OidcAttempts:
    """Attempts under way, by the digest of their browser's secret. Each counts once."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, OidcAttempt] = OrderedDict()

    def put(self, attempt: OidcAttempt) -> str:
        """Keep an attempt and return the secret for its browser; the oldest makes room."""
        secret = secrets.token_urlsafe(32)
        self._open[digest_of(secret)] = attempt
        while len(self._open) > ATTEMPTS_MAX:
            self._open.popitem(last=False)
        return secret

    def take(self, secret: str, state: str, now_ns: int) -> OidcAttempt | None:
        """Return the attempt of a browser and use it up; None if there is none, if it is over, or of another state."""
        found = self._open.pop(digest_of(secret[:128]), None)
        if found is None or now_ns >= found.end_ns or not hmac.compare_digest(found.state.encode(), state.encode()):
            return None
        return found


class OidcDoor:
    """The addresses for signing in at an issuer. `cookie` is the name of the attempt's cookie."""

    def __init__(self, door: PersonSignIn, issuer: Issuer, cookie: str, *, secure: bool) -> None:
        self._door, self._issuer, self._cookie, self._secure = door, issuer, cookie, secure
        self._attempts = OidcAttempts()
        self._waiting: Counter[str] = Counter()
        self._worker = Worker("console-oidc")

    def routes(self) -> list[Route]:
        """Return the addresses."""
        return [Route(f"{PATH}/start", self.start), Route(PATH, self.answer)]

    async def start(self, http: HttpRequest) -> Response:
        """GET: lead the browser to the issuer."""
        attempt = OidcAttempt(
            state=secrets.token_urlsafe(32),
            nonce=secrets.token_urlsafe(32),
            verifier=secrets.token_urlsafe(48),
            redirect=f"http{'s' if self._secure else ''}://{http.headers['host'].lower()}{PATH}",
            back=back_to(http.query_params.get("back", "")),
            former=self._door.secret_in(http),
            end_ns=self._door.now_ns() + ATTEMPT_S * 1_000_000_000,
        )
        try:
            link = await self._worked(http, lambda: self._issuer.link(attempt))
        except LocalError as error:
            return self._failed(http, error)
        answer = RedirectResponse(link, 303)
        answer.set_cookie(
            self._cookie,
            self._attempts.put(attempt),
            max_age=ATTEMPT_S,
            httponly=True,
            samesite="lax",
            secure=self._secure,
        )
        return answer

    async def answer(self, http: HttpRequest) -> Response:
        """GET: the issuer's answer, which a browser brings along. Start a session for a code that proves a person."""
        given = {name: value for name, value in http.query_params.multi_items() if len(value) <= CODE_MAX}
        attempt = self._attempts.take(http.cookies.get(self._cookie, ""), given.get("state", ""), self._door.now_ns())
        if attempt is None:
            self._door.note("issuer", "an answer of the issuer came to a browser that did not sign in there", http)
            return self._door.refuse(http, 403, "Too late, or begun in another browser or window. Sign in again.")
        if "code" not in given or "error" in given:
            self._door.note("issuer", f"{self._issuer.host} signed nobody in", http)
            return self._door.refuse(http, 403, f"{self._issuer.host} did not sign you in.")
        code, named = given["code"], given.get("iss")
        try:
            proof = await self._worked(http, lambda: self._issuer.proof(attempt, code, named))
        except LocalError as error:
            return self._failed(http, error)
        return self._enter(http, attempt, proof)

    def close(self) -> None:
        """Wait for no answer."""
        self._worker.close()

    # ------------------------------------------------------------------ inside

    def _enter(self, http: HttpRequest, attempt: OidcAttempt, proof: SubjectProof) -> Response:
        person = self._door.subject(proof.subject)
        if person is None:
            text = f"{self._issuer.host} named the subject {proof.subject}, which is nobody's in the users file"
            self._door.note("issuer", f"{text}, or of an entry that is not in force", http)
            return self._door.refuse(http, 403, "The users file lets nobody in with this account.")
        if person.passkey == "required":
            self._door.note("issuer", f"{person.name} needs a passkey, and signed in at {self._issuer.host}", http)
            return self._door.refuse(http, 403, "You need your passkey to sign in here.")
        self._door.end(attempt.former)
        answer = page(http, "signed-in.html", path="/", back=attempt.back, name=person.name)
        answer.delete_cookie(self._cookie, httponly=True, samesite="lax", secure=self._secure)
        return self._door.begin(http, answer, person, "oidc", proof.subject, proof.proven_ns)

    async def _worked(self, http: HttpRequest, call: Callable[[], Result]) -> Result:
        """Run `call` in the issuer's thread. WorkerBusy if too many wait, or for too long."""
        key = neighbourhood(http.state.address)
        if self._waiting[key] >= EACH_MAX:
            raise WorkerBusy("too many sign-ins wait for the issuer")
        self._waiting[key] += 1
        try:
            return await asyncio.wait_for(asyncio.wrap_future(self._worker.run(call)), 3 * WAIT_S)
        except TimeoutError:
            raise WorkerBusy(f"{self._issuer.host} does not answer") from None
        finally:
            self._waiting[key] -= 1
            if not self._waiting[key]:
                del self._waiting[key]

    def _failed(self, http: HttpRequest, error: LocalError) -> Response:
        if isinstance(error, WorkerBusy):
            return self._door.refuse(http, 503, "Many sign-ins wait for the issuer; wait a moment and try again.")
        self._door.note("issuer", f"a sign-in at {self._issuer.host} failed: {error}", http)
        if isinstance(error, IdTokenRefused):
            return self._door.refuse(http, 403, f"The answer of {self._issuer.host} does not count. Sign in again.")
        return self._door.refuse(http, 503, f"{self._issuer.host} cannot be used now. Sign in in another way.")
