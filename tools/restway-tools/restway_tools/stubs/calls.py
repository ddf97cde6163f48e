"""The methods of written classes: of clients, scopes and stores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .model import WRITING_METHODS, Document, Route
from .names import Names, needs_variables
from .text import Method, Signature, literal, quoted, union

VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE")
"""The HTTP methods whose requests by path have types."""


@dataclass(frozen=True)
class Calls:
    """The methods of a client or a scope that know the document."""

    document: Document
    names: Names
    is_async: bool
    """Whether the calls are awaited."""
    in_scope: bool
    """Whether a scope fills variables, so that none has to be given."""

    def methods(self) -> Iterator[Method]:
        """Returns the methods that send requests, and those that make pages, lists and scopes."""
        for verb in VERBS:
            ways = tuple(self._by_path(verb))
            if ways:
                yield Method(verb.lower(), ways, self.is_async)
        if self.document.routes:
            yield Method("route", tuple(self._by_name()), self.is_async)
        with_pages = [route for route in self.document.routes if route.has_pages]
        if with_pages:
            yield Method("pages", tuple(self._of_pages(with_pages)))
            yield Method("list", tuple(self._of_lists(with_pages)))
        if self.names.variables:
            scope = "AsyncClientScope" if self.is_async else "ClientScope"
            yield Method("scope", (Signature(("**variables: Unpack[ScopeVariables]",), scope),))

    def _by_path(self, verb: str) -> Iterator[Signature]:
        """Returns the ways to call a verb: with a path of the document, with an object or a draft,
        and with any other path.
        """
        options, into_options = _options(verb), _into_options(verb)
        routes = {
            route.path: route for route in reversed(self.document.routes) if verb in route.methods
        }
        if not routes:
            return
        for path, route in reversed(routes.items()):
            target = f"target: Literal[{quoted(path)}]"
            result = self._response(route.answers[verb])
            yield Signature((target, *self._keywords(route), options), result)
            if route.variables:
                keywords = (*self._keywords(route), "into: type[T]")
                yield Signature((target, *keywords, into_options), "T")
        for entity in self.document.entities:
            serving = self.document.serving(entity.name, verb)
            if serving:
                kinds = f"{self.names.entities[entity.name]} | {self.names.drafts[entity.name]}"
                answered = [name for route in serving for name in route.answers[verb]]
                yield Signature((f"target: {kinds}", options), self._response(answered))
        target = "target: restway.Target"
        yield Signature((target, options), f"TypedResponse[{self._any()}]")
        yield Signature((target, "*", "into: type[T]", into_options), "T")

    def _by_name(self) -> Iterator[Signature]:
        """Returns the ways to call `route`. A route whose methods answer with different entities
        has one for each group of methods.
        """
        for route in self.document.routes:
            named = f"route: Literal[{quoted(route.name)}]"
            keywords = self._keywords(route)
            groups: dict[tuple[str, ...], list[str]] = {}
            for verb in route.methods:
                groups.setdefault(route.answers[verb], []).append(verb)
            for answered, verbs in groups.items():
                chosen = f"method: {literal(verbs)}"
                if route.methods[0] in verbs:
                    chosen += " | None = None"
                parameters = (named, "/", chosen, *keywords, _options("POST"))
                yield Signature(parameters, self._response(answered))
            chosen = f"method: {literal(route.methods)} | None = None"
            into = (*(keywords or ("*",)), "into: type[T]")
            yield Signature((named, "/", chosen, *into, _into_options("POST")), "T")

    def _of_pages(self, routes: Iterable[Route]) -> Iterator[Signature]:
        """Returns the ways to call `pages`: with the name of a route, or with a request."""
        kind = "AsyncPages" if self.is_async else "Pages"
        for route in routes:
            keywords = self._keywords(route)
            into = (*(keywords or ("*",)), "into: type[T]")
            target = f"target: Literal[{quoted(route.name)}]"
            result = f"Typed{kind}[{self._listed(route)}]"
            yield Signature((target, *keywords, "**options: Unpack[PagedCallOptions]"), result)
            options = "**options: Unpack[PagedCallIntoOptions]"
            yield Signature((target, *into, options), f"{kind}Into[T]")
        given = ("target: restway.Request", "**options: Unpack[PageOptions]")
        yield Signature(given, f"Typed{kind}[{self._any()}]")

    def _of_lists(self, routes: Iterable[Route]) -> Iterator[Signature]:
        """Returns the ways to call `list`: with the name of a route, or with a request."""
        kind = "TypedAsyncPagedList" if self.is_async else "TypedPagedList"
        for route in routes:
            target = f"target: Literal[{quoted(route.name)}]"
            parameters = (target, *self._keywords(route), _options("GET"))
            yield Signature(parameters, f"{kind}[{self._listed(route)}]")
        yield Signature(("target: restway.Request",), f"{kind}[{self._any()}]")

    def _keywords(self, route: Route) -> tuple[str, ...]:
        """Returns the parameters for the variables of a route."""
        if not route.variables:
            return ()
        if not needs_variables(route):
            return ("*", f"variables: {self.names.variables[route.name]} | None = None")
        if self.in_scope:
            return ("*", f"variables: {self.names.scoped[route.name]} | None = None")
        return ("*", f"variables: {self.names.variables[route.name]}")

    def _response(self, entities: Iterable[str]) -> str:
        kinds = union([self.names.entities[name] for name in entities])
        return f"TypedResponse[{kinds or 'Any'}]"

    def _listed(self, route: Route) -> str:
        """Returns the type of the objects that a route's first descriptor finds on its pages."""
        return union([self.names.entities[name] for name in route.listed]) or "Any"

    def _any(self) -> str:
        return "AnyObject | Any" if self.names.entities else "Any"


def of_drafts(names: Names) -> Iterator[Signature]:
    """Returns the ways to call `draft`."""
    for entity, made in names.entities.items():
        of = f"of: Literal[{quoted(entity)}] | {made}"
        values = f"**values: Unpack[{names.values[entity]}]"
        yield Signature((of, "/", values), names.drafts[entity])


def of_store(names: Names) -> Iterator[Method]:
    """Returns the methods of a store that take the name of an entity."""
    results = {"find": "{} | None", "all": "TypedObjects[{}]", "query": "TypedQuery[{}]"}
    for name, result in results.items():
        ways = [
            Signature(
                (
                    f"entity: Literal[{quoted(entity)}]",
                    *((f"identity: {names.identities[entity]}",) if name == "find" else ()),
                ),
                result.format(made),
            )
            for entity, made in names.entities.items()
        ]
        yield Method(name, tuple(ways))


def _options(verb: str) -> str:
    kind = "BodyCallOptions" if verb in WRITING_METHODS else "CallOptions"
    return f"**options: Unpack[{kind}]"


def _into_options(verb: str) -> str:
    kind = "BodyCallIntoOptions" if verb in WRITING_METHODS else "CallIntoOptions"
    return f"**options: Unpack[{kind}]"
