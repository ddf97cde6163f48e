"""The report of an import: everything that was bent, merged or left out, with place and reason."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

NoteKind = Literal["bent", "merged", "left out"]
"""bent: said in another way than the description says it. merged: several things became one.
left out: the API document does not have it."""


@dataclass(frozen=True)
class Note:
    """One thing that the API document says differently than the description, or does not say."""

    kind: NoteKind
    place: str
    """A JSON pointer as a fragment (`#/paths/~1pets/get`), behind the name of another file."""
    reason: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.place}: {self.reason}"


@dataclass
class Report:
    """The notes of an import in the order in which they were made, each once."""

    notes: list[Note] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    """How many operations, entities and routes there are."""
    _seen: set[Note] = field(default_factory=set, repr=False)

    def add(self, kind: NoteKind, place: str, reason: str) -> None:
        """Adds a note, unless the report has it already."""
        note = Note(kind, place, reason)
        if note not in self._seen:
            self._seen.add(note)
            self.notes.append(note)

    def to_json(self) -> dict[str, Any]:
        """Returns the report as a value for JSON."""
        notes = [
            {"kind": note.kind, "place": note.place, "reason": note.reason} for note in self.notes
        ]
        return {"counts": dict(self.counts), "notes": notes}

    def to_text(self) -> str:
        """Returns the report as text: the counts, and one line for each note."""
        kinds = Counter(note.kind for note in self.notes)
        counts: dict[str, int] = {**self.counts}
        counts.update(sorted(kinds.items()))
        lines = [", ".join(f"{name}: {count}" for name, count in counts.items())]
        lines += [str(note) for note in self.notes]
        return "\n".join(lines) + "\n"
