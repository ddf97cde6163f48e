"""The model of `make sync-check`: what a device must show after each step."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from server import ATTRIBUTES, Answered

Values = dict[str, Any]
NAMES = ("ref", *ATTRIBUTES)


@dataclass
class Note:
    """A note as a device knows it."""

    ref: str
    id: int | None = None
    #: The newest values of the server; without a value that the device has not loaded. `None` if
    #: only this device knows the note.
    base: Values | None = None


@dataclass
class Edit:
    """A pending edit: the effect of a stored request, or of one that is on its way."""

    tag: str
    note: int
    kind: str
    values: Values = field(default_factory=dict)
    #: The number of the stored request; `None` if it is not known.
    item: int | None = None
    #: The device whose outbox has the request; devices may share a store.
    device: int = 0
    is_dead: bool = False

    @property
    def is_active(self) -> bool:
        """Whether the edit is seen. A refused POST leaves its object."""
        return not self.is_dead or self.kind == "new"


class Model:
    """The base and the pending edits of one device."""

    def __init__(self) -> None:
        self.notes: dict[int, Note] = {}
        self.edits: list[Edit] = []
        self.last = 0

    def copy(self) -> Model:
        return copy.deepcopy(self)

    # What is shown

    def active(self, note: int) -> list[Edit]:
        return [edit for edit in self.edits if edit.note == note and edit.is_active]

    def is_hidden(self, note: int) -> bool:
        return any(edit.kind == "delete" for edit in self.active(note))

    def shown(self, note: int) -> Values:
        """Returns the base with the pending edits over it, in their order."""
        values = dict(self.notes[note].base or {})
        for edit in self.active(note):
            values |= edit.values
        return values

    def pending(self, note: int) -> Values:
        values: Values = {}
        for edit in self.active(note):
            values |= edit.values
        return values

    # Finding

    def find(self, ref: str, device: int) -> int | None:
        """Returns the note that a program sees under this name. The server's note comes first.

        A device can send nothing about a note that another device makes.
        """
        found = [
            key for key, note in self.notes.items()
            if note.ref == ref and not self.is_hidden(key) and self.shown(key).get("ref")
            and (note.id is not None or self.maker(key) in (None, device))
        ]
        return min(found, key=lambda key: self.notes[key].id is None, default=None)

    def maker(self, note: int) -> int | None:
        """Returns the device that makes a note."""
        edits = (edit for edit in self.edits if edit.note == note and edit.kind == "new")
        return next((edit.device for edit in edits), None)

    def edit(self, tag: str) -> Edit | None:
        return next((edit for edit in self.edits if edit.tag == tag), None)

    def with_identity(self, number: int) -> int | None:
        return next((key for key, note in self.notes.items() if note.id == number), None)

    # Changing

    def add(self, note: Note) -> int:
        self.last += 1
        self.notes[self.last] = note
        return self.last

    def take(self, row: Values, besides: dict[int, set[str]] | None = None) -> None:
        """Takes a row of the server, without the values that were delivered meanwhile."""
        key = self.with_identity(row["id"])
        if key is None:
            key = self.add(Note(row["ref"], row["id"], {}))
        note = self.notes[key]
        left_out = (besides or {}).get(key, set())
        values = {name: row[name] for name in NAMES if name not in left_out}
        note.base = (note.base or {}) | values

    def take_all(self, rows: list[Values]) -> None:
        for row in rows:
            self.take(row)

    def name(self, key: int, row: Values) -> None:
        """Lets a note become the one that the server has named."""
        other = self.with_identity(row["id"])
        if other is not None and other != key:
            for edit in self.edits:
                if edit.note == other:
                    edit.note = key
            del self.notes[other]
        self.notes[key].id = row["id"]
        self.notes[key].base = {name: row[name] for name in NAMES}

    def end(self, edit: Edit) -> None:
        self.edits.remove(edit)

    def answer(self, answered: Answered, *, keeps_edit: bool = False) -> dict[int, set[str]]:
        """Takes the answer to an edit. Returns the attributes that were delivered."""
        edit = self.edit(answered.tag)
        if edit is None or answered.status in (429, 503):
            return {}
        is_gone = edit.kind == "delete" and answered.status in (204, 404)
        if answered.status >= 400 and not is_gone:
            edit.is_dead = True
            return {}
        note = edit.note
        if not keeps_edit:
            self.end(edit)
        if is_gone:
            if keeps_edit and note in self.notes:
                self.notes[note].base = {}
            else:
                self.notes.pop(note, None)
        elif note in self.notes:
            if answered.answer:
                self.name(note, answered.answer)
            else:
                known = self.notes[note]
                known.base = (known.base or {}) | edit.values
        return {note: set(edit.values)}

    def take_back(self, edit: Edit) -> None:
        """Ends an edit that is dropped, or whose call has failed."""
        self.end(edit)
        note = self.notes.get(edit.note)
        if note and note.base is None and not any(e.note == edit.note for e in self.edits):
            del self.notes[edit.note]

    def lay_last(self, tag: str) -> None:
        """Puts an edit over those of other outboxes, but under the later ones of its own."""
        place = next(index for index, edit in enumerate(self.edits) if edit.tag == tag)
        edit = self.edits.pop(place)
        later = (
            index for index, other in enumerate(self.edits)
            if index >= place and other.device == edit.device
        )
        self.edits.insert(next(later, len(self.edits)), edit)

    def forget(self) -> None:
        """Loses a store in memory. Its edits are laid again over what is known by identity."""
        for key, note in list(self.notes.items()):
            if not any(edit.note == key for edit in self.edits):
                del self.notes[key]
            elif note.base is not None:
                note.base = {}

    # Comparing

    def compare(self, looked: Values, device: int) -> list[str]:
        """Returns in what a device differs from what it must show."""
        problems = []
        items = {item["item"]: item["dead"] for item in looked["items"]}
        own = [edit for edit in self.edits if edit.item and edit.device == device]
        wanted = {edit.item: edit.is_dead for edit in own}
        if items != wanted:
            problems.append(f"the outbox has {items}, and should have {wanted}")
        left = [note for note in looked["notes"] if not _is_shell(note)]
        for key, note in self.notes.items():
            found = next((other for other in left if _is_about(other, note)), None)
            if found:
                left.remove(found)
                problems += self._differences(key, note, found)
            elif self.pending(key) or note.base:
                problems.append(f"{note.ref} is missing")
        for other in left:
            if not other["hidden"]:
                problems.append(f"{other['shown']} should not be there")
        return problems

    def _differences(self, key: int, note: Note, found: Values) -> list[str]:
        name = f"{note.ref} ({note.id})"
        problems = []
        if found["hidden"] != self.is_hidden(key):
            problems.append(f"{name} is {'hidden' if found['hidden'] else 'not hidden'}")
        shown = full(self.shown(key))
        if part(found["shown"]) != shown:
            problems.append(f"{name} shows {part(found['shown'])}, and should show {shown}")
        pending = {k: v for k, v in found["pending"].items() if k != "id"}
        if pending != self.pending(key):
            problems.append(f"{name}: {pending} is pending, and {self.pending(key)} should be")
        confirmed = found["confirmed"] and part(found["confirmed"])
        base = None if note.base is None else full(note.base)
        if confirmed != base:
            problems.append(f"{name}: {confirmed} is confirmed, and {base} should be")
        return problems


def full(values: Values) -> Values:
    return {name: values.get(name) for name in NAMES}


def part(values: Values) -> Values:
    return {name: values[name] for name in NAMES}


def _is_shell(found: Values) -> bool:
    """Whether a device knows only the identity of a note, and nothing waits for it."""
    return not found["pending"] and not any(part(found["shown"]).values())


def _is_about(found: Values, note: Note) -> bool:
    if note.id is not None or found["shown"]["id"] is not None:
        return bool(found["shown"]["id"] == note.id)
    return bool(found["shown"]["ref"] == note.ref)
