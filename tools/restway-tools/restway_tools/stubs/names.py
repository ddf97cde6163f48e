"""The names of the classes in a written module."""

from __future__ import annotations

from .model import Document, Entity, Route
from .text import class_name

RESERVED = {
    "Any", "AnyObject", "AsyncClient", "AsyncClientScope", "AsyncPagesInto", "Attribute",
    "BodyCallIntoOptions", "BodyCallOptions", "CallIntoOptions", "CallOptions", "Client",
    "ClientScope", "ClientStore", "Literal", "NotRequired", "PageOptions", "PagedCallIntoOptions",
    "PagedCallOptions", "PagesInto", "ScopeVariables", "Sequence", "T", "TYPE_CHECKING", "TypeVar",
    "TypedAsyncClient", "TypedAsyncPagedList", "TypedAsyncPages", "TypedClient", "TypedDict",
    "TypedDraft", "TypedObject", "TypedObjects", "TypedPagedList", "TypedPages", "TypedQuery",
    "TypedResponse", "TypedStore", "Unpack", "Variable", "datetime", "overload", "restway",
}
"""The names that a module uses for itself."""


class Names:
    """The classes of a document, each by the name of its entity or route."""

    def __init__(self, document: Document) -> None:
        taken = set(RESERVED)
        names = [entity.name for entity in document.entities]
        self.entities = {name: class_name(name, "", taken) for name in names}
        self.identities = {entity.name: _identity_type(entity) for entity in document.entities}
        self.drafts = {name: class_name(name, "Draft", taken) for name in names}
        self.values = {name: class_name(name, "Values", taken) for name in names}
        with_variables = [route for route in document.routes if route.variables]
        self.variables = {
            route.name: class_name(route.name, "Variables", taken) for route in with_variables
        }
        self.scoped = {
            route.name: class_name(route.name, "ScopedVariables", taken)
            for route in with_variables
            if needs_variables(route)
        }
        """The variables of a route inside a scope, where none is needed."""


def _identity_type(entity: Entity) -> str:
    """Returns the type of the identities of an entity: a tuple if they have several parts."""
    if len(entity.identity) < 2:
        return "int | str"
    types = {one.name: one.type for one in entity.attributes}
    parts = ("int" if types.get(name) == "int" else "str" for name in entity.identity)
    return f"tuple[{', '.join(parts)}]"


def needs_variables(route: Route) -> bool:
    """Returns whether a request to a route needs a value of a variable."""
    return any(variable.required for variable in route.variables)
