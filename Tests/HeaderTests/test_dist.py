"""The files of a version: archives, the software bill of materials, and checksums."""

from __future__ import annotations

import json
import re
import tarfile
from pathlib import Path
from typing import Any

import pytest
from tree import ROOT, Stage, output, run

NAME = "restway-0.1.0"


@pytest.fixture(scope="module")
def version(stage: Stage, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if run("git", "-C", ROOT, "rev-parse").returncode != 0:
        pytest.skip("the sources are no clone of git")
    folder = tmp_path_factory.mktemp("dist") / "files"
    output(ROOT / "make" / "dist" / "build", stage.prefix, folder, "0.1.0")
    return folder


def _materials(version: Path) -> Any:
    return json.loads((version / f"{NAME}.spdx.json").read_text())


def test_the_checksums_are_those_of_all_files(version: Path) -> None:
    output("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=version)
    named = {line.split()[-1] for line in (version / "SHA256SUMS").read_text().splitlines()}
    assert named | {"SHA256SUMS"} == {path.name for path in version.iterdir()}
    assert len(named) == 3


def test_the_sources_are_what_is_committed(version: Path) -> None:
    committed = output("git", "-C", ROOT, "ls-tree", "-r", "--name-only", "-z", "HEAD")
    with tarfile.open(version / f"{NAME}.tar.gz") as archive:
        names = [member.name for member in archive.getmembers() if not member.isdir()]
    expected = {f"{NAME}/{name}" for name in committed.split("\0") if name}
    assert set(names) - {"pax_global_header"} == expected


def test_the_same_commit_gives_the_same_bytes(version: Path, stage: Stage, tmp_path: Path) -> None:
    output(ROOT / "make" / "dist" / "build", stage.prefix, tmp_path / "again", "0.1.0")
    sums = (tmp_path / "again" / "SHA256SUMS").read_text()
    assert sums == (version / "SHA256SUMS").read_text()


def test_the_library_is_used_from_its_archive(version: Path, tmp_path: Path) -> None:
    (path,) = version.glob(f"{NAME}-linux-*.tar.gz")
    output("tar", "-xf", path, "-C", tmp_path)
    (prefix,) = tmp_path.iterdir()
    unpacked = Stage(prefix)
    source = tmp_path / "version.c"
    source.write_text(
        "#include <restway/restway.h>\n#include <stdio.h>\n"
        "int main(void) { return puts(restway_version_string()) < 0; }\n"
    )
    unpacked.compile("gcc", "c99", source, tmp_path / "version")
    assert output(tmp_path / "version", env=unpacked.environment) == "0.1.0\n"


def test_the_materials_list_every_linked_library(version: Path, stage: Stage) -> None:
    found = _materials(version)
    assert found["spdxVersion"] == "SPDX-2.3"
    packages = {package["SPDXID"]: package for package in found["packages"]}
    assert all(package["versionInfo"] for package in packages.values())
    linked = {
        each["relatedSpdxElement"] for each in found["relationships"]
        if each["spdxElementId"] == "SPDXRef-restway-library" and "LINK" in each["relationshipType"]
    }
    section = output("readelf", "-dW", stage.library)
    needed = re.findall(r"\(NEEDED\).*?\[lib(curl|sqlite3|z|zstd|brotlidec|crypto)\.so", section)
    names = {"sqlite3": "sqlite", "z": "zlib", "brotlidec": "brotli", "crypto": "openssl"}
    assert len(needed) >= 5
    expected = {f"SPDXRef-{names.get(name, name)}" for name in needed}
    assert linked == expected | {"SPDXRef-jansson", "SPDXRef-swift"}
    assert linked <= set(packages)


def test_the_materials_name_the_archives(version: Path) -> None:
    sums = {
        package["packageFileName"]: package["checksums"][0]["checksumValue"]
        for package in _materials(version)["packages"] if "packageFileName" in package
    }
    lines = (version / "SHA256SUMS").read_text().splitlines()
    known = {line.split()[1]: line.split()[0] for line in lines}
    assert len(sums) == 2
    assert sums == {name: known[name] for name in sums}
