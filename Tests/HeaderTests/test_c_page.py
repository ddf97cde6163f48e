"""The examples of docs/C.md compile, and its program runs."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from tree import INCLUDE, ROOT, STRICT, Stage, language, output

DIALECTS = [("gcc", "c99"), ("clang", "c2x"), ("g++", "c++11"), ("clang++", "c++20")]
#: What the parts of functions refer to. Their own variables need not be used.
PARAMETERS = (
    "restway_client *client, restway_store *store, restway_response *response,"
    " const restway_object *issue, restway_draft *draft, restway_error *error"
)
USES = "(void)client, (void)store, (void)response, (void)issue, (void)draft, (void)error;\n"
#: The functions of the page are static, and a compiler warns of those that are not used.
USE_OF_FUNCTIONS = (
    "(void)restway_client_set_refresh(client, refresh_token, client, NULL, &error);\n"
)
LIKE_A_PAGE = ["-Wno-unused-variable", "-Wno-unused-but-set-variable"]


def _blocks(kind: str) -> list[str]:
    text = (ROOT / "docs" / "C.md").read_text()
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def _function(name: str, body: str) -> str:
    head = f"void {name}({PARAMETERS})"
    return f"{head};\n{head} {{\n{USES}{{\n{body}}}\n}}\n"


@pytest.mark.parametrize(("compiler", "standard"), DIALECTS)
def test_the_parts_compile(compiler: str, standard: str, stage: Stage, tmp_path: Path) -> None:
    document = ROOT / "examples" / "tracker.restway.json"
    output(
        sys.executable, "-m", "restway_tools.stubs", document, "--c", "--output",
        tmp_path / "tracker.h", env=stage.environment,
    )
    bodies = [*_blocks("c part"), *_blocks("c tracker"), *_blocks("c related")]
    assert len(bodies) > 8
    source = tmp_path / "page.c"
    source.write_text(
        '#include "tracker.h"\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n'
        + "".join(_blocks("c tables"))
        + "".join(_blocks("c functions"))
        + _function("set_refresh", USE_OF_FUNCTIONS)
        + "".join(_function(f"part_{number}", body) for number, body in enumerate(bodies))
    )
    output(
        compiler, f"-std={standard}", *STRICT, *LIKE_A_PAGE, "-fsyntax-only", f"-I{INCLUDE}",
        "-x", language(compiler), source,
    )


def test_the_program_runs(stage: Stage, demo_url: str, tmp_path: Path) -> None:
    (program,) = _blocks("c")
    source = tmp_path / "program.c"
    source.write_text(program)
    stage.compile("gcc", "c99", source, tmp_path / "program")
    printed = output(tmp_path / "program", env=stage.environment, cwd=ROOT)
    assert printed == "The window does not open\n"


def test_the_structs_of_related_objects_are_filled(
    stage: Stage, demo_url: str, tmp_path: Path
) -> None:
    (program,), (tables,), (related,) = _blocks("c"), _blocks("c tables"), _blocks("c related")
    start, end = program.index("int main"), program.index("        puts(")
    body = f"restway_store *store = restway_client_store(client);\n{related}"
    source = tmp_path / "program.c"
    source.write_text(
        f"{program[:start]}{tables}{program[start:end]}{body}restway_store_release(store);\n"
        + program[program.index("\n", end) + 1 :]
    )
    stage.compile("gcc", "c99", source, tmp_path / "program")
    assert output(tmp_path / "program", env=stage.environment, cwd=ROOT) == "bug\n"
