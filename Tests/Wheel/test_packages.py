"""What the wheels and the source distributions are and contain."""

from __future__ import annotations

import os
import subprocess
import tarfile
import venv
import zipfile
from pathlib import Path

from conftest import serve

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / "bindings" / "python"
TOOLS = ROOT / "tools" / "restway-tools"

#: Every library that is linked into the one of the wheel or into a plugin, beside Restway.
LICENCES = {
    "brotli", "curl", "jansson", "libcxx", "libpsl", "libstdc++", "libunwind", "msgpack", "nghttp2",
    "openssl", "simdjson", "sqlite", "swift", "zlib", "zstd",
}  # fmt: skip
PLUGINS = {"msgpack", "replay", "simdjson"}

#: A description in OpenAPI.
DESCRIPTION = """
{"openapi": "3.0.3", "info": {"title": "Pets", "version": "1"},
 "servers": [{"url": "https://api.example.com"}],
 "paths": {"/pets/{id}": {"get": {"responses": {"200": {"description": "", "content": {
     "application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}}}}},
 "components": {"schemas": {"Pet": {"type": "object", "required": ["id"],
     "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}}}}}
"""


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


def missing_modules(wheel: Path, source_distribution: Path, package: Path) -> set[str]:
    """Returns the modules of a package that the wheel or the source distribution leaves out."""
    with zipfile.ZipFile(wheel) as archive:
        in_wheel = set(archive.namelist())
    with tarfile.open(source_distribution) as sources:
        in_sources = {name.partition("/")[2] for name in sources.getnames()}
    modules = {str(path.relative_to(package.parent)) for path in package.rglob("*.py")}
    assert modules
    return modules - (in_wheel & in_sources)


def test_both_contain_every_module(wheel: Path, source_distribution: Path) -> None:
    assert missing_modules(wheel, source_distribution, PYTHON / "restway") == set()


def test_both_of_the_tools_contain_every_module(
    tools_wheel: Path, tools_source_distribution: Path
) -> None:
    package = TOOLS / "restway_tools"
    assert missing_modules(tools_wheel, tools_source_distribution, package) == set()
    assert tools_wheel.name.endswith("-py3-none-any.whl")


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
        self._pip("install", *packages)

    def _pip(self, *arguments: str) -> None:
        pip = [str(self._folder / "venv" / "bin" / "pip"), "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *arguments], check=True)

    def uninstall(self, package: str) -> None:
        self._pip("uninstall", "--yes", package)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs Python in the folder, without a library that this machine has."""
        return self.run_program("python", *arguments)

    def run_program(self, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs a program of the environment, as `run` does Python."""
        clean = {name: os.environ[name] for name in os.environ if not name.startswith("RESTWAY")}
        return subprocess.run(
            [str(self._folder / "venv" / "bin" / name), *arguments],
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


def test_the_extra_installs_the_tools(wheel: Path, tools_wheel: Path, tmp_path: Path) -> None:
    """Both wheels lie in one folder, so that pip needs no network."""
    folder = str(wheel.parent)
    environment = Environment(tmp_path, "--no-index", "--find-links", folder, f"{wheel}[tools]")
    for program in ("restway-openapi", "restway-stubs"):
        said = environment.run_program(program, "--help")
        assert said.stdout.startswith(f"usage: {program} "), said.stderr
    (tmp_path / "api.json").write_text(DESCRIPTION)
    imported = environment.run_program("restway-openapi", "api.json", "-o", "api.restway.json")
    assert imported.returncode == 0, imported.stderr
    written = environment.run_program("restway-stubs", "api.restway.json", "-o", "api.py")
    assert written.returncode == 0, written.stderr
    environment.uninstall("restway-tools")
    made = environment.run("-c", "import api; print(api.Pet.__name__, api.Client.__mro__[1])")
    assert made.stdout == "Pet <class 'restway.typed.clients.TypedClient'>\n", made.stderr


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
