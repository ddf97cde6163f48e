"""All data of one running demo API, and the lock that guards it."""

from __future__ import annotations

import gc
import threading
from datetime import datetime, timezone

from . import seed
from .collection import Collection


class Database:
    """The collections, filled from a seed: equal arguments give equal bytes."""

    def __init__(self, seed_number: int, company_count: int) -> None:
        self.lock = threading.Lock()
        # The objects made here never become garbage; scanning them repeatedly would double the
        # start time.
        gc.disable()
        people = seed.people(seed_number, company_count)
        employees = list(seed.employees(seed_number, company_count))
        self.people = Collection("person", "people", people)
        self.enterprises = Collection(
            "enterprise",
            "array_of_enterprises",
            seed.companies(seed_number, company_count, people),
        )
        self.employees = Collection("employee", "employees", employees)
        self.meetings = Collection("meeting", "meetings", seed.meetings(seed_number, employees))
        self._next_note_id = 1 + max(
            (note["id"] for row in self.meetings for note in row.value["notes"]), default=0
        )
        self.enterprises.everything()
        gc.freeze()
        gc.enable()

    def new_note_id(self) -> int:
        """Notes live inside meetings but have ids of their own."""
        identity = self._next_note_id
        self._next_note_id += 1
        return identity


def now() -> str:
    """Returns the present time, in the form of `updated_at`."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
