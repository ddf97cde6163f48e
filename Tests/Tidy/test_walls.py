"""The import rules between the modules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from source_tree import ROOT, SOURCES, expect_none, name_of, swift_code, swift_files

#: A module imports only modules above it.
ORDER = (
    "CCurl", "CJansson", "CSQLite", "CZlib", "CBrotli", "CZstd", "CCrypto", "CLinux", "CRestway",
    "RestwayText",
    "RestwayThreads",
    "RestwayJSON",
    "RestwaySQLite",
    "RestwayRouting",
    "RestwayObjects",
    "RestwaySQLiteStore",
    "RestwayMapping",
    "RestwayJansson",
    "RestwayHTTP",
    "RestwayCurl",
    "RestwayOutcome",
    "RestwayDocument",
    "RestwayPlugins",
    "RestwayStore",
    "RestwayBodies",
    "RestwayRequests",
    "RestwayCalls",
    "RestwayArrow",
    "RestwayAuth", "RestwayPacing", "RestwayCache", "RestwayBatch", "RestwayPages",
    "RestwayOutbox",
    "RestwayClient",
    "RestwayABI",
    "RestwayMacros",
    "Restway",
)

#: Modules of one concern each, which do not import each other.
PEERS = {
    *("RestwayAuth", "RestwayPacing", "RestwayCache", "RestwayBatch"),
    "RestwayOutbox", "RestwayPages",
}

#: Modules of the toolchain; every other dependency of a module is in Package.swift.
TOOLCHAIN = {"Swift", "Glibc", "Synchronization"}
#: The part of Foundation without internationalisation, for the public Swift API alone.
FOUNDATION = "FoundationEssentials"
#: The one file that needs all of Foundation.
FOUNDATION_FILE = SOURCES / "Restway" / "Progress" / "FoundationProgress.swift"
#: The modules of other packages that the public Swift API may use, each inside of its trait.
TRAITS = {"Logging": "Logging", "Metrics": "CoreMetrics"}

#: The public Swift API.
FACE = SOURCES / "Restway"

UNMANAGED = {"Sources/RestwayThreads/UserData.swift", "Sources/RestwayABI/Base/Handle.swift"}

_MODULE = re.compile(r'\bmodule\(\s*"(\w+)",\s*\[(.*?)\]', re.DOTALL)
_IMPORT = re.compile(
    r"^\s*(?:(?:@\w+(?:\([^)]*\))?|package|public|internal|fileprivate|private)\s+)*import\s+"
    r"(?:(?:struct|class|enum|protocol|func|var|let|typealias|actor)\s+)?(\w+)",
    re.MULTILINE,
)


def declared_dependencies() -> dict[str, set[str]]:
    manifest = (ROOT / "Package.swift").read_text()
    return {match[1]: set(re.findall(r'"(\w+)"', match[2])) for match in _MODULE.finditer(manifest)}


DEPENDENCIES = declared_dependencies()


def test_the_manifest_is_understood_here() -> None:
    assert {"RestwayThreads", "RestwayClient", "RestwayABI"} <= set(DEPENDENCIES)
    folders = {path.name for path in SOURCES.iterdir() if path.is_dir()}
    assert set(DEPENDENCIES) <= folders
    assert folders <= set(ORDER), "a module that has no place in the order"


@pytest.mark.parametrize("module", DEPENDENCIES)
def test_dependencies_point_upwards(module: str) -> None:
    below = ORDER[ORDER.index(module) :]
    assert DEPENDENCIES[module] & set(below) == set()
    assert module not in PEERS or DEPENDENCIES[module] & PEERS == set()


@pytest.mark.parametrize("module", DEPENDENCIES)
def test_imports_are_declared(module: str) -> None:
    allowed = DEPENDENCIES[module] | TOOLCHAIN
    if module == "Restway":
        allowed |= {FOUNDATION, *TRAITS.values()}
    if "CRestway" in allowed:
        allowed |= {"CRestwayPlugin"}  # The other module in Include.
    expect_none(
        f"{name_of(path)} imports {imported}"
        for path in swift_files(SOURCES / module)
        for imported in _IMPORT.findall(swift_code(path))
        if imported not in allowed
        and not (path == FOUNDATION_FILE and imported == "Foundation")
    )


def test_other_packages_are_imported_inside_of_their_traits() -> None:
    """The package is built without its traits, so an import outside of them would not compile for
    a program that has none of these packages in its graph.
    """
    for trait, module in TRAITS.items():
        found = [
            path
            for path in swift_files(SOURCES)
            if module in _IMPORT.findall(swift_code(path))
        ]
        assert found, f"no file imports {module}"
        expect_none(name_of(path) for path in found if not _is_inside(path, trait))


def _is_inside(path: Path, trait: str) -> bool:
    lines = [line for line in swift_code(path).split("\n") if line.strip()]
    return lines[0] == f"#if {trait}" and lines[-1] == "#endif"


def test_the_public_swift_api_does_not_use_the_c_abi() -> None:
    assert not {"CRestway", "RestwayABI"} & DEPENDENCIES["Restway"]


def test_foundation_stays_out_of_the_core() -> None:
    expect_none(
        name_of(path)
        for path in swift_files(SOURCES)
        if FACE not in path.parents
        and any(name.startswith("Foundation") for name in _IMPORT.findall(swift_code(path)))
    )


def test_unmanaged_stays_in_two_files() -> None:
    assert {name_of(path) for path in _sources_with(r"\bUnmanaged\b")} <= UNMANAGED


def test_the_core_is_not_asynchronous_swift() -> None:
    found = _sources_with(r"\basync\b|\bawait\b|\bactor\b\s+\w")
    expect_none(name_of(path) for path in found if FACE not in path.parents)


#: Decision 0017: other modules get copies of the functions in these files.
_INLINABLE = {
    *(SOURCES / "RestwayThreads" / name for name in ("Lock.swift", "Monitor.swift", "Fifo.swift")),
    SOURCES / "RestwayObjects" / "Cell.swift",
}


def test_only_locks_their_queue_and_cells_are_inlinable() -> None:
    found = _sources_with(r"@(inlinable|usableFromInline)\b")
    expect_none(name_of(path) for path in found if path not in _INLINABLE)


def test_locks_are_ours() -> None:
    """Mutex of Synchronization makes the thread sanitizer report races that do not exist."""
    expect_none(name_of(path) for path in _sources_with(r"\bMutex\b"))


def test_interrupted_system_calls_are_made_again_in_one_file() -> None:
    found = _sources_with(r"\bEINTR\b")
    assert [name_of(path) for path in found] == ["Sources/RestwayThreads/SystemCall.swift"]


def test_only_the_boundary_is_public() -> None:
    free = {SOURCES / "RestwayABI", FACE}
    found = _sources_with(r"^\s*public\s+(?!import\b)")
    expect_none(
        name_of(path) for path in found if not free & set(path.parents) and path not in _INLINABLE
    )


def _sources_with(pattern: str) -> list[Path]:
    return [
        path for path in swift_files(SOURCES) if re.search(pattern, swift_code(path), re.MULTILINE)
    ]


def test_what_only_linux_has_stands_apart() -> None:
    calls = re.compile(r"\b(epoll_|EPOLL|eventfd|EFD_|timerfd|TFD_|signalfd|inotify)")

    def is_of_linux(path: Path) -> bool:
        return bool(calls.search(swift_code(path))) or '"/proc/' in path.read_text()

    found = [path for path in swift_files(SOURCES) if is_of_linux(path)]
    assert len(found) == 2
    expect_none(name_of(path) for path in found if path.parent.name != "Linux")
