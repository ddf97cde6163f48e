"""Errors as the API reports them.

The body is always `{"error": {"error_code": <int>, "error_description": "<what and where>"}}`.
A code is its HTTP status times 100, plus a number that tells the causes of one status apart:

    40000  the request is not well-formed HTTP
    40001  the body is not the JSON that was expected
    40002  a path or a query is badly encoded
    40004  the token has expired, said in another way (auth/:realm/me?style=code)
    40100  a valid token, or a user name and a password, are needed
    40400  the API has no route for the path
    40401  the object does not exist
    40500  the route does not take this method (see Allow)
    41200  If-Match names another version
    41300  the body is too large
    41400  the request line is too long
    41500  the body's media type or content coding is not supported
    42200  a field of the body is missing or has a wrong value
    42201  a query parameter has a wrong value
    42900  too many requests (busy/:name)
    43100  too many or too long headers
    50000  a bug of the demo API
    50100  an unsupported transfer coding
    50300  the server is in trouble on purpose (flaky/:name; its status is the one asked for)
    50500  an unsupported HTTP version
    xxx99  /bad/status/xxx was asked for
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum


class Code(IntEnum):
    """The codes of the table above; append only."""

    MALFORMED_REQUEST = 40000
    MALFORMED_JSON = 40001
    MALFORMED_URL = 40002
    EXPIRED = 40004
    UNAUTHORIZED = 40100
    NO_ROUTE = 40400
    NO_OBJECT = 40401
    METHOD_NOT_ALLOWED = 40500
    VERSION_MISMATCH = 41200
    BODY_TOO_LARGE = 41300
    REQUEST_LINE_TOO_LONG = 41400
    UNSUPPORTED_MEDIA_TYPE = 41500
    INVALID_FIELD = 42200
    INVALID_PARAMETER = 42201
    TOO_MANY = 42900
    HEADERS_TOO_LARGE = 43100
    INTERNAL = 50000
    UNSUPPORTED_TRANSFER_CODING = 50100
    FLAKY = 50300
    UNSUPPORTED_VERSION = 50500


class ApiError(Exception):
    """Ends a request with an error answer, which the server makes from it."""

    def __init__(
        self, code: Code, description: str, headers: Sequence[tuple[str, str]] = ()
    ) -> None:
        super().__init__(description)
        self.code = int(code)
        self.description = description
        self.headers = tuple(headers)

    @property
    def status(self) -> int:
        return self.code // 100


def invalid_field(where: str, problem: str) -> ApiError:
    """Makes a 422 that names the field by its key path."""
    return ApiError(Code.INVALID_FIELD, f"{where}: {problem}")


def invalid_parameter(name: str, problem: str) -> ApiError:
    """Makes a 422 that names the query parameter."""
    return ApiError(Code.INVALID_PARAMETER, f"query parameter {name}: {problem}")


def no_object(kind: str, identity: object) -> ApiError:
    """Makes a 404 for an object that does not exist, as opposed to a route."""
    return ApiError(Code.NO_OBJECT, f"there is no {kind} with id {identity}")
