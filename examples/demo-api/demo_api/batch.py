"""Several requests in one: `{"batch": [{"method", "uri", "body", "headers"}]}`."""

from __future__ import annotations

from typing import Any

from .content import JSONObject
from .errors import ApiError, Code, invalid_field
from .message import Handler, Request, Response
from .routing import Route
from .wire import split_target

ITEMS_MAX = 20


class Batch:
    """Passes each request of a batch to the routes, one after the other."""

    def __init__(self, base: str, handler: Handler) -> None:
        self._base = base
        self._handler = handler

    def routes(self) -> list[Route]:
        return [Route("POST", "batch", self.answer)]

    def answer(self, request: Request) -> Response:
        items = request.json_object("").get("batch")
        if not isinstance(items, list):
            raise invalid_field("batch", "must be an array")
        if len(items) > ITEMS_MAX:
            raise ApiError(Code.BODY_TOO_LARGE, f"batch: more than {ITEMS_MAX} requests")
        inner = [self._request(index, item, request) for index, item in enumerate(items)]
        return Response.json([self._answer(each) for each in inner])

    def _request(self, index: int, item: Any, outer: Request) -> Request:
        """Returns one request of the batch; headers of the batch apply if the request does not have
        them.
        """
        where = f"batch[{index}]"
        if not isinstance(item, dict):
            raise invalid_field(where, "must be an object")
        method, uri = item.get("method"), item.get("uri")
        if not isinstance(method, str) or not isinstance(uri, str) or not uri.startswith("/"):
            raise invalid_field(where, "needs a method, and a uri that starts with a slash")
        body, own = item.get("body", ""), item.get("headers", {})
        if not isinstance(body, str) or not isinstance(own, dict):
            raise invalid_field(where, "body must be a string, headers an object")
        headers = {name.lower(): (name, value) for name, value in outer.headers}
        for name in ("content-type", "content-length", "content-encoding", "accept-encoding"):
            headers.pop(name, None)
        headers.update({name.lower(): (name, str(value)) for name, value in own.items()})
        raw_path, query_string, segments, query = split_target(f"/{self._base}{uri}")
        return Request(
            method, raw_path, query_string, segments, query, list(headers.values()),
            body.encode(), outer.body_bytes_max,
        )

    def _answer(self, request: Request) -> JSONObject:
        try:
            if request.segments[1:] == ("batch",):
                raise ApiError(Code.MALFORMED_REQUEST, "a batch within a batch")
            response = self._handler(request)
        except ApiError as error:
            response = Response.error(error)
        content = response.content.body if response.content is not None else b""
        if response.stream is not None:
            content = b"".join(response.stream)
        headers = dict(response.headers)
        if content:
            headers["Content-Type"] = response.media_type
        body = None if request.method == "HEAD" or not content else content.decode()
        return {"code": response.status, "body": body, "headers": headers}
