"""The API document, loaded."""

from __future__ import annotations

import os
from typing import Union

from . import _native as native
from ._api_building import Building
from ._boundary import check, make, name, optional_name
from ._exceptions import ConfigError, Problem
from ._values import Document, JSONValue, document_bytes, json_value

Path = Union[str, "os.PathLike[str]"]


class API(Building):
    """A loaded API document, shared by many clients. Usable from any thread.

    It is frozen when a client is first made of it: routes may still be added, entities and
    descriptors no more.
    """

    __slots__ = ()

    _made_by = "use API.load, API.from_json or API.empty"

    @classmethod
    def load(cls, path: Path) -> API:
        """Loads a document from a file; relative paths in it resolve against the file's directory.

        Raises ConfigError, whose `details` list every problem with its JSON path; FileError.
        """
        text = name(os.fspath(path))
        return cls(make(native.ApiHandle, native.lib.restway_api_load_file, text))

    @classmethod
    def from_json(cls, document: Document) -> API:
        """Loads a document from JSON text or a mapping; raises ConfigError.

        Relative paths in it resolve against the working directory.
        """
        text = document_bytes(document)
        return cls(make(native.ApiHandle, native.lib.restway_api_load, text, len(text)))

    @classmethod
    def empty(cls) -> API:
        """An api without anything, for one that is built with the `add_` functions."""
        return cls.from_json({"restway": 1})

    @staticmethod
    def check(document: Document) -> list[Problem]:
        """Everything that is wrong with a document; an empty list when nothing is."""
        text = document_bytes(document)
        try:
            check(native.lib.restway_api_check, text, len(text))
        except ConfigError as error:
            return error.details or [Problem(error.field or "$", error.message)]
        return []

    def add_entity(self, entity: str, definition: Document) -> None:
        """Adds an entity, as it would stand under `entities`.

        Raises ConfigError (nothing is added), DuplicateError, FrozenError.
        """
        text = document_bytes(definition)
        function = native.lib.restway_api_add_entity
        check(function, self._handle, name(entity), text, len(text))

    def add_route(self, route: str | None, definition: Document) -> None:
        """Adds a route, as it would stand under `routes`; also after the api is frozen.

        Without a name it only serves objects. Raises ConfigError (nothing is added),
        DuplicateError.
        """
        text = document_bytes(definition)
        function = native.lib.restway_api_add_route
        check(function, self._handle, optional_name(route), text, len(text))

    def add_response(self, definition: Document) -> None:
        """Adds a response descriptor, as it would stand in the list `responses`.

        Raises ConfigError (nothing is added), DuplicateError, FrozenError.
        """
        text = document_bytes(definition)
        check(native.lib.restway_api_add_response, self._handle, text, len(text))

    def add_request(self, definition: Document) -> None:
        """Adds a request descriptor, as it would stand in the list `requests`.

        Raises ConfigError (nothing is added), FrozenError.
        """
        text = document_bytes(definition)
        check(native.lib.restway_api_add_request, self._handle, text, len(text))

    def join_routes(self, route: str, parent: str, child: str) -> None:
        """Makes the route `route`: the path of `child` behind that of `parent`, else the child.

        Raises UnknownRouteError, DuplicateError, ConfigError (a variable stands in both paths).
        """
        function = native.lib.restway_api_join_routes
        check(function, self._handle, name(route), name(parent), name(child))

    def route_property(self, route: str, key: str) -> JSONValue:
        """The value of a property `x-…` of a named route, or None; raises UnknownRouteError."""
        text = native.text_out()
        function = native.lib.restway_api_route_property
        check(function, self._handle, name(route), name(key), native.ref(text), None)
        return None if text.value is None else json_value(text.value)
