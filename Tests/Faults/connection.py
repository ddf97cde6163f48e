"""One connection of the fault server, and the steps that a fault is made of."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import socket
import ssl
import struct
import termios
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

#: No thread of the server outlives a test by more than this time, whatever happens.
SECONDS_MAX = 20.0
#: The meaning of "for ever": far beyond every time limit of the library in a test.
BYTES_MAX = 32 << 20
#: The time between two bytes that are sent slowly.
DRIP_SECONDS = 0.02


@dataclass
class Received:
    """A request as it arrived."""

    method: str
    target: str
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


class Connection:
    """The server's side of an accepted connection. Only one thread uses it."""

    def __init__(self, accepted: socket.socket) -> None:
        accepted.settimeout(SECONDS_MAX)
        if accepted.family != socket.AF_UNIX:
            accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = accepted
        self.has_ended = False
        self.request: Received | None = None
        """The request that was read last."""
        self._buffer = b""

    def read_head(self) -> Received | None:
        """Returns the next request without its body; None when the client has closed the
        connection.
        """
        while b"\r\n\r\n" not in self._buffer:
            if not self._read_more():
                return None
        head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        method, target, _ = first.split(" ")
        fields = (line.partition(":") for line in lines)
        headers = {name.lower(): value.strip() for name, _, value in fields}
        self.request = Received(method, target, headers)
        return self.request

    def read_body(self, request: Received) -> None:
        """Reads the body, or only a part of it if the client closes the connection."""
        if request.headers.get("transfer-encoding") == "chunked":
            while size := int(self._read_line() or b"0", 16):
                request.body += self._read(size)
                self._read_line()
            self._read_line()
        else:
            request.body = self._read(int(request.headers.get("content-length", "0")))

    def _read(self, length: int) -> bytes:
        while len(self._buffer) < length and self._read_more():
            pass
        data, self._buffer = self._buffer[:length], self._buffer[length:]
        return data

    def _read_line(self) -> bytes:
        while b"\r\n" not in self._buffer and self._read_more():
            pass
        line, _, self._buffer = self._buffer.partition(b"\r\n")
        return line

    def _read_more(self) -> bool:
        try:
            part = self.socket.recv(65536)
        except OSError:
            part = b""
        self._buffer += part
        return bool(part)

    def secure(self, context: ssl.SSLContext) -> None:
        """Continues with TLS; the connection ends if the client refuses."""
        plain = self.socket
        try:
            self.socket = context.wrap_socket(plain, server_side=True)
        except OSError:
            plain.close()
            self.has_ended = True

    @property
    def has_resumed(self) -> bool:
        """Whether the handshake of TLS resumed an earlier session."""
        secured = self.socket
        return isinstance(secured, ssl.SSLSocket) and bool(secured.session_reused)

    def end(self) -> None:
        if not self.has_ended:
            self.has_ended = True
            self.socket.close()


Step = Callable[[Connection], None]
"""Something that the server does to a connection."""


def send(data: bytes) -> Step:
    """Sends `data` at once."""
    return lambda connection: connection.socket.sendall(data)


class HasSocket(Protocol):
    """Anything with the server's side of a connection."""

    @property
    def socket(self) -> socket.socket: ...


def deliver(data: bytes) -> Callable[[HasSocket], None]:
    """Sends `data`, and returns when the client's kernel has all of it: no byte is unacknowledged
    (SIOCOUTQ, tcp(7)).
    """

    def step(connection: HasSocket) -> None:
        connection.socket.sendall(data)
        until = time.monotonic() + SECONDS_MAX
        while any(fcntl.ioctl(connection.socket, termios.TIOCOUTQ, bytes(4))):
            assert time.monotonic() < until
            os.sched_yield()

    return step


def trickle(data: bytes) -> Step:
    """Sends `data` one byte at a time, each in a packet of its own."""

    def step(connection: Connection) -> None:
        for byte in data:
            connection.socket.sendall(bytes([byte]))

    return step


def for_ever(data: bytes) -> Step:
    """Sends `data` repeatedly until the client closes the connection."""

    def step(connection: Connection) -> None:
        piece = data * max(1, 16384 // len(data))
        with contextlib.suppress(OSError):
            for _ in range(BYTES_MAX // len(piece)):
                connection.socket.sendall(piece)

    return step


def drip(byte: bytes) -> Step:
    """Sends `byte` from time to time, so that the connection is never idle, until the client closes
    it.
    """

    def step(connection: Connection) -> None:
        with contextlib.suppress(OSError):
            for _ in range(int(SECONDS_MAX / DRIP_SECONDS)):
                connection.socket.sendall(byte)
                if select.select([connection.socket], [], [], DRIP_SECONDS)[0]:
                    break
        connection.end()

    return step


def stall(connection: Connection, seconds: float = SECONDS_MAX) -> None:
    """Neither reads nor writes until the client has closed the connection."""
    poll = select.poll()
    poll.register(connection.socket, select.POLLRDHUP)
    poll.poll(int(seconds * 1000))
    connection.end()


def leave_unread(connection: Connection) -> None:
    """Stalls for a client that closes the connection at once, while it is still sending."""
    stall(connection, seconds=0.1)


def stall_unread(connection: Connection) -> None:
    """Stalls for a client that is still sending: the end of the connection comes after the bytes
    that are not read.
    """
    stall(connection, seconds=0.5)


def take_body(connection: Connection) -> None:
    """Reads the body of the request, or the part of the body that the client sends."""
    assert connection.request is not None
    connection.read_body(connection.request)


def wait_for_bytes(connection: Connection) -> None:
    """Waits until the client has sent something: only then does the client know that
    it is connected.
    """
    select.select([connection.socket], [], [], SECONDS_MAX)


def close(connection: Connection) -> None:
    """Ends the connection in an orderly way: the client reads an end of file."""
    with contextlib.suppress(OSError):
        connection.socket.shutdown(socket.SHUT_WR)
        connection.socket.setblocking(False)
        while connection.socket.recv(65536):  # otherwise unread bytes would make it a reset
            pass
    connection.end()


def say_goodbye(connection: Connection) -> None:
    """Ends TLS in the correct way, with close_notify, and then the connection."""
    assert isinstance(connection.socket, ssl.SSLSocket)
    with contextlib.suppress(OSError):
        connection.socket = connection.socket.unwrap()
    close(connection)


def notify_and_close(connection: Connection) -> None:
    """Ends TLS and the connection without waiting for the client, as servers end idle
    connections.
    """
    connection.socket.setblocking(False)
    assert isinstance(connection.socket, ssl.SSLSocket)
    with contextlib.suppress(OSError):
        connection.socket.unwrap()  # sends close_notify, and would wait for the client's
    connection.end()


def close_when_client_does(connection: Connection) -> None:
    """Ends its own side, and reads the remaining bytes."""
    with contextlib.suppress(OSError):
        connection.socket.shutdown(socket.SHUT_WR)
        while connection.socket.recv(65536):
            pass
    connection.end()


def reset(connection: Connection) -> None:
    """Ends the connection with a reset."""
    linger = struct.pack("ii", 1, 0)
    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    connection.end()
