"""The check of an ID token (OpenID Connect Core 1.0, 3.1.3.7)."""

import hmac
import json
import math
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from protocol.errors import LocalError

KINDS: Final = {"RS256": ("RSA", None), "ES256": ("EC", "P-256"), "EdDSA": ("OKP", "Ed25519")}
"""Algorithm -> kind and curve of its key. Nothing else counts: neither `none`, nor a key that both sides share."""
RSA_BITS: Final = 2048
AHEAD_S: Final = 60
"""Seconds that the issuer's clock may be ahead."""
SUBJECT_MAX: Final = 255
TOKEN_MAX: Final = 64 * 1024


class IdTokenRefused(LocalError):
    """The ID token does not prove who this is."""


@dataclass(frozen=True, slots=True)
class SubjectProof:
    """A subject, and when it proved to the issuer who it is; 0 if the issuer does not say."""

    subject: str
    proven_ns: int


def _header_of(token: str) -> Mapping[str, Any]:
    head = token[:TOKEN_MAX].partition(".")[0]
    try:
        found = json.loads(urlsafe_b64decode(head.encode("ascii") + b"=" * (-len(head) % 4)))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise IdTokenRefused("the ID token is malformed")
    return found


def key_id_of(token: str) -> str:
    """Return the id of the key that signed it. IdTokenRefused if there is none, or by its algorithm."""
    header = _header_of(token)
    if header.get("alg") not in KINDS:
        raise IdTokenRefused(f"the ID token is signed in another way than {', '.join(KINDS)}")
    key_id = header.get("kid")
    if not isinstance(key_id, str):
        raise IdTokenRefused("the ID token names no key")
    return key_id


def proof_in(token: str, key: Mapping[str, Any], issuer: str, client: str, nonce: str, now_ns: int) -> SubjectProof:
    """Return the proof in an ID token that `key` has signed. IdTokenRefused names what does not fit."""
    claims = _signed_claims(token, key)
    if claims.get("iss") != issuer:
        raise IdTokenRefused("the ID token is another issuer's")
    if claims.get("aud") not in (client, [client]) or claims.get("azp", client) != client:
        raise IdTokenRefused("the ID token is for another client")
    now_s = now_ns / 1_000_000_000
    if now_s >= _time(claims, "exp"):
        raise IdTokenRefused("the ID token has expired")
    if max(_time(claims, "iat"), _time(claims, "nbf", 0.0)) > now_s + AHEAD_S:
        raise IdTokenRefused("the ID token is from the future")
    given = claims.get("nonce")
    if not isinstance(given, str) or not hmac.compare_digest(given.encode("utf-8", "surrogatepass"), nonce.encode()):
        raise IdTokenRefused("the ID token belongs to another attempt")
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= SUBJECT_MAX:
        raise IdTokenRefused("the ID token names nobody")
    proven_s = min(_time(claims, "auth_time", 0.0), now_s)
    return SubjectProof(subject, int(proven_s * 1_000_000_000))


def _signed_claims(token: str, key: Mapping[str, Any]) -> Mapping[str, Any]:
    from joserfc import jwt
    from joserfc.errors import JoseError
    from joserfc.jwk import import_key
    from joserfc.jws import JWSRegistry

    class KnownOnly(JWSRegistry):
        """Gives the one algorithm that was checked. The library's own lookup warns of the name EdDSA, which issuers
        still use (RFC 9864)."""

        def get_alg(self, name: str) -> Any:
            if name != algorithm:
                raise IdTokenRefused("the ID token is malformed")
            return self.algorithms[name]

    algorithm = _header_of(token)["alg"]
    kind, curve = KINDS[algorithm]
    fits = key.get("kty") == kind and curve in (None, key.get("crv")) and key.get("use", "sig") == "sig"
    if not fits or key.get("alg", algorithm) != algorithm:
        raise IdTokenRefused("the ID token is signed with a key of another kind")
    if kind == "RSA" and len(_bytes_of(key.get("n"))) * 8 < RSA_BITS:
        raise IdTokenRefused(f"the issuer's key is shorter than {RSA_BITS} bits")
    try:
        registry = KnownOnly(algorithms=[algorithm], strict_check_header=False)
        return jwt.decode(token, import_key(dict(key)), algorithms=[algorithm], registry=registry).claims
    except (JoseError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise IdTokenRefused("the ID token's signature is wrong") from error


def _bytes_of(text: object) -> bytes:
    """Return the bytes of a number in base64url, without leading zeros; none if it is malformed."""
    try:
        return urlsafe_b64decode(f"{text}==").lstrip(b"\0") if isinstance(text, str) else b""
    except ValueError:
        return b""


def _time(claims: Mapping[str, Any], name: str, default: float | None = None) -> float:
    found = claims.get(name, default)
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found < math.inf:
        raise IdTokenRefused(f"the ID token's {name} is no time")
    return float(found)
