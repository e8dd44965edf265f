"""Approvals that a passkey signs: what the browser needs for it, and its answer in the form."""

from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import urlsplit

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dealwire.console.passkey_door import read_json
from dealwire.console.sessions import SignedIn
from dealwire.hub.actions import Action, FieldRefused
from dealwire.hub.lines import Assertion
from dealwire.hub.view import TableView
from dealwire.people.users import Users

PROOF: Final = "proof"
"""Name of the form's field with the passkey's answer, as JSON."""
PATIENCE_MS: Final = 120_000


def proof_in(action: Action, form: dict[str, str]) -> Assertion | None:
    """Take the passkey's answer out of a form. FieldRefused if there has to be one and is none."""
    if not action.proved:
        return None
    try:
        return msgspec.json.decode(form.pop(PROOF, ""), type=Assertion)
    except (msgspec.MsgspecError, RecursionError):
        why = "confirm with your passkey; the page needs scripts for that, at the console's host name"
        raise FieldRefused(action.id, PROOF, why) from None


class ApprovalDoor:
    """The address at which a page gets what a passkey has to sign. The tables' process made it, and checks the answer;
    nothing is kept here."""

    def __init__(self, views: Callable[[], Mapping[str, TableView]], users: Callable[[], Users]) -> None:
        self._views, self._users = views, users

    def routes(self) -> list[Route]:
        """Return the address."""
        return [Route("/table/{table}/prove", self.prove, methods=["POST"])]

    async def prove(self, http: HttpRequest) -> Response:
        """POST: the options of `navigator.credentials.get` for one request, with the pinned passkeys of whoever is
        signed in."""
        session: SignedIn | None = http.state.session
        given = await read_json(http)
        view = self._views().get(http.path_params["table"])
        if session is None or not session.user or session.may is not None:
            raise HTTPException(401, "Sign in first.")
        found = [each for each in view.pending if each.request == given.get("request")] if view is not None else []
        if not found:
            raise HTTPException(404, "There is no such request at this table.")
        if not found[0].challenge:
            raise HTTPException(409, "This request was made before approvals were proved. Request it again.")
        person = next((each for each in self._users().file.user if each.name == session.user), None)
        pinned = person.approval_keys or () if person is not None else ()
        if not pinned:
            raise HTTPException(409, f"No passkey of {session.user} counts for approvals (dealwire users pin).")
        return JSONResponse(
            {
                "challenge": found[0].challenge,
                "rpId": urlsplit(http.headers["origin"].lower()).hostname or "",
                "allowCredentials": [{"id": each.partition(":")[0], "type": "public-key"} for each in pinned],
                "userVerification": "required",
                "timeout": PATIENCE_MS,
            }
        )
