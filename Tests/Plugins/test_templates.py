"""The templates and the plugins of the documentation are used as a reader would use them: copied
out of the tree, built with one command against the installed library, checked, and loaded from C
and from Python.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STAGE = Path(os.environ["RESTWAY_PREFIX"])

#: The run-time libraries of the language; no library of Restway is linked.
LINKED = {
    "c": {"libc.so.6"},
    "swift": {"libc.so.6", "libgcc_s.so.1", "libm.so.6", "libstdc++.so.6"},
}
NAMES = {"c": "template", "swift": "properties"}


def _run(*words: str | Path, cwd: Path | None = None) -> str:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("MAKE")},
        "PKG_CONFIG_PATH": str(STAGE / "lib" / "pkgconfig"),
        "PATH": f"{STAGE / 'bin'}:{os.environ['PATH']}:/opt/swift/usr/bin",
        "PYTHONPATH": str(ROOT / "bindings" / "python"),
    }
    ended = subprocess.run(
        [str(word) for word in words], cwd=cwd, env=environment, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=240, check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.fixture(name="template", scope="module")
def _template(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Builds the plugin of a language's template, once."""
    built: dict[str, Path] = {}

    def build(language: str) -> Path:
        if language not in built:
            folder = tmp_path_factory.mktemp("elsewhere") / language
            shutil.copytree(ROOT / "examples" / "plugin-template" / language, folder)
            _run("make", cwd=folder)
            built[language] = folder / f"{NAMES[language]}.so"
        return built[language]

    return build


@pytest.mark.parametrize("language", NAMES)
def test_it_builds_outside_the_tree_and_links_nothing_of_restway(
    language: str, template: Callable[[str], Path]
) -> None:
    plugin = template(language)
    needed = {
        line.split("[")[1].rstrip("]")
        for line in _run("readelf", "--dynamic", "--wide", plugin).splitlines()
        if "(NEEDED)" in line and "[ld-linux" not in line
    }
    assert needed <= LINKED[language]
    shown = [line.split()[-1] for line in _run("nm", "-D", "--defined-only", plugin).splitlines()]
    assert shown == ["restway_plugin_v1"]


@pytest.mark.parametrize("language", NAMES)
def test_it_passes_the_check(language: str, template: Callable[[str], Path]) -> None:
    report = _run("make", "check", cwd=template(language).parent)
    lines = report.splitlines()
    assert ", 0 FAILED, " in lines[-1]
    assert any(line.startswith("ok       mapper.skip") for line in lines)
    assert (language == "c") == any(line.startswith("ok       transport.pause") for line in lines)


@pytest.mark.parametrize("language", NAMES)
def test_make_install_puts_it_where_a_name_is_looked_for(
    language: str, template: Callable[[str], Path], tmp_path: Path
) -> None:
    plugin = template(language)
    _run("make", "install", f"DESTDIR={tmp_path}", cwd=plugin.parent)
    installed = tmp_path / (STAGE / "lib/restway/plugins" / plugin.name).relative_to("/")
    assert installed.read_bytes() == plugin.read_bytes()


_C_PROGRAM = """
#include <restway/restway.h>
#include <stdio.h>

int main(int argc, char **argv) {
    restway_error *error = NULL;
    for (int index = 1; index < argc; index++) {
        if (restway_plugin_load(argv[index], NULL, &error) != RESTWAY_OK) {
            printf("%s\\n", restway_error_message(error));
            restway_error_release(error);
            return 1;
        }
    }
    for (size_t index = 0; index < restway_plugin_count(); index++) {
        printf("%s %s\\n", restway_plugin_name(index), restway_plugin_version(index));
    }
    return 0;
}
"""


def test_a_c_program_loads_both(template: Callable[[str], Path], tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text(_C_PROGRAM)
    flags = [f"-I{STAGE}/include", f"-L{STAGE}/lib", "-lrestway", f"-Wl,-rpath,{STAGE}/lib"]
    _run("cc", "-std=c99", "-Wall", "-Werror", source, "-o", tmp_path / "program", *flags)
    printed = _run(tmp_path / "program", template("c"), template("swift"))
    assert printed == "template 1.0\nproperties 1.0\n"


#: The body that is sent for each path.
_BODIES = {
    "/csv": ("text/csv", 'id;name;city\n1;Acme;\n2;"B;""C""";Rome\n'),
    "/properties": ("text/x-properties", "# one\nid = 7\nname = Zoë\n"),
    "/bad": ("text/x-properties", "secret\n"),
    "/number": ("text/x-number", "42"),
    "/no-number": ("text/x-number", "4x2"),
}


class _Bodies(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        kind, text = _BODIES[self.path]
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(name="server", scope="module")
def _server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Bodies) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


_PYTHON_PROGRAM = """
import json, sys
import restway

url, csv, properties = sys.argv[1:]
attributes = {"id": {}, "name": {}, "city": {}}
client = restway.Client(restway.API.from_json({
    "restway": 1,
    "environments": {"here": {"baseURL": url}},
    "environment": "here",
    "entities": {"Thing": {"identity": "id", "attributes": attributes}},
    "responses": [{"entity": "Thing"}],
    "plugins": [{"path": csv, "options": {"separator": ";"}}, {"path": properties}],
}), load_plugins=True)
print([thing.attributes() for thing in client.get("csv").objects])
print([thing.attributes() for thing in client.get("properties").objects])
try:
    client.get("bad")
except restway.MappingError as error:
    print(error)
mirror = restway.Client(restway.API.from_json({
    "restway": 1, "environments": {"here": {"baseURL": url}}, "environment": "here"
}), transport="mirror")
print(mirror.get("some/where?secret=1").text.removeprefix(url))
print(mirror.post("x", body=iter([b"in ", b"three ", b"pieces"])).text)
print(mirror.put("x", body="whole").text)
"""


def test_python_maps_with_both(template: Callable[[str], Path], server: str) -> None:
    printed = _run(
        sys.executable, "-c", _PYTHON_PROGRAM, server, template("c"), template("swift")
    ).splitlines()
    assert printed[0] == (
        "[{'id': '1', 'name': 'Acme', 'city': ''}, "
        "{'id': '2', 'name': 'B;\"C\"', 'city': 'Rome'}]"
    )
    assert printed[1] == "[{'id': '7', 'name': 'Zoë'}]"
    assert 'mapper "properties": no = in the line' in printed[2]
    assert "secret" not in printed[2]
    # The transport of the C template: a URL, a body that it reads, a body in memory.
    assert printed[3:] == ["/some/where", "in three pieces", "whole"]


def _blocks(section: str, language: str) -> list[str]:
    """Returns the code of a section of the documentation."""
    text = (ROOT / "docs/PLUGINS.md").read_text("utf-8").split(f"\n## {section}\n")[1]
    steps = re.split(r"\n###? ", text)[0]
    found = re.findall(rf"^ *```{language}\n(.*?)^ *```$", steps, re.DOTALL | re.MULTILINE)
    return [textwrap.dedent(block) for block in found]


_NUMBER_PROGRAM = """
import sys
import restway

url, plugin = sys.argv[1:]
client = restway.Client(restway.API.from_json({
    "restway": 1,
    "environments": {"here": {"baseURL": url}},
    "environment": "here",
    "entities": {"Answer": {"attributes": {"number": {"type": "int"}}}},
    "responses": [{"entity": "Answer"}],
    "plugins": [{"path": plugin}],
}), load_plugins=True)
print([answer.number for answer in client.get("number").objects])
try:
    client.get("no-number")
except restway.MappingError as error:
    print(error)
"""


def test_the_mapper_of_the_documentation_is_a_whole_one(server: str, tmp_path: Path) -> None:
    (tmp_path / "number.c").write_text("".join(_blocks("Writing a mapper", "c")))
    (commands,) = _blocks("Writing a mapper", "sh")
    report = _run("bash", "-euc", commands, cwd=tmp_path)
    assert ", 0 FAILED, " in report.splitlines()[-1]
    printed = _run(sys.executable, "-c", _NUMBER_PROGRAM, server, tmp_path / "number.so")
    mapped, error = printed.splitlines()
    assert mapped == "[42]"
    assert 'mapper "number": not a number: something else than a digit at line 1, column 2' in error
    assert "4x2" not in error


_ECHO_PROGRAM = """
import sys
import restway

api = restway.API.from_json({
    "restway": 1,
    "environments": {"here": {"baseURL": "http://127.0.0.1:9"}},
    "environment": "here",
    "plugins": [{"path": sys.argv[1]}],
})
with restway.Client(api, load_plugins=True, transport="echo") as client:
    print(client.get("some/where?secret=1").text)
try:
    restway.Client(api, load_plugins=True, transport="echo", transport_options={"loud": 1})
except restway.RestwayError as error:
    print(error)
"""


def test_the_transport_of_the_documentation_is_a_whole_one(tmp_path: Path) -> None:
    (tmp_path / "echo.c").write_text("".join(_blocks("Writing a transport", "c")))
    (commands,) = _blocks("Writing a transport", "sh")
    report = _run("bash", "-euc", commands, cwd=tmp_path)
    lines = report.splitlines()
    assert ", 0 FAILED, " in lines[-1]
    for check in ("transport.pause", "transport.cancel", "transport.close"):
        assert any(line.startswith(f"ok       {check}") for line in lines), report
    printed = _run(sys.executable, "-c", _ECHO_PROGRAM, tmp_path / "echo.so").splitlines()
    assert printed[0] == "http://127.0.0.1:9/some/where"
    assert 'unknown option "loud"' in printed[1]
