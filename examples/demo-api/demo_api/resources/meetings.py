"""Meetings, and the notes inside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ..collection import Row
from ..content import Content, JSONObject
from ..database import Database
from ..errors import no_object
from ..listing import SortKey, fields
from ..message import Request, Response
from ..routing import Route
from ..schema import Field, Schema, instant, instant_key, integer, list_of, nonempty_text, reference
from .crud import BASE, Crud

DURATION_MINUTES_MAX = 7 * 24 * 60


class Meetings(Crud):
    sort_keys: ClassVar[Mapping[str, SortKey]] = {
        **fields("id", "title", "duration_minutes", "enterprise_id"),
        "starts_at": instant_key("starts_at"),
    }

    def __init__(self, database: Database) -> None:
        employee = reference("employee", database.employees.__contains__)
        enterprise = reference("enterprise", database.enterprises.__contains__)
        note_fields = {
            "text": Field(nonempty_text, required=True),
            "author_id": Field(employee),
        }
        self._note_schema = Schema(note_fields)
        schema = Schema(
            {
                "title": Field(nonempty_text, required=True),
                "starts_at": Field(instant),
                "duration_minutes": Field(integer(1, DURATION_MINUTES_MAX), default=lambda: 30),
                "enterprise_id": Field(enterprise),
                "attendee_ids": Field(list_of(employee), default=list),
                "notes": Field(
                    list_of(Schema({"id": Field(integer(1)), **note_fields})), default=list
                ),
            }
        )
        super().__init__(database, database.meetings, "meetings", schema)

    def routes(self) -> list[Route]:
        return [
            *super().routes(),
            Route("GET", "meetings/:id/notes", self.list_notes),
            Route("POST", "meetings/:id/notes", self.add_note),
            Route("GET", "meetings/:id/notes/:note_id", self.read_note),
            Route("DELETE", "meetings/:id/notes/:note_id", self.delete_note),
        ]

    def stored(self, checked: JSONObject, identity: int) -> JSONObject:
        """Gives notes their ids: a note keeps an id that it already has in this meeting; others get
        a new one.
        """
        free_ids: set[int] = set()
        if identity in self.collection:
            free_ids = {note["id"] for note in self.collection.value(identity)["notes"]}
        notes = []
        for note in checked["notes"]:
            note_id = note["id"]
            if note_id in free_ids:
                free_ids.remove(note_id)
            else:
                note_id = self.database.new_note_id()
            notes.append({**note, "id": note_id})
        return {"id": identity, **checked, "notes": notes}

    def list_notes(self, request: Request) -> Response:
        response = Response.json({"notes": self.find(request).value["notes"]})
        response.tagged = True
        return response

    def add_note(self, request: Request) -> Response:
        body = request.json_object("note")
        with self.database.lock:
            row = self._matching_row(request)
            checked = self._note_schema(body, "")
            note = {"id": self.database.new_note_id(), **checked}
            self._put_notes(row, [*row.value["notes"], note])
        response = Response.json(note, 201)
        location = f"/{BASE}/meetings/{row.value['id']}/notes/{note['id']}"
        response.headers.append(("Location", location))
        return response

    def read_note(self, request: Request) -> Response:
        response = Response.json(_note(self.find(request), request.variables["note_id"]))
        response.tagged = True
        return response

    def delete_note(self, request: Request) -> Response:
        with self.database.lock:
            row = self._matching_row(request)
            gone = _note(row, request.variables["note_id"])
            self._put_notes(row, [note for note in row.value["notes"] if note is not gone])
        return Response(204, Content(b""))

    def _put_notes(self, row: Row, notes: list[JSONObject]) -> None:
        self.collection.put({**row.value, "notes": notes})


def _note(row: Row, identity: str) -> Any:
    for note in row.value["notes"]:
        if str(note["id"]) == identity:
            return note
    raise no_object("note", identity)
