"""The description of GitHub's API: its import, and the document that comes out.

The description is not in this repository. It is read from `shared/conformance` beside the
repository, or from the folder that `RESTWAY_CONFORMANCE` names; without it, nothing is measured.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .documents import load_milliseconds, write_documents
from .figure import Figure, SkippedError, Target, figure, in_turn
from .programs import DOCUMENT, ROOT, run_c, run_python

_PAIRS = 5
_LOADS = 3
_REQUESTS = 5_000
_COPIES = 4
_GROWTH_MAX = 4.5
_IMPORT_SECONDS_MAX = 5.0
_LOAD_MS_MAX = 60.0
_LOAD_BYTES_MAX = 12e6
_CONFORMANCE = Path(os.environ.get("RESTWAY_CONFORMANCE") or ROOT.parent / "shared" / "conformance")


@contextmanager
def _folder() -> Iterator[tuple[Path, Path]]:
    """Gives the description, and a path for the document in a folder of its own."""
    description = _CONFORMANCE / "openapi-github.json"
    if not description.exists():
        raise SkippedError(f"{description} is missing")
    with tempfile.TemporaryDirectory(prefix="restway-bench-") as folder:
        yield description, Path(folder) / "github.restway.json"


def importing(_base: str) -> Iterator[Figure]:
    """Imports the description; the reference is the bound."""
    with _folder() as (description, document):
        runs = in_turn(
            _PAIRS,
            lambda: run_python("openapi_import", description, document)["cpu_seconds"],
            lambda: _IMPORT_SECONDS_MAX,
        )
    yield figure("openapi.import.time", "s", "5 s", Target(1.0), runs)


def loading(_base: str) -> Iterator[Figure]:
    """Loads the document, and one four times as large."""
    with _folder() as (description, document):
        run_python("openapi_import", description, document)
        one = json.loads(document.read_text("utf-8"))
        small, large = document.parent / "one", document.parent / "four"
        write_documents(small, [json.dumps(one).encode()] * _LOADS)
        write_documents(large, [json.dumps(_copies(one)).encode()] * _LOADS)
        times = in_turn(_PAIRS, lambda: load_milliseconds(small), lambda: _LOAD_MS_MAX)
        sizes = in_turn(
            _PAIRS,
            lambda: run_c("restway_idle", document)["api_bytes"],
            lambda: _LOAD_BYTES_MAX,
        )
        growth = in_turn(
            _PAIRS, lambda: load_milliseconds(large), lambda: load_milliseconds(small)
        )
    yield figure("openapi.load.time", "ms", "60 ms", Target(1.0), times)
    yield figure("openapi.load.bytes", "bytes", "12 MB", Target(1.0), sizes)
    yield figure("openapi.load.growth", "ms", "a quarter", Target(_GROWTH_MAX), growth)


def calling(base: str) -> Iterator[Figure]:
    """Calls a route by its name, among 769 routes and alone with another one."""
    with _folder() as (description, document):
        run_python("openapi_import", description, document)
        companies = _companies()
        small, large = document.parent / "small.json", document.parent / "large.json"
        small.write_text(json.dumps(companies), "utf-8")
        both = _joined(json.loads(document.read_text("utf-8")), companies)
        large.write_text(json.dumps(both), "utf-8")
        runs = in_turn(
            _PAIRS,
            lambda: run_c("restway_named", large, base, _REQUESTS)["cpu_seconds"],
            lambda: run_c("restway_named", small, base, _REQUESTS)["cpu_seconds"],
        )
    yield figure(
        "openapi.call_by_name", "us", "a document of two routes", Target(1.1),
        [(_microseconds(ours), _microseconds(theirs)) for ours, theirs in runs],
    )


def _microseconds(cpu_seconds: float) -> float:
    return cpu_seconds / _REQUESTS * 1e6


def _copies(document: dict[str, Any]) -> dict[str, Any]:
    """Returns a document with several copies of all entities and routes, under other names."""
    entities: dict[str, Any] = {}
    unions: dict[str, Any] = {}
    routes: dict[str, Any] = {}
    for number in range(_COPIES):
        for name, entity in document["entities"].items():
            copied = json.loads(json.dumps(entity))
            if "extends" in copied:
                copied["extends"] += f" {number}"
            for relationship in copied.get("relationships", {}).values():
                relationship["entity"] += f" {number}"
            entities[f"{name} {number}"] = copied
        for name, union in document.get("unions", {}).items():
            unions[f"{name} {number}"] = _renamed(union, number)
        for name, route in document["routes"].items():
            copied = json.loads(json.dumps(route))
            if not copied.get("absolute"):
                copied["path"] = f"v{number}/{copied['path'].lstrip('/')}"
            elif number:
                continue
            for descriptors in (copied, copied.get("response", []), copied.get("request", [])):
                several = descriptors if isinstance(descriptors, list) else [descriptors]
                for descriptor in several:
                    if "entity" in descriptor:
                        descriptor["entity"] += f" {number}"
            routes[f"{name} {number}"] = copied
    return {**document, "entities": entities, "unions": unions, "routes": routes}


def _renamed(union: dict[str, Any], number: int) -> dict[str, Any]:
    """Returns a union of the copies of its members."""
    copied: dict[str, Any] = json.loads(json.dumps(union))
    copied["oneOf"] = [f"{name} {number}" for name in union["oneOf"]]
    if "keys" in union:
        copied["keys"] = {f"{name} {number}": keys for name, keys in union["keys"].items()}
    if "default" in union:
        copied["default"] += f" {number}"
    values = copied.get("discriminator", {}).get("values", {})
    values.update((value, f"{name} {number}") for value, name in values.items())
    return copied


def _companies() -> dict[str, Any]:
    """Returns the benchmarks' own document with two of its routes."""
    document: dict[str, Any] = json.loads(Path(DOCUMENT).read_text("utf-8"))
    routes = {name: document["routes"][name] for name in ("company", "companies")}
    return {**document, "routes": routes}


def _joined(document: dict[str, Any], companies: dict[str, Any]) -> dict[str, Any]:
    """Returns a document that also has the environment, the entity and the routes of another."""
    joined = {**document, "environment": next(iter(companies["environments"]))}
    for section in ("environments", "entities", "routes"):
        joined[section] = {**document[section], **companies[section]}
    return joined
