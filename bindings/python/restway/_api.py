"""API documents, and functions that build an api step by step."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import Any, Literal, TypeVar, Union

from . import _ffi as native
from ._enums import AttributeType, Policy, RelationshipFlag, RouteFlag, Section
from ._exceptions import ConfigError, Problem
from ._ffi.conversion import Document, JSONValue, document_bytes, json_bytes, json_value
from ._ffi.trampolines import (
    on_decode_function,
    on_encode_function,
    on_hook_function,
)
from ._functions import (
    Hook,
    HookFunction,
    Registering,
    Transform,
    TransformFunction,
    checked,
    decorator,
)
from ._handles import check, chosen, make, name, optional_name
from ._parsing import Parsing
from ._pipeline import NamedStages

TypeName = Literal["any", "bool", "int", "double", "string", "date", "bytes", "json"]
"""The type of an attribute, as a document names it."""

PolicyName = Literal["assign", "merge", "replace"]
"""The policy of a relationship, as a document names it."""

F = TypeVar("F", bound=TransformFunction)
K = TypeVar("K", bound=HookFunction)


class Building(Registering):
    """The functions of `API` that build an api step by step."""

    __slots__ = ()

    def add_attribute(
        self,
        entity: str,
        attribute: str,
        *,
        source: str | Sequence[str] | None = None,
        type: TypeName = "any",
        format: str | Sequence[str] | None = None,
        transform: str | dict[str, JSONValue] | Sequence[str | dict[str, JSONValue]] | None = None,
    ) -> None:
        """Adds an attribute to an entity, like an entry under `attributes` in a document.

        `source` is a key path, or a list of keys if a key contains a dot. Without it, the
        attribute's name is used as one key, even if it contains dots.

            api.add_attribute("Thing", "size", source=["data", "size.cm"], type="int")

        Several formats or transforms are tried in order when a value is read; the first writes.

            api.add_attribute("Thing", "made", type="date", format=["iso8601", "epoch"])

        Raises UnknownEntityError, DuplicateError, ConfigError, FrozenError; ValueError for an
        unknown type.
        """
        if format is not None and not isinstance(format, str):
            if transform is not None:
                raise ValueError("format and transform exclude each other")
            transform = [{"name": "date", "format": each} for each in format]
            format = None
        if transform is not None and not isinstance(transform, str):
            whole = transform if isinstance(transform, dict) else list(transform)
            transform = json_bytes(whole).decode()
        check(
            native.lib.restway_api_add_attribute,
            self._handle,
            name(entity),
            name(attribute),
            _source(source),
            _member(AttributeType, type),
            optional_name(format),
            optional_name(transform),
        )

    def add_relationship(
        self,
        entity: str,
        relationship: str,
        target: str,
        *,
        source: str | Sequence[str] | None = None,
        many: bool = False,
        by_identity: bool = False,
        policy: PolicyName = "assign",
    ) -> None:
        """Adds a relationship to an entity, like an entry under `relationships` in a document.

        `source` has the same meaning as for `add_attribute`.

        Raises UnknownEntityError, DuplicateError, ConfigError, FrozenError; ValueError for an
        unknown policy.
        """
        flags = RelationshipFlag(0)
        if many:
            flags |= RelationshipFlag.MANY
        if by_identity:
            flags |= RelationshipFlag.BY_IDENTITY
        check(
            native.lib.restway_api_add_relationship,
            self._handle,
            name(entity),
            name(relationship),
            _source(source),
            name(target),
            flags,
            _member(Policy, policy),
        )

    def set_identity(self, entity: str, attribute: str | Sequence[str] | None) -> None:
        """Sets the identity attribute of an entity, which tells its objects apart; None removes it.

        A list or a tuple names several attributes, which tell objects apart together. With "none",
        unless an attribute has this name, there is one object for each path of a request.

        Raises UnknownEntityError, UnknownAttributeError, ConfigError, FrozenError.
        """
        function = native.lib.restway_api_set_identity
        if attribute is not None and not isinstance(attribute, str):
            attribute = json_bytes(list(attribute)).decode()
        check(function, self._handle, name(entity), optional_name(attribute))

    def add_transform(
        self,
        transform: str,
        decode: TransformFunction | None = None,
        encode: TransformFunction | None = None,
    ) -> None:
        """Registers a transform: `decode` converts the payload's value into the attribute's value,
        and `encode` converts it back.

        An exception of `decode` is a mapping issue; an exception of `encode` ends the call, and is
        the `__cause__` of its error, as is an exception of `decode` with strict mapping. The
        functions must not refer to this api, or neither is ever freed. Raises DuplicateError,
        FrozenError, UsageError.
        """
        for function in (decode, encode):
            if function is not None:
                checked(function, "a transform")
        self._register(
            native.lib.restway_api_add_transform,
            transform,
            native.NULL_TRANSFORM if decode is None else on_decode_function,
            native.NULL_TRANSFORM if encode is None else on_encode_function,
            run=Transform(decode, encode).ask,
            callback=decode or encode,
        )

    def transform(self, transform: str) -> Callable[[F], F]:
        """Decorates a function as the `decode` of a transform; raises as `add_transform` does."""
        return decorator(self.add_transform, transform)

    def add_hook(self, hook: str, function: HookFunction) -> None:
        """Registers a hook: a function that receives the rows of a response before they are stored.

        If the hook raises, the response is discarded and the call fails. The hook must not refer to
        this api, or neither is ever freed. A hook may be added after the api is frozen. Raises
        DuplicateError, UsageError.
        """
        checked(function, "a hook")
        self._register(
            native.lib.restway_api_add_hook,
            hook,
            on_hook_function,
            run=Hook(function).ask,
            callback=function,
        )

    def hook(self, hook: str) -> Callable[[K], K]:
        """Decorates a function as a hook; raises as `add_hook` does."""
        return decorator(self.add_hook, hook)


def _source(source: str | Sequence[str] | None) -> bytes | None:
    """A key path as the library takes it: text, or a JSON array of keys."""
    if source is None or isinstance(source, str):
        return optional_name(source)
    return json_bytes(list(source))


def _member(kind: type[IntEnum], word: str) -> int:
    """Returns the number of a word of the document; raises ValueError for an unknown word, and
    TypeError for anything else.
    """
    if not isinstance(word, str):
        words = ", ".join(known.name.lower() for known in kind)
        raise TypeError(f"expected one of {words}, not {type(word).__name__}")
    member = kind.__members__.get(word.upper()) if word == word.lower() else None
    if member is None:
        words = ", ".join(known.name.lower() for known in kind)
        raise ValueError(f"expected one of {words}, not {word!r}")
    return member


Path = Union[str, "os.PathLike[str]"]
"""The path of a file: a str or a `pathlib.Path`."""


class API(Building, Parsing, NamedStages):
    """A loaded API document, shared by many clients. Usable from any thread.

        api = restway.API.load("tracker.json")
        for problem in restway.API.check({"restway": 1, "routes": {"issue": {}}}):
            print(problem.path, problem.message)

    The first client that is made of it freezes it: routes may still be added, but entities and
    descriptors may not.
    """

    __slots__ = ()

    _made_by = "use API.load, API.from_json or API.empty"

    @classmethod
    def load(cls, path: Path) -> API:
        """Loads a document from a file; relative paths in it resolve against the file's directory.

        Raises ConfigError, whose `details` list every problem with its JSON path; FileError.
        """
        if isinstance(path, Mapping):
            raise TypeError("a document is loaded from a path; API.from_json takes a mapping")
        text = name(os.fspath(path))
        return cls(make(native.ApiHandle, native.lib.restway_api_load_file, text))

    @classmethod
    def from_json(cls, document: Document) -> API:
        """Loads a document from JSON text or a mapping; raises ConfigError.

        Relative paths in it resolve against the working directory.
        """
        text = document_bytes(document)
        if isinstance(document, str) and document.endswith(".json"):
            raise ValueError("from_json takes JSON text or a mapping; API.load takes a path")
        return cls(make(native.ApiHandle, native.lib.restway_api_load, text, len(text)))

    @classmethod
    def empty(cls) -> API:
        """Returns an empty api, to be built with the `add_` functions."""
        return cls.from_json({"restway": 1})

    @staticmethod
    def check(document: Document) -> list[Problem]:
        """Returns all problems of a document; an empty list if it is valid."""
        text = document_bytes(document)
        try:
            check(native.lib.restway_api_check, text, len(text))
        except ConfigError as error:
            return error.details or [Problem(error.field or "$", error.message)]
        return []

    def add_entity(self, entity: str, definition: Document) -> None:
        """Adds an entity, like an entry under `entities` in a document.

        Raises ConfigError (nothing is added), DuplicateError, FrozenError.
        """
        text = document_bytes(definition)
        function = native.lib.restway_api_add_entity
        check(function, self._handle, name(entity), text, len(text))

    def add_route(
        self, route: str | None, definition: Document, *, replace: bool = False
    ) -> None:
        """Adds a route, like an entry under `routes` in a document. It may be added after the api
        is frozen.

        A route without a name only serves objects. With `replace` it replaces the route with the
        same name, if there is one; calls that have started, and routes that were joined to the
        old route, keep it. Raises ConfigError (nothing is added or replaced), DuplicateError.

            api.add_route("thing", {"path": "v2/things/:id"}, replace=True)
        """
        text = document_bytes(definition)
        function = native.lib.restway_api_add_route
        check(function, self._handle, optional_name(route), text, len(text), _flags(replace))

    def add_response(self, definition: Document) -> None:
        """Adds a response descriptor, like an entry of the list `responses` in a document.

        Raises ConfigError (nothing is added), DuplicateError, FrozenError.
        """
        text = document_bytes(definition)
        check(native.lib.restway_api_add_response, self._handle, text, len(text))

    def add_request(self, definition: Document) -> None:
        """Adds a request descriptor, like an entry of the list `requests` in a document.

        Raises ConfigError (nothing is added), FrozenError.
        """
        text = document_bytes(definition)
        check(native.lib.restway_api_add_request, self._handle, text, len(text))

    def join_routes(self, route: str, parent: str, child: str, *, replace: bool = False) -> None:
        """Joins two routes into the new route `route`: its path is the path of `parent` followed by
        the path of `child`, and everything else comes from the child.

        With `replace` it replaces the route with the same name. Raises UnknownRouteError,
        DuplicateError, ConfigError (a variable stands in both paths, or the joined path is too long
        or has too many parents).
        """
        names = (name(route), name(parent), name(child))
        check(native.lib.restway_api_join_routes, self._handle, *names, _flags(replace))

    def route_property(self, route: str, key: str) -> JSONValue:
        """Returns the value of a property `x-…` of a named route, or None; raises
        UnknownRouteError.
        """
        text = native.text_out()
        function = native.lib.restway_api_route_property
        check(function, self._handle, name(route), name(key), native.ref(text), None)
        return None if text.value is None else json_value(text.value)

    def names(self, section: Literal["environments", "entities", "routes"]) -> list[str]:
        """Returns the names in a section, in the document's order:

            api.names("environments")   # ["production", "develop"]

        Among the routes are those that were added, but not those without a name.
        """
        return self._names(chosen(_SECTIONS, section, "section"), None)

    def routes_of(self, entity: str) -> list[str]:
        """Returns the names of the routes that serve objects of an entity."""
        return self._names(Section.ROUTES, name(entity))

    def _names(self, section: Section, entity: bytes | None) -> list[str]:
        lib = native.lib
        count = lib.restway_api_name_count(self._handle, section, entity)
        found = (
            native.borrowed(lib.restway_api_name(self._handle, section, entity, index))
            for index in range(count)
        )
        return [text for text in found if text is not None]

    def json(self, pointer: str = "") -> JSONValue:
        """Returns the loaded document, or its part at a JSON pointer; None if it has no such part:

            api.json("/routes/login/x-note")

        The document is joined with the files that it includes, and has everything that the `add_`
        functions have added, but for routes without a name. `${NAME}` stands as it was written.
        The secrets of `auth` and of headers are replaced by `[redacted]`.
        """
        text = native.text_out()
        function = native.lib.restway_api_json
        check(function, self._handle, name(pointer), native.ref(text), None)
        return None if text.value is None else json_value(text.value)


    def __repr__(self) -> str:
        if self._owned is None:
            return "<API, closed>"
        entities, routes = self.names("entities"), self.names("routes")
        return f"<API, {len(entities)} entities, {len(routes)} routes>"


Described = Union[API, Path, Mapping[str, Any]]
"""The description from which a client is made: an api, the path of its document, or the document as
a mapping.
"""


def api_of(given: Described) -> API:
    """For this package: returns an api; the path of a document or a mapping is loaded."""
    if isinstance(given, API):
        return given
    if isinstance(given, Mapping):
        return API.from_json(given)
    if isinstance(given, (str, os.PathLike)):
        if isinstance(given, str) and given.lstrip().startswith("{"):
            raise ValueError("a str is the path of a document; API.from_json loads JSON text")
        return API.load(given)
    raise TypeError(
        "a client is made of an API, the path of a document or a mapping, "
        f"not {type(given).__name__}"
    )


_SECTIONS = {
    "environments": Section.ENVIRONMENTS,
    "entities": Section.ENTITIES,
    "routes": Section.ROUTES,
}


def _flags(replace: bool) -> RouteFlag:
    return RouteFlag.REPLACE if replace else RouteFlag(0)
