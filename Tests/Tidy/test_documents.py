"""The documents match the source tree."""

from __future__ import annotations

import re
import warnings
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

from source_tree import ROOT, expect_none, files, lines_of
from test_walls import DEPENDENCIES

DOCS = ROOT / "docs"
ARCHITECTURE = DOCS / "ARCHITECTURE.md"
DECISIONS = sorted(path for path in files() if path.parent == DOCS / "decisions")
DECISION_LINES_MAX = 50
PARTS = ["Context", "Decision", "Consequences", "Rejected"]

_SYSTEM_MODULE = re.compile(r'\.systemLibrary\(\s*name: "(\w+)"')
_BLOCK = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)")


def test_every_module_has_an_entry_in_the_architecture() -> None:
    manifest = (ROOT / "Package.swift").read_text()
    # CRestway is the public header itself, which is described as the boundary.
    modules = {*DEPENDENCIES, *_SYSTEM_MODULE.findall(manifest)} - {"CRestway"}
    table = [line for line in lines_of(ARCHITECTURE) if line.startswith("|")]
    entries = {name for line in table for name in re.findall(r"`(\w+)`", line.split("|")[1])}
    expect_none(sorted(f"{name}: no row in ARCHITECTURE.md" for name in modules - entries))


def test_decisions_have_numbers_of_their_own() -> None:
    """A decision that decides nothing any more is deleted, and its number is not used again."""
    names = [path.name for path in DECISIONS]
    expect_none(name for name in names if not re.fullmatch(r"\d{4}-[a-z0-9-]+\.md", name))
    numbers = [int(name[:4]) for name in names]
    assert len(numbers) == len(set(numbers)) > 20


def test_decisions_say_their_number_and_their_parts_in_order() -> None:
    wrong = []
    for path in DECISIONS:
        lines = lines_of(path)
        parts = [match[1] for line in lines if (match := re.match(r"\*\*(\w+)\.\*\*", line))]
        if not lines[0].startswith(f"# {path.name[:4]}: "):
            wrong.append(f"{path.name}: the title does not start with its number")
        if parts not in (PARTS, PARTS[:-1]):
            wrong.append(f"{path.name}: not {', '.join(PARTS)}")
        if len(lines) > DECISION_LINES_MAX:
            wrong.append(f"{path.name}: more than half a page")
    expect_none(wrong)


def test_decisions_say_what_was_rejected() -> None:
    """Only a warning, because sometimes no other word fits."""
    silent = [path.name for path in DECISIONS if "**Rejected.**" not in path.read_text()]
    if silent:
        warnings.warn("\n" + "\n".join(silent), stacklevel=1)


def test_links_lead_somewhere() -> None:
    expect_none(
        f"{path.relative_to(ROOT)}: {target}"
        for path in files()
        if path.suffix == ".md"
        for target in _LINK.findall(_BLOCK.sub("", path.read_text(encoding="utf-8")))
        if not (path.parent / target).exists()
    )


def test_the_keys_of_documents_are_written_from_the_schema() -> None:
    loader = SourceFileLoader("document_keys", str(ROOT / "make" / "document-keys"))
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    script = module_from_spec(spec)
    loader.exec_module(script)
    written = script.generated()
    assert {path.suffix for path in written} == {".swift", ".md"}
    expect_none(
        f"{path.relative_to(ROOT)}: the schema says something else; run make generate"
        for path, text in written.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    )


def test_the_page_of_errors_has_the_status_and_the_exception_of_every_error() -> None:
    header = (ROOT / "Include" / "restway" / "base.h").read_text()
    package = ROOT / "bindings" / "python" / "restway"
    exceptions_of_statuses = (package / "_exceptions.py").read_text()
    statuses = set(re.findall(r"^    RESTWAY_E_(\w+) = ", header, re.MULTILINE))
    pairs = re.findall(r"^    Status\.(\w+): (\w+),$", exceptions_of_statuses, re.MULTILINE)
    exceptions = dict(pairs)
    rows = [line for line in lines_of(DOCS / "ERRORS.md") if line.startswith("| `RESTWAY_E_")]
    cells = [re.findall(r"`(\w+)`", row) for row in rows]
    assert {name.removeprefix("RESTWAY_E_"): kind for name, _, kind in cells} == exceptions
    assert len(cells) == len(exceptions) and set(exceptions) == statuses
