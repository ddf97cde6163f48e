"""An HTTP/2 server over TLS that plays faults of streams and connections, with the package h2.

Clients that speak HTTP/1.1 get correct answers.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from types import TracebackType

from certificates import Certificate
from connection import SECONDS_MAX, Connection, deliver
from fault_server import good_answer
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, RequestReceived
from h2.exceptions import ProtocolError
from h2.settings import SettingCodes

Play = Callable[["Stream"], None]
"""The action of the server for a request."""


class Stream:
    """A request that waits for its answer."""

    def __init__(self, link: Link, number: int, path: str) -> None:
        self.h2 = link.h2
        self.number = number
        self.path = path
        self._link = link

    def head(self, length: int, status: int = 200) -> None:
        headers = [(":status", str(status)), ("content-length", str(length))]
        self.h2.send_headers(self.number, headers)

    def data(self, data: bytes, ends: bool = True) -> None:
        self.h2.send_data(self.number, data, end_stream=ends)

    def answer(self) -> None:
        target = self.path.encode()
        body = b'{"method": "GET", "target": "' + target + b'", "bytes": 0}'
        self.head(len(body))
        self.data(body)

    def reset(self, code: int) -> None:
        self.h2.reset_stream(self.number, code)

    def go_away(self, code: int = 0, last: int | None = None) -> None:
        """Sends a GOAWAY. It names this stream as the last one that the server has handled, unless
        `last` is given.
        """
        self.h2.close_connection(code, last_stream_id=self.number if last is None else last)

    def raw(self, data: bytes) -> None:
        """Sends bytes after all frames so far."""
        self._link.flush()
        self._link.socket.sendall(data)

    def flush(self) -> None:
        self._link.flush()

    def deliver(self, data: bytes) -> None:
        """Sends bytes in a record of TLS of their own, and returns when the client's kernel has
        them.
        """
        deliver(data)(self._link)

    def hang_up(self) -> None:
        self._link.flush()
        self._link.has_ended = True


class Link:
    """One connection."""

    def __init__(self, accepted: socket.socket) -> None:
        self.socket = accepted
        self.h2 = H2Connection(H2Configuration(client_side=False))
        self.has_ended = False

    def flush(self) -> None:
        self.socket.sendall(self.h2.data_to_send())


class HTTP2Server:
    """Plays `plays[path]`, without its query, and answers all other paths well."""

    def __init__(
        self, certificate: Certificate, plays: Mapping[str, Play], streams_max: int = 100
    ) -> None:
        self._context = certificate.context("h2")
        self._plays = plays
        self._streams_max = streams_max
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._sockets: list[socket.socket] = []
        self._problems: list[BaseException] = []
        self.requests: Counter[str] = Counter()
        """How often each path was asked for."""
        self.over_http1 = threading.Event()
        """Whether requests for plays are answered over HTTP/1.1."""
        self.over_http1.set()

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self._listener.getsockname()[1]}"

    @property
    def accepted(self) -> int:
        return len(self._sockets)

    def _accept(self) -> None:
        while True:
            try:
                accepted, _ = self._listener.accept()
            except OSError:
                return
            accepted.settimeout(SECONDS_MAX)
            thread = threading.Thread(target=self._run, args=(accepted,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _run(self, accepted: socket.socket) -> None:
        try:
            with (
                contextlib.suppress(OSError),
                accepted,
                self._context.wrap_socket(accepted, server_side=True) as secure,
            ):
                self._sockets.append(secure)
                if secure.selected_alpn_protocol() == "h2":
                    self._serve(Link(secure))
                else:
                    self._serve_well(Connection(secure))
        except BaseException as error:
            self._problems.append(error)

    def _serve(self, link: Link) -> None:
        link.h2.initiate_connection()
        link.h2.update_settings({SettingCodes.MAX_CONCURRENT_STREAMS: self._streams_max})
        link.flush()
        while not link.has_ended:
            data = link.socket.recv(65536)
            if not data:
                return
            try:
                events = link.h2.receive_data(data)
            except ProtocolError:
                return  # the client continues after a GOAWAY that it has not seen yet
            for event in events:
                if isinstance(event, RequestReceived):
                    self._answer(link, event)
                elif isinstance(event, DataReceived) and event.stream_id:
                    count = event.flow_controlled_length or 0
                    link.h2.acknowledge_received_data(count, event.stream_id)
            if not link.has_ended:
                link.flush()

    def _serve_well(self, connection: Connection) -> None:
        """Answers a client that speaks HTTP/1.1."""
        while request := connection.read_head():
            connection.read_body(request)
            if request.target.partition("?")[0].strip("/") in self._plays:
                assert self.over_http1.wait(SECONDS_MAX)
            connection.socket.sendall(good_answer(request))

    def _answer(self, link: Link, event: RequestReceived) -> None:
        assert event.stream_id is not None
        fields = {bytes(name): bytes(value) for name, value in event.headers or []}
        path = fields[b":path"].decode()
        name = path.partition("?")[0].strip("/")
        self.requests[name] += 1
        with contextlib.suppress(ProtocolError):  # the connection was just ended
            self._plays.get(name, Stream.answer)(Stream(link, event.stream_id, path))

    def __enter__(self) -> HTTP2Server:
        self._threads[0].start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)  # wakes accept()
        self._listener.close()
        for secure in list(self._sockets):
            with contextlib.suppress(OSError):
                secure.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(SECONDS_MAX)
        if error is None:
            assert not any(thread.is_alive() for thread in self._threads)
            assert self._problems == []
