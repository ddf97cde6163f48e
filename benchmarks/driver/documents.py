"""API documents: the cost of a large one, and of the slowest of many broken ones."""

from __future__ import annotations

import json
import random
import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from .figure import Figure, Target, figure, in_turn
from .programs import ROOT, run_c

_PAIRS = 5
#: Both documents are too large for the caches of a core.
_SMALL = 2_000
_GROWTH = 8
_LOADS = 3
_MUTATED = 20_000
_SLOWEST_MS_MAX = 50.0
_STRUCTURE = re.compile(rb"[{}\[\],: \n]+")
_LITERALS = (b"null", b"-1", b"1e999", b"{}", b"[]", b'""', b"true", b'"{a}-b"')


def growth(base: str) -> Iterator[Figure]:
    """Loads a document of 16,000 entities, routes and descriptors of each kind, and an eighth of
    it.
    """
    with tempfile.TemporaryDirectory(prefix="restway-bench-") as folder:
        small, large = Path(folder) / "small", Path(folder) / "large"
        write_documents(small, [_document(_SMALL)] * _LOADS)
        write_documents(large, [_document(_SMALL * _GROWTH)] * _LOADS)
        runs = in_turn(
            _PAIRS,
            lambda: load_milliseconds(large),
            lambda: load_milliseconds(small),
        )
    yield figure("document.load.growth", "ms", "an eighth of the document", Target(9), runs)


def load_milliseconds(path: Path) -> float:
    """Returns the shortest time of several loads. The document must be valid: a refusal would
    measure something else.
    """
    loads = run_c("restway_documents", path)
    if loads["loaded"] != loads["documents"]:
        raise SystemExit(f"{path.name}: not all documents were loaded: {loads!r}")
    return loads["fastest_seconds"] * 1e3


def slowest(base: str) -> Iterator[Figure]:
    """Finds the slowest of 20,000 documents that are made from those in `docs`, the same in each
    run.
    """
    with tempfile.TemporaryDirectory(prefix="restway-bench-") as folder:
        path = Path(folder) / "mutated"
        write_documents(path, _mutated())
        runs = in_turn(
            5,
            lambda: run_c("restway_documents", path)["slowest_seconds"] * 1e3,
            lambda: _SLOWEST_MS_MAX,
        )
    yield figure("document.load.slowest", "ms", "50 ms", Target(1.0), runs)


def _document(count: int) -> bytes:
    """Makes a document with `count` entries of each kind."""
    entities = {
        f"E{n:05}": {
            "identity": "id",
            "attributes": {"id": {"type": "int"}, f"name{n:05}": {}, "size": {"source": "a.b"}},
            "relationships": {"other": {"entity": f"E{n * 7 % count:05}", "many": True}},
        }
        for n in range(count)
    }
    routes = {
        f"r{n:05}": {
            "method": ["GET", "PUT"], "path": f"e{n:05}/:id", "entity": f"E{n:05}",
            "response": {"entity": f"E{n:05}", "hook": f"hook{n:05}"},
            "request": {"entity": f"E{n:05}"},
        }
        for n in range(count)
    }
    responses = [{"path": f"e{n:05}/{{id}}.json", "entity": f"E{n:05}"} for n in range(count)]
    requests = [{"path": f"e{n:05}/{{id}}", "entity": f"E{n:05}"} for n in range(count)]
    return json.dumps(
        {
            "restway": 1, "entities": entities, "routes": routes, "responses": responses,
            "requests": requests,
        }
    ).encode()


def _mutated() -> Iterator[bytes]:
    """Makes documents from those in `docs`, by changing bytes, runs of bytes and whole tokens."""
    generator = random.Random(2023)
    seeds = _seeds()
    tokens = [*_LITERALS, *(token for seed in seeds for token in _STRUCTURE.split(seed) if token)]
    for _ in range(_MUTATED):
        text = generator.choice(seeds)
        for _ in range(generator.randint(1, 4)):
            text = _mutate(text, seeds, tokens, generator)
        yield text


def _mutate(
    text: bytes, seeds: list[bytes], tokens: list[bytes], generator: random.Random
) -> bytes:
    if not text:
        return text
    start = generator.randrange(len(text))
    end = start + generator.randint(1, 40)
    kind = generator.randrange(24)
    if kind == 0:
        return text[:start] + bytes([generator.randrange(256)]) + text[start + 1 :]
    if kind == 1:
        return text[:start] + text[end:]
    if kind == 2:
        return text[:start] + text[start:end] + text[start:]
    if kind == 3:
        other = generator.choice(seeds)
        begin = generator.randrange(len(other))
        return text[:start] + other[begin : begin + generator.randint(1, 200)] + text[start:]
    found = [match for match in re.finditer(rb"[^{}\[\],: \n]+", text) if match.end() > start]
    if not found:
        return text
    return text[: found[0].start()] + generator.choice(tokens) + text[found[0].end() :]


def _seeds() -> list[bytes]:
    """Returns the JSON blocks of `docs` that are whole documents."""
    blocks = (
        block
        for path in sorted((ROOT / "docs").glob("*.md"))
        for block in re.findall(r"^```json\n(.*?)^```$", path.read_text("utf-8"), re.M | re.S)
    )
    return [block.encode() for block in blocks if '"restway": 1' in block]


def write_documents(path: Path, documents: Iterable[bytes]) -> None:
    with path.open("wb") as file:
        for document in documents:
            file.write(b"%d\n" % len(document) + document)
