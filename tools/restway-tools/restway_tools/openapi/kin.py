"""Finds schemas that show one resource although their names do not say it.

`collaborator` has what every `simple-user` has, and published examples show the same object as
both; `Admin` is `allOf` of `User` and more. They are shapes of the resource `user`.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from typing import Any

from .kinds import Kind, ListKind, MapKind, ObjectKind, UnionKind
from .landing import linked_of, objects_of

_COMMON_MIN = 8
"""How many properties two schemas have in common at least, if no `allOf` names one of them."""
_PART_MIN = 4
"""How many properties a schema in an `allOf` has at least; a smaller one is a part that many
resources have, such as an identity and a type."""
_SAMPLES_MAX = 1000


class Kin:
    """Signs in `allOf` and in the published examples that schemas may be of one resource."""

    def __init__(self) -> None:
        self._samples: dict[ObjectKind, list[dict[str, Any]]] = {}
        self._unions: set[frozenset[ObjectKind]] = set()
        self._uses: Counter[ObjectKind] = Counter()

    def look(self, kind: Kind, value: Any) -> None:
        """Looks at an example, and at everything inside."""
        waiting = [(kind, value)]
        while waiting:
            kind, value = waiting.pop()
            if isinstance(kind, ListKind) and isinstance(value, list):
                waiting += [(kind.element, element) for element in value]
            elif isinstance(kind, MapKind) and isinstance(value, dict):
                waiting += [(kind.value, member) for member in value.values()]
            elif isinstance(kind, ObjectKind) and isinstance(value, dict):
                samples = self._samples.setdefault(kind, [])
                if len(samples) < _SAMPLES_MAX:
                    samples.append(value)
                waiting += [
                    (one.kind, value[key]) for key, one in kind.properties.items() if key in value
                ]

    def read(self, kinds: Iterable[Kind]) -> None:
        """Notes how often each object is used, and which objects are alternatives of each other, so
        that they are different ones.
        """
        queue, seen = deque(kinds), set()
        while queue:
            target = linked_of(queue.popleft())
            objects = objects_of(target) if target is not None else []
            self._uses.update(objects)
            if target is None or target in seen:
                continue
            seen.add(target)
            if isinstance(target, UnionKind) and len(objects) > 1:
                self._unions.add(frozenset(objects))
            for one in objects:
                queue.extend(each.kind for each in one.properties.values())

    def uses(self, shapes: Iterable[ObjectKind]) -> int:
        """Returns in how many places of the description one of these objects stands."""
        return sum(self._uses[one] for one in shapes)

    def is_shape(self, one: ObjectKind, base: ObjectKind, identity: str) -> bool:
        """Returns whether an object is a shape of the resource of another one. `identity` is the
        property that tells the objects of both apart.
        """
        required = {key for key, each in base.properties.items() if each.is_required}
        is_part = base in _bases(one) and len(base.properties) >= _PART_MIN
        is_like = len(required) >= _COMMON_MIN and required <= one.properties.keys()
        if not (is_part or is_like) or any({one, base} <= union for union in self._unions):
            return False
        equal, other = self._agreement(one, base, identity)
        return equal >= other if is_part else equal > other

    def _agreement(self, one: ObjectKind, base: ObjectKind, identity: str) -> tuple[int, int]:
        """Returns how many identities two schemas have with equal and with other contents."""
        known: dict[Any, dict[str, Any]] = {}
        for value in self._samples.get(base, []):
            if isinstance(value.get(identity), (int, str)):
                known.setdefault(value[identity], value)
        equal = other = 0
        for value in self._samples.get(one, []):
            found = value.get(identity)
            if isinstance(found, (int, str)) and found in known:
                if contradict(known[found], value):
                    other += 1
                else:
                    equal += 1
        return equal, other


def _bases(one: ObjectKind) -> set[ObjectKind]:
    """Returns the objects with names in the `allOf` of an object, and in theirs."""
    found: set[ObjectKind] = set()
    waiting = list(one.bases)
    while waiting:
        base = waiting.pop()
        if base not in found and base is not one:
            found.add(base)
            waiting += base.bases
    return found


def contradict(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Returns whether two objects are different ones: most of their common scalars differ. Some
    may differ in one object, which examples show at different times.
    """
    common = [
        key
        for key in one.keys() & other.keys()
        if not isinstance(one[key], (dict, list)) and not isinstance(other[key], (dict, list))
    ]
    equal = sum(1 for key in common if one[key] == other[key])
    return 2 * equal < len(common)
