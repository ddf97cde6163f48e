"""The library exports the functions that the headers declare, and nothing else."""

from __future__ import annotations

import re

from declarations import all_functions
from tree import Stage, output

#: The libraries that may be needed at run time: no Swift library, only C libraries.
NEEDED = re.compile(
    r"lib(curl|jansson|sqlite3|z|brotlidec|zstd|crypto|c|m|dl|pthread|rt|stdc\+\+|gcc_s)\.so\.\d+"
    r"|ld-linux[-\w]*\.so\.\d+"
)


def _exported(stage: Stage) -> set[str]:
    lines = output("nm", "-D", "--defined-only", "--extern-only", stage.library).splitlines()
    return {line.split()[-1].split("@")[0] for line in lines if line.strip()}


def test_every_declared_function_is_exported(stage: Stage) -> None:
    assert {function.name for function in all_functions()} - _exported(stage) == set()


def test_nothing_else_is_exported(stage: Stage) -> None:
    assert _exported(stage) - {function.name for function in all_functions()} == set()


def _dynamic(stage: Stage, tag: str) -> list[str]:
    section = output("readelf", "-dW", stage.library)
    return re.findall(rf"\({tag}\).*?\[(.*?)\]", section)


def test_soname(stage: Stage) -> None:
    assert _dynamic(stage, "SONAME") == ["librestway.so.0"]


def test_needs_no_swift_library(stage: Stage) -> None:
    needed = _dynamic(stage, "NEEDED")
    assert needed
    assert [name for name in needed if not NEEDED.fullmatch(name)] == []


def test_looks_nowhere_special_for_libraries(stage: Stage) -> None:
    paths = _dynamic(stage, "RUNPATH") + _dynamic(stage, "RPATH")
    assert [path for path in ":".join(paths).split(":") if path not in ("", "$ORIGIN")] == []


def test_is_never_unloaded(stage: Stage) -> None:
    assert "NODELETE" in output("readelf", "-dW", stage.library)


def test_is_stripped(stage: Stage) -> None:
    assert ".symtab" not in output("readelf", "-SW", stage.library)
    assert ".debug_info" not in output("readelf", "-SW", stage.library)


def test_is_small(stage: Stage) -> None:
    """A single call of a function of Swift's string processing would add a MiB to the library.

    The bound is explained in docs/decisions/0030.
    """
    assert stage.library.stat().st_size <= 16 * 2**20
