"""The packages of Debian: what they contain, and how they are installed, used and removed in a
Debian that has nothing of Restway.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from old_system import OldSystem

ROOT = Path(__file__).parents[2]
PACKAGES = Path(os.environ["RESTWAY_PACKAGES"])
NAMES = ("librestway0", "librestway-dev", "python3-restway", "restway-plugins", "restway-tools")
SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"

#: Reads an object of the demo API, with a mapper of a plugin.
GET = """
import os, restway
restway.load_plugin("simdjson")
api = restway.API.load("/tmp/demo.restway.json")
with restway.Client(api, base_url=os.environ["RESTWAY_DEMO_URL"]) as client:
    print(client.get("enterprises/3").object.name)
"""


class Debian(OldSystem):
    """A Debian in a folder, with its tools for packages."""

    def apt(self, *words: str) -> None:
        quiet = ["apt-get", "--quiet", "--yes", "--no-install-recommends", *words]
        self.expect(*quiet, PATH=SYSTEM_PATH, DEBIAN_FRONTEND="noninteractive")

    def traces(self) -> list[str]:
        """Returns what is there of Restway, outside of /tmp and of the lists of apt."""
        found = self.expect(
            "find", "/usr", "/etc", "/var", "-iname", "*restway*",
            "-not", "-path", "/var/cache/apt/*", "-not", "-path", "/var/lib/apt/*",
        )
        return found.splitlines()


@pytest.fixture(scope="module")
def debian() -> Iterator[Debian]:
    """The Debian, with the packages installed."""
    debian = Debian(Path(os.environ["RESTWAY_SYSTEM"]))
    debian.apt("purge", *(name for name in NAMES if debian.run("dpkg", "-s", name).returncode == 0))
    debian.apt("autoremove")
    assert debian.traces() == []
    debian.remove("/tmp/packages")
    files = sorted(PACKAGES.glob("*.deb"))
    for path in files:
        debian.put(f"/tmp/packages/{path.name}", path.read_bytes())
    debian.put("/etc/resolv.conf", Path("/etc/resolv.conf").read_bytes())
    debian.apt("update")
    debian.apt("install", *(f"/tmp/packages/{path.name}" for path in files))
    document = ROOT / "examples" / "demo-api" / "demo.restway.json"
    debian.put("/tmp/demo.restway.json", document.read_bytes())
    yield debian
    debian.apt("purge", *NAMES)


def _sums(folder: Path) -> dict[str, str]:
    files = folder.glob("*.deb")
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_there_are_five_packages() -> None:
    assert {path.name.split("_")[0] for path in PACKAGES.glob("*.deb")} == set(NAMES)


def test_the_same_stage_gives_the_same_bytes() -> None:
    assert _sums(PACKAGES) == _sums(Path(os.environ["RESTWAY_PACKAGES_AGAIN"]))


def test_lintian_finds_no_error() -> None:
    found = subprocess.run(
        ["lintian", "--allow-root", "--fail-on", "error", *map(str, PACKAGES.glob("*.deb"))],
        capture_output=True, text=True, check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr


def test_the_library_needs_no_library_of_swift() -> None:
    fields = subprocess.run(
        ["dpkg-deb", "--field", *map(str, PACKAGES.glob("librestway0_*")), "Depends"],
        capture_output=True, text=True, check=True,
    ).stdout
    assert "libcurl4 (>= " in fields and "libsqlite3-0 (>= " in fields
    assert "swift" not in fields.lower()


def test_the_library_is_found(debian: Debian) -> None:
    (library,) = debian.expect("sh", "-c", "echo /usr/lib/*/librestway.so.0").split()
    linked = debian.expect("ldd", library)
    assert "not found" not in linked and "swift" not in linked
    assert "librestway.so.0" in debian.expect("ldconfig", "-p", PATH=SYSTEM_PATH)


def test_a_c_program_is_compiled_and_runs(debian: Debian) -> None:
    source = ROOT / "bindings" / "c" / "examples" / "companies.c"
    debian.put("/tmp/companies.c", source.read_bytes())
    compiler = "cc companies.c -o companies $(pkg-config --cflags --libs restway)"
    debian.expect("sh", "-c", compiler)
    printed = debian.expect(
        "/tmp/companies", RESTWAY_DEMO_URL=os.environ["RESTWAY_DEMO_URL"],
        RESTWAY_DEMO_DOCUMENT="/tmp/demo.restway.json",
    )
    assert "Nordlicht Books Inc." in printed


def test_python_gets_an_object_with_a_plugin(debian: Debian) -> None:
    url = os.environ["RESTWAY_DEMO_URL"]
    assert debian.expect("python3", "-c", GET, RESTWAY_DEMO_URL=url).strip()
    path = debian.expect(
        "python3", "-c", "import restway._ffi as f, restway; restway.version(); print(f.lib.path)"
    )
    assert path.strip() == "librestway.so.0"
    assert debian.expect("python3", "-c", "import restway; print(restway.__file__)").startswith(
        "/usr/lib/python3/dist-packages/restway/"
    )


def test_python_knows_the_package(debian: Debian) -> None:
    code = "import importlib.metadata as m; print(m.version('restway'), m.version('restway-tools'))"
    assert debian.expect("python3", "-c", code) == "0.1.0 0.1.0\n"
    for program in ("restway-openapi", "restway-stubs"):
        assert "usage:" in debian.expect(program, "--help")


def test_the_plugins_pass_the_tool_that_checks_plugins(debian: Debian) -> None:
    checked = 'restway-plugin-check "$(pkg-config --variable=plugindir restway)"/msgpack.so'
    debian.expect("sh", "-c", checked)


def test_removing_leaves_nothing(debian: Debian) -> None:
    debian.apt("purge", *NAMES)
    try:
        assert debian.traces() == []
        assert "restway" not in debian.expect("ldconfig", "-p", PATH=SYSTEM_PATH)
    finally:
        debian.apt("install", *(f"/tmp/packages/{path.name}" for path in PACKAGES.glob("*.deb")))
