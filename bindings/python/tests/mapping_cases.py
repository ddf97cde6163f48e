"""The mapping cases that all languages run, and the content of a store in their form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import restway

JSON = Any
"""A value that `json.loads` returns."""

FOLDER = Path(__file__).resolve().parents[3] / "Tests" / "Fixtures" / "mapping"
CASES = sorted(path.parent for path in FOLDER.glob("*/document.json"))

STORES = ("memory", "sqlite")
"""The kinds of stores."""


class Exchange(NamedTuple):
    """A request, its answer, and the expected results."""

    about: str
    request: str
    status: int = 200
    body: JSON = None
    text: str | None = None
    objects: list[dict[str, JSON]] | str | None = "unchecked"
    issues: tuple[str, ...] = ()
    error: bool = False
    store: dict[str, JSON] | None = None
    draft: dict[str, JSON] | None = None
    inserted: bool = False
    sent: JSON = None
    unsent: dict[str, JSON] | None = None

    @classmethod
    def read(cls, path: Path) -> Exchange:
        fields = json.loads(path.read_text("utf-8"))
        if "text" not in fields:
            fields["text"] = json.dumps(fields["body"]) if "body" in fields else ""
        return cls(**{**fields, "issues": tuple(fields.get("issues", ()))})


def document_of(case: Path, store: str, folder: Path) -> dict[str, JSON]:
    """Returns the document of a case, with the section for this kind of store."""
    document: dict[str, JSON] = json.loads((case / "document.json").read_text("utf-8"))
    section = {"kind": store}
    if store == "sqlite":
        section["path"] = str(folder / "objects.db")
    return {**document, "store": section}


def exchanges_of(case: Path) -> list[Exchange]:
    count = len(list(case.glob("*.json"))) - 1
    return [Exchange.read(case / f"{number}.json") for number in range(1, count + 1)]


def contents(store: restway.Store, document: dict[str, JSON]) -> dict[str, list[JSON]]:
    """Returns the content of a store by entity, in the form of a case."""
    found = {}
    for entity in document["entities"]:
        known = everything(store, entity)
        objects = [_shown(store, item) for item in known]
        assert list(store.all(entity)) == [item for item in known if item.is_loaded]
        assert store.count(entity) == len(store.all(entity))
        if objects:
            found[entity] = objects
    return found


def everything(store: restway.Store, entity: str) -> restway.Objects:
    """Returns the objects of an entity, also those that are known by their identity alone."""
    return store.query(entity).unloaded(None).all()


def draft_of(client: restway.Client, description: dict[str, JSON]) -> restway.Draft:
    """Makes the draft that a case describes."""
    ((entity, said),) = description.items()
    return client.draft(
        entity, **{name: _said(client, value) for name, value in said.items()}
    )


def _said(client: restway.Client, value: JSON) -> Any:
    if isinstance(value, list):
        return [_said(client, element) for element in value]
    if not isinstance(value, dict):
        return value
    ((entity, said),) = value.items()
    return draft_of(client, value) if isinstance(said, dict) else client.store.find(entity, said)


def unsent(store: restway.Store, document: dict[str, JSON]) -> dict[str, list[JSON]]:
    """Returns the unsent objects, by entity."""
    found = {
        entity: [
            reference(store, item)
            for item in everything(store, entity)
            if store.is_unsent(item)
        ]
        for entity in document["entities"]
    }
    return {entity: objects for entity, objects in found.items() if objects}


def reference(store: restway.Store, item: restway.Object) -> JSON:
    """Returns the identity of an object, or its position among the objects of its entity."""
    if item.identity is not None:
        return item.identity
    keys = [other.store_key for other in everything(store, item.entity)]
    return {"#": keys.index(item.store_key)}


def exact(value: JSON) -> str:
    """Returns a text in which 1, 1.0 and true differ."""
    return json.dumps(value, sort_keys=True, indent=1)


def _shown(store: restway.Store, item: restway.Object) -> dict[str, JSON]:
    shown = item.attributes()
    for name in item.relationships():
        if item.related_keys(name) is None:
            continue
        found, shown[name] = item[name], None
        if isinstance(found, restway.Object):
            shown[name] = reference(store, found)
        elif found is not None:
            shown[name] = [reference(store, other) for other in found]
    return shown
