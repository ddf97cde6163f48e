"""Performs schedules of `make sync-check` in which several devices change the same versions.

No model says what a device shows after each step. The server checks each change that it makes
(`versions.py`). The run checks what the devices list as conflicts, and what is left at the end:

- A conflict is about values that differ, and an attribute of a note has at most one.
- No edit is lost, unless the program has given it up.
- The stores and the server agree.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from device import Died
from runner import FLUSHES_MAX, Broken, Runner, Schedule, Step
from server import Server
from versions import POLICIES, SCALARS, Known, Values, VersionWorld


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


class VersionRun(Runner):
    """One run of a schedule with versions.

    `versions` of the schedule says how the server is (`keys`, `strict`), where versions stand
    (`form`: in a header, an attribute, or an attribute that requests have in their bodies), which
    policies the clients have (`theyDeleted`, `iDelete`, `uncertain`), and how conflicts that are
    left at the end are decided (`end`).
    """

    def __init__(self, server: Server, schedule: Schedule, rules_off: str = "") -> None:
        options: Values = schedule["versions"]
        self.world = VersionWorld(
            has_keys=options.get("keys", True), needs_condition=options.get("strict", False),
            deletes=options.get("iDelete", "park"),
            has_versions_in_rows=options.get("form", "header") != "header",
            has_conditions_in_bodies=options.get("form") == "body",
        )
        super().__init__(server, self.world, schedule, rules_off)
        for ref in ("n0", "n1"):
            self.world.add(ref, {name: f"{ref}-{name}" for name in SCALARS})
        self.options = options
        self.changes: list[Change] = []
        #: The items of edits by the devices and the names of the edits.
        self.items: dict[tuple[int, str], int] = {}
        #: The items that the last flush has parked, if it knew the newest values.
        self.parked: set[int] = set()

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
        # Listing conflicts ends those about which there is nothing to decide.
        # A parked item may have become a part of an earlier one.
        if self.parked and not looked["conflicts"]:
            raise Broken(f"device {number}: there is nothing to decide about {self.parked}")
        self.parked = set()
        parked: set[tuple[str, str]] = set()
        for conflict in looked["conflicts"]:
            for name in conflict["cells"]:
                place = (self.name_of(conflict), name)
                if place in parked:
                    raise Broken(f"device {number} has two conflicts about {place}")
                parked.add(place)
                self.check_conflict(number, conflict, name, looked)
        return looked

    def name_of(self, conflict: Values) -> str:
        """Returns the name of the note of a conflict, which a store in memory may have lost."""
        mine: Values = conflict["mine"]
        known = self.world.notes.get(mine["id"] or 0, {})
        return str(mine["ref"] or known.get("ref", ""))

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
        own = self.world.of(number, self.name_of(conflict)).own.get(name, set())
        # A later edit may wait, which the conflict does not have yet.
        if note and own and name in SCALARS and note["shown"][name] not in own:
            raise Broken(f"device {number} shows {note['shown']}, and {mine} is parked")

    def address(
        self, step: Step, *, is_online: bool = False
    ) -> tuple[Values, Values] | None:
        """Returns the values that a device shows, and the words that name the note for it.

        An online edit has a condition only if the device knows a version. It would overtake edits
        that wait.
        """
        for note in self.ask(step, "look")["notes"]:
            shown = note["shown"]
            if shown["ref"] == step["note"] and not note["hidden"]:
                if is_online and (note["version"] is None or note["pending"]):
                    return None
                if self.is_idle(step, shown):
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
        self.items[step["device"], step["tag"]] = reply["item"]

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
        """An edit is sent at once, and fails if it cannot be made."""
        found = self.address(step, is_online=True)
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
        item = self.items.get((step["device"], step["tag"]))
        if item not in [each["item"] for each in looked["items"]]:
            return False
        self.ask(step, "drop", item=item)
        # The requests of a new note are dropped with it.
        left = {each["item"] for each in self.ask(step, "look")["items"]}
        for (device, tag), number in self.items.items():
            is_gone = device == step["device"] and number not in left
            if is_gone and (number == item or self.are_of_one_note(tag, step["tag"])):
                self.leave_open(tag)
        return None

    def are_of_one_note(self, *tags: str) -> bool:
        return len({change.note for change in self.changes if change.tag in tags}) == 1

    def leave_open(self, tag: str) -> None:
        for change in self.changes:
            change.is_open |= change.tag == tag

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
        note = self.name_of(conflict)
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
            is_of_note = change.device == number and change.note == self.name_of(conflict)
            change.is_open |= is_of_note
        self.devices[number].ask("drop", item=conflict["item"])

    # The server

    def do_flush(self, step: Step) -> None:
        self.world.fates = list(step.get("fates", []))
        self.world.lag = step.get("lag", 0)
        try:
            ended = [word.split() for word in self.ask(step, "flush")["ended"]]
            if not self.world.lag:
                self.parked = {int(item) for item, state in ended if state == "parked"}
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
                self.resolve(number, conflict, self.options.get("end", "mine"))
            # What the server does not take at its best, a person drops.
            for item in looked["items"]:
                if item["dead"]:
                    self.drop_dead(number, item["item"])
        raise Broken(f"device {number} still has the requests {self.look(number)['items']}")

    def drop_dead(self, number: int, item: int) -> None:
        if item not in [each["item"] for each in self.devices[number].ask("look")["items"]]:
            return
        self.devices[number].ask("drop", item=item)
        tag = next(
            (
                tag for (device, tag), each in self.items.items()
                if device == number and each == item
            ),
            None,
        )
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
            wanted = row
            if not self.world.has_versions_in_rows:
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
            policy = POLICIES[change.name]
            if policy == "mine" and self.options.get("uncertain") == "theirs":
                continue
            if policy == "theirs" or self.is_decided(change):
                continue
            # A later edit takes the place of an earlier one that was not sent yet.
            if change.name in SCALARS and later:
                continue
            raise Broken(
                f"{change.tag} of device {change.device} is lost: {change.name} {change.value}"
            )

    def is_decided(self, change: Change) -> bool:
        """Whether a program has decided which value of an attribute counts.

        With a note that it deletes, it gives up the edits of the note.
        """
        if self.world.of(change.device, change.note).deleted is not None:
            return True
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
            return bool(value & change.value)
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
