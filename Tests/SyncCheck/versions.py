"""The server of schedules with versions: it checks each change that it makes.

- No value is overwritten that the device has not seen, unless the policy says so.
- An increment is added once, and a list loses and gets only elements that a device took or gave.
- An idempotency key stands for one request, and a refused version is not sent again.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any, ClassVar

from server import Answer, World, Write, tag_of

Values = dict[str, Any]

#: The policies of the attributes in the document of the clients (`Device.swift`).
POLICIES = {"title": "mine", "text": "park", "status": "theirs", "views": "add", "tags": "union"}
SCALARS = ("title", "text", "status")


@dataclass
class Known:
    """What the program of one device has seen of a note and done to it."""

    #: The values that were seen when an attribute was edited, or a conflict about it resolved.
    seen: dict[str, set[str]] = field(default_factory=dict)
    #: The values that it has set.
    own: dict[str, set[str]] = field(default_factory=dict)
    #: The increments that it has made; each is a bit of its own.
    increments: int = 0
    added: set[str] = field(default_factory=set)
    removed: set[str] = field(default_factory=set)
    #: The attributes whose conflicts it has decided.
    decided: set[str] = field(default_factory=set)
    #: The note as it was seen when it was deleted; `None` if it was not.
    deleted: Values | None = None


@dataclass
class VersionWorld(World):
    """A server whose notes have versions."""

    attributes: ClassVar[Values] = {
        "title": "", "text": "", "status": "", "views": 0, "tags": [], "rev": 0,
    }

    #: Whether it knows the keys of changes. Keys of new notes it always knows.
    has_keys: bool = True
    #: Whether it refuses changes without a condition.
    needs_condition: bool = False
    #: Whether the condition of a change stands in its body.
    has_conditions_in_bodies: bool = False
    #: What the program of each device knows, by the numbers of devices and the names of notes.
    known: dict[tuple[int, str], Known] = field(default_factory=dict)
    #: What the key of a request stands for.
    meanings: dict[str, tuple[str, ...]] = field(default_factory=dict)
    #: The versions that were refused, by the names of edits.
    refused: dict[str, set[str]] = field(default_factory=dict)
    #: The values that devices have set with success.
    accepted: set[tuple[int, str, str, str]] = field(default_factory=set)
    #: How many notes each request has made.
    made: dict[str, int] = field(default_factory=dict)
    #: The names of notes that were deleted at some time.
    gone: set[str] = field(default_factory=set)
    #: The policy for deletes.
    deletes: str = "park"

    def of(self, device: int, note: str) -> Known:
        return self.known.setdefault((device, note), Known())

    # Changes

    def change(self, number: int, values: Values) -> None:
        super().change(number, values)
        self.notes[number]["rev"] += 1

    def add(self, ref: str, values: Values) -> Values:
        note = super().add(ref, values)
        note["rev"] = 1
        # A read that lags sees no note that is not there yet: a 404 means that it is gone.
        for state in self.history:
            state[note["id"]] = copy.deepcopy(note)
        return note

    def remove(self, number: int) -> None:
        self.gone.add(self.notes[number]["ref"])
        super().remove(number)

    def find(self, ref: str) -> int | None:
        found = (number for number, note in self.notes.items() if note["ref"] == ref)
        return next(found, None)

    # Requests

    def count(self, write: Write) -> None:
        super().count(write)
        if write.method == "POST":
            self.made[write.tag] = self.made.get(write.tag, 0) + 1
            for name in POLICIES:
                value = str(write.body.get(name))
                self.accepted.add((int(write.device), write.body.get("ref", ""), name, value))
            # The answer tells the maker which values the server has chosen itself.
            known = self.of(int(write.device), write.body.get("ref", ""))
            for name in SCALARS:
                known.seen.setdefault(name, set()).add(self.attributes[name])

    def carry_out(self, write: Write) -> Answer:
        version = write.body.pop("rev", None)
        if self.has_conditions_in_bodies and version is not None:
            write.condition = tag_of(version)
        if not write.key or not (self.has_keys or write.method == "POST"):
            return self.act(write)
        meaning = (write.method, write.path, str(write.body), write.condition)
        if self.meanings.setdefault(write.key, meaning) != meaning:
            self.problems.append(
                f"{write.tag}: the key of {self.meanings[write.key]} is sent with {meaning}"
            )
            return 422, None
        # The answer to the first request is given again, a refusal too.
        if write.key not in self.keys:
            self.keys[write.key] = copy.deepcopy(self.act(write))
        return self.keys[write.key]

    def repeat(self, write: Write, first: Answer) -> Answer:
        answer = super().repeat(write, first)
        # Without keys, no device can know that a refusal is that of its own repeated request.
        return answer if self.has_keys else first

    def refusal(self, write: Write, values: Values) -> Answer | None:
        note = self.notes[write.number]
        if write.condition in self.refused.get(write.tag, ()):
            self.problems.append(f"{write.tag}: the refused {write.condition} is sent again")
        if not write.condition and self.needs_condition and self.may_have_condition(write):
            return 428, None
        if write.condition and write.condition != tag_of(note["rev"]):
            return 412, None
        self.check(write, note, values)
        return None

    def may_have_condition(self, write: Write) -> bool:
        """Whether a write has a place for a version; a DELETE has no body."""
        return not self.has_conditions_in_bodies or write.method != "DELETE"

    def told(self, write: Write, answer: Answer) -> None:
        if answer[0] == 412:
            self.refused.setdefault(write.tag, set()).add(write.condition)

    # Checking

    def check(self, write: Write, note: Values, values: Values) -> None:
        """Checks that a change of a device overwrites nothing unseen."""
        if not note["ref"]:
            # A store in memory has lost the name of a note that the program makes again.
            return
        device = int(write.device)
        known = self.of(device, note["ref"])
        if write.method == "DELETE":
            self.check_delete(write, note, known)
        for name, value in values.items():
            old = note.get(name)
            self.accepted.add((device, note["ref"], name, str(value)))
            if value == old or name in known.decided:
                continue
            if not (wrong := self.wrong(known, name, old, value)):
                continue
            self.problems.append(
                f"{write.tag} of device {device} sets {name} of {note['ref']} from {old} to"
                f" {value}: {wrong}"
            )

    @staticmethod
    def wrong(known: Known, name: str, old: Any, value: Any) -> str | None:
        if name == "views":
            gone, new = old & ~value, value & ~old
            return None if not gone and not new & ~known.increments else "it is no sum"
        if name == "tags":
            new, gone = set(value) - set(old), set(old) - set(value)
            is_own = new <= known.added and gone <= known.removed
            return None if is_own else "it is no union"
        if value not in known.own.get(name, ()):
            return "the device has not set this value"
        is_seen = old in known.seen.get(name, ()) or old in known.own.get(name, ())
        return None if is_seen or POLICIES.get(name) == "mine" else "the old value was not seen"

    def check_delete(self, write: Write, note: Values, known: Known) -> None:
        if self.deletes == "mine" or "deletion" in known.decided or known.deleted is None:
            return
        if not self.may_have_condition(write):
            return
        for name in POLICIES:
            was, value = known.deleted[name], note[name]
            is_own = (int(write.device), note["ref"], name, str(value)) in self.accepted
            if value != was and not is_own:
                self.problems.append(
                    f"{write.tag} of device {write.device} deletes {note['ref']} with the"
                    f" {name} {value}, and has seen {was}"
                )
