"""The import rules between the modules of the Python packages."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

from source_tree import ROOT, code_files, expect_none

PACKAGES = (
    ROOT / "bindings" / "python" / "restway",
    ROOT / "tools" / "restway-tools" / "restway_tools",
)
#: The subpackage that alone knows how C is called.
FFI = "restway._ffi"


def modules() -> dict[str, Path]:
    """Returns the files of the packages by the names of their modules."""
    found = {}
    for package in PACKAGES:
        for path in code_files():
            if path.suffix == ".py" and package in path.parents:
                parts = path.relative_to(package.parent).with_suffix("").parts
                found[".".join(parts).removesuffix(".__init__")] = path
    return found


MODULES = modules()


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yields the statements that run when a module is imported; those for type checkers do not."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.If):
            if "TYPE_CHECKING" not in ast.unparse(statement.test):
                yield from statements(statement.body)
            yield from statements(statement.orelse)
        elif isinstance(statement, ast.Try):
            yield from statements(statement.body)
            for handler in statement.handlers:
                yield from statements(handler.body)


def imports(module: str) -> set[str]:
    """Returns the modules that a module needs while it is imported."""
    path = MODULES[module]
    package = module if path.stem == "__init__" else module.rpartition(".")[0]
    found: set[str] = set()
    for statement in statements(ast.parse(path.read_text("utf-8")).body):
        if isinstance(statement, ast.Import):
            found.update(alias.name for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            parents = package.split(".")[: -(statement.level - 1) or None]
            base = ".".join([*(parents if statement.level else []), statement.module or ""])
            base = base.removesuffix(".")
            for alias in statement.names:
                inner = f"{base}.{alias.name}"
                found.add(inner if inner in MODULES else base)
    return found - {module}


def test_the_modules_are_found_here() -> None:
    assert {"restway", "restway._client", f"{FFI}.loader"} <= set(MODULES)
    assert {FFI, "restway._boundary"} <= imports("restway._library")
    assert {"restway", "restway_tools.openapi.notes"} <= imports("restway_tools.openapi.refusals")
    assert uses_ctypes(f"{FFI}.loader")


def test_no_module_needs_itself() -> None:
    graph = {module: imports(module) & set(MODULES) for module in MODULES}
    # It raises an error that names the modules of a cycle.
    assert len(list(TopologicalSorter(graph).static_order())) == len(MODULES)


def uses_ctypes(module: str) -> bool:
    """Looks at all imports of a module, in its functions and for type checkers, too."""
    for node in ast.walk(ast.parse(MODULES[module].read_text("utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        if any(name.partition(".")[0] == "ctypes" for name in names):
            return True
    return False


def test_ctypes_is_used_in_one_subpackage() -> None:
    expect_none(
        f"{module}: imports ctypes"
        for module in MODULES
        if not module.startswith(FFI) and uses_ctypes(module)
    )
