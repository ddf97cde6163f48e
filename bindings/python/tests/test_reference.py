"""The reference in `bindings/python/docs` is what `reference.py` makes of the docstrings."""

from __future__ import annotations

import ast
import re
from typing import Any

import pytest

import reference
import restway
import source_text

from .examples import DOCS

pytestmark = pytest.mark.no_library

REFERENCE = reference.Reference()
WRITE = "write the reference anew: python bindings/python/reference.py"
LINES_MAX = 500


def test_the_reference_is_current() -> None:
    pages = REFERENCE.pages()
    found = {str(path.relative_to(DOCS)) for path in DOCS.glob("reference/*.md")}
    assert found | {"REFERENCE.md"} == set(pages), WRITE
    for path, text in pages.items():
        assert (DOCS / path).read_text("utf-8") == text, f"{path}: {WRITE}"


def test_its_pages_are_short() -> None:
    lengths = {path: text.count("\n") for path, text in REFERENCE.pages().items()}
    assert {path: length for path, length in lengths.items() if length > LINES_MAX} == {}


def test_everything_in_it_has_a_docstring() -> None:
    silent = []
    for name in REFERENCE.public:
        found = REFERENCE.found[name]
        if not found.doc:
            silent.append(name)
        if isinstance(found.node, ast.ClassDef):
            silent += [
                f"{name}.{member.node.name}"
                for member in REFERENCE.members(found.node)
                if not member.node.name.startswith("_") and not member.doc
            ]
    assert silent == []


def test_args_become_a_list_and_indented_lines_become_code() -> None:
    doc = "\n".join(
        [
            "Sends it.",
            "",
            "    send(1)",
            "",
            "Args:",
            "    target: The place,",
            "        in two lines.",
            "    **options: Others.",
            "",
            "Raises ValueError.",
        ]
    )
    assert source_text.markdown(doc) == [
        "Sends it.",
        "",
        "```python",
        "send(1)",
        "```",
        "",
        "- `target`: The place,",
        "  in two lines.",
        "- `**options`: Others.",
        "",
        "Raises ValueError.",
    ]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def f(self, a, /, b: int = 1, *, c='x', **d: int) -> str: ...",
         "def f(a, /, b: int = 1, *, c='x', **d: int) -> str"),
        ("async def f(self, *rest: str) -> None: ...", "async def f(*rest: str) -> None"),
        ("def f(self, /): ...", "def f()"),
        ("@property\ndef f(self) -> list[int]: ...", "f: list[int]"),
    ],
)  # fmt: skip
def test_a_signature_is_whole_and_without_self(code: str, expected: str) -> None:
    node = ast.parse(code).body[0]
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    assert source_text.signature(node) == expected


CLASSES: dict[str, list[Any]] = {
    "api": [restway.API],
    "batch": [restway.Batch],
    "client": [restway.Client, restway.AsyncClient],
    "context": [restway.PipelineContext],
    "exchange": [restway.Exchange],
    "query": [restway.Query],
    "request": [restway.Request],
    "response": [restway.Response, restway.StreamedResponse],
    "restway": [restway],
    "store": [restway.Store],
}
"""What the names of variables stand for in the examples of docstrings."""


def test_examples_of_docstrings_name_what_exists() -> None:
    wrong = []
    for path, text in REFERENCE.pages().items():
        for code in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            try:
                tree = ast.parse(code)
            except SyntaxError:  # a signature, or an example with `async for` and the like
                continue
            for node in ast.walk(tree):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    kinds = CLASSES.get(node.value.id, [])
                    if kinds and not any(hasattr(kind, node.attr) for kind in kinds):
                        wrong.append(f"{path}: {ast.unparse(node)}")
    assert wrong == []
