"""Sizes and offsets of structs; INIT macros and init functions set the same values."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from declarations import all_enums, all_functions, all_structs
from tree import C_DIALECTS, CXX_DIALECTS, INCLUDE, STRICT, Stage, language, output, run

STRUCTS = all_structs()
#: Structs that no version may change, and their sizes.
FROZEN = {"restway_value": 16, "restway_event": 64}
#: Structs that hold their own size: they are append-only, with an INIT macro and an init function.
SIZED = [name for name, body in STRUCTS.items() if "struct_size" in body]


def _fields(name: str) -> list[str]:
    """Returns the names of a struct's fields; a nested union counts as one field, an array too."""
    body = re.sub(r"\{.*?\}|\[\w+\]", "", STRUCTS[name], flags=re.DOTALL)
    return [part.split()[-1].strip("*") for part in body.split(";") if part.strip()]


def _asserting(conditions: list[str]) -> str:
    # An array of a negative size stops any C or C++ compiler, whatever its version.
    lines = [
        f"typedef char check_{number}[({condition}) ? 1 : -1];"
        for number, condition in enumerate(conditions)
    ]
    return "#include <stddef.h>\n#include <restway/restway.h>\n" + "\n".join(lines) + "\n"


def test_the_structs_are_known_here() -> None:
    assert {"restway_value", "restway_client_options"} <= set(STRUCTS)


@pytest.mark.parametrize(
    ("compiler", "standard"), [C_DIALECTS[0], C_DIALECTS[-1], CXX_DIALECTS[0], CXX_DIALECTS[-1]]
)
def test_sizes(compiler: str, standard: str, tmp_path: Path) -> None:
    conditions = [f"sizeof({name}) == {size}" for name, size in FROZEN.items() if name in STRUCTS]
    conditions += ["offsetof(restway_value, as) == 8"]
    conditions += [f"sizeof({name}) % 8 == 0" for name in STRUCTS]
    conditions += [f"sizeof({name}) == 4" for name in all_enums()]
    conditions += [f"offsetof({name}, struct_size) == 0" for name in SIZED]
    source = tmp_path / "sizes.c"
    source.write_text(_asserting(conditions))
    output(
        compiler, f"-std={standard}", *STRICT, "-Wno-unused-local-typedefs", "-fsyntax-only",
        f"-I{INCLUDE}", "-x", language(compiler), source,
    )


def test_no_implicit_padding(tmp_path: Path) -> None:
    """Each field starts where the one before ends, and the last field ends with the struct."""
    conditions = [condition for name in STRUCTS for condition in _without_padding(name)]
    source = tmp_path / "padding.c"
    source.write_text(_asserting(conditions))
    output("gcc", "-std=c99", *STRICT, "-fsyntax-only", f"-I{INCLUDE}", source)


def _without_padding(name: str) -> list[str]:
    fields = _fields(name)
    size = "sizeof((({0} *)0)->{1})".format
    ends = [f"offsetof({name}, {field}) + {size(name, field)}" for field in fields]
    starts = [f"offsetof({name}, {field})" for field in fields[1:]] + [f"sizeof({name})"]
    return [f"{end} == {start}" for end, start in zip(ends, starts, strict=True)]


def test_the_padding_check_can_fail(tmp_path: Path) -> None:
    source = tmp_path / "wrong.c"
    source.write_text(_asserting(["sizeof(restway_value) == 17"]))
    assert run("gcc", "-fsyntax-only", f"-I{INCLUDE}", source).returncode != 0


@pytest.mark.parametrize(
    ("compiler", "standard"), [("gcc", "c99"), ("clang", "c2x"), ("g++", "c++11")]
)
def test_init_macros_equal_init_functions(
    compiler: str, standard: str, stage: Stage, tmp_path: Path
) -> None:
    source = tmp_path / "init.c"
    checks = "\n".join(
        _INIT_CHECK.format(name=name, macro=f"{name.upper()}_INIT") for name in SIZED
    )
    source.write_text(
        "#include <stdio.h>\n#include <string.h>\n#include <restway/restway.h>\n"
        f"int main(void) {{\n{checks}\nreturn 0; }}\n"
    )
    program = tmp_path / f"init-{compiler}"
    stage.compile(compiler, standard, source, program)
    printed = output(program, env=stage.environment)
    assert printed.split() == SIZED


#: Compares what the macro and the function give for one struct, and prints its name if they agree.
_INIT_CHECK = """{{
    const {name} expected = {macro};
    {name} options;
    memset(&options, 0x5a, sizeof(options));
    const int is_set = {name}_init(&options, sizeof(options), NULL) == RESTWAY_OK;
    if (is_set && memcmp(&options, &expected, sizeof(options)) == 0) {{ puts("{name}"); }}
}}"""


def test_every_sized_struct_has_an_init_function() -> None:
    assert {f"{name}_init" for name in SIZED} <= {function.name for function in all_functions()}


@pytest.mark.parametrize("compiler", ["gcc", "clang", "g++", "clang++"])
def test_an_ignored_status_is_an_error(compiler: str, tmp_path: Path) -> None:
    """The compiler warns once for every function that returns a status."""
    checked = [function for function in all_functions() if function.must_use]
    lines = ["#include <restway/restway.h>", "void ignore(void);", "void ignore(void) {"]
    for function in checked:
        arguments = ", ".join(_zero(word) for word in function.parameters.split(","))
        lines.append(f"    {function.name}({arguments});")
    source = tmp_path / "ignored.c"
    source.write_text("\n".join([*lines, "}", ""]))
    result = run(
        compiler, "-fsyntax-only" if "clang" in compiler else "-c", "-O1", "-o", tmp_path / "out.o",
        f"-I{INCLUDE}", "-x", language(compiler), source,
    )
    warned = result.stderr.count("[-Wunused-result]")
    assert warned == len(checked), result.stderr


def _zero(parameter: str) -> str:
    words = parameter.replace("const ", "").replace("struct ", "").split()
    is_enum = words[0] in all_enums() and "*" not in parameter
    return f"({words[0]})0" if is_enum else "0"
