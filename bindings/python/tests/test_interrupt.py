"""Signals that end waits (Ctrl-C), in processes of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import restway

PACKAGE = Path(restway.__file__).parent
PROGRAM = """
import os, signal, socket, sys, threading
import restway

# A shell that starts the tests in the background lets its programs ignore SIGINT.
signal.signal(signal.SIGINT, signal.default_int_handler)

def serve(listener, accepted):
    while True:
        connection, _ = listener.accept()
        accepted.append(connection)
        data = b""
        while b"\\r\\n\\r\\n" not in data:
            data += connection.recv(65536)
        if b"/quick" in data:
            connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n")
        if b"/begun" in data:
            connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 9\\r\\n\\r\\nabc")
        asked.set()

accepted = []
asked = threading.Event()
listener = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=serve, args=(listener, accepted), daemon=True).start()
url = "http://127.0.0.1:%d" % listener.getsockname()[1]
api = restway.API.from_json({"restway": 1, "batch": {"path": "silent"},
                             "environments": {"e": {"baseURL": url}}})

thing = {"identity": "id", "attributes": {"id": {"type": "int"}}}
things = {"path": "silent", "response": {"entity": "Thing"}, "pages": {"next": "link"}}
paged = restway.API.from_json({"restway": 1, "entities": {"Thing": thing},
                               "routes": {"things": things},
                               "environments": {"e": {"baseURL": url}}})

def interrupt(number=signal.SIGINT):
    # Sends the signal when the server has the request and the main thread waits.
    def run():
        asked.wait()
        main = threading.main_thread().ident
        while sys._current_frames()[main].f_code.co_name not in ("wait", "run", "_performing"):
            pass
        os.kill(os.getpid(), number)
    threading.Thread(target=run, daemon=True).start()

def expect(kind, wait):
    try:
        result = wait()
    except kind as error:
        print("raised", type(error).__name__)
    else:
        print("returned", result)

class Other(Exception):
    pass

def raise_other(number, frame):
    raise Other
"""

OFFLINE = """
import tempfile

folder = tempfile.TemporaryDirectory()
offline = restway.API.from_json({
    "restway": 1, "outbox": {"path": folder.name + "/outbox.db"},
    "environments": {"e": {"baseURL": url}},
    "routes": {"later": {"method": "PUT", "path": "silent", "offline": True}}})

def store(client):
    client.set_reachability(restway.Reachability.UNREACHABLE)
    try:
        client.route("later", json={})
    except restway.QueuedError as queued:
        return queued
"""

CASES = {
    "a request": """
interrupt()
with restway.Client(api) as client:
    expect(KeyboardInterrupt, lambda: client.get("silent"))
""",
    "a request with a time limit": """
interrupt()
with restway.Client(api) as client:
    request = restway.Request.path("GET", "silent")
    expect(KeyboardInterrupt, lambda: client.perform(request, timeout=600))
""",
    "a call": """
interrupt()
with restway.Client(api) as client:
    call = client.send(restway.Request.path("GET", "silent"))
    expect(KeyboardInterrupt, call.wait)
    expect(restway.CancelledError, call.wait)
""",
    "a batch": """
interrupt()
with restway.Client(api) as client:
    batch = client.batch()
    batch.get("silent")
    batch.send()
    expect(KeyboardInterrupt, batch.wait)
    expect(restway.CancelledError, batch.wait)
""",
    "process": """
interrupt()
with restway.Client(api, delivery="process") as client:
    call = client.send(restway.Request.path("GET", "silent"))
    expect(KeyboardInterrupt, lambda: client.process(None))
    print(call.done)
""",
    "a callback inside of process": """
def done(call):
    os.kill(os.getpid(), signal.SIGINT)
    while True:
        pass

with restway.Client(api, delivery="process") as client:
    client.send(restway.Request.path("GET", "quick"), done)
    expect(KeyboardInterrupt, lambda: client.process(None))
""",
    "the head of a stream": """
interrupt()
with restway.Client(api) as client:
    stream = client.stream(restway.Request.path("GET", "silent"))
    expect(KeyboardInterrupt, stream.__enter__)
    expect(restway.CancelledError, stream._call.wait)
""",
    "the body of a stream": """
interrupt()
with restway.Client(api) as client:
    def read():
        with client.stream(restway.Request.path("GET", "begun")) as response:
            for piece in response.iter_bytes():
                pass
    expect(KeyboardInterrupt, read)
""",
    "pages": """
interrupt()
with restway.Client(paged) as client:
    expect(KeyboardInterrupt, lambda: list(client.pages("things")))
""",
    "events": """
interrupt()
with restway.Client(api) as client:
    def read():
        with client.events("begun", format="lines") as events:
            list(events)
    expect(KeyboardInterrupt, read)
""",
    "a flush": OFFLINE
    + """
with restway.Client(offline) as client:
    store(client)
    interrupt()
    expect(KeyboardInterrupt, lambda: client.outbox.flush(wait=True))
    print(len(client.outbox))
""",
    "a flush whose callbacks run in process": OFFLINE
    + """
with restway.Client(offline, delivery="process") as client:
    store(client)
    interrupt()
    expect(KeyboardInterrupt, lambda: client.outbox.flush(wait=True))
    print(len(client.outbox))
""",
    "a stored request": OFFLINE
    + """
with restway.Client(offline) as client:
    queued = store(client)
    interrupt()
    client.set_reachability(restway.Reachability.UNKNOWN)
    expect(KeyboardInterrupt, lambda: client.outbox.wait(queued))
    print(len(client.outbox))
""",
    "another signal": """
signal.signal(signal.SIGUSR1, raise_other)
interrupt(signal.SIGUSR1)
with restway.Client(api) as client:
    expect(Other, lambda: client.get("silent"))
""",
    "another signal in a callback": """
signal.signal(signal.SIGUSR1, raise_other)
def done(call):
    os.kill(os.getpid(), signal.SIGUSR1)
    while True:
        pass

with restway.Client(api, delivery="process") as client:
    client.send(restway.Request.path("GET", "quick"), done)
    expect(Other, lambda: client.process(None))
""",
}
EXPECTED = {
    "a call": ["raised KeyboardInterrupt", "raised CancelledError"],
    "a batch": ["raised KeyboardInterrupt", "raised CancelledError"],
    "a flush": ["raised KeyboardInterrupt", "1"],
    "a flush whose callbacks run in process": ["raised KeyboardInterrupt", "1"],
    "a stored request": ["raised KeyboardInterrupt", "1"],
    "the head of a stream": ["raised KeyboardInterrupt", "raised CancelledError"],
    "process": ["raised KeyboardInterrupt", "False"],
    "another signal": ["raised Other"],
    "another signal in a callback": ["raised Other"],
}


def _run(body: str) -> list[str]:
    # Newer versions of Python warn of a fork in a process with threads.
    quiet = "-Wignore:This process:DeprecationWarning"
    done = subprocess.run(
        [sys.executable, quiet, "-c", PROGRAM + body],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.parametrize("what", CASES)
def test_a_signal_ends_the_wait_for(what: str) -> None:
    assert _run(CASES[what]) == EXPECTED.get(what, ["raised KeyboardInterrupt"])


def test_the_call_is_cancelled() -> None:
    """The connection of an interrupted request ends while the client lives."""
    assert _run(
        """
interrupt()
with restway.Client(api) as client:
    expect(KeyboardInterrupt, lambda: client.get("silent"))
    print(accepted[0].recv(1))
"""
    ) == ["raised KeyboardInterrupt", "b''"]


def test_a_signal_whose_handler_returns_ends_no_wait() -> None:
    assert _run(
        """
handled = []
def note(number, frame):
    handled.append(number)
    if len(handled) < 20:
        os.kill(os.getpid(), signal.SIGUSR1)
    else:
        accepted[0].sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n")
signal.signal(signal.SIGUSR1, note)
interrupt(signal.SIGUSR1)
with restway.Client(api) as client:
    print(client.get("silent").status, len(handled))
"""
    ) == ["200 20"]


def test_the_wake_up_descriptor_of_the_program_stays() -> None:
    """An event loop's descriptor is the program's own."""
    assert _run(
        """
one, other = socket.socketpair()
one.setblocking(False)
signal.set_wakeup_fd(one.fileno())
with restway.Client(api) as client:
    print(client.get("quick").status)
print(signal.set_wakeup_fd(-1) == one.fileno())
"""
    ) == ["200", "True"]
    assert _run(
        """
with restway.Client(api) as client:
    print(client.get("quick").status)
print(signal.set_wakeup_fd(-1))
"""
    ) == ["200", "-1"]


def test_other_threads_wait_on() -> None:
    """Python handles signals in the main thread alone."""
    assert _run(
        """
statuses = []
with restway.Client(api) as client:
    thread = threading.Thread(target=lambda: statuses.append(client.get("silent").status))
    thread.start()
    asked.wait()
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        accepted[0].sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n")
    thread.join()
print(statuses)
"""
    ) == ["[200]"]


def test_a_child_has_an_interrupt_of_its_own() -> None:
    assert _run(
        """
with restway.Client(api) as client:
    client.get("quick")
asked.wait()  # the server sets it when it has answered
asked.clear()
child = os.fork()
if child == 0:
    with restway.Client(restway.API.from_json(
            {"restway": 1, "environments": {"e": {"baseURL": url}}})) as client:
        try:
            client.get("silent")
        except KeyboardInterrupt:
            os._exit(7)
    os._exit(8)
asked.wait()
os.kill(child, signal.SIGINT)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    ) == ["7"]


def test_a_signal_ends_a_mapping() -> None:
    class Other(Exception):
        pass

    def handle(*_: object) -> None:
        raise Other

    stopped = threading.Event()
    asked: list[int] = []

    def progress(done: int, total: int | None) -> None:
        asked.append(done)
        os.kill(os.getpid(), signal.SIGUSR1)
        assert stopped.wait(30)

    entities = {"Thing": {"identity": "id", "attributes": {"id": {"type": "int"}}}}
    data = [{"id": number, "padding": "x" * 100} for number in range(1, 5001)]
    before = signal.signal(signal.SIGUSR1, handle)
    try:
        with restway.Client(
            {"restway": 1, "entities": entities, "environments": {"e": {"baseURL": "http://h"}}}
        ) as client:
            with pytest.raises(Other):
                client.map("Thing", data, progress=progress)
            stopped.set()
            for thread in threading.enumerate():
                if thread.name == "restway elsewhere":
                    thread.join(30)
            assert len(asked) == 1  # the mapping ended with the first answer
            assert client.store.count() == 0
            # Without a signal, the same mapping goes well.
            assert len(client.map("Thing", data).objects) == 5000
    finally:
        signal.signal(signal.SIGUSR1, before)
