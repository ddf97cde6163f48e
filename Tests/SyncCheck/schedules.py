"""Schedules of `make sync-check`: random ones, kept ones, and their shrinking."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from server import ATTRIBUTES, FATES

#: The attributes of notes with versions.
VERSION_ATTRIBUTES = (*ATTRIBUTES, "views", "tags")

Step = dict[str, Any]
Schedule = dict[str, Any]

KEPT = Path(__file__).parent / "schedules"
DEVICES = 3


class Generator:
    """Makes the random schedule of a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        # In half of the schedules all edits are about the same attribute, so that they meet.
        self.names: tuple[str, ...] = ATTRIBUTES if self.chance(1, 2) else ATTRIBUTES[:1]
        self.refs = ["n0", "n1"] if self.chance(1, 2) else ["n0"]
        self.tags: list[str] = []
        self.values = 0

    def schedule(self) -> Schedule:
        stores = [self.random.choice(["file", "file", "memory"]) for _ in range(DEVICES)]
        if self.chance(1, 4):
            stores[:2] = ["file", "shared"]
        steps: list[Step] = [{"do": "read", "device": number} for number in range(DEVICES)]
        for _ in range(self.random.randint(6, 16)):
            steps.append(self.step())
        return {"stores": stores, "steps": steps}

    def step(self) -> Step:
        # Most steps are about one device, so that its edits meet.
        device = self.random.choice([0, 0, 0, 1, 2])
        kind = self.random.choices(
            ["edit", "new", "delete", "flush", "read", "overtaken", "optimistic", "drop", "retry",
             "other", "restart", "kill", "wait", "interrupted"],
            [20, 6, 4, 14, 14, 5, 5, 9, 7, 6, 4, 8, 1, 3],
        )[0]
        if kind == "other":
            return {"do": "other"} | self.note() | (self.change() if self.chance(6, 7) else {})
        if kind == "kill":
            return {
                "do": "kill", "device": device, "after": self.random.randint(1, 9),
                "step": self.inner(),
            }
        return {"do": kind, "device": device, **self.details(kind)}

    def inner(self) -> Step:
        kind = self.random.choices(
            ["edit", "new", "delete", "flush", "read", "optimistic", "drop", "retry", "restart"],
            [8, 3, 3, 8, 2, 2, 5, 1, 1],
        )[0]
        return {"do": kind, **self.details(kind)}

    def details(self, kind: str) -> Step:
        match kind:
            case "edit":
                method = {"method": "PUT"} if self.chance(1, 3) else {}
                return self.note() | method | self.change() | self.tag()
            case "new":
                self.refs.append(f"n{len(self.refs)}")
                return {"note": self.refs[-1]} | self.change() | self.tag()
            case "delete":
                return self.note() | self.tag()
            case "flush":
                return self.fates()
            case "read":
                step = self.note() if self.chance(1, 2) else {}
                if self.chance(1, 4):
                    step["lag"] = self.random.randint(1, 3)
                if self.chance(1, 10):
                    step["lost"] = True
                return step
            case "overtaken":
                return (self.note() if self.chance(1, 2) else {}) | self.fates()
            case "optimistic":
                fate = self.random.choice(["ok", "ok", "bare", "refused", "lost", "unanswered"])
                return self.note() | self.change() | self.tag() | {"fate": fate}
            case "interrupted":
                kills = {"kills": True} if self.chance(1, 2) else {}
                fate = self.random.choice(["ok", "lost", "refused", "busy"])
                return self.note() | self.change() | self.tag() | {"fate": fate} | kills
            case "drop":
                return {"tag": self.random.choice(self.tags[-6:] or ["none"])}
            case "wait":
                return {"milliseconds": self.random.choice([300, 600_000])}
        return {}

    def chance(self, count: int, among: int) -> bool:
        return self.random.randrange(among) < count

    def note(self) -> Step:
        return {"note": self.random.choice(self.refs)}

    def tag(self) -> Step:
        self.tags.append(f"t{len(self.tags)}")
        return {"tag": self.tags[-1]}

    def change(self) -> Step:
        count = min(self.random.choice([1, 1, 2]), len(self.names))
        names = self.random.sample(self.names, count)
        self.values += 1
        return {"set": {name: f"{name[:2]}{self.values}" for name in sorted(names)}}

    def fates(self) -> Step:
        if self.chance(1, 2):
            return {}
        # Refusals leave dead letters, without which many steps have no effect.
        among = (*FATES, "refused", "refused", "refused")
        return {"fates": [self.random.choice(among) for _ in range(self.random.randint(1, 3))]}


class VersionGenerator(Generator):
    """Makes the random schedule of a seed for devices that change the same versions."""

    kinds: ClassVar[dict[str, int]] = {
        "edit": 26, "online": 4, "new": 2, "delete": 3, "flush": 20, "read": 10, "drop": 4,
        "retry": 2, "resolve": 8, "other": 10, "restart": 4, "kill": 6, "wait": 1,
    }
    inner_kinds: ClassVar[dict[str, int]] = {
        "edit": 8, "new": 1, "delete": 2, "flush": 12, "read": 3, "drop": 3, "resolve": 4,
        "retry": 1, "restart": 1,
    }
    fates_of_writes: ClassVar[tuple[str, ...]] = (
        "ok", "ok", "bare", "tagged", "lost", "unanswered", "unanswered", "unanswered", "twice",
        "limit", "busy", "busy", "refused",
    )

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.refs = ["n0", "n1"] if self.chance(1, 4) else ["n0"]
        names = list(VERSION_ATTRIBUTES)
        self.random.shuffle(names)
        # With few attributes the edits meet.
        self.names = tuple(names[: self.random.choice([1, 2, 5])])

    def schedule(self) -> Schedule:
        policies = ["park", "park", "mine", "theirs"]
        versions: dict[str, Any] = {
            "keys": self.chance(1, 2), "strict": self.chance(1, 4),
            "form": self.random.choice(["header", "header", "attribute", "body"]),
            "theyDeleted": self.random.choice(policies),
            "iDelete": self.random.choice(policies),
            "uncertain": self.random.choice(["park", "park", "mine", "theirs"]),
            "end": self.random.choice(["mine", "theirs", "value"]),
        }
        stores = [self.random.choice(["file", "file", "memory"]) for _ in range(DEVICES)]
        steps: list[Step] = [{"do": "read", "device": number} for number in range(DEVICES)]
        steps += [self.step() for _ in range(self.random.randint(6, 18))]
        return {"versions": versions, "stores": stores, "steps": steps}

    def step(self) -> Step:
        device = self.random.choice([0, 0, 0, 1, 1, 2])
        kind = self.chosen(self.kinds)
        if kind == "other":
            return {"do": "other"} | self.note() | (self.change() if self.chance(9, 10) else {})
        if kind == "kill":
            inner = self.chosen(self.inner_kinds)
            return {
                "do": "kill", "device": device, "after": self.random.randint(1, 9),
                "step": {"do": inner, **self.details(inner)},
            }
        return {"do": kind, "device": device, **self.details(kind)}

    def chosen(self, kinds: dict[str, int]) -> str:
        return self.random.choices(list(kinds), list(kinds.values()))[0]

    def details(self, kind: str) -> Step:
        match kind:
            case "online":
                fate = self.random.choice(["ok", "ok", "ok", "lost", "unanswered", "refused"])
                return self.note() | self.change() | self.tag() | {"fate": fate}
            case "new":
                self.refs.append(f"m{self.values}")
                return {"note": self.refs[-1]} | self.change() | self.tag()
            case "resolve":
                return {"choice": self.random.choice(["mine", "theirs", "value"])}
            case "flush":
                step = self.fates()
                return step | ({"lag": self.random.randint(1, 2)} if self.chance(1, 3) else {})
            case "drop" if self.chance(1, 3):
                return {}
        return super().details(kind)

    def change(self) -> Step:
        count = min(self.random.choice([1, 1, 2]), len(self.names))
        names = sorted(self.random.sample(self.names, count))
        return {"set": {name: self.value(name) for name in names}}

    def value(self, name: str) -> str | int:
        """Returns a value that no other change has. An increment is a bit of its own."""
        self.values += 1
        match name:
            case "views":
                return 1 << self.values
            case "tags":
                return "-" if self.chance(1, 4) else f"+g{self.values}"
        return f"{name[:2]}{self.values}"

    def fates(self) -> Step:
        if self.chance(1, 2):
            return {}
        count = self.random.randint(1, 3)
        return {"fates": [self.random.choice(self.fates_of_writes) for _ in range(count)]}


# Shrinking


def shrink(schedule: Schedule, fails: Callable[[Schedule], bool]) -> Schedule:
    """Returns a schedule without a part that is not needed for the failure."""
    while True:
        smaller = next((other for other in _smaller(schedule) if fails(other)), None)
        if smaller is None:
            return schedule
        schedule = smaller


#: The simplest server with versions, and the simplest policies.
SIMPLE = {
    "keys": True, "strict": False, "form": "header", "theyDeleted": "park", "iDelete": "park",
    "uncertain": "park", "end": "mine",
}


def _smaller(schedule: Schedule) -> Iterator[Schedule]:
    steps = schedule["steps"]
    size = len(steps) // 2
    while size:
        for start in range(len(steps) - size, -1, -size):
            yield {**schedule, "steps": steps[:start] + steps[start + size :]}
        size //= 2
    for name, value in schedule.get("versions", {}).items():
        if value != SIMPLE.get(name):
            simpler = {**schedule["versions"], name: SIMPLE[name]}
            yield {**schedule, "versions": simpler}
    last = max((step.get("device", 0) for step in steps), default=0)
    if len(schedule["stores"]) > last + 1:
        yield {**schedule, "stores": schedule["stores"][: last + 1]}
    for number, store in enumerate(schedule["stores"]):
        if store in ("memory", "shared"):
            stores = [*schedule["stores"]]
            stores[number] = "file"
            yield {**schedule, "stores": stores}
    for number, step in enumerate(steps):
        for simpler in _simpler(step):
            yield {**schedule, "steps": [*steps[:number], simpler, *steps[number + 1 :]]}


def _simpler(step: Step) -> Iterator[Step]:
    if step["do"] == "kill":
        yield {**step["step"], "device": step["device"]}
        yield {"do": "restart", "device": step["device"]}
        if step["after"] > 1:
            yield {**step, "after": step["after"] - 1}
        for inner in _simpler(step["step"]):
            yield {**step, "step": inner}
        return
    if step["do"] in ("optimistic", "overtaken"):
        kind = "edit" if step["do"] == "optimistic" else "flush"
        names = {"device", "note", "set", "tag"} if kind == "edit" else {"device", "fates"}
        yield {"do": kind} | {name: step[name] for name in names & set(step)}
    if step["do"] == "interrupted":
        yield {"do": "edit"} | {name: step[name] for name in ("device", "note", "set", "tag")}
    for name in ("fates", "lag", "lost", "method", "kills"):
        if name in step:
            yield {key: value for key, value in step.items() if key != name}
    if step.get("fate", "ok") != "ok":
        yield {**step, "fate": "ok"}
    if step["do"] == "flush" and len(step.get("fates", [])) > 1:
        yield {**step, "fates": step["fates"][:-1]}
        yield {**step, "fates": step["fates"][1:]}
    if len(step.get("set", {})) > 1:
        for name in step["set"]:
            yield {**step, "set": {name: step["set"][name]}}


# Kept schedules


def text(schedule: Schedule) -> str:
    """Returns a schedule as the files have it, with one step a line."""
    head = {name: value for name, value in schedule.items() if name != "steps"}
    lines = [f'  "{name}": {json.dumps(value)},' for name, value in head.items()]
    steps = ",\n".join("    " + json.dumps(step) for step in schedule["steps"])
    return "\n".join(["{", *lines, '  "steps": [', steps, "  ]", "}"]) + "\n"


def kept() -> dict[str, Schedule]:
    """Returns the kept schedules by the names of their files."""
    return {path.stem: json.loads(path.read_text()) for path in sorted(KEPT.glob("*.json"))}
