"""Schema and loader agree about the same documents."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import restway
from documents import (
    DEMO_FILE,
    JSON,
    LOADER_ONLY,
    ROOT,
    corpus,
    expected_paths,
    loader_only_reason,
    loader_problems,
    schema_accepts,
    schema_complaints,
)


def name_of(path: Path) -> str:
    return path.stem


def read(path: Path) -> JSON:
    return json.loads(path.read_bytes())


def paths_from_loader(path: Path) -> list[str]:
    return [problem.path for problem in restway.API.check(path.read_bytes())]


@pytest.mark.parametrize("path", [*corpus("good"), DEMO_FILE], ids=name_of)
def test_both_accept_good_documents(path: Path) -> None:
    assert schema_complaints(read(path)) == []
    assert restway.API.check(path.read_bytes()) == []


@pytest.mark.parametrize("path", corpus("bad"), ids=name_of)
def test_both_refuse_bad_documents(path: Path) -> None:
    assert not schema_accepts(read(path))
    assert sorted(paths_from_loader(path)) == sorted(expected_paths(path))


@pytest.mark.parametrize("path", corpus("bad-for-the-loader"), ids=name_of)
def test_only_the_loader_refuses_what_a_schema_cannot_say(path: Path) -> None:
    assert schema_complaints(read(path)) == []
    assert sorted(paths_from_loader(path)) == sorted(expected_paths(path))
    problems = restway.API.check(path.read_bytes())
    assert [problem for problem in problems if loader_only_reason(problem) is None] == []


def test_each_exception_has_a_document() -> None:
    shown = {
        loader_only_reason(problem)
        for path in corpus("bad-for-the-loader")
        for problem in restway.API.check(path.read_bytes())
    }
    assert shown == set(LOADER_ONLY)


@pytest.mark.parametrize("folder", ["bad", "bad-for-the-loader"])
def test_each_bad_document_says_what_to_expect(folder: str) -> None:
    assert all(expected_paths(path) for path in corpus(folder))
    beside = {path.with_suffix(".problems") for path in corpus(folder)}
    assert set(corpus(folder)[0].parent.glob("*.problems")) == beside


def documentation() -> list[tuple[str, JSON]]:
    """Returns the JSON blocks of the documentation that are whole documents."""
    found = []
    folders = [ROOT / "docs", ROOT / "bindings" / "python" / "docs"]
    paths = [path for folder in folders for path in sorted(folder.rglob("*.md"))]
    for path in [ROOT / "README.md", *paths]:
        text = path.read_text(encoding="utf-8")
        for block in re.findall(r"^```json\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            value = json.loads(block)
            if isinstance(value, dict) and "restway" in value:
                found.append((str(path.relative_to(ROOT)), value))
    return found


def test_both_accept_the_documents_of_the_documentation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_KEY", "k-123")  # a recipe of the cookbook names it
    found = documentation()
    named = {path for path, _ in found}
    assert {"docs/API-DOCUMENT.md", "bindings/python/docs/TUTORIAL.md"} <= named
    for path, document in found:
        assert schema_complaints(document) == [], path
        assert loader_problems(document) == [], path
