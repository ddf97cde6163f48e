"""Routes that need a user name and a password: Basic (RFC 7617) and Digest (RFC 7616)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets

from ..errors import ApiError, Code
from ..message import Request, Response
from ..routing import ANY, Route

USER = "demo"
PASSWORD = "open sesame"
_REALM = "demo"
_PARAMETER = re.compile(r'(\w+)=(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))')


class Passwords:
    """The only user; the nonces of digests are valid as long as the server runs."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(16)

    def routes(self) -> list[Route]:
        return [Route(ANY, "basic", self.basic), Route(ANY, "digest", self.digest)]

    def basic(self, request: Request) -> Response:
        expected = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        if request.header("authorization") != f"Basic {expected}":
            raise _refusal('Basic realm="demo", charset="UTF-8"')
        return Response.json({"user": USER})

    def digest(self, request: Request) -> Response:
        scheme, _, text = (request.header("authorization") or "").partition(" ")
        given = {name: quoted or bare for name, quoted, bare in _PARAMETER.findall(text)}
        nonce = given.get("nonce", "")
        known = hmac.compare_digest(nonce, self._nonce(nonce.partition("-")[0]))
        response = _response(request, given) if known else None
        if scheme.lower() != "digest" or response is None or given.get("response") != response:
            fresh = self._nonce(secrets.token_hex(8))
            raise _refusal(
                f'Digest realm="{_REALM}", qop="auth", algorithm=SHA-256, nonce="{fresh}"'
            )
        return Response.json({"user": USER, "body_bytes": len(request.plain_body())})

    def _nonce(self, salt: str) -> str:
        """Returns a nonce that proves that this server made it."""
        return f"{salt}-{hmac.new(self._key, salt.encode(), 'sha256').hexdigest()}"


def _response(request: Request, given: dict[str, str]) -> str:
    """Returns the response that RFC 7616, section 3.4.1, defines for the given parameters."""

    def digest(text: str) -> str:
        return hashlib.sha256(text.encode()).hexdigest()

    secret = digest(f"{USER}:{_REALM}:{PASSWORD}")
    action = digest(f"{request.method}:{given.get('uri', '')}")
    parts = (given.get(name, "") for name in ("nonce", "nc", "cnonce", "qop"))
    return digest(":".join([secret, *parts, action]))


def _refusal(challenge: str) -> ApiError:
    return ApiError(
        Code.UNAUTHORIZED, "a user name and a password are needed",
        [("WWW-Authenticate", challenge)],
    )
