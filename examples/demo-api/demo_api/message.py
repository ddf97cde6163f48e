"""One request and one response, as handlers see them: values without sockets."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Callable

from .compression import decode_body
from .content import Content, JSONObject, encode
from .errors import ApiError, Code

JSON_TYPE = "application/json"


@dataclass
class Request:
    """A request whose body has been read."""

    method: str
    raw_path: str
    query_string: str
    segments: tuple[str, ...]
    query: list[tuple[str, str]]
    headers: list[tuple[str, str]]
    body: bytes = b""
    body_bytes_max: int = 0
    keep_alive: bool = True
    variables: dict[str, str] = field(default_factory=dict)
    _folded: dict[str, str] = field(default_factory=dict)

    def header(self, name: str) -> str | None:
        """Returns a header by its lower-case name; repeated headers are joined with commas."""
        if not self._folded:
            for key, value in self.headers:
                key = key.lower()
                earlier = self._folded.get(key)
                self._folded[key] = value if earlier is None else f"{earlier}, {value}"
        return self._folded.get(name)

    def parameter(self, name: str) -> str | None:
        """Returns the first value of a query parameter."""
        return next((value for key, value in self.query if key == name), None)

    def plain_body(self) -> bytes:
        """Returns the body without its content coding."""
        return decode_body(self.body, self.header("content-encoding") or "", self.body_bytes_max)

    def json_object(self, wrapper: str) -> JSONObject:
        """Returns the body as a JSON object; an object of the form `{"<wrapper>": {...}}` is
        unwrapped.

        Raises 415 for another media type and 400 for anything but an object.
        """
        declared = self.header("content-type") or JSON_TYPE
        media_type = declared.partition(";")[0].strip().lower()
        if media_type != JSON_TYPE and not media_type.endswith("+json"):
            raise ApiError(
                Code.UNSUPPORTED_MEDIA_TYPE, f"Content-Type: {declared} is not {JSON_TYPE}"
            )
        try:
            value = json.loads(self.plain_body(), parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            raise ApiError(Code.MALFORMED_JSON, f"body: not JSON ({error})") from error
        if isinstance(value, dict) and len(value) == 1 and isinstance(value.get(wrapper), dict):
            value = value[wrapper]
        if not isinstance(value, dict):
            raise ApiError(Code.MALFORMED_JSON, "body: a JSON object is expected")
        return value


def _refuse_constant(name: str) -> float:
    # Python accepts NaN and Infinity, although JSON does not.
    raise ValueError(f"{name} is not a JSON value")


@dataclass
class Response:
    """An answer: either `content`, or a `stream` of chunks with the length to declare."""

    status: int = 200
    content: Content | None = None
    media_type: str = JSON_TYPE
    headers: list[tuple[str, str]] = field(default_factory=list)
    #: Whether the answer is a version of a resource: it gets an ETag and may become a 304.
    tagged: bool = False
    stream: Iterable[bytes] | None = None
    declared_length: int = 0
    close: bool = False

    @classmethod
    def json(cls, value: object, status: int = 200) -> Response:
        return cls(status, Content(encode(value)))

    @classmethod
    def error(cls, error: ApiError) -> Response:
        return error_response(error.status, error.code, error.description, error.headers)


def error_response(
    status: int, code: int, description: str, headers: Iterable[tuple[str, str]] = ()
) -> Response:
    """Makes an error answer; all errors of the API have this form."""
    body = {"error": {"error_code": code, "error_description": description}}
    return Response(status, Content(encode(body)), headers=list(headers))


Handler = Callable[[Request], Response]
