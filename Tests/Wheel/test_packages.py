"""What the wheel and the source distribution are and contain."""

from __future__ import annotations

import os
import subprocess
import tarfile
import venv
import zipfile
from pathlib import Path

PYTHON = Path(__file__).parents[2] / "bindings" / "python"

#: Every library that is linked into the one of the wheel, beside Restway.
LICENCES = {
    "brotli", "curl", "jansson", "libpsl", "libstdc++", "libunwind", "nghttp2", "openssl", "sqlite",
    "swift", "zlib", "zstd",
}  # fmt: skip


def test_the_name_of_the_wheel_says_where_it_runs(wheel: Path) -> None:
    _, _, python, abi, systems = wheel.stem.split("-")
    assert (python, abi) == ("py3", "none")
    assert systems.split(".")[0] == os.environ["RESTWAY_PLATFORM"]


def test_auditwheel_confirms_the_system(wheel: Path) -> None:
    shown = subprocess.run(
        [os.environ["RESTWAY_AUDITWHEEL"], "show", str(wheel)],
        capture_output=True,
        text=True,
        check=True,
    )
    text = " ".join(shown.stdout.split())
    assert f'consistent with the following platform tag: "{os.environ["RESTWAY_PLATFORM"]}"' in text


def test_the_wheel_contains_one_library_and_all_licences(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = [name for name in names if name.endswith(".dist-info/WHEEL")]
        assert "Root-Is-Purelib: false" in archive.read(metadata).decode()
    assert [name for name in names if ".so" in name] == ["restway/librestway.so"]
    licences = [Path(name).name for name in names if Path(name).name.startswith("LICENSE")]
    assert set(licences) == {"LICENSE"} | {f"LICENSE.{name}" for name in LICENCES}


def test_both_contain_every_module(wheel: Path, source_distribution: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        in_wheel = set(archive.namelist())
    with tarfile.open(source_distribution) as sources:
        in_sources = {name.partition("/")[2] for name in sources.getnames()}
    modules = {str(path.relative_to(PYTHON)) for path in (PYTHON / "restway").rglob("*.py")}
    assert modules - in_wheel == set()
    assert modules - in_sources == set()


def test_the_source_distribution_contains_no_binary(source_distribution: Path) -> None:
    with tarfile.open(source_distribution) as archive:
        names = archive.getnames()
    assert [name for name in names if ".so" in name] == []
    assert [name for name in names if name.endswith("/LICENSE")] != []


def test_a_build_of_the_source_distribution_says_what_it_needs(
    source_distribution: Path, tmp_path: Path
) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    python = str(tmp_path / "venv" / "bin" / "python")
    pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", str(source_distribution)], check=True)
    clean = {name: os.environ[name] for name in os.environ if not name.startswith("RESTWAY")}
    run = subprocess.run(
        [python, "-c", "import restway; restway.version()"],
        env={**clean, "LD_LIBRARY_PATH": ""},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert "LibraryError: librestway cannot be loaded; install it" in run.stderr
