"""The ABI keeps what programs of version 0.1.0 need, and a change of it is found."""

from __future__ import annotations

import platform
import re
import shutil
from pathlib import Path

import contracts
import pytest
from abi import ALLOWED, DESCRIPTION, FOLDER, compare, describe
from declarations import HEADERS, structs
from interface import functions
from tree import INCLUDE, ROOT, Stage, output

ALLOWED_CHANGES = {
    "a new function": (
        "version.h", "RESTWAY_API int32_t restway_abi_version(void);",
        "RESTWAY_API int32_t restway_abi_version(void);\nRESTWAY_API int32_t restway_new(void);",
    ),
    "a new field at the end of an option struct": (
        "response.h", "} restway_timings;", "    int64_t later_microseconds;\n} restway_timings;",
    ),
    "a new value of an enum": (
        "client.h", "RESTWAY_DELIVERY_DRAIN = 2,", "RESTWAY_DELIVERY_DRAIN = 2, RESTWAY_NEW = 3,",
    ),
}
FORBIDDEN_CHANGES = {
    "a function that is gone": (
        "version.h", "RESTWAY_API int32_t restway_abi_version(void);", "",
    ),
    "another type of a parameter": (
        "error.h", "restway_error_detail_path(const restway_error *error, size_t index)",
        "restway_error_detail_path(const restway_error *error, int32_t index)",
    ),
    "another result": (
        "version.h", "RESTWAY_API int32_t restway_abi_version(void);",
        "RESTWAY_API int64_t restway_abi_version(void);",
    ),
    "another value of an enum": (
        "client.h", "RESTWAY_DELIVERY_DRAIN = 2,", "RESTWAY_DELIVERY_DRAIN = 7,",
    ),
    "a field between others": (
        "response.h", "    int64_t connect_microseconds;",
        "    int64_t new_microseconds;\n    int64_t connect_microseconds;",
    ),
    "a field that is gone": ("response.h", "    int64_t connect_microseconds;", ""),
    "a longer struct that is frozen": (
        "event.h", "    uint64_t reserved[4];", "    uint64_t reserved[5];",
    ),
    "another parameter of a callback": (
        "batch.h", "    void *context, restway_batch_writer *writer, restway_answer *answer);",
        "    void *context, restway_batch_writer *writer);",
    ),
    "a function of plugins that is gone": (
        "plugin_transport.h", "    void (*resume)(void *transport, uint64_t exchange);", "",
    ),
}


def _changed(folder: Path, change: tuple[str, str, str]) -> Path:
    """Copies the headers with one change, and returns their description."""
    header, old, new = change
    include = folder / "include"
    shutil.copytree(INCLUDE, include)
    text = (include / "restway" / header).read_text()
    assert text.count(old) == 1, f"{header} has changed: {old}"
    (include / "restway" / header).write_text(text.replace(old, new))
    describe(include, folder / "changed.abi")
    return folder / "changed.abi"


@pytest.fixture(scope="module")
def present(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("abi") / "present.abi"
    describe(INCLUDE, path)
    return path


def test_the_abi_of_the_first_version_is_kept(present: Path) -> None:
    is_kept, difference = compare(DESCRIPTION, present)
    assert is_kept, difference


def test_later_functions_say_their_version() -> None:
    described = set(re.findall(r"elf-symbol name='(\w+)'", DESCRIPTION.read_text()))
    assert len(described) > 500
    later = [function.name for function in functions() if function.name not in described]
    first = contracts.FIRST_VERSION
    assert [name for name in later if contracts.comments()[name].since == first] == []


def test_only_structs_that_hold_their_size_may_grow() -> None:
    # Structs that the library does not take or give, such as those of field.h, are no part of it.
    described = set(re.findall(r"class-decl name='(\w+)'", DESCRIPTION.read_text()))
    texts = [header.read_text() for header in HEADERS]
    declared = {name: body for text in texts for name, body in structs(text).items()}
    every = {name: body for name, body in declared.items() if name in described}
    frozen = sorted(name for name, body in every.items() if "struct_size" not in body)
    assert len(every) > 40
    assert f"^restway_({'|'.join(name[8:] for name in frozen)})$" in ALLOWED.read_text()


@pytest.mark.parametrize("change", ALLOWED_CHANGES.values(), ids=ALLOWED_CHANGES)
def test_a_change_is_allowed(change: tuple[str, str, str], present: Path, tmp_path: Path) -> None:
    is_kept, difference = compare(present, _changed(tmp_path, change))
    assert is_kept, difference


@pytest.mark.parametrize("change", FORBIDDEN_CHANGES.values(), ids=FORBIDDEN_CHANGES)
def test_a_change_is_found(change: tuple[str, str, str], present: Path, tmp_path: Path) -> None:
    is_kept, difference = compare(present, _changed(tmp_path, change))
    assert not is_kept
    assert difference.strip()


def _run_program(stage: Stage, program: Path, url: str) -> str:
    document = ROOT / "examples" / "demo-api" / "demo.restway.json"
    return output(program, document, url, env=stage.environment)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the program is for x86-64")
def test_a_program_of_the_first_version_runs(stage: Stage, demo_url: str, tmp_path: Path) -> None:
    flags = stage.pkg_config("--libs")
    output("cc", FOLDER / "program-0.1.0.s", "-o", tmp_path / "old", *flags)
    stage.compile("gcc", "gnu11", FOLDER / "program.c", tmp_path / "new")
    printed = _run_program(stage, tmp_path / "old", demo_url)
    assert printed == _run_program(stage, tmp_path / "new", demo_url)
    lines = printed.splitlines()
    assert lines[0] == "event 1, status 0, token 1"
    assert len(lines) == 9 and lines[1].endswith(" LOUD")
    assert lines[-3:] == ["took some time", "5 transforms", "0 handles"]
