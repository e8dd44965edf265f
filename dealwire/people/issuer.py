"""The issuer of OpenID Connect: its addresses, its keys, and the exchange of a code for a subject.

Everything here waits for another machine, so it runs in a worker's thread: at most `WAIT_S` and `ANSWER_MAX` for each
request, without redirects and without proxies.
"""

import http.client
import importlib.util
import json
import os
import re
import socket
import ssl
import threading
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote_plus, urlencode, urlsplit

from dealwire.config.private_file import why_unsafe_facts
from dealwire.config.schema import OidcPart, why_not_an_issuer
from dealwire.people.errors import PeopleFileUnsafe
from dealwire.people.id_token import IdTokenRefused, SubjectProof, key_id_of, proof_in
from devices.files import open_file
from protocol.errors import LocalError
from rules.errors import ExtraMissing

WAIT_S: Final = 10.0
"""Longest wait for one answer of the issuer."""
ANSWER_MAX: Final = 256 * 1024
"""Most bytes of one answer."""
KEEP_NS: Final = 600 * 1_000_000_000
"""Time for which addresses and keys are kept."""
FAILED_NS: Final = 10 * 1_000_000_000
"""Time for which an issuer that did not answer is not called again."""
MAX_AGE_S: Final = 300
"""The issuer has a person prove again who it is if the last proof is older."""
SECRET_MAX: Final = 4096

_ERROR_CODE: Final = re.compile(r"[a-z_]{1,40}")


class OidcUnusable(LocalError):
    """A file that `[people.oidc]` names cannot be used: names the file, and why."""

    def __init__(self, path: Path, why: str) -> None:
        self.path, self.why = path, why
        super().__init__(f"{path}: {why}")


class IssuerFailed(LocalError):
    """The issuer does not answer, or answers with what cannot be used."""


@dataclass(frozen=True, slots=True)
class OidcAttempt:
    """One attempt to sign in at the issuer: what only this console and the browser that began it know, the address to
    come back to, the page to go to then, and the secret of the session that it replaces."""

    state: str
    nonce: str
    verifier: str
    redirect: str
    back: str
    former: str
    end_ns: int


@dataclass(frozen=True, slots=True)
class _Facts:
    """The issuer's addresses. `in_body`: it takes the secret in the form only."""

    sign_in: str
    token: str
    keys: str
    in_body: bool
    names_itself: bool


def needs_joserfc() -> None:
    """Raise ExtraMissing if joserfc is not installed."""
    if importlib.util.find_spec("joserfc") is None:
        raise ExtraMissing("joserfc", "people")


def check_files(part: OidcPart) -> None:
    """Read the files of `[people.oidc]`. PeopleFileUnsafe or OidcUnusable names the one that will not do."""
    _secret_in(part.client_secret_file)
    _trusted(part.ca_file)


def _secret_in(path: Path) -> str:
    try:
        with open_file(path) as file:
            if why := why_unsafe_facts(os.fstat(file.fileno()), path):
                raise PeopleFileUnsafe(path, why)
            content = file.read(SECRET_MAX + 1)
        lines = content.decode("ascii").splitlines() if len(content) <= SECRET_MAX else []
    except OSError as error:
        raise OidcUnusable(path, f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError:
        lines = []
    if not lines or not lines[0].strip():
        raise OidcUnusable(path, "the client's secret is needed on the first line, in ASCII")
    return lines[0].strip()


def _trusted(path: Path | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=path)
    except (OSError, ValueError) as error:
        assert path is not None
        why = getattr(error, "strerror", None) or "no certificate in PEM"
        raise OidcUnusable(path, f"cannot be used: {why}") from error


class Issuer:
    """An issuer. `now_ns` returns the tables' time. All methods belong into one worker's thread."""

    def __init__(self, part: OidcPart, now_ns: Callable[[], int]) -> None:
        self.name, self.host = part.issuer, urlsplit(part.issuer).netloc
        self._part, self._now_ns = part, now_ns
        self._facts: tuple[int, _Facts] | None = None
        self._keys: tuple[int, list[dict[str, Any]]] | None = None
        self._failed: tuple[int, str] | None = None

    def link(self, attempt: OidcAttempt) -> str:
        """Return the address at which a browser signs in. IssuerFailed if the issuer's addresses cannot be had."""
        challenge = urlsafe_b64encode(sha256(attempt.verifier.encode()).digest()).rstrip(b"=").decode()
        values = {
            "response_type": "code",
            "client_id": self._part.client_id,
            "redirect_uri": attempt.redirect,
            "scope": "openid",
            "state": attempt.state,
            "nonce": attempt.nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            "max_age": str(MAX_AGE_S),
        }
        address = self._addresses().sign_in
        return f"{address}{'&' if '?' in address else '?'}{urlencode(values)}"

    def proof(self, attempt: OidcAttempt, code: str, named: str | None) -> SubjectProof:
        """Return the proof in the ID token for a code. `named` is the issuer that the browser's answer names, if any.
        IdTokenRefused if something does not fit, IssuerFailed if the issuer does not answer."""
        facts = self._addresses()
        if named != self.name and (named is not None or facts.names_itself):
            raise IdTokenRefused("the answer is another issuer's")
        token = self._exchanged(facts, attempt, code).get("id_token")
        if not isinstance(token, str):
            raise IssuerFailed(f"{facts.token} gave no ID token")
        key = self._key(key_id_of(token))
        return proof_in(token, key, self.name, self._part.client_id, attempt.nonce, self._now_ns())

    # ------------------------------------------------------------------ inside

    def _addresses(self) -> _Facts:
        if self._facts is None or not self._is_recent(self._facts[0], KEEP_NS):
            found = self._fetch(f"{self.name.rstrip('/')}/.well-known/openid-configuration")
            self._facts = self._now_ns(), self._facts_in(found)
        return self._facts[1]

    def _facts_in(self, found: Mapping[str, Any]) -> _Facts:
        if found.get("issuer") != self.name:
            raise IssuerFailed(f"{self.name} calls itself {str(found.get('issuer'))[:200]!r}")
        places = [found.get(f"{each}_endpoint") for each in ("authorization", "token")] + [found.get("jwks_uri")]
        fit = [each for each in places if isinstance(each, str) and why_not_an_issuer(each, query=True) is None]
        if len(fit) != len(places):
            raise IssuerFailed(f"{self.name} names an address without TLS, or none")
        if "S256" not in _texts(found, "code_challenge_methods_supported", "S256"):
            raise IssuerFailed(f"{self.name} does not know PKCE with S256")
        ways = _texts(found, "token_endpoint_auth_methods_supported", "client_secret_basic")
        if "client_secret_basic" not in ways and "client_secret_post" not in ways:
            raise IssuerFailed(f"{self.name} takes no client secret")
        itself = found.get("authorization_response_iss_parameter_supported") is True
        return _Facts(fit[0], fit[1], fit[2], "client_secret_basic" not in ways, itself)

    def _exchanged(self, facts: _Facts, attempt: OidcAttempt, code: str) -> Mapping[str, Any]:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": attempt.redirect,
            "code_verifier": attempt.verifier,
        }
        secret, headers = _secret_in(self._part.client_secret_file), {}
        if facts.in_body:
            form |= {"client_id": self._part.client_id, "client_secret": secret}
        else:
            both = f"{quote_plus(self._part.client_id)}:{quote_plus(secret)}"
            headers["authorization"] = f"Basic {b64encode(both.encode()).decode()}"
        return self._fetch(facts.token, urlencode(form), headers)

    def _key(self, key_id: str) -> dict[str, Any]:
        """Return the key of that id. Keys may have changed, so an unknown id has them fetched once more."""
        for again in (False, True):
            if self._keys is None or again or not self._is_recent(self._keys[0], KEEP_NS):
                found = self._fetch(self._addresses().keys).get("keys")
                known = [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
                self._keys = self._now_ns(), known
            same = [each for each in self._keys[1] if each.get("kid") == key_id]
            if len(same) == 1:
                return same[0]
        raise IdTokenRefused("the issuer has no key, or several, of the ID token's id")

    def _is_recent(self, at_ns: int, most_ns: int) -> bool:
        return 0 <= self._now_ns() - at_ns < most_ns

    def _fetch(self, url: str, form: str | None = None, headers: Mapping[str, str] | None = None) -> Mapping[str, Any]:
        if self._failed is not None and self._is_recent(self._failed[0], FAILED_NS):
            raise IssuerFailed(self._failed[1])
        self._failed = None
        try:
            return fetched(url, _trusted(self._part.ca_file), form, headers)
        except (OSError, http.client.HTTPException) as error:
            why = getattr(error, "reason", None) or getattr(error, "strerror", None) or type(error).__name__
            text = f"{urlsplit(url).netloc} does not answer: {why}"
            self._failed = self._now_ns(), text
            raise IssuerFailed(text) from error


def _texts(found: Mapping[str, Any], name: str, default: str) -> list[Any]:
    """Return a list in the issuer's description; empty if it is none."""
    listed = found.get(name, [default])
    return listed if isinstance(listed, list) else []


def fetched(
    url: str, trusted: ssl.SSLContext, form: str | None = None, headers: Mapping[str, str] | None = None
) -> Mapping[str, Any]:
    """Return the JSON object at an address, within `WAIT_S` and `ANSWER_MAX`. OSError or HTTPException if no answer
    comes, IssuerFailed if it is another one."""
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port
    line = (
        http.client.HTTPSConnection(host, port, timeout=WAIT_S, context=trusted)
        if parts.scheme == "https"
        else http.client.HTTPConnection(host, port, timeout=WAIT_S)
    )
    try:
        line.connect()
        # The time limit of a socket starts again with each byte; this one does not.
        cut = threading.Timer(WAIT_S, _cut, (line.sock,))
        cut.daemon = True
        cut.start()
        try:
            return _answer(line, parts.path + (f"?{parts.query}" if parts.query else ""), parts.netloc, form, headers)
        finally:
            cut.cancel()
    finally:
        line.close()


def _cut(line: Any) -> None:
    with suppress(OSError):
        socket.socket.shutdown(line, socket.SHUT_RDWR)  # not its TLS: the other thread still reads by it


def _answer(
    line: http.client.HTTPConnection, path: str, place: str, form: str | None, headers: Mapping[str, str] | None
) -> Mapping[str, Any]:
    known = {"accept": "application/json", **(headers or {})}
    if form is None:
        line.request("GET", path or "/", headers=known)
    else:
        kind = {"content-type": "application/x-www-form-urlencoded"}
        line.request("POST", path or "/", form.encode(), {**known, **kind})
    with line.getresponse() as answer:
        body = answer.read(ANSWER_MAX + 1)
    if len(body) > ANSWER_MAX:
        raise IssuerFailed(f"{place} answers with more than {ANSWER_MAX // 1024} KiB")
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if answer.status != 200:
        code = found.get("error") if isinstance(found, dict) else None
        more = f" ({code})" if isinstance(code, str) and _ERROR_CODE.fullmatch(code) else ""
        raise IssuerFailed(f"{place} answers with status {answer.status}{more}")
    if not isinstance(found, dict):
        raise IssuerFailed(f"{place} answers with something else than a JSON object")
    return found
