"""The examples in the pages of `bindings/python/docs` run, and print what the pages say."""

from __future__ import annotations

import doctest
import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from . import examples
from .conftest import demo_api
from .examples import DOCS, Example
from .test_loader import PACKAGE

EXAMPLES = list(examples.examples())
COOKBOOK = sorted(DOCS.glob("cookbook/*.md"))
LINES_MAX = 120


@pytest.fixture
def server() -> Iterator[str]:
    """A demo API with fresh data for one example; the URL has no path."""
    with demo_api() as url:
        yield url.removesuffix("/v2")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_prints_what_the_page_says(
    example: Example, server: str, tmp_path: Path
) -> None:
    missing = [name for name in example.modules if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"needs {', '.join(sorted(missing))}")
    checker, options = doctest.OutputChecker(), doctest.ELLIPSIS
    for block, printed in examples.run(example, server, tmp_path, PACKAGE.parent):
        expected = doctest.Example(block.code, block.expected or "")
        same = checker.check_output(expected.want, printed, options)
        assert same, checker.output_difference(expected, printed, options)


@pytest.mark.no_library
def test_the_cookbook_lists_its_recipes_and_its_pages_are_short() -> None:
    contents = (DOCS / "COOKBOOK.md").read_text("utf-8")
    recipes = 0
    for page in COOKBOOK:
        lines = page.read_text("utf-8").splitlines()
        assert len(lines) <= LINES_MAX, page.name
        for line in lines:
            if line.startswith("## "):
                recipes += 1
                assert f"[{line[3:]}](cookbook/{page.name}#" in contents
    assert recipes >= 20


@pytest.mark.no_library
def test_no_program_of_a_page_is_left_out() -> None:
    written = sum(page.read_text("utf-8").count("\n```python\n") for page in examples.pages())
    files = sum(name.endswith(".py") for example in EXAMPLES for name in example.files)
    assert written == files + sum(len(example.programs) for example in EXAMPLES)
