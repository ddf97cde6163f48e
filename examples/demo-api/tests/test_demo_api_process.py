"""The start and stop of the demo API's process, and the guarantees of its seed."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from typing import Any

import pytest
from demo_client import DEMO_API, TIMEOUT_SECONDS, Client, start, stop


def first_bytes(*options: str) -> list[bytes]:
    process, port = start(*options)
    client = Client(port)
    bodies = [client.get(path).body for path in ("enterprises", "employees", "meetings")]
    stop(process)
    return bodies


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_it_cleanly_with_a_client_connected(number: signal.Signals) -> None:
    process, port = start("--companies", "3")
    with socket.create_connection(("127.0.0.1", port)):
        process.send_signal(number)
        assert process.wait(TIMEOUT_SECONDS) == 0
    assert stop(process) == ("", "")


def test_end_of_stdin_ends_it() -> None:
    process, _ = start("--companies", "3")
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(TIMEOUT_SECONDS) == 0


def test_verbose_logs_requests_to_stderr_only() -> None:
    process, port = start("--companies", "3", "--verbose")
    client = Client(port)
    client.get("enterprises?page=1")
    client.get("enterprises", If_None_Match="*")
    # The line is written after its answer: the next answer on this connection proves that it is
    # there.
    client.get("status")
    out, errors = stop(process)
    assert out == ""
    lines = errors.splitlines()
    assert lines[0].startswith("GET /v2/enterprises?page=1 200 ")
    assert lines[1].startswith("GET /v2/enterprises 304 ")


def test_only_loopback_is_bound() -> None:
    process, port = start("--companies", "3")
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.2", port), timeout=1)
    stop(process)


def test_taken_port_is_reported(port: int) -> None:
    second = subprocess.run(
        [sys.executable, str(DEMO_API), "--port", str(port)],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
    )
    assert (second.returncode, second.stdout) == (1, "")
    assert str(port) in second.stderr


def test_equal_seeds_give_equal_bytes_and_other_seeds_do_not() -> None:
    one = first_bytes("--companies", "40")
    assert one == first_bytes("--companies", "40", "--seed", "1")
    assert one != first_bytes("--companies", "40", "--seed", "2")


def test_a_company_is_the_same_however_many_are_made() -> None:
    few = json.loads(first_bytes("--companies", "10")[0])["array_of_enterprises"]
    many = json.loads(first_bytes("--companies", "900")[0])["array_of_enterprises"]
    assert few == many[:10] and len(many) == 900


def test_no_companies_is_an_empty_service() -> None:
    process, port = start("--companies", "0")
    client = Client(port)
    assert client.get("enterprises").json == {"array_of_enterprises": [], "total": 0}
    assert client.send("POST", "enterprises", {"name": "First"}).json["id"] == 1
    stop(process)


def value_at(value: Any, key_path: str) -> Any:
    """Returns the value at a key path; the keys of the path must exist."""
    for key in key_path.split("."):
        value = value[key]
    return value


def test_api_document_describes_what_is_served(client: Client) -> None:
    document = json.loads((DEMO_API / "demo.restway.json").read_text(encoding="utf-8"))
    types: dict[str, tuple[type, ...]] = {
        "int": (int,),
        "string": (str,),
        "double": (int, float),
        "bool": (bool,),
        "date": (str,),
        "json": (list,),
    }
    mapped = [route for route in document["routes"].values() if "response" in route]
    for route in mapped + document["responses"]:
        methods = route["method"] if isinstance(route["method"], list) else [route["method"]]
        path = re.sub(r":\w+", "1", route["path"])
        allowed = client.send("OPTIONS", path).headers["Allow"].split(", ")
        assert set(methods) <= set(allowed)
        if "GET" not in methods:
            continue
        answer = client.get(path).json
        mapping = route.get("response", route)
        item = answer[mapping["keyPath"]][0] if "keyPath" in mapping else answer
        for attribute in document["entities"][mapping["entity"]]["attributes"].values():
            value = value_at(item, attribute["source"])
            assert value is None or isinstance(value, types[attribute["type"]]), attribute
    error = client.get("nowhere").json
    assert value_at(error, document["errors"]["code"]) == 40400
    assert value_at(error, document["errors"]["message"])
