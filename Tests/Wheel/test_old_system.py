"""The wheel in an older Debian that has nothing but Python."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from certificates import Authority, folder_of
from old_system import CERTIFICATE_FILES, OldSystem

ROOT = Path(__file__).parents[2]

#: Requests the URL in the variable URL.
FETCH = """
import os, restway
client = restway.Client(restway.API.empty(), base_url=os.environ["URL"])
with client:
    print(client.get("thing").status)
"""

STORE = """
import restway
note = {"identity": "id", "attributes": {"id": {"type": "int"}, "text": {"type": "string"}}}
document = {"restway": 1, "entities": {"Note": note}}
for text in ("first", None):
    with restway.Client(
        restway.API.from_json(document), base_url="http://127.0.0.1:9", store_path="/tmp/notes.db"
    ) as client:
        if text is not None:
            client.draft("Note", id=1, text=text).insert()
        print([note.text for note in client.store.all("Note")])
"""

#: Reads the same note as JSON with simdjson, and as MessagePack.
MAPPERS = r"""
import restway
note = {"identity": "id", "attributes": {"id": {"type": "int"}, "text": {"type": "string"}}}
bodies = {"simdjson": b'[{"id": 1, "text": "a"}]', "msgpack": b"\x91\x82\xa2id\x01\xa4text\xa1a"}
for name in bodies:
    restway.load_plugin(name)
with restway.Client({"restway": 1, "entities": {"Note": note}}, base_url="http://h") as client:
    for name, body in bodies.items():
        print(client.map("Note", body, mapper=name).objects.to_dicts())
"""

#: Gets an answer on the transport `replay`, as the plugin of pytest does.
REPLAY = """
import os, restway, restway.testing
options = restway.testing.replaying("/tmp/thing.json", os.environ["MODE"])
with restway.Client(restway.API.empty(), base_url=os.environ["URL"], **options) as client:
    print(client.get("thing").status)
"""

#: Gets cookies from a host of this name on the loopback interface, and prints their domains.
COOKIES = """
import os, restway
host = os.environ["HOST"]
network = restway.Network(addresses=[host + ":127.0.0.1"])
client = restway.Client(restway.API.empty(), base_url="http://" + host, network=network)
with client:
    client.get("thing")
    print([cookie.domain for cookie in client.cookies.list()])
"""


def test_the_system_has_nothing_of_what_the_library_is_built_from(system: OldSystem) -> None:
    found = [
        path
        for path in system.root.rglob("*")
        if re.match(r"lib(swift|curl|jansson|nghttp2|brotli)|(swiftc?|cc|curl)$", path.name)
    ]
    assert found == []


def test_the_library_is_the_one_of_the_wheel(system: OldSystem) -> None:
    code = "import restway, restway._ffi as native; restway.version(); print(native.lib.path)"
    path = system.expect(system.python, "-c", code).strip()
    assert path.startswith("/wheel/lib/") and path.endswith("/restway/librestway.so")


def test_the_example_of_the_readme_runs(system: OldSystem) -> None:
    text = (ROOT / "README.md").read_text()
    document = re.search(r"^```json\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    program = re.search(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert document is not None and program is not None
    url = os.environ["RESTWAY_DEMO_URL"]
    system.put("/tmp/tracker.json", document[1].replace("http://127.0.0.1:8080/v2", url).encode())
    printed = system.expect(system.python, "-c", program[1]).splitlines()
    assert printed[0] == "1 The window does not open grace"
    assert printed[-1].startswith("<Issue 12 ")


def test_a_store_in_a_file_is_kept(system: OldSystem) -> None:
    system.remove("/tmp/notes.db")
    assert system.expect(system.python, "-c", STORE) == "['first']\n['first']\n"


def test_the_mappers_of_the_plugins_are_there(system: OldSystem) -> None:
    assert system.expect(system.python, "-c", MAPPERS) == "[{'id': 1, 'text': 'a'}]\n" * 2


def test_answers_are_recorded_and_played(system: OldSystem, http_port: int) -> None:
    system.remove("/tmp/thing.json")
    url = f"http://127.0.0.1:{http_port}"
    for mode in ("record", "play"):
        printed = system.expect(system.python, "-c", REPLAY, URL=url, MODE=mode)
        assert printed == "200\n", mode
    cassette = (system.root / "tmp/thing.json").read_text()
    assert f"{url}/thing" in cassette


@pytest.mark.parametrize("place", CERTIFICATE_FILES)
def test_the_certificates_of_each_distribution_are_trusted(
    place: str, system: OldSystem, authority: Authority, https_url: str
) -> None:
    system.put(place, Path(authority.ca_file).read_bytes())
    try:
        assert system.expect(system.python, "-c", FETCH, URL=https_url) == "200\n"
    finally:
        system.remove(place)


def test_a_file_that_the_environment_names_is_trusted(
    system: OldSystem, authority: Authority, https_url: str
) -> None:
    system.put("/tmp/authority.pem", Path(authority.ca_file).read_bytes())
    fetched = system.expect(
        system.python, "-c", FETCH, URL=https_url, SSL_CERT_FILE="/tmp/authority.pem"
    )
    assert fetched == "200\n"


def test_a_folder_that_the_environment_names_is_trusted(
    system: OldSystem, authority: Authority, https_url: str, tmp_path: Path
) -> None:
    for path in folder_of(authority.ca_file, tmp_path / "trusted").iterdir():
        system.put(f"/tmp/trusted/{path.name}", path.read_bytes())
    fetched = system.expect(
        system.python, "-c", FETCH, URL=https_url, SSL_CERT_DIR="/tmp/trusted"
    )
    assert fetched == "200\n"


def test_without_certificates_no_server_is_trusted(system: OldSystem, https_url: str) -> None:
    done = system.run(system.python, "-c", FETCH, URL=https_url)
    assert done.returncode == 1
    assert "TLSError" in done.stderr.splitlines()[-1]


def test_a_cookie_of_a_public_suffix_is_refused(system: OldSystem, http_port: int) -> None:
    host = f"www.example.co.uk:{http_port}"
    printed = system.expect(system.python, "-c", COOKIES, HOST=host)
    assert printed == "['example.co.uk']\n"


def test_uninstalling_leaves_nothing(system: OldSystem, wheel: Path) -> None:
    system.expect(system.python, "-m", "pip", "uninstall", "--yes", "restway")
    try:
        left = [path for path in (system.root / "wheel").rglob("*") if "restway" in path.name]
        assert left == []
    finally:
        system.install(wheel)
