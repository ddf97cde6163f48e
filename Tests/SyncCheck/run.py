"""Performs a schedule of `make sync-check` with real clients, and compares them with the model."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from device import Died
from model import NAMES, Edit, Model, Note, Values, full, part
from runner import FLUSHES_MAX, Broken, Runner, Schedule, Step
from server import ATTRIBUTES, Server, World


class Run(Runner):
    """One run of a schedule."""

    def __init__(self, server: Server, schedule: Schedule, rules_off: str = "") -> None:
        self.world = World()
        super().__init__(server, self.world, schedule, rules_off)
        for ref in ("n0", "n1"):
            self.world.add(ref, {name: f"{ref}-{name}" for name in ATTRIBUTES})
        #: What each store may show: several models after a kill, until it is seen which holds.
        self.models_of = [[Model()] for _ in self.devices]
        #: What the device of the step has shown since it was last looked at, in this order.
        self.states: list[dict[str, Values | None]] = []
        #: Notes that a device has twice for a while: the server's, and its own before the answer.
        self.doubled: set[str] = set()
        #: Whether it is known what the device has shown.
        self.is_sure = True

    def models(self, number: int) -> list[Model]:
        return self.models_of[self.store_of[number]]

    # Steps

    def do(self, step: Step) -> None:
        """Performs a step, unless it makes no sense where it stands."""
        self.world.answered = []
        self.states, self.is_sure = [], step["do"] != "kill"
        if "device" in step:
            self.note_state(self.model(step))
        handler: Callable[[Step], bool | None] = getattr(self, "do_" + step["do"])
        if handler(step) is False:
            return
        if "device" in step:
            self.look(step["device"])

    def look(self, number: int) -> None:
        """Compares a device with its models, and keeps those that hold."""
        looked = self.devices[number].ask("look")
        found = [(model, model.compare(looked, number)) for model in self.models(number)]
        self.models(number)[:] = [model for model, problems in found if not problems]
        if not self.models(number):
            best = min((problems for _, problems in found), key=len)
            raise Broken(f"device {number}: " + "; ".join(best))
        if self.world.problems:
            raise Broken("; ".join(self.world.problems))
        if self.is_sure and len(found) == 1:
            self.check_told(number, looked["told"])
        self.states = []
        self.note_state(self.models(number)[0])

    def note_state(self, model: Model) -> None:
        state: dict[str, Values | None] = {}
        for key, note in model.notes.items():
            if note.ref in state:
                self.doubled.add(note.ref)
            state[note.ref] = None if model.is_hidden(key) else full(model.shown(key))
        self.states.append(state)

    def check_told(self, number: int, told: list[dict[str, Any]]) -> None:
        """Checks that observers saw only what a program may see, in the right order."""
        self.note_state(self.models(number)[0])
        for ref in {each["ref"] for each in told if each["ref"]}:
            if ref in self.doubled:
                continue
            wanted = iter([state.get(ref) for state in self.states])
            now = next(wanted)
            for each in told:
                if each["ref"] != ref:
                    continue
                shown = each["shown"] and part(each["shown"])
                while now != shown:
                    try:
                        now = next(wanted)
                    except StopIteration:
                        states = [state.get(ref) for state in self.states]
                        raise Broken(
                            f"device {number}: an observer of {ref} saw {shown}, and may see"
                            f" {states} in this order"
                        ) from None

    def model(self, step: Step) -> Model:
        return self.models(step["device"])[0]

    def each(self, step: Step, change: Callable[[Model], Any]) -> None:
        for model in self.models(step["device"]):
            change(model)
        self.note_state(self.model(step))

    def own(self, step: Step) -> Edit | None:
        """Returns the edit of a step, if the outbox of the device has its request."""
        edit = self.model(step).edit(step["tag"])
        return edit if edit and edit.device == step["device"] else None

    def address(self, step: Step) -> tuple[int, dict[str, Any]] | None:
        """Returns a note that the device shows, and the words that name it for the device."""
        model = self.model(step)
        key = model.find(step["note"], step["device"])
        if key is None:
            return None
        number = model.notes[key].id
        return key, {"ref": step["note"]} | ({} if number is None else {"id": number})

    # Edits

    def do_new(self, step: Step) -> bool | None:
        if any(note.ref == step["note"] for note in self.model(step).notes.values()):
            return False
        values = dict(step["set"])
        reply = self.ask(
            step, "edit", method="POST", ref=step["note"], set=values, tag=step["tag"]
        )
        self.each(step, lambda model: self.create(model, step, self.item(reply)))
        return None

    @staticmethod
    def create(model: Model, step: Step, item: int | None) -> None:
        key = model.add(Note(step["note"]))
        values = {"ref": step["note"], **step["set"]}
        model.edits.append(
            Edit(step["tag"], key, "new", values, item, device=step["device"])
        )

    @staticmethod
    def item(reply: dict[str, Any]) -> int:
        if not reply.get("item"):
            raise Broken(f"the request was not stored: {reply}")
        return int(reply["item"])

    def do_edit(self, step: Step) -> bool | None:
        found = self.address(step)
        if not found:
            return False
        key, words = found
        whole = self.model(step).shown(key) | step["set"]
        if step.get("method") == "PUT":
            if any(name not in whole for name in NAMES):
                return False
            self.world.expected[step["tag"]] = whole
        reply = self.ask(
            step, "edit", method=step.get("method", "PATCH"), set=step["set"], tag=step["tag"],
            **words,
        )
        item = self.item(reply)
        self.each(step, lambda model: self.change(model, step, item))
        return None

    @staticmethod
    def change(model: Model, step: Step, item: int | None) -> None:
        key = model.find(step["note"], step["device"])
        if key is not None:
            kind = step.get("method", "PATCH").lower()
            model.edits.append(
                Edit(step["tag"], key, kind, dict(step["set"]), item, step["device"])
            )

    def do_delete(self, step: Step) -> bool | None:
        found = self.address(step)
        if not found:
            return False
        reply = self.ask(step, "delete", tag=step["tag"], **found[1])
        if "failure" in reply:
            item = self.item(reply)
            self.each(step, lambda model: self.remove(model, step, item))
        else:
            self.each(step, lambda model: self.withdraw(model, step))
        return None

    @staticmethod
    def remove(model: Model, step: Step, item: int | None) -> None:
        key = model.find(step["note"], step["device"])
        if key is not None:
            model.edits.append(
                Edit(step["tag"], key, "delete", {}, item, step["device"])
            )

    def withdraw(self, model: Model, step: Step) -> None:
        """Ends a note that never left the device."""
        key = model.find(step["note"], step["device"])
        if key is None:
            return
        if any(note["ref"] == step["note"] for note in self.world.notes.values()):
            raise Broken(f"{step['note']} was withdrawn, and the server has it")
        model.edits = [edit for edit in model.edits if edit.note != key]
        del model.notes[key]

    def do_drop(self, step: Step) -> bool | None:
        edit = self.own(step)
        if not edit or not edit.item:
            return False
        self.ask(step, "drop", item=edit.item)
        left = {item["item"] for item in self.ask(step, "look")["items"]}
        self.each(step, lambda model: self.drop(model, step["tag"], left))
        return None

    @staticmethod
    def drop(model: Model, tag: str, left: set[int]) -> None:
        """Drops an edit. With a new note, the requests that wait for it may be dropped, too."""
        edit = model.edit(tag)
        if not edit:
            return
        if edit.kind == "new":
            for other in [e for e in model.edits if e.note == edit.note and e is not edit]:
                if other.item not in left:
                    model.take_back(other)
        model.take_back(edit)

    def do_retry(self, step: Step) -> bool | None:
        """Retries the first dead letter of the device."""
        edit = self.first_dead(self.model(step), step)
        if not edit:
            return False
        self.ask(step, "retry", item=edit.item)
        self.each(step, lambda model: setattr(model.edit(edit.tag), "is_dead", False))
        return None

    @staticmethod
    def first_dead(model: Model, step: Step) -> Edit | None:
        return next(
            (edit for edit in model.edits if edit.is_dead and edit.device == step["device"]), None
        )

    # The server

    def do_flush(self, step: Step) -> None:
        self.world.fates = list(step.get("fates", []))
        self.ask(step, "flush")
        self.world.fates = []
        self.each(step, self.take_answers)

    def take_answers(self, model: Model) -> dict[int, set[str]]:
        delivered: dict[int, set[str]] = {}
        for answered in self.world.answered:
            if not answered.is_lost:
                for key, names in model.answer(answered).items():
                    delivered[key] = delivered.get(key, set()) | names
                self.note_state(model)
        return delivered

    def rows(self, step: Step) -> tuple[list[Values], dict[str, Any]] | None:
        """Returns the rows that a read brings, and the words that name it for the device."""
        seen = self.world.seen()
        if "note" not in step:
            return list(seen.values()), {}
        number = next(
            (number for number, note in self.world.notes.items() if note["ref"] == step["note"]),
            None,
        )
        if number is None:
            return None
        return [row for row in seen.values() if row["id"] == number], {"id": number}

    def do_read(self, step: Step) -> bool | None:
        self.world.lag = step.get("lag", 0)
        self.world.loses_reads = step.get("lost", False)
        try:
            read = self.rows(step)
            if not read:
                return False
            rows, words = read
            self.ask(step, "fetch", **words)
            if not self.world.loses_reads:
                self.each(step, lambda model: model.take_all(rows))
        finally:
            self.world.lag, self.world.loses_reads = 0, False
        return None

    def do_overtaken(self, step: Step) -> bool | None:
        """Delivers edits while the answer to a read, which is older, is on its way."""
        read = self.rows(step)
        if not read:
            return False
        rows, words = read
        self.hold()
        self.ask(step, "begin", name="read", **words)
        self.world.arrived.wait(30)
        self.world.fates = list(step.get("fates", []))
        self.ask(step, "flush")
        self.world.fates = []
        delivered = [
            (model, set(model.notes), self.take_answers(model))
            for model in self.models(step["device"])
        ]
        self.look(step["device"])
        self.world.release.set()
        self.ask(step, "end", name="read")
        self.models(step["device"])[:] = [
            other
            for model, before, names in delivered
            if model in self.models(step["device"])
            for other in self.overtaken(model, before, names, rows)
        ]
        return None

    @staticmethod
    def overtaken(
        model: Model, before: set[int], names: dict[int, set[str]], rows: list[Values]
    ) -> list[Model]:
        """Takes the rows of an older read. A note that was deleted meanwhile may come back."""
        gone = before - set(model.notes)
        models = [model.copy()]
        if gone:
            models.append(model.copy())
        for row in rows:
            if model.with_identity(row["id"]) is not None or not gone:
                for each in models:
                    each.take(row, names)
            else:
                models[-1].take(row, names)
        return models

    def hold(self) -> None:
        self.world.arrived.clear()
        self.world.release.clear()
        self.world.done.clear()
        self.world.holds = True

    def do_optimistic(self, step: Step) -> bool | None:
        """Sends an edit at once, which is shown until the server has refused it."""
        found = self.address(step)
        if not found or "id" not in found[1]:
            return False
        self.world.fates = [step.get("fate", "ok")]
        self.hold()
        self.ask(step, "begin", name="live", set=step["set"], tag=step["tag"], **found[1])
        self.world.arrived.wait(30)
        self.each(step, lambda model: self.change(model, step, None))
        self.look(step["device"])
        self.world.release.set()
        self.ask(step, "end", name="live")
        self.world.fates = []
        self.each(step, lambda model: self.end_optimistic(model, step["tag"]))
        return None

    def do_interrupted(self, step: Step) -> bool | None:
        """Closes or kills the device while a call of an offline route is in flight.

        The request is stored: when the client is closed, or before it is sent.
        """
        found = self.address(step)
        own = [edit for edit in self.model(step).edits if edit.device == step["device"]]
        if not found or "id" not in found[1] or own:
            return False
        device = self.devices[step["device"]]
        self.world.fates = [step.get("fate", "ok")]
        self.hold()
        self.ask(step, "reach", ruledOut=False)
        route = "first" if step.get("kills") else "note"
        self.ask(
            step, "begin", name="call", route=route, set=step["set"], tag=step["tag"], **found[1]
        )
        self.world.arrived.wait(30)
        if step.get("kills"):
            device.kill()
            item = None
        else:
            self.ask(step, "close")
            item = self.item(self.ask(step, "end", name="call"))
        self.world.release.set()
        self.world.done.wait(30)
        self.world.fates = []
        device.open()
        if item is None:
            item = next((each["item"] for each in self.ask(step, "look")["items"]), None)
            if not item:
                raise Broken("the request that was stored first is lost")
        self.each(step, lambda model: self.change(model, step, item))
        if device.store == "memory":
            self.each(step, Model.forget)
        self.is_sure = False
        return None

    def end_optimistic(self, model: Model, tag: str) -> None:
        edit = model.edit(tag)
        answered = next((each for each in self.world.answered if each.tag == tag), None)
        if not edit:
            return
        if answered and not answered.is_lost and answered.status < 300:
            model.answer(answered)
        else:
            model.take_back(edit)

    def do_other(self, step: Step) -> bool | None:
        """Another program changes a note on the server, or removes it."""
        for number, note in self.world.notes.items():
            if note["ref"] == step["note"]:
                if "set" in step:
                    self.world.change(number, step["set"])
                else:
                    self.world.remove(number)
                return None
        return False

    # The device

    def do_wait(self, step: Step) -> None:
        self.ask(step, "advance", milliseconds=step["milliseconds"])

    def do_restart(self, step: Step) -> None:
        device = self.devices[step["device"]]
        device.restart()
        if device.store == "memory":
            self.each(step, Model.forget)

    def do_kill(self, step: Step) -> bool | None:
        """Kills the device at a fault point during another step, and starts it again."""
        inner = {**step["step"], "device": step["device"]}
        device = self.devices[step["device"]]
        self.ask(step, "die", after=step["after"])
        handler: Callable[[Step], bool | None] = getattr(self, "do_" + inner["do"])
        with contextlib.suppress(Died):
            handler(inner)
            self.ask(step, "die", after=1 << 40)
            return None
        self.world.fates, self.world.holds = [], False
        self.world.release.set()
        before = list(self.models(step["device"]))
        device.open()
        items = {item["item"]: item["dead"] for item in self.ask(step, "look")["items"]}
        self.models(step["device"])[:] = [
            other for model in before for other in self.after_kill(model, inner, items)
        ]
        if device.store == "memory":
            self.each(step, Model.forget)
        return None

    def after_kill(self, model: Model, step: Step, items: dict[int, bool]) -> list[Model]:
        """Returns the models that may hold after a step during which the device was killed.

        The outbox tells what was stored, dropped and answered; whether the store had taken an
        answer whose request is still in the outbox is seen in its values.
        """
        own = [edit for edit in model.edits if edit.device == step["device"]]
        known = {edit.item for edit in own}
        new = next((item for item in items if item not in known), None)
        match step["do"]:
            case "new" | "edit" | "delete":
                stored = {"new": self.create, "edit": self.change, "delete": self.remove}
                if new:
                    stored[step["do"]](model, step, new)
                    return [model]
                if step["do"] == "delete" and any(edit.item not in items for edit in own):
                    self.withdraw(model, step)
                return [model]
            case "drop":
                edit = model.edit(step["tag"])
                if edit in own and edit.item not in items:
                    self.drop(model, step["tag"], set(items))
                return [model]
            case "retry":
                if edit := self.first_dead(model, step):
                    edit.is_dead = items.get(edit.item or 0, edit.is_dead)
                return [model]
            case "read":
                read = self.rows(step)
                after = model.copy()
                after.take_all(read[0] if read else [])
                return [model, after]
            case "flush":
                return self.after_killed_flush(model, items)
            case "optimistic":
                return self.after_killed_call(model, step["tag"])
        return [model]

    def after_killed_flush(self, model: Model, items: dict[int, bool]) -> list[Model]:
        models = [model]
        for answered in self.world.answered:
            edit = model.edit(answered.tag)
            if answered.is_lost or not edit or not edit.item:
                continue
            if answered.status >= 400 and not (edit.kind == "delete" and answered.status == 404):
                if items.get(edit.item):
                    for each in models:
                        each.answer(answered)
            elif edit.item in items:
                seen = [each.copy() for each in models]
                for each in seen:
                    each.answer(answered, keeps_edit=True)
                models += seen
                # The edit is laid again, over those of other outboxes.
                for each in [each.copy() for each in seen]:
                    each.lay_last(answered.tag)
                    models.append(each)
            else:
                for each in models:
                    each.answer(answered)
        return models

    def after_killed_call(self, model: Model, tag: str) -> list[Model]:
        """An optimistic edit ends with its process; the store may have taken the answer."""
        if edit := model.edit(tag):
            model.take_back(edit)
        answered = next((each for each in self.world.answered if each.tag == tag), None)
        if not answered or not answered.answer:
            return [model]
        after = model.copy()
        after.take(answered.answer)
        return [model, after]

    # The end

    def settle(self) -> None:
        """Lets the server do its best, and checks that all agree."""
        for number in range(len(self.devices)):
            self.empty_outbox(number)
        for number in range(len(self.devices)):
            self.do({"do": "read", "device": number})
            self.check_agreement(number)
        twice = {tag: count for tag, count in self.world.applied.items() if count > 1}
        if twice:
            raise Broken(f"the server carried out requests more than once: {twice}")

    def empty_outbox(self, number: int) -> None:
        for _ in range(FLUSHES_MAX):
            self.do({"do": "flush", "device": number})
            edits = [edit for edit in self.models(number)[0].edits if edit.device == number]
            if not edits:
                return
            # What the server does not take at its best, a person drops.
            for edit in [edit for edit in edits if edit.is_dead]:
                self.do({"do": "drop", "device": number, "tag": edit.tag})
        left = self.devices[number].ask("look")["items"]
        raise Broken(f"device {number} still has the requests {left}")

    def check_agreement(self, number: int) -> None:
        looked = self.devices[number].ask("look")["notes"]
        shown = {note["shown"]["id"]: note for note in looked}
        for identity, wanted in self.world.notes.items():
            note = shown.get(identity)
            if not note or note["hidden"] or note["shown"] != wanted:
                raise Broken(f"device {number} shows {note}, and the server has {wanted}")
            if note["pending"] or note["confirmed"] != wanted:
                raise Broken(f"device {number} still holds edits of {note}")
