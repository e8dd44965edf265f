"""An issuer of OpenID Connect on loopback. Its tokens are made by PyJWT, which dealwire does not use."""

from __future__ import annotations

import json
import secrets
import threading
import time
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

CLIENT = "dealwire pit/1:x".replace(" ", "-")
SECRET = "a secret: 100% & more"
SUBJECT = "248289761001"


@cache
def issuer_key(kind: str) -> Any:
    """Return a key of the issuer, or of someone else."""
    if kind.startswith("RS256"):
        return rsa.generate_private_key(65537, 1024 if kind.endswith("short") else 2048)
    return ec.generate_private_key(ec.SECP256R1()) if kind.startswith("ES256") else ed25519.Ed25519PrivateKey.generate()


def public_of(kind: str) -> dict[str, Any]:
    """Return the public half of a key as a JSON Web Key."""
    writer: Any = {"RS": RSAAlgorithm, "ES": ECAlgorithm, "Ed": OKPAlgorithm}[kind[:2]]
    return {**json.loads(writer.to_jwk(issuer_key(kind).public_key())), "kid": kind, "use": "sig"}


def signed(claims: dict[str, Any], kind: str = "RS256", **header: Any) -> str:
    """Return an ID token."""
    headers = {name: each for name, each in {"kid": kind, **header}.items() if each is not None}
    return jwt.encode(claims, issuer_key(kind), kind.partition("-")[0], headers)


class LoopbackIssuer:
    """The issuer's state: the subject, the keys, and answers that differ."""

    def __init__(self) -> None:
        self.address = ""
        self._codes: dict[str, dict[str, str]] = {}
        self.reset()

    def reset(self) -> None:
        """Answer as it should again."""
        self.subject = SUBJECT
        self.kinds = ["RS256", "ES256", "EdDSA"]
        """Keys that it publishes."""
        self.sign: Callable[[dict[str, Any]], str] = signed
        self.claims: dict[str, Any] = {}
        """Claims that differ; None: left out."""
        self.facts: dict[str, Any] = {}
        """The same, of its description."""
        self.instead: dict[str, tuple[int, bytes]] = {}
        """By path: the status and body of another answer. An endless body is empty, with status 0."""
        self.asked: list[dict[str, str]] = []
        self.calls: list[str] = []

    def describe(self) -> dict[str, Any]:
        """Return its description (OpenID Connect Discovery 1.0, 3)."""
        here = self.address
        known = {
            "issuer": here,
            "authorization_endpoint": f"{here}/authorize?tenant=1",
            "token_endpoint": f"{here}/token",
            "jwks_uri": f"{here}/keys",
            **self.facts,
        }
        return {name: each for name, each in known.items() if each is not None}

    def authorize(self, query: dict[str, str]) -> str:
        """Sign the subject in, and return where the browser goes on."""
        self.asked.append(query)
        code = secrets.token_urlsafe(8)
        self._codes[code] = query
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state'], 'iss': self.address})}"

    def token(self, form: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        """Exchange a code, once (RFC 6749, 4.1.3; RFC 7636, 4.6)."""
        asked = self._codes.pop(form.get("code", ""), None)
        name, _, secret = b64decode(authorization.removeprefix("Basic ")).decode().partition(":")
        given = parse_qs(f"name={name}&secret={secret}")
        if given != {"name": [CLIENT], "secret": [SECRET]}:
            return 401, {"error": "invalid_client"}
        challenge = urlsafe_b64encode(sha256(form["code_verifier"].encode()).digest()).rstrip(b"=").decode()
        if asked is None or asked["code_challenge"] != challenge or asked["redirect_uri"] != form["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {
            "iss": self.address,
            "sub": self.subject,
            "aud": CLIENT,
            "exp": now + 300,
            "iat": now,
            "auth_time": now - 100,
            "nonce": asked["nonce"],
            **self.claims,
        }
        token = self.sign({name: each for name, each in claims.items() if each is not None})
        return 200, {"access_token": "x", "token_type": "Bearer", "id_token": token}


@contextmanager
def loopback_issuer() -> Iterator[LoopbackIssuer]:
    """Serve an issuer until the block ends."""
    issuer = LoopbackIssuer()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None: ...

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            issuer.calls.append(parts.path)
            if parts.path in issuer.instead:
                self._instead(*issuer.instead[parts.path])
            elif parts.path == "/authorize":
                query = {name: each[0] for name, each in parse_qs(parts.query).items()}
                self._answer(303, b"", issuer.authorize(query))
            elif parts.path == "/keys":
                self._json(200, {"keys": [public_of(kind) for kind in issuer.kinds]})
            else:
                self._json(200, issuer.describe())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"])).decode()
            issuer.calls.append(self.path)
            if self.path in issuer.instead:
                self._instead(*issuer.instead[self.path])
                return
            form = {name: each[0] for name, each in parse_qs(body).items()}
            self._json(*issuer.token(form, self.headers.get("authorization", "")))

        def _instead(self, status: int, body: bytes) -> None:
            if status:
                self._answer(status, body, "/elsewhere" if status == 302 else "")
                return
            with suppress(OSError):
                while not ended.wait(0.01):  # a byte at a time, for ever
                    self.wfile.write(b"H")

        def _json(self, status: int, found: dict[str, Any]) -> None:
            self._answer(status, json.dumps(found).encode(), "")

        def _answer(self, status: int, body: bytes, location: str) -> None:
            self.send_response(status)
            if location:
                self.send_header("location", location)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            with suppress(OSError):
                self.wfile.write(body)

    ended = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    issuer.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=lambda: server.serve_forever(0.01), daemon=True)
    thread.start()
    try:
        yield issuer
    finally:
        ended.set()
        server.shutdown()
        server.server_close()
        thread.join()
