"""A server for resumable uploads, in tus 1.0 and in the IETF's draft, that plays faults."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Protocol = Literal["tus", "ietf"]

_READ_BYTES = 4096
_POLL_SECONDS = 0.01


@dataclass(frozen=True)
class Break:
    """The connection ends after this many bytes of a piece. The server keeps these bytes, but
    loses the last `lost` bytes of the upload.
    """

    after: int
    lost: int = 0


@dataclass(frozen=True)
class Refuse:
    """The request is answered with this status, and changes nothing."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Forget:
    """The server forgets the upload, and answers with 404."""


@dataclass(frozen=True)
class Silence:
    """A piece is taken whole, and the connection ends before the answer."""


Fault = Break | Refuse | Forget | Silence


@dataclass
class Upload:
    length: int
    data: bytearray = field(default_factory=bytearray)
    is_complete: bool = False
    busy: threading.Lock = field(default_factory=threading.Lock)
    """Held while a request reads or changes the upload: what an earlier request has sent counts."""


class UploadServer:
    """Keeps uploads. `faults` has a list of faults for each method; a request of this method takes
    the next fault from the list.
    """

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        self.uploads: dict[str, Upload] = {}
        self.faults: dict[str, list[Fault]] = {}
        self.requests: list[tuple[str, str]] = []
        self.headers: list[dict[str, str]] = []
        self.problems: list[str] = []
        self.token: str | None = None
        """The only bearer token that is accepted; None accepts all requests."""
        self.location = "/uploads/{}"
        self.on_piece: Any = None
        """Called with the upload when bytes of the upload have arrived."""
        self._created = 0
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_expect_100(self) -> bool:
                # An announced body is asked for when it is read.
                return True

            def handle_any(self) -> None:
                server._handle(self)

            do_POST = do_HEAD = do_PATCH = do_DELETE = do_PUT = handle_any

            def log_message(self, *_arguments: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        # The server looks this often whether it is to stop; otherwise every test would wait for it.
        self._thread = threading.Thread(target=self._http.serve_forever, args=(_POLL_SECONDS,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def only(self) -> Upload:
        (upload,) = self.uploads.values()
        return upload

    def methods(self) -> list[str]:
        return [method for method, _ in self.requests]

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    # The requests

    def _handle(self, request: BaseHTTPRequestHandler) -> None:
        with self._lock:
            self.requests.append((request.command, request.path))
            self.headers.append({name.lower(): text for name, text in request.headers.items()})
            self._check_version(request)
            waiting = self.faults.get(request.command)
            fault = waiting.pop(0) if waiting else None
        authorization = request.headers.get("Authorization")
        if self.token is not None and authorization != f"Bearer {self.token}":
            self._read(request, None)
            return self._answer(request, 401)
        if isinstance(fault, Refuse):
            self._read(request, None)
            return self._answer(request, fault.status, *fault.headers)
        if isinstance(fault, Forget):
            self.uploads.pop(request.path, None)
        if request.command in ("POST", "PUT"):
            return self._create(request, fault)
        upload = self.uploads.get(request.path)
        if upload is None:
            self._read(request, None)
            return self._answer(request, 404)
        with upload.busy:
            self._serve(request, upload, fault)

    def _serve(self, request: BaseHTTPRequestHandler, upload: Upload, fault: Fault | None) -> None:
        if request.command == "PATCH":
            return self._append(request, upload, fault)
        if request.command == "DELETE":
            del self.uploads[request.path]
            return self._answer(request, 204)
        return self._answer(request, 204, *self._state(upload))

    def _check_version(self, request: BaseHTTPRequestHandler) -> None:
        name, version = {
            "tus": ("Tus-Resumable", "1.0.0"),
            "ietf": ("Upload-Draft-Interop-Version", "8"),
        }[self.protocol]
        if request.headers.get(name) != version:
            self.problems.append(f"{request.command} without {name}: {version}")

    def _create(self, request: BaseHTTPRequestHandler, fault: Fault | None) -> None:
        length = int(request.headers["Upload-Length"])
        if request.headers.get("Content-Length") != "0":
            self.problems.append("a creation has a body")
        if self.protocol == "tus":
            for pair in request.headers["Upload-Metadata"].split(","):
                base64.b64decode(pair.split(" ")[1], validate=True)
        elif request.headers["Upload-Complete"] != "?0":
            self.problems.append("a creation is complete")
        with self._lock:
            self._created += 1
            path = self.location.format(self._created)
            self.uploads[path.removeprefix(self.url)] = Upload(length)
        if isinstance(fault, Silence):
            return self._hang_up(request)
        self._answer(request, 201, ("Location", path))

    def _append(
        self, request: BaseHTTPRequestHandler, upload: Upload, fault: Fault | None
    ) -> None:
        media_type = {
            "tus": "application/offset+octet-stream", "ietf": "application/partial-upload",
        }[self.protocol]
        if request.headers.get("Content-Type") != media_type:
            self.problems.append(f"a piece of {request.headers.get('Content-Type')}")
        if int(request.headers["Upload-Offset"]) != len(upload.data):
            self._read(request, None)
            return self._answer(request, 409, *self._state(upload))
        wanted = fault.after if isinstance(fault, Break) else None
        if not self._read(request, upload, wanted):
            if isinstance(fault, Break) and fault.lost:
                del upload.data[-fault.lost :]
            return self._hang_up(request)
        says_complete = request.headers.get("Upload-Complete") == "?1"
        if self.protocol == "ietf" and says_complete != (len(upload.data) == upload.length):
            self.problems.append("Upload-Complete does not fit the bytes")
        upload.is_complete = len(upload.data) == upload.length
        if isinstance(fault, Silence):
            return self._hang_up(request)
        return self._answer(request, 204, *self._state(upload))

    def _read(
        self, request: BaseHTTPRequestHandler, upload: Upload | None, wanted: int | None = None
    ) -> bool:
        """Reads a body; False if the connection is to end before its end."""
        if "Expect" in request.headers:
            if upload is None:
                request.close_connection = True
                return True
            request.send_response_only(100)
            request.end_headers()
        left = int(request.headers.get("Content-Length", 0))
        taken = 0
        while left > 0:
            if wanted is not None and taken >= wanted:
                return False
            count = min(left, _READ_BYTES, left if wanted is None else wanted - taken)
            data = request.rfile.read(count)
            if upload is not None:
                upload.data += data
                if self.on_piece is not None:
                    self.on_piece(upload)
            if len(data) < count:
                return False
            left -= count
            taken += count
        return wanted is None or taken < wanted

    def _state(self, upload: Upload) -> list[tuple[str, str]]:
        state = [("Upload-Offset", str(len(upload.data))), ("Upload-Length", str(upload.length))]
        if self.protocol == "ietf":
            state.append(("Upload-Complete", "?1" if upload.is_complete else "?0"))
        return state

    def _answer(
        self, request: BaseHTTPRequestHandler, status: int, *headers: tuple[str, str]
    ) -> None:
        try:
            request.send_response(status)
            for name, text in headers:
                request.send_header(name, text)
            if status != 204:
                request.send_header("Content-Length", "0")
            request.end_headers()
        except ConnectionError:
            request.close_connection = True

    def _hang_up(self, request: BaseHTTPRequestHandler) -> None:
        request.close_connection = True


@contextmanager
def uploading(protocol: Protocol) -> Iterator[UploadServer]:
    server = UploadServer(protocol)
    server.start()
    try:
        yield server
    finally:
        server.stop()
    assert server.problems == []
