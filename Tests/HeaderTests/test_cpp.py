"""The header for C++ compiles in every dialect, with exceptions and without, and so do the examples
of its page.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from tree import INCLUDE, ROOT, STRICT, Stage, output

PARTS = sorted((INCLUDE / "restway" / "cpp").glob("*.hpp"))
MORE_STRICT = [
    *STRICT, "-Wshadow", "-Wconversion", "-Wsign-conversion", "-Wold-style-cast",
    "-Wnon-virtual-dtor",
]
#: The blocks of the page name things that they do not use, and again what other blocks name.
LIKE_A_PAGE = ["-Wno-unused-but-set-variable", "-Wno-unused-variable", "-Wno-shadow"]
WITHOUT_EXCEPTIONS = "-fno-exceptions"
#: (compiler, standard, flags); gcc 12 and older call C++23 c++2b. Each compiler and each standard
#: occurs with exceptions and without.
DIALECTS = [
    ("g++", "c++17", []),
    ("g++", "c++20", [WITHOUT_EXCEPTIONS]),
    ("g++", "c++2b", []),
    ("clang++", "c++17", [WITHOUT_EXCEPTIONS]),
    ("clang++", "c++20", []),
    ("clang++", "c++2b", ["-DRESTWAY_RESULTS"]),
]

#: A coroutine type for the examples, and what they refer to.
PRELUDE = """
#include <algorithm>
#include <coroutine>
#include <iostream>
#include <poll.h>
#include <restway.hpp>

template <typename T> struct task {
    struct promise_type {
        task get_return_object() { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_value(T) {}
        void unhandled_exception() {}
    };
};
"""
PARAMETERS = (
    "restway::client &client, restway::request &request, restway::store &store, "
    "restway::object &issue"
)


def _blocks(kind: str) -> list[str]:
    text = (ROOT / "docs" / "CPP.md").read_text()
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def _compile(source: Path, compiler: str, standard: str, *flags: str) -> str:
    return output(
        compiler, f"-std={standard}", *MORE_STRICT, *flags, "-fsyntax-only", f"-I{INCLUDE}", source
    )


@pytest.mark.parametrize(("compiler", "standard", "flags"), DIALECTS)
def test_the_header_compiles(
    compiler: str, standard: str, flags: list[str], tmp_path: Path
) -> None:
    source = tmp_path / "twice.cpp"
    source.write_text("#include <restway.hpp>\n#include <restway.hpp>\n")
    _compile(source, compiler, standard, *flags)


def test_the_header_has_all_its_parts(tmp_path: Path) -> None:
    source = tmp_path / "once.cpp"
    source.write_text("#include <restway.hpp>\n")
    found = output("g++", "-std=c++20", f"-I{INCLUDE}", "-MM", source)
    assert len(PARTS) > 10
    assert [part for part in PARTS if f"/restway/cpp/{part.name}" not in found] == []


def test_the_examples_of_the_page_compile(tmp_path: Path) -> None:
    programs = [block for block in _blocks("cpp") if "int main" in block]
    coroutines = [block for block in _blocks("cpp") if "task<" in block]
    others = [block for block in _blocks("cpp") if block not in programs + coroutines]
    assert len(programs) == 1
    assert len(others) > 5
    functions = [
        f"void part_{number}({PARAMETERS}) {{\n(void)client, (void)request, (void)store;\n"
        f"(void)issue;\n{{\n{block}}}\n}}\n"
        for number, block in enumerate(others)
    ]
    source = tmp_path / "page.cpp"
    source.write_text(PRELUDE + "".join([*coroutines, *functions, *programs]))
    _compile(source, "g++", "c++20", *LIKE_A_PAGE)


def test_the_example_of_structs_compiles(stage: Stage, tmp_path: Path) -> None:
    document = ROOT / "examples" / "tracker.restway.json"
    output(
        sys.executable, "-m", "restway_tools.stubs", document, "--cpp", "--output",
        tmp_path / "tracker.hpp", env=stage.environment,
    )
    (block,) = _blocks("cpp tracker")
    source = tmp_path / "page.cpp"
    function = f"void part(restway::client &client, restway::store &store) {{\n{block}}}\n"
    source.write_text(f'{PRELUDE}#include "tracker.hpp"\n{function}')
    _compile(source, "g++", "c++20", *LIKE_A_PAGE)


def test_the_examples_without_exceptions_compile(tmp_path: Path) -> None:
    blocks = _blocks("cpp results")
    assert blocks
    source = tmp_path / "page.cpp"
    functions = [f"void part(restway::client &client) {{\n{block}}}\n" for block in blocks]
    source.write_text(PRELUDE + "".join(functions))
    _compile(source, "clang++", "c++20", WITHOUT_EXCEPTIONS)
