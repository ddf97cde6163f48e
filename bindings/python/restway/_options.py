"""What requests are made with: the keywords of `Request` and of the verbs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from ._body import Content


class RequestOptions(TypedDict, total=False):
    """The keywords of every request. None is the same as a keyword that is not there.

    Attributes:
        variables: The values of the path's variables (`:itemID`); see `restway._values`.
        params: Parameters. For GET, HEAD and DELETE they go into the query, where None is left out
            and a list repeats the name; otherwise they make the JSON body, where None is null and a
            dotted name nests. With a `body` or `json` they go into the query.
        headers: Headers in place of the environment's; None sends the request without one.
        timeout: Seconds for the whole exchange, redirects included; None takes the client's,
            `math.inf` sets none.
        priority: Which goes first of those that wait for a connection: the higher one; 0 is usual.
        auth: "bypass" authorises it with the credential as it stands, without waiting for a
            refresh or causing one; "none" sends it without a credential.
        idempotency_key: Makes it safe to repeat whatever its method; True makes a random key for
            each send.
        lane: In which it goes out, should it be stored: requests of a lane keep their order.
    """

    variables: Mapping[str, Any] | None
    params: Mapping[str, Any] | None
    headers: Mapping[str, str | None] | None
    timeout: float | None
    priority: int | None
    auth: Literal["default", "bypass", "none"] | None
    idempotency_key: str | Literal[True] | None
    lane: str | None


class BodyOptions(RequestOptions, total=False):
    """The keywords of requests that have a body.

    Attributes:
        body: The body as it is to be sent; a str is sent as UTF-8. A binary file and an iterable
            of bytes are read while they are sent, on a thread of the library: a file that can seek
            from where it stands to its end, with its length, and again when the request is sent
            again; anything else in chunks, and once. An async iterable, made within the loop of an
            AsyncClient, is read there. What reading raises fails the call, as its `__cause__`.
        media_type: The Content-Type of `body`.
        json: A body to be written as JSON, instead of `body`.
    """

    body: Content | None
    media_type: str | None
    json: Any
