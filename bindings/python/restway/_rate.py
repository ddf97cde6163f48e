"""Rates: how many requests may go to one origin."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from . import _ffi as native
from ._boundary import check, optional_name


@dataclass(frozen=True)
class Rate:
    """The rate of one origin, as a client knows it."""

    limit: int | None
    """How many requests the server allows in a period, as its last answer says; None if it is not
    known.
    """
    remaining: int | None
    """How many requests are left until the reset; None if it is not known. Requests that are under
    way count as used.
    """
    reset: float | None
    """The time in seconds until the server allows the full number again; None if it is not known.
    """
    under_way: int
    """How many requests of the client are under way."""
    waiting: int
    """How many requests of the client wait."""


class _Client(Protocol):
    @property
    def _handle(self) -> native.ClientHandle: ...


class ClientRate:
    """The functions of a client about rates."""

    __slots__ = ()

    def set_rate(self: _Client, policy: Mapping[str, Any] | None) -> None:
        """Sets the rate policy, in place of the document's `rate`; with None no request waits.

        Args:
            policy: A policy as under `rate` in a document.

        Requests that wait go as the new policy says. Raises ConfigError with every problem;
        ClosedError.

            client.set_rate({"requests": 10, "perMilliseconds": 1000, "concurrency": 4})
        """
        text = b"" if policy is None else json.dumps(dict(policy)).encode()
        check(native.lib.restway_client_set_rate, self._handle, text if text else None, len(text))

    def rate(self: _Client, url: str | None = None) -> Rate:
        """Returns the rate of the origin of `url`, an absolute URL; None takes the base URL.

        Raises InvalidURLError.

            if client.rate().remaining == 0:
                print(f"the next request goes in {client.rate().reset} s")
        """
        read = native.Rate()
        check(native.lib.restway_rate_init, native.ref(read), native.size_of(read))
        check(native.lib.restway_client_rate, self._handle, optional_name(url), native.ref(read))
        return Rate(
            limit=_known(read.limit),
            remaining=_known(read.remaining),
            reset=None if read.reset_milliseconds < 0 else read.reset_milliseconds / 1000,
            under_way=read.under_way,
            waiting=read.waiting,
        )


def _known(number: int) -> int | None:
    return None if number < 0 else number
