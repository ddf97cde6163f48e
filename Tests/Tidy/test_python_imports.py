"""The import rules between the modules of the Python packages."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TypeGuard

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


#: The layers of the package, the lowest first, as docs/ARCHITECTURE.md explains them. A name stands
#: for the module and all modules below it in a package. A module that no layer names is above all.
LAYERS = {
    "values and errors": "_base _details _enums _errors _exceptions",
    "declarations": "_ffi",
    "handles": "_config _handles _library",
    "objects": "_conflicts _draft _functions _object _observers _query _reading _store "
    "_transaction _values",
    "requests": "_api _auth _body _call _network _parsing _pipeline _request _resource _response "
    "progress",
    "parts of clients": "_batch _cache _event_loop _lifecycle _outbox _outbox_items _pages "
    "_pages_into _scope _stream _types _verbs",
    "clients": "_async_client _client _client_base _routing anyio",
}
#: Errors hold the answer, the request and the conflict of their call: type checkers have to know
#: them.
UPWARD = {
    ("restway._errors", "restway._conflicts"),
    ("restway._errors", "restway._handles.outgoing"),
    ("restway._errors", "restway._response"),
}


@dataclass(frozen=True)
class Import:
    """A module imports another one, perhaps not before one of its functions runs."""

    module: str
    imported: str
    is_for_types: bool
    is_at_once: bool


def imports(module: str) -> set[Import]:
    """Returns what a module imports: at once, in functions, by `LazyModule`, for type checkers."""
    path = MODULES[module]
    package = module if path.stem == "__init__" else module.rpartition(".")[0]
    found: set[Import] = set()

    def look(node: ast.AST, is_for_types: bool, is_at_once: bool) -> None:
        for name in named(node, package):
            if name != module:
                found.add(Import(module, name, is_for_types, is_at_once))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            is_at_once = False
        for_types = node.body if is_for_checkers(node) else []
        for child in ast.iter_child_nodes(node):
            look(child, is_for_types or child in for_types, is_at_once)

    look(ast.parse(path.read_text("utf-8")), False, True)
    return found


def is_for_checkers(node: ast.AST) -> TypeGuard[ast.If]:
    """Whether a statement is `if TYPE_CHECKING:`."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def named(node: ast.AST, package: str) -> Iterator[str]:
    """Yields the modules that a single node of a module in `package` imports."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        parents = package.split(".")[: -(node.level - 1) or None]
        base = ".".join([*(parents if node.level else []), node.module or ""]).removesuffix(".")
        for alias in node.names:
            inner = f"{base}.{alias.name}"
            yield inner if inner in MODULES else base
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "LazyModule"
    ):
        yield str(ast.literal_eval(node.args[0]))


IMPORTS = {
    each for module in MODULES for each in imports(module) if each.imported in MODULES
}


def layer(module: str) -> tuple[int, str]:
    """Returns the number and the name of a module's layer."""
    name = module.partition(".")[2].partition(".")[0]
    for index, (title, names) in enumerate(LAYERS.items()):
        if name in names.split():
            return index, title
    return len(LAYERS), "the package"


def test_the_modules_are_found_here() -> None:
    assert {"restway", "restway._client", f"{FFI}.loader"} <= set(MODULES)
    at_once = Import("restway._library", "restway._handles", False, True)
    later = Import("restway._client", "restway._pages", False, False)
    lazy = Import("restway._library", "restway._library.logging", False, True)
    for_types = Import("restway._store", "restway._pages", True, True)
    assert {at_once, later, lazy} <= IMPORTS
    assert for_types not in IMPORTS
    assert {Import(*each, True, True) for each in UPWARD} <= IMPORTS
    of_tools = Import("restway_tools.openapi.refusals", "restway_tools.openapi.notes", False, True)
    assert of_tools in IMPORTS
    assert uses_ctypes(f"{FFI}.loader")


def test_the_layers_name_modules_that_exist() -> None:
    known = {module.partition(".")[2].partition(".")[0] for module in MODULES}
    expect_none(set(" ".join(LAYERS.values()).split()) - known)


def test_modules_import_only_their_own_layer_and_lower_ones() -> None:
    expect_none(
        f"{each.module} ({layer(each.module)[1]}) imports {each.imported} "
        f"({layer(each.imported)[1]}), which is of a higher layer"
        for each in sorted(IMPORTS, key=lambda each: (each.module, each.imported))
        if layer(each.imported) > layer(each.module)
        and not (each.is_for_types and (each.module, each.imported) in UPWARD)
    )


def test_no_module_needs_itself() -> None:
    graph: dict[str, set[str]] = {module: set() for module in MODULES}
    for each in IMPORTS:
        if (each.module, each.imported) not in UPWARD:
            graph[each.module].add(each.imported)
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
