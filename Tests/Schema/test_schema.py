"""The schema itself: its descriptions, and that it knows every key of the loader."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from documents import JSON, ROOT, SCHEMA, corpus
from jsonschema_rs import Draft202012Validator, meta

READER = ROOT / "Sources" / "RestwayDocument" / "Reader"
TYPES = ROOT / "Sources" / "RestwayObjects" / "Entity.swift"
#: The entries of these keywords are schemas by name or by key, not keywords.
_MAPS = {"properties", "patternProperties", "$defs", "dependentSchemas"}
#: The values of these keywords are schemas.
_SINGLE = {"items", "propertyNames", "additionalProperties", "not", "if", "then", "else"}
#: Schemas inside these keywords restrict keys that others describe.
_RESTRICTING = re.compile("/(dependentSchemas|if|then|else)(/|$)")


def schemas(node: JSON = SCHEMA, place: str = "#") -> Iterator[tuple[str, dict[str, JSON]]]:
    """Returns every schema inside the schema, with its place."""
    if not isinstance(node, dict):
        return
    yield place, node
    for keyword, value in node.items():
        inside = f"{place}/{keyword}"
        if keyword in _MAPS:
            for name, schema in value.items():
                yield from schemas(schema, f"{inside}/{name}")
        elif keyword in {"anyOf", "allOf"}:
            for index, schema in enumerate(value):
                yield from schemas(schema, f"{inside}/{index}")
        elif keyword in _SINGLE:
            yield from schemas(value, inside)


def resolved(schema: dict[str, JSON]) -> dict[str, JSON]:
    """Returns a schema merged with the schema that it refers to; its own entries win."""
    if "$ref" not in schema:
        return schema
    target = SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    return {**resolved(target), **schema}


def properties() -> dict[str, dict[str, JSON]]:
    """Returns the schemas that describe keys, by their place. Schemas inside conditions only
    restrict keys, so they are left out.
    """
    return {
        f"{place}/{key}": schema
        for place, node in schemas()
        if not _RESTRICTING.search(place)
        for key, schema in node.get("properties", {}).items()
    }


def test_it_is_a_schema_of_draft_2020_12() -> None:
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    meta.validate(SCHEMA)


def test_its_identifier_names_no_host() -> None:
    assert urlsplit(SCHEMA["$id"]).scheme == "urn"


def test_references_are_used_and_lead_somewhere() -> None:
    used = {schema["$ref"] for _, schema in schemas() if "$ref" in schema}
    assert used == {f"#/$defs/{name}" for name in SCHEMA["$defs"]}


def test_objects_with_fixed_keys_have_names_and_take_others_only_with_x() -> None:
    closed = [
        (place, schema)
        for place, schema in schemas()
        if "properties" in schema and not _RESTRICTING.search(place)
    ]
    assert closed
    for place, schema in closed:
        assert re.fullmatch(r"#(/\$defs/\w+)?", place)
        assert schema["type"] == "object", place
        assert schema["additionalProperties"] is False, place
        assert schema["patternProperties"] == {"^x-": {"$ref": "#/$defs/extension"}}, place


def test_every_key_explains_itself_in_an_editor() -> None:
    for place, schema in properties().items():
        assert resolved(schema).get("title"), f"{place} has no title"
        assert resolved(schema).get("description"), f"{place} has no description"


def test_defaults_and_examples_are_valid() -> None:
    for place, schema in schemas():
        validator = Draft202012Validator({**schema, "$defs": SCHEMA["$defs"]})
        values = list(schema.get("examples", []))
        if "default" in schema:
            values.append(schema["default"])
        for value in values:
            assert validator.is_valid(value), f"{value!r} at {place}"


def test_it_knows_the_keys_that_the_loader_reads() -> None:
    # A configuration of WebApiClient is another format.
    files = set(READER.glob("*.swift")) - {READER / "WebApiClientConfiguration.swift"}
    code = "".join(path.read_text(encoding="utf-8") for path in files)
    functions = r"\b(?:required|read|number|milliseconds)\("
    read = set(re.findall(rf'(?:\b\w+\[|{functions}\s*)"([$*\w]+)"[\]),]', code))
    # Sections that files join, and the parts of a server.
    read |= set(re.findall(r'\b(?:members|elements)\("(\w+)"', code))
    read |= set(re.findall(r'\[prefix \+ "(\w+)"\]', code))
    # A credential text is read from the first of several keys.
    for keys in re.findall(r"\btext\(\[([^\]]*)\]", code):
        read |= set(re.findall(r'"(\w+)"', keys))
    # The section "transforms" has a key for each type of attributes.
    assert "AttributeType.allCases" in code
    types = TYPES.read_text(encoding="utf-8").partition("enum AttributeType")[2].partition("\n}")[0]
    read |= set(re.findall(r"^    case (\w+)$", types, re.MULTILINE))
    assert read == {place.rpartition("/")[2] for place in properties()}


def test_the_good_documents_use_every_key() -> None:
    """Checks that no key is left out of the comparison of schema and loader."""
    used: set[str] = set()

    def visit(value: JSON) -> None:
        if isinstance(value, dict):
            used.update(value)
        for member in value.values() if isinstance(value, dict) else value:
            if isinstance(member, (dict, list)):
                visit(member)

    for path in corpus("good"):
        visit(json.loads(path.read_bytes()))
    assert {place.rpartition("/")[2] for place in properties()} <= used
