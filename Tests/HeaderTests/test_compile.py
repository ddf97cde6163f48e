"""Every header compiles alone, twice, and through the umbrella header, in every dialect."""

from __future__ import annotations

from pathlib import Path

import pytest
from declarations import HEADERS, OF_PROGRAMS
from tree import C_DIALECTS, CXX_DIALECTS, INCLUDE, STRICT, language, output


@pytest.mark.parametrize(("compiler", "standard"), C_DIALECTS + CXX_DIALECTS)
def test_headers_compile_alone(compiler: str, standard: str, tmp_path: Path) -> None:
    sources = []
    for header in HEADERS:
        source = tmp_path / f"{header.stem}.c"
        include = f"#include <restway/{header.name}>\n"
        source.write_text(include + include + "int main(void) { return 0; }\n")
        sources.append(source)
    output(
        compiler, f"-std={standard}", *STRICT, "-fsyntax-only", f"-I{INCLUDE}",
        "-x", language(compiler), *sources,
    )


def test_umbrella_includes_every_header() -> None:
    umbrella = (INCLUDE / "restway" / "restway.h").read_text()
    included = [line.split('"')[1] for line in umbrella.splitlines() if line.startswith("#include")]
    assert included == sorted(included)
    # A program is not a plugin.
    others = {header.name for header in OF_PROGRAMS} - {"restway.h"}
    assert set(included) == others
