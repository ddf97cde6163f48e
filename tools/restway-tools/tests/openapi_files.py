"""Small OpenAPI descriptions for the tests of the importer, and where the large ones are."""

from __future__ import annotations

import functools
import json
import os
from pathlib import Path
from typing import Any

import pytest

from restway_tools.openapi import Capabilities, Imported, Overrides, import_openapi
from tests.conftest import ROOT

CONFORMANCE = Path(os.environ.get("RESTWAY_CONFORMANCE") or ROOT.parent / "shared" / "conformance")
GITHUB = CONFORMANCE / "openapi-github.json"
ASANA = CONFORMANCE / "openapi-asana.yaml"


def ref(name: str) -> dict[str, str]:
    """Returns a reference to a schema."""
    return {"$ref": f"#/components/schemas/{name}"}


def objects(required: str = "", **properties: Any) -> dict[str, Any]:
    """Returns the schema of an object; `required` has names with spaces between them."""
    return {"type": "object", "properties": properties, "required": required.split()}


def listed(items: Any) -> dict[str, Any]:
    """Returns the schema of a list."""
    return {"type": "array", "items": items}


def answer(
    schema: Any, example: Any = None, media_type: str = "application/json"
) -> dict[str, Any]:
    """Returns an answer with a schema, and with an example unless it is None."""
    content = {"schema": schema}
    if example is not None:
        content["example"] = example
    return {"description": "", "content": {media_type: content}}


def operation(schema: Any = None, example: Any = None, **more: Any) -> dict[str, Any]:
    """Returns an operation that answers with 200, or with 204 without a schema."""
    answers = {"204": {"description": ""}} if schema is None else {"200": answer(schema, example)}
    return {"responses": answers, **more}


def description(paths: dict[str, Any], schemas: Any = None, **more: Any) -> dict[str, Any]:
    """Returns a description of OpenAPI 3.0."""
    base = {
        "openapi": "3.0.3",
        "info": {"title": "Test", "version": "1"},
        "servers": [{"url": "https://api.example.com"}],
    }
    components = {"schemas": schemas or {}, **more.pop("components", {})}
    return {**base, "components": components, "paths": paths, **more}


def imported(
    folder: Path,
    content: Any,
    overrides: Overrides | None = None,
    capabilities: Capabilities | None = None,
) -> Imported:
    """Imports a description, which is a value or the text of a YAML file."""
    if isinstance(content, str):
        file = folder / "api.yaml"
        file.write_text(content, "utf-8")
    else:
        file = folder / "api.json"
        file.write_text(json.dumps(content), "utf-8")
    return import_openapi(file, overrides, capabilities)


@functools.cache
def imported_once(file: Path) -> Imported:
    """Imports a large description, which all tests share, or skips the test without the file."""
    if not file.exists():
        pytest.skip(f"{file} is missing")
    return import_openapi(file)


def notes(one: Imported) -> list[tuple[str, str]]:
    """Returns the kinds and the places of the notes."""
    return [(note.kind, note.place) for note in one.report.notes]
