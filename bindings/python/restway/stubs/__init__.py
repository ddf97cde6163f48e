"""Types of an API document for editors and type checkers.

    python -m restway.stubs github.restway.json --output github.py

writes a module with the entities, routes, variables and drafts of a document. A program uses its
clients in place of those of `restway`:

    import github

    client = github.Client(restway.API.load("github.restway.json"))
    client.get("issues/12").object.title

The module imports the classes of this package, which have no objects of their own: at run time,
everything is an `Object`, a `Draft` or a `Response`.
"""

from __future__ import annotations

from .._body import BodyCallOptions, CallOptions
from .._verbs import BodyCallIntoOptions, CallIntoOptions
from .typed import (
    Attribute,
    TypedDraft,
    TypedObject,
    TypedObjects,
    TypedResponse,
    Variable,
)

__all__ = [
    "Attribute",
    "BodyCallIntoOptions",
    "BodyCallOptions",
    "CallIntoOptions",
    "CallOptions",
    "TypedDraft",
    "TypedObject",
    "TypedObjects",
    "TypedResponse",
    "Variable",
]
