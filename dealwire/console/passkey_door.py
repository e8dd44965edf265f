"""Adding a passkey with a one-time code, and signing in with one."""

import asyncio
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dealwire.console.rendering import page
from dealwire.console.sign_in import NAME_MAX, PersonSignIn, back_to, read_body
from dealwire.console.worker import Worker
from dealwire.people.passkeys import (
    EACH_MAX,
    Challenge,
    Challenges,
    ConsoleName,
    CopiedPasskey,
    Passkey,
    PasskeyRefused,
    Passkeys,
    enrol_options,
    enrolled,
    packed,
    sign_in_options,
    unpacked,
    verified,
)
from dealwire.people.users import UserPart, Users, digest_of, moment
from protocol.errors import LocalError

JSON_MAX: Final = 16 * 1024
"""Maximum size of what a browser sends for a passkey, in bytes."""


async def read_json(http: HttpRequest) -> dict[str, Any]:
    """Read a JSON object of at most `JSON_MAX` bytes; HTTPException if it is too long or none."""
    body = await read_body(http, JSON_MAX, "application/json")
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, "this is not JSON") from error
    if not isinstance(found, dict):
        raise HTTPException(400, "a JSON object is expected")
    return found


class PasskeyDoor:
    """The addresses for passkeys. `passkeys` returns the file's content that counts now; `newest` reads the users file
    again, so that a one-time code counts at once."""

    def __init__(
        self, door: PersonSignIn, passkeys: Callable[[], Passkeys | None], newest: Callable[[], Users]
    ) -> None:
        self._door, self._passkeys, self._newest = door, passkeys, newest
        self._challenges = Challenges()
        self._salt = secrets.token_bytes(32)
        self._worker = Worker("console-passkeys")

    def routes(self) -> list[Route]:
        """Return the addresses."""
        return [
            Route("/enrol", self.enrol_page),
            Route("/enrol/options", self.enrol_options, methods=["POST"]),
            Route("/enrol/finish", self.enrol_finish, methods=["POST"]),
            Route("/sign-in/passkey/options", self.sign_in_options, methods=["POST"]),
            Route("/sign-in/passkey", self.sign_in, methods=["POST"]),
        ]

    async def enrol_page(self, http: HttpRequest) -> Response:
        """GET: the form for a name and a one-time code."""
        return page(http, "enrol.html", path="/enrol", offered=self._passkeys() is not None)

    async def enrol_options(self, http: HttpRequest) -> Response:
        """POST: the challenge for a new passkey, for a right code."""
        given = await read_json(http)
        user = await self._with_code(http, given)
        passkeys, now_ns = self._known(), self._door.now_ns()
        challenge = self._challenges.new("enrol", user.name, http.state.address, now_ns)
        options = enrol_options(_place(http), user.name, challenge, passkeys.of(user.name))
        return Response(options, media_type="application/json")

    async def enrol_finish(self, http: HttpRequest) -> Response:
        """POST: keep the new passkey, and use the code up."""
        given = await read_json(http)
        user = await self._with_code(http, given)
        passkeys, now_ns = self._known(), self._door.now_ns()
        answer, challenge = self._answered(http, given, "enrol", now_ns)
        if challenge.user != user.name:
            raise HTTPException(403, "The passkey belongs to another name.")
        code = digest_of(_text(given, "code"))

        def keep() -> Passkey:
            found = replace(enrolled(_place(http), user.name, challenge, answer, now_ns), code=code)
            passkeys.put(found)
            return found

        await self._worked(keep)
        self._door.note("enrolled", f"{user.name} added a passkey", http)
        return JSONResponse({"good": True, "text": "The passkey is added. Sign in with it.", "to": "/sign-in"})

    async def sign_in_options(self, http: HttpRequest) -> Response:
        """POST: the challenge for a person's passkey. A name without one gets a challenge that no key answers, so that
        names cannot be told apart."""
        given = await read_json(http)
        name, now_ns = _text(given, "name"), self._door.now_ns()
        known = self._known().of(name)
        if not known:
            made_up = hmac.digest(self._salt, name.encode(), "sha256")
            known = [Passkey(name, packed(made_up), "", 0, 0)]
        challenge = self._challenges.new("sign-in", name, http.state.address, now_ns)
        return Response(sign_in_options(_place(http), challenge, known), media_type="application/json")

    async def sign_in(self, http: HttpRequest) -> Response:
        """POST: start a session for a right answer."""
        given = await read_json(http)
        passkeys, now_ns = self._known(), self._door.now_ns()
        answer, challenge = self._answered(http, given, "sign-in", now_ns)
        person = self._door.person(challenge.user)
        if person is None:
            return await self._door.refuse_json(http, challenge.user, "This passkey is not known.")

        used = str(answer.get("id", ""))[:1024]

        def use() -> None:  # looked up in that thread: of two answers at once, the second sees the first one's counter
            known = passkeys.find(used)
            if known is None or known.user != person.name:
                raise PasskeyRefused("this passkey is not known")
            passkeys.renew(verified(_place(http), challenge, answer, known))

        try:
            await self._worked(use)
        except CopiedPasskey as error:
            self._door.note("copied-passkey", f"a copied passkey of {person.name}? {error}", http)
            return await self._door.refuse_json(http, person.name, "This passkey was used elsewhere; report it.")
        except HTTPException as error:
            return await self._door.refuse_json(http, person.name, str(error.detail))
        to = back_to(_text(given, "back", NAME_MAX * 16))
        return self._door.begin(http, JSONResponse({"good": True, "text": "", "to": to}), person, "passkey", used)

    def close(self) -> None:
        """Verify nothing more."""
        self._worker.close()

    # ------------------------------------------------------------------ inside

    def _known(self) -> Passkeys:
        found = self._passkeys()
        if found is None:
            raise HTTPException(404, "This console keeps no passkeys: table.toml names no passkeys-file.")
        return found

    async def _worked(self, call: Callable[[], object]) -> None:
        """Verify and write in another thread: both take longer than the loop should wait."""
        try:
            await asyncio.wrap_future(self._worker.run(call))
        except CopiedPasskey:
            raise
        except LocalError as error:
            raise HTTPException(403, str(error)) from error

    async def _with_code(self, http: HttpRequest, given: dict[str, Any]) -> UserPart:
        """Return the person of a right one-time code; HTTPException for a wrong one, a moment later."""
        passkeys, now_ns = self._known(), self._door.now_ns()
        try:
            users = await asyncio.wrap_future(self._worker.run(self._newest))
        except LocalError as error:
            raise HTTPException(503, "The users file cannot be read.") from error
        user = users.person(_text(given, "name"), now_ns)
        code = digest_of(_text(given, "code"))
        right = user is not None and hmac.compare_digest(code, user.enrol or _NO_CODE)
        if user is None or not right or (user.enrol_until or "") <= moment(now_ns) or passkeys.code_is_used(code):
            await self._door.hold_back(http, _text(given, "name"), "one-time code")
            raise HTTPException(403, "Unknown name or code, or the code was used or is over.")
        if len(passkeys.of(user.name)) >= EACH_MAX:
            raise HTTPException(409, f"There are {EACH_MAX} passkeys already.")
        return user

    def _answered(
        self, http: HttpRequest, given: dict[str, Any], use: Any, now_ns: int
    ) -> tuple[dict[str, Any], Challenge]:
        """Return the browser's answer and the challenge that it is for, which is used up."""
        answer = given.get("credential")
        try:
            client = json.loads(unpacked(answer["response"]["clientDataJSON"]))  # type: ignore[index]
            value = unpacked(client["challenge"])
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise HTTPException(400, "this is not the answer of a passkey") from error
        challenge = self._challenges.take(value, use, http.state.address, now_ns)
        if challenge is None or not isinstance(answer, dict):
            raise HTTPException(403, "Too late, or this was answered before. Try again.")
        return answer, challenge


_NO_CODE: Final = f"sha256:{hashlib.sha256(secrets.token_bytes(32)).hexdigest()}"


def _text(given: dict[str, Any], name: str, most: int = NAME_MAX) -> str:
    """Return a text that a browser sent; empty if it is none, too long or not printable: half of a character's two
    numbers, which JSON allows, has no bytes."""
    found = given.get(name, "")
    fits = isinstance(found, str) and len(found) <= most and found.strip().isprintable()
    return found.strip() if fits else ""


def _place(http: HttpRequest) -> ConsoleName:
    """Return the console as this browser knows it. The guard has accepted the origin."""
    origin = http.headers["origin"].lower()
    return ConsoleName(urlsplit(origin).hostname or "", (origin,))
