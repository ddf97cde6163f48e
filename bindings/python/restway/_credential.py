"""Credentials: what a client proves who it is with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import _native as native
from ._boundary import check, milliseconds, optional_name


@dataclass
class Credential:
    """Which fields count depends on the scheme of the document's `auth`; None keeps what there is.

    Its repr shows no secret.
    """

    user: str | None = None
    """The user's name; with OAuth 2 the client identifier."""
    password: str | None = None
    """The password; with OAuth 2 the client secret."""
    token: str | None = None
    """The bearer token, the access token or the API key."""
    refresh_token: str | None = None
    """The OAuth 2 refresh token."""
    expires_in: float | None = None
    """Seconds that the token is good for, from now on; it is then refreshed early."""

    def __repr__(self) -> str:
        shown = [f"user={self.user!r}"] if self.user is not None else []
        for name in ("password", "token", "refresh_token"):
            if getattr(self, name) is not None:
                shown.append(f"{name}=...")
        return f"Credential({', '.join(shown)})"


def native_credential(credential: Credential | str | None) -> Any:
    """`credential` as the library takes it; a str is a token. None stays None."""
    if credential is None:
        return None
    if isinstance(credential, str):
        credential = Credential(token=credential)
    if not isinstance(credential, Credential):
        raise TypeError(f"a Credential, a token or None, not {type(credential).__name__}")
    fields = native.Credential()
    check(native.lib.restway_credential_init, native.ref(fields), native.size_of(fields))
    fields.user = optional_name(credential.user)
    fields.password = optional_name(credential.password)
    fields.token = optional_name(credential.token)
    fields.refresh_token = optional_name(credential.refresh_token)
    fields.expires_in_milliseconds = milliseconds(credential.expires_in, unbounded=0)
    return native.ref(fields)


def credential_of(fields: Any) -> Credential:
    """A copy of what the library lends."""
    lent = fields.contents
    expiry = lent.expires_in_milliseconds
    return Credential(
        user=native.borrowed(lent.user),
        password=native.borrowed(lent.password),
        token=native.borrowed(lent.token),
        refresh_token=native.borrowed(lent.refresh_token),
        expires_in=expiry / 1000 if expiry else None,
    )
