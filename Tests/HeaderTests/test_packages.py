"""The installed package for CMake, and the module map for Clang."""

from __future__ import annotations

from pathlib import Path

from tree import ROOT, Stage, output, run

PROJECT = """
cmake_minimum_required(VERSION 3.16)
project(companies C CXX)
set(CMAKE_CXX_STANDARD 17)
find_package(restway {version} REQUIRED)
add_executable(companies {root}/bindings/c/examples/companies.c)
target_link_libraries(companies PRIVATE restway::restway)
add_executable(issues {root}/examples/issues.cpp)
target_link_libraries(issues PRIVATE restway::restway)
"""


def _configure(version: str, prefix: Path, folder: Path) -> list[str | Path]:
    (folder / "CMakeLists.txt").write_text(PROJECT.format(version=version, root=ROOT))
    return ["cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}"]


def test_programs_are_built_with_cmake(stage: Stage, demo_url: str, tmp_path: Path) -> None:
    output(*_configure("0.1", stage.prefix, tmp_path))
    output("cmake", "--build", tmp_path / "build")
    companies = output(tmp_path / "build" / "companies", cwd=ROOT)
    assert "Nordlicht Books Inc." in companies
    assert "422" in output(tmp_path / "build" / "issues", cwd=ROOT)


def test_cmake_refuses_a_version_that_is_not_installed(stage: Stage, tmp_path: Path) -> None:
    result = run(*_configure("99.0", stage.prefix, tmp_path))
    assert result.returncode != 0
    assert "99.0" in result.stderr


def test_the_module_map_is_found_beside_the_headers(stage: Stage, tmp_path: Path) -> None:
    source = tmp_path / "modules.c"
    source.write_text(
        "#pragma clang module import CRestway\n"
        "#pragma clang module import CRestwayPlugin\n"
        "int main(void) { return restway_abi_version(); }\n"
    )
    output(
        "clang", "-std=c11", "-fmodules", f"-fmodules-cache-path={tmp_path}", source,
        "-o", tmp_path / "modules", *stage.pkg_config("--cflags", "--libs"),
    )
    output(tmp_path / "modules", env=stage.environment)
