"""Decides which property tells the objects of a resource apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Optional

from .kin import contradict
from .kinds import MapKind, ScalarKind
from .landing import landing_of
from .model import Operation
from .names import base_name, plain
from .notes import Report
from .resources import Field, Resource, Resources, candidate_of
from .unions import member_of

Overrides = dict[str, Optional[str]]


def decide_identities(
    resources: Resources, operations: Iterable[Operation], overrides: Overrides, report: Report
) -> None:
    """Sets the identity of each resource, and notes where none was found for certain.

    A candidate is taken if a shape requires it, or if the last variable of a path leads to one
    object by it. It is refused if the elements of a list repeat it with other contents, and for
    unions that no path leads to, since different resources may have one identity.
    """
    candidates: dict[str, str] = {}
    for name, resource in resources.by_name.items():
        fields = ((field.name, field.kind) for field in resource.fields.values())
        found = candidate_of(name, fields)
        if found is not None:
            candidates[name] = found[0]
    known = list(operations)
    reads = {operation.path: operation for operation in known if operation.method == "GET"}
    for operation in known:
        _confirm(operation, reads, resources, candidates)
    repeated = _Repetitions(candidates)
    for operation in known:
        for answer in operation.successes:
            for content in answer.contents:
                landing = landing_of(content.kind) if content.kind is not None else None
                if landing is None or landing.target is None:
                    continue
                resource = resources.resource(landing.target, operation.name)
                for place, value in content.examples if content.envelope is None else ():
                    inside = value.get(landing.key) if _is_inside(landing.key, value) else value
                    repeated.look(resource, inside, place)
    for name, resource in resources.by_name.items():
        if name in overrides:
            resource.identity, resource.identity_reason = overrides[name], "the overrides say so"
        elif any(one.resource_type is not None for one in resource.shapes):
            resource.identity, resource.identity_reason = "id", "JSON:API says so"
        elif name in candidates:
            _decide(resource, candidates[name], repeated.place(name), report)


def _is_inside(key: str | None, value: Any) -> bool:
    return key is not None and isinstance(value, dict) and key in value


def _decide(resource: Resource, candidate: str, repetition: str | None, report: Report) -> None:
    field = resource.fields[candidate]
    if repetition is not None:
        reason = f"{resource.name!r} has no identity: {repetition} repeats {candidate!r} with other"
        report.add("bent", resource.place, f"{reason} contents")
    elif resource.confirmations:
        resource.identity = candidate
        resource.identity_reason = f"the path variable {min(resource.confirmations)!r}"
    elif resource.is_union:
        reason = f"{resource.name!r} has no identity: the {candidate!r} of one resource may be that"
        report.add("bent", resource.place, f"{reason} of another one")
    elif field.is_required:
        resource.identity, resource.identity_reason = candidate, "it is required"
    else:
        reason = f"{resource.name!r} has no identity: {candidate!r} is neither required nor the"
        report.add("bent", resource.place, f"{reason} last variable of a path")


def _confirm(
    operation: Operation,
    reads: dict[str, Operation],
    resources: Resources,
    candidates: dict[str, str],
) -> None:
    """Confirms the candidate of the resource that an operation reads or deletes by its path."""
    variable = operation.last_variable
    if variable is None or operation.method not in ("GET", "DELETE"):
        return
    read = operation if operation.method == "GET" else reads.get(operation.path)
    resource = answered(read, resources) if read is not None else None
    if read is None:  # then the path above it lists the objects
        above = reads.get(operation.path.rstrip("/").rpartition("/")[0])
        resource = answered(above, resources, is_list=True) if above is not None else None
    candidate = candidates.get(resource.name) if resource is not None else None
    if resource is None or candidate is None:
        return
    own = plain(base_name(resource.name)) + plain(candidate)
    is_named = plain(variable) in (plain(candidate), own) or variable.endswith(f"_{candidate}")
    if is_named and _fits(operation, variable, resource.fields[candidate]):
        resource.confirmations.add(variable)


def answered(
    operation: Operation, resources: Resources, *, is_list: bool = False
) -> Resource | None:
    """Returns the resource with which an operation answers, where it is one object or a list."""
    for answer in operation.successes:
        for content in answer.contents:
            landing = landing_of(content.kind) if content.kind is not None else None
            if landing is not None and landing.target is not None:
                holder = landing.envelope
                member = holder.properties[landing.key].kind if holder and landing.key else None
                is_one = content.kind is landing.target or member is landing.target
                if is_one is not is_list:
                    return resources.resource(landing.target, operation.name)
    return None


def _fits(operation: Operation, variable: str, field: Field) -> bool:
    for parameter in operation.parameters:
        if parameter.where == "path" and parameter.name == variable:
            kinds = (parameter.kind, field.kind)
            types = [kind.type for kind in kinds if isinstance(kind, ScalarKind)]
            return len(types) < 2 or ("int" in types) == (types[0] == types[1] == "int")
    return True


class _Repetitions:
    """Finds candidates that examples repeat with other contents.

    Published examples have mistakes, which are copied from one to the next. So a list that repeats
    an identity with other contents counts only if most of the other repetitions differ as well.
    """

    def __init__(self, candidates: dict[str, str]) -> None:
        self._candidates = candidates
        self._first: dict[tuple[str, Any], dict[str, Any]] = {}
        self._equal: Counter[str] = Counter()
        self._other: Counter[str] = Counter()
        self._lists: dict[str, str] = {}
        """The first list of each resource whose elements contradict each other."""

    def place(self, name: str) -> str | None:
        """Returns the list that shows that a candidate is no identity."""
        return self._lists.get(name) if self._other[name] > self._equal[name] else None

    def look(self, resource: Resource, value: Any, place: str) -> None:
        """Looks at an object or a list of a resource, and at everything inside."""
        if isinstance(value, list):
            self._look_at_list(resource, value, place)
            for index, element in enumerate(value):
                self.look(resource, element, f"{place}/{index}")
        elif isinstance(value, dict):
            if resource.members:
                names = {one.name: one for one in resource.members}
                resource = names[member_of({"oneOf": list(names), **resource.rule}, value)]
            self._look_at_object(resource, value)
            for key, member in value.items():
                field = resource.fields.get(key)
                if field is None or field.resource is None:
                    continue
                if isinstance(field.kind, MapKind) and isinstance(member, dict):
                    member = list(member.values())
                self.look(field.resource, member, f"{place}/{key}")

    def _identity(self, resource: Resource, value: Any) -> Any:
        candidate = self._candidates.get(resource.name)
        if candidate is None or not isinstance(value, dict):
            return None
        identity = value.get(candidate)
        return identity if isinstance(identity, (int, str)) else None

    def _look_at_object(self, resource: Resource, value: dict[str, Any]) -> None:
        identity = self._identity(resource, value)
        if identity is None:
            return
        first = self._first.setdefault((resource.name, identity), value)
        if first is not value:
            (self._other if contradict(first, value) else self._equal)[resource.name] += 1

    def _look_at_list(self, resource: Resource, elements: list[Any], place: str) -> None:
        seen: dict[Any, dict[str, Any]] = {}
        for element in elements:
            identity = self._identity(resource, element)
            if identity is None:
                continue
            before = seen.setdefault(identity, element)
            if contradict(before, element):
                self._lists.setdefault(resource.name, place)
