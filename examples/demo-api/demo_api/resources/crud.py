"""The common code of the routes of every writable resource."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ..collection import Collection, Row
from ..content import Content, JSONObject
from ..database import Database
from ..etags import require_match
from ..listing import Predicate, SortKey, fields, list_of
from ..message import Request, Response
from ..routing import Route
from ..schema import Schema, merge_patch

BASE = "v2"


class Crud:
    """Lists, creates, reads, replaces, merges and deletes objects of one collection.

    A subclass defines the writable fields (`schema`) and how the stored object is made from them.
    """

    sort_keys: ClassVar[Mapping[str, SortKey]] = fields("id")

    def __init__(
        self, database: Database, collection: Collection, path: str, schema: Schema
    ) -> None:
        self.database = database
        self.collection = collection
        self.path = path
        self.schema = schema

    def routes(self) -> list[Route]:
        one = f"{self.path}/:id"
        return [
            Route("GET", self.path, self.list_all),
            Route("POST", self.path, self.create),
            Route("GET", one, self.read),
            Route("PUT", one, self.replace),
            Route("PATCH", one, self.merge),
            Route("DELETE", one, self.delete),
        ]

    def predicates(self, request: Request) -> list[Predicate]:
        """Returns the filters that the query of a list request asks for."""
        return []

    def writable(self, body: JSONObject) -> JSONObject:
        """Returns the body in the form of `schema`, if clients may use another form."""
        return body

    def stored(self, checked: JSONObject, identity: int) -> JSONObject:
        """Returns the complete object, made from checked fields; called under the lock."""
        return {"id": identity, **checked}

    def list_all(self, request: Request) -> Response:
        predicates = self.predicates(request)
        with self.database.lock:
            content = list_of(self.collection, request, predicates, self.sort_keys)
        return Response(content=content, tagged=True)

    def create(self, request: Request) -> Response:
        body = self.writable(self._body(request))
        with self.database.lock:
            checked = self.schema(body, "")
            row = self.collection.put(self.stored(checked, self.collection.new_id()))
        location = f"/{BASE}/{self.path}/{row.value['id']}"
        return Response(201, row.content, headers=[("Location", location)], tagged=True)

    def read(self, request: Request) -> Response:
        return Response(content=self.find(request).content, tagged=True)

    def replace(self, request: Request) -> Response:
        return self._write(request, merging=False)

    def merge(self, request: Request) -> Response:
        return self._write(request, merging=True)

    def delete(self, request: Request) -> Response:
        with self.database.lock:
            row = self._matching_row(request)
            self.collection.remove(row)
        return Response(204, Content(b""))

    def find(self, request: Request) -> Row:
        with self.database.lock:
            return self.collection.find(request.variables["id"])

    def _write(self, request: Request, merging: bool) -> Response:
        body = self.writable(self._body(request))
        with self.database.lock:
            row = self._matching_row(request)
            checked = self.schema(merge_patch(row.value, body) if merging else body, "")
            row = self.collection.put(self.stored(checked, row.value["id"]))
        return Response(content=row.content, tagged=True)

    def _body(self, request: Request) -> JSONObject:
        return request.json_object(self.collection.kind)

    def _matching_row(self, request: Request) -> Row:
        row = self.collection.find(request.variables["id"])
        require_match(request.header("if-match"), row.content.tag)
        return row
