"""What the wheel and the source distribution are and contain."""

from __future__ import annotations

import os
import subprocess
import tarfile
import venv
import zipfile
from pathlib import Path

from conftest import serve

PYTHON = Path(__file__).parents[2] / "bindings" / "python"

#: Every library that is linked into the one of the wheel or into a plugin, beside Restway.
LICENCES = {
    "brotli", "curl", "jansson", "libcxx", "libpsl", "libstdc++", "libunwind", "msgpack", "nghttp2",
    "openssl", "simdjson", "sqlite", "swift", "zlib", "zstd",
}  # fmt: skip
PLUGINS = {"msgpack", "replay", "simdjson"}


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


def test_the_wheel_contains_the_library_the_plugins_and_all_licences(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = [name for name in names if name.endswith(".dist-info/WHEEL")]
        assert "Root-Is-Purelib: false" in archive.read(metadata).decode()
    plugins = {f"restway/restway/plugins/{name}.so" for name in PLUGINS}
    assert {name for name in names if ".so" in name} == {"restway/librestway.so"} | plugins
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


class Environment:
    """A new Python environment in a folder, with packages."""

    def __init__(self, folder: Path, *packages: str) -> None:
        self._folder = folder
        venv.create(folder / "venv", with_pip=True)
        self._python = str(folder / "venv" / "bin" / "python")
        pip = [self._python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", *packages], check=True)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs Python in the folder, without a library that this machine has."""
        clean = {name: os.environ[name] for name in os.environ if not name.startswith("RESTWAY")}
        return subprocess.run(
            [self._python, *arguments],
            env={**clean, "LD_LIBRARY_PATH": ""},
            cwd=self._folder,
            capture_output=True,
            text=True,
            check=False,
        )


def test_a_build_of_the_source_distribution_says_what_it_needs(
    source_distribution: Path, tmp_path: Path
) -> None:
    environment = Environment(tmp_path, str(source_distribution))
    run = environment.run("-c", "import restway; restway.version()")
    assert run.returncode == 1
    assert "LibraryError: librestway cannot be loaded; install it" in run.stderr


TEST_MODULE = """
import pytest, restway

@pytest.fixture
def restway_api():
    return restway.API.empty()

@pytest.fixture
def restway_options():
    return {"base_url": "%s"}

def test_the_thing(restway_client):
    assert restway_client.get("thing").status == 200
"""


def test_the_plugin_of_pytest_works_after_one_install(wheel: Path, tmp_path: Path) -> None:
    environment = Environment(tmp_path, str(wheel), "pytest")
    with serve() as port:
        (tmp_path / "test_thing.py").write_text(TEST_MODULE % f"http://127.0.0.1:{port}")
        recorded = environment.run("-m", "pytest", "-q", "--restway-record")
        assert "1 passed" in recorded.stdout, recorded.stdout
    played = environment.run("-m", "pytest", "-q")  # without the server
    assert "1 passed" in played.stdout, played.stdout
