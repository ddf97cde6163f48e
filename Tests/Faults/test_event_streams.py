"""Event streams from servers that stall, break off and never end a line."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Iterator

import pytest
import restway
from listed_answers import Answer, ListedAnswers, sends
from restway import Request

DOCUMENT = {
    "restway": 1,
    "entities": {"Thing": {"identity": "id", "attributes": {"id": {"type": "int"}}}},
    "responses": [{"path": "things", "entity": "Thing"}],
}
HEAD = "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nConnection: close\r\n%s\r\n"
SSE = (HEAD % ("text/event-stream", "")).encode()
#: The body is longer than what comes.
SSE_BROKEN = (HEAD % ("text/event-stream", "Content-Length: 100000\r\n")).encode()
SSE_CHUNKED = (HEAD % ("text/event-stream", "Transfer-Encoding: chunked\r\n")).encode()
LINES = (HEAD % ("application/x-ndjson", "Content-Length: 100000\r\n")).encode()
NOTHING = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
#: The wait before a reconnection is a millisecond.
RETRY = b"retry: 1\n\n"
COUNT = 4


def event(number: int) -> bytes:
    return b'id: %d\ndata: {"id": %d}\n\n' % (number, number)


def events_from(first: int) -> bytes:
    return b"".join(map(event, range(first, COUNT + 1)))


def stalls_after(content: bytes) -> Answer:
    """Sends bytes and then nothing, until the client has closed the connection."""

    def play(connection: socket.socket, _: bytes) -> None:
        connection.sendall(content)
        assert connection.recv(1) == b""

    return play


def sends_for_ever(content: bytes, again: bytes) -> Answer:
    def play(connection: socket.socket, _: bytes) -> None:
        connection.sendall(content)
        try:
            while True:
                connection.sendall(again)
        except OSError:
            return  # the client has closed the connection

    return play


def goes_on(connection: socket.socket, request: bytes) -> None:
    """Sends the events after the last one that the client has."""
    found = re.search(rb"\r\nLast-Event-ID: (\d+)\r\n", request)
    connection.sendall(SSE + events_from(int(found[1]) + 1 if found else 1))


@pytest.fixture
def server() -> Iterator[ListedAnswers]:
    with ListedAnswers([], last=NOTHING) as server:
        yield server


@pytest.fixture
def client(server: ListedAnswers) -> Iterator[restway.Client]:
    api = restway.API.from_json(json.dumps(DOCUMENT))
    with restway.Client(api, base_url=server.url, idle_timeout=1.0) as client:
        yield client


def ids(client: restway.Client) -> list[int]:
    with client.events("things") as stream:
        return [event.object["id"] for event in stream if event.object]


ALL = list(range(1, COUNT + 1))


def test_a_stream_that_breaks_off_at_any_byte_loses_and_repeats_no_event(
    server: ListedAnswers, client: restway.Client
) -> None:
    whole = events_from(1)
    for cut in range(len(whole) + 1):
        server.answers = [sends(SSE_BROKEN + RETRY + whole[:cut]), goes_on]
        assert ids(client) == ALL, cut


def test_a_stream_that_breaks_off_in_a_chunk_goes_on(
    server: ListedAnswers, client: restway.Client
) -> None:
    body = RETRY + event(1) + event(2)[:-5]
    chunk = b"%x\r\n" % (len(body) + 7) + body
    server.answers = [sends(SSE_CHUNKED + chunk), goes_on]
    assert ids(client) == ALL
    assert b"\r\nLast-Event-ID: 1\r\n" in server.requests[1]


def test_a_stream_that_stalls_in_an_event_is_opened_again(
    server: ListedAnswers, client: restway.Client
) -> None:
    server.answers = [stalls_after(SSE + RETRY + event(1) + event(2)[:-1]), goes_on]
    assert ids(client) == ALL


def test_lines_that_break_off_are_an_error_after_the_whole_ones(
    server: ListedAnswers, client: restway.Client
) -> None:
    server.answers = [sends(LINES + b'{"id": 1}\n{"id": 2}\n{"id": ')]
    with client.events("things") as stream:
        events = iter(stream)
        assert [next(events).data, next(events).data] == [b'{"id": 1}', b'{"id": 2}']
        with pytest.raises(restway.ConnectionLostError):
            next(events)
    assert len(server.requests) == 1


@pytest.mark.parametrize("piece", [b"x", b"data: x\n"])
def test_an_event_without_an_end_is_an_error_at_the_bound(
    server: ListedAnswers, client: restway.Client, piece: bytes
) -> None:
    server.answers = [sends_for_ever(SSE + event(1) + b"data: ", piece * 1_000)]
    with client.events("things", event_bytes_max=1 << 20) as stream:
        events = iter(stream)
        assert next(events).object is not None
        with pytest.raises(restway.TooLargeError, match="larger than 1048576 bytes"):
            next(events)
    assert len(server.requests) == 1


@pytest.mark.parametrize("closes", [False, True])
def test_a_stream_that_stalls_ends_by_cancel_and_by_close(
    server: ListedAnswers, closes: bool
) -> None:
    """The server sends nothing until the client has closed the connection."""
    api = restway.API.from_json(json.dumps(DOCUMENT))
    server.answers = [stalls_after(SSE + event(1) + b"data: ")]
    client = restway.Client(api, base_url=server.url)
    raised: list[restway.RestwayError] = []
    begun = threading.Event()
    stream = client.events(Request.path("GET", "things"))

    def read() -> None:
        try:
            with stream:
                for _ in stream:
                    begun.set()
        except restway.RestwayError as error:
            raised.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    begun.wait()
    if closes:
        client.close()
    else:
        stream.__exit__(None, None, None)
    reader.join()
    assert [type(error) for error in raised] == [
        restway.ClosedError if closes else restway.CancelledError
    ]
    client.close()
