"""Hypothesis strategies for mappings and JSON. Names are few and short, so that they often match.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

JSON = Any
"""A value that `json.loads` returns."""

KEYS = ["id", "a", "b", "c", "x"]
ENTITIES = ["One", "Two", "Three"]

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(0, 3),
    st.sampled_from([1.0, 1.5, -0.0, 1e300, 2**63, -(2**63), 2**64]),
    st.sampled_from(["", "1", "text", "2013-02-03", "AP8=", "\0", "é"]),
)

documents_of_json: st.SearchStrategy[JSON] = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
    ),
    max_leaves=25,
)

key_paths = st.lists(st.sampled_from(KEYS), min_size=1, max_size=3).map(".".join)

types = st.sampled_from(["any", "any", "bool", "int", "double", "string", "date", "bytes", "json"])


@st.composite
def entities(draw: st.DrawFn, names: list[str]) -> dict[str, JSON]:
    """Generates an entity with attributes, relationships and perhaps an identity."""
    attributes: dict[str, JSON] = {
        name: {"source": draw(key_paths), "type": draw(types)}
        for name in draw(st.lists(st.sampled_from(["p", "q", "r"]), unique=True, min_size=1))
    }
    entity: dict[str, JSON] = {"attributes": attributes}
    if draw(st.integers(0, 3)):
        identity = draw(st.sampled_from(["any", "any", "int", "string"]))
        source = draw(st.sampled_from(["id", "id", "id", "a.id"]))
        attributes["identity"] = {"source": source, "type": identity}
        entity["identity"] = "identity"
    relationships = draw(st.lists(st.sampled_from(["u", "v", "w"]), unique=True))
    entity["relationships"] = {
        name: {
            "source": draw(key_paths),
            "entity": draw(st.sampled_from(names)),
            "many": draw(st.booleans()),
            "policy": draw(st.sampled_from(["assign", "merge", "replace"])),
        }
        for name in relationships
    }
    return entity


@st.composite
def api_documents(draw: st.DrawFn) -> dict[str, JSON]:
    """Generates an API with one path and several descriptors, which may overlap."""
    names = ENTITIES[: draw(st.integers(1, len(ENTITIES)))]
    targets = st.tuples(st.sampled_from(names), st.one_of(st.just(""), key_paths))
    responses = [
        {"path": "it", "entity": entity, **({"keyPath": key_path} if key_path else {})}
        for entity, key_path in draw(st.lists(targets, unique=True, min_size=1, max_size=3))
    ]
    return {
        "restway": 1,
        "entities": {name: draw(entities(names)) for name in names},
        "responses": responses,
    }


@st.composite
def modelled_documents(draw: st.DrawFn) -> dict[str, JSON]:
    """Generates an API that the model supports: one descriptor of the whole body, and plain types.
    """
    document = draw(api_documents())
    for entity in document["entities"].values():
        for attribute in entity["attributes"].values():
            if attribute["type"] in ("date", "bytes"):
                attribute["type"] = "any"
    document["responses"] = [{"path": "it", "entity": document["responses"][0]["entity"]}]
    return document


FITTING: dict[str, st.SearchStrategy[JSON]] = {
    "any": st.one_of(st.integers(1, 3), st.sampled_from(["1", "text", 1.5, True])),
    "bool": st.booleans(),
    "int": st.one_of(st.integers(1, 3), st.just(2.0)),
    "double": st.sampled_from([1, 1.5]),
    "string": st.sampled_from(["1", "text"]),
    "date": st.just("2013-02-03"),
    "bytes": st.just("AP8="),
    "json": st.sampled_from([None, [1], {"a": 1}]),
}

misfits: st.SearchStrategy[JSON] = st.one_of(st.none(), st.just({}), st.just([]), documents_of_json)


@st.composite
def objects_of(
    draw: st.DrawFn, document: dict[str, JSON], entity: str, depth: int = 0
) -> dict[str, JSON]:
    """Generates an object that mostly fits: few identities, related objects and identities, and
    sometimes a value that does not fit.
    """
    definition = document["entities"][entity]
    value: dict[str, JSON] = {}
    for name, attribute in definition["attributes"].items():
        is_identity = name == definition.get("identity")
        chance = draw(st.integers(0, 9))
        if is_identity or chance > 4:
            fitting = st.integers(1, 3) if is_identity else FITTING[attribute["type"]]
            if is_identity and attribute["type"] == "string":
                fitting = st.sampled_from(["1", "2"])
            _put(value, attribute["source"], draw(fitting if chance else misfits))
    for relationship in definition["relationships"].values():
        chance = draw(st.integers(0, 9))
        end = ends_of(document, relationship["entity"], depth + 1)
        if chance > 2:
            _put(value, relationship["source"], draw(st.lists(end, max_size=3)))
        elif chance > 0:
            _put(value, relationship["source"], draw(end if chance == 2 else misfits))
    return value


def ends_of(document: dict[str, JSON], entity: str, depth: int) -> st.SearchStrategy[JSON]:
    """Generates a value of a relationship."""
    if depth > 2 or "identity" in document["entities"][entity]:
        identities = st.one_of(st.integers(1, 3), st.sampled_from(["1", "2"]))
        if depth > 2:
            return identities
        return st.one_of(identities, objects_of(document, entity, depth))
    return objects_of(document, entity, depth)


@st.composite
def exchanges(
    draw: st.DrawFn, documents: st.SearchStrategy[dict[str, JSON]]
) -> tuple[dict[str, JSON], list[JSON]]:
    """Generates an API and bodies for its path."""
    document = draw(documents)
    response = document["responses"][0]
    fitting = st.lists(objects_of(document, response["entity"]), max_size=3)
    bodies = draw(st.lists(st.one_of(fitting, fitting, documents_of_json), min_size=1, max_size=3))
    if "keyPath" in response:
        wrapped: list[JSON] = [{} for _ in bodies]
        for outer, body in zip(wrapped, bodies):
            _put(outer, response["keyPath"], body)
        bodies = wrapped
    return document, bodies


def _put(value: dict[str, JSON], source: str, inner: JSON) -> None:
    """Nests a value at a key path, unless another value is in the way."""
    *parents, last = source.split(".")
    for key in parents:
        found = value.setdefault(key, {})
        if not isinstance(found, dict):
            return
        value = found
    value[last] = inner
