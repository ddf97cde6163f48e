"""Starts the demo API as users do, in a process of its own."""

from __future__ import annotations

import gzip
import http.client
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

DEMO_API = Path(__file__).resolve().parent.parent
TIMEOUT_SECONDS = 20


def start(*options: str) -> tuple[subprocess.Popen[str], int]:
    """A running server and its port; it ends when its standard input is closed."""
    process = subprocess.Popen(
        [sys.executable, str(DEMO_API), "--exit-with-stdin", *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith("http://127.0.0.1:") and line.endswith("/v2\n"), line
    port = urlsplit(line.strip()).port
    assert port is not None
    return process, port


def stop(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Closes the server's standard input; returns the output after its first line."""
    return process.communicate(timeout=TIMEOUT_SECONDS)


@dataclass
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        packed = self.headers["Content-Encoding"] == "gzip"
        return json.loads(gzip.decompress(self.body) if packed else self.body)

    @property
    def etag(self) -> str:
        return str(self.headers["ETag"])

    @property
    def error_code(self) -> int:
        error = self.json["error"]
        assert set(error) == {"error_code", "error_description"} and error["error_description"]
        return int(error["error_code"])


class Client:
    """A kept connection; paths are relative to /v2."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_SECONDS)

    def send(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        """Sends bytes unchanged and other values as JSON; the keyword `If_Match` sets If-Match."""
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        if data is not None:
            fields.setdefault("Content-Type", "application/json")
        self.connection.request(method, f"/v2/{path}", data, fields)
        response = self.connection.getresponse()
        return Answer(response.status, response.headers, response.read())

    def get(self, path: str, **headers: str) -> Answer:
        return self.send("GET", path, **headers)
