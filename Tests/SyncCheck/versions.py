"""Schedules of `make sync-check` with versions: several devices change the same notes.

No model says what a device shows after each step. The server checks each change that it makes,
and the run checks what the devices list as conflicts and what is left at the end:

- No value is overwritten that the device has not seen, unless the policy says so.
- An increment is added once, and a list loses and gets only elements that a device took or gave.
- No edit is lost, and the stores and the server agree at the end.
- An idempotency key stands for one request, and a refused version is not sent again.
- A conflict is about values that differ, and an attribute of a note has at most one.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from device import Died
from runner import FLUSHES_MAX, Broken, Runner, Schedule, Step
from server import Answer, Server, World, Write, tag_of

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
class Change:
    """One attribute of an edit."""

    device: int
    note: str
    name: str
    value: Any
    tag: str
    #: Whether the edit may be missing at the end: it was dropped, or perhaps never stored.
    is_open: bool = False


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

    def carry_out(self, write: Write) -> Answer:
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

    def refusal(self, write: Write, values: Values) -> Answer | None:
        note = self.notes[write.number]
        if write.condition in self.refused.get(write.tag, ()):
            self.problems.append(f"{write.tag}: the refused {write.condition} is sent again")
        if not write.condition and self.needs_condition:
            return 428, None
        if write.condition and write.condition != tag_of(note["rev"]):
            return 412, None
        self.check(write, note, values)
        return None

    def told(self, write: Write, answer: Answer) -> None:
        if answer[0] == 412:
            self.refused.setdefault(write.tag, set()).add(write.condition)

    # Checking

    def check(self, write: Write, note: Values, values: Values) -> None:
        """Checks that a change of a device overwrites nothing unseen."""
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
        for name in POLICIES:
            was, value = known.deleted[name], note[name]
            is_own = (int(write.device), note["ref"], name, str(value)) in self.accepted
            if value != was and not is_own:
                self.problems.append(
                    f"{write.tag} of device {write.device} deletes {note['ref']} with the"
                    f" {name} {value}, and has seen {was}"
                )


class VersionRun(Runner):
    """One run of a schedule with versions.

    `versions` of the schedule says how the server is (`keys`, `strict`), which policies the clients
    have for deleted notes (`theyDeleted`, `iDelete`, `uncertain`), and how conflicts that are left
    at the end are decided (`end`).
    """

    def __init__(self, server: Server, schedule: Schedule, rules_off: str = "") -> None:
        options: Values = schedule["versions"]
        self.world = VersionWorld(
            has_keys=options.get("keys", True), needs_condition=options.get("strict", False),
            deletes=options.get("iDelete", "park"),
        )
        super().__init__(server, self.world, schedule, rules_off)
        for ref in ("n0", "n1"):
            self.world.add(ref, {name: f"{ref}-{name}" for name in SCALARS})
        self.end: str = options.get("end", "mine")
        self.changes: list[Change] = []
        #: The items of edits by their names.
        self.items: dict[str, int] = {}

    # Steps

    def do(self, step: Step) -> None:
        handler: Callable[[Step], bool | None] = getattr(self, "do_" + step["do"])
        if handler(step) is not False and "device" in step:
            self.look(step["device"])

    def look(self, number: int) -> Values:
        """Checks what a device shows."""
        looked = self.devices[number].ask("look")
        if self.world.problems:
            raise Broken("; ".join(self.world.problems))
        for item in looked["items"]:
            if item["dead"] and item["status"] in (404, 409, 410, 412, 428):
                raise Broken(f"device {number}: {item} is a dead letter")
        found = {conflict["item"] for conflict in looked["conflicts"]}
        for item in looked["items"]:
            # Listing conflicts ends those about which there is nothing to decide.
            if item["parked"] and item["item"] not in found:
                raise Broken(f"device {number}: there is nothing to decide about {item}")
        parked: set[tuple[str, str]] = set()
        for conflict in looked["conflicts"]:
            for name in conflict["cells"]:
                place = (conflict["mine"]["ref"], name)
                if place in parked:
                    raise Broken(f"device {number} has two conflicts about {place}")
                parked.add(place)
                self.check_conflict(number, conflict, name, looked)
        return looked

    def check_conflict(
        self, number: int, conflict: Values, name: str, looked: Values
    ) -> None:
        theirs = (conflict["theirs"] or {}).get(name)
        mine = conflict["mine"][name]
        if conflict["kind"] != "attributes":
            return
        if mine == theirs:
            raise Broken(f"device {number} has a conflict about {name}, and both sides are {mine}")
        if POLICIES[name] in ("theirs", "union"):
            raise Broken(f"device {number} has a conflict about {name}: {conflict}")
        note = next(
            (note for note in looked["notes"] if note["shown"]["id"] == conflict["mine"]["id"]),
            None,
        )
        own = self.world.of(number, conflict["mine"]["ref"]).own.get(name, set())
        # A later edit may wait, which the conflict does not have yet.
        if note and name in SCALARS and note["shown"][name] not in own:
            raise Broken(f"device {number} shows {note['shown']}, and {mine} is parked")

    def address(
        self, step: Step, *, has_version: bool = False
    ) -> tuple[Values, Values] | None:
        """Returns the values that a device shows, and the words that name the note for it."""
        for note in self.ask(step, "look")["notes"]:
            shown = note["shown"]
            if shown["ref"] == step["note"] and not note["hidden"]:
                if note["version"] is None and has_version or self.is_idle(step, shown):
                    return None
                number = shown["id"]
                return shown, {"ref": step["note"]} | ({} if number is None else {"id": number})
        return None

    @staticmethod
    def is_idle(step: Step, shown: Values) -> bool:
        """Whether an edit changes nothing."""
        return bool(step.get("set") == {"tags": "-"} and not shown["tags"])

    # Edits

    def changed(self, shown: Values, step: Step) -> Values:
        """Returns the values that an edit sets, and remembers what the program has seen."""
        known = self.world.of(step["device"], step["note"])
        values: Values = {}
        for name, word in step["set"].items():
            if name == "views":
                value: Any = (shown[name] or 0) | word
                known.increments |= word
            elif name == "tags":
                value = self.elements(shown[name] or [], word, known)
            else:
                value = word
                known.seen.setdefault(name, set()).add(shown[name])
                known.own.setdefault(name, set()).add(value)
            values[name] = value
            self.changes.append(
                Change(step["device"], step["note"], name, word, step["tag"])
            )
        return values

    @staticmethod
    def elements(shown: list[str], word: str, known: Known) -> list[str]:
        """Adds the element `+x` to a list, or takes the first one away."""
        if word == "-":
            known.removed |= set(shown[:1])
            return shown[1:]
        known.added.add(word[1:])
        return [*shown, word[1:]]

    def stored(self, step: Step, reply: Values) -> None:
        if not reply.get("item"):
            raise Broken(f"the request was not stored: {reply}")
        self.items[step["tag"]] = reply["item"]

    def do_edit(self, step: Step) -> bool | None:
        found = self.address(step)
        if not found:
            return False
        shown, words = found
        if step.get("method") == "PUT" and any(shown[name] is None for name in POLICIES):
            return False
        reply = self.ask(
            step, "edit", method=step.get("method", "PATCH"), tag=step["tag"],
            set=self.changed(shown, step), **words,
        )
        self.stored(step, reply)
        return None

    def do_new(self, step: Step) -> None:
        values = self.changed(self.world.attributes, step)
        reply = self.ask(
            step, "edit", method="POST", ref=step["note"], set=values, tag=step["tag"]
        )
        self.stored(step, reply)

    def do_delete(self, step: Step) -> bool | None:
        found = self.address(step)
        if not found:
            return False
        self.world.of(step["device"], step["note"]).deleted = found[0]
        reply = self.ask(step, "delete", tag=step["tag"], **found[1])
        if "failure" in reply:
            self.stored(step, reply)
        else:
            self.forget(step["device"], step["note"])
        return None

    def do_online(self, step: Step) -> bool | None:
        """An edit is sent at once, and fails if it cannot be made.

        It has a condition only if the device knows a version.
        """
        found = self.address(step, has_version=True)
        if not found or "id" not in found[1]:
            return False
        self.world.fates = [step.get("fate", "ok")]
        reply = self.ask(
            step, "online", set=self.changed(found[0], step), tag=step["tag"], **found[1]
        )
        self.world.fates = []
        if "failure" in reply:
            self.leave_open(step["tag"])
        return None

    def do_drop(self, step: Step) -> bool | None:
        """Drops the request of an edit, or the first conflict."""
        looked = self.ask(step, "look")
        if "tag" not in step:
            if not looked["conflicts"]:
                return False
            self.drop_conflict(step["device"], looked["conflicts"][0])
            return None
        item = self.items.get(step["tag"])
        own = [change for change in self.changes if change.tag == step["tag"]]
        if own and own[0].device != step["device"]:
            return False
        if item not in [each["item"] for each in looked["items"]]:
            return False
        self.ask(step, "drop", item=item)
        self.leave_open(step["tag"])
        left = {each["item"] for each in self.ask(step, "look")["items"]}
        # The requests of a new note are dropped with it.
        for tag, number in self.items.items():
            if number not in left and any(c.note == own[0].note for c in own[:1]):
                self.leave_open_if_new(tag, own)
        return None

    def leave_open(self, tag: str) -> None:
        for change in self.changes:
            change.is_open |= change.tag == tag

    def leave_open_if_new(self, tag: str, own: list[Change]) -> None:
        for change in self.changes:
            is_of_note = change.note == own[0].note and change.device == own[0].device
            change.is_open |= change.tag == tag and is_of_note

    def forget(self, device: int, note: str) -> None:
        for change in self.changes:
            change.is_open |= change.device == device and change.note == note

    def do_retry(self, step: Step) -> bool | None:
        dead = [item for item in self.ask(step, "look")["items"] if item["dead"]]
        if not dead:
            return False
        self.ask(step, "retry", item=dead[0]["item"])
        return None

    # Conflicts

    def do_resolve(self, step: Step) -> bool | None:
        conflicts = self.ask(step, "look")["conflicts"]
        if not conflicts:
            return False
        self.resolve(step["device"], conflicts[0], step["choice"])
        return None

    def resolve(self, number: int, conflict: Values, choice: str) -> None:
        note = conflict["mine"]["ref"]
        known = self.world.of(number, note)
        is_whole = conflict["kind"] != "attributes"
        names = list(POLICIES) if is_whole else conflict["cells"]
        for name in names:
            # A sum or a list that the program decides is no longer the library's.
            if is_whole or name not in SCALARS:
                known.decided.add(name)
            elif conflict["theirs"]:
                known.seen.setdefault(name, set()).add(conflict["theirs"][name])
        if is_whole:
            known.decided.add("deletion")
        values: Values = {}
        if choice == "value" and not is_whole:
            for name in names:
                values[name] = self.value_for(name, conflict, known)
        if choice == "theirs" or values:
            for change in self.changes:
                is_of_note = change.device == number and change.note == note
                change.is_open |= is_of_note and change.name in names
        choice = choice if choice != "value" else "mine"
        self.devices[number].ask(
            "resolve", item=conflict["item"], choice=choice, set=values
        )

    @staticmethod
    def value_for(name: str, conflict: Values, known: Known) -> Any:
        if name not in SCALARS:
            return conflict["mine"][name]
        value = f"{conflict['mine'][name]}!"
        known.own.setdefault(name, set()).add(value)
        return value

    def drop_conflict(self, number: int, conflict: Values) -> None:
        for change in self.changes:
            is_of_note = change.device == number and change.note == conflict["mine"]["ref"]
            change.is_open |= is_of_note
        self.devices[number].ask("drop", item=conflict["item"])

    # The server

    def do_flush(self, step: Step) -> None:
        self.world.fates = list(step.get("fates", []))
        self.world.lag = step.get("lag", 0)
        try:
            self.ask(step, "flush")
        finally:
            self.world.fates, self.world.lag = [], 0

    def do_read(self, step: Step) -> bool | None:
        words: Values = {}
        if "note" in step:
            number = self.world.find(step["note"])
            if number is None:
                return False
            words = {"id": number}
        self.world.lag = step.get("lag", 0)
        self.world.loses_reads = step.get("lost", False)
        try:
            self.ask(step, "fetch", **words)
        finally:
            self.world.lag, self.world.loses_reads = 0, False
        return None

    def do_other(self, step: Step) -> bool | None:
        """Another program changes a note on the server, or removes it."""
        number = self.world.find(step["note"])
        if number is None:
            return False
        if "set" not in step:
            self.world.remove(number)
            return None
        note, values = self.world.notes[number], dict(step["set"])
        if "views" in values:
            values["views"] |= note["views"]
        if "tags" in values:
            values["tags"] = self.elements(note["tags"], values["tags"], Known())
        self.world.change(number, values)
        return None

    # The device

    def do_wait(self, step: Step) -> None:
        self.ask(step, "advance", milliseconds=step["milliseconds"])

    def do_restart(self, step: Step) -> None:
        self.devices[step["device"]].restart()

    def do_kill(self, step: Step) -> None:
        """Kills the device at a fault point during another step, and starts it again."""
        inner = {**step["step"], "device": step["device"]}
        handler: Callable[[Step], bool | None] = getattr(self, "do_" + inner["do"])
        with contextlib.suppress(Died):
            self.ask(step, "die", after=step["after"])
            handler(inner)
            self.ask(step, "die", after=1 << 40)
            return
        self.world.fates, self.world.lag, self.world.loses_reads = [], 0, False
        # The device may not have noted the answers that it got.
        self.world.refused.clear()
        self.devices[step["device"]].open()
        if tag := inner.get("tag"):
            self.leave_open(tag)
        if inner["do"] in ("new", "delete", "drop", "resolve"):
            for change in self.changes:
                change.is_open |= change.device == step["device"]

    # The end

    def settle(self) -> None:
        for number in range(len(self.devices)):
            self.empty_outbox(number)
        for number in range(len(self.devices)):
            self.do({"do": "read", "device": number})
            self.check_agreement(number)
        twice = {tag: count for tag, count in self.world.made.items() if count > 1}
        if twice:
            raise Broken(f"the server has made notes more than once: {twice}")
        self.check_losses()

    def empty_outbox(self, number: int) -> None:
        for _ in range(FLUSHES_MAX):
            self.do({"do": "flush", "device": number})
            looked = self.look(number)
            if not looked["items"]:
                return
            for conflict in looked["conflicts"]:
                self.resolve(number, conflict, self.end)
            # What the server does not take at its best, a person drops.
            for item in looked["items"]:
                if item["dead"]:
                    self.drop_dead(number, item["item"])
        raise Broken(f"device {number} still has the requests {self.look(number)['items']}")

    def drop_dead(self, number: int, item: int) -> None:
        if item not in [each["item"] for each in self.devices[number].ask("look")["items"]]:
            return
        self.devices[number].ask("drop", item=item)
        tag = next((tag for tag, each in self.items.items() if each == item), None)
        for change in self.changes:
            change.is_open |= change.device == number and tag in (None, change.tag)
        own = next((change for change in self.changes if change.tag == tag), None)
        if own:
            self.forget(number, own.note)

    def check_agreement(self, number: int) -> None:
        looked = self.look(number)
        if looked["conflicts"]:
            raise Broken(f"device {number} still has conflicts: {looked['conflicts']}")
        shown = {note["shown"]["id"]: note for note in looked["notes"]}
        for identity, row in self.world.notes.items():
            wanted = {name: value for name, value in row.items() if name != "rev"}
            note = shown.get(identity)
            if not note or note["hidden"] or note["shown"] != wanted:
                raise Broken(f"device {number} shows {note}, and the server has {wanted}")
            if note["pending"] or note["confirmed"] != wanted:
                raise Broken(f"device {number} still holds edits of {note}")

    def check_losses(self) -> None:
        """Checks that each edit has come to the server, unless the program gave it up."""
        for place, change in enumerate(self.changes):
            later = any(
                (other.device, other.note, other.name) == (change.device, change.note, change.name)
                for other in self.changes[place + 1 :]
            )
            if change.is_open or change.note in self.world.gone or self.is_there(change):
                continue
            if POLICIES[change.name] == "theirs" or self.is_decided(change):
                continue
            # A later edit takes the place of an earlier one that was not sent yet.
            if change.name in SCALARS and later:
                continue
            raise Broken(
                f"{change.tag} of device {change.device} is lost: {change.name} {change.value}"
            )

    def is_decided(self, change: Change) -> bool:
        """Whether a program has decided which value of an attribute counts."""
        return any(
            note == change.note and change.name in known.decided
            for (_, note), known in self.world.known.items()
        )

    def is_there(self, change: Change) -> bool:
        number = self.world.find(change.note)
        if number is None:
            return False
        value = self.world.notes[number][change.name]
        if change.name == "views":
            return value & change.value == change.value
        if change.name == "tags":
            return change.value == "-" or change.value[1:] in value or self.was_taken(change)
        key = (change.device, change.note, change.name, str(change.value))
        return key in self.world.accepted

    def was_taken(self, change: Change) -> bool:
        """Whether somebody took the element away."""
        others = any(step["do"] == "other" and step.get("set", {}).get("tags") == "-"
                     for step in self.steps)
        return others or any(
            change.value[1:] in known.removed
            for (_, note), known in self.world.known.items() if note == change.note
        )
